"""The command's report: pass@k with its standard error, counts of outcomes, and slow and failing tasks."""

import math
from statistics import stdev

import pytest

from code_tasks.scoring.estimates import pass_at_k, pass_at_k_from_counts
from code_tasks.scoring.summary import Tally, as_text
from code_tasks.solvers.estimates import pass_estimates
from sandboxes import Outcome, SandboxUnavailable, Verdict, result_dict

PASSED, FAILED = Verdict(Outcome.PASSED), Verdict(Outcome.FAILED, detail="AssertionError: wrong")
BROKEN = SandboxUnavailable("broke")


def task(passed, failed, broken=0):
    """Return the results of a task's samples."""
    return [PASSED] * passed + [FAILED] * failed + [BROKEN] * broken


def text_of(results, ks=None):
    """Return the report on the results of tasks' samples, for a run of one second."""
    tally = Tally()
    for task_id, samples in results.items():
        for number, each in enumerate(samples):
            tally.add(task_id, result_dict(task_id, number, each))
    return as_text(tally, ks, 1.0)


def rows_of(results, ks=None):
    """Return the words of each line of the report."""
    return [line.split() for line in text_of(results, ks).splitlines()]


def test_mean_over_tasks():
    """pass@k is the mean over tasks, which all have the same weight."""
    [estimate], _ = pass_at_k({"a": task(1, 0), "b": task(1, 3)}, [1])
    assert estimate.mean == pytest.approx((1 + 0.25) / 2)


def test_standard_error_is_clustered():
    """The standard error is that of the tasks' means, because samples of one task are not independent."""
    [estimate], _ = pass_at_k({"a": task(4, 0), "b": task(1, 3), "c": task(2, 2)}, [1])
    assert estimate.standard_error == pytest.approx(stdev([1.0, 0.25, 0.5]) / math.sqrt(3))


def test_standard_error_of_a_larger_k():
    """For k above 1, the standard error is that of the tasks' pass@k."""
    [estimate], _ = pass_at_k({"a": task(1, 3), "b": task(2, 2)}, [2])
    by_task = [1 - 3 / 6, 1 - 1 / 6]
    assert estimate.mean == pytest.approx(sum(by_task) / 2)
    assert estimate.standard_error == pytest.approx(stdev(by_task) / math.sqrt(2))


def test_more_samples_of_the_same_tasks_are_not_more_certain():
    """Ten times as many samples with the same shares have the same standard error."""
    [few], _ = pass_at_k({"a": task(1, 1), "b": task(2, 0)}, [1])
    [many], _ = pass_at_k({"a": task(10, 10), "b": task(20, 0)}, [1])
    assert few.standard_error == pytest.approx(many.standard_error)


def test_error_in_the_report():
    """The report shows pass@k and its standard error in percent."""
    rows = rows_of({"a": task(1, 0), "b": task(1, 3)}, [1])
    assert ["pass@1", *"62.5 ± 37.5 % (95 % interval 25.0 to 100.0)".split()] in rows


def test_tasks_without_spread():
    """Tasks that all have the same value have no interval, and no legend of one."""
    said = text_of({"a": task(2, 0), "b": task(1, 0)}, [1])
    assert "100.0 ± 0.0 %\n" in said and "interval" not in said


@pytest.mark.parametrize("k", [1, 2, 3])
def test_interval_is_that_of_solvers(k):
    """The interval of a k is the one that a solver's summary and the report have for the same counts."""
    counts = {"a": (4, 1), "b": (4, 4), "c": (4, 0), "d": (4, 2)}
    [estimate], _ = pass_at_k_from_counts(counts, [k], with_intervals=True)
    assert estimate.interval == pytest.approx(pass_estimates([*counts.values()])[0][k - 1].interval, abs=1e-12)


def test_interval_does_not_depend_on_the_order():
    """Tasks whose results arrived in another order have the same interval."""
    counts = {str(number): (4, number % 5) for number in range(9)}
    orders = (counts, dict(reversed(counts.items())))
    first, second = (pass_at_k_from_counts(order, [1, 2], with_intervals=True)[0] for order in orders)
    assert [each.interval for each in first] == [each.interval for each in second]


def test_unsolved_tasks():
    """Further tasks that count as unsolved are 0 for each k, and have no part in the number of samples."""
    estimates, left_out = pass_at_k_from_counts({"a": (2, 2), "b": (2, 1)}, [1, 2], unsolved=2)
    assert [estimate.mean for estimate in estimates] == [pytest.approx(1.5 / 4), pytest.approx(2 / 4)]
    assert estimates[0].standard_error == pytest.approx(stdev([1, 0.5, 0, 0]) / 2) and not left_out


def test_empty_samples():
    """The report counts samples without any text."""
    tally = Tally()
    for number, completion in enumerate(("", " \n", "pass")):
        tally.add("a", {**result_dict("a", number, FAILED), "completion": completion})
    assert "\n  2 empty samples\n" in as_text(tally, None, 1.0)


