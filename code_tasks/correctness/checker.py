"""MERA's task CodeCorrectness: whether a test succeeds on the code that it is for. Labels are made by running the test.

A record's code and test are files of one project, in Python, Java or Go. The files are put where their packages and
imports expect them. pytest or JUnit runs the tests, or they are run as `go test` does. "success" means that at least
one test ran, that no test failed, and that the run ended by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from code_tasks.correctness.go import go_problem, go_program
from code_tasks.correctness.java import java_problem, java_program
from code_tasks.correctness.java import may_be_invalid_test as may_be_invalid_java
from code_tasks.correctness.java import syntax_program as java_syntax
from code_tasks.correctness.needs import check_needs, missing_libraries, pytest_modules
from code_tasks.correctness.python import python_problem, python_program
from code_tasks.correctness.records import LABELS, InvalidTestError, Record, UnusableRecordError
from sandboxes import (
    EvalConfig,
    Evaluator,
    Limits,
    Outcome,
    Program,
    ProgramBatch,
    RunResult,
    SandboxUnavailable,
    Verdict,
)
from sandboxes.pool.progress import ProgressBar
from sandboxes.tasks.options import with_mounts
from sandboxes.validation import positive_int

TIMEOUT_SECONDS = 30.0
NOT_OF_CORRECTNESS = (
    *("k", "grading", "on_sandbox_error", "on_invalid_tests", "language", "languages", "checker", "tolerance"),
    "stop_at_first_failure",
    *("partial_credit", "assemble", "extract", "cache_dir", "cache_mb", "cache_nondeterministic", "dedupe", "repeats"),
)
"""Options that the checker does not have. It repeats runs itself, and a cache key can't hold all that decides."""


@dataclass(frozen=True)
class LanguageHarness:
    """The way in which records of one language are run."""

    program: Callable[[Record, Limits, float], Program]
    """(record, limits, wall seconds of a compiler) -> program; raises UnusableRecordError."""

    problem: Callable[[Record, Verdict], str]
    """The reason why a verdict says nothing about the record's code; empty if it says something. It raises
    InvalidTestError for a test that is not a valid program."""


HARNESSES = {
    "python": LanguageHarness(python_program, python_problem),
    "java": LanguageHarness(java_program, java_problem),
    "go": LanguageHarness(go_program, go_problem),
}


@dataclass(frozen=True)
class CheckedRecord:
    """A record and the results of its runs."""

    record: Record
    results: tuple[RunResult, ...] = ()
    """The result of each run; empty if there was nothing to run."""

    problem: str = ""
    """The reason why the runs say nothing about the record's code; empty if they say something."""

    is_test_valid: bool = True
    """False if the problem is a test that is not a valid program of its language."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The label of each run, one of LABELS; empty if there is a problem."""
        if self.problem:
            return ()
        success, failed = LABELS
        return tuple(success if result.passed else failed for result in self.results if isinstance(result, Verdict))

    @property
    def is_flaky(self) -> bool:
        """True if the runs have different labels."""
        return len(set(self.labels)) > 1

    @property
    def label(self) -> str | None:
        """The label of all runs; None if they differ, or if there is a problem."""
        return self.labels[0] if self.labels and not self.is_flaky else None

    @property
    def agrees(self) -> bool | None:
        """True if the runs have the dataset's label; None if they or the dataset have no label."""
        return None if self.label is None or not self.record.label else self.label == self.record.label


