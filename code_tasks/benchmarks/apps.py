"""APPS and TACO: programs that read stdin, and functions that are called.

Source: Hendrycks et al. 2021, arXiv:2105.09938; Li et al. 2023, arXiv:2312.14852; and the graders in their
repositories. A completion is a whole program. Each case or call may take 4 seconds, whatever a record of TACO says.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from code_tasks.benchmarks.benchmark import Benchmark, limits_of_calls, limits_of_cases
from code_tasks.benchmarks.official.forms import OfficialGrader
from code_tasks.benchmarks.preambles import APPS_MODULES, apps_imports
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.records import first_solution, id_field, json_field
from sandboxes.tasks.io_cases import IOCases, check_cases, parse_cases
from sandboxes.validation import short_json

SECONDS = 4.0
PREAMBLE = apps_imports()


def parse_apps(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of APPS. A script may exit with any status, as in its grader."""
    name = "id" if "id" in record and "problem_id" not in record else "problem_id"
    cases = {"checker": "apps", "any_status": True}
    return published_problem(id_field(record, name), record, cases)


def parse_taco(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of TACO, whose problems have no name but their position."""
    return published_problem(str(position), record, {"checker": "taco"})


def published_problem(task_id: str, record: Mapping[str, Any], script_cases: Mapping[str, Any]) -> Problem:
    """Return the problem of a published record.

    A few records have no cases. Their problems have no tests, and are invalid if they have samples.
    """
    value = json_field(record, "input_output") if record.get("input_output") != "" else {}
    if value == {} or value == {"inputs": [], "outputs": []}:
        return Problem(task_id, "", "", "python", is_script=True)
    problem = problem_of(task_id, value, script_cases, PREAMBLE, SECONDS)
    return replace(problem, canonical_solution=first_solution(record))


def problem_of(task_id: str, value: Any, script_cases: Mapping[str, Any], preamble: str, seconds: float) -> Problem:
    """Return the problem of `input_output`, as data.

    Args:
        task_id: of the problem.
        value: {"inputs", "outputs"}, with "fn_name" for calls.
        script_cases: how the cases of a script are judged, as `parse_mapping` takes it.
        preamble: of the grader.
        seconds: of each case or call.

    Raises:
        ValueError, TypeError: if the value is anything else.
    """
    if not isinstance(value, dict) or not value.get("inputs"):
        raise ValueError(f"'input_output' has no inputs, so that no program can be judged: {short_json(value)}")
    check_cases([value])
    function = value.get("fn_name") or ""
    tests = {name: value[name] for name in ("inputs", "outputs") if name in value}
    tests |= {"fn_name": function} if function else script_cases
    cases = parse_cases(tests)
    if not isinstance(cases, IOCases):
        raise TypeError(f"'input_output' has no cases, but {short_json(value)}")
    limits = limits_of_calls(seconds, len(cases.cases)) if function else limits_of_cases(seconds)
    return Problem(
        *(task_id, "", json.dumps(tests), "python"),
        entry_point=function,
        preamble=preamble,
        is_script=not function,
        limits=limits,
    )


def files(split: str, config: str | None) -> Sequence[str]:
    """Return the files of APPS on the Hub. Raises ValueError for a configuration, which they do not have."""
    if config:
        raise ValueError(f"apps has no config, but got {config!r}")
    return [f"{split}.jsonl"]


def taco_files(split: str, config: str | None) -> Sequence[str]:
    """Return the files of TACO on the Hub. Raises ValueError for a configuration that they do not have."""
    if config not in (None, "ALL"):
        raise ValueError(f"taco has the config 'ALL' alone, not {config!r}")
    return [f"ALL/{split}-*.parquet"]


APPS = Benchmark(
    *("apps", parse_apps, "codeparrot/apps"),
    preload=APPS_MODULES,
    fields=("problem_id", "question", "input_output"),
    official=OfficialGrader("apps", 4, lambda cases: 11.0).form,
    runs_restricted=False,
    files=files,
)
TACO = Benchmark(
    *("taco", parse_taco, "BAAI/TACO"),
    preload=APPS_MODULES,
    fields=("question", "input_output", "raw_tags"),
    # A case that fails is run in 3 ways, and all once more in a function.
    official=OfficialGrader("taco", 4, lambda cases: 24.0 * cases + 4, scripts="run_taco_script").form,
    runs_restricted=False,
    files=taco_files,
)
