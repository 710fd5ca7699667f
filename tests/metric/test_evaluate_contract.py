"""The demands of `evaluate` on every metric: its signature, its example, its layout, and the ways of adding samples."""

import doctest
import importlib
import inspect
import re
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

import evaluate
import evaluate.loading
import pandas
import pytest
from evaluate.utils.gradio import infer_gradio_input_types, parse_gradio_data

from sandboxes.options.docs import with_tables
from sandboxes.options.option import written_default
from sandboxes.options.table import OPTIONS
from support.metric_and_command import RIGHT, ROOT, TESTS, WRONG, load_metric

NAMES = ("code_eval", "code_correctness")


@pytest.fixture(params=NAMES)
def folder(request, tmp_path, monkeypatch):
    """Provide a folder as `evaluate-cli create` makes it, with the one file of a metric, and work beside it."""
    path = tmp_path / request.param
    path.mkdir()
    shutil.copy(ROOT / f"{request.param}.py", path)
    (path / "README.md").write_text("---\ntitle: A metric\n---\n")
    monkeypatch.chdir(tmp_path)
    return path


@pytest.fixture
def metric():
    """Provide the metric that runs code."""
    return load_metric()


@pytest.fixture
def judged():
    """Provide the metric that scores a judge."""
    return evaluate.load(str(ROOT / "code_correctness.py"))


def module_of(folder):
    """Import the module of a metric, as evaluate's own tests of metrics do."""
    return importlib.import_module(evaluate.loading.evaluation_module_factory(str(folder)).module_path)


def test_compute_takes_no_other_keywords(folder):
    """`_compute` names all of its parameters, as evaluate's own tests of metrics demand."""
    metric = evaluate.loading.import_main_class(module_of(folder).__name__)
    kinds = [parameter.kind for parameter in inspect.signature(metric._compute).parameters.values()]
    assert inspect.Parameter.VAR_KEYWORD not in kinds


def test_example_by_name(folder, monkeypatch):
    """The module's example loads the metric by its name, and prints the output that it shows."""
    module, load = module_of(folder), evaluate.load
    monkeypatch.setattr(evaluate, "load", lambda name: load(str(folder.parent / name)))
    results = doctest.testmod(module)
    assert results.failed == 0 and results.attempted > 1


@pytest.mark.parametrize("method", ["compute", "_compute"])
def test_written_options(metric, method):
    """The parameters of the metric are the options of the table, with their defaults, where editors see them."""
    parameters = inspect.signature(getattr(metric, method)).parameters
    written = {name: parameter.default for name, parameter in parameters.items() if name in OPTIONS}
    assert written == {name: written_default(option) for name, option in OPTIONS.items()}
    assert set(parameters) - set(written) <= {"predictions", "references", "others"}


def test_written_options_are_generated():
    """The metric's file has the parameters as `sandboxes.options.docs` writes them."""
    text = (ROOT / "code_eval.py").read_text(encoding="utf-8")
    assert with_tables(text) == text


def test_written_defaults_are_the_defaults(metric):
    """Options that are given with the defaults of the signature change nothing, nor does leaving them out."""
    parameters = inspect.signature(metric.compute).parameters
    options = {name: parameters[name].default for name in OPTIONS if name != "k"}
    samples = {"predictions": [[RIGHT, WRONG]], "references": [TESTS], "k": [1]}
    assert metric.compute(**samples, **options)[0] == metric.compute(**samples)[0] == {"pass@1": 0.5}


def test_options_of_the_judge(judged):
    """The judge's metric names its options too."""
    assert list(inspect.signature(judged.compute).parameters)[:4] == ["predictions", "references", "languages", "mode"]
    assert list(inspect.signature(judged._compute).parameters) == ["predictions", "references", "languages", "mode"]


def test_layout_of_evaluate_cli(folder):
    """A metric is loaded by the path of its folder, and by the folder's name from beside it."""
    assert evaluate.load(str(folder)).name == evaluate.load(f"./{folder.name}").name == folder.name


def test_inspection(folder, capsys):
    """`inspect_evaluation_module` finds the metric's class. It copies nothing of a metric that is on this machine."""
    evaluate.inspect_evaluation_module(str(folder), str(folder.parent / "copy"))
    [module] = re.findall(r"main class is in (\S+)\. ", capsys.readouterr().out)
    assert evaluate.loading.import_main_class(module).__module__ == module


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_widget_data(metric):
    """The table of evaluate's Gradio widget is read by the metric's features."""
    types = infer_gradio_input_types(metric.features.values())
    data = pandas.DataFrame({"predictions": ['["x = 1", "x = 2"]'], "references": ['"assert x == 1"']})
    assert metric.compute(**parse_gradio_data(data, types), k=1)[0] == {"pass@1": 0.5}


def test_saved_scores(metric, tmp_path):
    """`evaluate.save` writes the scores."""
    scores, _ = metric.compute(predictions=[[RIGHT]], references=[TESTS], k=1)
    assert '"pass@1": 1.0' in evaluate.save(tmp_path, **scores).read_text()


def test_add_by_the_names_of_columns(metric, judged):
    """`add(references=..., predictions=...)` adds one sample, as in evaluate's quick tour."""
    for candidates in ([RIGHT], [WRONG]):
        metric.add(references=TESTS, predictions=candidates)
    assert metric.compute(k=1)[0] == {"pass@1": 0.5}
    for answer in ("success", "failed"):
        judged.add(references="success", predictions=answer, languages="Go")
    assert judged.compute()["exact_match_by_language"] == {"Go": 0.5}


