"""The page on troubleshooting has messages as the code writes them."""

import ast
import re

import pytest

from support.pages import ROOT

PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
# Two backticks and a space are around a message with backticks.
MESSAGES = [double or single for double, single in re.findall(r"^### (?:`` (.*) ``|`(.*)`)$", PAGE, re.MULTILINE)]
GAP = "…"


def template(node):
    """Return a text of the code with a gap for each value in it, or None for another expression."""
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else GAP for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


@pytest.fixture(scope="module")
def templates():
    """Provide every text of the code that is no docstring."""
    found = set()
    for path in [
        ROOT / "code_eval.py",
        *(each for name in ("sandboxes", "code_tasks") for each in (ROOT / name).rglob("*.py")),
    ]:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        found |= {template(node) for node in ast.walk(tree) if id(node) not in docstrings}
    return found - {None}


@pytest.mark.parametrize("message", MESSAGES)
def test_messages_are_those_of_the_code(message, templates):
    """A heading is a text of the code, or the part of one that does not depend on a value."""
    assert [text for text in templates if message in text]


def test_a_changed_message_is_found(templates):
    """A message that the code does not have fails the check."""
    assert not [text for text in templates if MESSAGES[0] + "!" in text]


def test_messages_differ():
    """No message stands on the page twice, and each has an explanation."""
    assert len(MESSAGES) == len(set(MESSAGES)) == PAGE.count("\n### ") > 30
    explanations = [each.strip() for each in re.split(r"^##+ .*$", PAGE, flags=re.MULTILINE)]
    assert len([each for each in explanations if each]) == len(MESSAGES) + 1
