"""The options of a solver's run: number and order of attempts, retries, and the form of the run log."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from sandboxes.validation import positive_int, short_repr

ON_SOLVER_ERROR = ("raise", "record")
ORDERS = ("interleaved", "by_question")


@dataclass(frozen=True)
class Backoff:
    """The number of retries of an attempt after infrastructure errors, and the waits before them."""

    retries: int = 16
    first_seconds: float = 1.0
    """Upper bound of the first wait. Each later bound is twice as long, up to `max_seconds`."""

    max_seconds: float = 60.0
    jitter: Callable[[], float] = random.random
    """Returns a value in [0, 1) that spreads waits over the second half of their bound. Attempts that failed together
    are then not retried together."""

    def seconds(self, retry_idx: int) -> float:
        """Return the wait after a try."""
        # The exponent is bounded because a float can't hold the power of a large one.
        bound = min(self.max_seconds, self.first_seconds * 2.0 ** min(retry_idx, 64))
        return bound * (0.5 + self.jitter() / 2)

    def last_retry_idx(self, retry_idx: int) -> int:
        """Return the last retry_idx of an attempt that a run begins with this one.

        A resumed attempt keeps its remaining retries. An attempt that had used up all of them gets as many again.
        """
        tries = self.retries + 1
        return (retry_idx // tries + 1) * tries - 1


@dataclass(frozen=True)
class SolveOptions:
    """The options of a run."""

    n_tries: int = 1
    """Attempts per task."""

    concurrency: int = 64
    """Attempts at once."""

    on_solver_error: str = "raise"
    """Effect of a bug in the solver: "raise" stops the run; "record" counts the attempt as incorrect."""

    backoff: Backoff = Backoff()
    tries_by_question: Mapping[str, int] = field(default_factory=dict)
    """Number of attempts of each question for which it is not `n_tries`."""

    order: str = "interleaved"
    """The order in which attempts begin. "interleaved": the first attempts at all questions, then the second ones.
    "by_question": all attempts at a question, then those at the next."""

    record_pretty: bool = False
    """True if the run log has a line for each message, for people, in place of the messages in steps."""

    log_at_end: bool = False
    """True if the run log has a line with the grader's text at the end of each attempt."""

    def tries_for(self, question_id: str) -> int:
        """Return how many attempts a question has."""
        return self.tries_by_question.get(question_id, self.n_tries)

    def __post_init__(self) -> None:
        """Raise TypeError or ValueError for an invalid value."""
        positive_int("n_tries", self.n_tries)
        positive_int("concurrency", self.concurrency)
        if self.on_solver_error not in ON_SOLVER_ERROR:
            raise ValueError(
                f"on_solver_error must be one of {', '.join(ON_SOLVER_ERROR)}, not {short_repr(self.on_solver_error)}"
            )
        if self.order not in ORDERS:
            raise ValueError(f"order must be one of {', '.join(ORDERS)}, not {short_repr(self.order)}")

    def attempts(self, question_ids: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Yield (index of a question, attempt_id) for every attempt, in the order in which they begin."""
        tries = [self.tries_for(question_id) for question_id in question_ids]
        if self.order == "by_question":
            yield from ((index, number) for index, count in enumerate(tries) for number in range(count))
            return
        unfinished = list(range(len(tries)))
        for number in range(max(tries, default=0)):
            # Only questions with an attempt left are looked at again: a few may have far more than all others.
            unfinished = [index for index in unfinished if number < tries[index]]
            yield from ((index, number) for index in unfinished)


DEFAULT_OPTIONS = SolveOptions()
