"""Candidates whose results are compared elsewhere, and candidates that want a pass there."""

import pytest

from sandboxes import Limits, Pool, SandboxUnavailable, open_sandbox
from sandboxes.languages.programs import build_program
from sandboxes.languages.registry import probe_version, required_paths
from support import plain_c, plain_csharp, plain_fortran, plain_kotlin, plain_scala
from support.observers import passes
from support.requirements import WALL_SECONDS, unavailable

pytestmark = [pytest.mark.slow(seconds=120), pytest.mark.languages]
PROGRAMS = {
    "c": plain_c,
    "csharp": plain_csharp,
    "fortran": plain_fortran,
    "kotlin": plain_kotlin,
    "scala": plain_scala,
}
HONEST = [(language, name) for language, programs in PROGRAMS.items() for name in programs.HONEST]
ATTACKS = [(language, name) for language, programs in PROGRAMS.items() for name in programs.ATTACKS]


@pytest.fixture(scope="module")
def run():
    """Return a function that runs a candidate with its tests: (language, candidate, tests, grading) -> Verdict."""
    pool = Pool(open_sandbox("subprocess", read_only_paths=required_paths({*PROGRAMS})))
    try:
        for language in PROGRAMS:
            probe_version(pool, language)
    except SandboxUnavailable as error:
        unavailable(str(error))

    def run_one(language, candidate, tests, grading="auto"):
        program = build_program(language, candidate, tests, Limits(wall_seconds=WALL_SECONDS), grading=grading)
        return pool.run_all([program], 1)[0]

    yield run_one
    pool.close()


@pytest.mark.parametrize(("language", "name"), HONEST)
def test_a_right_candidate_passes_both_ways(run, language, name):
    """A right candidate passes where its results are compared elsewhere, and where its tests run with it."""
    program = PROGRAMS[language].HONEST[name]
    verdict = run(language, *program)
    passes(verdict)
    assert verdict.grading == "separate"
    passes(run(language, *program, "shared"))


@pytest.mark.parametrize(("language", "name"), ATTACKS)
def test_a_wrong_candidate_does_not_pass(run, language, name):
    """A wrong candidate passes by no macro, procedure, class or output of its own, and breaks no sandbox."""
    verdict = run(language, *PROGRAMS[language].ATTACKS[name])
    assert (verdict.passed, verdict.grading, verdict.attempts) == (False, "separate", 1), verdict
