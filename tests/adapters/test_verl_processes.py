"""The reward for verl in several processes: forked, spawned, and with all threads at once."""

import functools
import multiprocessing
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import psutil
import pytest

from code_tasks.adapters.joined_calls import joined_calls
from code_tasks.adapters.verl import NoReward, compute_score, compute_scores
from support.metric_and_command import SECONDS
from support.verl_samples import BROKEN, OPTIONS, RIGHT, SUM, WRONG

pytestmark = [
    pytest.mark.slow,
    # Python warns of a fork of a process with threads, which these tests make on purpose.
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning"),
]
CONTEXTS = ("spawn", "fork", "forkserver")


def score(answer, **options):
    """Return the score of an answer."""
    return compute_score("apps", answer, SUM, None, **OPTIONS | options)


def scores_of_threads(count):
    """Return the scores that many threads of this process get at once."""
    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(score, [RIGHT, WRONG] * (count // 2)))


@pytest.mark.parametrize("context", CONTEXTS)
def test_other_processes(context):
    """The reward works in several spawned or forked processes, even after use in this one, and afterwards here."""
    assert scores_of_threads(4) == [1.0, 0.0] * 2
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(context)) as processes:
        calls = [processes.submit(scores_of_threads, 20) for _ in range(2)]
        assert [call.result(SECONDS) for call in calls] == [[1.0, 0.0] * 10] * 2
    assert score(RIGHT) == 1.0


@pytest.mark.parametrize("context", CONTEXTS)
def test_as_a_partial(context):
    """Processes take the function with its options, as verl's manager "prime" hands it over."""
    call = functools.partial(compute_score, **OPTIONS)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(context)) as processes:
        assert processes.submit(call, "apps", RIGHT, SUM, {}).result(SECONDS) == 1.0
        with pytest.raises(NoReward, match="SandboxUnavailable"):
            processes.submit(functools.partial(compute_score, **BROKEN), "apps", RIGHT, SUM).result(SECONDS)


def in_a_child(answers):
    """Put scores into a queue."""
    answers.put([score(RIGHT), *compute_scores(["apps"], [WRONG], [SUM], **OPTIONS)])


def test_a_fork_while_another_thread_calls():
    """A process that is forked while another thread holds the lock of the calls still gets its scores."""
    held, done = threading.Event(), threading.Event()

    def hold():
        with joined_calls._lock:
            held.set()
            done.wait(SECONDS)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(SECONDS)
    context = multiprocessing.get_context("fork")
    answers = context.SimpleQueue()
    process = context.Process(target=in_a_child, args=(answers,))
    process.start()
    done.set()
    thread.join()
    process.join(SECONDS)
    ended = process.exitcode
    process.kill()
    assert ended == 0
    assert answers.get() == [1.0, 0.0]


def test_terminated_processes_leave_nothing():
    """Workers end with the process that they belong to, also if it is killed, as "prime" does after each batch."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as processes:
        assert processes.submit(score, RIGHT).result(SECONDS) == 1.0
        [process] = map(psutil.Process, processes._processes)
        workers = process.children(recursive=True)
        assert workers
        process.kill()
        deadline = time.monotonic() + SECONDS
        while any(map(is_alive, workers)):
            assert time.monotonic() < deadline
            time.sleep(0.05)


def is_alive(process):
    """Return whether a process runs. One that has ended may stay a zombie, where nobody waits for it."""
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