def test_single_task():
    """A single task has a mean and no standard error, and the report shows none."""
    results = {"a": task(1, 1)}
    [estimate], _ = pass_at_k(results, [1])
    assert math.isnan(estimate.standard_error)
    assert ["pass@1", "50.0", "%"] in rows_of(results, [1])


def test_too_large_k():
    """A k above a task's number of samples is left out with a note, and others stay."""
    estimates, left_out = pass_at_k({"a": task(3, 0), "b": task(1, 1)}, [1, 3])
    assert [estimate.k for estimate in estimates] == [1]
    [note] = left_out
    assert "pass@3 is left out" in note
    assert note.endswith("b")


def test_note_in_the_report():
    """The report has a note on a requested k that is left out, and none on a default k."""
    results = {"a": task(1, 1)}
    assert "pass@10 is left out" in text_of(results, [1, 10])
    assert "left out" not in text_of(results, None)


def test_usual_ks():
    """Without ks, the report has those of 1, 10 and 100 for which there are enough samples."""
    shown = [row[0] for row in rows_of({"a": task(5, 5), "b": task(10, 0)}) if row and row[0].startswith("pass@")]
    assert shown == ["pass@1", "pass@10"]


def test_sandbox_errors_count_neither_way():
    """Samples that could not be run count neither as passed nor as failed, and towards no k."""
    estimates, left_out = pass_at_k({"a": task(1, 1, broken=2), "b": task(2, 0)}, [1, 3])
    assert [(estimate.k, estimate.mean) for estimate in estimates] == [(1, 0.75)]
    assert len(left_out) == 1


def test_task_of_sandbox_errors():
    """A task none of whose samples could be run does not count."""
    [estimate], left_out = pass_at_k({"a": task(1, 0), "b": task(0, 0, broken=2)}, [1])
    assert (estimate.mean, left_out) == (1.0, [])


def test_nothing_but_sandbox_errors():
    """If no sample could be run, there is no pass@k, and the report counts the samples that were not run."""
    results = {"a": task(0, 0, broken=2)}
    assert pass_at_k(results, [1]) == ([], [])
    rows = rows_of(results, [1])
    assert ["not", "run", "2"] in [row[:3] for row in rows]
    assert not any(row and row[0] == "pass@1" for row in rows)


def test_outcome_counts():
    """The report counts the samples of each outcome, and leaves out outcomes without samples."""
    results = {"a": [PASSED, FAILED, Verdict(Outcome.CRASHED)], "b": [FAILED]}
    counts = [row for row in rows_of(results) if row and row[0] in {outcome.value for outcome in Outcome}]
    assert counts == [["passed", "1"], ["failed", "2"], ["crashed", "1"]]


def test_slowest_tasks():
    """The report names the five slowest tasks by their longest sample, slowest first."""
    results = {f"t{seconds}": [PASSED, Verdict(Outcome.PASSED, wall_seconds=seconds)] for seconds in range(1, 8)}
    rows = rows_of(results)
    start = rows.index(["slowest", "tasks", "seconds"]) + 1
    assert rows[start:] == [[f"t{seconds}", f"{seconds}.00"] for seconds in (7, 6, 5, 4, 3)]


def test_failing_tasks():
    """The report names the tasks with the lowest share of passed samples, each with its most frequent reason."""
    other = Verdict(Outcome.FAILED, detail="KeyError: 1")
    results = {"a": [PASSED, FAILED], "b": [FAILED, other, other], "c": [PASSED]}
    rows = rows_of(results)
    start = rows.index("failing tasks passed most frequent reason".split()) + 1
    assert rows[start:] == [["b", "0/3", "KeyError:", "1"], ["a", "1/2", "AssertionError:", "wrong"]]


def test_very_many_failing_tasks():
    """Ten failing tasks are named, with the number of others."""
    said = text_of({f"t{number}": [FAILED] for number in range(25)}, None)
    assert "... and 15 more" in said


def test_nothing_failed():
    """If every sample passed, no failing tasks are named."""
    assert "failing tasks" not in text_of({"a": [PASSED]}, None)


def test_line_on_gradings():
    """The report counts tasks by their grading, with the reasons for which "auto" chose "shared"."""
    apart = Verdict(Outcome.PASSED, grading="separate")
    shared = [Verdict(Outcome.PASSED, grading_reason=f"the tests use {name}") for name in ("exec", "exec", "open")]
    results = {"a": [apart], **{str(number): [each] for number, each in enumerate(shared)}}
    assert "  grading: 1 task separate; 3 tasks shared: the tests use exec (2), the tests use open (1)\n" in text_of(
        results
    )
    assert "  grading: 1 task shared\n" in text_of({"a": task(1, 0)})
