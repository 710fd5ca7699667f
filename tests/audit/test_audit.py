"""An audit finds problems that judge badly, in a real sandbox."""

import json

import pytest

from code_tasks.audit import AuditPlan, ProblemAudit, VariantResult, audit_problems
from code_tasks.audit.report import as_text
from code_tasks.benchmarks.problems import CanonicalLimit, Problem
from sandboxes import EvalConfig

pytestmark = pytest.mark.slow

ADD = "    return a + b\n"
PLAN = AuditPlan(repeats=2, mutants=5)


def problem(task_id, tests, solution=ADD, **fields):
    """Return a problem about addition."""
    given = {"prompt": "def add(a, b):\n", "entry_point": "add", "canonical_solution": solution, **fields}
    return Problem(task_id=task_id, tests=tests, language="python", **given)


GOOD = problem("good", "assert add(2, 3) == 5\nassert add(-1, 1) == 0\n")
WEAK = problem(
    "weak", "assert add(2, 2) == 4 and add(0, 1)\n", "    if a == b:\n        return a + b\n    return a - b\n"
)
CONSTANT = problem("constant", "assert add(0, 0) == 0\n")
WRONG = problem("wrong", "assert add(2, 3) == 6\n")
NONE = problem("none", "assert add(2, 3) == 5\n", None)
SCRIPT = Problem(
    *("script", "", json.dumps([{"input": "1\n", "output": "1\n"}]), "python"),
    canonical_solution="n = int(input())\nprint(n + 0)\n",
)
LOOP = problem("loop", "assert add(3, 4) == 7\n", "    n = 0\n    while n < a:\n        n += 1\n    return n + b\n")


@pytest.fixture(scope="module")
def audits():
    """Provide the audits of the problems above, by task_id."""
    problems = {each.task_id: each for each in (GOOD, WEAK, CONSTANT, WRONG, NONE, SCRIPT, LOOP)}
    config = EvalConfig.from_options({"num_workers": 2})
    return {audit.task_id: audit for audit in audit_problems(problems, config, PLAN)}


@pytest.mark.parametrize(
    ("task_id", "findings"),
    [
        ("good", []),
        ("weak", ["mutant"]),
        ("constant", ["stub", "mutant"]),
        ("wrong", ["fails"]),
        ("none", ["missing"]),
        ("script", ["stub", "mutant"]),
    ],
)
def test_findings(audits, task_id, findings):
    """Each problem has the findings that it deserves, the gravest first."""
    assert audits[task_id].findings == findings


def test_passing_stubs(audits):
    """The stubs that pass are named, also if a constant is the right answer."""
    assert audits["constant"].passing_stubs == ["return 0", "return False", "return the first argument"]
    assert audits["script"].passing_stubs == ["print 1", "print the first line"]


def test_a_failed_solution_has_its_reason(audits):
    """A canonical solution that fails is told with its reason, and has no mutants."""
    assert audits["wrong"].outcomes == ("failed", "failed")
    assert "AssertionError" in audits["wrong"].detail
    assert audits["wrong"].mutants == ()
    assert audits["wrong"].stubs


def test_killed_mutants(audits):
    """The share of killed mutants counts those that the tests refuse."""
    assert audits["good"].killed_share == 1
    assert audits["weak"].killed_share < 1
    assert audits["weak"].surviving_mutants[0].startswith("line ")


def test_endless_mutants_end_early(audits):
    """A mutant that never ends is killed at a limit that follows from the canonical solution's time."""
    assert "timed_out" in {mutant.outcome for mutant in audits["loop"].mutants}
    assert audits["loop"].calibrated_limit_seconds == 1.0
    assert audits["loop"].limit_seconds == 3.0


def test_objects_equal_to_everything(audits):
    """An object that is equal to everything is told apart from stubs, and passes under no grading."""
    assert audits["good"].equal_object == "failed"
    config = EvalConfig.from_options({"grading": "shared"})
    [audit] = audit_problems({"good": GOOD}, config, AuditPlan(repeats=1, mutants=0))
    assert audit.equal_object == "failed"
    assert "stub" not in audit.findings


def test_flaky_solutions():
    """A canonical solution whose runs end differently is flaky."""
    flaky = problem("flaky", "import random\nassert add(0, 0) + random.random() < 0.5\n")
    [audit] = audit_problems({"flaky": flaky}, EvalConfig.from_options({}), AuditPlan(repeats=30, mutants=0))
    assert audit.findings[0] == "flaky"
    assert len(audit.outcomes) == 30


def test_invalid_tests():
    """Tests that can judge nobody are a finding with the reason, and other problems have their audits."""
    texts = {"right": "assert f(1) == 1", "unreadable": "assert f(1)===1", "fixture": "def test_f(absent): assert f(1)"}
    solution = "def f(x): return x\n"
    problems = {name: Problem(name, "", tests, canonical_solution=solution) for name, tests in texts.items()}
    found = audit_problems(problems, EvalConfig.from_options({}), AuditPlan(repeats=1, mutants=0))
    assert {each.task_id: each.outcomes for each in found} == {
        "right": ("passed",),
        "unreadable": ("invalid_tests",),
        "fixture": ("invalid_tests",),
    }


