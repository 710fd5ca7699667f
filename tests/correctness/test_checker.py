"""The reader of CodeCorrectness records, and the label that a run gives for each way to end."""

import gzip
import json

import pytest

from code_tasks.benchmarks.readers import InputError
from code_tasks.correctness import CheckedRecord, CorrectnessChecker, Record, read_correctness
from code_tasks.correctness.checker import failed_if_invalid
from sandboxes import Outcome, Verdict
from support.correctness_programs import EMPTY, LACKING, LEAVING, LOST, NO_TESTS, PYTHON, PYTHON_TEST, RIGHT
from support.languages import each_of
from support.requirements import WALL_SECONDS

pytestmark = [pytest.mark.slow, pytest.mark.languages]

SECONDS = 6 * WALL_SECONDS
RECORD = {
    "inputs": {"focal_code": "def f():\n    return 1\n", "test_code": "def test(): pass\n", "lang": "Python"},
    "outputs": "success",
    "meta": {"id": 7},
}


def without(name):
    """Return a record's inputs without one of them."""
    return {**RECORD, "inputs": {key: value for key, value in RECORD["inputs"].items() if key != name}}


@pytest.fixture
def written(tmp_path):
    """Return a function that writes a text to a file, and returns its path."""

    def write(text):
        path = tmp_path / "data.jsonl"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


LINE = json.dumps(RECORD)


@pytest.mark.parametrize(
    "text",
    [LINE, LINE + "\n\n", json.dumps(RECORD, indent=1), f"[{LINE}]", f"\n[\n{LINE},\n]", gzip.compress(LINE.encode())],
    ids=["line", "blank line", "one record", "array", "array of lines", "gzip"],
)
def test_shapes_of_files(written, text):
    """A file is JSON lines, an array or one record, plain or gzipped."""
    [record] = read_correctness(written(text))
    assert (record.id, record.language, record.label) == ("7", "python", "success")


def test_places(written):
    """A record knows its file and line."""
    path = written(f"\n{LINE}\n{json.dumps({**RECORD, 'meta': {'id': 8}})}\n")
    assert [each.place for each in read_correctness(path)] == [f"{path}:2", f"{path}:3"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (LINE + "\n{\n", r"data.jsonl:2: not JSON"),
        (f"{LINE}\n{LINE}", r"data.jsonl:2: duplicate meta.id '7'"),
        (f"[\n{LINE},\n5]", r"data.jsonl:3: not a JSON object, but 5"),
        (f"[\n{LINE},\n{{]", r"data.jsonl:3: not JSON"),
        (json.dumps(without("lang")), r"data.jsonl:1: inputs.lang is not a text"),
        (json.dumps(without("test_code")), r"inputs.test_code is not a text"),
        (json.dumps({**RECORD, "inputs": []}), r"inputs must be an object"),
        (json.dumps({**RECORD, "outputs": ""}), r"there is no label: outputs is ''; --labels FILE makes"),
        (json.dumps({**RECORD, "outputs": None}), r"there is no label: outputs is null"),
        (json.dumps({key: RECORD[key] for key in ("inputs", "meta")}), r"there is no label: outputs is null"),
        (json.dumps({**RECORD, "outputs": "ok"}), r"outputs must be success or failed, not 'ok'"),
        (json.dumps({**RECORD, "meta": 3}), r"meta must be an object with an id, not 3"),
        (LINE.replace("Python", "Rust"), r"inputs.lang must be Python, Java or Go, not 'Rust'"),
        ("", "there are no records in it"),
        (b"\x1f\x8bno gzip", "can't read"),
        (b"\xff\xfe\x00", "can't read"),
    ],
    ids=str,
)
def test_files_that_cannot_be_right(written, text, message):
    """An invalid record is an error that names file and line."""
    with pytest.raises(InputError, match=message):
        read_correctness(written(text))


@pytest.mark.parametrize("label", ["", "  ", None])
def test_records_without_labels(written, label):
    """A record without a label is read if no labels are needed, and holds its JSON object. Other labels are errors."""
    [record] = read_correctness(written(json.dumps({**RECORD, "outputs": label})), needs_labels=False)
    assert (record.label, record.source) == ("", {**RECORD, "outputs": label})
    with pytest.raises(InputError, match="outputs must be success or failed, not 'ok'"):
        read_correctness(written(json.dumps({**RECORD, "outputs": "ok"})), needs_labels=False)


KINDS = {"right": RIGHT, "leaving": LEAVING, "empty": EMPTY, "no tests": NO_TESTS, "lacking": LACKING, "lost": LOST}


