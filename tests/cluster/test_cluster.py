"""A cluster gives the verdicts of one machine, whatever happens to its nodes."""

import os
import subprocess
import sys
import threading
import uuid

import evaluate
import pytest

import sandboxes
from sandboxes import ClusterPool, Limits, Outcome, Pool, Program, RunStopped, SandboxUnavailable, open_sandbox
from support.metric_and_command import METRIC, code_eval, results_of
from support.observers import all_gone, runs, wait_until
from support.ray_nodes import END_TIMEOUT_SECONDS, connected_nodes, numbered, running_actors

pytestmark = [pytest.mark.slow, pytest.mark.cluster]

ray = pytest.importorskip("ray") if not os.environ.get("CI") else __import__("ray")
HANGS = Program("while True:\n    pass", "", Limits(wall_seconds=300.0))
SAYS_WHEN = "import time\nprint(time.time())\ntime.sleep(2)\nprint(time.time())"


@pytest.fixture(scope="module")
def two_nodes():
    """Connect the tests' process to a cluster, like a caller with its own Ray."""
    with connected_nodes() as nodes:
        yield nodes


@pytest.fixture(scope="module")
def cluster_pool(two_nodes):
    """Return a warm pool on the two nodes."""
    pool = ClusterPool(open_sandbox("subprocess"), "auto")
    pool.preflight()
    yield pool
    pool.close()


@pytest.fixture(scope="module")
def local_outcomes():
    """Return the outcomes of 2,000 numbered programs on this machine alone."""
    pool = Pool(open_sandbox("subprocess"))
    outcomes = [verdict.outcome for verdict in pool.run_all([numbered(number) for number in range(2000)], 2)]
    assert set(outcomes) == {
        Outcome.PASSED,
        Outcome.FAILED,
        Outcome.COMPILE_ERROR,
        Outcome.EXITED,
        Outcome.TIMED_OUT,
    }
    yield outcomes
    pool.close()


def test_a_cluster_has_the_cpus_of_its_nodes(cluster_pool):
    """Without a number of workers, the cluster runs as many programs at once as it has CPUs."""
    assert cluster_pool.cpus() == 2


def test_preflight_says_what_the_nodes_enforce(cluster_pool):
    """The preflight of a cluster whose nodes all run on this machine names this machine's layers."""
    pool = Pool(cluster_pool.sandbox)
    assert set(cluster_pool.preflight().layers) == set(pool.preflight().layers)
    pool.close()


def test_verdicts_are_in_input_order(cluster_pool):
    """Every program has its own verdict, in input order, reported once and in the caller's thread."""
    reported = []
    programs = [Program(f"print({number})", f"assert {number} % 3, 'three'") for number in range(100)]
    verdicts = cluster_pool.run_all(
        programs, 3, lambda index, verdict: reported.append((index, threading.current_thread().name))
    )
    assert [verdict.stdout for verdict in verdicts] == [f"{number}\n" for number in range(100)]
    assert [verdict.passed for verdict in verdicts] == [bool(number % 3) for number in range(100)]
    assert sorted(reported) == [(number, threading.current_thread().name) for number in range(100)]


def test_no_programs_have_no_verdicts(cluster_pool):
    """An empty list of programs gives an empty list of verdicts."""
    assert cluster_pool.run_all([], 4) == []


def test_any_text_crosses(cluster_pool):
    """Long sources, long output and invalid characters arrive as they were sent."""
    long = Program(f"print('x' * 500_000)\n#{'y' * 3_000_000}", "", Limits(kept_bytes=1 << 20))
    odd = Program("print(ascii('\ud800'))", "")
    verdicts = cluster_pool.run_all([long, odd, Program("x = '\0'", "")] * 3, 2)
    local = Pool(cluster_pool.sandbox)
    here = local.run_all([long, odd, Program("x = '\0'", "")], 2)
    local.close()
    assert [(verdict.outcome, verdict.detail, verdict.stdout) for verdict in verdicts] == [
        (verdict.outcome, verdict.detail, verdict.stdout) for verdict in here
    ] * 3
    assert len(verdicts[0].stdout) == 500_001


def test_a_slow_batch_is_split(cluster_pool):
    """Unstarted programs of a slow batch run elsewhere when other actors are idle."""
    slow = Program(SAYS_WHEN, "", Limits(wall_seconds=60.0))
    quick = [Program(f"x = {number}", "") for number in range(30)]
    verdicts = cluster_pool.run_all([slow] * 6 + quick, 2)
    times = sorted(tuple(map(float, verdict.stdout.split())) for verdict in verdicts[:6])
    assert any(began < ended for (_, ended), (began, _) in zip(times, times[1:], strict=False))


