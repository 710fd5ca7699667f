"""Says once why a file can't be read as samples, problems or results: what it seems to be, with counts and the way out.

Readers call `explain_error` after they failed. The file is then read once more, record by record, and none is kept.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from code_tasks.benchmarks.problems import TEST_FIELDS
from code_tasks.benchmarks.samples import CODE_FIELDS, ID_FIELDS
from sandboxes.validation import short_repr, summarize

SAMPLES, PROBLEMS, RESULTS = "samples", "problems", "results"

CODE_NAMES = tuple(each.name for each in CODE_FIELDS)
TESTS_OF_BENCHMARKS = frozenset(
    {
        *("test_list", "public_tests", "public_test_cases", "official_tests", "hidden_unit_tests", "test_info"),
        *("code_context", "verification_info", "reward_model", "ground_truth", "challenge_test_list"),
        *("canonical_solution", "base_input", "plus_input", "difficulty_types", "stop_tokens"),
    }
)
"""Fields that problems of benchmarks have, and samples have not."""

TOGETHER = (frozenset({"question", "info"}), frozenset({"code", "input", "output"}))
"""Fields that problems of benchmarks have together (INTELLECT-3 and CRUXEval)."""

OTHER_NAMES = (
    *("response", "generation", "generated_code", "generated_text", "generated", "code", "program", "prediction"),
    *("answer", "output", "text", "content", "candidate", "model_output"),
)
"""Names under which the code of samples often stands, the likeliest first."""

NO_CODE = frozenset({*ID_FIELDS, "prompt", "language", "model", "entry_point", "difficulty", "source"})
MAX_IDS = 3
MAX_NAMES = 200
"""The number of field names that are counted. A file whose records all have other names is no file of records."""

MAGIC = (
    (b"PK\x03\x04", "a zip archive"),
    (b"BZh", "a file of bzip2"),
    (b"\xfd7zXZ", "a file of xz"),
    (b"\x28\xb5\x2f\xfd", "a file of zstd"),
    (b"\x80\x04\x95", "a pickle"),
    (b"\x80\x05\x95", "a pickle"),
    (b"ARROW1", "an Arrow file"),
    (b"\x89HDF", "an HDF5 file"),
    (b"SQLite format 3", "an SQLite database"),
)
LINES_OF_PYTHON = re.compile(rb"\{\s*'")
INDENTED, NEXT_OBJECT = re.compile(rb'\{\s*\n\s*"'), re.compile(rb"\n\}\s*\{")
TABLE = re.compile(
    rb'"?(task_id|question_id|problem_id|name|id)"?\s*[,;\t]|[^\n{\["]*[,;\t]\s*"?(task_id|completion|solution)"?'
)
"""The first line of a table with the fields of samples or problems."""


def describe_foreign_format(name: str, head: bytes, *, lines_only: bool = False, reads_objects: bool = False) -> str:
    """Return a message about a file that is in another format; "" if its beginning does not show one.

    Args:
        name: of the file.
        head: the first bytes, unpacked.
        lines_only: whether JSON lines alone are read here, and neither an array nor Parquet.
        reads_objects: whether one object of several lines is read here.
    """
    if encoding := detect_encoding(head):
        return f"{name} is in {encoding}, and JSON is in UTF-8: `iconv -f {encoding} -t UTF-8 FILE > NEW` converts it"
    kind = next((kind for magic, kind in MAGIC if head.startswith(magic)), "")
    if head[257:262] == b"ustar":
        kind = "a tar archive"
    if kind:
        return f"{name} is {kind}, which is not read: give JSON lines, one record a line"
    if head.startswith(b"version https://git-lfs"):
        return f"{name} is a pointer to a file that is not here: `git lfs pull` gets it"
    head = head.lstrip()
    if head[:100].lower().startswith((b"<!doctype", b"<html", b"<?xml")):
        return f"{name} is a page of the web, perhaps of a download that failed, and has no records"
    if LINES_OF_PYTHON.match(head):
        return f"{name} has dictionaries as Python prints them, and not JSON: write each line with `json.dumps`"
    if lines_only and head.startswith(b"PAR1"):
        return f"{name} is a Parquet file, and JSON lines are read here, one record a line"
    if lines_only and head.startswith(b"["):
        return f"{name} is a JSON array, and one record a line is expected: `jq -c '.[]' FILE > NEW` converts it"
    if INDENTED.match(head) and (not reads_objects or NEXT_OBJECT.search(head)):
        return f"{name} has records of several lines, and one record a line is expected: `jq -c . FILE > NEW` does it"
    if TABLE.match(head):
        return (
            f"{name} is a table of text, such as CSV, and one JSON record a line is expected: "
            "`pandas.read_csv(FILE).to_json(NEW, orient='records', lines=True)` converts it"
        )
    return ""


def detect_encoding(head: bytes) -> str:
    """Return the encoding of a text that is not UTF-8, by its first characters; "" if they show none."""
    if head.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return "UTF-32"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "UTF-16"
    if re.match(rb"[\[{]\0[\s\"'\[{]\0", head):
        return "UTF-16LE"
    return "UTF-16BE" if re.match(rb"\0[\[{]\0[\s\"'\[{]", head) else ""


def classify_record(record: Mapping[str, Any]) -> str:
    """Return the kind of a record, by its fields: SAMPLES, PROBLEMS, RESULTS or "a run log"; "" if they show none."""
    if "record_type" in record:
        return "a run log"
    if list(record) == ["summary"] or {"passed", "result", "completion_id"} <= record.keys():
        return RESULTS
    if TESTS_OF_BENCHMARKS & record.keys() and not {"completions", "code_list"} & record.keys():
        return PROBLEMS
    if any(name in record for name in CODE_NAMES if name != "solution"):
        return SAMPLES
    if any(name in record for name in TEST_FIELDS) or any(names <= record.keys() for names in TOGETHER):
        return PROBLEMS
    return SAMPLES if "solution" in record else ""


@dataclass
class Census:
    """The counts of a file's records."""

    total: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    names: Counter[str] = field(default_factory=Counter)
    """The number of records with each field."""

    texts: Counter[str] = field(default_factory=Counter)
    """The number of records in which a field is a text."""

    lists: Counter[str] = field(default_factory=Counter)
    """The number of records in which a field is a list of texts."""

    others: Counter[str] = field(default_factory=Counter)
    """The number of values that are no records, by what they are."""

    known_ids: int = 0
    """The number of records with the id of a problem."""

    first_ids: list[str] = field(default_factory=list)

    def add(self, record: Any, known: Collection[str]) -> None:
        """Count a record.

        Args:
            record: any value of JSON.
            known: ids of problems.
        """
        self.total += 1
        if not isinstance(record, dict):
            is_list = isinstance(record, list)
            self.others["lists" if is_list else "texts" if isinstance(record, str) else "other values"] += 1
            return
        self.kinds[classify_record(record)] += 1
        for name, value in record.items():
            if name not in self.names and len(self.names) >= MAX_NAMES:
                continue
            self.names[name] += 1
            self.texts[name] += isinstance(value, str)
            self.lists[name] += isinstance(value, list) and all(isinstance(each, str) for each in value)
        task_id = next((record[name] for name in ID_FIELDS if name in record), None)
        if isinstance(task_id, int | str) and not isinstance(task_id, bool):
            self.known_ids += str(task_id) in known
            self.first_ids = [*self.first_ids, str(task_id)][:MAX_IDS]

    def has_none(self, names: Iterable[str]) -> bool:
        """Return whether no record has one of these fields."""
        return not any(self.names[name] for name in names)