def test_slow_solutions():
    """A canonical solution is slow if its limit is less than 4 times as long as it takes."""
    slow = problem("slow", "assert add(1, 2) == 3\n", f"    import time\n    time.sleep(0.5)\n{ADD}")
    config = EvalConfig.from_options({"timeout": 1.9})
    [audit] = audit_problems({"slow": slow}, config, AuditPlan(repeats=1, mutants=0))
    assert audit.findings == ["slow"]
    assert audit.calibrated_limit_seconds >= 2


def test_own_rule_of_a_problem():
    """The limit of a problem whose benchmark sets it by the canonical solution is that limit."""
    own = problem("own", "assert add(1, 2) == 3\n", canonical_limit=CanonicalLimit(2, 7.0, 9.0))
    [audit] = audit_problems({"own": own}, EvalConfig.from_options({}), AuditPlan(repeats=1, mutants=0))
    assert audit.limit_seconds == audit.calibrated_limit_seconds == 7.0


@pytest.mark.parametrize(("number", "value"), [("repeats", 0), ("mutants", -1), ("mutants", True)])
def test_invalid_plans(number, value):
    """A plan with a number that makes no sense is an error."""
    with pytest.raises((ValueError, TypeError), match=number):
        AuditPlan(**{number: value})


def test_records_hold_everything(audits):
    """The record of an audit is JSON, with what follows from the runs."""
    record = json.loads(json.dumps(audits["constant"].as_record()))
    assert record["findings"] == ["stub", "mutant"]
    assert record["stubs"][0] == {"name": "empty", "outcome": "compile_error", "detail": ""}
    assert record["killed_share"] == audits["constant"].killed_share


def test_report(audits):
    """The report has the counts, and a list for each finding."""
    text = as_text(list(audits.values()), 1.0)
    assert "canonical solutions that pass             5 of 6 (83.3 %)" in text
    assert "problems that a stub passes               2\n" in text
    for line in (
        "  wrong                     Assertion",
        "  none\n",
        "  constant                  return 0; return False; ret",
    ):
        assert line in text


def test_known_reasons_of_a_failure():
    """A known reason stands in the report in place of the message, unless the canonical solution passes."""
    given = {
        "old": problem("old", WRONG.tests, caveat="too late"),
        "new": problem("new", GOOD.tests, caveat="too late"),
    }
    audits = list(audit_problems(given, EvalConfig.from_options({}), AuditPlan(repeats=1, mutants=0)))
    assert [(each.caveat, each.findings) for each in audits] == [("too late", ["fails"]), ("", [])]
    assert "  old                       too late\n" in as_text(audits, 1.0)


def test_control_characters_of_a_name():
    """Names and messages of a dataset can't move a terminal's cursor."""
    audit = ProblemAudit("a\x1b[2J", "python", ("failed",), "b\x1b[2J", stubs=(VariantResult("c\x1b", "passed"),))
    assert "\x1b" not in as_text([audit], 1.0)


MEDIAN = problem(
    "examples",
    "assert add(2, 3) == 5\nassert add(-1, 1) == 0\n",
    prompt='def add(a, b):\n    """Add.\n    >>> add(1, 2)\n    4\n    """\n',
)


@pytest.fixture(scope="module")
def disputed():
    """Provide the audits of problems with other solutions, and with examples, by task_id."""
    config = EvalConfig.from_options({"num_workers": 2})
    problems = {each.task_id: each for each in (GOOD, WEAK, MEDIAN, NONE)}
    right, wrong = ("def add(a, b):\n    return sum([a, b])\n", "def add(a, b):\n    return a * b\n")
    solutions = {"good": [right, wrong], "weak": [right], "none": [wrong]}
    found = audit_problems(problems, config, AuditPlan(repeats=1, mutants=0), solutions)
    return {audit.task_id: audit for audit in found}


def test_another_solution_that_fails(disputed):
    """A problem whose tests refuse another solution is disputed, also without a canonical one."""
    assert [name for name, audit in disputed.items() if "disputed" in audit.findings] == ["good", "none"]
    [failing] = disputed["good"].failing_solutions
    assert (failing.name, failing.outcome, "add(2, 3) == 5" in failing.detail) == ("solution 2", "failed", True)


def test_examples_that_contradict(disputed):
    """A prompt whose example the canonical solution fails is a finding with the example."""
    assert [name for name, audit in disputed.items() if "examples" in audit.findings] == ["examples"]
    assert "add(1, 2) is not 4" in disputed["examples"].examples


def test_report_of_other_solutions(disputed):
    """The report names the problems, with the first solution that fails."""
    text = as_text(list(disputed.values()), 1.0)
    assert "\n  good                      solution 2 of 2: AssertionError" in text
    assert "\n  examples                  AssertionError: add(1, 2) is not 4" in text
