"""The end of a session: closed, expired, broken, forked, left to the interpreter's exit. Nothing is left of it."""

import asyncio
import gc
import os
import subprocess
import sys
import textwrap
import time

import psutil
import pytest

from sandboxes import AsyncSession, EvalConfig, Session, SessionEnded, SessionLimits
from support.metric_and_command import ROOT
from support.observers import all_gone, has_ended, processes_with, wait_until
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow

SUBPROCESS = EvalConfig.from_options({"sandbox": "subprocess"})


def guest_of(session):
    """Return the first process of a session's guest."""
    return psutil.Process(session._calls.connection.worker.process.pid)


def test_a_closed_session_takes_no_calls(own_session):
    """All calls of a closed session raise one error that says so. Closing again is none."""
    own_session.close()
    own_session.close()
    calls = [
        lambda: own_session.run_cell("1"),
        lambda: own_session.run_command("true"),
        lambda: own_session.read_file("x"),
        lambda: own_session.write_file("x", ""),
        own_session.interrupt,
        own_session.open,
    ]
    for call in calls:
        with pytest.raises(SessionEnded, match="the session has ended: it was closed"):
            call()


def test_nothing_of_a_session_is_left(own_session):
    """Closing ends what was started, however detached, and removes the folder."""
    own_session.run_command("setsid sleep 98127 > /dev/null 2>&1 &")
    own_session.run_cell("import subprocess\nsubprocess.Popen(['sleep', '98127'], start_new_session=True)")
    own_session.write_file("left", "x")
    # The shell does not wait until its process has become another program.
    assert wait_until(lambda: len(processes_with("98127")) == 2, WALL_SECONDS)
    guest = guest_of(own_session)
    scratch = own_session._calls.connection.worker.scratch
    processes = [guest, *guest.children(recursive=True)]
    own_session.close()
    assert all_gone("98127")
    assert wait_until(lambda: all(has_ended(process) for process in processes), WALL_SECONDS)
    assert not scratch or not os.path.exists(scratch)


def test_an_idle_session_ends():
    """A session in which nothing runs for too long ends by itself, and says why."""
    with Session(SUBPROCESS, SessionLimits(idle_seconds=0.5)) as session:
        guest = guest_of(session)
        session.run_command("sleep 1")
        assert session.end_reason is None
        assert wait_until(lambda: session.end_reason is not None, WALL_SECONDS)
        with pytest.raises(SessionEnded, match="idle for 0.5 s"):
            session.run_cell("1")
        assert wait_until(lambda: has_ended(guest), WALL_SECONDS)


def test_a_session_ends_after_its_longest_time_in_the_middle_of_a_call():
    """The absolute limit ends a session that is never idle, and its call raises the error."""
    with Session(SUBPROCESS, SessionLimits(max_seconds=1)) as session:
        with pytest.raises(SessionEnded, match="open for 1 s"):
            session.run_command("sleep 60")


def test_a_killed_guest_ends_its_calls():
    """A guest that dies is an error of the calls under way, and nothing hangs."""
    with Session(SUBPROCESS) as session:
        session.run_cell("x = 1")
        guest = guest_of(session)
        processes = guest.children(recursive=True)
        guest.kill()
        with pytest.raises(SessionEnded, match="its guest broke"):
            session.run_command("sleep 60")
        with pytest.raises(SessionEnded, match="its guest broke"):
            session.run_cell("x")
    assert wait_until(lambda: all(has_ended(process) for process in processes), WALL_SECONDS)


def test_a_killed_session_server_ends_its_calls():
    """The process inside the sandbox may die too."""
    with Session(SUBPROCESS) as session:
        session.run_cell("x = 1")
        for process in guest_of(session).children():
            process.kill()
        with pytest.raises(SessionEnded, match="its guest broke"):
            session.run_command("sleep 60")


def test_a_silent_guest_ends_its_calls(monkeypatch):
    """A guest that is stopped is not waited for without end."""
    monkeypatch.setattr("sandboxes.sessions.clock.SILENCE_TIMEOUT_SECONDS", 0.5)
    monkeypatch.setattr("sandboxes.sessions.clock.CHECK_INTERVAL_SECONDS", 0.1)
    with Session(SUBPROCESS) as session:
        guest_of(session).suspend()
        with pytest.raises(SessionEnded, match="silent"):
            session.run_command("true")


def test_a_caller_that_gives_up_ends_its_command():
    """A cancelled task ends its command, and leaves the session to others."""

    async def give_up():
        async with AsyncSession(SUBPROCESS) as session:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(session.run_command("sleep 98131"), 1)
            gone = await asyncio.to_thread(all_gone, "98131")
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(session.run_cell("while True:\n    pass"), 1)
            return gone, await session.run_cell("1 + 1")

    gone, result = asyncio.run(give_up())
    assert (gone, result.value) == (True, "2")


