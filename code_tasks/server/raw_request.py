"""The request of POST /run: a source or a command that runs as it stands, and its answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field

from code_tasks.server.errors import InvalidRequest
from code_tasks.server.request_values import (
    MAX_INTEGER,
    STRICT,
    FileContent,
    Positive,
    as_answer,
    as_bytes,
    process_answer,
)
from sandboxes import Limits, RawResult, RawRun
from sandboxes.languages.base import COMPILE_SECONDS, compiler_limits
from sandboxes.languages.registry import NAMES
from sandboxes.raw_runs.raw_run import MAX_OUTPUT_BYTES

Count = Annotated[int, Field(gt=0, le=MAX_INTEGER)]


class RunRequest(BaseModel):
    """A program that runs as it stands, without tests."""

    model_config = STRICT

    source: str | None = Field(None, description="The program's source.")
    argv: list[str] | None = Field(None, description="In place of a source, the words of a command of the sandbox.")
    language: Literal[NAMES] = "python"  # type: ignore[valid-type]
    arguments: list[str] = Field([], description="Words behind the command that runs the source.")
    stdin: str | FileContent = Field("", description="The standard input.")
    files: dict[str, str | FileContent] = Field({}, description="Files in the program's folder, by name.")
    fetch: list[str] = Field([], description="Names of files to return after the run.")
    env: dict[str, str] = Field({}, description="Environment variables of the run.")
    timeout: Positive | None = Field(None, description="Seconds on the clock.")
    compile_timeout: Positive | None = Field(None, description="Seconds of each compiler.")
    memory_mb: Count | None = Field(None, description="MiB of memory of the run.")
    max_processes: Count | None = Field(None, description="Processes and threads at once.")
    max_output_bytes: Count | None = Field(None, description="Bytes of stdout and stderr together, until it is ended.")
    kept_output_bytes: Count | None = Field(
        None, le=MAX_OUTPUT_BYTES, description="Bytes of stdout, and of stderr, that are returned."
    )

    def raw_run(self, limits: Limits) -> RawRun:
        """Return the run.

        Args:
            limits: those of a run that asks for none.

        Raises:
            InvalidRequest: if a field is invalid.
        """
        asked: dict[str, Any] = {
            "wall_seconds": self.timeout,
            "memory_bytes": self.memory_mb and self.memory_mb << 20,
            "processes": self.max_processes,
            "output_bytes": self.max_output_bytes,
        }
        compile_seconds = COMPILE_SECONDS if self.compile_timeout is None else self.compile_timeout
        try:
            own = replace(limits, **{name: value for name, value in asked.items() if value is not None})
            more = {} if self.kept_output_bytes is None else {"kept_bytes": self.kept_output_bytes}
            return RawRun(
                self.source,
                self.argv,
                self.language,
                self.arguments,
                as_bytes(self.stdin),
                {name: as_bytes(content) for name, content in self.files.items()},
                self.fetch,
                self.env,
                own,
                None if self.language == "python" else compiler_limits(own, compile_seconds),
                **more,
            )
        except (ValueError, TypeError) as error:
            # The message begins with the field's name.
            name = str(error).partition(":")[0].partition(" ")[0]
            raise InvalidRequest(name if name in RunRequest.model_fields else "", str(error)) from None


def result_answer(result: RawResult) -> dict[str, Any]:
    """Return the answer of a run as plain data."""
    return {
        "compile": process_answer(result.compile),
        "run": process_answer(result.run),
        "files": {name: as_answer(content) for name, content in result.files.items()},
        "missing": dict(result.missing),
        "isolation": result.isolation,
        "attempts": result.attempts,
    }
