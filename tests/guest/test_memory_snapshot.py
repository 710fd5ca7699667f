"""The memory of a fork server moves into a file, and everything in it stays as it was."""

import ctypes
import mmap
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandboxes import Limits, Pool, Program, open_sandbox
from sandboxes.guest.common.page_sizes import are_huge_pages_on
from sandboxes.guest.forkserver import memory_snapshot
from sandboxes.guest.forkserver.huge_pages import HUGE_PAGE_BYTES
from support.requirements import WALL_SECONDS

MAP_FIXED = 0x10
KERNEL = tuple(map(int, os.uname().release.split("-")[0].split(".")[:2]))
FLAGS = "VmFlags: rd wr mr mw me ac sd\n"
SMAPS = f"""\
55d0c0000000-55d0c0001000 r--p 00000000 fe:00 17 /usr/bin/python3
Rss:                   4 kB
Anonymous:             0 kB
{FLAGS}\
55d0c0001000-55d0c0002000 r--p 00001000 fe:00 17 /usr/bin/python3
Anonymous:             4 kB
{FLAGS}\
55d0c0002000-55d0c0005000 rw-p 00000000 00:00 0 [heap]
Anonymous:             8 kB
{FLAGS}\
7f0000000000-7f0000200000 r-xp 00000000 00:00 0
Anonymous:          2048 kB
{FLAGS}\
7f0000200000-7f0000300000 rw-p 00000000 00:00 0
Anonymous:             4 kB
{FLAGS}\
7f0000300000-7f0000301000 rw-s 00000000 00:01 5 /memfd:shared (deleted)
Anonymous:             4 kB
{FLAGS}\
7f0000301000-7f0000302000 rw-p 00000000 00:00 0
Anonymous:             4 kB
VmFlags: rd wr mr mw me ac wf dd dp sd
7f0000302000-7f0000303000 rw-p 00000000 00:00 0
Anonymous:             4 kB
VmFlags: rd wr mr mw me dc ac sd
7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0 [stack]
Anonymous:            12 kB
VmFlags: rd wr mr mw me gd ac
"""
TAKE = """
import os
from sandboxes.guest.forkserver.memory_snapshot import MemorySnapshot

snapshot = MemorySnapshot()
fds = len(os.listdir("/proc/self/fd"))
kept = {number: [str(number)] * 3 for number in range(20_000)}
snapshot.take()
assert kept == {number: [str(number)] * 3 for number in range(20_000)}
with open("/proc/self/maps") as maps:
    assert "/memfd:memory" in maps.read()
assert len(os.listdir("/proc/self/fd")) == fds - 2
read_end, write_end = os.pipe()
if os.fork() == 0:
    kept.clear()
    os.write(write_end, b"%d" % len(kept))
    os._exit(0)
os.wait()
print(os.read(read_end, 9), len(kept))
"""

# The memory has other content in the process itself than zeros.
EMPTIED = """
import mmap, os
from sandboxes.guest.forkserver.memory_snapshot import MemorySnapshot

emptied = mmap.mmap(-1, mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
emptied[:2] = b"ab"
# MADV_WIPEONFORK
emptied.madvise(18)
MemorySnapshot().take()
read_end, write_end = os.pipe()
if os.fork() == 0:
    os.write(write_end, emptied[:2])
    os._exit(0)
os.wait()
print(os.read(read_end, 9), emptied[:2])
"""

# Each child moves its memory while a signal comes, a little later than that of the child before.
SIGNALS = """
import os, signal, time
from sandboxes.guest.forkserver.memory_snapshot import MemorySnapshot

kept = [str(number) for number in range(200_000)]
lost = 0
for number in range(100):
    snapshot = MemorySnapshot()
    pid = os.fork()
    if pid == 0:
        seen = []
        signal.signal(signal.SIGALRM, lambda *_: seen.append(1))
        signal.setitimer(signal.ITIMER_REAL, 1e-6 + 1e-4 * number)
        snapshot.take()
        until = time.monotonic() + 5
        while not seen and time.monotonic() < until:
            time.sleep(0.01)
        os._exit(not seen)
    lost += os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
print(lost)
"""

# Tries all ways to the file from which each program's memory comes, and prints those that are open.
ATTACK = """
import ctypes, os, stat
libc = ctypes.CDLL(None, use_errno=True)
libc.mremap.restype = ctypes.c_void_p
FAILED = ctypes.c_void_p(-1).value
MADV_REMOVE, MREMAP_MAYMOVE = 9, 1

def ranges():
    for line in open("/proc/self/maps"):
        span, permissions, _, device, inode, *name = line.split()
        # What is shared with the supervisor is the program's own output.
        if "(deleted)" in name and permissions.endswith("p"):
            yield span, *(int(address, 16) for address in span.split("-"))

found = list(ranges())
assert found, "there is no such memory"
for span, start, end in found:
    address, size = ctypes.c_void_p(start), ctypes.c_size_t(end - start)
    if libc.madvise(address, size, MADV_REMOVE) == 0:
        print("punched a hole")
    if libc.mremap(address, 0, size, MREMAP_MAYMOVE) != FAILED:
        print("mapped again")
    for flags in (os.O_RDWR, os.O_RDONLY, os.O_RDWR | os.O_TRUNC):
        try:
            os.open("/proc/self/map_files/" + span, flags)
            print("opened", flags)
        except OSError:
            pass
for fd in range(256):
    try:
        status = os.fstat(fd)
    except OSError:
        continue
    if stat.S_ISREG(status.st_mode) and not status.st_nlink:
        print("has a descriptor", fd)
ctypes.memset(id(1) + 24, 7, 1)
def f(): return 1
"""


