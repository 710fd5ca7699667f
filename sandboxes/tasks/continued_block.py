"""References that begin with indented lines, which continue the last block of a candidate.

Upstream runs candidate and tests as one text. A completion that ends inside a function can then be continued by its
tests. Here candidate and tests are compiled apart, so that no candidate swallows its tests: only the indented lines at
the beginning become the candidate's, and all lines behind them stay the tests'. Tests among the indented lines count
only if they came to their end, because a candidate chooses the block that they stand in.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass

from sandboxes.contract import Limits, Program
from sandboxes.imports import parse_source
from sandboxes.tasks.assert_statements import is_test, statement_name
from sandboxes.tasks.empty_tests import ASSERT_TRUE_HINT, EMPTY, is_empty, is_literal
from sandboxes.tasks.python_tests import needed_module, with_harness

BEGINS_INDENTED = re.compile(r"(?:[ \t\f]*(?:#[^\n]*)?\r?\n)*+[ \t]+[^\s#]")
MARK = "code_eval_ran_"
"""The beginning of the names that marks assign. The rest is drawn from the program's text, which can't hold it."""

CHECK = """

try:
    NAME
except NameError:
    raise AssertionError(MESSAGE)
"""


@dataclass(frozen=True)
class ContinuedBlock:
    """A reference whose first lines continue the candidate's last block."""

    head: str
    """The indented lines. A mark behind each test assigns a name that begins with MARK."""

    rest: str
    """The tests behind them, on their own lines. May be blank."""

    marked: tuple[str, ...]
    """The texts of the tests in `head`, one for each mark."""

    def program(self, candidate: str, reference: str, limits: Limits, runs_all: bool) -> Program:
        """Return the program of a candidate, graded "shared".

        Args:
            candidate: source that ends inside a block.
            reference: the whole reference.
            limits: of the program.
            runs_all: as for `with_harness`.
        """
        texts = "\0".join((candidate, reference)).encode("utf-8", "surrogatepass")
        mark = MARK + hashlib.sha256(texts).hexdigest()[:32]
        checks = ""
        for number, name in enumerate(self.marked):
            message = f"a test in the tests' indented first lines did not come to its end: {name}"
            checks += CHECK.replace("NAME", f"{mark}_{number}").replace("MESSAGE", ascii(message))
        return Program(
            f"{candidate}\n{self.head.replace(MARK, mark)}",
            (with_harness(self.rest, runs_all) if self.rest.strip() else "") + checks,
            limits,
            reference=reference,
            needed_module=needed_module(self.rest),
        )


@functools.lru_cache(maxsize=256)
def continued_block(reference: str) -> ContinuedBlock | None:
    """Return the parts of a reference that begins with indented lines; None for any other text.

    Raises:
        ValueError: if there is no test in it.
    """
    if not BEGINS_INDENTED.match(reference):
        return None
    lines = reference.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    blocks = block_beginnings(lines)
    try:
        tree = parse_source("\n".join((*blocks, *lines)))
    except ValueError:
        return None
    last = (tree.body[0].end_lineno or 0) - len(blocks)
    rest = "\n" * last + "\n".join(lines[last:])
    rest_is_inert = is_empty(rest, "python")
    tests = [node for node in own_statements(tree.body[0]) if is_test(node) or (rest_is_inert and is_call(node))]
    if rest_is_inert and not tests:
        raise ValueError(EMPTY + ASSERT_TRUE_HINT)
    head = lines[:last]
    # From the last one to the first, so that no line moves before it is used.
    for number, node in reversed(list(enumerate(tests))):
        row = (node.end_lineno or 0) - len(blocks)
        indent = lines[node.lineno - len(blocks) - 1][: node.col_offset]
        if indent.strip():
            # Something stands before it on its line, so that no mark can stand behind it.
            return None
        head.insert(row, f"{indent}global {MARK}_{number}; {MARK}_{number} = True")
    return ContinuedBlock("\n".join(head), rest, tuple(map(statement_name, tests)))


def block_beginnings(lines: list[str]) -> list[str]:
    """Return lines that open a block for each indentation up to the first line's, so that the text can be parsed."""
    indents = [line[: len(line) - len(line.lstrip())] for line in lines if line.strip()]
    first = next(line for line in lines if line.strip() and not line.lstrip().startswith("#"))
    width = len(first) - len(first.lstrip())
    levels = sorted({indent for indent in indents if len(indent) < width} | {""}, key=len)
    return [f"{level}if 1:" for level in levels]


def own_statements(block: ast.stmt) -> Iterator[ast.stmt]:
    """Yield the statements of a block that run whenever the block runs, also those of its `if 1` blocks."""
    for node in block.body if isinstance(block, ast.If | ast.With) else ():
        yield node
        if isinstance(node, ast.If) and isinstance(node.test, ast.Constant):
            yield from own_statements(node)


def is_call(node: ast.stmt) -> bool:
    """Return whether a statement is an expression that does something, such as a call of tests."""
    return isinstance(node, ast.Expr) and not is_literal(node.value)
