"""The page about sessions is true: its examples run."""

from repository.test_repository import run_blocks
from support.metric_and_command import ROOT


def test_the_examples_of_the_page_run():
    """Each example of docs/sessions.md runs, after the ones before it."""
    assert run_blocks((ROOT / "docs" / "sessions.md").read_text(encoding="utf-8"), "sessions.md") == 3
