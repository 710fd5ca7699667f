"""Python of other versions is a language: its programs run by their version, and their tests apart from them."""

import os
from contextlib import closing

import pytest

from sandboxes import EvalConfig, Evaluator, Limits, Outcome, Pool, SandboxUnavailable, Task, open_sandbox
from sandboxes.languages.programs import build_program
from sandboxes.languages.python_versions import VERSIONS, runner_files
from sandboxes.languages.registry import VARIANTS, is_python, probe_version
from support.observers import passes
from support.other_pythons import find_python
from support.requirements import WALL_SECONDS
from support.separate_programs import HONEST, HOSTILE

pytestmark = pytest.mark.slow(seconds=3)

LIMITS = Limits(wall_seconds=WALL_SECONDS, memory_bytes=256 << 20)
TESTS = "assert add(2, 3) == 5, 'no sum'\n"
# The corpus runs whole without a sandbox, in tests/guest. Here a part shows that commands and pipes change nothing. An
# interpreter of its own may lack numpy.
SOME_HONEST = [each for each in HONEST if each.is_apart and "numpy" not in each.candidate][::6]
SOME_HOSTILE = [each for each in HOSTILE if each.is_apart][::8]
OUTCOMES = {
    "right": ("def add(a, b): return a + b", Outcome.PASSED, ""),
    "wrong": ("def add(a, b): return a * b", Outcome.FAILED, "AssertionError: no sum"),
    "broken": ("def add(a, b) return", Outcome.FAILED, "SyntaxError"),
    "failing": ("def add(a, b): raise ValueError('Overdrawn')", Outcome.FAILED, "ValueError: Overdrawn"),
    "leaving": ("import os\ndef add(a, b): os._exit(0)", Outcome.EXITED, "left before its tests were done"),
    "leaving at once": ("import sys\nsys.exit(0)", Outcome.EXITED, "left before its tests were done"),
    "hungry": ("def add(a, b):\n    return [b'1' * (1 << 22 | n) for n in range(999)]", Outcome.OUT_OF_MEMORY, ""),
}
UNITTEST = (
    "import unittest\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 3), 5)\n"
)


def sandbox_of(version):
    """Return a sandbox with the interpreter of a version. Skip the test if this machine has none."""
    described = find_python(version)
    if described is None:
        pytest.skip(f"there is no Python {version}")
    _, python, library, shown = described
    path = f"{os.path.dirname(os.path.realpath(python))}:/usr/bin:/bin"
    return open_sandbox("subprocess", read_only_paths=[library, *shown], env={"PATH": path})


@pytest.fixture(scope="module")
def own():
    """Return a pool for programs of Debian's version."""
    with closing(Pool(sandbox_of("3.11"))) as pool:
        yield pool


@pytest.mark.parametrize("version", VERSIONS)
def test_outcomes(version):
    """Each version runs its programs, and each kind of end has its outcome."""
    name = f"python{version}"
    with closing(Pool(sandbox_of(version))) as pool:
        assert probe_version(pool, name).startswith(f"Python {version}.")
        programs = [build_program(name, candidate, TESTS, LIMITS) for candidate, *_ in OUTCOMES.values()]
        version_tests = f"assert version() == {tuple(map(int, version.split('.')))}"
        tells = "import sys\ndef version(): return sys.version_info[:2]"
        *verdicts, told = pool.run_all([*programs, build_program(name, tells, version_tests, LIMITS)], 1)
    passes(told)
    for (_, outcome, text), verdict in zip(OUTCOMES.values(), verdicts, strict=True):
        assert (verdict.outcome, text in verdict.detail, verdict.attempts) == (outcome, True, 1), verdict
    assert {verdict.grading for verdict in verdicts} == {"separate"}


def run_corpus(pool, programs):
    """Return the facts of the programs that pass."""
    built = [build_program("python3.11", each.candidate, each.tests, LIMITS) for each in programs]
    return [each.fact for each, verdict in zip(programs, pool.run_all(built, 1), strict=True) if verdict.passed]


def test_honest_programs_pass(own):
    """Right candidates whose tests use their functions, classes and errors pass."""
    assert run_corpus(own, SOME_HONEST) == [each.fact for each in SOME_HONEST]


def test_hostile_programs_do_not_pass(own):
    """Candidates that lie about values or to the protocol do not pass."""
    assert run_corpus(own, SOME_HOSTILE) == []


@pytest.fixture(scope="module")
def evaluator():
    """Return an evaluator of tasks in Debian's version."""
    options = {"language": "python3.11", "timeout": WALL_SECONDS}
    with Evaluator(EvalConfig.from_options(options)) as evaluator:
        yield evaluator


def outcomes_of(evaluator, reference, *candidates):
    """Return the outcomes of candidates."""
    try:
        return [verdict.outcome.value for verdict in evaluator.run([Task(reference, list(candidates))])]
    except SandboxUnavailable as error:
        pytest.skip(str(error))


def test_unittest_classes_run(evaluator):
    """Tests that are unittest classes get their harness."""
    assert outcomes_of(evaluator, UNITTEST, OUTCOMES["right"][0], OUTCOMES["wrong"][0]) == ["passed", "failed"]


SUM = "import os\nassert add(2, 3) == 5, os.name\n"


def test_other_tests_run_in_the_candidate_s_process(evaluator):
    """Tests that can't run apart from the candidate are one program with it, and each end has its outcome."""
    candidates = [candidate for candidate, *_ in OUTCOMES.values()]
    expected = [outcome.value for _, outcome, _ in OUTCOMES.values()]
    assert outcomes_of(evaluator, SUM, *candidates) == expected
    [verdict] = evaluator.run([Task(SUM, candidates[:1])])
    assert (verdict.grading, verdict.grading_reason) == ("shared", "the tests import os")


def test_cases_run(evaluator):
    """A complete program is run on inputs."""
    program = "print(int(input()) * 2)"
    assert outcomes_of(evaluator, [{"input": "4", "output": "8"}], program, program + "; 1 / 0") == ["passed", "failed"]


def test_tests_for_pytest_are_refused(evaluator):
    """Tests that need pytest's own process are an error that says where they run."""
    with pytest.raises(ValueError, match=r"tests for pytest run with the candidate, in python and not in python3.11"):
        evaluator.run(
            [Task("import pytest\n\n@pytest.fixture\ndef x(): return 1\n\ndef test_add(x): assert x\n", [""])]
        )


def test_empty_tests_are_refused(evaluator):
    """Tests that nothing can fail are an error, as in Python."""
    with pytest.raises(ValueError, match="every candidate would pass"):
        evaluator.run([Task("x = 5\n", [""])])


def test_a_missing_version_is_named():
    """The error for a version that is not there says where to install it, and names an image."""
    with (
        closing(Pool(open_sandbox("subprocess", env={"PATH": "/nowhere"}))) as pool,
        pytest.raises(SandboxUnavailable, match=r"install python3.9 where programs find it.*python:3.9-slim"),
    ):
        probe_version(pool, "python3.9")


def test_versions_are_variants():
    """Each version is a variant of Python, and C++'s standards are not."""
    assert {name for name in VARIANTS if is_python(name)} == {f"python{version}" for version in VERSIONS}


def test_the_tests_process_has_nothing_of_the_supervisor():
    """The text of a process has the modules that keep candidate and tests apart, and no others of the guest."""
    scope: dict = {}
    loader = runner_files("")["code_eval_runner.py"].partition("sys.meta_path")[0]
    exec(loader, scope)
    packages = {name.split(".")[1] for name in scope["Guest"].sources if "." in name}
    assert packages == {"common", "remote", "runners"}
