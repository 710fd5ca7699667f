"""How many of HumanEval's solutions pass under the policy of the sandbox "restricted", and what the others fail by.

Prints the table in README.

Usage: python performance/restricted_humaneval.py HumanEval.jsonl.gz
"""

import argparse
import collections
import gzip
import json
import os
import re
from pathlib import Path

os.environ["HF_ALLOW_CODE_EVAL"] = "1"

import evaluate

METRIC_FILE = Path(__file__).parent.parent / "code_eval.py"
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
ARGUMENTS = {
    "default": {},
    "`allowed_imports=[...]`, `allow_underscore_variable_names=True`": OPENED,
    '`policy="strict"`': {"policy": "strict"},
    '`policy="strict"`, `allowed_imports=[...]`': {"policy": "strict", "allowed_imports": MODULES},
}
LONGEST_WAIT_SECONDS = 30.0
# What differs from task to task within one rule.
PLACE = re.compile(r"^in the tests: |^Line \d+: |(?<=[^;]); .*| \(tests obey.*")
IMPORTED = re.compile(r"import of '\w+' is not allowed.*")


def rule(result):
    """What a failed program broke, without the place where it did."""
    return IMPORTED.sub(
        "import of a module that is not in `allowed_imports`", PLACE.sub("", result["exception_message"])
    )


def read_programs(file):
    """The task, the solution and the tests of each problem."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        problems = [json.loads(line) for line in lines]
    return [
        (
            problem["task_id"],
            problem["prompt"] + problem["canonical_solution"],
            f"{problem['test']}\ncheck({problem['entry_point']})\n",
        )
        for problem in problems
    ]


def measured(metric, programs, arguments):
    """How many programs pass, and the tasks of the others by rule."""
    _, results = metric.compute(
        references=[tests for _, _, tests in programs],
        predictions=[[candidate] for _, candidate, _ in programs],
        k=[1],
        sandbox="restricted",
        timeout=LONGEST_WAIT_SECONDS,
        **arguments,
    )
    broken = collections.defaultdict(list)
    for place, (task, _, _) in enumerate(programs):
        ((_, result),) = results[place]
        if not result["passed"]:
            broken[rule(result) or result["outcome"]].append(task)
    return len(programs) - sum(map(len, broken.values())), broken


def shown(broken):
    """The rules, the most frequent first, with the tasks where these are few."""
    parts = []
    for name, tasks in sorted(broken.items(), key=lambda item: -len(item[1])):
        told = ", ".join(tasks) if len(tasks) <= 2 else str(len(tasks))
        parts.append(f"{name} ({told})".replace("|", "\\|"))
    return "; ".join(parts) or "none"


def main():
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", help="HumanEval.jsonl.gz")
    programs = read_programs(parser.parse_args().problems)
    metric = evaluate.load(str(METRIC_FILE))
    print("| arguments | pass | what the others break |\n|---|---|---|")
    for name, arguments in ARGUMENTS.items():
        passed, broken = measured(metric, programs, arguments)
        print(f"| {name} | {passed} of {len(programs)} | {shown(broken)} |")


if __name__ == "__main__":
    main()