def diagnose(expected: str, name: str, records: Iterable[tuple[str, Any]], known: Collection[str] = ()) -> str:
    """Return a message about a file whose records are not the expected ones; "" if most of them are.

    Args:
        expected: SAMPLES, PROBLEMS or RESULTS.
        name: of the file.
        records: (location, value) of its lines or items.
        known: ids of the problems, for samples.
    """
    census = Census()
    for _, record in records:
        census.add(record, known)
    if not census.total:
        return ""
    if census.others.total() == census.total:
        return describe_values(expected, name, census)
    if expected == SAMPLES:
        # Results are read as the samples that were scored.
        census.kinds[SAMPLES] += census.kinds.pop(RESULTS, 0)
    kind, number = census.kinds.most_common(1)[0]
    shown = f"{number:,} {'record' if number == 1 else 'records'}"
    # One summary stands behind any number of results.
    if kind not in ("", expected) and 2 * number > census.total:
        return f"{name}: {describe_other_kind(kind, expected, shown)}"
    return {SAMPLES: describe_samples, PROBLEMS: describe_problems, RESULTS: lambda *_: ""}[expected](
        name, census, known
    )


def describe_values(expected: str, name: str, census: Census) -> str:
    """Return a message about a file of lists or texts alone."""
    kind, number = census.others.most_common(1)[0]
    if number < census.total:
        return ""
    counted = f"{name}: {number:,} {kind if number > 1 else kind[:-1]}, and no record"
    if expected == PROBLEMS and kind == "texts":
        return f"{counted}; a file of tests alone goes with --references"
    if expected == PROBLEMS and kind == "lists":
        return f"{counted}; these look like samples (lists of programs), not problems"
    return ""


