"""open-r1's package `cms_ioi` for piston: a submission is built with a problem's grader, and its output gets a score.

In piston, the package's script runs everything in one folder. Here the submission runs alone, and its output is
compared by the server, or by the problem's checker in a run of its own. A submission therefore can't write its score.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from code_tasks.server.errors import InvalidRequest
from code_tasks.server.protocols.codeforces import RUNTIME_ERROR, content_of
from code_tasks.server.protocols.files import plain_name
from code_tasks.server.protocols.piston_models import ExecuteRequest, StageResult
from code_tasks.server.protocols.piston_results import said
from code_tasks.server.protocols.texts import effective_limit
from code_tasks.server.request_values import MAX_INTEGER
from sandboxes import Outcome, ProcessResult
from sandboxes.validation import short_repr

GRADERS, CHECKER_SOURCE = "graders/", "checker/checker.cpp"
CONFIG, MANAGER = f"{GRADERS}grader_config.json", f"{GRADERS}manager.cpp"
PROGRAM, CHECKER = "program", "checker_program"
INPUT, EXPECTED, OUTPUT = "input.txt", "correct_output.txt", "solution_output.txt"

COMPILER = ("g++", "-DEVAL", "-std=gnu++17", "-O2", "-pipe", "-s", "-o", PROGRAM)
CHECKER_COMPILER = ("g++", "-x", "c++", "-std=gnu++17", "-O2", "-o", CHECKER, CHECKER_SOURCE)
RUN_PROGRAM = ("sh", "-c", "ulimit -s unlimited 2>/dev/null || ulimit -s $(ulimit -H -s); exec ./program")
RUN_CHECKER = (f"./{CHECKER}", INPUT, EXPECTED, OUTPUT)
SPACES = bytes.maketrans(b"\t\r\f\v", b"    ")


@dataclass(frozen=True)
class Submission:
    """A submission with the files of its problem."""

    files: Mapping[str, bytes]
    """Sources of the submission and of its grader, by path."""

    sources: tuple[str, ...]
    """Paths of the files to compile together."""

    checker_files: Mapping[str, bytes]
    """Sources of the checker, by path. Empty: outputs are compared."""

    input: bytes
    expected: bytes | None
    """The expected output. None: the submission's own output is the answer."""

    seconds: float | None
    memory_bytes: float | None


def parse_request(request: ExecuteRequest) -> Submission:
    """Return the submission of a request.

    Raises:
        InvalidRequest: if files are missing, or the problem is of a kind that is not supported.
    """
    files = {}
    for number, file in enumerate(request.files):
        name = plain_name(file.name or f"file{number}.code")
        if name is None:
            raise InvalidRequest(f"files.{number}.name", f"{short_repr(file.name)} is not below the program's folder")
        files[name] = content_of(request, number)
    config = parse_config(files.get(CONFIG))
    kind = config.get("task_type")
    if kind != "Batch" or MANAGER in files:
        raise InvalidRequest(CONFIG, f"the task type {short_repr(kind)} is not supported, only Batch without a manager")
    graders = sorted(name for name in files if name.startswith(GRADERS))
    headers = [name for name in graders if name.endswith(".h") and name != f"{GRADERS}testlib.h"]
    main = headers[0].removesuffix(".h") + ".cpp" if headers else f"{GRADERS}{config.get('code')}.cpp"
    if main not in files:
        raise InvalidRequest("files", f"there is no submission {short_repr(main)}")
    expected = files.get(EXPECTED)
    return Submission(
        {name: files[name] for name in graders if name != CONFIG},
        (main, *(name for name in (f"{GRADERS}grader.cpp", f"{GRADERS}stub.cpp") if name in files)),
        {name: data for name, data in files.items() if name.startswith("checker/")} if CHECKER_SOURCE in files else {},
        files.get(INPUT, b""),
        # The package takes an empty file for none.
        expected if expected and expected.strip() else None,
        number_of(config, "time_limit"),
        number_of(config, "memory_limit"),
    )


def parse_config(data: bytes | None) -> dict[str, Any]:
    """Return the configuration of a problem.

    Raises:
        InvalidRequest: if there is none, or it is not an object of JSON.
    """
    try:
        config = json.loads(data or b"")
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(CONFIG, f"it must be an object of JSON: {error}") from None
    if not isinstance(config, dict):
        raise InvalidRequest(CONFIG, f"it must be an object of JSON, not {short_repr(config)}")
    return config


def number_of(config: Mapping[str, Any], name: str) -> float | None:
    """Return a limit of a problem's configuration. None: it has none.

    Raises:
        InvalidRequest: if it is not a number above 0.
    """
    value = config.get(name)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= MAX_INTEGER:
        raise InvalidRequest(CONFIG, f"{name} must be a number from 0 to {MAX_INTEGER}, not {short_repr(value)}")
    return float(value)


def failure(result: ProcessResult, submission: Submission) -> StageResult | None:
    """Return the stage of a submission that did not end well. None: it did.

    Clients read the words of the second line, and not the status.
    """
    limit = effective_limit(result)
    if limit is Outcome.TIMED_OUT:
        return said(
            "0", 0, f"Time limit exceeded ({submission.seconds:g}s)" if submission.seconds else "Time limit exceeded"
        )
    if limit is Outcome.OUT_OF_MEMORY:
        return said("0", 0, "Memory limit exceeded")
    if limit is not None:
        return said("0", RUNTIME_ERROR, "Runtime error: the output limit was exceeded")
    if not result.succeeded:
        code = RUNTIME_ERROR if result.exit_status is None else result.exit_status
        return said("0", code, f"Runtime error with exit code {code}: {result.detail}")
    return None


def compared(expected: bytes, output: bytes) -> StageResult:
    """Return the stage that compares an output, as `diff -b` does: white space may be of another length."""
    if comparable(expected.rstrip(b"\n")) == comparable(output):
        return said("1", 0, "Output is correct (diff)")
    return said("0", 0, "Output isn't correct (diff)")


def comparable(text: bytes) -> bytes:
    """Return a text with one space for white space, none at the ends of lines, and no last line break.

    No step takes a line for itself: a submission can write millions of them.
    """
    text = text.translate(SPACES)
    while b"  " in text:
        text = text.replace(b"  ", b" ")
    return text.replace(b" \n", b"\n").removesuffix(b" ").removesuffix(b"\n")
