"""Uploads and results: uploads respect the limits however they are packed, and all files go again."""

import gzip
import io
import json
import os
import shutil
import time
import tracemalloc
import zlib

import hypothesis.strategies as st
import pytest
from hypothesis import given

from space.errors import RequestError
from space.hosting.housekeeping import MAX_FILE_AGE_SECONDS, remove_old_files
from space.settings import Settings
from space.uploads import FileStore, ResultsFile, read_uploads
from support.metric_and_command import PROBLEM, ROOT

SETTINGS = Settings(max_samples=5, max_file_mb=3)
SAMPLE = {"task_id": "t/0", "completion": "    return a + b\n"}


def jsonl(*records):
    """Return records as JSON lines."""
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


ONE_PROBLEM = jsonl(PROBLEM)


@pytest.fixture
def job(tmp_path):
    """Provide a function that reads uploads: (samples, problems=one) -> (samples, problems by task_id)."""

    def read(samples, problems=ONE_PROBLEM, settings=SETTINGS):
        paths = [tmp_path / "samples.jsonl", tmp_path / "problems.jsonl"]
        for path, content in zip(paths, (samples, problems), strict=True):
            path.write_bytes(content)
        return read_uploads(settings, *map(str, paths), None)

    return read


@pytest.fixture
def message_for(job):
    """Provide a function that returns the message about invalid uploads."""

    def message(*args, **kwargs):
        with pytest.raises(RequestError) as raised:
            job(*args, **kwargs)
        return str(raised.value)

    return message


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_uploads_are_read(job, pack):
    """Samples and problems are read, both plain and gzipped."""
    found, tasks = job(pack(jsonl(SAMPLE, SAMPLE)), pack(jsonl(PROBLEM)))
    assert ([each.completion for each in found], list(tasks)) == ([SAMPLE["completion"]] * 2, ["t/0"])


def test_samples_in_one_line(job, message_for):
    """A line may hold several samples, and each counts for the limit. Other shapes are refused."""
    record = {"task_id": "t/0", "completions": ["    return a + b\n"] * 5}
    assert len(job(jsonl(record))[0]) == 5
    assert "more than 5 samples" in message_for(jsonl(record, SAMPLE))
    assert "samples.jsonl is a JSON array, and one record a line is expected" in message_for(
        json.dumps([SAMPLE]).encode()
    )


@pytest.mark.parametrize("unit", [b"\0", b"x" * 1000 + b"\n"])
def test_a_bomb_is_not_unpacked(message_for, unit):
    """A small file that unpacks to far more than the limit is refused, and its content is never whole in memory."""
    bomb = gzip.compress(unit * ((40 << 20) // len(unit)))
    assert len(bomb) < 1 << 20
    tracemalloc.start()
    try:
        message = message_for(bomb, settings=Settings(max_file_mb=3))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert message in (
        "samples.jsonl has a line of more than 1 MiB, which is the limit here",
        "samples.jsonl holds more than 3 MiB, which is the limit here",
    )
    assert peak < 8 << 20


def test_size_is_limited(message_for):
    """A file above the limit is refused even if its lines are short enough."""
    line = jsonl({**SAMPLE, "completion": "x" * 900_000})
    assert message_for(line * 4) == "samples.jsonl holds more than 3 MiB, which is the limit here"


@pytest.mark.parametrize("before", [b"", b"\n", b"{}\n" * 2])
def test_a_long_line_is_refused(message_for, before):
    """A line of more than 1 MiB is refused at every place in the file."""
    assert "a line of more than 1 MiB" in message_for(before + b"x" * ((1 << 20) + 1))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(jsonl(SAMPLE), mtime=0)[:-9], "can't read samples.jsonl: "),
        (gzip.compress(jsonl(SAMPLE), mtime=0)[:12] + b"garbage", "can't read samples.jsonl: "),
        (b"\x1f\x8b", "can't read samples.jsonl: "),
        (b"not JSON\n", "samples.jsonl:1: not JSON"),
        (b"\xff\xfe\n", "samples.jsonl is in UTF-16"),
        (b"{" * 100_000, "samples.jsonl:1: not JSON"),
        (b"5\n", "samples.jsonl:1: not a JSON object, but 5"),
        (jsonl({"task_id": "t/0"}), "samples.jsonl:1: missing key 'completion'"),
        (jsonl({**SAMPLE, "completion": 1}), "samples.jsonl:1: 'completion' is not a string, but 1"),
        (jsonl(SAMPLE, {**SAMPLE, "task_id": "t/1"}), "samples.jsonl:2: there is no problem 't/1'"),
        (b"", "samples.jsonl: there are no samples in it"),
    ],
)
def test_invalid_samples_are_reported(message_for, content, message, tmp_path):
    """The message about an invalid file has the file's name and line, and not its folder."""
    text = message_for(content)
    assert text.startswith(message)
    assert str(tmp_path) not in text


