"""The page for those who come from eval-framework: its names are there."""

import re

import code_tasks.execution
from support.metric_and_command import ROOT

PAGE = (ROOT / "docs" / "coming-from" / "eval_framework.md").read_text(encoding="utf-8")


def test_names_are_exported():
    """Each name that the page says is the same can be imported from `code_tasks.execution`."""
    [_, classes, _, functions, *_] = [
        line for line in PAGE.partition("## The imports")[2].splitlines() if line.startswith("| `")
    ]
    names = set(re.findall(r"`(\w+)`", classes + functions))
    assert len(names) >= 16 and names <= set(code_tasks.execution.__all__)


def test_nineteen_features():
    """The page has a row for each of eval-framework's 19 features."""
    assert [int(number) for number in re.findall(r"^\| (\d+) \| \S", PAGE, re.MULTILINE)] == [*range(1, 20)]
