"""Readers of arbitrary bytes: they return the content or a clear error, in little memory, without a traceback."""

import gzip
import json
import os
import resource
import subprocess
import sys
import threading

import hypothesis.strategies as st
import pytest
from hypothesis import example, given

from code_tasks.benchmarks.problem_reader import read_problems
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.readers import MAX_ERRORS, InputError, InputErrors, read_lines
from code_tasks.benchmarks.sample_reader import read_samples
from code_tasks.correctness.records import read_correctness
from code_tasks.reports.data import read_report_data
from code_tasks.scoring.results_file import PartialResults, PartialResultsError
from code_tasks.scoring.sample_file import SampleFile
from code_tasks.scoring.summary import Tally, as_text
from code_tasks.scoring.trusted_files import partial_path
from code_tasks.solvers.record.format import RunLogError
from code_tasks.solvers.record.reader import read_run_state
from code_tasks.solvers.record.writer import JsonlRecorder
from sandboxes import result_dict
from support.metric_and_command import PROBLEM, ROOT, SECONDS, code_eval, environment
from support.run_files import PASSED, write_record

pytestmark = pytest.mark.slow

PROBLEMS = {"t/0": Problem("t/0", "", "assert f()")}
SETTINGS = {"samples": "abc", "limits": {"wall_seconds": 3.0}}
TOTAL = 9
RECORD = {"task_id": "t/0", "completion": "pass", **result_dict("t/0", 0, PASSED)}
WHOLE = [json.dumps({"settings": SETTINGS}), *(json.dumps({"sample": n, "record": RECORD}) for n in range(3))]

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["t/0", "passed", "match"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip
names = st.sampled_from(
    "task_id completion test prompt sample record settings summary record_type group_id attempt_id score timestamp "
    "question_ids n_tries result outcome passed completion_id solver is_final is_system_error error_class".split()
)
lines = st.dictionaries(names, values, max_size=6).map(lambda value: json.dumps(value).encode()) | st.binary(
    max_size=40
)
contents = st.lists(lines, max_size=5).map(b"\n".join) | st.binary(max_size=200)
contents |= contents.map(gzip.compress) | contents.map(lambda data: gzip.compress(data)[:-9])


def read_partial(path):
    """Resume a partial file, and sum up its results, as a run does."""
    tally = Tally()
    with PartialResults(path, TOTAL, SETTINGS, resume=True, task_ids=PROBLEMS) as partial:
        for _, record in partial.records():
            tally.add(record["task_id"], record)
    return as_text(tally, None, 1.0)


def read_sample_file(path):
    """Read samples as `code-eval run` does."""
    with SampleFile(path, PROBLEMS) as file:
        return list(file)


def read_run_log_and_sum_up(path):
    """Resume a run log, as `code-eval solve --resume` does."""
    os.chmod(path, 0o644)
    with JsonlRecorder(path, resume=True):
        state = read_run_state(path)
    state.check_settings(path, {"solver": "gold"})
    return state.without_system_errors().summary().as_record()


READERS = {
    "samples": (read_sample_file, InputError),
    "samples in memory": (lambda path: read_samples(path, PROBLEMS), InputError),
    "problems": (read_problems, InputError),
    "results or a run log": (read_report_data, InputError),
    "a run log to resume": (read_run_log_and_sum_up, RunLogError),
    "records of CodeCorrectness": (read_correctness, InputError),
}


@pytest.mark.parametrize("reader", READERS)
@given(content=contents)
def test_any_bytes_are_read_or_refused(tmp_path_factory, reader, content):
    """Any file is read, or refused with an error that names the file."""
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_bytes(content)
    read, refused = READERS[reader]
    try:
        read(path)
    except refused as error:
        assert str(path) in str(error)


@given(content=contents)
@example(content=b"x")
@example(content=b"[" * 100_000 + b"\n")
@example(content=b'{"settings": {}}\n')
def test_any_bytes_as_a_partial_file(tmp_path_factory, content):
    """Any partial file is resumed, or refused with an error that says what to do."""
    output = tmp_path_factory.getbasetemp() / "any-results.jsonl"
    partial_path(output).write_bytes(content)
    try:
        read_partial(output)
    except PartialResultsError as error:
        assert str(partial_path(output)) in str(error) and "remove" in str(error)
    finally:
        partial_path(output).unlink(missing_ok=True)


@given(data=st.data())
def test_a_damaged_line_of_a_partial_file(tmp_path_factory, data):
    """A partial file with any value in any field of a result is resumed or refused."""
    output = tmp_path_factory.getbasetemp() / "damaged-results.jsonl"
    line = json.loads(WHOLE[2])
    inner = data.draw(st.sampled_from([line, line["record"]]))
    name = data.draw(st.sampled_from(sorted(inner)))
    if data.draw(st.booleans()):
        del inner[name]
    else:
        inner[name] = data.draw(values)
    partial_path(output).write_text("\n".join([*WHOLE[:2], json.dumps(line), WHOLE[3]]) + "\n")
    try:
        read_partial(output)
    except PartialResultsError as error:
        assert f"{partial_path(output)}:3: " in str(error) and "remove" in str(error)
    finally:
        partial_path(output).unlink(missing_ok=True)


@given(data=st.data())
def test_a_damaged_line_of_a_run_log(tmp_path_factory, data):
    """A run log with any value in any field is resumed or refused."""
    path = tmp_path_factory.mktemp("damaged") / "run.jsonl"
    record = [json.loads(line) for line in write_record(path).read_text().splitlines()]
    line = data.draw(st.sampled_from(record))
    line[data.draw(st.sampled_from(sorted(line)))] = data.draw(values)
    path.write_text("".join(json.dumps(each) + "\n" for each in record))
    try:
        read_run_log_and_sum_up(path)
    except RunLogError as error:
        assert str(path) in str(error)


def test_an_undamaged_partial_file_is_read(tmp_path):
    """An undamaged partial file is resumed."""
    partial_path(tmp_path / "results.jsonl").write_text("\n".join(WHOLE) + "\n")
    assert "3 samples of 1 task" in read_partial(tmp_path / "results.jsonl")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"task_id": "t/9"}, "there is no sample of 't/9'"),
        ({"passed": False}, "passed is false, but outcome is 'passed'"),
        ({"passed": 1}, "passed is 1"),
        ({"passed": None}, "passed is null"),
        ({"flaky": "no"}, "flaky is neither true nor false"),
        ({"cached": None}, "cached is neither true nor false"),
        ({"wall_seconds": "1"}, "wall_seconds is not a number"),
        ({"detail": 5}, "detail is not a string"),
        ({"outcome": "splendid"}, "unknown outcome 'splendid'"),
    ],
)
def test_fields_that_a_score_is_counted_from(tmp_path, change, message):
    """A result whose fields do not agree, or are invalid, is an error with its line."""
    line = json.dumps({"sample": 1, "record": RECORD | change})
    partial_path(tmp_path / "results.jsonl").write_text("\n".join([*WHOLE[:2], line]) + "\n")
    with pytest.raises(PartialResultsError, match=f"partial:3: {message}.*; remove .*partial to start over"):
        read_partial(tmp_path / "results.jsonl")


