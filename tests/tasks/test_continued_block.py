"""References that begin with indented lines, which continue a candidate's last block, as upstream has them."""

import pytest

from sandboxes import EvalConfig, Evaluator, Task
from sandboxes.tasks.continued_block import continued_block

pytestmark = pytest.mark.slow

# {name: (candidate, reference)}. Upstream passes each of these honest programs.
HONEST = {
    "a body that goes on": ("def add(a, b):\n    total = a + b", "    return total\nassert add(2, 3) == 5"),
    "a body that begins": ("def add(a, b):", "    return a + b\nassert add(2, 3) == 5"),
    "comments in front": ("def add(a, b):", "\n# tests\n  # of add\n    return a + b\nassert add(2, 3) == 5"),
    "a method and more methods": (
        "class A:\n    def one(self):\n        x = 1",
        "        return x\n    def two(self):\n        return 2\nassert A().one() + A().two() == 3",
    ),
    "tests in a function": ("def check():\n    total = 2 + 3", "    assert total == 5\ncheck()"),
    "tests in a branch": ("if True:\n    x = 5", "    assert x == 5\n    for y in (5, 5):\n        assert x == y\n"),
    "an else": (
        "def add(a, b):\n  if a:",
        "    return a + b\n  else:\n    return b\nassert add(0, 3) + add(2, 3) == 8",
    ),
    "strings at column 0": ("def text():", '    """A\nB\n"""\n    return """x\ny"""\nassert text() == "x\\ny"'),
    "a guarded test": ("with open('f', 'w') as f:\n    f.write('x')", "    with f:\n        assert not f.closed\n"),
    "Windows line ends": ("def add(a, b):", "    return a + b\r\nassert add(2, 3) == 5\r\n"),
    "unittest behind": (
        "def add(a, b):",
        "    return a + b\nimport unittest\nclass T(unittest.TestCase):\n"
        "    def test_a(self): self.assertEqual(add(2, 3), 5)\n",
    ),
}
WRONG = {
    "a wrong body": ("def add(a, b):\n    total = a * b", "    return total\nassert add(2, 3) == 5"),
    "another indentation": ("def add(a, b):\n  total = a + b", "    return total\nassert add(2, 3) == 5"),
    "no open block": ("x = 1", "    return x\nassert x == 1"),
    "a failed test in a function": ("def check():\n    total = 2 * 3", "    assert total == 5\ncheck()"),
    "a closed function": ("def add(a, b):\n    return 7", "    assert add(2, 3) == 5\n    assert add(0, 0) == 0\n"),
}
IN_A_FUNCTION = "    assert total == 5\ncheck()"
ALONE = "    assert add(2, 3) == 5\n"
WRONG_ADD = "def add(a, b):\n    return 7\n"
# Each tries to have its tests swallowed by the block that it leaves open.
ATTACKS = {
    "if False": (WRONG_ADD + "if False:\n    pass", ALONE),
    "while False": (WRONG_ADD + "while False:\n    pass", ALONE),
    "a loop over nothing": (WRONG_ADD + "for x in ():\n    pass", ALONE),
    "a function that nobody calls": (WRONG_ADD + "def f():\n    pass", ALONE),
    "behind a return": ("def check():\n    total = 7\n    return", IN_A_FUNCTION),
    "behind a raise that is caught": (
        "def check():\n    try: g()\n    except KeyError: pass\ndef g():\n    total = 7\n    raise KeyError",
        IN_A_FUNCTION,
    ),
    "another check": ("def check(): pass\ndef other():\n    total = 7", IN_A_FUNCTION),
    "suppress": (
        "import contextlib\ntotal = 7\ndef check(): pass\nwith contextlib.suppress(Exception):\n    pass",
        IN_A_FUNCTION,
    ),
    "a caller that catches": (
        "def check():\n    try: g()\n    except BaseException: pass\ndef g():\n    total = 7",
        IN_A_FUNCTION,
    ),
    "a generator": ("def check():\n    total = 7\n    yield", IN_A_FUNCTION),
    "a coroutine": ("async def check():\n    total = 7", IN_A_FUNCTION),
    "a class that swallows": ("def check(): pass\nif 0:\n  class A:\n    total = 7", IN_A_FUNCTION),
    "an open text": (WRONG_ADD + 'x = """', ALONE + '"""\n'),
    "an open text that the head closes": (WRONG_ADD + 'x = """', '    """A."""\n' + ALONE + "assert add(0, 0) == 0"),
    "an open parenthesis": (WRONG_ADD + "x = (", "    assert_all(add))\nassert add(2, 3) == 5"),
    "an open line": (WRONG_ADD + "x = lambda: \\", "    run(add)\n"),
    "a decorator": (WRONG_ADD + "@print", "def check():\n    assert add(2, 3) == 5\ncheck()"),
    "an open text before plain tests": (WRONG_ADD + 'x = """', 'assert add(2, 3) == 5\n"""\n'),
    "a block before plain tests": (WRONG_ADD + "if False:", "assert add(2, 3) == 5"),
    "a backslash before plain tests": (WRONG_ADD + "x = 1 if 1 else \\", "add(2, 3)\nassert add(2, 3) == 5"),
    "marks by a guessed name": (
        "code_eval_ran_ = code_eval_ran__0 = True\ndef check(): pass\nif 0:\n    total = 7",
        IN_A_FUNCTION,
    ),
}


