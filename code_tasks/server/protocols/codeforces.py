"""open-r1's package `codeforces` for piston: a program is judged by one case, with the comparison of our evaluator.

In piston, the package's script runs in the candidate's own folder, and the candidate can write the script's answer.
Here the sandbox's supervisor compares, and a checker program runs where no candidate does.
"""

from __future__ import annotations

from dataclasses import dataclass

from code_tasks.benchmarks.codeforces import reference_of
from code_tasks.server.errors import InvalidRequest
from code_tasks.server.protocols.piston_models import ExecuteRequest, StageResult
from code_tasks.server.protocols.piston_results import said
from code_tasks.server.protocols.texts import decoded, from_base64
from sandboxes import Outcome, Verdict
from sandboxes.tasks.case_judging import INPUT_MODES
from sandboxes.validation import short_repr

INPUT, EXPECTED, CHECKER, CONFIG = "input.txt", "correct_output.txt", "checker.py", "grader_config"
JUDGE_FILES = (INPUT, EXPECTED, CHECKER, CONFIG)

RUNTIME_ERROR, TIMED_OUT, ABORTED, CRASHED, FILE_TOO_LARGE = 1, 124, 134, 139, 153
"""Statuses of the package's script. It has those of a shell, which adds 128 to the number of a signal."""


@dataclass(frozen=True)
class JudgedProgram:
    """A program, the case that judges it, and its limits."""

    source: str
    input: str

    expected: str | None
    """The expected output. None: the program's own output is the answer."""

    checker: str
    """The source of the checker program. "": outputs are compared."""

    input_mode: str
    seconds: float | None
    """The limit of the case. None: that of the run."""

    memory_mb: float | None

    @property
    def reference(self) -> dict[str, object]:
        """The reference of the task."""
        return reference_of([(self.input, self.expected or "")], self.checker, self.input_mode)

    @property
    def judge(self) -> str:
        """The word for what compares, as the package has it in its answers."""
        return "checker" if self.checker else "diff"


def parse_request(request: ExecuteRequest) -> JudgedProgram:
    """Return the program of a request. It is the first file that is text.

    Raises:
        InvalidRequest: if a file or a limit is invalid.
    """
    files = texts_of(request)
    names = [file.name or "" for file in request.files]
    program = next((name for name, file in zip(names, request.files, strict=True) if file.encoding == "utf8"), None)
    if program is None or program in JUDGE_FILES:
        raise InvalidRequest("files", f"the first text must be the program, and not {short_repr(program)}")
    config = parse_config(files.get(CONFIG, ""))
    mode = config.get("INPUT_MODE") or INPUT_MODES[0]
    if mode not in INPUT_MODES:
        raise InvalidRequest(CONFIG, f"INPUT_MODE must be one of {', '.join(INPUT_MODES)}, not {short_repr(mode)}")
    return JudgedProgram(
        files[program],
        files.get(INPUT, ""),
        files.get(EXPECTED),
        files.get(CHECKER, ""),
        mode,
        number_of(config, "TIME_LIMIT"),
        number_of(config, "MEMORY_LIMIT"),
    )


def texts_of(request: ExecuteRequest) -> dict[str, str]:
    """Return the texts of a request's files by name. A file without a name has that of piston."""
    return {
        file.name or f"file{number}.code": decoded(content_of(request, number))
        for number, file in enumerate(request.files)
    }


def content_of(request: ExecuteRequest, number: int) -> bytes:
    """Return the content of a file.

    Raises:
        InvalidRequest: if it is not in its encoding.
    """
    file, field = request.files[number], f"files.{number}.content"
    if file.encoding == "base64":
        return from_base64(field, file.content)
    if file.encoding == "hex":
        try:
            return bytes.fromhex(file.content)
        except ValueError as error:
            raise InvalidRequest(field, f"the content is not hexadecimal: {error}") from None
    return file.content.encode("utf-8", "replace")


def parse_config(text: str) -> dict[str, str]:
    """Return the values of a `grader_config` by name. The package's script reads it as a shell does."""
    pairs = [line.partition("=") for line in text.splitlines() if "=" in line]
    return {name.strip(): value.strip().strip("\"'") for name, _, value in pairs}


def number_of(config: dict[str, str], name: str) -> float | None:
    """Return a limit of a `grader_config`. None: it has none.

    Raises:
        InvalidRequest: if it is not a number above 0.
    """
    if not (text := config.get(name)):
        return None
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    # Not `value <= 0`, because that is False for NaN.
    if not 0 < value < float("inf"):
        raise InvalidRequest(CONFIG, f"{name} must be a number above 0, not {short_repr(text)}")
    return value


def stages(program: JudgedProgram, verdict: Verdict, language: str) -> tuple[StageResult, StageResult]:
    """Return the stages (compile, run) of a judged program, as the package writes them.

    Args:
        program: that was judged.
        verdict: of it.
        language: our name of its language.
    """
    outcome = verdict.outcome
    if outcome is Outcome.COMPILE_ERROR and language != "python":
        text = verdict.stderr or verdict.exception_message or verdict.detail
        failed = said("", RUNTIME_ERROR, text)
        return failed, failed
    compiled = said("Skipping compile - python3" if language == "python" else "")
    if outcome is Outcome.PASSED:
        return compiled, said("1", 0, f"Output is correct ({program.judge})")
    if outcome is Outcome.FAILED and not verdict.exception_type:
        return compiled, said("0", 0, f"Output isn't correct ({program.judge}): {verdict.detail}")
    if outcome is Outcome.TIMED_OUT:
        limit = "" if program.seconds is None else f" ({program.seconds:g}s)"
        return compiled, said("0", TIMED_OUT, f"Time limit exceeded{limit}")
    if outcome is Outcome.OUT_OF_MEMORY:
        limit = "" if program.memory_mb is None else f" ({program.memory_mb:g}MB)"
        return compiled, said("0", ABORTED, f"Memory limit exceeded{limit}")
    code = {Outcome.CRASHED: CRASHED, Outcome.OUTPUT_LIMIT: FILE_TOO_LARGE}.get(outcome, RUNTIME_ERROR)
    details = verdict.traceback or verdict.stderr or verdict.detail
    return compiled, said("0", code, f"Runtime error with exit code {code}\n{details}".rstrip())
