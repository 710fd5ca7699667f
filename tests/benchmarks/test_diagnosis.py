"""A file that is not what was asked for is diagnosed once: what it is, how many records say so, and the way out."""

import gzip
import json
import tracemalloc

import pyarrow
import pyarrow.parquet
import pytest

from code_tasks.benchmarks import BENCHMARKS, load_benchmark
from code_tasks.benchmarks.diagnosis import PROBLEMS, SAMPLES, classify_record
from code_tasks.benchmarks.problem_reader import read_problems
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.readers import InputError
from code_tasks.benchmarks.sample_reader import read_samples
from code_tasks.benchmarks.sources import path_records
from code_tasks.cli.report import read_run
from code_tasks.scoring.sample_file import SampleFile
from support.human_eval_records import ADD

KNOWN = {"t/0": Problem("t/0", "", "assert f()"), "t/1": Problem("t/1", "", "assert f()")}
SAMPLE = {"task_id": "t/0", "completion": "pass"}
RESULT = {**SAMPLE, "passed": True, "result": "passed", "completion_id": 0}
RUN_LOG = {"record_type": "spec", "timestamp": 1.0}


def read_sample_file(path):
    """Read samples as `code-eval run` does."""
    with SampleFile(path, KNOWN) as file:
        return list(file)


READERS = {
    "samples": read_sample_file,
    "samples of replay": lambda path: read_samples(path, KNOWN),
    "problems": lambda path: load_benchmark(None, path),
    "problems of solve": lambda path: read_problems(path, path_records),
    "results": read_run,
}


def lines(*records):
    """Return JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records).encode()


@pytest.fixture
def message_of(tmp_path):
    """Return a function that returns the error of a reader about a file, without the file's folder."""

    def message(reader, content):
        path = tmp_path / "file.jsonl"
        path.write_bytes(content)
        with pytest.raises(InputError) as caught:
            READERS[reader](path)
        return str(caught.value).replace(f"{tmp_path}/", "")

    return message


FORMATS = {
    "UTF-16": (lines(SAMPLE, ADD).decode().encode("utf-16"), "is in UTF-16, and JSON is in UTF-8: `iconv"),
    "UTF-16 without a mark": (lines(SAMPLE).decode().encode("utf-16-le"), "is in UTF-16LE"),
    "zip": (b"PK\x03\x04" + bytes(40), "is a zip archive, which is not read"),
    "zstd": (b"\x28\xb5\x2f\xfd" + bytes(40), "is a file of zstd"),
    "pickle": (b"\x80\x04\x95" + bytes(40), "is a pickle"),
    "CSV": (b"task_id,completion\nt/0,pass\n", "is a table of text, such as CSV"),
    "CSV with an index": (b",task_id,completion\n0,t/0,pass\n", "is a table of text, such as CSV"),
    "a page": (b"<!DOCTYPE html>\n<html>", "is a page of the web"),
    "Git LFS": (
        b"version https://git-lfs.github.com/spec/v1\n",
        "is a pointer to a file that is not here: `git lfs pull`",
    ),
    "Python": (b"{'task_id': 't/0'}\n" * 9, "has dictionaries as Python prints them, and not JSON"),
    "gzipped CSV": (gzip.compress(b"task_id,completion\nt/0,pass\n"), "is a table of text"),
    "several lines": (json.dumps(SAMPLE, indent=1).encode() * 2, "has records of several lines"),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(("content", "message"), FORMATS.values(), ids=FORMATS)
def test_a_file_in_another_format(message_of, reader, content, message):
    """A file in a format that is not read is one error, which names the format and a way out."""
    if content[:4] == b'{\n "':
        content = content.replace(b"}{", b"}\n{")
    assert message_of(reader, content).startswith(f"file.jsonl {message}")


def test_results_are_lines(message_of):
    """Results are JSON lines, so that an array is named as such, and a Parquet file too."""
    said = message_of("results", json.dumps([RESULT]).encode())
    assert said == "file.jsonl is a JSON array, and one record a line is expected: `jq -c '.[]' FILE > NEW` converts it"
    assert "is a Parquet file" in message_of("results", b"PAR1" + bytes(40))


@pytest.mark.parametrize("reader", READERS)
def test_an_empty_file(message_of, reader):
    """An empty file is said to hold nothing."""
    for content in (b"", b"\n\n", gzip.compress(b"")):
        assert "there " in (said := message_of(reader, content)) and " in it" in said


@pytest.mark.parametrize("reader", READERS)
def test_a_cut_archive(message_of, reader):
    """A compressed file without its end is said to be cut off."""
    said = message_of(reader, gzip.compress(lines(*[{**SAMPLE, "n": n} for n in range(500)]))[:-9])
    assert said == "can't read file.jsonl: it is cut off: its compressed data have no end"


@pytest.mark.parametrize("reader", ["samples", "samples of replay", "problems", "problems of solve"])
def test_one_broken_line(message_of, reader):
    """One broken line is named by its number, with the place in it."""
    record = SAMPLE if "samples" in reader else ADD
    content = lines(record) + b'{"task_id": "t/0", "completion"\n' + lines({**record, "task_id": "t/1"})
    said = message_of(reader, content)
    assert said == "file.jsonl:2: not JSON (expecting ':' delimiter at its end: it may be cut off)"


def test_a_control_character(message_of):
    """A character that JSON has to write in another way is named by its place."""
    said = message_of("samples", b'{"task_id": "t/0", "completion": "a\tb"}\n')
    assert said == "file.jsonl:1: not JSON (invalid control character at character 36)"


@pytest.mark.parametrize("reader", ["samples", "problems", "problems of solve", "results"])
def test_the_mark_of_utf_8(tmp_path, reader):
    """The mark that Windows puts in front of UTF-8 is skipped."""
    record = {"samples": SAMPLE, "results": RESULT}.get(reader, ADD)
    for content in (lines(record), gzip.compress(lines(record))):
        (tmp_path / "x").write_bytes(b"\xef\xbb\xbf" + content if content[:1] == b"{" else content)
        assert READERS[reader](tmp_path / "x")


def test_arrays_and_parquet_as_problems(tmp_path):
    """`code-eval solve` reads problems from a JSON array and from Parquet, as `code-eval run` does."""
    (tmp_path / "array").write_text(json.dumps([ADD]))
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([ADD]), tmp_path / "table")
    for name in ("array", "table"):
        for reader in ("problems", "problems of solve"):
            assert READERS[reader](tmp_path / name)


