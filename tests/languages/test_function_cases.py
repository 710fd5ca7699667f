"""Cases that call a function, in other languages: the expected results never reach the candidate."""

import pytest

from sandboxes import Limits, Outcome
from sandboxes.languages.registry import LANGUAGES, VARIANTS
from sandboxes.tasks.batch import ProgramBatch
from sandboxes.tasks.options import TaskOptions
from sandboxes.tasks.task import Task
from support.call_programs import CALLS, PROGRAMS
from support.languages import language_pool
from support.requirements import WALL_SECONDS

pytestmark = [pytest.mark.slow, pytest.mark.languages]

KNOWN = sorted(name for name, language in LANGUAGES.items() if language.calls and name not in VARIANTS)
EACH = [(language, kind) for kind, programs in PROGRAMS.items() for language in programs]
LIMITS = Limits(wall_seconds=WALL_SECONDS)


def run_all(language, texts, **more):
    """Return verdicts on [(reference, candidate)] in a language."""
    pool = language_pool(language)
    options = TaskOptions(language=language, stop_at_first_failure=False)
    tasks = [Task(reference, [candidate]) for reference, candidate in texts]
    batch = ProgramBatch.assemble(tasks, options, Limits(**{"wall_seconds": WALL_SECONDS, **more}), "auto")
    return [batch.finalize(*each) for each in enumerate(pool.run_all(batch.programs, 1))]


def calls(kind):
    """Return the reference of a kind of data."""
    inputs, outputs = CALLS[kind]
    return {"fn_name": "makeIt", "inputs": inputs, "outputs": outputs}


def calls_and_a_wrong_one(kind):
    """Return the reference of a kind of data with its last call once more, which should return another result."""
    inputs, outputs = CALLS[kind]
    return {"fn_name": "makeIt", "inputs": [*inputs, inputs[-1]], "outputs": [*outputs, "other"]}


@pytest.fixture(scope="module")
def verdicts():
    """Return a function (language) -> {kind: verdict} of calls of which the last should return another result."""
    known = {}

    def of(language):
        if language not in known:
            texts = {
                kind: (calls_and_a_wrong_one(kind), each[language])
                for kind, each in PROGRAMS.items()
                if language in each
            }
            known[language] = dict(zip(texts, run_all(language, texts.values()), strict=True))
        return known[language]

    return of


@pytest.mark.parametrize(("language", "kind"), EACH)
def test_a_right_result_passes(verdicts, language, kind):
    """Arguments and results of each kind keep their values."""
    verdict, count = verdicts(language)[kind], len(CALLS[kind][0])
    assert [test.name for test in verdict.tests] == [f"case {n}" for n in range(1, count + 2)]
    assert [test.outcome for test in verdict.tests[:count]] == [Outcome.PASSED] * count, (
        verdict.detail,
        verdict.stderr,
    )
    assert verdict.grading == "separate"


@pytest.mark.parametrize(("language", "kind"), EACH)
def test_a_wrong_result_fails(verdicts, language, kind):
    """The case whose result is another has failed, and says what it should return."""
    verdict, number = verdicts(language)[kind], len(CALLS[kind][0]) + 1
    assert (verdict.outcome, verdict.tests[-1].outcome) == (Outcome.FAILED, Outcome.FAILED)
    assert f'case {number}: should return "other", but returned ' in verdict.detail


@pytest.mark.parametrize("language", KNOWN)
def test_a_candidate_whose_results_are_right_passes(language):
    """A candidate passes whose result is right in each case."""
    [verdict] = run_all(language, [(calls("flags"), PROGRAMS["flags"][language])])
    assert (verdict.passed, verdict.grading) == (True, "separate"), (verdict.detail, verdict.stderr)


def test_each_language_is_tried():
    """The tests have a candidate in each language that has calls, for each kind of data."""
    assert {kind: sorted({*programs} - VARIANTS.keys()) for kind, programs in PROGRAMS.items()} == dict.fromkeys(
        PROGRAMS, KNOWN
    )


@pytest.mark.parametrize(
    ("language", "candidate"),
    [
        ("javascript", "const other = 1;"),
        ("javascript", "function makeIt() { process.exit(0); }"),
        ("javascript", "const makeIt = () => new Promise(() => {});"),
        ("java", "class Solution { int makeIt(int a) { return a; } }"),
        ("java", "class Solution { int makeIt(int a, int b) { System.exit(0); return 5; } }"),
        ("cpp", "int makeIt(int a) { return a; }"),
        ("cpp", "int makeIt(string a, int b) { return 5; }"),
        ("cpp", "int makeIt(int a, int b) { exit(0); }"),
        ("go", "func makeIt(a int) int { return 5 }"),
        ("go", 'import "os"\n\nfunc makeIt(a, b int) int { os.Exit(0); return 5 }'),
        ("rust", "fn make_it(a: i32) -> i32 { 5 }"),
        ("rust", "fn make_it(a: i32, b: i32) -> i32 { std::process::exit(0) }"),
        ("ruby", "def make_it(a, b) = exit(0)"),
        ("php", "function makeIt($a, $b) { exit(0); }"),
    ],
)
def test_no_result_is_no_pass(language, candidate):
    """A candidate that does not return, or takes other arguments, has not passed."""
    [verdict] = run_all(language, [({"fn_name": "makeIt", "inputs": [[2, 3]], "outputs": [5]}, candidate)])
    assert not verdict.passed
    assert verdict.attempts == 1


def test_one_case_is_too_slow():
    """A call that does not end fails alone, and each call has the whole time."""
    reference = {"fn_name": "makeIt", "inputs": [[1], [0], [2]], "outputs": [1, 0, 2]}
    [verdict] = run_all("javascript", [(reference, "function makeIt(x) { while (!x); return x; }")], wall_seconds=3)
    assert [test.outcome.value for test in verdict.tests] == ["passed", "timed_out", "passed"]


def test_messages_name_the_candidate_s_lines():
    """The compiler counts the candidate's lines from its first."""
    [verdict] = run_all("cpp", [(calls("flags"), "int x;\nbool makeIt(bool a, bool b) { return nothing; }")])
    assert (verdict.outcome, "candidate.cpp:2:" in verdict.stderr) == (Outcome.COMPILE_ERROR, True), verdict.stderr
