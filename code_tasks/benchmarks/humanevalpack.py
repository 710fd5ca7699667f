"""HumanEval-X and HumanEvalPack: the problems of HumanEval in six languages; HumanEvalPack has bugs too.

Sources: Zheng et al. 2023, arXiv:2303.17568, and the script of CodeGeeX; Muennighoff et al. 2023, arXiv:2308.07124, and
the task of bigcode-evaluation-harness. In HumanEvalPack a completion continues the prompt, whether it is to write the
function or to repair it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from code_tasks.benchmarks.benchmark import MEMORY_BYTES, Benchmark
from code_tasks.benchmarks.official.go_tests import go_test_form
from code_tasks.benchmarks.preambles import humaneval_x_imports
from code_tasks.benchmarks.problems import Problem, parse_problem
from code_tasks.benchmarks.records import text_field

X_SECONDS = 5.0
"""The limit of each program in the script of HumanEval-X."""

PACK_SECONDS = {"cpp": 60.0, "go": 20.0, "rust": 300.0}
PACK_OTHER_SECONDS = 10.0
"""The limits in the task of HumanEvalPack, which hold for compiler and program together."""

PREAMBLE = humaneval_x_imports()


def parse_x(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of HumanEval-X."""
    problem = parsed(record, {}, X_SECONDS, {"python": until_margin})
    if problem.language != "go":
        return problem
    official = {**{name: record[name] for name in GO_FIELDS}, "limits": problem.limits}
    return dataclasses.replace(problem, official=official)


def parse_pack(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of HumanEvalPack."""
    text_field(record, "buggy_solution")
    return parsed(record, PACK_SECONDS, PACK_OTHER_SECONDS, PACK_CUTS)


def parsed(
    record: Mapping[str, Any],
    seconds: Mapping[str, float],
    other_seconds: float,
    cuts: Mapping[str, Callable[[str], str]],
) -> Problem:
    """Return the problem of a record, with a grader's limits and cuts by language."""
    for name in ("task_id", "prompt", "declaration", "canonical_solution", "test"):
        text_field(record, name)
    problem = parse_problem(record)
    language = problem.language
    if not problem.adds_imports:
        raise ValueError(f"{record['task_id']!r} does not begin with a language that can be run, such as 'Java/0'")
    limits = {"wall_seconds": seconds.get(language, other_seconds), "memory_bytes": MEMORY_BYTES}
    problem = dataclasses.replace(problem, limits=limits, cut=cuts.get(language))
    if language == "python":
        return dataclasses.replace(problem, adds_imports=False, preamble=PREAMBLE)
    return problem


def until_margin(completion: str) -> str:
    """Return a Python completion up to its first line that is not indented, where HumanEval-X's grader ends it."""
    lines = completion.split("\n")
    ends = (number for number, line in enumerate(lines) if line.strip() and line[0] not in " \t")
    return "\n".join(lines[: next(ends, len(lines))])


PACK_CUTS: Mapping[str, Callable[[str], str]] = {
    "cpp": lambda completion: completion.partition("int main")[0],
    "java": lambda completion: completion.replace("public class Main {\n    }", ""),
    "rust": lambda completion: completion.partition("fn main()")[0],
}
"""The changes that HumanEvalPack's grader makes to a completion before it runs it, by language."""

GO_FIELDS = ("test_setup", "import", "prompt", "test")
"""The parts of a problem's official form in Go."""

X_CONFIGS = ("python", "cpp", "go", "java", "js")


def x_files(split: str, config: str | None) -> Sequence[str]:
    """Return the file of a language of HumanEval-X on the Hub. There is one split.

    Raises:
        ValueError: if there is no such language.
    """
    if config not in (None, *X_CONFIGS):
        raise ValueError(f"humaneval-x has the configs {', '.join(X_CONFIGS)}, not {config!r}")
    return [f"data/{config or 'python'}/data/humaneval.jsonl"]


HUMANEVAL_X = Benchmark(
    *("humaneval-x", parse_x, "zai-org/humaneval-x"),
    files=x_files,
    official=go_test_form,
    runs_restricted=False,
)
HUMANEVALPACK = Benchmark(
    *("humanevalpack", parse_pack, "bigcode/humanevalpack"),
    fields=("task_id", "test", "declaration", "buggy_solution", "canonical_solution"),
    runs_restricted=False,
)
