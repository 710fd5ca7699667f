"""A root folder of a sandbox's own: read-only, with what Python needs and nothing else of the machine."""

import os

from .kernel import (
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

WORK_FOLDER = "/work"
# The folders that programs may write to, which are on one small file system in memory.
WRITABLE_FOLDERS = (WORK_FOLDER, "/tmp", "/dev/shm")
SCRATCH_BYTES, SCRATCH_FILES = 256 << 20, 1 << 16
# No /bin: what programs need is in /usr/bin. So there is no /bin/sh.
SYSTEM_FOLDERS = ("/usr", "/lib", "/lib32", "/lib64", "/libx32")
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
}


def enter_own_root(place, paths, network, user):
    """Makes a new root and goes there. For process 1 of a PID namespace, with the right to mount.

    Args:
        place: an empty folder, over which the new root is made.
        paths: more files and folders of the machine that can be read in it, at their own paths.
        network: whether programs have the network, and so what names are looked up with.
        user: number of the user and group that programs will be.

    Returns:
        Descriptors of WRITABLE_FOLDERS.

    Raises:
        OSError: if something can't be mounted.
    """
    # Else what is mounted here appears in the namespace that this one was copied from.
    mount(None, "/", None, MS_REC | MS_PRIVATE)
    mount("root", place, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=1m")
    for path in (*SYSTEM_FOLDERS, *SYSTEM_FILES, *(NETWORK_FILES if network else ())):
        show_system_path(place, path)
    write_file(place + "/etc/passwd", f"candidate:x:{user}:{user}::{WORK_FOLDER}:/usr/sbin/nologin\n")
    write_file(place + "/etc/group", f"candidate:x:{user}:\n")
    make_devices(place)
    folders = make_writable_folders(place, user)
    paths = sorted({*paths, *map(os.path.realpath, paths)}, key=len)
    covers = cover_writable(place, paths)
    for path in paths:
        show(place, path)
    for cover in covers:
        make_read_only(cover, recursive=False)
    make_proc(place)
    os.chdir(place)
    pivot_root(".", ".")
    # The old root now lies over the new one.
    unmount(".")
    make_read_only("/", recursive=False)
    os.chdir(WORK_FOLDER)
    return folders


def show_system_path(place, path):
    """Shows a path that need not be there; one that is a link within the system's folders stays one."""
    if os.path.islink(path) and path in SYSTEM_FOLDERS:
        os.symlink(os.readlink(path), place + path)
    elif os.path.exists(path):
        show(place, path)


def show(place, path):
    """Makes a file or folder of the machine readable in the new root at `place`, at its own path."""
    target = place + path
    if is_shown(place, path):
        return
    if os.path.isdir(path):
        os.makedirs(target, 0o755, exist_ok=True)
    else:
        write_file(target, "")
    mount(path, target, None, MS_BIND | MS_REC)
    make_read_only(target, recursive=True)


def is_shown(place, path):
    """Whether a path of the new root already leads to what it leads to outside."""
    try:
        outside, inside = os.stat(path), os.stat(place + path)
    except OSError:
        return False
    return (outside.st_dev, outside.st_ino) == (inside.st_dev, inside.st_ino)


def cover_writable(place, paths):
    """Mounts a folder in memory over each part of a writable folder through which a path leads; a list of them.

    Else programs could write to the folders on the way.
    """
    covers = []
    for path in paths:
        for folder in WRITABLE_FOLDERS:
            first, _, rest = path[len(folder) + 1 :].partition("/")
            cover = f"{place}{folder}/{first}"
            if path.startswith(folder + "/") and rest and cover not in covers:
                os.makedirs(cover, exist_ok=True)
                mount("cover", cover, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=64k")
                covers.append(cover)
    return covers


def write_file(path, text):
    os.makedirs(os.path.dirname(path), 0o755, exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def make_devices(place):
    for name in DEVICES:
        write_file(place + "/dev/" + name, "")
        mount("/dev/" + name, place + "/dev/" + name, None, MS_BIND)
    for path, target in LINKS.items():
        os.makedirs(os.path.dirname(place + path), 0o755, exist_ok=True)
        if not os.path.lexists(place + path):
            os.symlink(target, place + path)


def make_writable_folders(place, user):
    """Descriptors of the folders that programs may write to: together they hold SCRATCH_BYTES."""
    aside = place + "/scratch"
    os.mkdir(aside)
    options = f"mode=755,size={SCRATCH_BYTES},nr_inodes={SCRATCH_FILES}"
    mount("scratch", aside, "tmpfs", MS_NOSUID | MS_NODEV, options)
    folders = []
    for number, path in enumerate(WRITABLE_FOLDERS):
        part = f"{aside}/{number}"
        os.mkdir(part, 0o700)
        os.chown(part, user, user)
        os.makedirs(place + path, 0o755, exist_ok=True)
        mount(part, place + path, None, MS_BIND)
        folders.append(os.open(part, os.O_RDONLY | os.O_DIRECTORY))
    unmount(aside)
    os.rmdir(aside)
    return folders


def make_proc(place):
    """Shows the processes of the namespace, but for process 1: its memory is none of the programs' business."""
    os.mkdir(place + "/proc")
    flags = MS_NOSUID | MS_NODEV | MS_NOEXEC
    mount("proc", place + "/proc", "proc", flags)
    mount("none", place + "/proc/1", "tmpfs", flags | MS_RDONLY, "mode=555,size=4k")
    for path in (place + "/proc/" + name for name in KERNEL_SETTINGS):
        if os.path.exists(path):
            # Their modes alone let root write, even one without any of its powers.
            mount(path, path, None, MS_BIND | MS_REC)
            make_read_only(path, recursive=True)
