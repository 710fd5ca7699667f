"""Texts and bytes of foreign requests and answers."""

from __future__ import annotations

import base64
import binascii
import signal

from code_tasks.server.errors import InvalidRequest
from sandboxes import Outcome, ProcessResult
from sandboxes.extraction import encodable

LIMIT_TEXTS = {
    Outcome.TIMED_OUT: "exceeded its time limit",
    Outcome.OUT_OF_MEMORY: "exceeded its memory limit",
    Outcome.OUTPUT_LIMIT: "exceeded its output limit",
}
"""The ends of sentences about processes that a limit has ended."""


def decoded(data: bytes) -> str:
    """Return output as text. Each byte that is not UTF-8 becomes U+FFFD."""
    return data.decode("utf-8", "replace")


def encoded(text: str) -> bytes:
    """Return a text of a request in UTF-8. JSON can hold lone surrogates, which become question marks."""
    return encodable(text).encode("utf-8")


def from_base64(field: str, text: str) -> bytes:
    """Return the bytes of a file in a request. Characters that base64 does not have are left out.

    Raises:
        InvalidRequest: if the text is not base64.
    """
    try:
        return base64.b64decode(text)
    except (binascii.Error, ValueError) as error:
        raise InvalidRequest(field, f"the content is not base64: {error}") from None


def to_base64(data: bytes) -> str:
    """Return bytes for an answer."""
    return base64.b64encode(data).decode("ascii")


def signal_number(name: str) -> int:
    """Return the number of a signal, such as 11 for "SIGSEGV"; 9 for a name that this system does not know."""
    return int(getattr(signal, name, signal.SIGKILL))


def effective_limit(result: ProcessResult) -> Outcome | None:
    """Return the limit that decides about a process.

    A process whose stdout is cut has no output that anybody could compare. It is never reported as a success.
    """
    return Outcome.OUTPUT_LIMIT if result.limit is None and result.stdout_is_cut else result.limit


def limit_message(what: str, result: ProcessResult | None) -> str:
    """Return a sentence about the limit of a process, or about output that is not all there; "" if there is neither.

    Args:
        what: the subject, such as "the compiler".
        result: of the process. None: it was not started.
    """
    if result is None:
        return ""
    if limit := effective_limit(result):
        return f"{what} {LIMIT_TEXTS[limit]}"
    return f"the answer lacks the end of what {what} wrote to stderr" if result.stderr_is_cut else ""
