"""The settings of a server: its owner's options, and the limits of what clients may ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Any

from sandboxes import EvalConfig
from sandboxes.languages.registry import checked_language
from sandboxes.validation import positive_int, positive_number

LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")
REFUSED = {
    "k": "a server returns results, not pass@k",
    "repeats": "each candidate runs once",
    "dedupe": "candidates come one by one",
    "on_sandbox_error": "a candidate that the sandbox could not run has no verdict, and its answer says so",
    "on_invalid_tests": "invalid tests are an invalid request",
    "progress": "a server shows no bar",
    "language": "each task names its language",
    "languages": "each task names its language",
}
"""Options that a server does not have, each with the reason."""

DEFAULTS: Mapping[str, Any] = MappingProxyType({"dedupe": False, "on_sandbox_error": "exclude"})


@dataclass(frozen=True)
class ServerSettings:
    """The settings of one server. Frozen and picklable, because every server process gets them.

    Raises:
        ValueError, TypeError: if one is invalid; the message names it.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the option table that the owner gave. A client's options replace those that it may choose."""

    host: str = "127.0.0.1"
    port: int = 8080
    tokens: Mapping[str, str] = field(default_factory=dict, repr=False)
    """{name of a client: its secret}. Empty: no token is asked for."""

    no_auth: bool = False
    """True if a host that others can reach may be served without tokens."""

    allowed_hosts: tuple[str, ...] = ()
    """More names in the header Host. Empty, with a loopback host: the names of loopback alone."""

    allowed_languages: tuple[str, ...] = ()
    """Languages that candidates may be written in. Empty: all that work here."""

    benchmarks: tuple[str, ...] = ()
    """Benchmarks whose problems clients may name: NAME=FILE, or NAME for the dataset on the Hub."""

    max_queue: int = 1024
    """Programs that may wait or run at once, over all clients."""

    max_candidates: int = 256
    """Candidates of one request."""

    max_body_mb: int = 16
    """MiB of one request."""

    max_timeout: float = 60.0
    """Seconds on the clock that a request may ask for: of a candidate, a case, or a process."""

    max_benchmark_timeout: float = 240.0
    """Seconds on the clock of a candidate of BigCodeBench's `/predict`, whose grader gives 240."""

    max_benchmark_memory_mb: int = 8192
    """MiB of memory of such a candidate."""

    max_task_seconds: float = 3600.0
    """Seconds that all cases of one task may take together."""

    max_compile_timeout: float = 60.0
    """Seconds on the clock of each compiler that a request may ask for."""

    max_memory_mb: int = 4096
    """MiB of memory of a candidate that a request may ask for."""

    max_kept_output_bytes: int = 64 << 20
    """Bytes of output of a candidate that a request may ask for."""

    max_sessions: int = 64
    """Sessions at once. 0: there are none."""

    session_idle_seconds: float = 900.0
    """Seconds after which a session ends that nobody uses."""

    session_max_seconds: float = 14400.0
    """Seconds after which a session ends, whoever uses it."""

    body_seconds: float = 30.0
    """Seconds in which a request has to arrive."""

    shutdown_seconds: float = 30.0
    """Seconds that running programs have to end after SIGTERM."""

    processes: int = 1
    """Server processes on the same port. Each has a queue, workers and sessions of its own."""

    def __post_init__(self) -> None:
        """Check each setting, and that a host which others can reach is protected."""
        for name in (
            "max_queue",
            "max_candidates",
            "max_body_mb",
            "max_memory_mb",
            "max_kept_output_bytes",
            "max_benchmark_memory_mb",
        ):
            positive_int(name, getattr(self, name))
        positive_int("processes", self.processes)
        for name in (
            "max_timeout",
            "max_task_seconds",
            "max_benchmark_timeout",
            "max_compile_timeout",
            "body_seconds",
            "shutdown_seconds",
            "session_idle_seconds",
            "session_max_seconds",
        ):
            positive_number(name, getattr(self, name), "seconds")
        for language in self.allowed_languages:
            checked_language(language)
        if not (self.is_local or self.tokens or self.no_auth):
            raise ValueError(
                f"host {self.host!r} can be reached from other machines, whose users could run programs here: give a "
                "token (--token or CODE_EVAL_TOKEN), or --no-auth if a proxy asks for one"
            )

    @property
    def is_local(self) -> bool:
        """True if only this machine can reach the server."""
        return self.host in LOOPBACK_HOSTS

    @property
    def accepted_candidates(self) -> int:
        """The largest number of candidates in a request that the queue ever has room for."""
        return min(self.max_candidates, (self.max_queue + 1) // 2)

    @cached_property
    def limits(self) -> Mapping[str, float]:
        """The largest value of each option that a request may have."""
        return {
            "timeout": self.max_timeout,
            "compile_timeout": self.max_compile_timeout,
            "memory_mb": self.max_memory_mb,
            "stack_mb": self.max_memory_mb,
            "max_output_bytes": self.max_kept_output_bytes,
            "max_processes": self.config.limits.processes,
        }

    @cached_property
    def config(self) -> EvalConfig:
        """The configuration without any client's options.

        Raises:
            ValueError, TypeError, SandboxUnavailable, NotImplementedError: as `EvalConfig.from_options`.
        """
        return self.config_with({})

    def config_with(self, options: Mapping[str, Any]) -> EvalConfig:
        """Return the configuration of a request.

        Args:
            options: the client's, which are checked already.

        Raises:
            ValueError, TypeError: if options contradict each other.
        """
        return EvalConfig.from_options({**self.options, **options}, defaults=DEFAULTS, without=REFUSED)
