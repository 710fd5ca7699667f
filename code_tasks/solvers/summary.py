"""The summary of a solver's run: accuracy, pass@k and pass^k. Infrastructure errors do not count as wrong answers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from code_tasks.scoring.summary import LEGEND, in_percent
from code_tasks.solvers.attempts import Attempt, LengthStats, length_stats
from code_tasks.solvers.estimates import Estimate, pass_estimates

MAX_MESSAGES_SHOWN = 10
"""Messages of exceptions in the text for a terminal. The summary itself has all."""

MAX_SHOWN_CHARS = 100


@dataclass(frozen=True)
class Summary:
    """Statistics of the attempts of a solver. NaN means unknown. A valid attempt is one without a system error."""

    tasks: int = 0
    """Number of tasks."""

    attempts: int = 0
    correct: int = 0
    incorrect: int = 0
    system_errors: int = 0
    accuracy: float = math.nan
    """Mean over tasks of the mean over their valid attempts."""

    incorrect_with_errors: int = 0
    accuracy_with_errors: float = math.nan
    """Accuracy in which system errors count as incorrect."""

    error_breakdown: Mapping[str, int] = field(default_factory=dict)
    """Number of attempts that ended with an exception, by the name of its class."""

    missing_tasks: Sequence[str] = ()
    """Tasks without a valid attempt."""

    length_stats: LengthStats = LengthStats()
    pass_at_k: Sequence[Estimate] = ()
    """Probability that at least one of k attempts is correct, for each k from 1."""

    pass_hat_k: Sequence[Estimate] = ()
    """Probability that all of k attempts are correct (pass^k), for each k from 1."""

    error_messages: Mapping[str, int] = field(default_factory=dict)
    """Number of attempts that ended with an exception, by its message, the most frequent first."""

    system_error_messages: Mapping[str, int] = field(default_factory=dict)
    """Number of attempts that ended with a system error, by its message, the most frequent first."""

    solver: Mapping[str, Any] = field(default_factory=dict)
    """The solver's own metrics: see `MeasuredSolver`."""

    @property
    def is_valid(self) -> bool:
        """True if every task has a valid attempt."""
        return not self.missing_tasks

    def as_record(self) -> dict[str, Any]:
        """Return the summary as plain data, in which NaN is None; an empty dict if there are no tasks.

        Beside the fields it has nanoeval's names: "aggregations" counts the attempts without a system error, and
        "metrics_including_errors" has the accuracy and the counts in which system errors are incorrect.
        """
        if not self.tasks:
            return {}
        valid_tasks = self.tasks - len(self.missing_tasks)
        fields = asdict(self) | {
            "is_valid": self.is_valid,
            "aggregations": self._aggregations(valid_tasks, self.attempts - self.system_errors, 0, {}),
            "metrics_including_errors": {
                "accuracy": self.accuracy_with_errors,
                "aggregations": self._aggregations(
                    self.tasks, self.attempts, self.system_errors, self.system_error_messages
                ),
            },
        }
        del fields["system_error_messages"]
        plain: dict[str, Any] = _without_nan(fields)
        return plain

    def as_scores(self) -> dict[str, Any]:
        """Return scores and counts as plain data, under the names that `code-eval run --json` has too."""
        estimates = {f"pass@{each.k}": each for each in self.pass_at_k} | {
            f"pass^{each.k}": each for each in self.pass_hat_k
        }
        named = {
            name: {"mean": each.mean, "standard_error": each.standard_error, "interval": each.interval}
            for name, each in estimates.items()
        }
        data: dict[str, Any] = _without_nan(
            {
                "scores": {"accuracy": {"mean": self.accuracy, "standard_error": None, "interval": None}, **named},
                "counts": {
                    "tasks": self.tasks,
                    "samples": self.attempts,
                    "passed": self.correct,
                    "not_run": self.system_errors,
                    "errors": dict(self.error_breakdown),
                },
            }
        )
        return data

    def _aggregations(
        self, tasks: int, attempts: int, system_errors: int, error_breakdown: Mapping[str, int]
    ) -> dict[str, Any]:
        """Return counts under nanoeval's names."""
        return {
            "num_tasks": tasks,
            "num_attempts": attempts,
            "num_correct": self.correct,
            "num_incorrect": self.incorrect,
            "num_system_error": system_errors,
            "error_breakdown": dict(error_breakdown),
        }


