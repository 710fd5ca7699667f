"""Checker programs that work, that don't, and that an output keeps from working."""

from contextlib import closing

import pytest

from sandboxes import Limits, Outcome, Pool, Program, SandboxUnavailable, Task, open_sandbox
from sandboxes.languages.steps import SCRIPT_FILE, Command, StepPlan, TestRun, step_program
from sandboxes.tasks.batch import ProgramBatch
from sandboxes.tasks.options import TaskOptions
from support.checker_programs import SUM, TRIPLE, checked, verdicts
from support.languages import language_pool, require_languages
from support.observers import passes
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow

TRIPLES = {"inputs": ["1", "2"], "outputs": ["4", "7"]}
RIGHT, WRONG = "print(3 * int(input()) + 1)", "print(0)"
SAY = "import sys\nsys.stdout.write(open(sys.argv[3]).read())"
# The output of a candidate is code, which the checker runs.
OBEY = "import sys\nif input:\n    exec(open(sys.argv[3]).read())"


@pytest.fixture(scope="module")
def pool():
    """Return one pool for tests that leave its only worker whole. Most checkers are in C++."""
    require_languages("cpp")
    with closing(Pool(open_sandbox("subprocess"))) as pool:
        yield pool


def sums(source=SUM, **more):
    """Return a reference whose checker is a program in C++."""
    return checked({"source": source, "language": "cpp", **more}, ["5", "7"], ["1 4", "3 4"])


def test_several_right_answers(pool):
    """Each output that the checker accepts is right, whatever the expected one is."""
    for sides in ("1, n - 1", "n, 0", "n + 8, -8"):
        [verdict] = verdicts(pool, sums(), [f"n = int(input())\nprint({sides})"])
        passes(verdict)


def test_what_the_checker_says_is_the_detail(pool):
    """The detail names the case and has the checker's message."""
    wrong, unreadable = verdicts(pool, sums(), ["print(1, 1)", "print('x')"])
    assert wrong.detail == "case 1: wrong answer: 1 and 1 make another sum"
    assert unreadable.detail == "case 1: presentation error: two numbers are missing"
    assert (wrong.outcome, unreadable.outcome) == (Outcome.FAILED, Outcome.FAILED)


def test_all_cases_where_that_is_wanted(pool):
    """Without a stop the checker decides about each case."""
    [verdict] = verdicts(pool, sums(), ["n = int(input())\nprint(n * (n == 7), 0)"], stop_at_first_failure=False)
    assert [test.outcome.value for test in verdict.tests] == ["failed", "passed"]


def test_a_compiler_runs_once(pool):
    """A checker is compiled once in a guest, for all candidates and for all tasks that have it."""
    source = "#include <iostream>\n#include <ctime>\nint main() { std::cerr << __TIME__; return 1; }"
    slow = "import time\ntime.sleep(1.1)"
    details = {verdict.detail for verdict in verdicts(pool, sums(source), [slow, "print(1)"])}
    other = checked({"source": source, "language": "cpp"}, ["1"], ["1"])
    details |= {verdict.detail for verdict in verdicts(pool, other, [slow])}
    assert len(details) == 1


def test_a_compiled_candidate_has_a_checker(pool):
    """A compiled program runs on each case, and its checker has files of its own."""
    source = '#include <cstdio>\nint main() { int n; scanf("%d", &n); printf("%d %d", n - 1, 1); }'
    [verdict] = verdicts(pool, sums(), [source], "cpp")
    passes(verdict)


