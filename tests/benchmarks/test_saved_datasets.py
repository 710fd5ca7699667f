"""Folders that `save_to_disk` of datasets wrote, as samples and as problems."""

import datasets
import pytest

from code_tasks.benchmarks import load_benchmark
from code_tasks.benchmarks.problem_reader import read_problems
from code_tasks.benchmarks.readers import InputError
from code_tasks.benchmarks.sample_reader import read_samples
from code_tasks.benchmarks.samples import Sample
from code_tasks.benchmarks.sources import path_records
from support.human_eval_records import ADD, ADD_PROBLEM, SUB, faults_of

PROBLEMS = {"t/0": ADD_PROBLEM}
SAMPLES = [{"task_id": "t/0", "completion": text, "note": None} for text in ("a", "b")]
READ = [Sample("t/0", "a"), Sample("t/0", "b")]
MBPP = {"task_id": 2, "text": "", "code": "", "test_setup_code": "", "test_list": ["assert f() == 1"]}


@pytest.fixture
def save(tmp_path):
    """Return a function that saves rows, or splits of rows, and returns the folder."""

    def saved(rows=(), **splits):
        data = datasets.Dataset.from_list(list(rows))
        if splits:
            data = datasets.DatasetDict({name: datasets.Dataset.from_list(own) for name, own in splits.items()})
        data.save_to_disk(tmp_path / "saved")
        return tmp_path / "saved"

    return saved


def test_samples(save):
    """Rows are samples, and a null is a field that is not there."""
    assert read_samples(save(SAMPLES), PROBLEMS) == READ


def test_samples_of_the_only_split(save):
    """A dataset with one split needs no choice."""
    assert read_samples(save(train=SAMPLES), PROBLEMS) == READ


def test_samples_of_several_splits(save):
    """Samples of one of several splits are read by its folder; no split is chosen without a word."""
    folder = save(train=SAMPLES, test=SAMPLES[:1])
    assert faults_of(read_samples, folder, PROBLEMS) == [
        f"{folder} has several splits: train, test; give one of them, or the path of its folder"
    ]
    assert read_samples(folder / "train", PROBLEMS) == READ


def test_problems(save):
    """Rows are problems, of one's own or of a benchmark, which is recognised."""
    assert load_benchmark(None, save([ADD])).problems == PROBLEMS
    assert read_problems(save([ADD]), path_records) == PROBLEMS


def test_problems_of_a_benchmark(save):
    """The benchmark of rows is recognised."""
    loaded = load_benchmark(None, save([MBPP]))
    assert (loaded.benchmark.name, [*loaded.problems]) == ("mbpp", ["2"])


@pytest.mark.parametrize(("split", "names"), [(None, ["t/0"]), ("test", ["t/0"]), ("train", ["t/0", "t/1"])])
def test_splits_of_problems(save, split, names):
    """A split is chosen by its name; otherwise the test split is read."""
    folder = save(train=[ADD, SUB], test=[ADD])
    assert [*load_benchmark(None, folder, split=split).problems] == names
    assert [*load_benchmark("humaneval", folder, split=split).problems] == names


def test_an_unknown_split(save):
    """A split that is not there is an error with those that are."""
    folder = save(train=[ADD])
    assert [*load_benchmark(None, folder).problems] == ["t/0"]
    with pytest.raises(InputError, match="saved has no split 'dev', but train; give one of them"):
        load_benchmark(None, folder, split="dev")


def test_a_damaged_folder(save):
    """A folder whose files are damaged is an error with its name."""
    folder = save([ADD])
    for path in folder.glob("*.arrow"):
        path.write_bytes(b"no arrow")
    with pytest.raises(InputError, match=r"can't read \S+saved"):
        load_benchmark(None, folder)
