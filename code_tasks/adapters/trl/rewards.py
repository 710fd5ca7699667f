"""Rewards as TRL's trainers call them, one function and one coroutine function.

A trainer calls a reward with one list per column, and with keyword arguments that differ by version and trainer. The
reward returns a number for each completion, or None if its value is unknown.
"""

from __future__ import annotations

import asyncio
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from code_tasks.adapters.trl.answers import answers_of
from code_tasks.adapters.trl.grading import ENDS, NO_TESTS, Grade, Grader, RewardRules, no_tests_column, reference_of
from code_tasks.adapters.trl.weights import Weights, weights_of
from sandboxes import EvalConfig
from sandboxes.consent import require_consent
from sandboxes.outcome_labels import INVALID_TESTS, NOT_RUN
from sandboxes.validation import short_repr, summarize

LogMetric = Callable[[str, float], None]
LogExtra = Callable[[str, list[Any]], None]


@dataclass(frozen=True)
class Columns:
    """The dataset's columns that a reward reads."""

    tests: str = "tests"
    weights: str = "weights"


class BaseReward:
    """The common part of both kinds of rewards.

    An instance can be pickled, because trainers call rewards in other processes too. Its pickle has the checked options
    and no workers. In the process that loads it, rewards with equal options share warm workers.
    """

    __name__: str
    """The name that a trainer logs."""

    def __init__(self, grader: Grader, columns: Columns, name: str):
        """Store the arguments; nothing is started yet.

        Args:
            grader: that grades answers.
            columns: the dataset's columns that the reward reads.
            name: the name that a trainer logs.
        """
        self.grader, self.columns = grader, columns
        self.__name__ = self.__qualname__ = name
        self.__doc__ = code_reward_doc(self.config.tasks.partial_credit)

    @property
    def config(self) -> EvalConfig:
        """The configuration of the runs."""
        return self.grader.config

    def __repr__(self) -> str:
        """Return the class and the name."""
        return f"<{type(self).__name__} {self.__name__}>"

    def _grade(
        self,
        completions: Sequence[Any],
        columns: dict[str, Any],
        completion_ids: Sequence[Sequence[int]] | None,
        should_stop: Callable[[], bool] | None = None,
    ) -> list[Grade]:
        """Run completions, and return the grade of each."""
        require_consent()
        answers = answers_of(completions, completion_ids, self.grader.rules.eos_token_ids)
        tests = columns.get(self.columns.tests)
        if tests is None:
            raise no_tests_column(self.columns.tests, (name for name, values in columns.items() if values is not None))
        references = references_of(tests, len(answers))
        weights = self._weights(columns.get(self.columns.weights), references)
        return self.grader.grade(answers, references, weights, should_stop)

    def _weights(self, given: Any, references: Sequence[Any]) -> list[Weights | None]:
        """Return the weights of each completion's tests, which matter with `partial_credit` only."""
        if not self.config.tasks.partial_credit:
            return [None] * len(references)
        column = [None] * len(references) if given is None else rows_of(self.columns.weights, given, len(references))
        weights: list[Weights | None] = []
        for number, (one, reference) in enumerate(zip(column, references, strict=True)):
            try:
                weights.append(weights_of(one, reference))
            except (ValueError, TypeError) as error:
                raise type(error)(f"{self.columns.weights}[{number}]: {error}") from None
        return weights

    def _report(
        self, grades: Sequence[Grade], log_metric: LogMetric | None, log_extra: LogExtra | None
    ) -> list[float | None]:
        """Return the rewards. Tell the trainer how answers ended, and the user what could not be run."""
        graded = Counter(grade.end for grade in grades if grade.end != NO_TESTS)
        if log_metric is not None and graded:
            for end in ENDS:
                log_metric(f"{self.__name__}/{end}", graded[end] / graded.total())
        if log_extra is not None:
            log_extra(f"{self.__name__}/outcome", [grade.end for grade in grades])
            log_extra(f"{self.__name__}/detail", [grade.detail for grade in grades])
        for end, reason in ((NOT_RUN, "could not be run"), (INVALID_TESTS, "have invalid tests")):
            if rows := [row for row, grade in enumerate(grades) if grade.end == end]:
                warnings.warn(
                    f"{len(rows)} completion(s) {reason} and have no reward: "
                    f"{summarize(rows)}; the first: {grades[rows[0]].detail}",
                    stacklevel=3,
                )
        return [grade.reward for grade in grades]


