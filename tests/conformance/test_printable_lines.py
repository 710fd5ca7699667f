"""Every text of a result is one printable line, except stdout, stderr and the traceback."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_tasks.scoring.summary import Tally, as_text
from sandboxes import Limits, Outcome, Pool, Program, SandboxUnavailable, TestResult, Verdict, open_sandbox, result_dict
from sandboxes.languages.programs import build_program
from sandboxes.languages.steps import Command, StepPlan, TestRun, step_program
from sandboxes.reuse.cache_encoding import decode_verdict, encode_verdict
from sandboxes.tasks.batch import ProgramBatch
from sandboxes.tasks.io_cases import IOCase, IOCases, apply_checker
from sandboxes.tasks.options import TaskOptions, with_mounts
from sandboxes.tasks.task import Task
from sandboxes.validation import printable
from support.metric_and_command import PROBLEM, code_eval, lines_of
from support.requirements import WALL_SECONDS

RAW = ("stdout", "stderr", "traceback", "output")
# Clears the screen, rings, goes back, breaks lines in seven ways, reverses text, and has half of a surrogate pair.
ODD = "a\x1b[2J\x1b]0;title\x07b\rc\nd\te\x0bf\x0cg\x85h\u2028i\u2029j\x00k\u202el\u200bm\x7fn\x9bo\ud800p"
RAISES = {
    "a message": f"raise ValueError({ODD!r})",
    "the message of an assert": f"assert 0, {ODD!r}",
    "the name of a class": f"raise type({ODD!r}, (Exception,), {{}})('x')",
    "a message of the class's own": f"class E(Exception):\n    def __str__(self): return {ODD!r}\nraise E",
    "an exit": f"raise SystemExit({ODD!r})",
    "notes, a cause and a context": "try:\n    raise KeyError('x')\nexcept KeyError as error:\n"
    f"    raise ValueError({ODD!r}) from error",
    "a syntax error": "def f(:\n    '\x1b[31m'",
    "an odd character in a program": "x = 1 \x1b",
    "a surrogate in a name": "\ud800 = 1",
    "a group": f"raise ExceptionGroup({ODD!r}, [ValueError({ODD!r})])",
}


def assert_lines(value, name=""):
    """Assert that every text of a result is one printable line, except the RAW ones."""
    if name in RAW:
        return
    if isinstance(value, str):
        assert value.isprintable(), (name, value)
    elif isinstance(value, dict):
        for key, item in value.items():
            assert_lines(item, key)
    elif isinstance(value, list | tuple):
        for item in value:
            assert_lines(item, name)


def result(verdict):
    """Return the result of a verdict, with all optional keys."""
    return result_dict("t/0", 0, verdict, ("exception_description", "partial_credit"))


@pytest.mark.parametrize("grading", ["shared", "separate"])
@pytest.mark.parametrize("candidate", RAISES.values(), ids=RAISES)
def test_what_a_candidate_says(pool, candidate, grading):
    """All texts about a candidate are printable lines, whatever it raises, in either grading."""
    [verdict] = pool.run_all([Program(candidate, "assert 1", Limits(wall_seconds=WALL_SECONDS), grading)], 1)
    assert verdict.outcome in (Outcome.FAILED, Outcome.COMPILE_ERROR, Outcome.EXITED)
    assert_lines(result(verdict))


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_raw_texts_stay_raw(run, pool, grading):
    """A program's output and traceback are not changed."""
    code = "import sys\nprint('a\\x1b[2Jb\\rc')\nprint('d\\x07', file=sys.stderr)\nraise ValueError('e\\nf')"
    [verdict] = pool.run_all([Program(code, "assert f()", Limits(wall_seconds=WALL_SECONDS), grading)], 1)
    assert ("a\x1b[2Jb" in verdict.stdout, "d\x07" in verdict.stderr) == (True, True)
    assert "ValueError: e\nf" in verdict.traceback
    assert (verdict.exception_message, verdict.detail) == ("e f", "ValueError: e f")


