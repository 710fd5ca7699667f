"""Shared by the graders' ways of running a candidate: their alarms, their modules, and what they take away.

This text becomes a part of a program's tests, see `forms.py`.
"""

from __future__ import annotations

import builtins
import importlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any

OS_FUNCTIONS = (
    "kill system putenv remove removedirs rmdir fchdir setuid fork forkpty killpg rename renames truncate replace "
    "unlink fchmod fchown chmod chown chroot lchflags lchmod lchown getcwd chdir"
).split()
MODULES = ("ipdb", "joblib", "resource", "psutil", "tkinter")
MODULES_OF_PRIME_CODE = ("subprocess", "ctypes")
MAX_MESSAGE_CHARS = 300


class Unreadable(io.StringIO):
    """A stdin that can't be read."""

    def read(self, *arguments: Any) -> str:
        """Refuse."""
        raise OSError

    def readline(self, *arguments: Any) -> str:  # type: ignore[override]
        """Refuse."""
        raise OSError

    def readlines(self, *arguments: Any) -> Any:
        """Refuse."""
        raise OSError


class TimeLimitReached(Exception):
    """A case or a call took too long. A candidate can catch it, as in the graders."""


def take_functions_away(grader: str) -> None:
    """Set functions and modules to None, as a grader does before it runs a candidate."""
    for name in ("quit", "help") if grader == "livecodebench" else ("quit", "help", "exit"):
        vars(builtins)[name] = None
    vars(os).update(dict.fromkeys(OS_FUNCTIONS))
    vars(shutil).update(dict.fromkeys(("rmtree", "move", "chown")))
    vars(subprocess)["Popen"] = None
    modules: Any = sys.modules
    modules.update(dict.fromkeys(MODULES + MODULES_OF_PRIME_CODE if grader == "prime_code" else MODULES))


@contextmanager
def alarm(seconds: int) -> Iterator[None]:
    """End what is done within a number of seconds."""
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


@contextmanager
def quiet() -> Iterator[None]:
    """Drop what is printed, and refuse to read stdin."""
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = sys.stdout = sys.stderr = Unreadable()
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


def raise_time_limit(number: int, frame: Any) -> None:
    """Raise TimeLimitReached. A handler of SIGALRM."""
    raise TimeLimitReached("it took longer than the grader's limit")


def run_in_the_way_of_the_grader(run: Any, source: str, text: str) -> None:
    """Run a candidate. Raise an exception if it fails.

    Args:
        run: one of the functions that run a source by rules.
        source: of the candidate.
        text: JSON of "grader", "seconds", "preamble", "base", "function", "cases" as (input, output), and "optional",
            which has parts of the preamble by the names that they define. They are left out where no candidate uses
            their name.
    """
    rules = json.loads(text)
    set_alarm_handler(rules["grader"])
    import_numpy_for(source)
    if rules["grader"] == "prime_code" and "asyncio" in source:
        # verl's process has it. Without the functions that are taken away, it can't be imported.
        importlib.import_module("asyncio")
    for name, part in rules["optional"].items():
        if not re.search(rf"\b{name}\b", source):
            rules["preamble"] = rules["preamble"].replace(part, "")
    run(source, rules)


def import_numpy_for(source: str) -> None:
    """Import numpy if a candidate uses it, as the graders do. Once functions are taken away, it can't be imported."""
    if re.search(r"\b(?:np|numpy)\b", source):
        with suppress(ImportError):
            importlib.import_module("numpy")


def set_alarm_handler(grader: str) -> None:
    """Have an alarm raise TimeLimitReached. verl's grader has no handler, so that an alarm ends the process."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL if grader == "prime_code" else raise_time_limit)


def loaded(source: str) -> Any:
    """Return a module that has run a source."""
    module = ModuleType("tmp_sol")
    exec(compile(source, "<string>", "exec", 0, True), vars(module))
    return module


def described(error: BaseException) -> str:
    """Return an exception as a line for people."""
    return f"{type(error).__name__}: {error}"[:MAX_MESSAGE_CHARS]
