"""The guest's files arrive whole wherever a guest starts, and no program finds them there."""

import importlib
import importlib.util
import io
import json
import shutil
import socket
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import sandboxes
from sandboxes import Limits, Program, _version
from sandboxes.backends import local_process
from sandboxes.backends.docker.boot import GUEST_FD, guest_archive
from sandboxes.guest.common.frames import CANDIDATE, CHANNEL_FD, SESSION, SHARED, TESTS

pytestmark = pytest.mark.slow

PACKAGE = Path(sandboxes.__file__).parent
GUEST = PACKAGE / "guest"
# Imports every module of an archive's package, and prints their names.
IMPORT_ALL = """
import sys, zipfile
sys.path.insert(0, sys.argv[1])
names = [name for name in zipfile.ZipFile(sys.argv[1]).namelist() if "/" in name and name.endswith(".py")]
names = [name[:-3].replace("/", ".") for name in names]
names = [name.replace(".__init__", "") for name in names if not name.endswith("__main__")]
for name in names:
    __import__(name)
print(len(names), *{sys.modules[name].__file__.rpartition(".")[2] for name in names})
"""
OTHER_MAGIC_NUMBER = b"\0\0\r\n"


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """Return a file with the archive that containers run."""
    path = tmp_path_factory.mktemp("archive") / "guest.zip"
    path.write_bytes(guest_archive())
    return path


def test_the_archive_holds_every_file_of_the_guest():
    """The archive for containers has each Python file of the guest's folder, and the program to start."""
    files = {f"guest/{path.relative_to(GUEST)}": path.read_bytes() for path in GUEST.rglob("*.py")}
    assert len(files) > 40
    with zipfile.ZipFile(io.BytesIO(guest_archive())) as held:
        bytecode = {name for name in held.namelist() if name.endswith(".pyc")}
        assert bytecode == {f"{name}c" for name in files}
        assert {name: held.read(name) for name in {*held.namelist()} - bytecode} == {
            **files,
            "__main__.py": files["guest/__main__.py"],
        }


@pytest.mark.parametrize(("number", "suffix"), [(importlib.util.MAGIC_NUMBER, "pyc"), (OTHER_MAGIC_NUMBER, "py")])
def test_every_module_of_the_archive_can_be_imported(tmp_path, number, suffix):
    """No module of the guest needs a file that the archive lacks, or a package. Another Python reads the sources."""
    path = tmp_path / "guest.zip"
    path.write_bytes(guest_archive().replace(importlib.util.MAGIC_NUMBER, number))
    command = [sys.executable, "-I", "-S", "-c", IMPORT_ALL, str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [str(len(list(GUEST.rglob("*.py"))) - 1), suffix]


@pytest.mark.parametrize(
    ("role", "session"), [(None, None), (None, {}), (SHARED, None), (CANDIDATE, None), (TESTS, None), (SESSION, {})]
)
def test_the_archive_starts_as_each_process_of_a_guest(archive, role, session):
    """Each supervisor and each fork server import what they need of the archive, then miss an option."""
    options = json.dumps({"policy": None, "session": session}).encode()
    near, far = socket.socketpair()
    target = 0 if role is None else CHANNEL_FD
    arguments = ["folder", *filter(None, [role])]
    with near, far, archive.open("rb") as guest:
        near.sendall(struct.pack(">I", len(options)) + options)
        # The shell gives the descriptors the numbers that they have in a container; 3 and 4 are pipes there.
        script = f'exec {GUEST_FD}<&{guest.fileno()} {target}<&{far.fileno()} 3>&2 4>&2; exec "$@"'
        command = ["bash", "-c", script, "-", sys.executable, "-I", "-S", f"/proc/self/fd/{GUEST_FD}", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, pass_fds=(guest.fileno(), far.fileno()))
    missing = "site_folders" if role is None else "role"
    assert done.stderr.splitlines()[-1] == f"KeyError: {missing!r}", done.stderr


def test_the_extension_s_name_is_that_of_its_module(monkeypatch):
    """`has_extension_module` asks for the module that the guest's `extension` imports."""
    names = []

    def spec(name):
        names.append(name)

    monkeypatch.setattr(local_process.importlib.util, "find_spec", spec)
    assert not local_process.has_extension_module()
    monkeypatch.undo()
    [name] = names
    extension = importlib.import_module("sandboxes.guest.forkserver.extension")
    loaded = extension.forking
    if loaded is None:
        assert importlib.util.find_spec(name) is None
    else:
        assert importlib.import_module(name) is loaded
    assert (PACKAGE.parent / Path(*name.split("."))).with_suffix(".c").exists()


NO_TRACES = """
import os, sys
names = [name for name in sys.modules if name.partition(".")[0] in ("guest", "sandboxes", "code_tasks")]
assert not names, names
for folder in sys.path:
    for name in ("guest", "sandboxes", "common", "__main__.py"):
        assert not os.path.exists(os.path.join(folder, name)), (folder, name)
for name in ("guest", "guest.common", "guest.__main__", "common", "remote", "forkserver", "supervisor", "runners"):
    try:
        __import__(name)
    except ImportError:
        continue
    assert False, name
"""


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_a_program_finds_no_module_of_the_guest(pool, grading):
    """Neither a program's loaded modules nor the folders of its path hold a module of ours."""
    candidate = f"{NO_TRACES}\ndef f():\n    return 1\n"
    [verdict] = pool.run_all([Program(candidate, "assert f() == 1", Limits(wall_seconds=5.0), grading=grading)], 1)
    assert verdict.passed, verdict.traceback


def test_tests_find_no_module_of_the_guest(pool):
    """The same holds in the process of the tests, if the candidate has another."""
    program = Program("def f():\n    return 1\n", NO_TRACES, Limits(wall_seconds=5.0), grading="separate")
    [verdict] = pool.run_all([program], 1)
    assert verdict.passed, verdict.traceback


def copied_digest(folder):
    """Return the digest of a copy of the package."""
    original = _version.__file__
    try:
        _version.__file__ = str(folder / "_version.py")
        return _version.package_digest.__wrapped__()
    finally:
        _version.__file__ = original


def test_a_change_of_any_file_changes_the_digest(tmp_path):
    """`package_digest` depends on each file of ours that decides verdicts: its name, and each of its bytes."""
    folder = tmp_path / "sandboxes"
    shutil.copytree(PACKAGE, folder, ignore=shutil.ignore_patterns("__pycache__"))
    # Compiled modules, C sources and headers may be missing where there is no compiler.
    (folder / "guest" / "extra.so").write_bytes(b"compiled")
    (folder / "guest" / "extra.h").write_bytes(b"header")
    digest = copied_digest(folder)
    assert digest == copied_digest(folder)
    files = [path for path in sorted(folder.rglob("*.*")) if path.suffix in (".py", ".c", ".so", ".h")]
    assert {path.suffix for path in files} == {".py", ".c", ".so", ".h"}
    same = []
    for path in files:
        content = path.read_bytes()
        path.write_bytes(content + b"\n")
        if copied_digest(folder) == digest:
            same.append(str(path.relative_to(folder)))
        path.write_bytes(content)
    assert same == []
    files[0].rename(files[0].with_name("renamed.py"))
    assert copied_digest(folder) != digest
