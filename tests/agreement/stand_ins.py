"""Stands in for services and modules that official graders want and that can't be had here."""

import io
import os
import subprocess
import sys
import tarfile
import tempfile
import types


class RuntimeModule:
    """Stands in for pyext.RuntimeModule, which current Pythons don't run."""

    @staticmethod
    def from_string(name, doc, source):
        """Return a module that has run a source."""
        module = types.ModuleType(name, doc)
        exec(source, module.__dict__)  # noqa: S102 (a grader does that)
        return module


class Container:
    """Stands in for one of Docker's containers: a folder in which commands run."""

    def __init__(self):
        """Make the folder."""
        self.folder = tempfile.mkdtemp()

    def put_archive(self, path, data):
        """Unpack the files of an archive."""
        with tarfile.open(fileobj=io.BytesIO(data.read())) as archive:
            archive.extractall(self.folder)  # noqa: S202 (our own files)

    def exec_run(self, cmd, stdout, stderr):
        """Run a command."""
        merged = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        done = subprocess.run(cmd, cwd=self.folder, check=False, stdin=subprocess.DEVNULL, **merged)
        return types.SimpleNamespace(exit_code=done.returncode, output=done.stdout)


class CommandTimeoutError(Exception):
    """Stands in for the error of a command that took too long."""


class SandboxClient:
    """Stands in for a client of INTELLECT-3's sandboxes. Its commands run here."""

    async def execute_command(self, sandbox_id, command, timeout):
        """Run a command."""
        try:
            done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired as error:
            raise CommandTimeoutError from error
        return types.SimpleNamespace(exit_code=done.returncode, stdout=done.stdout)


async def unpack(sandbox_client, sandbox_id, file_map, archive_remote, extract_dir):
    """Write the files of a bundle to the folder where the commands look for them."""
    for name, text in file_map.items():
        path = os.path.join(extract_dir, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def package(folder, name, path):
    """Make a package without its own `__init__`, which imports what is not needed."""
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = [os.path.join(folder, path)]
