"""Checks of the subprocess sandbox's options, which start no process."""

import subprocess
import sys
from pathlib import Path

import pytest

from sandboxes import open_sandbox
from sandboxes.backends.confinement import ISOLATION_MODES, OWN_PATHS, Confinement
from sandboxes.contract import Isolation


def test_checked_takes_what_is_right(tmp_path):
    """Valid options are stored as given, in a form that can be compared."""
    options = {"network": True, "read_only_paths": [tmp_path], "env": {"B": "2", "A": "1"}, "preload": ["json"]}
    checked = Confinement.checked(isolation="off", **options)
    assert checked == Confinement("off", True, (str(tmp_path),), (("A", "1"), ("B", "2")), ("json",))
    assert hash(checked) == hash(Confinement.checked(isolation="off", **options))
    assert Confinement.checked() == Confinement()


BAD = {
    "unknown isolation": ({"isolation": "full"}, ValueError, "isolation.*auto, strict, off.*'full'"),
    "isolation that is no text": ({"isolation": True}, ValueError, "isolation"),
    "network that is text": ({"network": "yes"}, TypeError, "network.*'yes'"),
    "loopback that is text": ({"loopback": "yes"}, TypeError, "loopback.*'yes'"),
    "shell that is text": ({"shell": "/bin/sh"}, TypeError, "shell.*'/bin/sh'"),
    "both networks": ({"network": True, "loopback": True}, ValueError, "Choose one"),
    "path that is not there": ({"read_only_paths": ["/nowhere/at-all"]}, ValueError, "/nowhere/at-all"),
    "one path": ({"read_only_paths": "/usr"}, TypeError, "list of strings.*'/usr'"),
    "path that is a number": ({"read_only_paths": [5]}, TypeError, "5"),
    "env that is a list": ({"env": ["A=1"]}, TypeError, "env.*A=1"),
    "variable that is a number": ({"env": {"A": 1}}, TypeError, "env.*1"),
    "variable without a name": ({"env": {"": "1"}}, ValueError, "env"),
    "variable with = in its name": ({"env": {"A=B": "1"}}, ValueError, "A=B"),
    "variable with NUL": ({"env": {"A": "\0"}}, ValueError, "A"),
    "module that is not there": ({"preload": ["no_such_module_at_all"]}, ValueError, "no_such_module_at_all"),
    "module below none": ({"preload": ["no_such_module.x"]}, ValueError, "no_such_module.x"),
    "relative module": ({"preload": [".json"]}, ValueError, ".json"),
    "module without a name": ({"preload": [""]}, ValueError, "preload"),
    "one module": ({"preload": "json"}, TypeError, "preload.*'json'"),
    "unknown option": ({"chroot": True}, TypeError, "chroot"),
    **{f"path {path}": ({"read_only_paths": [path]}, ValueError, "have one of their own") for path in OWN_PATHS[:5]},
    "path in /proc": ({"read_only_paths": ["/proc/self/status"]}, ValueError, "have one of their own"),
}


@pytest.mark.parametrize(("options", "error", "said"), BAD.values(), ids=BAD)
def test_options_that_can_not_be_right(options, error, said):
    """An invalid option is refused by name and value, before anything is started."""
    with pytest.raises(error, match=said):
        open_sandbox("subprocess", **options)


@pytest.mark.parametrize("mode", ISOLATION_MODES)
def test_nothing_missing_is_accepted(mode):
    """Guests with all layers are accepted in every mode, without a warning."""
    Confinement(mode).accept(Isolation(("pid",), {}, "3.11.7"))
    Confinement(mode).accept(Isolation(("pid",), {"memory": "not a layer"}, "3.11.7"))


def test_import_starts_nothing():
    """Opening a sandbox with options starts no process."""
    code = "import os, sandboxes\nsandboxes.open_sandbox('subprocess', preload=['json'])\n"
    code += "try:\n    os.waitpid(-1, os.WNOHANG)\nexcept ChildProcessError:\n    print('none')"
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("none\n", "")
