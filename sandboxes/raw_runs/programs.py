"""The program of a raw run, as a worker takes it, and the result that its verdict becomes."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from functools import lru_cache

from sandboxes.contract import MAX_KEPT_BYTES, Limits, Program
from sandboxes.errors import SandboxUnavailable
from sandboxes.guest.common.frames import RAW
from sandboxes.languages.base import COMPILE_SECONDS, compiler_limits
from sandboxes.languages.registry import LANGUAGES
from sandboxes.languages.steps import SCRIPT_FILE, Command
from sandboxes.process_result import ProcessResult
from sandboxes.raw_runs.inputs import check_folders
from sandboxes.raw_runs.raw_run import MAX_FETCHED_BYTES, RawResult, RawRun
from sandboxes.runner import RunResult
from sandboxes.validation import short_repr
from sandboxes.workers.raw_replies import RawVerdict
from sandboxes.workers.sandbox import Sandbox

FILE_MODE = 0o755
"""Mode of the files that a run brings. They can be commands."""


def raw_program(run: RawRun, sandbox: Sandbox) -> Program:
    """Return the program of a raw run.

    Args:
        run: the run.
        sandbox: where it is to run.

    Raises:
        ValueError: if the sandbox does not run such a thing, or a file has the name of the source.
    """
    if sandbox.has_policy and run.argv is not None:
        raise ValueError(f'sandbox="{sandbox.name}" runs Python sources only, no argv; choose "subprocess" or "docker"')
    sources: Mapping[str, str] = {}
    if run.source is not None:
        is_python = run.language == "python"
        sources = {SCRIPT_FILE: run.source} if is_python else LANGUAGES[run.language].standalone.files(run.source, "")
    if taken := sorted(sources.keys() & run.files.keys()):
        raise ValueError(f"files: {short_repr(taken[0])} is the program's own file; choose another name")
    check_folders((*sources, *run.files))
    contents = {name: text.encode("utf-8", "surrogatepass") for name, text in sources.items()}
    asked = {
        "stored": {name: (FILE_MODE, encode(content)) for name, content in {**contents, **run.files}.items()},
        "stdin": encode(run.stdin),
        "argv": run.argv,
        "arguments": run.arguments,
        "env": run.env,
        "fetch": run.fetch,
        "fetch_bytes": MAX_FETCHED_BYTES,
    }
    language = None if run.argv is not None else run.language
    plan = raw_plan(language, run.limits, run.compile_limits, run.kept_bytes)
    return Program(json.dumps(asked), plan, run.limits, RAW, run.language)


@lru_cache(maxsize=64)
def raw_plan(language: str | None, limits: Limits, compile_limits: Limits | None, kept_bytes: int) -> str:
    """Return the plan that raw runs share, as the guest reads it.

    Args:
        language: of the source; None for a command.
        limits: of the run.
        compile_limits: of the compiler; None for the default.
        kept_bytes: size of the output to keep.
    """
    build: tuple[Command, ...] = ()
    # Many interpreters reserve more addresses than they use, and nobody knows what the command is.
    command = Command(None, limits, reserves_memory=language is None)
    if language not in (None, "python"):
        recipe = LANGUAGES[str(language)].standalone
        build = recipe.build(compile_limits or compiler_limits(limits, COMPILE_SECONDS))
        command = recipe.run(limits)
    steps = [each.as_json() for each in (*build, command)]
    for step in steps:
        step["limits"]["kept_bytes"] = MAX_KEPT_BYTES
        step["is_raw"] = True
    steps[-1]["limits"]["kept_bytes"] = kept_bytes
    # If a compiler is not there, the sandbox is broken.
    steps[-1]["any_command"] = language is None
    return json.dumps({"build": steps[:-1], "run": steps[-1]})


def encode(data: bytes) -> str:
    """Return bytes in base64."""
    return base64.b64encode(data).decode()


def raw_result(result: RunResult) -> RawResult:
    """Return the result of a raw run.

    Args:
        result: of its program.

    Raises:
        SandboxUnavailable: if the sandbox could not run it.
    """
    if isinstance(result, SandboxUnavailable):
        raise result
    if isinstance(result, RawVerdict):
        ends = (result.compile, result.run, result.files, result.missing)
        return RawResult(*ends, isolation=result.isolation, attempts=result.attempts)
    # The program has used up its sandbox's memory again and again, so that no guest could tell of its end.
    ended = ProcessResult(limit=result.outcome, detail=result.detail, wall_seconds=result.wall_seconds)
    return RawResult(run=ended, isolation=result.isolation, attempts=result.attempts)
