"""The metric's answer: what it holds of the results of a run, and in which order."""

from sandboxes import Outcome, Verdict
from sandboxes.tasks.results import metric_output

RESULTS = [Verdict(Outcome.PASSED), Verdict(Outcome.FAILED, detail="wrong"), Verdict(Outcome.PASSED)]


def test_results_are_in_the_order_of_tasks_and_candidates():
    """Each candidate's result is in its place, and tasks may have different numbers of candidates."""
    pass_at_k, results = metric_output([2, 1], [*RESULTS], [1])
    outcomes = {task_id: [(number, result["outcome"]) for number, result in task] for task_id, task in results.items()}
    assert outcomes == {0: [(0, "passed"), (1, "failed")], 1: [(0, "passed")]}
    assert pass_at_k == {"pass@1": 0.75}


def test_verdicts_are_taken_out_of_their_list():
    """A run of many candidates does not hold their verdicts beside their results."""
    run_results = [*RESULTS]
    metric_output([2, 1], run_results, [1])
    assert run_results == []


def test_results_share_nothing_that_can_change():
    """A change of one result changes no other one."""
    verdict = Verdict(Outcome.PASSED, isolation=("seccomp",), repeats=(Outcome.PASSED,))
    _, results = metric_output([2], [verdict, verdict], [1])
    (_, first), (_, second) = results[0]
    for field in ("isolation", "repeats", "tests"):
        first[field].append("more")
        assert "more" not in second[field]
