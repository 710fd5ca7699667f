"""The encoding of verdicts in the cache's rows: a checksum, and JSON."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields
from typing import Any

from sandboxes.contract import Outcome, TestResult, Verdict
from sandboxes.guest.common.output_value import decode_output, encode_output

CHECKSUM_BYTES = 16
# Fields that say how one run came to the verdict, and fields with an encoding of their own.
SPECIAL_FIELDS = ("outcome", "tests", "output", "isolation", "cached", "duplicate_of", "repeats")
OUTCOMES = {outcome.value: outcome for outcome in Outcome}
DEFAULTS = {field.name: field.default for field in fields(Verdict) if field.name not in SPECIAL_FIELDS}


class CorruptRow(Exception):
    """A row holds something that was never written there."""


def encode_verdict(key: bytes, verdict: Verdict) -> bytes:
    """Return a verdict as it is stored under a key: a checksum, and JSON."""
    values: dict[str, Any] = {
        name: value for name, default in DEFAULTS.items() if (value := getattr(verdict, name)) != default
    }
    values |= {"outcome": verdict.outcome.value, "isolation": verdict.isolation}
    if verdict.tests:
        values["tests"] = [
            [test.name, test.outcome.value, test.message, test.seconds, test.stdout] for test in verdict.tests
        ]
    if verdict.output is not None:
        values["output"] = encode_output({"output": verdict.output}, "output")
    body = json.dumps(values, separators=(",", ":")).encode()
    return checksum(key, body) + body


def decode_verdict(key: Any, data: Any) -> Verdict:
    """Return the verdict that `encode_verdict` was given.

    Raises:
        CorruptRow: if the bytes are not what `encode_verdict` returned for this key.
    """
    try:
        body = data[CHECKSUM_BYTES:]
        if data[:CHECKSUM_BYTES] != checksum(key, body):
            raise ValueError("a checksum is wrong")
        values = json.loads(body)
        values["outcome"], values["isolation"] = OUTCOMES[values["outcome"]], tuple(values["isolation"])
        values["test_lines"] = tuple(map(int, values.get("test_lines", ())))
        if "tests" in values:
            tests = values["tests"]
            values["tests"] = tuple(TestResult(name, OUTCOMES[outcome], *rest) for name, outcome, *rest in tests)
        if "output" in values:
            values["output"] = decode_output(values["output"])
        return Verdict(**values, cached=True)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise CorruptRow(str(error)) from error


def checksum(key: bytes, body: bytes) -> bytes:
    """Return the checksum that shows that a row is as it was written, under this key."""
    return hashlib.sha256(key + body).digest()[:CHECKSUM_BYTES]
