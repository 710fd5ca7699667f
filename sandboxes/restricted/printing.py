"""What restricted programs print."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from typing import Any

from sandboxes.restricted.copying import Single


class Printer(Single):
    """`_print_`: what a scope prints goes to stdout, and can be read there as `printed`."""

    def __init__(self, get_attribute: Callable[..., Any]):
        """Takes `_getattr_`."""
        self._get_attribute = get_attribute
        self._texts: list[str] = []

    def __call__(self) -> str:
        """What was printed so far."""
        return "".join(self._texts)

    def _call_print(self, *objects: Any, **kwargs: Any) -> None:
        if kwargs.get("file") is not None:
            # An object of the program's: it is asked for `write` as the program could.
            self._get_attribute(kwargs["file"], "write")
            print(*objects, **kwargs)  # noqa: T201
            return
        text = io.StringIO()
        print(*objects, **{**kwargs, "file": text, "flush": False})  # noqa: T201
        self._texts.append(text.getvalue())
        sys.stdout.write(self._texts[-1])
        if kwargs.get("flush"):
            sys.stdout.flush()
