"""Warm compilers: they build what the commands of builds build, change no verdict, and leave nothing."""

import json
import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from sandboxes import Limits, Outcome, Pool, open_sandbox
from sandboxes.languages.compilers import warm_rustc
from sandboxes.languages.compilers.java_compiler import PROGRAM_FILE
from sandboxes.languages.compilers.jvm_driver import DRIVER_CLASS
from sandboxes.languages.compilers.rust_library import prepare_library
from sandboxes.languages.native import TOKEN_FILE
from sandboxes.languages.programs import build_program
from sandboxes.languages.registry import required_paths
from sandboxes.languages.rust_source import RUST_LIBRARY_FILE
from sandboxes.tasks.batch import ProgramBatch
from sandboxes.tasks.options import TaskOptions
from sandboxes.tasks.task import Task
from support.language_programs import PROGRAMS
from support.languages import require_languages
from support.observers import has_ended, passes, wait_until
from support.requirements import WALL_SECONDS, unavailable

pytestmark = pytest.mark.slow

LIMITS = Limits(wall_seconds=WALL_SECONDS)
JAVA = PROGRAMS["java"]
HELPER = "class Helper { static int none = 0; }"
USES_HELPER = "class Solution { static int add(int a, int b) { return a + b + Helper.none; } }"
# The compiler's parser calls itself for each bracket, and its stack ends before the text does.
DEEP = "class Solution { int deep = " + "(" * 50_000 + "1" + ")" * 50_000 + "; }"


def java(candidate=JAVA.add, tests=JAVA.tests):
    """Return a program in Java."""
    return build_program("java", candidate, tests, LIMITS)


def without_warm(program):
    """Return a program that a command builds."""
    plan = json.loads(program.tests)
    for step in plan["build"]:
        del step["warm"]
    return replace(program, tests=json.dumps(plan))


def compilers(program=PROGRAM_FILE):
    """Return the warm compilers below this process whose program is a file, or a class."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if process.cmdline()[-1:] == [program]:
                found.append(process)
        except psutil.NoSuchProcess:
            continue
    return found


def warm_compiler(pool, others):
    """Run programs until a new compiler builds them in a pool of one worker. Return the compiler.

    Args:
        pool: that has run no programs without a compiler.
        others: compilers that are not new.
    """
    found = []

    def builds():
        passes(*pool.run_all([java()], 1))
        found[:] = [process for process in compilers() if process not in others]
        before = sum(seconds_of(process) for process in found)
        passes(*pool.run_all([java()], 1))
        return found and before + 0.005 < sum(seconds_of(process) for process in found) and found[0].num_threads() > 1

    assert wait_until(builds, WALL_SECONDS)
    return found[0]


def seconds_of(process):
    """Return the CPU seconds of a process."""
    times = process.cpu_times()
    return times.user + times.system


def open_pool(language="java", **options):
    """Return a pool for Java, or for another language."""
    require_languages(language)
    return Pool(open_sandbox("subprocess", read_only_paths=required_paths({language}), **options))


@pytest.fixture(scope="module")
def shared_pool():
    """Return a pool with one warm compiler, for tests that keep it."""
    others = compilers()
    pool = open_pool()
    compiler = warm_compiler(pool, others)
    yield pool, compiler
    pool.close()


@pytest.fixture
def own_pool():
    """Return a pool with one warm compiler, for a test that ends it, and the compiler."""
    others = compilers()
    pool = open_pool()
    yield pool, warm_compiler(pool, others)
    pool.close()


@pytest.mark.parametrize("kind", ["add", "wrong", "broken", "failing", "leaving"])
def test_verdicts_are_those_of_the_command(shared_pool, kind):
    """A program has the same outcome, and the compiler's message the same text, with and without a warm compiler."""
    pool, compiler = shared_pool
    program = java(getattr(JAVA, kind))
    [warm] = pool.run_all([program], 1)
    [plain] = pool.run_all([without_warm(program)], 1)
    assert (warm.outcome, warm.detail, warm.exception_message) == (plain.outcome, plain.detail, plain.exception_message)
    assert not has_ended(compiler)


