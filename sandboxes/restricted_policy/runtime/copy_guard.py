"""Copying under the policy: the effect of the module `copy` on a program's objects, and on ours."""

from __future__ import annotations

import copy
import sys
import typing
from collections.abc import Callable
from types import MethodType
from typing import Any


class NotCopyable:
    """A base of objects that are not copied. Otherwise `copy.deepcopy(getattr, memo)` would show the guards' parts."""

    __slots__ = ()

    def __reduce__(self) -> str:
        """Return a name, because `copy` does not copy an object whose reduction is a name."""
        return type(self).__name__


def guard_copies() -> None:
    """Make `copy` turn an object only into another one of its class. Call it in each process that runs programs.

    `copy` asks an object how it is constructed, believes any answer, and sets any attribute of the result. A program's
    answer could name another's class, which would then be changed. A method's answer names an attribute to be read.
    The module itself is changed, because `dataclasses.asdict` and others use it too.
    """
    copies: Any = copy
    reconstruct: Callable[..., Any] = copies._reconstruct
    if sys.version_info >= (3, 14):
        copies._copy_atomic_types.add(MethodType)
    else:
        copies._copy_dispatch[MethodType] = copies._copy_immutable
    if getattr(reconstruct, "is_guarded", False):
        return

    def guarded(value: Any, memo: Any, make: Callable[..., Any], *rest: Any, **options: Any) -> Any:
        def construct(*args: Any) -> Any:
            new = make(*args)
            if type(new) is not type(value):
                raise TypeError(f"a copy of a {type(value).__name__} can't be a {type(new).__name__} here")
            return new

        if isinstance(value, typing.ForwardRef):
            # It has code among its parts, and the memo would show the parts.
            return value
        return reconstruct(value, memo, construct, *rest, **options)

    guarded.is_guarded = True  # type: ignore[attr-defined]
    copies._reconstruct = guarded
