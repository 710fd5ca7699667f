"""The process of the tests stays for the next candidate where no candidate can reach it, without PID namespaces too."""

import json
from contextlib import closing

import pytest

from sandboxes import Limits, Pool, Program, open_sandbox
from sandboxes.guest.isolation.landlock import confines_signals
from support.docker_engines import IMAGE, require_image
from support.missing_layers import as_ordinary_user, python_without
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow

# Finds the fork server of the guest's tests and its child. Other guests may run beside it.
FIND = """
import ctypes, fcntl, os, resource, signal
libc = ctypes.CDLL(None, use_errno=True)
def refused_if(failed):
    if failed:
        raise OSError
def command(pid):
    return open(f'/proc/{pid}/cmdline', 'rb').read().split(bytes(1))
def processes():
    found, folder = [], os.path.dirname(command('self')[-3])
    for name in filter(str.isdigit, os.listdir('/proc')):
        try:
            words = command(name)
        except OSError:
            continue
        if words[-3:] == [folder + b'/tests', b'tests', b'']:
            found.append(int(name))
    return sorted(found)
"""
SHOW = FIND + "def add(a, b):\n    print(processes())\n    return a + b\n"
# Each of them is tried on the fork server and on its child.
ATTACKS = {
    "kill it": "os.kill(pid, signal.SIGKILL)",
    "stop it": "os.kill(pid, signal.SIGSTOP)",
    "stop its group": "os.kill(-pid, signal.SIGSTOP)",
    "stop all": "os.kill(-1, signal.SIGSTOP)",
    "stop its thread": "refused_if(libc.tgkill(pid, pid, 19))",
    "queue a signal": "refused_if(libc.sigqueue(pid, 19, None))",
    "by a descriptor": "signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGSTOP)",
    "by a folder of /proc": "refused_if(libc.syscall(424, os.open(f'/proc/{pid}', os.O_RDONLY), 19, None, 0))",
    "as the owner of a pipe": "fcntl.fcntl(os.pipe()[0], fcntl.F_SETOWN, pid)",
    "from its own child": (
        "child = os.fork()\nif child == 0:\n    try:\n        os.kill(pid, signal.SIGSTOP)\n    except OSError:\n"
        "        os._exit(1)\n    os._exit(0)\nrefused_if(os.waitpid(child, 0)[1])"
    ),
    "from another program": "refused_if(os.system(f'kill -STOP {pid} 2>/dev/null'))",
    "its limits": "resource.prlimit(pid, resource.RLIMIT_CPU, (0, 0))",
    "its processors": "os.sched_setaffinity(pid, {0})",
    "its scheduling": "os.sched_setscheduler(pid, os.SCHED_IDLE, os.sched_param(0))",
    "its priority": "os.setpriority(os.PRIO_PROCESS, pid, 19)",
    "its group's priority": "os.setpriority(os.PRIO_PGRP, pid, 19)",
    "its memory": "open(f'/proc/{pid}/mem', 'rb')",
    "its descriptors": "os.listdir(f'/proc/{pid}/fd')",
    "its variables": "open(f'/proc/{pid}/environ', 'rb').read()",
    "its folder": "os.listdir(f'/proc/{pid}/cwd/')",
    "its score": "open(f'/proc/{pid}/oom_score_adj', 'w').write('1000')",
    "its name": "open(f'/proc/{pid}/comm', 'w').write('x')",
    "trace it": "refused_if(libc.ptrace(16, pid, 0, 0))",
}
TESTS = "assert add(2, 3) == 5\n"
NOT_REACHED = "assert add(2, 3) == []\n"
SCRIPT = """
import json, sys, warnings
from contextlib import closing
from sandboxes import Limits, Pool, Program, open_sandbox
warnings.simplefilter("ignore")
programs = [Program(*texts, Limits(wall_seconds=60), "separate") for texts in json.load(sys.stdin)]
with closing(Pool(open_sandbox("subprocess"))) as pool:
    verdicts = pool.run_all(programs, 1)
print(json.dumps([[each.outcome.value, each.detail, each.attempts, each.stdout] for each in verdicts]))
"""


