"""Tasks, and the programs that are built of them: one for each candidate, with the task's tests."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sandboxes.contract import Limits, Program, Verdict
from sandboxes.grading import classify_tests
from sandboxes.languages.judge_programs import JudgeProgram
from sandboxes.languages.programs import build_program, reason_for_candidate, recipe_for
from sandboxes.languages.registry import LANGUAGES, is_python
from sandboxes.languages.steps import SCRIPT_FILE, step_program
from sandboxes.runner import RunResult
from sandboxes.separable_tests import reason_for_shared
from sandboxes.tasks.call_harness import call_harness
from sandboxes.tasks.case_plans import call_cases, call_program, case_plan, judges_of
from sandboxes.tasks.continued_block import continued_block, with_advice
from sandboxes.tasks.empty_tests import check_not_empty
from sandboxes.tasks.io_cases import IOCases, apply_checker, parse_cases
from sandboxes.tasks.options import TaskOptions
from sandboxes.tasks.python_tests import (
    add_missing_tests,
    attach_test_results,
    needed_module,
    needs_shared,
    with_harness,
)
from sandboxes.validation import short_repr

NOT_APART = "the sandbox lacks the layers pid and mount, which keep candidate and tests apart"


@dataclass(frozen=True)
class Task:
    """One problem, with the candidates that are run against its tests."""

    reference: Any
    """The tests: code, or input/output cases as `parse_cases` takes them."""

    candidates: Sequence[str]
    name: str = ""
    """The task's name in errors. Empty: "references[0]" and so on."""

    language: str | None = None
    """The candidates' language. None: the language of the options."""

    limits: Limits | None = None
    """The limits of each candidate, on each of its cases. None: the limits of the configuration."""

    modules: tuple[str, ...] = ()
    """Names, without dots, of modules that its tests or right candidates import. Candidates don't run without them."""

    grading: str | None = None
    """The grading of tests that are Python code. None: that of the configuration."""


@dataclass(frozen=True)
class ProgramBatch:
    """The programs of tasks, and the completion of their results."""

    programs: Sequence[Program]
    references: Sequence[str | IOCases | None] = ()
    """The tests that complete each program's result.

    Cases, if they are calls or the caller's checker decides on them. Code, if the tests are in Python, but "" for a
    program that `assemble` has made, because its tests are unknown. Otherwise None. An empty sequence: results stay as
    they are.
    """

    options: TaskOptions = field(default_factory=TaskOptions)
    judges: Sequence[JudgeProgram] = ()
    """The programs of the tasks that decide: checker programs and interactors."""

    modules: Sequence[tuple[str, ...]] = ()
    """The modules that each program's task needs. An empty sequence: no task names any."""

    reasons: Sequence[str] = ()
    """Each program's `Verdict.grading_reason`. An empty sequence: there are none."""

    @classmethod
    def assemble(cls, tasks: Iterable[Task], options: TaskOptions, limits: Limits, grading: str) -> ProgramBatch:
        """Build the programs of tasks.

        Args:
            tasks: best sorted by reference, because a guest compiles the same tests only once.
            options: how tasks are run.
            limits: the limits of a candidate, on each of its cases, unless its task has limits of its own.
            grading: one of GRADINGS, for tests that are code.

        Raises:
            ValueError, TypeError: if a reference is invalid; the message has the task's name.
        """
        programs: list[Program] = []
        references: list[str | IOCases | None] = []
        judges: dict[JudgeProgram, None] = {}
        modules: list[tuple[str, ...]] = []
        reasons: list[str] = []
        for number, task in enumerate(tasks):
            language = task.language or (options.languages[number] if options.languages else options.language)
            try:
                cases = parse_cases(task.reference)
                own = task.grading or grading
                build = program_factory(options, language, task.reference, cases, task.limits or limits, own)
            except (ValueError, TypeError) as error:
                raise type(error)(f"{task.name or f'references[{number}]'}: {error}") from None
            judges.update(dict.fromkeys(judges_of(cases, options) if cases else ()))
            candidates = task.candidates
            if options.extract is not None:
                text = reference_text(task.reference)
                candidates = [options.extract(candidate, text) for candidate in candidates]
            programs += [build(candidate) for candidate in candidates]
            references += [tests_for_results(options, language, task.reference, cases)] * len(candidates)
            modules += [task.modules] * len(candidates)
            reason = ""
            if own == "auto":
                reason = reason_for_auto(options, language, task.reference, cases)
            reasons += [reason] * len(candidates)
        return cls(programs, references, options, tuple(judges), modules if any(modules) else (), reasons)

    @property
    def languages(self) -> set[str]:
        """The languages of the programs, and of the judge programs."""
        return {program.language for program in self.programs} | {judge.language for judge in self.judges}

    def sources(self) -> Iterator[str]:
        """Yield the candidates, tests and judge programs in which imports may stand."""
        yield from (judge.source for judge in self.judges)
        for program in self.programs:
            if program.grading == "steps":
                yield from json.loads(program.candidate)["files"].values()
            else:
                yield program.candidate
                yield program.reference or program.tests

    def finalize(self, index: int, result: RunResult) -> RunResult:
        """Complete a program's result: add per-test results, and apply the caller's checker to the output."""
        if not isinstance(result, Verdict) or not self.references:
            return result
        if self.reasons and result.grading == "shared":
            result = replace(result, grading_reason=self.reasons[index])
        reference = self.references[index]
        stops = self.options.stop_at_first_failure
        if isinstance(reference, IOCases) and reference.function:
            names = [f"case {number}" for number in range(1, len(reference.cases) + 1)]
            return result if stops else add_missing_tests(result, names)
        if isinstance(reference, IOCases):
            checker = self.options.checker
            return apply_checker(checker, reference, result) if callable(checker) else result
        if reference is not None:
            if block := continued_block(reference):
                result = with_advice(result)
                reference = block.rest
            return attach_test_results(result, reference, not stops)
        # A run without a name is the whole program, and no single test.
        return replace(result, tests=tuple(test for test in result.tests if test.name))


