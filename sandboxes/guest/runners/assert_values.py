"""Keeps the values that asserts of the tests compare, and shows those of a failed assert without running any code."""

from __future__ import annotations

import ast
import linecache
import re
import warnings

from .guarded_comparisons import SIGNS, guarded
from .value_text import format_value, truncate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any, Collection

# No program can write a name that begins with this. After it stand the line and column of the expression.
MARK = "@"
# Code that looks at all names must not find these.
SEES_NAMES = re.compile(r"\b(?:globals|locals|vars|dir|eval|exec|currentframe|_getframe)\b")
MAX_CHARS, MAX_SHOWN_CHARS = 1 << 17, 300
BLOCKS, STATEMENTS = ("body", "orelse", "finalbody", "handlers", "cases"), ("body", "orelse", "finalbody")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LITERALS = (ast.List, ast.Tuple, ast.Set)
WITHOUT_VALUE = (ast.NamedExpr, ast.Starred, ast.GeneratorExp, ast.Lambda, ast.Yield, ast.YieldFrom, ast.JoinedStr)
OPERATORS = {**SIGNS, ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"}


def compile_tests(source: str, file: str, are_guarded: bool = False) -> CodeType:
    """Return the code of tests, whose asserts keep values for `failed_condition` and otherwise do what is written.

    Args:
        source: of the tests.
        file: their name in tracebacks.
        are_guarded: whether their asserts compare as `guarded_comparisons` describes it.

    Raises:
        SyntaxError, ValueError: as `compile` does.
    """
    if "assert" in source and len(source) <= MAX_CHARS and not SEES_NAMES.search(source):
        try:
            return compile(instrument(ast.parse(source, file), are_guarded), file, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            # If the source is invalid, the error is to be that of the plain text.
            pass
    return compile(source, file, "exec", dont_inherit=True)


def instrument(tree: ast.Module, are_guarded: bool = False) -> ast.Module:
    """Change the asserts of a tree so that they keep values, and return it. Asserts in a class's body stay.

    Args:
        tree: of the tests.
        are_guarded: as `compile_tests` takes it.
    """
    classes = tuple(sorted({node.id for node in ast.walk(tree) if isinstance(node, ast.Name)})) if are_guarded else None
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        is_class = isinstance(node, ast.ClassDef)
        for field in BLOCKS:
            block = getattr(node, field, None)
            if type(block) is not list:
                continue
            pending += [statement for statement in block if isinstance(statement, FUNCTIONS)] if is_class else block
            if field in STATEMENTS and not is_class and ast.Assert in map(type, block):
                block[:] = [
                    new
                    for statement in block
                    for new in (
                        instrument_assert(statement, classes) if type(statement) is ast.Assert else (statement,)
                    )
                ]
    return tree


def instrument_assert(node: ast.Assert, classes: tuple[str, ...] | None = None) -> list[ast.stmt]:
    """Return an assert that keeps its values in names, which remain only if it fails; as statements.

    Args:
        node: the assert.
        classes: for `guarded`; None if comparisons stay as they are.
    """
    names: list[str] = []
    node.test = instrument_condition(node.test, names, classes)
    if not names:
        return [node]
    line, column = node.lineno, node.col_offset
    location: dict[str, Any] = {"lineno": line, "col_offset": column, "end_lineno": line, "end_col_offset": column}
    stored: list[ast.expr] = [ast.Name(name, ast.Store(), **location) for name in names]
    deleted: list[ast.expr] = [ast.Name(name, ast.Del(), **location) for name in names]
    # Assigned before they are deleted, because some of them may not have been reached.
    return [node, ast.Assign(stored, ast.Constant(None, **location), **location), ast.Delete(deleted, **location)]


def instrument_condition(node: ast.expr, names: list[str], classes: tuple[str, ...] | None) -> ast.expr:
    """Return a condition that keeps the values that decide it, evaluated in the same order and as often.

    Args:
        node: the condition.
        names: a list that gets the names of the values.
        classes: as in `instrument_assert`.
    """
    if isinstance(node, ast.BoolOp):
        node.values = [instrument_condition(part, names, classes) for part in node.values]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node.operand = instrument_condition(node.operand, names, classes)
    elif isinstance(node, ast.Compare):
        node.left = instrument_operand(node.left, names)
        node.comparators = [instrument_operand(part, names) for part in node.comparators]
        if classes is not None:
            return guarded(node, classes)
    elif isinstance(node, ast.Call):
        node.args = [instrument_operand(part, names) for part in node.args]
        return instrument_operand(node, names, "call ")
    else:
        return instrument_operand(node, names)
    return node


def instrument_operand(node: ast.expr, names: list[str], kind: str = "") -> ast.expr:
    """Return an expression that keeps its value, unless its text is the value. Add the value's name to `names`."""
    if is_literal(node) or isinstance(node, WITHOUT_VALUE):
        return node
    names.append(variable_name(node, kind))
    location: dict[str, Any] = {"lineno": node.lineno, "col_offset": node.col_offset}
    location.update(end_lineno=node.end_lineno, end_col_offset=node.end_col_offset)
    return ast.NamedExpr(ast.Name(names[-1], ast.Store(), **location), node, **location)


def is_literal(node: ast.expr) -> bool:
    """Tell whether the text of an expression is its value."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) or (isinstance(node, LITERALS) and all(map(is_literal, node.elts)))


def variable_name(node: ast.expr, kind: str = "") -> str:
    """Return the name that keeps an expression's value."""
    return "%s%s%d:%d" % (MARK, kind, node.lineno, node.col_offset)


def failed_condition(error: BaseException, files: Collection[str]) -> tuple[str, str]:
    """Return the condition of an assert that failed, as it is written and with its values, each in one line.

    Args:
        error: the exception that ended the program.
        files: names in tracebacks, under which `linecache` has the sources.

    Returns:
        ("add(2, 3) == 5", "6 == 5"). The second is "" if the values are unknown or say nothing more. Both are "" if it
        was no assert of these files.
    """
    if type(error) is not AssertionError or error.__traceback__ is None:
        return "", ""
    last = error.__traceback__
    while last.tb_next is not None:
        last = last.tb_next
    file, names = last.tb_frame.f_code.co_filename, last.tb_frame.f_locals
    source = "".join(linecache.getlines(file)) if file in files else ""
    values = {name: names[name] for name in list(names) if type(name) is str and name[:1] == MARK}
    written = ""
    for node in ast.walk(parse_quietly(source)) if len(source) <= MAX_CHARS else ():
        if isinstance(node, ast.Assert) and node.lineno <= last.tb_lineno <= (node.end_lineno or 0):
            written = " ".join((ast.get_source_segment(source, node.test) or "").split())
            text = ConditionFormatter(source, values).condition(node.test) if values else ""
            if text and text != written:
                return written, truncate(text, MAX_SHOWN_CHARS)
    return written, ""


def parse_quietly(source: str) -> ast.Module:
    """Return the tree of a source that was compiled before, without the warnings that compiling it gave."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


class ConditionFormatter:
    """A condition with the values that it had."""

    def __init__(self, source: str, values: dict[str, Any]) -> None:
        """Take the source of the tests, and the values by their names."""
        self.source, self.values = source, values

    def condition(self, node: ast.expr) -> str:
        """Return the part of a condition that decided, as text; "" if the condition's own text says it all."""
        if isinstance(node, ast.BoolOp):
            if isinstance(node.op, ast.Or):
                return " or ".join(self.condition(part) or self.text(part) for part in node.values)
            reached = [part for part in node.values if self.was_reached(part)]
            return self.condition(reached[-1]) if reached else ""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            negated = self.condition(node.operand)
            return "not " + negated if negated else ""
        if isinstance(node, ast.Compare):
            operators = [" %s " % OPERATORS[type(comparison)] for comparison in node.ops]
            pairs = zip(operators, map(self.operand, node.comparators))
            return self.operand(node.left) + "".join(map("".join, pairs))
        value = self.values.get(variable_name(node, "call "), self)
        if isinstance(node, ast.Call) and (value is True or value is False or value is self):
            if any(variable_name(part) in self.values for part in node.args) and not node.keywords:
                arguments = ", ".join(map(self.operand, node.args))
                return "%s(%s)" % (self.text(node.func), arguments)
            return ""
        value = self.values.get(variable_name(node), value)
        return "" if value is True or value is False or value is self else truncate(format_value(value))

    def was_reached(self, node: ast.expr) -> bool:
        """Tell whether a part of a condition was evaluated, as far as values tell."""
        return any(
            variable_name(part, kind) in self.values
            for part in ast.walk(node)
            if isinstance(part, ast.expr)
            for kind in ("", "call ")
        )

    def operand(self, node: ast.expr) -> str:
        """Return the value of an operand, or its text."""
        value = self.values.get(variable_name(node), self)
        return self.text(node) if value is self or callable(value) else truncate(format_value(value))

    def text(self, node: ast.expr) -> str:
        """Return an expression as it is written."""
        return truncate(" ".join((ast.get_source_segment(self.source, node) or "?").split()))
