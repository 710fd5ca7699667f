"""Runs a script in the way of the graders of LiveCodeBench, APPS and verl: in a function, with a stdin that is none.

This text becomes a part of a program's tests, see `forms.py`. A candidate shares the interpreter with it, as it does in
the graders, and can forge a pass. Each function does what a grader does, with what is wrong in it.
"""

from __future__ import annotations

import ast
import builtins
import io
import os
import sys
from collections.abc import Sequence
from typing import Any

from code_tasks.benchmarks.official.running import alarm, described, loaded, take_functions_away
from sandboxes.guest.common.checkers import difference

COMPARISONS = {"livecodebench": "lines", "apps": "apps", "prime_code": "prime_code"}
MAIN_BLOCK = "__name__ == '__main__'"


class BufferOfText:
    """The `buffer` of LiveCodeBench's stdin. It reads all of it, or the first line, as often as it is asked."""

    def __init__(self, text: str):
        """Store the text."""
        self.data = text.encode()

    def read(self, *arguments: Any) -> bytes:
        """Return all of the text."""
        return self.data

    def readline(self, *arguments: Any) -> bytes:
        """Return the first line."""
        return self.data.split(b"\n")[0] + b"\n"


class StdinWithBuffer:
    """LiveCodeBench's stdin. It can't be iterated, and `read` returns all of the text whatever was read before."""

    def __init__(self, text: str):
        """Store the text."""
        self.text, self.lines, self.buffer = text, io.StringIO(text), BufferOfText(text)

    def read(self, *arguments: Any) -> str:
        """Return all of the text."""
        return self.text

    def readline(self, *arguments: Any) -> str:
        """Return the next line."""
        return self.lines.readline(*arguments)

    def readlines(self, *arguments: Any) -> list[str]:
        """Return all lines, without their ends."""
        return self.text.split("\n")

    def __getattr__(self, name: str) -> Any:
        """Return any other attribute, as that of a `StringIO`."""
        return getattr(self.lines, name)


def run_script(source: str, rules: dict[str, Any]) -> None:
    """Run a script on its cases. Raise an exception at the first that is wrong."""
    grader, seconds = rules["grader"], rules["seconds"]
    mock_open: Any = None
    if "open" in source:
        # Its import needs what is taken away then.
        from unittest import mock

        mock_open = mock.mock_open
    take_functions_away(grader)
    # Scripts that keep `stdin` before they are called have this one.
    sys.stdin = open(os.devnull)
    with alarm(seconds):
        text = script_in_function(source, rules["preamble"], grader)
        module = loaded(text)
        if grader == "livecodebench" and "class Solution" in text:
            # The grader takes it for a class of LeetCode's, which it does not find: the class is in the function.
            module = module.Solution()
        method = module.code
    for number, (given, expected) in enumerate(rules["cases"], 1):
        text, wanted = ("\n".join(one) if isinstance(one, list) else one for one in (given, expected))
        try:
            with alarm(seconds):
                output = output_of(method, text, grader, mock_open)
        except Exception as error:
            raise AssertionError(f"case {number}: {described(error)}") from None
        if message := difference(COMPARISONS[grader], 0.0, wanted, output):
            raise AssertionError(f"case {number}: {message}")


def output_of(method: Any, text: str, grader: str, mock_open: Any) -> str:
    """Return what a function prints, with a text as its stdin and in each file that it opens."""
    lines, before, output = iter(text.split("\n")), sys.stdin, io.StringIO()
    # A script that closes its stdout gets a TypeError.
    vars(output)["close"] = lambda self: None
    own = {"read": lambda *_: text, "readline": lambda *_: next(lines), "readlines": lambda *_: text.split("\n")}
    vars(before).update(own)
    stdout, opened = sys.stdout, builtins.open
    try:
        sys.stdout = output
        vars(sys)["stdin"] = StdinWithBuffer(text) if grader == "livecodebench" else io.StringIO(text)
        if mock_open is not None:
            vars(builtins)["open"] = mock_open(read_data=text)
        method()
    except SystemExit:
        pass
    finally:
        sys.stdin, sys.stdout = before, stdout
        vars(builtins)["open"] = opened
        for name in own:
            vars(before).pop(name, None)
    return output.getvalue()


def script_in_function(source: str, preamble: str, grader: str) -> str:
    """Return a script as a module that defines `code`, the function in which it runs."""
    if grader != "apps":
        source = without_main_block(source)
    return preamble + (statements_in_function(source) if grader == "livecodebench" else lines_in_function(source))


def without_main_block(source: str) -> str:
    """Return a script with the statements of its `__main__` block in place of it, if that is the last statement."""
    try:
        *body, last = ast.parse(source).body
        if isinstance(last, ast.If) and ast.unparse(last.test).strip() == MAIN_BLOCK:
            return unparsed(body) + "\n" + unparsed(last.body)
    except Exception:  # noqa: S110 (the script fails to compile then)
        pass
    return source


def statements_in_function(source: str) -> str:
    """Return a function of a script's statements. Its imports come first, at the top of the module."""
    statements = ast.parse(source).body
    imports = [node for node in statements if isinstance(node, (ast.Import, ast.ImportFrom))]
    function = ast.parse("def code():\n    pass").body[0]
    assert isinstance(function, ast.FunctionDef)
    function.body = [node for node in statements if node not in imports]
    return unparsed(imports) + "\n" + unparsed([function])


def lines_in_function(source: str) -> str:
    """Return a function of a script's lines, each with a tab before it. It begins at the first that imports nothing."""
    lines, is_inside = [], False
    for line in source.split("\n"):
        if not is_inside and not line.startswith(("from ", "import ")):
            lines += ["stdin = sys.stdin", "stdout = sys.stdout", "def code():"]
            is_inside = True
        lines.append("\t" + line if is_inside else line)
    return "\n".join(lines) + "\n"


def unparsed(body: Sequence[ast.stmt]) -> str:
    """Return the source of statements."""
    return ast.unparse(ast.Module(list(body), []))
