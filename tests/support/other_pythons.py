"""Guests that another interpreter of this machine runs, as an image's interpreter runs those of containers."""

import functools
import glob
import json
import os
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, field

from sandboxes.backends.local_process import GUEST_FILE, SubprocessSandbox, guest_environment
from sandboxes.workers.worker import Worker, start_process

VERSIONS = ("3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14")
DESCRIBE = (
    "import json, os, sys\n"
    "folders = [sys.prefix, sys.exec_prefix, os.path.dirname(os.path.realpath(sys.executable))]\n"
    "print(json.dumps(['%d.%d' % sys.version_info[:2], sys.executable, os.path.dirname(os.__file__), folders]))"
)


@dataclass(frozen=True)
class OtherPython(SubprocessSandbox):
    """The backend "subprocess", with guests of another interpreter, without its installed packages."""

    python: str = field(kw_only=True)
    library: str = field(kw_only=True)
    shown: tuple[str, ...] = field(kw_only=True)

    def start_worker(self):
        """Start a guest."""
        scratch = tempfile.mkdtemp(prefix="code-eval-")
        command = [self.python, "-I", "-S", "-X", "utf8", str(GUEST_FILE), scratch]
        worker = Worker(start_process(command, scratch, guest_environment()), scratch)
        worker.send_options(self.guest_options())
        return worker

    def guest_options(self):
        """Return the options of a guest, with the folders of its interpreter."""
        own = {"site_folders": [], "needed_folders": [self.library], "shown_paths": [self.library, *self.shown]}
        return super().guest_options() | own


@functools.cache
def find_python(version):
    """Return the description of an interpreter as `DESCRIBE` prints it, or None. In PATH, or one of pyenv's."""
    pyenv = os.environ.get("PYENV_ROOT", os.path.expanduser("~/.pyenv"))
    found = [shutil.which(f"python{version}"), *sorted(glob.glob(f"{pyenv}/versions/{version}.*/bin/python"))]
    for python in filter(None, found):
        # pyenv has commands in PATH for versions that are not chosen. They end with an error.
        done = subprocess.run([python, "-I", "-S", "-c", DESCRIBE], capture_output=True, text=True)
        if done.returncode == 0 and json.loads(done.stdout)[0] == version:
            return json.loads(done.stdout)
    return None


def other_python(version):
    """Return a sandbox whose guests have an interpreter of a version, or None if this machine has none."""
    described = find_python(version)
    if described is None:
        return None
    _, python, library, shown = described
    return OtherPython(python=python, library=library, shown=tuple(shown))
