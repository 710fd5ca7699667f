"""The policy of the sandbox "restricted", as a guest uses it: compiles programs, and gives each its names."""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable, Iterable
from types import CodeType, ModuleType
from typing import Any

from RestrictedPython.transformer import RestrictingNodeTransformer

from sandboxes.restricted.copying import guard_copies
from sandboxes.restricted.guards import Guards
from sandboxes.restricted.library import guard_enums, in_their_place, refused_objects
from sandboxes.restricted.modules import Modules
from sandboxes.restricted.places import complete
from sandboxes.restricted.policy import ModelCodePolicy, with_options
from sandboxes.restricted.provided import provided
from sandboxes.restricted.references import decode

MOST_ERRORS = 5
# A visitor of the tree needs several frames for each level of it, more than Python usually allows.
VISITOR_DEPTH = 20_000
TESTS_FILE = "tests.py"
TESTS_ADVICE = 'tests obey the policy too, unless they run apart: grading="separate"'


def load(settings: dict[str, Any]) -> Restricted:
    """The policy that a sandbox's user has chosen.

    Args:
        settings: as `Restrictions.settings` in restricted_python.py makes them.
    """
    return Restricted(settings)


def chosen_policy(
    name: str | None, allow_underscore_variable_names: bool, idle_guards: Iterable[str]
) -> type[RestrictingNodeTransformer]:
    """The class for the argument `policy`: None, "strict" or "module:Class"."""
    if name == "strict":
        return RestrictingNodeTransformer
    policy: Any = ModelCodePolicy
    if name is not None:
        module, _, path = name.partition(":")
        policy = importlib.import_module(module)
        for part in path.split("."):
            policy = getattr(policy, part)
    if issubclass(policy, ModelCodePolicy):
        return with_options(policy, allow_underscore_variable_names, idle_guards)
    return policy  # type: ignore[no-any-return]


class Restricted:
    """How programs are compiled and what names they find."""

    def __init__(self, settings: dict[str, Any]):
        """Takes what `load` does."""
        self.settings = settings
        self.output_variable: str | None = settings["output_variable"]
        self.additional = {name: decode(value) for name, value in settings["additional_globals"]}
        self.guards = Guards(settings["allow_str_format"], settings["allow_underscore_variable_names"])
        self.modules = self.guards.modules = Modules(settings["allowed_imports"])
        self.names = self._names()
        instead = in_their_place(self.guards.read, self.guards.write_by_both)
        self.modules.keep_out(refused_objects(), instead)
        idle = [name for name, guard in self.guards.idle().items() if self.names[name] == guard]
        self.policy = chosen_policy(settings["policy"], settings["allow_underscore_variable_names"], idle)

    def compile(self, source: str, file: str, change: Callable[[ast.Module], ast.Module] | None = None) -> CodeType:
        """The code of a program.

        Args:
            source: of the program.
            file: its name in tracebacks.
            change: what is to be done to what the policy has made of it.

        Raises:
            SyntaxError: if it is no program, or if the policy refuses it: the message names line and rule.
        """
        errors: list[str] = []
        tree = ast.parse(source, file)
        depth = sys.getrecursionlimit()
        sys.setrecursionlimit(max(depth, VISITOR_DEPTH))
        try:
            self.policy(errors, [], {}).visit(tree)
            if errors:
                raise SyntaxError(refusal(errors, file))
            # compile_restricted_exec would have programs inherit what RestrictedPython imports from __future__: then no
            # annotation is evaluated, and a program that lacks `from typing import List` passes.
            return compile(change(tree) if change else tree, file, "exec", dont_inherit=True)
        finally:
            sys.setrecursionlimit(depth)

    def prepare(self, module: ModuleType) -> None:
        """Gives a program's module its names. Each process runs one program, so all of them are made beforehand."""
        guard_copies()
        guard_enums()
        self.guards.own.namespace = module.__dict__
        module.__dict__.update(self.names)

    def _names(self) -> dict[str, Any]:
        """Guards, builtins, and the names of the sandbox's user, which win."""
        settings, guards, found = self.settings, self.guards, self.guards.names()
        additional = {name: self._shown(decode(value)) for name, value in settings["additional_globals"]}
        found |= additional
        if "_getattr_" in additional:
            guards.read = reading_by(additional["_getattr_"])
            found["getattr"] = additional.get("getattr", guards.read)
        guards.change, guards.item = found["_write_"], found["_getitem_"]
        complete(found)
        guards.reads_items_directly = not {"_getitem_", "_getiter_", "_write_"} & additional.keys()
        builtin_names = provided(settings, additional.get("_getiter_"))
        if settings["use_safe_builtins"]:
            builtin_names["hasattr"] = guards.has_attribute
            builtin_names["setattr"], builtin_names["delattr"] = guards.set_attribute, guards.delete_attribute
        builtin_names["__import__"] = self.modules.load
        custom = settings["custom_builtins"]
        builtin_names |= decode(custom["reference"]) if isinstance(custom, dict) else {n: decode(v) for n, v in custom}
        return {**found, "__builtins__": {name: self._shown(value) for name, value in builtin_names.items()}}

    def _shown(self, value: Any) -> Any:
        """A value as programs get it: of a module, a view."""
        return self.modules.give(value) if isinstance(value, ModuleType) else value


def reading_by(get_attribute: Callable[[Any, str], Any]) -> Callable[..., Any]:
    """`getattr` by way of a `_getattr_` that takes no default."""

    def read(value: Any, name: str, *default: Any) -> Any:
        try:
            return get_attribute(value, name)
        except AttributeError:
            if len(default) == 1:
                return default[0]
            raise

    return read


def refusal(errors: list[str], file: str) -> str:
    """What a policy's errors say, in one text."""
    said = errors[:MOST_ERRORS]
    if len(errors) > MOST_ERRORS:
        said.append(f"and {len(errors) - MOST_ERRORS} more")
    if file != TESTS_FILE:
        return "; ".join(said)
    return "in the tests: " + "; ".join(said) + f" ({TESTS_ADVICE})"
