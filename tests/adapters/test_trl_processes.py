"""Rewards in several processes: they survive pickling and forking, and share workers."""

import copy
import functools
import multiprocessing
import os
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor

import cloudpickle
import dill
import pytest

import sandboxes
from code_tasks.adapters.trl import make_code_reward
from sandboxes.warm_pools import _warm_pools_lock
from support.metric_and_command import RIGHT, SECONDS, TESTS, WRONG
from support.new_process import in_a_new_process

pytestmark = pytest.mark.slow

FORGED = "class Same:\n    def __eq__(self, other): return True\ndef add(a, b): return Same()"
SORTS = {
    "the defaults": {},
    "no extraction": {"extract": "none"},
    "the last block": {"extract": "last"},
    "a function for extraction": {"extract": os.path.join},
    "floats": {"checker": "floats", "tolerance": 1e-3},
    "a checker by its name": {"checker": "os.path:join"},
    "a policy": {"sandbox": "restricted", "allowed_imports": ["math"]},
    "another language": {"language": "bash"},
    "more of everything": {"env": {"A": "b"}, "preload": ["json"], "partial_credit": True, "num_workers": 3},
}
PICKLERS = {"pickle": pickle, "cloudpickle": cloudpickle, "dill": dill}


@pytest.mark.parametrize("pickler", PICKLERS.values(), ids=PICKLERS)
@pytest.mark.parametrize("options", SORTS.values(), ids=SORTS)
def test_pickles(options, pickler):
    """A reward survives pickling, and its pickle is small."""
    reward = make_code_reward(timeout=20.0, name="passes", tests_column="cases", **options)
    text = pickler.dumps(reward)
    again = pickler.loads(text)
    assert (again.grader, again.columns, again.columns.tests) == (reward.grader, reward.columns, "cases")
    assert (again.__name__, again.__doc__) == ("passes", reward.__doc__)
    assert len(text) < 4096
    assert copy.deepcopy(reward).config == reward.config


def test_pickles_after_use():
    """The pickle of a used reward is that of an unused one, without workers or results."""
    reward = make_code_reward(timeout=20.0)
    before = pickle.dumps(reward)
    assert reward(completions=[RIGHT], tests=[TESTS]) == [1.0]
    assert pickle.dumps(reward) == before


def graded_here_and_there(context, used):
    """Return the rewards of a reward's first use here, in another process, and here again."""
    reward = make_code_reward(timeout=20.0)
    first = reward(completions=[RIGHT], tests=[TESTS]) if used else None
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(context)) as processes:
        there = processes.submit(reward, completions=[RIGHT, WRONG, FORGED], tests=[TESTS] * 3).result(SECONDS)
    return first, there, reward(completions=[RIGHT, WRONG], tests=[TESTS] * 2)


@pytest.mark.parametrize("used", [False, True], ids=["unused", "used"])
@pytest.mark.parametrize("context", ["spawn", "fork", "forkserver"])
def test_other_processes(context, used):
    """A reward works in a spawned or forked process, even after use in this one, and afterwards here."""
    first, there, afterwards = in_a_new_process(graded_here_and_there, context, used)
    assert first == ([1.0] if used else None)
    assert there == [1.0, 0.0, 0.0]
    assert afterwards == [1.0, 0.0]


def in_a_child(reward, answers):
    """Put rewards into a queue."""
    answers.put(reward(completions=[RIGHT, WRONG], tests=[TESTS] * 2))


def graded_by_a_process(context):
    """Return the rewards of a process that has a reward in its arguments, and its exit status."""
    context = multiprocessing.get_context(context)
    answers = context.SimpleQueue()
    process = context.Process(target=functools.partial(in_a_child, make_code_reward(timeout=20.0)), args=(answers,))
    process.start()
    rewards = answers.get()
    process.join(SECONDS)
    return rewards, process.exitcode


@pytest.mark.parametrize("context", ["spawn", "fork"])
def test_arguments_of_a_process(context):
    """A reward can be an argument of a process, as in TRL's asynchronous trainer, also inside a partial."""
    assert in_a_new_process(graded_by_a_process, context) == ([1.0, 0.0], 0)


def graded_while_a_thread_looks_for_workers():
    """Return the rewards of a process that is forked while a thread here holds a lock, and its exit status."""
    held, done = threading.Event(), threading.Event()

    def hold():
        with _warm_pools_lock:
            held.set()
            done.wait(SECONDS)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(SECONDS)
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    process = context.Process(target=in_a_child, args=(make_code_reward(timeout=20.0), answers))
    process.start()
    done.set()
    thread.join()
    process.join(SECONDS)
    ended = process.exitcode
    process.kill()
    return (None if answers.empty() else answers.get()), ended


def test_a_fork_while_another_thread_looks_for_workers():
    """A process that is forked while another thread holds the lock of the warm pools still gets its workers."""
    assert in_a_new_process(graded_while_a_thread_looks_for_workers) == ([1.0, 0.0], 0)


def pools_of(rewards):
    """Return the rewards that several functions give in this process, and the number of their pools."""
    verdicts = [reward(completions=[RIGHT, WRONG], tests=[TESTS] * 2) for reward in rewards]
    return verdicts, len({id(sandboxes.warm_pool(each.config.sandbox, each.config.cluster)) for each in rewards})


def test_equal_rewards_share_workers():
    """Rewards with equal options share warm workers in the process that loads them."""
    same = [make_code_reward(timeout=20.0, name=name) for name in ("one", "two")]
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as processes:
        found = processes.submit(pools_of, [*same, pickle.loads(pickle.dumps(same[0]))]).result(SECONDS)
        other = processes.submit(pools_of, [same[0], make_code_reward(env={"A": "b"}, timeout=20.0)]).result(SECONDS)
    assert found == ([[1.0, 0.0]] * 3, 1)
    assert other == ([[1.0, 0.0]] * 2, 2)


def test_what_can_not_be_pickled():
    """The error names a function that can't be pickled, and cloudpickle accepts it."""
    reward = make_code_reward(extract=lambda candidate, reference: candidate, timeout=20.0)
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(reward)
    assert cloudpickle.loads(cloudpickle.dumps(reward))(completions=[RIGHT], tests=[TESTS]) == [1.0]
