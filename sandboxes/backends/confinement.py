"""The isolation that all backends share: its layers, and the options with which users choose it."""

from __future__ import annotations

import os
import sys
import sysconfig
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.machinery import PathFinder
from typing import Any

from sandboxes.backends.import_paths import CALLER, INSTALLED, caller_folders, site_folders
from sandboxes.contract import Isolation
from sandboxes.errors import SandboxUnavailable
from sandboxes.events import log_event
from sandboxes.validation import short_repr, true_or_false

ISOLATION_MODES = ("auto", "strict", "off")
WHERE_POSSIBLE = "auto"
"""The value of `loopback` with which programs have localhost to themselves on machines that allow it."""

LAYERS = {
    "container": "programs run in their worker's container, with a read-only root and processes of its own",
    "user": "programs have none of root's powers, in a user namespace of their own or as a user of their own",
    "mount": "programs see a read-only system with the interpreter, and small folders in memory of their own",
    "landlock": "without the layer mount: programs open the files that it would show, and their own folder",
    "pid": "programs see no process but their own, and all that they started ends with them",
    "net": "programs have no network, not even this machine's own",
    "loopback": "programs can listen on localhost, in a network of their own that nothing else is in",
    "ipc": "programs share no memory and no queues with others",
    "uts": "programs can't learn or change the machine's name",
    "seccomp": "system calls that no honest program makes are refused",
    "no_new_privs": "nothing that programs start gets more rights than they have",
    "session": "programs do not have your terminal, and signals for your processes don't reach them",
    "scratch": "each program has empty folders of its own, emptied after it",
    "reaper": "what a program started and left, however detached, is ended with it",
    "capabilities": "programs run as a user of their own, with none of root's powers but to read every file",
    "rlimits": "CPU time, memory, processes, open files and file size are limited",
}
"""The meaning of each layer, by the name that guests report."""

RANDOM, MAX_HASH_SEED = "random", (1 << 32) - 1

BOTH_NETWORKS = (
    "network=True and loopback=True exclude each other: a loopback network is the candidates' own, and has no way out. "
    "Choose one"
)

OWN_PATHS = ("/", "/proc", "/dev", "/dev/shm", "/tmp", "/work")  # noqa: S108 (inside the sandbox)
"""Paths that every sandbox provides itself, so that no folder of the machine can be shown there."""

_warned: set[frozenset[str]] = set()


@dataclass(frozen=True)
class Confinement:
    """The isolation options of one sandbox."""

    isolation: str = "auto"
    """"auto": the layers possible here; "strict": all layers, or no program runs; "off": limits only, to debug."""

    network: bool = False
    """True if programs may use the network."""

    read_only_paths: tuple[str, ...] = ()
    """Additional files and folders that programs can read."""

    env: tuple[tuple[str, str], ...] = ()
    """Additional environment variables of programs, as (name, value)."""

    preload: tuple[str, ...] = ()
    """Modules that are imported before programs are forked, so that a program's own import costs nothing."""

    loopback: bool | str = False
    """True if programs may use sockets on a loopback network of their own; WHERE_POSSIBLE: if there can be one here."""

    shell: bool = False
    """True if programs see `/bin`, and so `/bin/sh`."""

    import_paths: tuple[str, ...] = ()
    """Folders in which programs find more modules, behind those of installed packages."""

    hash_seed: int | None = 0
    """The seed of Python's hashes, which decide the order of sets of strings. None: a random one in each guest."""

    @classmethod
    def checked(
        cls,
        isolation: Any = "auto",
        network: Any = False,
        read_only_paths: Any = (),
        env: Any = None,
        preload: Any = (),
        loopback: Any = False,
        shell: Any = False,
        hash_seed: Any = 0,
        import_paths: Any = INSTALLED,
    ) -> Confinement:
        """Return a Confinement from the options that a user gives.

        Raises:
            ValueError, TypeError: if an option is invalid; the message names the value.
        """
        if isolation not in ISOLATION_MODES:
            raise ValueError(f"isolation must be one of {', '.join(ISOLATION_MODES)}, not {short_repr(isolation)}")
        network, shell = true_or_false("network", network), true_or_false("shell", shell)
        loopback = checked_loopback(loopback)
        if network and loopback:
            raise ValueError(BOTH_NETWORKS)
        return cls(
            isolation,
            network,
            tuple(checked_path(path) for path in _strings("read_only_paths", read_only_paths)),
            tuple(sorted(checked_variables(env or {}).items())),
            tuple(checked_module(name) for name in _strings("preload", preload)),
            loopback,
            shell,
            tuple(checked_path(path, "import_paths") for path in caller_folders()) if import_paths == CALLER else (),
            checked_hash_seed(hash_seed),
        )

    def accept(self, isolation: Isolation) -> None:
        """Accept a guest, or refuse it for the layers that it can't enforce here.

        Each process warns once of the layers that are missing.

        Raises:
            SandboxUnavailable: if a layer is missing and `isolation` is "strict", or if programs can have no loopback
                network although the user demands it.
        """
        if self.loopback is True and self.isolation != "off" and "loopback" not in isolation.layers:
            # Without it right programs would fail.
            raise SandboxUnavailable(
                "loopback=True, but candidates can have no network of their own here: "
                f'{isolation.missing.get("loopback", "unknown")}. Use sandbox="docker", or pass loopback=False'
            )
        missing = {layer: reason for layer, reason in isolation.missing.items() if layer in LAYERS}
        if not missing or self.isolation == "off":
            return
        reasons = "; ".join(f"{layer} ({reason})" for layer, reason in missing.items())
        if self.isolation == "strict":
            raise SandboxUnavailable(
                f'isolation="strict", but these layers are not available here: {reasons}. Use a machine that has them, '
                'or isolation="auto", which does without them'
            )
        if frozenset(missing) not in _warned:
            _warned.add(frozenset(missing))
            log_event("fallback", "programs are less isolated, because these layers are missing: %s", reasons)
            warnings.warn(
                f"programs are less isolated here than they could be, because these layers are missing: {reasons}. "
                "`code-eval doctor` shows what is on",
                stacklevel=2,
            )