def summarize_attempts(
    attempts: Iterable[Attempt], question_ids: Sequence[str] = (), solver: Mapping[str, Any] | None = None
) -> Summary:
    """Return the summary of attempts.

    Args:
        attempts: in any order.
        question_ids: all tasks of the run. Those without an attempt count as missing.
        solver: the solver's own metrics. None: it has none.
    """
    by_question: dict[str, list[Attempt]] = {question_id: [] for question_id in question_ids}
    for attempt in attempts:
        by_question.setdefault(attempt.question_id, []).append(attempt)
    all_attempts = [attempt for tries in by_question.values() for attempt in tries]
    valid = {name: [attempt for attempt in tries if not attempt.is_system_error] for name, tries in by_question.items()}
    correct = sum(attempt.correct for attempt in all_attempts)
    system_errors = sum(attempt.is_system_error for attempt in all_attempts)
    at_k, hat_k = pass_estimates([(len(tries), sum(attempt.correct for attempt in tries)) for tries in valid.values()])
    error_classes = Counter(attempt.error_class for attempt in all_attempts if attempt.error_class)
    return Summary(
        tasks=len(by_question),
        attempts=len(all_attempts),
        correct=correct,
        incorrect=len(all_attempts) - system_errors - correct,
        system_errors=system_errors,
        accuracy=_accuracy(valid.values()),
        incorrect_with_errors=len(all_attempts) - correct,
        accuracy_with_errors=_accuracy(by_question.values()),
        error_breakdown=dict(sorted(error_classes.items())),
        missing_tasks=tuple(question for question, tries in valid.items() if not tries),
        length_stats=length_stats(all_attempts),
        pass_at_k=at_k,
        pass_hat_k=hat_k,
        error_messages=_most_frequent_first(attempt for attempt in all_attempts if attempt.error_class),
        system_error_messages=_most_frequent_first(attempt for attempt in all_attempts if attempt.is_system_error),
        solver=dict(solver or {}),
    )


def as_text(summary: Summary) -> str:
    """Return the summary as a text for a terminal."""
    lines = [
        f"{summary.attempts} attempts at {summary.tasks} tasks: {summary.correct} correct, "
        f"{summary.incorrect} incorrect, {summary.system_errors} system errors",
        "",
        f"  accuracy  {100 * summary.accuracy:6.1f} %",
    ]
    if summary.system_errors:
        lines.append(f"  with system errors as incorrect  {100 * summary.accuracy_with_errors:.1f} %")
    for name, estimates in (("pass@", summary.pass_at_k), ("pass^", summary.pass_hat_k)):
        lines += ["", *(_format_estimate(f"{name}{estimate.k}", estimate, summary.tasks) for estimate in estimates)]
    if any(estimate.interval for estimate in summary.pass_at_k):
        lines += ["", f"  {LEGEND}"]
    if summary.error_breakdown:
        lines += ["", "  errors", *(f"  {count:7}  {name}" for name, count in summary.error_breakdown.items())]
        lines += ["", "  messages", *_format_messages(summary.error_messages)]
    return "\n".join([*lines, ""])


def _format_messages(messages: Mapping[str, int]) -> list[str]:
    """Return a line for each of the most frequent messages."""
    shown = [*messages.items()][:MAX_MESSAGES_SHOWN]
    lines = [f"  {count:7}  {' '.join(message.split())[:MAX_SHOWN_CHARS]}" for message, count in shown]
    if others := len(messages) - len(shown):
        lines.append(f"           and {others} other messages")
    return lines


def _format_estimate(name: str, estimate: Estimate, tasks: int) -> str:
    line = f"  {name:<10}{in_percent(estimate)}"
    return line + (f"   of {estimate.questions} tasks" if estimate.questions < tasks else "")


def _most_frequent_first(attempts: Iterable[Attempt]) -> dict[str, int]:
    """Count attempts by their errors' texts."""
    counts = Counter(attempt.error_text for attempt in attempts)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _accuracy(by_question: Iterable[Sequence[Attempt]]) -> float:
    """Return the mean over tasks with attempts of the mean over their attempts; NaN if there are none."""
    return _mean([_mean([attempt.correct for attempt in tries]) for tries in by_question if tries])


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value
