"""The editors' content outlives the page, by a refresh and by a link, in a real browser."""

import json

import pytest

from space.errors import RequestError
from space.ui.examples import Example
from space.ui.kept_editors import MAX_EDITORS, read_kept
from support.browser import expect

pytestmark = pytest.mark.slow

RIGHT = "def double(x):\n    return 2 * x\n"
WRONG = "def double(x):\n    return x\n"
TESTS = "assert double(2) == 4\n"
HOSTILE = "<img src=x onerror='window.broken = 1'>"
VALUES = [[RIGHT, WRONG], TESTS, "subprocess", "auto", "python"]
SANDBOXES = ("subprocess", "restricted")


def refresh(visitor, text):
    """Refresh the page once the browser keeps this text, which it does some milliseconds after a change."""
    visitor.page.wait_for_function("text => sessionStorage.getItem('code-eval-editors')?.includes(text)", arg=text)
    visitor.reload()


def copied_link(visitor):
    """Return the part of the address that the button Copy link makes, after the server's name."""
    visitor.button("Copy link").click()
    href = visitor.page.get_by_role("link", name="Link to these editors").get_attribute("href")
    return "/#" + href.partition("#")[2]


def test_edits_survive_a_refresh(visit):
    """After a refresh the editors hold what was typed last, and no example."""
    visitor = visit()
    visitor.write(RIGHT, WRONG, tests=TESTS)
    refresh(visitor, "assert double")
    expect(visitor.candidate_tabs).to_have_count(2)
    expect(visitor.editor("Candidate 1")).to_contain_text("return 2 * x")
    expect(visitor.editor("Tests")).to_have_text(TESTS.strip())
    visitor.button("Run").click()
    expect(visitor.outcomes).to_have_text(["passed", "failed"])


def test_choices_survive_a_refresh(visit):
    """After a refresh the sandbox and the language are those that were chosen."""
    visitor = visit()
    visitor.button("Refused by RestrictedPython").click()
    restricted = visitor.page.get_by_role("radio", name="restricted").and_(visitor.page.locator(":visible"))
    expect(restricted).to_be_checked()
    refresh(visitor, "restricted")
    expect(restricted).to_be_checked()


def test_link_fills_the_editors_and_runs_nothing(visit):
    """A link fills another visitor's editors; the page says that nothing has run, and nothing has."""
    sender = visit()
    sender.write(HOSTILE, RIGHT, tests=TESTS)
    link = copied_link(sender)
    reader = visit(path=link)
    expect(reader.candidate_tabs).to_have_count(2)
    expect(reader.editor("Candidate 1")).to_have_text(HOSTILE)
    expect(reader.page.get_by_text("The link filled the editors, and nothing has run")).to_be_visible()
    expect(reader.status).to_contain_text("Choose an example")
    expect(reader.results).to_have_count(0)
    assert reader.page.evaluate("window.broken") is None


def test_edits_after_a_link_survive_a_refresh(visit):
    """A refresh of a page that a link opened keeps later edits."""
    link = copied_link(visit())
    reader = visit(path=link)
    reader.write(WRONG)
    refresh(reader, "return x")
    expect(reader.editor("Candidate 1")).to_have_text(WRONG.strip())


def test_too_long_a_link_is_refused(visit):
    """Editors that hold too much for a link have a sentence with the length and the limit in place of one."""
    visitor = visit()
    visitor.write(RIGHT, tests=TESTS)
    # The page has only the part of a long line that can be seen. Compression does not shorten these digits much.
    visitor.editor("Candidate 1").fill(hex(7**20_000))
    visitor.button("Copy link").click()
    expect(visitor.page.get_by_text("at most 8,000 arrive whole")).to_be_visible()
    expect(visitor.page.get_by_role("link", name="Link to these editors")).to_have_count(0)


@pytest.mark.parametrize("fragment", ["!", "AAAA", "q1Y"], ids=["no base64", "no stream", "a stream that breaks off"])
def test_broken_link_changes_nothing(visit, fragment):
    """A link that is broken leaves the example in the editors, and the page says so."""
    visitor = visit(path=f"/#editors={fragment}")
    expect(visitor.page.get_by_text("The link does not hold candidates and tests")).to_be_visible()
    expect(visitor.candidate_tabs).to_have_count(5)


def test_kept_values_are_an_example():
    """The values of page.js are candidates, tests and choices, and tell whether a link brought them."""
    expected = Example("", (RIGHT, WRONG), TESTS, "subprocess", "auto", "python")
    assert read_kept(json.dumps({"values": VALUES}), SANDBOXES) == (expected, False)
    assert read_kept(json.dumps({"values": VALUES, "link": True}), SANDBOXES) == (expected, True)
    assert read_kept("", SANDBOXES) is None


def changed(index, value):
    """Return what page.js would read if one of the values were another."""
    return json.dumps({"values": [*VALUES[:index], value, *VALUES[index + 1 :]]})


@pytest.mark.parametrize(
    "text",
    [
        "x",
        "[]",
        "{}",
        "[" * 100_000,
        json.dumps({"values": VALUES[:3]}),
        changed(0, []),
        changed(0, ["x"] * (MAX_EDITORS + 1)),
        changed(0, [1]),
        changed(0, "text"),
        changed(1, None),
        changed(2, "dokcer"),
        changed(3, "none"),
        changed(4, "cobol"),
        changed(4, {"path": "/etc/passwd"}),
    ],
)
def test_anything_else_is_refused(text):
    """A text that page.js does not write is refused with a sentence."""
    with pytest.raises(RequestError, match="does not hold candidates and tests"):
        read_kept(text, SANDBOXES)
