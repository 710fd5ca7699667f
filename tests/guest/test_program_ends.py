"""The extension receives a program's end, and looks at what it changed."""

import fcntl
import os
import socket

import pytest

from sandboxes.guest.common import frames

forking = pytest.importorskip("sandboxes.guest.forkserver._forking")
START = frames.START.pack(frames.STARTED, 5.0)


class Supervisor:
    """The supervisor's ends of the channel and the pipes, and the other ends."""

    def __init__(self):
        self.channel, self.fork_server = socket.socketpair()
        self.read_ends, self.write_ends = zip(*(os.pipe() for _ in range(4)), strict=True)
        for fd in self.read_ends:
            os.set_blocking(fd, False)

    def say(self, phase=frames.ENDED, status=0):
        """Send the state of a program with process id 7, as its fork server does."""
        self.fork_server.send(frames.STATE.pack(phase, 7, 0.25, status, 4096))

    def write(self, setup=b"", report=b"", stdout=b"", stderr=b""):
        """Write what the program and its child write."""
        for fd, data in zip(self.write_ends, (setup, report, stdout, stderr), strict=True):
            os.write(fd, data)

    def receive(self, milliseconds=0):
        """Receive the end."""
        return forking.receive_end(self.channel.fileno(), *self.read_ends, milliseconds)

    def close(self):
        """Close all ends."""
        self.channel.close()
        self.fork_server.close()
        for fd in (*self.read_ends, *self.write_ends):
            os.close(fd)


@pytest.fixture
def supervisor():
    """Return the ends of one program."""
    ends = Supervisor()
    yield ends
    ends.close()


def test_an_end(supervisor):
    """The state, the child's message and its report come together; the time is the monotonic clock's."""
    supervisor.write(START, b"nonce and report")
    supervisor.say(status=256)
    state, ended_at, setup, report, has_more = supervisor.receive()
    assert (state, setup, report, has_more) == ((frames.ENDED, 7, 0.25, 256, 4096), START, b"nonce and report", False)
    assert ended_at > 0


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_output_is_left_in_its_pipe(supervisor, stream):
    """Output is announced, and is still to be read."""
    supervisor.write(START, b"report", **{stream: b"x"})
    supervisor.say()
    assert supervisor.receive()[4] is True
    assert os.read(supervisor.read_ends[2 if stream == "stdout" else 3], 9) == b"x"


def test_a_long_report_is_read_in_part(supervisor):
    """The first chunk of a long report is received, and the rest is announced."""
    supervisor.write(START, b"x" * 10_000)
    supervisor.say()
    *_, report, has_more = supervisor.receive()
    assert (len(report) + len(os.read(supervisor.read_ends[1], 1 << 16)), has_more) == (10_000, True)


@pytest.mark.parametrize("phase", [frames.RUNNING, frames.LEFT_SOME])
def test_other_messages_stay(supervisor, phase):
    """A message that is no plain end is not received, nor anything else."""
    supervisor.write(START, b"report")
    supervisor.say(phase)
    assert supervisor.receive(1000) is None
    assert supervisor.channel.recv(frames.STATE.size)[0] == phase
    assert os.read(supervisor.read_ends[0], 99) == START


def test_no_message(supervisor):
    """Without a message nothing is received, also if the fork server has gone."""
    assert supervisor.receive(1) is None
    supervisor.fork_server.shutdown(socket.SHUT_RDWR)
    assert supervisor.receive(1) is None


def test_what_a_program_changed(tmp_path):
    """Changes of a file's flags, of a folder's mode, and a new file, each change the numbers."""
    read_end, write_end = os.pipe()
    folder = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    inspected = (write_end,), (folder,), ()
    before = forking.unlock_and_inspect(*inspected)
    assert len(before) == 7
    assert forking.unlock_and_inspect(*inspected) == before
    fcntl.fcntl(write_end, fcntl.F_SETFL, os.O_NONBLOCK)
    os.fchmod(folder, 0o500)
    after = forking.unlock_and_inspect(*inspected)
    assert [number for number, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]] == [1, 5]
    assert forking.unlock_and_inspect((), (), (folder,)) != []
    for fd in (read_end, write_end, folder):
        os.close(fd)


@pytest.mark.parametrize("files", [(99_999,), ("x",), 5])
def test_what_can_not_be_inspected(files):
    """A descriptor that is not open, and a value that is none, are errors."""
    with pytest.raises((OSError, TypeError, SystemError)):
        forking.unlock_and_inspect(files, (), ())
