"""Rewards and the environment in real steps of TRL's GRPOTrainer, with a tiny model that says what a test says."""

import asyncio
import collections
import functools
import json
import math
import re
import types
import warnings

import pytest

import sandboxes
from code_tasks.adapters.trl import CodeEnvironment, make_async_code_reward, make_code_reward
from sandboxes import SandboxUnavailable, SessionLimits
from sandboxes.outcome_labels import LABELS
from sandboxes.pool.cpus import usable_cpus
from support.frameworks import framework
from support.metric_and_command import RIGHT, ROOT, SECONDS, TESTS, WRONG, python

with warnings.catch_warnings():
    # The frameworks' own modules use what Python and each other deprecate.
    warnings.simplefilter("ignore")
    trl = framework("trl", "frameworks")
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer, RLOOConfig, RLOOTrainer
    from trl.experimental.async_grpo import async_rollout_worker

    from support.tiny_models import END, one_step, scripted_model

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:.*:UserWarning:torch|transformers|accelerate"),
    # TRL uses names of transformers that have changed.
    pytest.mark.filterwarnings("ignore:.*gradient_checkpointing.* is deprecated:FutureWarning"),
]

FORGED = "class Same:\n    def __eq__(self, other): return True\ndef add(a, b): return Same()"
HOSTILE = {
    "failed": FORGED,
    "timed_out": "import time\ndef add(a, b):\n    time.sleep(1000)",
    "exited": "import os\ndef add(a, b):\n    os._exit(0)",
    "out_of_memory": "def add(a, b):\n    held = bytearray(1 << 40)\n    return a + b",
    "crashed": "import os, signal\nos.kill(os.getppid(), signal.SIGKILL)\nos.kill(os.getpid(), signal.SIGKILL)",
}
PATIENT = SessionLimits(call_seconds=60.0)


def fenced(code):
    """Return an answer of a chat model."""
    return f"Sure!\n\n```python\n{code}\n```\n{END}"


def call(name, **arguments):
    """Return what Qwen3 says to call a tool."""
    return f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>{END}"


@pytest.fixture
def train(tmp_path, monkeypatch):
    """Return a function that makes one GRPO step with the texts of a group, and returns the trainer."""
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")

    def make_step(texts, group, tests=TESTS, **options):
        model, tokenizer = scripted_model(texts)
        before = [parameter.clone() for parameter in model.parameters()]
        rows = [{"prompt": [{"role": "user", "content": "Write add."}], "tests": tests, "difficulty": 1}]
        config = one_step(GRPOConfig, tmp_path, group)
        trainer = GRPOTrainer(
            model=model, args=config, train_dataset=Dataset.from_list(rows), processing_class=tokenizer, **options
        )
        trainer.train()
        assert model.texts == []
        trainer.has_learned = any(
            not old.equal(new) for old, new in zip(before, trainer.model.parameters(), strict=True)
        )
        return trainer

    return make_step


@pytest.mark.parametrize("make", [make_code_reward, make_async_code_reward])
def test_a_step(train, make):
    """A GRPO step rewards the right answer alone, and logs the rate of each outcome and each answer's own."""
    answers = {"passed": fenced(RIGHT), "no_code": f"No idea.{END}", "truncated": fenced(RIGHT)[:-20]}
    answers |= {end: fenced(code) for end, code in HOSTILE.items()}
    reward = make(timeout=8.0, no_code=-1.0)
    trainer = train(answers.values(), len(answers), reward_funcs=reward)
    ends = list(trainer._logs["extra"]["code_reward/outcome"])
    assert ends == list(answers)
    rewards = list(trainer._logs["rewards"]["code_reward"])
    assert rewards == [{"passed": 1.0, "no_code": -1.0}.get(end, 0.0) for end in answers]
    log = trainer.state.log_history[0]
    assert log["code_reward/passed"] == log["code_reward/timed_out"] == 1 / len(answers)
    assert log["code_reward/compile_error"] == 0.0
    advantages = list(trainer._logs["advantages"])
    assert advantages[0] == max(advantages) > 0 > min(advantages) == advantages[1]
    assert trainer.has_learned


