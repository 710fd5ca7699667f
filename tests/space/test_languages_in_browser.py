"""Other languages in a real browser."""

import re

import pytest

from support.browser import expect
from support.languages import require_languages

pytestmark = [pytest.mark.slow, pytest.mark.languages]

JAVA = "class Twice {\n    static int of(int x) { return 2 * x; }\n}\n"
JAVA_TESTS = """\
public class Main {
    public static void main(String[] args) {
        if (Twice.of(2) != 4) throw new AssertionError("2");
    }
}
"""


def choice(visitor):
    """Return the field with the chosen language in the open tab."""
    return visitor.page.get_by_label("Language").and_(visitor.page.locator("input:visible"))


def test_example_in_cpp(visit):
    """The example in C++ chooses the language, for the editors too, and each candidate has its outcome."""
    require_languages("cpp")
    visitor = visit()
    visitor.button("In C++").click()
    expect(choice(visitor)).to_have_value("C++")
    expect(visitor.editor("Candidate 1")).to_have_attribute("data-language", "cpp")
    visitor.button("Run").click()
    expect(visitor.outcomes).to_have_text(["passed", "crashed", "compile error"])
    expect(visitor.results.nth(2)).to_contain_text("greatest_divizor")


def test_program_in_java(visit):
    """A program in Java runs once the language is chosen."""
    require_languages("java")
    visitor = visit()
    expect(visitor.button("In Java")).to_be_visible()
    visitor.write(JAVA, JAVA.replace("2 *", "3 *"), tests=JAVA_TESTS)
    choice(visitor).click()
    visitor.page.get_by_role("option", name="Java", exact=True).click()
    # The last candidate that was added is open.
    expect(visitor.editor("Candidate 2")).to_have_attribute("data-language", "cpp")
    visitor.button("Run").click()
    expect(visitor.outcomes).to_have_text(["passed", "failed"])


def test_only_languages_that_are_there(visit):
    """A sandbox that has only Python offers only Python, and replaces the language that was chosen before."""
    visitor = visit()
    expect(visitor.button("Input and output")).to_be_visible()
    choice(visitor).click()
    visitor.page.get_by_role("option", name="Bash", exact=True).click()
    visitor.page.get_by_role("radio", name="restricted").and_(visitor.page.locator(":visible")).click()
    expect(choice(visitor)).to_have_value("Python")
    choice(visitor).click()
    expect(visitor.page.get_by_role("option")).to_have_text([re.compile("Python")])
