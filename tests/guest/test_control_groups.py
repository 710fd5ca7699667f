"""The kernel limits the memory of a fork server's programs together where control groups can be made."""

import contextlib
import errno
import os

import pytest

import sandboxes
from sandboxes import Limits, Outcome, Pool, Program, SessionLimits, open_sandbox
from sandboxes.guest.supervisor import control_group as memory_control
from sandboxes.guest.supervisor.control_group import ControlGroup, MemoryControl
from sandboxes.guest.supervisor.delegated_group import CALLERS, PREFIX, NotDelegated, delegated_group, write
from support.requirements import WALL_SECONDS

MIB = 1 << 20


class Groups:
    """A folder that looks like the control groups of a machine, in which this process is in a group."""

    def __init__(self, folder, own, monkeypatch):
        """Make the group of a name, and those above it."""
        self.top, self.own_groups = str(folder / "groups"), str(folder / "own")
        self.mounts = str(folder / "mounts")
        (folder / "own").write_text(f"0::/{own}\n")
        self.mount("/")
        self.group = os.path.normpath(os.path.join(self.top, own))
        path = self.group
        self.make(path, "" if own else "memory")
        while path != self.top:
            path = os.path.dirname(path)
            self.make(path, "memory")
        self.marked = set()
        marks = {"list_attributes": lambda path: ["user.delegate"] if path in self.marked else []}
        for name, function in {**marks, "read_attribute": lambda path, name: b"1"}.items():
            monkeypatch.setattr(f"sandboxes.guest.supervisor.delegated_group.{name}", function)

    def make(self, path, controlled, controllers="cpu memory", processes=()):
        """Make a group, or change it."""
        os.makedirs(path, exist_ok=True)
        files = {"cgroup.controllers": controllers, "cgroup.subtree_control": controlled, "cgroup.events": ""}
        for name, text in {**files, "cgroup.procs": "\n".join(map(str, processes))}.items():
            write(path, name, text)

    def find(self):
        """Return what is found for this process."""
        return delegated_group(os.getpid(), self.own_groups, self.top, self.mounts)

    def mount(self, *roots):
        """List mounts at the topmost group, each of which shows the groups from a root on."""
        lines = [f"30 24 0:26 {root} {self.top} rw,nosuid shared:9 - cgroup2 cgroup2 rw\n" for root in roots]
        write(os.path.dirname(self.mounts), "mounts", "".join(lines))


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """Return a function that makes `Groups` with this process in the group of a name."""
    return lambda own: Groups(tmp_path, own, monkeypatch)


def test_a_marked_group(groups):
    """A unit of systemd with `Delegate=yes` is taken, and its processes move to a group below."""
    made = groups("system.slice/run-1.scope")
    made.make(made.group, "", processes=[os.getpid()])
    made.marked = {made.group}
    assert made.find() == made.group
    with open(os.path.join(made.group, CALLERS, "cgroup.procs")) as moved:
        assert moved.read() == str(os.getpid())


def test_memory_is_controlled_below_it(groups):
    """The groups below get limits of memory."""
    made = groups("system.slice/run-1.scope")
    made.marked = {made.group}
    made.find()
    with open(os.path.join(made.group, "cgroup.subtree_control")) as controlled:
        assert controlled.read() == "+memory"


def test_a_group_of_a_users_manager(groups):
    """A user's manager marks none of its groups. One that has only this process is taken."""
    made = groups("user.slice/user@1.service/run-1.scope")
    made.make(made.group, "", processes=[os.getpid()])
    made.marked = {os.path.dirname(made.group)}
    assert made.find() == made.group


def test_a_terminals_group(groups):
    """A group of a user's manager that has other processes stays as it is."""
    made = groups("user.slice/user@1.service/terminal.scope")
    made.make(made.group, "", processes=[os.getpid(), os.getppid()])
    made.marked = {os.path.dirname(made.group)}
    with pytest.raises(NotDelegated, match="Delegate=yes"):
        made.find()
    assert not os.path.exists(os.path.join(made.group, CALLERS))


def test_a_group_of_somebody_else(groups):
    """A group that nobody has handed over stays as it is."""
    with pytest.raises(NotDelegated, match="Delegate=yes"):
        groups("system.slice/cron.service").find()


def test_a_containers_own_group(groups):
    """The topmost group that is shown, which can be written to, is taken."""
    made = groups("")
    assert made.find() == made.top


def test_a_process_that_was_moved(groups):
    """A later pool of a caller finds the group that its first pool has made."""
    made = groups(f"system.slice/run-1.scope/{CALLERS}")
    above = os.path.dirname(made.group)
    made.make(above, "memory")
    assert made.find() == above


def test_no_control_of_memory(groups):
    """A group without the controller can't be used."""
    made = groups("")
    made.make(made.top, "", controllers="cpu pids")
    with pytest.raises(NotDelegated, match="has no control of memory"):
        made.find()


def test_a_process_of_another_namespace(groups):
    """A process that has no number here can't be moved."""
    made = groups("system.slice/run-1.scope")
    made.make(made.group, "", processes=[0])
    made.marked = {made.group}
    with pytest.raises(NotDelegated, match="another PID namespace"):
        made.find()


