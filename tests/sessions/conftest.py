"""Sessions for tests, in each backend that can hold one."""

import pytest

from sandboxes import EvalConfig, SandboxUnavailable, Session, SessionLimits
from support.backend_options import PERMISSIVE
from support.docker_engines import WITH_DOCKER
from support.requirements import WALL_SECONDS, unavailable

# Short seconds would fail on a busy machine, so tests that wait for a limit give their own.
LIMITS = SessionLimits(memory_bytes=512 << 20, processes=32, disk_bytes=32 << 20, call_seconds=WALL_SECONDS)


@pytest.fixture(scope="session", params=("subprocess", WITH_DOCKER))
def session_config(request):
    """Return the configuration of a backend's sessions."""
    return EvalConfig.from_options({"sandbox": request.param, **PERMISSIVE[request.param]})


@pytest.fixture
def open_session(session_config):
    """Return a function that opens a session for one test, with the given limits."""
    sessions = []

    def open_one(limits=LIMITS):
        session = Session(session_config, limits)
        try:
            session.open()
        except SandboxUnavailable as error:
            unavailable(f"the sandbox {session_config.sandbox.name} is not available here: {error}")
        sessions.append(session)
        return session

    yield open_one
    for session in sessions:
        session.close()


@pytest.fixture
def own_session(open_session):
    """Return a session that no other test uses."""
    return open_session()


@pytest.fixture(scope="module")
def session(session_config):
    """Return a session for all tests of a file that leave it whole."""
    try:
        with Session(session_config, LIMITS) as opened:
            yield opened
    except SandboxUnavailable as error:
        unavailable(f"the sandbox {session_config.sandbox.name} is not available here: {error}")
