"""Removing what a program wrote, finding what it started, and telling a slow program from a busy machine."""

import os
import shutil
import signal
import stat
import subprocess
import sys
import time

import pytest

from sandboxes.inside import busy
from sandboxes.inside.endings import children
from sandboxes.inside.endings import remove_tree as remove_tree_at


def remove_tree(folder, name):
    """Removes what has this name in a folder, which is given by its path."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        remove_tree_at(descriptor, name)
    finally:
        os.close(descriptor)


@pytest.fixture
def tree(folder):
    """A folder "tree" to remove, inside `folder`."""
    os.mkdir(f"{folder}/tree")
    return f"{folder}/tree"


def test_remove_tree_removes_files_and_folders(folder, tree):
    """All in a folder is removed, and the folder, and nothing beside it."""
    os.makedirs(f"{tree}/a/b/c")
    for name in (f"{tree}/x", f"{tree}/a/.hidden", f"{tree}/a/b/c/\n\udcff", f"{folder}/beside"):
        open(name, "w").close()
    remove_tree(folder, "tree")
    assert os.listdir(folder) == ["beside"]


def test_remove_tree_removes_a_file(folder):
    """A file is removed as well."""
    open(f"{folder}/file", "w").close()
    remove_tree(folder, "file")
    assert os.listdir(folder) == []


def test_remove_tree_does_not_follow_links(folder, tree):
    """What a link points to stays."""
    os.makedirs(f"{folder}/outside/below")
    os.chmod(f"{folder}/outside", 0o750)
    os.symlink(f"{folder}/outside", f"{tree}/link")
    os.symlink("..", f"{tree}/up")
    os.symlink("nowhere", f"{tree}/dangling")
    remove_tree(folder, "tree")
    assert os.listdir(folder) == ["outside"]
    assert os.listdir(f"{folder}/outside") == ["below"]
    assert stat.S_IMODE(os.stat(f"{folder}/outside").st_mode) == 0o750


def test_remove_tree_of_a_link_removes_the_link(folder):
    """A link in the folder's place is removed itself."""
    os.mkdir(f"{folder}/outside")
    os.symlink("outside", f"{folder}/tree")
    remove_tree(folder, "tree")
    assert os.listdir(folder) == ["outside"]


def test_remove_tree_is_not_recursive(folder, tree):
    """Folders may be nested far deeper than Python may recurse, and than a path may be long."""
    here = os.getcwd()
    os.chdir(tree)
    try:
        for _ in range(3000):
            os.mkdir("folder")
            os.chdir("folder")
    finally:
        os.chdir(here)
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    remove_tree(folder, "tree")
    assert os.listdir(folder) == []
    assert not before or len(os.listdir("/proc/self/fd")) == before


def test_remove_tree_needs_no_rights(folder, tree):
    """Folders that nobody may read, enter or write are removed."""
    os.makedirs(f"{tree}/a/b")
    open(f"{tree}/a/b/file", "w").close()
    for path in (f"{tree}/a/b/file", f"{tree}/a/b", f"{tree}/a", tree):
        os.chmod(path, 0)
    remove_tree(folder, "tree")
    assert os.listdir(folder) == []


def test_remove_tree_removes_what_is_no_file(folder, tree):
    """Named pipes are removed, and not opened."""
    os.mkfifo(f"{tree}/pipe")
    remove_tree(folder, "tree")
    assert os.listdir(folder) == []


@pytest.fixture
def measured(monkeypatch):
    """A function that sets what `busy` sees of a process: CPU seconds, and seconds without a CPU."""

    def measure(cpu_seconds, waited_seconds):
        monkeypatch.setattr(busy, "children", lambda pid: [1])
        monkeypatch.setattr(busy, "cpu_seconds_of_tree", lambda pid: cpu_seconds)
        monkeypatch.setattr(busy, "waited_seconds", lambda pid: waited_seconds)

    return measure


def test_time_without_a_cpu_does_not_count(measured):
    """A program that waited for a CPU has as much longer."""
    measured(cpu_seconds=0.5, waited_seconds=1.5)
    assert busy.longer(1, 0, 2.0, {"wall_seconds": 2.0}) == 3.5


def test_sleeper_gets_no_longer(measured):
    """A program that had a CPU whenever it wanted has no longer than its wall seconds."""
    measured(cpu_seconds=0.0, waited_seconds=0.0)
    assert busy.longer(1, 0, 2.0, {"wall_seconds": 2.0}) <= 2.0


def test_computing_as_long_as_allowed_gets_no_longer(measured):
    """A program that has had as much CPU time as its wall seconds has no longer, however long it waited."""
    measured(cpu_seconds=2.0, waited_seconds=100.0)
    assert busy.longer(1, 0, 102.0, {"wall_seconds": 2.0}) <= 2.0


def test_extension_has_an_end(measured):
    """However busy the machine is, a program ends."""
    measured(cpu_seconds=0.0, waited_seconds=1e9)
    assert busy.longer(1, 0, 2.0, {"wall_seconds": 2.0}) == 2.0 * busy.MOST_EXTENSION


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_process_that_has_ended_is_not_timed_out(monkeypatch):
    """A program that ended in time has not timed out because the machine was too busy to say so."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    # Other tests' guests are children of this process too.
    monkeypatch.setattr(busy, "children", lambda pid: [process.pid] if pid == os.getpid() else [])
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert busy.longer(process.pid, os.getpid(), 2.0, {"wall_seconds": 2.0}) > 2.0
    process.wait()
    assert busy.longer(process.pid, os.getpid(), 2.0, {"wall_seconds": 2.0}) > 2.0


def test_nothing_told_of_processes_is_no_reason(measured, monkeypatch):
    """Where the system tells nothing of processes, a program gets no longer."""
    measured(cpu_seconds=0.0, waited_seconds=0.0)
    monkeypatch.setattr(busy, "status_fields", lambda pid: [])
    assert busy.longer(1, 0, 2.0, {"wall_seconds": 2.0}) <= 2.0


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_cpu_seconds_are_of_the_whole_tree():
    """CPU time of children counts, whatever their names."""
    folder = os.path.dirname(shutil.which("sh"))
    loop = f"{folder}/sh -c 'while :; do :; done' & wait"
    process = subprocess.Popen(["a) name (", "-c", loop], executable=f"{folder}/sh", start_new_session=True)
    try:
        deadline = time.monotonic() + 20
        while busy.cpu_seconds_of_tree(process.pid) < 0.2 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert busy.cpu_seconds_of_tree(process.pid) >= 0.2
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_children_are_listed():
    """The children of this process are listed, while they are there."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert process.pid in children()
        assert children(process.pid) == []
    finally:
        process.communicate(b"\n")
    assert process.pid not in children()
