"""SQL of SQLite. Candidate and tests have databases of their own in two processes, and rows are sent as JSON."""

from __future__ import annotations

from sandboxes.guest.common.interactors import LOST_STATUS
from sandboxes.languages.base import MEMORY_STATUS, Language, Recipe, SeparateRecipe, fixed_build, linked
from sandboxes.languages.comments import SQL_COMMENTS
from sandboxes.languages.sql_programs import DRIVER, RUNNER, SHELL
from sandboxes.languages.steps import Command

DRIVER_FILE, RUNNER_FILE, SHELL_FILE = "code_eval_driver.py", "code_eval_runner.py", "code_eval_shell.py"
CANDIDATE_FILE, TESTS_FILE = "candidate.sql", "tests.sql"

# -S -I: modules come from Python's own library, and none from the folder, where other processes may write some.
PYTHON = ("python3", "-I", "-S", "-X", "utf8")


def driver_files(candidate: str) -> dict[str, str]:
    """Return the files of the candidate's process."""
    return {CANDIDATE_FILE: candidate, DRIVER_FILE: filled(DRIVER)}


def runner_files(tests: str) -> dict[str, str]:
    """Return the files of the tests' process."""
    return {TESTS_FILE: tests, RUNNER_FILE: filled(RUNNER)}


def shell_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a candidate whose set-up is its standard input."""
    return {CANDIDATE_FILE: candidate, SHELL_FILE: filled(SHELL)}


def filled(source: str) -> str:
    """Return a program with its constants."""
    return source % {
        "candidate": CANDIDATE_FILE,
        "tests": TESTS_FILE,
        "runner": RUNNER_FILE,
        "lost_status": LOST_STATUS,
        "memory_status": MEMORY_STATUS,
    }


SQL = Language(
    name="sql",
    label="SQL",
    with_tests=SeparateRecipe(
        driver_files,
        runner_files,
        linked(*PYTHON, DRIVER_FILE, memory_status=MEMORY_STATUS),
        linked(*PYTHON, RUNNER_FILE),
    ),
    standalone=Recipe(
        shell_files,
        fixed_build(),
        lambda limits: Command((*PYTHON, SHELL_FILE), limits, memory_status=MEMORY_STATUS),
    ),
    version=lambda: (*PYTHON, "-c", "import sqlite3; print('SQLite', sqlite3.sqlite_version)"),
    package="python3",
    image="python:3.13-slim",
    highlight="sql",
    canary=(
        "SELECT a + b FROM numbers",
        "CREATE TABLE numbers (a INTEGER, b INTEGER);\nINSERT INTO numbers VALUES (2, 3);\n-- expected\nVALUES (5);",
    ),
    comments=SQL_COMMENTS,
    aliases=("sqlite", "sqlite3"),
    tools=("python3",),
)
