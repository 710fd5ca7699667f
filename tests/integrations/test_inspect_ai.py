"""The sandbox `code_eval` for Inspect: its own acceptance tests, its errors, and what is left behind."""

import asyncio
import contextvars
import gc
import os
import signal
import time
from types import SimpleNamespace

import psutil
import pytest

from support.frameworks import framework

framework("inspect_ai", "frameworks")

from inspect_ai.util import (  # noqa: E402
    OutputLimitExceededError,
    SandboxUnavailableError,
    SandboxUserUnsupportedError,
)
from inspect_ai.util._concurrency import init_concurrency  # noqa: E402
from inspect_ai.util._sandbox import self_check  # noqa: E402
from inspect_ai.util._sandbox.limits import override_max_exec_output_size  # noqa: E402
from inspect_ai.util._sandbox.registry import registry_find_sandboxenv  # noqa: E402

from code_tasks.adapters.inspect_ai import CodeEvalSandboxConfig  # noqa: E402
from code_tasks.adapters.inspect_ai.environment import require_asyncio  # noqa: E402

pytestmark = pytest.mark.slow

NEEDS_ROOT = "adds a user as root, and no process of this sandbox can become root"


@pytest.fixture(scope="module", autouse=True)
def consent():
    """Allow programs to run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HF_ALLOW_CODE_EVAL", "1")
        yield


@pytest.fixture(scope="module")
def sandbox_type():
    """Return the class that Inspect finds by the entry point."""
    return registry_find_sandboxenv("code_eval")


@pytest.fixture(scope="module")
def runner():
    """Return an object whose `run` uses one event loop for all tests of this file, and sees the test's context."""
    init_concurrency()
    with asyncio.Runner() as opened:
        yield SimpleNamespace(run=lambda coroutine: opened.run(coroutine, context=contextvars.copy_context()))


@pytest.fixture
def open_one(runner, sandbox_type):
    """Return a function that begins a sample, and ends it after the test."""
    begun = []

    def begin(config=None):
        environments = runner.run(sandbox_type.sample_init("task", config, {}))
        begun.append((config, environments))
        return environments["default"]

    yield begin
    for config, environments in begun:
        runner.run(sandbox_type.sample_cleanup("task", config, environments, False))
        assert environments["default"] not in sandbox_type._open


@pytest.fixture(scope="module")
def env(runner, sandbox_type):
    """Return an environment for all tests that leave it whole."""
    environments = runner.run(sandbox_type.sample_init("task", "subprocess", {}))
    yield environments["default"]
    runner.run(sandbox_type.sample_cleanup("task", "subprocess", environments, False))


@pytest.fixture
def ask(runner, env):
    """Return a function that runs a command and returns Inspect's result."""

    def run(cmd, **options):
        return runner.run(env.exec(cmd, **options))

    return run


def session_pid(env):
    """Return the process id of a session's guest."""
    return env.session._calls.connection.worker.process.pid


@pytest.mark.parametrize("name", self_check.__all__)
def test_inspects_own_acceptance_test(request, runner, env, name):
    """The sandbox passes Inspect's own list of promises. The one check that needs root is what this sandbox refuses."""
    if name == "test_exec_as_user":
        request.node.add_marker(pytest.mark.xfail(reason=NEEDS_ROOT, raises=SandboxUserUnsupportedError, strict=True))
    runner.run(getattr(self_check, name)(env))


def test_all_commands_run_as_one_user(ask):
    """A command may name the sandbox's own user, by name or number. Another one is refused and not ignored."""
    name, number = ask(["sh", "-c", "id -un; id -u"]).stdout.split()
    for user in (name, number):
        assert ask(["id", "-un"], user=user).stdout.strip() == name
    for user in ("root", "0", "nobody", ""):
        with pytest.raises(SandboxUserUnsupportedError, match=f"run as .*{name}.* alone"):
            ask(["true"], user=user)


@pytest.mark.parametrize("name", ["TERM", "KILL", "SEGV", "INT", "USR1"])
def test_signals_are_statuses_above_128(ask, name):
    """A command that a signal ended has the status that a shell gives it."""
    result = ask(["sh", "-c", f"kill -{name} $$"])
    assert (result.success, result.returncode) == (False, 128 + getattr(signal, "SIG" + name))


def test_real_time_signals_have_numbers_too(ask):
    """A signal without a name of its own is 128 and its number."""
    assert ask(["python3", "-c", "import os; os.kill(os.getpid(), 40)"]).returncode == 168


