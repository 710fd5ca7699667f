"""Asserts that are guarded compare plain data as Python does, and objects of the candidate by the data's own rules."""

import linecache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes.guest.runners.assert_values import compile_tests
from sandboxes.guest.runners.guarded_comparisons import METHODS, compare, install, may_lie

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.floats(allow_nan=True)
    | st.text("ab", max_size=2)
    | st.binary(max_size=1),
    lambda inner: (
        st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple) | st.dictionaries(st.integers(0, 2), inner)
    ),
    max_leaves=6,
)
SIGNS = st.sampled_from(sorted(METHODS))


def liar(base: type = object, **methods: Any) -> Any:
    """Return an object of a class of a candidate's, which says that it is equal to everything."""
    always = dict.fromkeys(("__eq__", "__lt__", "__le__", "__gt__", "__ge__"), lambda self, other: True)
    body = {
        **always,
        "__ne__": lambda self, other: False,
        "__hash__": lambda self: 0,
        "__module__": "candidate",
        **methods,
    }
    return type("Liar", (base,), body)()


def outcome(action, *arguments):
    """Return what a function returns, or the class of what it raises."""
    try:
        return action(*arguments)
    except Exception as error:
        return type(error)


@given(SIGNS, PLAIN, PLAIN)
def test_plain_data_compares_as_in_python(sign, first, second):
    """A comparison of plain data has Python's result, or its exception."""
    assert outcome(compare, sign, (), first, second) == outcome(METHODS[sign][0], first, second)


@given(SIGNS, PLAIN)
def test_an_object_does_not_decide(sign, data):
    """An object of the candidate is unequal to plain data, and has no order with it, on either side."""
    wanted = {"==": False, "!=": True}.get(sign, TypeError)
    assert outcome(compare, sign, (), liar(), data) == wanted
    assert outcome(compare, sign, (), data, liar()) == wanted


@pytest.mark.parametrize(("base", "own"), [(int, 0), (str, ""), (list, []), (dict, {}), (tuple, ())])
def test_an_instance_of_a_subclass_is_its_data(base, own):
    """An object whose class derives from plain data is equal to its own data, and to no other."""
    assert compare("==", (), liar(base), own) is True
    assert compare("==", (), own, liar(base)) is True
    assert compare("==", (), liar(base), base((5,)) if base in (list, tuple) else 5) is False


def test_an_object_in_a_list():
    """What stands at one place of two lists is compared by the same rules."""
    assert compare("==", (), [liar()], [5]) is False
    assert compare("!=", (), [liar()], [5]) is True
    assert compare("==", (), (5, liar()), (5, 6)) is False


def test_a_class_that_tests_name_decides():
    """An object of a class that the tests use by its name compares as it says."""
    assert compare("==", ("Liar",), liar(), 5) is True


def test_objects_decide_among_themselves():
    """Two objects of the candidate compare as they say."""
    assert compare("==", (), liar(), liar()) is True


@pytest.mark.parametrize(
    ("assertion", "passes"),
    [
        ("assert got == 5", False),
        ("assert 5 == got", False),
        ("assert not got != 5", False),
        ("assert got == 5 or got == 6", False),
        ("assert got >= 5 and True", TypeError),
        ("assert got == got", True),
        ("assert got == 5 if False else True", True),
    ],
)
def test_asserts_are_guarded(assertion, passes):
    """Comparisons in asserts are guarded, and what they compare is evaluated once."""
    install()
    calls = []
    names = {"value": liar(), "calls": calls}
    code = compile_tests(f"got = (calls.append(1), value)[1]\n{assertion}", "tests.py", are_guarded=True)
    linecache.cache.pop("tests.py", None)
    wanted = {True: None, False: AssertionError}.get(passes, passes)
    assert outcome(exec, code, names) is wanted
    assert calls == [1]


@pytest.mark.parametrize(
    ("candidate", "answer"),
    [(b"class A: pass", True), (b"from unittest.mock import ANY", True), (b"def f(x): return x", False)],
)
def test_only_some_candidates_may_lie(candidate, answer):
    """Tests are compiled with guards for candidates that may have such an object."""
    assert may_lie(candidate) is answer
