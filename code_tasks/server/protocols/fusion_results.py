"""Results of ours as SandboxFusion's clients read them.

verl decides on these fields: a compiler that is not "Finished" with 0 is -4, a run that is "TimeLimitExceeded" is -3,
another run that did not end with 0 is -2, and for "Success" it compares the output itself.
"""

from __future__ import annotations

import signal
from collections.abc import Mapping

from code_tasks.server.protocols.fusion_models import CommandRunResult, CommandRunStatus, RunCodeResponse, RunStatus
from code_tasks.server.protocols.texts import decoded, effective_limit, limit_message, signal_number, to_base64
from sandboxes import Outcome, ProcessResult

LIMIT_SIGNALS = {Outcome.OUT_OF_MEMORY: signal.SIGKILL, Outcome.OUTPUT_LIMIT: signal.SIGXFSZ}
"""The signals with which a kernel ends a process at these limits. SandboxFusion has no status for them."""


def command_result(result: ProcessResult | None) -> CommandRunResult | None:
    """Return the end of a process. None if there was no such process.

    Like Python's subprocess, SandboxFusion has -11 as the status of a process that signal 11 ended.
    """
    if result is None:
        return None
    limit = effective_limit(result)
    status, code = CommandRunStatus.Finished, result.exit_status
    if limit is Outcome.TIMED_OUT:
        status, code = CommandRunStatus.TimeLimitExceeded, None
    elif limit is not None:
        code = -LIMIT_SIGNALS[limit]
    elif code is None:
        code = -signal_number(result.signal)
    return CommandRunResult(
        status=status,
        execution_time=result.wall_seconds,
        cpu_time=result.cpu_seconds,
        return_code=code,
        stdout=decoded(result.stdout),
        stderr=decoded(result.stderr),
        limit=limit.value if limit else None,
        peak_memory_bytes=result.peak_memory_bytes,
    )


def run_code_response(
    compiler: ProcessResult | None, run: ProcessResult | None, files: Mapping[str, bytes]
) -> RunCodeResponse:
    """Return the answer for a program.

    Args:
        compiler: its end; None if the program needed none.
        run: the end of the program; None if it could not be built.
        files: contents of the fetched files, by path.
    """
    results = [command_result(compiler), command_result(run)]
    succeeded = all(result is None or result.return_code == 0 for result in results)
    messages = (limit_message("the compiler", compiler), limit_message("the program", run))
    return RunCodeResponse(
        status=RunStatus.Success if succeeded else RunStatus.Failed,
        message="; ".join(filter(None, messages)),
        compile_result=results[0],
        run_result=results[1],
        files={path: to_base64(data) for path, data in files.items()},
    )