class CodeReward(BaseReward):
    """A reward function: (completions, tests, **columns) -> a number or None for each completion."""

    def __call__(
        self,
        completions: Sequence[Any],
        tests: Sequence[Any] | None = None,
        *,
        completion_ids: Sequence[Sequence[int]] | None = None,
        log_metric: LogMetric | None = None,
        log_extra: LogExtra | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Run completions, and return a reward for each.

        Raises:
            ValueError, TypeError: for an invalid argument, or if running programs was not allowed.
        """
        grades = self._grade(completions, {**columns, "tests": tests}, completion_ids)
        return self._report(grades, log_metric, log_extra)


class AsyncCodeReward(BaseReward):
    """A `CodeReward` that is a coroutine function. A trainer awaits all of these at once."""

    async def __call__(
        self,
        completions: Sequence[Any],
        tests: Sequence[Any] | None = None,
        *,
        completion_ids: Sequence[Sequence[int]] | None = None,
        log_metric: LogMetric | None = None,
        log_extra: LogExtra | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """Run completions in a thread, and return a reward for each. Cancelling the task ends the programs.

        Raises:
            ValueError, TypeError: as `CodeReward`.
        """
        cancelled = threading.Event()
        columns["tests"] = tests
        try:
            grades = await asyncio.to_thread(self._grade, completions, columns, completion_ids, cancelled.is_set)
        finally:
            cancelled.set()
        return self._report(grades, log_metric, log_extra)


def make_code_reward(
    *,
    extract: str | Callable[[str, str], str] = "auto",
    num_workers: int | None = None,
    tests_column: str = "tests",
    weights_column: str = "weights",
    name: str = "code_reward",
    no_code: float | None = 0.0,
    syntax_error: float | None = 0.0,
    truncated: float | str | None = 0.0,
    eos_token_id: int | Sequence[int] | None = None,
    **options: Any,
) -> CodeReward:
    """Return a reward: 1 if a completion passes its tests, otherwise 0; with `partial_credit` the passed share.

    A reward of None, here and as a result, leaves the completion out of the training.

    Args:
        extract: takes the code out of a completion, as in `compute`. "none": the whole completion is code.
        num_workers: candidates at once. None: as many as there are CPUs, shared among the processes that torchrun or
            accelerate started here (LOCAL_WORLD_SIZE).
        tests_column: the dataset's column with the tests: code, or cases, as the references of `compute`.
        weights_column: the column with the tests' weights, for `partial_credit`: a list, or a dict by test. Without it
            cases may have weights of their own.
        name: name of the function, which a trainer logs.
        no_code: the reward of a completion without code.
        syntax_error: the reward of code that is not valid in its language.
        truncated: the reward of a completion that was cut off at the maximal length. "grade": grade it all the same.
        eos_token_id: the token that ends a completion, or several. None: a completion was cut off if a block of code,
            or its reasoning, is still open at the end.
        options: as `compute` takes them: `grading`, `timeout`, `sandbox`, `language`, `partial_credit`, ...

    Raises:
        ValueError, TypeError: for an invalid option; the message names the value.
    """
    rules = RewardRules.checked(no_code, syntax_error, truncated, eos_token_id)
    given = {**options, "extract": extract, "num_workers": num_workers}
    return CodeReward(Grader.from_options(given, rules), Columns(tests_column, weights_column), name)


def make_async_code_reward(**options: Any) -> AsyncCodeReward:
    """Return a reward that is a coroutine function, with the options of `make_code_reward`."""
    reward = make_code_reward(**options)
    return AsyncCodeReward(reward.grader, reward.columns, reward.__name__)


def references_of(tests: Any, count: int) -> list[Any]:
    """Return the unparsed tests of each completion; None for a completion without tests."""
    rows = rows_of("tests", tests, count)
    return [reference_of(f"tests[{number}]", reference) for number, reference in enumerate(rows)]


def rows_of(name: str, values: Any, count: int) -> Sequence[Any]:
    """Return the values of a column. Raises TypeError or ValueError unless there is one for each completion."""
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise TypeError(f"{name} must be a list, with those of each completion, not {short_repr(values)}")
    if len(values) != count:
        raise ValueError(f"there are {count} completions, but {name} for {len(values)}; one each")
    return values  # type: ignore[no-any-return]


def code_reward_doc(partial_credit: bool) -> str:
    """Return the docstring of a reward."""
    value = (
        "the share of its tests that a completion passes" if partial_credit else "1 if a completion passes its tests"
    )
    return f"""{value[0].upper()}{value[1:]}; None if there are no tests, or if the sandbox could not run it.

    Args:
        completions: strings, or lists of messages.
        tests: the tests of each completion: code, cases, or None.
        completion_ids: the tokens of each completion.
        log_metric: called with a name and a number, for the share of each outcome.
        log_extra: called with a name and a list, for the outcome and the detail of each completion.
        columns: further columns of a trainer, which are ignored.
    """


code_reward = make_code_reward()
"""The reward with the defaults: Python, 3 seconds, 1 GiB."""
