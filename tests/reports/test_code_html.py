"""Code as HTML, with line numbers and syntax colours."""

import re

import hypothesis.strategies as st
import pytest
from hypothesis import example, given

from code_tasks.reports.code_html import MAX_CODE_CHARS, code_html, highlighted_lines
from code_tasks.reports.failing_lines import NumberedCode
from code_tasks.reports.html_parts import visible
from reports.test_page import HOSTILE, Tags, any_text
from sandboxes.languages.registry import LABELS


def shown(code, language="python"):
    """Return the HTML of code."""
    return code_html("Candidate", code, language)


@pytest.mark.slow
@given(any_text, st.sampled_from([*LABELS, "json", "no language", "../x"]))
@example(HOSTILE, "python")
@example("'''\n" + HOSTILE, "python")
@example("# " + HOSTILE, "python")
@example("// " + HOSTILE, "javascript")
@example("\u2028", "python")
@example("\r", "go")
def test_code_stays_text(text, language):
    """Whatever the code is, and in whichever language, the page has our tags alone, and the code's lines as text."""
    html = Tags(shown(NumberedCode(f"x\n{text}"), language))
    assert html.tags == [("h4", []), ("pre", ["class", "tabindex", "data-first-line", "style"])]
    lines = [visible(line.removesuffix("\r")).replace("\n", "␤") for line in f"x\n{text}".rstrip("\n").split("\n")]
    assert html.text == "Candidate" + "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("language", LABELS)
def test_every_language_has_colours(language):
    """A text, which all languages write alike, has a colour in each of them."""
    assert 'class="s">' in "".join(highlighted_lines('f("text")', language))


def test_text_over_several_lines_has_colours_in_each():
    """A text of several lines is coloured line by line, so that no line's element reaches into the next."""
    lines = highlighted_lines('x = """a\n\nb"""\n', "python")
    assert [line.count("<span") - line.count("</span") for line in lines] == [0] * len(lines)
    assert 'class="s">b' in lines[2]


def test_failing_line_is_marked():
    """The line that failed is marked, and no other."""
    html = shown(NumberedCode("a\nb\nc\n", first_line=12, failing_line=13))
    assert re.findall(r"<mark [^>]*>(.*?)\n</mark>", html, re.DOTALL) == ["b"]
    assert html.count("<mark") == 1


def test_middle_of_long_code_is_left_out():
    """Very long code loses its middle, and the lines after that keep their numbers."""
    lines = [f"x{number:04}" for number in range(1, 10_001)]
    html = shown(NumberedCode("\n".join(lines)))
    assert len(Tags(html).text) < MAX_CODE_CHARS + 200
    [(first, line)] = re.findall(r'data-first-line="(\d+)"[^>]*><span class="ce-code-line">.*?\n.*?>(x\d+)\n', html)[1:]
    assert lines[int(first)] == line
    assert "50,000 characters are left out" in html
