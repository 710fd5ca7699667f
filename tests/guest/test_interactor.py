"""Conversations of candidates with interactors that work, and what decides about them."""

from contextlib import closing

import pytest

from sandboxes import (
    EvalConfig,
    Evaluator,
    Limits,
    Outcome,
    Pool,
    Program,
    RunStopped,
    SandboxUnavailable,
    Task,
    open_sandbox,
)
from sandboxes.tasks.batch import ProgramBatch
from sandboxes.tasks.options import TaskOptions
from support.interactive_programs import CPP_GUESS, GUESS, HIDDEN, HONEST, cpp, interactive, judged, verdicts
from support.languages import each_of
from support.observers import all_gone, passes, processes_with
from support.pools import require_layers
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow

RIGHT = HONEST["python"]
WRONG = RIGHT.replace("high = 1, 1000", "high = 1, 500")
# Says three lines, and accepts whatever comes.
TALK = "import sys\nprint(1)\nprint(2)\nprint(3, flush=True)\nheard = sys.stdin.read()\n"


@pytest.fixture(scope="module", autouse=True)
def pool():
    """Return one pool for tests that leave its only worker whole. Both sides are kept apart in it."""
    with closing(Pool(open_sandbox("subprocess"))) as pool:
        require_layers(pool, "pid")
        yield pool


@pytest.mark.parametrize(
    "interactor", [pytest.param(GUESS, id="python"), pytest.param(cpp(), id="cpp", marks=pytest.mark.languages("cpp"))]
)
@pytest.mark.parametrize("language", each_of(HONEST))
def test_honest_candidates(language, interactor):
    """A candidate of each language finds the number, whatever the interactor's language is."""
    config = EvalConfig.from_options({"timeout": WALL_SECONDS})
    wrong = HONEST[language].replace("1000", "500")
    with Evaluator(config) as evaluator:
        right, wrong = evaluator.run([Task(interactive(interactor), [HONEST[language], wrong], language=language)])
    passes(right)
    assert (right.grading, len(right.tests)) == ("separate", 3)
    assert wrong.detail.startswith("case 2: wrong answer: 500 it is")


def test_what_the_candidate_wrote(pool):
    """The result has what the candidate wrote to both streams."""
    verdict = judged(pool, GUESS, "import sys\nprint('? 5', flush=True)\nprint(input(), file=sys.stderr)\nprint('! 9')")
    assert (verdict.stdout, verdict.stderr) == ("? 5\n! 9\n", ">=\n")
    assert verdict.detail == "case 1: wrong answer: 9 it is"


def test_the_first_failure_ends_the_cases(pool):
    """With the option the cases after the first failure don't run, and without it all do."""
    first, all_of_them = (
        verdicts(pool, interactive(), [WRONG], stop_at_first_failure=stops)[0] for stops in (True, False)
    )
    assert [test.outcome.value for test in first.tests] == ["passed", "failed"]
    assert [test.outcome.value for test in all_of_them.tests] == ["passed", "failed", "failed"]


@pytest.mark.languages("cpp")
def test_an_interactor_is_compiled_once(pool):
    """A compiler runs once in a guest: for all cases, for all candidates, and for all tasks with the interactor."""
    source = CPP_GUESS.replace('" it is"', "__TIME__")
    wrong = "import time\ntime.sleep(1.1)\nprint('! 0')"
    few, many = (interactive(cpp(source), [str(number) for number in range(1, count)]) for count in (3, 101))
    details = {test.message for test in verdicts(pool, few, [wrong], stop_at_first_failure=False)[0].tests}
    details |= {judged(pool, cpp(source), wrong).detail.removeprefix("case 1: ")}
    assert len(details) == 1
    [verdict] = verdicts(pool, many, [RIGHT])
    passes(verdict)
    assert len(verdict.tests) == 100


@pytest.mark.languages("cpp")
def test_a_compiled_candidate_is_compiled_once(pool):
    """It stays compiled for its cases, and a run that changes it fails the next one."""
    source = HONEST["cpp"].replace("int main() {", 'int main() { if (std::remove("program")) return 1;')
    passes(verdicts(pool, interactive(), [HONEST["cpp"]], "cpp")[0])
    [verdict] = verdicts(pool, interactive(), ["#include <cstdio>" + source], "cpp")
    assert verdict.detail.startswith("case 2: an earlier run changed the files")


