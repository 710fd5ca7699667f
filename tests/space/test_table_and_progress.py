"""Rows of the table and progress of a run, as the Space sends them."""

from dataclasses import replace

import orjson
from hypothesis import example, given

from sandboxes import Outcome, SandboxUnavailable, result_dict
from space.service import MAX_CELL_CHARS, Progress, progress_with_scores, table_row
from support.hostile_texts import HOSTILE, VERDICT, any_text


@given(any_text)
@example(HOSTILE)
@example("x" * 1000)
def test_rows_can_be_sent(text):
    """A row of the table can be encoded as JSON for any name of a task, and has no cell that is too long."""
    for ended in (replace(VERDICT, detail=text), SandboxUnavailable(text)):
        row = table_row(1, result_dict(text, 0, ended))
        orjson.dumps(row)
        assert all(len(cell) <= MAX_CELL_CHARS for cell in row if isinstance(cell, str))


def test_rows_have_the_tables_columns():
    """A row is number, task, sample, outcome, seconds, MiB, detail."""
    verdict = replace(VERDICT, detail="no", wall_seconds=0.12345)
    assert table_row(7, result_dict("t/0", 2, verdict)) == [7, "t/0", 2, "failed", 0.123, 3, "no"]
    assert table_row(8, result_dict("t/0", 3, SandboxUnavailable("no"))) == [
        *(8, "t/0", 3, "not_run", None, None),
        "excluded: no",
    ]


PASSED = replace(VERDICT, outcome=Outcome.PASSED)


def progress(total, results, is_over=True, by_task=None, ks=(1, 2)):
    """Return the progress of a run of one task."""
    by_task = {"t/0": list(results.values())} if by_task is None else by_task
    return progress_with_scores(total, results, is_over, by_task, ks, 0.0)


def test_progress_of_a_run_that_goes_on():
    """The progress of an unfinished run has numbers, and no score yet."""
    unfinished = progress(3, {0: PASSED, 2: SandboxUnavailable("no")}, is_over=False)
    assert unfinished.counts == {"passed": 1, "not_run": 1}
    assert (unfinished.estimates, unfinished.curve, unfinished.note) == ((), (), "")


def test_progress_of_a_run_that_is_over():
    """The progress of a finished run has pass@k, its curve, and a line for each k that is left out."""
    finished = progress(2, {0: PASSED, 1: VERDICT}, ks=(1, 2, 3))
    assert [(estimate.k, estimate.mean) for estimate in finished.estimates] == [(1, 0.5), (2, 1.0)]
    assert [point.k for point in finished.curve] == [1, 2]
    assert finished.left_out == ["pass@3 is left out: fewer than 3 samples for 1 task, such as t/0"]
    assert finished.note == ""


def test_progress_of_a_run_that_was_stopped():
    """The progress of a stopped run says so, and its score is over the programs that were run."""
    stopped = progress(5, {0: PASSED})
    assert "stopped" in stopped.note
    assert [estimate.mean for estimate in stopped.estimates] == [1.0]


def test_progress_of_a_run_that_was_stopped_at_once():
    """A run that was stopped before any program ended has no score, and is not an error."""
    stopped = progress(5, {}, by_task={"t/0": []})
    assert (stopped.estimates, stopped.curve) == ([], [])
    assert "stopped" in stopped.note
    assert isinstance(stopped, Progress)


def test_a_curve_has_few_points():
    """A task with many candidates has a curve of 50 points at most, from k = 1 on."""
    finished = progress(1000, dict.fromkeys(range(1000), PASSED))
    assert finished.curve[0].k == 1
    assert len(finished.curve) == 50
