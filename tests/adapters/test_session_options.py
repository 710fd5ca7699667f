"""The options of adapters whose framework keeps a session."""

import pytest

from code_tasks.adapters.session_options import session_config
from sandboxes import SessionLimits


def test_options_of_a_session():
    """Options of the sandbox, and the limits that a session has, are taken."""
    config = session_config({"memory_mb": 64, "max_processes": 9, "loopback": True, "env": {"A": "b"}})
    limits = SessionLimits.from_limits(config.limits)
    assert (limits.memory_bytes, limits.processes) == (64 << 20, 9)
    assert config.sandbox.name == "subprocess"


@pytest.mark.parametrize("name", ["timeout", "grading", "k", "language", "cluster", "preload", "cache_dir"])
def test_other_options_are_refused(name):
    """An option that means nothing for a session is an error that names it."""
    with pytest.raises(TypeError, match=f"there is no option '{name}' here"):
        session_config({name: "x"})
