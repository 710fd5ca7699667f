"""Programs have an account and, if they are given one, a shell."""

import sys
from pathlib import Path

import pytest

from sandboxes import Limits, Program
from support.backend_options import PERMISSIVE
from support.observers import passes
from support.pools import opened_pool, require_layers
from support.requirements import WALL_SECONDS

ASKS = {
    "getpass": "import getpass\nname = getpass.getuser()",
    "pwd": "import os, pwd\nname = pwd.getpwuid(os.getuid()).pw_name",
    "pwd by name": "import os, pwd\nname = pwd.getpwnam(os.environ['USER']).pw_name",
    "all": "import os, pwd\n[name] = {one.pw_name for one in pwd.getpwall() if one.pw_uid == os.getuid()}",
    "owner of a file": "import pathlib\npath = pathlib.Path('f')\npath.touch()\nname = path.owner()",
    "variables": "import os\nname = os.environ['LOGNAME']",
}


@pytest.fixture
def account(pool):
    """Skip a test where programs have the caller's own account, because they have no root of their own."""
    if "container" not in pool.preflight().layers:
        require_layers(pool, "mount")


@pytest.mark.usefixtures("account")
@pytest.mark.parametrize("ask", ASKS.values(), ids=ASKS)
def test_name_of_the_user(run, ask):
    """A program that asks for its user's name gets the same one, whatever it asks."""
    passes(run(f"import os\n{ask}", "assert name == os.environ['USER'] == 'candidate', name"))


def test_group_of_the_user(run):
    """A program's group has a name, by which the group is found too."""
    passes(run("import grp, os\ngroup = grp.getgrgid(os.getgid())", "assert grp.getgrnam(group.gr_name) == group"))


@pytest.mark.parametrize("path", ["~", "~candidate", "~/notes"])
def test_home_of_the_user(request, run, path):
    """A program's home is the folder that it begins in, and may be written to."""
    if "candidate" in path:
        request.getfixturevalue("account")
    passes(run(f"import os, pathlib\nhome = os.path.expanduser({path!r})\nbegan = os.getcwd()\n",
               f"assert home == began + {path.replace('~candidate', '~')[1:]!r} and pathlib.Path.home() == "
               "pathlib.Path(began)\nassert os.access(began, os.W_OK)"))  # fmt: skip


def test_unknown_users_are_key_errors(run):
    """A user or group that does not exist is a KeyError, and an argument of another type a TypeError."""
    passes(run("import grp, pwd\nfound = []", """
for look_up, key, error in [
    (pwd.getpwuid, 54321, KeyError), (pwd.getpwnam, "nobody-here", KeyError), (grp.getgrgid, 54321, KeyError),
    (grp.getgrnam, "nobody-here", KeyError), (pwd.getpwnam, 5, TypeError), (pwd.getpwuid, "x", TypeError),
]:
    try:
        found.append(look_up(key))
    except error:
        pass
assert not found, found
"""))  # fmt: skip


@pytest.mark.usefixtures("account")
def test_account_under_separate(pool):
    """Candidates and tests have the account under `separate` too."""
    candidate = "import getpass, os, pwd\ndef name(): return getpass.getuser() + pwd.getpwuid(os.getuid()).pw_name\n"
    tests = "import getpass\nassert name() == 2 * getpass.getuser() == 'candidatecandidate'"
    [verdict] = pool.run_all([Program(candidate, tests, Limits(wall_seconds=WALL_SECONDS), "separate")], 1)
    passes(verdict)


@pytest.mark.parametrize("isolation", ["auto", "off"])
def test_account_without_isolation(isolation):
    """A program has an account where there is no root of our own, too."""
    with opened_pool("subprocess", isolation=isolation) as pool:
        passes(pool.run_all([Program("import getpass, os, pwd\nname = pwd.getpwuid(os.getuid()).pw_name",
                                     "assert name == getpass.getuser() and os.path.expanduser('~') == os.getcwd()",
                                     Limits(wall_seconds=WALL_SECONDS))], 1)[0])  # fmt: skip


@pytest.fixture(scope="module")
def run_with_shell(sandbox_name):
    """Return a function that runs one program that is given a shell."""
    with opened_pool(sandbox_name, shell=True, **PERMISSIVE[sandbox_name]) as pool:
        yield lambda *texts: pool.run_all([Program(*texts, Limits(wall_seconds=WALL_SECONDS))], 1)[0]


def test_shell_runs_commands(run_with_shell):
    """With `shell=True` a program's os.system, os.popen and shell=True run commands."""
    passes(run_with_shell("import os, subprocess", """
assert os.waitstatus_to_exitcode(os.system("exit 3")) == 3
assert os.popen("echo $((1 + 2))").read() == "3\\n"
assert subprocess.check_output("echo a | tr a b", shell=True) == b"b\\n"
"""))  # fmt: skip


def test_shell_shows_no_more_of_the_machine(needs, run_with_shell):
    """With `shell=True` a program finds /bin, and in addition nothing but the interpreter's own folder."""
    needs("mount")
    found = run_with_shell("import os\nprint(*os.listdir('/'))", "").stdout.split()
    hidden = {"home", "root", "run", "srv", "boot", "media", "mnt", "sys"} - {
        Path(prefix).parts[1] for prefix in (sys.base_prefix, sys.prefix)
    }
    assert "bin" in found and not set(found) & hidden


SEES = """
import os
def command_line(pid):
    try:
        return open(f"/proc/{pid}/cmdline").read()
    except OSError:
        return ""
def pids():
    return [pid for pid in os.listdir("/proc") if pid.isdigit() and "1234" in command_line(pid)]
"""


def test_processes_of_a_shell_end_with_their_program(run_with_shell):
    """Processes that a shell leaves in the background end with their program."""
    # The shell does not wait until its background process is the command.
    waits = "import time\nwhile not pids(): time.sleep(0.01)"
    passes(run_with_shell("import os\nos.system('sleep 1234 &')" + SEES, waits))
    passes(run_with_shell(SEES, "assert not pids()"))
