"""The supervisor tells a slow program from a busy machine."""

import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
from types import SimpleNamespace

import pytest

from sandboxes.guest.common.frames import write_frame
from sandboxes.guest.common.processes import children, descendants
from sandboxes.guest.supervisor import cpu_time, execution, fork_server_process

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
LIMITS = {"wall_seconds": 2.0, "output_bytes": 1, "memory_bytes": 1 << 30}
SPIN = "while True: pass"


def accounting(*samples, pid=None):
    """Return the accounting of a sleeping process. Each sample is the next of these; the last one is repeated."""
    remaining = iter(samples)
    last = samples[-1]
    return SimpleNamespace(pid=pid or os.getpid(), threads=[], sample=lambda: next(remaining, last))


def test_time_without_a_cpu_does_not_count():
    """The deadline of a program moves by the time that it waited for a CPU."""
    assert cpu_time.extended_wall_seconds([accounting((0.5, 1.5))], 2.0, LIMITS) == 3.5


def test_waits_of_processes_that_wait_for_each_other_add_up():
    """The deadline of a program with two processes moves by the sum of their waits for a CPU."""
    assert cpu_time.extended_wall_seconds([accounting((0.5, 1.0)), accounting((0.5, 0.75))], 2.0, LIMITS) == 3.75


def test_a_wait_that_has_just_ended_counts():
    """The wait of a program that gets a CPU during a sample counts up to that moment."""
    assert cpu_time.extended_wall_seconds([accounting((0.5, 0.0), (0.5, 1.5))], 2.0, LIMITS) == 3.5


def test_sleeper_gets_no_longer():
    """A program that had a CPU whenever it wanted gets no more than its wall seconds."""
    assert cpu_time.extended_wall_seconds([accounting((0.0, 0.0))], 2.0, LIMITS) <= 2.0


def test_computing_as_long_as_allowed_gets_no_longer():
    """A program with as much CPU time as its wall seconds gets no extension, however long it waited."""
    assert cpu_time.extended_wall_seconds([accounting((1.0, 100.0)), accounting((1.0, 0.0))], 102.0, LIMITS) <= 2.0


def test_extension_has_an_end():
    """A program's extension is bounded, however busy the machine is."""
    assert cpu_time.extended_wall_seconds([accounting((0.0, 1e9))], 2.0, LIMITS) == 2.0 * cpu_time.MAX_EXTENSION


def test_process_that_has_ended_is_not_timed_out():
    """A program that ended in time is not TIMED_OUT because a busy machine reported its end late."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert cpu_time.extended_wall_seconds([accounting((0.0, 0.0), pid=process.pid)], 2.0, LIMITS) > 2.0
    process.wait()
    assert cpu_time.extended_wall_seconds([accounting((0.0, 0.0), pid=process.pid)], 2.0, LIMITS) > 2.0


def test_nothing_told_of_processes_is_no_reason(monkeypatch):
    """A program gets no extension if the system has no data about processes."""
    monkeypatch.setattr(cpu_time, "stat_fields", lambda task: [])
    assert cpu_time.extended_wall_seconds([accounting((0.0, 0.0))], 2.0, LIMITS) <= 2.0


@pytest.fixture
def parent():
    """Return a function that starts a process whose children share one CPU and run some code.

    The function returns the process, once it has a child.
    """
    processes = []

    def start(code, number):
        source = f"""
import os, subprocess, sys
os.sched_setaffinity(0, {{min(os.sched_getaffinity(0))}})
children = [subprocess.Popen([sys.executable, "-c", {code!r}]) for _ in range({number})]
children[0].wait()
"""
        processes.append(subprocess.Popen([sys.executable, "-c", source], start_new_session=True))
        while not children(processes[-1].pid):
            time.sleep(0.01)
        return processes[-1]

    yield start
    for process in processes:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def sample_until(holds, accounting):
    """Take samples until one meets a condition, for 20 seconds at most. Return the last sample."""
    deadline = time.monotonic() + 20
    while not holds(sample := accounting.sample()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return sample


@pytest.mark.parametrize(
    "code",
    [
        f"import threading\nfor _ in range(2): threading.Thread(target=lambda: exec({SPIN!r})).start()",
        f"import os\nfor _ in range(2):\n    if os.fork() == 0: exec({SPIN!r})\nos.wait()",
    ],
    ids=["threads", "children"],
)
def test_waits_of_all_threads_and_children_count(parent, code):
    """Waits for a CPU of a program's threads and children count, even while its first thread sleeps."""
    parent(SPIN, 1)
    accounting = cpu_time.CpuAccounting(parent(code, 1).pid)
    assert sample_until(lambda found: found[1] > 0.3, accounting)[1] > 0.3


def test_what_came_before_a_program_does_not_count(parent):
    """A process that took part in earlier programs counts only from the new program's start."""
    before = cpu_time.CpuAccounting(parent(SPIN, 2).pid)
    sample_until(lambda found: min(found) > 0.5, before)
    accounting = cpu_time.CpuAccounting(before.fork_server)
    accounting.start_from_now(accounting.find_process())
    with_all, without = before.sample(), accounting.sample()
    assert without[0] < with_all[0] - 0.1
    assert without[1] < with_all[1] - 0.1


