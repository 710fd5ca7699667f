"""The code problems of INTELLECT-3's reinforcement learning.

Source: the dataset INTELLECT-3-RL, and its grader, the environment code_env. A completion is a whole program. Each
case may take 20 seconds. The grader draws 15 cases at random; here all cases count.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from code_tasks.benchmarks.benchmark import Benchmark, limits_of_calls, limits_of_cases
from code_tasks.benchmarks.official.forms import OfficialGrader
from code_tasks.benchmarks.preambles import COMMON_MODULES, common_imports
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.records import case_lists, case_text, json_field, literal, object_field
from sandboxes.tasks.io_cases import parse_cases
from sandboxes.validation import short_json

SECONDS = 20.0
OFFICIAL_MEMORY_BYTES = 10 << 30
"""Memory of a process in the grader."""

PREAMBLE = common_imports()


def parse(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of INTELLECT-3-RL, whose problems have no name but their position."""
    tests = object_field(object_field(record, "info"), "tests")
    inputs, outputs = case_lists(tests)
    function = tests.get("fn_name") or ""
    own: dict[str, Any]
    if function:
        own = {
            "inputs": list(map(arguments_of, inputs)),
            "outputs": [json_field({"output": one}, "output") for one in outputs],
            **{"fn_name": function, "results": "json"},
        }
    else:
        own = {"inputs": list(map(case_text, inputs)), "outputs": list(map(case_text, outputs))}
        own["checker"] = "intellect3"
    parse_cases(own)
    return Problem(
        *(str(position), "", json.dumps(own), "python"),
        entry_point=function,
        preamble=PREAMBLE,
        limits=limits_of_calls(SECONDS, len(inputs)) if function else limits_of_cases(SECONDS),
    )


def arguments_of(value: Any) -> list[Any]:
    """Return the arguments of a call: a list, or a text with a line for each. Raises TypeError for anything else."""
    if isinstance(value, str):
        return [literal("input", line) for line in value.split("\n") if line.strip()]
    if not isinstance(value, list):
        raise TypeError(f"the input of a call is neither a list of arguments nor a text, but {short_json(value)}")
    return value


def official_form(problem: Problem) -> Problem:
    """Return a problem with tests that run a candidate as the grader does."""
    return (OFFICIAL_CALLS if problem.entry_point else OFFICIAL).form(problem)


OFFICIAL, OFFICIAL_CALLS = (
    OfficialGrader(
        *(name, int(SECONDS), lambda cases: SECONDS * cases + 10),
        scripts="run_programs",
        calls="run_programs",
        memory_bytes=OFFICIAL_MEMORY_BYTES,
    )
    for name in ("intellect3", "intellect3_calls")
)
INTELLECT_3 = Benchmark(
    *("intellect3", parse, "PrimeIntellect/INTELLECT-3-RL"),
    split="train",
    config="code",
    preload=COMMON_MODULES,
    fields=("question", "info"),
    aliases=("intellect-3-rl",),
    official=official_form,
    runs_restricted=False,
)
