"""What steps of a program promise: each end told apart, outputs compared, and nothing left for the next run."""

import json

import pytest
from conftest import WALL_SECONDS
from watching import passes

from sandboxes import Limits, Outcome, Pool, Program, SandboxUnavailable, open_sandbox
from sandboxes.steps import SCRIPT_FILE, Plan, Run, Step, program_with_steps

LIMITS = Limits(wall_seconds=WALL_SECONDS)
READ_ALL = {
    "input": "print(input(), input())",
    "sys.stdin": "import sys\nprint(*(line.strip() for line in sys.stdin))",
    "sys.stdin.read": "import sys\nprint(*sys.stdin.read().split())",
    "sys.stdin.buffer": "import sys\nprint(*sys.stdin.buffer.read().decode().split())",
    "open(0)": "print(*open(0).read().split())",
    "os.read": "import os\nprint(*os.read(0, 100).decode().split())",
    "fileinput": "import fileinput\nprint(*(line.strip() for line in fileinput.input()))",
    "/dev/stdin": "print(*open('/dev/stdin').read().split())",
}
SCRIPT_ENDS = {
    "an exception": ("1 / 0", Outcome.FAILED, "ZeroDivisionError: division by zero"),
    "no Python": ("x = (", Outcome.COMPILE_ERROR, "SyntaxError"),
    "a NUL": ("x = 1\0", Outcome.COMPILE_ERROR, "null bytes"),
    "a lone surrogate": ("x = '\ud800'", Outcome.COMPILE_ERROR, "surrogate"),
    "a status": ("import sys\nprint(1)\nsys.exit(3)", Outcome.FAILED, "ended with status 3"),
    "a status of another kind": ("import os\nprint(1, flush=True)\nos._exit(3)", Outcome.FAILED, "ended with status 3"),
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
    """One pool for tests that leave its workers whole."""
    pool = Pool(open_sandbox("subprocess"))
    yield pool
    pool.close()


def plan_of(runs, build=(), **options):
    """A plan of commands: (argv, stdin, expected) each; None for an argv is the script."""
    limits = Limits(**{"wall_seconds": WALL_SECONDS, **options.pop("limits", {})})
    reserves = options.pop("reserves_memory", False)
    steps = [
        Run(Step(argv, limits, reserves), f"case {number}", stdin, expected)
        for number, (argv, stdin, expected) in enumerate(runs, start=1)
    ]
    return Plan([Step(argv, limits) for argv in build], steps, **options)


def run(pool, files, plan, seal=""):
    """The verdict on one program."""
    files = {SCRIPT_FILE: files} if isinstance(files, str) else files
    [verdict] = pool.run_all([program_with_steps(files, plan, LIMITS, seal)], 1)
    return verdict


def shell(*commands):
    """The argv of a shell's commands."""
    return ("bash", "-c", "\n".join(commands))


@pytest.mark.parametrize("source", READ_ALL.values(), ids=READ_ALL)
def test_a_script_reads_its_input(pool, source):
    """A script finds its input by each way to read it."""
    passes(run(pool, source, plan_of([(None, "1\n2\n", "1 2")])))


@pytest.mark.parametrize(("source", "outcome", "words"), SCRIPT_ENDS.values(), ids=SCRIPT_ENDS)
def test_an_end_of_a_script_is_told_truly(pool, source, outcome, words):
    """Each way in which a script can go wrong has its own outcome, and words for people."""
    verdict = run(pool, source, plan_of([(None, "", "1")]))
    assert verdict.outcome is outcome
    assert words in verdict.detail


@pytest.mark.parametrize(("command", "outcome", "words"), SHELL_ENDS.values(), ids=SHELL_ENDS)
def test_an_end_of_a_command_is_told_truly(pool, command, outcome, words):
    """Each way in which a command can go wrong has its own outcome, and words for people."""
    limits = {"memory_bytes": 64 << 20, "output_bytes": 1 << 20}
    verdict = run(pool, {}, plan_of([(shell(command), "", "1")], limits=limits, reserves_memory=True))
    assert verdict.outcome is outcome
    assert words in verdict.detail


@pytest.mark.parametrize(
    ("words", "outcome", "detail"),
    [
        ("program: a.c:3: main: Assertion `f() == 5' failed.", "failed", "a.c:3: main: Assertion `f() == 5' failed."),
        ("free(): invalid pointer", "crashed", "killed by signal 6 (SIGABRT): free(): invalid pointer"),
    ],
)
def test_a_failed_assertion_of_c_is_no_crash(pool, words, outcome, detail):
    """A program that aborts after the C library's words for a failed assertion has failed, with them as detail."""
    argv = ("python3", "-c", f"import os, sys; sys.stderr.write({words!r} + chr(10)); sys.stderr.flush(); os.abort()")
    verdict = run(pool, {}, plan_of([(argv, "", None)]))
    assert (verdict.outcome.value, verdict.detail) == (outcome, f"case 1: {detail}")


def test_a_command_s_address_space_is_limited(pool):
    """A command that reserves more address space than it may have does not get it."""
    argv = ("python3", "-c", "import mmap; mmap.mmap(-1, 1 << 32)")
    verdict = run(pool, {}, plan_of([(argv, "", None)]))
    assert verdict.outcome is Outcome.FAILED
    assert "Cannot allocate memory" in verdict.detail


def test_what_reserves_memory_may_do_so(pool):
    """A command that says that it reserves memory gets the address space, as long as it does not use it."""
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
    """A program that needs a command which the sandbox does not have gets no verdict, but an error that names it."""
    program = program_with_steps({}, plan_of([(("no-such-compiler",), "", None)]), LIMITS)
    [ended] = pool.run_all([program], 1, on_sandbox_error="exclude")
    assert isinstance(ended, SandboxUnavailable)
    assert "there is no command no-such-compiler" in str(ended)


def test_a_file_that_is_needed_and_not_there_is_the_sandbox_s_fault(pool):
    """A step that needs a file which programs can't read gets no verdict, but an error that names it."""
    plan = Plan([Step(("true",), LIMITS, needs=("/no/such/packages",))], [])
    [ended] = pool.run_all([program_with_steps({}, plan, LIMITS)], 1, on_sandbox_error="exclude")
    assert isinstance(ended, SandboxUnavailable)
    assert "/no/such/packages" in str(ended)


def test_a_program_that_was_not_made_is_the_candidate_s_fault(pool):
    """A run of a file in the program's own folder that is not there is FAILED."""
    verdict = run(pool, {}, plan_of([(("./program",), "", None)]))
    assert (verdict.outcome, verdict.detail) == (
        Outcome.FAILED,
        "case 1: ./program can't be run: No such file or directory",
    )


def test_a_compile_error_has_the_compiler_s_words(pool):
    """What can't be built is a COMPILE_ERROR with all that the compiler said, and its line with "error" as detail."""
    build = [shell("echo warning: a; echo error: line 3 >&2; exit 1")]
    verdict = run(pool, {}, plan_of([(("true",), "", None)], build))
    assert (verdict.outcome, verdict.detail) == (Outcome.COMPILE_ERROR, "error: line 3")
    assert verdict.exception_message == "error: line 3\nwarning: a\n"
    assert verdict.tests == ()


def test_a_compiler_s_time_is_limited(pool):
    """A build that takes longer than its limit is TIMED_OUT, and says that it was no run."""
    step = Step(("sleep", "1000"), Limits(wall_seconds=0.3))
    verdict = run(pool, {}, Plan([step], []))
    assert (verdict.outcome, verdict.detail) == (Outcome.TIMED_OUT, "while it was compiled: ran for more than 0.3 s")


def test_a_long_build_is_waited_for(pool):
    """A compiler may take longer than a guest may be silent."""
    build = Step(("sleep", "26"), Limits(wall_seconds=60.0))
    plan = Plan([build], [Run(Step(("true",), Limits()))])
    [verdict] = pool.run_all([program_with_steps({}, plan, Limits(wall_seconds=1.0))], 1)
    passes(verdict)
    assert verdict.attempts == 1


def test_a_compiler_s_cpu_time_is_its_own(pool):
    """The candidate's limit on time does not limit the compiler's CPU time."""
    spin = Step(shell("timeout 4 bash -c 'while :; do :; done'; times; true"), Limits(wall_seconds=60.0))
    plan = Plan([spin], [Run(Step(("true",), Limits()))])
    [verdict] = pool.run_all([program_with_steps({}, plan, Limits(wall_seconds=0.5, cpu_seconds=1.0))], 1)
    passes(verdict)


def test_the_first_failure_ends_it(pool):
    """By default no run follows one that failed, and the detail names it."""
    verdict = run(pool, "print(input())", plan_of([(None, "1", "1"), (None, "2", "3"), (None, "4", "4")]))
    assert [test.outcome for test in verdict.tests] == [Outcome.PASSED, Outcome.FAILED]
    assert verdict.detail == "case 2: expected '3', but it wrote '2'"


def test_all_runs_where_that_is_wanted(pool):
    """Without a stop each run has its result, and the detail names the first that failed."""
    runs = [(None, "1", "1"), (None, "2", "3"), (None, "4", "4"), (None, "5", "6")]
    verdict = run(pool, "print(input())", plan_of(runs, stop_at_first_failure=False))
    assert [test.outcome.value for test in verdict.tests] == ["passed", "failed", "passed", "failed"]
    assert [test.name for test in verdict.tests] == ["case 1", "case 2", "case 3", "case 4"]
    assert [test.message for test in verdict.tests][1::2] == [
        "expected '3', but it wrote '2'",
        "expected '6', but it wrote '5'",
    ]
    assert verdict.detail.startswith("case 2: ")


def test_costs_are_of_all_steps(pool):
    """Wall seconds are the sum over all runs."""
    verdict = run(pool, "import time\ntime.sleep(0.1)", plan_of([(None, "", None)] * 5))
    assert verdict.wall_seconds >= 0.5
    assert verdict.peak_memory_bytes > 1 << 20


def test_a_large_input_and_output(pool):
    """Megabytes go in and come out."""
    text = "".join(f"{number}\n" for number in range(300_000))
    passes(run(pool, "import sys\nsys.stdout.write(sys.stdin.read())", plan_of([(None, text, text)])))


def test_an_input_that_is_not_read(pool):
    """A program need not read its input."""
    passes(run(pool, "print(1)", plan_of([(None, "x" * 1_000_000, "1")])))


def test_the_verdict_keeps_some_of_a_large_output(pool):
    """Of a long output the verdict has the beginning, and says that there was more."""
    verdict = run(pool, "print('x' * 100_000)", plan_of([(None, "", None)]))
    assert verdict.stdout == "x" * LIMITS.kept_bytes + "\n[cut]"


def test_outputs_are_returned_where_that_is_wanted(pool):
    """For a checker of the caller's, each test has all that it wrote."""
    verdict = run(pool, "print(input() * 50_000)", plan_of([(None, "1", None), (None, "2", None)], returns_output=True))
    assert [test.stdout for test in verdict.tests] == ["1" * 50_000 + "\n", "2" * 50_000 + "\n"]


def test_outputs_that_are_too_large_to_return(pool):
    """Outputs that are too much for one reply are the program's fault, and do not break the guest."""
    runs = [(None, "", None)] * 3
    verdict = run(pool, "print('\\0' * 2_000_000)", plan_of(runs, returns_output=True, stop_at_first_failure=False))
    assert verdict.outcome is Outcome.OUTPUT_LIMIT
    assert [test.outcome.value for test in verdict.tests] == ["passed", "output_limit", "output_limit"]
    assert verdict.attempts == 1


def test_many_cases(pool):
    """A program may have a thousand cases, each of which says at length what is wrong."""
    plan = plan_of([(None, str(number), "x") for number in range(1000)], stop_at_first_failure=False)
    verdict = run(pool, "raise ValueError('\\0' * 3000)", plan)
    assert len(verdict.tests) == 1000
    assert verdict.attempts == 1


def test_candidates_of_one_plan(pool):
    """Many candidates share a plan, and each has its own verdict."""
    plan = plan_of([(None, "3", "6")])
    sources = [f"print(int(input()) * {factor})" for factor in range(10)]
    verdicts = pool.run_all([program_with_steps({SCRIPT_FILE: each}, plan, LIMITS) for each in sources], 2)
    assert [verdict.passed for verdict in verdicts] == [factor == 2 for factor in range(10)]


def test_plans_of_plain_programs_and_steps_may_be_mixed(pool):
    """Programs of both kinds run in the same guest, and each with its own tests."""
    plan = plan_of([(None, "1", "1")])
    steps = program_with_steps({SCRIPT_FILE: "print(input())"}, plan, LIMITS)
    plain = Program("x = 1", "assert x == 1", LIMITS)
    apart = Program("x = 1", "assert x == 1", LIMITS, "separate")
    for verdict in pool.run_all([steps, plain, steps, apart, plain, steps], 1):
        passes(verdict)


def test_a_run_that_writes_its_seal_passes(pool):
    """A sealed run has passed if what it wrote ends with the seal, which is not shown."""
    plan = Plan([], [Run(Step(shell("echo done; cat"), LIMITS), is_sealed=True)])
    verdict = run(pool, {}, plan, seal="0123")
    passes(verdict)
    assert verdict.stdout == "done\n"


@pytest.mark.parametrize("command", ["true", "echo 0123x", "cat >/dev/null"])
def test_a_run_without_its_seal_has_left(pool, command):
    """A sealed run that ends with status 0, but without the seal, is EXITED."""
    plan = Plan([], [Run(Step(shell(command), LIMITS), is_sealed=True)])
    assert run(pool, {}, plan, seal="0123").outcome is Outcome.EXITED


def test_a_name_that_is_too_long_for_a_file_is_the_candidate_s_fault(pool):
    """A program with a file that can't be named so is a COMPILE_ERROR."""
    verdict = run(pool, {"x" * 300 + ".java": ""}, plan_of([(("true",), "", None)]))
    assert (verdict.outcome, verdict.detail[:19]) == (Outcome.COMPILE_ERROR, "File name too long:")


def test_the_script_is_the_main_module(pool):
    """A script's `__name__` is "__main__", as where the interpreter is given it."""
    passes(run(pool, "if __name__ == '__main__':\n    print(1)", plan_of([(None, "", "1")])))


def test_what_ends_with_the_interpreter_happens(pool):
    """Threads are waited for, and what was registered for the end is done."""
    source = "import atexit, threading, time\natexit.register(print, 2)\n"
    source += "threading.Thread(target=lambda: (time.sleep(0.1), print(1))).start()"
    passes(run(pool, source, plan_of([(None, "", "1 2")])))


def test_verdicts_say_that_outputs_are_compared_elsewhere(pool):
    """The grading of a plan is what its verdicts say."""
    assert run(pool, "", plan_of([(None, "", None)], grading="separate")).grading == "separate"


def test_without_isolation():
    """Steps run also with limits only."""
    pool = Pool(open_sandbox("subprocess", isolation="off"))
    try:
        passes(run(pool, "print(input())", plan_of([(None, "1", "1"), (None, "2", "2")])))
        passes(run(pool, {}, plan_of([(("./p",), "1", "1"), (("./p",), "2", "2")], [shell("cp /usr/bin/cat p")])))
    finally:
        pool.close()


def test_scripts_in_restricted_python():
    """A script obeys the policy of "restricted", which does not have what reads an input."""
    pool = Pool(open_sandbox("restricted"))
    try:
        passes(run(pool, "print(1 + 1)", plan_of([(None, "", "2")])))
        verdict = run(pool, "import os", plan_of([(None, "", None)]))
        assert not verdict.passed
    finally:
        pool.close()


def test_a_broken_guest_is_replaced(pool):
    """A program that runs when its guest ends is run again on another one."""
    own = Pool(open_sandbox("subprocess"))
    try:
        plan = plan_of([(None, "1", "1")] * 3)
        program = program_with_steps({SCRIPT_FILE: "import time\ntime.sleep(0.5)\nprint(input())"}, plan, LIMITS)
        workers = []
        start = own.sandbox.start_worker

        def start_and_end():
            workers.append(start())
            if len(workers) == 1:
                workers[0].process.kill()
            return workers[-1]

        object.__setattr__(own.sandbox, "start_worker", start_and_end)
        [verdict] = own.run_all([program], 1)
        passes(verdict)
    finally:
        own.close()


def test_plans_are_json():
    """A plan's text is JSON, made once for all that share it."""
    plan = plan_of([(None, "1", "1")])
    assert json.loads(plan.text)["runs"][0]["stdin"] == "1"
    assert plan.text is plan.text
