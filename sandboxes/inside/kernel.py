"""The Linux system calls that Python's own modules lack, through ctypes. Each raises OSError if the kernel refuses."""

import errno
import os
import sys

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
# What the C library has no function for: system call numbers on x86-64 and on ARM64.
NUMBERS = {
    "x86_64": {"pivot_root": 155, "seccomp": 317, "mount_setattr": 442},
    "aarch64": {"pivot_root": 41, "seccomp": 277, "mount_setattr": 442},
}
MACHINE = os.uname().machine


def load():
    """Ctypes with the C library, or None twice: off Linux, and in a Python built without ctypes."""
    if not LINUX:
        return None, None
    try:
        import ctypes
    except ImportError:
        return None, None
    return ctypes, ctypes.CDLL(None, use_errno=True)


ctypes, libc = load()


def checked(name, result):
    """The result of a call to the C library; -1 becomes an OSError that names the call."""
    if result == -1:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")
    return result


def system_call(name, *arguments):
    """Makes a system call by its name in NUMBERS."""
    if libc is None or name not in NUMBERS.get(MACHINE, {}):
        raise OSError(f"{name}: not known for {sys.platform} on {MACHINE}")
    return checked(name, libc.syscall(NUMBERS[MACHINE][name], *arguments))


def prctl(option, *values):
    if libc is None:
        raise OSError("prctl: needs Linux and ctypes")
    # The kernel refuses some options unless those that are not used are 0.
    words = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    return checked("prctl", libc.prctl(option, *words))


def unshare(flag):
    if libc is None:
        raise OSError("unshare: needs Linux and ctypes")
    checked("unshare", libc.unshare(flag))


def mount(source, target, kind=None, flags=0, data=None):
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind, data)]
    checked(f"mount {target}", libc.mount(*words[:3], ctypes.c_ulong(flags), words[3]))


def unmount(target):
    checked(f"umount {target}", libc.umount2(os.fsencode(target), MNT_DETACH))


def make_read_only(target, recursive):
    """Makes a mount, or also all mounts below it, read-only, without set-user-ID programs and device files."""
    attributes = (ctypes.c_uint64 * 4)(MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, 0, 0, 0)
    flags = AT_RECURSIVE if recursive else 0
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    try:
        system_call("mount_setattr", AT_FDCWD, os.fsencode(target), flags, ctypes.byref(attributes), size)
    except OSError as error:
        if error.errno != errno.ENOSYS:
            raise
        # Before Linux 5.12: the mount alone, with the flags that it must keep.
        kept = os.statvfs(target).f_flag & (MS_NOEXEC | MS_NOATIME | MS_NODIRATIME)
        kept |= MS_RELATIME if os.statvfs(target).f_flag & ST_RELATIME else 0
        mount(None, target, None, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID | MS_NODEV | kept)


def pivot_root(new_root, put_old):
    system_call("pivot_root", os.fsencode(new_root), os.fsencode(put_old))


def bound_capabilities(kept=()):
    """Leaves no program that is started from here a way to get a capability back, but for those in `kept`."""
    for capability in range(HIGHEST_CAPABILITY + 1):
        if capability not in kept:
            # Fails for numbers that this kernel does not have, and where there is no right to; `capset` is what counts.
            libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def keep_capabilities(kept=()):
    """Leaves this process, and the programs that it starts, none of its capabilities, or those in `kept`."""
    mask = sum(1 << capability for capability in kept)
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    checked("capset", libc.capset(header, (ctypes.c_uint32 * 6)(mask, mask, mask, 0, 0, 0)))
    for capability in kept:
        prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability)
