"""The filter of system calls, run by an interpreter of its instructions, for each kind of machine."""

import errno
import itertools
import signal
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes.guest.isolation.seccomp import (
    CLONE,
    CLONE3,
    DENIED,
    F_SETOWN,
    F_SETOWN_EX,
    FCNTL,
    FIOSETOWN,
    HIGHEST_NUMBER,
    IOCTL,
    KILL,
    PERSONALITY,
    PIDFD_SEND_SIGNAL,
    PRLIMIT,
    SCHEDULING,
    SETPRIORITY,
    SETSOCKOPT,
    SIGNALLING,
    SIOCSPGRP,
    SOCKET,
    SOCKETPAIR,
    filter_lines,
)

# The values of <linux/audit.h> and <linux/seccomp.h>, written out so that they do not come from the code under test.
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
I386, ARM = 0x40000003, 0x40000028
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
PROTECTED = (1234, 77)
FAMILIES = {"unix": 1, "inet": 2, "inet6": 10, "netlink": 16, "packet": 17, "vsock": 40, "alg": 38}
TYPES = {"stream": 1, "dgram": 2, "raw": 3, "rdm": 4, "seqpacket": 5, "dccp": 6, "packet": 10}
# SOCK_NONBLOCK and SOCK_CLOEXEC.
TYPE_FLAGS = (0, 0x800, 0x80000, 0x80800)
NEW_NAMESPACES = (0x10000000, 0x20000000, 0x00020000, 0x40000000, 0x08000000, 0x04000000, 0x02000000)
# The flags with which the C library starts threads and processes.
THREAD_FLAGS, FORK_FLAGS, VFORK_FLAGS = 0x3D0F00, 0x1200011, 0x4111
ANY = st.integers(0, (1 << 64) - 1)

machines = pytest.mark.parametrize("machine", ARCHITECTURES)


def interpreted(lines, data):
    """Return the kernel packet filter's value for a `struct seccomp_data`, by the few instructions used here."""
    accumulator, place = None, 0
    while True:
        code, if_true, if_false, value = struct.unpack("=HBBI", lines[place])
        place += 1
        if code == 0x20:  # load a word
            assert value % 4 == 0 and value <= 60
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif code == 0x06:  # return
            return value
        else:
            assert accumulator is not None
            holds = {0x15: accumulator == value, 0x25: accumulator > value, 0x45: accumulator & value != 0}[code]
            place += if_true if holds else if_false


def asked(machine, number, *arguments, network=False, protected=(), loopback=False, architecture=None):
    """Return the filter's answer to a system call: an error's name, or None if the call is allowed."""
    words = [argument & (1 << 64) - 1 for argument in arguments] + [0] * (6 - len(arguments))
    architecture = ARCHITECTURES[machine] if architecture is None else architecture
    answer = interpreted(
        filter_lines(machine, network, protected, loopback), struct.pack("=IIQ6Q", number, architecture, 0, *words)
    )
    if answer == ALLOW:
        return None
    assert answer & 0xFFFF0000 == ERRNO
    return errno.errorcode[answer & 0xFFFF]


def number_of(machine, pair):
    """Return a call's number on a machine."""
    return pair[list(ARCHITECTURES).index(machine)]


LISTED = [
    (machine, name) for machine in ARCHITECTURES for name in DENIED if number_of(machine, DENIED[name]) is not None
]


@machines
@pytest.mark.parametrize("network", [False, True])
@pytest.mark.parametrize("loopback", [False, True])
@pytest.mark.parametrize("protected", [(), PROTECTED], ids=["alone", "with visible processes"])
def test_filter_is_one_that_the_kernel_takes(machine, network, protected, loopback):
    """The filter is short enough, every jump stays inside, and its last instruction returns."""
    lines = filter_lines(machine, network, protected, loopback)
    assert len(lines) <= 4096
    for place, line in enumerate(lines):
        code, if_true, if_false, _ = struct.unpack("=HBBI", line)
        assert code == 0x06 or place + 1 + max(if_true, if_false) < len(lines)
    assert struct.unpack("=HBBI", lines[-1])[0] == 0x06


@pytest.mark.parametrize(("machine", "name"), LISTED)
def test_call_of_the_list_is_refused(machine, name):
    """A call of the list is refused, even if programs have a network."""
    number = number_of(machine, DENIED[name])
    assert asked(machine, number) == asked(machine, number, network=True, protected=PROTECTED) == "EPERM"


@machines
def test_numbers_of_the_list_differ(machine):
    """No two calls of the list share a number, nor does one share a number with a conditionally allowed call."""
    pairs = [*DENIED.values(), CLONE, CLONE3, SOCKET, SOCKETPAIR, PRLIMIT, IOCTL, PERSONALITY, SETPRIORITY, KILL]
    pairs.append(SETSOCKOPT)
    numbers = [number_of(machine, pair) for pair in (*pairs, *SIGNALLING, *SCHEDULING)]
    known = [number for number in numbers if number is not None]
    assert len(known) == len(set(known))
    assert max(known) <= HIGHEST_NUMBER


