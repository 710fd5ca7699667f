"""Plans of cases that are texts: how their candidates are built and run, and which programs of the task decide."""

from __future__ import annotations

import json
from collections.abc import Callable

from sandboxes.contract import Limits
from sandboxes.languages.base import compiler_limits
from sandboxes.languages.judge_programs import CheckerProgram, JudgeProgram
from sandboxes.languages.registry import LANGUAGES
from sandboxes.languages.steps import Command, StepPlan, TestRun
from sandboxes.tasks.io_cases import IOCase, IOCases
from sandboxes.tasks.options import TaskOptions
from sandboxes.validation import short_repr


def judges_of(cases: IOCases, options: TaskOptions) -> list[JudgeProgram]:
    """Return the judge programs that decide about cases."""
    checker = cases.checker if options.checker is None else None
    return [judge for judge in (cases.interactor, checker) if isinstance(judge, JudgeProgram)]


def call_program(language: str, function: str) -> Callable[[str], str]:
    """Return a function that returns a candidate's program for cases that are calls.

    Args:
        language: of LANGUAGES.
        function: that the cases call.

    Raises:
        ValueError: if there are no such cases in the language.
    """
    calls = LANGUAGES[language].calls
    if calls is None:
        known = ["python", *(name for name, each in LANGUAGES.items() if each.calls and not each.variant_of)]
        raise ValueError(f"cases that call a function are for {', '.join(known)}, not for {language}")
    return lambda candidate: calls(candidate, function)


def call_cases(cases: IOCases) -> IOCases:
    """Return cases that are calls as those of programs, whose inputs and outputs are JSON.

    Raises:
        ValueError: if results are compared as Python prints them, or JSON can't hold an argument.
    """
    if cases.results == "printed":
        raise ValueError("results that are compared as Python prints them are for Python alone")
    given = []
    for case in cases.cases:
        accepted = (case.output, case.output[0]) if cases.is_wrapped else (case.output,)
        try:
            text = json.dumps(list(case.input), allow_nan=False)
        except ValueError as error:
            raise ValueError(f"the arguments {short_repr(case.input)} can't be sent to another language") from error
        given.append(IOCase(text, tuple(json.dumps(each) for each in accepted)))
    return IOCases(tuple(given), checker="result")


def case_plan(options: TaskOptions, language: str, cases: IOCases, limits: Limits) -> StepPlan:
    """Return the plan that runs candidates on inputs. Outputs are compared where no candidate runs.

    Raises:
        ValueError: if the caller's checker is to decide about conversations.
    """
    if cases.interactor and options.checker is not None:
        raise ValueError("the interactor of these cases decides; leave out the option checker")
    build: tuple[Command, ...] = ()
    command = Command(None, limits)
    if language != "python":
        recipe = LANGUAGES[language].standalone
        build = recipe.build(compiler_limits(limits, options.compile_seconds))
        command = recipe.run(limits)
    checker = None if callable(options.checker) else options.checker or cases.checker
    # An interactor gets the expected output, and nothing is compared with it.
    compared = "" if cases.interactor or not isinstance(checker, str) else checker
    runs = tuple(
        TestRun(
            command,
            f"case {number}",
            case.input,
            case.output if checker else None,
            compared,
            options.tolerance,
            any_status=cases.any_status,
            uses_files=cases.uses_files,
            unlimited_stack=cases.unlimited_stack,
        )
        for number, case in enumerate(cases.cases, start=1)
    )
    return StepPlan(
        build,
        runs,
        options.stop_at_first_failure,
        returns_output=checker is None,
        grading="separate",
        checker=checker.as_json(options.compile_seconds) if isinstance(checker, CheckerProgram) else None,
        interactor=cases.interactor.as_json(options.compile_seconds) if cases.interactor else None,
    )
