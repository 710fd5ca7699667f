"""Runs Python while some system calls are refused, as in a container that forbids them.

``python denied_syscalls.py NAME[,NAME...] ARGUMENT...`` is ``python ARGUMENT...`` without these system calls.
"unshare:but_user" refuses all namespaces but those of users, as AppArmor does for ordinary users of Ubuntu 24.04.
"""

import ctypes
import errno
import os
import struct
import sys

# On x86-64 and on ARM64.
NUMBERS = {
    "unshare": (272, 97),
    "mount": (165, 40),
    "pivot_root": (155, 41),
    "mount_setattr": (442, 442),
    "seccomp": (317, 277),
    "pidfd_open": (434, 434),
    "sethostname": (170, 161),
    "landlock_create_ruleset": (444, 444),
}
MACHINES = {"x86_64": 0, "aarch64": 1}
CLONE_NEWUSER = 0x10000000
PR_SET_SECCOMP, SECCOMP_MODE_FILTER, PR_SET_NO_NEW_PRIVS = 22, 2, 38


def refuse(names):
    """Make the kernel refuse these calls to this process and its children: EPERM, or ENOSYS after "no:"."""
    column = MACHINES[os.uname().machine]
    lines = [struct.pack("=HBBI", 0x20, 0, 0, 0)]
    for name in names:
        error = errno.ENOSYS if name.startswith("no:") else errno.EPERM
        name, _, allowed = name.removeprefix("no:").partition(":")
        then = [struct.pack("=HBBI", 0x06, 0, 0, 0x00050000 | error)]
        if allowed:
            # Load the first argument, and jump over the refusal.
            then = [struct.pack("=HBBI", 0x20, 0, 0, 16), struct.pack("=HBBI", 0x15, 1, 0, CLONE_NEWUSER), *then]
            then.append(struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000))
        lines += [struct.pack("=HBBI", 0x15, 0, len(then), NUMBERS[name][column]), *then]
    lines.append(struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF0000))
    text = ctypes.create_string_buffer(b"".join(lines))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(lines), ctypes.addressof(text)))
    libc = ctypes.CDLL(None, use_errno=True)
    for words in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0)):
        if libc.prctl(*words):
            raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    refuse(sys.argv[1].split(","))
    os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
