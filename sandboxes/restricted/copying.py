"""Copies: what `copy` does with a program's objects, and with ours."""

from __future__ import annotations

import copy
import typing
from collections.abc import Callable
from types import MethodType
from typing import Any


class Single:
    """Has no copies but itself. Else `copy.deepcopy(getattr, memo)` would show all that our guards know."""

    __slots__ = ()

    def __reduce__(self) -> str:
        """A name instead of parts: what has one is not copied."""
        return type(self).__name__


def guard_copies() -> None:
    """Has `copy` make of an object nothing but another of its kind. Done once in a process that runs programs.

    `copy` asks an object how it is made anew, believes any answer, and sets any attribute of what comes of it. So an
    answer of a program's could name a class of others to be changed; that of a method names an attribute to be read.
    In the module itself, because `dataclasses.asdict` and others copy too.
    """
    copies: Any = copy
    reconstruct: Callable[..., Any] = copies._reconstruct
    copies._copy_dispatch[MethodType] = copies._copy_immutable
    if getattr(reconstruct, "is_guarded", False):
        return

    def guarded(value: Any, memo: Any, make: Callable[..., Any], *rest: Any, **options: Any) -> Any:
        def made(*args: Any) -> Any:
            new = make(*args)
            if type(new) is not type(value):
                raise TypeError(f"a copy of a {type(value).__name__} can't be a {type(new).__name__} here")
            return new

        if isinstance(value, typing.ForwardRef):
            # Among its parts is code, and the memo shows the parts.
            return value
        return reconstruct(value, memo, made, *rest, **options)

    guarded.is_guarded = True  # type: ignore[attr-defined]
    copies._reconstruct = guarded