@pytest.mark.parametrize(
    "message", ["expected  two spaces", "\u00e4\u00f6\u00fc \u2260 \U0001f600 \u4e2d", " padded ", ""]
)
def test_honest_messages_are_as_they_were(run, message):
    """A message that is one printable line is not changed."""
    assert run(f"raise ValueError({message!r})").exception_message == message


UNITTEST = f"""import unittest
class T(unittest.TestCase):
    def test_message(self):
        self.assertEqual(f(), 2, {ODD!r})
    def test_sub(self):
        with self.subTest(name={ODD!r}):
            self.fail({ODD!r})
    def test_error(self):
        raise ValueError({ODD!r})
setattr(T, {"test_" + ODD!r}, lambda self: self.fail("x"))
"""
PYTEST = (
    f"import pytest\n@pytest.mark.parametrize('name', [{ODD!r}])\ndef test_it(name):\n    assert f() == name, name\n"
)
CASES = [{"input": [1], "output": ODD}, {"input": [2], "output": "x"}]
KINDS_OF_TESTS = {
    "asserts": f"assert f() == {ODD!r}\n",
    "an assert with a message": f"assert f() == 2, {ODD!r}\n",
    "an assert whose text is odd": "assert f() == '\x7f\u202e'\n",
    "unittest": UNITTEST,
    "pytest": PYTEST,
    "calls": {"fn_name": "f", "inputs": [[], []], "outputs": [ODD, "x"]},
    "inputs and outputs": [{"input": "", "output": "x"}, {"input": "", "output": ODD}],
}


@pytest.mark.parametrize("tests", KINDS_OF_TESTS.values(), ids=KINDS_OF_TESTS)
@pytest.mark.parametrize("stops", [True, False])
def test_every_kind_of_tests(counting_pool, tests, stops):
    """Names and messages of single tests are printable lines, whatever the kind of tests."""
    candidate = f"def f(*args):\n    return {ODD!r} + 'x'\n"
    candidate += f"import sys\nsys.stdout.buffer.write({ODD!r}.encode('utf-8', 'replace'))\n"
    kinds = TaskOptions.checked(stop_at_first_failure=stops)
    job = ProgramBatch.assemble([Task(tests, [candidate])], kinds, Limits(wall_seconds=WALL_SECONDS), "auto")
    [verdict] = counting_pool.run_all(job.programs, 1)
    finished = job.finalize(0, verdict)
    assert not finished.passed
    assert_lines(result(finished))


def test_a_checker_of_the_callers(counting_pool):
    """The refusal of a caller's checker is reported as a printable line."""
    cases = IOCases((IOCase("", "x"),))
    verdict = Verdict(Outcome.PASSED, tests=(TestResult("case 1", Outcome.PASSED, stdout=ODD),))
    assert_lines(result(apply_checker(lambda *texts: False, cases, verdict)))


@pytest.mark.parametrize(
    "command",
    [
        r"printf 'error: a\033[2J\rb\nc\n' >&2; exit 1",
        r"printf 'x: Assertion \033[31m`a`\n' >&2; exit 3",
        r"printf 'Error: \342\200\256 \302\205\n' >&2; exit 1",
        r"printf 'fatal error: \377\376\n'; exit 2",
    ],
)
@pytest.mark.parametrize("builds", [True, False])
def test_what_a_compiler_says(counting_pool, command, builds):
    """Messages of a compiler, or of a command that is a test, are printable lines. stderr keeps them unchanged."""
    limits = Limits(wall_seconds=WALL_SECONDS)
    step = Command(("sh", "-c", command), limits)
    plan = StepPlan([step], []) if builds else StepPlan([], [TestRun(step, "a test")])
    [verdict] = counting_pool.run_all([step_program({}, plan, limits)], 1)
    assert verdict.outcome is (Outcome.COMPILE_ERROR if builds else Outcome.FAILED)
    assert_lines(result(verdict))


