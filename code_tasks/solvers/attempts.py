"""Attempts that are done, their ends, and the statistics of ends and lengths."""

from __future__ import annotations

import enum
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from code_tasks.solvers.interface import FinalResult

MAX_MESSAGE_CHARS = 1000
"""Characters of an exception's message by which attempts are counted. The run log has the whole message."""


class EndedBy(enum.Enum):
    """The reason for which an attempt ended."""

    TIME = "time"
    STEPS = "steps"
    TOKENS = "tokens"
    MODEL = "model"

    @classmethod
    def reached(cls, time: bool, steps: bool, tokens: bool) -> tuple[EndedBy, ...]:
        """Return every limit that was reached; MODEL if none was."""
        limits = {cls.TIME: time, cls.STEPS: steps, cls.TOKENS: tokens}
        return tuple(limit for limit, is_reached in limits.items() if is_reached) or (cls.MODEL,)


@dataclass(frozen=True)
class Attempt:
    """The end of one attempt."""

    question_id: str
    attempt_id: int
    correct: bool = False
    error_class: str = ""
    """Class of the exception that ended the attempt; empty if none did."""

    is_system_error: bool = False
    """True if the exception was an infrastructure error. The attempt is then neither correct nor incorrect."""

    ended_by: EndedBy | None = None
    """None if an exception ended the attempt."""

    conversation_length: int = 0
    """Number of messages; 0 if the result has no conversation."""

    error_message: str = ""
    """Text of the exception that ended the attempt, or its first MAX_MESSAGE_CHARS."""

    also_reached: tuple[EndedBy, ...] = ()
    """Limits that were reached beside `ended_by`, if a solver reports several."""

    @classmethod
    def from_result(cls, question_id: str, attempt_id: int, result: FinalResult) -> Attempt:
        """Return the attempt that a result ends."""
        ended_by, *others = EndedBy.reached(
            result.max_time_reached, result.max_steps_reached, result.max_tokens_reached
        )
        return cls(
            question_id,
            attempt_id,
            result.correct,
            ended_by=ended_by,
            conversation_length=len(result.conversation),
            also_reached=tuple(others),
        )

    @classmethod
    def from_error(
        cls, question_id: str, attempt_id: int, error_class: str, message: str, is_system_error: bool
    ) -> Attempt:
        """Return the attempt that an exception ends."""
        return cls(
            question_id,
            attempt_id,
            error_class=error_class,
            is_system_error=is_system_error,
            error_message=message[:MAX_MESSAGE_CHARS],
        )

    @property
    def error_text(self) -> str:
        """The exception's message; its class if it has none."""
        return self.error_message or self.error_class


@dataclass(frozen=True)
class LengthStats:
    """Ends and lengths of the attempts that had a result. The fields `frac_*` and `convo_*` are nanoeval's."""

    ended_by: Mapping[str, float] = field(default_factory=dict)
    """Fraction of attempts by the values of EndedBy, right attempts included."""

    conversation_percentiles: Mapping[str, float] = field(default_factory=dict)
    """Number of messages at the percentiles "25", "50" and "75", over the results that have a conversation."""

    frac_correct: float = math.nan
    """Fraction of attempts that are correct, each attempt weighing the same. Accuracy weighs tasks the same."""

    frac_max_time: float = math.nan
    """Fraction of attempts that are incorrect and reached the time limit."""

    frac_max_steps: float = math.nan
    """Fraction of attempts that are incorrect and reached the limit of steps."""

    frac_max_tokens: float = math.nan
    """Fraction of attempts that are incorrect and reached the limit of tokens."""

    frac_model_ended: float = math.nan
    """Fraction of attempts that are incorrect and reached no limit."""

    convo_len_percentiles: Sequence[float] = ()
    """The values of `conversation_percentiles`."""


def length_stats(attempts: Sequence[Attempt]) -> LengthStats:
    """Return the statistics of the attempts that had a result."""
    with_result = [attempt for attempt in attempts if attempt.ended_by is not None]
    if not with_result:
        return LengthStats()
    total = len(with_result)
    ends = Counter(attempt.ended_by for attempt in with_result)
    failed = Counter(
        limit for attempt in with_result if not attempt.correct for limit in (attempt.ended_by, *attempt.also_reached)
    )
    lengths = [attempt.conversation_length for attempt in with_result if attempt.conversation_length]
    percentiles = [float(value) for value in np.percentile(lengths, [25, 50, 75])] if lengths else []
    return LengthStats(
        {reason.value: ends[reason] / total for reason in EndedBy},
        dict(zip(("25", "50", "75"), percentiles, strict=False)),
        frac_correct=sum(attempt.correct for attempt in with_result) / total,
        frac_max_time=failed[EndedBy.TIME] / total,
        frac_max_steps=failed[EndedBy.STEPS] / total,
        frac_max_tokens=failed[EndedBy.TOKENS] / total,
        frac_model_ended=failed[EndedBy.MODEL] / total,
        convo_len_percentiles=percentiles,
    )