@pytest.fixture(scope="module", params=each_of(["python", "java", "go"]))
def checked(request):
    """Provide {kind: [CheckedRecord, ...]} for all records of a language, which are run together for speed."""
    language = request.param
    named = [(kind, pair) for kind, pairs in KINDS.items() for pair in pairs[language]]
    records = [Record(str(number), *pair, language, "success") for number, (_, pair) in enumerate(named)]
    found = CorrectnessChecker(timeout=SECONDS, compile_timeout=SECONDS, progress=False).check(records)
    groups = {kind: [] for kind in KINDS}
    for (kind, _), each in zip(named, found, strict=True):
        groups[kind].append(each)
    return groups


def test_right_code(checked):
    """A test that passes is a success."""
    assert [each.label for each in checked["right"]] == ["success"] * len(checked["right"]), checked["right"]


def test_early_ends(checked):
    """Code that exits before its tests are done is no success, whatever its status."""
    assert {each.label for each in checked["leaving"]} == {"failed"}, checked["leaving"]


def test_without_tests(checked):
    """A record of which no test ran is no success."""
    assert {each.label for each in checked["empty"]} == {"failed"}, checked["empty"]


def test_no_program(checked):
    """A test that is not a valid program of its language is the record's fault, and gives no label."""
    for each in checked["no tests"]:
        assert each.label is None
        assert "its test is not valid " in each.problem


def test_no_program_as_mera(checked):
    """A test that is not a valid program is failed in all runs by MERA's rule; nothing else changes."""
    for each in checked["no tests"]:
        failed = failed_if_invalid(each, 1)
        assert (failed.labels, failed.problem) == (("failed",), "")
        assert "COMPILE_ERROR" in {result.outcome.name for result in failed.results}
    for each in (*checked["right"], *checked["lacking"], *checked["leaving"]):
        assert failed_if_invalid(each, 1) is each


def test_missing_libraries(checked):
    """A missing library says nothing about the code, and is named."""
    for each in checked["lacking"]:
        assert each.label is None
        assert "which is not " in each.problem and "noth" in each.problem


def test_missing_files_of_the_project(checked):
    """A missing part of the record's own project is a failed test."""
    assert [each.label for each in checked["lost"]] == ["failed"] * len(checked["lost"]), checked["lost"]


def test_restricted_has_no_files():
    """The restricted sandbox is refused with a message that names the suitable sandboxes."""
    with pytest.raises(ValueError, match='choose "subprocess" or "docker"'):
        CorrectnessChecker("restricted")


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"sandbox": "dokcer"}, ValueError, "unknown sandbox 'dokcer'"),
        ({"timeout": 0}, ValueError, "timeout must be .* not 0"),
        ({"memory_mb": 1.5}, TypeError, "memory_mb must be a whole number, not 1.5"),
        ({"num_workers": -1}, ValueError, "num_workers must be at least 1, not -1"),
        ({"compile_timeout": "x"}, TypeError, "compile_timeout must be .* not 'x'"),
    ],
)
def test_options_that_cannot_be_right(options, error, message):
    """An invalid option is an error that names its value."""
    with pytest.raises(error, match=message):
        CorrectnessChecker(**options)


def test_nothing_to_check():
    """No records give no results."""
    assert CorrectnessChecker().check([]) == []


@pytest.mark.parametrize(("syntax_errors_fail", "labels"), [(True, ("failed", "failed")), (False, ())])
def test_syntax_errors(syntax_errors_fail, labels):
    """The caller decides whether a test that can't be parsed is failed."""
    [checked] = CorrectnessChecker(progress=False).check(
        [Record("1", PYTHON, "def test(:\n", "python", "failed")], 2, syntax_errors_fail
    )
    assert checked.labels == labels


def test_flaky():
    """Runs that differ give no label. Runs that agree give theirs."""
    record = Record("1", PYTHON, PYTHON_TEST, "python", "failed")
    passed, failed = Verdict(Outcome.PASSED), Verdict(Outcome.TIMED_OUT)
    assert CheckedRecord(record, (passed, failed)).is_flaky
    assert CheckedRecord(record, (passed, failed)).label is None
    assert CheckedRecord(record, (failed, failed)).label == "failed"
    assert CheckedRecord(record, (failed, failed)).agrees
    assert CheckedRecord(record, (passed,)).agrees is False


def test_agreement_without_a_label():
    """A record without a label has the label of its runs, which agrees with nothing and contradicts nothing."""
    checked = CheckedRecord(Record("1", PYTHON, PYTHON_TEST, "python", ""), (Verdict(Outcome.PASSED),))
    assert (checked.label, checked.agrees) == ("success", None)


def test_repeats():
    """Each record is run as often as asked, and every run is kept."""
    code = "import random\ndef f():\n    return 1\n"
    [checked] = CorrectnessChecker(timeout=SECONDS, progress=False).check(
        [Record("1", code, PYTHON_TEST, "python", "success")], repeats=3
    )
    assert checked.labels == ("success",) * 3
