"""How many of HumanEval's solutions pass under the policy of the sandbox "restricted", and what the others fail by.

Prints the table in README, a row for each choice of arguments.

Usage: python performance/restricted_humaneval.py HumanEval.jsonl.gz [--short]
"""

from __future__ import annotations

import argparse
import collections
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

os.environ["HF_ALLOW_CODE_EVAL"] = "1"

import evaluate

from workload import METRIC_FILE, Solution, add_short, read_solutions

MODULES = [
    "typing",
    "math",
    "collections",
    "itertools",
    "functools",
    "re",
    "string",
    "copy",
    "hashlib",
    "heapq",
    "random",
    "bisect",
]
OPENED = {"allowed_imports": MODULES, "allow_underscore_variable_names": True}
ARGUMENTS: dict[str, dict[str, Any]] = {
    "default": {},
    "`allowed_imports=[...]`, `allow_underscore_variable_names=True`": OPENED,
    '`policy="strict"`': {"policy": "strict"},
    '`policy="strict"`, `allowed_imports=[...]`': {"policy": "strict", "allowed_imports": MODULES},
}
LONGEST_WAIT_SECONDS = 30.0
# What differs from task to task within one rule.
PLACE = re.compile(r"^in the tests: |^Line \d+: |(?<=[^;]); .*| \(tests obey.*")
IMPORTED = re.compile(r"import of '\w+' is not allowed.*")


def rule(result: Mapping[str, Any]) -> str:
    """Returns the rule that a failed program broke, without the line."""
    return IMPORTED.sub(
        "import of a module that is not in `allowed_imports`", PLACE.sub("", result["exception_message"])
    )


def measured(
    metric: Any, solutions: Sequence[Solution], arguments: Mapping[str, Any]
) -> tuple[int, Mapping[str, list[str]]]:
    """Returns how many solutions pass, and the tasks of the others by rule."""
    _, results = metric.compute(
        references=[solution.tests for solution in solutions],
        predictions=[[solution.candidate] for solution in solutions],
        k=[1],
        sandbox="restricted",
        timeout=LONGEST_WAIT_SECONDS,
        **arguments,
    )
    broken: dict[str, list[str]] = collections.defaultdict(list)
    for number, solution in enumerate(solutions):
        ((_, result),) = results[number]
        if not result["passed"]:
            broken[rule(result) or result["outcome"]].append(solution.task_id)
    return len(solutions) - sum(map(len, broken.values())), broken


def shown(broken: Mapping[str, list[str]]) -> str:
    """Returns the rules, the most frequent first, with the tasks where these are few."""
    parts = []
    for name, tasks in sorted(broken.items(), key=lambda item: -len(item[1])):
        told = ", ".join(tasks) if len(tasks) <= 2 else str(len(tasks))
        parts.append(f"{name} ({told})".replace("|", "\\|"))
    return "; ".join(parts) or "none"


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", type=Path, help="HumanEval.jsonl.gz")
    add_short(parser)
    options = parser.parse_args()
    solutions = read_solutions(options.problems, options.short)
    metric = evaluate.load(str(METRIC_FILE))
    print("| arguments | pass | what the others break |\n|---|---|---|")
    for name, arguments in ARGUMENTS.items():
        passed, broken = measured(metric, solutions, arguments)
        print(f"| {name} | {passed} of {len(solutions)} | {shown(broken)} |")


if __name__ == "__main__":
    main()