def test_both_kinds_at_once(train):
    """A trainer takes several rewards, and sums what each gives, with the rules of each."""
    texts = [fenced(RIGHT), fenced(WRONG), f"No idea.{END}", fenced("def add(a, b:")]
    has_code = make_async_code_reward(name="has_code", timeout=20.0, no_code=-1.0, syntax_error=-0.5)
    share = make_code_reward(name="share", timeout=20.0, partial_credit=True)
    trainer = train(texts, 4, "assert add(2, 2) == 4\nassert add(2, 3) == 5", reward_funcs=[share, has_code])
    assert list(trainer._logs["rewards"]["share"]) == [1.0, 0.5, 0.0, 0.0]
    assert list(trainer._logs["rewards"]["has_code"]) == [1.0, 0.0, -1.0, -0.5]
    assert trainer.state.log_history[0]["reward"] == pytest.approx((2.0 + 0.5 - 1.0 - 0.5) / 4)


def test_another_trainer(tmp_path):
    """RLOOTrainer calls rewards likewise."""
    model, tokenizer = scripted_model([fenced(RIGHT), fenced(WRONG)])
    rows = Dataset.from_list([{"prompt": [{"role": "user", "content": "Write add."}], "tests": TESTS}])
    config = one_step(RLOOConfig, tmp_path, 2)
    rewards = [make_code_reward(timeout=20.0), make_async_code_reward(timeout=20.0, name="passes")]
    trainer = RLOOTrainer(
        model=model, args=config, train_dataset=rows, processing_class=tokenizer, reward_funcs=rewards
    )
    trainer.train()
    log = trainer.state.log_history[0]
    assert log["rewards/code_reward/mean"] == log["code_reward/passed"] == log["passes/failed"] == 0.5


def test_the_end_token(train):
    """With the model's own end token, an answer that lacks it is cut off, whatever its text."""
    _, tokenizer = scripted_model()
    reward = make_code_reward(timeout=20.0, eos_token_id=tokenizer.eos_token_id, truncated=-1.0)
    trainer = train([fenced(RIGHT), fenced(RIGHT).removesuffix(END)], 2, reward_funcs=reward)
    assert list(trainer._logs["rewards"]["code_reward"]) == [1.0, -1.0]


def breaking(monkeypatch, sandbox, is_broken):
    """Break a sandbox for the programs of a batch for which `is_broken(candidate)` is true."""
    pool = sandboxes.warm_pool(sandbox)
    run, broken = pool.run, SandboxUnavailable("the disk is full")

    def failing(programs, controls, on_result):
        """Fail as a pool does whose workers die."""
        names = dict(programs)
        run(
            names, controls, lambda index, each: on_result(index, broken if is_broken(names[index].candidate) else each)
        )

    monkeypatch.setattr(pool, "run", failing)


@pytest.mark.parametrize("make", [make_code_reward, make_async_code_reward])
def test_a_broken_sandbox_is_no_zero(train, make, monkeypatch):
    """An answer that the sandbox could not run is in no mean, and moves the model nowhere."""
    reward = make(timeout=20.0)
    breaking(monkeypatch, reward.config.sandbox, lambda candidate: "broken" in candidate)
    with pytest.warns(UserWarning, match="1 completion.* no reward: 2; the first: the disk is full"):
        texts = [fenced(RIGHT), fenced(WRONG), fenced(f"{RIGHT}\n# broken"), fenced(WRONG + "\n\n")]
        trainer = train(texts, 4, reward_funcs=reward)
    rewards = list(trainer._logs["rewards"]["code_reward"])
    assert rewards[:2] + rewards[3:] == [1.0, 0.0, 0.0] and math.isnan(rewards[2])
    assert list(trainer._logs["advantages"])[2] == 0.0
    log = trainer.state.log_history[0]
    assert log["reward"] == log["rewards/code_reward/mean"] == pytest.approx(1 / 3)
    assert log["code_reward/not_run"] == 0.25


