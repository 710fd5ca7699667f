"""The server's container for tests: its image, the options of docker/compose.yaml, and a running server."""

import contextlib
import json
import shutil
import subprocess
import urllib.error
import urllib.request
import uuid

import yaml

from support.docker_engines import wait_until
from support.metric_and_command import ROOT

TOKEN = "the-secret-of-the-tests"
BASE = "code-eval-test:server"
"""Made by .ci/docker-image: Debian's packages, and a folder with Python's."""

CONTEXT = ("docker", "sandboxes", "code_tasks")
SECONDS_TO_BUILD, SECONDS_TO_START, SECONDS = 900, 120, 120


def docker(*arguments, seconds=SECONDS):
    """Run a docker command. Return what it printed, its errors included."""
    command = ["docker", *map(str, arguments)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds)
    assert done.returncode == 0, f"docker {arguments[0]} failed:\n{done.stdout}"
    return done.stdout


@contextlib.contextmanager
def server_image(folder):
    """Build the image without a network; yield its name."""
    for name in CONTEXT:
        # The copy has no compiled module, so that the build has to make it.
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for name in ("code_eval.py", "code_correctness.py", "pyproject.toml", "setup.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    image = f"code-eval-test-server:{uuid.uuid4().hex}"
    options = ("--network", "none", "--build-arg", f"BASE={BASE}", "--tag", image)
    docker("build", *options, "--file", folder / "docker" / "Dockerfile", folder, seconds=SECONDS_TO_BUILD)
    try:
        yield image
    finally:
        docker("image", "rm", image)


def compose_options():
    """Return (options of `docker run`, arguments of the server) from docker/compose.yaml, without port and token."""
    service = yaml.safe_load((ROOT / "docker" / "compose.yaml").read_text())["services"]["code-eval"]
    security = [each.replace("seccomp:", f"seccomp={ROOT}/docker/", 1) for each in service["security_opt"]]
    options = [f"--security-opt={each}" for each in security]
    options += [f"--cap-drop={each}" for each in service["cap_drop"]]
    options += [f"--tmpfs={each}" for each in service["tmpfs"]]
    options += ["--read-only"] if service["read_only"] else []
    options += [f"--memory={service['mem_limit']}", f"--pids-limit={service['pids_limit']}"]
    return options, service["command"]


class ServerContainer:
    """A container that runs the server, with its published port."""

    def __init__(self, name):
        self.name = name
        self.url = f"http://{docker('port', name, '8080').split()[0]}"

    def logs(self):
        return docker("logs", self.name)

    def get(self, path):
        """Return the text of an answer, or None if there is no answer yet."""
        try:
            with urllib.request.urlopen(self.url + path, timeout=SECONDS) as answer:
                return answer.read().decode()
        except (urllib.error.URLError, ConnectionError):
            return None

    def post(self, path, request):
        """Return the object that a request is answered with."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {TOKEN}"}
        with urllib.request.urlopen(
            urllib.request.Request(self.url + path, json.dumps(request).encode(), headers), timeout=SECONDS
        ) as answer:
            return json.load(answer)

    def inside(self, *command):
        """Return what a command in the container prints."""
        return docker("exec", self.name, *command)

    def state(self):
        """Return the state of the container, as the engine has it."""
        return json.loads(docker("inspect", "--format", "{{json .State}}", self.name))


@contextlib.contextmanager
def server_container(image, options=(), arguments=()):
    """Start the server in a container, and yield it once it answers. The container is removed."""
    name = f"code-eval-test-{uuid.uuid4().hex}"
    published = ("--publish", "127.0.0.1::8080", "--env", f"CODE_EVAL_TOKEN={TOKEN}")
    docker("run", "--detach", "--name", name, *published, *options, image, *arguments)
    try:
        server = ServerContainer(name)
        try:
            wait_until(lambda: server.get("/health"), SECONDS_TO_START)
        except TimeoutError:
            raise AssertionError(f"the server does not answer:\n{server.logs()}") from None
        yield server
    finally:
        docker("rm", "--force", name)
