"""Each way in which a step of a program may end has its own outcome, and limits hold."""

import errno
import os

import pytest

from sandboxes import Limits, Outcome, Pool, SandboxUnavailable, open_sandbox
from sandboxes.languages.steps import Command, StepPlan, TestRun, step_program
from support.observers import passes
from support.step_programs import LIMITS, plan_of, run, shell

pytestmark = pytest.mark.slow

SCRIPT_ENDS = {
    "an exception": ("1 / 0", Outcome.FAILED, "ZeroDivisionError: division by zero"),
    "no Python": ("x = (", Outcome.COMPILE_ERROR, "SyntaxError"),
    "a NUL": ("x = 1\0", Outcome.COMPILE_ERROR, "null bytes"),
    "a lone surrogate": ("x = '\ud800'", Outcome.COMPILE_ERROR, "surrogate"),
    "a status": ("import sys\nprint(1)\nsys.exit(3)", Outcome.FAILED, "ended with status 3"),
    "a status of another kind": ("import os\nprint(1, flush=True)\nos._exit(3)", Outcome.FAILED, "ended with status 3"),
    "True as status": ("import sys\nsys.exit(True)", Outcome.FAILED, "ended with status 1"),
    "words as status": ("import sys\nsys.exit('no')", Outcome.FAILED, "ended with status 1"),
    "a signal": ("import os\nos.abort()", Outcome.CRASHED, "SIGABRT"),
    "no memory": ("x = bytearray(1 << 40)", Outcome.OUT_OF_MEMORY, "MemoryError"),
    "a flood": ("while True:\n    print('x' * 10000)", Outcome.OUTPUT_LIMIT, "bytes"),
    "no output": ("", Outcome.FAILED, "wrote ''"),
    "another output": ("print(2)", Outcome.FAILED, "expected '1', but it wrote '2'"),
}
SHELL_ENDS = {
    "a status": ("echo it is wrong >&2; exit 7", Outcome.FAILED, "ended with status 7: it is wrong"),
    "a signal": ("kill -SEGV $$", Outcome.CRASHED, "SIGSEGV"),
    "another output": ("echo 2", Outcome.FAILED, "expected '1', but it wrote '2'"),
    "a flood": ("while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done", Outcome.OUTPUT_LIMIT, "bytes"),
    "memory that is watched": (
        "x=$(head -c 100000000 /dev/zero | tr '\\0' x); echo 1",
        Outcome.OUT_OF_MEMORY,
        "more than 64 MiB",
    ),
}


@pytest.fixture(scope="module")
def pool():
    """Return one pool for tests that leave its workers whole."""
    pool = Pool(open_sandbox("subprocess"))
    yield pool
    pool.close()


@pytest.mark.parametrize(
    "status", ["", "None", "0", "False", "type('Zero', (int,), {'__eq__': lambda *others: False})()"]
)
def test_a_status_that_is_zero(pool, status):
    """A script that exits with nothing, or with any int that is 0, has ended well."""
    passes(run(pool, f"import sys\nprint(1)\nsys.exit({status})", plan_of([(None, "", "1")])))


@pytest.mark.parametrize(("source", "outcome", "words"), SCRIPT_ENDS.values(), ids=SCRIPT_ENDS)
def test_an_end_of_a_script_is_told_truly(pool, source, outcome, words):
    """Each way in which a script can fail has its own outcome and a readable message."""
    verdict = run(pool, source, plan_of([(None, "", "1")]))
    assert verdict.outcome is outcome
    assert words in verdict.detail


@pytest.mark.parametrize(("command", "outcome", "words"), SHELL_ENDS.values(), ids=SHELL_ENDS)
def test_an_end_of_a_command_is_told_truly(pool, command, outcome, words):
    """Each way in which a command can fail has its own outcome and a readable message."""
    limits = {"memory_bytes": 64 << 20, "output_bytes": 1 << 20}
    verdict = run(pool, {}, plan_of([(shell(command), "", "1")], limits=limits, reserves_memory=True))
    assert verdict.outcome is outcome
    assert words in verdict.detail


@pytest.mark.parametrize(
    ("words", "outcome", "detail"),
    [
        ("program: a.c:3: main: Assertion `f() == 5' failed.", "failed", "a.c:3: main: Assertion `f() == 5' failed."),
        ("Assertion failed: f() == 5 (a.c: main: 3)", "failed", "Assertion failed: f() == 5 (a.c: main: 3)"),
        (
            "Assertion failed: no more memory",
            "crashed",
            "killed by signal 6 (SIGABRT): Assertion failed: no more memory",
        ),
        ("free(): invalid pointer", "crashed", "killed by signal 6 (SIGABRT): free(): invalid pointer"),
    ],
)
def test_a_failed_assertion_of_c_is_no_crash(pool, words, outcome, detail):
    """A program that aborts after a failed assertion of C is FAILED, with the C library's message as detail."""
    argv = ("python3", "-c", f"import os, sys; sys.stderr.write({words!r} + chr(10)); sys.stderr.flush(); os.abort()")
    verdict = run(pool, {}, plan_of([(argv, "", None)]))
    assert (verdict.outcome.value, verdict.detail) == (outcome, f"case 1: {detail}")


def test_a_command_s_address_space_is_limited(pool):
    """A command can't reserve more address space than its limit."""
    argv = ("python3", "-c", "import mmap; mmap.mmap(-1, 1 << 32)")
    verdict = run(pool, {}, plan_of([(argv, "", None)]))
    assert verdict.outcome is Outcome.FAILED
    assert "Cannot allocate memory" in verdict.detail