def test_a_step_in_which_nothing_could_be_run(train, monkeypatch):
    """A step without any reward leaves the model as it was, and the training goes on."""
    reward = make_code_reward(timeout=20.0)
    breaking(monkeypatch, reward.config.sandbox, lambda candidate: True)
    with pytest.warns(UserWarning, match="2 completion.* no reward"):
        trainer = train([fenced(RIGHT), fenced(WRONG)], 2, reward_funcs=reward)
    assert all(map(math.isnan, trainer._logs["rewards"]["code_reward"]))
    assert list(trainer._logs["advantages"]) == [0.0, 0.0]
    assert not trainer.has_learned


def factory(**options):
    """Return a factory of environments, as it would be given to a trainer."""
    return functools.partial(CodeEnvironment, timeout=2.0, session_limits=PATIENT, **options)


def answers_of_tools(trainer):
    """Return what the tools answered in each rollout."""
    completions = trainer._logs["completion"]
    return [[each["content"] for each in messages if each["role"] == "tool"] for messages in completions]


def test_an_environment(train):
    """The trainer gives the model the two tools, runs its calls, and takes the reward from the environment."""
    texts = [
        call("run_code", code="x = 6 * 7\nprint('x is', x)"), call("run_tests", code=RIGHT),
        call("run_tests", code=WRONG), f"I give up.{END}",
        call("run_code", code="x + 1"), f"Done.{END}", f"Done.{END}",
        call("run_tests", code=RIGHT),
        f"Done.{END}",
    ]  # fmt: skip
    trainer = train(texts, 4, environment_factory=factory(no_code=-1.0))
    assert answers_of_tools(trainer) == [
        ["x is 42", "43", "All tests passed."],
        ["All tests passed."],
        ["The solution did not pass: failed.\ntest 1: failed"],
        [],
    ]
    assert list(trainer._logs["rewards"]["CodeEnvironment"]) == [1.0, 1.0, 0.0, -1.0]
    log = trainer.state.log_history[0]
    assert (log["tools/call_frequency"], log["tools/failure_frequency"]) == (5 / 4, 0.0)
    prompt = trainer._tokenizer.apply_chat_template(
        [{"role": "user", "content": "x"}], tools=trainer.tools, tokenize=False
    )
    assert '"name": "run_tests", "description": "Test a complete solution with hidden tests.' in prompt
    assert '"code": {"type": "string", "description": "The Python code.' in prompt
    assert trainer.has_learned


def test_hostile_rollouts(train):
    """A tool call that attacks gets no reward, harms no other rollout, and learns nothing of the tests."""
    secret = "assert add(7231, 1) == 7232"
    look = "import os, glob\nprint(os.environ, [open(p).read() for p in glob.glob('/tmp/*') if os.path.isfile(p)])"
    leak = "def add(a, b):\n    open('/tmp/seen', 'w').write(str(a))\n    raise ValueError(str(a))"
    codes = [*HOSTILE.values(), leak]
    first = [call("run_tests", code=code) for code in codes] + [
        call("run_tests", code=RIGHT),
        call("run_tests", code=3),
    ]
    second = [call("run_code", code=look)] * len(codes) + [f"Done.{END}", call("no_such_tool", code="")]
    trainer = train(
        [*first, *second, *[f"Done.{END}"] * (len(codes) + 1)], len(first), secret, environment_factory=factory()
    )
    assert list(trainer._logs["rewards"]["CodeEnvironment"]) == [0.0] * len(codes) + [1.0, 0.0]
    shown = answers_of_tools(trainer)
    assert "7231" not in str(shown) and "7232" not in str(shown)
    said = [f"The solution did not pass: {LABELS[outcome]}." for outcome in HOSTILE]
    assert [texts[0].partition("\n")[0] for texts in shown[: len(HOSTILE)]] == said
    assert "code must be text, not 3" in shown[-1][0]


