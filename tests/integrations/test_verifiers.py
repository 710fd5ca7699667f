"""Rewards in verifiers' own evaluations: its runner, environment, rollouts, interception and traces call ours."""

import asyncio
import json
import re
import subprocess
import sys
import textwrap
import types
from pathlib import Path
from typing import Any

import psutil
import pytest

import sandboxes
from support.chat_server import Reply, chat_server
from support.frameworks import framework
from support.languages import each_of
from support.metric_and_command import RIGHT, ROOT, SECONDS, TESTS, WRONG, environment
from support.run_files import write_lines

vf = framework("verifiers.v1", "verifiers")

from verifiers.v1.cli.eval.runner import run_eval  # noqa: E402

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
EXAMPLES = ROOT / "examples" / "integrations"
PROBLEMS = [json.loads(line) for line in (ROOT / "examples" / "problems.jsonl").read_text().splitlines()]
REWARD = "code_tasks.adapters.verifiers:code_reward"
HOSTILE = {
    "equal": "class Same:\n    def __eq__(self, other): return True\ndef add(a, b): return Same()",
    "exit": "import os\nos._exit(0)",
    "kill": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos.kill(-1, signal.SIGKILL)",
    "memory": "held = [bytearray(1 << 26) for _ in range(1 << 10)]\ndef add(a, b): return a + b",
    "frames": "import sys\ndef add(a, b):\n    for frame in sys._current_frames().values():\n"
    "        while frame:\n            frame.f_globals['add'] = lambda *_: 5\n            frame = frame.f_back\n"
    "    return 6",
    "forged report": 'import os\nfor fd in range(3, 64):\n    try: os.write(fd, b\'{"outcome": "passed"}\')\n'
    "    except OSError: pass\ndef add(a, b): return 6",
}


class TestsData(vf.TaskData):
    """A task of a user's own taskset."""

    __test__ = False
    tests: Any = None


class TestsTask(vf.Task[TestsData, vf.State, vf.TaskConfig]):
    __test__ = False


class TestsTaskset(vf.Taskset[TestsTask, vf.TasksetConfig]):
    """The tasks that a test puts here."""

    __test__ = False
    rows: list = []

    def load(self):
        """Yield the tasks."""
        return [TestsTask(TestsData(**row), self.config.task) for row in self.rows]


@pytest.fixture(autouse=True)
def plugins(monkeypatch):
    """Let verifiers find the taskset of this file, and the example's harness."""
    module = types.ModuleType("tests_taskset")
    module.TestsTaskset, module.__all__ = TestsTaskset, ["TestsTaskset"]
    monkeypatch.setitem(sys.modules, "tests_taskset", module)
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.setenv("NO_KEY", "x")


def evaluated(taskset, replies, folder, **agent):
    """Return the trace of each task, in the tasks' order, after an evaluation by verifiers.

    Args:
        taskset: the part [env.taskset] of the configuration.
        replies: {text of a prompt: the model's reply}.
        folder: gets the traces.
        agent: more of [env.agent].
    """
    import verifiers_eval

    def reply(request, number):
        """Return the reply to the prompt of a request."""
        prompt = request["messages"][-1]["content"]
        return Reply(next(text for key, text in replies.items() if key in prompt))

    with chat_server(reply) as server:
        config = verifiers_eval.eval_config(server.url, folder, {"taskset": taskset})
        env = config.env.model_dump(mode="json")
        env["agent"] |= agent
        config = verifiers_eval.eval_config(server.url, folder, env)
        episodes = asyncio.run(run_eval(config))
    traces = [trace for episode in episodes for trace in episode.traces]
    return sorted(traces, key=lambda trace: trace.task.data.idx)


def plugged(rows, folder, reward=REWARD, **agent):
    """Return the traces of (tests, reply) rows, with a reward that the configuration names."""
    TestsTaskset.rows = [{"prompt": f"question {n}.", "tests": tests} for n, (tests, _) in enumerate(rows)]
    replies = {f"question {n}.": reply for n, (_, reply) in enumerate(rows)}
    task = {"rewards": {"code": {"fn": reward, "weight": 2.0}}}
    return evaluated({"id": "tests-taskset", "task": task}, replies, folder, **agent)


