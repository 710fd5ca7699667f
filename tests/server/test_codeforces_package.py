"""Requests of open-r1's package for Codeforces are read as its script reads them, and answered in its words."""

import pytest

from code_tasks.server.errors import InvalidRequest
from code_tasks.server.protocols.codeforces import parse_request, stages
from code_tasks.server.protocols.piston_models import ExecuteRequest
from sandboxes import Outcome, Verdict

CONFIG = "TIME_LIMIT=2.5\nMEMORY_LIMIT=256.0\nINPUT_MODE=stdio"


def job(name="main.cpp", source="int main() {}", **files):
    """Return the request of a program. Files have underscores in place of their dots."""
    named = {"grader_config": CONFIG, "input.txt": "1\r\n", "correct_output.txt": "2\n\n", **files}
    listed = [{"name": name, "content": source}]
    listed += [{"name": one, "content": content} for one, content in named.items() if content is not None]
    return ExecuteRequest(language="c++17", version="*", files=listed, run_timeout=12500)


def test_a_request_of_open_r1():
    """The first file is the program, and the others say how it is judged."""
    program = parse_request(job())
    assert (program.source, program.seconds, program.memory_mb) == ("int main() {}", 2.5, 256.0)
    assert program.reference["inputs"] == ["1\n"]
    assert program.reference["outputs"] == ["2\n"]
    assert program.reference["checker"] == "open-r1"


def test_a_checker_of_the_problem():
    """The problem's checker is a checker program."""
    assert parse_request(job(**{"checker.py": "print(1)"})).reference["checker"] == {"source": "print(1)"}


def test_files_in_place_of_streams():
    """A problem may ask for input.txt and output.txt."""
    assert parse_request(job(grader_config='INPUT_MODE="file"')).reference["input_mode"] == "file"


def test_a_request_without_an_expected_output():
    """Without an expected output there is nothing to judge."""
    assert parse_request(job(**{"correct_output.txt": None})).expected is None


@pytest.mark.parametrize("config", ["TIME_LIMIT=None", "TIME_LIMIT=0", "MEMORY_LIMIT=nan", "INPUT_MODE=pipe"])
def test_invalid_limits(config):
    """A limit that is no number is refused, and does not become another one."""
    with pytest.raises(InvalidRequest):
        parse_request(job(grader_config=config))


def test_a_request_without_a_program():
    """A file of the judge is no program."""
    with pytest.raises(InvalidRequest):
        parse_request(job("checker.py"))


@pytest.mark.parametrize(
    ("outcome", "stdout", "code", "word"),
    [
        (Outcome.PASSED, "1\n", 0, "Output is correct (diff)"),
        (Outcome.FAILED, "0\n", 0, "Output isn't correct (diff)"),
        (Outcome.TIMED_OUT, "0\n", 124, "Time limit exceeded (2.5s)"),
        (Outcome.OUT_OF_MEMORY, "0\n", 134, "Memory limit exceeded (256MB)"),
        (Outcome.CRASHED, "0\n", 139, "Runtime error with exit code 139"),
        (Outcome.OUTPUT_LIMIT, "0\n", 153, "Runtime error with exit code 153"),
        (Outcome.EXITED, "0\n", 1, "Runtime error with exit code 1"),
    ],
)
def test_the_words_of_the_package(outcome, stdout, code, word):
    """A passing program writes 1 and ends with 0, and no other program does both."""
    compiled, run = stages(parse_request(job()), Verdict(outcome), "cpp")
    assert (compiled.code, run.stdout, run.code, run.signal) == (0, stdout, code, None)
    assert run.stderr.startswith(word)


def test_an_exception_is_a_runtime_error():
    """A program that raised an exception has written no wrong output."""
    _, run = stages(parse_request(job()), Verdict(Outcome.FAILED, exception_type="ValueError"), "python")
    assert (run.stdout, run.code) == ("0\n", 1)


def test_a_program_that_can_t_be_compiled():
    """A compiler's error is in `compile`, and again in `run`, as in piston. Python has no compiler."""
    error = Verdict(Outcome.COMPILE_ERROR, stderr="main.cpp:1: error", exception_type="SyntaxError")
    compiled, run = stages(parse_request(job()), error, "cpp")
    assert compiled == run
    assert (compiled.code, compiled.stderr) == (1, "main.cpp:1: error\n")
    compiled, run = stages(parse_request(job()), error, "python")
    assert (compiled.code, run.code) == (0, 1)
