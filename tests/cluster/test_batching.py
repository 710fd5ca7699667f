"""Batches of a cluster, and the code on a node that runs them. These tests need no Ray."""

import subprocess
import sys
import threading
from concurrent.futures import Future

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes import ClusterPool, Limits, Outcome, Program, open_sandbox
from sandboxes.cluster.actors import MAX_CAPACITY
from sandboxes.cluster.batching import MAX_BATCH_CHARS, MAX_BATCH_SIZE, Backlog, BatchSizer
from sandboxes.cluster.environment import common_environment_key
from sandboxes.cluster.node import NodeRunner
from sandboxes.cluster.nodes import actor_capacities, node_shares
from sandboxes.cluster.session import Node
from sandboxes.errors import NotCacheable
from support.metric_and_command import ROOT

SLEEPS = Program("import time\ntime.sleep(0.5)", "", Limits(wall_seconds=20.0))


@pytest.fixture(scope="module")
def runner():
    """Return a node's runner, without the actor."""
    runner = NodeRunner(open_sandbox("subprocess"))
    assert not isinstance(runner.preflight(), str)
    yield runner
    runner.close()


@pytest.mark.slow
@given(st.integers(0, 300), st.data())
def test_every_program_leaves_the_backlog_once_for_each_time_it_is_in(total, data):
    """Programs that are taken, put back and taken again leave the backlog once each."""
    backlog, done = Backlog(range(total), lambda index: 1), []
    while backlog.left:
        before = backlog.left
        taken = backlog.take(data.draw(st.integers(1, 40)))
        assert taken
        assert backlog.left == before - len(taken)
        kept = data.draw(st.integers(0, len(taken)))
        done += taken[:kept]
        put_back = data.draw(st.sampled_from([backlog.put_back, backlog.put_back_singly])) if kept else backlog.put_back
        put_back(taken[max(kept, 1) :])
        done += taken[kept : max(kept, 1)]
    assert sorted(done) == list(range(total))


@given(st.lists(st.integers(1, 2 * MAX_BATCH_CHARS), min_size=1, max_size=40))
def test_batches_are_not_too_long(lengths):
    """A batch stays below the maximum number of characters, unless it is a single program."""
    backlog = Backlog(range(len(lengths)), lengths.__getitem__)
    while backlog.left:
        taken = backlog.take(1000)
        assert len(taken) == 1 or sum(lengths[index] for index in taken) <= MAX_BATCH_CHARS


def test_lost_programs_come_back_alone():
    """Each program whose actor died gets its own batch."""
    backlog = Backlog(range(10), lambda index: 1)
    backlog.put_back_singly(backlog.take(3))
    assert [backlog.take(10) for _ in range(3)] == [[0], [1], [2]]


@given(st.integers(1, 100_000), st.integers(1, 10_000_000), st.floats(1e-6, 100.0))
def test_batches_are_bounded(capacity, left, seconds):
    """A batch has between one program and a worker's share of the backlog, however fast programs are."""
    sizer = BatchSizer(capacity)
    for _ in range(2):
        size = sizer.batch_size(left)
        assert 1 <= size <= MAX_BATCH_SIZE
        assert size == 1 or size * capacity <= left
        sizer.observe(10, 10 * seconds)


def test_batches_shrink_with_slow_programs():
    """Slow programs are sent one by one."""
    sizer = BatchSizer(2)
    sizer.observe(8, 24.0)
    assert sizer.batch_size(1_000_000) == 1


@given(st.integers(1, 500), st.lists(st.integers(1, 128), min_size=1, max_size=20))
def test_shares_add_up_to_the_workers(num_workers, cpus):
    """Nodes together run `num_workers` programs at once, each node in proportion to its CPUs."""
    nodes = [Node(str(number), "10.0.0.1", count) for number, count in enumerate(cpus)]
    shares = node_shares(num_workers, nodes)
    assert sum(shares.values()) == num_workers
    assert all(abs(shares.get(node, 0) - num_workers * node.cpus / sum(cpus)) < 1 for node in nodes)