@pytest.mark.parametrize("reader", ["samples", "samples of replay"])
@pytest.mark.parametrize("name", ["response", "generated_code", "my_code"])
def test_code_in_another_field(message_of, reader, name):
    """Samples whose code is in another field are one error, which counts them and says how to rename the field."""
    said = message_of(reader, lines(*[{"task_id": "t/0", "model": "m", name: "pass"}] * 50))
    assert said.startswith(
        f"file.jsonl: 50 records have {name!r}, none 'completion' or another field for code (solution"
    )
    assert f"rename {name!r} to 'completion' for code that continues the prompt, to 'solution' for whole" in said
    assert said.endswith(f"--map completion={name} of `code-eval run` does it without a new file")


def test_lists_of_code_in_another_field(message_of):
    """A field with lists of programs is to be renamed to a field of lists."""
    said = message_of("samples", lines({"task_id": "t/0", "generations": ["pass"]}))
    assert "1 record has 'generations'" in said and "rename 'generations' to 'completions'" in said


def test_no_ids(message_of):
    """Samples without ids are one error."""
    said = message_of("samples", lines(*[{"completion": "pass"}] * 20))
    assert said.startswith("file.jsonl: 20 records, and none has 'task_id' or another field for the problem's id")


def test_samples_of_other_problems(message_of):
    """Samples of other problems are one error, with ids of both files."""
    said = message_of("samples", lines(*[{**SAMPLE, "task_id": f"x/{n}"} for n in range(50)]))
    assert said.startswith(
        "file.jsonl: 50 records, and none belongs to one of the 2 problems: their ids are 'x/0', 'x/1'"
    )
    assert "those of the problems 't/0', 't/1'" in said


def test_some_samples_of_other_problems(message_of):
    """If some samples belong to the problems, the others are named by their lines, ten of them at most."""
    said = message_of("samples", lines(SAMPLE, *[{**SAMPLE, "task_id": f"x/{n}"} for n in range(50)])).splitlines()
    assert (len(said), said[0]) == (11, "file.jsonl:2: there is no problem 'x/0'; near it is 't/0'")
    assert said[-1] == "... and 40 more such lines"


