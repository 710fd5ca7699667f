"""POST /run_jupyter runs cells with SandboxFusion's own client, in a session that ends with the request."""

import asyncio
import base64

import pytest

from support.server_client import serving

sandbox_fusion = pytest.importorskip("sandbox_fusion", reason="its client works up to Python 3.13")
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def client():
    """Serve, with one session at once."""
    with serving(max_sessions=1) as client:
        yield client


def run(client, cells, **fields):
    """Return the answer for cells, as the client of SandboxFusion reads it."""
    return sandbox_fusion.run_jupyter(
        sandbox_fusion.RunJupyterRequest(cells=cells, **fields), str(client.base_url), max_attempts=1
    )


def test_cells_share_variables(client):
    """Each cell has its own output, and the value of its last expression as text."""
    result = run(client, ["a = 'hello'", "a", "print(a)", "import sys\nprint('no', file=sys.stderr)"])
    assert (result.status, result.driver.status) == ("Success", "Finished")
    assert [cell.stdout for cell in result.cells] == ["", "", "hello\n", ""]
    assert result.cells[1].display == [{"text/plain": "'hello'"}]
    assert result.cells[3].stderr == "no\n"


def test_a_cell_that_raises(client):
    """An exception has a name, a message and a traceback, and the next cell runs."""
    result = run(client, ["1 / 0", "print(2)"])
    [error] = result.cells[0].error
    assert (error["ename"], error["evalue"]) == ("ZeroDivisionError", "division by zero")
    assert error["traceback"][-1] == "ZeroDivisionError: division by zero"
    assert (result.status, result.cells[1].stdout) == ("Success", "2\n")


@pytest.mark.parametrize("fields", [{"cell_timeout": 1}, {"total_timeout": 1}])
def test_a_cell_that_takes_too_long(client, fields):
    """A notebook ends with the cell that takes too long. The cells before it are there."""
    result = run(client, ["print(1)", "while True: pass", "print(3)"], **fields)
    assert (result.status, result.driver.status) == ("Failed", "TimeLimitExceeded")
    assert [cell.stdout for cell in result.cells] == ["1\n", ""]


def test_a_cell_that_ends_the_process(client):
    """Without its variables a notebook does not go on."""
    result = run(client, ["x = 1", "import os\nos._exit(0)", "print(x)"])
    assert (result.status, len(result.cells)) == ("Failed", 2)


def test_files_go_in_and_out(client):
    """Files go in before the first cell, and come out after the last."""
    files = {"in/a": base64.b64encode(b"abc").decode()}
    result = run(client, ["open('b', 'w').write(open('in/a').read() * 2)"], files=files, fetch_files=["b", "c"])
    assert result.files == {"b": base64.b64encode(b"abcabc").decode()}


def test_names_that_no_file_can_have(client):
    """A file to write whose name has a null character is refused, and one to fetch is not there."""
    assert client.post("/run_jupyter", json={"cells": [], "files": {"a\0b": "MQ=="}}).status_code == 400
    assert client.post("/run_jupyter", json={"cells": ["1"], "fetch_files": ["a\0b"]}).json()["files"] == {}


def test_a_cell_with_an_indentation(client):
    """A cell that is indented as a whole runs, as in Jupyter."""
    assert run(client, ["\n    x = 1\n    x + 1\n"]).cells[0].display == [{"text/plain": "2"}]


def test_sessions_end_with_their_requests(client):
    """With room for one session, one request after the other has one. Two at once have not: the second tries again."""
    for _ in range(3):
        assert run(client, ["1"]).status == "Success"

    async def both():
        request = sandbox_fusion.RunJupyterRequest(cells=["import time\ntime.sleep(1)"])
        calls = [sandbox_fusion.run_jupyter_async(request, str(client.base_url), max_attempts=12) for _ in range(2)]
        return await asyncio.gather(*calls)

    assert [result.status for result in asyncio.run(both())] == ["Success", "Success"]


def test_no_room_is_504(client):
    """A request without room for its session is told to try again."""
    opened = client.post("/sessions").json()
    answer = client.post("/run_jupyter", json={"cells": ["1"]})
    assert client.delete(f"/sessions/{opened['id']}").status_code == 204
    assert answer.status_code == 504


def test_cells_that_write_too_much_together():
    """A notebook ends before its answer grows beyond what one program may write."""
    with serving(max_kept_output_bytes=1 << 20) as client:
        result = run(client, ["print('x' * 600_000)"] * 5)
        assert (result.status, len(result.cells), "output limit" in result.message) == ("Failed", 2, True)
