"""A step of a program that has steps: a command, or a Python script. This happens in the child, which becomes it."""

import atexit
import errno
import json
import linecache
import os
import signal
import sys
import traceback

from .judge import CANDIDATE_FILE, describe, outcome_of

STDIN_FILE = ".stdin"


def prepare_step(payload):
    """Writes a step's files, and gives it its input. What fails here is the sandbox's fault.

    Args:
        payload: JSON, bytes: "files", {path: text}; "argv", null for a script; "stdin", text; "needs", paths that it
            has to be able to read.

    Returns:
        The step, a dict; it has "report" if it can't be run through a fault of the candidate's.

    Raises:
        OSError: if a file can't be written, or there is no such command.
    """
    step = json.loads(payload)
    argv = step["argv"]
    if argv and not is_command(argv[0]):
        raise FileNotFoundError(f"there is no command {argv[0]}")
    for path in step["needs"]:
        with open(path, "rb"):
            continue
    try:
        for path, text in step["files"].items():
            write_file(path, text.encode("utf-8", "surrogatepass"))
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        step["report"] = {"outcome": "compile_error", "detail": f"{error.strerror}: {path[:60]}..."}
    give_input(step["stdin"].encode("utf-8", "surrogatepass"))
    return step


def run_step(step, policy):
    """Becomes a step's command. Returns only from a script.

    Args:
        step: as `prepare_step` gives it.
        policy: that a script obeys.

    Returns:
        None if a script ran to its end, else the report: a dict as `judge` gives it.
    """
    if "report" in step:
        return step["report"]
    if step["argv"] is None:
        return run_script(policy)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        # Python ignores them, and a command would inherit that.
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(step["argv"][0], step["argv"])
    except OSError as error:
        return {"outcome": "failed", "detail": f"{step['argv'][0]} can't be run: {error.strerror}"}


def is_command(name):
    """Whether there is such a command. One in the program's own folder is made by its steps."""
    if "/" in name:
        return not name.startswith("/") or os.path.exists(name)
    return any(os.access(os.path.join(folder, name), os.X_OK) for folder in os.get_exec_path())


def write_file(path, data):
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def give_input(data):
    """Makes bytes the standard input, for each way to read it."""
    fd = os.open(STDIN_FILE, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    os.unlink(STDIN_FILE)
    while data:
        data = data[os.write(fd, data) :]
    os.lseek(fd, 0, os.SEEK_SET)
    os.dup2(fd, 0)
    os.close(fd)


def run_script(policy):
    """Runs the candidate's file as the interpreter does one that it is given. Returns the report if it failed."""
    sys.stdin = open(0, encoding="utf-8", errors="surrogateescape", closefd=False)
    module = type(sys)("__main__")
    module.__file__ = CANDIDATE_FILE
    sys.modules["__main__"] = module
    # The one that programs with tests are.
    del sys.modules["candidate"]
    try:
        with open(CANDIDATE_FILE, "rb") as file:
            source = file.read().decode("utf-8", "surrogatepass")
        linecache.cache[CANDIDATE_FILE] = (len(source), None, source.splitlines(True), CANDIDATE_FILE)
        code = policy.compile(source, CANDIDATE_FILE)
        if policy.prepare is not None:
            policy.prepare(module)
    except BaseException as error:
        return describe(error, "compile_error")
    report = None
    try:
        exec(code, module.__dict__)
    except SystemExit as error:
        report = report_of_exit(error.code)
    except BaseException as error:
        traceback.print_exception(type(error), error, error.__traceback__.tb_next)
        report = describe(error, outcome_of(error))
    if "threading" in sys.modules:
        sys.modules["threading"]._shutdown()
    atexit._run_exitfuncs()
    return report


def report_of_exit(status):
    """The report of a script that left by itself; None if that is an end like another."""
    if status is None or (type(status) is int and status == 0):
        return None
    if type(status) is not int:
        sys.stderr.write(f"{status}\n")
        status = 1
    return {"outcome": "failed", "detail": f"ended with status {status & 255}"}
