"""Runs HumanEval-X: all solutions of a language must pass, and a stub for each problem must not.

    python performance/humaneval_x.py DATA [--languages java,go] [--workers 2] [--timeout 20] [--short]

DATA is the folder with humaneval_x_LANGUAGE.jsonl.gz. A solution in JavaScript needs npm's package js-md5, installed
by `npm install --global --prefix /usr/local js-md5`. Prints the outcomes and the time of each language's solutions
and stubs. For compiled languages, the times of the compiler and of the programs are printed too. Ends with status 1 if
a solution fails or a stub passes.
"""

from __future__ import annotations

import argparse
import collections
import gzip
import json
import sys
import time
from collections.abc import Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any

from code_tasks.benchmarks.humaneval_x import build_tests
from humaneval_x_samples import build_candidate, build_stub
from sandboxes import Limits, Pool, Program, Verdict, open_sandbox
from sandboxes.languages.programs import build_program
from sandboxes.languages.registry import required_paths
from sandboxes.pool.cpus import usable_cpus
from workload import SHORT_TASKS, add_short

LANGUAGES = ("python", "cpp", "java", "javascript", "go")
WRONG_TESTS = {"JavaScript/112", "JavaScript/155", "CPP/23"}
"""Tasks that are not counted. Two solutions in JavaScript fail their own tests: Node goes on after a failed
`console.assert`, so that their authors' grader passes them. A stub passes in C++, because the tests call the `strlen`
of the C library."""

AMID_A_FUNCTION = "CPP/38"
"""The task without a stub: its prompt ends in a loop."""

ENVIRONMENT = {"NODE_PATH": "/usr/local/lib/node_modules"}
"""Where Node finds packages of npm's."""


def main() -> None:
    """Run the languages that the arguments name."""
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--languages", default="", help="those of which DATA has a file, unless named")
    parser.add_argument("--workers", type=int, default=usable_cpus())
    parser.add_argument("--timeout", type=float, default=20.0)
    add_short(parser)
    options = parser.parse_args()
    present = [name for name in LANGUAGES if file_of(options.data, name).exists()]
    names = options.languages.split(",") if options.languages else present
    if not names:
        parser.error(f"{options.data} has no humaneval_x_LANGUAGE.jsonl.gz of {', '.join(LANGUAGES)}")
    pool = Pool(open_sandbox("subprocess", read_only_paths=required_paths(set(names)), env=ENVIRONMENT))
    are_right = [run(pool, name, options) for name in names]
    pool.close()
    sys.exit(0 if all(are_right) else 1)


def run(pool: Pool, name: str, options: argparse.Namespace) -> bool:
    """Run a language's programs. Return whether all solutions passed and no stub did."""
    with gzip.open(file_of(options.data, name), "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file][: SHORT_TASKS if options.short else None]
    is_right = True
    limits = Limits(wall_seconds=options.timeout)
    for kind in ("solutions", "stubs"):
        complete = build_stub if kind == "stubs" else itemgetter("canonical_solution")
        chosen = [record for record in records if kind == "solutions" or record["task_id"] != AMID_A_FUNCTION]
        programs = [
            program(name, build_candidate(record, complete(record)), build_tests(record), limits) for record in chosen
        ]
        begin = time.monotonic()
        # With on_sandbox_error="raise", every result is a verdict.
        verdicts = [result for result in pool.run_all(programs, options.workers) if isinstance(result, Verdict)]
        report(f"{name} {kind}", chosen, verdicts, time.monotonic() - begin, options.workers)
        for record, verdict in zip(chosen, verdicts, strict=True):
            is_expected = verdict.passed == (kind == "solutions")
            is_right = is_right and (is_expected or record["task_id"] in WRONG_TESTS)
    return is_right


def file_of(folder: Path, name: str) -> Path:
    """Return the path of a language's records."""
    return folder / f"humaneval_x_{name}.jsonl.gz"


def program(name: str, candidate: str, tests: str, limits: Limits) -> Program:
    """Return the program of a candidate and its tests, in any of the languages."""
    return Program(candidate, tests, limits) if name == "python" else build_program(name, candidate, tests, limits)


def report(
    title: str, records: Sequence[dict[str, Any]], verdicts: Sequence[Verdict], seconds: float, workers: int
) -> None:
    """Print the outcomes of programs, and the programs with a wrong outcome."""
    outcomes = collections.Counter(verdict.outcome.value for verdict in verdicts)
    wall = sum(verdict.wall_seconds for verdict in verdicts)
    cpu = sum(verdict.cpu_seconds for verdict in verdicts)
    counts = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items()))
    print(f"{title}: {len(verdicts)} in {seconds:.1f} s with {workers} workers: {counts}")
    print(f"    compiled and ran for {wall:.1f} s, used {cpu:.1f} s of CPU time")
    for record, verdict in zip(records, verdicts, strict=True):
        if verdict.passed != title.endswith("solutions"):
            print(f"    {record['task_id']}: {verdict.outcome.value}: {verdict.detail}")


if __name__ == "__main__":
    main()
