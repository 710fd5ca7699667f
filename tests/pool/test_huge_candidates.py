"""A candidate of many MiB fails alone, or runs, and never ends a run."""

import time

import pytest

from sandboxes import Limits, Outcome, Program
from sandboxes.extraction import EXTRACTORS, Asked, defined_in
from sandboxes.languages.steps import Command, StepPlan, TestRun, step_program
from sandboxes.pool import run as dispatch
from sandboxes.pool.caller_verdicts import MAX_PROGRAM_CHARS, caller_verdict
from sandboxes.runner import RunControls
from sandboxes.tasks.batch import ProgramBatch
from sandboxes.tasks.options import TaskOptions
from sandboxes.tasks.task import Task
from support.metric_and_command import code_eval, lines_of
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow

LIMITS = Limits(wall_seconds=WALL_SECONDS)
HUGE = {
    "a comment": "#" + "x" * MAX_PROGRAM_CHARS,
    "lines": "x = 1\n" * (MAX_PROGRAM_CHARS // 6 + 1),
    "a list": f"x = [{'1,' * (MAX_PROGRAM_CHARS // 2)}]",
    "letters of two bytes": "x = '" + "é" * MAX_PROGRAM_CHARS + "'",
}


@pytest.mark.parametrize("grading", ["shared", "separate"])
@pytest.mark.parametrize("candidate", HUGE.values(), ids=HUGE)
def test_a_candidate_that_is_too_long(pool, candidate, grading):
    """A candidate that is too long is a compile error that says so. The programs beside it have their verdicts."""
    programs = [Program(code, "assert x", LIMITS, grading) for code in ("x = 1", candidate, "x = 0", candidate)]
    verdicts = pool.run_all(programs, 2)
    assert [verdict.outcome.value for verdict in verdicts] == ["passed", "compile_error", "failed", "compile_error"]
    assert verdicts[1].detail == (
        f"the program is {len(candidate):,} characters long, and at most {MAX_PROGRAM_CHARS:,} are run"
    )
    assert (verdicts[1].grading, verdicts[1].isolation, verdicts[1].attempts) == (grading, verdicts[0].isolation, 1)


def test_nothing_but_candidates_that_are_too_long(counting_pool):
    """A run without any program that can run ends at once."""
    began = time.monotonic()
    programs = [Program("#" * (MAX_PROGRAM_CHARS + 1), "", LIMITS)] * 20
    verdicts = counting_pool.run_all(programs, 2)
    assert {verdict.outcome for verdict in verdicts} == {Outcome.COMPILE_ERROR}
    # Twenty waits for guests that send nothing would take as many seconds.
    assert time.monotonic() - began < WALL_SECONDS
    assert len(list(counting_pool.stream(programs, RunControls(2)))) == 20


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_a_long_candidate_is_run(pool, grading):
    """A candidate of eight MiB is run like any other, in either grading."""
    candidate = "x = 1\n# " + "x" * (8 << 20)
    [verdict] = pool.run_all([Program(candidate, "assert x == 1", LIMITS, grading)], 1)
    assert verdict.passed, verdict


def test_long_tests_are_run(counting_pool):
    """Long tests are not the candidate's fault, and are run."""
    tests = "data = '" + "x" * (MAX_PROGRAM_CHARS + 1) + "'\nassert x == 1"
    [verdict] = counting_pool.run_all([Program("x = 1", tests, LIMITS)], 1)
    assert verdict.passed, verdict


def test_a_long_candidate_with_cases(counting_pool):
    """The same bound applies to programs that run on inputs."""
    for size, outcome in ((1 << 20, "passed"), (MAX_PROGRAM_CHARS, "compile_error")):
        job = ProgramBatch.assemble(
            [Task([{"input": "", "output": "1"}], ["print(1)\n#" + "x" * size])], TaskOptions(), LIMITS, "shared"
        )
        [verdict] = counting_pool.run_all(job.programs, 1)
        assert (verdict.outcome.value, verdict.grading in ("shared", "separate")) == (outcome, True)


def test_the_grading_of_what_no_guest_graded():
    """A verdict that no guest gave names one of the two gradings, so that a report can include it."""
    steps = step_program({}, StepPlan([], [TestRun(Command(("true",), LIMITS))]), LIMITS)
    assert caller_verdict(Outcome.OUT_OF_MEMORY, "x", steps, ()).grading == "shared"
    assert caller_verdict(Outcome.OUT_OF_MEMORY, "x", Program("", "", grading="separate"), ()).grading == "separate"


def test_a_guest_that_reads_is_not_silent(counting_pool, monkeypatch):
    """A program that takes longer to send than a guest may be silent still runs, because the guest reads it."""
    monkeypatch.setattr(dispatch, "SILENCE_TIMEOUT_SECONDS", 0.0)
    monkeypatch.setattr(dispatch, "CHECK_INTERVAL_SECONDS", 0.0)
    program = Program("x = 1\n#" + "x" * (MAX_PROGRAM_CHARS - 10), "assert x", LIMITS)
    [verdict] = counting_pool.run_all([program], 1)
    assert (verdict.outcome, verdict.attempts) == (Outcome.PASSED, 1)


def test_a_huge_completion_ends_no_run(files, tmp_path):
    """`code-eval run` scores the samples beside a huge completion, and writes them all."""
    done = code_eval(
        *files(["    return a + b\n", "#" * 60_000_000, "    return a * b\n"]), "--output", tmp_path / "results.jsonl"
    )
    assert done.returncode == 0, done.stderr
    results = lines_of(tmp_path / "results.jsonl")[:-1]
    assert [result["outcome"] for result in results] == ["passed", "compile_error", "failed"]
    assert code_eval("report", tmp_path / "results.jsonl").returncode == 0


WORDS = " ".join(f"word{number}" for number in range(60_000))


@pytest.mark.parametrize(
    "block",
    [
        pytest.param("x = [" + "1," * 1_000_000 + "]", id="a list"),
        pytest.param("a" + ".a" * 200_000, id="a dotted name"),
        pytest.param(f"no Python {WORDS}", id="words"),
        pytest.param(f"public {WORDS}\n" * 5, id="words after public"),
        pytest.param("def " * 300_000, id="beginnings"),
    ],
)
def test_extraction_from_a_huge_answer(block):
    """Definitions in a huge answer are found without a parser that would exhaust the caller's memory or time."""
    began = time.monotonic()
    answer = f"Sure:\n```python\n{block}\ndef add(a, b):\n    return a + b\n```\n"
    assert "add" in defined_in(f"{block}\ndef add(a, b): return 1\n!")
    for name in ("auto", "defining"):
        assert EXTRACTORS[name](answer, Asked("assert add(1, 2) == 3")).code.rstrip().endswith("return a + b")
    assert time.monotonic() - began < 10 * WALL_SECONDS


@pytest.mark.parametrize(
    ("block", "names"),
    [
        ("func Add(a int) int {", {"Add"}),
        ("  public static int add(int a, int b) {", {"add", "int", "static", "a", "b"}),
        ("async  function f() {", {"f"}),
        ("const x = 1;\nlet  y;", {"x", "y"}),
        ("int\nmain() {", {"main"}),
        ("return add(1);", set()),
        ("define f() {", set()),
    ],
)
def test_definitions_of_other_languages(block, names):
    """Definitions in other languages are found at the beginning of a line, after one of the usual words."""
    assert names - {"static", "int", "a", "b"} <= defined_in(block + "\n!") <= names
