"""The page that `code-eval report` writes."""

import base64
import hashlib
import html
import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import hypothesis.strategies as st
import pytest
from hypothesis import example, given

from code_tasks.benchmarks.problems import Problem
from code_tasks.reports import samples as report_samples
from code_tasks.reports.data import read_report_data
from code_tasks.reports.figures import BINS, histogram, round_numbers
from code_tasks.reports.html_parts import PACKAGE, templates, visible
from code_tasks.reports.page import body, page
from sandboxes import Outcome, SandboxUnavailable, TestResult
from support.metric_and_command import code_eval, python
from support.run_files import FAILED, PASSED, data_of, results, write_lines, write_record

any_text = st.text() | st.text("<>&'\"/=- \n\t!script\u2028\ud800")
HOSTILE = "</script><!--<script>alert(1)</script>\u2028</pre></details><img src=x onerror=alert(1)>'\"&lt;\x1b[3m\ud800"


CODE_TAGS = [
    *(("span", {"class": name}) for name in ("ce-code-line", "k", "s", "c", "m", "nf", "nc", "nb")),
    ("mark", {"class": "ce-code-line", "title": "the line that failed"}),
]
"""The tags of lines and syntax colours, of which code has as many as it needs."""


class Tags(HTMLParser):
    """A parser that finds what a browser finds in HTML.

    It has the tags with the names of their attributes, but for CODE_TAGS inside of code, and the text.
    """

    def __init__(self, markup):
        super().__init__(convert_charrefs=True)
        self.tags, self.text, self.is_in_code = [], "", False
        # A plain str, because parts of a Markup are Markup too, which would escape added texts again.
        self.feed(str(markup))
        self.close()

    def handle_starttag(self, tag, attrs):
        if self.is_in_code and (tag, dict(attrs)) in CODE_TAGS:
            return
        self.is_in_code |= tag == "pre" and dict(attrs)["class"] == "ce-code"
        self.tags.append((tag, [name for name, _ in attrs]))

    def handle_endtag(self, tag):
        self.is_in_code &= tag != "pre"

    def handle_data(self, data):
        self.text += data


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Provide a folder for runs."""
    return tmp_path_factory.mktemp("runs")


@pytest.mark.slow
@given(any_text)
@example(HOSTILE)
def test_texts_of_samples_stay_texts(folder, hostile):
    """Whatever a sample, a task, a solver or a setting is called or wrote, the page has no tag but ours."""
    plain, changed = (Tags(body(report_with(folder, text))) for text in ("x", f"x{hostile}"))
    assert changed.tags == plain.tags
    body(report_with(folder, hostile)).encode()


def report_with(folder, text):
    """Return the data of a report in which this text stands in every field that takes one."""
    return report_with_fields(folder, dict.fromkeys(FIELDS, text))


def report_with_fields(folder, texts):
    """Return the data of a report in which some of FIELDS have these texts, and the others have "x"."""
    texts = {**dict.fromkeys(FIELDS, "x"), **texts}
    verdict = replace(
        FAILED,
        **{name: texts[name] for name in ("detail", "traceback", "stdout", "stderr")},
        isolation=(texts["isolation"],),
        tests=(TestResult(texts["test name"], Outcome.FAILED, texts["test message"]),),
    )
    lines = results({texts["task id"]: [verdict], "other": [SandboxUnavailable(texts["reason"])]})
    for line in lines:
        line["completion"] = texts["code"]
    report = read_report_data(write_lines(folder / "hostile.jsonl", lines))
    error = replace(report.tasks["other"][0], number=1, traceback=texts["exception"], error_class=texts["exception"])
    problem = Problem(texts["task id"], texts["prompt"], texts["tests"], texts["language"])
    return replace(
        report,
        problems={texts["task id"]: problem},
        source=folder / texts["file name"],
        tasks={**report.tasks, "other": {**report.tasks["other"], 1: error}},
        solver=texts["solver"],
        settings={texts["setting"]: texts["value of a setting"]},
        notes=(texts["note"],),
    )


FIELDS = (
    *("task id", "code", "detail", "traceback", "stdout", "stderr", "isolation", "test name", "test message"),
    *(
        "prompt",
        "tests",
        "language",
        "reason",
        "exception",
        "file name",
        "solver",
        "setting",
        "value of a setting",
        "note",
    ),
)


@pytest.mark.parametrize("field", FIELDS)
def test_hostile_text_in_a_field_is_inert(folder, field):
    """A hostile text in any field that comes from outside is text for a browser, and adds no tag or attribute."""
    # A path has no "/" in its name.
    text = HOSTILE.replace("/", "|") if field == "file name" else HOSTILE
    plain, changed = (Tags(body(report_with_fields(folder, {field: each}))) for each in ("x", text))
    assert changed.tags == plain.tags
    # The language chooses colours, and is not shown.
    shown = "" if field == "language" else visible(text)
    # Some fields are one line in a file of results, and code keeps its lines.
    assert " ".join(shown.split()) in " ".join(changed.text.replace("␤", " ").split())


@pytest.mark.parametrize("field", ["solver", "file name"])
def test_hostile_title_is_inert(folder, field, monkeypatch):
    """A hostile name of a solver or a file is text in the page's title too."""
    monkeypatch.setattr("code_tasks.reports.page.plotly_script", lambda: "")
    text = HOSTILE.replace("/", "|")
    names = [{"solver": "", **{field: each}} for each in ("x", text)]
    plain, changed = (Tags(page(report_with_fields(folder, each))) for each in names)
    assert changed.tags == plain.tags
    assert f"{visible(text)}: Code Eval report" in changed.text


