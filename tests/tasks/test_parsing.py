"""Sources are parsed while other threads parse too."""

import ast

from sandboxes.imports import parse_source


def test_an_error_of_the_interpreters_own(monkeypatch):
    """Python before 3.11.5 may fail at a valid source while another thread parses one. It is parsed again."""
    errors = [SystemError("AST constructor recursion depth mismatch (before=147, after=201)")]
    parse = ast.parse
    monkeypatch.setattr(ast, "parse", lambda source: parse(source) if not errors else fail(errors.pop()))
    assert ast.unparse(parse_source("x = 1")) == "x = 1"
    assert not errors


def fail(error):
    """Raise an error."""
    raise error
