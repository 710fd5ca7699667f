"""Rewards beside passing and failing: weights, no code, invalid code, completions that were cut off, and logs."""

import asyncio
import functools
import inspect
import json
import pickle
import threading

import pytest

from code_tasks.adapters.trl import grading, make_async_code_reward, make_code_reward
from code_tasks.adapters.trl.grading import ENDS
from support.metric_and_command import RIGHT, SECONDS, TESTS, WRONG
from support.observers import wait_until

EOS = 7
PENALTIES = {"no_code": -1.0, "syntax_error": -0.5, "truncated": -0.25}
INVALID = "def add(a, b:\n    return a + b"


def fenced(code):
    """Return an answer of a chat model."""
    return f"Sure!\n\n```python\n{code}\n```\nThat is all."


def rewards_of(reward, *completions, tests=TESTS, **columns):
    """Return the rewards of completions for the same tests."""
    return reward(completions=list(completions), tests=[tests] * len(completions), **columns)


@pytest.fixture(scope="module")
def strict_reward():
    """Return a reward with a penalty for each thing."""
    return make_code_reward(timeout=20.0, **PENALTIES)


@pytest.mark.parametrize(
    "completion",
    ["No idea.", "", "  \n", "add", '"""Sure."""', "```python\n```", "```python\n# TODO\n```", "Sorry, but I can't."],
)
def test_no_code(strict_reward, completion):
    """A completion without code has its own reward, also if its words happen to be Python."""
    assert rewards_of(strict_reward, completion) == [-1.0]


@pytest.mark.parametrize("completion", [fenced(INVALID), INVALID, f"def f():\n\treturn 1\n  x\n{RIGHT}"])
def test_invalid_code(strict_reward, completion):
    """Code that is not valid has its own reward, and is told from prose."""
    assert rewards_of(strict_reward, completion) == [-0.5]


def test_wrong_code_has_no_penalty(strict_reward):
    """Code that runs and fails, whatever way, gets 0, and right code 1."""
    assert rewards_of(strict_reward, fenced(RIGHT), fenced(WRONG), fenced("import sys; sys.exit()")) == [1.0, 0.0, 0.0]


def test_left_out():
    """A reward of None leaves such completions out of the training."""
    reward = make_code_reward(timeout=20.0, no_code=None, syntax_error=None, truncated=None)
    cut = fenced(RIGHT).partition("\n```\n")[0]
    assert rewards_of(reward, "No idea.", fenced(INVALID), cut, fenced(WRONG)) == [None, None, None, 0.0]


def test_all_of_a_completion_is_code():
    """With extract="none" invalid text is code, and only an empty one is none."""
    reward = make_code_reward(timeout=20.0, extract="none", **PENALTIES)
    assert rewards_of(reward, "No idea.", "") == [-0.5, -1.0]


def test_other_languages():
    """A block in another language than Python is code, and so is an answer without blocks."""
    reward = make_code_reward(language="bash", timeout=20.0, **PENALTIES)
    cases = [{"input": "2 3\n", "output": "5"}]
    right = "read a b; echo $((a + b))"
    assert rewards_of(reward, f"```bash\n{right}\n```", right, "```bash\n```", tests=cases) == [1.0, 1.0, -1.0]


OPEN = "Sure!\n\n```python\n" + RIGHT
UNENDED = f"<think>I might write\n```python\n{RIGHT}\n```\nor"


@pytest.mark.parametrize("completion", [OPEN, OPEN + "\n", f"{fenced(RIGHT)}\n```python\nx =", UNENDED, OPEN[:-1]])
def test_cut_off_completions_do_not_win(completion):
    """A completion that ends inside of its code or of its reasoning gets no reward, even if its code is right."""
    assert rewards_of(make_code_reward(timeout=20.0), completion) == [0.0]
    assert rewards_of(make_code_reward(timeout=20.0, **PENALTIES), completion) == [-0.25]


def test_tokens_tell_what_was_cut_off():
    """With the token that ends completions, a missing one decides, and an open block does not."""
    reward = make_code_reward(timeout=20.0, eos_token_id=[EOS, 8], truncated=-0.25)
    ids = [[1, EOS], [1, 8], [1, 2], [1, 2], []]
    completions = [OPEN, fenced(RIGHT), OPEN, fenced(RIGHT), ""]
    assert rewards_of(reward, *completions, completion_ids=ids) == [1.0, 1.0, -0.25, -0.25, -0.25]
    with pytest.raises(ValueError, match="2 completions, but completion_ids for 1"):
        rewards_of(reward, RIGHT, RIGHT, completion_ids=[[EOS]])


def test_cut_off_completions_can_be_graded():
    """With truncated="grade" a cut completion is graded as far as it goes."""
    reward = make_code_reward(timeout=20.0, truncated="grade", syntax_error=-0.5)
    assert rewards_of(reward, OPEN, OPEN.partition("return")[0]) == [1.0, -0.5]


