"""Piston's requests and answers, with the names and defaults of its fields. Times are milliseconds, sizes are bytes."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field, SerializerFunctionWrapHandler, field_validator, model_serializer

RUN_MS, COMPILE_MS = 3000, 10000
"""Piston's own defaults, where the owner allows as much."""


class File(BaseModel):
    """A file of a request."""

    name: str | None = None
    content: str
    encoding: Literal["utf8", "base64", "hex"] = "utf8"

    @field_validator("encoding", mode="before")
    @classmethod
    def known(cls, value: Any) -> Any:
        """Return the encoding. Piston takes any that it does not know for UTF-8."""
        return value if value in ("base64", "hex") else "utf8"


class ExecuteRequest(BaseModel):
    """The body of `POST /execute`."""

    language: str
    version: str
    files: list[File] = Field(min_length=1)
    stdin: str | None = None
    args: list[str] | None = None
    run_timeout: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    compile_timeout: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    run_cpu_time: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    compile_cpu_time: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    run_memory_limit: float | None = Field(default=None, allow_inf_nan=False)
    compile_memory_limit: float | None = Field(default=None, allow_inf_nan=False)


class StageResult(BaseModel):
    """The end of a compiler or a program."""

    stdout: str = ""
    stderr: str = ""
    output: str = ""
    """stdout, then stderr. Piston itself has them in the order in which they were written."""

    code: int | None = None
    signal: str | None = None
    message: str | None = None
    status: str | None = None
    """Piston's two letters: "RE", "SG", "TO", "OL" or "EL"."""

    memory: int | None = None
    cpu_time: float | None = None
    wall_time: float | None = None


class ExecuteResponse(BaseModel):
    """The answer of `POST /execute`. Piston leaves `compile` out if the runtime has no compiler."""

    compile: StageResult | None = None
    run: StageResult
    language: str
    version: str

    @model_serializer(mode="wrap")
    def serialized(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Return the answer as JSON has it, without a compiler if there was none."""
        values: dict[str, Any] = handler(self)
        return values if self.compile is not None else {name: values[name] for name in ("run", "language", "version")}


class RuntimeEntry(BaseModel):
    """An entry of `GET /runtimes`."""

    language: str
    version: str
    aliases: list[str] = []
    runtime: str | None = None
