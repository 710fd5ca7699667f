"""The supervisor's part of raw runs: a program is built and run as it stands, and its end is told, not judged.

Nothing that a raw run does is a verdict, so it can forge none. Its output, its status and its files are data.
"""

from __future__ import annotations

import base64
import json
import os
import stat

from ..common.frames import OTHER_REPORT, read_exact
from .build_snapshot import call_in_subfolder, open_file
from .step_results import COSTS, add_costs
from .verdicts import limit_verdict, parse_report, signal_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from .execution import Execution
    from .step_runner import StepRunner
    from .verdicts import Reply

    Ended = dict[str, Any]
    """The end of one process, as the caller reads it: "exit_status", "signal", "limit", "detail", output and costs."""

# A virtual machine writes this when it ends with its step's "memory_status". A program may write it too, and lies then
# about itself alone.
OUT_OF_MEMORY_WORDS = b"OutOfMemoryError"
LAST_BYTES = 4096


class RawExecutor:
    """Runs raw runs in one fork server."""

    def __init__(self, runner: StepRunner) -> None:
        """Run nothing yet.

        Args:
            runner: runs the steps.
        """
        self.runner = runner
        self.plan: dict[str, Any] = {}

    def run(self, request: dict[str, Any], plan: bytes, program: bytes) -> tuple[Sequence[Execution], Reply]:
        """Build and run a program.

        Args:
            request: the caller's.
            plan: JSON; b"" for the same as last time. "build": steps that must work; "run": the step.
            program: JSON. "stored": files, {path: [mode, base64]}; "stdin", base64; "argv", null for the step's own;
                "arguments": words behind it; "env"; "fetch": names of files to return; "fetch_bytes": their size
                together at most.

        Returns:
            ([execution of the last step], reply).
        """
        if plan:
            self.plan = json.loads(plan)
        asked = json.loads(program)
        stored, built = asked["stored"], []
        raw: dict[str, Any] = {"compile": None, "run": None, "files": {}, "missing": {}}
        reply: Reply = {"outcome": "passed", "detail": "", "raw": raw, **dict.fromkeys(COSTS, 0)}
        for step in self.plan["build"]:
            execution, ended = self.execute(request, step, {"files": {}, "stored": stored, "stdin": ""})
            if "broken" in ended:
                return [execution], ended
            add_costs(reply, ended)
            stored = {}
            built.append(ended)
            raw["compile"] = joined(built)
            if ended["exit_status"] != 0:
                reply.update(outcome="compile_error", detail="while it was compiled: " + ended["detail"])
                return [execution], encode_output(reply)
        step = {**self.plan["run"], "env": asked["env"]}
        if step["argv"] is None and asked["argv"] is None:
            step["arguments"] = asked["arguments"]
        else:
            step["argv"] = [*(asked["argv"] or step["argv"]), *asked["arguments"]]
        wanted = {"files": {}, "stored": stored, "stdin": "", "stdin_base64": asked["stdin"]}
        execution, ended = self.execute(request, step, wanted)
        if "broken" in ended:
            return [execution], ended
        add_costs(reply, ended)
        raw["run"] = ended
        reply.update(outcome=outcome_of(ended), detail=ended["detail"])
        raw["files"], raw["missing"] = self.fetch(asked["fetch"], asked["fetch_bytes"])
        return [execution], encode_output(reply)

    def execute(
        self, request: Mapping[str, Any], step: Mapping[str, Any], asked: Mapping[str, Any]
    ) -> tuple[Execution, Ended]:
        """Run one step. Return its execution, and how it ended; "broken" if the sandbox is to blame."""
        execution = self.runner.execute(request, step, asked)
        if execution.reason in ("abandoned", "cancelled"):
            return execution, {"broken": execution.reason}
        return execution, process_end(execution, step.get("memory_status"))

    def fetch(self, names: Sequence[str], most: int) -> tuple[dict[str, str], dict[str, str]]:
        """Read files that the program left.

        Args:
            names: of the files.
            most: bytes of all files together.

        Returns:
            (contents by name, in base64; reasons by the name of a file that was not read).
        """
        files: dict[str, str] = {}
        missing: dict[str, str] = {}
        for name in names:
            try:
                content = self.runner.fork_server.surroundings.call_in_workplace(read_nested, name.split("/"), most)
            except OSError as error:
                missing[name] = error.strerror or str(error)
            else:
                most -= len(content)
                files[name] = base64.b64encode(content).decode()
        return files, missing


