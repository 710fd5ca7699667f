"""Describes the candidate's classes to the tests, which make classes of handles of the descriptions."""

from __future__ import annotations

from ..common.names import is_special
from .data_types import UNCHANGING, data_base
from .operations import FUNCTIONS, TELLING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FUNCTION = type(is_special)


class Kinds:
    """The numbers of the classes whose descriptions were sent."""

    def __init__(self) -> None:
        """Begin with none."""
        # The classes stay here, so that no other gets the id of one.
        self.numbers: dict[int, tuple[int, type]] = {}

    def forget_since(self, count: int) -> None:
        """Forget the classes that got a number when there were as many as this, because no message told of them."""
        for identity in list(self.numbers)[count:]:
            del self.numbers[identity]

    def describe(self, kind: Any) -> list[Any]:
        """Return the number of a class; if it is new also its description, as `TestsEnd.kind` reads it."""
        if id(kind) in self.numbers:
            return [self.numbers[id(kind)][0]]
        number = len(self.numbers) + 1
        self.numbers[id(kind)] = (number, kind)
        is_exception = issubclass(kind, BaseException)
        base = data_base(kind)
        parents = parents_of(kind, base)
        names = {name for parent in parents for name in vars(parent)}
        # The tests' process has the methods of data and of builtin exceptions itself.
        own: Any = base if base in UNCHANGING else builtin_exception(kind) if is_exception else None
        candidates = TELLING if own is None else {*FUNCTIONS, "__call__"}
        defined = {name for name in candidates if getattr(kind, name, None) is not getattr(own, name, None)}
        if issubclass(kind, type):
            defined.add("__getitem__")  # such as `List[int]`
        return [
            number,
            text(kind.__name__),
            text(kind.__module__),
            " ".join(sorted(defined)),
            " ".join(sorted(name for name in names if is_method(name, parents))),
            base.__name__ if base is not None else None,
            [self.describe(each) for each in kind.__bases__ if issubclass(each, BaseException)]
            if is_exception
            else None,
        ]


def parents_of(kind: type, base: type | None) -> list[type]:
    """Return a class and those that it derives from, up to plain data or a builtin exception."""
    parents = []
    for parent in kind.__mro__:
        if parent is base or parent is object or parent.__module__ == "builtins":
            break
        parents.append(parent)
    return parents


def builtin_exception(kind: type) -> type:
    """Return the builtin class from which a class of exceptions derives."""
    return next(parent for parent in kind.__mro__ if parent.__module__ == "builtins")


def is_method(name: str, parents: list[type]) -> bool:
    """Return whether a name is that of a function in the first class that has it."""
    value = next(vars(parent)[name] for parent in parents if name in vars(parent))
    return type(value) is FUNCTION and not is_special(name)


def text(value: object) -> str:
    """Return a text that is an identifier or a dotted name; "object" for anything else."""
    return value if type(value) is str and value.replace(".", "").isidentifier() else "object"
