"""Without a name, the fields of the first record show the benchmark that a file belongs to."""

import gzip
import json
import os
import threading

import pyarrow
import pyarrow.parquet
import pytest

from code_tasks.benchmarks import BENCHMARKS, load_benchmark
from code_tasks.benchmarks.detection import PLAIN, benchmark_of
from code_tasks.benchmarks.readers import InputError
from support.case_records import CODECONTESTS, EURUS, RECORDS, VERIFIABLE_CODING
from support.human_eval_records import ADD, ADD_PROBLEM

LIVECODEBENCH = {
    "question_id": "abc301_a",
    "public_test_cases": json.dumps([{"input": "1", "output": "1", "testtype": "stdin"}]),
    "private_test_cases": "[]",
    "contest_date": "2024-05-01T00:00:00",
}


@pytest.fixture
def write(tmp_path):
    """Return a function that writes records as JSON lines, and returns the file's path."""

    def write_records(*records, name="records.jsonl"):
        path = tmp_path / name
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    return write_records


@pytest.mark.parametrize(("name", "record"), [(name, record) for name in RECORDS for record in RECORDS[name]])
def test_fields_of_a_record(write, name, record):
    """The records of each benchmark whose tests are cases are recognised."""
    assert load_benchmark(None, write(record)).benchmark is BENCHMARKS[name]


def test_own_problems(write):
    """Problems with a task_id and tests belong to no benchmark, even if their other fields are those of one."""
    loaded = load_benchmark(None, write({**ADD, "problem": "", "verification_info": {}}))
    assert (loaded.benchmark, loaded.problems) == (PLAIN, {"t/0": ADD_PROBLEM})


@pytest.mark.parametrize("name", ["classeval", "bigcodebench", "humanevalpack"])
def test_benchmarks_with_a_task_id_and_tests(name):
    """A benchmark whose records have a task_id and tests is recognised by its further fields."""
    record = dict.fromkeys(BENCHMARKS[name].fields, "")
    assert benchmark_of("x:1", record, BENCHMARKS.values()) is BENCHMARKS[name]


@pytest.mark.parametrize("names", [("humanevalplus", "mbppplus"), ("cruxeval-input", "cruxeval-output")])
def test_benchmarks_with_the_same_fields(names):
    """Two benchmarks whose records have the same fields are both named by the error."""
    record = dict.fromkeys(BENCHMARKS[names[0]].fields, "")
    with pytest.raises(InputError, match=f"x:1: the fields are those of {', '.join(names)}; --benchmark NAME says"):
        benchmark_of("x:1", record, BENCHMARKS.values())


def test_ambiguous_fields(write):
    """Fields of two benchmarks are an error that names both, and the way out."""
    record = {"problem_id": 1, "question": "", "input_output": "{}", "raw_tags": ""}
    with pytest.raises(InputError, match="records.jsonl:1: the fields are those of apps, taco; --benchmark NAME says"):
        load_benchmark(None, write(record))


def test_unknown_fields(write):
    """Fields of no benchmark are an error that lists them."""
    with pytest.raises(InputError, match="records.jsonl:1: no benchmark is known to have the fields 'a', 'b'; --bench"):
        load_benchmark(None, write({"a": 1, "b": 2}))


def test_a_name_without_tests(write):
    """A record with a task_id alone is reported as a problem without tests."""
    with pytest.raises(InputError, match="records.jsonl:1: missing key 'test'"):
        load_benchmark(None, write({"task_id": "t/0"}))


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_an_empty_file(tmp_path, text):
    """A file without records is an error."""
    path = tmp_path / "empty.jsonl"
    path.write_text(text)
    with pytest.raises(InputError, match="there are no problems in it"):
        load_benchmark(None, path)


def test_lines_that_are_no_records(write, tmp_path):
    """Lines that are not JSON, and values that are not objects, are errors with their places."""
    path = tmp_path / "lines.jsonl"
    path.write_text("x\n5\n")
    with pytest.raises(InputError, match=r"lines.jsonl:1: not JSON .*\n.*lines.jsonl:2: not a JSON object, but 5"):
        load_benchmark(None, path)


def test_parquet(tmp_path):
    """A Parquet file is recognised by its first row."""
    path = tmp_path / "train.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([EURUS, EURUS]), path)
    loaded = load_benchmark(None, path)
    assert (loaded.benchmark.name, list(loaded.problems)) == ("prime_code", ["0", "1"])


def test_mbppplus_on_the_hub(write):
    """MBPP+ in the form of the Hub, where tests are finished code, is told from MBPP and from problems of one's own."""
    record = {"task_id": 2, "code": "", "test_imports": [], "test_list": ["assert f() == 1"], "test": "assert f() == 1"}
    assert load_benchmark(None, write(record)).benchmark.name == "mbppplus"


def test_an_array(tmp_path):
    """An array in a gzipped JSON file is recognised by its first item."""
    path = tmp_path / "records.json.gz"
    path.write_bytes(gzip.compress(json.dumps([VERIFIABLE_CODING]).encode()))
    assert load_benchmark(None, path).benchmark.name == "verifiable_coding"


def test_a_folder(write, tmp_path):
    """A folder is recognised by its first file, and all of its files are read."""
    write(CODECONTESTS, name="a.jsonl")
    write({**CODECONTESTS, "name": "2"}, name="b.jsonl")
    assert list(load_benchmark(None, tmp_path).problems) == ["1_A. Sums", "2"]


def test_a_folder_of_a_benchmark_with_files(write, tmp_path):
    """In a folder with a benchmark's own files, these are read in their order, and others are not."""
    for number in range(1, 7):
        name = f"test{number if number > 1 else ''}.jsonl"
        write({**LIVECODEBENCH, "question_id": str(number)}, name=name)
    write({"a": 1}, name="zzz.jsonl")
    assert list(load_benchmark(None, tmp_path).problems) == list("123456")


def test_a_pipe(tmp_path):
    """Problems may come from a pipe, which can be read only once."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_text(json.dumps(ADD) + "\n"))
    writer.start()
    assert load_benchmark(None, path).problems == {"t/0": ADD_PROBLEM}
    writer.join()


def test_no_file(tmp_path):
    """A missing file is an error with its name, and so is a missing argument."""
    with pytest.raises(InputError, match="can't read .*missing.jsonl: there is no such file"):
        load_benchmark(None, tmp_path / "missing.jsonl")
    with pytest.raises(ValueError, match="give the name of a benchmark, or a file of problems"):
        load_benchmark(None)


def test_options_of_the_hub(write):
    """A configuration or revision belongs to a named benchmark."""
    with pytest.raises(ValueError, match="needs the name of a benchmark"):
        load_benchmark(None, write(ADD), config="x")
