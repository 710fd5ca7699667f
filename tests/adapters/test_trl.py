"""Rewards for reinforcement learning, called as TRL's GRPOTrainer calls them."""

import inspect
import math
import subprocess
import sys
import time

import pytest

import sandboxes
from code_tasks.adapters.trl import code_reward, grading, make_code_reward
from support.metric_and_command import RIGHT, ROOT, SECONDS, TESTS, WRONG, environment

CASES = [{"input": "2 3\n", "output": "5"}, {"input": "1 1\n", "output": "2"}]
ADDER = "a, b = map(int, input().split())\nprint(a + b)"
FORGED = "class Same:\n    def __eq__(self, other): return True\ndef add(a, b): return Same()"

slow_reward = make_code_reward(timeout=20.0)


def fenced(code):
    """Return an answer of a chat model."""
    return f"Sure!\n\n```python\n{code}\n```\nThat is all."


def as_trl(reward, prompts, completions, **columns):
    """Call a reward as GRPOTrainer does, and return a value per row, NaN for None."""
    assert not inspect.iscoroutinefunction(reward)
    answer = reward(
        prompts=prompts,
        completions=completions,
        completion_ids=[[1, 2, 3]] * len(prompts),
        trainer_state=object(),
        log_extra=lambda name, values: None,
        log_metric=lambda name, value: None,
        **columns,
    )
    return [each if each is not None else math.nan for each in answer]


@pytest.mark.slow
def test_conversations():
    """A conversational completion is a list of messages, and its code is in the assistant's last one."""
    texts = [RIGHT, WRONG, fenced(RIGHT), f"<think>{fenced(WRONG)}</think>{fenced(RIGHT)}", "I don't know.", ""]
    completions = [[{"role": "assistant", "content": text}] for text in texts]
    completions.append([
        {"role": "assistant", "content": fenced(WRONG), "tool_calls": []},
        {"role": "tool", "content": fenced(WRONG)},
        {"role": "assistant", "content": [{"type": "text", "text": fenced(RIGHT)}]},
    ])  # fmt: skip
    prompts = [[{"role": "user", "content": "add"}]] * len(completions)
    columns = {"tests": [TESTS] * len(completions), "difficulty": [1] * len(completions)}
    assert as_trl(slow_reward, prompts, completions, **columns) == [1, 0, 1, 1, 0, 0, 1]


def test_texts():
    """A standard completion is a text, and each row has its own tests."""
    tests = ["assert add(2, 3) == 5", "assert add(2, 3) == 6"]
    assert as_trl(slow_reward, ["add"] * 4, [RIGHT, WRONG, WRONG, RIGHT], tests=tests * 2) == [1, 1, 0, 0]


def test_floats():
    """Rewards are floats, because torch.tensor needs floats for a list with NaN."""
    assert [type(each) for each in slow_reward(completions=[RIGHT, WRONG], tests=[TESTS, TESTS])] == [float, float]


def test_rows_without_tests():
    """A row without tests, in a mixed dataset, has no reward."""
    assert slow_reward(completions=[RIGHT, "hello", WRONG], tests=[TESTS, None, TESTS]) == [1.0, None, 0.0]
    assert slow_reward(completions=["hello"], tests=[None]) == [None]
    assert slow_reward(completions=[], tests=[]) == []


def test_no_forging():
    """A completion whose value claims to equal everything gets no reward, whatever the grading."""
    assert slow_reward(completions=[FORGED], tests=[TESTS]) == [0.0]
    assert make_code_reward(grading="shared", timeout=20.0)(completions=[FORGED], tests=[TESTS]) == [0.0]


def test_cases():
    """Tests can be inputs with outputs, as datasets have them."""
    reward = make_code_reward(timeout=20.0, partial_credit=True)
    assert reward(completions=[fenced(ADDER), fenced(ADDER.replace("+", "*"))], tests=[CASES] * 2) == [1.0, 0.0]
    half = fenced(ADDER.replace("a + b", "5"))
    assert reward(completions=[half], tests=[CASES]) == [0.5]


def test_languages():
    """A reward can run completions in another language."""
    reward = make_code_reward(language="bash", timeout=20.0)
    assert reward(completions=["```bash\nread a b; echo $((a + b))\n```"], tests=[CASES]) == [1.0]


def test_sandbox_errors_are_none(monkeypatch):
    """A completion that the sandbox could not run has no reward, and a warning says why."""
    broken = sandboxes.SandboxUnavailable("the disk is full")
    pool = sandboxes.warm_pool(sandboxes.open_sandbox("subprocess"))
    run = pool.run

    def failing(programs, controls, on_result):
        """Fail for the second program, as a pool does whose workers die."""
        run(programs, controls, lambda index, each: on_result(index, broken if index == 1 else each))

    monkeypatch.setattr(pool, "run", failing)
    # A copy of the first program would be run once for both.
    other = f"{RIGHT}\n\nassert True"
    with pytest.warns(UserWarning, match="1 completion.* no reward: 2; the first: the disk is full"):
        ended = slow_reward(completions=[RIGHT, RIGHT, other, WRONG], tests=[TESTS, None, TESTS, TESTS])
    assert ended == [1.0, None, None, 0.0]


