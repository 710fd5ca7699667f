"""Exceptions of the candidate in the tests' process: each is of a class that stands for the candidate's class.

Such a class derives from the builtin one, so that tests catch it by that name. Only exceptions that the candidate
raised are of these classes: a name of the candidate's that stands for `Exception` catches no failure of the tests.
"""

from __future__ import annotations

import builtins
import sys

from ..common.library_values import SAFE_MODULES
from ..common.names import is_special
from .handles import Handle, method, of_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Sequence

    from .handles import Requests

# A test runner treats its exceptions as its own: as a skipped test, say.
TEST_RUNNERS = frozenset(("unittest", "pytest", "_pytest", "doctest", "nose"))
LIBRARIES = (
    (SAFE_MODULES | {"builtins"} | getattr(sys, "stdlib_module_names", frozenset())) - TEST_RUNNERS - {"__main__"}
)
# These end a loop, a generator or a task, unless iterating raised them.
ENDINGS = frozenset(("StopIteration", "StopAsyncIteration", "GeneratorExit", "CancelledError"))
BaseExceptionGroup: Any = getattr(builtins, "BaseExceptionGroup", ())


class CandidateException(Handle):
    """The base of the classes of the candidate's exceptions, beside a builtin one."""

    __slots__ = ()


class ExceptionType(type):
    """The type of these classes. Calls and attributes are asked of the candidate's class."""

    __requests__: Requests

    def __call__(cls, *arguments: Any, **keywords: Any) -> Any:
        """Make an instance in the candidate's process."""
        return cls.__requests__.ask("call", cls, [*keywords], [*arguments, *keywords.values()])

    def __getattr__(cls, name: str) -> Any:
        if is_special(name):
            raise AttributeError(name)
        return cls.__requests__.ask("get", cls, name, [])


def exception_class(
    requests: Requests,
    name: str,
    module: str,
    defined: Sequence[str],
    methods: Sequence[str],
    bases: tuple[type, ...],
) -> Any:
    """Return the class that stands for one of the candidate's exceptions.

    Args:
        requests: has the candidate's process do what is asked of a class or an instance.
        name: of the class.
        module: of the class.
        defined: special methods that the class has of its own.
        methods: likewise, methods that are functions.
        bases: the classes for its bases that are exceptions.
    """
    namespace: dict[str, Any] = {"__requests__": requests, "__module__": module}
    namespace.update((special, of_one(special)) for special in defined if special in ("__str__", "__repr__"))
    namespace.update((plain, method(plain)) for plain in methods if plain.isidentifier() and not is_special(plain))
    own = library_exception(module, name)
    more = [own] if own else [] if bases else [Exception]
    try:
        return ExceptionType(name, (*(bases or (CandidateException,)), *more), namespace)
    except TypeError:
        # Classes of different libraries that no class can have for its bases here.
        return ExceptionType(name, bases[:1], namespace)


def library_exception(module: str, name: str) -> Any:
    """Return the exception that a library of this process has under a name; None if it has none."""
    library = sys.modules.get(module) if module.partition(".")[0] in LIBRARIES and name not in ENDINGS else None
    own = vars(library).get(name) if library else None
    return own if isinstance(own, type) and issubclass(own, BaseException) else None


def new_exception(kind: Any, arguments: tuple[Any, ...]) -> BaseException:
    """Return an exception made by the builtin class that its own derives from, so that no other code runs."""
    base: Any = next(ancestor for ancestor in kind.__mro__ if vars(builtins).get(ancestor.__name__) is ancestor)
    error: BaseException
    try:
        error = base.__new__(kind, *arguments)
        base.__init__(error, *arguments)
    except Exception:
        # This class does not take these arguments, or it is a group of exceptions without any.
        error = BaseException.__new__(kind)
        BaseException.args.__set__(error, arguments)  # type: ignore[attr-defined]
    return error
