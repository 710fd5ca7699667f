"""`code-eval report`: what it reads, and the page that it writes."""

import base64
import gzip
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import hypothesis.strategies as st
import pytest
from hypothesis import example, given
from run_files import (
    BROKEN,
    FAILED,
    PASSED,
    SETTINGS,
    data_of,
    record_end,
    record_error,
    results,
    write_lines,
    write_record,
)
from scoring import code_eval, python

from code_tasks import report_samples
from code_tasks.datasets import BadInput
from code_tasks.record_file import JsonlRecorder
from code_tasks.recording import record_result
from code_tasks.report_data import read_run
from code_tasks.report_figures import BINS, MOST_ROWS, decades, heat_map, histogram
from code_tasks.report_page import as_json, body, page
from code_tasks.solver import FinalResult, Grade, Task

any_text = st.text() | st.text("<>&'\"/=- \n\t!script\u2028\ud800")
any_value = st.recursive(st.none() | st.booleans() | st.floats() | any_text, lambda each: st.lists(each, max_size=2))


class Tags(HTMLParser):
    """What a browser finds in HTML: its tags with the names of their attributes, and its text."""

    def __init__(self, html):
        super().__init__(convert_charrefs=True)
        self.tags, self.text = [], ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, [name for name, _ in attrs]))

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The lines of a "record" and of "results", and the "path" of a folder."""
    path = tmp_path_factory.mktemp("runs")
    lines = [json.loads(line) for line in write_record(path / "run.jsonl").read_text().splitlines()]
    return {"path": path, "record": lines, "results": results()}


@pytest.fixture
def record(tmp_path):
    """A record that an attempt's lines can be added to: (recorder, a function that reads the run)."""
    path = write_record(tmp_path / "run.jsonl", {"t/0": []}, tries=1)
    recorder = JsonlRecorder(path, resume=True)

    def read():
        recorder.close()
        return read_run(path)

    yield recorder, read
    recorder.close()


def test_record_and_results_are_the_same_run(tmp_path):
    """A record and results of the same attempts have the same samples and scores."""
    one = read_run(write_record(tmp_path / "run.jsonl"))
    other = read_run(write_lines(tmp_path / "results.jsonl", results()))
    known = [[(each.task_id, each.number, each.correct, each.outcome, each.code) for each in run.samples]
             for run in (one, other)]  # fmt: skip
    assert known[0][:-1] == known[1][:-1]
    assert (one.summary.accuracy, one.summary.system_errors) == (other.summary.accuracy, 1)
    assert (one.summary.accuracy, other.summary.missing_tasks) == (pytest.approx((1 / 3 + 0 + 1) / 3), ())


def test_what_a_record_says_of_itself(tmp_path):
    """A record has its solver, settings and the date of its last line."""
    run = read_run(write_record(tmp_path / "run.jsonl", solver="chat some-model"))
    assert (run.solver, run.settings, run.undone) == ("chat some-model", SETTINGS, 0)
    html = page(run)
    assert "<h1>chat some-model</h1>" in html
    assert "<dd>subprocess</dd>" in html
    assert f"{run.date:%Y-%m-%d %H:%M} UTC" in html


