"""Results as pages and files show them: a program's output stays text."""

import json
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser

import hypothesis.strategies as st
import orjson
import pytest
from hypothesis import example, given

from code_tasks.reports.code_html import program_html
from code_tasks.reports.html_parts import LABELS, PACKAGE, candidate, estimates, templates, visible
from code_tasks.scoring.estimates import PassAtK
from sandboxes import Isolation, Outcome, SandboxUnavailable, TestResult, result_dict
from space.available_sandboxes import SandboxAvailability
from space.background_run import MIN_CHARS, TEXTS, truncate
from space.service import Progress, table_row
from space.time_outs import worded_detail
from space.ui.html_parts import (
    empty,
    error_lines,
    header,
    left_by_run,
    message,
    progress_bar,
    refused_sandboxes,
    results_list,
    sandbox_panel,
)
from support.hostile_texts import HOSTILE, VERDICT, any_text


class Seen(HTMLParser):
    """A parser that finds what a browser finds in HTML: its tags with their attributes, and its text."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.text = [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        """Note a tag."""
        self.tags.append((tag, attributes))

    def handle_data(self, data):
        """Note text."""
        self.text += data


def tags_of(html):
    """Return the tags in HTML, in their order."""
    return [tag for tag, _ in Seen(html).tags]


@given(any_text)
@example(HOSTILE)
def test_texts_of_programs_stay_text(text):
    """The page has the same tags and attributes for every text that a program writes or raises."""
    result = result_dict(0, 0, replace(VERDICT, **dict.fromkeys(TEXTS, text)))
    html = candidate(text, result)
    plain = candidate("x", result_dict(0, 0, replace(VERDICT, **dict.fromkeys(TEXTS, "x" if text.strip() else ""))))
    assert tags_of(html) == tags_of(plain)
    names = {name for _, attributes in Seen(html).tags for name, _ in attributes}
    assert names <= {"class", "data-letter", "data-title", "tabindex"}


def sandbox(name="subprocess", layer="pid", missing="net", reason="x", python="3.11.2"):
    """Return the panel of a sandbox that has one layer and lacks one."""
    return sandbox_panel(SandboxAvailability(name, object(), Isolation((layer,), {missing: reason}, python)))


# Functions of a text that return a part of a page with the text in one field that comes from outside.
FIELDS = {
    "title of a candidate": lambda text: candidate(text, result_dict(0, 0, VERDICT)),
    "title of a waiting candidate": lambda text: candidate(text, None),
    "reason": lambda text: candidate("x", result_dict(0, 0, SandboxUnavailable(text))),
    "key of a result": lambda text: candidate("x", {**result_dict(0, 0, VERDICT), text: text}),
    **{
        name: lambda text, name=name: candidate("x", result_dict(0, 0, replace(VERDICT, **{name: f"x{text}"})))
        for name in TEXTS
    },
    "program": lambda text: results_list([read_as(program=in_one_line(text))]),
    "reading": lambda text: results_list([read_as(reading=text)]),
    "answer": lambda text: candidate("x", read_as(), program_html(read_as(), f"x{in_one_line(text)}", "")),
    "isolation": lambda text: candidate("x", result_dict(0, 0, replace(VERDICT, isolation=(text,)))),
    "test name": lambda text: candidate("x", with_test(text, "x")),
    "test message": lambda text: candidate("x", with_test("x", text)),
    "line for a k": lambda text: estimates((), [text]),
    "note": lambda text: progress_bar(Counter(passed=1), 2, f"x{text}"),
    "name of a sandbox": lambda text: sandbox(name=text),
    "name of a refused sandbox": lambda text: sandbox_panel(SandboxAvailability(text, refused="x")),
    "why a sandbox is refused": lambda text: sandbox_panel(SandboxAvailability("docker", refused=f"x{text}")),
    "name of a sandbox that is no choice": lambda text: refused_sandboxes({text: "x"}),
    "why a sandbox is no choice": lambda text: refused_sandboxes({"docker": text}),
    "layer": lambda text: sandbox(layer=text),
    "missing layer": lambda text: sandbox(missing=text),
    "why a layer is missing": lambda text: sandbox(reason=text),
    "version of Python": lambda text: sandbox(python=text),
    "message": lambda text: message(text, "info"),
    "empty place": empty,
    "title of the page": lambda text: header(text, "x"),
    "tagline of the page": lambda text: header("x", text),
}


def read_as(program="pass", reading="a block of code"):
    """Return a result whose program was taken out of an answer."""
    return result_dict(0, 0, replace(VERDICT, program=f"x{program}", reading=f"x{reading}"))


def in_one_line(text):
    """Return a text without line breaks: each line of code has a tag of its own."""
    return "".join(text.splitlines())


def with_test(name, message):
    """Return a result with one single test."""
    return result_dict(0, 0, replace(VERDICT, tests=(TestResult(name, Outcome.FAILED, message),)))


@pytest.mark.parametrize("field", FIELDS)
@given(text=any_text)
@example(text=HOSTILE)
def test_text_in_a_field_is_inert(field, text):
    """A text in any field that comes from outside adds no tag and no attribute to the page."""
    plain, changed = (Seen(FIELDS[field](each)).tags for each in ("x", text))
    assert [(tag, [name for name, _ in attributes]) for tag, attributes in changed] == [
        (tag, [name for name, _ in attributes]) for tag, attributes in plain
    ]


# The page does not show an exception apart from the detail.
HIDDEN_FIELDS = ("key of a result", "exception_type", "exception_message")


@pytest.mark.parametrize("field", [field for field in FIELDS if field not in HIDDEN_FIELDS])
def test_hostile_text_is_shown_as_it_is(field):
    """A hostile text is shown as text, without the characters that move it."""
    expected = " ".join(visible(HOSTILE).split())
    assert expected in " ".join(Seen(FIELDS[field](HOSTILE)).text.split())


@given(any_text)
@example(HOSTILE)
@example("a\nb")
def test_error_has_line_breaks_only(text):
    """A message about a request that is invalid has no tag but line breaks."""
    assert set(tags_of(error_lines(text))) <= {"br"}
    assert tags_of(error_lines("a\nb")) == ["br"]


@given(st.text(st.characters(categories=("L", "N", "P", "S"))))
def test_printable_text_is_shown_as_it_is(text):
    """A browser shows printable text as the program wrote it."""
    html = templates(PACKAGE).from_string("<pre>{{ text }}</pre>").render(text=text)
    assert Seen(html).text == text


@pytest.mark.parametrize("text", ["\x1b[31mred", "a\u202eb", "a\0b", "a\u200fb", "\ud800"])
def test_what_moves_text_is_not_shown(text):
    """Control characters, marks that reverse text and lone surrogates are shown as a replacement character."""
    assert visible(text).isprintable()
    assert "\ufffd" in visible(text)


def test_lines_stay_lines():
    """Line breaks and tabs keep their shape."""
    assert visible("a\n\tb\n") == "a\n    b"


@pytest.mark.parametrize("outcome", Outcome)
def test_every_outcome_has_a_label(outcome):
    """Every outcome has a label and a colour of its own."""
    html = results_list([result_dict(0, 0, replace(VERDICT, outcome=outcome))])
    assert LABELS[outcome.value] in html
    assert f"ce-{outcome.value}" in html


def test_program_taken_out_of_an_answer():
    """A result has its program under how it was read, and none if the answer ran as it stands."""
    assert "Program: xa block of codexpass" in Seen(results_list([read_as()])).text
    assert "Program" not in Seen(results_list([result_dict(0, 0, VERDICT), None])).text


def test_candidates_without_a_verdict():
    """A candidate without a result, and one that the sandbox could not run, are lines with a label."""
    html = results_list([None, result_dict(0, 1, SandboxUnavailable("the sandbox broke 3 times"))])
    assert "no verdict yet" in html
    assert "excluded: the sandbox broke 3 times" in html
    assert "details" not in tags_of(html)


def test_time_out_tells_of_waits():
    """A time-out tells for how many of its seconds no CPU was free for the program."""
    verdict = replace(VERDICT, outcome=Outcome.TIMED_OUT, detail="ran for more than 3 s", wall_seconds=18.61)
    waited, plain = (result_dict(0, 0, replace(verdict, waited_seconds=each)) for each in (15.6, 0.02))
    told = "ran for more than 3 s; it waited for a CPU for 15.6 of its 18.6 s"
    assert told in Seen(results_list([waited])).text
    assert table_row(1, {**waited, "task_id": "t/0"})[-1] == told
    assert "waited" not in worded_detail(plain)
    # The waits of many threads add up to more than the time on the clock.
    assert "waited" not in worded_detail({**waited, "waited_seconds": 18.61})
    assert "waited" not in worded_detail({**waited, "outcome": "failed"})


def test_left_by_run():
    """What a run leaves is told in numbers: verdicts, and programs that were not run."""
    progress = Progress(5, {0: VERDICT, 1: SandboxUnavailable("x")}, is_over=False)
    text = Seen(left_by_run(progress, "candidate", [3, 4, 5])).text
    assert "1 of 5 candidates has a verdict. Not run to the end: candidates 3, 4, 5." in text
    assert "Not run to the end: 3 samples." in Seen(left_by_run(progress, "sample")).text


def test_the_bar_shows_shares():
    """Each outcome has its share of the bar, and a number."""
    html = progress_bar(Counter(passed=3, failed=1), 8)
    assert "width:37.50%" in html
    assert "<b>4</b> of <b>8</b>" in html


def test_estimates_are_percentages():
    """pass@k has one decimal, and a standard error if there is one."""
    html = estimates([PassAtK(1, 0.125, float("nan")), PassAtK(10, 1.0, 0.25)], [])
    assert Seen(html).text == "12.5%pass@1100.0%pass@10 ± 25.0"
    assert estimates([], []) == ""


def test_message_is_read_aloud():
    """A message is a status, which a screen reader reads."""
    assert Seen(message("x", "info")).tags[0][1][-1] == ("role", "status")


@given(any_text)
@example(HOSTILE)
@example("x" * 1000)
def test_fit_results_can_be_sent(text):
    """A verdict's texts can be encoded as JSON and respect the limit; a short text in ASCII stays as it was."""
    kept = truncate(replace(VERDICT, **dict.fromkeys(TEXTS, text)), MIN_CHARS, 1)
    assert json.loads(orjson.dumps(result_dict(0, 0, kept)))["outcome"] == "failed"
    assert all(len(getattr(kept, name)) <= MIN_CHARS for name in TEXTS)
    if text.isascii() and len(text) <= MIN_CHARS:
        assert kept.stdout == text


