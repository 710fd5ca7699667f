"""BigCodeBench's `*_eval_results.json` and `*_pass_at_k.json`, as bigcodebench/evaluate.py writes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from code_tasks.benchmarks.bigcodebench import published_program
from code_tasks.scoring.formats.base import PASSED, Files, GradedRun, ResultsFormat, json_file, pass_at_k
from code_tasks.scoring.formats.evalplus import DATE, STATUSES, counts
from code_tasks.scoring.results import Record

KS = (1, 5, 10)
NAME_AND_REST = "--bigcodebench-"
"""Between the model's name and the rest of a file's name."""


def files(run: GradedRun) -> Files:
    """Yield the two files. Facts that a run does not know, such as canonical solutions' pass rate, are null."""
    results = eval_results(run)
    yield "_eval_results.json", json_file(results, 2)
    facts = {"split": None, "subset": None, "calibrated": None, "gt_pass_rate": None, "failed_tasks": None}
    yield "_pass_at_k.json", json_file(pass_rates(results, KS, run.name) | facts, 2)


def eval_results(run: GradedRun) -> dict[str, Any]:
    """Return the content of the first file: {"date", "eval": {task_id: [a dict for each sample]}}."""
    return {"date": datetime.now().strftime(DATE), "eval": run.by_task(lambda record: entry(run, record))}


def pass_rates(results: Mapping[str, Any], ks: Sequence[int], name: str) -> dict[str, Any]:
    """Return the beginning of the second file: "pass@k" for each k that there are enough samples for, and "model".

    Args:
        results: the content of the first file.
        ks: each >= 1.
        name: of the file of samples, without a folder.
    """
    return pass_at_k(counts(results["eval"], ("status",)), ks) | {"model": name.split(NAME_AND_REST)[0]}


def entry(run: GradedRun, record: Record) -> dict[str, Any]:
    """Return what BigCodeBench has of one sample: its details are the messages of tests that failed.

    They have the names of methods, without the class.
    """
    status = STATUSES.get(record["outcome"], "fail")
    failed = (test for test in record["tests"] if test["outcome"] != PASSED)
    details = {test["name"].rpartition(".")[2]: test["message"] for test in failed}
    if status != "pass" and not details:
        details = {"ALL": record["traceback"] or record["detail"]}
    solution = published_program(run.program(record))
    return {"task_id": record["task_id"], "solution": solution, "status": status, "details": details}


BIGCODEBENCH = ResultsFormat("bigcodebench", ("_eval_results.json", "_pass_at_k.json"), files)