@pytest.mark.parametrize("truncated", [0.0, None, "grade"])
def test_huge_completions_are_not_run(truncated, monkeypatch):
    """A completion of many megabytes counts as cut off. Nothing extracts or runs it."""
    reward = make_code_reward(timeout=20.0, truncated=truncated)
    huge = fenced(RIGHT + "\n" + "#" * grading.MAX_ANSWER_CHARS)
    assert rewards_of(reward, huge, fenced(RIGHT)) == [None if truncated is None else 0.0, 1.0]


def test_hostile_texts():
    """Texts that UTF-8 can't encode, null characters, deep nesting and many fences are answers like others."""
    texts = ["\ud800", fenced("x = '\ud800'"), "```\n\0\n```", "(" * 100_000, "```python\n" * 20_000, "`" * 100_000]
    for value in rewards_of(make_code_reward(timeout=20.0), *texts):
        assert value == 0.0


CASES = [{"input": "1 1\n", "output": "2", "weight": 3}, {"input": "2 3\n", "output": "5", "weight": 1}]
TWO = "print(2)"
ASSERTS = "assert add(1, 1) == 2\nassert add(2, 3) == 5"


@pytest.mark.parametrize(
    ("tests", "weights", "share"),
    [
        (CASES, None, 0.75),
        (json.dumps(CASES), None, 0.75),
        ([CASES[0], {"input": "2 3\n", "output": "5"}], None, 0.75),
        ({"inputs": ["1 1\n", "2 3\n"], "outputs": ["2", "5"], "weights": [1, 9]}, None, 0.1),
        ({"inputs": ["1 1\n", "2 3\n"], "outputs": ["2", "5"]}, None, 0.5),
        (CASES, [1, 4], 0.2),
        (CASES, {"case 1": 2, "case 2": 6, "case 3": None}, 0.25),
        (CASES, [0, 1], 0.0),
    ],
)
def test_weighted_cases(tests, weights, share):
    """The reward is the passed cases' share of the total weight. A column goes before weights in the cases."""
    reward = make_code_reward(timeout=20.0, partial_credit=True)
    right = "print(sum(map(int, input().split())))"
    completions = [fenced(right), fenced(TWO), fenced("print(1)"), fenced("x = (")]
    columns = {} if weights is None else {"weights": [weights] * 4}
    assert rewards_of(reward, *completions, tests=tests, **columns) == [1.0, share, 0.0, 0.0]


@pytest.mark.parametrize(
    ("weights", "share"), [([1, 3], 0.25), ({"add(1, 1) == 2": 1, "add(2, 3) == 5": 4}, 0.2), (None, 0.5)]
)
def test_weighted_asserts(weights, share):
    """Tests that are code get their weights from a column, by position or by name."""
    reward = make_code_reward(timeout=20.0, partial_credit=True, weights_column="points")
    half = "def add(a, b):\n    return 2"
    assert rewards_of(reward, fenced(RIGHT), half, tests=ASSERTS, points=[weights] * 2) == [1.0, share]


@pytest.mark.slow
def test_tests_without_a_result_weigh_too():
    """A program that ends early has failed the tests that did not run, in the total weight of all of them."""
    reward = make_code_reward(timeout=20.0, partial_credit=True)
    leaves = "import os\ndef add(a, b):\n    if a == 2: os._exit(0)\n    return a + b"
    assert rewards_of(reward, leaves, tests=ASSERTS, weights=[[1, 3]]) == [0.25]
    stops = "a = input()\nif a == '2 3':\n    while True: pass\nprint(2)"
    reward = make_code_reward(timeout=1.0, partial_credit=True)
    more = [*CASES, {"input": "0 2\n", "output": "2", "weight": 4}]
    assert rewards_of(reward, stops, tests=more) == [7 / 8]


FUNCTIONS = "def test_a(): assert f(1) == 1\ndef test_b(): assert f(2) == 2\ndef test_c(): assert f(3) == 3"


@pytest.mark.parametrize("way", ["import os; os._exit(0)", "raise KeyboardInterrupt", "raise SystemExit"])
def test_ending_the_tests_early_earns_nothing(way):
    """A candidate that ends after the test functions that it passes has failed all later ones."""
    reward = make_code_reward(timeout=20.0, partial_credit=True)
    leaves = f"def f(x):\n    if x == 2:\n        {way}\n    return x"
    assert rewards_of(reward, leaves, tests=FUNCTIONS) == [pytest.approx(1 / 3)]


