"""Finds out whether tests can run in another process than their candidate, by an allow-list of forms.

The tests' text alone decides: it is trusted, and a candidate must have no say in the choice. Each expression of the
tests gets traits, which say where its value comes from. A form is on the list if it means the same in two processes as
in one, whatever an honest candidate returns. What is not on the list is never guessed at.
`separable_names` has the names that are on it.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Sequence
from enum import Flag

from sandboxes.guest.common.names import is_class_name
from sandboxes.imports import parse_tree
from sandboxes.separable_names import (
    ADDING,
    ASSERTIONS,
    BUILTINS,
    CALLED,
    COLLECTING,
    COMPARING_TWO,
    EXCEPTIONS,
    EXPECTED,
    GENERATORS,
    ITERATING,
    JUDGING,
    METHODS,
    ORACLE,
    RAISING,
    READING,
    TAKES_RESULTS,
    TYPES,
    UNREAD,
    NotOnTheList,
    check_module,
    check_part,
)


class Trait(Flag):
    """Where a value of the tests comes from. Plain data that tests build has no trait."""

    RESULT = 1
    """The candidate returned it, or it is a part of what the candidate returned."""

    MADE = 2
    """Tests made it by the name of a class of the candidate, or it holds such an object."""

    OWN = 4
    """An object of the tests that is no plain data, such as a function."""

    COMPUTED = 8
    """An operator made it of a RESULT and of something else."""

    ITERATOR = 16
    """It can be read once. Its items have the other traits."""


PLAIN = Trait(0)
RESULT, MADE, OWN, COMPUTED, ITERATOR = Trait
REMOTE = RESULT | MADE
STAYS = OWN | COMPUTED | ITERATOR
"""A value with one of these traits is not given to the candidate."""

NOUNS = {
    RESULT: "a result",
    MADE: "an object of the candidate's class",
    OWN: "a function or another object",
    COMPUTED: "what an operator made of a result",
    ITERATOR: "an iterator",
}

WORDS = {"AsyncFor": "async", "AsyncFunctionDef": "async", "AsyncWith": "async", "YieldFrom": "yield"}
"""What nodes of the syntax tree are called in a reason, where their own names in lower case won't do."""


@functools.lru_cache(maxsize=4096)
def reason_for_shared(tests: str) -> str:
    """Return why tests need the candidate's interpreter, such as "the tests use exec"; "" if they don't.

    Args:
        tests: source.
    """
    try:
        Forms(parse_tree(tests)).check()
    except NotOnTheList as reason:
        return f"the tests {reason}"
    except RecursionError:
        return "the tests are nested too deeply"
    except (SyntaxError, ValueError, MemoryError):
        return "the tests can't be parsed"
    return ""


def is_same_for_all(statements: Sequence[ast.stmt]) -> bool:
    """Return whether the beginning of tests does the same whatever the candidate is.

    Each form of it is on the list, and it has no name that a candidate could define, such as that of a builtin.
    """
    tree = ast.Module(list(statements), [])
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    try:
        forms = Forms(tree)
        forms.read()
    except (NotOnTheList, RecursionError):
        return False
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    is_imported = "candidate" in {*modules, *forms.libraries.values()}
    return not (is_imported or forms.names_candidate or names & (BUILTINS - EXCEPTIONS))


