"""Landlock keeps files from candidates where namespaces are forbidden, as in Docker's default profile."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from support.denied_syscalls import MACHINES
from support.metric_and_command import ROOT, environment
from support.requirements import unavailable

pytestmark = pytest.mark.slow
TESTS = Path(__file__).parents[1]
NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}
SCRIPT = """
import json, sys, warnings
from contextlib import closing
from sandboxes import Limits, Pool, Program, open_sandbox
warnings.simplefilter("ignore")
programs = json.load(sys.stdin)
with closing(Pool(open_sandbox("subprocess", read_only_paths=programs.pop("shown")))) as pool:
    said = {name: [] for name in programs}
    for grading in ("shared", "separate"):
        made = [Program(text, "", Limits(wall_seconds=20), grading) for text in programs.values()]
        for each, verdict in zip(said.values(), pool.run_all(made, 1)):
            each.append([verdict.outcome.value, verdict.detail])
    isolation = pool.preflight()
print(json.dumps({"said": said, "layers": list(isolation.layers), "missing": dict(isolation.missing)}))
"""
REFUSED = "try:\n    {}\nexcept PermissionError:\n    pass\nelse:\n    raise SystemExit('was allowed')\n"
# Between folders of different rights, the kernel refuses some calls with another error.
AS_REFUSED = "import os\n    try:\n        {}\n    except OSError:\n        raise PermissionError"
# What candidates may not do. SECRET is a file of the caller's, and OPEN a folder where everybody may write.
HOSTILE = {
    "read a file": "open(SECRET).read()",
    "list a folder": "import os; os.listdir(os.path.dirname(SECRET))",
    "list the root": "import os; os.listdir('/')",
    "list the temporary files of others": "import os; os.listdir('/tmp')",
    "write elsewhere": "open(OPEN + '/x', 'w')",
    "make a folder elsewhere": "import os; os.mkdir(OPEN + '/x')",
    "make a link elsewhere": "import os; os.symlink('/', OPEN + '/x')",
    "make a pipe elsewhere": "import os; os.mkfifo(OPEN + '/x')",
    "append": "open(OPEN + '/kept', 'a')",
    "truncate": "import os; os.truncate(OPEN + '/kept', 0)",
    "remove": "import os; os.remove(OPEN + '/kept')",
    "rename": "import os; os.rename(OPEN + '/kept', OPEN + '/moved')",
    "by a symbolic link": "import os; os.symlink(SECRET, 'link'); open('link').read()",
    "by the root of a process": "open('/proc/self/root' + SECRET).read()",
    "by the root of the parent": "import os; open('/proc/%d/root' % os.getppid() + SECRET).read()",
    "the memory of the parent": "import os; open('/proc/%d/mem' % os.getppid(), 'rb').read(1)",
    "the variables of the parent": "import os; open('/proc/%d/environ' % os.getppid(), 'rb').read()",
    "by another program": (
        "import subprocess\n    if subprocess.run(['cat', SECRET], capture_output=True).returncode:\n"
        "        raise PermissionError"
    ),
    "by a folder's descriptor": (
        "import os; fd = os.open(os.path.dirname(SECRET), os.O_PATH)\n"
        "    os.open(os.path.basename(SECRET), os.O_RDONLY, dir_fd=fd)"
    ),
    "the files of the machine": "open('/etc/hostname').read()",
    "by a hard link": AS_REFUSED.format("os.link(SECRET, 'own')"),
    "a hard link elsewhere": "open('own', 'w').close()\n    " + AS_REFUSED.format("os.link('own', OPEN + '/x')"),
    "move its file elsewhere": "open('own', 'w').close()\n    " + AS_REFUSED.format("os.rename('own', OPEN + '/x')"),
    "by a descriptor of the parent": "import os; os.listdir('/proc/%d/fd' % os.getppid())",
    "by the folder of the parent": "import os; os.listdir('/proc/%d/cwd/' % os.getppid())",
    "by the way up": "import os; os.listdir('../../..')",
    "a setting of its own process": "open('/proc/self/oom_score_adj', 'w').write('0')",
    "a device": "open('/dev/tty')",
    "by a thread": (
        "import threading; seen = []\n    thread = threading.Thread(target=lambda: seen.append(open(SECRET).read()))\n"
        "    threading.excepthook = print; thread.start(); thread.join()\n    if not seen: raise PermissionError"
    ),
    "by its child": (
        "import os\n    pid = os.fork()\n    if not pid:\n        try: open(SECRET); os._exit(1)\n"
        "        finally: os._exit(0)\n    if not os.waitpid(pid, 0)[1]: raise PermissionError"
    ),
    "signal the parent": "import os; os.kill(os.getppid(), 0)",
}
HONEST = {
    "a file of its own": "open('own', 'w').write('x')\nassert open('own').read() == 'x'\n",
    "folders of its own": (
        "import os, shutil\nos.makedirs('a/b')\nopen('a/b/c', 'w').close()\nos.rename('a/b/c', 'd')\nos.remove('d')\n"
        "shutil.rmtree('a')\n"
    ),
    "a module of its own": "open('own_module.py', 'w').write('x = 1')\nfrom own_module import x\nassert x == 1\n",
    "temporary files": "import tempfile\nwith tempfile.TemporaryFile() as file:\n    file.write(b'x')\n",
    "nothing and chance": "open('/dev/null', 'w').write('x')\nassert open('/dev/urandom', 'rb').read(1)\n",
    "standard output": "open('/dev/stdout', 'w').write('x')\n",
    "a program of the system": (
        "import subprocess\nassert subprocess.run(['cat'], input=b'x', capture_output=True).stdout == b'x'\n"
    ),
    "processes": (
        "import multiprocessing\ndef double(x):\n    return 2 * x\n"
        "with multiprocessing.Pool(2) as workers:\n    assert workers.map(double, [1]) == [2]\n"
    ),
    "a signal to its child": (
        "import os, time\npid = os.fork()\nif not pid:\n    time.sleep(60)\nos.kill(pid, 9)\nos.wait()\n"
    ),
    "modules": "import ctypes, decimal, json, sqlite3, zoneinfo\n",
    "its own process": "open('/proc/self/status').read()\n",
    "a file that it was shown": "assert open(SHOWN).read() == 'shown'\n",
}


def said_without(calls, folder, texts, **user):
    """Return the verdicts on programs, the layers and the missing ones, where system calls are refused."""
    if os.uname().machine not in MACHINES:
        unavailable(f"no list of system calls for {os.uname().machine}")
    folder = Path(tempfile.mkdtemp(dir=folder))
    os.chmod(folder, 0o755)
    for name in ("home", "open", "shown"):
        (folder / name).mkdir()
    os.chmod(folder / "open", 0o777)
    (folder / "home" / "secret").write_text("secret")
    (folder / "open" / "kept").write_text("kept")
    os.chmod(folder / "open" / "kept", 0o666)
    (folder / "shown" / "file").write_text("shown")
    names = {"SECRET": folder / "home" / "secret", "OPEN": folder / "open", "SHOWN": folder / "shown" / "file"}
    head = "".join(f"{name} = {str(path)!r}\n" for name, path in names.items())
    programs = {name: head + text for name, text in texts.items()}
    done = subprocess.run(
        [sys.executable, str(TESTS / "support" / "denied_syscalls.py"), calls, "-c", SCRIPT],
        cwd=ROOT,
        env=environment(TMPDIR=str(folder / "open")),
        input=json.dumps({"shown": [str(folder / "shown")], **programs}),
        capture_output=True,
        text=True,
        timeout=300,
        **user,
    )
    assert done.returncode == 0, done.stderr
    assert sorted(os.listdir(folder / "open")) == ["kept"]
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def folder():
    """Provide a folder that every user can reach. Pytest's own are the user's alone."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        yield folder


