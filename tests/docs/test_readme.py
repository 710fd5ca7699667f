"""README is short, and a metric card."""

import re

from support.pages import ROOT, blocks_of

README = ROOT / "README.md"


def test_size():
    """README has less than 8,000 bytes."""
    assert README.stat().st_size < 8000


def test_front_matter():
    """README begins with the front matter of a Space that is a metric."""
    front_matter = README.read_text(encoding="utf-8").split("---\n")[1]
    assert "\nsdk: gradio\n" in front_matter and "- evaluate\n- metric\n" in front_matter


def test_the_two_commands_come_first():
    """The first commands install the package and score the examples, and run the tests."""
    first, second = blocks_of(README.read_text(encoding="utf-8"), "bash")[:2]
    assert first.code.startswith("pip install . && code-eval run examples/samples.jsonl")
    assert second.code == 'pip install -e ".[test]" && pytest\n'


def test_each_page_can_be_reached():
    """README, or a page that it links to, links to each page of docs/."""
    seen, todo = set(), [README]
    while todo:
        page = todo.pop()
        links = re.findall(r"\]\(([^):\s]+\.md)", page.read_text(encoding="utf-8"))
        new = {(page.parent / link).resolve() for link in links} - seen
        seen |= new
        todo += new
    assert set((ROOT / "docs").rglob("*.md")) - seen == set()
