"""The metric with samples that are added bit by bit, and its copies in other processes."""

import os
import pickle

import numpy as np
import pandas
import pytest

from sandboxes import SandboxUnavailable
from support.metric_and_command import RIGHT, TESTS, TWO_TASKS, WRONG, load_metric, texts

FIRST = {"predictions": [[RIGHT]], "references": [TESTS]}
SECOND = {"predictions": [[WRONG]], "references": [TESTS]}
# The second to fourth candidates fail because of their texts, and the last one for another reason.
POISONED = ["x = 1", "x = '\ud800'", "x = '\0'", "\udfff", "1 / 0"]


@pytest.fixture
def metric(tmp_path):
    """Provide a newly loaded metric with a cache folder of its own."""
    return load_metric(cache_dir=str(tmp_path))


@pytest.fixture
def fails(monkeypatch):
    """Return a function that lets a compute fail inside: (metric, **samples)."""

    def unavailable(*_):
        raise SandboxUnavailable("no room")

    def compute(metric, **samples):
        with monkeypatch.context() as patch:
            patch.setattr("sandboxes.blocking_evaluator.warm_pool", unavailable)
            with pytest.raises(SandboxUnavailable, match="no room"):
                metric.compute(**samples, k=1)

    return compute


def cache_files(metric):
    """Return the names of the metric's files on disk, except those that only mark a lock."""
    return [name for name in os.listdir(metric.data_dir) if not name.endswith(".lock")]


@pytest.mark.slow
def test_two_batches(metric):
    """Tasks added in two batches are scored together, in the order in which they were added."""
    metric.add_batch(**SECOND)
    metric.add_batch(**FIRST)
    pass_at_k, results = metric.compute(k=1)
    assert pass_at_k == {"pass@1": 0.5}
    assert texts(results) == [["failed: not the sum"], ["passed"]]


def test_one_by_one(metric):
    """Tasks may be added one at a time."""
    metric.add(prediction=[RIGHT, WRONG], reference=TESTS)
    metric.add(prediction=[WRONG, WRONG], reference=TESTS)
    assert metric.compute(k=[1, 2])[0] == {"pass@1": 0.25, "pass@2": 0.5}


def test_added_and_given(metric):
    """Tasks given to `compute` come after the tasks that were added before."""
    metric.add_batch(**SECOND)
    assert texts(metric.compute(**FIRST, k=1)[1]) == [["failed: not the sum"], ["passed"]]


def test_scored_once(metric):
    """Scored tasks are not scored again with the next ones."""
    metric.add_batch(**FIRST)
    metric.compute(k=1)
    metric.add_batch(**SECOND)
    assert texts(metric.compute(k=1)[1]) == [["failed: not the sum"]]


def test_nothing_added(metric):
    """`compute` without samples is a ValueError, not a score."""
    with pytest.raises(ValueError, match="add_batch"):
        metric.compute(k=1)


def test_in_memory():
    """The metric works with samples kept in memory."""
    metric = load_metric(keep_in_memory=True)
    metric.add_batch(**TWO_TASKS)
    assert metric.compute(k=1)[0] == {"pass@1": 0.5}


def direct_texts(metric):
    """Provide the texts of the poisoned candidates when they are given to `compute` at once."""
    return texts(metric.compute(predictions=[POISONED], references=["x"], k=1)[1])


def test_text_that_is_no_text_in_a_batch(metric):
    """Lone surrogates and NULs pass through `add_batch` unchanged. Each fails only its own candidate, with a reason."""
    expected = direct_texts(metric)
    metric.add_batch(predictions=[POISONED], references=["x"])
    assert texts(metric.compute(k=1)[1]) == expected


def test_text_that_is_no_text_by_itself(metric):
    """Lone surrogates and NULs pass through `add` unchanged."""
    expected = direct_texts(metric)
    metric.add(prediction=POISONED, reference="x")
    assert texts(metric.compute(k=1)[1]) == expected


@pytest.mark.parametrize(
    "kind",
    [
        lambda column: np.array(column, dtype=object),
        pandas.Series,
        lambda column: [np.array(each) for each in column],
    ],
    ids=["numpy", "pandas", "list of numpy"],
)
def test_text_that_is_no_text_in_an_array(metric, kind):
    """A lone surrogate in an array or a pandas column fails only its own candidate."""
    expected = direct_texts(metric)
    metric.add_batch(predictions=kind([POISONED]), references=["x"])
    assert texts(metric.compute(k=1)[1]) == expected


@pytest.mark.parametrize(
    "options", [{"k": 0}, {"timeout": -1}, {"foo": 1}, {"sandbox": "dokcer"}, {"k": 1, "num_workers": 0}], ids=str
)
def test_wrong_options_leave_the_samples(metric, options):
    """A compute with invalid options leaves the added samples for a corrected compute."""
    metric.add_batch(**TWO_TASKS)
    with pytest.raises((ValueError, TypeError)):
        metric.compute(**options)
    assert metric.compute(k=1)[0] == {"pass@1": 0.5}


