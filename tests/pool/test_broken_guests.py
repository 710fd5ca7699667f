"""A fault of a guest is a SandboxUnavailable and never a verdict."""

import os
import select
import time
from types import SimpleNamespace

import psutil
import pytest

from sandboxes import Limits, Outcome, Pool, Program, SandboxUnavailable
from sandboxes.workers.canaries import CANARIES
from sandboxes.workers.worker import close_workers
from support.fake_guest import HELLO, NONSENSE, FakeSandbox
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow

GOOD = Program("x = 1", "")


def says(what):
    """Return a program to which a fake guest sends this answer."""
    return Program(f"# say {what}\n", "")


@pytest.fixture
def fakes(monkeypatch):
    """Return a function that makes a pool of fake guests. Fail if a process or folder of the guests is left."""
    pools = []

    def make(**options):
        pools.append(Pool(FakeSandbox(**options)))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close()
        for worker in pool.sandbox.workers:
            assert worker.process.returncode is not None
            assert not os.path.exists(worker.scratch)


def test_fake_guest_passes(fakes):
    """A fake guest's valid reply is believed, so the errors below come from invalid replies."""
    [verdict] = fakes().run_all([GOOD], 1)
    assert (verdict.outcome, verdict.attempts, verdict.isolation) == (Outcome.PASSED, 1, ("fake",))


@pytest.mark.parametrize("what", [*NONSENSE, "goodbye"])
def test_nonsense_is_never_a_verdict(fakes, what, monkeypatch):
    """A guest that sends an invalid reply makes a SandboxUnavailable."""
    pool = fakes()
    assert pool.run_all([GOOD], 1)[0].passed
    monkeypatch.setattr("sandboxes.pool.run.SILENCE_TIMEOUT_SECONDS", 0.5)
    with pytest.raises(SandboxUnavailable, match="broke 3 times while it ran program 0"):
        pool.run_all([Program(f"# say {what}\n", "", Limits(wall_seconds=0.1))], 1)


def test_silence_is_broken(fakes, monkeypatch):
    """A guest that is silent for longer than its program may run makes a SandboxUnavailable."""
    monkeypatch.setattr("sandboxes.pool.run.SILENCE_TIMEOUT_SECONDS", 0.2)
    monkeypatch.setattr("sandboxes.pool.run.CHECK_INTERVAL_SECONDS", 0.1)
    with pytest.raises(SandboxUnavailable, match="was silent"):
        fakes().run_all([Program("# say nothing more\n", "", Limits(wall_seconds=0.1))], 1)


def test_silence_is_broken_while_others_work(fakes, monkeypatch):
    """A silent guest is detected although other guests answer all the time."""
    monkeypatch.setattr("sandboxes.pool.run.SILENCE_TIMEOUT_SECONDS", 0.2)
    monkeypatch.setattr("sandboxes.pool.run.CHECK_INTERVAL_SECONDS", 0.1)
    silent = Program("# say nothing more\n", "", Limits(wall_seconds=0.1))
    results = fakes().run_all([silent] + [GOOD] * 200, 2, on_sandbox_error="exclude")
    assert isinstance(results[0], SandboxUnavailable)
    assert all(verdict.passed for verdict in results[1:])


def test_an_answer_is_no_silence_because_it_is_read_late(fakes, monkeypatch):
    """A guest is not silent if it has answered while the end of another guest kept the caller busy for long."""
    delay = 0
    clock = SimpleNamespace(monotonic=lambda: time.monotonic() + delay)
    monkeypatch.setattr("sandboxes.pool.run.time", clock)
    monkeypatch.setattr("sandboxes.workers.worker.time", clock)
    monkeypatch.setattr("sandboxes.pool.run.SILENCE_TIMEOUT_SECONDS", 0.2)
    monkeypatch.setattr("sandboxes.pool.run.CHECK_INTERVAL_SECONDS", 0.1)
    pool = fakes()

    def close_late(workers):
        nonlocal delay
        others = {worker for worker in pool.sandbox.workers if not worker.process.stdout.closed} - {*workers}
        select.select([worker.replies_fd for worker in others if worker.in_flight], [], [], WALL_SECONDS)
        delay += 2 * WALL_SECONDS
        close_workers(workers)

    monkeypatch.setattr("sandboxes.pool.run.close_workers", close_late)
    silent = Program("# say nothing more\n", "", Limits(wall_seconds=0.1))
    slow = Program("# say passed, slowly\n", "", Limits(wall_seconds=WALL_SECONDS))
    results = pool.run_all([silent] + [slow] * 12, 2, on_sandbox_error="exclude")
    assert isinstance(results[0], SandboxUnavailable)
    assert [verdict.attempts for verdict in results[1:]] == [1] * 12


def test_others_go_on_without_guests_that_do_not_get_ready(fakes, monkeypatch):
    """Guests that start together and do not get ready end no run that has another guest, which runs all programs."""
    pool = fakes(max_ready=1)
    pool.preflight()
    monkeypatch.setattr("sandboxes.pool.run.START_TIMEOUT_SECONDS", 0.2)
    monkeypatch.setattr("sandboxes.pool.run.CHECK_INTERVAL_SECONDS", 0.1)
    verdicts = pool.run_all([says("passed, slowly")] * 8, 5)
    assert [(verdict.outcome, verdict.attempts) for verdict in verdicts] == [(Outcome.PASSED, 1)] * 8
    # Two are tried again, and no others.
    assert len(pool.sandbox.workers) <= 7