@pytest.fixture(scope="module")
def verdict_of():
    """Return a function that runs one candidate: (candidate, reference, **options) -> Verdict."""

    def run(candidate, reference, **options):
        [verdict] = Evaluator(EvalConfig.from_options({"timeout": 20.0, **options})).run([Task(reference, [candidate])])
        return verdict

    return run


@pytest.mark.parametrize("grading", ["shared", "auto"])
@pytest.mark.parametrize("program", HONEST.values(), ids=HONEST)
def test_a_block_goes_on(verdict_of, program, grading, tmp_path, monkeypatch):
    """A reference may continue the block in which the candidate ends."""
    monkeypatch.chdir(tmp_path)
    exec("\n".join(program), {"__name__": "upstream"})
    verdict = verdict_of(*program, grading=grading)
    assert (verdict.passed, verdict.grading) == (True, "shared"), verdict


@pytest.mark.parametrize("program", WRONG.values(), ids=WRONG)
def test_wrong_candidates_fail(verdict_of, program):
    """A candidate fails if it is wrong, or if the reference can't continue it."""
    assert not verdict_of(*program).passed


@pytest.mark.parametrize("program", ATTACKS.values(), ids=ATTACKS)
def test_no_test_is_swallowed(verdict_of, program):
    """A candidate that would swallow the indented tests, or the tests behind them, does not pass."""
    try:
        verdict = verdict_of(*program)
    except ValueError as error:
        assert any(reason in str(error) for reason in ("every candidate would pass", "the tests can't be parsed"))
    else:
        assert not verdict.passed


def test_swallowed_test_is_named(verdict_of):
    """The detail names the test that did not come to its end."""
    detail = verdict_of(WRONG_ADD + "if False:\n    pass", ALONE).detail
    assert detail.endswith("a test in the tests' indented first lines did not come to its end: add(2, 3) == 5")


@pytest.mark.parametrize("sandbox", ["subprocess", "restricted"])
def test_every_local_backend(verdict_of, sandbox):
    """The policy of the restricted sandbox lets a block go on too."""
    assert verdict_of(*HONEST["tests in a function"], sandbox=sandbox).passed
    assert not verdict_of(*ATTACKS["another check"], sandbox=sandbox).passed


def test_apart(verdict_of):
    """Where candidate and tests are to run apart, it is an error before anything runs."""
    with pytest.raises(ValueError, match="the tests continue the candidate's last block"):
        verdict_of(*HONEST["a body that goes on"], grading="separate")


def test_results_of_single_tests(verdict_of):
    """The tests behind the indented lines have results of their own."""
    verdict = verdict_of("def add(a, b):\n    x = a * b", "    return x\nassert add(2, 2) == 4\nassert add(2, 3) == 5")
    assert [(test.name, test.outcome.value) for test in verdict.tests] == [
        ("add(2, 2) == 4", "passed"),
        ("add(2, 3) == 5", "failed"),
    ]


def test_partial_credit(verdict_of):
    """All tests behind the indented lines run if partial credit asks for it."""
    reference = "    return x\nassert add(2, 3) == 5\nassert add(2, 2) == 4"
    verdict = verdict_of("def add(a, b):\n    x = a * b", reference, partial_credit=True)
    assert [test.outcome.value for test in verdict.tests] == ["failed", "passed"]


@pytest.mark.parametrize("reference", ["    x = 1\n", "    return 1\nx = 1\n", "    # nothing\n    pass\n"])
def test_no_test_at_all(verdict_of, reference):
    """Indented lines without a test are an error before anything runs."""
    with pytest.raises(ValueError, match="every candidate would pass"):
        verdict_of("def f():", reference)


@pytest.mark.parametrize("reference", ["assert x", "\n# a\nassert x", "", "   ", "    # a\nassert x", "    ("])
def test_other_references(reference):
    """A reference whose first statement stands at the margin, or that can't be parsed, has no such lines."""
    assert continued_block(reference) is None


def test_upstream_exactly(verdict_of):
    """`assemble` runs candidate and tests as one text, exactly as upstream, for those who need its verdicts."""
    candidate, reference = ATTACKS["if False"]
    assert verdict_of(candidate, reference, assemble="{}\n{}".format).passed
