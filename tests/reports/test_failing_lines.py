"""The lines of candidate and tests at which a program failed."""

import pytest

from code_tasks.reports.failing_lines import numbered_candidate, numbered_tests
from support.metric_and_command import load_metric

CODE = "    doubled = 2 * x\n    return doubled / 0\n"
TRACEBACK = """Traceback (most recent call last):
  File "tests.py", line 2, in <module>
    assert double(2) == 4
  File "candidate.py", line 6, in double
    return doubled / 0
           ~~~~~~~~^~~
ZeroDivisionError: division by zero
"""
TESTS = "import math\nassert double(2) == 4\n"


def lines_of(code):
    """Return the numbers of a code's first line and of the line that failed."""
    return code.first_line, code.failing_line


def test_line_of_the_candidate():
    """The line that failed is found, although a prompt that is not known stood before the candidate."""
    assert lines_of(numbered_candidate(CODE, TRACEBACK)) == (5, 6)


def test_line_of_the_tests():
    """The test that called the candidate is found."""
    assert lines_of(numbered_tests(TESTS, TRACEBACK)) == (1, 2)


def test_other_tests_have_no_failing_line():
    """Tests that are not those of the run have no failing line: another text stands there."""
    assert numbered_tests("import math\nassert double(3) == 6\n", TRACEBACK).failing_line is None
    assert numbered_tests("import math\n", TRACEBACK).failing_line is None


@pytest.mark.parametrize("traceback", ["", "no traceback at all", TRACEBACK.replace("candidate.py", "main.py")])
def test_no_frame_of_the_candidate(traceback):
    """Without a frame of the candidate its lines have the usual numbers, and none failed."""
    assert lines_of(numbered_candidate(CODE, traceback, 5)) == (5, None)


def test_repeated_line_is_not_guessed():
    """If the line stands in the candidate twice and nothing tells which one it is, none is marked."""
    code = "    return doubled / 0\n    return doubled / 0\n"
    assert lines_of(numbered_candidate(code, TRACEBACK)) == (1, None)
    assert lines_of(numbered_candidate(code, TRACEBACK, 5)) == (5, 6)


def test_frames_in_the_prompt_do_not_count():
    """A frame in the prompt, whose line the candidate does not have, changes no number."""
    frame = '  File "candidate.py", line 3, in helper\n    return value()\n'
    traceback = TRACEBACK.replace('  File "candidate.py"', f'{frame}  File "candidate.py"')
    assert lines_of(numbered_candidate(CODE, traceback)) == (5, 6)


def test_last_exception_counts():
    """If an exception was raised while another one was handled, the last one ended the program."""
    first = (
        'Traceback (most recent call last):\n  File "candidate.py", line 5, in f\n    doubled = 2 * x\nKeyError: 1\n'
    )
    chained = f"{first}\nDuring handling of the above exception, another exception occurred:\n\n{TRACEBACK}"
    assert lines_of(numbered_candidate(CODE, chained)) == (5, 6)


def test_number_beyond_the_code():
    """A traceback that a program made up, with a number beyond the code, marks nothing."""
    made_up = f'  File "tests.py", line {"9" * 5000}, in x\n    assert double(2) == 4\n'
    assert numbered_tests(TESTS, f"Traceback (most recent call last):\n{made_up}E\n").failing_line is None


@pytest.mark.parametrize(
    ("candidate", "candidate_line", "test_line"),
    [
        ("def double(x):\n    return x\n", None, 2),
        ("def double(x):\n    y = x\n    return y / 0\n", 3, 2),
        ("def double(x):\n    return (\n", 2, None),
        ("double = 1 / 0\n", 1, None),
    ],
)
def test_lines_of_real_programs(candidate, candidate_line, test_line):
    """The lines are found in the tracebacks that programs really have."""
    _, results = load_metric().compute(predictions=[[candidate]], references=[TESTS], grading="shared", k=[1])
    traceback = results[0][0][1]["traceback"]
    assert numbered_candidate(candidate, traceback).failing_line == candidate_line
    assert numbered_tests(TESTS, traceback).failing_line == test_line
