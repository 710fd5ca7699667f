"""The programs of a task's candidates: each is a candidate with the task's tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sandboxes.contract import Limits, Program
from sandboxes.grading import chosen_grading
from sandboxes.languages.programs import build_program, reason_for_candidate, recipe_for
from sandboxes.languages.registry import LANGUAGES, is_python
from sandboxes.languages.steps import SCRIPT_FILE, step_program
from sandboxes.separable_tests import reason_for_shared
from sandboxes.tasks.call_harness import call_harness
from sandboxes.tasks.case_plans import call_cases, call_program, case_plan
from sandboxes.tasks.continued_block import continued_block
from sandboxes.tasks.io_cases import IOCases
from sandboxes.tasks.options import TaskOptions
from sandboxes.tasks.python_tests import needed_module, needs_shared, with_harness
from sandboxes.validation import short_repr

NOT_APART = "the sandbox lacks the layers pid and mount, which keep candidate and tests apart"


def program_factory(
    options: TaskOptions, language: str, reference: Any, cases: IOCases | None, limits: Limits, grading: str
) -> Callable[[str], Program]:
    """Return a function that builds the program of a candidate.

    Raises:
        ValueError, TypeError: if the tests don't go with the language or the grading.
    """
    if cases is not None:
        return case_factory(options, language, cases, limits, grading)
    if options.assemble is not None:
        assemble = options.assemble
        return lambda candidate: assembled_program(language, assemble(candidate, reference), limits, options)
    if language == "python":
        return python_factory(options, reference, limits, grading)
    tests = reference
    if is_python(language):
        if needs_shared(reference):
            raise ValueError(f"tests for pytest run with the candidate, in python and not in {language}")
        # The harness is ours, and decides nothing about where tests run.
        grading = chosen_grading(grading, reason_for_python(reference))
        tests = with_harness(reference, runs_all=False)
    # Raises an error, if there is one, before the first candidate.
    recipe_for(language, tests, grading)
    return lambda candidate: build_program(language, candidate, tests, limits, options.compile_seconds, grading)


def python_factory(options: TaskOptions, tests: str, limits: Limits, grading: str) -> Callable[[str], Program]:
    """Return a function that builds the program of a Python candidate with tests.

    Raises:
        ValueError: if the tests don't go with the grading.
    """
    runs_all = not options.stop_at_first_failure
    chosen = chosen_grading(grading, reason_for_python(tests))
    if block := continued_block(tests):
        return lambda candidate: block.program(candidate, tests, limits, runs_all)
    harness = with_harness(tests, runs_all)
    module = needed_module(tests)
    return lambda candidate: Program(
        candidate,
        harness,
        limits,
        chosen,
        reference=tests,
        needed_module=module,
        tests_are_repeatable=chosen == "separate",
    )


def case_factory(
    options: TaskOptions, language: str, cases: IOCases, limits: Limits, grading: str
) -> Callable[[str], Program]:
    """Return a function that builds the program of a candidate with cases.

    Raises:
        ValueError: if the cases don't go with the language.
    """
    if cases.function and language == "python":
        tests = call_harness(cases, options.stop_at_first_failure)
        # These tests are ours, and need nothing of the candidate's interpreter but a function with a builtin's name.
        chosen = chosen_grading(grading, reason_for_function(cases.function))
        is_apart = chosen == "separate"
        return lambda candidate: Program(candidate, tests, limits, chosen, tests_are_repeatable=is_apart)
    if cases.function:
        call = call_program(language, cases.function)
        plan = case_plan(replace(options, checker=None), language, call_cases(cases), limits)
        files = LANGUAGES[language].standalone.files
        return lambda candidate: step_program(files(call(candidate), ""), plan, limits, language=language)
    plan = case_plan(options, language, cases, limits)
    if language == "python":
        return lambda candidate: step_program({SCRIPT_FILE: candidate}, plan, limits)
    files = LANGUAGES[language].standalone.files
    return lambda candidate: step_program(files(candidate, ""), plan, limits, language=language)


def assembled_program(language: str, program: str, limits: Limits, options: TaskOptions) -> Program:
    """Return the program of a text that holds the candidate and its tests already.

    Raises:
        TypeError: if the caller's `assemble` has returned anything but a string.
    """
    if not isinstance(program, str):
        raise TypeError(f"assemble must return a program as a string, not {short_repr(program)}")
    if language == "python":
        return Program(program, "", limits)
    return build_program(language, program, "", limits, options.compile_seconds)


def reason_for_auto(options: TaskOptions, language: str, reference: Any, cases: IOCases | None) -> str:
    """Return the reason for which the grading "auto" runs tests as "shared"; "" if it does not."""
    if cases is not None:
        return reason_for_function(cases.function) if language == "python" else ""
    if options.assemble is not None:
        return "candidate and tests are one text"
    if not is_python(language):
        return reason_for_candidate(language, reference) or NOT_APART
    return reason_for_python(reference)


def reason_for_python(tests: str) -> str:
    """Return why tests in Python can't run apart from their candidate; "" if they can."""
    if continued_block(tests):
        return "the tests continue the candidate's last block"
    return "the tests are for pytest" if needs_shared(tests) else reason_for_shared(tests)


def reason_for_function(name: str) -> str:
    """Return why cases that call a function run as "shared"; "" if they don't."""
    return reason_for_shared(f"{name}()") if name else ""
