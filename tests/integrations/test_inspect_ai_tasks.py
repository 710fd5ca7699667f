"""Tasks for Inspect with the sandbox `code_eval` and the scorer `verify`, as Inspect itself runs them."""

import math
import os
import runpy
import signal
from pathlib import Path

import anyio
import pytest

import sandboxes
from support.frameworks import framework

framework("inspect_ai", "frameworks")

from inspect_ai import Task, eval  # noqa: E402
from inspect_ai.dataset import Sample  # noqa: E402
from inspect_ai.log import read_eval_log  # noqa: E402
from inspect_ai.scorer import CORRECT, INCORRECT, scorer  # noqa: E402
from inspect_ai.solver import solver, use_tools  # noqa: E402
from inspect_ai.tool import bash, bash_session, python, text_editor  # noqa: E402
from inspect_ai.util import sandbox  # noqa: E402

from code_tasks.adapters.inspect_ai import CodeEvalSandboxConfig, CodeEvalSandboxEnvironment, verify  # noqa: E402
from support.inspect_tasks import (  # noqa: E402
    SECONDS,
    TESTS,
    answers,
    calls,
    run_task,
    sample_of,
    scripted,
    tool_texts,
)
from support.metric_and_command import RIGHT, ROOT, WRONG  # noqa: E402

# A warning of tenacity's, which Inspect uses.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:The 'initial' parameter is deprecated:DeprecationWarning"),
]

EXAMPLE = ROOT / "examples" / "integrations" / "inspect_ai_task.py"
FORGED = "class Same:\n    def __eq__(self, other): return True\ndef add(a, b): return Same()"
HOSTILE = {
    "forges equality": FORGED,
    "leaves early": "import os\nos._exit(0)",
    "kills its parent": f"import os\nos.kill(os.getppid(), 9)\n{WRONG}",
    "kills all": f"import os\nos.kill(-1, 9)\n{WRONG}",
    "fills memory": "def add(a, b):\n    return len([b'x' * (1 << 20) for _ in range(1 << 20)])",
    "reads the tests": "import sys\ndef add(a, b):\n    return sys._getframe(1).f_locals['expected']",
}


@pytest.fixture(autouse=True)
def consent(monkeypatch):
    """Allow programs to run."""
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "1")


def values(log):
    """Return {sample: its score's value}."""
    return {sample.id: sample.scores["verify"].value for sample in log.samples}


def test_right_and_wrong_answers(tmp_path):
    """Inspect's accuracy is the share of samples whose code passes, and a score says why a candidate failed."""
    slow = "import time\ndef add(a, b):\n    time.sleep(1000)"
    scripts = {"right": [answers(RIGHT)], "wrong": [answers(WRONG)], "slow": [answers(slow)], "none": [answers("")]}
    log = run_task(scripts, tmp_path, scorer=verify(timeout=3.0))
    assert log.status == "success"
    assert values(log) == {"right": CORRECT, "wrong": INCORRECT, "slow": INCORRECT, "none": INCORRECT}
    assert log.results.scores[0].metrics["accuracy"].value == 0.25
    scores = {sample.id: sample.scores["verify"] for sample in log.samples}
    assert scores["slow"].metadata["outcome"] == "timed_out"
    assert scores["wrong"].metadata["outcome"] == "failed"
    assert "AssertionError" in scores["wrong"].explanation or "add(2, 3)" in scores["wrong"].explanation


def test_hostile_answers_are_wrong_answers(tmp_path):
    """Candidates that lie, kill or take too much are wrong, and no other sample suffers."""
    scripts = {name: [answers(code)] for name, code in HOSTILE.items()}
    log = run_task({**scripts, "right": [answers(RIGHT)]}, tmp_path, scorer=verify(timeout=10.0, memory_mb=256))
    assert log.status == "success"
    assert values(log) == {**dict.fromkeys(HOSTILE, INCORRECT), "right": CORRECT}


def test_tests_may_be_cases_in_the_metadata(tmp_path):
    """`tests` names a field of the metadata, with cases too, and `partial_credit` gives the passed share."""
    cases = [{"input": "2 3\n", "output": "5"}, {"input": "1 1\n", "output": "3"}]
    half = verify(tests="cases", partial_credit=True, timeout=SECONDS)
    scripts = {"half": [answers("print(sum(map(int, input().split())))")]}
    log = run_task(scripts, tmp_path, metadata={"cases": cases}, scorer=half)
    assert values(log) == {"half": 0.5}


