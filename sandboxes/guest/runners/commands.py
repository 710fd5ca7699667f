"""Runs one step of a program that has steps: a command, or a Python script.

This happens in the child, which becomes the step.
"""

from __future__ import annotations

import binascii
import errno
import json
import os
import resource
import signal
import sys
import traceback

from .in_process import error_report, outcome_for
from .interpreter import end_interpreter, exit_status, new_main_module, read_source
from .raw_script import run_as_process
from .sources import CANDIDATE_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping

    from .policy import PlainPython

    Report = dict[str, Any]

STDIN_FILE = ".stdin"
# Exit statuses of a raw run's command that can't be run, as a shell has them.
CANNOT_RUN, NO_SUCH_COMMAND = 126, 127


def prepare_step(payload: bytes) -> dict[str, Any]:
    """Write a step's files, and redirect its standard input. An error here is the sandbox's fault.

    Args:
        payload: JSON: "files", {path: text}; "stored", {path: [mode, base64]}; "argv", null for a script; "stdin",
            text, or null to keep this process's own; "needs", paths that it has to be able to read, and commands that
            must be there; "any_status", true for a script that may exit with any status; "unlimited_stack", true for a
            stack that its memory alone limits; "script", the script's file, whose exit status is the process's own;
            "arguments", the script's; "stdin_base64", in place of "stdin"; "env", more environment variables; "is_raw",
            true for the process of a raw run, whose end is told as it is; "any_command", true for a command that need
            not be there.

    Returns:
        The step. It has "report" if it can't be run, and the candidate is to blame.

    Raises:
        OSError: if a file can't be written, or there is no such command.
    """
    step: dict[str, Any] = json.loads(payload)
    argv = step["argv"]
    commands = [name for name in step["needs"] if "/" not in name]
    if argv and not step.get("any_command"):
        commands.insert(0, argv[0])
    for name in commands:
        if not is_command(name):
            raise FileNotFoundError(f"there is no command {name}")
    for path in step["needs"]:
        if "/" in path:
            with open(path, "rb"):
                continue
    try:
        for path, text in step["files"].items():
            write_file(path, text.encode("utf-8", "surrogatepass"))
        for path, (mode, content) in step.get("stored", {}).items():
            write_file(path, binascii.a2b_base64(content))
            os.chmod(path, mode)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        step["report"] = {"outcome": "compile_error", "detail": f"{error.strerror}: {path[:60]}..."}
    if "stdin_base64" in step:
        redirect_stdin(binascii.a2b_base64(step["stdin_base64"]))
    elif step["stdin"] is not None:
        redirect_stdin(step["stdin"].encode("utf-8", "surrogatepass"))
    os.environ.update(step.get("env", {}))
    # They would take part of the program's memory.
    return {name: value for name, value in step.items() if name not in ("files", "stored", "stdin", "stdin_base64")}


def run_step(step: Mapping[str, Any], policy: PlainPython) -> Report | None:
    """Become a step's command. Return only from a script, or if the command can't be run.

    Args:
        step: as `prepare_step` gives it.
        policy: that a script obeys.

    Returns:
        None if a script ran to its end; otherwise the report: a dict as `error_report` gives it.
    """
    if "report" in step:
        report: Report = step["report"]
        return report
    set_stack_limit(step)
    if step["argv"] is None:
        return run_as_process(policy, step["arguments"]) if step.get("is_raw") else run_script(policy, step)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        # Python ignores them, and a command would inherit that.
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(step["argv"][0], step["argv"])
    except OSError as error:
        if step.get("is_raw"):
            os.write(2, f"{step['argv'][0]}: {error.strerror}\n".encode("utf-8", "surrogateescape"))
            os._exit(NO_SUCH_COMMAND if error.errno in (errno.ENOENT, errno.ENOTDIR) else CANNOT_RUN)
        return {"outcome": "failed", "detail": f"{step['argv'][0]} can't be run: {error.strerror}"}


def set_stack_limit(step: Mapping[str, Any]) -> None:
    """Raise the limit on the stack as far as possible, if the step has an unlimited stack."""
    if step.get("unlimited_stack"):
        most = resource.getrlimit(resource.RLIMIT_STACK)[1]
        resource.setrlimit(resource.RLIMIT_STACK, (most, most))


def is_command(name: str) -> bool:
    """Tell whether there is such a command. One in the program's own folder is made by its steps."""
    if "/" in name:
        return not name.startswith("/") or os.path.exists(name)
    return any(os.access(os.path.join(folder, name), os.X_OK) for folder in os.get_exec_path())


def write_file(path: str, data: bytes) -> None:
    """Write a file, and make its folders."""
    folder = os.path.dirname(path)
    if folder:
        os.makedirs(folder, exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def redirect_stdin(data: bytes) -> None:
    """Make bytes the standard input, for each way to read it."""
    fd = os.open(STDIN_FILE, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    os.unlink(STDIN_FILE)
    while data:
        data = data[os.write(fd, data) :]
    os.lseek(fd, 0, os.SEEK_SET)
    os.dup2(fd, 0)
    os.close(fd)


def run_script(policy: PlainPython, step: Mapping[str, Any]) -> Report | None:
    """Run a script's file in the way the interpreter runs it. Return the report if it failed.

    Args:
        policy: that the script obeys.
        step: as `prepare_step` gives it.
    """
    path = step.get("script", CANDIDATE_FILE)
    sys.argv[:] = [path, *step.get("arguments", ())]
    code = compile_script(policy, path)
    if type(code) is dict:
        return code
    report = run_main(code, policy, path, step.get("any_status", False))
    end_interpreter()
    if report and "status" in report and "script" in step:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(report["status"])
    return report


def compile_script(policy: PlainPython, path: str = CANDIDATE_FILE) -> Any:
    """Return the code of a script's file; the report, a dict, if it can't be compiled."""
    # The module of programs that have tests, in a fork server that has it.
    sys.modules.pop("candidate", None)
    try:
        return policy.compile(read_source(path), path)
    except BaseException as error:
        return error_report(error, "compile_error")


def run_main(code: Any, policy: PlainPython, path: str, any_status: bool) -> Report | None:
    """Run a script's code as a new main module, on the present standard input. Return the report if it failed.

    Args:
        code: of the script.
        policy: that the script obeys.
        path: of the script's file.
        any_status: whether a script that calls `sys.exit` has ended well, whatever the status.
    """
    module = new_main_module(path)
    if policy.prepare is not None:
        try:
            policy.prepare(module)
        except BaseException as error:
            return error_report(error, "compile_error")
    try:
        exec(code, module.__dict__)
    except SystemExit as error:
        return None if any_status else exit_report(error.code)
    except BaseException as error:
        own_frames: Any = error.__traceback__
        traceback.print_exception(type(error), error, own_frames.tb_next)
        return error_report(error, outcome_for(error))
    return None


def exit_report(code: Any) -> Report | None:
    """Return the report of a script that exited; None if its status is 0.

    Args:
        code: the argument of `sys.exit`.
    """
    status = exit_status(code)
    return {"outcome": "failed", "detail": f"ended with status {status}", "status": status} if status else None
