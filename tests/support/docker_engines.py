"""Docker engines for tests: the machine's own, with the test image, and one that a test may kill."""

import contextlib
import os
import subprocess
import time

import psutil
import pytest

from sandboxes import SandboxUnavailable
from sandboxes.backends.docker.backend import GUEST_LABEL
from sandboxes.backends.docker.engine import DockerCli
from support.languages import require_command
from support.observers import all_gone
from support.requirements import unavailable

# Made by .ci/docker-image.
IMAGE = "code-eval-test:debian"
LANGUAGES_IMAGE = "code-eval-test:languages"
TRIXIE_IMAGE = "code-eval-test:trixie"
SECONDS_TO_START = 60
# The backend as a parameter of tests and fixtures.
WITH_DOCKER = pytest.param("docker", marks=pytest.mark.docker)


def why_not(image=IMAGE):
    """Return why Docker tests with an image can't run here, or None if they can."""
    try:
        if DockerCli().query("image", "inspect", image) is None:
            return f"the engine has no image {image}; make it with `.ci/docker-image {image}`"
    except SandboxUnavailable as error:
        return str(error)
    return None


def require_image(image=IMAGE):
    """Skip a test unless the engine has an image. Under CI it fails."""
    if reason := why_not(image):
        unavailable(reason)


def containers(host=None):
    """Return the names of containers, running or not, of this process, its children, and processes that ended.

    Containers of tests that run at the same time are left out.
    """
    shown = ("--filter", f"label={GUEST_LABEL}", "--format", f'{{{{.Names}}}} {{{{.Label "{GUEST_LABEL}"}}}}')
    lines = DockerCli(host).call("ps", "--all", *shown, what="").splitlines()
    own = {os.getpid(), *(child.pid for child in psutil.Process().children(recursive=True))}
    owners = {name: int(owner) for name, owner in map(str.split, lines)}
    return [name for name, owner in owners.items() if owner in own or not psutil.pid_exists(owner)]


def wait_until(holds, seconds=SECONDS_TO_START):
    """Wait until a function returns a true value, and return that value."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := holds():
            return value
        time.sleep(0.05)
    raise TimeoutError(f"not within {seconds} s")


@contextlib.contextmanager
def engine_of_own(folder):
    """Start an engine beside the machine's own, with the test image; yield (its process, its address)."""
    require_command("dockerd")
    if os.geteuid() != 0:
        unavailable("only root can start an engine")
    address = f"unix://{folder}/docker.sock"
    # Namespaces of its own let the kernel remove its processes and mounts, however the engine ends.
    command = [
        "unshare",
        "--mount",
        "--net",
        "--pid",
        "--fork",
        "--kill-child",
        "--mount-proc",
        "dockerd",
        "--host",
        address,
        "--data-root",
        f"{folder}/data",
        "--exec-root",
        f"{folder}/exec",
    ]
    command += ["--pidfile", f"{folder}/pid", "--bridge", "none", "--iptables=false", "--ip-masq=false"]
    with open(f"{folder}/log", "w") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    try:
        wait_until(lambda: answers(address))
        with subprocess.Popen(["docker", "save", IMAGE], stdout=subprocess.PIPE) as saved:
            subprocess.run(["docker", "--host", address, "load"], stdin=saved.stdout, check=True, capture_output=True)
        yield process, address
    finally:
        process.terminate()
        process.wait(SECONDS_TO_START)
        assert all_gone(str(folder), SECONDS_TO_START)


def answers(address):
    """Return whether an engine answers at an address."""
    try:
        return DockerCli(address).query("version")
    except SandboxUnavailable:
        return None