def test_a_target_may_have_several_lines(tmp_path):
    """A target that is a list has its tests one below the other, and each of them counts."""
    lines = ["assert add(2, 3) == 5", "assert add(1, 1) == 2"]
    half = "def add(a, b): return 5"
    log = run_task({"right": [answers(RIGHT)], "half": [answers(half)]}, tmp_path, target=lines)
    assert values(log) == {"right": CORRECT, "half": INCORRECT}


def test_commands_that_hang_hold_no_grading_up(tmp_path):
    """While a sample's command uses up Inspect's limit on commands, another sample is graded."""
    has_begun, is_graded = anyio.Event(), anyio.Event()

    @solver
    def hanging_or_waiting():
        async def solve(state, generate):
            if state.sample_id == "right":
                await has_begun.wait()
                return await generate(state)
            async with anyio.create_task_group() as group:
                group.start_soon(sandbox().exec, ["sleep", "600"])
                await anyio.sleep(0.5)
                has_begun.set()
                await is_graded.wait()
                group.cancel_scope.cancel()
            return await generate(state)

        return solve

    @scorer(metrics=[])
    def telling():
        inner = verify(timeout=SECONDS)

        async def score(state, target):
            result = await inner(state, target)
            is_graded.set()
            return result

        return score

    names = ("hangs", "right")
    samples = [Sample(id=name, input=name, target=TESTS) for name in names]
    task = Task(dataset=samples, solver=hanging_or_waiting(), scorer=telling(), sandbox="code_eval", time_limit=300)
    model = scripted({name: [answers(RIGHT)] for name in names})
    [log] = eval(task, model=model, log_dir=str(tmp_path), display="none", max_subprocesses=1)
    assert log.status == "success", log.error
    assert [sample.limit for sample in log.samples] == [None, None]
    assert [sample.scores["telling"].value for sample in log.samples] == [CORRECT, CORRECT]


def test_hostile_output_can_be_logged(tmp_path):
    """A log can hold whatever a candidate prints and raises, and be read again."""
    noise = "import sys\nsys.stdout.buffer.write(bytes(range(256)) + b'\\xed\\xa0\\x80')\nprint('\\x1b[2J\\x00')"
    loud = f"{noise}\ndef add(a, b): raise ValueError('\\ud800\\x1b[2J')"
    told = calls("python", code=f"{noise}\nraise ValueError('\\ud800')")
    log = run_task({"loud": [told, answers(loud)]}, tmp_path)
    assert log.status == "success", log.error
    assert values(read_eval_log(log.location)) == {"loud": INCORRECT}
    assert "\x1b" not in log.samples[0].scores["verify"].explanation


def test_a_sample_without_tests_is_an_error(tmp_path):
    """A sample whose tests are missing has no score, and its error names it."""
    log = run_task({"bare": [answers(RIGHT)]}, tmp_path, scorer=verify(tests="cases"), fail_on_error=False)
    assert "sample bare has no tests in its metadata['cases']" in sample_of(log, "bare").error.message
    assert not sample_of(log, "bare").scores


def test_options_are_checked_when_the_task_is_made():
    """An invalid option of the scorer is an error before any model is asked."""
    with pytest.raises(ValueError, match="timeout"):
        verify(timeout=-1)
    with pytest.raises(TypeError, match="num_workers"):
        verify(num_workers=3)


def test_a_broken_grader_is_no_score(tmp_path, monkeypatch):
    """A candidate that the sandbox could not run is a sample with an error, and never a wrong answer."""
    broken = sandboxes.SandboxUnavailable("the disk is full")
    pool = sandboxes.warm_pool(sandboxes.open_sandbox("subprocess"))
    run = pool.run

    def failing(programs, controls, on_result):
        bad = {index for index, program in programs.items() if "unlucky" in program.candidate}
        run(programs, controls, lambda index, each: on_result(index, broken if index in bad else each))

    monkeypatch.setattr(pool, "run", failing)
    scripts = {"right": [answers(RIGHT)], "unlucky": [answers(f"unlucky = 1\n{RIGHT}")]}
    log = run_task(scripts, tmp_path, fail_on_error=False)
    assert "the disk is full" in sample_of(log, "unlucky").error.message
    assert not sample_of(log, "unlucky").scores
    assert log.results.scores[0].metrics["accuracy"].value == 1.0
    assert run_task(scripts, tmp_path).status == "error"


