"""Shared libraries that have names alone, for linkers. Used by `rust_linker`.

A linker reads all names of a library that it is given, with their versions. For a short program that takes longer than
the rest of its work. A stub has the name of a library, and those of its functions that programs are likely to need.
What is linked with it is loaded with the library.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from sandboxes.languages.compilers.quick_builds import run_tool

FUNCTION_TYPES = "TWi"
"""Letters of `nm` for functions that a library defines."""

COMPILE = ("gcc", "-shared", "-fPIC", "-nostdlib", "-w", "-fno-builtin")


def undefined_names(path: str, *, is_shared: bool) -> set[str]:
    """Return the names that an object, or a shared library, takes from others, without their versions.

    Raises:
        SandboxUnavailable: if there are no binutils here.
    """
    lines = run_tool("nm", *(["-D"] if is_shared else []), "-u", path).splitlines()
    return {line.split()[-1].partition("@")[0] for line in lines if line.strip()}


def write_stub(library: str, names: Iterable[str], folder: Path) -> None:
    """Write the stub of a library, which has the library's file name, into a folder.

    A library without versions is linked itself: names alone do not say which of its functions are meant. The stub is
    then a file that tells the linker its path.

    Args:
        library: its path.
        names: functions that the stub has, as far as the library does.
        folder: where the stub is written.

    Raises:
        SandboxUnavailable: if there is no compiler here, or no binutils.
    """
    stub = folder / Path(library).name
    versions = versions_of(library, set(names))
    if not versions:
        stub.write_text(f"INPUT({library})\n")
        return
    with tempfile.TemporaryDirectory() as work:
        source, script = Path(work, "stub.c"), Path(work, "stub.map")
        source.write_text("".join(f"void {name}(void) {{}}\n" for each in versions.values() for name in each))
        script.write_text("".join(f"{version} {{ {'; '.join(each)}; }};\n" for version, each in versions.items()))
        options = f"-Wl,-soname,{stub.name},--version-script={script},--hash-style=gnu"
        run_tool(*COMPILE, options, "-o", str(stub), str(source))


def versions_of(library: str, names: set[str]) -> dict[str, list[str]]:
    """Return the functions of a library by version, as programs that are linked now get them."""
    versions: dict[str, list[str]] = {}
    for line in run_tool("nm", "-D", "--defined-only", library).splitlines():
        *_, kind, symbol = line.split()
        name, is_default, version = symbol.partition("@@")
        if kind in FUNCTION_TYPES and is_default and name in names:
            versions.setdefault(version, []).append(name)
    return versions
