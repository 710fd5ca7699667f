"""The code problems on which DeepCoder was trained and tested, from its dataset or from verl's Parquet files of it.

Source: the dataset DeepCoder-Preview, and its grader, the code reward of rLLM. A completion is a whole program. The
shape of `tests` shows which of the grader's comparisons belongs to a problem. Only the 15 cases with the longest inputs
count, but for LiveCodeBench's problems.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from code_tasks.benchmarks.benchmark import Benchmark, limits_of_calls, limits_of_cases
from code_tasks.benchmarks.livecodebench import OFFICIAL as LIVECODEBENCH_GRADER
from code_tasks.benchmarks.livecodebench import cases_of
from code_tasks.benchmarks.official.forms import OfficialGrader
from code_tasks.benchmarks.preambles import (
    APPS_MODULES,
    COMMON_MODULES,
    PANDAS,
    apps_imports,
    common_import_lines,
    common_imports,
)
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.records import case_lists, case_text, literal, object_field, required, solution_code
from sandboxes.tasks.io_cases import check_cases, function_name, parse_cases
from sandboxes.validation import short_json

SECONDS, LIVECODEBENCH_SECONDS = 12.0, 6.0
MAX_CASES = 15
IS_CUT = "is_cut"
"""Where `Problem.official` says that calls are left out. The grader then loses the function's name."""

STREAMS = "stdin, stdout = sys.stdin, sys.stdout\n"
CALL_PREAMBLE = apps_imports() + common_imports()
SCRIPT_PREAMBLE = common_imports() + apps_imports() + STREAMS
CODEFORCES_PREAMBLE = apps_imports() + STREAMS
LIVECODEBENCH_PREAMBLE = common_imports()
Pairs = list[tuple[Any, Any]]
"""(input, output) of each case."""


def parse(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of DeepCoder. Its name is the position, because problems have none."""
    tests = tests_of(record)
    first = tests[0] if isinstance(tests, list) else tests
    gold = record.get("solutions")
    solution = solution_code(gold[0] if isinstance(gold, list) and gold else gold)
    if "testtype" in first:
        return livecodebench_problem(position, cases_of(tests, "tests"), record, solution)
    function = function_name(first)
    pairs = longest(pairs_of(tests))
    if function:
        calls = {"inputs": [one for one, _ in pairs], "outputs": [other for _, other in pairs], "fn_name": function}
        problem = problem_of(position, calls, CALL_PREAMBLE, SECONDS, solution)
        return replace(problem, official={IS_CUT: len(pairs) < len(pairs_of(tests))})
    # Codeforces' cases have neither a type nor a function, and the grader compares their text.
    is_codeforces = isinstance(tests, list) and not {"type", "fn_name"} & {*first}
    preamble = CODEFORCES_PREAMBLE if is_codeforces else SCRIPT_PREAMBLE
    data: dict[str, Any] = {
        "inputs": [case_text(one) for one, _ in pairs],
        "outputs": [case_text(other) for _, other in pairs],
    }
    data |= {"checker": "taco" if is_codeforces else "deepcoder", "any_status": True}
    return problem_of(position, data, preamble, SECONDS, solution)


def tests_of(record: Mapping[str, Any]) -> Any:
    """Return `tests`, or verl's `ground_truth`: an object with lists, or a list of objects with at least one.

    Raises:
        ValueError, TypeError: if it is anything else.
    """
    holder, name = (record, "tests")
    if "tests" not in record and "reward_model" in record:
        holder, name = object_field(record, "reward_model"), "ground_truth"
    tests = required(holder, name)
    tests = literal(name, tests) if isinstance(tests, str) else tests
    cases = tests if isinstance(tests, list) else [tests]
    if not cases or not all(isinstance(case, dict) for case in cases):
        raise ValueError(f"{name!r} has neither cases nor lists of inputs and outputs: {short_json(tests)}")
    check_cases(cases)
    return tests


def pairs_of(tests: Any) -> Pairs:
    """Return the cases of `tests`. Raises ValueError or TypeError if there are none."""
    if isinstance(tests, list):
        return [(required(case, "input"), required(case, "output")) for case in tests]
    return list(zip(*case_lists(tests), strict=True))


def longest(pairs: Pairs) -> Pairs:
    """Return the cases that count: those with the longest inputs, beginning with the longest, if there are many."""
    if len(pairs) <= MAX_CASES:
        return pairs
    return sorted(pairs, key=lambda pair: len(pair[0]) if isinstance(pair[0], str | list) else 0, reverse=True)[
        :MAX_CASES
    ]


def livecodebench_problem(
    position: int, cases: list[dict[str, Any]], record: Mapping[str, Any], solution: str | None
) -> Problem:
    """Return the problem of LiveCodeBench's cases, all of which count."""
    data: dict[str, Any] = {name: [case[name.removesuffix("s")] for case in cases] for name in ("inputs", "outputs")}
    if cases[0]["testtype"] == "functional":
        function = function_name(cases[0]) or function_name(record)
        if not function:
            raise ValueError("cases of the testtype 'functional' need a 'func_name' in 'metadata'")
        data["fn_name"] = function
    else:
        data |= {"checker": "lines", "any_status": True}
    return problem_of(position, data, LIVECODEBENCH_PREAMBLE, LIVECODEBENCH_SECONDS, solution)


def problem_of(position: int, data: Mapping[str, Any], preamble: str, seconds: float, solution: str | None) -> Problem:
    """Return the problem of cases as `parse_cases` takes them. Raises as it does."""
    cases = parse_cases(data)
    function = data.get("fn_name", "")
    limits = limits_of_calls(seconds, len(data["inputs"])) if function else limits_of_cases(seconds)
    return Problem(
        *(str(position), "", json.dumps(data), "python"),
        entry_point=function,
        canonical_solution=solution,
        preamble=preamble,
        # Only LiveCodeBench's part of the grader runs a script inside a function.
        is_script=cases is not None and cases.checker == "lines",
        limits=limits,
    )


def official_form(problem: Problem) -> Problem:
    """Return a problem with tests that run a candidate as rLLM does, whose part for LiveCodeBench is that one's."""
    if problem.preamble == LIVECODEBENCH_PREAMBLE:
        return LIVECODEBENCH_GRADER.form(problem)
    if problem.official.get(IS_CUT):
        problem = replace(problem, entry_point="")
    if problem.preamble == CODEFORCES_PREAMBLE:
        return CODEFORCES_GRADER.form(problem)
    preamble = CALL_PREAMBLE if problem.entry_point else apps_imports() + PANDAS
    return TACO_GRADER.form(replace(problem, preamble=preamble))


CODEFORCES_GRADER, TACO_GRADER = (
    OfficialGrader(name, int(SECONDS), lambda cases: SECONDS * cases + 24, "run_rllm_script", base=base)
    for name, base in (("codeforces", ""), ("deepcoder", common_import_lines()))
)
DEEPCODER = Benchmark(
    *("deepcoder", parse, "agentica-org/DeepCoder-Preview-Dataset"),
    config="lcbv5",
    preload=tuple(dict.fromkeys((*APPS_MODULES, *COMMON_MODULES))),
    fields=("problem", "tests"),
    aliases=("deepcoder-preview-dataset",),
    official=official_form,
    runs_restricted=False,
)