def test_closed_gate_leaves_the_samples(metric, monkeypatch):
    """A compute that the gate stops leaves the added samples."""
    metric.add_batch(**TWO_TASKS)
    with monkeypatch.context() as patch:
        patch.delenv("HF_ALLOW_CODE_EVAL")
        with pytest.raises(ValueError, match="HF_ALLOW_CODE_EVAL"):
            metric.compute(k=1)
    assert metric.compute(k=1)[0] == {"pass@1": 0.5}


@pytest.mark.parametrize("keep_in_memory", [False, True])
def test_failure_leaves_the_samples(fails, keep_in_memory):
    """Computes that fail inside leave each added sample once."""
    metric = load_metric(keep_in_memory=keep_in_memory)
    metric.add_batch(**FIRST)
    metric.add_batch(**SECOND)
    fails(metric)
    fails(metric)
    assert texts(metric.compute(k=1)[1]) == [["passed"], ["failed: not the sum"]]


def test_failure_forgets_what_it_was_given(metric, fails):
    """A failed compute leaves the samples added before, and drops those that it was given itself."""
    metric.add_batch(**SECOND)
    fails(metric, **FIRST)
    assert texts(metric.compute(k=1)[1]) == [["failed: not the sum"]]


def test_failure_keeps_text_that_is_no_text(metric, fails):
    """Lone surrogates and NULs survive a failed compute too."""
    expected = direct_texts(metric)
    metric.add_batch(predictions=[POISONED], references=["x"])
    fails(metric)
    assert texts(metric.compute(k=1)[1]) == expected


def test_adding_goes_on_after_a_failure(metric, fails):
    """More tasks can be added after a failed compute."""
    metric.add_batch(**FIRST)
    fails(metric)
    metric.add_batch(**SECOND)
    assert texts(metric.compute(k=1)[1]) == [["passed"], ["failed: not the sum"]]


def test_no_file_stays(metric, fails):
    """The cache folder holds no samples after a failed compute and a successful one."""
    metric.add_batch(**FIRST)
    assert cache_files(metric)
    fails(metric)
    metric.compute(k=1)
    assert cache_files(metric) == []


def test_mismatch_leaves_the_samples(metric):
    """A compute whose own samples don't match leaves the samples added before."""
    metric.add_batch(**FIRST)
    with pytest.raises(ValueError, match="Mismatch|predictions"):
        metric.compute(predictions=[[RIGHT], [RIGHT]], references=[TESTS], k=1)
    assert texts(metric.compute(k=1)[1]) == [["passed"]]


@pytest.mark.parametrize(
    ("predictions", "references"),
    [([[RIGHT], None], [TESTS] * 2), ([[RIGHT], []], [TESTS] * 2), ([["x", 3]], ["x"]), ([[RIGHT]] * 2, [TESTS, 3])],
    ids=["None", "no candidates", "candidate is a number", "tests are a number"],
)
def test_bad_batch_is_refused(metric, predictions, references):
    """An invalid batch is refused when it is added, so that earlier batches can still be scored."""
    metric.add_batch(**FIRST)
    with pytest.raises((ValueError, TypeError)):
        metric.add_batch(predictions=predictions, references=references)
    assert texts(metric.compute(k=1)[1]) == [["passed"]]


def test_flat_batch_is_refused(metric):
    """Predictions that are a flat list of strings are an error in a batch too."""
    with pytest.raises((ValueError, TypeError), match="list"):
        metric.add_batch(predictions=["x = 1"], references=["x"])


@pytest.mark.parametrize("when", ["before", "after", "after batches"])
def test_pickle(metric, when):
    """The metric can be pickled before and after `compute`, and the copy gives the same score."""
    if when == "after":
        metric.compute(**TWO_TASKS, k=1)
    if when == "after batches":
        metric.add_batch(**TWO_TASKS)
        metric.compute(k=1)
    copy = pickle.loads(pickle.dumps(metric))
    assert copy.compute(**TWO_TASKS, k=1)[0] == {"pass@1": 0.5}
    copy.add_batch(**TWO_TASKS)
    assert copy.compute(k=1)[0] == {"pass@1": 0.5}


CASES = {
    "a list": [{"input": "2", "output": "4"}],
    "a dict": {"inputs": ["2"], "outputs": ["4"]},
    "JSON": '[{"input": "2", "output": "4"}]',
    "calls": {"inputs": [[2]], "outputs": [4], "fn_name": "double"},
}
DOUBLES = "def double(n):\n    return 2 * n\nif __name__ == '__main__':\n    print(double(int(input())))"


@pytest.mark.parametrize("way", ["compute", "add_batch", "add"])
def test_cases_by_each_way_in(way):
    """Lists of cases, dicts and JSON may stand beside code, however the samples are given."""
    metric = load_metric()
    references = [*CASES.values(), "assert double(2) == 4"]
    predictions = [[DOUBLES]] * len(references)
    given = {}
    if way == "compute":
        given = {"predictions": predictions, "references": references}
    elif way == "add_batch":
        metric.add_batch(predictions=predictions, references=references)
    else:
        for candidates, reference in zip(predictions, references, strict=True):
            metric.add(prediction=candidates, reference=reference)
    pass_at_k, results = metric.compute(**given, k=1, timeout=20.0)
    assert pass_at_k == {"pass@1": 1.0}
    assert [[test["name"] for test in results[task][0][1]["tests"]] for task in results] == [
        *[["case 1"]] * 4,
        ["double(2) == 4"],
    ]
