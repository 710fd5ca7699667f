"""The partial results file: no result in it is lost, and nothing invalid gets in."""

import json
import resource
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_tasks.scoring.results_file import PartialResults, PartialResultsError
from code_tasks.scoring.trusted_files import partial_path
from sandboxes import result_dict
from support.metric_and_command import lines_of
from support.run_files import PASSED

SETTINGS = {"samples": "abc", "limits": {"wall_seconds": 3.0}, "languages": ("go", "java")}


def record_of(number):
    """Return a sample with its result, as read from JSON."""
    return {"task_id": "t/0", "completion": "pass", **result_dict("t/0", number, PASSED)}


@pytest.fixture
def output(tmp_path):
    """Return the path of a results file."""
    return tmp_path / "results.jsonl"


def interrupted(output, *numbers, total=5):
    """Leave a partial file with some results."""
    with PartialResults(output, total, SETTINGS, resume=False) as partial:
        for number in numbers:
            partial.write(number, record_of(number))


@contextmanager
def files_of_at_most(size):
    """Let this process write no file of more bytes, as a full disk does."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_results_come_in_the_samples_order(output):
    """The results file has the samples' order, whatever the order of arrival, and ends with the summary."""
    with PartialResults(output, 3, SETTINGS, resume=False) as partial:
        for number in (2, 0, 1):
            partial.write(number, record_of(number))
        partial.finish({"samples": 3})
    *results, last = lines_of(output)
    assert results == [record_of(number) for number in range(3)]
    assert last["summary"]["samples"] == 3
    assert not partial_path(output).exists()


def test_a_partial_file_is_continued(output):
    """A resumed run knows the existing results, and keeps them with the new ones."""
    interrupted(output, 3, 1)
    with PartialResults(output, 5, SETTINGS, resume=True) as partial:
        assert [number in partial for number in range(5)] == [False, True, False, True, False]
        for number in (0, 2, 4):
            partial.write(number, record_of(number))
        partial.finish({})
    assert lines_of(output)[:-1] == [record_of(number) for number in range(5)]


@given(cut=st.integers(1, 40))
def test_an_incomplete_line_is_removed(tmp_path_factory, cut):
    """A last line that was cut off anywhere is removed, and the lines before it count."""
    output = tmp_path_factory.mktemp("torn") / "results.jsonl"
    interrupted(output, 1, 2)
    whole = partial_path(output).read_bytes()
    partial_path(output).write_bytes(whole[:-cut])
    with PartialResults(output, 5, SETTINGS, resume=True) as partial:
        assert (1 in partial, 2 in partial) == (
            cut <= len(json.dumps({"sample": 2, "record": record_of(2)}) + "\n"),
            False,
        )
        partial.write(2, record_of(2))
    with PartialResults(output, 5, SETTINGS, resume=True) as partial:
        assert (2, record_of(2)) in list(partial.records())


def test_a_partial_file_is_not_overwritten(output):
    """A run without --resume does not start if there is a partial file."""
    interrupted(output, 1)
    with (
        pytest.raises(PartialResultsError, match="--resume, or remove the file"),
        PartialResults(output, 5, SETTINGS, resume=False),
    ):
        pass
    assert partial_path(output).exists()


def test_a_full_disk_leaves_what_can_be_continued(output):
    """A full disk is an error that names the file and --resume, and the results before it count."""
    with (
        files_of_at_most(40_000),
        pytest.raises(PartialResultsError, match=r"can't write .*\.partial: File too large; --resume continues from"),
        PartialResults(output, 1000, SETTINGS, resume=False) as partial,
    ):
        for number in range(1000):
            partial.write(number, record_of(number))
    with PartialResults(output, 1000, SETTINGS, resume=True) as partial:
        assert 0 < len([*partial.records()]) < 1000


@pytest.mark.parametrize("size", [0, 10])
def test_a_disk_that_is_full_from_the_beginning(output, size):
    """A run that can't even begin is an error that names the file, and leaves nothing to be continued."""
    with (
        files_of_at_most(size),
        pytest.raises(PartialResultsError, match="can't write .*partial: File too large$"),
        PartialResults(output, 5, SETTINGS, resume=False),
    ):
        pass
    assert not partial_path(output).exists()


def test_a_full_disk_hides_no_other_error(output):
    """An error of the run is raised although the file can't be written either."""
    with files_of_at_most(200), pytest.raises(ZeroDivisionError), PartialResults(output, 5, SETTINGS, False) as partial:
        partial.write(1, record_of(1))
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("name", "value"), [("samples", "abd"), ("limits", {"wall_seconds": 2.0}), ("sandbox", "docker")]
)
def test_other_settings_are_refused(output, name, value):
    """A partial file with other settings is refused, and the error names the difference."""
    interrupted(output, 1)
    with (
        pytest.raises(PartialResultsError, match=name),
        PartialResults(output, 5, SETTINGS | {name: value}, resume=True),
    ):
        pass


@pytest.mark.parametrize(
    "line", ["nonsense", "[]", '{"sample": 9, "record": {}}', '{"sample": 1}', '{"sample": 1, "record": {}}']
)
def test_a_damaged_partial_file_is_an_error(output, line):
    """An invalid line is an error with its number."""
    interrupted(output, 1)
    with open(partial_path(output), "a") as file:
        file.write(line + "\n")
    with pytest.raises(PartialResultsError, match="partial:3: "), PartialResults(output, 5, SETTINGS, resume=True):
        pass


def test_two_runs_can_not_write_one_file(output):
    """A partial file that another run is writing is refused."""
    with (
        PartialResults(output, 5, SETTINGS, resume=False),
        pytest.raises(PartialResultsError, match="another run"),
        PartialResults(output, 5, SETTINGS, resume=True),
    ):
        pass


def test_a_partial_file_without_results_is_removed(output):
    """A run without results leaves no partial file."""
    interrupted(output)
    assert not partial_path(output).exists()
