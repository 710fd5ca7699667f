"""Records with their own functions: the merged program runs as a script, and its output is parsed."""

from types import SimpleNamespace

import pytest

from code_tasks.execution import (
    CodeExecutionPassAtOne,
    ExecutionResult,
    parse_unittest_output,
    unittest_merge_snippets,
)
from support.execution_records import PRINTED_OK, PRINTS_OK, RIGHT, TESTS, WRONG, result_dict

pytestmark = pytest.mark.slow


def merge(code, test_code):
    """Merge like the default function, as a record's own function."""
    return unittest_merge_snippets(code, test_code)


def says_yes(output):
    """Accept an output with "yes" in it, as a record's own parse function."""
    return ExecutionResult("yes" in output, output)


@pytest.mark.parametrize(("code", "value"), [(RIGHT, 1.0), (WRONG, 0.0), ("def add(:", 0.0), ("1 / 0", 0.0)])
def test_own_merge_function(code, value):
    """With the default parse function, unittest's last line and the exit status decide."""
    assert result_dict(code, snippet_merge_fn=merge).value == value


@pytest.mark.parametrize("name", ["tests.execution.test_scripts:merge", "code_tasks.execution:unittest_merge_snippets"])
def test_named_function(name):
    """A function can be given as "module:name"."""
    assert result_dict(WRONG, snippet_merge_fn=name).value == 0.0


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("print('yes')", 1.0),
        ("print('no')", 0.0),
        ("import sys\nprint('yes')\nsys.exit(3)", 1.0),
        ("import sys\nsys.exit('yes')", 1.0),
        ("raise ValueError('yes')", 1.0),
        ("if __name__ == '__main__':\n    print('yes')", 1.0),
        ("import __main__\ndef f(): pass\nif __main__.f is f: print('yes')", 1.0),
        ("import sys\nif sys.argv == [__file__]: print('yes')", 1.0),
        ("import threading, time\nthreading.Timer(0.1, print, ['yes']).start()", 1.0),
        ("import atexit\natexit.register(print, 'yes')", 1.0),
        ("from __future__ import annotations\nprint('yes')", 1.0),
        ("print('yes')\nwhile True: pass", 0.0),
        ("print('yes')\nimport os\nos.abort()", 0.0),
        ("print('yes' * (1 << 20))", 0.0),
    ],
)
def test_own_functions(code, value):
    """The output of a script decides, however the script ended, unless the sandbox stopped it."""
    functions = {"snippet_merge_fn": lambda code, test_code: code, "output_parse_fn": says_yes}
    assert result_dict(code, benchmark_timeout=2, **functions).value == value


def test_output():
    """A parse function gets standard error with the interpreter's tracebacks, then standard output."""
    code = "print('said')\nnumber = 0\n1 / number"
    functions = {"snippet_merge_fn": lambda code, test_code: code, "output_parse_fn": says_yes}
    lines = result_dict(code, **functions).code_execution_trace.splitlines()
    assert lines[:3] == [
        "Traceback (most recent call last):",
        '  File "program.py", line 3, in <module>',
        "    1 / number",
    ]
    assert lines[-2:] == ["ZeroDivisionError: division by zero", "said"]


def test_foreign_result():
    """A parse function may return another class with the same fields."""
    result = result_dict(RIGHT, output_parse_fn=lambda output: SimpleNamespace(success=True, output="seen"))
    assert (result.value, result.code_execution_trace) == (1.0, "seen")


def test_policy():
    """A sandbox whose policy allows no scripts gives no value, and the error says so."""
    record = {"completion": RIGHT, "context": {"test_code": TESTS, "snippet_merge_fn": merge}}
    [result] = CodeExecutionPassAtOne("restricted", progress=False).evaluate([record])
    assert result.value is None
    assert "as a script" in result.error.message


def test_default_parser_is_used_alone():
    """A record's parse function gets the output of the default merge function's script."""
    result = result_dict(RIGHT, output_parse_fn=lambda output: ExecutionResult(output.endswith("\nOK"), "seen"))
    assert (result.value, result.code_execution_trace) == (1.0, "seen")


def test_parser_and_status():
    """The default parse function counts an exit status other than 0 as a failure, whatever the output."""
    assert parse_unittest_output(PRINTED_OK).success
    assert not parse_unittest_output(PRINTED_OK, 1).success


def test_forged_output():
    """A script that prints unittest's last lines and exits passes, because only its output is known."""
    assert result_dict(PRINTS_OK + "sys.exit(0)", snippet_merge_fn=merge).value == 1.0
