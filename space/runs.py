"""One run for one visitor: programs on a warm pool, in a thread, without holding up the others."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import AsyncGenerator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from sandboxes import Ended, Program, RunStopped, SandboxUnavailable, Verdict, usable_cpus, warm_pool
from space.offers import without_paths
from space.requests import BadRequest, Choices
from space.settings import Settings

logger = logging.getLogger("code_eval")

SECONDS_BETWEEN_NEWS = 0.25
# Of all texts of a run's results together, in memory and on disk; but a few lines of each.
MOST_TEXT_CHARS, FEWEST_CHARS = 16 << 20, 200
TEXTS = ("detail", "exception_type", "exception_message", "traceback", "stdout", "stderr")


class Runner:
    """Runs programs for visitors, a few runs at once."""

    def __init__(self, settings: Settings):
        """Starts nothing yet."""
        self.settings = settings
        self._threads = ThreadPoolExecutor(settings.max_concurrent_runs, thread_name_prefix="run")

    async def run(self, choices: Choices, programs: Sequence[Program]) -> AsyncGenerator[dict[int, Ended], None]:
        """Runs programs, and tells how far they are.

        Stops them, and waits until they are gone, when it is closed or its task cancelled, and when the run has had its
        seconds: then the last news lack programs.

        Args:
            choices: where to run them.
            programs: those with the same tests best stand together.

        Yields:
            What has become of programs so far, by their index: now and then while there are more, and at the end.

        Raises:
            BadRequest: if the sandbox does not work any more.
        """
        ended: dict[int, Ended] = {}
        stop = threading.Event()
        run = asyncio.get_running_loop().run_in_executor(self._threads, self._run, choices, programs, ended, stop)
        try:
            while not (await asyncio.wait([run], timeout=SECONDS_BETWEEN_NEWS))[0]:
                yield dict(ended)
            run.result()
            yield ended
        finally:
            stop.set()
            await asyncio.wait([run])

    def _run(
        self, choices: Choices, programs: Sequence[Program], ended: dict[int, Ended], stop: threading.Event
    ) -> None:
        """Fills `ended`, in a thread of its own."""
        deadline = time.monotonic() + self.settings.max_run_seconds
        most_chars = max(FEWEST_CHARS, MOST_TEXT_CHARS // (len(TEXTS) * len(programs)))

        def keep(index: int, each: Ended) -> None:
            ended[index] = fit(each, most_chars)

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


def fit(ended: Ended, most_chars: int) -> Ended:
    """What became of a program, fit to be sent: its texts are as long as they may be, and can be encoded.

    A traceback keeps its end, which says what was raised.
    """
    if not isinstance(ended, Verdict):
        return SandboxUnavailable(without_paths(str(ended)))
    texts = {name: getattr(ended, name) for name in TEXTS}
    kept = {name: text[-most_chars:] if name == "traceback" else text[:most_chars] for name, text in texts.items()}
    return replace(ended, **{name: text.encode("utf-8", "replace").decode() for name, text in kept.items()})
