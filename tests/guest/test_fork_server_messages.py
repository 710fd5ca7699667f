"""The supervisor receives what a fork server says about its program, and never waits for what it does not say."""

import contextlib
import socket

import pytest

from sandboxes.guest.common.frames import ALL_ENDED, ENDED, STATE
from sandboxes.guest.supervisor.fork_server_process import ForkServerProcess
from sandboxes.guest.supervisor.program_pipes import Pipe


@pytest.fixture
def ends():
    """Return the supervisor's end and a fork server's end of their channel."""
    server = object.__new__(ForkServerProcess)
    server.channel, far_end = socket.socketpair()
    server.stderr = Pipe()
    with contextlib.closing(server.channel), contextlib.closing(far_end):
        yield server, far_end


def test_a_message(ends):
    """A message has the fields of STATE."""
    server, far_end = ends
    fields = (ENDED, 7, 0.25, 9, 4096)
    far_end.send(STATE.pack(*fields))
    assert server.receive_state() == fields


def test_no_message(ends):
    """Without a message there is nothing to wait for: clocks have to be watched meanwhile."""
    assert ends[0].receive_state() is None


def test_a_part_of_a_message(ends):
    """A fork server that says something else is broken, and its guest with it."""
    server, far_end = ends
    far_end.send(ALL_ENDED)
    with pytest.raises(EOFError, match="the fork server ended"):
        server.receive_state()


def test_the_end_of_a_fork_server(ends):
    """A fork server that has ended is told."""
    server, far_end = ends
    far_end.close()
    with pytest.raises(EOFError, match="the fork server ended"):
        server.receive_state()
