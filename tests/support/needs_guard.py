"""A plugin that fails a test which starts a language, or a command of PACKAGES, without asking for it.

It sees programs that this process sends to a worker, and commands that the tests' own files start. It does not
see what a process that a test starts does, such as `code-eval run`, nor a cluster's workers. Containers are left out,
but for Go, because their image decides what they have.
"""

import json
import os
import sys
from collections.abc import Iterator
from functools import wraps
from pathlib import Path

import pytest

from sandboxes.guest.common.frames import RAW
from sandboxes.languages.registry import TOOLS, VARIANTS
from sandboxes.workers.worker import Worker
from support import languages
from support.languages import ALWAYS_THERE, PACKAGES

TESTS = str(Path(__file__).parents[1])
# A shell, an interpreter of Python and the runtime that many languages share say nothing about a language.
NAMED = ({*TOOLS, *PACKAGES} - {"bash", "python3", "ld"}) - {tool for tool in TOOLS if tool.startswith("python")}
of_fixtures = {}
"""What each fixture asked for when it was last set up."""

started = set()
"""Languages and commands that were started since the running test began."""


def tools_of(part) -> Iterator[str]:
    """Yield the commands in a plan, but for those that only look whether a language is there."""
    if isinstance(part, dict):
        if part.get("any_command"):
            return
        if isinstance(words := part.get("argv"), list) and words:
            yield os.path.basename(words[0])
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from tools_of(inner)


def note_program(worker, program):
    """Note the language of a program that a worker of this machine runs, and its commands."""
    language = VARIANTS.get(program.language, program.language)
    if worker.isolation is not None and "container" in worker.isolation.layers:
        # Containers have the Go tools of this machine.
        started.update({"go"} & {language})
        return
    started.update({language} - ALWAYS_THERE)
    if program.grading in ("steps", RAW) and program.language == "python":
        started.update(NAMED.intersection(tools_of(json.loads(program.tests))))


def note_process(event, arguments):
    """Note a command that a file of the tests starts. An audit hook."""
    if event != "subprocess.Popen":
        return
    executable, words = arguments[:2]
    first = words if isinstance(words, (str, bytes, os.PathLike)) else next(iter(words), executable)
    name = os.path.basename(os.fsdecode(first))
    if name in NAMED and caller().startswith(TESTS):
        started.add(name)


def caller():
    """Return the file that started a process."""
    frame = sys._getframe()
    while frame and (frame.f_code.co_filename == __file__ or "subprocess" in frame.f_code.co_filename):
        frame = frame.f_back
    return frame.f_code.co_filename if frame else ""


def before(function, note):
    """Return a function that calls `note` with the arguments, and then `function`."""

    @wraps(function)
    def noted(*arguments):
        note(*arguments)
        return function(*arguments)

    return noted


def pytest_configure():
    """Watch what this process starts, until it ends."""
    sys.addaudithook(note_process)
    Worker.send = before(Worker.send, lambda worker, _, program: note_program(worker, program))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Begin a test without anything that is asked for or started."""
    languages.asked.append(set())
    started.clear()
    try:
        return (yield)
    finally:
        languages.asked.pop()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Ask for the languages of a test's markers, before its fixtures are set up."""
    for marker in item.iter_markers("languages"):
        languages.require_languages(*marker.args)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef):
    """Remember what a fixture asks for: all tests that use it have asked for that."""
    languages.asked.append(set())
    try:
        return (yield)
    finally:
        of_fixtures[fixturedef] = languages.asked.pop()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Fail a test that has started what neither it nor its fixtures asked for."""
    result = yield
    fixtures = item._request._fixture_defs.values() if hasattr(item, "_request") else ()
    asked = languages.asked[-1].union(*(of_fixtures.get(each, ()) for each in fixtures))
    if unasked := started - asked:
        pytest.fail(
            f"the test starts {', '.join(sorted(unasked))} without asking; mark it with "
            '@pytest.mark.languages("NAME"), or call language_pool or require_command of support.languages',
            pytrace=False,
        )
    return result
