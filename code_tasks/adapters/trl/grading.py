"""The grading of answers for rewards: what is run, and what each end of it is worth."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

from code_tasks.adapters.trl.answers import Answer, holds_code
from code_tasks.adapters.trl.weights import Weights, earned_share
from sandboxes import EvalConfig, Evaluator, Outcome, RunResult, Task, Verdict
from sandboxes.extraction import Extraction, read_answer
from sandboxes.outcome_labels import INVALID_TESTS, NOT_RUN
from sandboxes.pool.cpus import usable_cpus
from sandboxes.runner import state_of
from sandboxes.tasks.io_cases import parse_cases
from sandboxes.tasks.task import asked_by, plain_reference
from sandboxes.validation import short_repr

NOT_OF_REWARDS = ("k", "on_sandbox_error", "on_invalid_tests", "progress", "languages")
"""Options that a reward does not have."""

NO_TESTS, NO_CODE, TRUNCATED = "no_tests", "no_code", "truncated"
"""Ends of an answer that no program has: there are no tests, there is no code, or the answer was cut off."""

ENDS = (*(outcome.value for outcome in Outcome), NO_CODE, TRUNCATED, NOT_RUN, INVALID_TESTS)
"""All ends of answers to tasks with tests."""

MAX_ANSWER_CHARS = 1 << 20
"""Length of the longest answer that is run. A longer one counts as cut off."""

GRADE = "grade"
"""The value of `truncated` with which an answer that was cut off is graded as any other."""


@dataclass(frozen=True)
class RewardRules:
    """Rewards of answers that are not graded by their tests. None: the answer has no reward, and is left out."""

    no_code: float | None = 0.0
    syntax_error: float | None = 0.0
    truncated: float | str | None = 0.0
    """The reward of an answer that was cut off, or GRADE."""

    eos_token_ids: tuple[int, ...] = ()
    """The tokens that end a completion. Empty: a completion's text tells whether it was cut off."""

    @classmethod
    def checked(
        cls, no_code: Any = 0.0, syntax_error: Any = 0.0, truncated: Any = 0.0, eos_token_id: Any = None
    ) -> RewardRules:
        """Return the rules that a user gives.

        Raises:
            TypeError, ValueError: if a value is invalid; the message names it.
        """
        ids = () if eos_token_id is None else eos_token_id
        ids = tuple(ids) if isinstance(ids, list | tuple | set | frozenset) else (ids,)
        if any(isinstance(one, bool) or not isinstance(one, int) for one in ids):
            raise TypeError(f"eos_token_id must be a token's number, or a list of them, not {short_repr(eos_token_id)}")
        return cls(
            checked_reward("no_code", no_code),
            checked_reward("syntax_error", syntax_error),
            GRADE if truncated == GRADE else checked_reward("truncated", truncated, f', or "{GRADE}"'),
            ids,
        )


@dataclass(frozen=True)
class Grade:
    """The grade of one answer."""

    end: str
    """One of ENDS, or NO_TESTS."""

    reward: float | None
    """The reward. None if its value is unknown, or the rules leave the answer out."""

    result: RunResult | None = None
    """The result of the program. None if nothing was run."""

    @property
    def detail(self) -> str:
        """One line for people. It may have the tests' expected values in it."""
        if isinstance(self.result, Verdict):
            return self.result.detail
        return "" if self.result is None else str(self.result)


