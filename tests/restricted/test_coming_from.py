"""The page "Coming from restrictedpython_code_eval" says what holds."""

import re

import pytest

from sandboxes.backends.restricted_options import OPTIONS
from support.metric_and_command import ROOT, load_metric, texts

PAGE = (ROOT / "docs" / "coming-from" / "restrictedpython_code_eval.md").read_text(encoding="utf-8")


def rows(heading):
    """Return the cells of the table under a heading, without its first two lines."""
    part = PAGE.split(f"\n{heading}\n")[1]
    lines = [line for line in part.split("\n## ")[0].splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_all_features_are_there():
    """The table has the card's 17 features, each of them the same here, with all of the metric's arguments."""
    features = rows("## The 17 features of its card")
    assert [here for _, here, _ in features] == ["same"] * 17
    named = set(re.findall(r"\w+", " ".join(feature for feature, _, _ in features)))
    assert {*OPTIONS} - {"policy", "custom_builtins", "trusted_globals"} <= named


NAMES = "any all sum max min enumerate map filter dict object type next iter super".split()
METHOD = "class A:\n    def {}(self, *others): return 1"
# Programs that the policy "original" refuses, and the default policy allows.
ONLY_HERE = [
    *NAMES,
    "range(10_000)",
    "isinstance([], list)",
    "x: int = 1",
    "x = ...",
    "lambda a, b: a @ b",
    "def f():\n    n = 0\n    def g():\n        nonlocal n",
    "match 1:\n    case 1: pass",
    "class A:\n    def __init__(self):\n        self.n = 1\n        self.n += 1\nA()",
    "import collections\ncounter = collections.Counter()\ncounter += counter",
    METHOD.format("__str__"),
    METHOD.format("__len__"),
    METHOD.format("__add__"),
]
# Programs that both allow.
IN_BOTH = [
    "items = [1]\nitems[0] += 1",
    "range(9_999)",
    "number, text, pair, members = 1, '', (1,), {1}\nnumber += 1\ntext += 'a'\npair += pair\nmembers |= members",
    *(METHOD.format(name) for name in ("__init__", "__eq__", "__ne__", "__lt__", "__contains__")),
    "import math",
]


@pytest.fixture(scope="module")
def found():
    """Return a function that returns the texts of programs under a policy, which may import two modules."""

    def run(policy, programs, tests="assert True"):
        options = {"policy": policy, "allowed_imports": ["math", "collections"], "k": [1]}
        return texts(load_metric("restricted").compute(references=[tests], predictions=[programs], **options)[1])[0]

    return run


@pytest.mark.slow
def test_what_only_the_default_policy_allows(found):
    """The default policy allows what the table says, and the original policy refuses it."""
    assert found(None, ONLY_HERE) == ["passed"] * len(ONLY_HERE)
    assert all(text.startswith("failed (<class '") for text in found("original", ONLY_HERE))


def test_what_both_policies_allow(found):
    """Both policies allow the other programs of the table."""
    assert found(None, IN_BOTH) == found("original", IN_BOTH) == ["passed"] * len(IN_BOTH)


def test_rows_with_other_meanings(found):
    """A missing attribute, `import cmath` and a program that was ended mean what the table says."""
    programs = ["assert (1).missing is None", "import cmath"]
    assert found("original", programs) == ["passed", "passed"]
    missing, refused = found(None, programs)
    assert "has no attribute 'missing'" in missing
    assert "import of 'cmath' is not allowed" in refused


def test_program_that_was_ended():
    """A program without a result of its own has the metric's text."""
    _, results = load_metric("restricted").compute(
        references=["assert True"],
        predictions=[["import sys\nkill = sys.modules['os'].kill\nkill(sys.modules['os'].getpid(), 11)"]],
        k=[1],
        policy="original",
        allowed_imports=["sys"],
    )
    assert texts(results)[0] == ["Result evaluates to False (probably timed out)"]
