"""OpenEnv's own server and client observe what code does in a session, and answers are graded elsewhere."""

import asyncio
import functools
import subprocess
import sys
import threading
import time

import httpx
import psutil
import pytest

from support.frameworks import framework

framework("openenv", "frameworks")

from openenv.core import GenericEnvClient  # noqa: E402

from code_tasks.adapters import openenv as adapter  # noqa: E402
from code_tasks.adapters.openenv import CodeAction, CodingEnv, CodingEnvironment, create_coding_app  # noqa: E402
from sandboxes import EvalConfig, SandboxUnavailable, SessionEnded, SessionLimits  # noqa: E402
from support.metric_and_command import RIGHT, ROOT, TESTS, WRONG  # noqa: E402
from support.observers import all_gone, processes_with, wait_until  # noqa: E402
from support.openenv_server import serving  # noqa: E402
from support.pages import blocks_of  # noqa: E402
from support.requirements import WALL_SECONDS  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    # uvicorn, fastapi and websockets deprecate what OpenEnv and each other use.
    pytest.mark.filterwarnings("default::DeprecationWarning"),
]

EXAMPLE = ROOT / "examples" / "integrations" / "openenv_coding"


@pytest.fixture(scope="module")
def address():
    """Serve an environment to all tests of the file."""
    app = create_coding_app(max_concurrent_envs=128, step_seconds=WALL_SECONDS, timeout=20, memory_mb=512)
    with serving(app) as address:
        yield address


@pytest.fixture
def env(address):
    """Return a client that is connected."""
    with connected(address) as env:
        yield env


def connected(address):
    """Return a client, as a context manager that connects it."""
    return CodingEnv(base_url=address, connect_timeout_s=WALL_SECONDS, message_timeout_s=2 * WALL_SECONDS).sync()


def run(env, code, **more):
    """Run code, and return the observation."""
    return env.step(CodeAction(code=code, **more)).observation


def made(max_steps=None, **limits):
    """Return an environment without a server."""
    config = EvalConfig.from_options({"grading": "separate", "timeout": 20.0})
    return CodingEnvironment(config, SessionLimits(**{"call_seconds": WALL_SECONDS, **limits}), max_steps)


def guest_of(environment):
    """Return the first process of an environment's session."""
    return psutil.Process(environment._session._calls.connection.worker.process.pid)


def test_an_episode(env):
    """Variables and files stay in an episode, and a reset makes them go."""
    first = env.reset(episode_id="mine")
    assert (first.done, first.reward, first.observation.exit_code) == (False, None, 0)
    run(env, "x = 20\nopen('kept', 'w').write('kept')")
    seen = run(env, "import sys\nprint('out')\nprint('err', file=sys.stderr)\nx + 22")
    assert (seen.stdout, seen.stderr, seen.exit_code, seen.metadata) == ("out\n", "err\n", 0, {"value": "42"})
    failed = run(env, "1 / 0")
    assert failed.exit_code == 1 and "ZeroDivisionError: division by zero" in failed.stderr
    state = env.state()
    assert (state.episode_id, state.step_count, state.last_exit_code) == ("mine", 3, 1)
    env.reset()
    assert "NameError" in run(env, "x").stderr and "FileNotFoundError" in run(env, "open('kept')").stderr
    assert env.state().episode_id != "mine" and env.state().step_count == 2


def test_answers_are_graded(env):
    """An answer that passes has reward 1, another one 0, and either ends the episode."""
    for answer, reward, outcome in ((RIGHT, 1.0, "passed"), (WRONG, 0.0, "failed")):
        env.reset(tests=TESTS)
        assert env.step(CodeAction(code=answer)).reward is None
        result = env.step(CodeAction(code=answer, submit=True))
        assert (result.reward, result.done) == (reward, True)
        assert result.observation.metadata == {"outcome": outcome}
        with pytest.raises(RuntimeError, match="the episode has ended; reset the environment"):
            run(env, "1")


def test_answers_by_cases(env):
    """Tests may be cases, as the references of `compute`."""
    env.reset(tests=[{"input": "2 3\n", "output": "5"}])
    assert env.step(CodeAction(code="print(sum(map(int, input().split())))", submit=True)).reward == 1.0


HOSTILE_ANSWERS = {
    "equals all": "class Same:\n    def __eq__(self, other): return True\ndef add(a, b): return Same()",
    "exits": "import os\nos._exit(0)",
    "kills its parent": "import os\nos.kill(os.getppid(), 9)\nos.kill(-1, 9)",
    "fills the memory": "x = bytearray(1 << 34)",
    "reads the tests": "import glob\nprint([open(each).read() for each in glob.glob('/proc/*/cmdline')])\nadd = None",
}


