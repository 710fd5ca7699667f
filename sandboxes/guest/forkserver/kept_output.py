"""Keeps what a program prints and does not flush, in case that it is ended before its buffers are written."""

from __future__ import annotations

import io
import os
import sys

from ..common.frames import UNFLUSHED_FD
from .extension import forking


def keep_output() -> None:
    """Let sys.stdout keep what is not flushed in the file at UNFLUSHED_FD, which is closed here.

    Without the extension, or where the kernel can't do that, each line is flushed.
    """
    try:
        if forking is None:
            raise OSError
        # A function of C is no method: it has no `self`.
        methods = {"write": forking.write_unflushed, "flush": forking.flush_unflushed}
        raw, plain = io.FileIO(1, "w", closefd=False), io.BufferedWriter
        raw.name = sys.stdout.name
        buffer = type("BufferedWriter", (plain,), methods)(raw)
        write, flush = (getattr(plain, name).__get__(buffer) for name in methods)
        forking.keep_unflushed(UNFLUSHED_FD, write, flush)
    except OSError:
        sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
        return
    finally:
        os.closerange(UNFLUSHED_FD, UNFLUSHED_FD + 1)
    encoding, errors = sys.stdout.encoding, sys.stdout.errors
    sys.stdout = io.TextIOWrapper(buffer, encoding, errors, newline="\n", write_through=True)
    sys.stdout.mode = "w"  # type: ignore[misc]
    sys.__stdout__ = sys.stdout  # type: ignore[misc]
