"""BigCodeBench, full and hard: functions that use many libraries, with unittest classes as their tests.

Source: Zhuo et al. 2024, arXiv:2406.15877, and its grader. A completion follows `complete_prompt`; a whole program may
follow it too, as the answers to `instruct_prompt` are. `code_prompt` with an empty body comes before all, as in its
calibrated scores, so that imports can't be missing. The tests may take 240 seconds.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from code_tasks.benchmarks.benchmark import Benchmark
from code_tasks.benchmarks.packages import needed_modules, needed_packages
from code_tasks.benchmarks.problems import Problem, check_has_tests
from code_tasks.benchmarks.records import id_field, text_field
from sandboxes.backends.confinement import WHERE_POSSIBLE
from sandboxes.imports import parse_source

SECONDS = 240.0
MEMORY_BYTES = 8 << 30
"""Address space of a program. The grader's limit of 30 GiB is more than most machines have."""

TEST_CLASS = "TestCases"
ENVIRONMENT = (
    "import os, sys, time; from os import environ; "
    "environ.update(TZ='UTC', OMP_NUM_THREADS='1', MPLBACKEND='Agg', TF_CPP_MIN_LOG_LEVEL='3', "
    "TF_ENABLE_ONEDNN_OPTS='0'); time.tzset(); del time\n"
)
"""The environment that the grader gives. Its programs have the names `os`, `sys` and `environ`."""


def with_localhost_and_shell(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options with a shell, and with localhost where it is possible. Some solutions use them."""
    return {"loopback": False if options.get("network") else WHERE_POSSIBLE, "shell": True, **options}


def parse(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of BigCodeBench."""
    prompt, opening, tests = (text_field(record, name) for name in ("complete_prompt", "code_prompt", "test"))
    solution = text_field(record, "canonical_solution")
    check_has_tests(tests, "test", "python")
    try:
        tree, header = parse_source(tests), parse_source(opening + "\n    pass\n")
    except ValueError as error:
        raise ValueError(f"'test', or 'code_prompt' with an empty body, is not Python: {error}") from error
    if not any(isinstance(node, ast.ClassDef) and node.name == TEST_CLASS for node in tree.body):
        raise ValueError(f"'test' has no class {TEST_CLASS}")
    imports = "".join(f"{line}\n" for line in imports_for(tree, header))
    texts = (prompt + "\n" + solution, tests)
    return Problem(
        # The tests use these modules too. Their imports also say which grading they need.
        *(id_field(record, "task_id"), prompt, imports + tests, "python"),
        entry_point=text_field(record, "entry_point"),
        canonical_solution="\n" + solution,
        preamble=f"{ENVIRONMENT}{opening}\n    pass\n",
        modules=needed_modules(*texts),
        # Another process has no objects of other libraries, such as a WordCloud, and takes a Timestamp for a datetime.
        grading="shared" if {*needed_packages(*texts)} - {"numpy"} else "",
        limits={"wall_seconds": SECONDS, "memory_bytes": MEMORY_BYTES},
    )


def uncalibrated(problem: Problem) -> Problem:
    """Return a problem whose programs begin without `code_prompt`, so that a whole program brings its own imports.

    Its tests have the candidate's imports alone, as in the grader. Tests that need these are graded "shared".
    """
    opening = problem.preamble.removeprefix(ENVIRONMENT)
    lines = imports_for(parse_source(problem.tests), parse_source(opening))
    imports = "".join(f"{line}\n" for line in lines)
    tests, grading = problem.tests.removeprefix(imports), "shared" if imports else problem.grading
    return replace(problem, preamble=ENVIRONMENT, tests=tests, grading=grading)


def published_program(program: str) -> str:
    """Return a program as the grader's results have it, without the line that gives it the environment."""
    return program.replace(ENVIRONMENT, "", 1)


def imports_for(tests: ast.Module, header: ast.Module) -> Iterator[str]:
    """Yield the imports of a prompt that its tests use, because the grader runs both as one module."""
    used = {node.id for node in ast.walk(tests) if isinstance(node, ast.Name)}
    for node in header.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                name = alias.asname or alias.name.partition(".")[0]
                if name in used or alias.name == "*":
                    yield ast.unparse(type(node)(**{**vars(node), "names": [alias]}))


FIELDS = ("task_id", "test", "complete_prompt", "instruct_prompt", "code_prompt")
BIGCODEBENCH = Benchmark(
    *("bigcodebench", parse, "bigcode/bigcodebench"),
    split="v0.1.4",
    fields=FIELDS,
    preferred_field="solution",
    sandbox_options=with_localhost_and_shell,
    runs_restricted=False,
)
BIGCODEBENCH_HARD = replace(BIGCODEBENCH, name="bigcodebench-hard", hub_id="bigcode/bigcodebench-hard", fields=())
