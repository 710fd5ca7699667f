"""The sandbox's own root folder: read-only, with Python's needs and nothing else of the machine."""

from __future__ import annotations

import contextlib
import os

from .account import account_files
from .loopback import PORT_NAMES, change_settings, name_files
from .syscalls import (
    MS_BIND,
    MS_NODEV,
    MS_NOEXEC,
    MS_NOSUID,
    MS_PRIVATE,
    MS_RDONLY,
    MS_REC,
    make_read_only,
    mount,
    pivot_root,
    unmount,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

WORK_FOLDER = "/work"
# Folders that programs may write to. They share one small file system in memory.
WRITABLE_FOLDERS = (WORK_FOLDER, "/tmp", "/dev/shm")
SCRATCH_BYTES, SCRATCH_FILES = 256 << 20, 1 << 16

MAX_TERMINALS = 32
# Without /bin, and so without /bin/sh: what programs need is in /usr/bin.
SYSTEM_FOLDERS = ("/usr", "/lib", "/lib32", "/lib64", "/libx32")
SHELL_FOLDER = "/bin"
SYSTEM_FILES = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/mime.types")
NETWORK_FILES = ("/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/services", "/etc/ssl", "/etc/pki")
KERNEL_SETTINGS = ("sys", "sysrq-trigger", "irq", "bus", "fs")
DEVICES = ("null", "zero", "full", "random", "urandom")
LINKS = {
    "/dev/fd": "/proc/self/fd",
    "/dev/stdin": "/proc/self/fd/0",
    "/dev/stdout": "/proc/self/fd/1",
    "/dev/stderr": "/proc/self/fd/2",
    "/var/tmp": "/tmp",
    "/etc/os-release": "/usr/lib/os-release",
}


def scratch_bytes(options: dict[str, Any]) -> int:
    """Return how many bytes programs may write to their folders, by a guest's options."""
    size: int = SCRATCH_BYTES if options["session"] is None else options["session"]["disk_bytes"]
    return size


def enter_own_root(
    new_root: str,
    paths: Iterable[str],
    user: int,
    host_name: str,
    network: bool,
    loopback: bool,
    shell: bool,
    terminals: bool,
    scratch_bytes: int,
) -> list[int]:
    """Make a new root and enter it. For process 1 of a PID namespace that has the right to mount.

    Args:
        new_root: an empty folder, over which the new root is mounted.
        paths: more files and folders of the machine to show read-only at their own paths.
        user: user and group id of programs.
        host_name: the name of the machine that programs see.
        network: whether programs have the network, and so need the files for looking up names.
        loopback: whether programs have a network namespace with nothing but `lo`.
        shell: whether programs have `/bin`, and so `/bin/sh`.
        terminals: whether programs may make pseudo-terminals, which nothing outside can see.
        scratch_bytes: size of all files that programs write.

    Returns:
        Descriptors of WRITABLE_FOLDERS.

    Raises:
        OSError: if something can't be mounted.
    """
    # Otherwise these mounts appear in the namespace that this one was copied from.
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    mount("root", new_root, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m")
    shown = [*SYSTEM_FOLDERS, *SYSTEM_FILES, *([SHELL_FOLDER] if shell else ())]
    shown += [*(NETWORK_FILES if network else ()), *(PORT_NAMES if loopback else ())]
    for path in shown:
        bind_system_path(new_root, path)
    for path, text in {**account_files(user, WORK_FOLDER), **(name_files(host_name) if loopback else {})}.items():
        write_file(new_root + path, text)
    make_devices(new_root)
    if terminals:
        make_terminals(new_root)
    folders = make_writable_folders(new_root, user, scratch_bytes)
    paths = sorted({*paths, *map(os.path.realpath, paths)}, key=len)
    covers = mount_covers(new_root, paths)
    for path in paths:
        bind_read_only(new_root, path)
    for cover in covers:
        make_read_only(cover, recursive=False)
    make_proc(new_root, loopback)
    os.chdir(new_root)
    pivot_root(".", ".")
    # The old root now lies over the new one.
    unmount(".")
    make_read_only("/", recursive=False)
    os.chdir(WORK_FOLDER)
    return folders


def bind_system_path(new_root: str, path: str) -> None:
    """Show a path of the machine, if it exists. A link to another folder of the system stays a link."""
    if os.path.islink(path) and path in (*SYSTEM_FOLDERS, SHELL_FOLDER):
        os.symlink(os.readlink(path), new_root + path)
    elif os.path.exists(path):
        bind_read_only(new_root, path)


def bind_read_only(new_root: str, path: str) -> None:
    """Make a file or folder of the machine readable in the new root, at its own path."""
    target = new_root + path
    if is_visible(new_root, path):
        return
    if os.path.isdir(path):
        os.makedirs(target, 0o755, exist_ok=True)
    else:
        write_file(target, "")
    mount(path, target, None, MS_BIND | MS_REC)
    make_read_only(target, recursive=True)


def is_visible(new_root: str, path: str) -> bool:
    """Return whether a path of the new root already leads to the same file as outside."""
    try:
        outside, inside = os.stat(path), os.stat(new_root + path)
    except OSError:
        return False
    return (outside.st_dev, outside.st_ino) == (inside.st_dev, inside.st_ino)


def mount_covers(new_root: str, paths: Iterable[str]) -> list[str]:
    """Mount a folder in memory over each part of a writable folder through which a path leads.

    Otherwise programs could write to the folders on the way to the path.

    Returns:
        The covered folders.
    """
    covers: list[str] = []
    for path in paths:
        for folder in WRITABLE_FOLDERS:
            first, _, rest = path[len(folder) + 1 :].partition("/")
            cover = f"{new_root}{folder}/{first}"
            if path.startswith(folder + "/") and rest and cover not in covers:
                os.makedirs(cover, exist_ok=True)
                mount("cover", cover, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=64k")
                covers.append(cover)
    return covers


def write_file(path: str, text: str) -> None:
    """Write a file, and make the folders above it."""
    os.makedirs(os.path.dirname(path), 0o755, exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def make_devices(new_root: str) -> None:
    """Show DEVICES in the new root, and make LINKS there."""
    for name in DEVICES:
        write_file(new_root + "/dev/" + name, "")
        mount("/dev/" + name, new_root + "/dev/" + name, None, MS_BIND)
    for path, target in LINKS.items():
        os.makedirs(os.path.dirname(new_root + path), 0o755, exist_ok=True)
        if not os.path.lexists(new_root + path):
            os.symlink(target, new_root + path)


def make_terminals(new_root: str) -> None:
    """Show pseudo-terminals of the new root's own. On a kernel that refuses them programs get an error there."""
    os.mkdir(new_root + "/dev/pts")
    options = f"newinstance,ptmxmode=0666,mode=620,max={MAX_TERMINALS}"
    with contextlib.suppress(OSError):
        mount("devpts", new_root + "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, options)
    os.symlink("pts/ptmx", new_root + "/dev/ptmx")


def make_writable_folders(new_root: str, user: int, scratch_bytes: int) -> list[int]:
    """Mount WRITABLE_FOLDERS, which together hold `scratch_bytes`, and return their descriptors."""
    staging = new_root + "/scratch"
    os.mkdir(staging)
    options = f"mode=755,size={scratch_bytes},nr_inodes={SCRATCH_FILES}"
    mount("scratch", staging, "tmpfs", MS_NOSUID | MS_NODEV, options)
    folders = []
    for number, path in enumerate(WRITABLE_FOLDERS):
        folder = f"{staging}/{number}"
        os.mkdir(folder, 0o700)
        os.chown(folder, user, user)
        os.makedirs(new_root + path, 0o755, exist_ok=True)
        mount(folder, new_root + path, None, MS_BIND)
        folders.append(os.open(folder, os.O_RDONLY | os.O_DIRECTORY))
    unmount(staging)
    os.rmdir(staging)
    return folders


def make_proc(new_root: str, loopback: bool) -> None:
    """Show the processes of the namespace, except process 1, whose memory programs must not read.

    Args:
        new_root: the folder of the new root.
        loopback: whether to change the settings of the network namespace, which programs can't.
    """
    os.mkdir(new_root + "/proc")
    flags = MS_NOSUID | MS_NODEV | MS_NOEXEC
    mount("proc", new_root + "/proc", "proc", flags)
    mount("none", new_root + "/proc/1", "tmpfs", flags | MS_RDONLY, "mode=555,size=4k")
    if loopback:
        change_settings(new_root + "/proc")
    for path in (new_root + "/proc/" + name for name in KERNEL_SETTINGS):
        if os.path.exists(path):
            # The modes of these files let root write, even a root without any of its powers.
            mount(path, path, None, MS_BIND | MS_REC)
            make_read_only(path, recursive=True)