def test_a_program_finds_nothing_of_an_earlier_one(shared_pool):
    """A class that an earlier candidate defined is not there for the next one."""
    pool, compiler = shared_pool
    first, second = pool.run_all([java(f"{JAVA.add} {HELPER}"), java(USES_HELPER)], 1)
    passes(first)
    assert second.outcome is Outcome.COMPILE_ERROR
    assert "Helper" in second.exception_message
    assert not has_ended(compiler)


def test_all_tests_have_the_built_program(shared_pool):
    """Each input is given to the program as it was built."""
    pool, _ = shared_pool
    cases = [{"input": str(number), "output": str(2 * min(number, 2))} for number in (1, 2, 3)]
    options = TaskOptions.checked(language="java", stop_at_first_failure=False)
    batch = ProgramBatch.assemble([Task(cases, [JAVA.doubling])], options, LIMITS, "shared")
    [verdict] = pool.run_all(batch.programs, 1)
    assert [test.outcome.value for test in verdict.tests] == ["passed", "passed", "failed"]


def test_a_compiler_that_ends_is_replaced(own_pool):
    """Programs get their verdicts when a compiler has ended, and another one takes its place."""
    pool, compiler = own_pool
    compiler.kill()
    right, wrong = pool.run_all([java(), java(JAVA.wrong)], 1)
    passes(right)
    assert wrong.outcome is Outcome.FAILED
    assert warm_compiler(pool, [compiler]) != compiler


def test_a_compiler_that_stops_is_given_up(own_pool):
    """A program does not wait for ever for a compiler that does not answer, which is ended."""
    pool, compiler = own_pool
    compiler.suspend()
    passes(*pool.run_all([java()], 1))
    assert wait_until(lambda: has_ended(compiler), WALL_SECONDS)


def test_a_program_that_breaks_the_compiler_breaks_no_other(own_pool):
    """The command decides about a program that the compiler has no stack for, and the next program passes."""
    pool, _ = own_pool
    [deep] = pool.run_all([java(DEEP)], 1)
    plain, after = pool.run_all([without_warm(java(DEEP)), java()], 1)
    assert (deep.outcome, deep.detail) == (plain.outcome, plain.detail)
    passes(after)


def test_a_pool_that_is_closed_leaves_no_compiler():
    """The compiler ends with its guest."""
    others = compilers()
    with closing(open_pool()) as pool:
        compiler = warm_compiler(pool, others)
    assert wait_until(lambda: has_ended(compiler), WALL_SECONDS)


def test_without_layers_no_compiler_stays():
    """Where candidates could see the process of a compiler, none stays."""
    others = compilers()
    with closing(open_pool(isolation="off")) as pool:
        for verdict in pool.run_all([java()] * 4, 1):
            passes(verdict)
        assert not [process for process in compilers() if process not in others]


@pytest.fixture(scope="module", params=["scala", "kotlin"])
def driver_pool(request):
    """Return a language, and a pool in which its compiler stays."""
    language = request.param
    pool = open_pool(language)
    program = build_program(language, PROGRAMS[language].add, PROGRAMS[language].tests, LIMITS)

    def stays():
        passes(*pool.run_all([program], 1))
        return any(seconds_of(process) > 1 and process.num_threads() > 1 for process in compilers(DRIVER_CLASS))

    assert wait_until(stays, 5 * WALL_SECONDS)
    yield language, pool
    pool.close()


@pytest.mark.parametrize("kind", ["add", "wrong", "broken", "leaving"])
def test_verdicts_of_the_driver_are_those_of_the_command(driver_pool, kind):
    """A program in Scala or Kotlin has the same outcome and message with and without the compiler that stays."""
    language, pool = driver_pool
    program = build_program(language, getattr(PROGRAMS[language], kind), PROGRAMS[language].tests, LIMITS)
    [warm] = pool.run_all([program], 1)
    [plain] = pool.run_all([without_warm(program)], 1)
    assert (warm.outcome, warm.detail, warm.stderr) == (plain.outcome, plain.detail, plain.stderr)


