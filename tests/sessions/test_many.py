"""Many sessions are opened, used and closed, and nothing is left of them."""

import asyncio
import operator
import os
import threading

import psutil
import pytest

from sandboxes import EvalConfig, SessionRegistry
from support.observers import wait_until
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow(seconds=20)

SESSIONS, AT_ONCE = 500, 20
CONFIG = EvalConfig.from_options({"sandbox": "subprocess"})


async def use_session(registry, number, folders):
    """Open a session, check that it is new, use it in every way, and close it. Add its folder to `folders`."""
    session_id = await registry.open()
    session = registry.get(session_id)
    folders.append(session._calls.connection.worker.scratch)
    assert (await session.run_cell(f"mine = {number}\nimport os\nos.listdir('.')")).value == "[]"
    await session.write_file("mine", str(number))
    assert (await session.run_command("cat mine; sleep 98171 &")).stdout == b"%d" % number
    if number % 10 == 0:
        assert (await session.run_cell("os.closerange(0, 4096)")).state_lost
    else:
        assert (await session.run_cell("mine")).value == str(number)
    assert await session.read_file("mine") == b"%d" % number
    await registry.close(session_id)


async def use_sessions(count, folders):
    """Use sessions, AT_ONCE of them at once."""
    room = asyncio.Semaphore(AT_ONCE)

    async def use_one(number):
        async with room:
            await use_session(registry, number, folders)

    async with SessionRegistry(CONFIG, max_sessions=AT_ONCE) as registry:
        await asyncio.gather(*map(use_one, range(count)))


def state():
    """Return all that sessions could leave behind, counted: processes, descriptors, mounts."""
    process = psutil.Process()
    with open("/proc/mounts") as lines:
        # A container engine mounts and unmounts for other tests.
        mounts = sum("docker" not in line for line in lines)
    return len(process.children(recursive=True)), process.num_fds(), mounts


@pytest.mark.skipif(not os.path.exists("/proc/mounts"), reason="the system does not list its mounts")
def test_nothing_is_left_of_many_sessions():
    """500 sessions are isolated from each other, and leave no process, descriptor, mount or folder."""
    # The first ones start the threads and the event loop, which stay.
    asyncio.run(use_sessions(AT_ONCE, []))
    before, folders = state(), []
    asyncio.run(use_sessions(SESSIONS, folders))
    assert wait_until(lambda: all(map(operator.le, state(), before)), WALL_SECONDS), (state(), before)
    assert len(folders) == SESSIONS and not any(map(os.path.exists, folders))
    assert len([thread for thread in threading.enumerate() if thread.name.startswith("code-eval-sessions")]) <= 9
