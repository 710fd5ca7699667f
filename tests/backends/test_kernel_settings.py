"""Settings of the kernel that forbid namespaces are told, with the command that changes them."""

import subprocess
import sys

import pytest

from sandboxes.backends.kernel_settings import SETTINGS, ways_to_allow_namespaces
from support.metric_and_command import ROOT, environment
from support.requirements import unavailable

# The limit on user namespaces is one of each user namespace, so that a test can change its own.
FORBID = "echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all --inh-caps=-all "


@pytest.fixture
def proc(tmp_path):
    """Return a function that writes a kernel's settings: name=value -> the folder to read them from."""

    def write(**values):
        for name, forbidding, allowing, _ in SETTINGS:
            if (key := name.rpartition(".")[2]) in values:
                path = tmp_path.joinpath("sys", *name.split("."))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"{forbidding if values[key] == 'forbids' else allowing}\n")
        return tmp_path

    return write


@pytest.mark.parametrize("name", [each[0] for each in SETTINGS])
def test_forbidding_setting_is_told(proc, name):
    """A setting that forbids namespaces is named, with the line that lifts it."""
    [line] = ways_to_allow_namespaces(proc(**{name.rpartition(".")[2]: "forbids"}))
    assert f"sudo sysctl -w {name}=" in line and f"({name} = " in line


def test_allowing_and_missing_settings_are_not_told(proc):
    """Nothing is told of a kernel that allows namespaces, or has no such settings."""
    assert [*ways_to_allow_namespaces(proc())] == []
    allowing = {name.rpartition(".")[2]: "allows" for name, *_ in SETTINGS}
    assert [*ways_to_allow_namespaces(proc(**allowing))] == []


@pytest.mark.slow
def test_doctor_tells_the_way_out():
    """`code-eval doctor` names the setting of a kernel that forbids user namespaces, and goes on without them."""
    doctor = f"{sys.executable} -m code_tasks.cli doctor"
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "sh", "-c", f"{FORBID} {doctor}"],
        env=environment(),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    if "unshare failed" in done.stderr:
        unavailable(f"no user namespace here: {done.stderr}")
    assert "sudo sysctl -w user.max_user_namespaces=15000" in done.stdout
    assert "all is well" in done.stdout