@machines
def test_no_signal_goes_by_another_way_to_the_guest(machine):
    """A visible guest gets no signals by way of its /proc folders or of a file's owner."""
    ways = [(PIDFD_SEND_SIGNAL, ()), *((FCNTL, (3, way)) for way in (F_SETOWN, F_SETOWN_EX))]
    ways += [(IOCTL, (3, way)) for way in (FIOSETOWN, SIOCSPGRP)]
    numbers = [(number_of(machine, pair), arguments) for pair, arguments in ways]
    assert {asked(machine, number, *arguments, protected=PROTECTED) for number, arguments in numbers} == {"EPERM"}
    assert {asked(machine, number, *arguments) for number, arguments in numbers} == {None}
    assert asked(machine, number_of(machine, FCNTL), 3, 4, protected=PROTECTED) is None


@pytest.mark.parametrize("name", ["read", "write", "openat", "mmap", "execve", "exit_group", "futex", "wait4"])
@machines
def test_usual_calls_are_allowed(machine, name):
    """The calls that every program makes are allowed."""
    numbers = {"x86_64": (0, 1, 257, 9, 59, 231, 202, 61), "aarch64": (63, 64, 56, 222, 221, 94, 98, 260)}
    names = ["read", "write", "openat", "mmap", "execve", "exit_group", "futex", "wait4"]
    assert asked(machine, numbers[machine][names.index(name)], *[(1 << 64) - 1] * 6) is None


@machines
@given(number=st.integers(0, (1 << 32) - 1), architecture=st.sampled_from([I386, ARM, 0, 0xC000003F]))
def test_other_architectures_have_no_calls(machine, number, architecture):
    """A program of another architecture, where numbers mean other calls, can make no call at all."""
    assert asked(machine, number, architecture=architecture) == "ENOSYS"


@machines
@given(number=st.integers(HIGHEST_NUMBER + 1, (1 << 32) - 1))
def test_unknown_calls_are_not_there(machine, number):
    """Calls that are newer than the list fail as on a kernel that does not have them."""
    assert asked(machine, number) == "ENOSYS"


@given(number=st.integers(0, HIGHEST_NUMBER))
def test_second_numbers_of_calls_are_not_there(number):
    """No call can be made by its number in the x32 table of the same machine."""
    assert asked("x86_64", number | 0x40000000) == "ENOSYS"


@machines
@pytest.mark.parametrize("flag", NEW_NAMESPACES, ids=hex)
@pytest.mark.parametrize("others", [0, signal.SIGCHLD, THREAD_FLAGS, VFORK_FLAGS, 7 << 32], ids=hex)
def test_clone_makes_no_namespace(machine, flag, others):
    """`clone` with a flag for a namespace is refused, whatever its other flags."""
    assert asked(machine, number_of(machine, CLONE), flag | others) == "EPERM"


@machines
@pytest.mark.parametrize("flags", [signal.SIGCHLD, THREAD_FLAGS, FORK_FLAGS, VFORK_FLAGS], ids=hex)
def test_clone_starts_threads_and_processes(machine, flags):
    """`clone` with the flags that the C library uses is allowed."""
    assert asked(machine, number_of(machine, CLONE), flags) is None


@machines
def test_newer_clone_is_not_there(machine):
    """`clone3` fails as on a kernel that does not have it, so the C library uses the older call."""
    assert asked(machine, number_of(machine, CLONE3), 1 << 40, 88) == "ENOSYS"


@machines
@given(family=ANY)
def test_without_network_no_socket(machine, family):
    """Without a network `socket` is refused for every family."""
    assert asked(machine, number_of(machine, SOCKET), family) == "EPERM"


@machines
@pytest.mark.parametrize(("family", "allowed"), [(name, name in ("inet", "inet6")) for name in FAMILIES])
def test_with_network_internet_sockets_only(machine, family, allowed):
    """With a network only sockets of the internet's families are allowed."""
    answer = asked(machine, number_of(machine, SOCKET), FAMILIES[family], network=True)
    assert answer == (None if allowed else "EPERM")


@machines
@pytest.mark.parametrize("flags", TYPE_FLAGS, ids=hex)
def test_with_loopback_only_the_usual_sockets(machine, flags):
    """With a loopback network only streams and datagrams of Unix, TCP and UDP are allowed."""
    number, protocols = (
        number_of(machine, SOCKET),
        {"none": 0, "tcp": 6, "udp": 17, "sctp": 132, "mptcp": 262, "raw": 255},
    )
    allowed = {
        (family, type_, protocol)
        for family, family_number in FAMILIES.items()
        for type_, type_number in TYPES.items()
        for protocol, protocol_number in protocols.items()
        if asked(machine, number, family_number, type_number | flags, protocol_number, loopback=True) is None
    }
    expected = itertools.product(("unix", "inet", "inet6"), ("stream", "dgram"), ("none", "tcp", "udp"))
    assert allowed == set(expected)


