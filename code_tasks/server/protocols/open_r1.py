"""The requests and answers of open-r1's routers, for E2B and for Morph. One answer has the fields of both."""

from __future__ import annotations

import hmac
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, Field

from code_tasks.server.protocols.cell_program import seal
from code_tasks.server.protocols.texts import LIMIT_TEXTS, decoded, effective_limit, encoded, limit_message
from sandboxes import Outcome, ProcessResult, RawResult

ERROR_FIELDS = ("name", "value", "traceback")


class BatchRequest(BaseModel):
    """The body of `POST /execute_batch`."""

    scripts: list[str]
    languages: list[str]
    timeout: float = Field(gt=0, allow_inf_nan=False, description="seconds of each script")
    request_timeout: float = Field(gt=0, allow_inf_nan=False, description="read, and not used")


class Logs(BaseModel):
    """The output of a script."""

    stdout: list[str] = []
    stderr: list[str] = []


class ExecutionError(BaseModel):
    """The exception that ended a script."""

    name: str
    value: str
    traceback: str


class Result(BaseModel):
    """The value of a script's last expression."""

    text: str
    is_main_result: bool = True


class Execution(BaseModel):
    """The end of a script."""

    results: list[Result] = []
    logs: Logs = Logs()
    error: ExecutionError | None = None
    execution_count: int | None = 1


class ScriptResult(BaseModel):
    """The answer for one script. E2B's client reads `execution`, and Morph's client reads `text`."""

    execution: Execution | None = None
    exception_str: str | None = None
    text: str | None = None


def draw_key() -> str:
    """Return a new key, or a part of a name, that nobody can guess."""
    return secrets.token_hex(16)


@dataclass(frozen=True)
class CellTicket:
    """The secrets of one run of a cell, without which its answer is not believed."""

    key: str = field(default_factory=draw_key, repr=False)
    answer_file: str = field(default_factory=lambda: f"answer_{draw_key()}")
    """The name of the file with the answer, which no process of the script knows in advance."""

    def stdin(self, source: str) -> bytes:
        """Return the input of the program that runs a cell with this source."""
        return json.dumps({"source": source, "key": self.key, "answer_file": self.answer_file}).encode()

    def opened(self, data: bytes) -> bytes | None:
        """Return the answer in a file; None if its seal is not the key's."""
        given, _, answer = data.partition(b"\n")
        return answer if hmac.compare_digest(given, seal(answer, self.key)) else None


def unavailable(reason: str) -> ScriptResult:
    """Return the answer for a script that came to no end. Clients give it no reward."""
    return ScriptResult(exception_str=reason)


def script_result(result: RawResult, ticket: CellTicket | None, max_answer_bytes: int) -> ScriptResult:
    """Return the answer for a script.

    Args:
        result: of its run.
        ticket: of the run, if it ran as a cell. None: it ran as a program, which has no value.
        max_answer_bytes: size of a cell's value or exception. All of a batch's are in one answer.
    """
    run = result.run or result.compile
    if run is None:
        return unavailable("the script was not run")
    if effective_limit(run) is not None:
        return unavailable(limit_message("the script", run))
    data = result.files.get(ticket.answer_file, b"") if ticket else b""
    if len(data) > max_answer_bytes:
        return unavailable(f"the script's value {LIMIT_TEXTS[Outcome.OUTPUT_LIMIT]}")
    sealed = ticket and ticket.opened(data)
    answer = parse_answer(sealed) if sealed else None
    if answer is not None:
        value, error = answer
    elif ticket is None and run.succeeded and result.run is not None:
        value, error = None, None
    else:
        detail = run.detail or "it left before its end, with status 0"
        value, error = None, ExecutionError(name="Error", value=detail, traceback=decoded(run.stderr))
    return answer_with(run, value, error)


def answer_with(run: ProcessResult, value: str | None, error: ExecutionError | None) -> ScriptResult:
    """Return the answer for a script with a value, an exception or neither."""
    stdout, stderr = decoded(run.stdout), decoded(run.stderr)
    execution = Execution(
        results=[] if value is None else [Result(text=value)],
        logs=Logs(stdout=[stdout] if stdout else [], stderr=[stderr] if stderr else []),
        error=error,
    )
    return ScriptResult(execution=execution, text=value or stdout)


def parse_answer(data: bytes) -> tuple[str | None, ExecutionError | None] | None:
    """Return (value, exception) of an answer. None: the script itself has put something else there."""
    try:
        answer: Any = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(answer, dict):
        return None
    value, error = answer.get("value"), answer.get("error")
    if not isinstance(value, str | None):
        return None
    value = None if value is None else decoded(encoded(value))
    if error is None:
        return value, None
    if not isinstance(error, dict) or not all(isinstance(error.get(name), str) for name in ERROR_FIELDS):
        return None
    return value, ExecutionError(**{name: decoded(encoded(error[name])) for name in ERROR_FIELDS})
