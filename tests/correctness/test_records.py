"""The records of examples/correctness, and the one that MERA published: every label agrees with a run."""

import pytest

from code_tasks.correctness import CorrectnessChecker, read_correctness
from support.languages import require_languages
from support.metric_and_command import DATA, ROOT
from support.requirements import WALL_SECONDS, require_file, require_testify

pytestmark = [pytest.mark.slow, pytest.mark.languages]

LANGUAGES = ("python", "java", "go")
SECONDS = 6 * WALL_SECONDS


def records_of(language):
    """Return the records of one of the files."""
    return read_correctness(ROOT / "examples" / "correctness" / f"{language}.jsonl")


def check(records):
    """Run each record once. Skip the test if their language can't run here; under CI, fail it."""
    if any("testify" in each.test_code for each in records):
        require_testify()
    require_languages(*{each.language for each in records})
    return CorrectnessChecker(timeout=SECONDS, compile_timeout=SECONDS, progress=False).check(records)


@pytest.mark.parametrize("language", LANGUAGES)
def test_labels(language):
    """Every label of a file agrees with a run."""
    checked = check(records_of(language))
    others = {each.record.id: (each.problem, each.results) for each in checked if not each.agrees}
    assert others == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_there_are_enough(language):
    """A file has at least 20 records of its language, about half of which succeed."""
    records = records_of(language)
    assert {each.language for each in records} == {language}
    assert len(records) >= 20
    assert 0.4 <= sum(each.label == "success" for each in records) / len(records) <= 0.6


def test_ids_are_unique():
    """No two records of the three files have the same id."""
    ids = [each.id for language in LANGUAGES for each in records_of(language)]
    assert len(set(ids)) == len(ids)


def test_published_record():
    """MERA's published record, a cache with expiry, is a success."""
    path = DATA / "code_correctness_example.json"
    require_file(path)
    [checked] = check(read_correctness(path))
    assert (checked.label, checked.record.label) == ("success", "success"), checked
