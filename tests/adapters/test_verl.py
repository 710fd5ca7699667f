"""The reward for verl, called without verl: scores, the shapes of ground truths, options and errors."""

import asyncio
import importlib.util
import json
import pickle
import subprocess
import sys
import threading
import time

import cloudpickle
import numpy
import pytest

import sandboxes
from code_tasks.adapters.verl import NoReward, compute_score, compute_score_async, compute_scores
from support.metric_and_command import ROOT, SECONDS, environment
from support.verl_samples import (
    ADAPTER,
    ADD,
    BROKEN,
    FORGED_CALLS,
    FORGERIES,
    HANGS,
    NO_CODE,
    OPTIONS,
    RIGHT,
    RIGHT_CALL,
    SUM,
    WRONG,
    fenced,
)

pytestmark = pytest.mark.slow

ADD_CODE = fenced("def add(a, b): return a + b")
FIVE_CODE = fenced("def add(a, b): return 5")
DETAILS = ["score", "acc", "outcome", "detail", "seconds"]


def score(answer, truth=SUM, **options):
    """Return the score of an answer."""
    return compute_score("codecontests", answer, truth, {"index": 0}, **OPTIONS | options)


def test_scores():
    """A right answer has 1.0, and all others have 0.0: floats, because verl makes a tensor of them."""
    scores = [score(answer) for answer in (RIGHT, WRONG, NO_CODE, "")]
    assert scores == [1.0, 0.0, 0.0, 0.0]
    assert {type(each) for each in scores} == {float}


def test_the_timeout():
    """An answer that takes too long has 0.0."""
    assert score(HANGS, timeout=0.5, details=True)["outcome"] == "timed_out"


@pytest.mark.parametrize("answer", FORGERIES.values(), ids=FORGERIES)
def test_hostile_scripts(answer):
    """A script that lies, kills or forks has 0.0, and the next answer is scored as ever."""
    assert score(answer, timeout=2.0) == 0.0
    assert score(RIGHT) == 1.0


@pytest.mark.parametrize("answer", FORGED_CALLS.values(), ids=FORGED_CALLS)
def test_hostile_functions(answer):
    """A function can't forge a pass."""
    assert score(answer, ADD) == 0.0


@pytest.mark.parametrize(
    ("truth", "right", "wrong"),
    [
        (SUM, RIGHT, WRONG),
        (json.loads(SUM), RIGHT, WRONG),
        ({**json.loads(SUM), "fn_name": None}, RIGHT, WRONG),
        ({"inputs": numpy.array(["2 3", "1 1"]), "outputs": numpy.array(["5", "2"])}, RIGHT, WRONG),
        ({"inputs": [["2 3"], ["1 1"]], "outputs": [["5"], ["2"]]}, RIGHT, WRONG),
        (ADD, RIGHT_CALL, FIVE_CODE),
        ({"fn_name": "add", "inputs": [[2, 3], [1, 1]], "outputs": [5, 2]}, ADD_CODE, FIVE_CODE),
        ({"assert_case": ["assert add(2, 3) == 5", "assert add(1, 1) == 2"]}, ADD_CODE, FIVE_CODE),
        (
            {"assert_case": ["assert add(2, 3) == 5", "assert add(1, 1) == 2"], "inputs": ["", ""], "outputs": [None]},
            ADD_CODE,
            FIVE_CODE,
        ),
        ([{"input": "2 3", "output": "5"}, {"input": "1 1", "output": "2"}], RIGHT, WRONG),
        (numpy.array([{"input": "2 3", "output": "5"}, {"input": "1 1", "output": "2"}]), RIGHT, WRONG),
        ([{"input": "1 1", "output": "2", "testtype": "stdin", "metadata": None}], RIGHT, WRONG),
        (
            [{"input": "1\n1", "output": "2", "testtype": "functional", "metadata": {"func_name": "add"}}],
            RIGHT_CALL,
            FIVE_CODE,
        ),
        (
            {"language": "python", "test_cases": [{"type": "stdin_stdout", "input": "1 1", "output": "2"}]},
            RIGHT,
            WRONG,
        ),
        ({"test_cases": {"inputs": ["1 1"], "outputs": ["2"]}}, RIGHT, WRONG),
        ("assert add(1, 1) == 2", ADD_CODE, FIVE_CODE),
        ("from solution import add\n\n\ndef test_add():\n    assert add(1, 1) == 2\n", ADD_CODE, FIVE_CODE),
    ],
)
def test_ground_truths(truth, right, wrong):
    """Tests come in each shape that verl's scorers take and that published datasets have."""
    assert [score(right, truth), score(wrong, truth)] == [1.0, 0.0]


