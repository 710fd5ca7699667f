"""The policy "original" gives the verdicts and texts of the metric `restrictedpython_code_eval`.

The expected texts are those of the metric's public source, run with RestrictedPython 6.0.
"""

import builtins
import types

import pytest

from sandboxes.restricted_policy.loader import load
from sandboxes.restricted_policy.original import names
from sandboxes.restricted_policy.transport import encode
from support.metric_and_command import load_metric, texts
from support.restricted_programs import DEFAULTS


def text_of(source, **settings):
    """Return what the metric says of a program that runs in this process: "passed", or the class and the message."""
    policy = load({**DEFAULTS, "policy": "original", **settings})
    module = types.ModuleType("candidate")
    try:
        code = policy.compile(source, "candidate.py")
        policy.prepare(module)
        exec(code, module.__dict__)
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    return "passed"


UNDERSCORES = {"allow_underscore_variable_names": True}
FORMAT = {"allow_str_format": True}
IMPORTS = {"allowed_imports": ("collections", "math", "re")}
PASS = {
    "builtins of RestrictedPython 6": ("sorted([2, 1]), list(zip([1], [2])), bytes([1]), divmod(3, 2), complex(1)", {}),
    "modules without an import": ("math.pi, random.random(), string.ascii_letters, set([1])", {}),
    "list of a text": ("assert list('ab') == ['a', 'b'] and tuple('a') == ('a',) and list() == []", {}),
    "item in place": ("d = {'a': 1}\nd['a'] += 2\nassert d == {'a': 3}", {}),
    "nested item in place": ("d = [[1], {'k': [2]}]\nd[1]['k'][0] -= 1\nassert d == [[1], {'k': [1]}]", {}),
    "names in place": ("n, s, l = 1, 'a', [1]\nn += 1\ns += 'b'\nl += [2]\nassert (n, s, l) == (2, 'ab', [1, 2])", {}),
    "unpacking": ("for i, (j, k) in [(1, (2, 3))]: pass\na, *b = 1, 2\nassert (i, j, k, b) == (1, 2, 3, [2])", {}),
    "class": ("class A:\n    def __init__(self, n):\n        self.n = n\nassert A(2).n == 2", {}),
    "missing attribute": ("assert (1).missing is None", {}),
    "printing": ("def f():\n    print('x')\nf()", {}),
    "slices": ("assert [1, 2, 3][::2] == [1, 3]", {}),
    "starred call": ("assert (lambda *a, **k: (a, k))(*[1], **{'b': 2}) == ((1,), {'b': 2})", {}),
    "one underscore": ("_x, _ = 1, 2\ndef _f(): return _x\nassert _f() == 1", UNDERSCORES),
    "__add__": ("assert (1).__add__(2) == 3", {**UNDERSCORES, **FORMAT}),
    "format": ("assert '{}'.format(1) == '1'", FORMAT),
    "format of the class": ("assert str.format('{}', 1) == '1'", {}),
    "imports": ("import math, collections.abc\nfrom re import sub\nassert math.sqrt(4) == 2", IMPORTS),
    "cmath comes with math": ("import cmath\nassert cmath.phase(1j) > 1", IMPORTS),
    "longest range": ("assert len(range(9999)) == 9999", {}),
    "defaultdict": ("from collections import defaultdict\nd = defaultdict(int)\nd[1] += 1", IMPORTS),
}
FAIL = {
    "any": ("any([1])", {}, "NameError: name 'any' is not defined"),
    "type": ("type(1)", {}, "NameError: name 'type' is not defined"),
    "object": ("class A(object): pass", {}, "NameError: name 'object' is not defined"),
    "sum": ("sum([1])", {}, "NameError: name 'sum' is not defined"),
    "list is no type": ("isinstance([], list)", {}, "TypeError: isinstance() arg 2 must be a type"),
    "range": (
        "range(10000)",
        {},
        "ValueError: To be created range() object would be too large, in RestrictedPython we only allow 10000 elements "
        "in a range.",
    ),
    "no imports": ("import math", {}, "ImportError: __import__ not found"),
    "another import": ("import os", IMPORTS, "ImportError: import of 'os' is not allowed"),
    "cmath alone": ("import cmath", {"allowed_imports": ("re",)}, "ImportError: import of 'cmath' is not allowed"),
    "Counter in place": (
        "from collections import Counter\nc = Counter()\nc += Counter('a')",
        IMPORTS,
        "TypeError: Augmented assignment to Counter objects is not allowed in untrusted code",
    ),
    "attribute in place": (
        "class A: pass\na = A()\na.n += 1",
        {},
        "SyntaxError: ('Line 3: Augmented assignment of attributes is not allowed.',)",
    ),
    "annotation": ("x: int = 1", {}, "SyntaxError: ('Line 1: AnnAssign statements are not allowed.',)"),
    "ellipsis": ("x = ...", {}, "SyntaxError: ('Line 1: Ellipsis statements are not allowed.',)"),
    "@": ("1 @ 2", {}, "SyntaxError: ('Line None: MatMult statements are not allowed.',)"),
    "nonlocal": (
        "def f():\n    n = 0\n    def g():\n        nonlocal n",
        UNDERSCORES,
        "SyntaxError: ('Line 4: Nonlocal statements are not allowed.',)",
    ),
    "several refusals": (
        "_x = 1\n_y = 2",
        {},
        'SyntaxError: (\'Line 1: "_x" is an invalid variable name because it starts with "_"\', '
        '\'Line 2: "_y" is an invalid variable name because it starts with "_"\')',
    ),
    "two underscores": (
        "__x = 1",
        UNDERSCORES,
        'SyntaxError: (\'Line 1: "__x" is an invalid variable name because it starts with "__"\',)',
    ),
    "private attribute": (
        "class A: pass\nA()._x",
        UNDERSCORES,
        'SyntaxError: (\'Line 2: "_x" is an invalid attribute name because it starts with "_".\',)',
    ),
    "no Python": ("def f(:", {}, "SyntaxError: (\"Line 1: SyntaxError: invalid syntax at statement: 'def f(:'\",)"),
    "compiler": ("yield 1", {}, "SyntaxError: 'yield' outside function (<model output>, line 1)"),
    "format": ("'{}'.format(1)", {}, "NotImplementedError: Using format() on a str is not safe."),
    "frame": (
        "getattr((i for i in []), 'gi_frame')",
        FORMAT,
        'AttributeError: "gi_frame" is a restricted name, that is forbidden to access in RestrictedPython.',
    ),
    "module that is written to": ("math.x = 1", {}, "ValueError: Modules are not allowed in to be written to."),
    "without safe builtins": ("len([])", {"use_safe_builtins": False}, "NameError: name 'len' is not defined"),
    "without utilities": ("set()", {"use_utility_builtins": False}, "NameError: name 'set' is not defined"),
}


