"""SQL: results are compared as the manual says, tests' own mistakes are told, and answers that are forged fail."""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from sandboxes import EvalConfig, Evaluator, Limits, Pool, Task, open_sandbox
from sandboxes.guest.common.interactors import LOST_STATUS
from sandboxes.languages.programs import build_program
from sandboxes.languages.sql import RUNNER_FILE, runner_files
from support.attacks_sql import ATTACKS, PLUS, TESTS
from support.requirements import WALL_SECONDS

LIMITS = Limits(wall_seconds=WALL_SECONDS)
DETAILS = {
    "another row": ("SELECT 6", "VALUES (5)", "error: the expected row (5) is missing"),
    "a row elsewhere": (
        "VALUES (2), (1)",
        "SELECT 1 UNION SELECT 2 ORDER BY 1",
        "error: row 1 is not the expected (1)",
    ),
    "fewer rows": ("VALUES (2)", "VALUES (1), (2)", "error: expected 2 rows, but there are 1"),
    "more rows": ("VALUES (2), (1)", "VALUES (1)", "error: expected 1 rows, but there are more"),
    "more columns": ("VALUES (2, 1)", "VALUES (1)", "error: expected 1 columns, but there are 2"),
    "the second test": (
        "SELECT 1",
        "SELECT 1;\n-- set-up\nSELECT 2",
        "error in test 2: the expected row (2) is missing",
    ),
    "an error": ("SELECT x", "SELECT 1", "error: OperationalError: no such column: x"),
    "broken tests": ("SELECT 1", "SELECT x", "error in the tests: no such column: x"),
    "tests without a query": ("SELECT 1", "-- expected\n;", "error in the tests: a test's query returns no rows"),
    "tests without a set-up": ("", "CREATE TABLE t (x);", "error in the tests: a test's query returns no rows"),
    "comparisons of nothing": (
        "",
        "-- expected\n-- compare\nDROP TABLE IF EXISTS t",
        "error in the tests: a test's query",
    ),
    "two solutions": ("", "-- expected\nSELECT 1;\n-- expected\nSELECT 1;", "error in the tests: a test has two parts"),
    "a part without a solution": ("", "-- compare\nSELECT 1", "error in the tests: a test has no expected query"),
}
FORGED = {
    "an early truth": [True],
    "a truth for a count": [True, [5], [9], True],
    "a truth for a number": [1, [True], [9], True],
    "a list for a number": [1, [[5]], [9], True],
    "a number that is no number": [1, [float("nan")], [9], True],
    "a number that is too large": [1, [5 << 64], [9], True],
    "a name in place of a row": [1, "5", "9", True],
    "a row of two columns": [1, [5, 5], [9, 9], True],
    "an end in place of a row": [1, [5], True],
    "a blob that is none": [1, [{"blob": "x"}], [9], True],
    "a count of nothing": [None, [5], [9], True],
    "a problem that is none": [{}, [5], [9], True],
    "nothing": [],
}
ROWS = "VALUES (1, 0.1, 1.0, 1e100, 1.0/3, -0.0, 9e999, NULL, 'a|b', x'61'); SELECT 'ü'"


@pytest.fixture(scope="module", params=["default", "off"])
def pool(request):
    """Return a pool with all layers, and one without."""
    options = {} if request.param == "default" else {"isolation": "off"}
    with closing(Pool(open_sandbox("subprocess", **options))) as pool:
        yield pool


@pytest.mark.parametrize(("candidate", "tests", "detail"), DETAILS.values(), ids=DETAILS)
def test_the_detail_says_what_differs(pool, candidate, tests, detail):
    """The verdict on a wrong candidate, or on broken tests, says where the mistake is."""
    [verdict] = pool.run_all([build_program("sql", candidate, tests, LIMITS)], 1)
    assert verdict.outcome.value == "failed"
    assert detail in verdict.detail


@pytest.mark.slow(seconds=8)
def test_no_attack_passes_without_layers():
    """No attack passes in a sandbox without layers, and its honest counterpart does."""
    texts = [(each, (*more, TESTS)[0]) for *pair, more in ((a, b, c) for a, b, *c in ATTACKS.values()) for each in pair]
    limits = Limits(wall_seconds=4.0)
    with closing(Pool(open_sandbox("subprocess", isolation="off"))) as pool:
        verdicts = list(pool.run_all([build_program("sql", *text, limits) for text in texts], 2))
    assert [name for name, verdict in zip(ATTACKS, verdicts[::2], strict=True) if verdict.passed] == []
    assert [name for name, verdict in zip(ATTACKS, verdicts[1::2], strict=True) if not verdict.passed] == []


def run_tests(folder, lines):
    """Return the end of the tests' process, for a candidate's process that writes lines of its own.

    Args:
        folder: an empty folder.
        lines: texts.
    """
    for name, text in runner_files(TESTS).items():
        (folder / name).write_text(text)
    answers = folder / "answers"
    answers.write_text("".join(f"{line}\n" for line in lines))
    words = ["sh", "-c", f"exec {sys.executable} -I -S {RUNNER_FILE} 3<answers 4>asked"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=WALL_SECONDS, check=False)
    assert "Traceback" not in done.stderr
    return done.returncode, {*os.listdir(folder)}


def test_an_answer_that_is_right_passes(tmp_path):
    """The tests end with status 0 after the expected rows, and leave no file of theirs."""
    assert run_tests(tmp_path, map(json.dumps, [1, [9.0], [5], True])) == (0, {"answers", "asked"})


@pytest.mark.parametrize("messages", FORGED.values(), ids=FORGED)
def test_a_forged_answer_fails(tmp_path, messages):
    """Answers that no result is sent as do not pass, whoever writes them."""
    status, _ = run_tests(tmp_path, map(json.dumps, messages))
    assert status == (1 if messages else LOST_STATUS)


@pytest.mark.parametrize("line", ["", "{", "[" * 100000, "x\0"], ids=["empty", "open", "deep", "NUL"])
def test_a_line_that_is_no_message_fails(tmp_path, line):
    """Lines that are not JSON do not pass."""
    status, _ = run_tests(tmp_path, [line])
    assert status == 1


def test_rows_are_written_as_by_the_shell():
    """With cases, rows are written as SQLite's own program writes them."""
    with closing(sqlite3.connect(":memory:")) as database:
        # Versions of SQLite write different numbers of digits.
        [third] = database.execute("SELECT CAST(1.0 / 3 AS TEXT)").fetchone()
    text = f"1|0.1|1.0|1.0e+100|{third}|0.0|Inf||a|b|a\nü\n"
    with Evaluator(EvalConfig.from_options({"language": "sql", "timeout": WALL_SECONDS})) as evaluator:
        [verdict] = evaluator.run([Task([{"input": "", "output": text}], [ROWS])])
        broken = evaluator.run([Task([{"input": "CREATE TABLE t (x)", "output": ""}], ["SELECT y FROM t"])])
    assert verdict.passed, verdict.detail
    assert [verdict.passed for verdict in broken] == [False]


def test_the_first_set_up_may_have_a_mark(pool):
    """Tests may begin with comments and a mark of their first set-up."""
    tests = "-- Sums.\n\n-- set-up\n" + TESTS
    verdicts = pool.run_all([build_program("sql", each, tests, LIMITS) for each in (PLUS, "SELECT 5")], 2)
    assert [verdict.passed for verdict in verdicts] == [True, False]