def test_other_languages():
    """Tests may name the language of their candidates, and one process scores several."""
    bash = {"language": "bash", "test_cases": [{"type": "stdin_stdout", "input": "1 1", "output": "2"}]}
    right = "```bash\nread a b; echo $((a + b))\n```"
    assert [score(right, bash), score(RIGHT), score(right.replace("+", "-"), bash)] == [1.0, 1.0, 0.0]
    assert compute_scores(["a", "b"], [right, RIGHT], [bash, SUM], **OPTIONS) == [1.0, 1.0]


@pytest.mark.parametrize(
    ("truth", "message"),
    [
        ({"inputs": [], "outputs": []}, "has no inputs"),
        ({"inputs": ["1"], "outputs": []}, "same length|1 inputs, but 0 outputs"),
        ({"assert_case": ["assert f()"], "inputs": ["1 1"]}, "both 'assert_case' and 'inputs'"),
        ({"assert_case": "assert f()"}, "'assert_case' is not a list of strings"),
        ({"inputs": [1], "outputs": [2], "fn_name": "not a name"}, "fn_name must be"),
        ({"answer": 42}, "has no tests"),
        ("", "there is no test"),
        (None, "has no tests"),
        (42, "has no tests"),
        ([], "has no tests"),
        (b"assert True", "must be data or a text"),
        ("[" * 100_000, "nested too deeply|no test|is not"),
        ("The answer is a sum.", "the tests can't be parsed: line 1"),
        ("assert add(2, 3)===5", "the tests can't be parsed: line 1"),
        ("import no_such_module\nassert add(2, 3) == 5", "the tests import no_such_module"),
    ],
)
def test_invalid_ground_truths(truth, message):
    """Tests that nothing can be judged by are an error that names them, and no score."""
    with pytest.raises(NoReward, match=message):
        score(RIGHT, truth)


def test_tests_that_turn_out_to_be_invalid():
    """They have no score either, and are not tried again."""
    began = time.monotonic()
    tests = "def test_add(no_such_fixture):\n    assert add(2, 3) == 5"
    with pytest.raises(NoReward, match="InvalidTests: .* fixture 'no_such_fixture' not found"):
        score(ADD_CODE, tests, retry_seconds=600)
    with pytest.raises(NoReward, match="no reward for a batch: InvalidTests"):
        compute_scores(["a"], [ADD_CODE], [tests], **{**OPTIONS, "retry_seconds": 600})
    assert time.monotonic() - began < 300


def test_extraction():
    """The program is found in an answer, whatever its form is."""
    assert score(f"<think>{WRONG}</think>{RIGHT}") == 1.0
    assert score(f"<think>{RIGHT}") == 0.0
    assert score(RIGHT, extract="last") == 0.0
    assert score("\ud800" + RIGHT) == 1.0


def test_partial_scores():
    """`partial_credit` counts all cases. `continuous` counts the first ten, as verl's scorers do."""
    twelve = {"inputs": [f"{n} 0" for n in range(12)], "outputs": [str(n) for n in range(12)]}
    up_to_four = fenced("n = int(input().split()[0])\nprint(n if n < 5 else 'no')")
    but_the_last = fenced("n = int(input().split()[0])\nprint(n if n < 11 else 'no')")
    assert score(up_to_four, twelve) == 0.0
    assert score(up_to_four, twelve, partial_credit=True) == pytest.approx(5 / 12)
    assert score(up_to_four, twelve, continuous=True) == 0.5
    assert [score(but_the_last, twelve, continuous=each) for each in (True, False)] == [1.0, 0.0]
    assert score(FIVE_CODE, ADD, continuous=True) == 0.5
    asserts = {"assert_case": ["assert add(2, 3) == 5", "assert add(1, 1) == 2"]}
    assert score(FIVE_CODE, asserts, continuous=True) == 0.5


