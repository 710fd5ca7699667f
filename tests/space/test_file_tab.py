"""The tab "Score a file" in a real browser."""

import json
import re

import pytest

from support.browser import expect
from support.metric_and_command import PROBLEM

pytestmark = pytest.mark.slow

ATTACK = "<img src=x onerror='window.broken = 1'>"
RIGHT, WRONG = "    print('sum')\n    return a + b\n", "    print('product')\n    return a * b\n"
LEAVING = "    raise SystemExit\n"
SAMPLES = [{"task_id": "t/0", "completion": each} for each in (WRONG, RIGHT, LEAVING)]


def lines(*records):
    """Return records as JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


@pytest.fixture
def at_files(visit):
    """Provide a visitor who has the tab open."""
    visitor = visit()
    visitor.open_tab("Score a file")
    expect(visitor.button("Score")).to_be_visible()
    return visitor


@pytest.fixture
def scored(at_files):
    """Provide a visitor who has scored three samples: wrong, right, leaving early."""
    at_files.upload("samples.jsonl", "samples.jsonl", lines(*SAMPLES))
    at_files.upload("problems.jsonl", "problems.jsonl", lines(PROBLEM))
    at_files.button("Score").click()
    expect(at_files.button("Download results.jsonl")).to_be_visible()
    return at_files


def column(visitor, number):
    """Return the cells of a column of the table, counted from 1."""
    return visitor.page.locator(f".ce-table [role=gridcell][aria-colindex='{number}']")


def test_table_has_the_samples(scored):
    """The table has a row for each sample, in the file's order, with its outcome."""
    expect(column(scored, 1)).to_have_text(["1", "2", "3"])
    expect(column(scored, 2)).to_have_text(["failed", "passed", "left early"])
    expect(column(scored, 3)).to_have_text(["t/0"] * 3)


def test_score_is_shown(scored):
    """pass@1 over the samples is shown, with the reason why other k are left out."""
    expect(scored.page.locator(".ce-estimate:visible")).to_have_text(["33.3%pass@1"])
    expect(scored.page.get_by_text("pass@10 is left out: fewer than 10 samples")).to_be_visible()


def test_table_can_be_filtered(scored):
    """The filter leaves the rows that contain its text."""
    scored.page.get_by_placeholder("Filter").fill("passed")
    expect(column(scored, 1)).to_have_text(["2"])


def test_sorted_row_shows_its_own_evidence(scored):
    """A row of the sorted table opens its own sample, with that sample's output."""
    header = scored.page.get_by_role("columnheader", name="outcome")
    header.hover()
    header.get_by_role("button").click()
    scored.page.get_by_role("menuitem", name="Sort ascending").click()
    expect(column(scored, 2)).to_have_text(["failed", "left early", "passed"])
    column(scored, 2).get_by_text("passed").click()
    opened = scored.page.locator(".ce-opened .ce-result")
    expect(opened.locator(".ce-title")).to_have_text("t/0, sample 1")
    expect(opened.locator("pre")).to_have_text(["sum"])


def test_filtered_row_shows_its_own_evidence(scored):
    """A row of the filtered table opens its own sample."""
    scored.page.get_by_placeholder("Filter").fill("left")
    expect(column(scored, 1)).to_have_text(["3"])
    column(scored, 1).click()
    expect(scored.page.locator(".ce-opened .ce-title")).to_have_text("t/0, sample 2")


def test_results_can_be_downloaded(scored):
    """results.jsonl has each sample with its result, in the file's order."""
    with scored.page.expect_download() as download:
        scored.button("Download results.jsonl").click()
    assert download.value.suggested_filename == "results.jsonl"
    records = [json.loads(line) for line in download.value.path().read_text().splitlines()]
    assert [record["completion"] for record in records] == [sample["completion"] for sample in SAMPLES]
    assert [record["outcome"] for record in records] == ["failed", "passed", "exited"]


def test_data_set_instead_of_problems(at_files):
    """Samples can be scored with a dataset's problems, chosen by its name."""
    sample = {"task_id": "examples/2", "completion": "    return None\n"}
    at_files.upload("samples.jsonl", "samples.jsonl", lines(sample))
    at_files.page.get_by_label("or a dataset on the Hub").click()
    at_files.page.get_by_role("option").last.click()
    at_files.button("Score").click()
    expect(column(at_files, 2)).to_have_text(["failed"])


def test_example_is_ready_to_score(at_files):
    """The example puts samples and problems in place, and is scored without a network."""
    at_files.button("Take the example: 63 samples of 12 problems").click()
    expect(at_files.page.get_by_role("row").filter(has_text="samples")).to_be_visible()
    at_files.button("Score").click()
    expect(at_files.status).to_contain_text("63 of 63 run")
    expect(at_files.page.locator(".ce-estimate:visible").first).to_have_text(re.compile("^44.4%pass@1"))


