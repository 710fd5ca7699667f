"""The Space on a system where its sandboxes lack layers, and the secrets that it keeps even there."""

import json
import os
import subprocess
import sys

import httpx
import pytest

from support.denied_syscalls import MACHINES
from support.metric_and_command import RIGHT, TESTS, WRONG
from support.requirements import unavailable
from support.space_client import client_of, evaluate, outcomes_of
from support.space_server import serving

pytestmark = pytest.mark.slow

NOBODY = 65534
SECRET = "sesame-open-7c1f"
# The program looks for the server, and for its secret in every readable file of any process.
SPY = """
import glob, os, signal
secret = "".join(reversed("f1c7-nepo-emases"))
servers, found, opened = [], [], []
for folder in glob.glob("/proc/[0-9]*"):
    try:
        with open(folder + "/cmdline", "rb") as file:
            if b"app.py" in file.read():
                servers.append(int(folder[6:]))
    except OSError:
        pass
    for name in ("environ", "task/*/environ", "cmdline", "auxv", "stack", "syscall"):
        for path in glob.glob(f"{folder}/{name}"):
            try:
                with open(path, "rb") as file:
                    if secret.encode() in file.read():
                        found.append(path)
            except OSError:
                pass
for server in servers:
    for name in ("mem", "maps", "fd/0", "map_files", "root/etc", "cwd"):
        try:
            os.open(f"/proc/{server}/{name}", os.O_RDONLY)
            opened.append(name)
        except OSError:
            pass
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.kill(server, number)
            found.append(f"killed with {number}")
        except OSError:
            pass
found += [name for name, value in os.environ.items() if secret in value]
print(len(servers), found, opened)

def f():
    return 1
"""


def is_readable_by_others():
    """Return whether another user can run this interpreter with its packages."""
    command = [sys.executable, "-c", "import gradio"]
    try:
        return not subprocess.run(
            command, user=NOBODY, group=NOBODY, extra_groups=[], cwd="/", capture_output=True, timeout=300
        ).returncode
    except PermissionError:
        return False


@pytest.fixture(scope="module", params=["all layers", "root without namespaces", "a user without namespaces"])
def guarded(request):
    """Provide (a public Space that has a secret, whether its programs have namespaces)."""
    options = {"CODE_EVAL_SECRET": SECRET, "SPACE_ID": "somebody/code-eval"}
    if request.param != "all layers":
        if os.uname().machine not in MACHINES:
            unavailable(f"no list of system calls for {os.uname().machine}")
        options["without"] = "unshare"
    if request.param.startswith("a user") and os.geteuid() == 0:
        if not is_readable_by_others():
            pytest.skip("other users can't read this interpreter with its packages")
        options["user"] = NOBODY
    with serving(**options) as server, client_of(server) as client:
        yield server, client, request.param == "all layers"


def test_programs_find_no_secret(guarded):
    """A program finds the server's environment nowhere, can't open its memory, and can't end it."""
    server, client, has_namespaces = guarded
    for grading in ("shared", "separate"):
        [result] = evaluate(client, [SPY], "assert f() == 1", grading=grading)["results"]
        assert result["outcome"] == "passed", result
        count, _, rest = result["stdout"].partition(" ")
        assert rest == "[] []\n"
        # If the program can see processes, it has seen the server.
        assert (int(count) > 0) is not has_namespaces
    assert server.process.poll() is None


def test_missing_layers_are_listed(guarded):
    """The endpoint and the page list the layers that are on, and the missing ones with reasons."""
    server, client, has_namespaces = guarded
    told = client.predict(api_name="/sandboxes")["sandboxes"]["subprocess"]
    namespaces = {"pid", "mount", "net", "ipc", "uts"}
    assert namespaces & set(told["layers"]) == (namespaces if has_namespaces else set())
    assert namespaces & set(told["missing"]) == (set() if has_namespaces else namespaces)
    assert all(told["missing"].values())
    page = httpx.get(f"{server.url}/config").text
    assert ("Not available here" in page) is not has_namespaces
    assert server.folder not in json.dumps(told)


def test_verdicts_are_right_all_the_same(guarded):
    """Programs pass and fail as with all layers, and programs that hang or flood are stopped."""
    _, client, _ = guarded
    programs = [
        RIGHT,
        WRONG,
        "while True: pass",
        "while True: print('x' * 9999)",
        "import os; os._exit(0)",
    ]
    answer = evaluate(client, programs, TESTS, timeout=2)
    assert outcomes_of(answer) == ["passed", "failed", "timed_out", "output_limit", "exited"]


def test_a_public_space_shows_its_strongest(guarded):
    """On the Hub the default sandbox lacks the fewest layers, and sandboxes that lack more are refused."""
    _, client, _ = guarded
    told = client.predict(api_name="/sandboxes")
    usable = {name: each for name, each in told["sandboxes"].items() if each["usable"]}
    assert told["default"] in usable
    assert len({len(each["missing"]) for each in usable.values()}) == 1


def test_nothing_runs_unless_allowed():
    """Without HF_ALLOW_CODE_EVAL=1 both the page and the endpoints say what to set."""
    with serving(HF_ALLOW_CODE_EVAL=None) as server, client_of(server) as client:
        assert "HF_ALLOW_CODE_EVAL=1" in httpx.get(f"{server.url}/config").text
        for arguments in ({"predictions": [[RIGHT]], "references": [TESTS]}, {"predictions": None, "references": 1}):
            with pytest.raises(Exception, match="HF_ALLOW_CODE_EVAL=1"):
                client.predict(**arguments, api_name="/evaluate")
        assert client.predict(api_name="/sandboxes")["default"] == "subprocess"


def test_a_wrong_setting_stops_the_start():
    """An invalid setting ends the server at once, with its variable's name and status 1."""
    with pytest.raises(AssertionError, match="CODE_EVAL_MAX_TIMEOUT must be a number, not 'long'"):
        with serving(CODE_EVAL_MAX_TIMEOUT="long"):
            pass
