"""What a solver's run says: accuracy, pass@k and pass^k, in which broken infrastructure is not a wrong answer."""

from __future__ import annotations

import enum
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from code_tasks.solver import FinalResult
from code_tasks.summary import PassAtK
from sandboxes import estimate_pass_at_k

BOOTSTRAP_SAMPLES = 1000
BOOTSTRAP_SEED = 0
# Numbers in memory at a time.
MOST_DRAWN_AT_ONCE = 1 << 20
INTERVAL_PERCENT = 95.0


class EndedBy(enum.Enum):
    """What ended an attempt."""

    TIME = "time"
    STEPS = "steps"
    TOKENS = "tokens"
    MODEL = "model"

    @classmethod
    def of(cls, time: bool, steps: bool, tokens: bool) -> EndedBy:
        """The first of the limits that was reached, or the model itself."""
        reached = {cls.TIME: time, cls.STEPS: steps, cls.TOKENS: tokens, cls.MODEL: True}
        return next(each for each, is_so in reached.items() if is_so)


@dataclass(frozen=True)
class Attempt:
    """What became of one attempt."""

    question_id: str
    attempt_id: int
    correct: bool = False
    error_class: str = ""
    """Of the exception that ended it, if one did."""

    is_system_error: bool = False
    """Whether that was infrastructure: then it is neither correct nor incorrect."""

    ended_by: EndedBy | None = None
    """None if an exception did."""

    conversation_length: int = 0
    """Messages."""

    @classmethod
    def of(cls, question_id: str, attempt_id: int, result: FinalResult) -> Attempt:
        """That of a result."""
        ended_by = EndedBy.of(result.max_time_reached, result.max_steps_reached, result.max_tokens_reached)
        return cls(
            question_id, attempt_id, result.correct, ended_by=ended_by, conversation_length=len(result.conversation)
        )


@dataclass(frozen=True)
class Estimate(PassAtK):
    """An estimate over questions, with the interval that it is in for 95 of 100 bootstrap samples of questions."""

    low: float = math.nan
    high: float = math.nan
    questions: int = 0
    """Those with at least k attempts that worked, which it is over."""


@dataclass(frozen=True)
class LengthStats:
    """How attempts ended that had a result, and how long their conversations were."""

    ended_by: Mapping[str, float] = field(default_factory=dict)
    """Fractions, by the values of EndedBy."""

    conversation_percentiles: Mapping[str, float] = field(default_factory=dict)
    """Messages, at "25", "50" and "75"."""


@dataclass(frozen=True)
class Summary:
    """What attempts say about a solver. NaN: nothing is known."""

    tasks: int = 0
    """Questions."""

    attempts: int = 0
    correct: int = 0
    incorrect: int = 0
    system_errors: int = 0
    accuracy: float = math.nan
    """Mean over questions of the mean over their attempts, without system errors."""

    incorrect_with_errors: int = 0
    accuracy_with_errors: float = math.nan
    """The same, with system errors as incorrect."""

    error_breakdown: Mapping[str, int] = field(default_factory=dict)
    """Attempts that ended with an exception, by the name of its class."""

    missing_tasks: Sequence[str] = ()
    """Questions with no attempt that worked."""

    length_stats: LengthStats = LengthStats()
    pass_at_k: Sequence[Estimate] = ()
    """At least one of k attempts is right, by k from 1."""

    pass_hat_k: Sequence[Estimate] = ()
    """All of k attempts are right, which is pass^k."""

    @property
    def is_valid(self) -> bool:
        """Whether every question has an attempt that worked."""
        return not self.missing_tasks

    def as_record(self) -> dict[str, Any]:
        """As plain data, in which NaN is None; empty if there are no questions."""
        if not self.tasks:
            return {}
        plain: dict[str, Any] = _without_nan(asdict(self) | {"is_valid": self.is_valid})
        return plain


def summarised(attempts: Iterable[Attempt], question_ids: Sequence[str] = ()) -> Summary:
    """The summary of attempts.

    Args:
        attempts: in any order.
        question_ids: all that were to be tried, so that those without any attempt are seen to be missing.
    """
    by_question: dict[str, list[Attempt]] = {question_id: [] for question_id in question_ids}
    for attempt in attempts:
        by_question.setdefault(attempt.question_id, []).append(attempt)
    everything = [attempt for each in by_question.values() for attempt in each]
    worked = {question: [each for each in tries if not each.is_system_error] for question, tries in by_question.items()}
    correct = sum(each.correct for each in everything)
    system_errors = sum(each.is_system_error for each in everything)
    at_k, hat_k = estimates([(len(tries), sum(each.correct for each in tries)) for tries in worked.values()])
    return Summary(
        tasks=len(by_question),
        attempts=len(everything),
        correct=correct,
        incorrect=len(everything) - system_errors - correct,
        system_errors=system_errors,
        accuracy=_mean([_mean([each.correct for each in tries]) for tries in worked.values() if tries]),
        incorrect_with_errors=len(everything) - correct,
        accuracy_with_errors=_mean(
            [_mean([each.correct for each in tries]) for tries in by_question.values() if tries]
        ),
        error_breakdown=dict(sorted(Counter(each.error_class for each in everything if each.error_class).items())),
        missing_tasks=tuple(question for question, tries in worked.items() if not tries),
        length_stats=length_stats(everything),
        pass_at_k=at_k,
        pass_hat_k=hat_k,
    )


