"""EvalPlus's `*_eval_results.json`, as evalplus/evaluate.py writes it and reads it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from code_tasks.scoring.formats.base import PASSED, TIMED_OUT, Files, GradedRun, ResultsFormat, json_file, pass_at_k
from code_tasks.scoring.results import Record

DATE = "%Y-%m-%d %H:%M"
STATUSES = {PASSED: "pass", TIMED_OUT: "timeout"}
"""Statuses of programs by their outcomes. All others are "fail"."""


def files(run: GradedRun) -> Files:
    """Yield the file: a status for the base inputs and one for the plus inputs of each sample.

    Inputs that failed are not known, and their lists are empty, as EvalPlus has them for time-outs. Nor is the hash of
    its dataset.
    """
    evaluated = run.by_task(lambda record: entry(run, record))
    scores = {"base": ("base_status",), "plus": ("base_status", "plus_status")}
    yield (
        "_eval_results.json",
        json_file(
            {
                "date": datetime.now().strftime(DATE),
                "hash": None,
                "eval": evaluated,
                "pass_at_k": {name: pass_at_k(counts(evaluated, fields)) for name, fields in scores.items()},
            }
        ),
    )


def entry(run: GradedRun, record: Record) -> dict[str, Any]:
    """Return what EvalPlus has of one sample. Without a test of their own, both statuses are the program's."""
    status = STATUSES.get(record["outcome"], "fail")
    statuses = {"base_status": status, "plus_status": status}
    if run.problems[record["task_id"]].scores and status != "pass":
        tests = {test["name"]: outcome_of(test) for test in record["tests"]}
        for name in ("base", "plus"):
            # A test without a result had the fate of its program.
            outcome = tests.get(f"test_{name}") or record["outcome"]
            statuses[f"{name}_status"] = STATUSES.get(outcome, "fail")
    failed: dict[str, list[Any]] = {"base_fail_tests": [], "plus_fail_tests": []}
    return {"task_id": record["task_id"], "solution": run.program(record), **statuses, **failed}


def outcome_of(test: Mapping[str, Any]) -> str:
    """Return the outcome of a test. An input that took too long raises TimeoutError, also where a candidate does."""
    return TIMED_OUT if (test.get("message") or "").startswith("TimeoutError") else str(test["outcome"])


def counts(evaluated: Mapping[str, Sequence[Mapping[str, Any]]], fields: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return (number of samples, number of those with "pass" in all of these fields) by task."""
    return {
        task_id: (len(samples), sum(all(sample[name] == "pass" for name in fields) for sample in samples))
        for task_id, samples in evaluated.items()
    }


EVALPLUS = ResultsFormat("evalplus", ("_eval_results.json",), files)