def read_nested(folder: int, path: Sequence[str], limit: int) -> bytes:
    """Return the content of a plain file that a program left. No link on the way to it is followed.

    Args:
        folder: a descriptor of the program's folder. The program has ended, with all that it started.
        path: names of the folders on the way, and of the file.
        limit: bytes that it may have.

    Raises:
        OSError: if there is no such file, or it can't be read; its text is for people.
    """
    name, *below = path
    if below:
        content: bytes = call_in_subfolder(folder, name, read_nested, below, limit)
        return content
    fd = open_file(folder, name)
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("it is no plain file")
        if status.st_nlink > 1:
            # Another name of a file of the machine, which the program itself may not be able to read.
            raise OSError("it has several names (hard links)")
        if status.st_size > limit:
            raise OSError("it has %d bytes, and %d may still be returned" % (status.st_size, limit))
        return read_exact(fd, status.st_size)
    finally:
        os.close(fd)


def process_end(execution: Execution, memory_status: int | None) -> Ended:
    """Return how a step's process ended.

    Args:
        execution: the step's, which has ended.
        memory_status: status with which the command ends when memory runs out; None if there is no such status.
    """
    status, report = execution.status, execution.authentic_report()
    limited = limit_verdict(
        execution.reason, status, execution.cpu_seconds, execution.setup, execution.limits, execution.output_bytes
    )
    if limited and "broken" in limited:
        return limited
    ended: Ended = {"exit_status": None, "signal": "", "limit": None, "detail": "", **execution.costs()}
    for name, stream in (("stdout", execution.stdout), ("stderr", execution.stderr)):
        ended[name], ended[name + "_is_cut"] = stream.buffer, stream.is_cut
    if limited is None and report.startswith(OTHER_REPORT):
        # The only report of a raw run: a script had no memory left.
        reported = parse_report(report)
        limited = reported if reported["outcome"] == "out_of_memory" else None
    if limited is None and status >> 8 == memory_status and OUT_OF_MEMORY_WORDS in last_bytes(execution):
        limited = {"outcome": "out_of_memory", "detail": "used all its memory"}
    if limited is None:
        ended["exit_status"] = status >> 8
        ended["detail"] = "ended with status %d" % (status >> 8) if status else ""
        return ended
    ended["detail"] = limited["detail"]
    if limited["outcome"] == "crashed":
        ended["signal"] = signal_name(os.WTERMSIG(status))
    else:
        ended["limit"] = limited["outcome"]
    return ended


def last_bytes(execution: Execution) -> bytes:
    """Return the end of what a process wrote, as far as it is kept."""
    return bytes(execution.stdout.buffer[-LAST_BYTES:] + execution.stderr.buffer[-LAST_BYTES:])


def outcome_of(ended: Ended) -> str:
    """Return the outcome that statistics count for the end of a process."""
    if ended["limit"] is not None:
        limit: str = ended["limit"]
        return limit
    if ended["signal"]:
        return "crashed"
    return "exited" if ended["exit_status"] else "passed"


def joined(ends: Sequence[Ended]) -> Ended:
    """Return the ends of commands that ran one after the other as one: the last one's, with the costs of all."""
    whole = {**ends[-1], "peak_memory_bytes": 0, **dict.fromkeys(COSTS[:3], 0)}
    for ended in ends:
        add_costs(whole, ended)
    for name in ("stdout", "stderr"):
        whole[name] = b"".join(ended[name] for ended in ends)
        whole[name + "_is_cut"] = any(ended[name + "_is_cut"] for ended in ends)
    return whole


def encode_output(reply: Reply) -> Reply:
    """Put the output of a reply's processes into base64, once, and return the reply."""
    for ended in (reply["raw"]["compile"], reply["raw"]["run"]):
        if ended is not None:
            ended.update({name: base64.b64encode(ended[name]).decode() for name in ("stdout", "stderr")})
    return reply