def test_the_interactor_has_the_expected_output(pool):
    """The third argument of testlib's convention is a file with the expected output, empty if there is none."""
    source = TALK + "sys.exit(heard != open(sys.argv[3]).read())"
    right, wrong = verdicts(pool, interactive(source, ["1"], outputs=["yes\n"]), ["print('yes')", "print('no')"])
    passes(right)
    assert not wrong.passed
    passes(judged(pool, source, ""))


@pytest.mark.languages("cpp")
def test_a_checker_program_decides_about_the_log(pool):
    """An interactor may leave its second argument, a file, to a checker program."""
    checker = "import sys\nsys.exit(int(open(sys.argv[2]).read()) > 10)"
    reference = interactive(cpp(), checker={"source": checker, "convention": "testlib"})
    slow = "for _ in range(5):\n    print('? 5', flush=True)\n    input()\n" + RIGHT
    right, wrong, refused = verdicts(pool, reference, [RIGHT, slow, WRONG])
    passes(right)
    assert (wrong.detail, refused.detail) == ("case 1: wrong answer", "case 2: wrong answer: 500 it is")


@pytest.mark.languages("cpp")
def test_a_checker_that_fails_on_a_log(pool):
    """A checker program that decides nothing about an interactor's log is broken."""
    [error] = verdicts(pool, interactive(cpp(), checker={"source": "1 / 0"}), [RIGHT])
    assert "the checker program of program 0 does not work: case 1: ZeroDivisionError" in str(error)


@pytest.mark.parametrize(
    ("status", "message", "detail"),
    [(42, "", ""), (43, "", "case 1: wrong answer"), (43, "bad luck\nand more", "case 1: wrong answer: bad luck")],
)
@pytest.mark.parametrize("language", each_of(["python", "cpp"]))
def test_statuses_of_kattis(pool, language, status, message, detail):
    """With the convention "icpc" 42 and 43 decide, and the message is a file."""
    source = f"""
import sys
open(sys.argv[3] + "judgemessage.txt", "w").write({message!r})
sys.exit({status} if open(sys.argv[2]).read() == "" else 1)
"""
    if language == "cpp":
        line = message.partition("\n")[0]
        source = f"""
#include <fstream>
#include <string>
int main(int, char **names) {{
    std::ofstream(std::string(names[3]) + "judgemessage.txt") << "{line}";
    return {status};
}}
"""
    verdict = judged(pool, {"source": source, "language": language, "convention": "icpc"}, "")
    assert (verdict.passed, verdict.detail) == (status == 42, detail)


@pytest.mark.parametrize("source", ["for _ in range(3):\n    input()", "", "import os\nos._exit(0)"])
def test_a_candidate_need_not_read(pool, source):
    """A candidate that ends before it has read all is judged by what it said."""
    passes(judged(pool, TALK, source))


@pytest.mark.languages("cpp")
def test_an_interactor_may_write_much_after_the_candidate_s_end(pool):
    """Nobody reads it, and the interactor neither waits nor is ended by a signal."""
    for interactor in (
        "input()\nfor _ in range(100000):\n    print('x' * 100, flush=True)",
        cpp("#include <cstdio>\nint main() { getchar(); for (int i = 0; i < 10000000; i++) putchar('x'); return 0; }"),
    ):
        passes(judged(pool, interactor, "print(1)"))


def test_a_candidate_may_write_after_the_interactor_s_end(pool):
    """An interactor that has accepted reads no more, and the candidate ends by itself."""
    source = "import sys\nprint(1, flush=True)\nassert sys.stdin.read() == ''\nprint('x' * 1_000_000, flush=True)"
    passes(judged(pool, "input()", source))


@pytest.mark.parametrize(
    ("source", "outcome"),
    [
        ("raise SystemExit(3)", "failed"),
        ("import os\nos.abort()", "crashed"),
        ("while True:\n    pass", "timed_out"),
        ("while True:\n    print('x' * 10000)", "output_limit"),
    ],
)
def test_an_accepted_candidate_has_to_end_well(pool, source, outcome):
    """A candidate that was accepted may still fail."""
    verdict = judged(pool, "input()", "print(1, flush=True)\n" + source, seconds=2.0)
    assert verdict.outcome.value == outcome, verdict.detail


