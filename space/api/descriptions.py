"""Docstrings as Gradio reads them to describe endpoints and tools: it takes the first line of each entry alone."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import TypeVar

Function = TypeVar("Function", bound=Callable[..., object])

TITLES = ("Args:", "Returns:")
ENTRY = re.compile(r"^    \w+: ")


def described(function: Function) -> Function:
    """Join the lines of each entry of a function's docstring, and return the function."""
    lines: list[str] = []
    for line in inspect.cleandoc(function.__doc__ or "").splitlines():
        begins = line in TITLES or ENTRY.match(line) or not line
        if begins or not lines or not lines[-1] or lines[-1] in TITLES:
            lines.append(line)
        else:
            lines[-1] += f" {line.strip()}"
    function.__doc__ = "\n".join(lines)
    return function
