"""Under the policy "restricted" honest programs behave as in plain Python, or are refused clearly."""

import re

import pytest

from sandboxes.restricted_policy.runtime.builtins_provided import MAX_RANGE_LENGTH
from support.restricted_programs import honest_programs, outcome_here, outcome_in_python, policy, refusal_of
from support.separate_programs import read_programs

HONEST = [*honest_programs("restricted_honest"), *honest_programs("restricted_honest_imports")]
EVERYTHING = {"allow_underscore_variable_names": True, "allow_str_format": True}
# Programs of the separate grading's tests that the policy refuses, by a text of the refusal or error.
STAYS_REFUSED = re.compile(
    r'AsyncFunctionDef|"\*" imports|argument "metaclass"|"__(name|code)__" is an invalid|'
    r"is not allowed: allowed_imports|singledispatch is not safe"
)


@pytest.mark.parametrize("program", HONEST, ids=[program.fact for program in HONEST])
@pytest.mark.filterwarnings("ignore::SyntaxWarning")
def test_honest_program(program):
    """A program's result, output and exception are those of plain Python."""
    assert outcome_here(program.source, **program.settings) == outcome_in_python(program.source)


def test_facts_are_named_once():
    """No two programs have the same name."""
    facts = [program.fact for program in HONEST]
    assert sorted(set(facts)) == sorted(facts)


@pytest.mark.parametrize("file", ["separate/honest_functions", "separate/honest_classes", "separate/honest_more"])
@pytest.mark.filterwarnings("ignore")
def test_programs_of_separate_grading(file):
    """Right programs of the separate grading's tests run, or are refused for a reason in docs/restricted.md."""
    programs = [(each.candidate, each.fact) for each in read_programs(file)]
    for source, fact in dict(programs).items():
        try:
            here = outcome_here(source, **EVERYTHING)
        except SyntaxError as error:
            assert STAYS_REFUSED.search(str(error)), fact
            continue
        if not STAYS_REFUSED.search(here.error):
            assert here == outcome_in_python(source), fact


ALIKE = """
import re, math
def solve(values):
    total = 0
    for index, value in enumerate(values):
        total += value * index
    return total
out = solve([3, 4, 5])
"""


@pytest.mark.parametrize(
    "old, new",
    [
        ("total += value", "total -= value"),
        ("value * index", "value + index"),
        ("return total", "return None"),
        ("total = 0", "total = 1"),
        ("def solve(values)", "def solve(values=unknown)"),
        ("enumerate(values)", "enumerate(values, 1)"),
        ("value * index", "valeu * index"),
        ("    return total", "    pass"),
        ("solve([3", "solves([3"),
        ("re, math", "re, maths"),
    ],
)
def test_a_wrong_program_is_wrong_here_too(old, new):
    """A program with a small mistake has the same result or error as in plain Python."""
    assert old in ALIKE
    wrong = ALIKE.replace(old, new)
    here, there = outcome_here(wrong), outcome_in_python(wrong)
    if "maths" in new:
        assert here.error.startswith(("ImportError", "ModuleNotFoundError"))
    else:
        assert here == there != outcome_in_python(ALIKE)


REFUSED = {
    "eval('1')": "Line 1: Eval calls are not allowed.",
    "exec('1')": "Line 1: Exec calls are not allowed.",
    "async def f(): pass": "Line 1: AsyncFunctionDef statements are not allowed.",
    "try: pass\nexcept* ValueError: pass": "Line 1: TryStar statements are not allowed.",
    "class A(metaclass=type): pass": 'Line 1: The keyword argument "metaclass" is not allowed',
    "class A(**{}): pass": 'Line 1: Keywords of a class by "**" are not allowed.',
    "from math import *": 'Line 1: "*" imports are not allowed.',
    "_x = 1": 'Line 1: "_x" is an invalid variable name because it starts with "_"',
    "def _f(): pass": 'Line 1: "_f" is an invalid variable name',
    "def f(_x): pass": 'Line 1: "_x" is an invalid variable name',
    "x = 1\nx._y": 'Line 2: "_y" is an invalid attribute name because it starts with "_".',
    "def f(self): self.__x": 'Line 1: "__x" is an invalid attribute name',
    "f = 1\nf.__name__": 'Line 2: "__name__" is an invalid attribute name',
    "().__class__": 'Line 1: "__class__" is an invalid attribute name',
    "().__dict__": 'Line 1: "__dict__" is an invalid attribute name',
    "__all__ = []": 'Line 1: "__all__" is an invalid variable name',
    "class A:\n    def __del__(self): pass": 'Line 2: "__del__" is an invalid variable name',
    "class A:\n    def __setattr__(self, n, v): pass": 'Line 2: "__setattr__" is an invalid variable name',
    "def __init__(self): pass": 'Line 1: "__init__" is an invalid variable name',
    "print = 1": 'Line 1: "print" is a reserved name.',
    "def print(): pass": 'Line 1: "print" is a reserved name.',
    "breakpoint()": 'Line 1: "breakpoint" is a reserved name.',
    "g = (x for x in ())\ng.gi_frame": 'Line 2: "gi_frame" is a restricted name',
}