def test_invalid_problems_are_reported(message_for):
    """Problems are checked too, before the samples."""
    assert message_for(b"", jsonl(PROBLEM, PROBLEM)) == "problems.jsonl:2: duplicate task_id 't/0'"


def test_number_of_samples_is_limited(job, message_for):
    """A file may have as many lines as the owner allows samples, and no more."""
    assert len(job(jsonl(*[SAMPLE] * 5))[0]) == 5
    assert message_for(jsonl(*[SAMPLE] * 6)).startswith(
        "samples.jsonl has more than 5 lines, which is the limit here; "
    )


def test_programs_that_samples_make_are_limited(message_for):
    """A long prompt counts once for each of its samples, because each program is a text of its own."""
    problems = jsonl({**PROBLEM, "prompt": "x" * 900_000})
    assert "make programs of more than 3 MiB" in message_for(jsonl(*[SAMPLE] * 5), problems)


def test_tests_in_other_languages_count_for_each_sample(job, message_for):
    """Tests in another language count once for each sample too, as a part of its program; tests in Python do not."""
    record, samples = {**PROBLEM, "test": "check(add)" + "#" * 900_000}, jsonl(*[SAMPLE] * 5)
    assert len(job(samples, jsonl(record))[0]) == 5
    assert "make programs of more than 3 MiB" in message_for(samples, jsonl({**record, "language": "bash"}))


@pytest.mark.parametrize(
    ("given_files", "message"),
    [
        ((None, "p", None), 'there is no file of samples: JSON lines with "task_id" and "completion"'),
        (("s", None, None), "give either a file of problems or the name of a dataset, and not both"),
        (("s", "p", "d"), "give either a file of problems or the name of a dataset, and not both"),
        (("/nowhere/s.jsonl", "/nowhere/p.jsonl", None), "can't read p.jsonl: there is no such file"),
        (("s", None, "../../etc"), "unknown dataset '../../etc'; choose one of mine, or upload problems"),
        (("s", None, str(ROOT)), f"unknown dataset {str(ROOT)!r}; choose one of mine, or upload problems"),
    ],
)
def test_invalid_files_are_reported(given_files, message):
    """The message about a missing file or an unknown dataset has no path of the server."""
    with pytest.raises(RequestError) as raised:
        read_uploads(Settings(datasets={"mine": "/srv/mine"}), *given_files)
    assert str(raised.value) == message


def test_a_data_set_of_this_machine(tmp_path):
    """The owner's dataset in a folder is found by its name."""
    folder, samples = tmp_path / "data", tmp_path / "samples.jsonl"
    folder.mkdir()
    (folder / "test.jsonl").write_bytes(jsonl(PROBLEM))
    samples.write_bytes(jsonl(SAMPLE))
    _, tasks = read_uploads(Settings(datasets={"data": str(folder)}), str(samples), None, "data")
    assert list(tasks) == ["t/0"]


