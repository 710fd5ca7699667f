"""The page of `code-eval report` in a real browser, with screenshots in tests/screenshots/."""

import re
from dataclasses import replace

import pytest

from code_tasks.reports.data import read_report_data
from code_tasks.reports.page import page
from support.browser import NAMELESS, SCREENSHOTS, SIZES, Reader, expect
from support.metric_and_command import ROOT, code_eval
from support.run_files import BROKEN, FAILED, HANGING, PASSED, results, write_lines, write_record

pytestmark = pytest.mark.slow

HOSTILE = (
    "</script><script>window.broken = 1</script></pre><img src=x onerror='window.broken = 1'><b>$x$</b>&lt;\u2028<!--"
)
MAX_BYTES = 15_000_000
CURVES = "#ce-curve .scatterlayer .trace"


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Provide the folder with the pages; it has the page of a small run."""
    folder = tmp_path_factory.mktemp("reports")
    (folder / "small.html").write_text(page(read_report_data(write_record(folder / "small.jsonl"))), encoding="utf-8")
    return folder


@pytest.fixture
def read(browser, reports):
    """Provide a function that opens the page of these results, or the small page, for a `Reader` without `problems`."""
    readers = []

    def open_page(lines=None, **options):
        path = reports / "small.html"
        if lines is not None:
            path = reports / "given.html"
            path.write_text(page(read_report_data(write_lines(reports / "given.jsonl", lines))), encoding="utf-8")
        readers.append(Reader(browser, path, **options))
        return readers[-1]

    yield open_page
    for reader in readers:
        reader.context.close()
    assert not any(reader.problems for reader in readers), [reader.problems for reader in readers]


@pytest.fixture(scope="module")
def searched(browser, reports):
    """Provide the small page, opened once for all tests that only search in it."""
    reader = Reader(browser, reports / "small.html")
    yield reader
    reader.context.close()
    assert reader.problems == []


def test_figures_are_drawn(read):
    """All figures are drawn, without a request, an error or a warning."""
    reader = read()
    # pass@k and pass^k, each with its band.
    expect(reader.page.locator(CURVES)).to_have_count(4)
    expect(reader.page.locator("#ce-times .bars .point:visible").first).to_be_attached()
    expect(reader.page.locator("#ce-memory .bars .point:visible").first).to_be_attached()


def test_single_sample_has_no_curve(read):
    """If each task has one sample, there is no curve, and its section is hidden."""
    reader = read(results({"a": [PASSED], "b": [FAILED]}))
    expect(reader.page.get_by_text("pass@k over k")).to_be_hidden()
    expect(reader.page.locator(".ce-estimate")).to_have_text(["50.0%pass@1 ± 50.0"])


def test_nothing_was_run(read):
    """If no sample could be run, the page says that the result is not valid, and gives the reason."""
    reader = read(results({"a": [BROKEN], "b": [BROKEN]}))
    expect(reader.page.get_by_text("This result is not valid")).to_be_visible()
    expect(reader.samples.first).to_contain_text("the engine is gone")


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
    for line in ('option "t/1: 0 of 3 passed"', 'option "t/0: 1 of 3 passed" [selected]'):
        assert line in reader.map.aria_snapshot()
    [row] = reader.map.get_by_role("option", selected=True).all()
    assert reader.map.get_attribute("aria-activedescendant") == row.get_attribute("id")


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


@pytest.mark.parametrize(
    ("words", "count"),
    [
        ("t/1", 3),
        ("RETURN A * B", 5),
        ("ran for more than 3 s", 1),
        ("tests.py", 4),
        ("six", 4),
        ("a warning", 4),
        ("test_large", 4),
        ("engine is gone", 1),
        ("nothing has this", 0),
    ],
)
def test_search(searched, words, count):
    """The search finds samples by task, code, detail, traceback, output and tests, and ignores case."""
    reader = searched
    reader.page.get_by_label("Search", exact=True).fill(words)
    expect(reader.count).to_have_text(f"{count} of 6")
    expect(reader.samples).to_have_count(count)


def test_search_and_choices_together(read):
    """The search applies together with the chosen outcome and task."""
    reader = read()
    reader.page.get_by_label("Outcome", exact=True).select_option("failed")
    expect(reader.count).to_have_text("4 of 6")
    reader.page.get_by_label("Task", exact=True).select_option("t/0")
    expect(reader.count).to_have_text("1 of 6")
    reader.page.get_by_label("Search", exact=True).fill("ran for more")
    expect(reader.count).to_have_text("0 of 6")


def test_keyboard_alone(read):
    """Tab leads from the search to the first sample, and Enter opens it."""
    reader = read()
    reader.page.get_by_label("Search", exact=True).focus()
    reader.page.keyboard.type("t/0")
    expect(reader.count).to_have_text("2 of 6")
    for _ in range(4):
        reader.page.keyboard.press("Tab")
    reader.page.keyboard.press("Enter")
    expect(reader.samples.first.locator(".ce-code")).to_be_visible()


def test_all_are_opened_and_closed(read):
    """A button opens all samples in the list, and closes them again."""
    reader = read()
    reader.page.get_by_role("button", name="Open all").click()
    expect(reader.page.locator("#ce-samples > details[open]")).to_have_count(6)
    reader.page.get_by_role("button", name="Close all").click()
    expect(reader.page.locator("#ce-samples > details[open]")).to_have_count(0)


def test_hostile_texts_run_nothing(read):
    """Hostile task names, code, details and output are shown as text, even in figures, and run nothing."""
    texts = dict.fromkeys(("detail", "traceback", "stdout", "stderr"), HOSTILE)
    lines = results({HOSTILE: [replace(FAILED, **texts), PASSED], "other": [replace(HANGING, **texts), PASSED]})
    for line in lines:
        line["completion"] = HOSTILE
    reader = read(lines)
    reader.map.locator(".ce-cells").first.hover(position={"x": 5, "y": 5})
    expect(reader.described_cell).to_contain_text("</script><script>window")
    reader.page.get_by_role("button", name="Open all").click()
    expect(reader.samples.first.locator(".ce-code")).to_contain_text("<img src=x onerror='window.broken = 1'>")
    assert reader.page.evaluate("window.broken") is None
    assert reader.page.locator("main img, main b:not(.ce-estimate b)").count() == 0


@pytest.mark.parametrize(
    "html", ["<img src=x onerror='window.broken = 1'>", "<iframe srcdoc='<script>parent.broken = 1</script>'></iframe>"]
)
def test_foreign_scripts_are_refused(read, html):
    """If a text were ever taken for HTML, the page's policy would still refuse its script."""
    reader = read()
    with reader.page.expect_console_message(lambda message: "Content Security Policy" in message.text):
        reader.page.evaluate("html => { document.querySelector('main').innerHTML += html; }", html)
    assert reader.page.evaluate("window.broken") is None
    reader.problems.clear()


