"""The program that runs a script as a notebook's cell, and leaves the value of its last expression in a file.

It runs in a sandbox, as a candidate does, so it uses the standard library of Python 3.8 alone and imports nothing of
ours.

open-r1's script runs a candidate in a process of its own, in the same folder and with the same user. That process must
not write the script's answer, nor read its cases. So the script and a key come by standard input, which is emptied
before the script runs, other processes can't read this one's memory, and the answer is sealed with the key.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import ctypes
import hashlib
import inspect
import json
import linecache
import os
import sys
import traceback
import types

NAME = "<cell>"
PR_SET_DUMPABLE = 4


def dedented(source: str) -> str:
    """Return a cell's source as IPython takes it: without the empty lines before it, and without its first indentation.

    open-r1's own script is indented as a whole.
    """
    lines = source.split("\n")
    while lines and not lines[0].strip():
        lines.pop(0)
    if not lines:
        return ""
    indentation = lines[0][: len(lines[0]) - len(lines[0].lstrip(" \t"))]
    return "\n".join(line[len(indentation) :] if line.startswith(indentation) else line for line in lines)


def run_cell(source: str) -> dict[str, object]:
    """Run a cell, and return {"value": repr of its last expression or None, "error": {...} or None}."""
    source = dedented(source)
    linecache.cache[NAME] = (len(source), None, source.splitlines(True), NAME)
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    value = error = None
    try:
        tree = ast.parse(source, NAME)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        evaluate(compiled(tree, "exec"), module)
        if isinstance(last, ast.Expr):
            result = evaluate(compiled(ast.Expression(last.value), "eval"), module)
            value = None if result is None else repr(result)
    except BaseException as raised:
        error = described(raised)
    return {"value": value, "error": error}


def compiled(tree: ast.Module | ast.Expression, mode: str) -> types.CodeType:
    """Return the code of a part of a cell, which may await. This file's own `from __future__` does not apply to it."""
    code: types.CodeType = compile(tree, NAME, mode, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    return code


def evaluate(code: types.CodeType, module: types.ModuleType) -> object:
    """Run code in a module, and return its value."""
    value = eval(code, module.__dict__)
    return asyncio.run(value) if code.co_flags & inspect.CO_COROUTINE else value


def described(error: BaseException) -> dict[str, object]:
    """Return the name, the message and the traceback of an exception, from the cell's own frames on."""
    try:
        message = str(error)
    except Exception:
        message = ""
    shown = traceback.TracebackException.from_exception(error)
    frames = list(shown.stack)
    first = next((number for number, frame in enumerate(frames) if frame.filename == NAME), len(frames))
    shown.stack[:] = frames[first:]
    return {"name": type(error).__name__, "value": message, "traceback": "".join(shown.format())}


def seal(answer: bytes, key: str) -> bytes:
    """Return the seal of an answer, which only those can make who know the key."""
    return hashlib.blake2b(answer, key=key.encode(), digest_size=32).hexdigest().encode()


def main() -> None:
    """Run the cell that standard input has as JSON: "source", "key", and "answer_file", the file to write."""
    request = json.load(sys.stdin.buffer)
    with contextlib.suppress(OSError):
        # It is a file, which processes of the script inherit. A pipe is empty now.
        os.ftruncate(0, 0)
    with contextlib.suppress(AttributeError):
        # Linux alone has it. No process of the script can read this one's memory from here on.
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    answer = json.dumps(run_cell(request["source"])).encode()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    with open(request["answer_file"], "xb") as file:
        file.write(seal(answer, request["key"]) + b"\n" + answer)


if __name__ == "__main__":
    main()
