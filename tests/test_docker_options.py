"""The docker sandbox without an engine: what its user can choose, and what errors say."""

import pytest

from sandboxes import SandboxUnavailable, open_sandbox
from sandboxes.docker_engine import Engine, explained
from sandboxes.docker_images import files_of
from sandboxes.docker_options import Container


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
    """What can't be right is an error that has the value."""
    with pytest.raises(error) as caught:
        open_sandbox("docker", **options)
    assert named in str(caught.value)


def test_packages_are_sorted_and_each_is_there_once():
    """Two sandboxes with the same packages are equal, in whatever order they were named."""
    assert Container.checked(packages=["b", "a", "b"]) == Container.checked(packages=["a", "b"])


def test_of_a_mapping_the_names_at_pypi_count():
    """None stands for an import that needs no package."""
    assert Container.checked(packages={"sklearn": "scikit-learn", "json": None}).packages == ("scikit-learn",)


@pytest.mark.parametrize(("network", "name"), [(False, "none"), (True, "bridge"), ("mine", "mine")])
def test_a_network_is_a_name_or_a_bool(network, name):
    """`network=True` means to Docker what it means to the other sandboxes."""
    assert open_sandbox("docker", network=network).container.network == name


def test_volumes_are_read_only():
    """Each volume is given to the engine as one that can't be written."""
    arguments = open_sandbox("docker", volumes={"/data": "/inside"}).run_arguments("name", 1000)
    assert "/data:/inside:ro" in arguments


def test_a_runtime_is_passed_on():
    """A sandbox of gVisor's is asked for by its name."""
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
        ("No such image: sha256:12", "pull it again"),
        ("something else", "something else"),
    ],
)
def test_errors_of_the_engine_come_with_the_way_out(words, advice):
    """What Docker says is explained where it is known what helps, and is shown in any case."""
    assert advice in explained(words)
    assert words.split()[-1] in explained(words)


def test_without_the_command_the_error_says_what_to_install(monkeypatch):
    """Where there is no `docker`, the sandbox is unavailable, and says what brings it."""
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SandboxUnavailable, match="apt install docker.io"):
        Engine().command("version")


def test_a_local_index_is_shown_to_pip_with_the_packages_beside_it(tmp_path):
    """The folder above an index of files holds the packages that it links to."""
    index = tmp_path / "simple"
    index.mkdir()
    assert files_of("extra-index-url", f"https://example.org/simple file://{index}") == [str(tmp_path)]
    assert files_of("find-links", str(index)) == [str(index)]