def test_cancel_says_what_it_leaves(at_files):
    """After Cancel the page says how many samples have a verdict, and how many were not run."""
    # Copies would run once.
    hanging = [{"task_id": "t/0", "completion": f"    while {number}: pass\n"} for number in range(1, 31)]
    at_files.upload("samples.jsonl", "samples.jsonl", lines(SAMPLES[1], *hanging))
    at_files.upload("problems.jsonl", "problems.jsonl", lines(PROBLEM))
    at_files.button("Score").click()
    expect(at_files.status).to_contain_text(re.compile("[1-9][0-9]* of 31 run"))
    at_files.button("Cancel").click()
    expect(at_files.status).to_contain_text(re.compile(r"[1-9][0-9]* of 31 samples ha(s|ve) a verdict"))
    expect(at_files.status).to_contain_text(re.compile("Not run to the end: [1-9][0-9]* samples"))


def test_results_are_their_visitors_own(scored, visit):
    """Another visitor sees no results of the first one."""
    other = visit()
    other.open_tab("Score a file")
    expect(other.status).to_contain_text("Upload a file of samples")
    expect(other.button("Download results.jsonl")).to_be_hidden()


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        (lines(SAMPLES[0]) + "{broken\n", "samples.jsonl:2: not JSON"),
        (lines({"task_id": "t/0"}), "samples.jsonl:1: missing key 'completion'"),
        (lines({"task_id": ATTACK, "completion": ""}), f'samples.jsonl:1: there is no problem "{ATTACK}"'),
    ],
    ids=["not JSON", "no completion", "markup"],
)
def test_invalid_samples(at_files, space, samples, message):
    """A message names an invalid line, as text, without a folder of the server. Its log has no stack trace."""
    at_files.upload("samples.jsonl", "samples.jsonl", samples)
    at_files.upload("problems.jsonl", "problems.jsonl", lines(PROBLEM))
    at_files.button("Score").click()
    expect(at_files.message).to_contain_text(message)
    expect(at_files.message).not_to_contain_text(space.folder)
    expect(at_files.status).to_have_text("Nothing was scored.")
    assert at_files.page.evaluate("window.broken") is None
    # A stack trace would end with the message. The log is that of all tests, some of which cause stack traces.
    assert message not in space.log()


def test_no_file(at_files):
    """Without a file of samples, a message asks for it."""
    at_files.button("Score").click()
    expect(at_files.message).to_contain_text("there is no file of samples")


def test_program_taken_out_of_a_chat_answer(at_files):
    """The sample of a chat answer shows the program that ran, how it was read, and the answer."""
    answer = f"Sure:\n```python\n{PROBLEM['prompt']}{RIGHT}```\n"
    at_files.upload("samples.jsonl", "samples.jsonl", lines({"task_id": "t/0", "completion": answer}))
    at_files.upload("problems.jsonl", "problems.jsonl", lines(PROBLEM))
    at_files.button("Score").click()
    expect(column(at_files, 2)).to_have_text(["passed"])
    column(at_files, 2).click()
    opened = at_files.page.locator(".ce-opened .ce-result")
    expect(opened.locator("h4")).to_have_text(["Program: a block of code", "Answer", "Standard output"])
    expect(opened.locator("pre").nth(1)).to_have_text(answer)


def test_chat_answers_have_a_hint(at_files):
    """Where candidates run as they are, the page says that they look like chat answers, and what to choose."""
    answer = f"```python\n{PROBLEM['prompt']}{RIGHT}```\n"
    at_files.upload("samples.jsonl", "samples.jsonl", lines({"task_id": "t/0", "completion": answer}))
    at_files.upload("problems.jsonl", "problems.jsonl", lines(PROBLEM))
    at_files.page.get_by_role("button", name="Grading and limits").locator("visible=true").click()
    at_files.page.get_by_label("What the candidates are").locator("visible=true").click()
    at_files.page.get_by_role("option", name="none: programs, which run as they are").click()
    at_files.button("Score").click()
    hint = '1 of 1 compile error looks like a chat answer; try "auto" under "What the candidates are"'
    expect(at_files.page.get_by_text(hint)).to_be_visible()


def test_markup_in_a_file_stays_text(at_files):
    """Markup in the names of tasks, and in the exceptions of candidates, is shown as text, and does nothing."""
    problem = {**PROBLEM, "task_id": ATTACK}
    completion = f"    raise ValueError({ATTACK!r})\n"
    at_files.upload("samples.jsonl", "samples.jsonl", lines({"task_id": ATTACK, "completion": completion}))
    at_files.upload("problems.jsonl", "problems.jsonl", lines(problem))
    at_files.button("Score").click()
    expect(column(at_files, 3)).to_have_text([ATTACK])
    expect(column(at_files, 7)).to_have_text([f"ValueError: {ATTACK}"])
    column(at_files, 3).click()
    expect(at_files.page.locator(".ce-opened .ce-title")).to_have_text(f"{ATTACK}, sample 0")
    assert at_files.page.evaluate("window.broken") is None
