"""The report's map of outcomes in a real browser, with mouse and keyboard."""

import re

import pytest

from support.browser import expect
from support.run_files import FAILED, PASSED, results

pytestmark = pytest.mark.slow


def mouse_position(reader, row, column, columns=3):
    """Return the middle of a cell of the map, in pixels of its row's cells."""
    cells = reader.map.locator(".ce-cells").nth(row)
    box = cells.bounding_box()
    return cells, {"x": box["width"] * (column + 0.5) / columns, "y": box["height"] / 2}


def test_cell_says_what_it_is(read):
    """The text above the map names the task, sample, outcome and detail of the cell under the mouse."""
    reader = read()
    cells, position = mouse_position(reader, 1, 1)
    cells.hover(position=position)
    expect(reader.described_cell).to_have_text("t/0, sample 1: failed: AssertionError: add(2, 3) == 5")


def test_cell_chooses_its_task(read):
    """A click on a cell leaves only its task's failing samples in the list, and opens the cell's own."""
    reader = read()
    cells, position = mouse_position(reader, 1, 2)
    cells.click(position=position)
    expect(reader.count).to_have_text("2 of 6")
    expect(reader.samples.locator(".ce-title")).to_have_text(["t/0 · sample 1", "t/0 · sample 2"])
    assert reader.samples.evaluate_all("each => each.map((sample) => sample.open)") == [False, True]


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("", "t/1, sample 0: failed"),
        ("ArrowDown", "t/0, sample 0: passed"),
        ("ArrowDown ArrowRight ArrowRight", "t/0, sample 2: timed out: ran for more than 3 s"),
        ("PageDown End", "t/2, sample 2: not run"),
        ("PageDown ArrowUp End Home", "t/0, sample 0: passed"),
        ("ArrowUp ArrowLeft", "t/1, sample 0: failed"),
    ],
)
def test_keys_move_in_the_map(read, keys, said):
    """Arrow keys and others move from cell to cell; a text says where, which screen readers hear."""
    reader = read()
    reader.map.focus()
    for key in keys.split():
        reader.page.keyboard.press(key)
    expect(reader.described_cell).to_contain_text(said)
    assert reader.described_cell.aria_snapshot().startswith("- status")


def test_keys_choose_a_task(read):
    """The map is one stop of the Tab key; Enter goes to the failing sample of the cell, and opens it."""
    reader = read()
    reader.page.get_by_text("The same as a table").focus()
    reader.page.keyboard.press("Shift+Tab")
    expect(reader.map).to_be_focused()
    for key in ("ArrowDown", "ArrowRight", "Enter"):
        reader.page.keyboard.press(key)
    expect(reader.samples.first.locator(".ce-code")).to_be_visible()
    expect(reader.samples.first.locator("summary")).to_be_focused()
    expect(reader.count).to_have_text("2 of 6")


def test_screen_reader_hears_the_rows(read):
    """A screen reader hears each row's task with its share of passes, and which row is chosen."""
    reader = read()
    reader.map.focus()
    reader.page.keyboard.press("ArrowDown")
    rows = [reader.map.get_by_role("option", name=f"t/{task} of 3 passed") for task in ("1: 0", "0: 1")]
    for row, selected in zip(rows, ("false", "true"), strict=True):
        expect(row).to_have_attribute("aria-selected", selected)
    expect(reader.map).to_have_attribute("aria-activedescendant", rows[1].get_attribute("id"))


def test_map_has_the_colours_of_the_palette(read):
    """Each cell has the colour of its outcome, as the legend has it."""
    background = read().map.locator(".ce-cells").nth(1).evaluate("cells => cells.style.backgroundImage")
    assert re.findall(r"var\(--ce-(passed|failed|timed_out)\)", background) == ["passed", "failed", "timed_out"]


def test_every_row_has_a_label(read):
    """Every row of a map of many tasks shows its label, which stays in view when the map is scrolled to the right."""
    reader = read(results({f"HumanEval/{task}": [PASSED, FAILED] * 60 for task in range(100)}))
    reader.map.evaluate("map => map.scrollTo(map.scrollWidth, 1000)")
    names = reader.map.locator(".ce-row .ce-name")
    expect(names).to_have_text([f"HumanEval/{task}" for task in range(100)])
    assert names.nth(60).bounding_box()["x"] >= reader.map.bounding_box()["x"]