def reason_for_auto(options: TaskOptions, language: str, reference: Any, cases: IOCases | None) -> str:
    """Return the reason for which the grading "auto" runs tests as "shared"; "" if it does not."""
    if cases is not None:
        return reason_for_function(cases.function) if language == "python" else ""
    if options.assemble is not None:
        return "candidate and tests are one text"
    if language != "python":
        return reason_for_candidate(language, reference) or NOT_APART
    if continued_block(reference):
        return "the tests continue the candidate's last block"
    return "the tests are for pytest" if needs_shared(reference) else reason_for_shared(reference)


def reason_for_function(name: str) -> str:
    """Return why cases that call a function run as "shared"; "" if they don't."""
    return reason_for_shared(f"{name}()") if name else ""


def tests_for_results(
    options: TaskOptions, language: str, reference: Any, cases: IOCases | None
) -> str | IOCases | None:
    """Return the tests that complete the results of a task's programs, as `ProgramBatch.references` holds them."""
    if cases is not None:
        return cases if cases.function or callable(options.checker) else None
    if language != "python":
        return None
    return reference if options.assemble is None else ""


def normalize_reference(reference: Any) -> str:
    """Return a task's tests as a text: code as it is, cases as JSON.

    Raises:
        ValueError, TypeError: if the reference is neither.
    """
    if isinstance(reference, str):
        return reference
    parse_cases(reference)
    return json.dumps(reference)


def plain_reference(reference: Any) -> Any:
    """Return a task's tests, with cases as plain data that JSON can hold. Cases are not parsed yet.

    Raises:
        ValueError, TypeError: if cases hold a value that JSON can't hold.
    """
    if isinstance(reference, str):
        return reference
    if not isinstance(reference, Mapping | Sequence):
        # Raises an error, because such a value is neither code nor cases.
        return parse_cases(reference)
    try:
        return json.loads(json.dumps(reference))
    except TypeError:
        # A value that is not a case at all gets a better error here.
        parse_cases(reference)
        raise


def reference_text(reference: Any) -> str:
    """Return tests as the text that functions of the caller get."""
    return reference if isinstance(reference, str) else json.dumps(reference)


def program_factory(
    options: TaskOptions, language: str, reference: Any, cases: IOCases | None, limits: Limits, grading: str
) -> Callable[[str], Program]:
    """Return a function that builds the program of a candidate.

    Raises:
        ValueError, TypeError: if the tests are empty, or don't go with the language or the grading.
    """
    if cases is not None:
        return case_factory(options, language, cases, limits, grading)
    if options.assemble is not None:
        assemble = options.assemble
        return lambda candidate: assembled_program(language, assemble(candidate, reference), limits, options)
    check_not_empty(reference, language)
    if language == "python":
        return python_factory(options, reference, limits, grading)
    tests = reference
    if is_python(language):
        if needs_shared(reference):
            raise ValueError(f"tests for pytest run with the candidate, in python and not in {language}")
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
    if (block := continued_block(tests)) and grading != "separate":
        return lambda candidate: block.program(candidate, tests, limits, runs_all)
    if grading == "separate" and needs_shared(tests):
        raise ValueError("tests for pytest run with the candidate; choose grading='auto' or 'shared'")
    harness = with_harness(tests, runs_all)
    wanted = "shared" if grading == "auto" and needs_shared(tests) else grading
    chosen, repeatable = classify_tests(wanted, tests)
    module = needed_module(tests)
    return lambda candidate: Program(
        candidate,
        harness,
        limits,
        chosen,
        reference=tests,
        needed_module=module,
        tests_are_repeatable=repeatable,
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
        chosen = ("shared" if reason_for_function(cases.function) else "separate") if grading == "auto" else grading
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
