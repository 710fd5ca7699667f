"""Visitors' runs: programs on a warm pool, each run in a thread of its own, so that visitors don't wait for others."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
import time
from collections.abc import AsyncGenerator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from sandboxes import (
    EvalConfig,
    Evaluator,
    ProgramBatch,
    RunResult,
    RunStopped,
    SandboxUnavailable,
    TestResult,
    Verdict,
)
from sandboxes.extraction import encodable
from sandboxes.validation import hide_paths
from space.errors import RequestError
from space.settings import Settings

logger = logging.getLogger("code_eval")

PROGRESS_INTERVAL_SECONDS = 0.25
# Characters of all texts in a run's results together, in memory and on disk. Each text keeps at least MIN_CHARS.
MAX_TEXT_CHARS, MIN_CHARS = 16 << 20, 200
# Single tests in a run's results together. Each result keeps at least MIN_TESTS.
MAX_TESTS, MIN_TESTS = 50_000, 20
TEXTS = ("detail", "exception_type", "exception_message", "traceback", "stdout", "stderr")


class BackgroundRunner:
    """Runs programs for visitors, a few runs at once."""

    def __init__(self, settings: Settings):
        """Start nothing yet."""
        self.settings = settings
        self._threads = ThreadPoolExecutor(settings.max_concurrent_runs, thread_name_prefix="run")

    async def run(self, config: EvalConfig, batch: ProgramBatch) -> AsyncGenerator[dict[int, RunResult], None]:
        """Run programs, and report the progress.

        The programs are stopped when the generator is closed or its task is cancelled, and when the run has used up its
        seconds. Then the last results lack programs. The generator waits until all programs are gone.

        Args:
            config: how to run the programs.
            batch: the programs.

        Yields:
            The results so far, by the index of the program: several times a second, and at the end.

        Raises:
            RequestError: if the sandbox no longer works.
        """
        results: dict[int, RunResult] = {}
        stop = threading.Event()
        run = asyncio.get_running_loop().run_in_executor(self._threads, self._run, config, batch, results, stop)
        try:
            while not (await asyncio.wait([run], timeout=PROGRESS_INTERVAL_SECONDS))[0]:
                yield dict(results)
            run.result()
            yield results
        finally:
            stop.set()
            await asyncio.wait([run])

    def _run(
        self, config: EvalConfig, batch: ProgramBatch, results: dict[int, RunResult], stop: threading.Event
    ) -> None:
        """Fill `results`, in a thread of its own."""
        deadline = time.monotonic() + self.settings.max_run_seconds
        max_chars = max(MIN_CHARS, MAX_TEXT_CHARS // (len(TEXTS) * len(batch.programs)))
        max_tests = max(MIN_TESTS, MAX_TESTS // len(batch.programs))
        try:
            Evaluator(config).run(
                batch,
                on_result=lambda index, result: results.update({index: truncate(result, max_chars, max_tests)}),
                should_stop=lambda: stop.is_set() or time.monotonic() > deadline,
            )
        except RunStopped:
            logger.info("a run was stopped after %d of %d programs", len(results), len(batch.programs))
        except SandboxUnavailable as error:
            logger.exception("a run failed")
            raise RequestError(f"the sandbox does not work at the moment: {hide_paths(str(error))}") from None


def truncate(result: RunResult, max_chars: int, max_tests: int) -> RunResult:
    """Return a result that can be sent: its texts and tests are shortened, and JSON can hold them.

    A traceback keeps its end, which names the exception. The last test stays, because it may be the one that failed.

    Args:
        result: the result of a program.
        max_chars: characters of each text.
        max_tests: number of single tests.
    """
    if not isinstance(result, Verdict):
        return SandboxUnavailable(hide_paths(str(result)))
    texts: dict[str, str] = {name: getattr(result, name) for name in TEXTS}
    kept: dict[str, Any] = {
        name: encodable(text[-max_chars:] if name == "traceback" else text[:max_chars]) for name, text in texts.items()
    }
    tests = result.tests if len(result.tests) <= max_tests else (*result.tests[: max_tests - 1], result.tests[-1])
    return replace(result, tests=tuple(map(truncate_test, tests)), **kept)


def truncate_test(test: TestResult) -> TestResult:
    """Return the result of a single test, shortened, without its output."""
    name, message = encodable(test.name[:MIN_CHARS]), encodable(test.message[:MIN_CHARS])
    seconds = test.seconds if math.isfinite(test.seconds) else 0.0
    return replace(test, name=name, message=message, stdout="", seconds=seconds)
