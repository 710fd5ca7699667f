"""The memory of all processes of a program together is watched where their users are not the guest's own."""

import json

import pytest

from sandboxes.guest.supervisor import memory
from support.missing_layers import as_ordinary_user, python_without

# Each of six processes takes 100 MiB, unless it shares them.
FORK = """
import ctypes, os, time
def fill():
    return bytes(100 << 20).replace(b"\\0", b"1")
def f(first, each, seconds):
    first()
    for _ in range(6):
        if os.fork() == 0:
            kept = each()
            time.sleep(60)
    time.sleep(seconds)
    return 1
def hide():
    ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
    return fill()
kept = []
"""
PROGRAMS = {
    # These are ended as soon as their processes have the memory, which a busy machine gives late.
    "each takes its own": "f(int, fill, 50)",
    "each takes its own and hides": "f(int, hide, 50)",
    "all share what was there": "f(lambda: kept.append(fill()), int, 3)",
}
SCRIPT = """
import ctypes, json, sys
from sandboxes import Limits, Pool, Program, open_sandbox
# The rights that root has in a container of Docker's. It can't look into the processes of other users.
KEPT, HIGHEST, PR_CAPBSET_DROP = {0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 27, 29, 31}, 63, 24
for capability in set(range(HIGHEST)) - KEPT:
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)
limits = Limits(wall_seconds=60.0, memory_bytes=300 << 20)
pool = Pool(open_sandbox("subprocess", isolation="auto"))
programs = [Program(sys.argv[1], f"assert {call} == 1", limits, grading="shared") for call in sys.argv[2:]]
print(json.dumps([[verdict.outcome.value, verdict.detail] for verdict in pool.run_all(programs, 1)]))
pool.close()
"""


@pytest.fixture(scope="module", params=["root", "ordinary user"])
def verdicts(request):
    """Return the outcome and detail of each of PROGRAMS without namespaces, as in Docker's default profile."""
    user = as_ordinary_user() if request.param == "ordinary user" else {}
    done = python_without("unshare", "-W", "ignore", "-c", SCRIPT, FORK, *PROGRAMS.values(), **user)
    assert done.returncode == 0, done.stderr
    return dict(zip(PROGRAMS, json.loads(done.stdout), strict=True))


@pytest.mark.slow
@pytest.mark.parametrize("fact", ["each takes its own", "each takes its own and hides"])
def test_processes_that_take_too_much_together(verdicts, fact):
    """Processes of which none exceeds the limit end the program if all of them do, also if they hide."""
    assert verdicts[fact] == ["out_of_memory", "all processes together used more than 300 MiB"]


@pytest.mark.slow
def test_processes_that_share_their_memory(verdicts):
    """Memory that processes share counts once."""
    assert verdicts["all share what was there"] == ["passed", ""]


@pytest.fixture
def refusals(monkeypatch):
    """Let this process have no right to know a process's own part of its memory."""

    def refuse(pid):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(memory, "read_proportional_bytes", refuse)
    monkeypatch.setattr(memory, "resident_bytes", lambda pid: 1000 + pid)


def test_a_process_that_hides(refusals):
    """All of the memory of a process that hides counts."""
    assert memory.proportional_bytes(1) == 1001


def test_a_process_that_has_ended(refusals):
    """A process that has ended has no memory."""
    assert memory.proportional_bytes(-1) == 0
