"""A sandbox with all layers hides the machine's files, devices and names from its programs."""

import os
import socket
import tempfile
import uuid
from pathlib import Path

import pytest

from support.observers import passes, refused_with

pytestmark = pytest.mark.usefixtures("namespaces")

# Tests of the root folder that we make. A container has its image's instead.
OF_OUR_ROOT = {
    "test_all_files_together_are_limited",
    "test_devices_are_harmless",
    "test_no_folder_but_three_can_be_written_to",
    "test_number_of_files_is_limited",
    "test_passwords_hold_no_user_of_the_machine",
    "test_settings_of_the_machine_are_not_there",
    "test_there_is_no_shell_in_bin",
}


@pytest.fixture
def secret_in():
    """Return a function that writes a world-readable file into a folder and returns its path."""
    paths = []

    def write(folder):
        paths.append(Path(folder).resolve() / f"secret-{uuid.uuid4()}")
        paths[-1].write_text("hunter2")
        paths[-1].chmod(0o644)
        return str(paths[-1])

    yield write
    for path in paths:
        path.unlink(missing_ok=True)


@pytest.mark.parametrize("place", ["home", "temporary folder", "working folder", "a folder for everybody"])
def test_files_of_the_caller_are_not_there(run, secret_in, folder, tmp_path, monkeypatch, place):
    """A program finds no file of the caller, whatever the file's permissions."""
    monkeypatch.chdir(tmp_path)
    places = {"home": os.path.expanduser("~"), "temporary folder": tempfile.gettempdir(), "working folder": "."}
    path = secret_in(places.get(place, folder))
    passes(run("import os", f"assert not os.path.lexists({path!r})"))


def test_this_project_is_not_there(run):
    """A program finds neither the sandbox's own source nor these tests."""
    root = Path(__file__).resolve().parents[2]
    paths = [str(root / name) for name in ("sandboxes/guest/__main__.py", "tests", "pyproject.toml", "code_eval.py")]
    passes(run("import os", f"assert not [path for path in {paths} if os.path.lexists(path)]"))


def test_scratch_folders_are_not_there(pool, run):
    """A program does not find the folders of guests, not even of its own."""
    folders = [worker.scratch for worker in pool._idle.workers]
    assert folders
    candidate = f"import os, tempfile\nfound = [path for path in {folders} if os.path.lexists(path)]"
    passes(run(candidate, "assert not found and not os.listdir(os.getcwd())"))


def test_passwords_hold_no_user_of_the_machine(run):
    """/etc/passwd and /etc/group name the program's own user alone."""
    candidate = "import os, pwd, grp\nusers = {one.pw_name: one.pw_uid for one in pwd.getpwall()}\n"
    candidate += "groups = {one.gr_name: one.gr_gid for one in grp.getgrall()}"
    passes(run(candidate, "assert users == groups == {'candidate': os.getuid()}"))


def test_settings_of_the_machine_are_not_there(run):
    """/etc holds only the few files that programs of /usr/bin need."""
    allowed = {"passwd", "group", "alternatives", "ld.so.cache", "mime.types", "os-release"}
    passes(run("import os", f"assert set(os.listdir('/etc')) <= {allowed}, os.listdir('/etc')"))


def test_there_is_no_shell_in_bin(run):
    """/bin does not exist. Commands are found by PATH, and `shell=True` raises FileNotFoundError."""
    assert run("import subprocess\nsubprocess.run('true', shell=True)").exception_type == "FileNotFoundError"
    passes(run("import subprocess", "assert subprocess.run(['sh', '-c', 'exit 3']).returncode == 3"))


def test_no_folder_but_three_can_be_written_to(run):
    """A program can make files in its three folders only."""
    candidate = """
import os
made, tried = [], 0
for folder, below, names in os.walk("/"):
    below[:] = [name for name in below if folder.count("/") < 4 and not os.path.islink(os.path.join(folder, name))]
    if folder not in (os.getcwd(), "/tmp", "/dev/shm") and not folder.startswith("/proc/"):
        tried += 1
        try:
            os.close(os.open(folder + "/made-by-a-program", os.O_WRONLY | os.O_CREAT))
            made.append(folder)
        except OSError:
            pass
"""
    passes(run(candidate, "assert tried > 20 and not made, made"))


def test_files_of_the_system_cannot_be_changed(run):
    """Visible files of the machine can't be changed by any call, whoever owns them."""
    candidate = f"""{refused_with("OSError")}
import os, sys
paths = [os.__file__, sys.executable, "/usr", "/etc/passwd", "/"]
wrong = [
    path for path in paths
    if not (refused(open, path, "ab") and refused(os.chmod, path, 0o777))
    or not (refused(os.utime, path) and refused(os.rename, path, "/tmp/x"))
]
"""
    passes(run(candidate, "assert not wrong, wrong"))


def test_kernel_settings_cannot_be_changed(run):
    """A program can't write to any file of /proc/sys, nor to the trigger of system requests."""
    candidate = """
import os
paths = ["/proc/sysrq-trigger"]
paths += [os.path.join(folder, name) for folder, _, names in os.walk("/proc/sys") for name in names]
def writes(path):
    try:
        with open(path, "rb+", buffering=0) as file:
            file.write(file.read(4096) or b"x")
        return True
    except OSError:
        return False
written = [path for path in paths if writes(path)]
"""
    passes(run(candidate, "assert len(paths) > 10 and not written, written"))


def test_all_files_together_are_limited(run):
    """A program can write at most 256 MiB to its folders, and the next program has the full amount again."""
    candidate = """
import errno
written = 0
def fill():
    global written
    for number in range(9):
        for folder in ("/work", "/tmp", "/dev/shm"):
            with open(f"{folder}/{number}", "wb", buffering=0) as file:
                for _ in range(10):
                    written += file.write(bytes(1 << 20))
try:
    fill()
    raise AssertionError("no limit")
except OSError as error:
    assert error.errno == errno.ENOSPC, error
assert 200 << 20 < written <= 256 << 20, written
"""
    passes(run(candidate))
    passes(run(candidate))


@pytest.mark.slow
def test_number_of_files_is_limited(run):
    """A program can't make an unlimited number of files, and the next program can make some."""
    candidate = """
import errno, os
try:
    for number in range(100_000):
        os.close(os.open(str(number), os.O_CREAT | os.O_WRONLY))
    raise AssertionError("no limit")
except OSError as error:
    assert error.errno == errno.ENOSPC, error
"""
    passes(run(candidate, wall_seconds=60.0))
    passes(run("for number in range(1000):\n    open(str(number), 'w').close()"))


def test_devices_are_harmless(run):
    """/dev holds only null and sources of zeros and random numbers. No disk, terminal or memory is there."""
    devices = {"null", "zero", "full", "random", "urandom"}
    candidate = """
import os, stat
found = {}
for folder, _, names in os.walk("/dev"):
    for name in names:
        status = os.lstat(os.path.join(folder, name))
        if stat.S_ISBLK(status.st_mode) or stat.S_ISCHR(status.st_mode):
            found[name] = (os.major(status.st_rdev), os.minor(status.st_rdev))
"""
    passes(
        run(candidate, f"assert set(found) == {devices} and {{major for major, _ in found.values()}} == {{1}}, found")
    )


def test_name_of_the_machine_is_not_told(run, needs):
    """A program's host name differs from the machine's."""
    needs("uts")
    assert socket.gethostname() not in run("import os, socket\nprint(os.uname().nodename, socket.gethostname())").stdout
