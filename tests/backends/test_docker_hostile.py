"""Candidates that attack the docker sandbox, where they are the same user as the guest in the same container."""

import os
import signal
import threading
from contextlib import closing

import pytest

from sandboxes import Limits, Outcome, Pool, Program, open_sandbox
from sandboxes.backends.docker import backend
from support.docker_engines import IMAGE, containers, require_image, wait_until
from support.metric_and_command import RIGHT, WRONG
from support.requirements import WALL_SECONDS

pytestmark = [pytest.mark.slow, pytest.mark.docker]

TESTS = "assert add(2, 3) == 5\n"
# This is a function, because a candidate may be loaded before the process of its tests exists, which calls it later.
OTHERS = """
import os
def others():
    return [int(name) for name in os.listdir('/proc') if name.isdigit() and int(name) != os.getpid()]
"""
# Each action is tried on all visible processes.
WAYS_TO_SIGNAL = {
    "kill": "os.kill(pid, NUMBER)",
    "a folder of /proc": """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(424, os.open(f'/proc/{pid}', os.O_RDONLY | os.O_DIRECTORY), NUMBER, None, 0):
    raise OSError
""",
    "a pipe's owner": """
import fcntl
ready, write = os.pipe()
fcntl.fcntl(ready, fcntl.F_SETOWN, pid)
fcntl.fcntl(ready, 10, NUMBER)
fcntl.fcntl(ready, fcntl.F_SETFL, fcntl.fcntl(ready, fcntl.F_GETFL) | os.O_ASYNC)
os.write(write, b'x')
""",
}
# The memory that is filled belongs to no process, so the kernel can only kill the guest, by size and by score.
STARVING = """
import os, socket, time
open('/proc/self/oom_score_adj', 'w').write('0')
for _ in range(60):
    try:
        if os.fork() == 0:
            break
    except OSError:
        break
held = []
try:
    while True:
        held.append(socket.socketpair())
        for end in held[-1]:
            end.setblocking(False)
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
            try:
                while True:
                    end.send(bytes(60000))
            except BlockingIOError:
                continue
except OSError:
    time.sleep(30)
"""


@pytest.fixture(scope="module")
def pool():
    """Provide a pool with one guest, which has already run programs of both gradings."""
    require_image()
    pool = Pool(open_sandbox("docker", image=IMAGE, pull="never"))
    yield pool
    pool.close()


@pytest.fixture
def attack(pool):
    """Return a function that runs a program between others of both gradings, and returns its verdict.

    The programs before and after it must have their own verdicts, at the first attempt unless the guest may be ended.
    """

    def run(candidate, tests="", grading="shared", pool=pool, most_attempts=1, **limits):
        around = [
            Program(code, TESTS, Limits(WALL_SECONDS), graded)
            for graded in ("shared", "separate")
            for code in (RIGHT, WRONG)
        ]
        hostile = Program(candidate, tests, Limits(**{"wall_seconds": WALL_SECONDS, **limits}), grading)
        before, [verdict], after = (pool.run_all(programs, 1) for programs in (around, [hostile], around))
        for verdicts in (before, after):
            assert [each.passed for each in verdicts] == [True, False] * 2
        assert {each.attempts for each in before} == {1}
        assert max(each.attempts for each in after) <= most_attempts
        return verdict

    return run


@pytest.mark.parametrize("grading", ["shared", "separate"])
@pytest.mark.parametrize("name", ["mem", "environ", "maps", "fd/0", "cwd/", "root/"])
def test_no_process_of_the_guest_can_be_looked_into(attack, name, grading):
    """A candidate can't look into the supervisor, the fork servers or the process of the tests."""
    candidate = f"""
{OTHERS}
def add(a, b):
    for pid in others():
        try:
            os.stat(f'/proc/{{pid}}/{name}') if '/' in {name!r} else open(f'/proc/{{pid}}/{name}', 'rb')
            return pid
        except (PermissionError, FileNotFoundError):
            continue
    return len(others()) >= 4
"""
    assert attack(candidate, "assert add(2, 3) is True\n", grading).detail == ""


def test_tests_do_not_import_what_a_candidate_wrote(attack):
    """A module that a candidate puts into its folder does not run in the process of the tests."""
    candidate = "open('colorsys.py', 'w').write('def rgb_to_hsv(*colours): return 4')\ndef add(a, b): return 5\n"
    verdict = attack(candidate, "import colorsys\nassert add(2, 3) == colorsys.rgb_to_hsv(0, 0, 0) + 1\n", "separate")
    assert verdict.outcome is Outcome.FAILED


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGRTMAX])
@pytest.mark.parametrize("way", WAYS_TO_SIGNAL)
def test_the_guest_cant_be_signalled(attack, way, number):
    """No signal reaches the supervisor or a fork server, not even the one of the other grading. All of them go on."""
    each = "".join(f"        {line}\n" for line in WAYS_TO_SIGNAL[way].replace("NUMBER", str(int(number))).splitlines())
    candidate = f"{OTHERS}found, reached = others(), []\n"
    candidate += f"for pid in found:\n    try:\n{each}        reached.append(pid)\n"
    candidate += "    except OSError:\n        continue\n"
    # One process ran the tests of the last program, and has ended.
    assert attack(candidate, "assert len(found) >= 4 and len(reached) <= 1").passed


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_a_candidate_that_signals_its_tests_has_not_passed(attack, number):
    """A candidate that signals the process of its tests, where the kernel does not forbid that, does not pass."""
    candidate = f"{OTHERS}def add(a, b):\n    total = 0\n    for pid in others():\n"
    candidate += f"        try:\n            os.kill(pid, {int(number)})\n            total = 5\n"
    candidate += "        except OSError:\n            continue\n    return total\n"
    verdict = attack(candidate, TESTS, "separate", wall_seconds=1.0)
    assert (verdict.passed, verdict.attempts) == (False, 1)


