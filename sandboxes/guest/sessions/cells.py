"""The process of cells: runs Python cells one after the other in one namespace, and reports each.

It is the session's own from its first cell on. The supervisor believes nothing that it sends.
"""

from __future__ import annotations
import __future__

import _signal
import ast
import gc
import itertools
import linecache
import os
import sys
import traceback

from ..common.frames import read_exact, write_all
from ..common.session_frames import BEGUN, CELL_HEAD, CELL_REPLY, DONE, MAX_CELL_TEXT_BYTES
from ..runners.in_process import exception_text, keep_own_frames

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Texts = tuple[str | None, str | None, str | None, str | None]
    """(repr of the last expression, name of the exception, its message, its traceback)"""

MAX_FRAMES_READ, MAX_TRACEBACK_LINES = 200, 1000
CO_COROUTINE = 0x80
FUTURES = sum({getattr(__future__, name).compiler_flag for name in __future__.all_feature_names})
CUT = "..."
# Outside of the sandbox this folder may be below one that is named as the session's is inside.
GUEST = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


class CellLoop:
    """The namespace of a session's cells, and the loop that runs them."""

    def __init__(self, requests: int, replies: int, folder: str) -> None:
        """Make an empty namespace.

        Args:
            requests: descriptor that cells are read from.
            replies: descriptor that replies are written to.
            folder: the session's folder.
        """
        self.requests, self.replies, self.folder = requests, replies, folder
        module = type(sys)("__main__")
        sys.modules["__main__"] = module
        self.namespace = module.__dict__
        # The flags of `from __future__`, which later cells obey too.
        self.flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self.event_loop: Any = None
        self.pid = os.getpid()
        sys.argv[:] = [""]
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
        gc.enable()

    def serve(self) -> None:
        """Run cells until the supervisor closes its end."""
        # Bound here, because a cell may replace them.
        read, head, reply, leave, set_blocking = read_exact, CELL_HEAD, self.reply, os._exit, os.set_blocking
        while request := read(self.requests, head.size):
            number, size = head.unpack(request)
            source = read(self.requests, size)
            texts = self.run_until_ended(number, source.decode("utf-8", "surrogatepass"))
            if os.getpid() != self.pid:
                # A cell has forked, and its child came back here.
                leave(0)
            # A cell may have changed all descriptors, and the next cell has not come yet.
            for fd in (self.requests, self.replies):
                set_blocking(fd, True)
            reply(number, texts)

    def reply(self, number: int, texts: Texts) -> None:
        """Write the reply to a cell."""
        encoded = [None if text is None else encode_text(text) for text in texts]
        sizes = [-1 if data is None else len(data) for data in encoded]
        write_all(self.replies, CELL_REPLY.pack(DONE, number, *sizes) + b"".join(filter(None, encoded)))

    def run_until_ended(self, number: int, source: str) -> Texts:
        """Run a cell. An interrupt ends it, wherever it comes."""
        texts: Texts = (None, "KeyboardInterrupt", "", "")
        try:
            try:
                _signal.signal(_signal.SIGINT, _signal.default_int_handler)
                write_all(self.replies, CELL_REPLY.pack(BEGUN, number, -1, -1, -1, -1))
                texts = self.run(number, source)
            finally:
                # A late interrupt is raised by this call, and the cell has ended all the same.
                _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
        except KeyboardInterrupt:
            _signal.signal(_signal.SIGINT, _signal.SIG_IGN)
        return texts

    def run(self, number: int, source: str) -> Texts:
        """Run a cell's statements, and evaluate its last expression."""
        name = f"<cell {number}>"
        # Tools that show the source of a function expect its last line to end.
        linecache.cache[name] = (len(source), None, [line + "\n" for line in source.splitlines()], name)
        value: str | None = None
        try:
            tree = ast.parse(source, name, "exec")
            last = ast.Expression(tree.body.pop().value) if tree.body and type(tree.body[-1]) is ast.Expr else None  # type: ignore[attr-defined]
            statements = self.compile(tree, name, "exec")
            expression = None if last is None else self.compile(last, name, "eval")
            self.evaluate(statements)
            if expression is not None:
                result = self.evaluate(expression)
                if result is not None:
                    value = repr(result)
                    self.namespace["_"] = result
                del result
            flush_output()
            return value, None, None, None
        except BaseException as error:
            described = self.describe(error)
            flush_output()
            return (None, *described)

    def compile(self, tree: ast.AST, name: str, mode: str) -> Any:
        """Return the code of a part of a cell."""
        code = compile(tree, name, mode, self.flags, dont_inherit=True)  # type: ignore[call-overload]
        self.flags |= code.co_flags & FUTURES
        return code

    def evaluate(self, code: Any) -> Any:
        """Run code in the namespace, and return its value. Code that awaits runs in the session's event loop."""
        if not code.co_flags & CO_COROUTINE:
            return eval(code, self.namespace)
        import asyncio

        if self.event_loop is None or self.event_loop.is_closed():
            self.event_loop = asyncio.new_event_loop()
        return self.event_loop.run_until_complete(eval(code, self.namespace))

    def describe(self, error: BaseException) -> tuple[str, str, str]:
        """Return the name, message and traceback of an exception. Its class may lie, raise or print nonsense."""
        name, message, trace = "Exception", "", ""
        try:
            name = str(type.__dict__["__name__"].__get__(type(error)))
            message = exception_text(error)
            shown = traceback.TracebackException(
                type(error), error, error.__traceback__, limit=-MAX_FRAMES_READ, lookup_lines=False
            )
            keep_own_frames(shown, self.is_own_file)
            trace = "".join(itertools.islice(shown.format(), MAX_TRACEBACK_LINES))
        except BaseException as second:
            trace = trace or "the traceback can't be shown: " + exception_text(second)
        return name, message, trace

    def is_own_file(self, name: str) -> bool:
        """Return whether a file is a cell, or one in the session's folder."""
        path = os.path.abspath(name)
        return name.startswith("<cell ") or (path.startswith(self.folder + "/") and not path.startswith(GUEST + "/"))


def encode_text(text: str) -> bytes:
    """Return a text in UTF-8, cut to MAX_CELL_TEXT_BYTES."""
    data = text.encode("utf-8", "replace")
    if len(data) <= MAX_CELL_TEXT_BYTES:
        return data
    return data[: MAX_CELL_TEXT_BYTES - len(CUT)].decode("utf-8", "ignore").encode() + CUT.encode()


def flush_output() -> None:
    """Write what the cell has printed."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # closed, replaced, full: the cell's own affair
            continue
