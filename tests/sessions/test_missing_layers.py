"""Sessions where namespaces, Landlock or the compiled part are missing: all of their calls work."""

import importlib.util
import itertools
import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest

from sandboxes.backends.local_process import EXTENSION_MODULE, has_extension_module
from support.metric_and_command import ROOT
from support.missing_layers import as_ordinary_user, python_without

pytestmark = pytest.mark.slow

SCRIPT = """
import json, sys
from sandboxes import Session
with Session() as session:
    said = [session.run_command(["sh", "-c", "echo hi"]).stdout.decode()]
    session.write_file("folder/file", "kept")
    session.write_file("own_module.py", "x = 1")
    said += [session.read_file("folder/file").decode(), session.run_cell("import own_module; own_module.x + 1").value]
    said += [[*session.isolation.layers], bool(session.isolation.forked_in_python)]
print(json.dumps(said))
"""
ANSWERS = ["hi\n", "kept", "2"]
# A system call that no guest makes.
NOTHING = "sethostname"
CALLS = {"namespaces": "unshare", "Landlock": "no:landlock_create_ruleset"}
COMBINATIONS = [
    pytest.param(missing, in_python, id=", ".join((*missing, *["compiled part"] * in_python)) or "nothing")
    for count in range(3)
    for missing in itertools.combinations(CALLS, count)
    for in_python in (False, True)
]


@pytest.fixture(scope="module")
def copy_without_extension():
    """Provide a folder with a copy of the package without its compiled part, which every user can read."""
    compiled = importlib.util.find_spec(EXTENSION_MODULE)
    left_out = shutil.ignore_patterns("__pycache__", *([Path(compiled.origin).name] if compiled else []))
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        shutil.copytree(ROOT / "sandboxes", Path(folder, "sandboxes"), ignore=left_out)
        yield folder


def session_answers(missing, in_python, folder, copy, **user):
    """Return (the answers to a session's calls, its layers, whether it forks in Python)."""
    if not in_python and not has_extension_module():
        pytest.skip("the extension is not compiled here")
    variables = {"HOME": folder, "TMPDIR": folder, **({"PYTHONPATH": copy} if in_python else {})}
    calls = ",".join(CALLS[name] for name in missing) or NOTHING
    # -P: otherwise the package in the working directory comes first.
    done = python_without(calls, "-P", "-W", "ignore", "-c", SCRIPT, variables=variables, **user)
    assert done.returncode == 0, done.stderr
    *answers, layers, forked_in_python = json.loads(done.stdout)
    return answers, layers, forked_in_python


@pytest.mark.parametrize(("missing", "in_python"), COMBINATIONS)
def test_calls_of_a_session(missing, in_python, folder, copy_without_extension):
    """Commands, files and cells work, whatever is missing."""
    answers, layers, forked_in_python = session_answers(missing, in_python, folder, copy_without_extension)
    assert (answers, forked_in_python) == (ANSWERS, in_python)
    assert not ("mount" in layers and "namespaces" in missing)
    assert not ("landlock" in layers and "Landlock" in missing)


@pytest.mark.parametrize("in_python", [False, True])
def test_calls_of_an_ordinary_user_without_namespaces(in_python, folder, copy_without_extension):
    """The same holds for an ordinary user in a container."""
    user = as_ordinary_user()
    assert session_answers(["namespaces"], in_python, folder, copy_without_extension, **user)[0] == ANSWERS
