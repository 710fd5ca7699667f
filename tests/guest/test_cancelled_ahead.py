"""A cancellation that the supervisor has read while an earlier program ran ends its own program too."""

import time
from functools import partial

import pytest

from sandboxes import EvalConfig, Evaluator, Program, Task
from sandboxes.contract import Limits, Verdict
from sandboxes.errors import RunCancelled
from support.interactive_programs import GUESS, HONEST
from support.observers import wait_until

pytestmark = pytest.mark.slow

SECONDS = 60.0
# So long that its process takes a while to read it. What is left of it must not become the next request.
TAKES_LONG = "import time\ntime.sleep(100)\n#" + "x" * 3_000_000
TAKES_A_SECOND = "import time\ntime.sleep(1)"


@pytest.fixture
def worker():
    """Start a worker, and end it."""
    worker = EvalConfig.from_options({"sandbox": "subprocess"}).sandbox.start_worker()
    assert wait_until(lambda: [*replies(worker)] or worker.isolation, SECONDS)
    yield worker
    worker.close_pipes()
    worker.wait()


def replies(worker):
    """Return what a worker has sent, and write what it has not taken yet."""
    worker.flush()
    return worker.receive()


def with_tests(grading):
    """Return three programs with tests, of which the second takes long."""
    candidates = (TAKES_A_SECOND, TAKES_LONG, "pass")
    return [Program(candidate, "assert True", Limits(wall_seconds=200), grading) for candidate in candidates]


def with_cases():
    """Return three programs with a case, of which the second takes long."""
    candidates = (TAKES_A_SECOND, TAKES_LONG, "pass")
    return assembled([{"input": "", "output": ""}], candidates)


def with_interactor():
    """Return three programs with an interactor, of which the second takes long."""
    honest = HONEST["python"]
    return assembled(
        {"inputs": ["7"], "outputs": [""], "interactor": {"source": GUESS}},
        (f"{TAKES_A_SECOND}\n{honest}", TAKES_LONG, honest),
    )


def assembled(reference, candidates):
    """Return the programs of a task."""
    config = EvalConfig.from_options({"sandbox": "subprocess", "timeout": 200})
    return Evaluator(config).assemble([Task(reference, list(candidates))]).programs


@pytest.mark.parametrize(
    "programs", [partial(with_tests, "shared"), partial(with_tests, "separate"), with_cases, with_interactor]
)
def test_a_program_that_is_cancelled_before_it_begins(worker, programs):
    """It is ended as soon as it begins, and the programs around it have their verdicts."""
    results = {}
    for index, program in enumerate(programs()):
        worker.send(index, program)
    # The first program is being watched, so that the cancellation is read while it runs.
    time.sleep(0.3)
    worker.cancel(1)
    began = time.monotonic()
    assert wait_until(lambda: results.update(replies(worker)) or len(results) == 3, SECONDS)
    assert time.monotonic() - began < SECONDS
    assert isinstance(results[1], RunCancelled)
    assert [isinstance(results[index], Verdict) and results[index].passed for index in (0, 2)] == [True, True]
