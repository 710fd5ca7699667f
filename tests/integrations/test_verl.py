"""verl's own reward managers score samples with this project's functions, which verl loads by the file's path."""

import asyncio
import inspect
import subprocess
import sys

import pytest

from support.frameworks import framework
from support.metric_and_command import ROOT, SECONDS, environment
from support.verl_samples import (
    ADD,
    BROKEN,
    FILLS_MEMORY,
    FORGED_CALLS,
    FORGERIES,
    HANGS,
    NO_CODE,
    OPTIONS,
    RIGHT,
    RIGHT_CALL,
    SUM,
    WRONG,
)

framework("verl", "verl")

from code_tasks.adapters.verl import NoReward  # noqa: E402
from support.verl_batches import (  # noqa: E402
    batch_of,
    byte_tokenizer,
    config_of,
    get_batch_manager_cls,
    get_custom_reward_fn,
    get_reward_manager_cls,
    load_reward_manager,
    run_manager,
)

pytestmark = pytest.mark.slow

HOSTILE = [(answer, SUM) for answer in FORGERIES.values()] + [(answer, ADD) for answer in FORGED_CALLS.values()]
SAMPLES = [
    *[(RIGHT, SUM), (WRONG, SUM), (HANGS, SUM), (FILLS_MEMORY, SUM), (NO_CODE, SUM), (RIGHT_CALL, ADD)],
    *HOSTILE,
    (RIGHT, SUM),
]
EXPECTED = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0] + [0.0] * len(HOSTILE) + [1.0]
FEW = [(RIGHT, SUM), (WRONG, SUM), (HANGS, SUM), (FORGED_CALLS["equals everything"], ADD), (RIGHT, SUM)]
EXPECTED_OF_FEW = [1.0, 0.0, 0.0, 0.0, 1.0]
SHORT = {"timeout": 2.0, "memory_mb": 256}
"""Limits of samples of which some never end."""

MANAGERS = ("naive", "dapo", "gdpo", "rate_limited")
FUNCTIONS = ("compute_score", "compute_score_async")
DETAILS = ["score", "acc", "outcome", "detail", "seconds"]


@pytest.fixture(scope="module")
def tokenizer():
    """Return a tokenizer."""
    return byte_tokenizer()


@pytest.fixture(autouse=True)
def event_loop():
    """Set the event loop that managers take."""
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    # A class keeps its limits of the first loop.
    get_reward_manager_cls("rate_limited")._class_initialized = False
    yield
    asyncio.set_event_loop(None)
    loop.close()


def loaded(tokenizer, manager="naive", function="compute_score", **options):
    """Return a manager of the reward loop with one of our functions."""
    return load_reward_manager(config_of(manager, function, **options), tokenizer)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_reward_loop(function, tokenizer):
    """The default manager scores right, wrong, hanging and hostile samples that it has all at once."""
    manager, batch = loaded(tokenizer, "naive", function, **SHORT), batch_of(tokenizer, *zip(*SAMPLES, strict=True))
    scored = run_manager(manager, batch)
    assert [each["reward_score"] for each in scored] == EXPECTED
    assert [each["reward_extra_info"] for each in scored] == [{"acc": each} for each in EXPECTED]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("manager", MANAGERS[1:])
def test_other_managers(manager, function, tokenizer):
    """The other managers of the reward loop give the same scores."""
    batch = batch_of(tokenizer, *zip(*FEW, strict=True))
    scored = run_manager(loaded(tokenizer, manager, function, **SHORT), batch)
    assert [each["reward_score"] for each in scored] == EXPECTED_OF_FEW


@pytest.mark.parametrize("function", FUNCTIONS)
def test_verl_sees_a_coroutine(function):
    """The trainer awaits the function that is a coroutine, and calls the other one in a thread."""
    assert inspect.iscoroutinefunction(get_custom_reward_fn(config_of(function=function))) == ("async" in function)


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("manager", MANAGERS)
def test_a_broken_sandbox(manager, function, tokenizer):
    """No manager has a score for a sample that the sandbox could not run."""
    with pytest.raises(NoReward, match="no reward for codecontests: SandboxUnavailable"):
        run_manager(loaded(tokenizer, manager, function, **BROKEN), batch_of(tokenizer, [RIGHT], [SUM]))