@pytest.mark.parametrize("missing", ["task_id", "passed", "result", "outcome", "wall_seconds", "detail", "tests"])
def test_a_missing_field(files, tmp_path, missing):
    """The command reports a damaged partial file in one line, without a traceback."""
    arguments = [*files(["    return a + b\n"] * 3), "--output", tmp_path / "results.jsonl"]
    assert code_eval(*arguments).returncode == 0
    lines = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()]
    record = {name: value for name, value in lines[0].items() if name != missing}
    begun = [{"settings": lines[-1]["summary"]["settings"]}, {"sample": 0, "record": record}]
    partial_path(tmp_path / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in begun))
    done = code_eval(*arguments, "--resume")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "results.jsonl.partial:2: " in done.stderr and "to start over" in done.stderr


@pytest.mark.parametrize("zipped", [False, True])
@pytest.mark.parametrize("end", [b"", b"\n", b"\nmore\n"])
def test_a_line_that_is_too_long(tmp_path, zipped, end):
    """A line above the limit is an error with file and number; a line at the limit is read."""
    path = tmp_path / "lines"
    for size in (1024, 1025):
        data = b"first\n" + b"x" * (size - bool(end)) + end
        path.write_bytes(gzip.compress(data) if zipped else data)
        if size == 1024:
            assert [number for number, _ in read_lines(path, 1024)][:2] == [1, 2]
        else:
            with pytest.raises(InputError, match=f"{path}:2: a line of more than 0 MiB"):
                list(read_lines(path, 1024))