def test_weights_matter_with_partial_credit_only():
    """Without partial credit a completion passes all tests or none."""
    assert rewards_of(make_code_reward(timeout=20.0), TWO, tests=CASES) == [0.0]


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1], r"weights\[1\]: the weight of a test must be a finite number of at least 0, not -1"),
        ([1, "2"], r"weights\[1\]: the weight of a test must be a number, not '2'"),
        ([0, 0], r"weights\[1\]: the weights of a task must have a finite sum above 0"),
        ([1e308, 1e308], r"weights\[1\]: the weights of a task must have a finite sum above 0"),
        ({}, r"weights\[1\]: the weights of a task must have a finite sum above 0"),
        ("1", r"weights\[1\]: weights must be a list of numbers, or a dict"),
    ],
)
def test_invalid_weights(weights, message):
    """Invalid weights are an error that names the row and the value."""
    reward = make_code_reward(partial_credit=True)
    with pytest.raises((ValueError, TypeError), match=message):
        rewards_of(reward, RIGHT, RIGHT, tests=ASSERTS, weights=[[1, 1], weights])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"no_code": "0"}, "no_code must be a reward: a number, or None, not '0'"),
        ({"syntax_error": float("nan")}, "syntax_error must be a finite reward, not nan"),
        ({"truncated": "drop"}, "truncated must be a reward: a number, or None, or \"grade\", not 'drop'"),
        ({"truncated": True}, "truncated must be a reward"),
        ({"eos_token_id": "<eos>"}, "eos_token_id must be a token's number, or a list of them, not '<eos>'"),
        ({"eos_token_id": [2, None]}, "eos_token_id must be a token's number"),
    ],
)
def test_invalid_rules(options, message):
    """An invalid rule is an error when the reward is made."""
    with pytest.raises((ValueError, TypeError), match=message):
        make_code_reward(**options)


def logged(reward, completions, tests):
    """Return the metrics and the columns that a reward logs."""
    metrics, columns = {}, {}
    given = {"log_metric": metrics.__setitem__, "log_extra": columns.__setitem__}
    answer = reward(completions=completions, tests=tests, **given)
    if inspect.isawaitable(answer):
        asyncio.run(answer)
    return metrics, columns


@pytest.mark.parametrize("make", [make_code_reward, make_async_code_reward])
def test_logs(make):
    """A trainer gets the rate of every outcome, and each completion's outcome and detail."""
    completions = [fenced(RIGHT), fenced(WRONG), "No idea.", OPEN, "not asked"]
    metrics, columns = logged(make(timeout=20.0, name="passes"), completions, [TESTS] * 4 + [None])
    assert set(metrics) == {f"passes/{end}" for end in ENDS}
    assert {name: rate for name, rate in metrics.items() if rate} == {
        "passes/passed": 0.25,
        "passes/failed": 0.25,
        "passes/no_code": 0.25,
        "passes/truncated": 0.25,
    }
    assert columns["passes/outcome"] == ["passed", "failed", "no_code", "truncated", "no_tests"]
    assert columns["passes/detail"] == ["", "AssertionError: not the sum, where it is 6 == 5", "", "", ""]


def test_nothing_to_log():
    """A batch without any tests has no rates, because a trainer averages what is logged."""
    metrics, columns = logged(make_code_reward(), ["hello"], [None])
    assert (metrics, columns["code_reward/outcome"]) == ({}, ["no_tests"])


def test_async_reward():
    """The asynchronous reward is a coroutine function for a trainer, gives the same rewards, and can be pickled."""
    reward = make_async_code_reward(timeout=20.0, name="passes", **PENALTIES)
    # TRL 1.16 looks at the instance and at its __call__.
    assert inspect.iscoroutinefunction(reward.__call__) and reward.__name__ == "passes"
    again = pickle.loads(pickle.dumps(reward))
    assert (again.grader, type(again)) == (reward.grader, type(reward))
    completions = [fenced(RIGHT), fenced(WRONG), "No idea."]
    assert asyncio.run(rewards_of(again, *completions)) == [1.0, 0.0, -1.0]


def test_async_rewards_run_at_once():
    """Several rewards that are awaited together don't wait for each other, and a loop stays free meanwhile."""
    meeting = threading.Barrier(2, timeout=SECONDS)

    def meet(answer, reference):
        meeting.wait()
        return answer

    async def run():
        rewards = [make_async_code_reward(timeout=20.0, extract=meet, name=name) for name in ("one", "two")]
        return await asyncio.gather(*(rewards_of(reward, RIGHT) for reward in rewards))

    assert asyncio.run(run()) == [[1.0], [1.0]]


def test_a_cancelled_reward_ends_its_programs(tmp_path):
    """Cancelling the task that awaits a reward ends the run in its thread."""
    begun, ended = threading.Event(), threading.Event()

    class Told(type(make_async_code_reward())):
        def _grade(self, *args):
            begun.set()
            try:
                return super()._grade(*args)
            finally:
                ended.set()

    made = make_async_code_reward(timeout=SECONDS * 10.0)
    reward = Told(made.grader, made.columns, "told")

    async def run():
        task = asyncio.ensure_future(rewards_of(reward, "while True: pass"))
        await asyncio.to_thread(begun.wait, SECONDS)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert wait_until(ended.is_set, SECONDS)


def test_partials():
    """A reward inside of a partial is a reward too, as a trainer unwraps it."""
    reward = functools.partial(make_code_reward(timeout=20.0), tests=[TESTS])
    assert reward(completions=[RIGHT]) == [1.0]
