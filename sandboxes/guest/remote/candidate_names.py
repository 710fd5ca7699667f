"""The names of tests that run apart from their candidate: their own, and behind them the candidate's."""

from __future__ import annotations

import builtins
import sys
from importlib import import_module

from ..common.library_values import SAFE_MODULES
from ..common.names import is_class_name, is_special
from .candidate_exceptions import ExceptionType
from .handles import is_handle

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any, Iterable, Iterator

    from .tests_end import TestsEnd

# Tests mean a library by these names, even if the candidate defines them.
MODULE_NAMES = {"np": "numpy", "unittest": "unittest", "pytest": "pytest", "pd": "pandas", "pandas": "pandas"}
MODULE_NAMES.update((name, name) for name in SAFE_MODULES if "." not in name)
# Builtin exceptions of whose name a candidate may have a class of its own: tests that expect one mean that class. Tests
# raise AssertionError themselves, which must be none that they expect.
OWN_EXCEPTIONS = frozenset(
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException) and value not in AssertionError.__mro__
)
# Tests with one of these names may look up any name.
LOOKUPS = frozenset(
    "__builtins__ __dict__ __globals__ __import__ __main__ builtins candidate eval exec getattr globals importlib "
    "inspect locals sys vars".split()
)
# A name of the candidate's that stands for one of these would catch failures of the tests, too.
CATCHING = frozenset(kind.__name__ for kind in AssertionError.__mro__[:-1])


def builtin_name(value: Any) -> str:
    """Return the name of the builtin exception for which a class stands; "" for anything else."""
    return value.__name__ if isinstance(value, ExceptionType) and value.__module__ == "builtins" else ""


class CandidateNames(dict):  # type: ignore[type-arg]
    """The tests' names, and behind them those of the candidate's whose values may change."""

    def __init__(self, end: TestsEnd, others: Iterable[str]) -> None:
        """Begin without names of the tests.

        Args:
            end: of the connection to the candidate.
            others: names of the candidate's.
        """
        dict.__init__(self)
        self.end, self.others = end, frozenset(others)

    def __missing__(self, name: str) -> Any:
        """Return the candidate's value of a name that the tests do not have."""
        if name in self.others:
            value = self.end.request("global", 0, name, [])
            if not CATCHING.isdisjoint(map(builtin_name, value if type(value) is tuple else (value,))):
                self.end.refuse("%s stands for a class that catches any exception; " % name)
            if is_class_name(name) and is_handle(value):
                self.end.classes.add(id(value))
            return value
        if name in OWN_EXCEPTIONS:
            try:
                value = self.end.request("global", 0, name, [])
            except NameError:
                raise KeyError(name) from None
            if isinstance(value, ExceptionType) and not builtin_name(value):
                return value
        raise KeyError(name)


def are_looked_up(names: Iterable[str], code: CodeType) -> bool:
    """Return whether tests may look up a name of the candidate's whose value may change.

    Args:
        names: the candidate's.
        code: of the tests.
    """
    used = names_of(code)
    return not (used.isdisjoint(names) and used.isdisjoint(OWN_EXCEPTIONS) and used.isdisjoint(LOOKUPS))


def names_of(code: CodeType) -> set[str]:
    """Return all names in a code and in those of its functions and classes."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, type(code)):
            names |= names_of(constant)
    return names


def build_namespace(
    end: TestsEnd, code: CodeType, functions: list[str], others: list[str], modules: list[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Put the candidate's names into a module for the tests, and into that by which they import it.

    Args:
        end: of the connection to the candidate.
        code: of the tests.
        functions: texts "name:number".
        others: names whose values are requested.
        modules: texts "name:module".

    Returns:
        The namespace of the tests, and what it has before they run.
    """
    others = list(filter(is_usable, others))
    # The interpreter finds builtins several times as fast through a plain dict.
    namespace = CandidateNames(end, others) if are_looked_up(others, code) else {}
    for text in functions:
        name, number = text.split(":")
        if is_usable(name):
            namespace[name] = end.function(int(number))
    for text in (*modules, *(name for name in others if name in MODULE_NAMES)):
        name, _, module = text.partition(":")
        if is_usable(name) and (name in MODULE_NAMES or module in SAFE_MODULES):
            # Tests that use a library without importing it get the library.
            namespace[name] = import_module(MODULE_NAMES.get(name, module))
    namespace["next"] = strict_next
    sys.modules["__main__"] = type(sys)("__main__")
    sys.modules["candidate"] = CandidateModule("candidate")
    vars(sys.modules["candidate"]).update(namespace, __names__=namespace)
    given = dict(namespace)
    namespace.update(__name__="candidate", __builtins__=builtins)
    return namespace, {**given, "__name__": "candidate", "__builtins__": builtins}


class CandidateModule(type(sys)):  # type: ignore[misc]
    """The module by which tests import the candidate."""

    def __getattr__(self, name: str) -> Any:
        try:
            return vars(self)["__names__"][name]
        except KeyError:
            raise AttributeError(name) from None


def is_usable(name: str) -> bool:
    """Tell whether tests may mean the candidate's value by a name."""
    return not hasattr(builtins, name) and not is_special(name)


def strict_next(iterator: Iterator[Any], *default: Any) -> Any:
    """Do what `next` does, but make an end an error that ends no loop.

    Otherwise `all(map(lambda case: next(f(case)) == case, cases))` would end early, and pass, if there is no item.
    """
    try:
        return next(iterator, *default)
    except StopIteration as error:
        raise RuntimeError("next() found no item") from error