def limited(*arguments):
    """Run the command with an address space of 3 GiB, which is enough for it and its guests."""
    return subprocess.run(
        [sys.executable, "-m", "code_tasks.cli", *map(str, arguments)],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30)),
    )


@pytest.fixture(scope="module")
def bomb(tmp_path_factory):
    """Return a gzipped file of half a MiB that unpacks to one line of 512 MiB."""
    path = tmp_path_factory.mktemp("bomb") / "bomb.jsonl.gz"
    with gzip.open(path, "wb", 9) as file:
        file.write(b'{"task_id": "t/0", "completion": "')
        for _ in range(512):
            file.write(b"x" * (1 << 20))
        file.write(b'"}\n')
    assert path.stat().st_size < 1 << 20
    return path


@pytest.mark.parametrize("part", ["samples", "problems", "results", "data"])
def test_a_bomb_is_refused(files, tmp_path, bomb, part):
    """A file that unpacks to a huge line is refused in bounded memory, with the file and the line."""
    command, samples, option, problems = files(["    return a + b\n"])
    done = limited(
        *{
            "samples": (command, bomb, option, problems),
            "problems": (command, samples, option, bomb),
            "results": ("report", bomb, "--output", tmp_path / "page.html"),
            "data": ("correctness", bomb),
        }[part]
    )
    assert done.returncode == 2, done.stderr
    assert (f"{bomb}:1: a line of more than" if part != "data" else f"{bomb} holds more than 256 MiB") in done.stderr


def test_many_bad_lines_are_not_all_kept(tmp_path):
    """A file of very many bad lines is not read to its end, and the error stays short."""
    path = tmp_path / "samples.jsonl.gz"
    path.write_bytes(gzip.compress(b"{x\n" * 1_000_000))
    with pytest.raises(InputError, match=f"after {MAX_ERRORS} such lines no more was read") as caught:
        read_samples(path, PROBLEMS)
    assert len(str(caught.value).splitlines()) == 4


def test_faults_are_counted():
    """Below that limit all errors are counted, and the first ones are shown."""
    faults = InputErrors()
    faults.add(*(f"fault {'x' * number}" for number in range(60)))
    with pytest.raises(InputError, match=r"fault x\n(?s:.*)fault x{49}\n\.\.\. and 10 more such lines$"):
        faults.raise_if_any()


@pytest.mark.parametrize("zipped", [False, True])
def test_problems_from_a_pipe(tmp_path, zipped):
    """Problems can be read from a pipe, and none is lost."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    data = "".join(json.dumps({**PROBLEM, "task_id": f"t/{number}"}) + "\n" for number in range(2000)).encode()
    writer = threading.Thread(target=lambda: pipe.write_bytes(gzip.compress(data) if zipped else data))
    writer.start()
    found = read_problems(pipe)
    writer.join()
    assert len(found) == 2000


def test_long_lines_of_honest_files_are_read(tmp_path):
    """A problem and a sample of some MiB are read."""
    cases = {"inputs": ["1\n" * (4 << 20)], "outputs": ["2\n"]}
    (tmp_path / "p.jsonl").write_text(json.dumps({"task_id": "t/0", "input_output": json.dumps(cases)}) + "\n")
    (tmp_path / "s.jsonl").write_text(json.dumps({"task_id": "t/0", "completion": "#" * (5 << 20)}) + "\n")
    problems = read_problems(tmp_path / "p.jsonl")
    [sample] = read_samples(tmp_path / "s.jsonl", problems)
    assert len(sample.completion) == 5 << 20