def attack(code):
    """Return a candidate that tries something on the processes, and returns those that it reached."""
    lines = "".join(f"            {line}\n" for line in code.splitlines())
    return (
        f"{FIND}def add(a, b):\n    reached = []\n    for pid in processes():\n        try:\n{lines}"
        "        except OSError:\n            continue\n        reached.append(pid)\n    return reached\n"
    )


PROGRAMS = [(SHOW, TESTS)]
for code in ATTACKS.values():
    PROGRAMS += [(attack(code), NOT_REACHED), (f"{SHOW}# After {len(PROGRAMS)}\n", TESTS)]


def run_without(calls, popen):
    """Run the programs in the subprocess sandbox where system calls are refused."""
    done = python_without(calls, "-c", SCRIPT, input=json.dumps(PROGRAMS), **popen)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def run_as_another_user(popen):
    """Run the programs where only their user keeps them from the tests: as root, without Landlock."""
    if as_ordinary_user() == {}:
        pytest.skip("only root can give the tests a user of their own")
    return run_without("unshare,landlock_create_ruleset", popen)


def run_under_landlock(popen):
    """Run the programs where only Landlock keeps them from the tests: as an ordinary user."""
    if not confines_signals():
        pytest.skip("Landlock confines signals from Linux 6.12 on")
    return run_without("unshare", {**popen, **as_ordinary_user()})


def run_in_docker(popen):
    """Run the programs in a container, where Landlock keeps them from the tests."""
    require_image()
    if not confines_signals():
        pytest.skip("Landlock confines signals from Linux 6.12 on")
    programs = [Program(*texts, Limits(WALL_SECONDS), "separate") for texts in PROGRAMS]
    with closing(Pool(open_sandbox("docker", image=IMAGE, pull="never"))) as pool:
        verdicts = pool.run_all(programs, 1)
    return [[each.outcome.value, each.detail, each.attempts, each.stdout] for each in verdicts]


@pytest.fixture(
    scope="module",
    params=[
        run_as_another_user,
        run_under_landlock,
        pytest.param(run_in_docker, marks=pytest.mark.docker),
    ],
)
def verdicts(request, tmp_path_factory):
    """Provide the verdicts of the programs, in each environment where candidates see the tests' process."""
    folder = tmp_path_factory.mktemp("home")
    folder.chmod(0o777)
    return request.param({"variables": {"HOME": str(folder), "TMPDIR": "/tmp"}})


def test_the_process_stays(verdicts):
    """All programs had the same fork server and the same process of tests, whatever others tried on them."""
    shown = {stdout for _, _, _, stdout in verdicts[::2]}
    assert len(shown) == 1 and len(json.loads(shown.pop())) == 2


@pytest.mark.parametrize("number", range(len(ATTACKS)), ids=ATTACKS)
def test_the_process_is_not_reached(verdicts, number):
    """A candidate reaches neither the tests' process nor its fork server, and the next candidate's tests are run."""
    outcome, detail, attempts, _ = verdicts[2 * number + 1]
    assert (outcome, detail, attempts) == ("passed", "", 1)
    assert verdicts[2 * number + 2][:3] == ["passed", "", 1]


def test_a_process_that_can_be_reached_does_not_stay(tmp_path):
    """Without another user and without Landlock each candidate's tests have a process of their own."""
    tmp_path.chmod(0o777)
    popen = {"variables": {"HOME": str(tmp_path), "TMPDIR": "/tmp"}}
    popen |= as_ordinary_user()
    programs = [(f"{SHOW}# {number}\n", TESTS) for number in range(3)]
    done = python_without("unshare,landlock_create_ruleset", "-c", SCRIPT, input=json.dumps(programs), **popen)
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert [each[:3] for each in told] == [["passed", "", 1]] * 3
    assert len({stdout for _, _, _, stdout in told}) == 3