def own_reward(monkeypatch, **options):
    """Return the name of a reward with these options, in a module as a user writes it."""
    from code_tasks.adapters.verifiers import make_code_reward

    module = types.ModuleType("own_rewards")
    module.reward = make_code_reward(**options)
    monkeypatch.setitem(sys.modules, "own_rewards", module)
    return "own_rewards.reward"


def fenced(code):
    """Return a chat model's answer."""
    return f"<think>Hm.</think>Here it is:\n\n```python\n{code}\n```\n"


def outcomes(traces):
    """Return the outcome that each trace records."""
    return [trace.info["code_eval"]["outcome"] for trace in traces]


def test_reward_by_its_name(tmp_path):
    """A right candidate gets the reward with its weight, a wrong one, prose and one that hangs get 0."""
    cases = {"inputs": ["2 3\n"], "outputs": ["5\n"]}
    adder = "a, b = map(int, input().split())\nprint(a + b)"
    rows = [
        (TESTS, fenced(RIGHT)),
        (TESTS, fenced(WRONG)),
        (TESTS, "I don't know."),
        (TESTS, fenced("def add(a, b):\n    while True: pass")),
        (cases, fenced(adder)),
    ]
    traces = plugged(rows, tmp_path)
    assert [trace.reward for trace in traces] == [2, 0, 0, 0, 2]
    assert all(trace.ok and trace.rewards["code"].weight == 2 for trace in traces)
    assert outcomes(traces)[3:] == ["timed_out", "passed"]
    verdict = traces[1].info["code_eval"]
    assert (verdict["outcome"], verdict["grading"]) == ("failed", "separate") and "not the sum" in verdict["detail"]
    [file] = tmp_path.rglob("traces.jsonl")
    assert '"code_eval"' in file.read_text()


def test_hostile(tmp_path):
    """A candidate that forges a pass, kills or fills memory gets 0, and later ones are judged rightly."""
    rows = [(TESTS, fenced(code)) for code in HOSTILE.values()] + [(TESTS, fenced(RIGHT))]
    traces = plugged(rows, tmp_path)
    assert [trace.reward for trace in traces] == [0] * len(HOSTILE) + [2]
    assert all(trace.ok for trace in traces)


def test_broken_sandbox(tmp_path, monkeypatch):
    """A sandbox that breaks is an error of the rollout, of the type that verifiers has for it, and no reward."""
    pool = sandboxes.warm_pool(sandboxes.open_sandbox("subprocess"))
    run = pool.run

    def failing(programs, controls, on_result):
        """Fail for the candidates with a mark."""
        broken = {index: program for index, program in programs.items() if "MARK" in program.candidate}
        for index in broken:
            on_result(index, sandboxes.SandboxUnavailable("the disk is full"))
        if others := {index: program for index, program in programs.items() if index not in broken}:
            run(others, controls, on_result)

    monkeypatch.setattr(pool, "run", failing)
    [right, broken] = plugged([(TESTS, fenced(RIGHT)), (TESTS, fenced(f"{RIGHT}  # MARK"))], tmp_path)
    assert (right.ok, right.reward) == (True, 2)
    assert not broken.ok and broken.rewards == {"code": None}
    assert broken.last_error.type == "SandboxError" and "the disk is full" in broken.last_error.message


def test_missing_sandbox(tmp_path, monkeypatch):
    """A sandbox that does not start at all is no reward either. verifiers runs the rollout again, if it is told to."""
    reward = own_reward(monkeypatch, sandbox="docker", docker_host=f"unix://{tmp_path}/no.sock")
    retries = {"rules": [{"type": "SandboxError", "max_retries": 1}]}
    [trace] = plugged([(TESTS, fenced(RIGHT))], tmp_path, reward, retries=retries)
    assert not trace.ok and trace.rewards == {"code": None}
    assert [error.type for error in trace.errors] == ["SandboxError", "SandboxError"]


