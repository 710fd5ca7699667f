"""Client of a model behind an OpenAI-compatible server: requests, answers and errors.

The chat solvers use it. It raises one of two exceptions:

RetryableSystemError    too many requests (429), the server's own errors (5xx), a timeout, no connection, or a response
                        that is truncated or holds no answer
EndpointError           every other refusal: the server would refuse the same request again
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any

from code_tasks.solvers.interface import Message, RetryableSystemError
from code_tasks.solvers.models.request_batching import SharedRequests
from sandboxes.extraction import content_text
from sandboxes.validation import positive_int, positive_number, short_repr

if TYPE_CHECKING:
    import openai

INSTALL = 'a chat endpoint needs the openai package: pip install "code-eval-sandboxes[solvers]"'
# The same request may succeed later after these: timeouts and conflicts on the server, too early, too many.
RETRYABLE_STATUS = frozenset({408, 409, 425, 429})
# Time for a connection. A host that drops packets is told of then, and not after the time for a whole answer.
CONNECT_SECONDS = 30.0
# Longest wait that a server can ask for with Retry-After.
MAX_RETRY_AFTER_SECONDS = 600.0
# Characters of a server's error text in our messages.
MAX_ERROR_CHARS = 500
# OpenAI's error code, and our finish reason, for a conversation that is longer than the model can read.
CONTEXT_LENGTH_EXCEEDED = "context_length_exceeded"
# Error code of a 429 that waiting does not end.
NO_CREDIT = "insufficient_quota"
HINTS = {
    400: "check the settings: the server rejects one of them",
    401: "set OPENAI_API_KEY, or give api_key",
    403: "the key may not use this model",
    404: "check base_url, which mostly ends in /v1, and the model's name",
    422: "check the settings: the server rejects one of them",
    429: "there is no credit left",
}


class EndpointError(RuntimeError):
    """The server refuses a request, and would refuse it again."""


@dataclass(frozen=True)
class Endpoint:
    """A model's address and the sampling parameters. None means the server's default."""

    model: str
    base_url: str | None = None
    """The server's URL, such as "http://localhost:8000/v1". None: OPENAI_BASE_URL, otherwise OpenAI's own."""

    api_key: str | None = field(default=None, repr=False)
    """None: OPENAI_API_KEY."""

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    """Tokens of one answer."""

    stop: str | Sequence[str] = ()
    """Texts before which an answer ends."""

    timeout_seconds: float = 600.0
    """Time for one whole answer."""

    answers_per_request: int = 1
    """Most answers of one request. Attempts at the same question that wait at the same time share a request."""

    extra_body: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of a request that this server knows: {"max_completion_tokens": 4096}."""

    def __post_init__(self) -> None:
        """Raise ValueError or TypeError for an invalid value."""
        if not isinstance(self.model, str) or not self.model:
            raise ValueError(f"model must be the name of a model, not {short_repr(self.model)}")
        if self.base_url is not None and not str(self.base_url).startswith(("http://", "https://")):
            raise ValueError(f"base_url must be a URL such as 'http://host/v1', not {short_repr(self.base_url)}")
        if self.api_key is not None and not (self.api_key.isascii() and self.api_key.isprintable()):
            raise ValueError("api_key contains characters that are invalid in a key, such as a newline")
        for name in ("temperature", "top_p"):
            value = getattr(self, name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0):
                raise ValueError(f"{name} must be a number >= 0, not {short_repr(value)}")
        positive_int("answers_per_request", self.answers_per_request)
        if self.max_tokens is not None:
            positive_int("max_tokens", self.max_tokens)
        if invalid := [text for text in self.stop_texts if not isinstance(text, str) or not text]:
            raise ValueError(f"stop must be one or more non-empty strings, not {short_repr(invalid[0])}")
        positive_number("timeout", self.timeout_seconds, "seconds")

    @property
    def stop_texts(self) -> list[str]:
        """The texts of `stop` as a list."""
        return [self.stop] if isinstance(self.stop, str) else list(self.stop or ())

    @property
    def settings(self) -> dict[str, Any]:
        """The values that affect answers, for the run log. The key is left out."""
        return {
            "model": self.model,
            "base_url": self.base_url,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "max_tokens": self.max_tokens,
            "stop": self.stop_texts,
            **{f"extra_body.{name}": value for name, value in self.extra_body.items()},
        }

    def request(self, messages: Sequence[Message], count: int = 1) -> dict[str, Any]:
        """Return the keyword arguments of a request for `count` answers."""
        sampling = {"temperature": self.temperature, "top_p": self.top_p, "max_tokens": self.max_tokens}
        request: dict[str, Any] = {name: value for name, value in sampling.items() if value is not None}
        if self.stop_texts:
            request["stop"] = self.stop_texts
        if self.extra_body:
            request["extra_body"] = dict(self.extra_body)
        if count > 1:
            request["n"] = count
        return {"model": self.model, "messages": [dict(message) for message in messages], **request}