@pytest.fixture(scope="module", params=["ordinary user", "root"])
def said(request, folder):
    """Provide what programs met without namespaces."""
    user = {}
    if request.param == "ordinary user":
        if os.geteuid() == 0:
            user = NOBODY
    elif os.geteuid() != 0:
        pytest.skip("needs root")
    hostile = {name: REFUSED.format(text) for name, text in HOSTILE.items()}
    said = said_without("unshare", folder, hostile | HONEST, **user)
    if "landlock" in said["missing"]:
        unavailable(f"this kernel has no Landlock: {said['missing']['landlock']}")
    return said


@pytest.mark.parametrize("name", HOSTILE)
def test_what_candidates_may_not_do(said, name):
    """A candidate is refused what a root of its own would keep from it, and the program sees a PermissionError."""
    assert said["said"][name] == [["passed", ""]] * 2


@pytest.mark.parametrize("name", HONEST)
def test_what_candidates_may_do(said, name):
    """A candidate keeps its own folder, the system's programs and modules, and what it is shown."""
    assert said["said"][name] == [["passed", ""]] * 2


def test_the_layer_is_named(said):
    """The layer `landlock` is on where `mount` is missing."""
    assert "landlock" in said["layers"]
    assert "mount" in said["missing"]


def test_a_kernel_without_landlock(folder):
    """Without Landlock programs run all the same, and the missing layer is reported with its reason."""
    said = said_without("unshare,no:landlock_create_ruleset", folder, HONEST)
    assert "landlock" in said["missing"] and "landlock" not in said["layers"]
    assert all(said["said"][name] == [["passed", ""]] * 2 for name in HONEST)
