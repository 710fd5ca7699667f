"""LiveCodeBench's `*_eval.json` and `*_eval_all.json`, as lcb_runner/runner/custom_evaluator.py writes them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from code_tasks.scoring.formats.base import PASSED, TIMED_OUT, Files, GradedRun, ResultsFormat, json_file
from code_tasks.scoring.results import Record
from sandboxes import Outcome, estimate_pass_at_k

KS = (1, 5, 10, 20, 40, 50, 75, 100, 125, 150, 200, 500, 1000)
WRONG, TOO_SLOW, BROKEN = -2, -3, -4
MESSAGES = {WRONG: "Wrong Answer", TOO_SLOW: "Time Limit Exceeded", BROKEN: "Runtime Error"}
QUESTION = (
    *("question_title", "question_content", "platform", "question_id"),
    *("contest_id", "contest_date", "starter_code", "difficulty"),
)
"""Fields of a question that the file repeats, as far as the dataset has them."""


def files(run: GradedRun) -> Files:
    """Yield the two files, with the questions in the order of their ids."""
    tasks = dict(sorted(run.by_task(lambda record: graded(run, record)).items()))
    questions = [question(run, task_id, samples) for task_id, samples in tasks.items()]
    results = {str(number): [codes for _, codes, _ in samples] for number, samples in enumerate(tasks.values())}
    metadata = [each["metadata"] for each in questions]
    yield "_eval.json", json_file([metrics([each["graded_list"] for each in questions]), results, metadata], 4)
    yield "_eval_all.json", json_file(questions, 4)


def graded(run: GradedRun, record: Record) -> tuple[str, list[bool | int], dict[str, Any]]:
    """Return (program, a code for each test up to the first that failed, metadata) of a sample."""
    codes = case_codes(record, bool(run.problems[record["task_id"]].entry_point))
    if record["passed"]:
        return record["completion"], codes, {}
    code = int(codes[-1]) or WRONG
    return record["completion"], codes, {"error": record["detail"], "error_code": code, "error_message": MESSAGES[code]}


def case_codes(result: Mapping[str, Any], is_call: bool) -> list[bool | int]:
    """Return a code for each case up to the first that failed: True, WRONG, TOO_SLOW or BROKEN; False for wrong calls.

    Args:
        result: of a candidate, as `result_dict` makes it.
        is_call: whether the cases call a function.
    """
    codes: list[bool | int] = []
    for test in result["tests"]:
        codes.append(True if test["outcome"] == PASSED else error_code(test["outcome"], result))
        if codes[-1] is not True:
            break
    if result["passed"]:
        return codes or [True]
    if all(code is True for code in codes):
        codes.append(error_code(result["outcome"], result))
    if codes[-1] == WRONG and is_call:
        # This is what a wrong result of a call has there.
        codes[-1] = False
    return codes


def error_code(outcome: str, record: Mapping[str, Any]) -> int:
    """Return LiveCodeBench's code for a test that did not pass."""
    if outcome == TIMED_OUT or record["outcome"] == TIMED_OUT:
        return TOO_SLOW
    is_wrong = outcome == Outcome.FAILED.value and record["exception_type"] in ("", "AssertionError")
    return WRONG if is_wrong else BROKEN


def question(
    run: GradedRun, task_id: str, samples: list[tuple[str, list[bool | int], dict[str, Any]]]
) -> dict[str, Any]:
    """Return what LiveCodeBench has of a question and its samples."""
    published = {**run.problems[task_id].published, "question_id": task_id}
    codes = [code for code, _, _ in samples]
    passed = [all(each is True for each in outcomes) for _, outcomes, _ in samples]
    return {name: published[name] for name in QUESTION if name in published} | {
        "output_list": codes,
        "code_list": codes,
        "graded_list": passed,
        "pass@1": sum(passed) / len(passed),
        "metadata": [json.dumps(metadata) for _, _, metadata in samples],
    }


def metrics(graded_lists: list[list[bool]]) -> dict[str, Any]:
    """Return pass@k over all questions, and for each question by its number."""
    total, correct = [len(each) for each in graded_lists], [sum(each) for each in graded_lists]
    estimates = {f"pass@{k}": estimate_pass_at_k(total, correct, k).tolist() for k in KS if min(total, default=0) >= k}
    detail = {name: {str(number): each for number, each in enumerate(values)} for name, values in estimates.items()}
    return {name: sum(values) / len(values) for name, values in estimates.items()} | {"detail": detail}


LIVECODEBENCH = ResultsFormat("livecodebench", ("_eval.json", "_eval_all.json"), files)
