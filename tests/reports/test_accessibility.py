"""The pages of reports and comparisons for people who use a keyboard or a screen reader, or who see few colours."""

from dataclasses import replace

import pytest

from code_tasks.reports.comparison import compare_runs
from code_tasks.reports.comparison_page import page as comparison_page
from code_tasks.reports.data import read_report_data, with_problems
from code_tasks.reports.page import page
from support.accessibility import violations
from support.browser import SIZES, expect
from support.metric_and_command import PROBLEM
from support.report_reader import Reader
from support.run_files import ATTEMPTS, FAILED, PASSED, results, write_lines, write_record

pytestmark = pytest.mark.slow

STRICT = "<meta http-equiv='Content-Security-Policy' content=\"default-src 'none'; style-src 'unsafe-inline'\">"


@pytest.mark.parametrize(
    ("part", "rule"),
    [
        ("<button></button>", "button-name (critical)"),
        ("<p style='color: #aaa; background: #fff'>pale</p>", "color-contrast (serious)"),
    ],
)
def test_check_finds_a_defect(browser, part, rule):
    """The check finds a defect of a page whose policy allows no script."""
    page = browser.new_page()
    page.set_content(f"<html lang='en'><head><title>Page</title>{STRICT}</head><body><main>{part}</main></body></html>")
    [found] = violations(page)
    page.close()
    assert found.startswith(rule)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Provide the paths of a report and of a comparison."""
    folder = tmp_path_factory.mktemp("pages")
    # A long output, which its box scrolls, and lines that are longer than the window.
    failed = replace(FAILED, stdout=f"{'x' * 400}\n" * 100, traceback=f"{'x' * 400}\n" * 100)
    report = read_report_data(write_record(folder / "run.jsonl", {**ATTEMPTS, "t/3": [PASSED, failed]}))
    problems = [{**PROBLEM, "task_id": task_id} for task_id in report.tasks]
    report = with_problems(report, write_lines(folder / "problems.jsonl", problems))
    runs = [{"t": [PASSED, failed], "u": [failed] * 2}, {"t": [failed, PASSED], "u": [PASSED, failed]}]
    paths = [write_lines(folder / f"{number}.jsonl", results(tasks)) for number, tasks in enumerate(runs)]
    comparison = comparison_page(compare_runs([read_report_data(path) for path in paths]))
    for name, html in (("report", page(report)), ("comparison", comparison)):
        (folder / f"{name}.html").write_text(html, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", ["report", "comparison"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_pages_have_no_serious_violation(browser, pages, name, scheme, size):
    """axe-core finds nothing serious in a page, in light and dark colours, with all cards closed and opened."""
    reader = Reader(browser, pages / f"{name}.html", color_scheme=scheme, viewport=SIZES[size])
    closed = violations(reader.page)
    reader.page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
    # The report's page adds prompt and tests to a card that is opened.
    expect(reader.page.locator("#ce-samples > details:not(:has(.ce-task))")).to_have_count(0)
    opened = violations(reader.page)
    reader.leave()
    assert (closed, opened, reader.problems) == ([], [], [])
