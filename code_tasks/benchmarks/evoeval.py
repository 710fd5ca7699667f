"""EvoEval: problems evolved from HumanEval's, in HumanEval's shape.

Source: Xia et al. 2024, arXiv:2403.19114. Its datasets on the Hub are judged as HumanEval is. Its own files have
inputs in place of tests, and some of their problems an oracle that no record names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from code_tasks.benchmarks import human_eval
from code_tasks.benchmarks.benchmark import Benchmark
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.readers import InputError

HUB_ID = "evoeval/EvoEval_difficult"


def parse(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of EvoEval in HumanEval's shape.

    Raises:
        InputError: for EvoEval's own file.
    """
    if "test" not in record and "inputs" in record:
        raise InputError(
            "EvoEval's own file has 'inputs' and no 'test': take the same problems from the Hub, such as "
            f"--dataset {HUB_ID}"
        )
    return human_eval.parse(record, position)


EVOEVAL = Benchmark("evoeval", parse, HUB_ID)
