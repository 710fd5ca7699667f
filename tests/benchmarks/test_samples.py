"""Samples in the shapes that the field's tools write: their detection, their forms, and the hints on them."""

import gzip
import json
import os
import threading

import pytest

from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.readers import InputErrors
from code_tasks.benchmarks.sample_files import JSON_LINES
from code_tasks.benchmarks.sample_reader import SampleReader, read_samples
from code_tasks.benchmarks.samples import ANSWER, COMPLETION, PROGRAM, Sample
from code_tasks.scoring.sample_file import SampleFile
from sandboxes.extraction import EXTRACTORS
from support.human_eval_records import faults_of

NAMES = ("HumanEval/0", "HumanEval/1", "11")
PROBLEMS = {name: Problem(name, "def f(x):\n", "assert f(1) == 1", "python", preamble="import math") for name in NAMES}
BODY, WHOLE = "    return x\n", "def f(x):\n    return x\n"
CHATTY = "Here it is:\n```python\ndef f(x):\n    return x\n```\nDone."


@pytest.fixture
def samples(tmp_path):
    """Return a function that writes data as a file, and returns its samples."""

    def read(data, name="samples.json", **options):
        path = tmp_path / name
        path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
        return read_samples(path, PROBLEMS, **options)

    return read


@pytest.fixture
def reader(tmp_path):
    """Return a function that reads records with a preferred field, and returns the samples and the hints."""

    def read(*records, preferred=""):
        path = tmp_path / "samples.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        errors = InputErrors()
        reader = SampleReader(path, PROBLEMS, preferred)
        read = list(reader.read(errors))
        errors.raise_if_any()
        return read, list(reader.hints)

    return read


def both(text, form):
    """Return two samples of HumanEval/0."""
    return [Sample("HumanEval/0", text, form)] * 2


@pytest.mark.parametrize(
    ("record", "form"),
    [
        ({"completions": [BODY, BODY]}, COMPLETION),
        ({"code_list": [BODY, BODY]}, PROGRAM),
        ({"code_list": [BODY, BODY], "output_list": ["```\n1\n```"] * 2}, PROGRAM),
        ({"output_list": [BODY, BODY]}, ANSWER),
        ({"raw_generation": [BODY, BODY]}, ANSWER),
    ],
    ids=str,
)
def test_lists_of_candidates(samples, record, form):
    """A record may have a list of candidates, and the field's name says whether they are whole programs."""
    assert samples({"task_id": "HumanEval/0", **record}) == both(BODY, form)


@pytest.mark.parametrize(
    ("form", "text", "program"),
    [
        (COMPLETION, BODY, "import math\ndef f(x):\n    return x\n"),
        (PROGRAM, WHOLE, "import math\ndef f(x):\n    return x\n"),
        (PROGRAM, CHATTY, f"import math\n{CHATTY}"),
        (ANSWER, CHATTY, "import math\ndef f(x):\n    return x\n"),
        (ANSWER, BODY, "import math\ndef f(x):\n    return x\n"),
    ],
)
def test_programs(form, text, program):
    """A whole program gets no prompt, code of an answer is a whole program, and both get the preamble."""
    made = Sample("HumanEval/0", text, form).program(PROBLEMS["HumanEval/0"], "python")
    assert "".join(made.split()) == "".join(program.split())


def test_whole_programs_in_go():
    """A whole program in Go keeps its package clause and imports. Code without one gets both, as a completion does."""
    problem = Problem("Go/0", "func F() string {\n", "tests", "go", adds_imports=True)
    whole = '// F\npackage main\n\nimport "strings"\n\nfunc F() string { return strings.ToUpper("x") }\n'
    assert Sample("Go/0", whole, PROGRAM).program(problem, "go") == whole
    function = whole.partition("\n\n")[2].partition("\n\n")[2]
    assert Sample("Go/0", function, PROGRAM).program(problem, "go").startswith('package main\n\nimport (\n\t"strings"')


def test_extraction_from_whole_programs():
    """An extractor that the user chose works on whole programs too."""
    program = Sample("HumanEval/0", CHATTY, PROGRAM).program(PROBLEMS["HumanEval/0"], "python", EXTRACTORS["last"])
    assert "Done" not in program
    assert program.count("def f") == 1


@pytest.mark.parametrize("name", ["task_id", "question_id", "problem_id", "name", "id"])
@pytest.mark.parametrize("value", ["11", 11])
def test_ids(samples, name, value):
    """The id stands in the field that the benchmark calls it by, and a number is a text."""
    assert samples({name: value, "completion": BODY}) == [Sample("11", BODY)]


