"""Statements of Python in answers: which are code, which are prose, and which would wait for input."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from sandboxes.extraction.names import DEFINITIONS, FUNCTIONS, bound_names, loaded_names, stored_names
from sandboxes.imports import parse_candidate

# What prose between pieces of code hardly begins with.
BEGINS_CODE = re.compile(
    r"@|(?:async\s+)?def\s+\w|class\s+\w+\s*[(:]|import\s+\w|from\s+[\w.]+\s+import\b|if\s|for\s|while\s|with\s|try\s*:"
    r"|[A-Za-z_][\w.]*(?:\[[^\n]*\])?(?:\s*,\s*\w+)*\s*(?::\s*[\w\[\], .|]+)?\s*(?:[-+*/%&|^]|//|\*\*|<<|>>)?=(?!=)"
    r"|[A-Za-z_][\w.]*\("
)
# What no prose begins with.
IS_CODE = re.compile(r"@\w|(?:async\s+)?def\s+\w|class\s+\w+\s*[(:\[]|type\s+\w+(?:\[.*\])?\s*=|print\s+[\"']")
CONTINUES = re.compile(r"[\s)\]}]|(?:else|elif|except|finally)\b|$")
# Texts may be hostile: each end that is tried costs a parse of the lines before it, and of some characters more.
MAX_TRIED_CHARS, PARSE_CHARS, MAX_LINES_JOINED = 1 << 19, 500, 12
STDIN_FILES = (0, "/dev/stdin")
# A program that expects the end of its input, in a `try`, goes on.
CUT = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.While, ast.If, ast.With)


def is_code(text: str) -> bool:
    """Return whether a text is valid Python, and not only prose that happens to be."""
    try:
        tree = parse_candidate(text)
    except ValueError:
        return False
    return not all(map(is_prose, tree.body))


def is_prose(statement: ast.stmt) -> bool:
    """Return whether a statement does nothing, as words that happen to be Python: a name, a number, `Note: this`."""
    if isinstance(statement, ast.AnnAssign):
        return statement.value is None
    if not isinstance(statement, ast.Expr):
        return False
    acting = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
    return not any(isinstance(node, acting) for node in ast.walk(statement))


def lines_of(source: str, node: ast.stmt) -> str:
    """Return the lines of a statement, with its decorators."""
    first, last = line_range(node)
    return "\n".join(source.split("\n")[first - 1 : last])


def line_range(node: ast.stmt) -> tuple[int, int]:
    """Return (the first, the last) line of a statement, with its decorators, from 1."""
    decorators = getattr(node, "decorator_list", [])
    return min(each.lineno for each in (node, *decorators)), node.end_lineno or node.lineno


def code_lines(text: str) -> str:
    """Return the statements that stand between prose, each of which begins at the beginning of a line."""
    lines, number = text.split("\n"), 0
    pieces: list[str] = []
    left = MAX_TRIED_CHARS
    while number < len(lines) and left > 0:
        if not BEGINS_CODE.match(lines[number]):
            if IS_CODE.match(lines[number]):
                return ""
            number += 1
            continue
        end = None
        for each in piece_ends(lines, number):
            piece = "\n".join(lines[number:each])
            left -= len(piece) + PARSE_CHARS
            if left > 0 and is_code(piece):
                end = each
                break
        if end is None and IS_CODE.match(lines[number]):
            # What this Python can't read may be a newer one's, or was cut off.
            return "\n".join(pieces) if is_last_piece(lines, number) else ""
        if end is not None:
            pieces.append("\n".join(lines[number:end]))
        number = end or number + 1
    return "\n".join(pieces)


def is_last_piece(lines: list[str], number: int) -> bool:
    """Return whether no more code begins behind a line."""
    return not any(IS_CODE.match(line) for line in lines[number + 1 :])


def piece_ends(lines: list[str], begin: int) -> Iterator[int]:
    """Yield the lines before which a statement may end: the next that does not continue it, and some behind that."""
    decorates = lines[begin].startswith("@")
    end, ends = begin + 1, 0
    while ends < MAX_LINES_JOINED:
        while end < len(lines) and (decorates or CONTINUES.match(lines[end])):
            decorates = decorates and lines[end].startswith("@")
            end += 1
        yield end
        if end >= len(lines):
            return
        # A text over several lines may be open.
        end, ends = end + 1, ends + 1


def reads_input(node: ast.AST) -> bool:
    """Return whether code asks for input anywhere."""
    return any(map(asks, ast.walk(node)))


def asks(node: ast.AST) -> bool:
    """Return whether a node reads standard input: a call of `input`, a method of `sys.stdin`, a loop over it."""
    if isinstance(node, ast.Call):
        if isinstance(node.func, ast.Name) and node.func.id == "open":
            return bool(node.args) and isinstance(node.args[0], ast.Constant) and node.args[0].value in STDIN_FILES
        if isinstance(node.func, ast.Name):
            return node.func.id in ("input", "raw_input") or any(map(is_stdin, node.args))
        return isinstance(node.func, ast.Attribute) and node.func.attr.startswith("read") and is_stdin(node.func.value)
    return isinstance(node, ast.For | ast.comprehension) and is_stdin(node.iter)


def is_stdin(node: ast.expr) -> bool:
    """Return whether an expression is `sys.stdin`, `stdin`, or the buffer of one."""
    if isinstance(node, ast.Attribute) and node.attr == "buffer":
        node = node.value
    if isinstance(node, ast.Name):
        return node.id == "stdin"
    return isinstance(node, ast.Attribute) and node.attr == "stdin" and ast.unparse(node.value) == "sys"


def without_input(source: str, tree: ast.Module) -> str:
    """Return a program without its top-level statements that wait for input, and without those that need their values.

    Tests that call functions give a program no input: it would end there.

    Args:
        source: of the program.
        tree: of the same.

    Returns:
        The program with blank lines in place of the statements; "" if there are none, or they can't be cut out.
    """
    if is_input_replaced(tree):
        return ""
    asking = asking_functions(tree)
    cut: list[ast.stmt] = []
    unknown: set[str] = set()
    for node in tree.body:
        if not isinstance(node, CUT) or any(isinstance(each, DEFINITIONS) for each in ast.walk(node)):
            continue
        run = list(running_nodes(node))
        is_call = isinstance(node, ast.Expr) and bool(called_names(node) & asking)
        if any(map(asks, run)) or is_call or loaded_names(node) & unknown:
            cut.append(node)
            unknown |= stored_names(node)
    chosen = set(map(id, cut))
    kept = [node for node in tree.body if id(node) not in chosen]
    if (
        not cut
        or all(map(is_main_block, cut))
        or any((loaded_names(node) - bound_names(node)) & unknown for node in kept)
    ):
        return ""
    gone = {number for node in cut for number in line_numbers(node)}
    if any(gone.intersection(line_numbers(node)) for node in kept):
        return ""
    return "\n".join("" if number in gone else line for number, line in enumerate(source.split("\n"), 1))


def running_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement that run with it: all but the bodies of its lambdas."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.Lambda):
            waiting += ast.iter_child_nodes(node)


def is_input_replaced(tree: ast.Module) -> bool:
    """Return whether a program has an `input` or a `sys.stdin` of its own."""
    if "input" in bound_names(tree):
        return True
    attributes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return any(node.attr == "stdin" and not isinstance(node.ctx, ast.Load) for node in attributes)


def asking_functions(tree: ast.Module) -> set[str]:
    """Return the names of a program's functions that ask for input, or call one that does."""
    functions = [node for node in tree.body if isinstance(node, FUNCTIONS)]
    callers: dict[str, list[str]] = {}
    for node in functions:
        for name in called_names(node):
            callers.setdefault(name, []).append(node.name)
    asking: set[str] = set()
    waiting = [node.name for node in functions if reads_input(node)]
    while waiting:
        name = waiting.pop()
        if name not in asking:
            asking.add(name)
            waiting += callers.get(name, ())
    return asking


def called_names(tree: ast.AST) -> set[str]:
    """Return the names that code calls."""
    calls = (node.func for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {function.id for function in calls if isinstance(function, ast.Name)}


def line_numbers(node: ast.stmt) -> range:
    """Return the numbers of a statement's lines, from 1."""
    first, last = line_range(node)
    return range(first, last + 1)


def is_main_block(node: ast.stmt) -> bool:
    """Return whether a statement does nothing when its module is imported: `if __name__ == "__main__"`."""
    return isinstance(node, ast.If) and "__name__" in loaded_names(node.test)


def indented(code: str, indent: str) -> str:
    """Return code with more indentation, but for the lines that begin inside of a string."""
    inside: set[int] = set()
    try:
        tree = parse_candidate(code)
    except ValueError:
        tree = ast.Module([], [])
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)):
            inside.update(range(node.lineno + 1, (node.end_lineno or node.lineno) + 1))
    lines = enumerate(code.split("\n"), 1)
    return "\n".join(indent + line if line.strip() and number not in inside else line for number, line in lines)
