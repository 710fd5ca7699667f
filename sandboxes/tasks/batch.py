"""The programs of tasks, one for each candidate with its task's tests, and the completion of their results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sandboxes.contract import Limits, Program, Verdict
from sandboxes.extraction import Extraction
from sandboxes.languages.judge_programs import JudgeProgram
from sandboxes.runner import RunResult
from sandboxes.tasks.broken_tests import check_tests, modules_of_tests
from sandboxes.tasks.case_plans import judges_of
from sandboxes.tasks.continued_block import continued_block
from sandboxes.tasks.io_cases import IOCases, apply_checker, parse_cases
from sandboxes.tasks.options import TaskOptions
from sandboxes.tasks.python_tests import add_missing_tests, attach_test_results
from sandboxes.tasks.task import Task, read_candidates
from sandboxes.tasks.task_programs import program_factory, reason_for_auto
from sandboxes.validation import summarize

MAX_REASONS = 20
"""Reasons for which tests are invalid that an error lists."""

WAY_OUT = 'on_invalid_tests="skip" leaves such tasks out of the score'


@dataclass(frozen=True)
class TaskFacts:
    """What the programs of a task have in common."""

    name: str = ""
    tests: str | IOCases | None = None
    """The tests that complete each program's result.

    Cases, if they are calls or the caller's checker decides on them. Code, if the tests are in Python, but "" if
    `assemble` has made the programs, because the tests are unknown. Otherwise None.
    """

    modules: tuple[str, ...] = ()
    """`Task.modules`."""

    imports: tuple[str, ...] = ()
    """The modules that the tests import, and that the sandbox may lack."""

    reason: str = ""
    """`Verdict.grading_reason` of a program that runs as "shared"."""


@dataclass(frozen=True)
class ProgramBatch:
    """The programs of tasks, and the completion of their results."""

    programs: Sequence[Program]
    tasks: Sequence[TaskFacts] = ()
    """The task of each program. An empty sequence: results stay as they are."""

    options: TaskOptions = field(default_factory=TaskOptions)
    judges: Sequence[JudgeProgram] = ()
    """The programs of the tasks that decide: checker programs and interactors."""

    extractions: Sequence[Extraction] = ()
    """How each program's answer was read. An empty sequence: each program is all of its answer."""

    @classmethod
    def assemble(
        cls, tasks: Iterable[Task], options: TaskOptions, limits: Limits, grading: str, parses_here: bool = False
    ) -> ProgramBatch:
        """Build the programs of tasks.

        Args:
            tasks: best sorted by reference, because a guest compiles the same tests only once.
            options: how tasks are run.
            limits: the limits of a candidate, on each of its cases, unless its task has limits of its own.
            grading: one of GRADINGS, for tests that are code.
            parses_here: whether programs have this process's version of Python, so that their tests parse here too.

        Raises:
            ValueError, TypeError: if references are invalid and the options don't skip them, or if one does not go with
                the options; the message has the tasks' names.
        """
        programs: list[Program] = []
        facts: list[TaskFacts] = []
        judges: dict[JudgeProgram, None] = {}
        extractions: list[Extraction] = []
        invalid: dict[str, list[str]] = {}
        for number, task in enumerate(tasks):
            language = task.language or (options.languages[number] if options.languages else options.language)
            name, own = task.name or f"references[{number}]", task.grading or grading
            try:
                cases = parse_cases(task.reference)
                if cases is None and options.assemble is None:
                    check_tests(task.reference, language, parses_here)
            except (ValueError, TypeError) as error:
                invalid.setdefault(str(error), []).append(name)
                kind = type(error)
                read = read_candidates(task, None, None, language)
                # With the reason in place of the tests, so that programs with other tests are no duplicates.
                programs += [Program(each.code, str(error), limits, invalid_tests=str(error)) for each in read]
                extractions += read
                facts += [TaskFacts(name)] * len(read)
                continue
            try:
                build = program_factory(options, language, task.reference, cases, task.limits or limits, own)
            except (ValueError, TypeError) as error:
                raise type(error)(f"{name}: {error}") from None
            judges.update(dict.fromkeys(judges_of(cases, options) if cases else ()))
            read = read_candidates(task, options.extract, cases, language)
            programs += [build(each.code) for each in read]
            extractions += read
            facts += [task_facts(task, name, options, language, cases, own == "auto")] * len(read)
        if invalid and options.on_invalid_tests == "raise":
            raise kind(invalid_tests_message(invalid))
        if not any(each.is_part for each in extractions):
            extractions = []
        return cls(programs, facts, options, tuple(judges), extractions)

    @property
    def languages(self) -> set[str]:
        """The languages of the programs, and of the judge programs."""
        return {program.language for program in self.programs} | {judge.language for judge in self.judges}

    def needed_modules(self) -> set[str]:
        """Return the modules that tasks need, or that their tests import."""
        return {name for task in self.tasks if task.modules or task.imports for name in (*task.modules, *task.imports)}

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
        if not isinstance(result, Verdict) or not self.tasks:
            return result
        if self.extractions and self.extractions[index].is_part:
            read = self.extractions[index]
            result = replace(result, program=read.code, reading=read.reading)
        task = self.tasks[index]
        if task.reason and result.grading == "shared":
            result = replace(result, grading_reason=task.reason)
        return with_tests(result, task.tests, self.options)