def describe_other_kind(kind: str, expected: str, shown: str) -> str:
    """Return a message about records of another kind than the expected one.

    Args:
        kind: of the records.
        expected: the kind that was asked for.
        shown: the number of these records.
    """
    if kind == RESULTS:
        return (
            f"these look like results, not {expected}: {shown} with verdicts; `code-eval report` shows them, and "
            "`code-eval run` judges their samples again"
        )
    if kind == "a run log":
        return f"this is a run log of `code-eval solve`, and no file of {expected}; `code-eval report` shows it"
    way_out = {
        SAMPLES: "samples are the first argument of `code-eval run`",
        PROBLEMS: "problems are given with --problems",
    }[kind]
    if expected == RESULTS:
        way_out = "`code-eval run SAMPLES --problems PROBLEMS --output RESULTS` makes results of samples"
    return f"these look like {kind}, not {expected}: {shown} with the fields of {kind}; {way_out}"


def describe_samples(name: str, census: Census, known: Collection[str]) -> str:
    """Return a message about records that are no samples of the problems; "" if most of them are."""
    number = f"{census.total:,} records"
    if census.has_none(CODE_NAMES):
        if census.total == 1 and any(each in known for each in census.names):
            return f'{name}: one object with all problems; write a line for each: {{"task_id": ..., "completion": ...}}'
        return f"{name}: {describe_missing_code(census)}" if guess_code_field(census) else ""
    if census.has_none(ID_FIELDS) and census.total > 1:
        return (
            f"{name}: {number}, and none has 'task_id' or another field for the problem's id "
            f"({', '.join(ID_FIELDS[1:])}); the fields are {summarize(list(census.names))}"
        )
    if census.first_ids and known and not census.known_ids and census.total > 1:
        return (
            f"{name}: {number}, and none belongs to one of the {len(known):,} problems: their ids are "
            f"{summarize([*map(short_repr, census.first_ids)])}, and those of the problems "
            f"{summarize([*map(short_repr, known)])}; give the problems that the samples were made for"
        )
    return ""


def guess_code_field(census: Census) -> str:
    """Return the field in which the code of samples seems to be; "" if there is none."""
    shared = [name for name in census.names if census.texts[name] + census.lists[name] == census.names[name]]
    rest = [name for name in shared if name not in NO_CODE]
    return next((name for name in OTHER_NAMES if name in rest), rest[0] if len(rest) == 1 else "")


def describe_missing_code(census: Census) -> str:
    """Return a message about records that have their code in another field."""
    found = guess_code_field(census)
    fields = ("completions", "code_list", "output_list") if census.lists[found] else CODE_NAMES[:2] + CODE_NAMES[4:5]
    counted = f"{census.names[found]:,} {'record has' if census.names[found] == 1 else 'records have'} {found!r}"
    return (
        f"{counted}, none {CODE_NAMES[0]!r} or another field for code ({', '.join(CODE_NAMES[1:])}); rename {found!r} "
        f"to {fields[0]!r} for code that continues the prompt, to {fields[1]!r} for whole programs, to {fields[2]!r} "
        f"for answers of a model; --map {fields[0]}={found} of `code-eval run` does it without a new file"
    )


def describe_problems(name: str, census: Census, known: Collection[str]) -> str:
    """Return a message about records that are no problems; "" if some have tests."""
    if census.has_none((*TEST_FIELDS, *TESTS_OF_BENCHMARKS)) and census.total > 1:
        return (
            f"{name}: {census.total:,} records, and none has tests ({', '.join(TEST_FIELDS)}); the fields are "
            f"{summarize(list(map(repr, census.names)))}. Rename the field with the tests, or name the benchmark with "
            "--benchmark"
        )
    return ""
