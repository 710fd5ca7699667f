"""Candidates whose results are compared elsewhere, and candidates that want a pass there."""

import pytest

from sandboxes import Limits
from sandboxes.languages.programs import build_program
from support import plain_c, plain_csharp, plain_fortran, plain_kotlin, plain_scala
from support.languages import language_pool
from support.observers import passes
from support.requirements import WALL_SECONDS

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


def run(language, candidate, tests, grading="auto"):
    """Return the verdict on a candidate with its tests."""
    pool = language_pool(language)
    program = build_program(language, candidate, tests, Limits(wall_seconds=WALL_SECONDS), grading=grading)
    return pool.run_all([program], 1)[0]


@pytest.mark.parametrize(("language", "name"), HONEST)
def test_a_right_candidate_passes_both_ways(language, name):
    """A right candidate passes where its results are compared elsewhere, and where its tests run with it."""
    program = PROGRAMS[language].HONEST[name]
    verdict = run(language, *program)
    passes(verdict)
    assert verdict.grading == "separate"
    passes(run(language, *program, "shared"))


@pytest.mark.parametrize(("language", "name"), ATTACKS)
def test_a_wrong_candidate_does_not_pass(language, name):
    """A wrong candidate passes by no macro, procedure, class or output of its own, and breaks no sandbox."""
    verdict = run(language, *PROGRAMS[language].ATTACKS[name])
    assert (verdict.passed, verdict.grading, verdict.attempts) == (False, "separate", 1), verdict