def test_details(tokenizer):
    """The details of a sample go where verl logs and dumps them."""
    manager = loaded(tokenizer, details=True, continuous=True, **OPTIONS)
    scored = run_manager(manager, batch_of(tokenizer, [RIGHT, WRONG], [SUM, SUM]))
    assert [each["reward_score"] for each in scored] == [1.0, pytest.approx(1 / 3)]
    assert [list(each["reward_extra_info"]) for each in scored] == [DETAILS] * 2
    assert scored[1]["reward_extra_info"]["outcome"] == "failed"


def test_options_of_a_file(tokenizer):
    """Lists and dicts of a configuration file are options, too."""
    options = {"preload": ["json"], "env": {"LIMIT": "5"}, "code_sources": ["codecontests"], **OPTIONS}
    answer = "```python\nimport os\ninput()\nprint(os.environ['LIMIT'])\n```"
    truth = {"inputs": ["2 3"], "outputs": ["5"]}
    [scored] = run_manager(loaded(tokenizer, **options), batch_of(tokenizer, [answer], [truth]))
    assert scored["reward_score"] == 1.0


@pytest.mark.parametrize("function", FUNCTIONS)
def test_other_data_sources(function, tokenizer):
    """The scorers of verl score the samples of data sources that are no code, with the same fields."""
    manager = loaded(tokenizer, "naive", function, code_sources=["codecontests"], details=True, **OPTIONS)
    numbers = batch_of(tokenizer, ["The answer is #### 42", "#### 41"], ["42", "42"], "openai/gsm8k")
    scored = run_manager(manager, numbers)
    assert [each["reward_score"] for each in scored] == [1.0, 0.0]
    assert [list(each["reward_extra_info"]) for each in scored] == [DETAILS] * 2
    assert run_manager(manager, batch_of(tokenizer, [RIGHT], [SUM]))[0]["reward_score"] == 1.0


def scored_at_once(name, tokenizer, samples, function="compute_score", **options):
    """Return the score of each sample, as a manager that takes batches writes them at the last tokens of answers."""
    compute = get_custom_reward_fn(config_of(function=function, **options))
    manager = get_batch_manager_cls(name)(tokenizer=tokenizer, num_examine=0, compute_score=compute)
    batch = batch_of(tokenizer, *zip(*samples, strict=True))
    rewards = manager(batch)
    last = batch.batch["attention_mask"][:, 1:].sum(dim=1) - 1
    assert rewards.sum().item() == sum(rewards[row, at].item() for row, at in enumerate(last))
    return rewards.sum(dim=1).tolist()


BATCH_MANAGERS = [(name, "compute_score") for name in ("naive", "dapo", "prime")] + [("batch", "compute_scores")]


@pytest.mark.parametrize(("name", "function"), BATCH_MANAGERS)
def test_managers_of_batches(name, function, tokenizer):
    """The managers that take whole batches, also in processes that they fork, score as those of the reward loop."""
    assert scored_at_once(name, tokenizer, FEW, function, **SHORT) == EXPECTED_OF_FEW


@pytest.mark.parametrize(("name", "function"), BATCH_MANAGERS)
def test_a_broken_sandbox_in_a_batch(name, function, tokenizer):
    """No manager of batches has a score for a sample that the sandbox could not run."""
    with pytest.raises(NoReward, match="SandboxUnavailable"):
        scored_at_once(name, tokenizer, [(RIGHT, SUM), (WRONG, SUM)], function, **BROKEN)


def test_the_example():
    """The example runs by itself, and prints the score and the outcome of each answer."""
    path = ROOT / "examples" / "integrations" / "verl_reward.py"
    ended = subprocess.run(
        [sys.executable, path], cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=SECONDS
    )
    assert ended.stdout.splitlines()[-3:] == ["1.0 passed", "0.5 failed", "0.0 compile_error"], ended.stderr