def test_a_run_can_be_stopped(cluster_pool):
    """A run whose `should_stop` returns True ends while its programs hang, and the pool works again."""
    stop = threading.Event()
    timer = threading.Timer(1.0, stop.set)
    timer.start()
    with pytest.raises(RunStopped):
        cluster_pool.run_all([HANGS] * 4, 2, should_stop=stop.is_set)
    timer.join()
    assert [verdict.passed for verdict in cluster_pool.run_all([numbered(1), numbered(3)], 2)] == [True, False]


def test_an_error_of_on_result_is_the_callers(cluster_pool):
    """An exception in `on_result` reaches the caller, and the pool works again."""

    def fail(index, verdict):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        cluster_pool.run_all([numbered(number) for number in range(50)], 2, fail)
    assert cluster_pool.run_all([numbered(1)], 2)[0].passed


def test_threads_may_share_a_pool(cluster_pool):
    """Two threads that use one pool at once get their own verdicts."""
    outputs = {}

    def use(number):
        programs = [Program(f"print({number}, {index})", "") for index in range(20)]
        outputs[number] = [verdict.stdout for verdict in cluster_pool.run_all(programs, 2)]

    threads = [threading.Thread(target=use, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outputs == {number: [f"{number} {index}\n" for index in range(20)] for number in range(2)}


def test_an_actor_that_is_killed_is_replaced(cluster_pool):
    """Programs whose actor is killed run again, and their verdicts record the second attempt."""
    killed = []

    def kill(index, verdict):
        if not killed:
            killed.append(index)
            for actor in running_actors():
                actor.kill()

    programs = [numbered(number) for number in range(60)]
    verdicts = cluster_pool.run_all(programs, 2, kill)
    assert [verdict.passed for verdict in verdicts] == [number % 100 not in (3, 50, 77, 90) for number in range(60)]
    assert max(verdict.attempts for verdict in verdicts) == 2


def test_a_program_that_actors_die_of_is_given_up(cluster_pool):
    """A program whose actors die again and again gets a SandboxUnavailable, and other programs get their verdicts."""
    name = f"marks-{uuid.uuid4()}"
    marks = f"import subprocess\nsubprocess.run(['{name}', '1000'], executable='sleep')"
    over, killed = threading.Event(), []

    def kill():
        while not over.wait(0.1):
            if runs(name):
                killed.extend(running_actors())
                for actor in running_actors():
                    actor.kill()
                all_gone(name, END_TIMEOUT_SECONDS)

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        programs = [Program(marks, "", Limits(wall_seconds=300.0)), numbered(1), numbered(3)]
        results = cluster_pool.run_all(programs, 2, on_sandbox_error="exclude")
    finally:
        over.set()
        killer.join()
    assert isinstance(results[0], SandboxUnavailable)
    assert "3 of the cluster's actors died while they ran program 0" in str(results[0])
    assert [verdict.passed for verdict in results[1:]] == [True, False]
    assert len(killed) >= 3


def test_the_metric_on_a_cluster(two_nodes):
    """`compute(cluster="auto")` on the caller's own Ray gives the same answer as without a cluster."""
    metric = evaluate.load(METRIC)
    samples = {"predictions": [["x = 1", "x = 2"], ["y = 3"]], "references": ["assert x == 1", "assert y == 3"]}
    here, there = (metric.compute(**samples, k=[1], cluster=cluster) for cluster in (None, "auto"))
    assert there[0] == here[0] == {"pass@1": 0.75}
    assert [[result["result"] for _, result in task] for task in there[1].values()] == [
        [result["result"] for _, result in task] for task in here[1].values()
    ]
    assert ray.is_initialized()


def test_what_a_cluster_has_run_is_not_run_again(two_nodes, tmp_path):
    """With `cache_dir` a second call uses the cached verdicts, even without a cluster on the same machine."""
    metric = evaluate.load(METRIC)
    samples = {"predictions": [["x = 1", "x = 2", "x ="]], "references": ["assert x == 1"], "k": [1]}
    calls = [metric.compute(**samples, cache_dir=tmp_path, cluster=cluster) for cluster in ("auto", "auto", None)]
    cached = [[each["cached"] for _, each in results[0]] for _, results in calls]
    assert cached == [[False] * 3, [True] * 3, [True] * 3]
    assert [{**each, "cached": None} for _, each in calls[0][1][0]] == [
        {**each, "cached": None} for _, each in calls[1][1][0]
    ]


def test_other_versions_are_left_out(two_nodes, monkeypatch):
    """A node with another version of this package is left out. Without any other node, that is an error."""
    monkeypatch.setattr("sandboxes.cluster.actors.package_digest", lambda: "another")
    pool = ClusterPool(open_sandbox("subprocess"), "auto")
    with (
        pytest.warns(UserWarning, match="left out.*another version"),
        pytest.raises(SandboxUnavailable, match="no node of the cluster can run programs.*another version"),
    ):
        pool.run_all([numbered(1)], 1)
    pool.close()


def test_nodes_that_cannot_are_left_out(two_nodes):
    """A node whose preflight fails is left out with a warning, or refused under isolation="strict"."""
    node = two_nodes.add_one_without_restricted_python()
    try:
        pool = ClusterPool(open_sandbox("restricted"), "auto")
        with pytest.warns(UserWarning, match=f"left out: .*{node.node_id[:8]}.*not here"):
            verdicts = pool.run_all([numbered(number) for number in range(12)], 3)
        assert [verdict.passed for verdict in verdicts] == [number != 3 for number in range(12)]
        assert pool.cpus() == 2
        pool.close()
        strict = ClusterPool(open_sandbox("restricted", isolation="strict"), "auto")
        with pytest.raises(SandboxUnavailable, match=f'isolation="strict".*{node.node_id[:8]}.*not here'):
            strict.run_all([numbered(1)] * 3, 3)
        strict.close()
    finally:
        two_nodes.cluster.remove_node(node)


def test_a_client_of_the_cluster(two_nodes, files, tmp_path):
    """`code-eval run --cluster ray://...` scores a file on the cluster's nodes, and writes every sample's verdict."""
    arguments = files(["    return a + b\n", "    return a - b\n"])
    results = tmp_path / "results.jsonl"
    done = code_eval(*arguments, "--output", results, "--cluster", f"ray://127.0.0.1:{two_nodes.port}")
    assert done.returncode == 0, done.stderr
    assert [each["passed"] for each in results_of(results)] == [True, False]


FORKING_SCRIPT = """
import os, time
from sandboxes import ClusterPool, Program, open_sandbox
pool = ClusterPool(open_sandbox("subprocess"), "auto")
pool.preflight()
child = os.fork()
if child == 0:
    time.sleep(1)
    os._exit(0)
other = ClusterPool(open_sandbox("subprocess"), "auto")
for each in (other, pool):
    assert each.run_all([Program("x = 1", "assert x == 1")], 1)[0].passed
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_process_leaves_the_actors_to_its_owner(two_nodes):
    """A caller's actors keep working during and after the life of a forked process, and new actors start."""
    subprocess.run(
        [sys.executable, "-c", FORKING_SCRIPT],
        env={**os.environ, "RAY_ADDRESS": two_nodes.cluster.address},
        check=True,
        timeout=END_TIMEOUT_SECONDS,
    )


def test_the_callers_ray_is_kept(two_nodes):
    """Closing all pools keeps the caller's own Ray, and leaves no actor there."""
    pool = sandboxes.warm_pool(open_sandbox("subprocess"), "local")
    assert pool.run_all([numbered(1)], 1)[0].passed
    sandboxes.close_pools()
    assert ray.is_initialized()
    assert wait_until(lambda: not running_actors(), END_TIMEOUT_SECONDS)


def test_a_node_that_dies_loses_nothing(two_nodes, local_outcomes):
    """When a node is killed among 2,000 programs, each program has its usual outcome, reported once."""
    pool, reported = ClusterPool(open_sandbox("subprocess"), "auto"), []

    def kill(index, verdict):
        reported.append(index)
        if len(reported) == 500:
            two_nodes.cluster.remove_node(two_nodes.second, allow_graceful=False)

    verdicts = pool.run_all([numbered(number) for number in range(2000)], 2, kill)
    assert [verdict.outcome for verdict in verdicts] == local_outcomes
    assert sorted(reported) == list(range(2000))
    assert max(verdict.attempts for verdict in verdicts) == 2
    assert wait_until(lambda: pool.cpus() == 1, END_TIMEOUT_SECONDS)
    pool.close()