def test_strict_official():
    """With `strict_official` the comparison is prime_code's, which takes a result for a list that holds it."""
    truth = {"fn_name": "add", "inputs": ["1\n1"], "outputs": ["[2, 3]"]}
    assert [score(ADD_CODE, truth), score(ADD_CODE, truth, strict_official=True)] == [0.0, 1.0]
    assert score(RIGHT, strict_official=True) == 1.0


def test_details():
    """With `details` a sample has the same fields whatever its outcome, because verl needs those."""
    results = [score(answer, details=True) for answer in (RIGHT, WRONG, "")]
    assert [list(result) for result in results] == [DETAILS] * 3
    assert [result["outcome"] for result in results] == ["passed", "failed", "failed"]
    assert results[1]["detail"] == "case 2: expected '2', but it wrote '5'"
    half = score(FIVE_CODE, ADD, details=True, continuous=True)
    assert (half["score"], half["acc"]) == (0.5, 0.0)


def test_batches():
    """A batch has a score per sample, in their order."""
    answers, truths = [RIGHT, WRONG, RIGHT, ADD_CODE, RIGHT], [SUM, SUM, SUM, ADD, ADD]
    rows = {"data_sources": ["apps"] * 5, "solution_strs": answers, "ground_truths": truths, "extra_infos": [{}] * 5}
    assert compute_scores(**rows, **OPTIONS) == [1.0, 0.0, 1.0, 1.0, 0.0]
    assert [each["acc"] for each in compute_scores(**rows, details=True, **OPTIONS)] == [1.0, 0.0, 1.0, 1.0, 0.0]
    assert compute_scores([], [], []) == []
    with pytest.raises(NoReward, match="ValueError"):
        compute_scores(["apps"], [RIGHT], [])


def test_partial_scores_of_equal_answers():
    """Candidates that run once for several samples have the same share."""
    scores = compute_scores(["apps"] * 3, [WRONG, WRONG, RIGHT], [SUM] * 3, dedupe=True, continuous=True, **OPTIONS)
    assert scores == pytest.approx([1 / 3, 1 / 3, 1.0])


async def scores_async(answers, **options):
    """Return the scores of answers that are scored at the same time."""
    calls = [compute_score_async("apps", each, SUM, **OPTIONS | options) for each in answers]
    return await asyncio.gather(*calls, return_exceptions=True)


def test_coroutines():
    """Coroutines have the same scores and errors."""
    assert asyncio.run(scores_async([RIGHT, WRONG] * 50)) == [1.0, 0.0] * 50
    [error] = asyncio.run(scores_async([RIGHT], **BROKEN))
    assert isinstance(error, NoReward)


def test_a_cancelled_call_ends_its_candidate():
    """A worker whose caller gives up is free for the next candidate."""

    async def give_up():
        call = asyncio.create_task(compute_score_async("apps", HANGS, SUM, timeout=600.0, num_workers=1))
        await asyncio.sleep(1)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return await compute_score_async("apps", RIGHT, SUM, timeout=600.0, num_workers=1)

    began = time.monotonic()
    assert asyncio.run(give_up()) == 1.0
    assert time.monotonic() - began < SECONDS


