"""Missing layers: if the kernel or a container forbids one, the others stay on, and a warning names it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.languages import require_command
from support.metric_and_command import ROOT, environment
from support.missing_layers import as_ordinary_user, python_without
from support.pools import require_layers
from support.requirements import unavailable
from support.socket_programs import REACH

# A guest takes every layer that the system allows, whatever backend started it.
pytestmark = [pytest.mark.slow, pytest.mark.parametrize("sandbox_name", ["subprocess"], indirect=True)]

TESTS = Path(__file__).parents[1]
NAMESPACES = {"user", "pid", "mount", "net", "ipc", "uts"}
# The layers that are missing where these system calls are refused.
LOST = {
    "unshare": NAMESPACES - {"user"},
    "unshare:but_user": NAMESPACES - {"user"},
    "mount": {"mount"},
    "mount_setattr": {"mount"},
    "seccomp": {"seccomp"},
    "mount,seccomp": {"mount", "seccomp"},
}
SCRIPT = """
import json, sys, warnings
from sandboxes import Limits, Outcome, Pool, Program, SandboxUnavailable, open_sandbox
said = {"strict": []}
strict = Pool(open_sandbox("subprocess", isolation="strict"))
for _ in range(2):
    try:
        strict.preflight()
    except SandboxUnavailable as error:
        said["strict"].append(str(error))
pool = Pool(open_sandbox("subprocess"))
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    for _ in range(2):
        verdicts = pool.run_all([Program("x = 1", ""), Program("x = 1", "assert x > 1")] * 3, 3)
    isolation = pool.preflight()
said["warnings"] = [str(warning.message) for warning in caught]
said["outcomes"] = [verdict.outcome.value for verdict in verdicts]
apart = [Program("def f(): return 1", f"assert f() == {n}", grading="separate") for n in (1, 2)]
said["apart"] = [verdict.outcome.value for verdict in pool.run_all(apart * 3, 2)]
said["layers"] = sorted({layer for verdict in verdicts for layer in verdict.isolation})
said["missing"] = isolation.missing
print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def said_without(pool):
    """Return a function that returns a script's findings where system calls are refused. Each script runs once."""
    if missing := pool.preflight().missing:
        unavailable(f"some layers are missing here in any case: {missing}")
    found = {}

    def said(calls):
        if calls not in found:
            done = python_without(calls, "-W", "error", "-c", SCRIPT)
            assert (done.returncode, done.stderr) == (0, "")
            found[calls] = json.loads(done.stdout)
        return found[calls]

    return said


@pytest.fixture(scope="module", params=LOST)
def calls(request):
    """Provide system calls that a container forbids."""
    return request.param


def test_the_rest_stays_on(said_without, calls, pool):
    """Exactly the layers that need a forbidden system call are missing."""
    said = said_without(calls)
    lost = set(pool.preflight().layers) - set(said["layers"])
    # If root has no user in its own namespace, it becomes another user, or stays root without its capabilities.
    assert lost - {"user"} == LOST[calls]
    assert "user" in said["layers"] or "user" in said["missing"]


def test_missing_layers_have_reasons(said_without, calls):
    """Each missing layer is reported with its reason."""
    missing = said_without(calls)["missing"]
    assert LOST[calls] <= set(missing)
    assert all(missing.values())


def test_verdicts_are_right_all_the_same(said_without, calls):
    """Programs pass and fail as they do with all layers."""
    assert said_without(calls)["outcomes"] == ["passed", "failed"] * 3
    assert said_without(calls)["apart"] == ["passed", "failed"] * 3


def test_one_warning_is_given(said_without, calls):
    """A process that runs programs is warned once, however many guests it has. The warning names the missing layers."""
    [warning] = said_without(calls)["warnings"]
    assert all(f"{layer} (" in warning for layer in LOST[calls])
    assert "code-eval doctor" in warning


def test_strict_refuses(said_without, calls):
    """With isolation="strict" no program runs, and the error names each missing layer and what to do."""
    first, second = said_without(calls)["strict"]
    assert first == second
    assert all(f"{layer} (" in first for layer in LOST[calls])
    assert 'isolation="auto"' in first


@pytest.mark.parametrize("calls", ["unshare", "mount,seccomp"])
def test_doctor_tells_what_is_missing(said_without, calls):
    """`code-eval doctor` says which layers are on, which are missing and why, and that programs run."""
    done = python_without(calls, "-m", "code_tasks.cli", "doctor")
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    assert {row[1] for row in rows if row[:1] == ["missing"]} >= LOST[calls]
    assert all(len(row) > 2 for row in rows if row[:1] == ["missing"])
    assert {row[1] for row in rows if row[:1] == ["on"]} == set(said_without(calls)["layers"])