@dataclass(frozen=True)
class Grader:
    """Grades answers. Equal graders share warm workers, and the pickle of a grader holds none."""

    config: EvalConfig
    """The configuration of the runs. Without a number of workers, each process takes its share of the CPUs."""

    rules: RewardRules

    @classmethod
    def from_options(cls, options: dict[str, Any], rules: RewardRules) -> Grader:
        """Return a grader, with options as `compute` takes them.

        Raises:
            ValueError, TypeError: for an invalid option; the message names the value.
        """
        defaults = {"on_sandbox_error": "exclude", "on_invalid_tests": "skip"}
        config = EvalConfig.from_options(options, defaults=defaults, without=NOT_OF_REWARDS)
        # All calls of a reward share one image.
        return cls(replace(config, chooses_packages=False), rules)

    def check(self, name: str, reference: Any) -> None:
        """Raise ValueError or TypeError, with the name, if tests are invalid. None stands for no tests."""
        if reference is not None:
            strict = replace(self.config, tasks=replace(self.config.tasks, on_invalid_tests="raise"))
            Evaluator(strict).assemble([Task(reference, (), name)])

    def grade(
        self,
        answers: Sequence[Answer],
        references: Sequence[Any],
        weights: Sequence[Weights | None],
        should_stop: Callable[[], bool] | None = None,
    ) -> list[Grade]:
        """Grade each answer.

        Args:
            answers: of the model.
            references: the tests of each answer, as `references_of` returns them.
            weights: of the tests of each answer.
            should_stop: called now and then. The run ends within a fraction of a second after a True.

        Raises:
            RunStopped: if `should_stop` returned True.
        """
        grades: dict[int, Grade] = {}
        tasks: dict[int, Task] = {}
        for row, (answer, reference) in enumerate(zip(answers, references, strict=True)):
            read = Extraction("")
            if reference is not None and not self._is_too_long(answer):
                read = self._program_in(answer.text, reference)
            if end := self._end_without_run(answer, reference, read.code):
                grades[row] = Grade(end, self._reward_without_run(end))
            else:
                tasks[row] = Task(reference, (read,), f"tests[{row}]")
        evaluator = Evaluator(self.config)
        num_workers = self.config.num_workers or workers_of_this_process()
        results = evaluator.run(tasks.values(), num_workers=num_workers, should_stop=should_stop)
        for row, result in zip(tasks, results, strict=True):
            grades[row] = self._grade_of(result, weights[row])
        return [grades[row] for row in range(len(answers))]

    def _is_too_long(self, answer: Answer) -> bool:
        return len(answer.text) > MAX_ANSWER_CHARS

    def _program_in(self, text: str, reference: Any) -> Extraction:
        tasks = self.config.tasks
        try:
            cases = parse_cases(reference)
        except (ValueError, TypeError):
            # The run says what is wrong with these tests.
            cases = None
        asked = asked_by(reference, cases, tasks.language)
        return read_answer(text, asked, tasks.extract)

    def _end_without_run(self, answer: Answer, reference: Any, code: str) -> str | None:
        """Return the end of an answer that is not run; None for one that is."""
        if reference is None:
            return NO_TESTS
        if self._is_too_long(answer) or (answer.is_cut and self.rules.truncated != GRADE):
            return TRUNCATED
        may_be_prose = self.config.tasks.extract is not None
        if not code.strip() or (may_be_prose and not holds_code(answer.text, code, self.config.tasks.language)):
            return NO_CODE
        return None

    def _reward_without_run(self, end: str) -> float | None:
        if end == TRUNCATED:
            return 0.0 if isinstance(self.rules.truncated, str) else self.rules.truncated
        return self.rules.no_code if end == NO_CODE else None

    def _grade_of(self, result: RunResult, weights: Weights | None) -> Grade:
        if not isinstance(result, Verdict):
            return Grade(state_of(result), None, result)
        if result.outcome is Outcome.COMPILE_ERROR:
            return Grade(result.outcome.value, self.rules.syntax_error, result)
        reward = earned_share(result, weights) if self.config.tasks.partial_credit else float(result.passed)
        return Grade(result.outcome.value, reward, result)


def checked_reward(name: str, value: Any, more: str = "") -> float | None:
    """Return a reward that a user gives. `more` is what else would be valid, for the message.

    Raises:
        TypeError, ValueError: if it is neither a finite number nor None.
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a reward: a number, or None{more}, not {short_repr(value)}")
    if not math.isfinite(value):
        raise ValueError(f"{name} must be a finite reward, not {value!r}")
    return float(value)


def reference_of(name: str, reference: Any) -> Any:
    """Return the unparsed tests of one task as plain data; None if it has none. `name` is that of errors."""
    try:
        return None if reference is None else plain_reference(reference)
    except (ValueError, TypeError) as error:
        raise type(error)(f"{name}: {error}") from None


def no_tests_column(name: str, there: Iterable[str]) -> ValueError:
    """Return the error of rows without the column of the tests.

    Args:
        name: of that column.
        there: the columns that the rows have.
    """
    return ValueError(f"there is no column {name!r} with the tests; there are {', '.join(there) or 'no columns'}")


def workers_of_this_process() -> int:
    """Return this process's share of the CPUs, if several processes train on one machine."""
    processes = os.environ.get("LOCAL_WORLD_SIZE", "")
    return max(1, usable_cpus() // max(1, int(processes) if processes.isdecimal() else 1))
