"""`evaluate_stream`: the results of `compute`, for samples that need not fit into memory."""

import itertools

import pytest

from support.metric_and_command import RIGHT, TESTS, TWO_TASKS, WRONG, load_metric

OPTIONS = {"timeout": 20.0, "num_workers": 2}


@pytest.fixture(scope="module")
def metric():
    """Provide the metric, as evaluate loads it."""
    return load_metric()


def sample(number):
    """Return a sample that is right for every third number."""
    return {"prediction": f"{RIGHT if number % 3 == 0 else WRONG}\n# {number}", "reference": TESTS}


def test_results_are_those_of_compute(metric):
    """Each sample has the result of `compute`, except for times and memory, in the samples' order."""
    samples = [
        {"prediction": candidate, "reference": tests, "task_id": task_id}
        for task_id, (candidates, tests) in enumerate(zip(*TWO_TASKS.values(), strict=True))
        for candidate in candidates
    ]
    _, results = metric.compute(**TWO_TASKS, k=[1], dedupe=False, **OPTIONS)
    of_compute = [result for task in results.values() for _, result in task]
    names = [name for name in of_compute[0] if not name.endswith(("_seconds", "_bytes", "tests"))]
    stream = list(metric.evaluate_stream(samples, **OPTIONS))
    assert [[each[name] for name in names] for each in stream] == [
        [each[name] for name in names] for each in of_compute
    ]


def test_samples_are_taken_as_they_are_needed(metric):
    """An endless stream gives results, and is read only a little ahead."""
    taken = itertools.count()
    stream = metric.evaluate_stream((sample(next(taken)) for _ in itertools.count()), **OPTIONS)
    found = [each["passed"] for each in itertools.islice(stream, 30)]
    stream.close()
    assert found == [number % 3 == 0 for number in range(30)]
    assert next(taken) < 2000


def test_no_samples(metric):
    """A stream without samples gives no results."""
    assert list(metric.evaluate_stream([], **OPTIONS)) == []


@pytest.mark.slow
def test_task_ids(metric):
    """A sample without a task_id has its number as one, and completions are counted among neighbours."""
    samples = [{**sample(0), "task_id": "a"}, {**sample(1), "task_id": "a"}, sample(2), {**sample(3), "task_id": "a"}]
    found = [(each["task_id"], each["completion_id"]) for each in metric.evaluate_stream(samples, **OPTIONS)]
    assert found == [("a", 0), ("a", 1), (2, 0), ("a", 0)]


def test_the_same_are_run_once_if_asked_for(metric):
    """With dedupe a result names the sample that was run for both."""
    samples = [sample(0), sample(1), sample(0)]
    found = [each["duplicate_of"] for each in metric.evaluate_stream(samples, dedupe=True, **OPTIONS)]
    assert found == [None, None, 0]
    assert [each["duplicate_of"] for each in metric.evaluate_stream(samples, **OPTIONS)] == [None] * 3


@pytest.mark.slow
def test_repeats(metric):
    """A sample can be run several times."""
    [result] = metric.evaluate_stream([sample(0)], repeats=3, **OPTIONS)
    assert result["repeats"] == ["passed"] * 3


def test_wrong_options_are_told_at_once(metric):
    """An invalid option is an error before the first result is requested."""
    for options in ({"k": [1]}, {"languages": ["java"]}, {"progress": True}, {"nonsense": 1}):
        with pytest.raises(TypeError, match=f"no .*{next(iter(options))}"):
            metric.evaluate_stream([], **options)
    with pytest.raises(ValueError, match="timeout"):
        metric.evaluate_stream([], timeout=0)


@pytest.mark.parametrize("wrong", [RIGHT, {"prediction": RIGHT}, {"prediction": 1, "reference": TESTS}])
def test_no_sample(metric, wrong):
    """An invalid sample is an error that names its number."""
    stream = metric.evaluate_stream(itertools.chain([sample(0)], [wrong]), **OPTIONS)
    with pytest.raises(TypeError, match="sample 1"):
        list(stream)


def test_the_gate(metric, monkeypatch):
    """Nothing runs unless HF_ALLOW_CODE_EVAL is 1."""
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL")
    with pytest.raises(ValueError, match="HF_ALLOW_CODE_EVAL"):
        metric.evaluate_stream([])
