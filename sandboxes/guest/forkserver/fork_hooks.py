"""Finds out what modules want to be called after a fork, so that a fork server's child calls no more than it needs.

Python's own way to fork renews the interpreter's locks and calls the functions of all modules. Most of that repairs
what other threads of the parent may have held, and a fork server has none. It costs each child 28 page faults.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Modules of the standard library whose functions repair nothing but what other threads held, or a running event loop.
REPAIR_THREADS = ("asyncio.events", "concurrent.futures.thread", "logging", "threading")


class ForkHooks:
    """The functions that modules register while they are imported."""

    def __init__(self) -> None:
        """Begin to listen. `os.register_at_fork` does what it did before as well: programs may fork."""
        self.original: Callable[..., None] = os.register_at_fork
        self.called_in_child: list[Callable[[], object]] = []
        # Whether a module wants to be called in the parent too.
        self.needs_parent = False
        os.register_at_fork = self.register  # type: ignore[assignment]

    def register(self, **functions: Callable[[], object]) -> None:
        """Register functions, as `os.register_at_fork` does."""
        self.original(**functions)
        if sys._getframe(1).f_globals.get("__name__") in REPAIR_THREADS:
            return
        if "after_in_child" in functions:
            self.called_in_child.append(functions["after_in_child"])
        self.needs_parent = self.needs_parent or not functions.keys() <= {"after_in_child"}

    def close(self) -> tuple[Callable[[], object], ...] | None:
        """Stop listening.

        Returns:
            The functions that each child has to call; None if this process has to fork in Python's own way.
        """
        os.register_at_fork = self.original
        # A thread of a preloaded module may hold a lock at any time.
        has_threads = len(sys._current_frames()) > 1
        return None if has_threads or self.needs_parent else tuple(self.called_in_child)