def test_private_ranges():
    """Data that a fork would copy is found: no code, no shared memory, no stack, nothing that is only in a file.

    Memory that a fork empties or leaves out is not found either.
    """
    assert memory_snapshot.private_ranges(SMAPS) == [
        (0x55D0C0001000, 0x55D0C0002000, False),
        (0x55D0C0002000, 0x55D0C0005000, True),
        (0x7F0000200000, 0x7F0000300000, True),
    ]


def test_memory_that_a_fork_empties_stays_so():
    """A child finds zeros in memory that a fork empties, also after the move."""
    pytest.importorskip("sandboxes.guest.forkserver._forking")
    done = subprocess.run([sys.executable, "-c", EMPTIED], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("b'\\x00\\x00' b'ab'\n", "")


def test_random_numbers_differ():
    """Programs that fork from one server draw different random numbers, by the system and by the library."""
    pool = Pool(open_sandbox("subprocess"))
    source = "import os, random, secrets\nprint(os.urandom(8).hex(), random.random(), secrets.token_hex(8))"
    limits = Limits(WALL_SECONDS)
    verdicts = pool.run_all([Program(source, "", limits) for _ in range(40)], 1)
    pool.close()
    drawn = [word for verdict in verdicts for word in verdict.stdout.split()]
    assert len({*drawn}) == len(drawn) == 120


def test_the_process_goes_on():
    """After the move all objects are there, both files are closed, and what a child changes is its own."""
    pytest.importorskip("sandboxes.guest.forkserver._forking")
    done = subprocess.run([sys.executable, "-c", TAKE], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("b'0' 20000\n", "")


def test_a_move_that_fails_changes_nothing():
    """A range that is no memory is an error, and the process goes on."""
    forking = pytest.importorskip("sandboxes.guest.forkserver._forking")
    script = f"""
import os, sys
sys.path.insert(0, {str(memory_snapshot.__file__.rpartition("/sandboxes/")[0])!r})
from sandboxes.guest.forkserver import _forking
try:
    _forking.move_memory(os.memfd_create("memory"), 0, 1 << 12, 2 << 12, True)
except OSError as error:
    print(type(error).__name__)
"""
    assert forking
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("OSError\n", "")


def huge_bytes(fd, size):
    """Return how many bytes of a file in memory are in huge pages, as this process sees it."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    room, offset = ctypes.c_size_t(size + HUGE_PAGE_BYTES), ctypes.c_long(0)
    reserved = libc.mmap(None, room, mmap.PROT_READ, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, offset)
    # Huge pages are mapped as such at their boundaries only.
    start = -(-reserved // HUGE_PAGE_BYTES) * HUGE_PAGE_BYTES
    flags = mmap.MAP_SHARED | MAP_FIXED
    assert libc.mmap(ctypes.c_void_p(start), ctypes.c_size_t(size), mmap.PROT_READ, flags, fd, offset) == start
    for page in range(start, start + size, HUGE_PAGE_BYTES):
        ctypes.string_at(page, 1)
    own = Path("/proc/self/smaps").read_text().partition(f"\n{start:x}-")[2]
    libc.munmap(ctypes.c_void_p(reserved), room)
    return int(own.partition("ShmemPmdMapped:")[2].split()[0]) << 10


@pytest.mark.skipif(not are_huge_pages_on() or KERNEL < (6, 1), reason="the system moves no file into huge pages")
def test_a_file_moves_into_huge_pages():
    """All of a file's content is there, in huge pages."""
    forking = pytest.importorskip("sandboxes.guest.forkserver._forking")
    content = os.urandom(1000) * 12_001
    size = -(-len(content) // HUGE_PAGE_BYTES) * HUGE_PAGE_BYTES
    with open(os.memfd_create("memory"), "w+b") as file:
        file.write(content)
        file.flush()
        forking.use_huge_pages(file.fileno(), len(content), HUGE_PAGE_BYTES)
        assert huge_bytes(file.fileno(), size) == size
        file.seek(0)
        assert file.read() == content + bytes(size - len(content))


def test_what_is_no_file_can_not_be_in_huge_pages():
    """A descriptor of something else is an error."""
    forking = pytest.importorskip("sandboxes.guest.forkserver._forking")
    for fd in (fds := os.pipe()):
        with pytest.raises(OSError):
            forking.use_huge_pages(fd, 1, HUGE_PAGE_BYTES)
    for fd in fds:
        os.close(fd)


def test_without_the_extension(monkeypatch):
    """Without the extension nothing is opened, and nothing is moved."""
    monkeypatch.setattr(memory_snapshot, "forking", None)
    snapshot = memory_snapshot.MemorySnapshot()
    snapshot.take()
    assert snapshot.file is None


@pytest.mark.slow
def test_signals_are_not_lost():
    """A signal that comes while memory moves has its handler called afterwards."""
    pytest.importorskip("sandboxes.guest.forkserver._forking")
    done = subprocess.run([sys.executable, "-c", SIGNALS], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("0", "")


@pytest.mark.slow
def test_no_program_reaches_the_file():
    """A program finds no way to change the memory that the next one begins with."""
    pytest.importorskip("sandboxes.guest.forkserver._forking")
    limits = Limits(wall_seconds=20.0)
    next_one = Program("def f(): return 1", "assert f() == 1 and 1 + 1 == 2", limits)
    pool = Pool(open_sandbox("subprocess", isolation="auto"))
    attack, after = pool.run_all([Program(ATTACK, "f()", limits), next_one], 1)
    pool.close()
    assert (attack.outcome.value, attack.stdout, attack.detail) == ("passed", "", "")
    assert (after.outcome.value, after.attempts) == ("passed", 1)
