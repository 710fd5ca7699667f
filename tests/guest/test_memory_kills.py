"""Out-of-memory kills are counted in the control group that the guest is in: a container's, a job's or a service's."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandboxes.guest.supervisor.memory import kill_counter
from support.metric_and_command import ROOT, environment

VERSION_2, VERSION_1 = "memory.events", "memory/memory.oom_control"


@pytest.fixture
def counter(tmp_path):
    """Return a function that makes groups with counters, and returns the one that is found for a process.

    It takes the process's /proc/self/cgroup and the paths of the counters, and returns a path relative to the groups.
    """

    def find(own_groups, *counters):
        groups, own = tmp_path / "groups", tmp_path / "own"
        own.write_text(own_groups)
        for name in counters:
            path = groups / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("oom_kill 0\n")
        found = kill_counter(str(own), str(groups))
        return found and os.path.relpath(found, groups)

    return find


def test_the_own_group_is_asked(counter):
    """A job's or a service's own group counts, not another one."""
    job, other = "system.slice/job_7/memory.events", "system.slice/job_8/memory.events"
    assert counter("0::/system.slice/job_7\n", job, other) == job


def test_a_container_shows_its_group_as_the_root(counter):
    """A process of a container with a cgroup namespace finds its counter at the top."""
    assert counter("0::/\n", VERSION_2) == VERSION_2


def test_a_group_without_a_counter_is_counted_above(counter):
    """A group in which memory is not counted has its kills counted by the nearest group above that counts."""
    assert counter("0::/user.slice/app/shell\n", "user.slice/memory.events") == "user.slice/memory.events"


def test_version_1_has_a_tree_for_memory(counter):
    """Version 1 of control groups names the group of each controller."""
    own = "5:cpu,cpuacct:/there\n4:memory:/batch/job\n0::/\n"
    assert counter(own, "memory/batch/job/memory.oom_control", VERSION_1) == "memory/batch/job/memory.oom_control"


def test_version_1_in_a_container(counter):
    """A container without a cgroup namespace names a group that it does not show: it shows its own one at the top."""
    assert counter("4:memory:/docker/0123\n0::/docker/0123\n", VERSION_1) == VERSION_1


def test_a_group_outside_of_the_namespace(counter):
    """The name of a group outside of the cgroup namespace leads to no file outside of the groups."""
    assert counter("0::/../../job\n", VERSION_2) == VERSION_2


@pytest.mark.parametrize("own", ["0::/\n", "5:cpu:/there\n", ""])
def test_no_counter(counter, own):
    """A machine's own group has no counter, and some machines count no memory."""
    assert counter(own) is None


def test_no_groups(tmp_path):
    """A system without control groups has no counter."""
    assert kill_counter(str(tmp_path / "missing"), str(tmp_path)) is None


SCRIPT = """
import json, os, sys
with open(sys.argv[1] + "/cgroup.procs", "w") as members:
    members.write(str(os.getpid()))
from sandboxes import Limits, Pool, Program, open_sandbox
pool = Pool(open_sandbox("subprocess"))
limits = Limits(wall_seconds=60.0, memory_bytes=4 << 30)
candidate = "x = bytearray(2 << 30)\\nfor at in range(0, len(x), 4096):\\n    x[at] = 1"
verdicts = pool.run_all([Program(source, "", limits) for source in (candidate, "x = 1")], 1)
pool.close()
print(json.dumps([verdict.outcome.value for verdict in verdicts]))
"""


@pytest.fixture
def limited_group():
    """Provide the folder of a control group whose processes may use 700 MiB together."""
    counting = kill_counter()
    if counting is None or os.geteuid() != 0:
        pytest.skip("needs root, and a control group that counts memory")
    above, limit = Path(counting).parent, "memory.max"
    if counting.endswith("oom_control"):
        limit = "memory.limit_in_bytes"
    group = above / f"code-eval-{os.getpid()}"
    try:
        group.mkdir()
        (group / limit).write_text(str(700 << 20))
    except OSError as error:
        if group.exists():
            group.rmdir()
        pytest.skip(f"no control group with a limit can be made here: {error}")
    yield group
    group.rmdir()


@pytest.mark.slow
def test_a_program_that_its_group_ends_is_out_of_memory(limited_group):
    """A program that the kernel kills for its group's limit is out of memory, as in a container; the next one runs."""
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, str(limited_group)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == ["out_of_memory", "passed"]