def test_tools_run_code_in_the_samples_sandbox(tmp_path):
    """Inspect's `python` and `bash` run in one folder, which is the sample's own."""
    tools = [
        calls("python", code="open('made.txt', 'w').write('by python')\nprint(6 * 7)"),
        calls("bash", command="cat made.txt; echo wrong >&2; exit 3"),
        calls("bash", command="sleep 60"),
        calls("bash", command="no-such-command"),
    ]
    scripts = {
        "one": [*tools, answers(RIGHT)],
        "two": [
            calls("bash", command="ls /work; find /work /tmp /var/tmp /dev/shm -name made.txt 2>/dev/null; echo none"),
            answers(RIGHT),
        ],
    }
    log = run_task(scripts, tmp_path, tools=python_and_bash(5))
    assert values(log) == {"one": CORRECT, "two": CORRECT}
    first, second, third, fourth = tool_texts(sample_of(log, "one"))
    assert (first, second) == ("42\n", "wrong\n\nby python")
    assert "timed out" in str([message.error for message in sample_of(log, "one").messages if message.role == "tool"])
    assert "not found" in fourth
    assert tool_texts(sample_of(log, "two")) == ["none\n"]


def python_and_bash(seconds):
    """Return Inspect's own tools with a time limit."""
    return python(timeout=seconds), bash(timeout=seconds)


def test_inspects_own_server_works_in_the_sandbox(tmp_path):
    """Tools for which Inspect puts a server into the sandbox work: an editor, and a shell that stays."""
    tools = [
        calls("text_editor", command="create", path="/tmp/edited.txt", file_text="edited"),
        calls("bash_session", action="type_submit", input="cat /tmp/edited.txt; echo '<''end>'"),
    ]
    log = run_task({"one": [*tools, answers(RIGHT)]}, tmp_path, tools=(text_editor(), bash_session()))
    assert log.status == "success", log.error
    created, _ = tool_texts(sample_of(log, "one"))
    assert "created" in created


def test_a_hostile_tool_call_does_not_change_the_score(tmp_path):
    """Whatever a model's program leaves in its sample's sandbox, the scorer does not look there."""
    attack = """
import os, pathlib
for name in ("sitecustomize.py", "usercustomize.py", "test.py", "conftest.py", "pytest.py"):
    for folder in ("/work", "/tmp", os.path.expanduser("~")):
        pathlib.Path(folder, name).write_text("import os; os._exit(0)")
os.kill(-1, 9)
"""
    scripts = {"attacker": [calls("python", code=attack), answers(WRONG)], "other": [answers(RIGHT)]}
    assert values(run_task(scripts, tmp_path)) == {"attacker": INCORRECT, "other": CORRECT}


def test_tools_see_neither_tests_nor_log(tmp_path):
    """A sample's programs find the tests neither in files nor in processes nor in variables, and not the log."""
    marker = "assert add(40, 2) == 42"
    looked = (
        "env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline; grep -rs 'add(4[0], 2)' /work /tmp /dev/shm /proc/*/fd"
    )
    scripts = {"one": [calls("bash", command=f"{looked}; ls {tmp_path}"), answers(RIGHT)]}
    log = run_task(scripts, tmp_path, target=marker)
    [seen] = tool_texts(sample_of(log, "one"))
    assert marker not in seen
    assert "HF_ALLOW_CODE_EVAL" not in seen
    assert ".eval" not in seen
    assert values(log) == {"one": CORRECT}


def test_a_sandbox_that_breaks_is_told_to_the_model_and_not_scored_by_itself(tmp_path):
    """A sandbox that dies is a tool's error, and the answer is graded all the same, elsewhere."""

    @solver
    def breaking():
        async def solve(state, generate):
            for environment in CodeEvalSandboxEnvironment._open:
                os.kill(environment.session._calls.connection.worker.process.pid, signal.SIGKILL)
            return await generate(state)

        return solve

    task = Task(
        dataset=[Sample(id="one", input="one", target=TESTS)],
        solver=[use_tools(*python_and_bash(30)), breaking()],
        scorer=verify(timeout=SECONDS),
        sandbox="code_eval",
    )
    model = scripted({"one": [calls("python", code="print(1)"), answers(RIGHT)]})
    [log] = eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert values(log) == {"one": CORRECT}
    [told] = [message for message in log.samples[0].messages if message.role == "tool"]
    assert told.error.type == "sandbox_unavailable"


