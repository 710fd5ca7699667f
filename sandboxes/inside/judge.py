"""Compiles a candidate and its tests, and describes how they failed. This happens in the child, which then ends."""

import itertools
import linecache
import resource
import sys
import traceback

from .asserts import values_of

CANDIDATE_FILE = "candidate.py"
TESTS_FILE = "tests.py"
OWN_FILES = (CANDIDATE_FILE, TESTS_FILE)
# A report is written at once into a pipe that holds 64 KiB, since it is read after the child's end.
MESSAGE_CHARS, TRACEBACK_CHARS = 2000, 6000
MOST_FRAMES_READ, MOST_FRAMES_SHOWN, MOST_TRACEBACK_LINES = 200, 20, 100
# What a candidate's traceback shows lines of.
SOURCE_OF = {}


def new_module():
    """A module for a candidate and its tests, where others find it. Made before the fork, so that no child has to."""
    module = type(sys)("candidate")
    module.__file__ = CANDIDATE_FILE
    sys.modules["candidate"] = module
    # Else `import __main__` is this file.
    sys.modules["__main__"] = type(sys)("__main__")
    SOURCE_OF[CANDIDATE_FILE] = ""
    linecache.cache[CANDIDATE_FILE] = (source_of_candidate,)
    return module


def source_of_candidate():
    """For tracebacks, once they ask for it."""
    return SOURCE_OF[CANDIDATE_FILE]


def compiled(candidate, tests, tests_code, policy, module):
    """Compiles a candidate and its tests, and prepares their module. Runs neither.

    Args:
        candidate: source, bytes.
        tests: source, text.
        tests_code: the tests compiled, or None if they are to be compiled here.
        policy: that both obey.
        module: from `new_module`.

    Returns:
        (code of the candidate, code of the tests), or if that is not possible the report: a dict with "outcome" and
        what went wrong.
    """
    try:
        SOURCE_OF[CANDIDATE_FILE] = source = candidate.decode("utf-8", "surrogatepass")
        code = policy.compile(source, CANDIDATE_FILE)
        # Both before either runs, so that a candidate can't tamper with how its tests are compiled.
        if tests_code is None:
            tests_code = policy.compile_tests(tests, TESTS_FILE)
        if policy.prepare is not None:
            policy.prepare(module)
    except BaseException as error:
        show_sources(tests)
        return describe(error, "compile_error")
    return code, tests_code


def report_of(error, tests):
    """The report of a program that ended with an error: a dict with "outcome" and what went wrong."""
    show_sources(tests)
    return describe(error, outcome_of(error))


def show_sources(tests):
    """Has tracebacks show lines of files that are not there, or that a candidate has put there."""
    for name, text in ((CANDIDATE_FILE, SOURCE_OF[CANDIDATE_FILE]), (TESTS_FILE, tests)):
        linecache.cache[name] = (len(text), None, text.splitlines(True), name)


def outcome_of(error):
    """What an exception that ended a program makes of it."""
    # By the class itself: what an object says of its class may be a lie.
    if issubclass(type(error), SystemExit):
        return "exited"
    return "out_of_memory" if issubclass(type(error), MemoryError) else "failed"


def describe(error, outcome):
    """What can be said of an exception whose class is the candidate's own, and may lie, raise or print nonsense."""
    if issubclass(type(error), MemoryError):
        make_room()
    name, message, trace, detail, values = "Exception", "", "", "", ""
    try:
        name = str(type.__dict__["__name__"].__get__(type(error)))
        message = text_of(error)
        detail = failed_condition(error) if not message else ""
        shown = traceback.TracebackException(
            type(error), error, error.__traceback__, limit=-MOST_FRAMES_READ, lookup_lines=False
        )
        keep_own_frames(shown)
        trace = "".join(itertools.islice(shown.format(), MOST_TRACEBACK_LINES))
        values = values_of(error, TESTS_FILE)
    except BaseException as second:
        trace = trace or "the traceback can't be shown: " + text_of(second)
    if len(trace) > TRACEBACK_CHARS:
        # The end says what was raised, and where.
        trace = "...\n" + trace[-TRACEBACK_CHARS:]
    message = message[:MESSAGE_CHARS]
    detail = detail or " ".join(message.split())
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
    }


def make_room():
    """Raises the limit on memory a little, since a program that has used it up leaves none to say so."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def text_of(error):
    try:
        return str.__str__(str(error))
    except BaseException:
        return "<no message: its __str__ raised>"


def keep_own_frames(shown):
    """Leaves the program's own frames in a TracebackException, and in those that led to it: not ours or a library's."""
    pending = [shown]
    while pending:
        each = pending.pop()
        each.stack[:] = [frame for frame in each.stack if frame.filename in OWN_FILES][-MOST_FRAMES_SHOWN:]
        linked = (each.__cause__, each.__context__, *(getattr(each, "exceptions", None) or ()))
        pending += [other for other in linked if other is not None]


def failed_condition(error):
    """The text of the assertion that failed, for an AssertionError without a message; else ""."""
    if not issubclass(type(error), AssertionError):
        return ""
    line = ""
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename in OWN_FILES:
            line = linecache.getline(frame.f_code.co_filename, number).strip()
    return line[len("assert ") :].strip() if line.startswith("assert ") else line
