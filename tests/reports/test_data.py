"""The files that `code-eval report` reads, run logs and results, and the errors for other files."""

import gzip
import json
import re
from dataclasses import replace

import hypothesis.strategies as st
import pytest
from hypothesis import given

from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.readers import InputError
from code_tasks.reports.data import read_report_data, with_problems
from code_tasks.reports.page import body, page
from code_tasks.solvers.interface import FinalResult, Grade, Task
from code_tasks.solvers.record.format import record_result
from code_tasks.solvers.record.writer import JsonlRecorder
from support.metric_and_command import PROBLEM
from support.run_files import (
    BROKEN,
    FAILED,
    PASSED,
    SETTINGS,
    record_end,
    record_error,
    results,
    write_lines,
    write_record,
)

any_text = st.text() | st.text("<>&'\"/=- \n\t!script\u2028\ud800")
any_value = st.recursive(
    st.none() | st.booleans() | st.floats() | any_text, lambda values: st.lists(values, max_size=2)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Provide the lines of a "run log" and of "results", and the "path" of a folder."""
    path = tmp_path_factory.mktemp("runs")
    lines = [json.loads(line) for line in write_record(path / "run.jsonl").read_text().splitlines()]
    return {"path": path, "run log": lines, "results": results()}


@pytest.fixture
def run_log(tmp_path):
    """Provide a run log that lines can be added to: (recorder, a function that reads the run)."""
    path = write_record(tmp_path / "run.jsonl", {"t/0": []}, tries=1)
    recorder = JsonlRecorder(path, resume=True)

    def read():
        recorder.close()
        return read_report_data(path)

    yield recorder, read
    recorder.close()


def test_run_log_and_results_are_the_same_run(tmp_path):
    """A run log and results of the same attempts have the same attempts and scores."""
    one = read_report_data(write_record(tmp_path / "run.jsonl"))
    other = read_report_data(write_lines(tmp_path / "results.jsonl", results()))
    names = ("task_id", "number", "correct", "outcome", "code")
    attempts = [[[getattr(attempt, name) for name in names] for attempt in report.attempts] for report in (one, other)]
    assert attempts[0][:-1] == attempts[1][:-1]
    assert (one.summary.accuracy, one.summary.system_errors) == (other.summary.accuracy, 1)
    assert (one.summary.accuracy, other.summary.missing_tasks) == (pytest.approx((1 / 3 + 0 + 1) / 3), ())


def test_facts_of_a_run_log(tmp_path):
    """A run log gives the solver, the settings and the date of its last line."""
    run = read_report_data(write_record(tmp_path / "run.jsonl", solver="chat some-model"))
    assert (run.solver, run.settings, run.unfinished) == ("chat some-model", SETTINGS, 0)
    html = page(run)
    assert "<h1>chat some-model</h1>" in html
    assert "<dd>subprocess</dd>" in html
    assert f"{run.date:%Y-%m-%d %H:%M} UTC" in html


def test_gzipped_file(tmp_path):
    """A file may be gzipped."""
    path = write_lines(tmp_path / "results.jsonl", results())
    (tmp_path / "results.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert len(read_report_data(tmp_path / "results.jsonl.gz").attempts) == 9


def test_tasks_without_a_problem(tmp_path):
    """Tasks that a file of problems does not have are counted in a note."""
    run = read_report_data(write_lines(tmp_path / "r.jsonl", results()))
    problems = write_lines(tmp_path / "p.jsonl", [{**PROBLEM, "task_id": "t/1"}, {**PROBLEM, "task_id": "else"}])
    report = with_problems(run, problems)
    assert list(report.problems) == ["t/1"]
    assert report.notes == ("2 tasks are shown without prompt and tests: p.jsonl does not have them.",)


def test_problems_of_another_run(tmp_path):
    """Problems that are none of the run's are an error."""
    run = read_report_data(write_lines(tmp_path / "r.jsonl", results()))
    problems = write_lines(tmp_path / "p.jsonl", [{**PROBLEM, "task_id": "else"}])
    with pytest.raises(InputError, match=r"p\.jsonl has none of the 3 tasks in .*r\.jsonl"):
        with_problems(run, problems)


@pytest.mark.parametrize(
    ("settings", "language", "expected"),
    [
        ({"kinds": {"language": "go"}}, "", "go"),
        ({"kinds": {"language": "go"}}, "rust", "rust"),
        ({}, "", "python"),
        ({"kinds": 5}, "", "python"),
        ({"kinds": {"language": ["go"]}}, "", "python"),
    ],
)
def test_language_of_a_task(tmp_path, settings, language, expected):
    """The language is that of the problem, or else of the run, or else Python; settings may hold anything."""
    run = read_report_data(write_lines(tmp_path / "r.jsonl", [*results(), {"summary": {"settings": settings}}]))
    problem = Problem("t/0", "", "x", language)
    assert replace(run, problems={"t/0": problem}).language_of("t/0") == expected


def test_attempt_without_an_end(tmp_path):
    """The attempts of a run log without a result are counted, and the page says so."""
    run = read_report_data(write_record(tmp_path / "run.jsonl", {"t/0": [PASSED], "t/1": []}, tries=2))
    assert run.unfinished == 3
    html = page(run)
    assert "The run is not finished: 3 samples have no result yet." in html
    assert "This result is not valid: 1 of 2 tasks have no sample that could be run" in html


def test_system_error_is_not_wrong(run_log):
    """An attempt that infrastructure ended counts neither as right nor as wrong, and is listed as not run."""
    recorder, read = run_log
    record_end(recorder, Task("t/0", ()), BROKEN)
    [sample] = read().attempts
    assert (sample.correct, sample.outcome) == (None, "not_run")
    assert sample.detail == "SandboxUnavailable: the engine is gone"


def test_error_of_the_solver_is_wrong(run_log):
    """An attempt that an exception of the solver ended is wrong, with its class, message and traceback."""
    recorder, read = run_log
    record_end(recorder, Task("t/0", ()), KeyError("answer"))
    run = read()
    [sample] = run.attempts
    assert (sample.correct, sample.outcome, run.solver_errors) == (False, "failed", 1)
    html = page(run)
    assert "the solver raised KeyError: &#39;answer&#39;" in html
    assert "Traceback: here" in html


def test_tries_that_were_retried_do_not_count(run_log):
    """An error that is tried again does not end an attempt."""
    recorder, read = run_log
    record_error(recorder, Task("t/0", ()), BROKEN, is_final=False)
    record_end(recorder, Task("t/0", (), retry_idx=1), PASSED)
    assert [attempt.correct for attempt in read().attempts] == [True]


def test_last_end_counts(run_log):
    """If an attempt ended twice, because it was run again after an error, the later end counts."""
    recorder, read = run_log
    record_end(recorder, Task("t/0", ()), BROKEN)
    record_end(recorder, Task("t/0", ()), FAILED)
    assert [attempt.outcome for attempt in read().attempts] == ["failed"]


@pytest.mark.parametrize(("score", "outcome"), [(1.0, "passed"), (0.5, "failed")])
def test_graded_without_a_sandbox(run_log, score, outcome):
    """An attempt that no sandbox graded has the grader's score and its log."""
    recorder, read = run_log
    record_result(recorder, Task("t/0", ()), FinalResult(Grade(score, "half of it"), candidate="pass"), 1.0)
    run = read()
    assert [(attempt.outcome, attempt.detail, attempt.code) for attempt in run.attempts] == [
        (outcome, "half of it", "pass")
    ]
    assert "half of it" in page(run) or score == 1


@pytest.mark.parametrize("write", [write_record, lambda path: write_lines(path, results())])
def test_torn_last_line(tmp_path, write):
    """A last line that is cut off is left out, and the page says so."""
    path = write(tmp_path / "run.jsonl")
    path.write_bytes(path.read_bytes()[:-20])
    run = read_report_data(path)
    assert len(run.attempts) == 8
    assert "last line is cut off" in page(run)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "there is nothing in it to report; give a run log that `code-eval solve` wrote"),
        ("\n\n", "there is nothing in it"),
        ("{\n{}\n", "run.jsonl:1: not JSON"),
        ("[1]\n", "run.jsonl:1: not a JSON object, but [1]"),
        ('{"task_id": "t"}\n', "run.jsonl:1: missing key 'completion'"),
        ('{"record_type": "other"}\n', "run.jsonl:1: not a line of a run log: its record_type is 'other'"),
        ('{"record_type": "step", "timestamp": 1}\n', "the run log has no spec"),
        ('{"record_type": "step", "timestamp": "now"}\n', "timestamp is not a number"),
    ],
)
def test_file_of_something_else(tmp_path, content, message):
    """A file that is neither a run log nor results is an error that names the line and the valid files."""
    (tmp_path / "run.jsonl").write_text(content)
    with pytest.raises(InputError, match=re.escape(message)):
        read_report_data(tmp_path / "run.jsonl")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("outcome", "<b>"),
        ("detail", 1),
        ("stdout", None),
        ("grading", "x"),
        ("wall_seconds", -1),
        ("wall_seconds", float("nan")),
        ("cpu_seconds", True),
        ("peak_memory_bytes", 10**400),
        ("isolation", [1]),
        ("tests", [{"name": "t", "message": "", "outcome": "x"}]),
        ("tests", [{"name": "t", "outcome": "passed"}]),
        ("completion_id", 0.5),
        ("completion_id", 0),
    ],
)
def test_invalid_field(tmp_path, field, value):
    """A line with an invalid field is an error that names the line."""
    lines = results()
    lines[1][field] = value
    with pytest.raises(InputError, match=re.escape("results.jsonl:2: ")):
        read_report_data(write_lines(tmp_path / "results.jsonl", lines))


@given(data=st.data())
@pytest.mark.parametrize("kind", ["run log", "results"])
def test_any_value_is_read_or_refused(folder, kind, data):
    """A file is read, or refused with an error that names the file, for every value of every field."""
    lines = [dict(line) for line in folder[kind]]
    # A run log has the spec, a sampling, matches and errors.
    at = data.draw(st.integers(0, len(lines) - 1))
    lines[at][data.draw(st.sampled_from(sorted(lines[at])))] = data.draw(any_value)
    path = write_lines(folder["path"] / "changed.jsonl", lines)
    try:
        body(read_report_data(path))
    except InputError as error:
        assert str(error).startswith(f"{path}:")