@pytest.mark.parametrize(
    ("config", "error", "message"),
    [
        ("dokcer", ValueError, "or one of subprocess, docker, not 'dokcer'"),
        (CodeEvalSandboxConfig(sandbox="restricted", loopback=None), (ValueError, RuntimeError), "restricted"),
        (CodeEvalSandboxConfig(limits={"open_file": 3}), ValueError, "no limit 'open_file'"),
        (CodeEvalSandboxConfig(limits={"open_files": "many"}), TypeError, "open_files"),
        (CodeEvalSandboxConfig(timeout=3), TypeError, "no option 'timeout' here"),
        (CodeEvalSandboxConfig(isolaton="off"), TypeError, "no option 'isolaton'"),
        (CodeEvalSandboxConfig(sandbox="docker", docker_host="tcp://127.0.0.1:9"), RuntimeError, "docker"),
    ],
)
def test_a_sandbox_that_can_not_start_ends_the_task(tmp_path, config, error, message):
    """A task whose sandbox can't start is one clear error before its first sample."""
    with pytest.raises(error, match=message):
        run_task({"one": [answers(RIGHT)]}, tmp_path, sandbox=("code_eval", config))


def test_a_backend_can_be_named_in_a_word(tmp_path):
    """`--sandbox code_eval:subprocess` names the backend. Inspect hands on a path, as for a file."""
    log = run_task({"one": [answers(RIGHT)]}, tmp_path, sandbox=("code_eval", "subprocess"))
    assert values(log) == {"one": CORRECT}


def test_without_consent_nothing_runs(tmp_path, monkeypatch):
    """Neither the sandbox nor the scorer runs anything unless the user allows it."""
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL")
    with pytest.raises(ValueError, match="HF_ALLOW_CODE_EVAL"):
        run_task({"one": [answers(RIGHT)]}, tmp_path)
    log = run_task({"one": [answers(RIGHT)]}, tmp_path, sandbox=None)
    assert log.status == "error"
    assert "HF_ALLOW_CODE_EVAL" in log.error.message


def test_a_logged_configuration_can_be_read_again(tmp_path):
    """A log has the sandbox's configuration, from which Inspect can run the task again."""
    config = CodeEvalSandboxConfig(isolation="auto", limits={"memory_bytes": 512 << 20})
    log = run_task({"one": [answers(RIGHT)]}, tmp_path, sandbox=("code_eval", config))
    assert log.status == "success", log.error
    again = read_eval_log(log.location)
    assert again.eval.sandbox.config == config
    assert hash(again.eval.sandbox.config) == hash(config)


def test_a_limit_of_time_ends_a_sample_and_its_session(tmp_path):
    """A sample that Inspect cuts off leaves no session, and is scored by what it has answered."""
    scripts = {"late": [calls("bash", command="sleep 600"), answers(RIGHT)], "right": [answers(RIGHT)]}
    log = run_task(scripts, tmp_path, tools=python_and_bash(900), time_limit=20)
    assert sample_of(log, "late").limit.type == "time"
    assert values(log) == {"late": INCORRECT, "right": CORRECT}
    assert not CodeEvalSandboxEnvironment._open


def test_a_solver_may_use_the_sandbox(tmp_path):
    """`sandbox()` of Inspect is the sample's own: files that the sample brings are there."""
    texts = []

    @solver
    def reading():
        async def solve(state, generate):
            texts.append(await sandbox().read_file("given.txt"))
            texts.append((await sandbox().exec(["pwd"])).stdout)
            return await generate(state)

        return solve

    sample = Sample(id="one", input="one", target=TESTS, files={"given.txt": "given"}, setup="echo set > /tmp/set.txt")
    task = Task(dataset=[sample], solver=reading(), scorer=verify(timeout=SECONDS), sandbox="code_eval")
    [log] = eval(task, model=scripted({"one": [answers(RIGHT)]}), log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    assert texts[0] == "given"


def test_the_example_runs(tmp_path, monkeypatch):
    """The example runs as it stands, offline, and its accuracy is that of its answers."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("INSPECT_LOG_DIR", str(tmp_path / "logs"))
    names = runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert math.isclose(names["accuracy"], 0.5)
    assert Path(tmp_path / "logs").is_dir()