def test_a_program_in_another_language():
    """The message of a failing script in another language is a printable line."""
    try:
        pool = Pool(with_mounts(open_sandbox("subprocess"), {"bash"}))
        odd = ODD.encode("utf-8", "replace").decode()
        candidate = f"echo {odd.replace(chr(0), '')!r} >&2\nexit 1"
        [verdict] = pool.run_all([build_program("bash", candidate, "true", Limits(wall_seconds=WALL_SECONDS))], 1)
    finally:
        pool.close()
    assert not verdict.passed
    assert_lines(result(verdict))


@given(texts=st.lists(st.text(), min_size=6, max_size=6))
def test_whoever_makes_a_verdict(texts):
    """A verdict or a test result has printable lines, whether it is made, copied or read from the cache."""
    detail, kind, message, values, name, said = texts
    tests = (TestResult(name, Outcome.FAILED, said),)
    verdict = Verdict(Outcome.FAILED, detail, kind, message, values=values, tests=tests)
    for each in (
        verdict,
        dataclasses.replace(verdict, detail=said),
        decode_verdict(b"key", encode_verdict(b"key", verdict)),
    ):
        assert_lines(result(each))
        assert_lines(vars(each))


@given(text=st.text())
def test_printable_lines(text):
    """A text becomes one printable line with the same words. A text that is such a line stays unchanged."""
    line = printable(text)
    assert line.isprintable() and "\n" not in line
    assert line == text if text.isprintable() else printable(line) == line
    assert [word for word in line.split() if word.isalnum() and word.isascii()] or not any(
        word.isalnum() and word.isascii() for word in text.split()
    )


def test_why_a_program_was_not_run():
    """The reason of an excluded program is a printable line, whatever the engine said."""
    assert_lines(result_dict("t/0", 0, SandboxUnavailable(f"the engine said {ODD}")))


def test_a_summary_with_odd_tasks():
    """Task names in a report can't move the terminal's cursor or add lines."""
    tally = Tally()
    for number in range(2):
        tally.add(ODD, result_dict(ODD, number, Verdict(Outcome.FAILED, f"x{ODD}", wall_seconds=1.0)))
    honest = Tally()
    for number in range(2):
        honest.add("name", result_dict("name", number, Verdict(Outcome.FAILED, "x", wall_seconds=1.0)))
    text, plain = as_text(tally, [1, 9], 1.0), as_text(honest, [1, 9], 1.0)
    assert all(line.isprintable() for line in text.split("\n"))
    assert text.count("\n") == plain.count("\n")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["run", "solve"])
def test_what_the_commands_print(files, tmp_path, command):
    """A command's summary and errors contain no escape sequences of tasks, samples or problems."""
    task_id = ODD.replace("\ud800", "")
    problems = [{**PROBLEM, "task_id": task_id}]
    arguments = files([f"    raise ValueError({ODD!r})\n"] * 2, problems, task_id=task_id)
    if command == "solve":
        arguments = ["solve", "--solver", "replay", "--samples", *arguments[1:]]
    done = code_eval(*arguments, "--output", tmp_path / "out.jsonl")
    assert done.returncode == 0, done.stderr
    bad = files([{"task_id": "\x1b[2Jt", "completion": ""}], problems)
    wrong = code_eval(*(bad if command == "run" else ["solve", "--solver", "replay", "--samples", *bad[1:]]))
    assert wrong.returncode == 2
    for said in (done.stdout, done.stderr, wrong.stdout, wrong.stderr):
        assert all(line.isprintable() for line in said.split("\n")), said
    if command == "run":
        for record in lines_of(tmp_path / "out.jsonl")[:-1]:
            of_the_file = ("task_id", "completion", "duplicate_of")
            assert_lines({key: value for key, value in record.items() if key not in of_the_file})
