"""MultiPL-E's `NAME.results.json`, as evaluation/src/main.py writes it and pass_k.py reads it."""

from __future__ import annotations

import re
import time
from typing import Any

from code_tasks.benchmarks.samples import CODE_FIELDS, ID_FIELDS
from code_tasks.scoring.formats.base import PASSED, TIMED_OUT, Files, GradedRun, ResultsFormat, json_file
from code_tasks.scoring.results import Record

FOLDER = ".multipl-e/"
NOT_REPEATED = frozenset(field.name for field in CODE_FIELDS)
NOT_IN_NAMES = re.compile(r"[^\w.-]")


def files(run: GradedRun) -> Files:
    """Yield a file for each problem. It repeats the fields of the file of completions, such as the temperature.

    Raises:
        ValueError: if two problems would have the same file.
    """
    given = {}
    for record in run.sample_records():
        name = next((str(record[name]) for name in ID_FIELDS if name in record), "")
        given[name] = {key: value for key, value in record.items() if key not in NOT_REPEATED}
    names: dict[str, str] = {}
    now = int(time.time())
    for task_id, results in run.by_task(lambda record: entry(run, record, now)).items():
        # The name comes from a dataset, and must not lead out of the folder.
        name = NOT_IN_NAMES.sub("_", task_id)
        if name in names:
            raise ValueError(f"{names[name]!r} and {task_id!r} would have one file of results, {name}.results.json")
        names[name] = task_id
        problem = run.problems[task_id]
        known = {"prompt": problem.prompt, "tests": problem.tests, **problem.published, "name": task_id}
        yield f"{FOLDER}{name}.results.json", json_file({**known, **given.get(task_id, {}), "results": results}, 2)


def entry(run: GradedRun, record: Record, timestamp: int) -> dict[str, Any]:
    """Return what MultiPL-E has of one sample. The exit code of a program that failed is not kept, and so it is 1."""
    outcome = record["outcome"]
    status = {PASSED: "OK", TIMED_OUT: "Timeout", "compile_error": "SyntaxError"}.get(outcome, "Exception")
    problem = run.problems[record["task_id"]]
    return {
        "program": f"{run.program(record)}\n{problem.tests}",
        "timestamp": timestamp,
        "stdout": record["stdout"],
        "stderr": record["stderr"],
        "exit_code": {PASSED: 0, TIMED_OUT: -1}.get(outcome, 1),
        "status": status,
    }


MULTIPL_E = ResultsFormat("multipl-e", (FOLDER,), files)
