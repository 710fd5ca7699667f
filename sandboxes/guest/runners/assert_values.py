"""Keeps the values that asserts of the tests compare, and shows those of a failed assert without running any code."""

from __future__ import annotations

import ast
import linecache
import re
import sys
import warnings
from collections import Counter, OrderedDict, defaultdict, deque
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any, Callable, Collection, Iterable, Sequence

# No program can write a name that begins with this. After it stand the line and column of the expression.
MARK = "@"
# Code that looks at all names must not find these.
SEES_NAMES = re.compile(r"\b(?:globals|locals|vars|dir|eval|exec|currentframe|_getframe)\b")
MAX_CHARS, MAX_SHOWN_CHARS, MAX_VALUE_CHARS, MAX_ITEMS, MAX_DEPTH, MAX_BITS = 1 << 17, 300, 120, 40, 4, 1024
BLOCKS, STATEMENTS = ("body", "orelse", "finalbody", "handlers", "cases"), ("body", "orelse", "finalbody")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LITERALS = (ast.List, ast.Tuple, ast.Set)
WITHOUT_VALUE = (ast.NamedExpr, ast.Starred, ast.GeneratorExp, ast.Lambda, ast.Yield, ast.YieldFrom, ast.JoinedStr)
OPERATORS: dict[type[ast.cmpop], str] = {
    **{ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="},
    **{ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"},
}
# Classes are looked up in the following by identity, because a candidate's metaclass can equal anything.
PLAIN: tuple[type, ...] = (type(None), bool, float, complex, range)
TEXTS = (str, bytes, bytearray)
BRACKETS: tuple[tuple[type, Sequence[str]], ...] = (
    (list, "[]"),
    (tuple, "()"),
    (set, "{}"),
    (frozenset, ("frozenset({", "})")),
    (deque, ("deque([", "])")),
)
DICTS = (dict, OrderedDict, Counter, defaultdict)
LIBRARY_DATA = (("datetime", "date datetime time timedelta"), ("decimal", "Decimal"), ("fractions", "Fraction"))


def compile_tests(source: str, file: str) -> CodeType:
    """Return the code of tests, whose asserts keep values for `failed_condition` and otherwise do what is written.

    Args:
        source: of the tests.
        file: their name in tracebacks.

    Raises:
        SyntaxError, ValueError: as `compile` does.
    """
    if "assert" in source and len(source) <= MAX_CHARS and not SEES_NAMES.search(source):
        try:
            return compile(instrument(ast.parse(source, file)), file, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            # If the source is invalid, the error is to be that of the plain text.
            pass
    return compile(source, file, "exec", dont_inherit=True)


def instrument(tree: ast.Module) -> ast.Module:
    """Change the asserts of a tree so that they keep values, and return it. Asserts in a class's body stay."""
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
                    for new in (instrument_assert(statement) if type(statement) is ast.Assert else (statement,))
                ]
    return tree


def instrument_assert(node: ast.Assert) -> list[ast.stmt]:
    """Return an assert that keeps its values in names, which remain only if it fails; as statements."""
    names: list[str] = []
    node.test = instrument_condition(node.test, names)
    if not names:
        return [node]
    line, column = node.lineno, node.col_offset
    location: dict[str, Any] = {"lineno": line, "col_offset": column, "end_lineno": line, "end_col_offset": column}
    stored: list[ast.expr] = [ast.Name(name, ast.Store(), **location) for name in names]
    deleted: list[ast.expr] = [ast.Name(name, ast.Del(), **location) for name in names]
    # Assigned before they are deleted, because some of them may not have been reached.
    return [node, ast.Assign(stored, ast.Constant(None, **location), **location), ast.Delete(deleted, **location)]


def instrument_condition(node: ast.expr, names: list[str]) -> ast.expr:
    """Return a condition that keeps the values that decide it, evaluated in the same order and as often.

    Args:
        node: the condition.
        names: a list that gets the names of the values.
    """
    if isinstance(node, ast.BoolOp):
        node.values = [instrument_condition(part, names) for part in node.values]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node.operand = instrument_condition(node.operand, names)
    elif isinstance(node, ast.Compare):
        node.left = instrument_operand(node.left, names)
        node.comparators = [instrument_operand(part, names) for part in node.comparators]
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


def truncate(text: str, max_chars: int = MAX_VALUE_CHARS) -> str:
    """Return the beginning of a text."""
    return text if len(text) <= max_chars else text[: max_chars - 3] + "..."


def format_value(value: Any, depth: int = 0) -> str:
    """Return a value as text. Run no code of a program's: an object that is not plain data shows only its class."""
    kind = type(value)
    if kind is int:
        return repr(value) if value.bit_length() <= MAX_BITS else "<int of %d bits>" % value.bit_length()
    if is_one_of(kind, PLAIN):
        return repr(value)
    if is_one_of(kind, TEXTS):
        return repr(value[:MAX_VALUE_CHARS]) + ("" if len(value) <= MAX_VALUE_CHARS else "...")
    for bracketed, (begin, end) in BRACKETS:
        if kind is bracketed and (value or bracketed is not set):
            items = format_items(value, value, lambda item: format_value(item, depth + 1), depth)
            return begin + items + ("," if kind is tuple and len(value) == 1 else "") + end
    if kind is set:
        return "set()"
    if is_one_of(kind, DICTS):
        pairs = format_items(value, value.items(), lambda pair: format_pair(pair, depth + 1), depth)
        return "{%s}" % pairs if kind is dict else "%s({%s})" % (kind.__name__, pairs)
    for module, names in LIBRARY_DATA:
        library = sys.modules.get(module)
        if library and is_one_of(kind, [getattr(library, name, None) for name in names.split()]):
            return repr(value)
    numpy = sys.modules.get("numpy")
    if numpy and (kind is numpy.ndarray and not value.dtype.hasobject or is_one_of(kind, numpy.sctypeDict.values())):
        return " ".join(repr(value).split())
    return "<%s object>" % type.__dict__["__name__"].__get__(kind)


def format_pair(pair: Iterable[Any], depth: int) -> str:
    """Return a key and a value of a dict as text."""
    return ": ".join(format_value(part, depth) for part in pair)


def is_one_of(kind: type, kinds: Iterable[Any]) -> bool:
    """Tell whether a class is one of these."""
    return any(kind is other for other in kinds)


def format_items(container: Collection[Any], items: Iterable[Any], show: Callable[[Any], str], depth: int) -> str:
    """Return the first items of a container as text.

    Args:
        container: whose length counts.
        items: its items, or pairs.
        show: returns the text for an item.
        depth: of the container.
    """
    if depth >= MAX_DEPTH:
        return "..." if container else ""
    more = ["..."] if len(container) > MAX_ITEMS else []
    return ", ".join([*map(show, islice(items, MAX_ITEMS)), *more])