def test_waits_of_children_that_have_ended_count(parent):
    """The observed wait of a child still counts after the child has ended."""
    process = parent(SPIN, 2)
    accounting = cpu_time.CpuAccounting(process.pid)
    waited = sample_until(lambda found: found[1] > 0.3, accounting)[1]
    for pid in children(process.pid):
        os.kill(pid, signal.SIGKILL)
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert accounting.sample()[1] >= waited


def test_a_process_that_starts_late_is_found(parent):
    """A first process that is missing from one sample is found in the next."""
    accounting = cpu_time.CpuAccounting(0)
    accounting.sample()
    accounting.fork_server = parent(SPIN, 1).pid
    accounting.sample()
    assert [accounting.pid] == children(accounting.fork_server)


def test_a_process_that_was_announced_is_looked_at(parent, monkeypatch):
    """An announced process is sampled even if the system does not list a process's children."""
    accounting = cpu_time.CpuAccounting(parent(SPIN, 2).pid)
    accounting.find_process()
    monkeypatch.setattr(cpu_time, "descendants", lambda pid: [])
    assert min(sample_until(lambda found: min(found) > 0.1, accounting)) > 0.1


def test_cpu_seconds_are_of_the_whole_tree():
    """CPU time of children counts, whatever their names are."""
    folder = os.path.dirname(shutil.which("sh"))
    loop = f"{folder}/sh -c 'while :; do :; done' & wait"
    process = subprocess.Popen(["a) name (", "-c", loop], executable=f"{folder}/sh", start_new_session=True)

    def used():
        return cpu_time.cpu_seconds_of([process.pid, *descendants(process.pid)])

    try:
        deadline = time.monotonic() + 20
        while used() < 0.2 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert used() >= 0.2
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.fixture
def watch():
    """Return a function (start time, None if not yet) -> watchdog of a program that was sent 3 seconds ago."""

    def make(started_at):
        program = SimpleNamespace(limits=LIMITS, output_bytes=0, ended_at=None, accounting=accounting((0, 0)))
        program.fork_server = SimpleNamespace(pid=0, in_container=False)
        program.sent_at, program.started_at = time.monotonic() - 3.0, lambda: started_at
        return execution.Watchdog([program], None, 0, lambda: None)

    return make


def test_a_program_that_is_late_is_timed_out(watch):
    """A program that exceeded its wall seconds without waiting is timed out."""
    assert watch(time.monotonic() - 2.5).reason_to_stop() == "timed_out"


def test_a_program_is_looked_at_before_it_is_late(watch):
    """The watch sees waits of children that end before the deadline."""
    early, looks = watch(time.monotonic() - 1.0), []
    early.deadline += 2.0
    early.first.accounting.sample = lambda: looks.append(True)
    assert early.reason_to_stop() is None
    assert looks


def test_the_clock_begins_with_the_program(watch):
    """A program is not timed out before it has begun, however slow its fork server is."""
    assert watch(None).reason_to_stop() is None


def test_what_the_watch_waited_itself_times_nobody_out(watch, monkeypatch):
    """A program with an extension is not timed out because the watch itself had no CPU."""

    def slowly(shares, wall_seconds, limits):
        time.sleep(0.05)
        return wall_seconds + 0.01

    monkeypatch.setattr(execution, "extended_wall_seconds", slowly)
    assert watch(time.monotonic() - 2.5).reason_to_stop() is None


@pytest.fixture
def starting():
    """Return a box whose fork server is starting, and the fork server's end of its channel."""
    near, far = socket.socketpair()
    starts = fork_server_process.ForkServerProcess.__new__(fork_server_process.ForkServerProcess)
    starts.channel, starts.listener = near, select.poll()
    starts.listener.register(near, select.POLLIN)
    with near, far:
        yield starts, far


def test_a_fork_server_that_starts_slowly_is_no_silent_guest(starting, monkeypatch):
    """The guest sends news while a fork server takes longer to start than a program may run."""
    starts, far = starting
    monkeypatch.setattr(fork_server_process, "NOTIFY_INTERVAL_SECONDS", 0.01)
    signs = []

    def on_waiting():
        signs.append(True)
        if len(signs) == 3:
            write_frame(far.fileno(), {"ready": True})

    assert starts.receive_startup(on_waiting) == ({"ready": True}, [])
    assert len(signs) == 3


def test_a_fork_server_that_does_not_start_is_given_up(starting, monkeypatch):
    """The guest does not wait forever for a fork server that sends nothing."""
    monkeypatch.setattr(fork_server_process, "NOTIFY_INTERVAL_SECONDS", 0.01)
    monkeypatch.setattr(fork_server_process, "START_TIMEOUT_SECONDS", 0.05)
    with pytest.raises(TimeoutError, match="does not start"):
        starting[0].receive_startup(lambda: None)