@pytest.mark.parametrize(
    ("cmd", "options", "status", "text"),
    [
        (["no-such-command"], {}, 127, "no-such-command"),
        (["true"], {"cwd": "/nowhere"}, 127, "/nowhere"),
        (["true"], {"cwd": "/etc/passwd"}, 126, "Not a directory"),
        (["true", "x" * (1 << 18)], {}, 126, "too long"),
        (["echo", "a\0b"], {}, 126, "null character"),
    ],
)
def test_commands_that_can_not_be_started(ask, cmd, options, status, text):
    """A command that can't be started is a failed result with a shell's status, and ends no sample."""
    result = ask(cmd, **options)
    assert (result.success, result.returncode) == (False, status)
    assert text in result.stderr


def test_a_model_may_write_anything(ask, runner, env):
    """A lone surrogate, which a model can write and UTF-8 can't, ends no sample."""
    assert not ask(["python3", "-"], input="print('\ud800')").success
    assert not ask(["echo", "\ud800"]).success
    runner.run(env.write_file("surrogate.txt", "\ud800"))
    with pytest.raises(UnicodeDecodeError):
        runner.run(env.read_file("surrogate.txt"))
    with pytest.raises(PermissionError):
        runner.run(env.read_file("\ud800"))


def test_a_time_out_keeps_the_output(ask):
    """The error of a command that took too long has what it wrote, which Inspect shows to the model."""
    with pytest.raises(TimeoutError, match="more than 1 s") as raised:
        ask(["sh", "-c", "echo before; sleep 60"], timeout=1)
    assert raised.value.truncated_output == "before\n"


def test_too_much_output_is_an_error(ask):
    """Output above Inspect's limit of the call is Inspect's error, with the beginning of the output."""
    with override_max_exec_output_size(1024), pytest.raises(OutputLimitExceededError, match="1 KiB") as raised:
        ask(["head", "-c", "4096", "/dev/zero"])
    assert raised.value.truncated_output == "\0" * 1024
    with override_max_exec_output_size(20 << 20):
        assert len(ask(["head", "-c", str(15 << 20), "/dev/zero"]).stdout) == 15 << 20


def test_too_much_memory_ends_a_command_and_no_sample(open_one, runner):
    """A command beyond the memory limit has the status of a killed one, and its error output says why."""
    env = open_one(CodeEvalSandboxConfig(limits={"memory_bytes": 256 << 20}))
    result = runner.run(env.exec(["python3", "-c", "a = b'x' * (1 << 30)\nimport time; time.sleep(60)"]))
    assert (result.success, result.returncode) == (False, 137)
    assert "256 MiB" in result.stderr
    assert runner.run(env.exec(["echo", "on"])).stdout == "on\n"


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("pipe", PermissionError),
        ("loop", PermissionError),
        ("file/below", FileNotFoundError),
        ("x" * 5000, PermissionError),
        ("", FileNotFoundError),
        ("a\0b", FileNotFoundError),
        ("/dev/zero", PermissionError),
    ],
)
def test_strange_files_end_no_sample(ask, runner, env, name, error):
    """Whatever a program made of a file, reading and writing raise an error that Inspect shows to the model."""
    ask(["sh", "-c", "test -p pipe || mkfifo pipe; ln -sf loop loop; touch file"])
    with pytest.raises(error):
        runner.run(env.read_file(name, text=False))
    with pytest.raises((PermissionError, FileNotFoundError)):
        runner.run(env.write_file(name, "x"))


def test_a_file_that_is_too_large_for_the_sandbox(open_one, runner):
    """A file above the sandbox's own limit is an error that Inspect shows."""
    env = open_one(CodeEvalSandboxConfig(limits={"file_bytes": 1 << 20}))
    with pytest.raises((PermissionError, OutputLimitExceededError)):
        runner.run(env.write_file("large", b"x" * (2 << 20)))
    assert runner.run(env.exec(["true"])).success


def test_a_broken_sandbox_is_no_result(open_one, runner):
    """If a session's guest dies, its calls raise Inspect's error for that, and other samples go on."""
    broken, whole = open_one(), open_one()
    os.kill(session_pid(broken), signal.SIGKILL)
    for call in (lambda: broken.exec(["true"]), lambda: broken.read_file("x"), lambda: broken.write_file("x", "y")):
        with pytest.raises(SandboxUnavailableError, match="session"):
            runner.run(call())
    assert runner.run(whole.exec(["true"])).success


def test_a_program_that_kills_all_ends_only_its_own_sample(open_one, runner):
    """`kill -9 -1` and a fork bomb end what their own sample runs. Its files stay, and it goes on."""
    attacker, neighbour = open_one(), open_one()
    started = runner.run(neighbour.exec(["sh", "-c", "sleep 600 >/dev/null 2>&1 & echo $!"])).stdout.strip()
    runner.run(attacker.write_file("kept.txt", "kept"))
    runner.run(attacker.exec(["sh", "-c", "kill -9 -1; kill -9 1; kill -9 $PPID"]))
    with pytest.raises(TimeoutError):
        runner.run(attacker.exec(["sh", "-c", "bomb() { bomb | bomb & }; bomb; sleep 60"], timeout=1))
    runner.run(attacker.exec(["sh", "-c", "kill -9 -1"]))
    assert runner.run(neighbour.exec(["kill", "-0", started])).success
    assert runner.run(attacker.read_file("kept.txt")) == "kept"
    assert runner.run(attacker.exec(["echo", "on"])).stdout == "on\n"


