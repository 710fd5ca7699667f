"""The filter of system calls: the kernel applies it to this process and all that it starts.

The filter is a list of denied calls, because the calls of honest libraries grow with every release. Most denied calls
need privileges anyway. Denying them too keeps programs from kernel code that has often had security bugs.
"""

from __future__ import annotations

import errno
import struct

from .syscalls import (
    CLONE_NEWCGROUP,
    CLONE_NEWIPC,
    CLONE_NEWNET,
    CLONE_NEWNS,
    CLONE_NEWPID,
    CLONE_NEWUSER,
    CLONE_NEWUTS,
    MACHINE,
    NUMBERS,
    PR_SET_NO_NEW_PRIVS,
    ctypes,
    prctl,
    system_call,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Numbers = tuple[int | None, int | None]
    """A call's number on x86-64 and on ARM64, None where there is no such call."""

DENIED: dict[str, Numbers] = {
    # Other processes.
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    "ioprio_set": (251, 30),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    # Mounts, namespaces, and files that are opened otherwise than by name.
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "fanotify_init": (300, 262),
    # Keys, which outlive a program, and memory that the limits don't count.
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "semget": (64, 190),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    # The kernel itself.
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "lookup_dcookie": (212, 18),
    "syslog": (103, 116),
    # The machine.
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "vhangup": (153, 58),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
}
# Calls that are allowed only with certain arguments.
CLONE, CLONE3, SOCKET, SOCKETPAIR, PRLIMIT, IOCTL = (56, 220), (435, 435), (41, 198), (53, 199), (302, 261), (16, 29)
PERSONALITY, SETPRIORITY, KILL, SETSOCKOPT = (135, 92), (141, 140), (62, 129), (54, 208)
# Calls that signal the process in their first argument: tkill, tgkill, rt_sigqueueinfo, rt_tgsigqueueinfo, pidfd_open.
SIGNALLING: tuple[Numbers, ...] = ((200, 130), (234, 131), (129, 138), (297, 240), (434, 434))
# pidfd_send_signal takes a folder of /proc for a process, and fcntl sets who gets the signals of a file's events.
PIDFD_SEND_SIGNAL, FCNTL = (424, 424), (72, 25)
F_SETOWN, F_SETOWN_EX, FIOSETOWN, SIOCSPGRP = 8, 15, 0x8901, 0x8902
# Calls that schedule the process in their first argument: sched_setscheduler, _setparam, _setattr, _setaffinity.
SCHEDULING: tuple[Numbers, ...] = ((144, 119), (142, 118), (314, 274), (203, 122))
# Later calls are not known here, and no program needs them. Calls of the x32 table have higher numbers too.
HIGHEST_NUMBER = 456

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
NAMESPACES = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP
AF_UNIX, AF_INET, AF_INET6 = 1, 2, 10
SOCK_STREAM, SOCK_DGRAM, SOCK_NONBLOCK, SOCK_CLOEXEC = 1, 2, 0x800, 0x80000
SOCKET_FLAGS = (0, SOCK_NONBLOCK, SOCK_CLOEXEC, SOCK_NONBLOCK | SOCK_CLOEXEC)
STREAMS = tuple(SOCK_STREAM | flags for flags in SOCKET_FLAGS)
DATAGRAMS = tuple(SOCK_DGRAM | flags for flags in SOCKET_FLAGS)
# With another protocol a socket has the kernel load a module that nobody else uses.
IPPROTO_TCP, IPPROTO_UDP = 6, 17
# An option of IPPROTO_TCP that has the kernel load a protocol on top of it, such as TLS.
TCP_ULP = 31
# Input of another process's terminal, the console, and the kernel's modules for lines that are no terminals.
TIOCSTI, TIOCLINUX, TIOCSETD = 0x5412, 0x541C, 0x5423

LOAD, JUMP_EQUAL, JUMP_ABOVE, JUMP_IF_BITS, RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW = 1, 4
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16
NOT_PERMITTED, NOT_THERE = ERRNO | errno.EPERM, ERRNO | errno.ENOSYS


def instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """Return one instruction of the kernel's packet filter, a struct sock_filter."""
    return struct.pack("=HBBI", code, if_true, if_false, value)


def load_argument(index: int) -> bytes:
    """Return an instruction that loads the lower half of an argument.

    The kernel ignores the upper half of all the arguments that are tested here.
    """
    return instruction(LOAD, ARGUMENTS_AT + 8 * index)


def go_on_only_if(index: int, allowed: Sequence[int]) -> list[bytes]:
    """Return instructions that deny a call unless an argument has one of these values, and otherwise go on."""
    lines = [load_argument(index)]
    lines += [instruction(JUMP_EQUAL, value, len(allowed) - line) for line, value in enumerate(allowed)]
    return [*lines, instruction(RETURN, NOT_PERMITTED)]


def deny_unless(index: int, allowed: Sequence[int]) -> list[bytes]:
    """Return instructions that allow a call only if an argument has one of these values."""
    return [*go_on_only_if(index, allowed), instruction(RETURN, ALLOW)]


def deny_if(index: int, denied: Sequence[int]) -> list[bytes]:
    """Return instructions that deny a call if an argument has one of these values."""
    lines = [load_argument(index)]
    lines += [instruction(JUMP_EQUAL, value, len(denied) - line) for line, value in enumerate(denied)]
    return [*lines, instruction(RETURN, ALLOW), instruction(RETURN, NOT_PERMITTED)]


def own_priority_only() -> list[bytes]:
    """Return instructions that allow only setpriority(PRIO_PROCESS, 0, ...), which changes the calling process."""
    deny, allow = instruction(RETURN, NOT_PERMITTED), instruction(RETURN, ALLOW)
    which = [load_argument(0), instruction(JUMP_EQUAL, 0, 0, 2)]
    return [*which, load_argument(1), instruction(JUMP_EQUAL, 0, 1), deny, allow]


def stream_pairs_only() -> list[bytes]:
    """Return instructions that allow only socketpair(AF_UNIX, SOCK_STREAM, ...), with the two flags of a type.

    Each end of a stream pair reaches only the other end. An end of a datagram pair can send to, and connect to, any
    Unix datagram socket whose name it knows. Programs get no such Unix socket from `socket` either.
    """
    deny = instruction(RETURN, NOT_PERMITTED)
    return [load_argument(0), instruction(JUMP_EQUAL, AF_UNIX, 1), deny, *deny_unless(1, STREAMS)]


def loopback_sockets_only() -> list[bytes]:
    """Return instructions that allow only the sockets of TCP, UDP and Unix, whose network is the programs' own."""
    families, kinds = (AF_UNIX, AF_INET, AF_INET6), (*STREAMS, *DATAGRAMS)
    return [*go_on_only_if(0, families), *go_on_only_if(1, kinds), *deny_unless(2, (0, IPPROTO_TCP, IPPROTO_UDP))]


def no_upper_protocols() -> list[bytes]:
    """Return instructions that allow setsockopt, but for TCP_ULP."""
    level = [load_argument(1), instruction(JUMP_EQUAL, IPPROTO_TCP, 1), instruction(RETURN, ALLOW)]
    return [*level, *deny_if(2, (TCP_ULP,))]


def filter_lines(machine: str, network: bool, protected_pids: Sequence[int], loopback: bool = False) -> list[bytes]:
    """Return the filter, as instructions of the kernel's packet filter.

    Args:
        machine: "x86_64" or "aarch64".
        network: whether programs may use the internet's protocols.
        protected_pids: processes that programs can see but may not signal.
        loopback: whether programs have a network of their own, and files in which no Unix socket of others is.
    """
    column = list(NUMBERS).index(machine)
    rules: list[tuple[Numbers, list[bytes]]]
    rules = [(numbers, [instruction(RETURN, NOT_PERMITTED)]) for numbers in DENIED.values()]
    rules += [(numbers, deny_unless(0, (0,))) for numbers in (PRLIMIT, *SCHEDULING)]
    clone = [load_argument(0), instruction(JUMP_IF_BITS, NAMESPACES, 1), instruction(RETURN, ALLOW)]
    rules += [
        (CLONE, [*clone, instruction(RETURN, NOT_PERMITTED)]),
        # The flags are in memory, which a filter can't read. The C library falls back to the older call.
        (CLONE3, [instruction(RETURN, NOT_THERE)]),
        (SOCKET, loopback_sockets_only() if loopback else deny_unless(0, (AF_INET, AF_INET6) if network else ())),
        (SETSOCKOPT, no_upper_protocols()),
        (SOCKETPAIR, stream_pairs_only()),
        (IOCTL, deny_if(1, (TIOCSTI, TIOCLINUX, TIOCSETD, *((FIOSETOWN, SIOCSPGRP) if protected_pids else ())))),
        (PERSONALITY, deny_unless(0, (0, 0xFFFFFFFF))),
        (SETPRIORITY, own_priority_only()),
    ]
    if protected_pids:
        # -1 stands for all that the user may signal, other negative numbers for process groups.
        targets = [0xFFFFFFFF, *protected_pids, *((1 << 32) - pid for pid in protected_pids)]
        rules += [(KILL, deny_if(0, targets)), *((numbers, deny_if(0, protected_pids)) for numbers in SIGNALLING)]
        rules.append((PIDFD_SEND_SIGNAL, [instruction(RETURN, NOT_PERMITTED)]))
        rules.append((FCNTL, deny_if(1, (F_SETOWN, F_SETOWN_EX))))
    lines = [
        instruction(LOAD, ARCHITECTURE_AT),
        # A program of another architecture has other numbers.
        instruction(JUMP_EQUAL, ARCHITECTURES[machine], 1),
        instruction(RETURN, NOT_THERE),
        instruction(LOAD, NUMBER_AT),
        instruction(JUMP_ABOVE, HIGHEST_NUMBER, 0, 1),
        instruction(RETURN, NOT_THERE),
    ]
    for numbers, then in rules:
        number = numbers[column]
        if number is not None:
            lines += [instruction(JUMP_EQUAL, number, 0, len(then)), *then]
    return [*lines, instruction(RETURN, ALLOW)]


def install(network: bool, protected_pids: Sequence[int], loopback: bool) -> None:
    """Apply the filter to this process and all that it starts.

    Args:
        network: whether programs may use the internet's protocols.
        protected_pids: processes that programs can see but may not signal.
        loopback: as `filter_lines` takes it.

    Raises:
        OSError: if the kernel has no such filters, or if this machine's system call numbers are unknown.
    """
    if ctypes is None or MACHINE not in ARCHITECTURES:
        raise OSError(f"no list of system calls for {MACHINE}")
    code = b"".join(filter_lines(MACHINE, network, protected_pids, loopback))
    text = ctypes.create_string_buffer(code, len(code))
    # struct sock_fprog: how many instructions, and where they are.
    program = struct.pack("@HP", len(code) // 8, ctypes.addressof(text))
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    # Without SPEC_ALLOW older kernels slow down all that runs under a filter. They do so against a CPU bug that a
    # process could only exploit against itself.
    system_call("seccomp", SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, program)
