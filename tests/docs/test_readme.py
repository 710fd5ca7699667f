"""README is short, and a metric card."""

import re

import pytest

from code_tasks.benchmarks.registry import BENCHMARKS
from sandboxes.languages.registry import NAMES, VARIANTS
from support.pages import ROOT, blocks_of

README = ROOT / "README.md"


def test_size():
    """README has less than 8,000 bytes."""
    assert README.stat().st_size < 8000


def test_numbers_of_what_it_covers():
    """It has the numbers of languages, without their standards and versions, and of benchmarks."""
    numbers = f"{len(NAMES) - len(VARIANTS)} languages, {len(BENCHMARKS)} [benchmarks]"
    assert numbers in README.read_text(encoding="utf-8")


def test_the_speed_is_that_of_its_table():
    """The factors are the smallest and the largest of its table of speed."""
    text = README.read_text(encoding="utf-8")
    figures = re.findall(r"^\| (?:code_eval's own way|`subprocess`, .*) \| (\d+) \| (\d+) \|$", text, re.MULTILINE)
    own, *ours = [[int(figure) for figure in row] for row in figures]
    factors = sorted(rate / slow for rates in ours for rate, slow in zip(rates, own, strict=True))
    assert f"{factors[0]:.0f} to {factors[-1]:.0f} times as fast as code_eval" in text


@pytest.mark.parametrize(
    ("page", "row"), [("grading.md", "| HumanEval, samples per"), ("sandboxes.md", "| speed, against")]
)
def test_figures_are_those_of_speed(page, row):
    """A page that repeats figures of speed has those of the page that explains them."""
    docs = ROOT / "docs"
    [line] = [line for line in (docs / page).read_text(encoding="utf-8").splitlines() if line.startswith(row)]
    speed = (docs / "speed.md").read_text(encoding="utf-8")
    figures = re.findall(r"[0-9.]+", line)
    assert figures and [figure for figure in figures if not re.search(rf"[ |]{re.escape(figure)}\b", speed)] == []


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
