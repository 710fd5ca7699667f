"""Compiles a candidate and its tests for one interpreter, and reports how they failed.

This happens in the child, which then ends.
"""

from __future__ import annotations

import itertools
import linecache
import resource
import sys
import traceback

from .assert_values import failed_condition
from .guarded_comparisons import install, may_lie
from .sources import CANDIDATE_FILE, OWN_FILES, SOURCES, TESTS_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType, ModuleType
    from typing import Any

    from .policy import PlainPython

    Report = dict[str, Any]

# A report is written at once into a pipe that holds 64 KiB, because it is read after the child's end.
MESSAGE_CHARS, TRACEBACK_CHARS = 2000, 6000
MAX_FRAMES_READ, MAX_FRAMES_SHOWN, MAX_TRACEBACK_LINES, MAX_LINES = 200, 20, 100, 50


def new_module() -> ModuleType:
    """Return a module for a candidate and its tests, where imports find it.

    Call it before the fork, so that no child has to make one.
    """
    module = type(sys)("candidate")
    module.__file__ = CANDIDATE_FILE
    sys.modules["candidate"] = module
    # Otherwise `import __main__`, and doctest, would find this file.
    sys.modules["__main__"] = module
    SOURCES[CANDIDATE_FILE] = ""
    linecache.cache[CANDIDATE_FILE] = (candidate_source,)
    return module


def candidate_source() -> str:
    """Return the candidate's source, once a traceback asks for it."""
    return SOURCES[CANDIDATE_FILE]


def compile_program(
    candidate: bytes, tests: str, tests_code: CodeType | None, policy: PlainPython, module: ModuleType
) -> tuple[CodeType, CodeType] | Report:
    """Compile a candidate and its tests, and prepare their module. Run neither.

    Args:
        candidate: source.
        tests: source.
        tests_code: the tests compiled without guards, or None if they are to be compiled here.
        policy: that both obey.
        module: from `new_module`.

    Returns:
        (code of the candidate, code of the tests), or if that is not possible the report: a dict with "outcome" and
        what went wrong.
    """
    try:
        SOURCES[CANDIDATE_FILE] = source = candidate.decode("utf-8", "surrogatepass")
        code = policy.compile(source, CANDIDATE_FILE)
        # Both before either runs, so that a candidate can't tamper with how its tests are compiled.
        if policy.has_guards and may_lie(candidate):
            install()
            tests_code = policy.compile_tests(tests, TESTS_FILE, are_guarded=True)
        elif tests_code is None:
            tests_code = policy.compile_tests(tests, TESTS_FILE)
        if policy.prepare is not None:
            policy.prepare(module)
    except BaseException as error:
        return compile_error_report(error, tests)
    return code, tests_code


def compile_error_report(error: BaseException, tests: str | None = None) -> Report:
    """Return the report of a program that can't be compiled: a dict with "outcome" and what went wrong.

    Args:
        error: the exception that says why.
        tests: source; None if they run in another process.
    """
    register_sources(tests)
    return error_report(error, "compile_error")


def program_report(error: BaseException, tests: str | None = None) -> Report:
    """Return the report of a program that ended with an exception, as `compile_error_report` does."""
    register_sources(tests)
    return error_report(error, outcome_for(error))


def register_sources(tests: str | None = None) -> None:
    """Have tracebacks show the lines that were run, even if there are no such files or the candidate has made some.

    Args:
        tests: source; None if they run in another process.
    """
    for name, text in ((CANDIDATE_FILE, SOURCES[CANDIDATE_FILE]), (TESTS_FILE, tests)):
        if text is not None:
            linecache.cache[name] = (len(text), None, text.splitlines(True), name)


def outcome_for(error: BaseException) -> str:
    """Return the outcome for the exception that ended a program."""
    # By the class itself, because an object may lie about its class.
    if issubclass(type(error), SystemExit):
        return "exited"
    return "out_of_memory" if issubclass(type(error), MemoryError) else "failed"


def error_report(error: BaseException, outcome: str) -> Report:
    """Return a report of an exception. Its class is the candidate's own, and may lie, raise or print nonsense."""
    if issubclass(type(error), MemoryError):
        relax_memory_limit()
    name, message, trace, detail, condition, values, lines = "Exception", "", "", "", "", "", ""
    try:
        name = str(type.__dict__["__name__"].__get__(type(error)))
        message = exception_text(error)
        detail = failed_line(error) if not message else ""
        shown = traceback.TracebackException(
            type(error), error, error.__traceback__, limit=-MAX_FRAMES_READ, lookup_lines=False
        )
        keep_own_frames(shown)
        trace = "".join(itertools.islice(shown.format(), MAX_TRACEBACK_LINES))
        condition, values = failed_condition(error, OWN_FILES)
        lines = " ".join(itertools.islice(lines_of_tests(error), MAX_LINES))
    except BaseException as second:
        trace = trace or "the traceback can't be shown: " + exception_text(second)
    if len(trace) > TRACEBACK_CHARS:
        # The end says what was raised, and where.
        trace = "...\n" + trace[-TRACEBACK_CHARS:]
    message = message[:MESSAGE_CHARS]
    detail = " ".join(message.split()) or condition or detail
    detail = (name + (": " + detail if detail else ""))[:MESSAGE_CHARS]
    if outcome == "exited":
        detail = "left before its tests were done: " + detail
    return {
        "outcome": outcome,
        "detail": detail,
        "exception_type": name[:200],
        "exception_message": message,
        "traceback": trace,
        "values": values,
        "lines": lines,
    }


def lines_of_tests(error: BaseException) -> Iterator[str]:
    """Yield the lines at which the tests were when an exception was raised, outermost first."""
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == TESTS_FILE:
            yield str(number)


def relax_memory_limit() -> None:
    """Raise the limit on memory a little, because a program that has used it up leaves none for a report."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def exception_text(error: BaseException) -> str:
    """Return an exception's message."""
    try:
        return str.__str__(str(error))
    except BaseException:
        return "<no message: its __str__ raised>"


def keep_own_frames(
    shown: traceback.TracebackException, is_own: Callable[[str], bool] = OWN_FILES.__contains__
) -> None:
    """Remove the frames of our files and of libraries from a TracebackException, and from those that led to it.

    Args:
        shown: the exception.
        is_own: whether a file, by its name, is the program's own.
    """
    pending = [shown]
    while pending:
        error = pending.pop()
        error.stack[:] = [frame for frame in error.stack if is_own(frame.filename)][-MAX_FRAMES_SHOWN:]
        linked = (error.__cause__, error.__context__, *(getattr(error, "exceptions", None) or ()))
        pending += [other for other in linked if other is not None]


def failed_line(error: BaseException) -> str:
    """Return the line of the assertion that failed, for an AssertionError without a message; "" for others."""
    if not issubclass(type(error), AssertionError):
        return ""
    line = ""
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename in OWN_FILES:
            line = linecache.getline(frame.f_code.co_filename, number).strip()
    return line[len("assert ") :].strip() if line.startswith("assert ") else line
