"""Linux system calls that Python's own modules lack, through ctypes. Each raises OSError if the kernel refuses it."""

from __future__ import annotations

import contextlib
import errno
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

LINUX = sys.platform == "linux"
CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNS = 0x10000000, 0x20000000, 0x00020000
CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS, CLONE_NEWCGROUP = 0x40000000, 0x08000000, 0x04000000, 0x02000000
MS_RDONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_NOATIME, MS_NODIRATIME, MS_BIND, MS_REC, MS_PRIVATE, MS_RELATIME = 1024, 2048, 4096, 16384, 1 << 18, 1 << 21
ST_RELATIME = 4096
MNT_DETACH = 2
PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS, PR_CAPBSET_DROP = 1, 4, 8, 24
PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS, PR_CAP_AMBIENT = 36, 38, 47
PR_CAP_AMBIENT_RAISE = 2
CAP_DAC_READ_SEARCH, HIGHEST_CAPABILITY = 2, 63
CAPABILITY_VERSION_3 = 0x20080522
AT_FDCWD, AT_RECURSIVE = -100, 0x8000
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID, MOUNT_ATTR_NODEV = 1, 2, 4
LANDLOCK = {"landlock_create_ruleset": 444, "landlock_add_rule": 445, "landlock_restrict_self": 446}
# System calls without a function in the C library: {machine: {name: number}}.
NUMBERS = {
    "x86_64": {"pivot_root": 155, "seccomp": 317, "mount_setattr": 442, **LANDLOCK},
    "aarch64": {"pivot_root": 41, "seccomp": 277, "mount_setattr": 442, **LANDLOCK},
}
MACHINE = os.uname().machine


def load_libc() -> tuple[Any, Any]:
    """Return ctypes and the C library, or None twice: off Linux, and in a Python built without ctypes."""
    if not LINUX:
        return None, None
    try:
        import ctypes
    except ImportError:
        return None, None
    return ctypes, ctypes.CDLL(None, use_errno=True)


ctypes, libc = load_libc()


def check(name: str, result: int) -> int:
    """Return the result of a call to the C library.

    Raises:
        OSError: if the result is -1. The error names the call.
    """
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def system_call(name: str, *arguments: Any) -> int:
    """Make a system call by its name in NUMBERS and return its result."""
    if libc is None or name not in NUMBERS.get(MACHINE, {}):
        raise OSError(f"{name}: no known number on {sys.platform}, {MACHINE}")
    return check(name, libc.syscall(NUMBERS[MACHINE][name], *arguments))


def prctl(option: int, *values: int) -> int:
    """Set an option of this process and return the call's result."""
    if libc is None:
        raise OSError("prctl: needs Linux and ctypes")
    # The kernel refuses some options unless the unused arguments are 0.
    words = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    return check("prctl", libc.prctl(option, *words))


def unshare(flag: int) -> None:
    """Leave a namespace for a new one of the kind that a CLONE_NEW flag names."""
    if libc is None:
        raise OSError("unshare: needs Linux and ctypes")
    check("unshare", libc.unshare(flag))


def mount(source: str | None, target: str, kind: str | None = None, flags: int = 0, data: str | None = None) -> None:
    """Mount a file system, or change a mount, by the system call of that name."""
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind, data)]
    check(f"mount {target}", libc.mount(*words[:3], ctypes.c_ulong(flags), words[3]))


def unmount(target: str) -> None:
    """Detach a file system at once, and let the kernel clean up when nobody uses it any more."""
    check(f"umount {target}", libc.umount2(os.fsencode(target), MNT_DETACH))


def make_read_only(target: str, recursive: bool) -> None:
    """Make a mount read-only, without set-user-ID programs and device files.

    Args:
        target: where it is mounted.
        recursive: whether to change all mounts below it too.
    """
    attributes = (ctypes.c_uint64 * 4)(MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, 0, 0, 0)
    flags = AT_RECURSIVE if recursive else 0
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    try:
        system_call("mount_setattr", AT_FDCWD, os.fsencode(target), flags, ctypes.byref(attributes), size)
    except OSError as error:
        if error.errno != errno.ENOSYS:
            raise
        # Before Linux 5.12 only the mount itself can be changed, and it must keep these flags.
        kept = os.statvfs(target).f_flag & (MS_NOEXEC | MS_NOATIME | MS_NODIRATIME)
        kept |= MS_RELATIME if os.statvfs(target).f_flag & ST_RELATIME else 0
        mount(None, target, None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | kept)


def pivot_root(new_root: str, put_old: str) -> None:
    """Make a mount the root, and move the old root to another folder."""
    system_call("pivot_root", os.fsencode(new_root), os.fsencode(put_old))


@contextlib.contextmanager
def reading_as(user: int, group: int) -> Iterator[None]:
    """Open files with the rights of another user, as far as this process may take them.

    Nobody else gets a right to this process, which keeps its own user.
    """
    if libc is None:
        yield
        return
    libc.setfsgid(group)
    libc.setfsuid(user)
    try:
        yield
    finally:
        libc.setfsuid(os.geteuid())
        libc.setfsgid(os.getegid())


def drop_bounding_capabilities(kept: Collection[int] = ()) -> None:
    """Leave no program that is started from here a way to regain a capability, except those in `kept`."""
    for capability in range(HIGHEST_CAPABILITY + 1):
        if capability not in kept:
            # Fails for numbers that this kernel lacks, and without the right to do it. `capset` is what counts.
            libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def drop_capabilities(kept: Collection[int] = ()) -> None:
    """Take all capabilities, except those in `kept`, from this process and the programs that it starts."""
    mask = sum(1 << capability for capability in kept)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    check("capset", libc.capset(header, (ctypes.c_uint32 * 6)(mask, mask, mask, 0, 0, 0)))
    for capability in kept:
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability)