@given(st.integers(0, 1000))
def test_actors_have_about_equal_capacities(capacity):
    """A node's capacity is spread over actors of about equal capacity, none above the maximum."""
    sizes = actor_capacities(capacity)
    assert sum(sizes) == capacity
    assert not sizes or (max(sizes) <= MAX_CAPACITY and max(sizes) - min(sizes) <= 1)


def test_a_batch_keeps_its_indices(runner):
    """A batch's verdicts have the indices of its programs."""
    report = runner.run(0, {7: Program("x = 1", "assert x == 1"), 3: Program("x = 1", "assert x == 2, 'three'")})
    assert {index: verdict.exception_message for index, verdict in report.results.items()} == {7: "", 3: "three"}
    assert report.error == ""


def run_in_thread(runner, number, programs):
    """Run a batch in a thread. Return the thread, and a list that gets the report."""
    reports = []
    thread = threading.Thread(target=lambda: reports.append(runner.run(number, programs)))
    thread.start()
    return thread, reports


def test_a_batch_returns_unstarted_programs(runner):
    """A batch that is asked for its unstarted programs finishes the others, and reports only these."""
    thread, reports = run_in_thread(runner, 1, dict.fromkeys(range(40), SLEEPS))
    while not (early := runner.new_results()):
        thread.join(0.05)
    runner.return_unstarted(1)
    thread.join()
    assert set(early) <= set(reports[0].results)
    assert 0 < len(reports[0].results) < 40
    assert {verdict.outcome for verdict in reports[0].results.values()} == {Outcome.PASSED}


def test_a_batch_can_be_stopped(runner):
    """A batch that is stopped ends with the programs that ran, and the next one runs."""
    thread, reports = run_in_thread(runner, 2, {0: Program("while True:\n    pass", "", Limits(wall_seconds=60.0))})
    runner.stop()
    thread.join()
    assert reports[0].results == {}
    runner.resume()
    assert runner.run(3, {0: Program("x = 1", "")}).results[0].passed


@pytest.mark.parametrize("cluster", ["", "lokal", "ray://", "ray://host", "ray://host:port", "http://host:1", 3, True])
def test_wrong_clusters_are_refused(cluster):
    """An invalid cluster is refused with its value and the choices."""
    with pytest.raises((ValueError, TypeError)) as caught:
        ClusterPool(open_sandbox("subprocess"), cluster)
    assert repr(cluster) in str(caught.value)
    assert '"auto", "local" or "ray://HOST:PORT"' in str(caught.value)


def test_without_ray():
    """Without Ray everything else works, and a cluster's error says what to install."""
    script = """
import sys
sys.modules["ray"] = None
import sandboxes
pool = sandboxes.warm_pool(sandboxes.open_sandbox("subprocess"), "local")
try:
    pool.run_all([sandboxes.Program("", "")], 1)
except sandboxes.SandboxUnavailable as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert 'pip install "code-eval-sandboxes[ray]"' in done.stdout, done.stderr


class AnsweringActor:
    """The handle of an actor that gives one answer."""

    def __init__(self, node, answer):
        self.node, self.answer = node, answer

    def call(self, name, *arguments):
        """Return the answer, whatever is asked."""
        future = Future()
        if isinstance(self.answer, Exception):
            future.set_exception(self.answer)
        else:
            future.set_result(self.answer)
        return future


def actors_that_answer(*answers):
    """Return an actor on its own node for each answer."""
    return [AnsweringActor(Node(f"{number}" * 8, "192.0.2.1", 1), answer) for number, answer in enumerate(answers)]


def test_equal_nodes_have_a_common_environment():
    """The cluster's key is the key that all nodes return."""
    assert common_environment_key(actors_that_answer(b"same", b"same"), "python") == b"same"


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        ((b"one", b"other"), "nodes 192.0.2.1 .00000000., 192.0.2.1 .11111111. differ"),
        ((b"one", "programs may use the network"), "on 192.0.2.1 .11111111. programs may use the network"),
        ((OSError("gone"), b"one"), "192.0.2.1 .00000000. does not answer: gone"),
    ],
)
def test_nodes_that_differ_share_no_verdicts(answers, reason):
    """A cluster caches nothing if nodes may reach different verdicts, and the error names the nodes."""
    with pytest.raises(NotCacheable, match=reason):
        common_environment_key(actors_that_answer(*answers), "python")
