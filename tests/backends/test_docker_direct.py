"""Guests in containers connect directly to this process, and use their standard streams where they can't."""

import glob
import os
import socket
import stat
import tempfile

import pytest

from sandboxes import Limits, Outcome, Program
from sandboxes.backends.docker import backend
from sandboxes.backends.docker.direct import SOCKET_NAME, Listener, open_listener
from support.docker_engines import IMAGE, require_image, wait_until
from support.metric_and_command import python
from support.requirements import WALL_SECONDS

pytestmark = [pytest.mark.slow, pytest.mark.docker]

PROGRAMS = [
    Program("def add(a, b): return a + b", f"assert add(2, 3) == {total}", Limits(WALL_SECONDS), grading)
    for grading in ("shared", "separate")
    for total in (5, 6)
]
OUTCOMES = [Outcome.PASSED, Outcome.FAILED] * 2


def is_direct(worker):
    """Return whether a guest's replies come through a socket."""
    return stat.S_ISSOCK(os.fstat(worker.replies_fd).st_mode)


@pytest.fixture
def workers(monkeypatch):
    """Provide the list of workers that are started. Afterwards no folder of a socket may be left."""
    require_image()
    started, start = [], backend.DockerSandbox.start_worker
    monkeypatch.setattr(backend, "_engines_elsewhere", set())

    def start_worker(self):
        started.append(start(self))
        return started[-1]

    monkeypatch.setattr(backend.DockerSandbox, "start_worker", start_worker)
    yield started
    assert glob.glob(f"{tempfile.gettempdir()}/code-eval-{os.getpid()}-*") == []


def outcomes(pool):
    """Return the outcomes of the programs in a pool."""
    return [verdict.outcome for verdict in pool.run_all(PROGRAMS, 1)]


def test_guests_connect(workers, open_pool):
    """Requests and replies go through a connection, and the folder of its socket is gone while programs run."""
    pool = open_pool()
    assert outcomes(pool) == OUTCOMES
    assert all(map(is_direct, workers))
    assert glob.glob(f"{tempfile.gettempdir()}/code-eval-{os.getpid()}-*") == []


@pytest.mark.parametrize("name", ["long" * 30, 'a comma, a "quote"'])
def test_names_of_the_temporary_folder(workers, open_pool, monkeypatch, tmp_path, name):
    """The folder's name may be longer than that of a socket, and have characters that mean something elsewhere."""
    deep = tmp_path / name
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    assert outcomes(open_pool()) == OUTCOMES
    assert all(map(is_direct, workers))


@pytest.mark.parametrize("options", [{"fresh_container": True}, {"loopback": True}])
def test_guests_that_use_streams(workers, open_pool, options):
    """A connection pays for no guest that runs one program, and sockets of programs must be told from all others."""
    assert outcomes(open_pool(**options)) == OUTCOMES
    assert not any(worker._connections for worker in workers)


def test_without_a_socket(workers, open_pool, monkeypatch):
    """Where this process can't listen, guests use streams."""
    monkeypatch.setattr(backend, "open_listener", lambda: None)
    assert outcomes(open_pool()) == OUTCOMES
    assert not any(map(is_direct, workers))


def test_a_socket_that_can_not_be_reached(workers, open_pool, monkeypatch):
    """A guest that sees no socket, as in a virtual machine, uses streams."""
    monkeypatch.setattr(Listener, "options", lambda self: {"path": "/code-eval/other", "token": self.token})
    assert outcomes(open_pool()) == OUTCOMES
    assert not any(map(is_direct, workers))


def test_a_folder_that_the_engine_does_not_see(workers, open_pool, monkeypatch):
    """An engine elsewhere refuses the first container, and later ones are not asked to see the folder."""
    elsewhere = ["--mount", "type=bind,source=/no/such/folder,target=/code-eval,readonly"]
    monkeypatch.setattr(Listener, "mount_arguments", lambda self: elsewhere)
    pool = open_pool()
    assert outcomes(pool) == OUTCOMES
    assert {pool.sandbox.engine} == backend._engines_elsewhere
    assert not any(map(is_direct, workers[1:]))


def test_a_connection_that_is_lost(workers, open_pool, monkeypatch):
    """A guest whose connection this process does not find is replaced, and no program has a wrong verdict."""
    accept, lost = Listener.accept, []

    def accept_later(self):
        connection = accept(self)
        if not lost:
            lost.append(connection)
            connection.close()
            return None
        return connection

    monkeypatch.setattr(Listener, "accept", accept_later)
    assert outcomes(open_pool()) == OUTCOMES
    assert len(lost) == 1 and is_direct(workers[1])


def test_candidates_find_nothing(workers, open_pool):
    """A candidate finds no socket in the folder, and can put nothing there."""
    candidate = (
        "import os\ntry:\n    found = os.listdir('/code-eval')\nexcept OSError:\n    found = []\n"
        "try:\n    open('/code-eval/x', 'w')\n    found.append('x')\nexcept OSError:\n    pass\n"
        "descriptors = [os.readlink(f'/proc/self/fd/{n}') for n in os.listdir('/proc/self/fd') if int(n) > 2"
        " and os.path.lexists(f'/proc/self/fd/{n}')]\n"
        "found += [each for each in descriptors if each.startswith('socket:')]\n"
    )
    [verdict] = open_pool().run_all([Program(candidate, "assert found == [], found", Limits(WALL_SECONDS))], 1)
    assert (verdict.outcome, verdict.detail) == (Outcome.PASSED, "")


def test_a_caller_that_ends_before_its_guest_is_ready(tmp_path):
    """Nothing is left of a process that ends without cleaning up while its guest starts."""
    require_image()
    script = (
        "import os\nfrom sandboxes import open_sandbox\n"
        f"open_sandbox('docker', image={IMAGE!r}, pull='never').start_worker().flush()\nos._exit(0)\n"
    )
    done = python("-c", script, TMPDIR=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert wait_until(lambda: os.listdir(tmp_path) == [])


def connected(listener, sent):
    """Return a connection to a listener through which something was sent."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(os.path.join(listener.folder, SOCKET_NAME))
    connection.sendall(sent)
    return connection


@pytest.fixture
def listener():
    """Provide a listener."""
    opened = open_listener()
    yield opened
    opened.close()
    assert not os.path.exists(opened.folder)


def test_strangers_are_refused(listener):
    """Only a connection that begins with the token is taken, whoever connects before."""
    with (
        connected(listener, b"0" * len(listener.token)),
        connected(listener, b""),
        connected(listener, listener.token.encode()[:5]),
        connected(listener, listener.token.encode()) as guest,
    ):
        taken = listener.accept()
        taken.send(b"x")
        assert guest.recv(1) == b"x"
        taken.close()
        assert listener.accept() is None


def test_nobody_connects(listener):
    """Without a guest there is no connection, and nothing waits for one."""
    assert listener.accept() is None