@pytest.mark.parametrize("name", HOSTILE_ANSWERS)
def test_hostile_answers_have_no_reward(env, name):
    """An answer can't forge a pass."""
    env.reset(tests=TESTS)
    assert env.step(CodeAction(code=HOSTILE_ANSWERS[name], submit=True)).reward == 0.0


def test_the_session_does_not_have_the_tests(env):
    """Tests of an episode are nowhere in its session."""
    env.reset(tests="# hidden-98171\nassert True")
    seen = run(
        env,
        "import gc, glob, os, subprocess, sys\n"
        "texts = [str(each) for each in gc.get_objects()] + [str(dict(os.environ))]\n"
        "paths = glob.glob('/proc/[0-9]*/*')\n"
        "for folder, folders, files in os.walk('/tmp'):\n"
        # CI's environment, which the session sees, is in /tmp too, and has thousands of files.
        "    folders[:] = [each for each in folders if os.path.join(folder, each) not in '\\n'.join(sys.path)]\n"
        "    paths += [os.path.join(folder, each) for each in files]\n"
        "for path in paths:\n"
        "    try: texts.append(open(path, errors='replace').read(1 << 20))\n"
        "    except OSError: pass\n"
        "print('hidden-981' + '71' in ''.join(texts))",
    )
    assert seen.stdout == "False\n"


def test_an_answer_without_tests(env):
    """An answer needs tests, and invalid tests are refused by `reset`."""
    env.reset()
    with pytest.raises(RuntimeError, match="this episode has no tests"):
        run(env, RIGHT, submit=True)
    with pytest.raises(RuntimeError, match="reset takes seed, episode_id and tests, not test"):
        env.reset(test=TESTS)
    assert run(env, "1").exit_code == 0


def test_a_closed_environment_opens_no_session():
    """A step that arrives after the client has gone is an error."""
    environment = made()
    environment.reset()
    environment.close()
    with pytest.raises(ValueError, match="the episode has ended"):
        environment.step(CodeAction(code="1"))
    assert environment._session is None


def test_partial_credit_and_steps():
    """With partial credit the reward is the passed share. An episode that runs out of steps gets 0."""
    config = EvalConfig.from_options({"grading": "separate", "partial_credit": True, "timeout": 20.0})
    environment = CodingEnvironment(config, SessionLimits(), max_steps=2)
    environment.reset(tests=[{"input": "1", "output": "1"}, {"input": "2", "output": "1"}])
    assert environment.step(CodeAction(code="print(1)", submit=True)).reward == 1.0
    environment.reset(tests=[{"input": "1", "output": "1"}, {"input": "2", "output": "2"}])
    assert environment.step(CodeAction(code="print(1)", submit=True)).reward == 0.5
    environment.reset(tests="pass")
    assert not environment.step(CodeAction(code="1")).done
    last = environment.step(CodeAction(code="1"))
    assert (last.done, last.reward) == (True, 0.0)
    environment.close()


def test_a_time_out_and_lost_variables():
    """A step that takes too long says whether the variables are kept."""
    environment = made()
    environment.reset()
    environment.step(CodeAction(code="x = 1"))
    interrupted = environment.step(CodeAction(code="while True: pass"), timeout_s=1)
    assert interrupted.exit_code == 1 and interrupted.metadata["limit"] == "timed_out"
    assert "state_lost" not in interrupted.metadata
    assert environment.step(CodeAction(code="x")).metadata["value"] == "1"
    lost = environment.step(CodeAction(code="import os\nos._exit(3)"))
    assert lost.metadata["state_lost"] is True and "variables are lost" in lost.stderr
    assert environment.step(CodeAction(code="x")).exit_code == 1
    environment.close()


def test_a_broken_sandbox_is_no_reward(env, monkeypatch):
    """A broken sandbox is an error, and no reward. The next answer is graded, and the next session opens."""
    env.reset(tests=TESTS)
    with monkeypatch.context() as patch:
        broken = SandboxUnavailable("the disk is full")
        patch.setattr(adapter.Evaluator, "run", lambda *arguments, **options: [broken])
        with pytest.raises(RuntimeError, match="the disk is full"):
            run(env, RIGHT, submit=True)
    assert env.step(CodeAction(code=RIGHT, submit=True)).reward == 1.0
    with monkeypatch.context() as patch:
        patch.setattr("sandboxes.sessions.connection.START_TIMEOUT_SECONDS", 0)
        with pytest.raises(RuntimeError, match="does not start"):
            env.reset()
    assert run(env, "1").exit_code == 0