def test_fit_traceback_keeps_its_end():
    """A traceback that is too long loses its beginning: its last line says what was raised."""
    kept = truncate(replace(VERDICT, traceback="first\n" + "x" * 500 + "\nlast", stdout="first" + "x" * 500), 100, 1)
    assert kept.traceback.endswith("\nlast")
    assert kept.stdout.startswith("first")


def test_fit_tests_are_few():
    """If there are too many single tests, the first are kept, and the last, which may be the one that failed."""
    tests = tuple(TestResult(str(number), Outcome.PASSED) for number in range(100))
    assert [each.name for each in truncate(replace(VERDICT, tests=tests), 100, 3).tests] == ["0", "1", "99"]
    assert len(truncate(replace(VERDICT, tests=tests), 100, 100).tests) == 100


@given(any_text, st.floats())
@example(HOSTILE, float("nan"))
def test_fit_tests_can_be_sent(text, seconds):
    """A single test's result, which a candidate may have written, can be encoded as JSON, and is short."""
    test = TestResult(text * 100, Outcome.FAILED, text * 100, seconds, "x" * 1000)
    [sent] = json.loads(orjson.dumps(result_dict(0, 0, truncate(replace(VERDICT, tests=(test,)), 100, 1))))["tests"]
    assert len(sent["name"]) <= MIN_CHARS
    assert isinstance(sent["seconds"], float)


def test_fit_reason_has_no_path():
    """The reason why a program could not be run has no path of the server."""
    assert str(truncate(SandboxUnavailable("no room in /tmp/code-eval-x: full"), 100, 1)) == "no room in …: full"


@given(any_text, any_text)
@example(HOSTILE, HOSTILE)
def test_single_tests_stay_text(name, message):
    """The results of single tests are listed, with their names and messages as text."""
    html, plain = (
        candidate("x", result_dict(0, 0, replace(VERDICT, tests=(TestResult(one, Outcome.FAILED, other),))))
        for one, other in ((name, message), ("a", "b"))
    )
    assert tags_of(html) == tags_of(plain)
