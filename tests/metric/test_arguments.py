"""The metric's arguments: invalid ones are errors that name them, and every kind of column is accepted."""

import types

import datasets
import numpy as np
import pandas
import pytest

from support.metric_and_command import RIGHT, TESTS, TWO_TASKS, WRONG, load_metric, texts

NAN = float("nan")


@pytest.fixture(scope="module")
def metric():
    """Provide the metric."""
    return load_metric()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"k": 0}, ValueError, "k must be at least 1, not 0"),
        ({"k": [1, -2]}, ValueError, "k must be at least 1, not -2"),
        ({"k": True}, TypeError, "k must be a whole number, not True"),
        ({"k": "1"}, TypeError, "k must be a whole number, not '1'"),
        ({"k": [1.0]}, TypeError, "k must be a whole number, not 1.0"),
        ({"k": [1, 0]}, ValueError, "k must be at least 1, not 0"),
        ({"timeout": 0}, ValueError, "timeout must be .* above 0, not 0"),
        ({"timeout": -1.5}, ValueError, "timeout must be .* above 0, not -1.5"),
        ({"timeout": NAN}, ValueError, "timeout must be .* above 0, not nan"),
        ({"timeout": float("inf")}, ValueError, "timeout must be a finite number .*, not inf"),
        ({"timeout": "3"}, TypeError, "timeout must be a number of seconds, not '3'"),
        ({"timeout": True}, TypeError, "timeout must be a number of seconds, not True"),
        ({"num_workers": 0}, ValueError, "num_workers must be at least 1, not 0"),
        ({"num_workers": -4}, ValueError, "num_workers must be at least 1, not -4"),
        ({"num_workers": 1.5}, TypeError, "num_workers must be a whole number, not 1.5"),
        ({"num_worker": 4}, TypeError, "no option 'num_worker'; near it is num_workers; the options are k, "),
        ({"on_sandbox_error": "x"}, ValueError, "on_sandbox_error must be one of raise, exclude, not 'x'"),
        ({"sandbox": "dokcer"}, ValueError, "unknown sandbox 'dokcer'; choose one of .*subprocess"),
    ],
    ids=str,
)
def test_options_that_cannot_be_right(metric, options, error, message):
    """An invalid option is an error that names its value, and nothing runs."""
    with pytest.raises(error, match=message):
        metric.compute(**TWO_TASKS, **{"k": 1, **options})


def test_options_before_the_gate(metric, monkeypatch):
    """An invalid option is reported even before there is consent to run code."""
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL")
    with pytest.raises(ValueError, match="k must be at least 1"):
        metric.compute(**TWO_TASKS, k=0)


@pytest.mark.parametrize("value", [None, "", "0", "true"])
def test_gate(metric, monkeypatch, value):
    """Nothing runs unless HF_ALLOW_CODE_EVAL is 1, and the error says what the gate is for and how to open it."""
    monkeypatch.delenv("HF_ALLOW_CODE_EVAL")
    if value is not None:
        monkeypatch.setenv("HF_ALLOW_CODE_EVAL", value)
    with pytest.raises(ValueError, match=r'(?s)nobody has read.*HF_ALLOW_CODE_EVAL"\] = "1"'):
        metric.compute(**TWO_TASKS, k=1)


def test_gate_with_another_value(metric, monkeypatch):
    """A value that is no consent is named."""
    monkeypatch.setenv("HF_ALLOW_CODE_EVAL", "true")
    with pytest.raises(ValueError, match="HF_ALLOW_CODE_EVAL is 'true' now"):
        metric.compute(**TWO_TASKS, k=1)


def test_configuration_name():
    """`evaluate.load(path, "subprocess")` chooses a sandbox."""
    metric = load_metric("subprocess")
    assert metric.config_name == "subprocess"
    assert metric.compute(**TWO_TASKS, k=1)[0] == {"pass@1": 0.5}


def test_unknown_configuration_name():
    """An unknown sandbox as the configuration name is an error when the metric is loaded."""
    with pytest.raises(ValueError, match="unknown sandbox 'dokcer'; choose one of .*subprocess"):
        load_metric("dokcer")


@pytest.mark.parametrize(("loaded", "given", "used"), [("a", None, "a"), ("a", "b", "b"), (None, None, "subprocess")])
def test_which_sandbox(monkeypatch, loaded, given, used):
    """`compute(sandbox=...)` overrides the configuration name, which overrides the default."""
    asked = []

    class Asked(Exception):
        pass

    def note(sandbox, *_):
        asked.append(sandbox.name)
        raise Asked

    def backend(name):
        fake = types.SimpleNamespace(name=name, own_options=(), limit_options=())
        fake.languages, fake.uses_host_files, fake.for_sources = None, True, lambda _: fake
        fake.checked, fake.auto_grading, fake.has_policy = lambda: fake, "auto", False
        return fake

    backends = {name: backend(name) for name in ("a", "b", "subprocess")}
    for module in ("backends.registry", "config"):
        monkeypatch.setattr(f"sandboxes.{module}.BACKENDS", backends)
    monkeypatch.setattr("sandboxes.blocking_evaluator.warm_pool", note)
    options = {} if given is None else {"sandbox": given}
    with pytest.raises(Asked):
        load_metric(*([loaded] if loaded else [])).compute(**TWO_TASKS, k=1, **options)
    assert asked == [used]


