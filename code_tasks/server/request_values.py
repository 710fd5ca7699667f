"""Values in the requests and answers of our own endpoints: strict models, numbers, contents, ends of processes."""

from __future__ import annotations

import base64
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from sandboxes import ProcessResult

MAX_INTEGER = 1 << 53
"""Largest number of a request. JSON has larger ones, which are no floats."""

STRICT = ConfigDict(strict=True, extra="forbid", frozen=True, allow_inf_nan=False)

Positive = Annotated[float, Field(gt=0)]


def decoded(text: object) -> object:
    """Return the bytes of a text in base64. Other values stay, for their own error.

    Raises:
        ValueError: if the text is not base64.
    """
    return base64.b64decode(text, validate=True) if isinstance(text, str) else text


class FileContent(BaseModel):
    """The content of a file, as a text or as bytes in base64."""

    model_config = STRICT

    text: str | None = None
    base64: Annotated[bytes, BeforeValidator(decoded)] | None = None

    @model_validator(mode="after")
    def _has_one(self) -> FileContent:
        if (self.text is None) == (self.base64 is None):
            raise ValueError("give either text or base64")
        return self

    def content(self) -> bytes:
        """Return the bytes."""
        return self.base64 if self.base64 is not None else (self.text or "").encode()


def as_bytes(content: str | FileContent) -> bytes:
    """Return the bytes of a text or of a file's content."""
    return content.encode() if isinstance(content, str) else content.content()


def as_answer(content: bytes) -> dict[str, str]:
    """Return bytes as {"text"}, or as {"base64"} if they are not UTF-8."""
    try:
        return {"text": content.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(content).decode()}


def process_answer(process: ProcessResult | None) -> dict[str, Any] | None:
    """Return the end of a process as plain data; None if there was none."""
    if process is None:
        return None
    streams = {"stdout": as_answer(process.stdout), "stderr": as_answer(process.stderr)}
    return {**vars(process), "limit": process.limit and process.limit.value, **streams}
