"""The values that a failed assert of the tests compared: kept while it runs, and shown without running any code."""

import ast
import linecache
import re
import sys
from collections import Counter, OrderedDict, defaultdict, deque
from itertools import islice

# No program can write a name that begins so. After it: line and column of what has the value.
MARK = "@"
# Code that looks at all names must not find these.
SEES_NAMES = re.compile(r"\b(?:globals|locals|vars|dir|eval|exec|currentframe|_getframe)\b")
MOST_CHARS, MOST_SHOWN_CHARS, MOST_VALUE_CHARS, MOST_ITEMS, MOST_DEPTH, MOST_BITS = 1 << 17, 300, 120, 40, 4, 1024
BLOCKS, STATEMENTS = ("body", "orelse", "finalbody", "handlers", "cases"), ("body", "orelse", "finalbody")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LITERALS = (ast.List, ast.Tuple, ast.Set)
WITHOUT_VALUE = (ast.NamedExpr, ast.Starred, ast.GeneratorExp, ast.Lambda, ast.Yield, ast.YieldFrom, ast.JoinedStr)
OPERATORS = {
    **{ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="},
    **{ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in"},
}
# What follows is looked up by identity: a candidate's metaclass can say that it is equal to anything.
PLAIN = (type(None), bool, float, complex, range)
TEXTS = (str, bytes, bytearray)
BRACKETS = ((list, "[]"), (tuple, "()"), (set, "{}"), (frozenset, ("frozenset({", "})")), (deque, ("deque([", "])")))
DICTS = (dict, OrderedDict, Counter, defaultdict)
LIBRARY_DATA = (("datetime", "date datetime time timedelta"), ("decimal", "Decimal"), ("fractions", "Fraction"))


def compile_tests(source, file):
    """The code of tests, whose asserts keep values for `values_of`, and do otherwise as they stand.

    Args:
        source: of the tests.
        file: their name in tracebacks.

    Raises:
        SyntaxError, ValueError: as `compile` does.
    """
    if "assert" in source and len(source) <= MOST_CHARS and not SEES_NAMES.search(source):
        try:
            return compile(keeping(ast.parse(source, file)), file, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            # What is wrong, if anything is, is said of the text.
            pass
    return compile(source, file, "exec", dont_inherit=True)


def keeping(tree):
    """Changes the asserts of a tree, but for those in the body of a class, and returns it."""
    pending = [tree]
    while pending:
        node = pending.pop()
        is_class = isinstance(node, ast.ClassDef)
        for field in BLOCKS:
            block = getattr(node, field, None)
            if type(block) is not list:
                continue
            pending += [each for each in block if isinstance(each, FUNCTIONS)] if is_class else block
            if field in STATEMENTS and not is_class and ast.Assert in map(type, block):
                block[:] = [new for each in block for new in (kept(each) if type(each) is ast.Assert else (each,))]
    return tree


def kept(node):
    """An assert that keeps its values in names, which it leaves only if it fails; as statements."""
    names = []
    node.test = condition(node.test, names)
    if not names:
        return [node]
    line, column = node.lineno, node.col_offset
    place = {"lineno": line, "col_offset": column, "end_lineno": line, "end_col_offset": column}
    stored, deleted = ([ast.Name(name, how, **place) for name in names] for how in (ast.Store(), ast.Del()))
    # Not all of them need have been reached.
    return [node, ast.Assign(stored, ast.Constant(None, **place), **place), ast.Delete(deleted, **place)]


def condition(node, names):
    """A condition that keeps the values of what decides it, in the same order and as often; adds to `names`."""
    if isinstance(node, ast.BoolOp):
        node.values = [condition(each, names) for each in node.values]
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node.operand = condition(node.operand, names)
    elif isinstance(node, ast.Compare):
        node.left = operand(node.left, names)
        node.comparators = [operand(each, names) for each in node.comparators]
    elif isinstance(node, ast.Call):
        node.args = [operand(each, names) for each in node.args]
        return operand(node, names, "call ")
    else:
        return operand(node, names)
    return node


def operand(node, names, kind=""):
    """An expression that keeps its value, unless it is plain without."""
    if is_literal(node) or isinstance(node, WITHOUT_VALUE):
        return node
    names.append(name_of(node, kind))
    place = {"lineno": node.lineno, "col_offset": node.col_offset}
    place.update(end_lineno=node.end_lineno, end_col_offset=node.end_col_offset)
    return ast.NamedExpr(ast.Name(names[-1], ast.Store(), **place), node, **place)


def is_literal(node):
    """Whether an expression is its value."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    return isinstance(node, ast.Constant) or (isinstance(node, LITERALS) and all(map(is_literal, node.elts)))


def name_of(node, kind=""):
    """The name that keeps an expression's value."""
    return "%s%s%d:%d" % (MARK, kind, node.lineno, node.col_offset)


def values_of(error, file):
    """What stood on both sides where an assert of the tests failed, as "6 == 5"; "" if that is unknown.

    Args:
        error: what ended the tests.
        file: their name in tracebacks, under which `linecache` has their source.
    """
    if type(error) is not AssertionError or error.__traceback__ is None:
        return ""
    last = error.__traceback__
    while last.tb_next is not None:
        last = last.tb_next
    if last.tb_frame.f_code.co_filename != file:
        return ""
    kept_names = [name for name in list(last.tb_frame.f_locals) if type(name) is str and name[:1] == MARK]
    if not kept_names:
        return ""
    values = {name: last.tb_frame.f_locals[name] for name in kept_names}
    source = "".join(linecache.getlines(file))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Assert) and node.lineno <= last.tb_lineno <= node.end_lineno:
            written, found = ast.get_source_segment(source, node.test), Shown(source, values).condition(node.test)
            if found and found != " ".join(written.split()):
                return cut(found, MOST_SHOWN_CHARS)
    return ""


class Shown:
    """A condition with the values that it had."""

    def __init__(self, source, values):
        self.source, self.values = source, values

    def condition(self, node):
        """The part of it that decided, as text; "" if its text says it all."""
        if isinstance(node, ast.BoolOp):
            if isinstance(node.op, ast.Or):
                return " or ".join(self.condition(each) or self.text(each) for each in node.values)
            reached = [each for each in node.values if self.was_reached(each)]
            return self.condition(reached[-1]) if reached else ""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            found = self.condition(node.operand)
            return "not " + found if found else ""
        if isinstance(node, ast.Compare):
            operators = [" %s " % OPERATORS[type(each)] for each in node.ops]
            pairs = zip(operators, map(self.operand, node.comparators))
            return self.operand(node.left) + "".join(map("".join, pairs))
        value = self.values.get(name_of(node, "call "), self)
        if isinstance(node, ast.Call) and (value is True or value is False or value is self):
            if any(name_of(each) in self.values for each in node.args) and not node.keywords:
                arguments = ", ".join(map(self.operand, node.args))
                return "%s(%s)" % (self.text(node.func), arguments)
            return ""
        value = self.values.get(name_of(node), value)
        return "" if value is True or value is False or value is self else cut(shown(value))

    def was_reached(self, node):
        """Whether a part of it was evaluated, as far as values tell."""
        return any(
            name_of(each, kind) in self.values
            for each in ast.walk(node)
            if isinstance(each, ast.expr)
            for kind in ("", "call ")
        )

    def operand(self, node):
        """The value of an operand, or its text."""
        value = self.values.get(name_of(node), self)
        return self.text(node) if value is self or callable(value) else cut(shown(value))

    def text(self, node):
        """As it is written."""
        return cut(" ".join((ast.get_source_segment(self.source, node) or "?").split()))


def cut(text, most=MOST_VALUE_CHARS):
    """The beginning of a text."""
    return text if len(text) <= most else text[: most - 3] + "..."


def shown(value, depth=0):
    """A value as text. Runs no code of a program's: of what is not plain data only the class is told."""
    kind = type(value)
    if kind is int:
        return repr(value) if value.bit_length() <= MOST_BITS else "<int of %d bits>" % value.bit_length()
    if is_one_of(kind, PLAIN):
        return repr(value)
    if is_one_of(kind, TEXTS):
        return repr(value[:MOST_VALUE_CHARS]) + ("" if len(value) <= MOST_VALUE_CHARS else "...")
    for each, (begin, end) in BRACKETS:
        if kind is each and (value or each is not set):
            items = items_of(value, value, lambda item: shown(item, depth + 1), depth)
            return begin + items + ("," if kind is tuple and len(value) == 1 else "") + end
    if kind is set:
        return "set()"
    if is_one_of(kind, DICTS):
        pairs = items_of(value, value.items(), lambda pair: ": ".join(shown(each, depth + 1) for each in pair), depth)
        return "{%s}" % pairs if kind is dict else "%s({%s})" % (kind.__name__, pairs)
    for module, names in LIBRARY_DATA:
        found = sys.modules.get(module)
        if found and is_one_of(kind, [getattr(found, name, None) for name in names.split()]):
            return repr(value)
    numpy = sys.modules.get("numpy")
    if numpy and (kind is numpy.ndarray and not value.dtype.hasobject or is_one_of(kind, numpy.sctypeDict.values())):
        return " ".join(repr(value).split())
    return "<%s object>" % type.__dict__["__name__"].__get__(kind)


def is_one_of(kind, kinds):
    """Whether a class is one of these."""
    return any(kind is each for each in kinds)


def items_of(container, items, show, depth):
    """The items of a container, as far as they are shown."""
    if depth >= MOST_DEPTH:
        return "..." if container else ""
    more = ["..."] if len(container) > MOST_ITEMS else []
    return ", ".join([*map(show, islice(items, MOST_ITEMS)), *more])
