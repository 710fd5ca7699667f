"""The metric for lm-evaluation-harness, whose tasks call `evaluate.load("code_eval")` and give no options.

`evaluate.load` looks for `code_eval/code_eval.py` in the current folder before it asks the Hub. `install` writes a file
there that calls `metric_with`.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from pathlib import Path
from pprint import pformat
from typing import Any

import sandboxes
from code_tasks.scoring.trusted_files import write_whole

NOT_OF_HARNESS = {
    "k": "the harness's tasks choose it",
    "languages": "the harness's tasks are in one language",
    "on_sandbox_error": "the harness needs a score of each sample",
    "on_invalid_tests": "the harness needs a score of each sample",
}
"""Options that can't be chosen for the harness, with the reasons."""

HEAD = '"""The metric that evaluate.load("code_eval") finds in the folder above this one. Made by `code-eval install`.'
"""The beginning of a file that `install` wrote. No other file is replaced or removed."""

TEXT = f"""{HEAD}

Commands that are started in that folder, such as lm-eval, run candidates in the sandboxes of code-eval-sandboxes.
`code-eval install lm-eval` writes this file anew, and with --uninstall removes it.
\"""

from code_tasks.adapters.lm_eval import metric_with  # From: code-eval-sandboxes

CodeEval = metric_with(OPTIONS)
"""


class NotOurs(ValueError):
    """A file or folder that `install` must not touch. The message names it and says what to do."""


def metric_with(options: Mapping[str, Any]) -> type[Any]:
    """Return the metric's class with other defaults.

    Args:
        options: as `compute` takes them.
    """
    # Not `import code_eval`: where a Python program is started in the folder, that may find the folder of this name.
    path = Path(sandboxes.__file__).parents[1] / "code_eval.py"
    spec = importlib.util.spec_from_file_location("code_eval_of_harness", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"there is no module at {path}; install code-eval-sandboxes again")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return type("CodeEval", (module.CodeEval,), {"__doc__": module.CodeEval.__doc__, "defaults": dict(options)})


def metric_path(folder: Path) -> Path:
    """Return the path at which `evaluate.load("code_eval")` finds a metric, if a program is started in a folder."""
    return folder / "code_eval" / "code_eval.py"


def text_with(options: Mapping[str, Any]) -> str:
    """Return the text of the file that `install` writes."""
    return TEXT.replace("OPTIONS", pformat(dict(options), width=100, sort_dicts=True))


def install(folder: Path, options: Mapping[str, Any]) -> bool:
    """Write the file. Return False if it is there already.

    Args:
        folder: in which the harness will be started.
        options: plain data, as `compute` takes them.

    Raises:
        NotOurs: if something else is in its place.
        OSError: if it can't be written.
    """
    path, text = metric_path(folder), text_with(options).encode()
    if is_installed(folder) and path.read_bytes() == text:
        return False
    is_new = not path.parent.exists()
    path.parent.mkdir(exist_ok=True)
    try:
        write_whole(path, [text])
    except OSError:
        if is_new:
            path.parent.rmdir()
        raise
    return True


def uninstall(folder: Path) -> bool:
    """Remove the file, and its folder if nothing else is in it. Return False if it is not there.

    Raises:
        NotOurs: if something else is in its place.
        OSError: if it can't be removed.
    """
    if not is_installed(folder):
        return False
    path = metric_path(folder)
    path.unlink()
    if not any(path.parent.iterdir()):
        path.parent.rmdir()
    return True


def is_installed(folder: Path) -> bool:
    """Return whether the file is in a folder.

    Raises:
        NotOurs: if something else is in its place.
        OSError: if that can't be found out.
    """
    path = metric_path(folder)
    way_out = "move it away, or choose another --folder"
    if not os.path.lexists(path.parent):
        return False
    if path.parent.is_symlink() or not path.parent.is_dir():
        raise NotOurs(f"{path.parent} is no folder of its own; {way_out}")
    if path.parent.stat().st_uid != os.geteuid():
        raise NotOurs(f"{path.parent} belongs to another user, who could change what the harness runs; {way_out}")
    if not os.path.lexists(path):
        if other := sorted(entry.name for entry in path.parent.iterdir()):
            raise NotOurs(f"{path.parent} holds {other[0]!r}, and is not of this command; {way_out}")
        return False
    if path.is_symlink() or not path.is_file() or not path.read_bytes().startswith(HEAD.encode()):
        raise NotOurs(f"{path} is not of this command; {way_out}")
    return True