@machines
@pytest.mark.parametrize("loopback", [False, True])
def test_no_protocol_on_top_of_tcp(machine, loopback):
    """TCP_ULP is refused, and the other options of sockets are allowed."""
    number = number_of(machine, SETSOCKOPT)
    assert asked(machine, number, 3, 6, 31, loopback=loopback) == "EPERM"
    assert asked(machine, number, 3, 6, 1, loopback=loopback) is None
    assert asked(machine, number, 3, 1, 31, loopback=loopback) is None


@machines
@pytest.mark.parametrize("network", [False, True])
@pytest.mark.parametrize("flags", TYPE_FLAGS, ids=hex)
def test_socket_pairs_are_local_streams(machine, network, flags):
    """Only local stream socket pairs are allowed, whatever flags the type has."""
    number = number_of(machine, SOCKETPAIR)
    asked_for = [(family, type_) for family in FAMILIES.values() for type_ in TYPES.values()]
    allowed = [
        (family, type_)
        for family, type_ in asked_for
        if asked(machine, number, family, type_ | flags, network=network) is None
    ]
    assert allowed == [(FAMILIES["unix"], TYPES["stream"])]


@machines
@given(type_=ANY)
def test_no_other_type_makes_a_socket_pair(machine, type_):
    """A socket pair of any other type is refused, even with bits that the kernel ignores or may use later."""
    allowed = {TYPES["stream"] | flags for flags in TYPE_FLAGS}
    answer = asked(machine, number_of(machine, SOCKETPAIR), FAMILIES["unix"], type_)
    assert answer == (None if type_ & 0xFFFFFFFF in allowed else "EPERM")


@machines
@pytest.mark.parametrize("pair", [PRLIMIT, *SCHEDULING], ids=str)
@given(pid=st.integers(1, (1 << 32) - 1))
def test_limits_and_scheduling_of_others_are_refused(machine, pair, pid):
    """A process can set its own limits, scheduler and CPUs, but not those of others."""
    assert asked(machine, number_of(machine, pair), pid) == "EPERM"
    assert asked(machine, number_of(machine, pair), 0, pid) is None


@machines
@pytest.mark.parametrize(("which", "who", "allowed"), [(0, 0, True), (0, 1, False), (1, 0, False), (2, 0, False)])
def test_priority_of_others_is_refused(machine, which, who, allowed):
    """A process can set its own priority, but not that of others, of a group or of a user."""
    answer = asked(machine, number_of(machine, SETPRIORITY), which, who, 19)
    assert answer == (None if allowed else "EPERM")


@machines
@pytest.mark.parametrize("request_", [0x5412, 0x541C, 0x5423, 0x5412 | 1 << 32], ids=hex)
def test_terminals_can_not_be_typed_into(machine, request_):
    """Calls that put characters into a terminal's input, or make it another kind of line, are refused."""
    assert asked(machine, number_of(machine, IOCTL), 0, request_) == "EPERM"
    assert asked(machine, number_of(machine, IOCTL), 0, 0x5401) is None


@machines
@pytest.mark.parametrize(("persona", "allowed"), [(0, True), (0xFFFFFFFF, True), (0x40000, False), (8, False)])
def test_personality_can_only_be_asked(machine, persona, allowed):
    """`personality` may query, and set only the usual value."""
    assert asked(machine, number_of(machine, PERSONALITY), persona) == (None if allowed else "EPERM")


@machines
@pytest.mark.parametrize("pid", [-1, *PROTECTED, *(-pid for pid in PROTECTED)])
def test_protected_processes_get_no_signal(machine, pid):
    """Protected processes get no signal, whether they are addressed alone, as a group or with all others."""
    assert asked(machine, number_of(machine, KILL), pid, 9, protected=PROTECTED) == "EPERM"
    assert asked(machine, number_of(machine, KILL), pid, 9) is None


@machines
@pytest.mark.parametrize("pair", SIGNALLING, ids=str)
def test_protected_processes_are_reached_by_no_other_call(machine, pair):
    """The other calls that signal a process are refused for protected processes only."""
    for pid in (*PROTECTED, PROTECTED[0] | 1 << 32):
        assert asked(machine, number_of(machine, pair), pid, protected=PROTECTED) == "EPERM"
    assert asked(machine, number_of(machine, pair), 99, protected=PROTECTED) is None


@machines
@pytest.mark.parametrize("pid", [0, 99, -99])
def test_other_processes_can_be_signalled(machine, pid):
    """A program may signal itself, its group, and its children."""
    assert asked(machine, number_of(machine, KILL), pid, 15, protected=PROTECTED) is None