def test_an_environment_with_a_broken_sandbox(train, monkeypatch):
    """A rollout in which the sandbox broke has no reward, and the others have theirs."""
    broken = factory()
    breaking(monkeypatch, broken()._grader.config.sandbox, lambda candidate: "broken" in candidate)
    texts = [call("run_tests", code=code) for code in (RIGHT, f"{RIGHT}\n# broken", WRONG)] + [f"Done.{END}"] * 3
    with pytest.warns(UserWarning, match="the sandbox broke in a rollout, which has no reward: the disk is full"):
        trainer = train(texts, 3, environment_factory=broken)
    rewards = list(trainer._logs["rewards"]["CodeEnvironment"])
    assert (rewards[0], math.isnan(rewards[1]), rewards[2]) == (1.0, True, 0.0)
    assert "not your code's fault" in answers_of_tools(trainer)[1][0]
    assert list(trainer._logs["advantages"])[1] == 0.0


def test_an_environment_beside_a_reward(train):
    """A reward may grade the final answer of rollouts that used tools."""
    texts = [call("run_code", code="1"), call("run_tests", code=WRONG), fenced(RIGHT), fenced(WRONG)]
    trainer = train(texts, 2, environment_factory=factory(), reward_funcs=make_code_reward(timeout=20.0))
    assert list(trainer._logs["rewards"]["code_reward"]) == [1.0, 0.0]
    assert list(trainer._logs["rewards"]["CodeEnvironment"]) == [0.0, 0.0]


def test_scores_of_the_asynchronous_trainer():
    """AsyncGRPO's own scoring calls both kinds of rewards, without functions to log, and leaves None out."""
    loop = types.SimpleNamespace(
        reward_funcs=[make_code_reward(timeout=20.0), make_async_code_reward(timeout=20.0, no_code=None)],
        reward_func_names=["one", "two", "CodeEnvironment"],
        _env_reward_types=[CodeEnvironment],
        _provides_rollout_reward=False,
    )
    texts = [fenced(RIGHT), fenced(WRONG), f"No idea.{END}"]
    columns = collections.defaultdict(list)
    group = async_rollout_worker.RolloutGroup(
        prompts=[[{"role": "user", "content": "add"}]] * 3,
        reward_kwargs={"tests": [TESTS] * 3, "difficulty": [1] * 3},
        completions=[[{"role": "assistant", "content": text.removesuffix(END)}] for text in texts],
        completions_ids=[[1, 2]] * 3,
        completions_sequences=[[types.SimpleNamespace(input_ids=[1], completion_mask=[1], old_log_probs=[0.0])]] * 3,
        tool_call_counts=[0] * 3,
        tool_failure_counts=[0] * 3,
        model_version=0,
        group_id=0,
        env_rewards=[(CodeEnvironment, 1.0), (CodeEnvironment, None), (CodeEnvironment, 0.0)],
        rollout_rewards=[None] * 3,
    )
    for sample in asyncio.run(async_rollout_worker._AsyncRolloutLoop._score_group(loop, group)):
        for name, value in sample.metrics.items():
            columns[name].append(value)
    assert (columns["rewards/one"], columns["reward"]) == ([1.0, 0.0, 0.0], [3.0, 0.0, 0.0])
    assert columns["rewards/two"][:2] == [1.0, 0.0] and math.isnan(columns["rewards/two"][2])


def test_two_processes():
    """Two training processes grade their own answers, share the CPUs, and have each other's outcomes in their logs.

    The rows of one process have no tests, so it logs no rates, and the others' are not diluted.
    """
    script = ROOT / "tests" / "support" / "grpo_process.py"
    done = python("-m", "torch.distributed.run", "--standalone", "--nproc_per_node", 2, script, timeout=SECONDS * 3)
    [answers] = re.findall(r"^ANSWERS (.*)$", done.stdout, re.MULTILINE) or [done.stderr]
    share = max(1, usable_cpus() // 2)
    assert json.loads(answers) == [["passed", "failed", "no_tests", "no_tests"], 0.5, 0.5, share]


def test_the_example():
    """The example trains on the spot, without a network."""
    done = python("examples/integrations/trl_grpo.py", timeout=SECONDS * 3)
    assert done.returncode == 0, done.stderr
    assert "rewards/code_reward/mean" in done.stdout and "rewards/CodeEnvironment/mean" in done.stdout
