"""The cards of failing samples in a real browser, about samples that were really run."""

import pytest

from reports.test_page_in_browser import HOSTILE
from support.browser import expect
from support.metric_and_command import PROBLEM, code_eval
from support.report_reader import Reader
from support.run_files import write_lines

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Provide the page, with prompts and tests, about samples that were really run."""
    folder = tmp_path_factory.mktemp("graded")
    completions = ["    return a * b\n", "    raise KeyError(a)\n", f"    return '{HOSTILE.replace(chr(39), '')}'\n"]
    samples = [{"task_id": "t/0", "completion": completion} for completion in completions]
    run, problems = folder / "run.jsonl", write_lines(folder / "problems.jsonl", [PROBLEM])
    done = code_eval(
        *("run", write_lines(folder / "samples.jsonl", samples), "--problems", problems, "--output", run),
        *("--grading", "shared", "--timeout", "60"),
    )
    assert done.returncode == 0, done.stderr
    done = code_eval("report", run, "--problems", problems)
    assert done.returncode == 0, done.stderr
    return run.with_suffix(".html")


@pytest.fixture
def cards(browser, graded):
    """Provide the page about samples that were really run."""
    reader = Reader(browser, graded)
    yield reader
    reader.leave()
    assert reader.problems == []


def opened(cards, number):
    """Open a card, wait until prompt and tests, which the page adds, are in it, and return it."""
    card = cards.samples.nth(number)
    card.locator("summary").click()
    expect(card.locator(".ce-code")).to_have_count(3)
    return card


def test_headline_has_actual_values(cards):
    """The headline of a card has the values of the assert that failed."""
    detail = "AssertionError: candidate(2, 3) == 5, where it is 6 == 5"
    expect(cards.samples.first.locator("summary .ce-detail")).to_have_text(detail)


def test_card_has_prompt_candidate_and_tests(cards):
    """An opened card has prompt, candidate and tests, in this order, once each, however often it is opened."""
    for _ in range(3):
        cards.samples.first.locator("summary").click()
    expect(cards.samples.first.locator("h4")).to_have_text(["Prompt", "Candidate", "Tests", "Traceback"])
    expect(cards.samples.first.locator(".ce-code")).to_have_count(3)


@pytest.mark.parametrize(
    ("number", "marked"),
    [(0, ["    assert candidate(2, 3) == 5"]), (1, ["    raise KeyError(a)", "    assert candidate(2, 3) == 5"])],
)
def test_failing_lines_are_marked(cards, number, marked):
    """The lines of candidate and tests that failed are marked, and no others."""
    lines = opened(cards, number).locator("mark.ce-code-line").all_text_contents()
    assert [text.rstrip("\n") for text in lines] == marked


def test_lines_have_the_numbers_of_the_traceback(cards):
    """The candidate's first line comes after the prompt's last one."""
    blocks = opened(cards, 1).locator(".ce-code").all()
    assert [block.get_attribute("data-first-line") for block in blocks] == ["1", "2", "1"]


def test_code_has_colours(cards):
    """Keywords and comments of a candidate have colours of their own."""
    keyword = opened(cards, 0).locator(".ce-code .k").first
    colors = keyword.evaluate("each => [each, each.parentNode].map((part) => getComputedStyle(part).color)")
    assert colors[0] != colors[1]


def test_search_ignores_prompts_and_tests(cards):
    """The search looks in the samples alone, whether or not a card with the task's tests was opened before."""
    opened(cards, 0)
    cards.page.get_by_label("Search", exact=True).fill("def check")
    expect(cards.count).to_have_text("0 of 3")


def test_hostile_code_runs_nothing(cards):
    """Hostile code with syntax colours is text."""
    cards.page.get_by_role("button", name="Open all").click()
    expect(cards.samples.nth(2).locator(".ce-code").nth(1)).to_contain_text(
        "</script><script>window.broken = 1</script>"
    )
    assert cards.page.evaluate("window.broken") is None
    assert cards.page.locator("main img").count() == 0
