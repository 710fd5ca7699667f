"""The start, resumption and end of a pool's actors, without Ray."""

from concurrent.futures import Future

import pytest

from sandboxes import open_sandbox
from sandboxes.cluster.node import NodeRunner
from sandboxes.cluster.start import end_actors, preflight_result, resume_actors, start_actors


class LocalActor:
    """An actor whose methods run in this process. They answer with the error that they raise."""

    def __init__(self):
        """Set up the node's end."""
        self.runner = NodeRunner(open_sandbox("subprocess"))
        self.killed = False
        self.node, self.isolation = "node", None
        self.dies_on_starts = 0

    def start(self):
        """Begin the preflight, unless the actor dies on this start."""
        if self.dies_on_starts:
            self.dies_on_starts -= 1
            answer = Future()
            answer.set_exception(RuntimeError("died"))
            return answer
        return self.call("preflight")

    def call(self, name):
        """Call a method of the node's end."""
        answer = Future()
        try:
            answer.set_result(getattr(self.runner, name)())
        except Exception as error:
            answer.set_exception(error)
        return answer

    def kill(self):
        """Note that the actor was killed."""
        self.killed = True


@pytest.mark.parametrize(("deaths", "reasons"), [(1, {}), (2, {"node": "its actor did not start: died"})])
def test_an_actor_that_dies_as_it_starts_is_started_once_more(deaths, reasons):
    """One death of an actor costs no node."""
    actor = LocalActor()
    actor.dies_on_starts = deaths
    try:
        assert start_actors([actor], None) == reasons
        assert (actor.isolation is None, actor.killed) == (bool(reasons), bool(reasons))
    finally:
        actor.runner.close()


def test_idle_actors_are_resumed():
    """An idle actor that was stopped before is used again, and takes batches."""
    actor = LocalActor()
    actor.runner.stop()
    assert resume_actors([actor]) == {actor}
    assert not actor.killed
    assert not actor.runner._stopped


def test_an_actor_that_does_not_answer_is_killed():
    """An actor whose node fails is not used again."""
    actor = LocalActor()
    del actor.runner
    assert resume_actors([actor]) == set()
    assert actor.killed


def test_ended_actors_close_their_workers(monkeypatch):
    """An actor closes its pool before it is killed."""
    actor, closed = LocalActor(), []
    monkeypatch.setattr(actor.runner._pool, "close", lambda: closed.append(actor.killed))
    end_actors([actor])
    assert (closed, actor.killed) == ([False], True)


@pytest.mark.parametrize(
    ("error", "reason"), [(None, "was not ready after 90 s"), (OSError("no disk\nmore"), "did not start: no disk")]
)
def test_an_actor_without_a_preflight_has_a_reason(error, reason):
    """A silent actor and one that fails are told apart by the reason."""
    answer = Future()
    if error:
        answer.set_exception(error)
    assert preflight_result(answer) == f"its actor {reason}"
