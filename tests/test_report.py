"""`code-eval report`: the page that it writes."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import hypothesis.strategies as st
import pytest
from hypothesis import example, given
from run_files import BROKEN, FAILED, PASSED, data_of, results, write_lines, write_record
from scoring import code_eval, python

from code_tasks import report_samples
from code_tasks.report_data import read_run
from code_tasks.report_figures import BINS, MOST_ROWS, decades, heat_map, histogram
from code_tasks.report_page import as_json, body, page

any_text = st.text() | st.text("<>&'\"/=- \n\t!script\u2028\ud800")


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
    """A folder for runs."""
    return tmp_path_factory.mktemp("runs")


@given(any_text)
@example("</script><!--<script>\u2028</pre></details><img src=x onerror=alert(1)>")
def test_texts_of_samples_stay_texts(folder, hostile):
    """Whatever a sample, a task, a solver or a setting is called or wrote, the page has no tag but ours."""
    pages = [Tags("\n".join(body(run_with(folder, text)))) for text in ("x", f"x{hostile}")]
    assert pages[1].tags == pages[0].tags
    "\n".join(body(run_with(folder, hostile))).encode()


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
        (["run.jsonl", "--output", "run.jsonl"], "would overwrite"),
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