@given(value=any_text | st.dictionaries(any_text, any_text))
def test_data_stays_in_its_element(value):
    """Data in the page hold nothing that a browser takes for the end of their element, and are read as they were."""
    text = templates(PACKAGE).from_string("{{ value | tojson }}").render(value=value)
    assert text.isascii()
    assert "<" not in text
    assert json.loads(text) == value


@pytest.mark.parametrize("template", ["{{ missing }}", "{{ value.missing }}", "{{ value['missing'] }}"])
def test_missing_value_is_an_error(template):
    """A template that prints a value that is not there fails: nothing is left out silently."""
    with pytest.raises(Exception, match="missing"):
        templates(PACKAGE).from_string(template).render(value={})


def test_only_our_scripts_are_allowed(tmp_path):
    """The page's policy allows its own scripts by their hashes, and nothing to be loaded."""
    text = page(read_report_data(write_record(tmp_path / "run.jsonl")))
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    scripts = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in scripts]
    assert len(hashes) == 2
    assert f"default-src 'none'; script-src {' '.join(hashes)};" in html.unescape(policy)


def test_evidence_of_a_failing_sample(tmp_path):
    """A failing sample has its code, its tests, its traceback and what it wrote."""
    text = Tags(report_samples.failing_samples(read_report_data(write_record(tmp_path / "run.jsonl")))).text
    for part in ("return a * b", "test_large", "not 50", 'File "tests.py", line 1', "six", "a warning"):
        assert part in text


def test_program_taken_out_of_an_answer(tmp_path):
    """A sample whose program is a part of its answer has both, and how the answer was read."""
    read = replace(FAILED, program="def add(a, b):\n    return 6\n", reading="a block of code")
    run = read_report_data(write_lines(tmp_path / "results.jsonl", results({"t/0": [read]})))
    text = Tags(report_samples.failing_samples(run)).text
    for part in ("Program: a block of code", "return 6", "Answer", "return a * b"):
        assert part in text


def test_hints_on_answers(tmp_path):
    """The page says what the command says of chat answers, and of a name that all samples of a task lack."""
    broken = replace(FAILED, outcome=Outcome.COMPILE_ERROR, detail="SyntaxError: invalid syntax")
    nameless = replace(FAILED, detail="NameError: name 'List' is not defined")
    lines = results({"t/0": [broken], "t/1": [nameless] * 2})
    lines[0]["completion"] = "Sure:\n```python\npass\n```\n"
    text = Tags(body(read_report_data(write_lines(tmp_path / "results.jsonl", lines)))).text
    assert "1 of 1 compile error looks like a chat answer; try --extract auto" in text
    assert "all samples of 1 task fail with NameError: name 'List' is not defined" in text


def test_passing_samples_are_not_listed(tmp_path):
    """A run in which everything passed has no failing samples to list."""
    run = read_report_data(write_record(tmp_path / "run.jsonl", {"t/0": [PASSED]}, tries=1))
    assert "There are none." in report_samples.failing_samples(run)