class CorrectnessChecker:
    """Runs records. Its sandbox is opened when records are run, and closed afterwards."""

    def __init__(self, sandbox: str = "subprocess", **options: Any):
        """Check the options; nothing is started yet.

        Args:
            sandbox: "subprocess" or "docker".
            options: as `compute` takes them, but for NOT_OF_CORRECTNESS. Limits are those of a record's tests, and
                `timeout` is TIMEOUT_SECONDS if it is not given.

        Raises:
            ValueError, TypeError: for an invalid option; the message names the value.
        """
        self.options = {"sandbox": sandbox, **options}
        self.config = self._config({})
        if self.config.sandbox.languages is not None:
            raise ValueError(f'sandbox="{sandbox}" has no files to test; choose "subprocess" or "docker"')

    def check(
        self, records: Sequence[Record], repeats: int = 1, syntax_errors_fail: bool = False
    ) -> list[CheckedRecord]:
        """Run each record several times, and return the records with their results, in their order.

        Args:
            records: of any languages.
            repeats: runs of each record.
            syntax_errors_fail: whether a test that is not a valid program is "failed", as MERA defines it. Otherwise
                its record has a problem, and no label.

        Raises:
            SandboxUnavailable: if the sandbox can't run programs, or lacks a tool that a language needs.
        """
        positive_int("repeats", repeats)
        programs: dict[int, list[Program]] = {}
        checked: dict[int, CheckedRecord] = {}
        config = self._config_for({record.language for record in records})
        for index, record in enumerate(records):
            make = HARNESSES[record.language].program
            try:
                # Each run has a completion token of its own.
                programs[index] = [make(record, config.limits, config.tasks.compile_seconds) for _ in range(repeats)]
            except UnusableRecordError as error:
                is_valid = not isinstance(error, InvalidTestError)
                checked[index] = CheckedRecord(record, problem=str(error), is_test_valid=is_valid)
        with Evaluator(config, keep_warm=False) as evaluator:
            check_needs(evaluator, [records[index] for index in programs])
            for index, lack in missing_libraries(evaluator, {index: records[index] for index in programs}).items():
                checked[index] = CheckedRecord(records[index], (lack,) * repeats, str(lack))
                del programs[index]
            # Programs with the same plan stand together, but the runs of one record are far apart.
            order = sorted(
                ((run, index) for index in programs for run in range(repeats)),
                key=lambda entry: (entry[0], records[entry[1]].language, programs[entry[1]][0].tests),
            )
            results = run_with_bar(evaluator, [programs[index][run] for run, index in order])
            results_by_record: dict[int, list[RunResult]] = {index: [] for index in programs}
            for (_, index), result in zip(order, results, strict=True):
                results_by_record[index].append(result)
            checked |= {index: checked_record(records[index], runs) for index, runs in results_by_record.items()}
            check_syntax(evaluator, checked)
        in_order = [checked[index] for index in range(len(records))]
        return [failed_if_invalid(entry, repeats) for entry in in_order] if syntax_errors_fail else in_order

    def _config(self, more: Mapping[str, Any]) -> EvalConfig:
        defaults = {"timeout": TIMEOUT_SECONDS, "on_sandbox_error": "exclude", "dedupe": False}
        return EvalConfig.from_options({**self.options, **more}, defaults=defaults, without=NOT_OF_CORRECTNESS)

    def _config_for(self, languages: set[str]) -> EvalConfig:
        """Return the configuration for records in these languages, with the files that their programs have to see."""
        config = self.config
        if config.sandbox.uses_host_files and "python" in languages:
            config = self._config({"preload": [*(self.options.get("preload") or ()), *pytest_modules()]})
        return replace(config, sandbox=with_mounts(config.sandbox, languages))


def run_with_bar(evaluator: Evaluator, programs: Sequence[Program]) -> list[RunResult]:
    """Run programs, with a progress bar, and return their results."""
    with ProgressBar(len(programs), evaluator.config.progress) as bar:
        return evaluator.run(ProgramBatch(programs), on_result=bar.count)


def failed_if_invalid(checked: CheckedRecord, repeats: int) -> CheckedRecord:
    """Return a record whose invalid test is a compile error of all its runs. Other records are returned as they are."""
    if checked.is_test_valid:
        return checked
    not_run = (Verdict(Outcome.COMPILE_ERROR, checked.problem),) * repeats
    return CheckedRecord(checked.record, checked.results or not_run)


def checked_record(record: Record, results: Sequence[RunResult]) -> CheckedRecord:
    """Return a record with the results of its runs, and with the first problem among them."""
    for result in results:
        if isinstance(result, SandboxUnavailable):
            return CheckedRecord(record, tuple(results), str(result))
        try:
            problem = HARNESSES[record.language].problem(record, result)
        except InvalidTestError as error:
            return CheckedRecord(record, tuple(results), str(error), is_test_valid=False)
        if problem:
            return CheckedRecord(record, tuple(results), problem)
    return CheckedRecord(record, tuple(results))


def check_syntax(evaluator: Evaluator, checked: dict[int, CheckedRecord]) -> None:
    """Note a problem in records whose test is not valid Java. Only tests that did not compile are parsed."""
    doubtful = [
        index
        for index, entry in checked.items()
        if entry.record.language == "java" and not entry.problem and entry.results
        if isinstance(entry.results[0], Verdict) and may_be_invalid_java(entry.record, entry.results[0])
    ]
    if not doubtful:
        return
    programs = [java_syntax(checked[index].record, evaluator.config.limits) for index in doubtful]
    for index, result in zip(doubtful, run_with_bar(evaluator, programs), strict=True):
        if isinstance(result, Verdict) and result.outcome is Outcome.FAILED:
            [line, *_] = result.stderr.strip().splitlines() or [result.detail]
            problem = f"its test is not valid Java: {line}"
            checked[index] = replace(checked[index], problem=problem, is_test_valid=False)