def test_names_of_the_pipes(pool):
    """Both sides can open their pipes by name, as some programs do."""
    source = "import sys\nopen('/dev/stdout', 'w').write('7\\n')\nsys.exit(open('/dev/stdin').readline() != '8\\n')"
    passes(
        judged(pool, source, "x = int(open('/dev/stdin').readline())\nopen('/dev/stdout', 'w').write(f'{x + 1}\\n')")
    )


def test_a_long_conversation(pool):
    """Ten thousand questions and a megabyte at once, both ways."""
    source = """
import sys
for number in range(10000):
    print(number, flush=True)
    assert int(input()) == number
print("x" * 1_000_000, flush=True)
sys.exit(len(input()) != 1_000_000)
"""
    echo = "import sys\nfor line in sys.stdin:\n    print(line, end='', flush=True)"
    passes(judged(pool, source, echo))


def test_both_write_more_than_a_pipe_holds(pool):
    """A candidate that writes all before it reads waits only for an interactor that reads first."""
    many = "import sys\nprint('x' * 1_000_000, flush=True)\nsys.exit(len(input()) != 1_000_000)"
    reads_first = "import sys\nheard = input()\nprint('x' * 1_000_000, flush=True)\nsys.exit(len(heard) != 1_000_000)"
    passes(judged(pool, reads_first, many))
    assert judged(pool, many, many, seconds=2.0).outcome is Outcome.TIMED_OUT


def test_a_candidate_is_not_charged_for_its_interactor(pool):
    """The candidate's clock stands still while the interactor computes."""
    source = (
        "import time\nend = time.process_time() + 3\nwhile time.process_time() < end:\n    pass\nprint(1, flush=True)"
    )
    verdict = judged(pool, {"source": source, "timeout": 30.0}, "input()", seconds=1.0)
    passes(verdict)
    assert verdict.cpu_seconds < 1


def test_output_in_a_buffer_has_a_hint(pool):
    """A candidate that waits for an answer to a question in its buffer reads why."""
    source = "import sys\nsys.stdout.write('? 5\\n')\nsys.stdin.readline()"
    verdict = judged(pool, GUESS, source, seconds=1.0)
    assert verdict.outcome is Outcome.TIMED_OUT
    assert verdict.detail.endswith("output that is not flushed does not reach the interactor")


def test_without_the_layers_that_keep_the_sides_apart():
    """Where the two sides could see each other, the program is not run, and the error names the way out."""
    pool = Pool(open_sandbox("subprocess", isolation="off"))
    try:
        error = judged(pool, GUESS, RIGHT)
        assert isinstance(error, SandboxUnavailable)
        assert "could see each other without the layer pid" in str(error)
        assert 'sandbox="subprocess" where `code-eval doctor` lists this layer' in str(error)
    finally:
        pool.close()


def test_a_stopped_run_leaves_nothing():
    """A run that is stopped ends both sides, and the next conversation has a guest."""
    config = EvalConfig.from_options({"timeout": 1000.0})
    marker = "interactive-and-stopped"
    sleeps = f"import os\nos.execvp('sh', ['sh', '-c', 'sleep 1000; true {marker}'])"
    with Evaluator(config) as evaluator:
        with pytest.raises(RunStopped):
            evaluator.run([Task(interactive(), [sleeps])], should_stop=lambda: bool(processes_with(marker)))
        assert all_gone(marker)
        passes(evaluator.run([Task(interactive(), [RIGHT])])[0])


def test_interactors_among_other_programs(pool):
    """Programs that are graded apart, and checker programs, run before and after interactors in the same guest."""
    limits = Limits(wall_seconds=WALL_SECONDS)
    checked = {"inputs": ["1"], "outputs": ["2"], "checker": {"source": "print(1)"}}
    tasks = [Task(interactive(inputs=HIDDEN[:1]), [RIGHT]), Task(checked, ["print(7)"])]
    talks, checks = ProgramBatch.assemble(tasks, TaskOptions(), limits, "auto").programs
    apart = Program("x = 1", "assert x == 1", limits, "separate")
    plain = Program("x = 1", "assert x == 1", limits)
    for verdict in pool.run_all([talks, apart, talks, checks, apart, talks, plain, talks, checks, talks], 1):
        passes(verdict)
