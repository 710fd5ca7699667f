"""The map of outcomes: tasks × samples."""

from itertools import pairwise

import hypothesis.strategies as st
import pytest
from hypothesis import given

from code_tasks.reports.data import read_report_data
from code_tasks.reports.outcome_map import MAX_ROWS, OutcomeMap, ranges
from code_tasks.reports.page import body, page
from reports.test_page import Tags
from support.run_files import FAILED, HANGING, PASSED, results, write_lines


def test_rows_of_the_map(tmp_path):
    """The map has a row per task, the hardest first, and a letter per sample."""
    shown = OutcomeMap.of(read_report_data(write_lines(tmp_path / "r.jsonl", results())))
    assert [(row.task_id, row.passed, row.cells) for row in shown.rows] == [
        ("t/1", 0, "FFF"),
        ("t/0", 1, "PFT"),
        ("t/2", 2, "PPN"),
    ]


def test_missing_sample_in_the_map(tmp_path):
    """A task with fewer samples than others has a dash in place of each missing one."""
    run = read_report_data(write_lines(tmp_path / "r.jsonl", results({"a": [FAILED], "b": [PASSED] * 3})))
    assert [row.cells for row in OutcomeMap.of(run).rows] == ["F--", "PPP"]


@pytest.mark.slow
def test_table_has_all_outcomes(tmp_path):
    """The table for screen readers has the number of each sample with its outcome, also those beyond the map."""
    outcomes = [FAILED] * 300 + [PASSED, HANGING] + [FAILED] * 200
    section = Tags(body(read_report_data(write_lines(tmp_path / "r.jsonl", results({"t": outcomes}))))).text
    assert "1 of 502passed: 300; failed: 0 to 299, 302 to 501; timed out: 301" in section


@given(st.sets(st.integers(0, 30)))
def test_ranges_name_each_number(numbers):
    """Neighbours are one range, and the ranges hold the numbers and no other."""
    found = [[int(end) for end in each.split(" to ")] for each in ranges(sorted(numbers)).split(", ") if each]
    assert {number for first, *last in found for number in range(first, (last or [first])[0] + 1)} == numbers
    assert all(second[0] > (first[1:] or first)[0] + 1 for first, second in pairwise(found))


def test_each_row_of_the_map_has_a_name(tmp_path):
    """Each row shows its task's name; a long one loses its middle, because ends tell tasks apart."""
    tasks = ["short", "a/very/long/name/that/two/tasks/share/1", "a/very/long/name/that/two/tasks/share/2"]
    run = read_report_data(write_lines(tmp_path / "r.jsonl", results({task: [FAILED] for task in tasks})))
    names = [row.short_name for row in OutcomeMap.of(run).rows]
    assert names == ["short", "a/very/long/na…/tasks/share/1", "a/very/long/na…/tasks/share/2"]


def test_number_of_rows_of_the_map_is_limited(tmp_path):
    """If there are too many tasks, the map has the hardest ones, and its caption says so."""
    tasks = {f"t/{number}": [PASSED] for number in range(MAX_ROWS)} | {"last": [FAILED]}
    run = read_report_data(write_lines(tmp_path / "r.jsonl", results(tasks)))
    rows = OutcomeMap.of(run).rows
    assert (len(rows), rows[0].task_id) == (MAX_ROWS, "last")
    assert f"Shown are the first {MAX_ROWS:,} of {MAX_ROWS + 1:,} tasks." in page(run)
