"""Samples that come one by one, and need not fit into memory: each with its tests, and each with its verdict."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from typing import Any

from sandboxes.contract import Limits, Program
from sandboxes.runner import Ended
from sandboxes.sharing import SharingPool
from sandboxes.tasks import Job, Kinds


def ended_in_order(
    samples: Iterable[tuple[str, Any]],
    kinds: Kinds,
    limits: Limits,
    grading: str,
    pool: SharingPool,
    num_workers: int,
    on_sandbox_error: str = "raise",
) -> Generator[Ended]:
    """Runs samples, of which a few thousand at most are taken before they have ended.

    Args:
        samples: (candidate, tests) each; neighbours best have the same tests.
        kinds: how they are run, all in one language.
        limits: what each may use.
        grading: one of GRADINGS.
        pool: where they run.
        num_workers: samples at once.
        on_sandbox_error: "raise" or "exclude".

    Yields:
        What became of each sample, in their order.

    Raises:
        ValueError, TypeError: if tests are none; the message has the sample's number, from 0.
        What `Pool.run_all` raises, and what `samples` does.
    """
    jobs: dict[int, Job] = {}

    def programs() -> Iterator[Program]:
        for number, (candidate, reference) in enumerate(samples):
            jobs[number] = Job.of(kinds, [([candidate], reference)], limits, grading, [f"sample {number}"])
            yield jobs[number].programs[0]

    def finish(number: int, ended: Ended) -> Ended:
        return jobs[number].finished_one(0, ended)

    with closing(pool.in_order(programs(), num_workers, on_sandbox_error, finish)) as stream:
        for number, ended in enumerate(stream):
            del jobs[number]
            yield ended