def checked_hash_seed(seed: Any) -> int | None:
    """Return a seed of hashes, which may be its digits; None for "random".

    Raises:
        ValueError: if it is anything else.
    """
    if seed is None or seed == RANDOM:
        return None
    digits = str(seed)
    if (
        isinstance(seed, bool)
        or not isinstance(seed, int | str)
        or not digits.isdecimal()
        or int(digits) > MAX_HASH_SEED
    ):
        raise ValueError(
            f'hash_seed must be a whole number from 0 to {MAX_HASH_SEED}, or "random", not {short_repr(seed)}'
        )
    return int(digits)


def checked_loopback(value: Any) -> bool | str:
    """Return a value of the option `loopback`.

    Raises:
        TypeError: if it is none of the option's values.
    """
    if value is True or value is False or value == WHERE_POSSIBLE:
        return value  # type: ignore[no-any-return]
    raise TypeError(f"loopback must be True, False or {WHERE_POSSIBLE!r}, not {short_repr(value)}")


def _strings(name: str, given: Any) -> list[str]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"{name} must be a list of strings, not {short_repr(given)}")
    values = [os.fspath(value) if isinstance(value, os.PathLike) else value for value in given]
    for value in values:
        if not isinstance(value, str):
            raise TypeError(f"{name} must hold strings, not {short_repr(value)}")
    return values


def checked_path(path: str, option: str = "read_only_paths") -> str:
    """Return the absolute path of a file or folder that programs may see.

    Args:
        path: of the file or folder.
        option: that named it, for messages.

    Raises:
        ValueError: if the path does not exist, or is one of the sandbox's own.
    """
    absolute = os.path.abspath(os.path.expanduser(path))
    if not os.path.exists(absolute):
        raise ValueError(f"{option}: there is no {short_repr(path)}")
    if absolute in OWN_PATHS or absolute.startswith("/proc/"):
        raise ValueError(f"{option}: {short_repr(path)} can't be shown, because programs have one of their own")
    return absolute


def checked_variables(env: Any) -> dict[str, str]:
    """Return a copy of environment variables.

    Raises:
        ValueError, TypeError: if one is invalid.
    """
    if not isinstance(env, Mapping):
        raise TypeError(f"env must be a dict of strings, not {short_repr(env)}")
    for name, value in env.items():
        if not isinstance(name, str) or not isinstance(value, str):
            raise TypeError(f"env must hold strings, not {short_repr({name: value})}")
        if not name or "=" in name or "\0" in name + value:
            raise ValueError(f"env: {short_repr({name: value})} can't be an environment variable")
    return dict(env)


def checked_module(name: str) -> str:
    """Return the name of a module that programs can import.

    Raises:
        ValueError: if the module is not installed.
    """
    folders = [*map(sysconfig.get_path, ("stdlib", "platstdlib")), *site_folders()]
    top = name.partition(".")[0]
    if top not in sys.stdlib_module_names and PathFinder.find_spec(top, folders) is None:
        raise ValueError(f"preload: no module {short_repr(name)} is installed for this interpreter")
    return name