def test_a_session_that_broke_or_expired():
    """A session that is gone is an error that says why, until the environment is reset."""
    environment = made(idle_seconds=0.5)
    environment.reset()
    session = environment._session
    assert wait_until(lambda: session.end_reason is not None, WALL_SECONDS)
    with pytest.raises(SessionEnded, match="idle for 0.5 s; reset the environment"):
        environment.step(CodeAction(code="1"))
    environment = made()
    environment.reset()
    guest_of(environment).kill()
    with pytest.raises(SessionEnded, match="its guest broke.*; reset the environment"):
        environment.step(CodeAction(code="1"))
    environment.reset()
    assert environment.step(CodeAction(code="1")).exit_code == 0
    environment.close()


def test_plain_requests(address):
    """OpenEnv's plain HTTP has an environment for each request. It ends with the request, and has no state."""
    before = len(psutil.Process().children(recursive=True))
    with httpx.Client(base_url=address, timeout=2 * WALL_SECONDS) as client:
        reset = client.post("/reset", json={"episode_id": "x", "tests": TESTS}).json()
        assert reset["done"] is False and reset["observation"]["exit_code"] == 0
        step = client.post("/step", json={"action": {"code": "print(6 * 7)"}, "request_id": "r"}).json()
        assert step["observation"]["stdout"] == "42\n"
        slow = client.post("/step", json={"action": {"code": "while True: pass"}, "timeout_s": 0.5}).json()
        assert slow["observation"]["metadata"]["limit"] == "timed_out"
        assert client.post("/step", json={"action": {"codes": "1"}}).status_code == 422
        assert client.get("/health").json()["status"] == "healthy"
        assert client.get("/state").json()["step_count"] == 0
        assert client.get("/metadata").json()["name"] == "coding_env"
        schema = client.get("/schema").json()
        assert {"code", "submit"} <= set(schema["action"]["properties"])
        assert {"stdout", "stderr", "exit_code", "reward", "done"} <= set(schema["observation"]["properties"])
    assert wait_until(lambda: len(psutil.Process().children(recursive=True)) <= before, WALL_SECONDS)


def test_a_generic_client(address):
    """OpenEnv's client without types gets the same."""
    with GenericEnvClient(base_url=address, message_timeout_s=2 * WALL_SECONDS).sync() as env:
        env.reset()
        assert env.step({"code": "print(1)"}).observation["stdout"] == "1\n"


HOSTILE_STEPS = [
    "import os\nfor pid in (os.getppid(), 1, -1):\n    try: os.kill(pid, 9)\n    except OSError: pass",
    "import os\nwhile True:\n    try: os.fork() or os.setsid()\n    except OSError: os.kill(os.getpid(), 9)",
    "x = []\nwhile True: x.append(b'x' * (1 << 24))",
    "while True: print('x' * 9999)",
    "import os\nfor fd in range(3, 99):\n    try: os.write(fd, b'D' * 99999)\n    except OSError: pass",
    "print('\\x00\\ud800')",
    "raise type('\\x00', (BaseException,), {'__str__': lambda self: '\\udc80' * 9999})",
    "import socket\nsocket.create_connection(('127.0.0.1', 80))",
    "open('/tmp/shared-98172', 'w').write('x')\nimport signal\nsignal.signal(2, signal.SIG_IGN)\nwhile True: pass",
]


@pytest.mark.parametrize("code", HOSTILE_STEPS)
def test_hostile_steps_hurt_their_own_session_alone(address, env, code):
    """The client gets an observation of hostile code. Others notice nothing, and the server goes on."""
    app = create_coding_app(step_seconds=2, memory_mb=256, max_processes=32)
    env.reset()
    run(env, "bystander = 'here'")
    with serving(app) as other, connected(other) as attacker:
        attacker.reset()
        observation = run(attacker, code)
        assert len(observation.stdout) <= adapter.OUTPUT_BYTES
        assert run(env, "import os\nos.path.exists('/tmp/shared-98172')").metadata["value"] == "False"
        attacker.reset()
        assert run(attacker, "1 + 1").metadata["value"] == "2"
    assert run(env, "bystander").metadata["value"] == "'here'"


def test_a_hundred_sessions_leave_nothing(address):
    """A hundred clients have a session each at the same time, see only their own, and leave nothing when they go."""
    children = {each.pid for each in psutil.Process().children(recursive=True)}
    threads = threading.active_count()

    async def one(number, opened):
        client = CodingEnv(base_url=address, connect_timeout_s=300, message_timeout_s=300)
        async with client as env:
            await env.reset()
            code = f"import subprocess\nnumber = {number}\nsubprocess.Popen(['sleep', '98173'], start_new_session=True)"
            await env.step(CodeAction(code=code))
            opened.append(number)
            while len(opened) < 100:
                await asyncio.sleep(0.05)
            observation = (await env.step(CodeAction(code="print(number)"))).observation
            if number % 2:
                # The other half goes without a word.
                await env.close()
            return observation.stdout

    async def all_of_them():
        opened = []
        return await asyncio.gather(*(one(number, opened) for number in range(100)))

    assert asyncio.run(all_of_them()) == [f"{number}\n" for number in range(100)]
    assert all_gone("98173")
    left = lambda: {each.pid for each in psutil.Process().children(recursive=True)} - children  # noqa: E731
    assert wait_until(lambda: not left(), WALL_SECONDS)
    assert wait_until(lambda: threading.active_count() <= threads + 40, WALL_SECONDS)