def test_a_compiled_candidate_that_changes_itself(pool):
    """A program that writes another one in its place fails, with a checker too."""
    source = """
#include <cstdio>
#include <unistd.h>
int main() { int n; scanf("%d", &n); printf("%d %d", n - 1, 1); unlink("program"); fclose(fopen("program", "w")); }
"""
    [verdict] = verdicts(pool, sums(), [source], "cpp")
    assert verdict.detail.startswith("case 2: an earlier run changed the files")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("1 / 0", "case 1, with the expected output: ZeroDivisionError: division by zero"),
        ("print(", "SyntaxError"),
        ("", "it says '' in place of its points"),
        ("print('yes')", "it says 'yes' in place of its points"),
        ("print('nan')", "it says 'nan' in place of its points"),
        ("print(1)\nraise SystemExit(3)", "it ended with status 3"),
        ("while True:\n    pass", "ran for more than 1 s"),
        ("x = bytearray(1 << 40)", "MemoryError"),
        ("while True:\n    print(1)", "wrote more than"),
        ("import os\nos.abort()", "killed by signal 6"),
    ],
)
def test_a_checker_that_does_not_work(pool, source, message):
    """A checker that decides about no output is an error, which names its reason. It fails no candidate."""
    reference = checked({"source": source or "pass", "timeout": 1.0}, **TRIPLES)
    [error] = verdicts(pool, reference, [RIGHT])
    assert isinstance(error, SandboxUnavailable)
    assert message in str(error)
    assert "the checker program of program 0 does not work" in str(error)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("int main( {", "it can't be compiled: checker.cpp:1"),
        ('#include "testlib.h"\nint main() {}', "put testlib.h into /usr/local/include"),
        ("int main() { return 3; }", "it ended with status 3"),
        ("int main() { *(volatile int *)0 = 0; }", "killed by signal 11"),
    ],
)
def test_a_compiled_checker_that_does_not_work(pool, source, message):
    """A checker in C++ that can't be built or decides nothing is an error too."""
    for error in verdicts(pool, sums(source), [RIGHT, WRONG]):
        assert isinstance(error, SandboxUnavailable)
        assert message in str(error)


def test_a_checker_that_can_t_be_started(pool):
    """A checker that is not there has not accepted anything, although nothing ended with a status."""
    limits = Limits(wall_seconds=WALL_SECONDS)
    missing = Command(("./missing", "input.txt"), limits).as_json()
    checker = {"files": {"x": ""}, "build": [], "run": missing, "convention": "testlib"}
    plan = StepPlan((), (TestRun(Command(None, limits), "case 1", "1", "4", checker=""),), checker=checker)
    [error] = pool.run_all([step_program({SCRIPT_FILE: RIGHT}, plan, limits)], 1, on_sandbox_error="exclude")
    assert isinstance(error, SandboxUnavailable)
    assert "./missing can't be run: No such file or directory" in str(error)


def test_an_error_of_the_checker_ends_a_run_that_asks_for_it(pool):
    """With "raise" the run ends with the error. The guest stays."""
    batch = ProgramBatch.assemble([Task(checked("1 / 0", **TRIPLES), [RIGHT])], TaskOptions(), Limits(), "auto")
    with pytest.raises(SandboxUnavailable, match="does not work: case 1"):
        pool.run_all(batch.programs, 1)
    passes(verdicts(pool, sums(), ["print(int(input()), 0)"])[0])


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ("raise ValueError(1)", "ValueError: 1"),
        ("while True: pass", "ran for more than 1 s"),
        ("x = bytearray(1 << 40)", "MemoryError"),
        ("import os; os.abort()", "killed by signal 6"),
        ("raise SystemExit(1)", "it ended with status 1"),
        ("print('x' * 5000)", "in place of its points"),
        ("import os; os._exit(0)", "it says '' in place of its points"),
        ("import os; os.kill(os.getppid(), 9); print(0, 1)", "in place of its points"),
    ],
)
def test_an_output_that_breaks_its_checker(pool, output, message):
    """A candidate whose output keeps a working checker from deciding has failed, and nothing else happens."""
    reference = checked({"source": OBEY, "timeout": 1.0}, ["1"], ["print(1)"])
    hostile, honest = verdicts(pool, reference, [f"print({output!r})", "print('print(1)')"])
    assert hostile.outcome is Outcome.FAILED
    assert message in hostile.detail
    assert hostile.attempts == 1
    passes(honest)