def test_a_candidate_that_stops_its_tests_afterwards_harms_no_other(attack):
    """A candidate that stops the process of the tests after it has passed does not affect the next program."""
    late = f"{OTHERS}import threading, time\ndef later():\n    while True:\n        for pid in others():\n"
    late += (
        "            try:\n                os.kill(pid, 19)\n            except OSError:\n                continue\n"
    )
    candidate = late + "def add(a, b):\n    threading.Timer(0.002, later).start()\n    return 5\n"
    assert attack(candidate, TESTS, "separate", wall_seconds=1.0).attempts == 1


@pytest.mark.parametrize("folder", ["/guest", "/dev/mqueue", "/dev/shm", "/tmp", "/work"])
def test_no_folder_keeps_a_program_s_files(attack, pool, folder):
    """No folder keeps a program's files, even under names that the guest uses, and whatever was done to the folder."""
    names = ("shared", "tests", "candidate", *map(str, range(100)))
    candidate = f"""
import os
for name in {names!r}:
    try:
        open({folder!r} + '/' + name, 'w').write('x' * 100000)
    except OSError:
        continue
try:
    os.chmod({folder!r}, 0)
except OSError:
    pass
"""
    assert attack(candidate).passed
    assert attack(f"import os\nassert os.listdir({folder!r}) == []").passed


def test_no_other_folder_can_be_written(attack):
    """The folders that are emptied after a program are the only ones that it can write to."""
    candidate = (
        "import os\nfound = [at for at, _, _ in os.walk('/') if os.access(at, os.W_OK) and '/proc/' not in at]\n"
    )
    assert attack(candidate, "assert sorted(found) == ['/dev/shm', '/guest', '/tmp', '/work'], found").passed


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_a_fork_bomb_leaves_the_guest_its_processes(attack, grading):
    """Whatever a program starts, there is room for the processes of the guest and of the tests."""
    candidate = """
import os, time
try:
    while True:
        if os.fork() == 0:
            while True:
                try:
                    os.fork()
                except OSError:
                    time.sleep(0.01)
except OSError:
    pass
def add(a, b):
    return a + b
"""
    tests = "import subprocess\nassert add(2, 3) == 5\n" if grading == "separate" else TESTS
    assert attack(candidate, tests, grading).passed


def test_the_kernel_takes_programs_first(attack):
    """If memory runs out, the kernel kills programs before the guest."""
    candidate = OTHERS + "scores = [int(open(f'/proc/{pid}/oom_score_adj').read()) for pid in ('self', *others())]"
    assert attack(candidate, "assert scores[0] == 1000 and set(scores[1:]) <= {0, 1000}").passed


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_memory_that_is_no_process_s_is_out_of_memory(attack, grading):
    """A candidate that makes the kernel kill the guest, because memory ran out, still gets a verdict."""
    candidate = f"{STARVING}def add(a, b):\n    return a + b\n"
    with closing(Pool(open_sandbox("docker", image=IMAGE, pull="never", memory_mb=256))) as starved:
        # The kernel may choose the guest a moment later, when it has the next program.
        verdict = attack(candidate, TESTS, grading, starved, most_attempts=2, memory_bytes=256 << 20)
    assert verdict.outcome is Outcome.OUT_OF_MEMORY


@pytest.mark.parametrize(("is_direct", "attempts"), [(True, 1), (False, 2)], ids=["direct", "streams"])
def test_a_docker_command_that_is_killed_is_no_wrong_answer(monkeypatch, is_direct, attempts):
    """A program whose docker command is killed goes on, or runs again in another container, and nothing is left."""
    if not is_direct:
        monkeypatch.setattr(backend, "open_listener", lambda: None)
    before = set(containers())
    sandbox = open_sandbox("docker", image=IMAGE, pull="never")
    commands, start = [], type(sandbox).start_worker
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            type(sandbox), "start_worker", lambda self: (commands.append(start(self)), commands[-1])[1], raising=True
        )
        pool = Pool(sandbox)
        pool.preflight()
        killer = threading.Timer(0.5, os.kill, (commands[-1].process.pid, signal.SIGKILL))
        killer.start()
        [verdict] = pool.run_all([Program("import time\ntime.sleep(2)", "", Limits(WALL_SECONDS))], 1)
        killer.join()
        pool.close()
    assert (verdict.passed, verdict.attempts) == (True, attempts)
    wait_until(lambda: set(containers()) <= before)
