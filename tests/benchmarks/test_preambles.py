"""Preambles come before candidates, and a script's top-level `return` ends it."""

import contextlib
import io
import sys

import pytest

from code_tasks.benchmarks.preambles import NUMPY, apps_imports, returns_as_exits, star_imports, with_preamble


@pytest.fixture(autouse=True)
def recursion_limit():
    """Restore the recursion limit, which the preamble of `star_imports` raises in the tests' process."""
    limit = sys.getrecursionlimit()
    yield
    sys.setrecursionlimit(limit)


def output_of(source):
    """Return what a script writes."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.suppress(SystemExit):
        exec(compile(source, "script", "exec"), {"__name__": "__main__"})
    return output.getvalue()


@pytest.mark.parametrize(
    ("code", "output"),
    [
        ("print(1)\nreturn\nprint(2)", "1\n"),
        ("print(1)\nif True:\n    return\nprint(2)", "1\n"),
        ("for i in range(3):\n    print(i)\n    if i: return", "0\n1\n"),
        ("try:\n    return print(1)\nfinally:\n    print(2)\nprint(3)", "1\n2\n"),
        ("é = 'é'; return print(é,\n  'b')\nprint(3)", "é b\n"),
        ("print(1)\r\nreturn 1, 2\r\nprint(2)", "1\n"),
        ("match 1:\n    case 1:\n        return\nprint(2)", ""),
        ("def f():\n    return 5\nprint(f())\nreturn f()", "5\n"),
    ],
)
def test_top_level_returns(code, output):
    """A script with a `return` outside of functions ends there, after its value was computed."""
    assert output_of(returns_as_exits(code)) == output


@pytest.mark.parametrize(
    "code",
    [
        "def f():\n    return 1\n",
        "class C:\n    def f(self):\n        return 1",
        "print('return')",
        "return = 1\n",
        "class C:\n    return",
    ],
)
def test_other_returns_stay(code):
    """Functions, texts and invalid programs stay as they are."""
    assert returns_as_exits(code) == code


def test_an_exit_in_place_of_a_return_has_status_0():
    """A `return` with a value ends the script with status 0."""
    with pytest.raises(SystemExit) as raised:
        exec(returns_as_exits("return 1, 2"), {})
    assert raised.value.code == 0


def test_imports_from_the_future_come_first():
    """A program with imports from __future__ stays valid, and its lines move by those of the preamble alone."""
    code = "from __future__ import (annotations,\n    division)\nfrom __future__ import generators\n"
    code += "def f(x: Nothing): pass\n1/0"
    program = with_preamble(star_imports(5000), code)
    with pytest.raises(ZeroDivisionError) as raised:
        exec(compile(program, "program", "exec"), {})
    assert raised.traceback[-1].lineno + 1 == len(code.splitlines()) + 1


@pytest.mark.parametrize(
    "code",
    [
        "from __future__ import annotations  # a comment; and more\n",
        "from __future__ import (annotations,  # a comment\n    division)\n",
        "from __future__ import annotations\r\n",
        "'''Text.'''\nfrom  __future__  import annotations; x = 1\n",
    ],
)
@pytest.mark.parametrize("preamble", [star_imports(5000), apps_imports()])
def test_imports_from_the_future_hide_no_preamble(code, preamble):
    """Whatever stands behind an import from __future__, the names of the preamble are there."""
    assert output_of(with_preamble(preamble, code + "def f(x: Nothing): pass\nprint(math.sqrt(4))")) == "2.0\n"


def test_numpy_only_where_it_is_used():
    """Numpy is imported for programs that name it, because other programs should not wait for it."""
    assert NUMPY in with_preamble(apps_imports(), "print(np.zeros(1))")
    assert NUMPY not in with_preamble(apps_imports(), "print(inputs)")