def test_add_under_both_names(metric, judged):
    """A sample that is given under both names is an error, and nothing is added."""
    with pytest.raises(TypeError, match="as prediction or as predictions, not both"):
        metric.add(prediction=[RIGHT], predictions=[RIGHT], reference=TESTS)
    with pytest.raises(TypeError, match="as reference or as references, not both"):
        judged.add(prediction="success", reference="failed", references="failed")
    assert len(metric) == len(judged) == 0


def test_unknown_names_are_not_added(metric, judged):
    """A misspelled keyword is an error of `add` and of `add_batch`."""
    with pytest.raises(ValueError, match="oops"):
        metric.add(prediction=[RIGHT], reference=TESTS, oops=1)
    with pytest.raises(ValueError, match="oops"):
        judged.add_batch(predictions=["success"], references=["success"], oops=1)


@pytest.mark.parametrize("way", ["add", "add_batch", "compute"])
def test_combined_judges(judged, way):
    """`evaluate.combine` scores what was added to it one by one, in a batch, or at once."""
    both = evaluate.combine({"one": judged, "two": evaluate.load(str(ROOT / "code_correctness.py"))})
    given = {}
    if way == "add":
        both.add(prediction="success", reference="success")
        both.add("failed", "success")
    elif way == "add_batch":
        both.add_batch(predictions=["success", "failed"], references=["success", "success"])
    else:
        given = {"predictions": ["success", "failed"], "references": ["success", "success"]}
    scores = both.compute(**given)
    assert (scores["one_exact_match"], scores["two_exact_match"]) == (0.5, 0.5)


@pytest.mark.parametrize("way", ["add", "add_batch", "compute"])
def test_combined_runs(metric, way):
    """`evaluate.combine` merges the scores of the metric that runs code, and its results."""
    both = evaluate.combine([metric, load_metric("restricted")], force_prefix=True)
    given = {}
    if way == "add":
        both.add(prediction=[RIGHT, WRONG], reference=TESTS)
    elif way == "add_batch":
        both.add_batch(predictions=[[RIGHT, WRONG]], references=[TESTS])
    else:
        given = {"predictions": [[RIGHT, WRONG]], "references": [TESTS]}
    merged = both.compute(**given, k=[1])
    assert (merged["code_eval_0_pass@1"], merged["code_eval_1_pass@1"]) == (0.5, 0.5)
    assert merged["code_eval_1_results"][0][1][1]["result"] == "failed: not the sum"


def test_answer_is_a_pair(metric):
    """The answer is a tuple of two, for all that it can be combined."""
    answer = metric.compute(predictions=[[RIGHT]], references=[TESTS], k=1)
    assert isinstance(answer, tuple) and answer == (answer[0], answer[1])
    assert list(answer.keys()) == ["pass@1", "results"]


@pytest.mark.parametrize(
    "k",
    [range(1, 3), {1, 2}, (number for number in (1, 2)), {1: "", 2: ""}.keys()],
    ids=["range", "set", "generator", "dict keys"],
)
def test_iterables_of_k(metric, k):
    """Any iterable of whole numbers gives the k of pass@k, such as a range."""
    scores, _ = metric.compute(predictions=[[RIGHT, WRONG]], references=[TESTS], k=k)
    assert scores == {"pass@1": 0.5, "pass@2": 1.0}


def test_no_k(metric):
    """Without any k there are results and no scores, as upstream has it."""
    scores, results = metric.compute(predictions=[[RIGHT, WRONG]], references=[TESTS], k=[])
    assert scores == {}
    assert [result["passed"] for _, result in results[0]] == [True, False]


@pytest.mark.parametrize("k", ["12", b"12", {1, 0}, ["1"]], ids=repr)
def test_no_numbers(metric, k):
    """Texts and numbers below 1 are refused, also in an iterable."""
    with pytest.raises((TypeError, ValueError), match="k must be"):
        metric.compute(predictions=[[RIGHT]], references=[TESTS], k=k)


ROUNDS = 3


def distributed(path, cache_dir, number, samples, scores, start):
    """Score samples in ROUNDS rounds, as one of two processes that never wait for each other. Append the scores."""
    metric = evaluate.load(
        path, num_process=2, process_id=number, experiment_id="rounds", cache_dir=cache_dir, timeout=60
    )
    start.wait()
    for turn in range(ROUNDS):
        metric.add_batch(**samples[turn])
        scores.append(metric.compute(**({"k": 1} if metric.name == "code_eval" else {})))


@pytest.mark.parametrize("name", NAMES)
def test_second_use_after_a_distributed_compute(name, tmp_path):
    """Distributed metrics can be used again at once: each round's score is that of its own samples."""
    right, wrong, reference = ([RIGHT], [WRONG], TESTS) if name == "code_eval" else ("success", "failed", "success")
    # The share of right samples rises from round to round.
    columns = [[wrong, wrong], [wrong, right], [right, right]]
    scores, start = ([], []), threading.Barrier(2)
    with ThreadPoolExecutor(2) as threads:
        runs = [
            threads.submit(
                distributed,
                str(ROOT / f"{name}.py"),
                str(tmp_path),
                number,
                [{"predictions": [column[number]], "references": [reference]} for column in columns],
                scores[number],
                start,
            )
            for number in range(2)
        ]
        for run in runs:
            run.result(timeout=180)
    assert scores[1] == [None] * ROUNDS
    found = [score[0]["pass@1"] if name == "code_eval" else score["exact_match"] for score in scores[0]]
    assert found == [0.0, 0.5, 1.0]