def test_an_async_session_takes_several_calls_at_once():
    """Commands run beside each other, and cells in their order."""

    async def gather():
        async with AsyncSession(SUBPROCESS) as session:
            cells = [session.run_cell(f"last = {number}\nlast") for number in range(20)]
            commands = [session.run_command(["echo", str(number)]) for number in range(20)]
            return await asyncio.gather(*cells, *commands)

    results = asyncio.run(gather())
    assert [result.value for result in results[:20]] == [str(number) for number in range(20)]
    assert [result.stdout for result in results[20:]] == [b"%d\n" % number for number in range(20)]


def test_a_forked_process_leaves_the_session_to_its_owner():
    """A child of a fork has no session, and its end ends none."""
    program = """
    import os, sys
    from sandboxes import EvalConfig, Session, SessionEnded
    with Session(EvalConfig.from_options({"sandbox": "subprocess"})) as session:
        session.run_cell("x = 5")
        pid = os.fork()
        if pid == 0:
            try:
                session.run_cell("x")
            except SessionEnded as error:
                assert "forked" in str(error)
                with Session() as own:
                    assert own.run_cell("6").value == "6"
                sys.exit(0)
            os._exit(1)
        assert os.waitpid(pid, 0)[1] == 0
        assert session.run_cell("x").value == "5"
    """
    assert subprocess.run([sys.executable, "-c", textwrap.dedent(program)], cwd=ROOT, timeout=60).returncode == 0


@pytest.mark.parametrize("ending", ["", "raise SystemExit", "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"])
def test_open_sessions_end_with_their_process(ending):
    """A process that leaves sessions open leaves nothing behind, however it ends."""
    program = f"""
    from sandboxes import EvalConfig, Session
    session = Session(EvalConfig.from_options({{"sandbox": "subprocess"}}))
    session.run_command("setsid sleep 98137 > /dev/null 2>&1 &")
    {ending}
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(program)], cwd=ROOT, timeout=60, check=False)
    assert all_gone("98137")


def test_an_interrupt_of_the_caller_ends_the_command():
    """Ctrl-C in a thread that waits for a command ends the command, and the session goes on."""
    program = """
    import signal
    from sandboxes import EvalConfig, Session
    session = Session(EvalConfig.from_options({"sandbox": "subprocess"}))
    session.open()
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 1)
    try:
        session.run_command("sleep 98141")
    except KeyboardInterrupt:
        print(session.run_cell("'goes on'").value)
        while session.run_command("grep -l '981[4]1' /proc/[0-9]*/cmdline").stdout:
            continue
    """
    ended = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], cwd=ROOT, timeout=60, capture_output=True, text=True
    )
    assert (ended.stdout, ended.returncode) == ("'goes on'\n", 0), ended.stderr


def test_restricted_holds_no_session():
    """A sandbox whose programs have no commands is refused, with the way out."""
    with pytest.raises(ValueError, match='restricted.*choose "subprocess" or "docker"'):
        Session(EvalConfig.from_options({"sandbox": "restricted"}))


def test_a_cluster_holds_no_session():
    """Sessions live on this machine."""
    with pytest.raises(ValueError, match="cluster='local'"):
        Session(EvalConfig.from_options({"sandbox": "subprocess", "cluster": "local"}))


@pytest.mark.parametrize(
    ("limits", "error"),
    [({"processes": 0}, ValueError), ({"memory_bytes": 1.5}, TypeError), ({"idle_seconds": -1}, ValueError)],
)
def test_invalid_limits_are_refused(limits, error):
    """A limit is above 0, and a count is whole."""
    with pytest.raises(error, match=next(iter(limits))):
        SessionLimits(**limits)


def test_limits_come_from_the_configuration():
    """Without limits of its own a session has the memory, processes and file size of the configuration."""
    config = EvalConfig.from_options({"sandbox": "subprocess", "memory_mb": 100, "max_processes": 7})
    limits = Session(config).limits
    assert (limits.memory_bytes, limits.processes) == (100 << 20, 7)


def test_a_session_opens_at_its_first_call():
    """Nothing is started before a call needs it."""
    session = Session(SUBPROCESS)
    assert session.isolation is None
    try:
        assert session.run_cell("1").value == "1"
        assert session.isolation is not None
    finally:
        session.close()


def test_a_session_that_was_never_opened_closes_at_once():
    """Closing what was not started is no error."""
    session = Session(SUBPROCESS)
    started = time.monotonic()
    session.close()
    assert time.monotonic() - started < 5
    with pytest.raises(SessionEnded):
        session.open()


@pytest.mark.parametrize("face", [Session, AsyncSession])
def test_a_session_that_nobody_refers_to_ends(face):
    """A session that was never closed ends when the last reference goes, also in a cycle."""
    session = face(SUBPROCESS)
    opened = session.open()
    if face is AsyncSession:
        asyncio.run(opened)
    connection, guest = session._calls.connection, guest_of(session)
    session.itself = session
    del session, opened
    gc.collect()
    assert wait_until(lambda: has_ended(guest), WALL_SECONDS)
    assert connection.end_reason == "nobody refers to it any more"


def test_a_call_keeps_its_session():
    """A session whose only reference is its call lives as long as the call."""
    assert Session(SUBPROCESS).run_cell("import time\ntime.sleep(0.5)\n1").value == "1"
