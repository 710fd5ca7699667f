"""One run for one visitor: programs on a warm pool, in a thread, without holding up the others."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from sandboxes import Ended, Program, RunStopped, SandboxUnavailable, TestResult, Verdict, usable_cpus, warm_pool
from space.offers import without_paths
from space.requests import BadRequest, Choices
from space.settings import Settings

logger = logging.getLogger("code_eval")

SECONDS_BETWEEN_NEWS = 0.25
# Of all texts of a run's results together, in memory and on disk; but a few lines of each. And of all single tests.
MOST_TEXT_CHARS, FEWEST_CHARS = 16 << 20, 200
MOST_TESTS, FEWEST_TESTS = 50_000, 20
TEXTS = ("detail", "exception_type", "exception_message", "traceback", "stdout", "stderr")


Finish = Callable[[int, Ended], Ended]
"""(index of a program, what became of it) -> what is told of that."""


def unfinished(index: int, ended: Ended) -> Ended:
    """Nothing is to be done."""
    return ended


class Runner:
    """Runs programs for visitors, a few runs at once."""

    def __init__(self, settings: Settings):
        """Starts nothing yet."""
        self.settings = settings
        self._threads = ThreadPoolExecutor(settings.max_concurrent_runs, thread_name_prefix="run")

    async def run(
        self, choices: Choices, programs: Sequence[Program], finish: Finish = unfinished
    ) -> AsyncGenerator[dict[int, Ended], None]:
        """Runs programs, and tells how far they are.

        Stops them, and waits until they are gone, when it is closed or its task cancelled, and when the run has had its
        seconds: then the last news lack programs.

        Args:
            choices: where to run them.
            programs: those with the same tests best stand together.
            finish: what is still to be done with what became of a program.

        Yields:
            What has become of programs so far, by their index: now and then while there are more, and at the end.

        Raises:
            BadRequest: if the sandbox does not work any more.
        """
        ended: dict[int, Ended] = {}
        stop = threading.Event()
        run = asyncio.get_running_loop().run_in_executor(
            self._threads, self._run, choices, programs, finish, ended, stop
        )
        try:
            while not (await asyncio.wait([run], timeout=SECONDS_BETWEEN_NEWS))[0]:
                yield dict(ended)
            run.result()
            yield ended
        finally:
            stop.set()
            await asyncio.wait([run])

    def _run(
        self,
        choices: Choices,
        programs: Sequence[Program],
        finish: Finish,
        ended: dict[int, Ended],
        stop: threading.Event,
    ) -> None:
        """Fills `ended`, in a thread of its own."""
        deadline = time.monotonic() + self.settings.max_run_seconds
        most_chars = max(FEWEST_CHARS, MOST_TEXT_CHARS // (len(TEXTS) * len(programs)))
        most_tests = max(FEWEST_TESTS, MOST_TESTS // len(programs))

        def keep(index: int, each: Ended) -> None:
            ended[index] = fit(finish(index, each), most_chars, most_tests)

        try:
            warm_pool(choices.sandbox).run_all(
                programs,
                usable_cpus(),
                keep,
                "exclude",
                lambda: stop.is_set() or time.monotonic() > deadline,
            )
        except RunStopped:
            logger.info("a run was stopped after %d of %d programs", len(ended), len(programs))
        except SandboxUnavailable as error:
            logger.exception("a run failed")
            raise BadRequest(f"the sandbox does not work at the moment: {without_paths(str(error))}") from None


def fit(ended: Ended, most_chars: int, most_tests: int) -> Ended:
    """What became of a program, fit to be sent: no more than so much of it, and what JSON can hold.

    A traceback keeps its end, which says what was raised, and the tests their last, which may be the one that failed.
    """
    if not isinstance(ended, Verdict):
        return SandboxUnavailable(without_paths(str(ended)))
    texts: dict[str, str] = {name: getattr(ended, name) for name in TEXTS}
    kept: dict[str, Any] = {
        name: encodable(text[-most_chars:] if name == "traceback" else text[:most_chars])
        for name, text in texts.items()
    }
    tests = ended.tests if len(ended.tests) <= most_tests else (*ended.tests[: most_tests - 1], ended.tests[-1])
    return replace(ended, tests=tuple(map(fit_test, tests)), **kept)


def fit_test(test: TestResult) -> TestResult:
    """A single test's result just so."""
    name, message = encodable(test.name[:FEWEST_CHARS]), encodable(test.message[:FEWEST_CHARS])
    seconds = test.seconds if math.isfinite(test.seconds) else 0.0
    return replace(test, name=name, message=message, stdout="", seconds=seconds)


def encodable(text: str) -> str:
    """A text without halves of pairs."""
    return text.encode("utf-8", "replace").decode()
