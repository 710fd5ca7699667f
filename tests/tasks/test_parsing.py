"""Sources are parsed while other threads parse too."""

import ast

import pytest

from sandboxes.imports import MAX_PARSE_ATTEMPTS, parse_source, parse_tree
from sandboxes.separable_tests import reason_for_shared

PARSE = ast.parse


@pytest.fixture
def errors(monkeypatch):
    """Return a list of the errors that `ast.parse` is to raise, one at each call, before it works."""
    errors = []

    def parse(source, mode="exec"):
        if errors:
            raise errors.pop()
        return PARSE(source, mode=mode)

    monkeypatch.setattr(ast, "parse", parse)
    return errors


def mistaken_depth():
    """Return what Python before 3.11.5 raises for a valid source while another thread parses one."""
    return SystemError("AST constructor recursion depth mismatch (before=147, after=201)")


def test_an_error_of_the_interpreters_own(errors):
    """A source that the interpreter mistakes for another thread's is parsed again."""
    errors += [mistaken_depth(), mistaken_depth()]
    assert ast.unparse(parse_source("x = 1")) == "x = 1"
    assert not errors


def test_an_expression(errors):
    """An expression is parsed again as one."""
    errors.append(mistaken_depth())
    assert isinstance(parse_tree("1 + 1", mode="eval"), ast.Expression)


def test_the_choice_of_a_grading(errors):
    """Which grading tests need does not depend on other threads."""
    errors.append(mistaken_depth())
    assert reason_for_shared("assert parsed(again) == 1") == ""


def test_an_error_that_stays(errors):
    """An error that does not go away is raised."""
    errors += [mistaken_depth() for _ in range(MAX_PARSE_ATTEMPTS)]
    with pytest.raises(SystemError):
        parse_tree("x = 1")


def test_an_invalid_source_is_parsed_once(errors):
    """An error of the source's is raised at once."""
    errors += [mistaken_depth(), SyntaxError("invalid")]
    with pytest.raises(SyntaxError):
        parse_tree("x = 1")
    assert len(errors) == 1
