"""Counts HumanEval's solutions that pass in the sandbox "restricted", and names the rules that the others break.

Prints the table in docs/restricted.md, a row for each choice of arguments.

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
TIMEOUT_SECONDS = 30.0
# Parts of a message that differ from task to task, within one rule.
DETAILS = re.compile(r"^in the tests: |^Line \d+: |(?<=[^;]); .*| \(tests obey.*")
IMPORTED = re.compile(r"import of '\w+' is not allowed.*")


def rule(result: Mapping[str, Any]) -> str:
    """Return the rule that a failed program broke, without the line number."""
    return IMPORTED.sub(
        "import of a module that is not in `allowed_imports`", DETAILS.sub("", result["exception_message"])
    )


def measure(
    metric: Any, solutions: Sequence[Solution], arguments: Mapping[str, Any]
) -> tuple[int, Mapping[str, list[str]]]:
    """Return the number of solutions that pass, and the other tasks by the rule that they broke."""
    _, results = metric.compute(
        references=[solution.tests for solution in solutions],
        predictions=[[solution.candidate] for solution in solutions],
        k=[1],
        sandbox="restricted",
        timeout=TIMEOUT_SECONDS,
        **arguments,
    )
    broken: dict[str, list[str]] = collections.defaultdict(list)
    for number, solution in enumerate(solutions):
        ((_, result),) = results[number]
        if not result["passed"]:
            broken[rule(result) or result["outcome"]].append(solution.task_id)
    return len(solutions) - sum(map(len, broken.values())), broken


def render(broken: Mapping[str, list[str]]) -> str:
    """Return the broken rules, the most frequent first, each with its tasks, or with their number if there are many."""
    parts = []
    for name, tasks in sorted(broken.items(), key=lambda item: -len(item[1])):
        which = ", ".join(tasks) if len(tasks) <= 2 else str(len(tasks))
        parts.append(f"{name} ({which})".replace("|", "\\|"))
    return "; ".join(parts) or "none"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", type=Path, help="HumanEval.jsonl.gz")
    add_short(parser)
    options = parser.parse_args()
    solutions = read_solutions(options.problems, options.short)
    metric = evaluate.load(str(METRIC_FILE))
    print("| arguments | pass | what the others break |\n|---|---|---|")
    for name, arguments in ARGUMENTS.items():
        passed, broken = measure(metric, solutions, arguments)
        print(f"| {name} | {passed} of {len(solutions)} | {render(broken)} |")


if __name__ == "__main__":
    main()
