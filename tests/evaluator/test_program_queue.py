"""The queue behind `run_async`: batches run side by side, and a starved program's second run is alone."""

import asyncio
import contextlib
import threading
import time

import pytest

from sandboxes import EvalConfig, Evaluator, Limits, Outcome, Program, Task, Verdict, open_sandbox
from sandboxes.errors import RunStopped
from sandboxes.pool.pool import Pool
from sandboxes.pool.program_queue import ProgramQueue

pytestmark = pytest.mark.slow

PASSED = Verdict(Outcome.PASSED)
WAIT_SECONDS = 20.0


class Activity:
    """Counts what runs at the same time."""

    def __init__(self):
        """Start with nothing that runs."""
        self._lock = threading.Lock()
        self._running = self._alone = 0
        self.most = self.intrusions = 0

    @contextlib.contextmanager
    def run(self, alone=False):
        """Count the block as a run, and note if another run overlaps with one that is to be alone."""
        with self._lock:
            self._running += 1
            self._alone += alone
            self.most = max(self.most, self._running)
            self.intrusions += bool(self._alone and self._running > 1)
        try:
            yield
        finally:
            with self._lock:
                self._running -= 1
                self._alone -= alone


@pytest.mark.parametrize("starved", [1, 3])
def test_a_second_run_is_alone(starved):
    """While a starved program runs again, no other program of the queue runs, also no other starved one."""
    activity, is_alone = Activity(), threading.Event()

    def run_batch(programs, on_result, controls):
        for index, program in enumerate(programs):
            with activity.run():
                time.sleep(0.02)
            if program.candidate == "starved":
                with queue.alone(), activity.run(alone=True):
                    is_alone.set()
                    time.sleep(0.2)
            on_result(index, PASSED)

    async def run():
        names = ["starved", *["quick"] * 6] * starved
        runs = [asyncio.ensure_future(queue.run(Program(name, ""))) for name in names]
        assert await asyncio.to_thread(is_alone.wait, WAIT_SECONDS)
        return await asyncio.gather(*runs, *(queue.run(Program("late", "")) for _ in range(20)))

    queue = ProgramQueue(run_batch, 4)
    results = asyncio.run(run())
    queue.close()
    assert results == [PASSED] * (7 * starved + 20)
    assert activity.intrusions == 0
    # Otherwise nothing could have intruded.
    assert activity.most > 1


def test_a_queue_can_be_closed_while_a_second_run_waits():
    """A program that waits to be alone lets go when the queue is closed, although another one never ends."""
    hangs, waits = threading.Event(), threading.Event()

    def run_batch(programs, on_result, controls):
        if programs[0].candidate == "hangs":
            hangs.set()
            while not controls.should_stop():
                time.sleep(0.01)
            raise RunStopped
        assert hangs.wait(WAIT_SECONDS)
        waits.set()
        with queue.alone():
            raise RunStopped

    async def start():
        runs = [asyncio.ensure_future(queue.run(Program(name, ""))) for name in ("hangs", "starved")]
        await asyncio.to_thread(waits.wait, WAIT_SECONDS)
        await asyncio.to_thread(queue.close)
        for run in runs:
            run.cancel()

    queue = ProgramQueue(run_batch, 2)
    asyncio.run(start())
    assert waits.is_set()
    assert not any(thread.is_alive() for thread in queue._threads)


class WatchedPool(Pool):
    """A pool on a busy machine, which notes what runs at the same time as a second run."""

    def __init__(self, sandbox):
        """Start without runs."""
        super().__init__(sandbox)
        self.activity = Activity()
        self.second_runs = 0
        self.ended = {}
        """Programs that have run, by their ids. Equal programs of several tasks are several programs."""

    def was_starved(self, seconds):
        """Return True, as on a busy machine."""
        return True

    def run(self, programs, controls, on_result):
        """Run programs. A second run is known by its programs."""

        def take(index, result):
            self.ended[id(programs[index])] = programs[index]
            on_result(index, result)

        is_second = {id(program) for program in programs.values()} <= self.ended.keys()
        self.second_runs += is_second
        with self.activity.run(alone=is_second):
            super().run(programs, controls, take)


def test_other_tasks_wait_for_a_second_run(monkeypatch):
    """`run_async` runs no other task while a candidate that timed out on a busy machine runs again."""
    config = EvalConfig(open_sandbox("subprocess"), limits=Limits(wall_seconds=0.5), num_workers=2)
    pool = WatchedPool(config.sandbox)
    monkeypatch.setattr("sandboxes.blocking_evaluator.warm_pool", lambda *_: pool)
    sleeps = Task("assert True", ["import time\ntime.sleep(60)"])
    quick = Task("assert x", ["import time\ntime.sleep(0.05)\nx = 1"])

    async def run():
        async with Evaluator(config) as evaluator:
            return await asyncio.gather(*map(evaluator.run_async, [sleeps, *[quick] * 40]))

    slow, *others = asyncio.run(run())
    pool.close()
    assert (slow.outcome, slow.attempts) == (Outcome.TIMED_OUT, 2)
    assert (pool.second_runs, pool.activity.intrusions) == (1, 0)
    assert all(result.passed for result in others)