def test_a_client_that_goes_in_the_middle_of_a_step(address):
    """A step whose client has gone ends with its limit, and so does its session."""
    app = create_coding_app(step_seconds=3)
    with serving(app) as short:

        async def leave():
            client = CodingEnv(base_url=short, message_timeout_s=WALL_SECONDS)
            await client.connect()
            await client.reset()
            step = asyncio.ensure_future(client.step(CodeAction(code="import os\nos.system('sleep 98174')")))
            await asyncio.sleep(1)
            step.cancel()
            client._ws.transport.abort()

        asyncio.run(leave())
        assert wait_until(lambda: not processes_with("98174"), WALL_SECONDS)


def test_answers_wait_for_a_place(monkeypatch):
    """Answers of many clients are graded as many at once as there are workers, and each gets its own reward."""
    running, most = set(), []
    real = adapter.Evaluator.run

    def counted(evaluator, tasks, **options):
        running.add(threading.get_ident())
        most.append(len(running))
        try:
            return real(evaluator, tasks, **options)
        finally:
            running.discard(threading.get_ident())

    monkeypatch.setattr(adapter.Evaluator, "run", counted)

    async def one(address, number):
        async with CodingEnv(base_url=address, connect_timeout_s=300, message_timeout_s=300) as env:
            await env.reset(tests=TESTS)
            return (await env.step(CodeAction(code=RIGHT if number % 2 else WRONG, submit=True))).reward

    async def all_of_them(address):
        return await asyncio.gather(*(one(address, number) for number in range(12)))

    with serving(create_coding_app(num_workers=2, timeout=20)) as two:
        assert asyncio.run(all_of_them(two)) == [float(number % 2) for number in range(12)]
    assert max(most) <= 2


def test_more_clients_than_allowed():
    """A client beyond the limit is refused, and its place is free again when another goes."""
    with serving(create_coding_app(max_concurrent_envs=1)) as address:
        with connected(address) as env:
            env.reset()
            with pytest.raises(RuntimeError, match="(?i)capacity"), connected(address) as other:
                other.reset()
        time.sleep(0.5)
        with connected(address) as env:
            env.reset()


def test_arguments_are_checked(monkeypatch):
    """An invalid option is one error that names it, before anything is served."""
    for options, message in (
        ({"k": 1}, "there is no option 'k' here"),
        ({"step_seconds": 0}, "step_seconds"),
        ({"max_steps": 0}, "max_steps"),
        ({"max_concurrent_envs": 0}, "max_concurrent_envs"),
        ({"timeout": -1}, "timeout"),
    ):
        with pytest.raises((TypeError, ValueError), match=message):
            create_coding_app(**options)
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL")
    with pytest.raises(ValueError, match="HF_ALLOW_CODE_EVAL"):
        create_coding_app()


def test_the_page(capsys):
    """The lines of docs/integrations/openenv.md serve an environment, and play an episode with it."""
    page = (ROOT / "docs" / "integrations" / "openenv.md").read_text(encoding="utf-8")
    server, client = blocks_of(page, "python")
    names = {}
    exec(server.code, names)
    with serving(names["app"]) as address:
        exec(client.code.replace("http://localhost:8000", address), names)
    assert capsys.readouterr().out == "42\n1.0\n"


def test_the_example():
    """The example serves its environment, and plays two episodes."""
    command = functools.partial(subprocess.run, capture_output=True, text=True, cwd=EXAMPLE)
    done = command([sys.executable, "-W", "ignore", "episode.py"])
    assert done.returncode == 0, done.stderr
    assert done.stdout == "tried: 6 reward: 0.0\ntried: 5 reward: 1.0\n"


def test_openenv_accepts_the_server(address):
    """OpenEnv's own check of a running server has nothing against it."""
    from openenv.cli._validation import validate_running_environment

    report = validate_running_environment(address, timeout_s=WALL_SECONDS)
    assert report["passed"], report


def test_openenv_accepts_the_example():
    """OpenEnv's own check of an environment's folder has nothing against it but the lock file that `uv lock` makes."""
    from openenv.cli._validation import validate_multi_mode_deployment

    _, issues = validate_multi_mode_deployment(EXAMPLE)
    assert [issue for issue in issues if "uv.lock" not in issue] == []
