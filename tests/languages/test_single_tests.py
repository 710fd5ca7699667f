"""Tests of a language's framework have one result each, which no output of a candidate's forges."""

from functools import cache

import pytest

from sandboxes import EvalConfig, Evaluator, Limits, Outcome, Task
from sandboxes.guest.common.named_tests import MICROSECONDS, TICKET_CHARS, Tickets, read_report
from sandboxes.languages.programs import build_program
from sandboxes.tasks.results import passed_share
from support.framework_programs import FRAMEWORKS
from support.languages import language_pool
from support.requirements import WALL_SECONDS

JUNIT_5 = FRAMEWORKS["JUnit 5"].tests
LANGUAGES = sorted({programs.language for programs in FRAMEWORKS.values()})


@pytest.fixture(params=FRAMEWORKS)
def programs(request):
    """Return the programs of each framework."""
    return FRAMEWORKS[request.param]


@pytest.fixture(scope="module")
def run():
    """Return a function that runs a candidate with tests, once: (language, candidate, tests, **options) -> Verdict."""

    @cache
    def run_one(language, candidate, tests, **options):
        pool = language_pool(language, **options)
        program = build_program(language, candidate, tests, Limits(wall_seconds=WALL_SECONDS))
        [verdict] = pool.run_all([program], 1)
        return verdict

    return run_one


def outcomes(verdict, names):
    """Return the outcomes of the tests with these names; None for one without a result."""
    found = {test.name: test.outcome.value for test in verdict.tests}
    return [found.get(name) for name in names]


def test_all_tests_of_a_right_candidate_have_passed(run, programs):
    """A candidate that passes has a passed result for each test."""
    verdict = run(programs.language, programs.program(programs.right), programs.tests)
    assert (verdict.outcome, *outcomes(verdict, programs.names)) == (Outcome.PASSED, *["passed"] * 3)


def test_each_test_is_told_apart(run, programs):
    """A candidate that is right for some tests has a failed result for the others alone."""
    verdict = run(programs.language, programs.program(programs.wrong), programs.tests)
    assert (verdict.outcome, *outcomes(verdict, programs.names)) == (Outcome.FAILED, "failed", "passed", "failed")


def test_tests_before_an_early_end_keep_their_results(run, programs):
    """A candidate that leaves during a test keeps no result but those of tests before it."""
    verdict = run(programs.language, programs.program(programs.leaves), programs.tests)
    assert verdict.outcome is Outcome.EXITED
    assert outcomes(verdict, programs.names)[2] != "passed"


def test_skipped_tests_have_no_result(run, programs):
    """A test that the framework leaves out is none of the results."""
    verdict = run(programs.language, programs.program(programs.wrong), programs.tests)
    assert not [test.name for test in verdict.tests if "never" in test.name or "skip" in test.name]


def test_tests_take_time(run):
    """A result has the seconds that its test took."""
    programs = FRAMEWORKS["cargo test"]
    verdict = run("rust", programs.program(programs.right), programs.tests)
    [four] = [test for test in verdict.tests if test.name == "four"]
    assert 0.1 <= four.seconds < WALL_SECONDS


def test_messages_of_tests_apart(run):
    """A failed test that runs apart from the candidate has the framework's message, on one line."""
    programs = FRAMEWORKS["test-unit"]
    verdict = run("ruby", programs.program(programs.wrong), programs.tests)
    assert verdict.tests[0].message == "<3> expected but was <2>."


def test_message_of_the_only_failure(run):
    """The only test that has failed has the program's detail."""
    programs = FRAMEWORKS["JUnit 4"]
    verdict = run("java", programs.program("return a == 4 ? 0 : a + b;"), programs.tests)
    [message] = [test.message for test in verdict.tests if test.outcome is Outcome.FAILED]
    assert "four expected:<8> but was:<0>" in message


@pytest.mark.parametrize("name", ["go test", "cargo test", "JUnit 5"])
def test_output_has_no_tickets(run, name):
    """The tickets are in neither the output nor the detail."""
    programs = FRAMEWORKS[name]
    verdict = run(programs.language, programs.program(programs.wrong), programs.tests)
    assert name == "cargo test" or "from the tests" in verdict.stdout
    assert not any(word.isalnum() and len(word) > TICKET_CHARS for word in f"{verdict.stdout} {verdict.detail}".split())


@pytest.mark.languages("go")
def test_partial_credit():
    """With partial credit, the score of a candidate is the share of its framework's tests."""
    programs = FRAMEWORKS["go test"]
    options = {"language": "go", "partial_credit": True, "timeout": WALL_SECONDS}
    with Evaluator(EvalConfig.from_options(options)) as evaluator:
        [verdict] = evaluator.run([Task(programs.tests, [programs.program(programs.wrong)])])
    assert passed_share(verdict) == pytest.approx(1 / 3)


