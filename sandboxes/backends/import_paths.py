"""The folders in which the caller finds modules, beside those of installed packages."""

from __future__ import annotations

import importlib.util
import os
import site
import sys
import sysconfig
from collections.abc import Iterator

INSTALLED, CALLER = IMPORT_PATHS = ("installed", "caller")
"""The choices for programs' modules: those of installed packages, or all that the caller can import."""

EDITABLE = "__editable__"
"""The beginning of the names of modules by which setuptools finds projects that were installed as editable."""


def site_folders() -> list[str]:
    """Return the folders of installed packages, from which programs import what the caller can import."""
    folders = site.getsitepackages()
    if site.ENABLE_USER_SITE:
        folders.append(site.getusersitepackages())
    return [folder for folder in folders if os.path.isdir(folder)]


def caller_folders() -> tuple[str, ...]:
    """Return the folders of this process's search path that programs don't have: the script's, and of PYTHONPATH.

    Folders that `.pth` files name are in the search path, and so are those of editable installs, unless a finder of
    setuptools leads to them.
    """
    known = {*site_folders(), *map(sysconfig.get_path, ("stdlib", "platstdlib"))}
    known |= {os.path.join(folder, "lib-dynload") for folder in known}
    folders = map(os.path.abspath, [*sys.path, *editable_folders()])
    return tuple(dict.fromkeys(folder for folder in folders if folder not in known and os.path.isdir(folder)))


def editable_folders() -> Iterator[str]:
    """Yield the folders of packages to which finders of setuptools lead."""
    for name, module in list(sys.modules.items()):
        for package, path in getattr(module, "MAPPING", {}).items() if name.startswith(EDITABLE) else ():
            if os.path.basename(path).partition(".")[0] == package:
                yield os.path.dirname(path)


def is_callers(name: str) -> bool:
    """Return whether the caller can import a module, by its name without dots."""
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False