def test_a_forked_process_waits_for_no_thread_of_its_parent():
    """A child of a fork can open evaluators, also if a thread of its parent was opening one."""
    program = f"""
    import os, threading
    from code_tasks.adapters import verifiers
    from sandboxes import EvalConfig
    with verifiers._lock:
        pid = os.fork()
        if pid == 0:
            config = EvalConfig.from_options({{}})
            opening = threading.Thread(target=verifiers.open_evaluator, args=[config], daemon=True)
            opening.start()
            opening.join({SECONDS})
            os._exit(int(opening.is_alive()))
        assert os.waitpid(pid, 0)[1] == 0
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], cwd=ROOT, env=environment())
    assert done.returncode == 0


def test_scoring_deadline(tmp_path, monkeypatch):
    """A candidate that runs at verifiers' own deadline of scoring is ended, and has no reward."""
    reward = own_reward(monkeypatch, timeout=600.0, cpu_seconds=600)
    code = "import time\ntime.sleep(595)"
    [trace] = plugged([(TESTS, fenced(code))], tmp_path, reward, timeout={"scoring": 2.0})
    assert trace.rewards == {"code": None} and trace.is_timeout
    assert not [each for each in psutil.process_iter(["cmdline"]) if "time.sleep(595)" in str(each.info["cmdline"])]


def test_partial_credit(tmp_path, monkeypatch):
    """With partial credit the reward is the share of the tests that pass."""
    reward = own_reward(monkeypatch, partial_credit=True, timeout=20.0)
    tests = "assert add(2, 2) == 4\nassert add(2, 3) == 5"
    [trace] = plugged([(tests, fenced(WRONG))], tmp_path, reward)
    assert trace.reward == 1


@pytest.mark.parametrize(
    ("tests", "consent", "message"),
    [
        (None, "1", "the task has no tests in 'tests'; it has idx, id"),
        ("x = 1", "1", "tests: .*no test"),
        (TESTS, "0", "HF_ALLOW_CODE_EVAL"),
    ],
)
def test_errors_of_tasks(tmp_path, monkeypatch, tests, consent, message):
    """Tasks without tests, and a run that nobody allowed, are errors of the task and no reward."""
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", consent)
    [trace] = plugged([(tests, fenced(RIGHT))], tmp_path)
    assert trace.last_error.type == "TaskError" and re.search(message, trace.last_error.message)
    assert trace.rewards == {"code": None}


def test_taskset(tmp_path):
    """The taskset "code-tasks" has a file's problems as tasks, whose answers are whole functions or bodies."""
    first, second, third = PROBLEMS[:3]
    whole = fenced(first["prompt"] + first["canonical_solution"])
    body = fenced(second["canonical_solution"])
    replies = {first["prompt"]: whole, second["prompt"]: body, third["prompt"]: fenced("pass")}
    path = tmp_path / "problems.jsonl"
    path.write_text("\n".join(map(json.dumps, (first, second, third))))
    taskset = {"id": "code-tasks", "path": str(path), "task": {"options": {"timeout": 20.0}}}
    traces = evaluated(taskset, replies, tmp_path)
    assert [trace.task.data.id for trace in traces] == [each["task_id"] for each in (first, second, third)]
    assert [trace.reward for trace in traces] == [1, 1, 0]
    assert "check(" not in traces[0].model_dump_json()


@pytest.mark.parametrize("language", each_of(["java", "javascript"]))
def test_other_languages(tmp_path, language):
    """Workers see what a problem's language needs. A reply is a whole function, or continues the prompt."""
    prompts = {
        "java": "class Solution {\n    public int add(int a, int b) {\n",
        "javascript": "const add = (a, b) => {\n",
    }
    bodies = {"java": "        return a + b;\n    }\n}\n", "javascript": "  return a + b;\n}\n"}
    tests = {
        "java": "public class Main {\n    public static void main(String[] args) {\n"
        "        if (new Solution().add(2, 3) != 5) throw new AssertionError();\n    }\n}\n",
        "javascript": "if (add(2, 3) !== 5) throw new Error('not the sum');\n",
    }
    prompt, body = prompts[language], bodies[language]
    rows = [{"task_id": f"t/{n}", "prompt": f"// {n}\n{prompt}", "test": tests[language]} for n in range(3)]
    path = write_lines(tmp_path / "problems.jsonl", [{**row, "language": language} for row in rows])
    answers = (prompt + body, body, body.replace("+", "*"))
    replies = {f"// {n}\n": fenced(answer) for n, answer in enumerate(answers)}
    taskset = {"id": "code-tasks", "path": str(path), "task": {"options": {"timeout": 60.0, "memory_mb": 4096}}}
    assert [trace.reward for trace in evaluated(taskset, replies, tmp_path)] == [1, 1, 0]