# It repeats what the tests before have written.
READS_BACK = """\
package main
import ("os"; "bytes"; "time")
func add(a, b int) int {
	in, _ := os.Open("/proc/self/fd/1")
	out := os.NewFile(1, "stdout")
	if a == 4 {
		text := make([]byte, 4096)
		in.SetReadDeadline(time.Now().Add(time.Second)) // The sandbox may have read all of it.
		n, _ := in.Read(text)
		out.Write(bytes.Repeat(text[:n], 3))
		return 0
	}
	return a + b
}
"""


def test_a_ticket_that_is_read_back_is_no_other_test_s(run):
    """A candidate that reads the tickets of tests that have passed gets no result for others."""
    verdict = run("go", READS_BACK, FRAMEWORKS["go test"].tests)
    assert outcomes(verdict, FRAMEWORKS["go test"].names) == ["passed", "passed", "failed"]


@pytest.mark.parametrize("thrown", ["org.opentest4j.TestAbortedException", "org.junit.AssumptionViolatedException"])
def test_a_candidate_can_t_abort_tests(run, thrown):
    """What assumptions throw is a failure if the tests assume nothing."""
    tests = FRAMEWORKS["JUnit 5" if "opentest4j" in thrown else "JUnit 4"].tests
    body = f'if (a == 4) throw new {thrown}("no"); return a + b;'
    verdict = run("java", f"class Solution {{ static int add(int a, int b) {{ {body} }} }}", tests)
    assert verdict.outcome is Outcome.FAILED


def test_tests_may_assume(run):
    """A test that its own assumption ends is no failure."""
    tests = FRAMEWORKS["JUnit 5"].tests.replace("@Disabled void never() {", "void never() { Assumptions.abort();")
    assert run("java", "class Solution { static int add(int a, int b) { return a + b; } }", tests).passed


@pytest.mark.parametrize(
    "around",
    [
        "class Assertions { static void assertEquals(int a, int b) {} static void fail(String a) {} }",
        "@interface Test {}",
        "class MethodOrderer { static class OrderAnnotation {} }",
    ],
    ids=["assertions", "annotation", "order"],
)
def test_junit_s_names_are_its_own(run, around):
    """A candidate's class with a name of JUnit's is not what tests mean, whatever they import it by."""
    verdict = run("java", f"class Solution {{ static int add(int a, int b) {{ return 9; }} }}\n{around}", JUNIT_5)
    assert not verdict.passed


def test_junit_s_packages_are_its_own(run):
    """A candidate's class in a package of JUnit's is not loaded in place of JUnit's."""
    candidate = (
        "package org.junit.jupiter.api; public class Assertions { public static void assertEquals(int a, int b) {} "
        "public static void fail(String message) {} }"
    )
    tests = JUNIT_5.replace("Solution.add(", "Math.multiplyExact(")
    assert not run("java", candidate, tests).passed


def test_tests_of_a_package(run):
    """Tests and candidate may be in a package."""
    programs = FRAMEWORKS["JUnit 4"]
    candidate = "package a.b;\n" + programs.program(programs.right)
    assert run("java", candidate, "package a.b;\n" + programs.tests).passed


def test_without_layers_tests_apart_report_nothing(run):
    """Where the candidate could write the report of the tests' process, single tests have no results."""
    programs = FRAMEWORKS["minitest"]
    verdict = run("ruby", programs.program(programs.right), programs.tests, isolation="off")
    assert (verdict.outcome, [test.name for test in verdict.tests]) == (Outcome.PASSED, [""])


def test_unknown_tickets_stay():
    """A text that looks like a ticket, and is none, stays in the output."""
    tickets = Tickets("token", ["one", "two"])
    forged = tickets.half + "0" * (TICKET_CHARS // 2) + "1" * MICROSECONDS
    assert tickets.take(f"before{tickets.all[1]}{5:0{MICROSECONDS}d}{forged}after") == f"before{forged}after"
    assert tickets.results("failed", "no two") == [
        {"name": "one", "outcome": "failed", "seconds": 0, "message": "no two"},
        {"name": "two", "outcome": "passed", "seconds": 5e-6},
    ]


def test_a_run_that_passed_has_no_failed_tests():
    """A test without a ticket in a run that passed was none of those that were run."""
    assert Tickets("token", ["one"]).results("passed", "") == []


@pytest.mark.parametrize(
    "line",
    ["", "passed", "passed\t1\tname", "excellent\t1\tname\t", "passed\tsoon\tname\t", "passed\t-1\tname\t", "\t\t\t"],
)
def test_other_lines_of_a_report_count_for_nothing(line):
    """A line of a report that has not its form is no result."""
    assert [test["name"] for test in read_report(f"{line}\nfailed\t0.5\tname\ta\tb\n".encode())] == ["name"]
