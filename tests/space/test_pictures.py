"""Screenshots of each tab of the Space, in tests/screenshots/, for people to look at."""

import re

import pytest

from support.browser import CURVE_POINTS, NAMELESS, SCREENSHOTS, SIZES, expect
from support.metric_and_command import ROOT

pytestmark = pytest.mark.slow

TABS = ("Try it", "Score a file", "About")


def after_a_run(visitor):
    """Run the example, and open the result of a candidate."""
    visitor.button("Run").click()
    expect(visitor.page.locator(CURVE_POINTS)).to_have_count(5)
    visitor.results.nth(1).locator("summary").click()


def after_scoring(visitor):
    """Score the examples, and select a row."""
    visitor.open_tab("Score a file")
    for name in ("samples.jsonl", "problems.jsonl"):
        visitor.upload(name, name, (ROOT / "examples" / name).read_text(encoding="utf-8"))
    visitor.button("Score").click()
    expect(visitor.button("Download results.jsonl")).to_be_visible()
    expect(visitor.page.locator(CURVE_POINTS)).to_have_count(5)
    visitor.open_sample("timed out")


def with_a_section_open(visitor):
    """Open a section of the metric card, and the layers of a sandbox."""
    visitor.open_tab("About")
    visitor.page.get_by_role("button", name=re.compile("^Which sandbox")).click()
    expect(visitor.page.get_by_text("scores on Linux, with the packages of this Python")).to_be_visible()
    visitor.page.locator(".ce-sandbox:visible summary").first.click()
    expect(visitor.page.locator(".ce-sandbox:visible li").first).to_be_visible()


@pytest.mark.parametrize("size", SIZES)
def test_pictures(visit, size):
    """No tab with results is wider than the window, wide or narrow; a screenshot shows each, light and dark."""
    visitor = visit(viewport=SIZES[size], color_scheme="light")
    for tab, prepare in zip(TABS, (after_a_run, after_scoring, with_a_section_open), strict=True):
        prepare(visitor)
        visitor.settle()
        assert visitor.page.evaluate("document.documentElement.scrollWidth") == SIZES[size]["width"]
        for scheme in ("light", "dark"):
            visitor.page.emulate_media(color_scheme=scheme)
            expect(visitor.page.locator("body")).to_have_class(re.compile("dark") if scheme == "dark" else "")
            name = f"{tab.lower().replace(' ', '-')}-{size}-{scheme}"
            visitor.page.screenshot(path=SCREENSHOTS / f"{name}.png", full_page=True, animations="disabled")


def test_results_are_brought_into_view(visit):
    """On a phone, Run brings the results into view, although they are below everything else."""
    visitor = visit(viewport=SIZES["narrow"])
    visitor.button("Run").click()
    expect(visitor.results.first).to_be_in_viewport()
    visitor.page.screenshot(path=SCREENSHOTS / "after-run-narrow.png")


@pytest.mark.parametrize("tab", TABS)
def test_every_field_has_a_name(visit, tab):
    """Every button, choice and field has a name for screen readers."""
    visitor = visit()
    visitor.open_tab(tab)
    expect(visitor.page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")
    if tab == "About":
        expect(visitor.page.locator(".label-wrap:visible").last).to_be_visible()
    else:
        visitor.page.get_by_role("button", name=re.compile("^Grading and limits")).click()
        expect(visitor.page.get_by_label("k of pass@k").locator("visible=true")).to_be_visible()
    snapshot = visitor.page.locator("body").aria_snapshot()
    assert [line for line in snapshot.splitlines() if NAMELESS.match(line)] == []
