"""The corpus of hostile and awkward programs that lies beside the project: each has the verdict that it must get.

Only those that are harmless without a guard run here; the corpus has a runner of its own for the others.
"""

import concurrent.futures
import json

import pytest
from conftest import unavailable
from scoring import RIGHT, ROOT, WRONG

from sandboxes import Limits, Outcome, Program, Verdict

CORPUS = ROOT.parent / "shared" / "adversarial" / "adversarial.jsonl"
CATEGORIES = ("forge", "hang", "benign", "resource", "escape")
HARMLESS = 0
SECONDS_TO_HANG, SECONDS_TO_PASS = 2.0, 20.0
THREADS = 4
# Where one interpreter holds the tests and the candidate, it can always make one of them lie, or read the answer: these
# are graded separately.
BEYOND_SHARED = {"fundamental", "answer-theft"}


def read_cases():
    """The cases that run here, by their names; none where there is no corpus."""
    if not CORPUS.exists():
        return {}
    cases = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    return {case["id"]: case for case in cases if case["category"] in CATEGORIES and case["danger"] <= HARMLESS}


CASES = read_cases()


@pytest.fixture(scope="module")
def ended(pool):
    """What became of each case, and of a right and a wrong program after it in the same guest."""
    if not CASES:
        unavailable(f"there is no corpus at {CORPUS}")

    def run(case):
        hangs = case["category"] == "hang" or case["expect"] == "timeout"
        limits = Limits(wall_seconds=SECONDS_TO_HANG if hangs else SECONDS_TO_PASS)
        grading = "separate" if BEYOND_SHARED & set(case["tags"]) else "shared"
        programs = [Program(case["completion"], case["test"], limits, grading)]
        programs += [Program(code, "assert add(2, 3) == 5", Limits(wall_seconds=20.0)) for code in (RIGHT, WRONG)]
        return pool.run_all(programs, 1, on_sandbox_error="exclude")

    with concurrent.futures.ThreadPoolExecutor(THREADS) as threads:
        return dict(zip(CASES, threads.map(run, CASES.values()), strict=True))


def is_as_expected(case, verdict):
    """Whether a verdict is the one that a case must get."""
    if case["expect"] in ("failed", "not_passed"):
        return not verdict.passed
    wanted = {"passed": Outcome.PASSED, "timeout": Outcome.TIMED_OUT}
    return case["expect"] == "any" or verdict.outcome is wanted[case["expect"]]


def test_the_corpus_is_run(ended):
    """There are cases of each kind."""
    assert {CASES[name]["category"] for name in ended} == set(CATEGORIES)


@pytest.mark.parametrize("name", CASES)
def test_case_has_its_verdict(ended, name):
    """A case gets a verdict at its first attempt, and the right one."""
    case, verdict = CASES[name], ended[name][0]
    assert isinstance(verdict, Verdict), verdict
    assert verdict.attempts == 1
    assert is_as_expected(case, verdict), (case["attack"], case["expect"], verdict.outcome, verdict.detail)


@pytest.mark.parametrize("name", CASES)
def test_case_does_not_harm_the_next_programs(ended, name):
    """After a case a right program passes and a wrong one fails, in the same guest at the first attempt."""
    after = ended[name][1:]
    assert [(verdict.outcome, verdict.attempts) for verdict in after] == [(Outcome.PASSED, 1), (Outcome.FAILED, 1)]
