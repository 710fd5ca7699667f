"""Reads published records, as a folder of data has them: HumanEval.jsonl.gz, and excerpts in benchmarks/."""

import gzip
import json


def records_of(path):
    """Return the records of a file of JSON lines; none if there is no such file."""
    if not path.exists():
        return []
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def humaneval_records(data):
    """Return HumanEval's records."""
    return records_of(data / "HumanEval.jsonl.gz")