class Forms:
    """The forms of one text of tests, and the traits of its variables.

    A variable has one set of traits for the whole text: all those that a value of this variable ever has.
    """

    def __init__(self, tree: ast.Module) -> None:
        """Collect the names that the tests define."""
        self.tree = tree
        self.functions: dict[str, list[ast.FunctionDef]] = {}
        self.classes: set[str] = set()
        # for a name of the tests, the dotted name of what they import by it
        self.libraries: dict[str, str] = {}
        # for the name of a function of the tests, "" for none, the variables that are its own
        self.locals: dict[str, set[str]] = {"": set()}
        # What tests put into a container has traits apart from those of the container: "x[]" is the content of "x".
        self.variables: dict[str, Trait] = {}
        self.called: set[str] = set()
        self.loaded: set[str] = set()
        # the functions of the tests that are being read, innermost last
        self.within: list[str] = []
        self.has_changed = self.names_candidate = False
        self.collect_names(tree, self.locals[""])

    def collect_names(self, tree: ast.AST, own: set[str]) -> None:
        """Collect the names that a part of the tests defines.

        Args:
            tree: the part.
            own: gets its variables, but not those of functions within it.
        """
        pending = [*ast.iter_child_nodes(tree)]
        for node in pending:
            if isinstance(node, ast.FunctionDef):
                self.functions.setdefault(node.name, []).append(node)
                own_names = self.locals.setdefault(node.name, set())
                if node.name != ORACLE:
                    self.collect_names(node, own_names)
                continue
            if isinstance(node, ast.ClassDef):
                self.classes.add(node.name)
            elif isinstance(node, ast.Call):
                self.called.add(last_name(node.func))
            elif isinstance(node, ast.Name):
                (self.loaded if isinstance(node.ctx, ast.Load) else own).add(node.id)
            elif isinstance(node, ast.arg):
                own.add(node.arg)
            elif isinstance(node, ast.ExceptHandler) and node.name:
                own.add(node.name)
            elif isinstance(node, ast.Import):
                self.collect_import(node)
            elif isinstance(node, ast.ImportFrom):
                self.collect_parts(node)
            pending += ast.iter_child_nodes(node)

    def collect_import(self, node: ast.Import) -> None:
        """Collect the names of imported modules."""
        for alias in node.names:
            top = check_module(alias.name)
            self.libraries[alias.asname or top] = alias.name if alias.asname else top

    def collect_parts(self, node: ast.ImportFrom) -> None:
        """Collect the names of imported parts of modules."""
        module = "." * node.level + (node.module or "")
        check_module(module)
        for alias in node.names:
            if alias.name == "*":
                if module not in ("math", "typing"):
                    raise NotOnTheList(f"import all of {module}")
                self.libraries.update((name, f"{module}.{name}") for name in dir(__import__(module)) if name[0] != "_")
            elif module != "candidate":
                self.libraries[alias.asname or alias.name] = check_part(f"{module}.{alias.name}")

    def read(self) -> None:
        """Read the tests, again and again until no variable gets another trait.

        Raises:
            NotOnTheList: at the first form that is not on the list.
        """
        self.has_changed = True
        while self.has_changed:
            self.has_changed = False
            self.read_all(self.tree.body)

    def check(self) -> None:
        """Read the tests, and check what only the whole of them shows.

        Raises:
            NotOnTheList: as `read`, and if only builtins can be meant by the tests.
        """
        self.read()
        if not self.names_candidate:
            raise NotOnTheList("name nothing of the candidate but builtins")
        for node in self.tree.body:
            for target in node.targets if isinstance(node, ast.Assign) else ():
                if isinstance(target, ast.Name) and target.id not in self.loaded | UNREAD:
                    raise NotOnTheList(f"assign {target.id}, which they do not read")
            if isinstance(node, ast.FunctionDef) and not node.name.startswith(("test", "code_eval_")):
                if node.name not in self.loaded | self.called:
                    raise NotOnTheList(f"define {node.name}, which they do not call")

    def give(self, variable: str, trait: Trait) -> None:
        """Give a variable more traits. It is named as `variable` names it."""
        before = self.variables.get(variable)
        if before is None or trait & ~before:
            self.variables[variable] = trait if before is None else before | trait
            self.has_changed = True

    def variable(self, name: str) -> str:
        """Return what a name is called in `variables`; "" if the tests have no such variable where they are read."""
        for function in [*reversed(self.within), ""]:
            if name in self.locals[function]:
                return f"{function}:{name}"
        return ""

    # Statements

    def read_all(self, nodes: Iterable[ast.stmt]) -> None:
        """Read statements."""
        for node in nodes:
            getattr(self, f"_read_{type(node).__name__}", refuse)(node)

    def _read_nothing(self, node: ast.stmt) -> None:
        pass

    _read_Pass = _read_Break = _read_Continue = _read_nothing
    _read_Import = _read_ImportFrom = _read_nothing

    def _read_Expr(self, node: ast.Expr) -> None:
        self.traits(node.value)

    def _read_Assert(self, node: ast.Assert) -> None:
        self.traits(node.test, node.msg)

    def _read_Raise(self, node: ast.Raise) -> None:
        self.traits(node.exc, node.cause)

    def _read_Return(self, node: ast.Return) -> None:
        if not self.within:
            refuse(node)
        self.give(f"return {self.within[-1]}", self.traits(node.value))

    def _read_Delete(self, node: ast.Delete) -> None:
        if not all(isinstance(target, ast.Name) for target in node.targets):
            raise NotOnTheList("delete a part of an object")

    def _read_Assign(self, node: ast.Assign) -> None:
        trait = self.traits(node.value)
        for target in node.targets:
            self.assign(target, trait)

    def _read_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, self.traits(node.value))

    def _read_AugAssign(self, node: ast.AugAssign) -> None:
        self.assign(node.target, operator_traits(self.traits(node.target, node.value)))

    def _read_If(self, node: ast.If | ast.While) -> None:
        self.traits(node.test)
        self.read_all([*node.body, *node.orelse])

    _read_While = _read_If

    def _read_For(self, node: ast.For) -> None:
        self.assign(node.target, self.traits(node.iter) & ~ITERATOR)
        self.read_all([*node.body, *node.orelse])

    def _read_Try(self, node: ast.Try) -> None:
        for handler in node.handlers:
            if handler.type is not None:
                self.check_exceptions(handler.type)
            if handler.name is not None:
                self.give(self.variable(handler.name), RESULT)
            self.read_all(handler.body)
        self.read_all([*node.body, *node.orelse, *node.finalbody])

    def _read_With(self, node: ast.With) -> None:
        for item in node.items:
            call = item.context_expr
            if not isinstance(call, ast.Call) or last_name(call.func) not in RAISING | {"subTest"}:
                raise NotOnTheList("use with")
            if last_name(call.func) in RAISING:
                self.check_exceptions(*call.args[:1])
            if item.optional_vars is not None:
                self.assign(item.optional_vars, RESULT)
        self.read_all(node.body)

    def _read_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name == ORACLE:
            return
        if node.decorator_list:
            raise NotOnTheList("use a decorator")
        self.traits(*node.args.defaults, *node.args.kw_defaults)
        if node.name not in self.called:
            # Whoever calls it may give it the candidate.
            self.give_parameters(node, RESULT)
        self.within.append(node.name)
        self.read_all(node.body)
        self.within.pop()

    def _read_ClassDef(self, node: ast.ClassDef) -> None:
        if node.decorator_list or [self.dotted(base) for base in node.bases] != ["unittest.TestCase"]:
            raise NotOnTheList(f"define the class {node.name}")
        self.read_all(node.body)

    def assign(self, target: ast.expr, trait: Trait) -> None:
        """Give the target of an assignment more traits."""
        if isinstance(target, ast.Tuple | ast.List):
            for each in target.elts:
                self.assign(each, trait & ~ITERATOR)
        elif isinstance(target, ast.Starred):
            self.assign(target.value, trait)
        elif isinstance(target, ast.Subscript):
            self.traits(target.slice)
            without(self.own_traits(target.value), REMOTE | OWN, "assign to a part of")
            self.collect(target.value, trait)
        elif name := self.target(target):
            self.give(name, trait)
        else:
            raise NotOnTheList("assign to an attribute")

    def target(self, node: ast.expr) -> str:
        """Return what a variable, or an attribute of a TestCase, is called in `variables`; "" for other expressions."""
        if isinstance(node, ast.Attribute) and self.is_of_test_case(node):
            return f"self.{node.attr}"
        return self.variable(node.id) if isinstance(node, ast.Name) else ""

    def traits_of_variable(self, variable: str) -> Trait:
        """Return the traits of a variable and its content."""
        return self.variables.get(variable, PLAIN) | self.variables.get(f"{variable}[]", PLAIN)

    def own_traits(self, node: ast.expr) -> Trait:
        """Return the traits of an expression's value; without those of its content if it is a variable."""
        trait = self.traits(node)
        return self.variables.get(name, PLAIN) if (name := self.target(node)) else trait

    def give_parameters(self, function: ast.FunctionDef, trait: Trait) -> None:
        """Give a function's parameters more traits."""
        for parameter in parameters_of(function.args):
            self.give(f"{function.name}:{parameter}", trait)

    def collect(self, container: ast.expr, trait: Trait) -> None:
        """Give a container of the tests the traits of a value that is put into it."""
        while isinstance(container, ast.Subscript):
            container = container.value
        if name := self.target(container):
            self.give(f"{name}[]", trait)
        else:
            without(trait, ~PLAIN, "put into a container without a name")

    def check_exceptions(self, *nodes: ast.expr) -> None:
        """Check that the classes of exceptions that tests expect are builtins or named as the candidate's."""
        for node in nodes:
            if isinstance(node, ast.Tuple):
                self.check_exceptions(*node.elts)
            elif name := self.dotted(node):
                check_part(name)
            elif not isinstance(node, ast.Name) or self.variable(node.id) or node.id in self.classes:
                raise NotOnTheList("expect an exception whose class has no name of its own")
            elif node.id in BUILTINS - EXPECTED:
                raise NotOnTheList(f"expect the exception {node.id}")

    # Expressions

    def traits(self, *nodes: ast.expr | None) -> Trait:
        """Return all traits of the values of some expressions."""
        trait = PLAIN
        for node in nodes:
            if node is not None and type(node) is not ast.Constant:
                trait |= getattr(self, f"_traits_of_{type(node).__name__}", refuse)(node)
        return trait

    def _traits_of_Name(self, node: ast.Name) -> Trait:
        name = node.id
        if variable := self.variable(name):
            return self.traits_of_variable(variable)
        if name in self.functions:
            # Whoever gets it may give it the candidate.
            for function in self.functions[name]:
                self.give_parameters(function, RESULT)
            return OWN
        if name in self.classes or name in self.libraries:
            return OWN
        if name == "__name__":
            return PLAIN
        if name in BUILTINS:
            if name not in EXCEPTIONS | CALLED | TYPES:
                raise NotOnTheList(f"use {name}")
            return OWN
        self.names_candidate = True
        return MADE if is_class_name(name) else RESULT

    def _traits_of_JoinedStr(self, node: ast.JoinedStr) -> Trait:
        without(self.traits(*node.values), OWN, "format")
        return PLAIN

    def _traits_of_FormattedValue(self, node: ast.FormattedValue) -> Trait:
        return self.traits(node.value, node.format_spec)

    def _traits_of_Tuple(self, node: ast.Tuple | ast.List | ast.Set) -> Trait:
        return self.traits(*node.elts)

    _traits_of_List = _traits_of_Set = _traits_of_Tuple

    def _traits_of_Dict(self, node: ast.Dict) -> Trait:
        return self.traits(*node.keys, *node.values)

    def _traits_of_Starred(self, node: ast.Starred) -> Trait:
        return self.traits(node.value) & ~ITERATOR

    def _traits_of_IfExp(self, node: ast.IfExp) -> Trait:
        self.traits(node.test)
        return self.traits(node.body, node.orelse)

    def _traits_of_BoolOp(self, node: ast.BoolOp) -> Trait:
        return self.traits(*node.values)

    def _traits_of_NamedExpr(self, node: ast.NamedExpr) -> Trait:
        trait = self.traits(node.value)
        self.assign(node.target, trait)
        return trait

    def _traits_of_Slice(self, node: ast.Slice) -> Trait:
        return self.traits(node.lower, node.upper, node.step)

    def _traits_of_Lambda(self, node: ast.Lambda) -> Trait:
        return OWN | self.traits(*node.args.defaults, *node.args.kw_defaults, node.body)

    def _traits_of_ListComp(self, node: ast.ListComp | ast.SetComp) -> Trait:
        return self.comprehension(node.generators, node.elt)

    _traits_of_SetComp = _traits_of_ListComp

    def _traits_of_DictComp(self, node: ast.DictComp) -> Trait:
        return self.comprehension(node.generators, node.key, node.value)

    def _traits_of_GeneratorExp(self, node: ast.GeneratorExp) -> Trait:
        return ITERATOR | self.comprehension(node.generators, node.elt)

    def comprehension(self, generators: list[ast.comprehension], *parts: ast.expr) -> Trait:
        """Return the traits of a comprehension's items."""
        for each in generators:
            if each.is_async:
                raise NotOnTheList("use async")
            self.assign(each.target, self.traits(each.iter) & ~ITERATOR)
            self.traits(*each.ifs)
        return self.traits(*parts)

    def _traits_of_UnaryOp(self, node: ast.UnaryOp) -> Trait:
        trait = self.traits(node.operand)
        return PLAIN if isinstance(node.op, ast.Not) else without(trait, MADE | OWN, "use an operator on")

    def _traits_of_BinOp(self, node: ast.BinOp) -> Trait:
        if isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
            without(self.traits(node.right), OWN, "format")
            return PLAIN
        if isinstance(node.left, ast.List | ast.Tuple):
            # A list of the tests, whatever is in it.
            return self.traits(node.left, node.right)
        return operator_traits(self.traits(node.left, node.right))

    def _traits_of_Compare(self, node: ast.Compare) -> Trait:
        operands = [node.left, *node.comparators]
        for left, operator, right in zip(operands, node.ops, node.comparators, strict=False):
            self.compare(left, operator, right)
        return PLAIN

    def compare(self, left: ast.expr, operator: ast.cmpop, right: ast.expr) -> None:
        """Check a comparison of two values."""
        types = [self.is_type(left), self.is_type(right)]
        if any(types):
            if not all(types):
                raise NotOnTheList("compare a type with something else")
            return
        first, second = self.traits(left), self.traits(right)
        if isinstance(operator, ast.Is | ast.IsNot):
            if not any(isinstance(part, ast.Constant) and part.value in (None, True, False) for part in (left, right)):
                raise NotOnTheList("compare identities")
            return
        if isinstance(operator, ast.In | ast.NotIn):
            without(second, REMOTE, "look for a value in")
        without(first | second, MADE | ITERATOR, "compare")
        for part, trait in ((left, first), (right, second)):
            if not (isinstance(part, ast.Call) and self.dotted(part.func) == "pytest.approx"):
                without(trait, OWN, "compare")

    def is_type(self, node: ast.expr) -> bool:
        """Return whether an expression is a type: a builtin's name, or `type(value)`."""
        if isinstance(node, ast.Call) and last_name(node.func) == "type" and len(node.args) == 1:
            without(self.traits(*node.args), MADE | OWN, "ask for the type of")
            return True
        return isinstance(node, ast.Name) and node.id in TYPES and not self.variable(node.id)

    def _traits_of_Subscript(self, node: ast.Subscript) -> Trait:
        if self.dotted(node.value):
            return OWN  # such as `List[int]`
        without(self.traits(node.slice), MADE | STAYS, "use as an index")
        return part_traits(self.traits(node.value))

    def _traits_of_Attribute(self, node: ast.Attribute) -> Trait:
        if name := self.dotted(node):
            return OWN if check_part(name) in GENERATORS else PLAIN
        if node.attr[:2] == "__":
            raise NotOnTheList(f"use the attribute {node.attr}")
        if self.is_of_test_case(node):
            return self.traits_of_variable(f"self.{node.attr}")
        trait = self.traits(node.value)
        if node.attr in JUDGING and trait & REMOTE == RESULT:
            raise NotOnTheList(f"ask a result by {node.attr}")
        return OWN if node.attr in METHODS and not trait & REMOTE else part_traits(trait)

    def is_of_test_case(self, node: ast.Attribute) -> bool:
        """Return whether an expression is an attribute of a TestCase of the tests."""
        return isinstance(node.value, ast.Name) and node.value.id == "self" and bool(self.variable("self"))

    def dotted(self, node: ast.expr) -> str:
        """Return the dotted name of a part of a library, such as "numpy.testing"; "" if it is something else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.insert(0, node.attr)
            node = node.value
        if not isinstance(node, ast.Name) or node.id not in self.libraries or self.variable(node.id):
            return ""
        return ".".join([self.libraries[node.id], *parts])

    # Calls

    def _traits_of_Call(self, node: ast.Call) -> Trait:
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        arguments = self.traits(*given)
        for each in given:
            if isinstance(each, ast.Lambda):
                for parameter in parameters_of(each.args):
                    self.give(self.variable(parameter), arguments & ~(OWN | ITERATOR))
        function = node.func
        if name := self.dotted(function):
            return self.call_library(check_part(name), arguments)
        if isinstance(function, ast.Attribute):
            return self.call_method(function, node, arguments)
        if isinstance(function, ast.Name) and not self.variable(function.id):
            if function.id in self.functions:
                return self.call_own(function.id, node, arguments)
            if function.id in self.classes:
                return OWN
            if function.id in BUILTINS:
                return self.call_builtin(function.id, node, arguments)
        return call_value(self.traits(function), arguments)

    def call_library(self, name: str, arguments: Trait) -> Trait:
        """Return the traits of what a function of a library returns."""
        without(arguments, MADE if name in TAKES_RESULTS else REMOTE, f"give {name}")
        if name in GENERATORS or name.startswith("pytest."):
            return OWN
        if name.startswith("itertools."):
            return arguments & ~OWN | ITERATOR
        return arguments & ~STAYS

    def call_own(self, name: str, node: ast.Call, arguments: Trait) -> Trait:
        """Return the traits of what a function of the tests returns."""
        without(arguments, OWN, f"give {name}")
        is_simple = not node.keywords and not any(isinstance(each, ast.Starred) for each in node.args)
        for function in self.functions[name]:
            parameters = parameters_of(function.args)
            if not is_simple or len(parameters) < len(node.args):
                self.give_parameters(function, arguments)
                continue
            for parameter, argument in zip(parameters, node.args, strict=False):
                variable = f"{name}:{parameter}"
                self.give(variable, self.own_traits(argument))
                if target := self.target(argument):
                    # The function may put something into a container that it gets.
                    for one, other in ((variable, target), (target, variable)):
                        self.give(f"{one}[]", self.variables.get(f"{other}[]", PLAIN))
        return self.variables.get(f"return {name}", PLAIN)

    def call_builtin(self, name: str, node: ast.Call, arguments: Trait) -> Trait:
        """Return the traits of what a builtin returns."""
        if name in EXCEPTIONS:
            return OWN
        if name not in CALLED:
            raise NotOnTheList(f"use {name}")
        if name == "isinstance":
            return self.check_instance(node)
        if name in ADDING:
            without(arguments, MADE, f"give {name}")
        if name in ("getattr", "hasattr") and not is_public_attribute(*node.args[1:2]):
            raise NotOnTheList(f"give {name} a name that is no public one")
        if name in READING:
            return PLAIN
        return arguments & ~OWN | ITERATOR if name in ITERATING else arguments & ~(OWN | ITERATOR)

    def check_instance(self, node: ast.Call) -> Trait:
        """Check a call of `isinstance`, or of its like in unittest: only builtin types are asked for."""
        kind = node.args[1] if len(node.args) > 1 else node
        kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
        if not all(isinstance(each, ast.Name) and each.id in TYPES and not self.variable(each.id) for each in kinds):
            raise NotOnTheList("look for instances of other classes than builtins")
        return PLAIN

    def call_method(self, function: ast.Attribute, node: ast.Call, arguments: Trait) -> Trait:
        """Return the traits of what a method returns."""
        name = function.attr
        if name[:2] == "__":
            raise NotOnTheList(f"use the attribute {name}")
        if self.is_of_test_case(function):
            if name in self.functions:
                return self.call_own(name, node, arguments)
            if f"self.{name}" in self.variables:
                return call_value(self.variables[f"self.{name}"], arguments)
            return self.call_assertion(name, node)
        trait = without(self.own_traits(function.value), COMPUTED, "call a method of")
        if name in JUDGING and trait & REMOTE == RESULT:
            raise NotOnTheList(f"ask a result by {name}")
        if trait & REMOTE:
            return call_value(RESULT, arguments)
        if name in COLLECTING:
            self.collect(function.value, arguments & ~ITERATOR)
        else:
            without(arguments, REMOTE, f"give {name}")
        return PLAIN

    def call_assertion(self, name: str, node: ast.Call) -> Trait:
        """Check a call of a TestCase's own method."""
        if name not in ASSERTIONS:
            raise NotOnTheList(f"use self.{name}")
        if name in RAISING:
            self.check_exceptions(*node.args[:1])
            return RESULT
        if name == "assertIsInstance":
            return self.check_instance(node)
        if name in COMPARING_TWO and len(node.args) > 1:
            self.compare(node.args[0], ast.Is() if name.startswith("assertIs") else ast.Eq(), node.args[1])
        return PLAIN


