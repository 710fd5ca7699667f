"""Datasets whose records have `verification_info`: open-r1's verifiable coding problems, SYNTHETIC-1 and SYNTHETIC-2.

Sources: the code reward of open-r1; Genesys, the verifier of SYNTHETIC-1; the rewards of prime-rl, for SYNTHETIC-2. A
completion is a whole program, in the language of its record. Lines are compared without the white space at their ends.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from code_tasks.benchmarks import prime_code
from code_tasks.benchmarks.benchmark import MEMORY_BYTES, Benchmark, limits_of_cases
from code_tasks.benchmarks.official.forms import OfficialGrader
from code_tasks.benchmarks.preambles import PLAIN_IMPORTS
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.records import (
    case_text,
    id_field,
    json_field,
    language_field,
    literal,
    object_field,
    required,
    solution_code,
)
from sandboxes.tasks.io_cases import check_cases, parse_cases
from sandboxes.validation import short_json

OPEN_R1_SECONDS = 5.0
"""Time of each case."""

GENESYS_SECONDS = 120.0
"""Time of all calls together. Genesys gives it to all cases of a script together, and here each has it."""

TASK_TYPES = ("verifiable_code", "prime_rl_code")
CALL = "function_call"
CALL_PREAMBLE = "from typing import List, Dict, Set, Tuple, Union, Optional\n"


def parse_open_r1(record: Mapping[str, Any], position: int) -> Problem | None:
    """Parse a record of open-r1's verifiable coding problems."""
    return parse(record, OPEN_R1_SECONDS, any_status=False)


def parse_synthetic(record: Mapping[str, Any], position: int) -> Problem | None:
    """Parse a record of SYNTHETIC-1 or SYNTHETIC-2. A script may exit with any status, as in the graders."""
    return parse(record, GENESYS_SECONDS, any_status=True)


def parse(record: Mapping[str, Any], seconds: float, any_status: bool) -> Problem | None:
    """Parse a record with `verification_info`.

    Args:
        record: of one of the datasets.
        seconds: of each case.
        any_status: as in `IOCases`.

    Returns:
        The problem, or None for a task that asks for something else than a program.

    Raises:
        ValueError, TypeError: if the record is invalid.
    """
    if record.get("task_type", TASK_TYPES[0]) not in TASK_TYPES:
        return None
    info = object_field(record, "verification_info")
    task_id = id_field(record, "problem_id")
    solution = solution_code(record.get("gold_standard_solution"))
    cases = json_field(info, "test_cases")
    if isinstance(cases, dict):
        # SYNTHETIC-2's cases have verl's shape, and prime-rl judges them as verl does.
        return prime_code.problem_of_truth(task_id, cases, solution)
    if not isinstance(cases, list) or not cases or not all(isinstance(case, Mapping) for case in cases):
        raise ValueError(f"'test_cases' is not a list of cases, but {short_json(cases)}")
    check_cases([info], ("language", "test_cases"))
    check_cases(cases)
    language = language_field(info, "language") if "language" in info else "python"
    calls = [case.get("type") == CALL for case in cases]
    if all(calls):
        return problem_of_calls(task_id, cases, language, solution)
    if any(calls):
        raise ValueError(f"some of 'test_cases' have the type {CALL!r}, and others not")
    tests = {
        "inputs": [case_text(required(case, "input")) for case in cases],
        "outputs": [case_text(required(case, "output")) for case in cases],
        **{"checker": "lines-exact", "any_status": any_status},
    }
    parse_cases(tests)
    return Problem(
        *(task_id, "", json.dumps(tests), language), canonical_solution=solution, limits=limits_of_cases(seconds)
    )


def problem_of_calls(task_id: str, cases: Sequence[Mapping[str, Any]], language: str, solution: str | None) -> Problem:
    """Return the problem of cases that are calls. Results are compared as they are printed, as Genesys does.

    Raises:
        ValueError, TypeError: if the cases are invalid, or not in Python.
    """
    if language != "python":
        raise ValueError(f"cases of the type {CALL!r} are for Python, not for {language}")
    names = {short_json(required(case, "fn_name")): case["fn_name"] for case in cases}
    if len(names) > 1:
        raise ValueError(f"the cases of a problem must call one function, not {', '.join(sorted(names))}")
    [function] = names.values()
    if not function:
        raise ValueError(f"cases of the type {CALL!r} need 'fn_name', the function that they call")
    tests = {
        "inputs": [arguments_of(required(case, "input")) for case in cases],
        "outputs": [required(case, "output") for case in cases],
        **{"fn_name": function, "results": "printed"},
    }
    parse_cases(tests)
    return Problem(
        *(task_id, "", json.dumps(tests), "python"),
        entry_point=function,
        canonical_solution=solution,
        preamble=CALL_PREAMBLE,
        limits={"wall_seconds": GENESYS_SECONDS, "memory_bytes": MEMORY_BYTES},
    )


def arguments_of(value: Any) -> list[Any]:
    """Return the arguments of a call, which may be written as a text. Raises TypeError unless they are a list."""
    arguments = literal("input", value) if isinstance(value, str) else value
    if not isinstance(arguments, list | tuple):
        raise TypeError(f"the input of a call must be a list of its arguments, not {short_json(value)}")
    return list(arguments)


def open_r1_form(problem: Problem) -> Problem:
    """Return a problem with tests that run a script as open-r1 does. Calls, and other languages, stay as they are.

    open-r1's grader knows neither.
    """
    return OPEN_R1.form(problem) if problem.language == "python" and not problem.entry_point else problem


def synthetic_form(problem: Problem) -> Problem:
    """Return a problem with tests that run a candidate as Genesys does; as prime-rl does, which has verl's grader.

    Problems in other languages than Python stay as they are.
    """
    if problem.preamble == prime_code.PREAMBLE:
        return prime_code.OFFICIAL.form(problem)
    if problem.language != "python":
        return problem
    return (GENESYS_CALLS if problem.entry_point else GENESYS).form(problem)


OPEN_R1 = OfficialGrader("open_r1", int(OPEN_R1_SECONDS), lambda cases: OPEN_R1_SECONDS * cases + 10, "run_programs")
GENESYS, GENESYS_CALLS = (
    OfficialGrader(name, int(GENESYS_SECONDS), lambda cases: GENESYS_SECONDS, "run_programs", "run_programs")
    for name in ("genesys", "genesys_calls")
)
VERIFIABLE_CODING = Benchmark(
    *("verifiable_coding", parse_open_r1, "open-r1/verifiable-coding-problems-python"),
    split="train",
    fields=("problem", "verification_info"),
    aliases=("verifiable-coding-problems-python",),
    official=open_r1_form,
    runs_restricted=False,
)
SYNTHETIC_1 = Benchmark(
    *("synthetic1", parse_synthetic, "PrimeIntellect/SYNTHETIC-1"),
    split="train",
    fields=("prompt", "task_type", "gold_standard_solution", "verification_info"),
    has_repeats=True,
    official=synthetic_form,
    runs_restricted=False,
)
SYNTHETIC_2 = Benchmark(
    *("synthetic2", parse_synthetic, "PrimeIntellect/SYNTHETIC-2"),
    split="train",
    preload=PLAIN_IMPORTS,
    fields=("prompt", "task_type", "verification_info"),
    has_repeats=True,
    official=synthetic_form,
    runs_restricted=False,
)
