"""The sessions of a server: bounded, found by their ids, ended and forgotten."""

import asyncio

import pytest

from sandboxes import EvalConfig, SandboxUnavailable, SessionEnded, SessionLimits, SessionRegistry
from sandboxes.sessions.connection import _connections

CONFIG = EvalConfig.from_options({"sandbox": "subprocess"})


def test_a_session_is_found_by_its_id():
    """Each id leads to its own session, until it is closed."""

    async def use():
        async with SessionRegistry(CONFIG) as registry:
            first, second = await registry.open(), await registry.open()
            await registry.get(first).run_cell("x = 1")
            assert (await registry.get(second).run_cell("'x' in globals()")).value == "False"
            await registry.close(first)
            with pytest.raises(SessionEnded, match="no such session"):
                registry.get(first)
            with pytest.raises(SessionEnded, match="no such session"):
                await registry.close(first)
            assert len(registry) == 1

    asyncio.run(use())


def test_the_number_of_sessions_is_bounded():
    """One session too many is an error, and closing one makes room."""

    async def use():
        async with SessionRegistry(CONFIG, max_sessions=2) as registry:
            first, _ = await asyncio.gather(registry.open(), registry.open())
            with pytest.raises(SandboxUnavailable, match="2 sessions are open"):
                await registry.open()
            await registry.close(first)
            await registry.open()

    asyncio.run(use())


def test_an_expired_session_is_forgotten():
    """A session that ended by itself takes no room, and its id says why it ended."""

    async def use():
        async with SessionRegistry(CONFIG, max_sessions=1, limits=SessionLimits(idle_seconds=0.5)) as registry:
            first = await registry.open()
            while registry.get(first).end_reason is None:
                await asyncio.sleep(0.1)

    with pytest.raises(SessionEnded, match="idle for 0.5 s"):
        asyncio.run(use())


def test_an_expired_session_makes_room():
    """A session that expired does not count."""

    async def use():
        async with SessionRegistry(CONFIG, max_sessions=1, limits=SessionLimits(idle_seconds=0.5)) as registry:
            first = await registry.open()
            session = registry.get(first)
            while session.end_reason is None:
                await asyncio.sleep(0.1)
            assert await registry.open() != first

    asyncio.run(use())


def test_closing_all_leaves_no_spare():
    """Sessions that were started ahead end with the others."""

    async def use():
        registry = SessionRegistry(CONFIG, num_spares=2)
        await registry.open()
        await registry.close_all()
        return len(registry)

    before = len(_connections)
    assert asyncio.run(use()) == 0
    assert len([connection for connection in _connections if connection.worker is not None]) <= before


@pytest.mark.parametrize("number", [0, -1, 1.5, "2"])
def test_an_invalid_bound_is_refused(number):
    """The bound is a whole number above 0."""
    with pytest.raises((TypeError, ValueError), match="max_sessions"):
        SessionRegistry(CONFIG, max_sessions=number)


def test_an_invalid_sandbox_is_refused_at_once():
    """A registry that could open no session says so before one is opened."""
    with pytest.raises(ValueError, match="restricted"):
        SessionRegistry(EvalConfig.from_options({"sandbox": "restricted"}))
