"""Problems of Codeforces as open-r1 publishes them, with a checker program where several outputs are right.

Source: the dataset open-r1/codeforces, the reward of open-r1, and the package of Piston that it runs programs with. A
completion is a whole program in Python or C++. Each case may take the record's own time, in every language.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from code_tasks.benchmarks.benchmark import Benchmark
from code_tasks.benchmarks.livecodebench import cases_of
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.records import id_field, json_field, optional_interactor
from sandboxes.languages.registry import ALIASES, checked_language
from sandboxes.tasks.io_cases import parse_cases
from sandboxes.validation import positive_number

SECONDS, MEMORY_MB = 2.0, 256.0
"""Codeforces's usual limits, for records that lack their own."""

CARRIAGE_RETURN = re.compile(r"\r$", re.MULTILINE)


def parse(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of open-r1/codeforces."""
    task_id = id_field(record, "id")
    interactor = optional_interactor(record)
    if record.get("interaction_format") and not interactor:
        raise ValueError("the problem is interactive, and has no 'interactor' to talk with; add one, or leave it out")
    cases = cases_of(json_field(record, "official_tests"), "official_tests")
    if not cases:
        raise ValueError("'official_tests' has no cases, so that no program can be judged")
    pairs = [(case["input"], case["output"]) for case in cases]
    mode = record.get("input_mode") or "stdio"
    tests = reference_of(pairs, record.get("generated_checker") or "", mode, interactor)
    parse_cases(tests)
    name = record.get("language") or ""
    language = checked_language(ALIASES.get(name, name)) if name else ""
    seconds = positive_number("time_limit", record.get("time_limit") or SECONDS, "seconds")
    megabytes = positive_number("memory_limit", record.get("memory_limit") or MEMORY_MB, "MB")
    limits = {"wall_seconds": seconds, "memory_bytes": int(megabytes * (1 << 20))}
    return Problem(task_id, "", json.dumps(tests), language, limits=limits)


def reference_of(
    cases: Sequence[tuple[str, str]],
    checker: str,
    input_mode: str,
    interactor: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the reference of a task that is judged as open-r1's package for piston does it.

    Args:
        cases: pairs of an input and its expected output.
        checker: the source of the record's own checker program. "": the comparison of the grader.
        input_mode: "stdio" or "file".
        interactor: fields of a reference that has an interactor, which decides in place of a checker; or None.
    """
    judge = {"checker": {"source": checker} if checker else "open-r1", "input_mode": input_mode}
    return {
        "inputs": [CARRIAGE_RETURN.sub("", text) for text, _ in cases],
        "outputs": [expected_output(text) for _, text in cases],
        "unlimited_stack": True,
        **(interactor or judge),
    }


def expected_output(text: str) -> str:
    """Return an expected output as the grader gives it to checkers: without empty lines, and with a last line break."""
    lines = CARRIAGE_RETURN.sub("", text).split("\n")
    return "".join(f"{line}\n" for line in lines if line)


CODEFORCES = Benchmark(
    *("open-r1-codeforces", parse, "open-r1/codeforces"),
    config="verifiable",
    fields=("official_tests", "input_mode"),
    runs_restricted=False,
)