def test_samples_see_nothing_of_each_other(open_one, runner, tmp_path):
    """A sample's programs see no file and no process of another one, and none of this machine's, such as the log."""
    (tmp_path / "log.json").write_text("secret")
    one, other = open_one(), open_one()
    runner.run(one.write_file("/tmp/mine.txt", "mine"))
    runner.run(one.exec(["sh", "-c", "sleep 654 >/dev/null 2>&1 &"]))
    looked = f"ls {tmp_path} /tmp /work /dev/shm; cat /proc/[0-9]*/cmdline; cat /proc/[0-9]*/environ; env"
    seen = runner.run(other.exec(["sh", "-c", looked])).stdout
    for text in ("mine.txt", "654", "log.json", "HF_ALLOW_CODE_EVAL"):
        assert text not in seen
    assert not runner.run(other.exec(["cat", str(tmp_path / "log.json")])).success


def test_a_cancelled_command_ends(open_one, runner):
    """If Inspect gives a call up, as a sample's time limit does, its command ends."""
    env = open_one()

    async def give_up():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(1):
                await env.exec(["sleep", "678"])
        for _ in range(100):
            if not (await env.exec(["grep", "-l", "6[7]8", "-r", "/proc", "--include=cmdline"])).stdout:
                return True
            await asyncio.sleep(0.1)
        return False

    assert runner.run(give_up())


def test_a_cancelled_sample_leaves_nothing(runner, sandbox_type):
    """A sample that is cancelled while its sandbox starts, or while it ends, leaves no session."""

    async def cancel(seconds):
        task = asyncio.ensure_future(sandbox_type.sample_init("task", None, {}))
        await asyncio.sleep(seconds)
        task.cancel()
        try:
            environments = await task
        except asyncio.CancelledError:
            return
        ending = asyncio.ensure_future(sandbox_type.sample_cleanup("task", None, environments, True))
        await asyncio.sleep(0)
        ending.cancel()
        await asyncio.gather(ending, return_exceptions=True)

    before = {child.pid for child in psutil.Process().children(recursive=True)}
    for seconds in (0, 0.001, 0.02, 0.05, 0.2):
        runner.run(cancel(seconds))
    assert None not in sandbox_type._open.values()
    assert wait_for_children(before)


def test_another_event_loop_is_refused():
    """Under trio, which Inspect can be set to, there is one clear error."""
    with pytest.raises(RuntimeError, match="INSPECT_ASYNC_BACKEND"):
        require_asyncio()


def test_the_end_of_a_task_leaves_nothing(runner, sandbox_type):
    """`task_cleanup` ends sessions whose samples did not, unless the user wants to keep them."""
    before = dict(sandbox_type._open)
    left = runner.run(sandbox_type.sample_init("task", None, {}))["default"]
    runner.run(sandbox_type.task_cleanup("shutdown", None, False))
    assert runner.run(left.exec(["true"])).success
    runner.run(sandbox_type.task_cleanup("shutdown", None, True))
    assert sandbox_type._open == before
    with pytest.raises(SandboxUnavailableError, match="closed"):
        runner.run(left.exec(["true"]))


def test_many_commands_in_many_samples_leave_nothing(runner, sandbox_type):
    """500 commands at once over 20 samples, with processes in the background, leave no process and no folder."""
    before = {child.pid for child in psutil.Process().children(recursive=True)}

    async def one_sample(number):
        environments = await sandbox_type.sample_init("many", None, {})
        env = environments["default"]
        command = f"echo {number} >> all.txt; sleep 300 >/dev/null 2>&1 & echo {number}"
        results = await asyncio.gather(*(env.exec(["sh", "-c", command], timeout=300) for _ in range(25)))
        lines = await env.read_file("all.txt")
        await sandbox_type.sample_cleanup("many", None, environments, False)
        return [result.stdout.strip() for result in results], lines.split()

    async def all_samples():
        return await asyncio.gather(*map(one_sample, range(20)))

    for number, (outputs, lines) in enumerate(runner.run(all_samples())):
        assert outputs == lines == [str(number)] * 25
    gc.collect()
    assert wait_for_children(before)


def wait_for_children(known):
    """Return whether this process soon has no other children than these."""
    for _ in range(200):
        if {child.pid for child in psutil.Process().children(recursive=True)} <= known:
            return True
        time.sleep(0.05)
    return False