def test_a_data_set_that_can_not_be_had(tmp_path):
    """The message about a dataset that can't be loaded has its name, and no folder of the server."""
    samples, settings = tmp_path / "samples.jsonl", Settings(datasets={"gone": str(tmp_path / "gone")})
    samples.write_bytes(jsonl(SAMPLE))
    with pytest.raises(RequestError, match="can't load split 'test' of dataset") as raised:
        read_uploads(settings, str(samples), None, "gone")
    assert str(tmp_path) not in str(raised.value)


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_samples_or_a_bad_request(tmp_path_factory, content, is_packed):
    """Any bytes are read, or refused with a message that names the file, even after the first bytes of a gzip file."""
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    path.write_bytes(b"\x1f\x8b\x08" + content if is_packed else content)
    problems = tmp_path_factory.getbasetemp() / "problems.jsonl"
    problems.write_bytes(jsonl(PROBLEM))
    with pytest.raises(RequestError, match=r"any\.jsonl"):
        read_uploads(SETTINGS, str(path), str(problems), None)


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Provide a file store in a folder that the environment names."""
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "not" / "there"))
    return FileStore.new()


def test_results_are_kept_as_they_are(store):
    """A file of results is JSON lines, and each record can be read by its index."""
    records = [{"detail": "\ud800\n\u2028"}, {"detail": ""}, {"n": 1.5}]
    kept = store.keep(records)
    assert [json.loads(line) for line in kept.path.read_text("ascii").splitlines()] == records
    assert [kept.record(index) for index in range(3)] == records
    assert kept.path.name == "results.jsonl"


def test_each_file_is_apart(store):
    """Each file has a folder with a name that can't be guessed, inside a folder that only this user can enter."""
    first, second = store.keep([]), store.keep([])
    assert first.path != second.path
    assert len(first.path.parent.name) == 32
    assert os.stat(store.folder).st_mode & 0o077 == 0


def test_missing_results_are_reported(store):
    """The message about a file of results that has been removed says what to do."""
    kept = store.keep([{}])
    store.close()
    assert not store.folder.exists()
    with pytest.raises(RequestError, match="score the file again"):
        kept.record(0)
    assert isinstance(kept, ResultsFile)


def test_store_is_in_the_folder_of_the_environment(store, tmp_path):
    """The store makes its folder inside the one that the environment names, which it makes too."""
    assert store.folder.parent == tmp_path / "not" / "there"


@pytest.fixture
def old_file(tmp_path):
    """Provide a function that makes a file, in a folder of its own, that was changed some seconds ago."""

    def make(name, size, seconds):
        path = tmp_path / name / "file"
        path.parent.mkdir()
        path.write_bytes(bytes(size))
        os.utime(path, times=(time.time() - seconds,) * 2)
        return path

    return make


def test_the_oldest_files_go_first(old_file, tmp_path):
    """If the files exceed the limit, the oldest go with their folders, and the newest stay."""
    paths = [old_file(str(age), 100, age) for age in (30, 20, 10)]
    remove_old_files(tmp_path, 200)
    assert [path.parent.exists() for path in paths] == [False, True, True]
    remove_old_files(tmp_path, 200)
    assert paths[1].exists()


def test_old_files_go(old_file, tmp_path):
    """A file that is too old goes, even if there is enough room."""
    old, new = old_file("old", 1, MAX_FILE_AGE_SECONDS + 60), old_file("new", 1, MAX_FILE_AGE_SECONDS - 60)
    remove_old_files(tmp_path, 1 << 30)
    assert (old.exists(), new.exists()) == (False, True)


def test_links_are_not_followed(old_file, tmp_path):
    """A link in the folder is not followed: its target stays and does not count."""
    outside, inside = old_file("outside", 1000, 99999), tmp_path / "inside"
    inside.mkdir()
    (inside / "file").symlink_to(outside)
    (inside / "folder").symlink_to(outside.parent)
    remove_old_files(inside, 1)
    assert outside.exists()


def test_missing_folder_is_no_error(tmp_path):
    """A folder that is missing, as at the end of the server, is no error."""
    shutil.rmtree(tmp_path)
    remove_old_files(tmp_path, 1)


def test_broken_stream_is_reported(message_for):
    """A gzip file with damaged data is refused with a message."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb") as file:
        file.write(os.urandom(1000))
    damaged = bytearray(packed.getvalue())
    damaged[12:40] = zlib.compress(b"x" * 100)[:28].ljust(28, b"\xff")
    assert message_for(bytes(damaged)).startswith("can't read samples.jsonl: ")