def test_300_threads():
    """Hundreds of threads share the workers of one pool."""
    # Pools of other test files in this process may have more workers.
    sandboxes.close_pools()
    answers = [fenced(f"a, b = map(int, input().split())\nprint(a + b + {n % 3 // 2})") for n in range(300)]
    scores = {}
    threads = [threading.Thread(target=lambda n=n: scores.update({n: score(answers[n])})) for n in range(300)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [scores[n] for n in range(300)] == [1.0, 1.0, 0.0] * 100
    pool = sandboxes.warm_pool(config_of_scores().sandbox)
    assert 0 < len(pool._idle.workers) <= pool.cpus()


def test_a_broken_sandbox_has_no_score():
    """A sandbox that can't run anything is an error, which no `except Exception` makes a 0 of."""
    assert not issubclass(NoReward, Exception)
    with pytest.raises(NoReward, match="no reward for codecontests: SandboxUnavailable"):
        score(RIGHT, **BROKEN)
    with pytest.raises(NoReward, match="no reward for a batch: SandboxUnavailable"):
        compute_scores(["apps"] * 2, [RIGHT, WRONG], [SUM] * 2, **BROKEN)
    assert score(RIGHT) == 1.0


def breaking(monkeypatch, failures):
    """Make the next programs of the pool fail, as a pool does whose workers die. Return the tries."""
    # The retries have to meet the same pool.
    pool, tries = sandboxes.warm_pool(config_of_scores().sandbox), []
    run = pool.run

    def failing(programs, controls, on_result):
        tries.append(len(programs))
        if len(tries) > failures:
            return run(programs, controls, on_result)
        for index in programs:
            on_result(index, sandboxes.SandboxUnavailable("the disk is full"))

    monkeypatch.setattr(pool, "run", failing)
    return tries


def config_of_scores():
    """Return the configuration of `score`."""
    from code_tasks.adapters.sample_scores import settings_of

    return settings_of(OPTIONS).config


def test_retries(monkeypatch):
    """A sample that the sandbox could not run is tried again, alone or in a batch, before it has no reward."""
    tries = breaking(monkeypatch, 2)
    assert score(RIGHT) == 1.0
    assert len(tries) == 3
    monkeypatch.undo()
    tries = breaking(monkeypatch, 1)
    assert compute_scores(["apps"] * 2, [RIGHT, WRONG], [SUM] * 2, **OPTIONS) == [1.0, 0.0]
    assert len(tries) >= 2
    monkeypatch.undo()
    breaking(monkeypatch, 1000)
    with pytest.raises(NoReward, match="the disk is full"):
        score(RIGHT, retry_seconds=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sandbox": "dokcer"}, "unknown sandbox 'dokcer'"),
        ({"timeout": 0}, "timeout must be"),
        ({"extract": "first"}, "extract must be one of"),
        ({"k": 1}, "no option 'k' here"),
        ({"speed": 1}, "no option 'speed'"),
        ({"continuous": "yes"}, "continuous must be True or False"),
        ({"details": 1}, "details must be True or False"),
        ({"retry_seconds": -1}, "retry_seconds must be"),
        ({"code_sources": "apps"}, "code_sources must be a list"),
        ({"sandbox": "restricted"}, "grader of prime_code"),
        ({"strict_official": True, "continuous": True}, "strict_official"),
    ],
)
def test_bad_options(options, message):
    """An invalid option is an error that names it, and no score."""
    with pytest.raises(NoReward, match=message):
        score(RIGHT, **options)


def test_limits():
    """Limits of the options hold in place of the tests' own."""
    sleeps = fenced("import time\ntime.sleep(2)\na, b = map(int, input().split())\nprint(a + b)")
    assert [score(sleeps, timeout=each) for each in (0.5, 20.0)] == [0.0, 1.0]
    hungry = fenced("text = 'x' * (300 << 20)\na, b = map(int, input().split())\nprint(a + b)")
    assert [score(hungry, memory_mb=each) for each in (100, 1000)] == [0.0, 1.0]


def test_gate(monkeypatch):
    """Nothing runs before HF_ALLOW_CODE_EVAL is 1."""
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL")
    with pytest.raises(NoReward, match='HF_ALLOW_CODE_EVAL to "1"'):
        score(RIGHT)


def load_by_path():
    """Return the adapter as verl loads it: by its path, under a name that nobody can import."""
    spec = importlib.util.spec_from_file_location("custom_module_123", ADAPTER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("pickler", [pickle, cloudpickle])
def test_pickles(pickler):
    """Functions of the file are those of the package, also if it is loaded by its path, so that each can be pickled."""
    module = load_by_path()
    assert module.compute_score is compute_score and module.NoReward is NoReward
    for function in (module.compute_score, module.compute_score_async, module.compute_scores):
        text = pickler.dumps(function)
        assert pickler.loads(text) is function and len(text) < 200
    error = pickler.loads(pickler.dumps(NoReward("the disk is full")))
    assert (type(error), str(error)) == (NoReward, "the disk is full")


def test_needs_neither_torch_nor_verl():
    """Importing the module imports neither torch, Ray nor verl."""
    script = "import sys, code_tasks.adapters.verl; print({'torch', 'ray', 'verl'} & set(sys.modules))"
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment(), capture_output=True, text=True, timeout=SECONDS
    )
    assert ended.stdout == "set()\n", ended.stderr
