"""What a notebook shows of results: a table of the tasks."""

import pickle
from html.parser import HTMLParser

import hypothesis.strategies as st
import pytest
from hypothesis import example, given

from sandboxes import Outcome, SandboxUnavailable, Verdict
from sandboxes.tasks import results_table as table
from sandboxes.tasks.results import MetricResults, metric_output, result_dict

PASSED, FAILED = Verdict(Outcome.PASSED), Verdict(Outcome.FAILED, "AssertionError: f(1) == 2")
BROKEN = SandboxUnavailable("the engine is gone")
HOSTILE = "</td></table><img src=x onerror=alert(1)>'\"&lt;\x1b[3m\u202e\ud800"


class Cells(HTMLParser):
    """A parser that finds the tags of a table, and the texts of its rows."""

    def __init__(self, markup):
        super().__init__()
        self.tags, self.rows = [], []
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, [name for name, _ in attrs]))
        if tag in ("caption", "tr"):
            self.rows.append([])
        if tag in ("caption", "th", "td"):
            self.rows[-1].append("")

    def handle_data(self, data):
        self.rows[-1][-1] += data


def output(*tasks, ks=(1,)):
    """Return the metric's output for the run results of tasks."""
    return metric_output([len(task) for task in tasks], [result for task in tasks for result in task], ks)


def test_rows():
    """Each task has a row: how many candidates passed, the outcomes, and the first failure."""
    shown = output([PASSED, FAILED, Verdict(Outcome.EXITED, "sys.exit(0)")], [PASSED])
    caption, head, *rows = Cells(shown._repr_html_()).rows
    assert caption == ["4 candidates for 2 tasks: 2 passed, 1 failed, 1 left early; pass@1 66.7 %"]
    assert head == ["task", "passed", "outcomes", "first failure"]
    assert rows == [
        ["0", "1/3", "1 passed, 1 failed, 1 left early", "AssertionError: f(1) == 2"],
        ["1", "1/1", "1 passed", ""],
    ]


@pytest.mark.filterwarnings("ignore:1 candidate")
def test_candidates_that_could_not_be_run():
    """A candidate that could not be run is among the outcomes, and neither passed nor failed."""
    [_, _, row] = Cells(output([PASSED, BROKEN])[1]._repr_html_()).rows
    assert row == ["0", "1/1", "1 passed, 1 not run", "excluded: the engine is gone"]


def test_scores_are_with_the_whole_output():
    """The second part of the output is the same table, without the scores."""
    shown = output([PASSED])
    assert Cells(shown[1]._repr_html_()).rows[0] == ["1 candidate for 1 task: 1 passed"]


@given(st.text() | st.text("<>&'\"/= \n"))
@example(HOSTILE)
def test_texts_stay_texts(text):
    """Whatever a task or a message is called, the table has no tag but ours, and no character that moves text."""
    plain, changed = (
        Cells(table.results_table([result_dict(each, 0, Verdict(Outcome.FAILED, each))], {})) for each in ("x", text)
    )
    assert changed.tags == plain.tags
    assert all(cell.isprintable() for row in changed.rows for cell in row)


def test_size_is_bounded():
    """Many tasks, long names and long messages make no long table."""
    long = "&" * 1_000_000
    records = [
        result_dict(f"{number}{long}", 0, Verdict(Outcome.FAILED, long)) for number in range(table.MAX_TASKS + 7)
    ]
    html = table.results_table(records, {})
    assert len(html) < 60_000
    assert Cells(html).rows[-1][0] == "... and 7 more tasks"
    assert len(Cells(html).rows) == table.MAX_TASKS + 3


def test_short_text():
    """The results are one short line as text, in the output too."""
    shown = output([PASSED] * 100, [FAILED] * 100)
    assert repr(shown) == "({'pass@1': 0.5}, <results of 200 candidates for 2 tasks>)"


def test_results_are_a_dict():
    """The results are a dictionary in everything else, which can be pickled and compared."""
    results = output([PASSED], [FAILED])[1]
    assert isinstance(results, dict)
    assert results == dict(results) == pickle.loads(pickle.dumps(results))
    assert repr(dict(results)).startswith("{0: [(0, {'task_id': 0, 'passed': True")
    assert repr(MetricResults()) == "<results of 0 candidates for 0 tasks>"
