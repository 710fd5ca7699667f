"""The default policy: RestrictedPython's, and in addition what model-written programs are full of."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from RestrictedPython.transformer import IOPERATOR_TO_STR, copy_locations

from sandboxes.restricted import names
from sandboxes.restricted.direct import DirectTransformer, call
from sandboxes.restricted.mangling import mangle
from sandboxes.restricted.patterns import Lowering


def is_docstring(node: ast.stmt) -> bool:
    """Whether a statement is a text alone."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def is_future_import(node: ast.stmt) -> bool:
    """Whether a statement imports from __future__, which only others of its kind may precede."""
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


class ModelCodePolicy(DirectTransformer):
    """Lets programs have more of Python than RestrictedPython does, each part still by way of a guard.

    Derive from it to change what is allowed.
    """

    allow_underscore_variable_names = False
    """Whether names and attributes may begin with one underscore."""

    def __init__(
        self,
        errors: list[str] | None = None,
        warnings: list[str] | None = None,
        used_names: dict[str, bool] | None = None,
    ):
        """As RestrictedPython calls it."""
        super().__init__(errors, warnings, used_names)
        self._scopes = ["module"]
        self._module: ast.Module | None = None
        self._binds_printed: bool | None = None

    @contextmanager
    def _scope(self, kind: str) -> Iterator[None]:
        self._scopes.append(kind)
        try:
            yield
        finally:
            self._scopes.pop()

    # Names

    def gen_tmp_name(self) -> str:
        """A variable of ours: no program's name ends with an underscore after beginning with one."""
        return super().gen_tmp_name() + "_"

    def check_name(self, node: Any, name: str | None, allow_magic_methods: bool = False) -> None:
        """Refuses names that a program may not use, as the guards' own: who rebinds one of those has no guard."""
        in_class = self._scopes[-1] == "class"
        if name is None or (allow_magic_methods and in_class and name in names.DEFINABLE_METHODS):
            return
        if self.allow_underscore_variable_names and (names.is_private(name) or name == "__"):
            return
        if name == "print" and in_class and allow_magic_methods:
            # A method, which is called as an attribute.
            return
        if name == "printed" and self._has_own_printed():
            return
        super().check_name(node, name)

    def _has_own_printed(self) -> bool:
        """Whether `printed` is a variable of the program's; else it stands for what was printed."""
        if self._binds_printed is None:
            nodes = ast.walk(self._module or ast.Module([], []))
            self._binds_printed = any(
                (isinstance(node, ast.Name) and node.id == "printed" and isinstance(node.ctx, ast.Store))
                or (isinstance(node, ast.arg) and node.arg == "printed")
                for node in nodes
            )
        return self._binds_printed

    def visit_Module(self, node: ast.Module) -> Any:
        """As RestrictedPython has it."""
        self._module = node
        return super().visit_Module(node)

    def visit_Name(self, node: ast.Name) -> Any:
        """Also lets `__name__` be read, a text, and a class's body name its methods."""
        if node.id == "__name__" and isinstance(node.ctx, ast.Load):
            return node
        if self._scopes[-1] == "class" and node.id in names.CLASS_LEVEL_NAMES:
            return node
        if node.id == "printed" and self._has_own_printed():
            return node
        return super().visit_Name(node)

    def check_attribute(self, node: ast.AST, name: str) -> bool:
        """Whether an attribute is allowed although it begins with an underscore; `_getattr_` then decides by object."""
        if self.allow_underscore_variable_names and names.is_private(name):
            return True
        return name in names.SUPER_METHODS

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Refuses attributes as RestrictedPython does, but for methods such as in `super().__init__()`."""
        name = node.attr
        reads_method = isinstance(node.ctx, ast.Load) or not name.startswith("__")
        if not (reads_method and self.check_attribute(node, name)):
            if names.is_refused_attribute(name) or name[:1] == "_":
                return super().visit_Attribute(node)
        value = self.visit(node.value)
        if isinstance(node.ctx, ast.Load):
            return call("_getattr_", node, value, ast.Constant(name))
        if name[:1] == "_":
            value = call("_own_", node.value, value)
        node.value = call("_write_", node.value, value)
        return node

    def visit_Global(self, node: ast.Global) -> Any:
        """Checks the names, which RestrictedPython leaves to where they are used."""
        return self._checked_names(node, node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> Any:
        """Allowed: it rebinds variables of the program's own functions, whose names are checked as all are."""
        return self._checked_names(node, node.names)

    def _checked_names(self, node: Any, found: Iterable[str]) -> Any:
        for name in found:
            self.check_name(node, name)
        return node

    # Assignments

    def visit_List(self, node: ast.List) -> Any:
        """Makes a tuple of a list that is assigned to: RestrictedPython guards the unpacking of those alone."""
        node = self.node_contents_visit(node)
        if isinstance(node.ctx, ast.Store):
            return ast.copy_location(ast.Tuple(node.elts, node.ctx), node)
        return node

    def visit_Assign(self, node: ast.Assign) -> Any:
        """Evaluates the value of `a, b = c = value` once, and assigns from left to right, as Python does."""
        if len(node.targets) == 1 or self._idle("_getiter_", "_unpack_sequence_"):
            return super().visit_Assign(node)
        if not any(isinstance(target, ast.Tuple | ast.List) for target in node.targets):
            return self.node_contents_visit(node)
        held = self.gen_tmp_name()
        first = ast.Assign([ast.Name(held, ast.Store())], self.visit(node.value))
        new: list[Any] = [first]
        for target in map(self.visit, node.targets):
            value: ast.expr = ast.Name(held, ast.Load())
            if isinstance(target, ast.Tuple):
                value = self.protect_unpack_sequence(target, value)
            new.append(ast.Assign([target], value))
        new.append(self.gen_del_stmt(held))
        for each in new:
            copy_locations(each, node)
        return new

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        """Allowed: the target is checked and guarded as any other's, the annotation is an expression as any other."""
        return self.node_contents_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:
        """Reads and writes attributes and items through their guards; the object and the key are evaluated once."""
        target = node.target
        if isinstance(target, ast.Name):
            return self.node_contents_visit(node) if self._idle("_inplacevar_") else super().visit_AugAssign(node)
        if isinstance(target, ast.Attribute):
            # As for reading, and for writing: a method's name may only be read.
            checked: Any = self.visit(ast.copy_location(ast.Attribute(target.value, target.attr, ast.Store()), target))
            place = call("_attribute_place_", target, checked.value.args[0], ast.Constant(target.attr))
        elif self._idle("_inplacevar_", "_getitem_", "_write_"):
            # Not so for attributes, where `_getattr_` has to see what is read.
            return self.node_contents_visit(node)
        else:
            place = call("_item_place_", target, self.visit(target.value), self.visit(target.slice))
        operator = ast.Constant(IOPERATOR_TO_STR[type(node.op)])
        return ast.copy_location(ast.Expr(call("_inplace_", node, place, operator, self.visit(node.value))), node)

    # Functions and classes

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        """As RestrictedPython has it; the method's name was checked by where it stands."""
        self.check_name(node, node.name, allow_magic_methods=True)
        self.check_function_argument_names(node)
        with self._scope("function"), self.print_info.new_print_scope():
            node = self.node_contents_visit(node)
            self.inject_print_collector(node)
        return node

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        """As RestrictedPython has it."""
        with self._scope("function"):
            return super().visit_Lambda(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> Any:
        """Keeps a class's keywords, but for what chooses a metaclass: that is `__metaclass__`, or a base's."""
        self.check_name(node, node.name)
        for keyword in node.keywords:
            if keyword.arg is None:
                self.error(node, 'Keywords of a class by "**" are not allowed.')
            elif keyword.arg == "metaclass":
                self.error(node, 'The keyword argument "metaclass" is not allowed; derive from abc.ABC for ABCMeta.')
            elif keyword.arg[:1] == "_":
                # `_root`, say, lets anyone derive from what evaluates type hints.
                self.error(node, f'"{keyword.arg}" is an invalid keyword of a class because it starts with "_"')
        if self.allow_underscore_variable_names:
            mangle(node)
        with self._scope("class"):
            node = self.node_contents_visit(node)
        node.keywords.append(ast.keyword("metaclass", ast.Name("__metaclass__", ast.Load())))
        ast.fix_missing_locations(node)
        return node

    def inject_print_collector(self, node: Any, position: int = 0) -> None:
        """Leaves a docstring, and the imports from __future__ after it, in their place."""
        if node.body and is_docstring(node.body[0]):
            position = max(position, 1)
            while position < len(node.body) and is_future_import(node.body[position]):
                position += 1
        super().inject_print_collector(node, position)

    # Match statements

    def visit_Match(self, node: ast.Match) -> Any:
        """Allowed as the tests and assignments that it stands for: reads go through the guards, names are checked.

        A pattern itself would read attributes by names that classes hold in `__match_args__`, which a program can make.
        """
        return Lowering(self).statements(node)

    # Type parameters (Python 3.12)

    def visit_TypeVar(self, node: Any) -> Any:
        """Allowed: it binds a name, which is checked."""
        self.check_name(node, node.name)
        return self.node_contents_visit(node)

    visit_ParamSpec = visit_TypeVar
    visit_TypeVarTuple = visit_TypeVar

    def visit_TypeAlias(self, node: Any) -> Any:
        """Allowed: its name is checked, its value is an expression as any other."""
        return self.node_contents_visit(node)


def with_options(
    policy: type[ModelCodePolicy], allow_underscore_variable_names: bool, idle_guards: Iterable[str]
) -> type[ModelCodePolicy]:
    """A policy derived from ours, with its options."""
    fields = {
        "allow_underscore_variable_names": allow_underscore_variable_names,
        "idle_guards": frozenset(idle_guards),
    }
    return cast(type[ModelCodePolicy], type(policy.__name__, (policy,), fields))
