"""Imports: modules that a program may have, and what of them it may not.

A module's own code is not restricted, and many have others in their attributes: `typing.sys`, say. So a program gets a
view of each, which hands out other modules only if they are allowed too, and some functions in another form or not at
all: `library` has those.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Collection, Iterable
from types import BuiltinFunctionType, MethodType, ModuleType
from typing import Any

from sandboxes.restricted.copying import Single

FORMATS = ("format", "format_map")
# What `datetime` and `time` import when they are used.
BY_THE_INTERPRETER = frozenset(("_strptime", "time"))


class GuardedModule(Single):
    """A program's view of a module. What it is a view of is kept elsewhere, so it has nothing to read."""

    __slots__ = ("__weakref__",)

    def __init_subclass__(cls) -> None:
        """Raises TypeError: an object of another class could pass for a view."""
        raise TypeError("the class of modules can't be derived from here")

    def __getattr__(self, name: str) -> Any:
        """An attribute of the module, as far as a program may have it."""
        modules, module, path = _views[self]
        known = modules.as_they_are.get((path, name))
        # Loops read the same ones again and again; a module may have another thing by that name since.
        if known is not None and getattr(module, name, None) is known:
            return known
        return modules.read(module, path, name)

    def __repr__(self) -> str:
        """As a module's, without its file."""
        return f"<module {_views[self][2]!r}>"


_views: dict[GuardedModule, tuple[Modules, ModuleType, str]] = {}


class Modules(Single):
    """The modules of one program."""

    def __init__(self, allowed: Iterable[str] | None):
        """Takes the names of modules that may be imported, each with those within it."""
        self.importable = frozenset(allowed or ())
        self._visible = set(self.importable)
        self._by_module: dict[tuple[int, str], GuardedModule] = {}
        # By id, since the same function is found in several modules. All of these live on.
        self._instead: dict[int, Any] = {}
        self._refused: dict[int, str] = {}
        # The ids of all these.
        self.watched: set[int] = set()
        # {(path of a module, name): what programs were given by it, if that is what the module has}
        self.as_they_are: dict[tuple[str, str], Any] = {}

    def keep_out(self, refused: dict[int, str], instead: Iterable[tuple[Any, Any]]) -> None:
        """Puts what programs may not have as it is out of their reach.

        Args:
            refused: by the id of what no program gets, why.
            instead: things, each with what they get in its place.
        """
        self._refused = refused
        self._instead = {id(value): other for value, other in instead}
        self.watched.clear()
        self.watched.update((*self._refused, *self._instead))

    def give(self, module: ModuleType) -> GuardedModule:
        """The view of a module that a program gets without importing it."""
        self._visible.add(module.__name__)
        return self.view(module, module.__name__)

    def _shows(self, name: str) -> bool:
        return within(name, self._visible)

    def view(self, module: ModuleType, path: str) -> GuardedModule:
        """A program's view of a module that it reaches by a dotted name."""
        key = (id(module), path)
        if key not in self._by_module:
            view = self._by_module[key] = GuardedModule()
            _views[view] = (self, module, path)
        return self._by_module[key]

    def read(self, module: ModuleType, path: str, name: str) -> Any:
        """An attribute of a module.

        Raises:
            AttributeError: if there is none, or a program may not read it.
            NotImplementedError: if it is something that no program gets.
        """
        if name[:1] == "_":
            raise AttributeError(f'"{name}" is an invalid attribute name because it starts with "_"')
        try:
            found = getattr(module, name)
        except AttributeError:
            # Not that error: it has the module itself as `obj`.
            found = self
        if found is self:
            raise AttributeError(f"module {path!r} has no attribute {name!r}")
        if isinstance(found, ModuleType):
            reached = f"{path}.{name}"
            known_as = reached if sys.modules.get(reached) is found else found.__name__
            if not self._leads_to(known_as):
                raise AttributeError(f"{reached} is the module {known_as!r}, which is not in allowed_imports")
            return self.view(found, known_as)
        if not (self._shows(path) or path == "__future__"):
            raise AttributeError(f"module {path!r} is not in allowed_imports, only modules within it are")
        value = self.admitted(found, name)
        if value is found:
            self.as_they_are[path, name] = value
        return value

    def _leads_to(self, name: str) -> bool:
        """Whether a module is allowed, or is a package of one that is."""
        return self._shows(name) or any(each.startswith(name + ".") for each in self._visible)

    def admitted(self, value: Any, name: str) -> Any:
        """A value that a program has come upon, or what it gets instead.

        Raises:
            AttributeError: for a module that may not be imported.
            NotImplementedError: for what no program gets.
        """
        if isinstance(value, ModuleType):
            if not self._shows(value.__name__):
                raise AttributeError(f"{name} is the module {value.__name__!r}, which is not in allowed_imports")
            return self.view(value, value.__name__)
        if id(value) in self._instead:
            return self._instead[id(value)]
        if type(value) is BuiltinFunctionType and isinstance(value.__self__, str) and value.__name__ in FORMATS:
            raise NotImplementedError("Using the format*() methods of `str` is not safe")
        if id(value.__func__ if type(value) is MethodType else value) in self._refused:
            raise NotImplementedError(f"{name} is not safe: it {self._refused[id(getattr(value, '__func__', value))]}")
        if isinstance(value, type) and issubclass(value, type):
            raise NotImplementedError(f"{name} is not safe: it makes classes that no policy has seen")
        return value

    def load(
        self,
        name: str,
        namespace: object = None,
        local_names: object = None,
        wanted: Iterable[str] | None = (),
        level: int = 0,
    ) -> GuardedModule:
        """`__import__`.

        Raises:
            ImportError: if the module, or what is wanted of it, is not there or not allowed.
        """
        if level:
            raise ImportError("programs here are no package, so no relative import is possible")
        if type(wanted) is list and name in BY_THE_INTERPRETER:
            # The interpreter's C code asks by way of the program's `__import__`, and takes no notice of the answer. A
            # program's own import has None or a tuple here.
            return self.view(importlib.import_module(name), name)
        if name != "__future__" and not within(name, self.importable):
            some = ", ".join(sorted(self.importable)) or "none"
            raise ImportError(f"import of {name!r} is not allowed: allowed_imports has {some}", name=name)
        module = importlib.import_module(name)
        if not wanted:
            top = name.partition(".")[0]
            return self.view(sys.modules[top], top)
        view = self.view(module, name)
        for each in wanted:
            try:
                self._load_part(module, name, each)
                getattr(view, each)
            except (AttributeError, NotImplementedError) as error:
                # Else the interpreter itself would look among all loaded modules.
                raise ImportError(f"cannot import name {each!r} from {name!r}: {error}", name=name) from None
        return view

    def _load_part(self, module: ModuleType, name: str, part: str) -> None:
        """Loads a module of a package that is imported by `from package import module`."""
        if hasattr(module, "__path__") and not hasattr(module, part):
            try:
                importlib.import_module(f"{name}.{part}")
            except ModuleNotFoundError as error:
                if error.name != f"{name}.{part}":
                    raise


def within(name: str, allowed: Collection[str]) -> bool:
    """Whether a dotted name is one of those allowed, or within one: "collections.abc" is within "collections"."""
    parts = name.split(".")
    return any(".".join(parts[:size]) in allowed for size in range(1, len(parts) + 1))