def test_raise_names_the_program_and_the_way_out(fakes):
    """With "raise" the error names the program, the reason and the remedy."""
    with pytest.raises(SandboxUnavailable) as caught:
        fakes().run_all([GOOD, GOOD, says("goodbye"), GOOD], 2)
    assert "program 2" in str(caught.value)
    assert "goodbye" in str(caught.value)
    assert 'on_sandbox_error="exclude"' in str(caught.value)


@pytest.mark.parametrize("num_workers", [1, 3])
def test_exclude_puts_the_error_in_the_programs_place(fakes, num_workers):
    """With "exclude" the error replaces the program's verdict, and all other programs have theirs."""
    programs = [GOOD, says("goodbye"), GOOD, GOOD, says("text"), GOOD, says("broken")]
    results = fakes().run_all(programs, num_workers, on_sandbox_error="exclude")
    assert [isinstance(one, SandboxUnavailable) for one in results] == [False, True, False, False, True, False, True]
    assert all(results[index].passed for index in (0, 2, 3, 5))
    assert "program 4" in str(results[4])


def test_on_result_is_called_for_excluded_programs_too(fakes):
    """`on_result` gets the verdict or the error of each program once."""
    seen = {}
    results = fakes().run_all([GOOD, says("goodbye"), GOOD], 1, seen.__setitem__, "exclude")
    assert [seen[index] for index in range(3)] == results


def test_a_program_whose_guest_breaks_once_is_run_again(fakes, folder):
    """A program whose guest broke gets its verdict from a fresh guest, which counts its attempts."""
    programs = [GOOD, says(f"goodbye until {folder}/seen"), GOOD]
    verdicts = fakes().run_all(programs, 1)
    assert [verdict.outcome for verdict in verdicts] == [Outcome.PASSED] * 3
    assert [verdict.attempts for verdict in verdicts] == [1, 2, 1]


def test_broken_guests_do_not_wear_out_the_pool(fakes):
    """Any number of programs may break their guests."""
    results = fakes().run_all([says("goodbye"), GOOD] * 5, 2, on_sandbox_error="exclude")
    assert sum(isinstance(one, SandboxUnavailable) for one in results) == 5


@pytest.mark.parametrize("canary", [canary.name for canary in CANARIES if not canary.layer])
def test_wrong_canary_is_unavailable(fakes, canary):
    """When a canary has a wrong outcome, nothing is scored and the error names the canary."""
    pool = fakes(wrong_canary=canary)
    with pytest.raises(SandboxUnavailable, match=f"the canary that {canary} should be .*exited"):
        pool.run_all([GOOD], 1, on_sandbox_error="exclude")


@pytest.mark.parametrize("canary", [canary.name for canary in CANARIES])
def test_deadly_canary_is_unavailable(fakes, canary):
    """When a canary breaks its guests, nothing is scored and the error names it, unless its layer is missing."""
    pool = fakes(deadly_canary=canary)
    if canary == "eats memory":
        assert pool.run_all([GOOD], 1)[0].passed
        return
    with pytest.raises(SandboxUnavailable, match=f"the canary that {canary} could not be run"):
        pool.run_all([GOOD], 1)


def test_failed_preflight_is_tried_again(fakes):
    """A pool whose preflight failed fails again, so that no later call scores anything."""
    pool = fakes(wrong_canary="passes")
    for _ in range(2):
        with pytest.raises(SandboxUnavailable):
            pool.run_all([], 1)


BAD_HELLOS = [
    {},
    [],
    5,
    {**HELLO, "ready": 1},
    {**HELLO, "layers": 5},
    {**HELLO, "missing": []},
    {"ready": True, "layers": [], "missing": {}},
]


@pytest.mark.parametrize("hello", BAD_HELLOS, ids=str)
def test_bad_first_frame_is_unavailable(fakes, hello):
    """A guest whose first frame is invalid makes a SandboxUnavailable."""
    with pytest.raises(SandboxUnavailable, match="does not start: the guest's (first frame is invalid|reply is not)"):
        fakes(hello=hello).run_all([GOOD], 1)


def test_guest_that_ends_at_once_is_unavailable(fakes):
    """A guest that does not start makes a SandboxUnavailable with the guest's last output."""
    with pytest.raises(SandboxUnavailable, match="does not start.*a fake ends at once"):
        fakes(hello=None).run_all([GOOD], 1)


def test_guest_that_is_never_ready_is_unavailable(fakes, monkeypatch):
    """A guest that is not ready in time makes a SandboxUnavailable."""
    monkeypatch.setattr("sandboxes.pool.run.START_TIMEOUT_SECONDS", 0.3)
    monkeypatch.setattr("sandboxes.pool.run.CHECK_INTERVAL_SECONDS", 0.1)
    with pytest.raises(SandboxUnavailable, match="not ready"):
        fakes(hello="silent").run_all([GOOD], 1)


def test_sandbox_that_cannot_start_is_unavailable():
    """A backend that can't start a guest gives the reason, and leaves nothing behind."""

    class Nowhere:
        name = "nowhere"
        canaries = CANARIES

        def start_worker(self):
            raise SandboxUnavailable("nowhere to start")

    before = psutil.Process().num_fds()
    with pytest.raises(SandboxUnavailable, match="nowhere to start"):
        Pool(Nowhere()).run_all([GOOD], 2)
    assert psutil.Process().num_fds() == before
