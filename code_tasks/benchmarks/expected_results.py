"""Results that a problem's canonical solution gives: computed once, and kept between runs.

`Problem.expected` says how. Without them a problem's tests call the canonical solution for each candidate.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from code_tasks.benchmarks.problems import ExpectedResults, Problem
from sandboxes import Evaluator, Limits, Task, Verdict
from sandboxes.languages.compilers.compiled_libraries import cache_folder

# What a canonical solution may use. A verdict keeps no more than that of its output.
LIMITS = Limits(wall_seconds=120.0, memory_bytes=4 << 30, kept_bytes=1 << 20)


def with_expected_results(problems: Mapping[str, Problem], evaluator: Evaluator) -> dict[str, Problem]:
    """Return problems whose tests know their canonical solutions' results.

    A problem whose canonical solution fails, or prints too much, stays as it is.

    Args:
        problems: by task_id.
        evaluator: runs the canonical solutions where no earlier run has.

    Raises:
        SandboxUnavailable: as `Evaluator.run` does.
    """
    wanted = {task_id: problem.expected for task_id, problem in problems.items() if problem.expected}
    # The interpreter of an image may give other results than this one.
    keeps = evaluator.config.sandbox.uses_host_files
    found = {task_id: kept_text(expected) if keeps else "" for task_id, expected in wanted.items()}
    absent = [task_id for task_id, text in found.items() if not text]
    tasks = [
        Task("assert True", [wanted[task_id].program], task_id, "python", LIMITS, grading="shared")
        for task_id in absent
    ]
    for task_id, result in zip(absent, evaluator.run(tasks) if tasks else (), strict=True):
        if isinstance(result, Verdict) and result.passed and result.stdout.endswith("\n"):
            # The solution may print, too.
            found[task_id] = result.stdout.splitlines()[-1] + "\n"
            if keeps:
                keep(wanted[task_id], found[task_id])
    known = dict(problems)
    for task_id, text in found.items():
        # The end of a long output was cut, and is no JSON.
        with suppress(ValueError):
            known[task_id] = wanted[task_id].insert(problems[task_id], text)
    return known


def path_of(expected: ExpectedResults) -> Path:
    """Return the file that keeps results."""
    facts = f"{sys.version}\0{expected.program}"
    digest = hashlib.sha256(facts.encode("utf-8", "surrogatepass")).hexdigest()
    return cache_folder() / "expected-results" / f"{digest}.json"


def kept_text(expected: ExpectedResults) -> str:
    """Return the results that an earlier run has kept; "" if there are none, or the file is broken."""
    try:
        text = path_of(expected).read_text("ascii")
        json.loads(text)
    except (OSError, ValueError, RuntimeError):
        return ""
    return text


def keep(expected: ExpectedResults, text: str) -> None:
    """Keep results for later runs, if the folder can be written."""
    try:
        path = path_of(expected)
        # Candidates of another user must not read there what is right.
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        own = path.with_suffix(f".{os.getpid()}")
        own.write_text(text, "ascii")
        own.replace(path)
    except (OSError, RuntimeError):
        # They are computed again.
        return
