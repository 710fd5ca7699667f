"""The comparison of runs: tasks in both, flipped verdicts, tasks that one run solves, settings, cost."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given

from code_tasks.reports import comparison_page, comparison_text
from code_tasks.reports.comparison import as_json, compare_runs
from code_tasks.reports.comparison_page import page
from code_tasks.reports.comparison_text import as_text
from code_tasks.reports.data import AttemptData, ReportData, read_report_data
from code_tasks.reports.html_parts import visible
from reports.test_page import HOSTILE, Tags, any_text
from support.run_files import BROKEN, FAILED, HANGING, PASSED, results, write_lines, write_record

BASELINE = {
    "t/0": [PASSED, FAILED],
    "t/1": [PASSED],
    "t/2": [FAILED],
    "t/3": [PASSED],
    "t/4": [BROKEN],
    "t/5": [PASSED],
}
OTHER = {"t/0": [PASSED, PASSED], "t/1": [HANGING], "t/2": [PASSED], "t/3": [BROKEN], "t/4": [PASSED], "t/9": [PASSED]}


@pytest.fixture
def write(tmp_path):
    """Return a function that writes results, and reads them as a run."""

    def run(name, attempts, summary=None):
        lines = results(attempts) + ([] if summary is None else [{"summary": summary}])
        return read_report_data(write_lines(tmp_path / name, lines))

    return run


@pytest.fixture
def comparison(write):
    """Provide the comparison of OTHER with BASELINE."""
    [comparison] = compare_runs([write("a.jsonl", BASELINE), write("b.jsonl", OTHER)])
    return comparison


def test_tasks_in_both(comparison):
    """Tasks are compared that have a verdict in both runs: a sample that could not be run has none."""
    assert list(comparison.common) == ["t/0", "t/1", "t/2"]
    assert (comparison.only_in_baseline, comparison.only_in_other) == (["t/3", "t/5"], ["t/4", "t/9"])


def test_difference(comparison):
    """pass@k is that of the tasks in both runs."""
    [difference], left_out = comparison.differences
    assert (difference.baseline.mean, difference.other.mean) == pytest.approx((0.5, 2 / 3))
    assert difference.tasks == 3
    assert left_out == []


def test_flips(comparison):
    """A flip is a sample that passed in one run alone, with the verdict of each."""
    flips = [(flip.baseline.task_id, flip.baseline.number, flip.other.outcome) for flip in comparison.flips]
    assert flips == [("t/0", 1, "passed"), ("t/1", 0, "timed_out"), ("t/2", 0, "passed")]
    assert comparison.pairs == 4


def test_the_same_program_comes_first(comparison):
    """Flips with the same program in both runs come first, because the models are not their reason."""
    others = dict(comparison.other.tasks)
    others["t/2"] = {0: replace(others["t/2"][0], code=comparison.baseline.tasks["t/2"][0].code)}
    [changed] = compare_runs([comparison.baseline, replace(comparison.other, tasks=others)])
    assert [flip.same_program for flip in changed.flips] == [True, False, False]
    assert changed.flips[0].baseline.task_id == "t/2"
    assert "1 of them with the same program" in as_text([changed])


def test_solved_by_one_run(comparison):
    """A task is solved if one of its samples passes."""
    assert comparison.solved_by_baseline_alone == ["t/1"]
    assert comparison.solved_by_other_alone == ["t/2"]


attempts = st.dictionaries(
    st.sampled_from("abcd"), st.dictionaries(st.integers(0, 3), st.sampled_from([True, False, None]), max_size=4)
)


def run_of(correct):
    """Return a run from {task: {number: whether it is correct}}."""
    outcomes = {True: "passed", False: "failed", None: "not_run"}
    tasks = {
        task_id: {number: AttemptData(task_id, number, each, outcomes[each]) for number, each in task.items()}
        for task_id, task in correct.items()
    }
    return ReportData(Path("run.jsonl"), tasks, 0, "", {}, datetime.fromtimestamp(0, UTC))


@given(attempts, attempts)
def test_exchanged_runs(old, new):
    """If the runs are exchanged, each difference has the other sign, and what one has is what the other has."""
    [forth] = compare_runs([run_of(old), run_of(new)], [1, 2])
    [back] = compare_runs([run_of(new), run_of(old)], [1, 2])
    assert forth.only_in_baseline == back.only_in_other
    assert set(forth.solved_by_baseline_alone) == set(back.solved_by_other_alone)
    assert len(forth.flips) == len(back.flips)
    for one, other in zip(forth.differences[0], back.differences[0], strict=True):
        assert one.difference == pytest.approx(-other.difference)
        assert one.p_value == pytest.approx(other.p_value)


def test_settings(write):
    """Settings that differ are named, with those inside objects, but not the hash of the samples."""
    runs = [
        write(name, BASELINE, {"settings": {"samples": name, "problems": "x", "limits": {"wall_seconds": seconds}}})
        for name, seconds in (("a", 3.0), ("b", 10.0))
    ]
    [comparison] = compare_runs(runs)
    assert [vars(each) for each in comparison.changed_settings] == [
        {"name": "limits.wall_seconds", "baseline": 3.0, "other": 10.0}
    ]
    assert "setting limits.wall_seconds: 3.0 -> 10.0" in as_text([comparison])


@pytest.mark.parametrize(("other", "named"), [(BASELINE, True), (OTHER, False)])
def test_other_problems(write, other, named):
    """Other problems under the same names are named. Files with other tasks have other problems anyway."""
    runs = [write("a", BASELINE, {"settings": {"problems": "x"}}), write("b", other, {"settings": {"problems": "y"}})]
    assert ("the problems differ" in as_text(compare_runs(runs))) is named


def test_cost(write):
    """A run has the seconds of the run, if the file says so, and those of its programs."""
    runs = [write("a", {"t": [PASSED, FAILED, BROKEN]}, {"wall_seconds": 1.5}), write("b", {"t": [HANGING]})]
    data = as_json(compare_runs(runs))
    names = ("run_seconds", "wall_seconds", "cpu_seconds", "samples", "not_run")
    assert [data["baseline"][name] for name in names] == [1.5, pytest.approx(0.52), 0.01, 3, 1]
    assert [data["others"][0][name] for name in names] == [None, 3.0, 0, 1, 0]


def test_run_logs_of_solvers(tmp_path, write):
    """A run log of a solver is compared as results are."""
    log = read_report_data(write_record(tmp_path / "log.jsonl", {"t/0": [FAILED, PASSED], "t/1": [FAILED]}))
    [comparison] = compare_runs([write("a.jsonl", BASELINE), log])
    assert [flip.other.outcome for flip in comparison.flips] == ["failed", "passed", "failed"]


def test_text(comparison):
    """The text has the runs, the difference without an interval of few tasks, the flips and the solved tasks."""
    text = as_text([comparison])
    assert "\nB against A\n  3 tasks in both; left out: 2 only in A, 2 only in B\n" in text
    assert "pass@1       50.0 ± 28.9   66.7 ± 33.3       +16.7   -" in text
    assert "no interval: fewer than 5 tasks differ" in text
    assert "3 of 4 verdicts flipped: 2 passed only in B, 1 only in A\n" in text
    assert "    t/1        0  passed                                  timed out: ran for more than 3 s\n" in text
    assert "tasks that only A solves: 1: t/1\n  tasks that only B solves: 1: t/2\n" in text


def test_text_is_bounded(write, monkeypatch):
    """A text has the first flips and tasks, and how many more there are; long names are cut."""
    monkeypatch.setattr(comparison_text, "MAX_FLIPS_SHOWN", 2)
    monkeypatch.setattr(comparison_text, "MAX_TASKS_SHOWN", 2)
    names = [f"{number}{'x' * 10_000}" for number in range(5)]
    runs = [write(name, dict.fromkeys(names, [result])) for name, result in (("a", FAILED), ("b", PASSED))]
    text = as_text(compare_runs(runs))
    assert "    ... and 3 more; --json has all" in text
    assert f"only B solves: 5: 0{'x' * 36}..., 1{'x' * 36}... and 3 more\n" in text
    assert len(text) < 2000


@given(any_text)
def test_text_has_no_control_characters(text):
    """Whatever tasks and details are called, the text has no character that moves or colours text."""
    runs = [run_of({f"x{text}": {0: correct}}) for correct in (True, False)]
    lines = as_text(compare_runs(runs)).split("\n")
    assert all(line.isprintable() for line in lines)


def test_json_has_everything(comparison):
    """The JSON has each flip with the programs and what they wrote, and None in place of what is not known."""
    data = json.loads(json.dumps(as_json([comparison]), allow_nan=False))
    [other] = data["others"]
    assert other["pass_at_k"][0]["interval"] is None
    flip = other["flips"][0]
    assert (flip["task_id"], flip["completion_id"], flip["same_program"]) == ("t/0", 1, False)
    assert flip["baseline"]["stdout"] == "six\n"
    assert "return a * b" in flip["baseline"]["completion"]
    assert flip["other"]["outcome"] == "passed"


def test_three_runs(write):
    """Each further run is compared with the first."""
    runs = [write("a", BASELINE), write("b", OTHER), write("c", {"t/1": [FAILED]})]
    text = as_text(compare_runs(runs))
    assert "B against A" in text and "C against A" in text
    assert [len(each["flips"]) for each in as_json(compare_runs(runs))["others"]] == [3, 1]


def test_page(comparison):
    """The page has the estimates, the tasks and the evidence of both sides of each flip."""
    text = Tags(page([comparison])).text
    for part in ("3 tasks in both", "66.7 ± 33.3", "Tasks that only B solves: 1", "return a * b", "six", "not 50"):
        assert part in text
    assert "<script" not in page([comparison])


def hostile_comparison(folder, text):
    """Return a comparison in which this text stands in names, details, programs and outputs."""
    runs = []
    for name, verdict in (("a", PASSED), ("b", replace(FAILED, detail=text, stdout=text, traceback=text))):
        lines = results({text: [verdict]})
        for line in lines:
            line["completion"] = text
        path = write_lines(folder / name, [*lines, {"summary": {"settings": {name: text}}}])
        runs.append(replace(read_report_data(path), source=folder / text.replace("/", "|"), notes=(text,)))
    return compare_runs(runs)


def test_texts_stay_texts(tmp_path):
    """Hostile texts of candidates, tasks, files and settings are text for a browser, and add no tag or attribute."""
    plain, changed = (Tags(page(hostile_comparison(tmp_path, text))) for text in ("x", HOSTILE))
    assert changed.tags == plain.tags
    assert visible(HOSTILE).split()[-1] in changed.text


def test_page_is_bounded(write, monkeypatch):
    """A page has as many flips as fit, and says how many there are."""
    monkeypatch.setattr(comparison_page, "MAX_SAMPLES", 3)
    tasks = [f"t/{number}" for number in range(5)]
    runs = [write(name, dict.fromkeys(tasks, [result])) for name, result in (("a", FAILED), ("b", PASSED))]
    text = Tags(page(compare_runs(runs))).text
    assert "Shown are 3 of 5" in text
    assert text.count(" · sample ") == 3