@pytest.mark.parametrize(
    "tests",
    [
        "assert add(2, 3)===5",
        "import no_such_module\nassert add(2, 3) == 5",
        "def test_add(no_such_fixture):\n    assert add(2, 3) == 5",
        [{"input": "1"}],
    ],
)
def test_invalid_tests_are_none(tests):
    """A completion whose tests are broken has no reward, right or wrong, and a warning says why."""
    with pytest.warns(UserWarning, match="2 completion.* invalid tests and have no reward: 0, 1; the first: "):
        ended = slow_reward(completions=[RIGHT, WRONG, RIGHT], tests=[tests, tests, TESTS])
    assert ended == [None, None, 1.0]


def test_workers_stay_warm():
    """Later calls use the warm workers of the first one."""
    slow_reward(completions=[RIGHT], tests=[TESTS])
    pool = sandboxes.warm_pool(sandboxes.open_sandbox("subprocess"))
    workers = {worker.process.pid for worker in pool._idle.workers}
    began = time.monotonic()
    for _ in range(5):
        slow_reward(completions=[RIGHT, WRONG], tests=[TESTS, TESTS])
    assert workers & {worker.process.pid for worker in pool._idle.workers} and time.monotonic() - began < SECONDS


def test_name():
    """A reward has the name that a trainer logs, accepts any columns, and has a docstring."""
    assert (code_reward.__name__, make_code_reward(name="passes").__name__) == ("code_reward", "passes")
    assert inspect.signature(code_reward).parameters["columns"].kind is inspect.Parameter.VAR_KEYWORD
    assert "1 if a completion passes its tests" in code_reward.__doc__


def test_column():
    """The tests can be in a column of another name."""
    reward = make_code_reward(tests_column="test_list", timeout=20.0)
    assert reward(completions=[RIGHT], test_list=[TESTS], tests=["assert False"]) == [1.0]
    with pytest.raises(ValueError, match="no column 'test_list' with the tests; there are answer"):
        reward(completions=[RIGHT], answer=["42"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"completions": [RIGHT]}, "no column 'tests' with the tests; there are no columns"),
        ({"completions": [RIGHT], "tests": [TESTS, TESTS]}, "1 completions, but tests for 2"),
        ({"completions": [RIGHT], "tests": TESTS}, "tests must be a list"),
        ({"completions": RIGHT, "tests": [TESTS]}, "completions must be a list"),
        (
            {"completions": [RIGHT, 3], "tests": [TESTS] * 2},
            r"completions\[1\] must be a string or a list of messages, not 3",
        ),
        ({"completions": [RIGHT, RIGHT], "tests": [TESTS, 3]}, r"tests\[1\]: "),
    ],
)
def test_bad_arguments(arguments, message):
    """An invalid argument is an error that names the row and the value."""
    with pytest.raises((ValueError, TypeError), match=message):
        slow_reward(**arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sandbox": "dokcer"}, "unknown sandbox 'dokcer'"),
        ({"language": "cobol"}, "cobol"),
        ({"timeout": 0}, "timeout must be"),
        ({"grading": "fair"}, "grading must be one of"),
        ({"extract": "first"}, "extract must be one of"),
        ({"k": 1}, "no option 'k' here"),
        ({"speed": 1}, "no option 'speed'"),
    ],
)
def test_bad_options(options, message):
    """An invalid option is an error when the reward is made, not in the middle of a training."""
    with pytest.raises((ValueError, TypeError), match=message):
        make_code_reward(**options)


def test_gate(monkeypatch):
    """Nothing runs before HF_ALLOW_CODE_EVAL is 1."""
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL")
    with pytest.raises(ValueError, match='HF_ALLOW_CODE_EVAL to "1"'):
        code_reward(completions=[RIGHT], tests=[TESTS])


def test_shares_the_cpus(monkeypatch):
    """Each of several training processes on one machine runs its share of candidates at once."""
    monkeypatch.setattr(grading, "usable_cpus", lambda: 16)
    shares = []
    for processes in ("8", "64", "", "many"):
        monkeypatch.setenv("LOCAL_WORLD_SIZE", processes)
        shares.append(grading.workers_of_this_process())
    assert shares == [2, 1, 16, 16]


def test_needs_neither_torch_nor_openai():
    """Importing the module imports neither torch nor openai."""
    script = "import sys, code_tasks.adapters.trl; print({'torch', 'openai', 'trl'} & set(sys.modules))"
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=SECONDS
    )
    assert ended.stdout == "set()\n", ended.stderr