@pytest.mark.parametrize(
    ("given", "meant"), [("HumanEval_0", "HumanEval/0"), ("humaneval/1", "HumanEval/1"), (1, None)]
)
def test_an_id_in_another_form(tmp_path, given, meant):
    """An id that no problem has is an error, which names the problem that may be meant."""
    path = tmp_path / "samples.jsonl"
    path.write_text(json.dumps({"task_id": given, "completion": BODY}))
    [fault] = faults_of(read_samples, path, PROBLEMS)
    assert fault.startswith(
        f"{path}:1: there is no problem {str(given)!r}; write {meant or 'HumanEval/1'!r} if you mean"
    )


def test_livecodebench(samples):
    """An array of objects has an item for each question, over several lines or in one."""
    data = [{"question_id": name, "code_list": [WHOLE, BODY]} for name in NAMES]
    expected = [Sample(name, text, PROGRAM) for name in NAMES for text in (WHOLE, BODY)]
    assert samples(data) == samples(json.dumps(data, indent=4).encode()) == expected


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_of_multipl_e(samples, indent, pack):
    """A file with one object may have several lines, and be gzipped whatever its name."""
    record = {"name": "HumanEval/0", "language": "rs", "prompt": "fn", "tests": "}", "completions": [BODY, BODY]}
    assert samples(pack(json.dumps(record, indent=indent).encode())) == both(BODY, COMPLETION)


def test_a_folder_of_multipl_e(tmp_path):
    """A folder is read by its files' names. Files with results, which stand beside the samples, are left out."""
    for number, name in enumerate(NAMES):
        record = json.dumps({"name": name, "completions": [BODY * number] if number else []})
        (tmp_path / f"{number}.json.gz").write_bytes(gzip.compress(record.encode()))
        (tmp_path / f"{number}.results.json").write_text(json.dumps({"name": name, "results": []}))
    (tmp_path / "notes.txt").write_text("x")
    assert read_samples(tmp_path, PROBLEMS) == [Sample(name, BODY * n) for n, name in enumerate(NAMES) if n]


def test_folders_of_evalplus(tmp_path):
    """Each folder is a problem with an underscore for its slash, and has a whole program in each file, by numbers."""
    for name in ("HumanEval_1", "HumanEval_0", "11"):
        (tmp_path / name).mkdir()
        for number in (0, 10, 9):
            (tmp_path / name / f"{number}.py").write_text(f"{WHOLE}# {number}\n")
    (tmp_path / "11" / "notes.txt").write_text("x")
    programs = [f"{WHOLE}# {number}\n" for number in (0, 9, 10)]
    order = ("11", "HumanEval/0", "HumanEval/1")
    assert read_samples(tmp_path, PROBLEMS) == [Sample(name, text, PROGRAM) for name in order for text in programs]


def test_faults_of_folders(tmp_path):
    """A program of no problem, and one that is no text, are reported with their files."""
    for name, content in (("HumanEval_9", b"x"), ("HumanEval_0", b"\xff")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "0.py").write_bytes(content)
    faults = faults_of(read_samples, tmp_path, PROBLEMS)
    assert faults[0].startswith(f"{tmp_path}/HumanEval_0/0.py: can't be read")
    assert faults[1].startswith(f"{tmp_path}/HumanEval_9/0.py: there is no problem 'HumanEval/9'; near it ")


def test_a_folder_without_samples(tmp_path):
    """A folder without samples is an error that says what it may have."""
    assert "neither folders with programs, nor files that end with .jsonl" in faults_of(read_samples, tmp_path, {})[0]


def test_generations(samples):
    """Lists of programs have no ids. They belong to the problems in their order."""
    expected = [Sample(name, text, PROGRAM) for name, texts in zip(NAMES, "ab", strict=False) for text in texts]
    assert samples([["a"], ["b"], []]) == expected


@pytest.mark.parametrize(
    ("lists", "fault"),
    [
        ([["a"]], "there are 1 lists of programs, but 3 problems"),
        ([["a"], "b", ["c"]], "item 1: not a list of programs, but 'b'"),
        ([["a"], [None], ["c"]], "item 1: 'code_list' is not a list of strings; it holds null"),
    ],
)
def test_generations_that_do_not_fit(tmp_path, lists, fault):
    """Lists that can't be told apart, or hold anything else than programs, are an error."""
    (tmp_path / "generations.json").write_text(json.dumps(lists))
    assert fault in faults_of(read_samples, tmp_path / "generations.json", PROBLEMS)[0]


