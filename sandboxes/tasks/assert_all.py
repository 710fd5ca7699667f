"""Tests rewritten so that every assert runs, also after one that failed. Each assert's result is recorded."""

from __future__ import annotations

import ast
import functools

from sandboxes.imports import parse_source, parse_tree
from sandboxes.tasks.assert_statements import is_test, short_name, statement_name, test_bodies

# Comes before the rewritten tests.
EACH = """
class code_eval_each:
    record = []

    def __init__(self, name):
        self.name, self.began = name, __import__("time").monotonic()

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is not None and not issubclass(kind, Exception):
            return False
        message = "" if kind is None else (kind.__name__ + ": " + (str(error) or self.name))[:300]
        seconds = __import__("time").monotonic() - self.began
        self.record.append([self.name, "passed" if kind is None else "failed", message, seconds])
        return True


code_eval_tests = code_eval_each.record

"""
EACH_END = """

for code_eval_test in code_eval_tests:
    if code_eval_test[1] != "passed":
        raise AssertionError(code_eval_test[2].partition(": ")[2])
"""


@functools.lru_cache(maxsize=256)
def with_all_asserts_run(tests: str) -> str:
    """Return tests that go on after an assert that fails, and raise the first failure at their end."""
    tree = parse_source(tests)
    first = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    for body in test_bodies(tree):
        body[:] = [record_test(node) if is_test(node) else node for node in body]
    rest = ast.Module([node for node in tree.body if node not in first], [])
    head = "".join(ast.unparse(node) + "\n" for node in first)
    return head + EACH + ast.unparse(ast.fix_missing_locations(rest)) + EACH_END


def record_test(node: ast.stmt) -> ast.stmt:
    """Return a `with` block that runs a single test and records its result."""
    block = parse_tree(f"with code_eval_each({statement_name(node)!r}):\n    pass").body[0]
    assert isinstance(block, ast.With)  # noqa: S101 (for the type checker)
    block.body = [node]
    show_operands_in_block(block)
    return block


def show_operands_in_block(node: ast.stmt | ast.ExceptHandler | ast.match_case) -> None:
    """Rewrite the asserts in a block so that their messages have the values of both sides."""
    for field in ("body", "orelse", "finalbody", "handlers", "cases"):
        block = getattr(node, field, [])
        for statement in block:
            show_operands_in_block(statement)
        if field in ("body", "orelse", "finalbody"):
            rewritten = [show_operands(part) if isinstance(part, ast.Assert) else [part] for part in block]
            block[:] = [statement for statements in rewritten for statement in statements]


def show_operands(node: ast.Assert) -> list[ast.stmt]:
    """Return the statements for an assert whose message has the values of both sides of its comparison."""
    test = node.test
    if not isinstance(test, ast.Compare) or len(test.ops) > 1:
        return [node]
    both = ast.unparse(ast.Compare(ast.Name("left"), test.ops, [ast.Name("right")]))
    operator = both[len("left") : -len("right")]
    lines = ["code_eval_left = LEFT", "code_eval_right = RIGHT"]
    condition = short_name(ast.unparse(test)) if node.msg is None else ""
    values = f"'%s, where it is %.80r{operator}%.80r' % (MESSAGE, code_eval_left, code_eval_right)"
    lines.append(f"assert code_eval_left{operator}code_eval_right, {values}")
    parts = {"LEFT": test.left, "RIGHT": test.comparators[0], "MESSAGE": node.msg or ast.Constant(condition)}
    tree = NameSubstituter(parts).visit(parse_tree("\n".join(lines)))
    return list(ast.fix_missing_locations(tree).body)


class NameSubstituter(ast.NodeTransformer):
    """Replaces names by expressions."""

    def __init__(self, parts: dict[str, ast.expr]):
        """Keep the expressions by name."""
        self.parts = parts

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Return the expression for a name, if there is one."""
        return self.parts.get(node.id, node)