def test_taskset_rebuilt(tmp_path):
    """A task that an environment's server rebuilds from its data alone is judged in the same way."""
    from code_tasks.adapters.verifiers import CodeTask, CodeTaskConfig

    path = ROOT / "examples" / "problems.jsonl"
    config = vf.TasksetConfig.model_validate({"id": "code-tasks"})
    cls = vf.taskset_config_type("code-tasks")
    taskset = vf.load_taskset(cls.model_validate({**config.model_dump(exclude={"task"}), "path": str(path)}))
    task = next(iter(taskset))
    data = CodeTask.data_type().model_validate(json.loads(task.data.model_dump_json()))
    again = CodeTask(data, CodeTaskConfig(options={"timeout": 20.0}))
    assert again.key == task.key and asyncio.run(again.validate(None)) is True


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "give the taskset a benchmark, or the path"),
        ({"path": "missing.jsonl"}, "there is no such file"),
        ({"benchmark": "humanevil"}, "unknown benchmark 'humanevil'"),
        ({"path": str(ROOT / "examples" / "problems.jsonl"), "template": "no place"}, "template must contain"),
    ],
)
def test_errors_of_the_taskset(given, message):
    """A source that can't be read is named."""
    taskset = vf.load_taskset(vf.taskset_config_type("code-tasks").model_validate({"id": "code-tasks", **given}))
    with pytest.raises(ValueError, match=message):
        list(taskset)


TOML = """
model = "scripted"
push = false
output_dir = "{folder}"
[client]
base_url = "{url}"
api_key_var = "NO_KEY"
[env.agent]
harness = {{id = "verifiers-eval"}}
runtime = {{type = "subprocess"}}
[env.taskset]
id = "code-tasks"
path = "{problems}"
[env.taskset.task]
options = {{timeout = 20.0}}
rewards = {{code = {{weight = 0.5}}}}
[select]
limit = 1
"""


def test_command(tmp_path):
    """The command `vf-eval` takes the taskset, its options and the reward's weight from a file."""
    answer = fenced(PROBLEMS[0]["prompt"] + PROBLEMS[0]["canonical_solution"])
    problems = ROOT / "examples" / "problems.jsonl"
    with chat_server(lambda request, number: Reply(answer)) as server:
        (tmp_path / "run.toml").write_text(TOML.format(folder=tmp_path, url=server.url, problems=problems))
        command = [sys.executable, "-c", "from verifiers.v1.cli.eval.main import main; main()", "@", "run.toml"]
        variables = environment(PYTHONPATH=f"{ROOT}:{EXAMPLES}", NO_KEY="x")
        done = subprocess.run(
            [*command, "--no-rich"], capture_output=True, text=True, timeout=SECONDS * 2, env=variables, cwd=tmp_path
        )
    assert done.returncode == 0, done.stderr
    [file] = tmp_path.rglob("traces.jsonl")
    [trace] = json.loads(file.read_text())["traces"]
    assert trace["rewards"] == {"code": {"score": 1.0, "weight": 0.5}}
    assert trace["info"]["code_eval"]["outcome"] == "passed"


def test_example():
    """The example runs by itself."""
    command = [sys.executable, str(EXAMPLES / "verifiers_eval.py")]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=SECONDS * 2, env=environment(), cwd=Path("/")
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n") == ["examples/0 1.0 passed", "examples/1 0.0 failed", "examples/2 0.0 failed", ""]
