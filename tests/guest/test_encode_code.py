"""The code of tests, which the supervisor compiles for a fork server."""

import marshal

import pytest

from sandboxes.guest.supervisor.ordinary_run import MAX_COMPILED_BYTES, encode_code


def test_the_code_does_what_the_tests_do():
    """The code runs in a namespace as the tests would."""
    names = {"f": abs}
    exec(marshal.loads(encode_code(b"result = f(-2)")), names)
    assert names["result"] == 2


def test_a_failed_assert_keeps_its_values():
    """The code keeps the values that an assert compares."""
    with pytest.raises(AssertionError) as caught:
        exec(marshal.loads(encode_code(b"assert f(-2) == 3")), {"f": abs})
    assert 2 in caught.traceback[-1].frame.f_locals.values()


@pytest.mark.parametrize(
    "tests",
    [
        b"assert (",
        b"\x00",
        b"return 1",
        b"# coding: nothing\nassert",
        b"assert " + b"(" * 300,
        b"x = 1 " * 5000,
        b"x = '\xed\xa0\x80'",
    ],
    ids=["syntax", "null byte", "return", "encoding", "nesting", "long", "surrogate"],
)
def test_the_child_compiles_what_can_not_be_compiled_here(tests):
    """Invalid and long tests have no code, so that the child reports what is wrong with them."""
    assert encode_code(tests) == b""


def test_tests_of_the_greatest_size_have_code():
    """Tests of just the size that is compiled here have code, and longer ones don't."""
    tests = b"x = 1\n" + b"#" * (MAX_COMPILED_BYTES - 6)
    assert encode_code(tests) and not encode_code(tests + b"#")
