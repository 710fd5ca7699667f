"""The page of `code-eval report` in a real browser, with screenshots in tests/screenshots/."""

import re
from dataclasses import replace
from urllib.parse import quote_plus

import pytest

from support.browser import NAMELESS, SCREENSHOTS, SIZES, expect
from support.metric_and_command import ROOT, code_eval
from support.report_reader import Reader
from support.run_files import BROKEN, FAILED, HANGING, PASSED, results

pytestmark = pytest.mark.slow

HOSTILE = (
    "</script><script>window.broken = 1</script></pre><img src=x onerror='window.broken = 1'><b>$x$</b>&lt;\u2028<!--"
)
MAX_BYTES = 15_000_000
CURVES = "#ce-curve .scatterlayer .trace"


@pytest.fixture(scope="module")
def searched(browser, reports):
    """Provide the small page, opened once for all tests that only search in it."""
    reader = Reader(browser, reports / "small.html")
    yield reader
    reader.leave()
    assert reader.problems == []


def test_figures_are_drawn(read):
    """All figures are drawn, without a request, an error or a warning."""
    reader = read()
    # pass@k and pass^k, each with its band.
    expect(reader.page.locator(CURVES)).to_have_count(4)
    expect(reader.page.locator("#ce-times .bars .point:visible").first).to_be_attached()
    expect(reader.page.locator("#ce-memory .bars .point:visible").first).to_be_attached()


def test_bars_differ_without_colours(read):
    """Each outcome has a pattern of its own in the histograms. The legend has letters, in the order of the stack."""
    reader = read()
    patterns = reader.page.evaluate("document.getElementById('ce-times').data.map((bars) => bars.marker.pattern.shape)")
    assert len(set(patterns)) == len(patterns) == 3
    expect(reader.page.locator("#ce-times .legendtext")).to_have_text(["T timed out", "F failed", "P passed"])


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
    # The search before this one may have found as many.
    expect(reader.page).to_have_url(re.compile(re.escape(f"#q={quote_plus(words, safe='*')}") + "$"))
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


def view_of(reader):
    """Return the search and the choices."""
    return reader.page.evaluate(
        "[document.getElementById('ce-search').value,"
        " ...['task', 'outcome'].map((name) => document.getElementById(`ce-${name}`).selectedOptions[0].textContent)]"
    )


def test_link_opens_the_same_view(read):
    """Search and choices are in the page's address, and a link with it opens the page with the same samples."""
    reader = read()
    reader.page.get_by_label("Task", exact=True).select_option("t/1")
    reader.page.get_by_label("Outcome", exact=True).select_option("failed")
    reader.page.get_by_label("Search", exact=True).fill("tests.py")
    expect(reader.page).to_have_url(re.compile("q=tests.py"))
    address = reader.page.url
    again = read(fragment=address[address.index("#") :])
    expect(again.count).to_have_text("3 of 6")
    assert view_of(again) == view_of(reader) == ["tests.py", "t/1", "failed"]


def test_address_that_changes_changes_the_view(read):
    """Another address of the open page, as a link in a page or the browser's history has it, shows its samples."""
    reader = read(fragment="#task=t%2F1")
    expect(reader.count).to_have_text("3 of 6")
    reader.page.evaluate("location.hash = '#outcome=timed_out'")
    expect(reader.count).to_have_text("1 of 6")


@pytest.mark.parametrize("fragment", ["#", "#task=gone&outcome=none", "#q=%ff%zz", "#<script>alert(1)</script>"])
def test_unknown_view_is_no_error(read, fragment):
    """An address with a task or an outcome that the report does not have, or without sense, shows all samples."""
    reader = read(fragment=fragment)
    reader.page.get_by_label("Search", exact=True).fill("")
    expect(reader.count).to_have_text("6 of 6")


def test_empty_search_says_so(read):
    """A search that finds nothing says so, and a button shows all samples again."""
    reader = read()
    message = reader.page.get_by_text("No failing sample fits the search and the choices.")
    expect(message).to_be_hidden()
    reader.page.get_by_label("Search", exact=True).fill("nothing has this")
    expect(message).to_be_visible()
    reader.page.get_by_role("button", name="Show all").click()
    expect(message).to_be_hidden()
    expect(reader.count).to_have_text("6 of 6")
    expect(reader.page).to_have_url(re.compile("^[^#]*$"))


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
    expect(reader.page.locator("#ce-samples > details[open]")).to_have_count(6)
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
        expect(reader.samples.nth(1).locator(".ce-code").last).to_be_visible()
        assert reader.page.evaluate("document.documentElement.scrollWidth") == SIZES[size]["width"]
        path = SCREENSHOTS / f"report-{size}-{scheme}.png"
        reader.page.screenshot(path=path, full_page=True, animations="disabled")
        assert reader.problems == []
        reader.leave()