def test_one_program_for_each_problem(samples):
    """An array may have a program in place of each list."""
    assert samples(["a", "b", "c"]) == [Sample(*each, PROGRAM) for each in zip(NAMES, "abc", strict=True)]


@pytest.mark.parametrize("indent", [None, 4])
@pytest.mark.parametrize("key", ["", "raw_generations"])
def test_texts_by_id(samples, indent, key):
    """An object has a completion, or a list of them, for each problem, as APPS and CRUXEval write it."""
    texts = {"11": BODY, "HumanEval/0": ["a", "b"], "HumanEval/1": []}
    written = json.dumps({key: texts, "raw_scored_generations": {}, "pass_at_1": 1.0} if key else texts, indent=indent)
    expected = [Sample("11", BODY), Sample("HumanEval/0", "a"), Sample("HumanEval/0", "b")]
    assert samples(written.encode()) == expected


@pytest.mark.parametrize(
    ("texts", "fault"),
    [
        ({"11": None}, "samples.json, '11': neither a completion nor a list of them, but null"),
        ({"11": [1]}, "'completions' is not a list of strings; it holds 1"),
        ({"11": BODY, "12": BODY}, "samples.json, '12': there is no problem '12'"),
    ],
)
def test_texts_by_id_that_do_not_fit(tmp_path, texts, fault):
    """An item that is no completion, or of no problem, is an error with its key."""
    (tmp_path / "samples.json").write_text(json.dumps(texts))
    assert fault in "\n".join(faults_of(read_samples, tmp_path / "samples.json", PROBLEMS))


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"task_id": 11, "prompt": "Add.", "output": ["a", "b"]}, ["a", "b"]),
        ({"id": 11, "code": "a", "metadata": {"problem_id": 11}}, ["a"]),
        ({"task_id": 11, "skeleton": "class A:", "predict": ["a", "b"]}, ["a", "b"]),
    ],
    ids=["TACO", "DS-1000", "ClassEval"],
)
@pytest.mark.parametrize("is_array", [True, False])
def test_records_of_official_tools(samples, record, expected, is_array):
    """The records that TACO, DS-1000 and ClassEval write are known by their fields together."""
    assert samples([record] if is_array else record) == [Sample("11", text) for text in expected]


@pytest.mark.parametrize("record", [{"task_id": 11, "output": ["a"]}, {"task_id": 11, "prompt": "", "output": "a"}])
def test_no_record_of_official_tools(tmp_path, record):
    """A record with other fields, or values, is none of them."""
    (tmp_path / "samples.jsonl").write_text(json.dumps(record))
    assert "none 'completion' or another field" in faults_of(read_samples, tmp_path / "samples.jsonl", PROBLEMS)[0]


@pytest.mark.parametrize("form", [COMPLETION, PROGRAM, ANSWER])
def test_results_as_samples(reader, form):
    """Results have the samples that were scored, in their forms; the summary is none."""
    sample = Sample("11", "x", form)
    result = {**sample.record(), "completion_id": 0, "passed": None, "result": "failed"}
    assert reader(result, {"summary": {"samples": 1}}) == (
        [sample],
        ["these are results: their samples are judged again"],
    )


def test_a_form_of_ones_own(reader):
    """The form of a record that is no result means nothing."""
    assert reader({"task_id": "11", "completion": "x", "form": "program"})[0] == [Sample("11", "x")]


def test_an_unknown_form(tmp_path):
    """Results with another form are an error."""
    record = {"task_id": "11", "completion": "x", "completion_id": 0, "passed": True, "result": "", "form": "poem"}
    (tmp_path / "samples.jsonl").write_text(json.dumps(record))
    [fault] = faults_of(read_samples, tmp_path / "samples.jsonl", PROBLEMS)
    assert "'form' must be one of completion, program, answer, not 'poem'" in fault


def test_parquet(tmp_path):
    """Rows of Parquet are records, and a null is a field that is not there."""
    import pyarrow
    import pyarrow.parquet

    rows = [{"task_id": 11, "completion": BODY, "solution": None}, {"task_id": 11, "solution": WHOLE}]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "data")
    assert read_samples(tmp_path / "data", PROBLEMS) == [Sample("11", BODY), Sample("11", WHOLE, PROGRAM)]


