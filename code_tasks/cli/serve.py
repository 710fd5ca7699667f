"""`code-eval serve`: the evaluator behind HTTP."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from code_tasks.cli.arguments import expand_arguments, usage_errors
from code_tasks.cli.options import Door, GivenOptions
from code_tasks.cli.output import STATUS_OF_ERRORS, fail
from code_tasks.server.settings import REFUSED, ServerSettings
from code_tasks.server.tokens import parse_tokens

TOKEN_VARIABLE = "CODE_EVAL_TOKEN"
SERVE = Door(refused=REFUSED)
MISSING = 'code-eval serve needs more packages: pip install "code-eval-sandboxes[serve]"'


@dataclass(frozen=True)
class ListenArguments:
    """Where the server listens, and who may speak to it."""

    PANEL: ClassVar[str] = "Who may speak to the server"

    host: Annotated[str, typer.Option(help="The address to listen on. Others than this machine's need a token.")] = (
        ServerSettings.host
    )
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port to listen on; 0 for a free one.")] = (
        ServerSettings.port
    )
    token: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SECRET|NAME:SECRET",
            help="A token that clients must send: Authorization: Bearer SECRET. May be repeated. Users of this machine "
            f"see it in the list of processes; {TOKEN_VARIABLE}, with spaces between several, is not listed there.",
            show_default=TOKEN_VARIABLE,
        ),
    ] = None
    token_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A file with a token on each line, as for --token.")
    ] = None
    no_auth: Annotated[
        bool,
        typer.Option("--no-auth", help="Serve other machines without a token: whoever reaches the port runs programs."),
    ] = False
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="A name of this server that requests may have in the header Host. May be repeated."
        ),
    ] = None

    def given(self) -> dict[str, Any]:
        """Return the settings, and take the tokens out of this process's environment.

        Raises:
            OSError: if the file can't be read.
            ValueError: for an invalid token.
        """
        # No process that this one starts needs them, and programs may be able to read its environment.
        texts = [*(self.token or ()), *os.environ.pop(TOKEN_VARIABLE, "").split()]
        if self.token_file:
            texts += self.token_file.read_text(encoding="utf-8").split()
        return {
            "host": self.host,
            "port": self.port,
            "tokens": parse_tokens(texts),
            "no_auth": self.no_auth,
            "allowed_hosts": tuple(self.allowed_host or ()),
        }


@dataclass(frozen=True)
class RequestLimitArguments:
    """The limits of what clients may ask for. The names are those of `ServerSettings`."""

    PANEL: ClassVar[str] = "Limits of requests"

    allowed_language: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A language that candidates may be written in. May be repeated.",
            show_default="all that work here",
        ),
    ] = None
    max_timeout: Annotated[
        float, typer.Option(help="Seconds on the clock that a request may ask for, for a candidate or a case.")
    ] = ServerSettings.max_timeout
    max_task_seconds: Annotated[float, typer.Option(help="Seconds for all cases of a task together.")] = (
        ServerSettings.max_task_seconds
    )
    max_compile_timeout: Annotated[float, typer.Option(help="Seconds of each compiler that a request may ask for.")] = (
        ServerSettings.max_compile_timeout
    )
    max_memory_mb: Annotated[int, typer.Option(min=1, help="MiB of a candidate that a request may ask for.")] = (
        ServerSettings.max_memory_mb
    )
    max_kept_output_bytes: Annotated[
        int,
        typer.Option("--max-request-output-bytes", min=1, help="Bytes of output that a request may ask for."),
    ] = ServerSettings.max_kept_output_bytes
    max_candidates: Annotated[int, typer.Option(min=1, help="Candidates of one request.")] = (
        ServerSettings.max_candidates
    )
    max_body_mb: Annotated[int, typer.Option(min=1, help="MiB of one request.")] = ServerSettings.max_body_mb
    body_seconds: Annotated[float, typer.Option(help="Seconds in which a request has to arrive.")] = (
        ServerSettings.body_seconds
    )
    max_queue: Annotated[
        int, typer.Option(min=1, help="Programs that may wait or run, over all clients. More are told to come back.")
    ] = ServerSettings.max_queue
    max_sessions: Annotated[int, typer.Option(min=0, help="Sessions at once; 0 for none.")] = (
        ServerSettings.max_sessions
    )
    session_idle_seconds: Annotated[
        float, typer.Option(help="Seconds after which a session ends that nobody uses.")
    ] = ServerSettings.session_idle_seconds
    session_max_seconds: Annotated[float, typer.Option(help="Seconds after which a session ends.")] = (
        ServerSettings.session_max_seconds
    )

    def given(self) -> dict[str, Any]:
        """Return the settings."""
        values = dict(vars(self))
        return {"allowed_languages": tuple(values.pop("allowed_language") or ()), **values}


@dataclass(frozen=True)
class BenchmarkArguments:
    """The problems that the server has."""

    PANEL: ClassVar[str] = "Problems"

    benchmark: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME[=FILE]",
            help="A published benchmark whose problems clients may name, as SandboxFusion's clients do, or have "
            "evaluated, as BigCodeBench's do. Without a file it comes from the Hub. May be repeated.",
        ),
    ] = None

    max_benchmark_timeout: Annotated[
        float, typer.Option(help="Seconds on the clock of a candidate of BigCodeBench's /predict.")
    ] = ServerSettings.max_benchmark_timeout
    max_benchmark_memory_mb: Annotated[int, typer.Option(min=1, help="MiB of such a candidate.")] = (
        ServerSettings.max_benchmark_memory_mb
    )

    def given(self) -> dict[str, Any]:
        """Return the settings."""
        values = dict(vars(self))
        return {"benchmarks": tuple(values.pop("benchmark") or ()), **values}


@dataclass(frozen=True)
class ProcessArguments:
    """The processes of the server, and their end."""

    PANEL: ClassVar[str] = "Processes"

    processes: Annotated[
        int,
        typer.Option(min=1, help="Server processes on the port. Each has workers and a queue of its own."),
    ] = ServerSettings.processes
    shutdown_seconds: Annotated[
        float, typer.Option(help="Seconds that running programs have to end after SIGTERM or Ctrl-C.")
    ] = ServerSettings.shutdown_seconds


@expand_arguments
def serve(
    listen: ListenArguments,
    limits: RequestLimitArguments,
    problems: BenchmarkArguments,
    processes: ProcessArguments,
    options: Annotated[GivenOptions, SERVE],
) -> None:
    """Serve verdicts over HTTP: POST /evaluate, and the endpoints that verl, open-r1 and SandboxFusion's clients call.

    Options of tasks and limits are defaults: a request may choose others, up to the limits of requests. This runs
    programs that nobody has read. `code-eval doctor` shows how they are isolated. docs/server.md tells more.
    """
    try:
        from code_tasks.server.run import serve_forever
    except ImportError:
        fail(MISSING)
    with usage_errors():
        settings = ServerSettings(
            options=dict(options), **listen.given(), **limits.given(), **problems.given(), **vars(processes)
        )
        # Invalid options are reported before anything is started.
        settings.config_with({})
    try:
        serve_forever(settings)
    except OSError as error:
        fail(f"can't listen on {settings.host}:{settings.port}: {error.strerror}")
    except SystemExit as end:
        # Uvicorn has written why the server could not start, and has a status of its own for that.
        sys.exit(STATUS_OF_ERRORS if end.code else 0)
