"""The docker sandbox without an engine: its options, its errors, and how a Python becomes the guest."""

import io
import subprocess
import sys
import zipfile

import pytest

from sandboxes import SandboxUnavailable, open_sandbox
from sandboxes.backends.docker.boot import BOOT_SCRIPT
from sandboxes.backends.docker.engine import DockerCli, with_advice
from sandboxes.backends.docker.images import files_in_option
from sandboxes.backends.docker.options import DockerOptions
from sandboxes.workers.messages import HEAD

# This removes the names that a Python built with an old C library lacks.
NAMELESS = """
import fcntl, os
for module, prefix in (os, "MFD_"), (os, "memfd_create"), (fcntl, "F_ADD_SEALS"), (fcntl, "F_SEAL_"):
    for name in [name for name in dir(module) if name.startswith(prefix)]:
        delattr(module, name)
"""
# Run as a guest's file, this prints how often the file is open, and the result of writing to it.
CHANGES_ITS_FILE = """
import errno, os, sys
mine = os.stat(sys.argv[0])
fds = [fd for fd in range(256) if os.path.exists(f"/proc/self/fd/{fd}") and os.path.samestat(os.fstat(fd), mine)]
try:
    print(os.pwrite(fds[0], b"x", 0))
except OSError as error:
    print(len(fds), errno.errorcode[error.errno])
"""


@pytest.mark.parametrize(
    ("options", "error", "named"),
    [
        ({"image": 3}, TypeError, "3"),
        ({"image": "--privileged"}, TypeError, "--privileged"),
        ({"runtime": ""}, TypeError, "runtime"),
        ({"pull": "sometimes"}, ValueError, "sometimes"),
        ({"fresh_container": "yes"}, TypeError, "yes"),
        ({"memory_mb": 0}, ValueError, "0"),
        ({"cpus": 0}, ValueError, "cpus"),
        ({"cpus": float("nan")}, ValueError, "nan"),
        ({"network": 3}, TypeError, "3"),
        ({"packages": "numpy"}, TypeError, "numpy"),
        ({"packages": ["--index-url=x"]}, ValueError, "--index-url=x"),
        ({"packages": ["numpy; rm"], "image": None, "pull": "x"}, ValueError, "x"),
        ({"packages": [None]}, ValueError, "None"),
        ({"volumes": "/data"}, TypeError, "/data"),
        ({"volumes": {"/data": "data"}}, ValueError, "data"),
        ({"volumes": ["/a:b"]}, ValueError, "/a:b"),
    ],
)
def test_a_value_that_cant_be_right_is_named(options, error, named):
    """An invalid option is an error that names the value."""
    with pytest.raises(error) as caught:
        open_sandbox("docker", **options)
    assert named in str(caught.value)


def test_packages_are_sorted_and_each_is_there_once():
    """Two sandboxes with the same packages are equal, whatever the order of the packages."""
    assert DockerOptions.checked(packages=["b", "a", "b"]) == DockerOptions.checked(packages=["a", "b"])


def test_of_a_mapping_the_names_at_pypi_count():
    """A mapping of packages counts by its PyPI names, and None stands for an import that needs no package."""
    assert DockerOptions.checked(packages={"sklearn": "scikit-learn", "json": None}).packages == ("scikit-learn",)


@pytest.mark.parametrize(("network", "name"), [(False, "none"), (True, "bridge"), ("mine", "mine")])
def test_a_network_is_a_name_or_a_bool(network, name):
    """`network` may be Docker's name of a network, or True or False as in the other sandboxes."""
    assert open_sandbox("docker", network=network).container.network == name


@pytest.mark.docker
def test_volumes_are_read_only():
    """The engine gets each volume as a read-only one."""
    arguments = open_sandbox("docker", volumes={"/data": "/inside"}).run_arguments("name", 1000)
    assert "/data:/inside:ro" in arguments


@pytest.mark.docker
def test_a_runtime_is_passed_on():
    """A sandbox with gVisor names the runtime to the engine."""
    arguments = open_sandbox("docker", runtime="runsc").run_arguments("name", 1000)
    assert arguments[arguments.index("--runtime") + 1] == "runsc"


@pytest.mark.parametrize(
    ("words", "advice"),
    [
        ("Got permission denied while trying to connect to the Docker daemon socket", "usermod -aG docker"),
        ("Cannot connect to the Docker daemon at unix:///var/run/docker.sock.", "systemctl start docker"),
        ("write /x: no space left on device", "docker system df"),
        ('exec: "python3": executable file not found in $PATH', "Python 3.8 or newer"),
        ("Unknown runtime specified runsc", "docker info"),
        ("No such image: sha256:12", "pull or build it again"),
        ("something else", "something else"),
    ],
)
def test_errors_of_the_engine_come_with_the_way_out(words, advice):
    """A known error of Docker comes with advice, and any other error is shown as it is."""
    assert advice in with_advice(words)
    assert words.split()[-1] in with_advice(words)


def test_without_the_command_the_error_says_what_to_install(monkeypatch):
    """Without the `docker` command the sandbox is unavailable, and the error says how to install it."""
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SandboxUnavailable, match="apt install docker.io"):
        DockerCli().command("version")


def test_a_local_index_is_shown_to_pip_with_the_packages_beside_it(tmp_path):
    """The folder above an index of files holds the packages that it links to."""
    index = tmp_path / "simple"
    index.mkdir()
    assert files_in_option("extra-index-url", f"https://example.org/simple file://{index}") == [str(tmp_path)]
    assert files_in_option("find-links", str(index)) == [str(index)]


@pytest.mark.skipif(sys.platform != "linux", reason="containers have Linux")
@pytest.mark.parametrize("before", ["", NAMELESS], ids=["names", "no names"])
def test_what_a_guest_is_run_from_can_not_be_changed(before):
    """A guest is sent into a file that it can't write to, even if Python has no names for the system calls."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("__main__.py", CHANGES_ITS_FILE)
    sent = HEAD.pack(len(archive.getvalue())) + archive.getvalue()
    command = [sys.executable, "-I", "-S", "-c", before + BOOT_SCRIPT]
    ended = subprocess.run(command, input=sent, capture_output=True)
    assert (ended.stdout, ended.stderr) == (b"1 EPERM\n", b"")