def test_gzipped_file(tmp_path):
    """A file may be gzipped."""
    path = write_lines(tmp_path / "results.jsonl", results())
    (tmp_path / "results.jsonl.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert len(read_run(tmp_path / "results.jsonl.gz").samples) == 9


def test_attempt_without_an_end(tmp_path):
    """Attempts of a record that have no result yet are counted, and the page says so."""
    run = read_run(write_record(tmp_path / "run.jsonl", {"t/0": [PASSED], "t/1": []}, tries=2))
    assert run.undone == 3
    html = page(run)
    assert "The run is not finished: 3 attempts have no result yet." in html
    assert "This result is not valid: 1 of 2 tasks have no attempt that could be run" in html


def test_system_error_is_not_wrong(record):
    """An attempt that infrastructure ended counts neither as right nor as wrong, and is listed as not run."""
    recorder, read = record
    record_end(recorder, Task("t/0", ()), BROKEN)
    [sample] = read().samples
    assert (sample.correct, sample.outcome) == (None, "not_run")
    assert sample.detail == "SandboxUnavailable: the engine is gone"


def test_error_of_the_solver_is_wrong(record):
    """An attempt that an exception of the solver ended is wrong, with its class, message and traceback."""
    recorder, read = record
    record_end(recorder, Task("t/0", ()), KeyError("answer"))
    run = read()
    [sample] = run.samples
    assert (sample.correct, sample.outcome, run.solver_errors) == (False, "failed", 1)
    html = page(run)
    assert "the solver raised KeyError: &#x27;answer&#x27;" in html
    assert "Traceback: here" in html


def test_tries_that_were_retried_do_not_count(record):
    """An error that is tried again is no end of an attempt."""
    recorder, read = record
    record_error(recorder, Task("t/0", ()), BROKEN, is_final=False)
    record_end(recorder, Task("t/0", (), retry_idx=1), PASSED)
    assert [each.correct for each in read().samples] == [True]


def test_last_end_counts(record):
    """Of an attempt that ended twice, because it was run again after an error, the later end counts."""
    recorder, read = record
    record_end(recorder, Task("t/0", ()), BROKEN)
    record_end(recorder, Task("t/0", ()), FAILED)
    assert [each.outcome for each in read().samples] == ["failed"]


@pytest.mark.parametrize(("score", "outcome"), [(1.0, "passed"), (0.5, "failed")])
def test_graded_without_a_sandbox(record, score, outcome):
    """An attempt that no sandbox graded has the grader's word and its log."""
    recorder, read = record
    record_result(recorder, Task("t/0", ()), FinalResult(Grade(score, "half of it"), candidate="pass"), 1.0)
    run = read()
    assert [(each.outcome, each.detail, each.code) for each in run.samples] == [(outcome, "half of it", "pass")]
    assert "half of it" in page(run) or score == 1


@pytest.mark.parametrize("write", [write_record, lambda path: write_lines(path, results())])
def test_torn_last_line(tmp_path, write):
    """A last line that is cut off is left out, and the page says so."""
    path = write(tmp_path / "run.jsonl")
    path.write_bytes(path.read_bytes()[:-20])
    run = read_run(path)
    assert len(run.samples) == 8
    assert "last line is cut off" in page(run)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "there is nothing in it to report; give a record that `code-eval solve` wrote"),
        ("\n\n", "there is nothing in it"),
        ("{\n{}\n", "run.jsonl:1: not JSON"),
        ("[1]\n", "run.jsonl:1: not a JSON object, but [1]"),
        ('{"task_id": "t"}\n', "run.jsonl:1: no 'completion' as results have it"),
        ('{"record_type": "other"}\n', "run.jsonl:1: not a line of a record: its record_type is 'other'"),
        ('{"record_type": "step", "timestamp": 1}\n', "this record has no spec"),
        ('{"record_type": "step", "timestamp": "now"}\n', "timestamp is not a number"),
    ],
)
def test_file_of_something_else(tmp_path, content, said):
    """A file that is no record and no results is an error that names the line and what to give."""
    (tmp_path / "run.jsonl").write_text(content)
    with pytest.raises(BadInput, match=re.escape(said)):
        read_run(tmp_path / "run.jsonl")


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
def test_field_that_is_wrong(tmp_path, field, value):
    """A line with a field that can't be right is an error that names the line."""
    lines = results()
    lines[1][field] = value
    with pytest.raises(BadInput, match=re.escape("results.jsonl:2: ")):
        read_run(write_lines(tmp_path / "results.jsonl", lines))


