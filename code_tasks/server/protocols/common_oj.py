"""SandboxFusion's `CommonOJDataset`: programs that read stdin and write stdout, judged by our evaluator.

SandboxFusion itself compares outputs in the server, case by case. Here the cases are a task, and the sandbox's
supervisor compares them, so that a verdict has the same trust as any other of ours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from code_tasks.server.errors import InvalidRequest
from code_tasks.server.protocols.fusion_extraction import TYPES, CodeBlock
from code_tasks.server.protocols.fusion_models import (
    CommandRunResult,
    CommandRunStatus,
    EvalResult,
    EvalTestCase,
    Prompt,
    RunCodeResponse,
    RunStatus,
    SubmitRequest,
    TestConfig,
)
from sandboxes import Outcome, TestResult, Verdict
from sandboxes.languages.registry import LABELS
from sandboxes.validation import short_repr

NAME = "CommonOJDataset"
CHECKER = "sandbox-fusion"
COMPILED = ("cpp", "go", "java")
"""Languages whose programs get COMPILED_SECONDS by default, and others SCRIPT_SECONDS."""

COMPILE_SECONDS, COMPILED_SECONDS, SCRIPT_SECONDS = 10.0, 10.0, 20.0
MAX_SHOWN_CHARS = 1000
"""Characters of an input or output that an answer repeats for a test that passed."""


def seconds_of(config: TestConfig) -> tuple[float, float]:
    """Return the seconds of (the compiler, the program) that a request asks for."""
    default = COMPILED_SECONDS if config.language in COMPILED else SCRIPT_SECONDS
    return config.compile_timeout or COMPILE_SECONDS, config.run_timeout or default


def row_of(config: TestConfig) -> Mapping[str, Any]:
    """Return the row that a request about one problem brings along.

    Raises:
        InvalidRequest: if it brings none, or several.
    """
    if not isinstance(config.provided_data, dict):
        raise InvalidRequest("config.provided_data", "give the row of the problem, an object with id, content and test")
    return config.provided_data


def cases_of(row: Mapping[str, Any]) -> list[dict[str, dict[str, str]]]:
    """Return the cases of a row, each as {"input": {"stdin"}, "output": {"stdout"}}.

    Raises:
        InvalidRequest: if there are none, or one needs anything but stdin and stdout.
    """
    field = "config.provided_data.test"
    cases = json_of(row, "test", list)
    if not cases:
        raise InvalidRequest(field, "there are no cases, so that every program would pass")
    for number, case in enumerate(cases):
        for side, stream in (("input", "stdin"), ("output", "stdout")):
            texts = case.get(side) if isinstance(case, dict) else None
            if not isinstance(texts, dict) or not isinstance(texts.get(stream), str):
                raise InvalidRequest(f"{field}.{number}.{side}", f"there is no text {stream!r}")
            if others := [name for name in texts if name != stream]:
                raise InvalidRequest(
                    f"{field}.{number}.{side}", f"the file {short_repr(others[0])} is not supported; use {stream}"
                )
    return [{side: dict(case[side]) for side in ("input", "output")} for case in cases]


def json_of(row: Mapping[str, Any], name: str, kind: type) -> Any:
    """Return a field of a row, which may be a text of JSON.

    Raises:
        InvalidRequest: if it is missing or of another type.
    """
    value = row.get(name)
    if isinstance(value, str):
        try:
            value = json.loads(value, strict=False)
        except (ValueError, RecursionError) as error:
            raise InvalidRequest(f"config.provided_data.{name}", f"it is not JSON: {error}") from None
    if not isinstance(value, kind):
        raise InvalidRequest(f"config.provided_data.{name}", f"it must be a {kind.__name__}, not {short_repr(value)}")
    return value


def reference_of(cases: Sequence[Mapping[str, Mapping[str, str]]]) -> dict[str, Any]:
    """Return the reference of a task with these cases."""
    return {
        "inputs": [case["input"]["stdin"] for case in cases],
        "outputs": [case["output"]["stdout"] for case in cases],
        "checker": CHECKER,
    }


def prompt_of(row: Mapping[str, Any], language: str) -> Prompt:
    """Return the prompt of a row.

    Args:
        row: with id, content and labels.
        language: our name of it. "": none is asked for.

    Raises:
        InvalidRequest: if a field is missing or of another type.
    """
    content, number = row.get("content"), row.get("id")
    if not isinstance(content, str):
        raise InvalidRequest("config.provided_data.content", f"it must be a text, not {short_repr(content)}")
    if not isinstance(number, int | str):
        raise InvalidRequest("config.provided_data.id", f"it must be a number or a text, not {short_repr(number)}")
    wanted = f"a complete program in {LABELS[language]}" if language else "a complete program"
    advice = " Name its public class Main." if language == "java" else ""
    prompt = f"{content}\n\nWrite {wanted} that reads standard input and writes standard output.{advice}"
    return Prompt(id=number, prompt=prompt, labels=json_of(row, "labels", dict) if "labels" in row else {})


def eval_result(
    request: SubmitRequest,
    block: CodeBlock | None,
    cases: Sequence[dict[str, dict[str, str]]],
    verdict: Verdict,
    language: str,
) -> EvalResult:
    """Return the answer for a submission.

    Args:
        request: the client's.
        block: with the code of the completion. None: there is none.
        cases: of the problem.
        verdict: of the code.
        language: our name of it.
    """
    tests = verdict.tests or (TestResult("case 1", verdict.outcome, verdict.detail),)
    first_failure = next((number for number, test in enumerate(tests) if test.outcome is not Outcome.PASSED), -1)
    shows_all = bool(request.config.extra.get("return_full_case"))
    results = []
    for number, (test, case) in enumerate(zip(tests, cases, strict=False)):
        passed = test.outcome is Outcome.PASSED
        shown = {side: {name: shorten(text) for name, text in texts.items()} for side, texts in case.items()}
        info = execution_of(test, verdict if number == first_failure else None, language)
        results.append(
            EvalTestCase(passed=passed, exec_info=info, test_info=shown if passed and not shows_all else case)
        )
    extracted_type = TYPES.get(block.priority) if block else "empty"
    return EvalResult(
        id=request.id,
        accepted=verdict.passed,
        extracted_code=block.code if block else "",
        tests=results,
        # The type is one of the model's, which the type checker can't see.
        extracted_type=extracted_type,  # type: ignore[arg-type]
        extra={"outcome": verdict.outcome.value, "detail": verdict.detail},
    )


def shorten(text: str) -> str:
    """Return a text without its middle, if it is long."""
    half = MAX_SHOWN_CHARS // 2
    return text if len(text) <= MAX_SHOWN_CHARS else f"{text[:half]}...{text[-half:]}"


def execution_of(test: TestResult, verdict: Verdict | None, language: str) -> RunCodeResponse:
    """Return the run of one test as SandboxFusion tells about it.

    Args:
        test: its result.
        verdict: with the output of this test. None: the output of the test is not kept.
        language: our name of it.
    """
    ran_well = test.outcome is Outcome.PASSED or (
        test.outcome is Outcome.FAILED and not (verdict and verdict.exception_type)
    )
    is_late = test.outcome is Outcome.TIMED_OUT
    run = CommandRunResult(
        status=CommandRunStatus.TimeLimitExceeded if is_late else CommandRunStatus.Finished,
        execution_time=test.seconds,
        return_code=None if is_late else int(not ran_well),
        stdout=verdict.stdout if verdict else "",
        stderr=(verdict.stderr or verdict.traceback) if verdict else "",
        limit=test.outcome.value if test.outcome in (Outcome.TIMED_OUT, *NATIVE_LIMITS) else None,
    )
    built = test.outcome is not Outcome.COMPILE_ERROR or language == "python"
    return RunCodeResponse(
        status=RunStatus.Success if ran_well else RunStatus.Failed,
        message=test.message,
        compile_result=None if built else run,
        run_result=run if built else None,
    )


NATIVE_LIMITS = (Outcome.OUT_OF_MEMORY, Outcome.OUTPUT_LIMIT)
"""Limits that SandboxFusion's statuses do not tell."""
