"""Runs a candidate and its tests, and says what became of them. This happens in the child, which then ends."""

import itertools
import linecache
import sys
import traceback

CANDIDATE_FILE = "candidate.py"
TESTS_FILE = "tests.py"
# A report is written at once into a pipe that holds 64 KiB, since it is read after the child's end.
MESSAGE_CHARS, TRACEBACK_CHARS = 2000, 6000


def judge(candidate, tests, tests_code):
    """Runs a candidate, then its tests, in one new module.

    Args:
        candidate: source, bytes.
        tests: source, text.
        tests_code: the tests compiled, or None if they are to be compiled here.

    Returns:
        None if the program passed, else the report: a dict with "outcome" and what went wrong.
    """
    run = exec  # the candidate may replace the builtin
    module = type(sys)("candidate")
    module.__file__ = CANDIDATE_FILE
    sys.modules["candidate"] = module
    # Else `import __main__` is this file.
    sys.modules["__main__"] = type(sys)("__main__")
    try:
        source = candidate.decode("utf-8", "surrogatepass")
        for name, text in ((CANDIDATE_FILE, source), (TESTS_FILE, tests)):
            linecache.cache[name] = (len(text), None, text.splitlines(True), name)
        code = compile(source, CANDIDATE_FILE, "exec", dont_inherit=True)
        # Both before either runs, so that a candidate can't tamper with how its tests are compiled.
        if tests_code is None:
            tests_code = compile(tests, TESTS_FILE, "exec", dont_inherit=True)
    except BaseException as error:
        return describe(error, "out_of_memory" if isinstance(error, MemoryError) else "compile_error")
    try:
        run(code, module.__dict__)
        run(tests_code, module.__dict__)
    except SystemExit as error:
        return describe(error, "exited")
    except MemoryError as error:
        return describe(error, "out_of_memory")
    except BaseException as error:
        return describe(error, "failed")
    return None


def describe(error, outcome):
    """What can be said of an exception whose class is the candidate's own, and may lie, raise or print nonsense."""
    name, message, trace, detail = "Exception", "", "", ""
    try:
        name = str(type.__dict__["__name__"].__get__(type(error)))
        message = text_of(error)
        frames = error.__traceback__
        while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
            frames = frames.tb_next
        detail = failed_condition(error, frames) if not message else ""
        lines = traceback.TracebackException(type(error), error, frames, limit=-20).format()
        trace = "".join(itertools.islice(lines, 100))
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
    }


def text_of(error):
    try:
        return str.__str__(str(error))
    except BaseException:
        return "<no message: its __str__ raised>"


def failed_condition(error, frames):
    """The text of the assertion that failed, for an AssertionError without a message; else ""."""
    if not isinstance(error, AssertionError):
        return ""
    line = ""
    for frame, number in traceback.walk_tb(frames):
        if frame.f_code.co_filename in (CANDIDATE_FILE, TESTS_FILE):
            line = linecache.getline(frame.f_code.co_filename, number).strip()
    return line[len("assert ") :].strip() if line.startswith("assert ") else line
