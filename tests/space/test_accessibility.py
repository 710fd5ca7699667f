"""The Space's tabs for people who use a keyboard or a screen reader, or who see few colours."""

import re

import pytest

from support.accessibility import violations
from support.browser import CURVE_POINTS, expect
from support.metric_and_command import ROOT

pytestmark = pytest.mark.slow

SECTIONS = sum((ROOT / name).read_text(encoding="utf-8").count("\n## ") for name in ("README.md", "SECURITY.md"))


def try_it(visitor):
    """Run the example, and open the result of a candidate."""
    visitor.button("Run").click()
    expect(visitor.page.locator(CURVE_POINTS)).to_have_count(5)
    visitor.results.nth(1).locator("summary").click()


def score_a_file(visitor):
    """Score the example, and open a sample."""
    visitor.open_tab("Score a file")
    visitor.button("Take the example: 63 samples of 12 problems").click()
    expect(visitor.page.get_by_role("row").filter(has_text="samples")).to_be_visible()
    visitor.button("Score").click()
    expect(visitor.page.locator(CURVE_POINTS)).to_have_count(5)
    visitor.open_sample("timed out")


def about(visitor):
    """Open all sections of the documents, and the layers of a sandbox."""
    visitor.open_tab("About")
    sections = visitor.page.locator(".label-wrap:visible")
    expect(sections).to_have_count(SECTIONS)
    for section in sections.all():
        section.click()
    expect(visitor.page.locator(".label-wrap.open:visible")).to_have_count(SECTIONS)
    visitor.page.locator(".ce-sandbox:visible summary").first.click()


@pytest.mark.parametrize("prepare", [try_it, score_a_file, about])
def test_no_serious_violation(visit, prepare):
    """axe-core finds nothing serious in a tab with results, light or dark."""
    visitor = visit(color_scheme="light")
    prepare(visitor)
    for scheme in ("light", "dark"):
        visitor.page.emulate_media(color_scheme=scheme)
        expect(visitor.page.locator("body")).to_have_class(re.compile("dark") if scheme == "dark" else "")
        visitor.settle()
        assert violations(visitor.page) == [], scheme
