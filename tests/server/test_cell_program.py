"""A script is run as a notebook's cell: the value of its last expression, its exception, its own traceback."""

import json
import subprocess
import sys

import pytest

from code_tasks.server.protocols import cell_program
from code_tasks.server.protocols.open_r1 import CellTicket


def answer_of(tmp_path, source):
    """Return the answer of the program for a script."""
    ticket = CellTicket()
    command = [sys.executable, cell_program.__file__]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, input=ticket.stdin(source))
    return json.loads(ticket.opened((tmp_path / ticket.answer_file).read_bytes()))


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("1 / 2", "0.5"),
        ("x = 1\nx + 1\n", "2"),
        ("x = 1", None),
        ("None", None),
        ("", None),
        ("'a'", "'a'"),
        ("print(1)", None),
        ("\n    import math\n    def f():\n        return 2\n\n    f()\n    ", "2"),
        ("import asyncio\nawait asyncio.sleep(0, 7)", "7"),
        ("__name__", "'__main__'"),
    ],
)
def test_the_value_of_the_last_expression(tmp_path, source, value):
    """The value is that of the last statement, if it is an expression, also in a script that is indented as a whole."""
    assert answer_of(tmp_path, source) == {"value": value, "error": None}


@pytest.mark.parametrize(
    ("source", "name", "message"),
    [
        ("1 / 0", "ZeroDivisionError", "division by zero"),
        ("raise SystemExit(3)", "SystemExit", "3"),
        ("class E(Exception):\n  def __str__(self): raise E\nraise E", "E", ""),
    ],
)
def test_exceptions(tmp_path, source, name, message):
    """An exception has its name, its message, and a traceback with the script's frames alone."""
    error = answer_of(tmp_path, source)["error"]
    assert (error["name"], error["value"]) == (name, message)
    assert cell_program.NAME in error["traceback"]
    assert "run_cell" not in error["traceback"]


def test_a_syntax_error(tmp_path):
    """A script that can't be compiled has an exception too."""
    assert answer_of(tmp_path, "print('hello)")["error"]["name"] == "SyntaxError"


def test_an_answer_with_another_seal():
    """An answer is believed with its own seal alone."""
    ticket = CellTicket()
    sealed = cell_program.seal(b"{}", ticket.key)
    assert ticket.opened(sealed + b"\n{}") == b"{}"
    for data in (b"", b"\n{}", sealed + b"\n[]", cell_program.seal(b"{}", CellTicket().key) + b"\n{}"):
        assert ticket.opened(data) is None