def test_the_checker_reads_all_of_the_output(pool):
    """The output's bytes reach the checker as they are, far beyond what a verdict keeps."""
    source = """
import sys
print(int(open(sys.argv[3], "rb").read() == b"\\xff\\x00 \\r\\n" + b"x" * 3_000_000 + b"\\n"))
"""
    writes = "import sys\nsys.stdout.buffer.write(b'\\xff\\0 \\r\\n' + b'x' * 3_000_000 + b'\\n')"
    [verdict] = verdicts(pool, checked(source, ["1"], [""]), [writes])
    passes(verdict)


def test_points_that_are_not_all(pool):
    """Part of the points is no pass."""
    whole, part, many = verdicts(pool, checked(SAY, ["1"], ["1"]), ["print('1.0')", "print(0.5)", "print(99)"])
    passes(whole)
    assert part.detail == "case 1: the checker gives 0.5 points"
    assert not many.passed


def test_statuses_of_a_checker_in_python(pool):
    """A script's exit status decides under testlib's convention, and an exception is no wrong answer."""
    source = """
import sys
output, answer = (open(path).read().split() for path in sys.argv[2:])
sys.exit(int(output != answer))
"""
    reference = checked({"source": source, "convention": "testlib"}, **TRIPLES)
    right, wrong = verdicts(pool, reference, [RIGHT, WRONG])
    passes(right)
    assert wrong.detail == "case 1: wrong answer"


def test_the_checker_has_arguments_and_no_input(pool):
    """A script finds its own name and three files in `sys.argv`, and nothing on standard input."""
    source = """
import sys
files = ["checker.py", "input.txt", "correct_output.txt", "solution_output.txt"]
print(1 if sys.argv == files and not sys.stdin.read() and __name__ == "__main__" else 0)
"""
    [verdict] = verdicts(pool, checked(source, **TRIPLES), [WRONG])
    passes(verdict)


@pytest.mark.parametrize(
    ("source", "outcome"),
    [
        ("open('output.txt', 'w').write(str(3 * int(open('input.txt').read()) + 1))", "passed"),
        ("print(3 * int(open('input.txt').read()) + 1)", "failed"),
        ("import os\nos.symlink('input.txt', 'output.txt')", "failed"),
        ("import os\nos.mkfifo('output.txt')", "failed"),
        ("import os\nos.mkdir('output.txt')", "failed"),
        ("import os\nos.symlink('/dev/zero', 'output.txt')", "failed"),
        ("import os\nos.link('input.txt', 'output.txt')", "failed"),
        ("open('output.txt', 'w').truncate(60 << 20)", "output_limit"),
        ("print(4)\nimport os\nos.remove('input.txt')", "failed"),
    ],
)
@pytest.mark.parametrize("has_checker", [True, False])
def test_files_in_place_of_pipes(pool, source, outcome, has_checker):
    """With the input mode "file", a candidate reads input.txt and writes output.txt, which must be a plain file."""
    reference = {**TRIPLES, "input_mode": "file", **({"checker": {"source": TRIPLE}} if has_checker else {})}
    [verdict] = verdicts(pool, reference, [source])
    assert verdict.outcome.value == outcome, verdict.detail


def test_checkers_among_other_programs(pool):
    """Programs that are graded apart run before and after checkers in the same guest."""
    limits = Limits(wall_seconds=WALL_SECONDS)
    batch = ProgramBatch.assemble([Task(checked(TRIPLE, **TRIPLES), [RIGHT])], TaskOptions(), limits, "auto")
    [steps] = batch.programs
    apart = Program("x = 1", "assert x == 1", limits, "separate")
    plain = Program("x = 1", "assert x == 1", limits)
    for verdict in pool.run_all([steps, apart, steps, apart, apart, plain, steps, plain, apart], 1):
        passes(verdict)


def test_without_isolation():
    """Checkers also run with limits as the only layer."""
    pool = language_pool("cpp", isolation="off")
    right, wrong = verdicts(pool, checked(TRIPLE, **TRIPLES), [RIGHT, WRONG])
    passes(right)
    assert not wrong.passed
    passes(verdicts(pool, sums(), ["print(int(input()), 0)"])[0])
