"""Runs programs on a Ray cluster whose nodes come and go: every verdict must be right, and nothing may grow.

    python performance/cluster_soak.py [--minutes 60] [--programs 5000]

A cluster of two nodes is started on this machine, with one CPU each. In the midst of each round one node is killed
without notice, which Ray reports on standard error, and later a new one is added. One program in ten is hostile, as in
soak.py. Each program must have exactly one verdict, and the right one; a program whose node died may have had two
attempts. Measured between rounds, when the cluster has two nodes again: the descriptors, threads and memory of the
calling process, and the processes that run programs. Prints a row after each round, and then what was wrong, if
anything. Ends with status 1 if something was wrong.
"""

from __future__ import annotations

import argparse
import gc
import logging
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psutil

from sandboxes import ClusterPool, SandboxUnavailable, Verdict, close_pools, open_sandbox
from soak import programs_of

ACTOR = "ray::CodeEvalActor"
OBJECT_STORE_BYTES = 80 << 20
WAIT_SECONDS = 120.0
# Ray keeps a record of each node that has been there, and a thread of its own, `client.poll`, for each.
ROOM = {"own descriptors": 12, "own threads": 8, "own MB": 60, "actors": 0}


class ChangingCluster:
    """A head node without CPUs, and two nodes with one CPU each, of which the older one is replaced."""

    def __init__(self, folder: str) -> None:
        """Start the nodes.

        Args:
            folder: for the files of Ray.
        """
        from ray.cluster_utils import Cluster

        options = {"include_dashboard": False, "temp_dir": folder, "object_store_memory": OBJECT_STORE_BYTES}
        self.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, **options})
        self.nodes: list[Any] = []
        self.add()
        self.add()

    def add(self) -> None:
        """Add a node."""
        self.nodes.append(self.cluster.add_node(num_cpus=1, object_store_memory=OBJECT_STORE_BYTES))

    def kill_oldest(self) -> None:
        """Kill the oldest node without notice."""
        self.cluster.remove_node(self.nodes.pop(0), allow_graceful=False)


@contextmanager
def connected(folder: str) -> Iterator[ChangingCluster]:
    """Connect this process to a new cluster until the block is left."""
    import ray

    changing = ChangingCluster(folder)
    ray.init(changing.cluster.address, log_to_driver=False, logging_level=logging.ERROR)
    try:
        yield changing
    finally:
        close_pools()
        ray.shutdown()
        changing.cluster.shutdown()  # type: ignore[no-untyped-call]


def is_actor(process: psutil.Process) -> bool:
    """Return whether a process is an actor that runs programs."""
    try:
        return bool(process.name().startswith(ACTOR[:15]) and any(ACTOR in part for part in process.cmdline()))
    except psutil.NoSuchProcess:
        return False


def sample_resources() -> dict[str, int]:
    """Return the resources that must not grow, by name."""
    gc.collect()
    own = psutil.Process()
    return {
        "own descriptors": own.num_fds(),
        "own threads": own.num_threads(),
        "own MB": round(own.memory_info().rss / (1 << 20)),
        "actors": sum(map(is_actor, psutil.process_iter())),
    }


def wait_for_cpus(pool: ClusterPool, count: int) -> bool:
    """Return whether the cluster soon has a number of CPUs."""
    deadline = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < deadline:
        if pool.cpus() == count:
            return True
        time.sleep(0.2)
    return False


def run_round(pool: ClusterPool, changing: ChangingCluster, count: int, number: int) -> tuple[list[str], int, float]:
    """Run programs while a node goes and another one comes.

    Returns:
        (lines on what was wrong, programs with more than one attempt, seconds).
    """
    chosen, reported = programs_of(count, "auto", seed=number), []
    changes = {count // 4: changing.kill_oldest, count // 2: changing.add}

    def on_result(index: int, result: Verdict | SandboxUnavailable) -> None:
        reported.append(index)
        if change := changes.get(len(reported)):
            change()

    began = time.perf_counter()
    verdicts = pool.run_all([program for program, _, _ in chosen], 2, on_result, on_sandbox_error="exclude")
    seconds = time.perf_counter() - began
    wrong = [] if sorted(reported) == list(range(count)) else ["a program has no verdict, or more than one"]
    repeated = 0
    for (_, outcomes, name), verdict in zip(chosen, verdicts, strict=True):
        if not isinstance(verdict, Verdict):
            wrong.append(f"{name}: {verdict}")
            continue
        repeated += verdict.attempts > 1
        if verdict.outcome not in outcomes:
            wrong.append(f"{name}: {verdict.outcome.value} ({verdict.detail}), attempts {verdict.attempts}")
    if not wait_for_cpus(pool, 2):
        wrong.append(f"the cluster has {pool.cpus()} CPUs, not 2")
    return wrong, repeated, seconds


def grown_resources(before: dict[str, int], after: dict[str, int], replaced: int) -> list[str]:
    """Return lines on resources that grew while some nodes were replaced."""
    room = {**ROOM, "own threads": ROOM["own threads"] + replaced}
    return [
        f"{name} grew from {before[name]} to {after[name]}"
        for name in before
        if after[name] > before[name] + room[name]
    ]


def soak(minutes: float, count: int, folder: str) -> list[str]:
    """Run rounds for some minutes, at least two, and print a row after each.

    Returns:
        Lines on what was wrong; empty if all was right.
    """
    wrong: list[str] = []
    with connected(folder) as changing:
        pool = ClusterPool(open_sandbox("subprocess"), "auto")
        deadline, total, number = time.monotonic() + 60 * minutes, 0, 0
        before: dict[str, int] = {}
        while number < 2 or time.monotonic() < deadline:
            lines, repeated, seconds = run_round(pool, changing, count, number)
            wrong += lines
            after = sample_resources()
            if not before:
                # The first round has started everything.
                before = after
                print(
                    f"{'programs':>9}{'per second':>12}{'two attempts':>14}" + "".join(f"{name:>17}" for name in before)
                )
            total, number = total + count, number + 1
            values = "".join(f"{value:>17}" for value in after.values())
            print(f"{total:>9}{count / seconds:>12.0f}{repeated:>14}{values}", flush=True)
        wrong += grown_resources(before, sample_resources(), number)
        pool.close()
    if left := [process.pid for process in psutil.process_iter() if is_actor(process)]:
        wrong.append(f"actors are left: {left}")
    return wrong


def main() -> None:
    """Run the soak, and exit with status 1 if something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--programs", type=int, default=5000, help="in each round")
    arguments = parser.parse_args()
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    # Ray's test cluster notes its address there.
    os.makedirs(os.path.join(tempfile.gettempdir(), "ray"), exist_ok=True)
    # Ray's sockets need a short path.
    folder = tempfile.mkdtemp(prefix="ray-")
    try:
        wrong = soak(arguments.minutes, arguments.programs, folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("\n".join(wrong) or "all verdicts were right, and nothing grew")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
