"""Match statements as the tests and assignments that they stand for."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from RestrictedPython.transformer import copy_locations

from sandboxes.restricted import names

if TYPE_CHECKING:
    from sandboxes.restricted.policy import ModelCodePolicy


class Lowering:
    """Turns one match statement into `if` statements over `_match_`, which gets each pattern as nested tuples."""

    def __init__(self, policy: ModelCodePolicy):
        """Takes the policy that checks names and visits expressions."""
        self.policy = policy
        self.captured: list[str] = []

    def statements(self, node: ast.Match) -> list[ast.stmt]:
        """What stands for the whole statement."""
        held = self.policy.gen_tmp_name()
        begin = ast.Assign([ast.Name(held, ast.Store())], self.policy.visit(node.subject))
        copy_locations(begin, node)
        first: list[ast.stmt] = []
        rest = first
        for case in node.cases:
            test = self.test(case, held)
            body = [new for statement in case.body for new in self._visited(statement)]
            branch = ast.If(test, body, [])
            ast.copy_location(branch, case.pattern)
            copy_locations(branch.test, case.pattern)
            rest.append(branch)
            rest = branch.orelse
        return [begin, *first]

    def _visited(self, statement: ast.stmt) -> list[ast.stmt]:
        new = self.policy.visit(statement)
        if new is None:
            return []
        return new if isinstance(new, list) else [new]

    def test(self, case: ast.match_case, held: str) -> ast.expr:
        """Whether a case applies, which also binds its names."""
        self.captured = []
        pattern = self.pattern(case.pattern)
        found = self.policy.gen_tmp_name()
        match = ast.Call(ast.Name("_match_", ast.Load()), [ast.Name(held, ast.Load()), pattern], [])
        kept = ast.NamedExpr(ast.Name(found, ast.Store()), match)
        conditions: list[ast.expr] = [ast.Compare(kept, [ast.IsNot()], [ast.Constant(None)])]
        bound: list[ast.expr] = [
            ast.NamedExpr(
                ast.Name(name, ast.Store()), ast.Subscript(ast.Name(found, ast.Load()), ast.Constant(name), ast.Load())
            )
            for name in dict.fromkeys(self.captured)
        ]
        if bound:
            # A tuple with something in it is true.
            conditions.append(ast.Tuple(bound, ast.Load()))
        if case.guard is not None:
            conditions.append(self.policy.visit(case.guard))
        return conditions[0] if len(conditions) == 1 else ast.BoolOp(ast.And(), conditions)

    def capture(self, node: Any, name: str | None) -> ast.Constant:
        """The name that something is bound to, checked; None if it is bound to none."""
        if name is not None:
            self.policy.check_name(node, name)
            self.captured.append(name)
        return ast.Constant(name)

    def pattern(self, node: ast.pattern) -> ast.expr:
        """A pattern as nested tuples: a kind, and what `matching` wants for it."""
        build = getattr(self, "of_" + type(node).__name__, None)
        if build is None:
            self.policy.not_allowed(node)
            return ast.Constant(None)
        new = ast.Tuple([ast.Constant(type(node).__name__), *build(node)], ast.Load())
        copy_locations(new, node)
        return new

    def _all(self, patterns: list[ast.pattern]) -> ast.expr:
        return ast.Tuple([self.pattern(each) for each in patterns], ast.Load())

    def of_MatchValue(self, node: ast.MatchValue) -> list[ast.expr]:
        """The value."""
        return [self.policy.visit(node.value)]

    def of_MatchSingleton(self, node: ast.MatchSingleton) -> list[ast.expr]:
        """None, True or False."""
        return [ast.Constant(node.value)]

    def of_MatchSequence(self, node: ast.MatchSequence) -> list[ast.expr]:
        """The patterns of the items, one of which may be a star."""
        return [self._all(node.patterns)]

    def of_MatchStar(self, node: ast.MatchStar) -> list[ast.expr]:
        """The name."""
        return [self.capture(node, node.name)]

    def of_MatchMapping(self, node: ast.MatchMapping) -> list[ast.expr]:
        """The keys, the patterns of their values, and the name of the rest."""
        keys = ast.Tuple([self.policy.visit(key) for key in node.keys], ast.Load())
        return [keys, self._all(node.patterns), self.capture(node, node.rest)]

    def of_MatchClass(self, node: ast.MatchClass) -> list[ast.expr]:
        """The class, the patterns by place, the attributes, and their patterns."""
        for name in node.kwd_attrs:
            if not self.policy.check_attribute(node, name) and names.is_refused_attribute(name):
                self.policy.error(node, f'"{name}" is an invalid attribute name in a pattern.')
        attributes = ast.Tuple([ast.Constant(name) for name in node.kwd_attrs], ast.Load())
        return [self.policy.visit(node.cls), self._all(node.patterns), attributes, self._all(node.kwd_patterns)]

    def of_MatchAs(self, node: ast.MatchAs) -> list[ast.expr]:
        """The pattern within, if there is one, and the name, if there is one."""
        within = ast.Constant(None) if node.pattern is None else self.pattern(node.pattern)
        return [within, self.capture(node, node.name)]

    def of_MatchOr(self, node: ast.MatchOr) -> list[ast.expr]:
        """The alternatives."""
        return [self._all(node.patterns)]
