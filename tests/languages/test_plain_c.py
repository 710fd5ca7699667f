"""Candidates in C whose results are compared elsewhere, and candidates that want a pass there."""

import pytest

from sandboxes import Limits, Pool, SandboxUnavailable, open_sandbox
from sandboxes.languages.programs import build_program
from sandboxes.languages.registry import probe_version, required_paths
from support.observers import passes
from support.plain_c import ATTACKS, HONEST
from support.requirements import WALL_SECONDS, unavailable

pytestmark = [pytest.mark.slow(seconds=20), pytest.mark.languages]


@pytest.fixture(scope="module")
def run():
    """Return a function that runs a candidate with its tests: (candidate, tests, grading) -> Verdict."""
    pool = Pool(open_sandbox("subprocess", read_only_paths=required_paths({"c"})))
    try:
        probe_version(pool, "c")
    except SandboxUnavailable as error:
        unavailable(str(error))

    def run_one(candidate, tests, grading="auto"):
        program = build_program("c", candidate, tests, Limits(wall_seconds=WALL_SECONDS), grading=grading)
        return pool.run_all([program], 1)[0]

    yield run_one
    pool.close()


@pytest.mark.parametrize("name", HONEST)
def test_a_right_candidate_passes_both_ways(run, name):
    """A right candidate passes where its results are compared elsewhere, and where its tests run with it."""
    verdict = run(*HONEST[name])
    passes(verdict)
    assert verdict.grading == "separate"
    passes(run(*HONEST[name], "shared"))


@pytest.mark.parametrize("name", ATTACKS)
def test_a_wrong_candidate_does_not_pass(run, name):
    """A wrong candidate passes by no macro, function or output of its own, and breaks no sandbox."""
    verdict = run(*ATTACKS[name])
    assert (verdict.passed, verdict.grading, verdict.attempts) == (False, "separate", 1), verdict
