"""Runs one step of a program in a fork server, and says how it ended."""

from __future__ import annotations

import json
import os
import re
import signal

from ..common.frames import OTHER_REPORT, STEP
from .error_lines import error_lines
from .execution import Execution
from .verdicts import limit_verdict, parse_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..common.named_tests import Tickets
    from .build_snapshot import StoredFiles
    from .fork_server_process import ForkServerProcess
    from .verdicts import Reply

# Fields of a step that the child reads, beside those that each step has.
CHILD_FIELDS = (
    *("any_status", "unlimited_stack", "script", "arguments", "inputs", "marks", "budget"),
    *("env", "is_raw", "any_command"),
)
# A compiler's first messages are the ones that matter.
MAX_COMPILER_CHARS = 8000
# Message of the C library before it aborts a program: glibc's, in which the program's name comes first, or musl's.
FAILED_ASSERT = re.compile(
    r"^(?:[^\s:]+: (?P<glibc>.{1,1000}: Assertion `.{1,1000}' failed\.)"
    r"|(?P<musl>Assertion failed: .{1,2000}: [^:\n]{1,1000}: \d{1,9}\)))$",
    re.MULTILINE,
)


class StepRunner:
    """Runs steps in one fork server."""

    def __init__(self, fork_server: ForkServerProcess, watch: Callable[[Execution, int], None]) -> None:
        """Run nothing yet.

        Args:
            fork_server: runs all steps.
            watch: takes an execution and a request's id, and returns when the execution has ended.
        """
        self.fork_server, self.watch = fork_server, watch

    def run(
        self,
        request: Mapping[str, Any],
        step: Mapping[str, Any],
        files: Mapping[str, str],
        stored: StoredFiles | None = None,
        stdin: str | None = None,
        tickets: Tickets | None = None,
    ) -> tuple[Execution, Reply]:
        """Run one step.

        Args:
            request: the caller's.
            step: of a plan.
            files: to write before it, {path: text}.
            stored: more of them, with their modes.
            stdin: its standard input; None for the step's own.
            tickets: of its tests, if they can be told apart. Those that it writes are taken out of its output.

        Returns:
            (execution, result).
        """
        asked = {"files": files, "stored": stored or {}, "stdin": step["stdin"] if stdin is None else stdin}
        execution = self.execute(request, step, asked)
        return execution, step_result(execution, step, tickets)

    def execute(self, request: Mapping[str, Any], step: Mapping[str, Any], asked: Mapping[str, Any]) -> Execution:
        """Run one step, and return its execution, which has ended.

        Args:
            request: the caller's.
            step: of a plan.
            asked: what the child reads beside the step's own fields, as `prepare_step` describes it.
        """
        payload = encode_step(step, asked)
        execution = Execution(self.fork_server, {**request["limits"], **step["limits"]})
        execution.begin(STEP, len(payload), payload)
        self.watch(execution, request["id"])
        return execution


def encode_step(step: Mapping[str, Any], asked: Mapping[str, Any]) -> bytes:
    """Return a step as its child reads it. The arguments are those of `StepRunner.execute`."""
    own = {name: step[name] for name in ("argv", "needs", *CHILD_FIELDS) if name in step}
    return json.dumps({**own, **asked}).encode()


def step_result(execution: Execution, step: Mapping[str, Any], tickets: Tickets | None = None) -> Reply:
    """Return the result of a step that has ended, with the lines of its output that say why it failed.

    Args:
        execution: the step's.
        step: of a plan.
        tickets: as in `StepRunner.run`.
    """
    if execution.reason in ("abandoned", "cancelled"):
        return {"broken": execution.reason}
    result = command_result(execution, step.get("memory_status"))
    if tickets:
        result["stdout"] = tickets.take(result["stdout"])
    if result.get("outcome") in ("failed", "crashed") and step["argv"] is not None:
        lines = error_lines(result["stderr"], result["stdout"])
        if has_aborted(execution.status) and (failed := FAILED_ASSERT.search(result["stderr"])):
            # A failed assertion counts as an exception does, not as a crash. A program that only pretends to have one
            # has failed either way.
            result.update(outcome="failed", detail=failed["glibc"] or failed["musl"])
        else:
            result["detail"] += ": " + lines if lines else ""
    return result


def command_result(execution: Execution, memory_status: int | None) -> Reply:
    """Return the result of a step: passed if its command ended by itself with status 0.

    Args:
        execution: the step's, which has ended.
        memory_status: status with which the command ends when memory runs out; None if there is no such status.
    """
    status, report = execution.status, execution.authentic_report()
    result = limit_verdict(
        execution.reason, status, execution.cpu_seconds, execution.setup, execution.limits, execution.output_bytes
    )
    if result is None:
        result = {"outcome": "passed"}
        if report.startswith(OTHER_REPORT):
            result = parse_report(report)
        if status:
            code = status >> 8
            result = {"outcome": "failed", "detail": "ended with status %d" % code}
            if code == memory_status:
                result = {"outcome": "out_of_memory", "detail": "used all its memory"}
    result.update(execution.costs())
    result["stdout"], result["stderr"] = execution.stdout.text, execution.stderr.text
    return result


def has_aborted(status: int) -> bool:
    """Return whether a process with this status ended itself by `abort`."""
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGABRT


def build_failure(result: Reply) -> Reply:
    """Return the reply for a program that could not be built, from the result of the step that failed."""
    if "broken" in result:
        return result
    output = (result.get("stderr", "") + result.get("stdout", ""))[:MAX_COMPILER_CHARS]
    if result["outcome"] != "failed":
        return {"outcome": result["outcome"], "detail": "while it was compiled: " + result["detail"], "stderr": output}
    lines = [line for line in output.splitlines() if line.strip()]
    first = lines[0] if lines else result["detail"]
    detail = next((line for line in lines if "error" in line.lower()), first)
    return {"outcome": "compile_error", "detail": detail.strip(), "exception_message": output, "stderr": output}