@pytest.mark.parametrize("content", ["null", "hello", '"text"'])
def test_no_samples(tmp_path, content):
    """A file in no known shape is one error, which lists the shapes."""
    path = tmp_path / "samples"
    path.write_text(content)
    first, *shapes = faults_of(read_samples, path, PROBLEMS)
    assert first == f"{path}: it begins with {content!r}, and has none of the shapes of samples:"
    assert any("JSON lines" in line for line in shapes) and any("MultiPL-E" in line for line in shapes)


@pytest.mark.parametrize("content", ["[" * 100_000, '[{"a": 1}', "[1, 2", '{\n "a": 1\n', "PAR1"])
def test_damaged_files(tmp_path, content):
    """A file that is not what its beginning says is an error with its name."""
    path = tmp_path / "samples"
    path.write_text(content)
    assert faults_of(read_samples, path, PROBLEMS)[0].startswith(f"can't read {path}: ")


def test_hints(reader):
    """A hint is said once, and only where a prompt is left out."""
    records = [{"task_id": "HumanEval/0", "solution": WHOLE}] * 3 + [{"task_id": "11", "raw_generation": CHATTY}]
    assert reader(*records)[1] == [
        "found 'solution': taken as a whole program, without the prompt",
        "found 'raw_generation': taken as a model's answer: its last block of code is the program; without a block, it "
        "is a completion",
    ]
    assert reader({"task_id": "11", "completion": BODY})[1] == []


@pytest.mark.parametrize(
    ("preferred", "text", "form"), [("solution", WHOLE, PROGRAM), ("completion", BODY, COMPLETION)]
)
def test_both_fields(reader, preferred, text, form):
    """A benchmark's grader decides which of `completion` and `solution` counts, and a hint says so."""
    read, [hint] = reader({"task_id": "11", "completion": BODY, "solution": WHOLE}, preferred=preferred)
    assert read == [Sample("11", text, form)]
    assert f"found both 'completion' and 'solution': {preferred!r} counts" in hint


def test_both_fields_without_a_benchmark(tmp_path):
    """Otherwise a sample with both is an error: one of them may be the dataset's own solution."""
    path = tmp_path / "samples.jsonl"
    path.write_text(json.dumps({"task_id": "11", "completion": BODY, "solution": WHOLE}))
    [fault] = faults_of(read_samples, path, PROBLEMS)
    assert "there are both 'completion' and 'solution'; remove the one" in fault


def test_a_missing_field_names_those_that_are_there(tmp_path):
    """A record without a field for code is an error that lists the fields, and those that it has."""
    path = tmp_path / "samples.jsonl"
    path.write_text(json.dumps({"task_id": "11", "number": 1}))
    [fault] = faults_of(read_samples, path, PROBLEMS)
    assert "missing key 'completion' (or 'solution', " in fault
    assert fault.endswith("there are 'task_id', 'number'")


def test_a_pipe_in_any_shape(tmp_path):
    """A pipe, which can be read only once, has any of the shapes."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    data = json.dumps([{"question_id": "11", "code_list": [WHOLE] * 20_000}])
    writer = threading.Thread(target=path.write_text, args=(data,))
    writer.start()
    with SampleFile(path, PROBLEMS) as file:
        assert [entry.completion_id for entry in file] == list(range(20_000))
        assert [entry.index for entry in file] == list(range(20_000))
    writer.join()


def test_limits_of_a_caller(tmp_path):
    """A caller can allow some shapes only, and a number of samples."""
    path = tmp_path / "samples.json"
    path.write_text(json.dumps([{"task_id": "11", "completion": BODY}]))
    assert (
        "is a JSON array, and one record a line is expected"
        in faults_of(read_samples, path, PROBLEMS, (JSON_LINES,))[0]
    )
    path.write_text(json.dumps({"task_id": "11", "completions": [BODY] * 3}))
    assert faults_of(read_samples, path, PROBLEMS, (JSON_LINES,), 2) == [
        f"{path} has more than 2 samples, which is the limit here"
    ]
    assert len(read_samples(path, PROBLEMS, (JSON_LINES,), 3)) == 3


def test_the_hash_tells_forms_apart(tmp_path):
    """A run is not continued with the same texts in another form."""
    hashes = set()
    for name in ("completion", "solution"):
        (tmp_path / "samples.jsonl").write_text(json.dumps({"task_id": "11", name: WHOLE}))
        with SampleFile(tmp_path / "samples.jsonl", PROBLEMS) as file:
            hashes.add(file.sha256)
    assert len(hashes) == 2
