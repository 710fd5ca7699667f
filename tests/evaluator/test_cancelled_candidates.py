"""A candidate whose awaiting task is cancelled is ended, on a worker that goes on with the others."""

import asyncio
import time

import pytest

from sandboxes import EvalConfig, Evaluator, Task
from support.observers import wait_until

pytestmark = pytest.mark.slow

HANGS = "import time\ntime.sleep(100)"
SECONDS = 60.0


def config(sandbox="subprocess", **options):
    """Return a configuration with one worker and a long time limit."""
    return EvalConfig.from_options({"sandbox": sandbox, "timeout": 120, "num_workers": 1, **options})


async def cancelled_soon(evaluator, task):
    """Start a task, and cancel it as soon as it runs."""
    run = asyncio.create_task(evaluator.run_async(task))
    await asyncio.sleep(1)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run


def idle_worker(pool):
    """Return the process of the only worker, as soon as its batch has given it back."""
    assert wait_until(lambda: pool._idle.workers, SECONDS)
    [worker] = pool._idle.workers
    return worker.process.pid


def cancel_one_then_run(config, task):
    """Cancel a task while it runs, then run another one. Return its result and the workers before and after it."""

    async def run():
        async with Evaluator(config, keep_warm=False) as evaluator:
            pool = evaluator.pool()
            await evaluator.run_async(Task("assert f() == 1", ["def f(): return 1"]))
            before = idle_worker(pool)
            await cancelled_soon(evaluator, task)
            began = time.monotonic()
            result = await evaluator.run_async(Task("assert f() == 1", ["def f(): return 1"]))
            waited = time.monotonic() - began
            return result, before, idle_worker(pool), waited

    return asyncio.run(run())


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_a_running_candidate_is_ended(grading):
    """The next candidate need not wait for the end of one that was cancelled, and runs on the same worker."""
    result, before, after, waited = cancel_one_then_run(config(grading=grading), Task("assert f() == 1", [HANGS]))
    assert result.passed
    assert before == after
    assert waited < SECONDS


def test_a_candidate_with_many_short_cases_is_ended():
    """A candidate is also ended between two of its cases, none of which takes long."""
    cases = [{"input": "", "output": "1"}] * 20_000
    task = Task(cases, ["import time\ntime.sleep(0.004)\nprint(1)"])
    result, before, after, waited = cancel_one_then_run(config(), task)
    assert result.passed
    assert before == after
    assert waited < SECONDS / 2
