"""Builds that are tried with what lets compilers start faster, and made without it if that fails.

A quick build only saves time. A program that it does not build is built in the plain way, whose messages are the
verdict's, unless the quick build ends with REFUSED_STATUS. A prepared file that is missing, broken or of another
compiler therefore changes no verdict.
"""

from __future__ import annotations

import logging
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from sandboxes.backends.host_state import PROGRAM_PATH
from sandboxes.contract import Limits
from sandboxes.errors import SandboxUnavailable
from sandboxes.languages.compilers.compiled_libraries import COMPILE_TIMEOUT_SECONDS, cache_folder, kept_folder
from sandboxes.languages.steps import Command, WarmCompiler

logger = logging.getLogger("code_eval")

QUICK_FILE = "code_eval_quick"
"""Path of the file whose line names what a program's quick build needs. It is empty for a program without one."""

# A program that could write the file, or replace it, could change what is compiled after it.
IS_PREPARED = '[ -r "$prepared" ] && ! [ -w "$prepared" ] && ! [ -w "${prepared%/*}" ]'
"""The shell's test for a prepared file that programs see, and can't change."""

REFUSED_STATUS = 94
"""The status with which a quick build ends that says about a wrong program what the plain build would say."""

SCRIPT = """\
read -r prepared <%(file)s
if %(condition)s; then
    message=$(%(quick)s 2>&1 >/dev/null)
    case $? in
        0) exit 0 ;;
        %(refused)d) printf '%%s\\n' "$message" >&2; exit 1 ;;
    esac
fi
%(plain)s
"""

REFUSING = """{
    errors=$(%(quick)s 2>&1) && exit
    case $errors in
        %(other)s) ;;
        %(own)s) printf "%%s\\n" "$errors" >&2; exit %(refused)d ;;
    esac
    exit 1
}"""


def refusing(quick: str, own: str, other: str) -> str:
    """Return a quick build that ends with REFUSED_STATUS if its message is the one that the plain build would write.

    Args:
        quick: the quick build, as in `quick_build`.
        own: the shell's patterns of messages about errors in the program's own lines.
        other: patterns of those among them that the plain build may not write.
    """
    return REFUSING % {"quick": quick, "own": own, "other": other, "refused": REFUSED_STATUS}


def quick_build(
    tools: tuple[str, ...], condition: str, quick: str, plain: str, warm: WarmCompiler | None = None
) -> Callable[[Limits], tuple[Command]]:
    """Return the `build` of a recipe that tries a quick build first.

    Args:
        tools: commands that the builds call. Without them the sandbox is broken.
        condition: of the quick build, as a shell has it. The line of QUICK_FILE is in `$prepared`.
        quick: the quick build, likewise.
        plain: the plain build, likewise.
        warm: as in `Command`.
    """
    parts = {"file": QUICK_FILE, "refused": REFUSED_STATUS, "condition": condition, "quick": quick, "plain": plain}
    script = SCRIPT % parts
    return lambda limits: (Command(("sh", "-c", script), limits, reserves_memory=True, needs=tools, warm=warm),)


def run_tool(*command: str, folder: str = "/") -> str:
    """Return the output of a tool of this machine, as programs find it.

    Args:
        command: the tool and its arguments.
        folder: the working folder.

    Raises:
        SandboxUnavailable: if the tool is not installed, or fails.
    """
    environment = {"PATH": PROGRAM_PATH, "HOME": folder, "LC_ALL": "C.UTF-8"}
    try:
        completed = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=COMPILE_TIMEOUT_SECONDS,
            check=True,
        )
    except (subprocess.SubprocessError, OSError) as error:
        reason = getattr(error, "stderr", None) or str(error)
        raise SandboxUnavailable(f"{command[0]} can't be run: {reason.strip()[:500]}") from error
    return completed.stdout


def prepared_path(name: Callable[[], str], file: str) -> str:
    """Return the path of a prepared file, which need not be there; "" if nothing can be prepared here.

    Args:
        name: returns the name of its folder, in the folder of compiled libraries.
        file: its name.
    """
    try:
        return str(cache_folder() / name() / file)
    except SandboxUnavailable as error:
        logger.info("no quick builds: %s", error)
        return ""


def prepare(name: Callable[[], str], compile_into: Callable[[Path, Path], None]) -> tuple[str, ...]:
    """Return the folder of prepared files, and make it if it is missing; () if that does not work here.

    Args:
        name: returns the folder's name, in the folder of compiled libraries.
        compile_into: as in `kept_folder`.
    """
    try:
        return (str(kept_folder(name(), compile_into)),)
    except (SandboxUnavailable, OSError) as error:
        logger.info("no quick builds: %s", error)
        return ()


def folder_states(*paths: str) -> list[tuple[str, int, int]]:
    """Return the state of files and folders, which changes when a package replaces them or what is in them."""
    states = []
    for path in paths:
        try:
            state = os.stat(path)
            states.append((path, state.st_size, state.st_mtime_ns))
        except OSError:
            continue
    return states