RUST = PROGRAMS["rust"]
# The compiler has the words of the build's command.
RUSTC = f"@{RUST_LIBRARY_FILE}"
LEFT_TO_THE_COMMAND = {
    "other linking": f'pub fn unused() {{ unsafe {{ std::arch::asm!("nop") }} }}\n{RUST.add}',
    "a message about the library": "struct Sum;\nfn add(_: i32, _: i32) -> Vec<Sum> { vec![] }\n",
    "a missing symbol": 'extern "C" { fn missing(); }\n' + RUST.add.replace("{", "{ unsafe { missing() }", 1),
    "a compiler that runs out of stack": f"{RUST.add}\nconst DEEP: i32 = {'(' * 20_000}1{')' * 20_000};\n",
}


def rust(candidate):
    """Return a program in Rust."""
    return build_program("rust", candidate, RUST.tests, LIMITS)


@pytest.fixture(scope="module", params=[True, False], ids=["the system's pages", "small pages"])
def rust_pool(request):
    """Return a pool in which Rust's compiler stays, and the compiler."""
    with pytest.MonkeyPatch.context() as patch:
        if not request.param:
            patch.setattr(warm_rustc, "are_huge_pages_on", lambda: False)
        yield from open_rust_pool()


def open_rust_pool():
    """Yield what `rust_pool` returns."""
    others = compilers(RUSTC)
    pool = open_pool("rust")
    if not prepare_library():
        unavailable("Rust's library can't be compiled here")
    found = []

    def stays():
        passes(*pool.run_all([rust(RUST.add)], 1))
        found[:] = [process for process in compilers(RUSTC) if process not in others]
        return found

    assert wait_until(stays, WALL_SECONDS)
    yield pool, found[0]
    pool.close()


@pytest.mark.parametrize("kind", ["add", "wrong", "broken", "failing", "leaving"])
def test_verdicts_of_rusts_compiler_are_those_of_the_command(rust_pool, kind):
    """A program in Rust has the same outcome and message with and without the compiler that stays."""
    warm, plain = same_verdicts(rust_pool, getattr(RUST, kind))
    assert warm.stderr == plain.stderr


@pytest.mark.parametrize("candidate", LEFT_TO_THE_COMMAND.values(), ids=LEFT_TO_THE_COMMAND)
def test_what_rusts_compiler_leaves_to_the_command(rust_pool, candidate):
    """The command decides about a program that a quick build does not decide about, and the compiler stays."""
    same_verdicts(rust_pool, candidate)


def test_a_program_can_not_include_what_the_compiler_reads(rust_pool):
    """No descriptor of the compiler's is there for a candidate that includes files."""
    status = Path(f"/proc/{rust_pool[1].pid}/status").read_text()
    [number] = re.findall(r"^NSpid:.*\s(\d+)$", status, re.MULTILINE)
    included = ", ".join(f'include_bytes!("/proc/{number}/fd/{fd}")' for fd in range(3, 9))
    same_verdicts(rust_pool, f"const NUMBERS: &[&[u8]] = &[{included}];\n{RUST.add}")


def test_rusts_compiler_needs_no_assembler(rust_pool):
    """The token's file is an object already, for a compiler that stays."""
    program = rust(RUST.add)
    content = json.loads(program.candidate)
    for suffix in ("c", "s"):
        del content["files"][f"{TOKEN_FILE}.{suffix}"]
    program = replace(program, candidate=json.dumps(content))
    # The command builds the first ones, while the compiler is loaded.
    assert wait_until(lambda: rust_pool[0].run_all([program], 1)[0].passed, WALL_SECONDS)


def same_verdicts(rust_pool, candidate):
    """Return a candidate's verdicts with and without Rust's compiler, which stays. Assert that they are the same."""
    pool, compiler = rust_pool
    [warm] = pool.run_all([rust(candidate)], 1)
    [plain] = pool.run_all([without_warm(rust(candidate))], 1)
    assert (warm.outcome, warm.detail) == (plain.outcome, plain.detail)
    assert not has_ended(compiler)
    return warm, plain