@dataclass(frozen=True)
class Answer:
    """One sampled completion."""

    text: str
    """The message's content; empty if it has none."""

    finish_reason: str = "stop"
    usage: Mapping[str, int] = field(default_factory=dict)
    """Tokens of the whole request. Only the first of its answers has them."""

    reasoning: str = ""
    """The model's reasoning before the answer, if the server reports it."""

    @property
    def truncated(self) -> bool:
        """True if the answer ended at a limit on tokens."""
        return self.finish_reason in ("length", CONTEXT_LENGTH_EXCEEDED)

    @property
    def context_length_exceeded(self) -> bool:
        """True if there is no answer because the conversation is too long for the model."""
        return self.finish_reason == CONTEXT_LENGTH_EXCEEDED

    @property
    def metadata(self) -> dict[str, Any]:
        """The fields that a run log keeps besides the text."""
        reasoning = {"reasoning": self.reasoning} if self.reasoning else {}
        return {"finish_reason": self.finish_reason, **self.usage, **reasoning}


class Client:
    """Asks a model. An async context manager for one event loop, in which many tasks may ask at once."""

    def __init__(self, endpoint: Endpoint):
        """Choose the key; no connection is opened yet.

        Raises:
            ImportError: if the openai package is missing.
            ValueError: if there is neither a key nor a server that may need none.
        """
        try:
            import openai
        except ImportError as error:
            raise ImportError(INSTALL) from error
        self.openai = openai
        self.endpoint = endpoint
        key = endpoint.api_key or os.environ.get("OPENAI_API_KEY")
        if not key and not endpoint.base_url and not os.environ.get("OPENAI_BASE_URL"):
            raise ValueError("give base_url, for a server of your own, or set OPENAI_API_KEY")
        # The openai package requires a key, even for a server that wants none.
        self.key = key or "none"
        self._client: openai.AsyncOpenAI | None = None
        self._not_before = 0.0
        self._shared = SharedRequests(self._ask, endpoint.answers_per_request)

    async def __aenter__(self) -> Client:
        """Open the connections. The package's own retries are off: the runner counts and records retries."""
        seconds = self.endpoint.timeout_seconds
        timeout = self.openai.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))
        self._client = self.openai.AsyncOpenAI(
            api_key=self.key, base_url=self.endpoint.base_url, max_retries=0, timeout=timeout
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Close the connections."""
        await self._shared.close()
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def wait_for_rate_limit(self) -> None:
        """Wait until the time that the server last asked for with Retry-After is over."""
        while (wait := self._not_before - time.monotonic()) > 0:
            await asyncio.sleep(wait)

    async def ask(self, messages: Sequence[Message]) -> Answer:
        """Return one answer of the model. Call `wait_for_rate_limit` first.

        Raises:
            RetryableSystemError: for an error that a later request may not meet.
            EndpointError: for a lasting refusal.
        """
        if self._client is None:
            raise RuntimeError("the client is not open: use it in an `async with`")
        if self.endpoint.answers_per_request > 1:
            return await self._shared.ask(messages)
        return (await self._ask(messages))[0]

    async def _ask(self, messages: Sequence[Message], count: int = 1) -> list[Answer]:
        """Return at least one answer, and at most `count`."""
        openai, endpoint, client = self.openai, self.endpoint, self._client
        if client is None:
            raise RuntimeError("the client was closed")
        try:
            # The package's own timeout is for each chunk of an answer: a server that trickles never reaches it.
            async with asyncio.timeout(endpoint.timeout_seconds):
                completion = await client.chat.completions.create(**endpoint.request(messages, count))
        except (TimeoutError, openai.APITimeoutError) as error:
            if _root_cause(error).startswith("ConnectTimeout"):
                failed = f"can't reach {client.base_url}: no connection within {CONNECT_SECONDS:g} s"
            else:
                failed = f"no answer within {endpoint.timeout_seconds:g} s from {client.base_url}"
            raise RetryableSystemError(f"{endpoint.model}: {failed}") from None
        except openai.APIStatusError as error:
            return [self._handle_error_status(error)] * count
        except openai.APIConnectionError as error:
            cause = _root_cause(error)
            failed = "can't reach" if cause.startswith("ConnectError") else "lost the connection to"
            raise RetryableSystemError(f"{endpoint.model}: {failed} {client.base_url}: {cause}") from error
        except (openai.APIResponseValidationError, ValueError) as error:
            cause = _root_cause(error)
            raise RetryableSystemError(f"{endpoint.model}: {error} ({cause}), at {client.base_url}") from error
        return parse_answers(completion, endpoint.model)

    def _handle_error_status(self, error: openai.APIStatusError) -> Answer:
        """Return an empty answer if the conversation is too long. Raise for every other error status."""
        status, body = error.status_code, error.body
        text = str(body.get("message") if isinstance(body, dict) else error.message)[:MAX_ERROR_CHARS]
        is_too_long = error.code == CONTEXT_LENGTH_EXCEEDED or "context length" in error.message
        if status == 400 and is_too_long:
            return Answer("", CONTEXT_LENGTH_EXCEEDED)
        if (status in RETRYABLE_STATUS or status >= 500) and error.code != NO_CREDIT:
            wait = retry_after(error.response.headers)
            self._not_before = max(self._not_before, time.monotonic() + wait)
            reason = f"{self.endpoint.model}: {error.request.url} answered {status}: {text}"
            raise RetryableSystemError(reason, wait) from error
        hint = HINTS.get(status, "the server would refuse the request again")
        raise EndpointError(f"{self.endpoint.model}: {error.request.url} answered {status}: {text}; {hint}") from error


def parse_answers(completion: Any, model: str) -> list[Answer]:
    """Return the answers in a server's response.

    Raises:
        RetryableSystemError: if the response holds no answer.
    """
    choices = getattr(completion, "choices", None)
    if not isinstance(choices, list) or not choices or any(getattr(item, "message", None) is None for item in choices):
        response = getattr(completion, "error", None) or completion
        raise RetryableSystemError(f"{model}: the server sent no answer, but {short_repr(response)}")
    usage = getattr(completion, "usage", None)
    counts = {name: getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens")}
    tokens = {name: count for name, count in counts.items() if isinstance(count, int)}
    # The tokens are those of the request, and must be counted once.
    return [parse_answer(choice, {} if index else tokens) for index, choice in enumerate(choices)]


def parse_answer(choice: Any, usage: Mapping[str, int]) -> Answer:
    """Return the answer of one choice."""
    message = choice.message
    reasonings = [getattr(message, name, None) for name in ("reasoning_content", "reasoning")]
    return Answer(
        text=content_text(getattr(message, "content", None)),
        finish_reason=getattr(choice, "finish_reason", None) or "stop",
        usage=usage,
        reasoning=content_text(next(filter(None, reasonings), "")),
    )


def retry_after(headers: Mapping[str, str]) -> float:
    """Return the seconds that a server asks to wait with Retry-After; 0 without the header."""
    value = headers.get("retry-after", "0")
    try:
        seconds = float(value)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(value).timestamp() - time.time()
        except ValueError:
            return 0.0
    return min(max(seconds, 0.0), MAX_RETRY_AFTER_SECONDS) if seconds == seconds else 0.0


def _root_cause(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {error}".rstrip(": ")