def estimates(counts: Sequence[tuple[int, int]]) -> tuple[list[Estimate], list[Estimate]]:
    """pass@k and pass^k for every k that a question has attempts for.

    Args:
        counts: of each question (attempts that worked, those of them that are right).
    """
    total = np.array([n for n, _ in counts], dtype=np.int64)
    correct = np.array([c for _, c in counts], dtype=np.int64)
    at_k: list[Estimate] = []
    hat_k: list[Estimate] = []
    # Those ks that the same questions have enough attempts for share their bootstrap samples.
    bounds = sorted({0, *total.tolist()})
    for fewest, enough in zip(bounds, bounds[1:], strict=False):
        chosen = total >= enough
        ks = range(fewest + 1, enough + 1)
        n, c = total[chosen], correct[chosen]
        at_k += over_questions(ks, np.column_stack([estimate_pass_at_k(n, c, k) for k in ks]))
        hat_k += over_questions(ks, np.column_stack([estimate_pass_hat_k(n, c, k) for k in ks]))
    return at_k, hat_k


def over_questions(ks: Sequence[int], values: NDArray[np.float64]) -> list[Estimate]:
    """Estimates from what each question says.

    The standard error has questions as its clusters, and the interval is of percentiles of bootstrap samples of
    questions, drawn the same each time. Of one question alone there is neither.

    Args:
        ks: each k.
        values: float array of shape (questions, ks), in [0, 1].
    """
    questions = len(values)
    means = values.mean(axis=0)
    errors = lows = highs = np.full(len(ks), math.nan)
    if questions > 1:
        errors = values.std(axis=0, ddof=1) / math.sqrt(questions)
        draws = np.random.default_rng(BOOTSTRAP_SEED)
        sampled = np.empty((BOOTSTRAP_SAMPLES, len(ks)))
        size = max(1, MOST_DRAWN_AT_ONCE // values.size)
        for begin in range(0, BOOTSTRAP_SAMPLES, size):
            part = sampled[begin : begin + size]
            part[:] = values[draws.integers(questions, size=(len(part), questions))].mean(axis=1)
        tail = (100 - INTERVAL_PERCENT) / 2
        lows, highs = np.percentile(sampled, [tail, 100 - tail], axis=0)
    return [
        Estimate(k, float(means[i]), float(errors[i]), float(lows[i]), float(highs[i]), questions)
        for i, k in enumerate(ks)
    ]


def estimate_pass_hat_k(num_samples: NDArray[np.int64], num_correct: NDArray[np.int64], k: int) -> NDArray[np.float64]:
    """Unbiased pass^k of each question, that all of k attempts are right: C(c, k) / C(n, k).

    Args:
        num_samples: n, int array of shape (questions,); every n >= k.
        num_correct: c, int array of shape (questions,), 0 <= c <= n.
        k: draws, >= 1.

    Returns:
        float array of shape (questions,), in [0, 1].

    Raises:
        ValueError: if any n < k or c > n, or if k < 1.

    Source: Yao et al. 2024, arXiv:2406.12045 (tau-bench), section 3.
    """
    # Not all of k are right if at least one is wrong, which is pass@k of the wrong ones.
    return 1.0 - estimate_pass_at_k(num_samples, num_samples - num_correct, k)


def length_stats(attempts: Sequence[Attempt]) -> LengthStats:
    """Of those attempts that had a result."""
    ended = [each for each in attempts if each.ended_by is not None]
    if not ended:
        return LengthStats()
    counts = Counter(each.ended_by for each in ended)
    percentiles = np.percentile([each.conversation_length for each in ended], [25, 50, 75])
    return LengthStats(
        {each.value: counts[each] / len(ended) for each in EndedBy},
        {name: float(value) for name, value in zip(("25", "50", "75"), percentiles, strict=True)},
    )


def as_text(summary: Summary) -> str:
    """The summary for a terminal."""
    lines = [
        f"{summary.attempts} attempts at {summary.tasks} questions: {summary.correct} correct, "
        f"{summary.incorrect} incorrect, {summary.system_errors} system errors",
        "",
        f"  accuracy  {100 * summary.accuracy:6.1f} %",
    ]
    if summary.system_errors:
        lines.append(f"  with system errors as incorrect  {100 * summary.accuracy_with_errors:.1f} %")
    for name, each_k in (("pass@", summary.pass_at_k), ("pass^", summary.pass_hat_k)):
        lines += ["", *(_line_of(f"{name}{estimate.k}", estimate, summary.tasks) for estimate in each_k)]
    if summary.error_breakdown:
        lines += ["", "  errors", *(f"  {count:7}  {name}" for name, count in summary.error_breakdown.items())]
    return "\n".join([*lines, ""])


def _line_of(name: str, estimate: Estimate, tasks: int) -> str:
    line = f"  {name:<10}{100 * estimate.mean:6.1f}"
    if not math.isnan(estimate.standard_error):
        line += f" ± {100 * estimate.standard_error:.1f}   [{100 * estimate.low:.1f}, {100 * estimate.high:.1f}]"
    return line + " %" + (f"   of {estimate.questions} questions" if estimate.questions < tasks else "")


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value
