"""Tests that load a library which is missing are an error of the sandbox, and never a candidate's failure."""

import pytest

from sandboxes import EvalConfig, Evaluator, SandboxUnavailable, Task

pytestmark = pytest.mark.languages("perl")
RIGHT, WRONG = "sub add { $_[0] + $_[1] }", "sub add { 0 }"
CHECK = "exit 1 unless add(2, 3) == 5;"


@pytest.fixture(scope="module")
def results():
    """Return a function that runs candidates in Perl."""
    config = EvalConfig.from_options({"language": "perl", "on_sandbox_error": "exclude", "num_workers": 1})
    with Evaluator(config) as evaluator:
        yield lambda tests: evaluator.run([Task(tests, [RIGHT, WRONG])])


@pytest.mark.parametrize("use", ["use No::Such::Library;", "use No::Such 1.2;", "use No::Such qw(a b);", "use No 'a';"])
def test_a_missing_library(results, use):
    """No candidate is judged, and the error names the library."""
    found = results(f"use strict;\n{use}\n{CHECK}")
    assert all(isinstance(each, SandboxUnavailable) for each in found)
    assert f"the tests use {use.split()[1].rstrip(';')}, which is not installed; install it" in str(found[0])


@pytest.mark.parametrize(
    "begin",
    [
        "use strict; use warnings;\nuse 5.010;",
        "use List::Util qw(sum max);\nuse POSIX;\nuse Data::Dumper;",
        "use lib '.';\n# use No::Such;\nmy $text = 'use No::Such;';",
        "eval { require No::Such };",
    ],
)
def test_libraries_that_are_there(results, begin):
    """A pragma, a version, a library of Perl's own and what only looks like one change nothing."""
    right, wrong = results(f"{begin}\n{CHECK}")
    assert right.passed, right
    assert not wrong.passed