def test_number_of_listed_samples_is_limited(tmp_path, monkeypatch):
    """If there are too many failing samples, each task is listed first, and the page says how many are listed."""
    monkeypatch.setattr(report_samples, "MAX_SAMPLES", 4)
    section = report_samples.failing_samples(read_report_data(write_lines(tmp_path / "r.jsonl", results({
        "t/0": [FAILED] * 5, "t/1": [FAILED] * 5, "t/2": [FAILED]
    }))))  # fmt: skip
    assert "Shown are 4 of 11" in section
    assert "all of them are in r.jsonl" in section
    assert re.findall(r"t/(\d) · sample (\d)", section) == [("0", "0"), ("0", "1"), ("1", "0"), ("2", "0")]


def test_long_texts_are_clipped(tmp_path):
    """A very long text is shown by its beginning and its end, and the page says how much is left out."""
    verdict = replace(FAILED, stdout="begin" + "x" * 1_000_000 + "end")
    report = read_report_data(write_lines(tmp_path / "r.jsonl", results({"t": [verdict]})))
    section = report_samples.failing_samples(report)
    assert len(section) < 20_000
    assert re.search(r"beginx+\n\[990,008 characters are left out\]\nx+end", section)


@given(values=st.lists(st.floats(1e-4, 1e6), min_size=1))
def test_histogram_counts_each_value(values):
    """Every value is in a bar of its histogram, whatever the values' range."""
    figure = histogram({"passed": values}, str)
    assert sum(figure["counts"]["passed"]) == len(values)
    assert len(figure["centers"]) == len(figure["labels"]) == BINS


def test_histogram_of_nothing():
    """Without values there is no histogram."""
    assert histogram({}, str) == {}


def test_round_numbers():
    """A logarithmic axis has its ticks at round numbers, and more of them if the range is small."""
    assert round_numbers(0.02, 300) == pytest.approx([0.1, 1, 10, 100])
    assert round_numbers(0.9, 12) == pytest.approx([1, 2, 5, 10])


def test_curve_is_over_the_same_tasks(tmp_path):
    """pass@k is drawn up to the last k that all tasks have enough attempts for, and the page names that k."""
    path = write_lines(tmp_path / "r.jsonl", results({"a": [PASSED, FAILED, PASSED], "b": [PASSED, FAILED]}))
    text = page(read_report_data(path))
    assert [point["k"] for point in data_of(text)["pass_at_k"]] == [1, 2]
    assert "pass@k is shown for k up to 2" in text


@pytest.mark.slow
def test_command_writes_beside_the_input(tmp_path):
    """The page goes beside the input, under its name, and the command prints its path and size."""
    done = code_eval("report", write_record(tmp_path / "run.jsonl"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"{tmp_path / 'run.html'}: 9 samples of 3 tasks, 4.")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.html", "run.jsonl"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["missing.jsonl"], "can't read missing.jsonl"),
        (["run.jsonl", "--output", "run.jsonl"], "would overwrite"),
        (["run.jsonl", "--output", "no/where.html"], "can't write no/where.html"),
    ],
)
def test_command_refuses(tmp_path, options, message):
    """A file that can't be read or written is an error of one line, and the input stays as it is."""
    before = write_record(tmp_path / "run.jsonl").read_bytes()
    done = python("-m", "code_tasks.cli", "report", *options, cwd=tmp_path)
    assert done.returncode != 0
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert (tmp_path / "run.jsonl").read_bytes() == before


@pytest.mark.slow
@pytest.mark.parametrize("library", ["plotly", "jinja2", "pygments"])
def test_without_a_library(tmp_path, library):
    """Without plotly, Jinja2 or Pygments the command names the extra to install."""
    path = write_record(tmp_path / "run.jsonl")
    start = f"import sys; sys.modules[{library!r}] = None; from code_tasks.cli.main import app; app()"
    done = python("-c", start, "report", path)
    assert done.returncode == 2
    assert "pip install 'code-eval-sandboxes[report]'" in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["run.jsonl"]


@pytest.mark.slow
def test_metric_and_run_do_not_import_jinja2():
    """The metric and `code-eval run` do not import Jinja2, which only the extras `report` and `space` install."""
    program = "import sys, code_eval, code_tasks.cli, code_tasks.cli.run; assert 'jinja2' not in sys.modules"
    done = python("-c", program)
    assert done.returncode == 0, done.stderr