def refuse(node: ast.AST) -> Trait:
    """Refuse a node of the syntax tree."""
    name = type(node).__name__
    raise NotOnTheList(f"use {WORDS.get(name, name.lower())}")


def without(trait: Trait, forbidden: Trait, what: str) -> Trait:
    """Return traits, if none is forbidden.

    Args:
        trait: the traits.
        forbidden: those that they must not have.
        what: the tests do with the value. It is put before the noun.
    """
    for each in Trait:
        if each & trait & forbidden:
            raise NotOnTheList(f"{what} {NOUNS[each]}")
    return trait


def operator_traits(operands: Trait) -> Trait:
    """Return the traits of what an operator makes."""
    without(operands, MADE | OWN | ITERATOR, "use an operator on")
    return operands | COMPUTED if operands & RESULT else operands


def part_traits(trait: Trait) -> Trait:
    """Return the traits of an item or an attribute of a value."""
    without(trait, COMPUTED, "use a part of")
    return RESULT if trait & REMOTE else trait


def call_value(called: Trait, arguments: Trait) -> Trait:
    """Return the traits of what a value returns that is called."""
    if called & REMOTE:
        without(arguments, STAYS, "give the candidate")
    return called | (RESULT if called & REMOTE else arguments)


def is_public_attribute(node: ast.expr | None = None) -> bool:
    """Return whether an expression is the name of an attribute that tests may use of a result."""
    name = node.value if isinstance(node, ast.Constant) else None
    return isinstance(name, str) and name[:1] != "_" and name not in JUDGING


def last_name(node: ast.expr) -> str:
    """Return a name, or the last part of a dotted one; "" for another expression."""
    return getattr(node, "id", "") or getattr(node, "attr", "")


def parameters_of(arguments: ast.arguments) -> list[str]:
    """Return the names of a function's parameters, but for "self"."""
    own = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return [each.arg for each in own if each is not None and each.arg != "self"]