@given(data=st.data())
@pytest.mark.parametrize("kind", ["record", "results"])
def test_any_value_is_read_or_refused(folder, kind, data):
    """Whatever value stands in whatever field, the file is read or it is refused with a clear error."""
    lines = [dict(line) for line in folder[kind]]
    # In a record: the spec, a sampling, and matches and errors.
    at = data.draw(st.integers(0, len(lines) - 1))
    lines[at][data.draw(st.sampled_from(sorted(lines[at])))] = data.draw(any_value)
    path = write_lines(folder["path"] / "changed.jsonl", lines)
    try:
        body(read_run(path))
    except BadInput as error:
        assert str(error).startswith(f"{path}:")


@given(any_text)
@example("</script><!--<script>\u2028</pre></details><img src=x onerror=alert(1)>")
def test_texts_of_samples_stay_texts(folder, hostile):
    """Whatever a sample, a task, a solver or a setting is called or wrote, the page has no tag but ours."""
    pages = [Tags("\n".join(body(run_with(folder["path"], text)))) for text in ("x", f"x{hostile}")]
    assert pages[1].tags == pages[0].tags
    "\n".join(body(run_with(folder["path"], hostile))).encode()


def run_with(folder, text):
    """A run in which this text stands wherever one may."""
    verdict = replace(FAILED, **dict.fromkeys(("detail", "traceback", "stdout", "stderr"), text), isolation=(text,))
    lines = results({text: [verdict], "other": [BROKEN]})
    for line in lines:
        line["completion"] = text
    run = read_run(write_lines(folder / "hostile.jsonl", lines))
    return replace(run, solver=text, settings={text: text}, notes=(text,))


@given(value=any_text | st.dictionaries(any_text, any_text))
def test_data_stays_in_its_element(value):
    """Data in the page hold nothing that a browser takes for the end of their element, and are read as they were."""
    text = as_json(value)
    assert text.isascii()
    assert "<" not in text
    assert json.loads(text) == value


def test_only_our_scripts_are_allowed(tmp_path):
    """The page's policy allows its own scripts by their hashes, and nothing to be loaded."""
    html = page(read_run(write_record(tmp_path / "run.jsonl")))
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', html)
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(each.encode()).digest()).decode()}'" for each in scripts]
    assert len(hashes) == 2
    assert f"default-src 'none'; script-src {' '.join(hashes)};" in policy


def test_evidence_of_a_failing_sample(tmp_path):
    """A failing sample has its code, its tests, its traceback and what it wrote."""
    text = Tags(report_samples.failing_samples(read_run(write_record(tmp_path / "run.jsonl")))).text
    for part in ("return a * b", "test_large", "not 50", 'File "tests.py", line 1', "six", "a warning"):
        assert part in text


def test_passing_samples_are_not_listed(tmp_path):
    """A run in which everything passed has no failing samples to list."""
    run = read_run(write_record(tmp_path / "run.jsonl", {"t/0": [PASSED]}, tries=1))
    assert "There are none." in report_samples.failing_samples(run)


def test_most_samples_that_are_listed(tmp_path, monkeypatch):
    """Of very many failing samples as many tasks as possible are listed, and how many are left out is said."""
    monkeypatch.setattr(report_samples, "MOST_SHOWN", 4)
    html = report_samples.failing_samples(read_run(write_lines(tmp_path / "r.jsonl", results({
        "t/0": [FAILED] * 5, "t/1": [FAILED] * 5, "t/2": [FAILED]
    }))))  # fmt: skip
    assert "Shown are 4 of 11" in html
    assert "all of them are in r.jsonl" in html
    assert re.findall(r"t/(\d) · attempt (\d)", html) == [("0", "0"), ("0", "1"), ("1", "0"), ("2", "0")]


def test_long_texts_are_clipped(tmp_path):
    """Of a very long text the page has the beginning and the end, and says how much is left out."""
    verdict = replace(FAILED, stdout="begin" + "x" * 1_000_000 + "end")
    html = report_samples.failing_samples(read_run(write_lines(tmp_path / "r.jsonl", results({"t": [verdict]}))))
    assert len(html) < 20_000
    assert re.search(r"beginx+\n\[990,008 characters are left out\]\nx+end", html)