@pytest.mark.parametrize("source, said", REFUSED.items(), ids=REFUSED)
def test_refusal_names_line_and_rule(source, said):
    """A construct that stays refused is refused at compile time, with its line and the rule."""
    assert refusal_of(source).startswith(said)


def test_refusals_are_all_named_up_to_a_number():
    """The message about many refusals names the first few and counts the others."""
    said = refusal_of("\n".join(f"_x{i} = 1" for i in range(9)))
    assert said.startswith('Line 1: "_x0"')
    assert said.endswith("; and 4 more")


def test_refusal_in_tests_says_so():
    """A refusal in the tests says so, and names the way to free tests from the policy."""
    with pytest.raises(SyntaxError, match=r'^in the tests: Line 1: Eval calls.*grading="separate"'):
        policy().compile("eval('1')", "tests.py")


@pytest.mark.parametrize(
    "source, error",
    [
        ('"{}".format(1)', "NotImplementedError('Using the format*() methods of `str` is not safe')"),
        ("class A: pass\nA().nothing", "AttributeError(\"'A' object has no attribute 'nothing'\")"),
        ("open('x')", "NameError(\"name 'open' is not defined\")"),
        ("getattr(5, '__class__')", '\'"__class__" is an invalid attribute name because it starts with "_"\''),
        ("type('A', (), {})", "TypeError"),
        (f"range({MAX_RANGE_LENGTH + 1})", f"ValueError('range of more than {MAX_RANGE_LENGTH} elements"),
    ],
)
def test_refusal_while_running(source, error):
    """A refusal at run time is an exception that names the operation."""
    assert error in outcome_here(source).error


def test_import_that_is_not_allowed():
    """An import that is not allowed is an ImportError that names the allowed ones."""
    said = outcome_here("import math", allowed_imports=("re", "copy")).error
    assert said == "ImportError(\"import of 'math' is not allowed: allowed_imports has copy, re\")"


def test_imports_of_the_interpreter():
    """`datetime` can import its own modules, and a program still can't import them."""
    source = "from datetime import datetime\nout = datetime.strptime('2024', '%Y')\n"
    assert outcome_here(source, allowed_imports=("datetime",)) == outcome_in_python(source)
    for name in ("time", "_strptime"):
        options = {"allowed_imports": ("datetime",), "allow_underscore_variable_names": True}
        assert "is not allowed" in outcome_here(f"{source}import {name}\n", **options).error


def test_private_names_in_classes_stay_apart():
    """Names with two underscores belong to their class, as in plain Python, if underscores are allowed."""
    source = (
        "class A:\n    def __init__(self): self.__x = 1\n    def a(self): return self.__x\n"
        "class B(A):\n    def __init__(self):\n        super().__init__()\n        self.__x = 2\n"
        "    def b(self): return self.__x\n"
        "b = B()\nout = b.a(), b.b(), hasattr(b, '_A__x'), hasattr(b, '__x')\n"
    )
    assert outcome_here(source, allow_underscore_variable_names=True) == outcome_in_python(source)


def test_print_has_no_warnings(recwarn):
    """A program that prints and never reads `printed` compiles without a warning."""
    assert outcome_here("print('a', 'b', sep='-')\ndef f():\n    print(1)\nf()\n").stdout == "a-b\n1\n"
    assert not recwarn.list


def test_printed():
    """`printed` is the text that a scope has printed so far, unless the program has a variable of that name."""
    source = "print('a')\ndef f():\n    print('b')\n    return printed\nout = f(), printed\n"
    assert outcome_here(source).out == r"('b\n', 'a\n')"


def test_deep_trees():
    """A program compiles at any depth of its tree at which plain Python compiles it."""
    for source in ("out = " + " + ".join(["1"] * 900), "x = 'a'\nout = x" + ".strip()" * 400):
        assert outcome_here(source) == outcome_in_python(source)
