"""A pool on the nodes of a Ray cluster: any backend, and warm workers on every node.

Callers use it like a `Pool`. Its actors ask Ray for no CPUs, so that warm workers keep no other work from a node.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
import warnings
import weakref
from collections.abc import Generator, Iterable, Mapping, Sequence

from sandboxes.cluster import session
from sandboxes.cluster.actors import ActorHandle
from sandboxes.cluster.environment import common_environment_key
from sandboxes.cluster.nodes import actor_capacities, node_shares, warn_of_missing_layers, warn_of_open_sandbox
from sandboxes.cluster.run import ClusterRun
from sandboxes.cluster.session import Node, checked_cluster
from sandboxes.cluster.start import end_actors, resume_actors, start_actors
from sandboxes.contract import Isolation, Program
from sandboxes.errors import SandboxUnavailable
from sandboxes.pool.interrupts import deferred_interrupts
from sandboxes.runner import Finalize, OnResult, RunControls, Runner, RunResult, ShouldStop, chunks
from sandboxes.workers.sandbox import Sandbox


class ClusterPool(Runner):
    """The warm workers of one sandbox on a cluster. Several threads may use it at once. Closed by `close`, and at exit.

    A run has its actors for itself, as a run of a `Pool` has its workers.
    """

    def __init__(self, sandbox: Sandbox, cluster: str):
        """Set up a pool; nothing is started yet.

        Args:
            sandbox: the sandbox in which programs run on each node.
            cluster: "auto", "local" or "ray://HOST:PORT".

        Raises:
            ValueError, TypeError: if `cluster` is invalid.
        """
        self.sandbox, self.cluster = sandbox, checked_cluster(cluster)
        self._retired = False
        self._reset()
        _pools.add(self)

    def _reset(self) -> None:
        """Set the state of a pool that has no actors and no connection."""
        self._used_nodes: frozenset[Node] = frozenset()
        """Nodes that runs of this process have used, or were about to use."""

        self._known_nodes: dict[str, frozenset[Node]] = {}
        """Nodes whose environment is known to be the same, by language. Nodes that have left the cluster stay here."""

        self._idle: list[ActorHandle] = []
        self._excluded: dict[Node, str] = {}
        """Nodes that can't run programs, and why."""

        self._connected = False
        self._pid = os.getpid()
        self._runs = 0
        self._lock = threading.RLock()

    def run(self, programs: Mapping[int, Program], controls: RunControls, on_result: OnResult) -> None:
        """Run every program, as `ProgramRunner.run` describes it, with `num_workers` at once over the whole cluster.

        A program whose node or actor dies runs again elsewhere. It is given up after several actors have died over it.
        Nodes that can't run programs are left out, with a warning.

        Raises:
            SandboxUnavailable: if there is no cluster, if no node can run programs, or, with isolation="strict", if one
                node lacks a layer. With "raise" also if a program could not be run.
            RunStopped: if `controls.should_stop` returned True.
        """
        shares = self._lease(max(1, min(controls.num_workers, len(programs))), controls.should_stop)
        run = ClusterRun(programs, shares, controls, on_result)
        began = time.monotonic()
        try:
            run.run()
        finally:
            controls.meter.add(worker_seconds=(time.monotonic() - began) * sum(shares.values()))
            with deferred_interrupts():
                self._give_back(run.reclaim_actors())

    def cpus(self) -> int:
        """Return the number of CPUs of all nodes that can run programs, as far as that is known.

        Raises:
            SandboxUnavailable: if there is no cluster, or it has no such node.
        """
        return sum(node.cpus for node in self._nodes())

    def preflight(self) -> Isolation:
        """Run the canaries on each node, once, and return the isolation that all nodes enforce.

        Raises:
            SandboxUnavailable: as `run`.
        """
        actors = self._lease(self.cpus(), None)
        self._give_back(list(actors))
        isolations = [actor.isolation for actor in actors if actor.isolation]
        missing = {layer: reason for isolation in isolations for layer, reason in isolation.missing.items()}
        layers = tuple(layer for layer in isolations[0].layers if layer not in missing)
        modules = tuple(name for name in isolations[0].modules if all(name in each.modules for each in isolations))
        slow = next(filter(None, (each.forked_in_python for each in isolations)), "")
        not_held = next(filter(None, (each.memory_not_held for each in isolations)), "")
        return Isolation(layers, missing, isolations[0].python, modules, slow, not_held)

    def stream(
        self, programs: Iterable[Program], controls: RunControls, finalize: Finalize | None = None
    ) -> Generator[RunResult]:
        """Run a stream of programs, as `Runner.stream` describes it, in chunks of some ten thousand."""
        for chunk in chunks(programs, controls.num_workers):
            results: dict[int, RunResult] = {}
            self.run(chunk, controls, results.__setitem__)
            for index in chunk:
                result = results.pop(index)
                yield finalize(index, result) if finalize else result

    def was_starved(self, seconds: float) -> bool:
        """Return True: the load of other machines is unknown."""
        return True

    def restart(self) -> None:
        """Keep the guests, because new actors take seconds to start, and programs run in several guests already."""

    def environment_key(self, language: str) -> bytes:
        """Return a key of all that decides verdicts on all nodes beside the programs.

        Raises:
            NotCacheable: if a node has no key, or nodes differ.
            SandboxUnavailable: as `run`.
        """
        # Nodes that were used earlier and are not leased now have left the cluster.
        used_before = self._used_nodes
        actors = self._lease(self.cpus(), None)
        try:
            key = common_environment_key(actors, language)
            self._known_nodes[language] = used_before | {actor.node for actor in actors}
            return key
        finally:
            self._give_back(list(actors))

    def environment_is_known(self, language: str) -> bool:
        """Return whether `environment_key` has covered all nodes on which programs may have run."""
        return self._used_nodes <= self._known_nodes.get(language, frozenset())

    def _nodes(self) -> list[Node]:
        """Connect to the cluster, if this pool is not connected, and return the nodes that can run programs."""
        with self._lock:
            if self._connected and not session.is_connected():
                # The caller has shut Ray down, and the actors with it.
                self._idle.clear()
                self._connected = False
                session.release()
            if not self._connected:
                warn_of_open_sandbox(self.sandbox)
                session.acquire(self.cluster)
                self._connected = True
                # Handlers run in reverse order, so this one has to be registered after Ray's own.
                atexit.unregister(close_cluster_pools)
                atexit.register(close_cluster_pools)
            if usable := [node for node in session.nodes() if node not in self._excluded]:
                return usable
            reasons = "; ".join(f"{node}: {reason}" for node, reason in self._excluded.items())
            raise SandboxUnavailable(
                f"no node of the cluster can run programs in the {self.sandbox.name} sandbox: "
                f"{reasons or 'none of them offers a CPU'}"
            )

    def _lease(self, num_workers: int, should_stop: ShouldStop | None) -> dict[ActorHandle, int]:
        """Return actors for so many programs at once, each with its share. They are the caller's until given back."""
        while True:
            wanted = node_shares(num_workers, self._nodes())
            with deferred_interrupts():
                actors = self._take_idle(wanted)
            new = [
                ActorHandle(self.sandbox, node, capacity)
                for node, share in wanted.items()
                for capacity in actor_capacities(share - sum(actors[actor] for actor in actors if actor.node == node))
            ]
            actors |= {actor: actor.capacity for actor in new}
            try:
                reasons = start_actors(new, should_stop)
                self._exclude(reasons)
                warn_of_missing_layers(self.sandbox, [actor for actor in new if actor.isolation])
                if not reasons:
                    with self._lock:
                        self._used_nodes |= set(wanted)
                    return actors
            except BaseException:
                self._give_back([actor for actor in actors if actor.isolation])
                raise
            # Some nodes can't run programs: share the programs among the other nodes.
            self._give_back([actor for actor in actors if actor.isolation])

    def _take_idle(self, wanted: Mapping[Node, int]) -> dict[ActorHandle, int]:
        """Take idle actors of the wanted nodes that still answer, and return them with their shares."""
        taken: dict[ActorHandle, int] = {}
        missing = dict(wanted)
        with self._lock:
            self._runs += 1
            for actor in sorted(self._idle, key=lambda actor: -actor.capacity):
                if missing.get(actor.node):
                    taken[actor] = min(missing[actor.node], actor.capacity)
                    missing[actor.node] -= taken[actor]
            self._idle = [actor for actor in self._idle if actor not in taken]
        usable = resume_actors(taken)
        return {actor: share for actor, share in taken.items() if actor in usable}

    def _exclude(self, reasons: Mapping[Node, str]) -> None:
        """Exclude nodes that can't run programs, with a warning.

        Raises:
            SandboxUnavailable: if there are such nodes, and the user chose isolation="strict".
        """
        with self._lock:
            new = {node: reason for node, reason in reasons.items() if node not in self._excluded}
            self._excluded |= new
        lines = "; ".join(f"{node}: {reason}" for node, reason in new.items())
        if lines and self.sandbox.isolation_mode == "strict":
            with self._lock:
                # The next run has to ask these nodes again, and is refused too.
                self._excluded.clear()
            raise SandboxUnavailable(
                f'isolation="strict", but these nodes of the cluster can\'t run programs so: {lines}'
            )
        if lines:
            warnings.warn(f"these nodes of the cluster can't run programs and are left out: {lines}", stacklevel=5)

    def _give_back(self, actors: Sequence[ActorHandle]) -> None:
        with self._lock:
            self._idle += actors
            self._runs -= 1
            if self._retired:
                self.close()

    def retire(self) -> None:
        """End the idle workers, now and whenever a run ends."""
        self._retired = True
        self.close()

    def close(self) -> None:
        """End the idle workers, and a Ray that was started for them. The pool can be used again, with new ones."""
        if self._pid != os.getpid():
            return
        with self._lock, deferred_interrupts():
            idle, self._idle = self._idle, []
            end_actors(idle)
            self._excluded.clear()
            if self._connected and not self._runs:
                self._connected = False
                session.release()

    def after_fork_in_child(self) -> None:
        """Leave the actors to the parent process."""
        _actors_of_parent.append(self._idle)
        self._reset()


_pools: weakref.WeakSet[ClusterPool] = weakref.WeakSet()
_actors_of_parent: list[list[ActorHandle]] = []
"""Actors that a forked process keeps alive, because Ray would report their end on connections of the parent."""


def close_cluster_pools() -> None:
    """End the idle workers of every pool on a cluster, and a Ray that was started for them."""
    for pool in tuple(_pools):
        pool.close()


def _after_fork_in_child() -> None:
    for pool in tuple(_pools):
        pool.after_fork_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork_in_child)
