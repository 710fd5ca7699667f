"""Landlock: files are kept from programs that have no root folder of their own.

A ruleset names what a process may still open, and holds for all that it starts. It needs no rights and no namespaces,
so that an ordinary user has it in a container's default profile too.
"""

from __future__ import annotations

import os
import struct

from .root_filesystem import DEVICES, NETWORK_FILES, SHELL_FOLDER, SYSTEM_FILES, SYSTEM_FOLDERS
from .syscalls import ctypes, system_call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

ASK_VERSION, PATH_BENEATH = 1, 1
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_FILE, MAKE_REG, TRUNCATE = 1, 2, 4, 8, 32, 256, 1 << 14
# All rights that each of the first versions of Landlock knows: versions 2 and 3 added one each.
ALL_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1}
READ = EXECUTE | READ_FILE | READ_DIR
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
SHARED_MEMORY = READ_FILE | READ_DIR | WRITE_FILE | TRUNCATE | MAKE_REG | REMOVE_FILE
# Versions from which it also restricts TCP (to bind, to connect), and abstract Unix sockets and signals.
TCP_VERSION, SCOPE_VERSION = 4, 6
TCP, SCOPE_OF_SIGNALS, SCOPES = 3, 2, 3
# Files of the machine that programs with a root of their own have in another form, or not at all. A refused file is
# worse than one that is not there: Node ends at once if it may not open OpenSSL's settings.
MORE_FILES = ("/etc/passwd", "/etc/group", "/etc/localtime", "/etc/os-release", "/etc/ssl/openssl.cnf")
TERMINALS = ("/dev/pts", "/dev/ptmx")


def make_ruleset(options: dict[str, Any]) -> int:
    """Return the descriptor of a ruleset: programs may read what a root of their own would show.

    They may write to their folder. Shared memory is the machine's, because the locks of `multiprocessing` are files
    there.

    Args:
        options: the guest's options, as `apply_layers` takes them.

    Raises:
        OSError: if the kernel has no Landlock, or does not allow it.
    """
    version = known_version()
    handled = ALL_RIGHTS[min(version, max(ALL_RIGHTS))]
    tcp = TCP if version >= TCP_VERSION and not options["network"] else 0
    fields = [handled, tcp, SCOPES][: 1 + (version >= TCP_VERSION) + (version >= SCOPE_VERSION)]
    ruleset = create_ruleset(fields)
    try:
        for path, rights in paths_with_rights(options):
            add_path(ruleset, path, rights & handled)
    except BaseException:
        os.close(ruleset)
        raise
    return ruleset


def known_version() -> int:
    """Return the version of Landlock.

    Raises:
        OSError: if the kernel has none, or does not allow it.
    """
    return system_call("landlock_create_ruleset", None, ctypes.c_size_t(0), ASK_VERSION)


def create_ruleset(fields: Sequence[int]) -> int:
    """Return the descriptor of a new ruleset.

    Args:
        fields: of a struct landlock_ruleset_attr: the rights that it handles on files and in networks, and its scopes.
    """
    attributes = struct.pack("=%dQ" % len(fields), *fields)
    return system_call("landlock_create_ruleset", attributes, ctypes.c_size_t(len(attributes)), 0)


def confines_signals() -> bool:
    """Return whether there are rulesets under which a process can signal only those that are under them too."""
    try:
        return known_version() >= SCOPE_VERSION
    except OSError:
        return False


def make_ruleset_of_signals() -> int | None:
    """Return the descriptor of a ruleset that restricts signals and nothing else; None if there can be none."""
    return create_ruleset((0, 0, SCOPE_OF_SIGNALS)) if confines_signals() else None


def paths_with_rights(options: dict[str, Any]) -> Iterable[tuple[str, int]]:
    """Yield (path, rights) of all that programs may open."""
    shown = [*SYSTEM_FOLDERS, *SYSTEM_FILES, *MORE_FILES, "/proc", *options["shown_paths"]]
    shown += [*((SHELL_FOLDER,) if options["shell"] else ()), *(NETWORK_FILES if options["network"] else ())]
    for path in shown:
        yield path, READ
    for name in DEVICES:
        yield "/dev/" + name, READ_FILE | WRITE_FILE
    if options["session"] is not None:
        for path in TERMINALS:
            yield path, READ | WRITE_FILE
    yield "/dev/shm", SHARED_MEMORY
    yield options["scratch"], max(ALL_RIGHTS.values())


def add_path(ruleset: int, path: str, rights: int) -> None:
    """Allow rights on a file, or on a folder with all that is in it. A path that is not there is left out."""
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        # Other rights than these are refused for a file.
        rights &= -1 if os.path.isdir("/proc/self/fd/%d" % fd) else OF_FILES
        # struct landlock_path_beneath_attr, which has no padding.
        rule = struct.pack("=Qi", rights, fd)
        system_call("landlock_add_rule", ruleset, PATH_BENEATH, rule, 0)
    finally:
        os.close(fd)


def restrict_files(ruleset: int) -> None:
    """Apply a ruleset to this process and all that it starts, and close its descriptor."""
    system_call("landlock_restrict_self", ruleset, 0)
    os.close(ruleset)
