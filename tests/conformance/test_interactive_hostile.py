"""Hostile candidates of interactive problems: none passes, none blames the interactor, and none leaves anything."""

import pytest

from sandboxes import Program, SandboxUnavailable
from support.backend_options import PERMISSIVE
from support.interactive_programs import GUESS, HONEST, cpp, interactive, read_candidates, verdicts
from support.observers import passes
from support.pools import opened_pool

pytestmark = pytest.mark.slow

HOSTILE = read_candidates("interactive_hostile.txt")
# Enough for an honest candidate on a busy machine, because waits for a CPU don't count.
SECONDS = 2.0


@pytest.fixture(scope="module")
def pool():
    """Return one warm pool of the backend whose candidates can't see interactors."""
    with opened_pool("subprocess") as pool:
        yield pool


@pytest.mark.parametrize(
    "interactor", [GUESS, pytest.param(cpp(), marks=pytest.mark.languages("cpp"))], ids=["python", "cpp"]
)
@pytest.mark.parametrize("title", HOSTILE)
def test_a_hostile_candidate_fails_alone(pool, title, interactor):
    """It ends as its title says, and the next candidate in the same guest is judged as ever."""
    hostile, honest = verdicts(
        pool, interactive(interactor, ["777"]), [HOSTILE[title], HONEST["python"]], seconds=SECONDS
    )
    assert not isinstance(hostile, SandboxUnavailable), hostile
    assert hostile.outcome.value == title.partition(":")[0], hostile.detail
    passes(honest)


def test_a_container_either_keeps_the_sides_apart_or_refuses():
    """Where both sides share a container's folder, no candidate runs beside its interactor. The guest goes on."""
    with opened_pool("docker", **PERMISSIVE["docker"]) as pool:
        is_safe = {"pid", "mount"} <= {*pool.preflight().layers}
        [result] = verdicts(pool, interactive(inputs=["777"]), [HONEST["python"]])
        if is_safe:
            passes(result)
        else:
            assert "its two sides could see each other without the layer" in str(result)
        passes(pool.run_all([Program("x = 1", "assert x == 1")], 1)[0])