def test_older_kernel_loses_nothing(said_without, pool):
    """A kernel without the newest calls has all layers too."""
    said = said_without("no:mount_setattr,no:pidfd_open")
    assert (said["missing"], set(said["layers"])) == ({}, set(pool.preflight().layers))


def test_a_limit_on_namespaces_is_told(pool):
    """A limit on user namespaces means that the layer which needs one is missing, or works by other means."""
    script = f"with open('/proc/sys/user/max_user_namespaces', 'w') as file:\n    file.write('0')\n{SCRIPT}"
    command = ["unshare", "--user", "--map-root-user", sys.executable, "-W", "error", "-c", script]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=900)
    if "unshare failed" in done.stderr or "PermissionError" in done.stderr:
        unavailable(f"no user namespace whose limits can be set: {done.stderr}")
    assert (done.returncode, done.stderr) == (0, "")
    said = json.loads(done.stdout)
    assert said["outcomes"] == ["passed", "failed"] * 3
    assert "user" in said["missing"]


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user has no powers to lose")
def test_root_that_can_not_be_left_changes_no_kernel_setting(pool):
    """When root can't become another user, that is reported, and programs still can't change the kernel's settings."""
    require_layers(pool, "mount")
    require_command("setpriv")
    candidate = "open('/proc/sys/kernel/core_pattern', 'r+b')"
    script = f"""
from sandboxes import Pool, Program, open_sandbox
pool = Pool(open_sandbox("subprocess"))
[verdict] = pool.run_all([Program({candidate!r}, "")], 1)
print("user" in verdict.isolation, verdict.exception_type)
pool.close()
"""
    command = ["setpriv", "--bounding-set=-setuid,-setgid", sys.executable, "-W", "ignore", "-c", script]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=900)
    assert done.stdout in ("False OSError\n", "False PermissionError\n"), done.stderr


@pytest.mark.slow(seconds=15)
@pytest.mark.parametrize("who", ["caller", "ordinary user"])
@pytest.mark.parametrize("calls", ["unshare", "unshare,seccomp"])
def test_conformance_holds_without_namespaces(pool, folder, calls, who):
    """Outcomes are right without namespaces too, and nothing outlives a program."""
    popen = {"variables": {"HOME": folder, "TMPDIR": folder, "CI": ""}}
    if who == "ordinary user":
        popen |= as_ordinary_user()
    chosen = "test_outcome_is_told_truly or test_hanging or outlives or fresh_after or processes"
    chosen += " or raw_run_attacks or beside"
    parts = ("outcomes", "endings", "limits", "raw_runs", "raw_run_attacks")
    files = [TESTS / "conformance" / f"test_{part}.py" for part in parts]
    options = ["-q", "-n", "0", "-p", "no:cacheprovider", "-W", "ignore::UserWarning"]
    options += ["-k", f"({chosen}) and subprocess"]
    done = python_without(calls, "-m", "pytest", *options, *files, **popen)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "skipped" not in done.stdout


SCRIPT_THAT_LOOKS_INTO_ITS_PARENT = """
from sandboxes import Pool, Program, open_sandbox
candidate = '''
def opened():
    with open("/proc/self/status") as status:
        parent = next(line.split()[1] for line in status if line.startswith("PPid:"))
    try:
        open("/proc/" + parent + "/mem", "r+b").close()
    except PermissionError:
        return False
    return True
'''
pool = Pool(open_sandbox("subprocess"))
[verdict] = pool.run_all([Program(candidate, "assert not opened()")], 1)
print(verdict.outcome.value, verdict.detail)
pool.close()
"""


@pytest.mark.parametrize("who", ["caller", "ordinary user"])
@pytest.mark.parametrize("calls", ["mount", "unshare:but_user", "unshare"])
def test_memory_of_the_fork_server_is_closed(pool, folder, calls, who):
    """Programs that can see their fork server can't open its memory, without Landlock too."""
    popen = {"variables": {"HOME": folder, "TMPDIR": folder, "CI": ""}}
    if who == "ordinary user":
        popen |= as_ordinary_user()
    script = SCRIPT_THAT_LOOKS_INTO_ITS_PARENT
    done = python_without(f"{calls},landlock_create_ruleset", "-W", "ignore", "-c", script, **popen)
    assert (done.stdout, done.stderr) == ("passed \n", "")