def test_what_reserves_memory_may_do_so(pool):
    """A command that declares that it reserves memory gets the address space, as long as it does not use it."""
    argv = ("python3", "-c", "import mmap; mmap.mmap(-1, 1 << 32)")
    passes(run(pool, {}, plan_of([(argv, "", None)], reserves_memory=True)))


def test_a_hang_times_out(pool):
    """A run that takes longer than its limit is TIMED_OUT."""
    verdict = run(pool, {}, plan_of([(("sleep", "1000"), "", None)], limits={"wall_seconds": 0.3}))
    assert (verdict.outcome, verdict.detail) == (Outcome.TIMED_OUT, "case 1: ran for more than 0.3 s")


def test_cpu_time_is_limited(pool):
    """A run that uses more CPU time than it may is TIMED_OUT."""
    verdict = run(pool, {}, plan_of([(shell("while :; do :; done"), "", None)], limits={"cpu_seconds": 1.0}))
    assert (verdict.outcome, verdict.detail) == (Outcome.TIMED_OUT, "case 1: used more than 1 s of CPU time")


def test_a_command_that_is_not_there_is_the_sandbox_s_fault(pool):
    """A program that needs a missing command gets an error that names it instead of a verdict."""
    program = step_program({}, plan_of([(("no-such-compiler",), "", None)]), LIMITS)
    [ended] = pool.run_all([program], 1, on_sandbox_error="exclude")
    assert isinstance(ended, SandboxUnavailable)
    assert "there is no command no-such-compiler" in str(ended)


def test_a_file_that_is_needed_and_not_there_is_the_sandbox_s_fault(pool):
    """A step that needs an unreadable file gets an error that names it instead of a verdict."""
    plan = StepPlan([Command(("true",), LIMITS, needs=("/no/such/packages",))], [])
    [ended] = pool.run_all([step_program({}, plan, LIMITS)], 1, on_sandbox_error="exclude")
    assert isinstance(ended, SandboxUnavailable)
    assert "/no/such/packages" in str(ended)


def test_a_program_that_was_not_made_is_the_candidate_s_fault(pool):
    """A run of a missing file in the program's own folder is FAILED."""
    verdict = run(pool, {}, plan_of([(("./program",), "", None)]))
    assert (verdict.outcome, verdict.detail) == (
        Outcome.FAILED,
        "case 1: ./program can't be run: No such file or directory",
    )


def test_a_compile_error_has_the_compiler_s_words(pool):
    """A failed build is a COMPILE_ERROR with the compiler's output. Its detail is the line with "error"."""
    build = [shell("echo warning: a; echo error: line 3 >&2; exit 1")]
    verdict = run(pool, {}, plan_of([(("true",), "", None)], build))
    assert (verdict.outcome, verdict.detail) == (Outcome.COMPILE_ERROR, "error: line 3")
    assert verdict.exception_message == "error: line 3 warning: a"
    assert verdict.tests == ()


def test_a_compiler_s_time_is_limited(pool):
    """A build that takes longer than its limit is TIMED_OUT, and its message names the build."""
    step = Command(("sleep", "1000"), Limits(wall_seconds=0.3))
    verdict = run(pool, {}, StepPlan([step], []))
    assert (verdict.outcome, verdict.detail) == (Outcome.TIMED_OUT, "while it was compiled: ran for more than 0.3 s")


@pytest.mark.slow(seconds=26)
def test_a_long_build_is_waited_for(pool):
    """A compiler may take longer than a guest may be silent."""
    build = Command(("sleep", "26"), Limits(wall_seconds=60.0))
    plan = StepPlan([build], [TestRun(Command(("true",), Limits()))])
    [verdict] = pool.run_all([step_program({}, plan, Limits(wall_seconds=1.0))], 1)
    passes(verdict)
    assert verdict.attempts == 1


def test_a_compiler_s_cpu_time_is_its_own(pool):
    """The candidate's limit on time does not limit the compiler's CPU time."""
    spin = Command(shell("timeout 4 bash -c 'while :; do :; done'; times; true"), Limits(wall_seconds=60.0))
    plan = StepPlan([spin], [TestRun(Command(("true",), Limits()))])
    [verdict] = pool.run_all([step_program({}, plan, Limits(wall_seconds=0.5, cpu_seconds=1.0))], 1)
    passes(verdict)


def test_a_run_that_writes_its_seal_passes(pool):
    """A run that writes the completion token passes if its output ends with the token, which is not shown."""
    plan = StepPlan([], [TestRun(Command(shell("echo done; cat"), LIMITS), writes_token=True)])
    verdict = run(pool, {}, plan, token="0123")
    passes(verdict)
    assert verdict.stdout == "done\n"


def test_what_is_written_after_the_seal_is_shown(pool):
    """A run that writes the completion token passes if a library writes what it has buffered after the token."""
    plan = StepPlan([], [TestRun(Command(shell("cat; echo done"), LIMITS), writes_token=True)])
    verdict = run(pool, {}, plan, token="0123")
    passes(verdict)
    assert verdict.stdout == "done\n"


@pytest.mark.parametrize("command", ["true", "echo 012x3", "cat >/dev/null"])
def test_a_run_without_its_seal_has_left(pool, command):
    """A run that ends with status 0, but without its completion token, is EXITED."""
    plan = StepPlan([], [TestRun(Command(shell(command), LIMITS), writes_token=True)])
    assert run(pool, {}, plan, token="0123").outcome is Outcome.EXITED


def test_a_name_that_is_too_long_for_a_file_is_the_candidate_s_fault(pool):
    """A program whose file name is too long is a COMPILE_ERROR."""
    verdict = run(pool, {"x" * 300 + ".java": ""}, plan_of([(("true",), "", None)]))
    assert verdict.outcome is Outcome.COMPILE_ERROR
    assert verdict.detail.startswith(f"{os.strerror(errno.ENAMETOOLONG)}:")
