"""The code problems of verl and Eurus-2-RL, as verl's prime_code grades them.

Source: Cui et al. 2025, arXiv:2502.01456, and verl's reward score prime_code. A completion is a whole program. Each
case or call may take 5 seconds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from code_tasks.benchmarks.apps import problem_of
from code_tasks.benchmarks.benchmark import Benchmark
from code_tasks.benchmarks.official.forms import OfficialGrader
from code_tasks.benchmarks.preambles import PLAIN_IMPORTS, star_imports
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.records import case_lists, id_field, json_field, required
from sandboxes.tasks.io_cases import parse_arguments, parse_result
from sandboxes.validation import short_json

SECONDS = 5.0
CODE = "code"
"""The `ability` of the records that are code problems."""

PREAMBLE = star_imports(recursion_limit=600_000)
OFFICIAL = OfficialGrader("prime_code", 5, lambda cases: 6.0)


def parse(record: Mapping[str, Any], position: int) -> Problem | None:
    """Parse a record of verl's Parquet files. Its name is `extra_info.index`, or otherwise its position.

    Returns:
        The problem, or None for a problem of mathematics.
    """
    if record.get("ability", CODE) != CODE:
        return None
    model = required(record, "reward_model")
    if not isinstance(model, Mapping):
        raise TypeError(f"'reward_model' is not an object, but {short_json(model)}")
    extra = record.get("extra_info")
    # Eurus-2-RL has the index 0 everywhere, in a split of this name.
    has_index = isinstance(extra, Mapping) and "index" in extra and extra.get("split") != "dummy"
    task_id = id_field(extra, "index") if isinstance(extra, Mapping) and has_index else str(position)
    return problem_of_truth(task_id, json_field(model, "ground_truth"), None)


def problem_of_truth(task_id: str, truth: Any, solution: str | None) -> Problem:
    """Return the problem of `ground_truth`, as data. `solution` is the gold one. Raises as `problem_of` does."""
    if isinstance(truth, dict) and truth.get("fn_name"):
        truth = {**truth, **decoded_calls(truth)}
    problem = problem_of(task_id, truth, {"checker": "prime_code", "any_status": True}, PREAMBLE, SECONDS)
    return dataclasses.replace(problem, canonical_solution=solution)


def decoded_calls(truth: Mapping[str, Any]) -> dict[str, list[Any]]:
    """Return inputs and outputs of calls as data. In the files, each argument and each result is a line of JSON."""
    inputs, outputs = case_lists(truth)
    return {
        "inputs": [parse_arguments(each) if isinstance(each, str) else each for each in inputs],
        "outputs": [parse_result(each) for each in outputs],
    }


PRIME_CODE = Benchmark(
    *("prime_code", parse, "PRIME-RL/Eurus-2-RL-Data"),
    split="train",
    preload=PLAIN_IMPORTS,
    fields=("data_source", "reward_model"),
    aliases=("verl", "eurus", "eurus2", "eurus-2-rl", "eurus-2-rl-data"),
    official=OFFICIAL.form,
    runs_restricted=False,
)
