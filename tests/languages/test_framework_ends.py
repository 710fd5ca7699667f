"""Tests of a framework decide, whatever else their file does: one has to run, and none may fail."""

from dataclasses import replace

import pytest

from sandboxes import Limits, Outcome, SandboxUnavailable
from sandboxes.languages.php import PHPUNIT
from sandboxes.languages.programs import build_program
from support.framework_programs import FRAMEWORKS, LEAVES, NO_TESTS, UNHEEDED
from support.languages import language_pool
from support.requirements import WALL_SECONDS

EACH = [(framework, number) for framework, all_tests in UNHEEDED.items() for number in range(len(all_tests))]


@pytest.fixture(scope="module")
def verdicts():
    """Return a function (framework) -> {(kind, number): verdict}, whose programs run together."""
    known = {}

    def of(framework):
        if framework not in known:
            programs = FRAMEWORKS[framework]
            pool = language_pool(programs.language)
            right, wrong = programs.program(programs.right), programs.program(programs.wrong)
            parts = {("none", 0): (right, NO_TESTS[framework])}
            if framework in LEAVES:
                parts["leaves", 0] = (right, LEAVES[framework])
            for number, tests in enumerate(UNHEEDED[framework]):
                parts |= {("right", number): (right, tests), ("wrong", number): (wrong, tests)}
            limits = Limits(wall_seconds=WALL_SECONDS)
            made = [build_program(programs.language, *pair, limits) for pair in parts.values()]
            known[framework] = dict(zip(parts, pool.run_all(made, 1), strict=True))
        return known[framework]

    return of


@pytest.mark.parametrize(("framework", "number"), EACH)
def test_a_failure_that_the_tests_do_not_heed_fails(verdicts, framework, number):
    """A candidate that fails a test has failed, even if the tests then end with status 0."""
    verdict = verdicts(framework)["wrong", number]
    assert verdict.outcome is Outcome.FAILED, verdict


@pytest.mark.parametrize(("framework", "number"), EACH)
def test_a_right_candidate_passes(verdicts, framework, number):
    """A candidate that passes each test has passed, however the tests' file ends."""
    verdict = verdicts(framework)["right", number]
    assert verdict.passed, (verdict.detail, verdict.stderr)


@pytest.mark.parametrize("framework", NO_TESTS)
def test_tests_that_run_no_test_fail(verdicts, framework):
    """Tests of which each is left out fail every candidate, with a reason."""
    verdict = verdicts(framework)["none", 0]
    assert (verdict.outcome, "no test" in verdict.stderr) == (Outcome.FAILED, True), verdict


@pytest.mark.parametrize("framework", LEAVES)
def test_tests_that_leave_within_a_test_fail(verdicts, framework):
    """Tests that end the program within a test have not passed: the rest of them has not run."""
    verdict = verdicts(framework)["leaves", 0]
    assert verdict.outcome is Outcome.FAILED, verdict


def test_a_missing_library_is_no_failure():
    """Tests whose framework is not installed break the sandbox, with the file that is missing."""
    programs = FRAMEWORKS["PHPUnit"]
    program = build_program("php", programs.program(programs.right), programs.tests, Limits(wall_seconds=WALL_SECONDS))
    assert PHPUNIT in program.tests
    missing = replace(program, tests=program.tests.replace(PHPUNIT, "/usr/share/php/None/Autoload.php"))
    pool = language_pool("php")
    with pytest.raises(SandboxUnavailable, match=r"/usr/share/php/None/Autoload\.php"):
        pool.run_all([missing], 1)
