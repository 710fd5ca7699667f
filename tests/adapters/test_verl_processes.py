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
from support.new_process import in_a_new_process
from support.verl_samples import BROKEN, OPTIONS, RIGHT, SUM, WRONG

pytestmark = pytest.mark.slow
CONTEXTS = ("spawn", "fork", "forkserver")


def score(answer, **options):
    """Return the score of an answer."""
    return compute_score("apps", answer, SUM, None, **OPTIONS | options)


def scores_of_threads(count):
    """Return the scores that many threads of this process get at once."""
    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(score, [RIGHT, WRONG] * (count // 2)))


def scores_here_and_there(context):
    """Return the scores of threads here, of threads in two other processes, and the score of an answer here."""
    before = scores_of_threads(4)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(context)) as processes:
        calls = [processes.submit(scores_of_threads, 20) for _ in range(2)]
        return before, [call.result(SECONDS) for call in calls], score(RIGHT)


@pytest.mark.parametrize("context", CONTEXTS)
def test_other_processes(context):
    """The reward works in several spawned or forked processes, even after use in this one, and afterwards here."""
    before, there, afterwards = in_a_new_process(scores_here_and_there, context)
    assert before == [1.0, 0.0] * 2
    assert there == [[1.0, 0.0] * 10] * 2
    assert afterwards == 1.0


def score_of_a_partial(context, options):
    """Return the score that a partial with options gives in another process."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context(context)) as processes:
        return processes.submit(functools.partial(compute_score, **options), "apps", RIGHT, SUM, {}).result(SECONDS)


@pytest.mark.parametrize("context", CONTEXTS)
def test_as_a_partial(context):
    """Processes take the function with its options, as verl's manager "prime" hands it over."""
    assert in_a_new_process(score_of_a_partial, context, OPTIONS) == 1.0
    with pytest.raises(NoReward, match="SandboxUnavailable"):
        in_a_new_process(score_of_a_partial, context, BROKEN)


def in_a_child(answers):
    """Put scores into a queue."""
    answers.put([score(RIGHT), *compute_scores(["apps"], [WRONG], [SUM], **OPTIONS)])


def scores_while_a_thread_calls():
    """Return the scores of a process that is forked while a thread here holds a lock, and its exit status."""
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
    return (None if answers.empty() else answers.get()), ended


def test_a_fork_while_another_thread_calls():
    """A process that is forked while another thread holds the lock of the calls still gets its scores."""
    assert in_a_new_process(scores_while_a_thread_calls) == ([1.0, 0.0], 0)


def workers_of_a_killed_process():
    """Return those workers of a process that still run some time after it was killed."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as processes:
        assert processes.submit(score, RIGHT).result(SECONDS) == 1.0
        [process] = map(psutil.Process, processes._processes)
        workers = process.children(recursive=True)
        assert workers
        process.kill()
        deadline = time.monotonic() + SECONDS
        while any(map(is_alive, workers)) and time.monotonic() < deadline:
            time.sleep(0.05)
        return [process.pid for process in workers if is_alive(process)]


def test_terminated_processes_leave_nothing():
    """Workers end with the process that they belong to, also if it is killed, as "prime" does after each batch."""
    assert in_a_new_process(workers_of_a_killed_process) == []


def is_alive(process):
    """Return whether a process runs. One that has ended may stay a zombie, where nobody waits for it."""
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
