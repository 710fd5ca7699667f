"""Start, resumption and end of a pool's actors. Each step asks all actors at once, and waits for the slowest one."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, wait
from typing import Any

from sandboxes.cluster.actors import ActorHandle
from sandboxes.cluster.session import Node, first_line
from sandboxes.contract import Isolation
from sandboxes.errors import RunStopped
from sandboxes.pool.interrupts import deferred_interrupts
from sandboxes.pool.run import POLL_INTERVAL_SECONDS
from sandboxes.runner import ShouldStop

START_TIMEOUT_SECONDS = 90.0
START_ATTEMPTS = 2
ANSWER_TIMEOUT_SECONDS = 20.0
CLOSE_TIMEOUT_SECONDS = 10.0


def start_actors(actors: Sequence[ActorHandle], should_stop: ShouldStop | None) -> dict[Node, str]:
    """Start actors, and wait until they are ready. Kill those that can't run programs.

    An actor that dies before it has answered is started once more, because a process can end by what its node does.

    Returns:
        The nodes whose actors can't run programs, with the reasons. The other actors know their isolation.

    Raises:
        RunStopped: if `should_stop` returned True.
    """
    answers: dict[ActorHandle, Future[Any]] = {}
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    try:
        starting = list(actors)
        for _ in range(START_ATTEMPTS):
            with deferred_interrupts():
                answers |= {actor: actor.start() for actor in starting}
            _await_answers(answers, deadline, should_stop)
            starting = [actor for actor, answer in answers.items() if answer.done() and answer.exception()]
    except BaseException:
        for actor in answers:
            actor.kill()
        raise
    reasons: dict[Node, str] = {}
    for actor, answer in answers.items():
        if isinstance(result := preflight_result(answer), Isolation):
            actor.isolation = result
        else:
            actor.kill()
            reasons[actor.node] = result
    return reasons


def _await_answers(answers: Mapping[ActorHandle, Future[Any]], deadline: float, should_stop: ShouldStop | None) -> None:
    """Wait until all have answered or the deadline has passed.

    Raises:
        RunStopped: if `should_stop` returned True.
    """
    while wait(answers.values(), POLL_INTERVAL_SECONDS).not_done and time.monotonic() < deadline:
        if should_stop and should_stop():
            raise RunStopped("the run was stopped")


def preflight_result(answer: Future[Any]) -> Isolation | str:
    """Return the isolation that an actor's preflight reports, or why there is none."""
    if not answer.done():
        return f"its actor was not ready after {START_TIMEOUT_SECONDS:g} s"
    if (error := answer.exception()) is not None:
        return f"its actor did not start: {first_line(error)}"
    result: Isolation | str = answer.result()
    return result


def resume_actors(actors: Iterable[ActorHandle]) -> set[ActorHandle]:
    """Resume idle actors, and return those that answer. Kill the others."""
    answers = {actor: actor.call("resume") for actor in actors}
    wait(answers.values(), ANSWER_TIMEOUT_SECONDS)
    usable = {actor for actor, answer in answers.items() if answer.done() and answer.exception() is None}
    for actor in answers.keys() - usable:
        actor.kill()
    return usable


def end_actors(actors: Iterable[ActorHandle]) -> None:
    """End actors with their workers."""
    answers = {actor: actor.call("close") for actor in actors}
    wait(answers.values(), CLOSE_TIMEOUT_SECONDS)
    for actor in answers:
        actor.kill()