def test_the_machines_groups_in_a_container(groups):
    """A container that was given the machine's folder of groups makes none there, where its limits do not hold."""
    made = groups("")
    made.mount("/", "/../..")
    with pytest.raises(NotDelegated, match="shows the control groups of another namespace"):
        made.find()


def test_a_mount_that_is_covered(groups):
    """Of several mounts at the same place, the last one is what is shown."""
    made = groups("")
    made.mount("/../..", "/")
    assert made.find() == made.group


@pytest.mark.parametrize("own_groups", ["4:memory:/job\n0::/\n", "0::/../outside\n", ""])
def test_no_groups_of_version_2(groups, own_groups):
    """Groups of version 1, and groups that are not shown here, are none."""
    made = groups("")
    os.remove(os.path.join(made.top, "cgroup.controllers"))
    write(os.path.dirname(made.own_groups), "own", own_groups)
    with pytest.raises(NotDelegated, match="version 2"):
        made.find()


def test_no_file_that_names_groups(groups):
    """A system without control groups has none of version 2."""
    made = groups("")
    os.remove(made.own_groups)
    with pytest.raises(NotDelegated, match="version 2"):
        made.find()


def test_a_killed_guests_groups_are_removed(groups):
    """An empty group that a killed guest has left is removed by the next one."""
    made = groups("")
    left = os.path.join(made.top, PREFIX + "0123")
    os.mkdir(left)
    made.find()
    assert not os.path.exists(left)


def test_limit(tmp_path):
    """The limit leaves room for the fork server, for files and for the kernel's own memory."""
    group = ControlGroup(str(tmp_path), files_bytes=256 * MIB)
    os.mkdir(group.path)
    write(group.path, "memory.current", str(20 * MIB))
    group.limit_memory(100 * MIB)
    with open(os.path.join(group.path, "memory.max")) as limit:
        assert int(limit.read()) == (20 + 100 + 256 + 64) * MIB


def test_memory_without_a_limit(tmp_path):
    """The largest limit that there is fits the kernel's number."""
    group = ControlGroup(str(tmp_path), files_bytes=0)
    os.mkdir(group.path)
    write(group.path, "memory.current", "0")
    group.limit_memory(2**63 - 1)
    with open(os.path.join(group.path, "memory.max")) as limit:
        assert int(limit.read()) == 2**62


def test_a_group_that_takes_no_process(groups, monkeypatch):
    """Where no process can be put into a group, the memory is watched, and no group is left."""
    made = groups("")
    monkeypatch.setattr(memory_control, "delegated_group", lambda caller: made.top)
    monkeypatch.setattr(memory_control, "write", refuse)
    control = MemoryControl(os.getpid(), files_bytes=0, in_container=False)
    control.add(os.getpid())
    assert (control.group, control.not_held) == (None, "[Errno 13] Permission denied")
    assert not [name for name in os.listdir(made.top) if name.startswith(PREFIX)]


def refuse(*arguments):
    """Fail as a file does that may not be written to."""
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


EATS = """
import os, time
for _ in range({processes}):
    if os.fork() == 0:
        memory = bytearray({mib} << 20)
        for place in range(0, len(memory), 4096):
            memory[place] = 1
        time.sleep(600)
time.sleep(600)
"""


@pytest.fixture(scope="module")
def held():
    """Return a pool whose programs the kernel holds to their memory."""
    pool = Pool(open_sandbox("subprocess"))
    if reason := pool.preflight().memory_not_held:
        pool.close()
        pytest.skip(f"the kernel does not limit the memory of programs together here: {reason}")
    yield pool
    pool.close()


def outcomes(pool, *programs, mib):
    """Return the outcomes of programs that run one after the other."""
    limits = Limits(wall_seconds=WALL_SECONDS, memory_bytes=mib * MIB)
    return [
        verdict.outcome.value for verdict in pool.run_all([Program(program, "", limits) for program in programs], 1)
    ]


@pytest.mark.parametrize(("processes", "mib"), [(20, 60), (60, 7)])
def test_the_kernel_ends_programs(held, processes, mib):
    """Programs that are large together are ended, and the fork server is not, however small each of them is."""
    worker = held._idle.workers[0].process.pid
    program = EATS.format(processes=processes, mib=mib)
    assert outcomes(held, program, "pass", program, mib=100) == ["out_of_memory", "passed", "out_of_memory"]
    assert held._idle.workers[0].process.pid == worker


def test_files_are_no_memory_of_programs(held):
    """A program may fill its folders beside its memory."""
    program = "for n in range(4): open(f'/tmp/{n}', 'wb').write(bytes(60 << 20))"
    assert outcomes(held, program, mib=100) == ["passed"]


def test_no_group_is_left(held):
    """A pool's groups are gone when it has closed."""
    parent = delegated_group(os.getpid())
    before = set(os.listdir(parent))
    with contextlib.closing(Pool(open_sandbox("subprocess"))) as pool:
        outcomes(pool, "pass", mib=100)
        assert set(os.listdir(parent)) > before
    assert set(os.listdir(parent)) == before


def test_a_session_is_held(held):
    """The processes of a session are ended too."""
    with sandboxes.Session(limits=SessionLimits(memory_bytes=100 * MIB)) as session:
        result = session.run_cell(EATS.format(processes=20, mib=60))
    assert result.limit is Outcome.OUT_OF_MEMORY
