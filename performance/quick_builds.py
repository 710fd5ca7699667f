"""Programs per second of compiled languages: built with what is prepared for their compilers, or is warm, and without.

    python performance/quick_builds.py DATA [--languages cpp,rust] [--rounds 3] [--workers 2] [--broken] [--all-headers]
        [--short]

DATA is the folder with benchmarks/humanevalpack_LANGUAGE.jsonl, whose problems are HumanEval-X's. TypeScript's
programs are JavaScript's, whose types are checked. Another language's program is that of `code-eval doctor`, 20 times.
Each round runs the solutions in both ways, one after the other. With `--broken` they use a name that is not there, and
are not built. With `--all-headers` those in C++ include the whole library, as programs of contests do.
Prints for each language the medians, and the ratio of both ways, in programs per second and in CPU time. Ends with
status 1 if a solution fails, or one with `--broken` is no compile error.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from code_tasks.benchmarks.humaneval_x import build_tests
from humaneval_x_samples import build_candidate
from sandboxes import Limits, Outcome, Pool, Program, Verdict, open_sandbox
from sandboxes.languages.compilers.quick_builds import QUICK_FILE
from sandboxes.languages.javascript import TYPE_CHECK
from sandboxes.languages.programs import build_program
from sandboxes.languages.registry import LANGUAGES as ALL_LANGUAGES
from sandboxes.languages.registry import required_paths
from sandboxes.pool.cpus import usable_cpus
from workload import SHORT_TASKS, add_short, machine

LANGUAGES = ("cpp", "rust", "java", "typescript")
COPIES = 20
"""Programs of a language that DATA does not have."""

LIMITS = Limits(wall_seconds=20.0)
UNTYPED = ("JavaScript/2", "JavaScript/8")
"""Problems whose tests call functions in ways that TypeScript's types refuse."""

# Some tests assert numbers, which TypeScript does not allow.
CHECK = f"{TYPE_CHECK}\nconst check = (isRight: any) => console.assert(isRight);\n"

ALL_HEADERS = "#include <bits/stdc++.h>\n"

NO_NAME = {
    "cpp": "int code_eval_broken() { return no_name; }",
    "rust": "fn code_eval_broken() -> i32 { no_name }",
    "java": "class CodeEvalBroken { int value = noName; }",
    "typescript": "const codeEvalBroken: number = noName;",
}
"""What is added to a solution, by language, so that it is not built."""


def read_records(data: Path, language: str) -> list[dict[str, Any]]:
    """Return the records of a language. Those of a language without a file are empty."""
    if language not in LANGUAGES:
        return [{}] * COPIES
    name = {"typescript": "js"}.get(language, language)
    text = (data / "benchmarks" / f"humanevalpack_{name}.jsonl").read_text(encoding="utf-8")
    records = [json.loads(line) for line in text.splitlines()]
    return [record for record in records if record["task_id"] not in UNTYPED or language != "typescript"]


def solution(language: str, record: dict[str, Any], first: str, more: str) -> Program:
    """Return the program of a record's solution, with code before and after it."""
    if not record:
        return build_program(language, *ALL_LANGUAGES[language].canary, LIMITS)
    if language == "typescript":
        tests = CHECK + record["test"].replace("console.assert(", "check(")
        return build_program(language, f"{record['prompt']}{record['canonical_solution']}\n{more}", tests, LIMITS)
    candidate = f"{first}{build_candidate(record, record['canonical_solution'])}\n{more}"
    return build_program(language, candidate, build_tests(record), LIMITS)


def without_quick_build(program: Program) -> Program:
    """Return a program that is built, and run, in the plain way."""
    content, plan = (json.loads(text, object_hook=without_prepared) for text in (program.candidate, program.tests))
    return replace(program, candidate=json.dumps(content), tests=json.dumps(plan))


def without_prepared(part: dict[str, Any]) -> dict[str, Any]:
    """Return an object of a program without a warm compiler, and without what is prepared, if it has them."""
    return {name: "\n" if name == QUICK_FILE else value for name, value in part.items() if name != "warm"}


def measure(
    pool: Pool, programs: Sequence[Program], workers: int, outcome: Outcome = Outcome.PASSED
) -> tuple[float, float, bool]:
    """Return (programs per second, CPU seconds of each, whether all have this outcome)."""
    began = time.monotonic()
    # With on_sandbox_error="raise", every result is a verdict.
    verdicts = [result for result in pool.run_all(programs, workers) if isinstance(result, Verdict)]
    seconds = time.monotonic() - began
    cpu = sum(verdict.cpu_seconds for verdict in verdicts) / len(verdicts)
    return len(verdicts) / seconds, cpu, all(verdict.outcome is outcome for verdict in verdicts)


def compare(pool: Pool, language: str, options: argparse.Namespace) -> bool:
    """Measure a language and print its row. Return whether all programs have the right outcome."""
    records = read_records(options.data, language)[: SHORT_TASKS if options.short else None]
    outcome, more = (Outcome.COMPILE_ERROR, NO_NAME[language]) if options.broken else (Outcome.PASSED, "")
    first = ALL_HEADERS if options.all_headers and language == "cpp" else ""
    quick = [solution(language, record, first, more) for record in records]
    plain = [without_quick_build(program) for program in quick]
    measure(pool, quick[:1], 1)
    rounds = [
        tuple(measure(pool, way, options.workers, outcome) for way in (plain, quick)) for _ in range(options.rounds)
    ]
    speeds = [statistics.median(each[way][0] for each in rounds) for way in (0, 1)]
    costs = [1000 * statistics.median(each[way][1] for each in rounds) for way in (0, 1)]
    speed = statistics.median(quickly[0] / plainly[0] for plainly, quickly in rounds)
    cost = statistics.median(plainly[1] / quickly[1] for plainly, quickly in rounds)
    print(
        f"{language:10} {len(records)} programs: {speeds[0]:.2f} and {speeds[1]:.2f} per second, × {speed:.2f}; "
        f"{costs[0]:.0f} and {costs[1]:.0f} ms of CPU time, × {cost:.2f}",
        flush=True,
    )
    return all(way[2] for both in rounds for way in both)


def main() -> None:
    """Compare the languages that the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--languages", default=",".join(LANGUAGES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=usable_cpus())
    parser.add_argument("--broken", action="store_true", help=f"programs that are not built, in {', '.join(NO_NAME)}")
    parser.add_argument("--all-headers", action="store_true", help="programs in C++ that include the whole library")
    add_short(parser)
    options = parser.parse_args()
    names = options.languages.split(",")
    if options.broken and (others := [name for name in names if name not in NO_NAME]):
        parser.error(f"--broken has no programs in {others[0]}; choose from {', '.join(NO_NAME)}")
    print(f"{machine()}; plain and quick builds, medians of {options.rounds} rounds, {options.workers} workers")
    pool = Pool(open_sandbox("subprocess", read_only_paths=required_paths(set(names))))
    are_right = [compare(pool, name, options) for name in names]
    pool.close()
    sys.exit(0 if all(are_right) else 1)


if __name__ == "__main__":
    main()