@pytest.mark.parametrize(
    ("predictions", "references", "error", "message"),
    [
        ([], [], ValueError, "nothing to score"),
        ([[RIGHT], []], [TESTS, TESTS], ValueError, r"no candidates for task\(s\) 1"),
        ([[]], [TESTS], ValueError, r"no candidates for task\(s\) 0"),
        ([[RIGHT]], [TESTS, TESTS], ValueError, "1 predictions, but 2 references"),
        ([[RIGHT], [RIGHT]], [TESTS], ValueError, "2 predictions, but 1 references"),
        (
            ["x = 1"],
            [""],
            TypeError,
            r"predictions\[0\] must be a list of candidates, not .*; a single one is a list of one",
        ),
        ("x = 1", "", TypeError, "predictions must be a list, not 'x = 1'; a single task is a list of one"),
        ([["x"], None], ["", ""], TypeError, r"predictions\[1\] must be a list of candidates, not None"),
        ([["x"], ["x", 3]], ["", ""], TypeError, r"predictions\[1\]\[1\] must be a string, not 3"),
        ([[b"x"]], [""], TypeError, r"predictions\[0\]\[0\] must be a string, not b'x'"),
        ([[None]], [""], TypeError, r"predictions\[0\]\[0\] must be a string, not None"),
        ([["x"], ["x"]], ["", 3], TypeError, r"references\[1\]: tests must be a string, or a list .* not 3"),
        (
            [["x"]],
            [["assert x"]],
            TypeError,
            r"references\[0\]: tests must be a string, .* not \['assert x'\]; join asserts with line breaks",
        ),
    ],
)
def test_samples_that_cannot_be_right(metric, predictions, references, error, message):
    """Invalid samples are an error that names their position, before anything runs."""
    with pytest.raises(error, match=message):
        metric.compute(predictions=predictions, references=references, k=1)


@pytest.mark.parametrize("given", ["predictions", "references"])
def test_half_of_the_samples(metric, given):
    """Predictions without references, and references without predictions, are an error that says so."""
    with pytest.raises(ValueError, match="both predictions and references"):
        metric.compute(**{given: TWO_TASKS[given]}, k=1)


@pytest.mark.parametrize(
    ("poison", "text"),
    [("x = '\ud800'", "surrogates not allowed"), ("x = '\0'", "null bytes"), ("\udcff", "surrogates not allowed")],
    ids=["surrogate", "NUL", "surrogate alone"],
)
def test_text_that_is_no_text(metric, poison, text):
    """A lone surrogate or a NUL in one candidate fails that candidate, and no other."""
    _, results = metric.compute(predictions=[["x = 1", poison, "x = 1"]], references=["x"], k=1)
    [[before, poisoned, after]] = texts(results)
    assert (before, after) == ("passed", "passed")
    assert poisoned.startswith("failed: ")
    assert text in poisoned


def test_surrogate_in_tests(metric):
    """Tests with a lone surrogate are invalid, and no others."""
    arguments = {"predictions": [["x = 1"], ["x = 1"]], "references": ["x = '\ud800'", "x"], "k": 1}
    with pytest.warns(UserWarning, match="1 candidate.* invalid tests"):
        _, results = metric.compute(**arguments, on_invalid_tests="skip")
    [[first], [second]] = texts(results)
    assert first.startswith("invalid tests: ")
    assert second == "passed"


def as_array(column):
    """Return a column as a numpy array of objects."""
    array = np.empty(len(column), dtype=object)
    array[:] = column
    return array


COLUMNS = {
    "tuple": lambda column: tuple(tuple(each) if isinstance(each, list) else each for each in column),
    "numpy of str": np.array,
    "numpy of objects": as_array,
    "list of numpy": lambda column: [np.array(each) if isinstance(each, list) else each for each in column],
    "pandas": lambda column: pandas.Series(column, index=range(5, 5 + len(column))),
    "datasets": lambda column: datasets.Dataset.from_dict({"column": column})["column"],
}


@pytest.mark.parametrize("kind", COLUMNS)
def test_kinds_of_columns(metric, kind):
    """Samples may be tuples, numpy arrays, pandas columns or dataset columns."""
    columns = {name: COLUMNS[kind](column) for name, column in TWO_TASKS.items()}
    pass_at_k, results = metric.compute(**columns, k=1)
    assert pass_at_k == {"pass@1": 0.5}
    assert texts(results) == [["passed", "failed: not the sum"], ["failed: not the sum", "passed"]]


@pytest.mark.parametrize("kind", COLUMNS)
def test_kinds_of_columns_in_batches(tmp_path, kind):
    """The same kinds of columns may be added in batches."""
    metric = load_metric(cache_dir=str(tmp_path))
    metric.add_batch(**{name: COLUMNS[kind](column) for name, column in TWO_TASKS.items()})
    assert metric.compute(k=1)[0] == {"pass@1": 0.5}


def test_uneven_tasks(metric):
    """Tasks may have different numbers of candidates; each task weighs the same."""
    pass_at_k, _ = metric.compute(predictions=[[RIGHT], [WRONG, WRONG, WRONG]], references=[TESTS] * 2, k=1)
    assert pass_at_k == {"pass@1": 0.5}
