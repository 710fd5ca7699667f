"""Hostile cells and commands hurt their own session at most, and nobody waits for them without end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes import SandboxError
from sandboxes.guest.common.session_frames import BEGUN, CELL_REPLY, DONE
from sandboxes.guest.supervisor.session_cells import Cell, CellProcess
from support.metric_and_command import ROOT
from support.requirements import unavailable

pytestmark = pytest.mark.slow

# Each begins with "@@ " and what the cell does.
HOSTILE = dict(
    entry.split("\n", 1)
    for entry in (ROOT / "tests" / "data" / "cells_hostile.txt").read_text(encoding="utf-8").split("@@ ")[1:]
)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_cell_hurts_only_its_own_session(own_session, session, name):
    """After a hostile cell its session runs commands and cells, or has ended, and other sessions notice nothing."""
    session.run_cell("bystander = 'here'")
    own_session.write_file("kept", "kept")
    own_session.run_cell("x = 1")
    own_session.run_cell("x = 2")
    own_session.run_cell(HOSTILE[name], seconds=2)
    try:
        # The process may have lost its state in the cell, or loses it here.
        own_session.run_cell("x", seconds=2)
        assert own_session.run_cell("1 + 1").value == "2" or name in ("reads the next cells", "forges later results")
        assert own_session.read_file("kept") == b"kept"
        assert own_session.run_command("echo works").stdout == b"works\n"
    except SandboxError:
        assert own_session.end_reason is not None
    assert session.run_cell("bystander").value == "'here'"


def test_sessions_share_no_files_and_no_processes(open_session):
    """One session sees nothing of another one."""
    first, second = open_session(), open_session()
    if not {"mount", "container"}.intersection(first.isolation.layers):
        unavailable(f"the mount layer is not on here: {first.isolation.missing.get('mount')}")
    first.write_file("/tmp/secret", "a secret")
    first.write_file("secret", "a secret")
    first.run_command("sleep 98153 > /dev/null 2>&1 &")
    first.run_cell("import os\nos.environ['SECRET'] = 'a secret'")
    assert second.run_command("cat /tmp/secret secret").stdout == b""
    assert second.run_command("grep -l '981[5]3' /proc/[0-9]*/cmdline").stdout == b""
    assert second.run_cell("import os\n'SECRET' in os.environ").value == "False"


def test_a_session_has_the_layers_of_a_candidate(session):
    """A session can't do what a candidate can't."""
    assert {"user", "net", "seccomp", "no_new_privs", "rlimits"} <= set(session.isolation.layers)
    assert session.run_cell("import socket\nsocket.socket()").error.name == "PermissionError"
    assert session.run_command("echo x > /etc/new; echo x > /usr/new; mount -t tmpfs x /tmp").exit_status != 0
    assert session.run_command("ls -A /root").stdout == b""


class FakeCells:
    """Takes the reports of a `CellProcess` about its cells."""


@given(
    st.lists(
        st.binary(max_size=40)
        | st.builds(
            CELL_REPLY.pack,
            st.sampled_from([BEGUN, DONE, b"X"]),
            st.integers(0, 3),
            *[st.integers(-3, 5) for _ in range(4)],
        ),
        max_size=6,
    )
)
def test_no_bytes_of_a_cell_break_the_supervisor(chunks):
    """Whatever the process of cells sends, the supervisor takes it, and believes one reply to a cell at most."""
    ended, killed = [], []
    process = CellProcess.__new__(CellProcess)
    process.cell, process.fault, process.replies, process.outputs = (
        Cell({"id": 1, "seconds": 1}, b""),
        "",
        bytearray(),
        {},
    )
    process.cell.number = 1
    process.kill = killed.append
    process.cells = FakeCells()
    process.cells.finish = lambda cell, fields: ended.append(fields)
    for chunk in chunks:
        process.receive(chunk)
    assert len(ended) <= 1
    assert not ended or all(text is None or len(text) <= 5 for text in (ended[0]["value"], ended[0]["traceback"]))
    assert len(killed) <= 1