SCRIPT_WITH_LOOPBACK = """
import json
from sandboxes import Limits, Pool, Program, SandboxUnavailable, open_sandbox
pool = Pool(open_sandbox("subprocess", loopback=True))
try:
    pool.preflight()
except SandboxUnavailable as error:
    print(json.dumps([str(error)]))
pool.close()
"""


@pytest.mark.parametrize(("calls", "lacking"), [("unshare", "net"), ("mount", "mount")])
def test_no_loopback_without_the_layers_under_it(pool, calls, lacking):
    """A loopback network that would be the machine's own, or reach its Unix sockets, is refused with the reason."""
    done = python_without(calls, "-W", "ignore", "-c", SCRIPT_WITH_LOOPBACK)
    [said] = json.loads(done.stdout.splitlines()[-1])
    assert "needs the layers net and mount" in said and 'sandbox="docker"' in said, said


SCRIPT_WITH_PYTEST = """
import json
from sandboxes import EvalConfig, Evaluator, Task
tests = "import pytest\\nfrom candidate import f\\n"
tests += "@pytest.mark.parametrize('x', [1, 2])\\ndef test_f(x):\\n    assert f(x) == 1\\n"
with Evaluator(EvalConfig.from_options({})) as evaluator:
    results = evaluator.run([Task(tests, [f"def f(x):\\n    return {value}\\n" for value in (1, "x")])])
print(json.dumps([[[test.outcome.value for test in result.tests] for result in results], [*results[0].isolation]]))
"""


def test_tests_for_pytest_run_without_a_root_of_their_own(pool):
    """Pytest collects its file, and looks into none of the folders above it, which programs may not open."""
    done = python_without("unshare", "-W", "ignore", "-c", SCRIPT_WITH_PYTEST)
    assert done.returncode == 0, done.stderr
    outcomes, layers = json.loads(done.stdout.splitlines()[-1])
    assert outcomes == [["passed", "passed"], ["passed", "failed"]]
    assert "mount" not in layers


SCRIPT_OF_EXECUTION = """
import json, sys, warnings
from code_tasks.execution import CodeExecutionPassAtOne
from support.execution_records import RIGHT, TESTS
records = [{"completion": RIGHT, "context": {"test_code": TESTS}}] * 2
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    results = CodeExecutionPassAtOne("subprocess", progress=False).evaluate(records)
[refused] = CodeExecutionPassAtOne("subprocess", loopback=True, progress=False).evaluate(records[:1])
layers = sorted({layer for result in results for layer in result.isolation})
said = [str(warning.message) for warning in caught]
print(json.dumps([[result.value for result in results], layers, said, refused.error.message]))
"""


@pytest.mark.parametrize("calls", ["unshare", "mount"])
def test_code_execution_does_without_localhost(pool, calls):
    """Completions that nobody demands localhost for run without it, which one warning and each result say."""
    variables = {"PYTHONPATH": os.pathsep.join((str(ROOT), str(TESTS)))}
    done = python_without(calls, "-c", SCRIPT_OF_EXECUTION, variables=variables)
    assert done.returncode == 0, done.stderr
    values, layers, [warning], refused = json.loads(done.stdout.splitlines()[-1])
    assert values == [1.0, 1.0]
    assert "loopback" not in layers and "loopback (needs the layers" in warning
    assert refused.startswith("loopback=True, but candidates can have no network of their own here")


SCRIPT_WITH_A_SOCKET = """
import json, socket, sys
from sandboxes import Limits, Pool, Program, open_sandbox
listening = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listening.bind("")
listening.settimeout(0.2)
tests = f"assert attempts({listening.getsockname()!r}) > 0"
pool = Pool(open_sandbox("subprocess"))
[verdict] = pool.run_all([Program(sys.argv[1], tests, Limits(wall_seconds=20.0))], 1)
pool.close()
try:
    reached = listening.recv(10).decode()
except TimeoutError:
    reached = ""
print(json.dumps([verdict.outcome.value, verdict.detail, list(verdict.isolation), reached]))
"""


def test_unix_sockets_are_not_reached_without_a_network_of_their_own(pool):
    """Programs that can't have a network of their own still reach no Unix socket of the machine."""
    done = python_without("unshare", "-c", SCRIPT_WITH_A_SOCKET, REACH)
    outcome, detail, layers, reached = json.loads(done.stdout.splitlines()[-1])
    assert (outcome, detail, reached) == ("passed", "", "")
    assert "net" not in layers and "seccomp" in layers