def test_foreign_script_element_is_refused(read):
    """A script element that is not ours is not run."""
    reader = read()
    with reader.page.expect_console_message(lambda message: "Content Security Policy" in message.text):
        reader.page.evaluate(
            "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.broken = 1'}))"
        )
    assert reader.page.evaluate("window.broken") is None
    reader.problems.clear()


def test_many_samples(read, reports):
    """The page of 32,800 samples is below 15 MB, opens, and can be searched; the map scrolls without the page."""
    failed = replace(FAILED, stdout="x" * 2_000)
    attempts = {
        f"t/{task}": [PASSED if number % 164 < task else failed for number in range(200)] for task in range(164)
    }
    reader = read(results(attempts))
    assert (reports / "given.html").stat().st_size < MAX_BYTES
    expect(reader.page.get_by_text(re.compile(r"^Shown are [23],\d\d\d of 1\d,\d\d\d"))).to_be_visible()
    reader.page.get_by_label("Search", exact=True).fill("t/0 ")
    expect(reader.samples.first).to_contain_text("t/0 · sample 0")
    assert reader.page.evaluate("document.querySelector('#ce-section-map').offsetHeight < 1.2 * innerHeight")


def test_printed(read):
    """A printed page has no controls, and no scroll bar hides a part of it."""
    reader = read()
    reader.page.get_by_role("button", name="Open all").click()
    reader.page.emulate_media(media="print")
    expect(reader.page.get_by_label("Search")).to_be_hidden()
    assert reader.page.evaluate(
        "[...document.querySelectorAll('.ce-scroll, pre')].every((each) => each.scrollHeight <= each.clientHeight + 1)"
    )


def test_every_field_has_a_name(read):
    """Every button, choice and field has a name for screen readers."""
    snapshot = read().page.locator("body").aria_snapshot()
    assert [line for line in snapshot.splitlines() if NAMELESS.match(line)] == []


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    """Provide the page about the examples, made by the commands `solve` and `report`."""
    record = tmp_path_factory.mktemp("examples") / "replay.jsonl"
    folder = ROOT / "examples"
    files = ("--samples", folder / "samples.jsonl", "--problems", folder / "problems.jsonl")
    done = code_eval("solve", "--solver", "replay", *files, "--output", record)
    assert done.returncode == 0, done.stderr
    done = code_eval("report", record)
    assert done.returncode == 0, done.stderr
    return record.with_suffix(".html")


@pytest.mark.parametrize("size", SIZES)
def test_pictures(browser, examples, size):
    """The page with an open sample is no wider than the window, wide or narrow; screenshots show it, light and dark."""
    for scheme in ("light", "dark"):
        reader = Reader(browser, examples, viewport=SIZES[size], color_scheme=scheme)
        reader.samples.nth(1).locator("summary").click()
        assert reader.page.evaluate("document.documentElement.scrollWidth") == SIZES[size]["width"]
        path = SCREENSHOTS / f"report-{size}-{scheme}.png"
        reader.page.screenshot(path=path, full_page=True, animations="disabled")
        assert reader.problems == []
        reader.context.close()
