"""Results of ours as piston's clients read them."""

from __future__ import annotations

import re

from code_tasks.server.protocols.piston_models import StageResult
from code_tasks.server.protocols.texts import LIMIT_TEXTS, decoded, effective_limit, signal_number
from sandboxes import Outcome, ProcessResult

KILLED = "SIGKILL"
NUMBER = re.compile(r"\d+(?:\.\d+){0,2}")


def stage_result(result: ProcessResult) -> StageResult:
    """Return the end of a process. Piston has either a code or a signal, and SIGKILL for each limit."""
    limit = effective_limit(result)
    stage = StageResult(
        stdout=decoded(result.stdout),
        stderr=decoded(result.stderr),
        output=decoded(result.stdout + result.stderr),
        memory=result.peak_memory_bytes,
        cpu_time=result.cpu_seconds * 1000,
        wall_time=result.wall_seconds * 1000,
    )
    if limit is not None:
        return stage.model_copy(
            update={"signal": KILLED, "status": limit_status(limit, result), "message": LIMIT_TEXTS[limit]}
        )
    if result.exit_status is None:
        message = f"Caught fatal signal {signal_number(result.signal)}"
        return stage.model_copy(update={"signal": result.signal or KILLED, "status": "SG", "message": message})
    if result.exit_status:
        message = f"Exited with error status {result.exit_status}"
        return stage.model_copy(update={"code": result.exit_status, "status": "RE", "message": message})
    return stage.model_copy(update={"code": 0})


def limit_status(limit: Outcome, result: ProcessResult) -> str:
    """Return piston's letters for a limit. A program that needed too much memory was killed by a signal."""
    if limit is Outcome.TIMED_OUT:
        return "TO"
    if limit is Outcome.OUT_OF_MEMORY:
        return "SG"
    return "EL" if result.stderr_is_cut and not result.stdout_is_cut else "OL"


def said(text: str, code: int = 0, message: str = "") -> StageResult:
    """Return the stage of a judge that wrote one line, and another one to stderr.

    Args:
        text: of stdout.
        code: the status.
        message: of stderr.
    """
    stdout, stderr = (f"{one}\n" if one else "" for one in (text, message))
    return StageResult(stdout=stdout, stderr=stderr, output=stdout + stderr, code=code, status="RE" if code else None)


def semantic_version(text: str) -> str:
    """Return a version with three numbers, out of the line that a compiler prints. "0.0.0": the line has none."""
    found = NUMBER.search(text)
    numbers = found[0].split(".") if found else []
    return ".".join([*numbers, "0", "0", "0"][:3])


def accepts(selector: str, version: str) -> bool:
    """Return whether a request's version is one that a runtime has.

    Args:
        selector: "*", a version, or its first numbers, such as "3", "3.x" and "3.11".
        version: three numbers.
    """
    wanted = [part for part in selector.split(".") if part not in ("*", "x", "X")]
    return wanted == version.split(".")[: len(wanted)]
