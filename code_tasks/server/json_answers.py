"""Answers in JSON, whatever texts and numbers a candidate has made."""

from __future__ import annotations

import json
import math
from typing import Any

from starlette.responses import Response


def as_json(value: Any) -> bytes:
    """Return a value as JSON in ASCII: texts may hold lone surrogates. Numbers that JSON lacks become null."""
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"), default=str).encode()
    except ValueError:
        return json.dumps(_finite(value), allow_nan=False, separators=(",", ":"), default=str).encode()


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class JsonAnswer(Response):
    """An answer in JSON."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Return the body."""
        return as_json(content)
