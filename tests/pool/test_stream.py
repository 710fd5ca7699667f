"""A stream of programs has the verdicts of a run, but keeps few of its programs in memory."""

import itertools
import os
import signal

import pytest

from sandboxes import Limits, Outcome, Pool, Program, UsageMeter, open_sandbox
from sandboxes.pool.pool import MAX_READ_AHEAD, MIN_WAITING
from sandboxes.runner import RunControls
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow

LIMITS = Limits(wall_seconds=WALL_SECONDS)
SLEEP = Program("import time\ntime.sleep(60)", "", Limits(wall_seconds=1.0))


@pytest.fixture(scope="module")
def pool():
    """Return a pool of the subprocess backend."""
    pool = Pool(open_sandbox("subprocess"))
    yield pool
    pool.close()


def programs(count):
    """Return programs of which every third fails, in groups with the same tests."""
    return (Program(f"x = {index}", f"assert x % 3, {index // 10}", LIMITS) for index in range(count))


def test_a_stream_has_the_verdicts_of_a_run(pool):
    """Each program has the outcome that it has in a run."""
    found = [each.outcome for each in pool.stream(programs(60), RunControls(2))]
    assert found == [each.outcome for each in pool.run_all(list(programs(60)), 2)]


def test_no_programs_are_a_stream_that_is_over(pool):
    """A stream without programs yields nothing."""
    assert list(pool.stream(iter(()), RunControls(2))) == []


def test_results_come_in_order(pool):
    """The results of later programs wait for a program that takes long."""
    ended = list(pool.stream([SLEEP, *programs(20)], RunControls(2)))
    assert len(ended) == 21
    assert ended[0].outcome is Outcome.TIMED_OUT


def test_programs_run_while_one_takes_long(pool):
    """A slow program delays only the program that its worker already has."""
    order = []

    def note(index, result):
        order.append(index)
        return result

    list(pool.stream([SLEEP, *programs(20)], RunControls(2), note))
    assert sorted(order) == list(range(21))
    assert order.index(0) >= 19


def test_programs_are_taken_as_they_are_needed(pool):
    """An endless stream can be run. Few of its programs are taken before they run."""
    taken, ended = itertools.count(), []

    def note(index, result):
        ended.append(index)
        return result

    stream = pool.stream((Program(f"x = {next(taken)}", "", LIMITS) for _ in itertools.count()), RunControls(2), note)
    assert len([next(stream) for _ in range(50)]) == 50
    stream.close()
    # On a busy machine many programs end while an older one still runs.
    assert next(taken) <= len(ended) + MIN_WAITING + 10


def test_one_that_hangs_holds_back_only_so_many(pool, monkeypatch):
    """A stream takes a bounded number of programs while the first has not ended."""
    monkeypatch.setattr("sandboxes.pool.pool.MAX_READ_AHEAD", 40)
    taken = itertools.count()
    more = (Program(f"x = {next(taken)}", "", LIMITS) for _ in range(500))
    stream = pool.stream(itertools.chain([SLEEP], more), RunControls(2))
    assert next(stream).outcome is Outcome.TIMED_OUT
    assert next(taken) < MAX_READ_AHEAD
    assert next(taken) <= 41
    assert len(list(stream)) == 500


def test_a_stream_that_is_left_ends_its_programs(pool):
    """Closing a stream ends its busy workers, and the pool can be used again."""
    meter = UsageMeter()
    stream = pool.stream([Program("x = 1", "", LIMITS), *[SLEEP] * 3], RunControls(2, meter=meter))
    next(stream)
    stream.close()
    assert pool.run_all([Program("x = 1", "assert x", LIMITS)], 1)[0].passed


def test_an_error_of_the_source_is_raised(pool):
    """An exception of the iterable reaches the caller, and the pool can be used again."""

    def broken():
        yield from programs(5)
        raise OSError("no more")

    with pytest.raises(OSError, match="no more"):
        list(pool.stream(broken(), RunControls(2)))
    assert len(list(pool.stream(programs(5), RunControls(2)))) == 5


def test_wrong_arguments_are_errors(pool):
    """A stream refuses the arguments that a run refuses."""
    with pytest.raises(ValueError, match="num_workers"):
        next(pool.stream(programs(1), RunControls(0)))
    with pytest.raises(ValueError, match="on_sandbox_error"):
        next(pool.stream(programs(1), RunControls(1, "ignore")))


def test_a_worker_that_dies_is_replaced_and_counted(pool, caplog):
    """Programs of a killed worker run again, and a meter and the log count them."""
    meter = UsageMeter()
    stream = pool.stream(programs(200), RunControls(1, meter=meter))
    next(stream)
    [worker] = meter.workers
    os.kill(worker.process.pid, signal.SIGKILL)
    rest = list(stream)
    assert len(rest) == 199
    metered = meter.snapshot()
    assert (metered.programs, metered.restarts) == (200, 1)
    assert metered.retries >= 1
    assert max(each.attempts for each in rest) == 2
    assert {getattr(record, "event", None) for record in caplog.records} == {"restart", "retry"}


def test_a_meter_counts_what_a_run_cost(pool):
    """Busy seconds do not exceed the workers' lifetimes, and the peak memory of the largest program is known."""
    meter = UsageMeter()
    pool.run_all(list(programs(30)), 2, meter=meter)
    metered = meter.snapshot()
    assert metered.programs == 30
    assert 0 < metered.busy_seconds <= metered.worker_seconds <= 2 * metered.wall_seconds
    assert 0 < metered.utilisation <= 1
    assert metered.peak_memory_bytes > 1 << 20
    assert (metered.restarts, metered.retries, metered.lost_seconds) == (0, 0, 0.0)