@pytest.mark.parametrize(("source", "settings"), PASS.values(), ids=PASS)
def test_what_passed_there(source, settings):
    """The metric passes these programs."""
    assert text_of(source, **settings) == "passed"


@pytest.mark.parametrize(("source", "settings", "text"), FAIL.values(), ids=FAIL)
def test_what_failed_there(source, settings, text):
    """The metric fails these programs with these texts."""
    assert text_of(source, **settings).startswith(text)


def test_limits_can_be_lifted():
    """Without the limited builtins `range` is RestrictedPython's safe one, which has no limit."""
    assert text_of("assert len(range(20000)) == 20000", use_limited_builtins=False) == "passed"


@pytest.mark.parametrize(("arguments", "text"), [((1, 5, 0), "zero step"), ((), "missing"), ((1, 2, 3, 4), "1-3 int")])
def test_invalid_ranges(arguments, text):
    """An invalid `range` is an error, as there."""
    with pytest.raises((ValueError, TypeError, AttributeError), match=text):
        names.limited_range(*arguments)


def test_given_names():
    """Names go before the metric's own. Names under `__builtins__` are added to its builtins."""
    given = {"any": any, "__builtins__": {"sum": sum}, "_getitem_": "operator:getitem"}
    encoded = [[name, encode(name, value)] for name, value in given.items()]
    assert text_of("assert any([sum([1])]) and [2][0] == 2", additional_globals=encoded) == "passed"


RECORDED = {
    "def f(x):\n    return x + 1": "passed",
    "def f(x):\n    return x": "failed (<class 'AssertionError'>): ",
    "def f(x):\n    return type(x)": "failed (<class 'NameError'>): name 'type' is not defined",
    "def f(x):\n    while True: pass": "timed out",
    "import re\ndef f(x):\n    return re.sub('(', '', '')": (
        "failed (<class 're.error'>): missing ), unterminated subpattern at position 0"
    ),
    "def f(x):\n    raise EOFError": "EOF error",
    "raise SystemExit(3)": "failed (<class 'SystemExit'>): 3",
    "_f = 1": (
        "failed (<class 'SyntaxError'>): ('Line 1: \"_f\" is an invalid variable name because it starts with \"_\"',)"
    ),
}


@pytest.mark.slow
def test_texts_of_results():
    """Results have the metric's texts, and tests are a part of the program."""
    _, results = load_metric("restricted").compute(
        references=["assert f(1) == 2"],
        predictions=[list(RECORDED)],
        k=[1],
        policy="original",
        allowed_imports=["re"],
        timeout=1.0,
    )
    assert texts(results)[0] == [text.replace("re.error", type_name()) for text in RECORDED.values()]
    assert {result["grading"] for _, result in results[0]} == {"shared"}


def type_name():
    """Return the name of the class of errors in patterns, which Python 3.13 has renamed."""
    import re

    return f"{re.error.__module__}.{re.error.__qualname__}"


def test_separate_if_asked_for():
    """With `grading="separate"` the tests are plain Python under this policy too."""
    _, results = load_metric("restricted").compute(
        references=["assert any([f(1) == 2])"],
        predictions=[["def f(x):\n    return x + 1"]],
        k=[1],
        policy="original",
        grading="separate",
    )
    assert texts(results)[0] == ["passed"]


def test_names_are_those_of_2023():
    """The safe builtins are RestrictedPython 6's, whichever version is installed."""
    safe = {name for name in names.builtins_for(DEFAULTS) if hasattr(builtins, name)}
    assert {"bytes", "sorted", "tuple", "zip", "slice"} <= safe
    assert not {"any", "all", "dict", "object", "type", "sum", "max", "Ellipsis", "open", "eval"} & safe
