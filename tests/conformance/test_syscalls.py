"""A sandbox refuses its programs dangerous system calls, and allows them the usual ones."""

import pytest

from sandboxes.guest.isolation.seccomp import CLONE, CLONE3, DENIED, IOCTL, PERSONALITY
from sandboxes.guest.isolation.syscalls import MACHINE, NUMBERS
from support.observers import passes, refused_with

if MACHINE not in NUMBERS:
    pytest.skip(f"no list of system calls for {MACHINE}", allow_module_level=True)

COLUMN = list(NUMBERS).index(MACHINE)
CALL = """
import ctypes, errno, os, signal, socket
libc = ctypes.CDLL(None, use_errno=True)
def error_of(*words):
    ctypes.set_errno(0)
    result = libc.syscall(*map(ctypes.c_long, words))
    if result == 0 and words[0] == CLONE:
        os._exit(0)  # the new process
    return errno.errorcode.get(ctypes.get_errno()) if result == -1 else None
""" + refused_with("PermissionError")


@pytest.fixture(autouse=True)
def filtered(needs):
    """Skip tests where the seccomp layer is missing."""
    needs("seccomp")


@pytest.fixture
def check(run):
    """Return a function that runs an assertion in a program that can make any system call."""

    def run_check(assertion, prelude=""):
        passes(run(f"CLONE = {CLONE[COLUMN]}\n{CALL}{prelude}", assertion))

    return run_check


def test_calls_of_the_list_are_refused(check):
    """Each system call of the list is refused, whatever its arguments."""
    numbers = {name: pair[COLUMN] for name, pair in DENIED.items() if pair[COLUMN] is not None}
    check(f"allowed = [n for n, number in {numbers}.items() if error_of(number, 0, 0, 0, 0, 0) != 'EPERM']"
          "\nassert not allowed, allowed")  # fmt: skip


NAMED = {
    "ptrace of its parent": "ptrace",
    "memory of its parent": "process_vm_readv",
    "mount": "mount",
    "unshare": "unshare",
    "setns": "setns",
    "bpf": "bpf",
    "keys": "keyctl",
    "userfaultfd": "userfaultfd",
    "io_uring": "io_uring_setup",
    "performance events": "perf_event_open",
    "memory files": "memfd_create",
    "shared memory": "shmget",
    "message queues": "mq_open",
}


@pytest.mark.parametrize("name", NAMED.values(), ids=NAMED)
def test_dangerous_calls_are_on_the_list(name):
    """Calls that break out of sandboxes, or outlive a program, are on the list of refused calls."""
    assert name in DENIED


@pytest.mark.parametrize(
    "flag",
    ["USER 10000000", "PID 20000000", "NS 20000", "NET 40000000", "IPC 8000000", "UTS 4000000", "CGROUP 2000000"],
)
def test_no_new_namespaces_by_clone(check, flag):
    """A program can't start another one in a new namespace."""
    check(f"assert error_of(CLONE, 0x{flag.split()[1]} | signal.SIGCHLD, 0, 0, 0, 0) == 'EPERM'")


def test_clone_without_namespaces_works(check):
    """A program can start another one by `clone`."""
    check("assert error_of(CLONE, signal.SIGCHLD, 0, 0, 0, 0) is None and os.wait()[1] == 0")


def test_newer_clone_is_not_there(check):
    """`clone3`, whose flags can't be inspected, fails as on a kernel that does not have it."""
    check(f"assert error_of({CLONE3[COLUMN]}, 0, 0) == 'ENOSYS'")


def test_unknown_calls_are_not_there(check):
    """Calls that are newer than the list fail as on a kernel that does not have them."""
    check("assert {error_of(number, 0) for number in (457, 500, 999, 1 << 20)} == {'ENOSYS'}")


def test_no_sockets(check):
    """A program can't open a socket of any family or type."""
    check("""
kinds = [0, 1, 2, 3, 4, 5, 6, 10]
kinds += [kind | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC for kind in kinds]
opened = [(family, kind) for family in range(64) for kind in kinds if not refused(socket.socket, family, kind, 0)]
assert not opened, opened
""")


def test_socket_pairs_work(check):
    """A program can talk with its children through a pair of sockets."""
    check("""
near, far = socket.socketpair()
near.sendall(b"x")
assert far.recv(1) == b"x"
assert refused(socket.socketpair, socket.AF_INET)
""")


def test_descriptors_pass_through_socket_pairs(check):
    """Multiprocessing may send descriptors from one process to another."""
    check("""
near, far = socket.socketpair()
socket.send_fds(near, [b"x"], [1])
assert socket.recv_fds(far, 1, 1)[0] == b"x"
""")


def test_terminal_can_not_be_typed_into(check):
    """A program can't put characters into a terminal's input, or make it another kind of line."""
    for request in (0x5412, 0x541C, 0x5423):
        check(f"assert error_of({IOCTL[COLUMN]}, 0, {request}, 0) == 'EPERM'")


def test_upper_half_of_an_argument_hides_nothing(check):
    """Bits that the kernel ignores can't get an argument past the filter."""
    check(f"assert error_of({IOCTL[COLUMN]}, 0, (1 << 32) | 0x5412, 0) == 'EPERM'")


def test_personality_can_only_be_asked(check):
    """A program can't turn off the protections of its memory."""
    check(f"assert [error_of({PERSONALITY[COLUMN]}, n) for n in (0xFFFFFFFF, 0x40000)] == [None, 'EPERM']")


def test_own_scheduling_can_be_changed(check):
    """A program can set its own priority, CPUs and limits."""
    check("""
import resource
os.nice(1)
os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0))
os.sched_setaffinity(0, os.sched_getaffinity(0))
resource.setrlimit(resource.RLIMIT_NOFILE, (64, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
""")


def test_what_it_starts_is_held_too(check):
    """Children of a program have the same filter."""
    check("""
import subprocess, sys
code = "import socket\\ntry:\\n    socket.socket()\\nexcept PermissionError:\\n    raise SystemExit(7)"
assert subprocess.run([sys.executable, "-c", code]).returncode == 7
""")