def test_all_samples_in_one_object(message_of):
    """An object whose first key is no problem's id is no sample, and the error has the form of one."""
    for indent in (None, 1):
        said = message_of("samples", json.dumps({"t/9": "pass", "t/0": "pass"}, indent=indent).encode())
        assert said.startswith("file.jsonl: one object with all problems; write a line for each")


def test_no_tests(message_of):
    """Problems without tests are one error, which lists the fields."""
    said = message_of("problems", lines(*[{"task_id": n, "prompt": "x", "checks": "y"} for n in range(30)]))
    assert said.startswith(
        "file.jsonl: 30 records, and none has tests (test, tests, input_output); the fields are 'task_id'"
    )


MIXED_UP = {
    ("samples", "problems"): lines(*[ADD] * 30),
    ("samples", "a run log"): lines(RUN_LOG),
    ("problems", "samples"): lines(*[SAMPLE] * 30),
    ("problems", "results"): lines(RESULT, {"summary": {}}),
    ("problems", "a run log"): lines(RUN_LOG),
    ("problems of solve", "samples"): lines(*[SAMPLE] * 30),
    ("results", "samples"): lines(*[SAMPLE] * 30),
    ("results", "problems"): lines(*[ADD] * 30),
}


@pytest.mark.parametrize(("reader", "kind"), MIXED_UP)
def test_files_that_changed_places(message_of, reader, kind):
    """A file of another kind is one error, which names the kind, and the option or command for it."""
    said = message_of(reader, MIXED_UP[reader, kind])
    assert "\n" not in said and "`code-eval" in said or "--problems" in said
    assert f"this is {kind} of" in said if kind == "a run log" else f"these look like {kind}, not " in said


@pytest.mark.parametrize("name", ["solution", "completions", "code_list", "raw_generation", "output_list"])
def test_samples_of_any_field_as_problems(message_of, name):
    """Samples are known by any of their fields for code."""
    texts = "pass" if name in ("solution", "raw_generation") else ["pass"]
    for key in ("task_id", "question_id", "name"):
        assert "these look like samples, not problems: 3 records" in message_of(
            "problems", lines(*[{key: "t/0", name: texts}] * 3)
        )


@pytest.mark.parametrize("name", [name for name in BENCHMARKS if BENCHMARKS[name].fields])
def test_problems_of_each_benchmark_as_samples(name):
    """The records of each benchmark are known as problems by the fields that show the benchmark."""
    assert classify_record(dict.fromkeys(BENCHMARKS[name].fields, "")) == PROBLEMS


@pytest.mark.parametrize(
    "record",
    [SAMPLE, {"name": "t/0", "prompt": "", "tests": "", "completions": []}, {"question_id": 1, "code_list": []}],
)
def test_samples_are_samples(record):
    """Samples are known as such, also MultiPL-E's, which have the tests with them."""
    assert classify_record(record) == SAMPLES


def test_lists_of_programs_as_problems(message_of):
    """A file of generations in the place of problems is told apart."""
    said = message_of("problems", json.dumps([["pass"], ["pass"]]).encode())
    assert said == "file.jsonl: 2 lists, and no record; these look like samples (lists of programs), not problems"


def test_tests_alone_as_problems(message_of):
    """A file of references in the place of problems is told apart, with the option for it."""
    assert message_of("problems", json.dumps(["assert 1"] * 3).encode()).endswith("goes with --references")


def test_folders_of_programs_as_problems(tmp_path):
    """A folder of EvalPlus's samples in the place of problems is told apart."""
    (tmp_path / "HumanEval_0").mkdir()
    (tmp_path / "HumanEval_0" / "0.py").write_text("pass")
    with pytest.raises(InputError, match=r"HumanEval_0/0.py looks like a sample, not a problem"):
        load_benchmark(None, tmp_path)


@pytest.mark.slow
def test_memory_of_a_diagnosis(tmp_path):
    """The diagnosis of many records keeps none of them."""
    path = tmp_path / "samples.jsonl"
    path.write_bytes(lines(*[{"task_id": f"t/{n}", "response": "x" * 1000, f"field{n}": n} for n in range(5_000)]))
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="5,000 records have 'response'"):
            read_samples(path, KNOWN)
        assert tracemalloc.get_traced_memory()[1] < 3 << 20
    finally:
        tracemalloc.stop()