def invalid_tests_message(invalid: Mapping[str, Sequence[str]]) -> str:
    """Return the message of an error about invalid tests: {the reason: names of tasks}."""
    reasons = [f"{summarize(names)}: {reason}" for reason, names in invalid.items()]
    more = f"; and {len(reasons) - MAX_REASONS} more" if len(reasons) > MAX_REASONS else ""
    return f"{'; '.join(reasons[:MAX_REASONS])}{more}; {WAY_OUT}"


def task_facts(
    task: Task, name: str, options: TaskOptions, language: str, cases: IOCases | None, is_auto: bool
) -> TaskFacts:
    """Return what a task's programs have in common.

    Args:
        task: the task.
        name: of it, for messages.
        options: how it is run.
        language: of its candidates.
        cases: its tests, if they are cases.
        is_auto: whether its tests' text chooses their grading.
    """
    tests = tests_for_results(options, language, task.reference, cases)
    imports = modules_of_tests(tests) if isinstance(tests, str) else ()
    reason = reason_for_auto(options, language, task.reference, cases) if is_auto else ""
    return TaskFacts(name, tests, task.modules, imports, reason)


def tests_for_results(
    options: TaskOptions, language: str, reference: Any, cases: IOCases | None
) -> str | IOCases | None:
    """Return the tests that complete the results of a task's programs, as `ProgramBatch.references` holds them."""
    if cases is not None:
        return cases if cases.function or callable(options.checker) else None
    if language != "python":
        return None
    return reference if options.assemble is None else ""


def with_tests(verdict: Verdict, tests: str | IOCases | None, options: TaskOptions) -> Verdict:
    """Return a verdict with the results of its single tests.

    Args:
        verdict: of a program.
        tests: as in `TaskFacts`.
        options: how the program was run.
    """
    stops = options.stop_at_first_failure
    if isinstance(tests, IOCases) and tests.function:
        names = [f"case {number}" for number in range(1, len(tests.cases) + 1)]
        return verdict if stops else add_missing_tests(verdict, names)
    if isinstance(tests, IOCases):
        return apply_checker(options.checker, tests, verdict) if callable(options.checker) else verdict
    if tests is not None:
        if block := continued_block(tests):
            tests = block.rest
        return attach_test_results(verdict, tests, not stops)
    # A run without a name is the whole program, and no single test.
    return replace(verdict, tests=tuple(test for test in verdict.tests if test.name))