def test_rows_of_the_heat_map(tmp_path):
    """The heat map has a row per task, those that are solved least first, and a cell per attempt."""
    found = heat_map(read_run(write_lines(tmp_path / "r.jsonl", results())))
    assert found["tasks"] == ["t/1", "t/0", "t/2"]
    named = [[found["outcomes"][cell] for cell in row] for row in found["cells"]]
    assert named[0] == ["failed"] * 3
    assert named[1:] == [["passed", "failed", "timed_out"], ["passed", "passed", "not_run"]]


def test_most_rows_of_the_heat_map(tmp_path):
    """Of very many tasks the heat map has the hardest, and its caption says so."""
    tasks = {f"t/{number}": [PASSED] for number in range(MOST_ROWS)} | {"last": [FAILED]}
    run = read_run(write_lines(tmp_path / "r.jsonl", results(tasks)))
    assert (len(heat_map(run)["tasks"]), heat_map(run)["tasks"][0]) == (MOST_ROWS, "last")
    assert f"Shown are the first {MOST_ROWS:,} of {MOST_ROWS + 1:,} tasks." in page(run)


@given(values=st.lists(st.floats(1e-4, 1e6), min_size=1))
def test_histogram_counts_each_value(values):
    """Every value is in a bar of its histogram, whatever the values' range."""
    found = histogram({"passed": values}, str)
    assert sum(found["counts"]["passed"]) == len(values)
    assert len(found["centers"]) == len(found["labels"]) == BINS


def test_histogram_of_nothing():
    """Without values there is no histogram."""
    assert histogram({}, str) == {}


def test_round_numbers():
    """A logarithmic axis has its ticks at round numbers, more of them where the range is small."""
    assert decades(0.02, 300) == pytest.approx([0.1, 1, 10, 100])
    assert decades(0.9, 12) == pytest.approx([1, 2, 5, 10])


def test_curve_is_over_the_same_tasks(tmp_path):
    """pass@k is drawn for those k that all tasks have enough attempts for, and the page says where it ends."""
    path = write_lines(tmp_path / "r.jsonl", results({"a": [PASSED, FAILED, PASSED], "b": [PASSED, FAILED]}))
    html = page(read_run(path))
    assert [point["k"] for point in data_of(html)["pass_at_k"]] == [1, 2]
    assert "pass@k is shown for k up to 2" in html


def test_command_writes_beside_the_input(tmp_path):
    """The page goes beside the input, under its name, and the command says where and how large it is."""
    done = code_eval("report", write_record(tmp_path / "run.jsonl"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{tmp_path / 'run.html'}: 9 attempts at 3 tasks, 4.")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.html", "run.jsonl"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["missing.jsonl"], "can't read missing.jsonl"),
        (["run.jsonl", "--output", "run.jsonl"], "which is what it is about"),
        (["run.jsonl", "--output", "no/where.html"], "can't write no/where.html"),
    ],
)
def test_command_refuses(tmp_path, options, said):
    """What can't be read, and what can't be written, is an error of one line, and the input stays as it is."""
    before = write_record(tmp_path / "run.jsonl").read_bytes()
    done = python("-m", "code_tasks.cli", "report", *options, cwd=tmp_path)
    assert done.returncode != 0
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "run.jsonl").read_bytes() == before


def test_without_plotly(tmp_path):
    """Without plotly the command names the extra to install."""
    path = write_record(tmp_path / "run.jsonl")
    start = "import sys; sys.modules['plotly'] = None; from code_tasks.cli import app; app()"
    done = python("-c", start, "report", path)
    assert done.returncode == 1
    assert "pip install 'code-eval-sandboxes[report]'" in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["run.jsonl"]
