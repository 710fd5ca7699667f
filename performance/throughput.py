"""Samples per second: code_eval's own way, the limit for one process per sample, and our sandboxes, in one run.

Our sandboxes have all layers of isolation on, or with `--isolation auto` those that are possible, as in a container.
There are two workloads: HumanEval's solutions, ten copies of each, and as many trivial programs, all different. The
figures that count are the ratios: machines are shared and noisy. One call of `compute` with one candidate on a warm
metric is measured too. Prints a row per workload and mode, then a row for the one call.

    python performance/throughput.py HumanEval.jsonl.gz [--rounds 3] [--modes MODE ...] [--docker-image IMAGE]
        [--isolation auto] [--output FILE] [--short]

With `--modes` only these modes are measured.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

os.environ["HF_ALLOW_CODE_EVAL"] = "1"

import evaluate

from workload import METRIC_FILE, Solution, add_short, machine, read_solutions

Tasks = list[tuple[list[str], str]]
"""(candidates, tests) of each task."""

HERE = Path(__file__).parent
CANDIDATES_PER_TASK = 10
NUM_WORKERS = 4
# Slow modes get only every n-th program.
SHARES = {"baseline": 10, "docker run": 100}
IMPORTS = ["typing", "math", "collections", "itertools", "functools", "re", "string", "copy", "hashlib", "random"]
# Arguments of `compute` for our modes. The other modes are programs of their own.
MODES: dict[str, dict[str, Any] | None] = {
    "baseline": None,
    "bare": None,
    "shared": {"grading": "shared"},
    "separate": {"grading": "separate"},
    "restricted": {
        "sandbox": "restricted",
        "allowed_imports": IMPORTS,
        "allow_underscore_variable_names": True,
    },
    "docker": {"sandbox": "docker", "pull": "never", "grading": "shared"},
    "docker separate": {"sandbox": "docker", "pull": "never", "grading": "separate"},
    "docker run": None,
}
# The engine removes the containers of a mode; the time for that must not count for the next mode.
CLEANUP_SECONDS = 5
OUR_DOCKER_MODES = ("docker", "docker separate")
DOCKER_MODES = ("docker run", *OUR_DOCKER_MODES)
# HumanEval/160 calls eval, and no restricted program may.
CALLS_EVAL = "eval("
# Minimum ratios: {mode: {other mode: ratio of samples per second}}.
TARGETS: dict[str, dict[str, dict[str, float]]] = {
    "humaneval": {
        "shared": {"baseline": 7, "bare": 1},
        "separate": {"bare": 0.7},
        "restricted": {"shared": 0.5},
        "docker": {"shared": 0.85, "docker run": 20},
        "docker separate": {"separate": 0.85},
    },
    "trivial": {
        "shared": {"baseline": 15, "bare": 0.85},
        "separate": {"bare": 0.5},
        "restricted": {"shared": 0.5},
        "docker": {"shared": 0.85, "docker run": 20},
        "docker separate": {"separate": 0.85},
    },
}


def workloads(solutions: Sequence[Solution]) -> dict[str, Tasks]:
    """Return the tasks of each workload, by its name."""
    humaneval = [([solution.candidate] * CANDIDATES_PER_TASK, solution.tests) for solution in solutions]
    trivial = [
        (
            [f"def add(a, b):\n    return a + b + {task} * {number}\n" for number in range(CANDIDATES_PER_TASK)],
            f"assert add(2, 3) - 5 in [{task} * n for n in range({CANDIDATES_PER_TASK})]\nassert add({task}, 1)\n",
        )
        for task in range(1, len(humaneval) + 1)
    ]
    return {"humaneval": humaneval, "trivial": trivial}


def per_second(mode: str, workload: Tasks, metric: Any, image: str | None, isolation: str) -> float:
    """Return the samples per second of a mode on a workload. Every sample must pass."""
    arguments = MODES[mode]
    if arguments is not None:
        more = {"image": image} if mode in OUR_DOCKER_MODES else {}
        return ours_per_second(mode, workload, metric, {**arguments, **more, "isolation": isolation})
    programs = [(candidate, tests) for candidates, tests in workload for candidate in candidates]
    programs = programs[:: SHARES.get(mode, 1)]
    if mode == "docker run" and image:
        return docker_runs_per_second(programs, image)
    script, options = {"baseline": ("code_eval_way.py", []), "bare": ("bare_loop.py", ["-I", "-S"])}[mode]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(programs, file)
        file.flush()
        command = [sys.executable, *options, str(HERE / script), file.name]
        answer = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.splitlines()[-1])
    check(mode, answer["failed"] == 0 if mode == "bare" else set(answer["results"]) == {"passed"})
    return len(programs) / float(answer["seconds"])


def ours_per_second(mode: str, workload: Tasks, metric: Any, arguments: dict[str, Any]) -> float:
    """Return the samples per second of one of our modes, with these arguments of `compute`."""
    if mode == "restricted":
        workload = [(candidates, tests) for candidates, tests in workload if CALLS_EVAL not in candidates[0]]
    began = time.perf_counter()
    pass_at_k, _ = metric.compute(
        predictions=[candidates for candidates, _ in workload],
        references=[tests for _, tests in workload],
        k=[1],
        num_workers=NUM_WORKERS,
        timeout=3.0,
        dedupe=False,
        **arguments,
    )
    seconds = time.perf_counter() - began
    check(mode, pass_at_k["pass@1"] == 1.0)
    return sum(len(candidates) for candidates, _ in workload) / seconds


def docker_runs_per_second(programs: list[tuple[str, str]], image: str) -> float:
    """Return the samples per second with a new container for each sample, NUM_WORKERS at once."""

    def run(program: tuple[str, str]) -> int:
        command = ["docker", "run", "--rm", "--network", "none", image, "python3", "-c", "\n".join(program)]
        return subprocess.run(command, capture_output=True).returncode

    began = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(NUM_WORKERS) as threads:
        statuses = set(threads.map(run, programs))
    seconds = time.perf_counter() - began
    check("docker run", statuses == {0})
    time.sleep(CLEANUP_SECONDS)
    return len(programs) / seconds


def check(mode: str, all_passed: bool) -> None:
    """Raise SystemExit if a mode gave a wrong verdict."""
    if not all_passed:
        raise SystemExit(f"{mode}: some programs did not pass, so the figures mean nothing")


def one_call_ms(metric: Any) -> float:
    """Return the median milliseconds of a compute call with one candidate."""
    times = []
    for _ in range(50):
        began = time.perf_counter()
        metric.compute(predictions=[["def add(a, b): return a + b"]], references=["assert add(2, 3) == 5"], k=[1])
        times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times)


def measure_rounds(
    metric: Any, tasks: dict[str, Tasks], num_rounds: int, modes: Sequence[str], image: str | None, isolation: str
) -> dict[str, dict[str, list[float]]]:
    """Return the samples per second of each workload and mode in each round.

    Args:
        metric: code_eval.
        tasks: the workloads.
        num_rounds: number of rounds; in each round every mode runs every workload.
        modes: names of MODES.
        image: image of the containers, if a mode has some.
        isolation: of our sandboxes.
    """
    rounds: dict[str, dict[str, list[float]]] = {name: {mode: [] for mode in modes} for name in tasks}
    for name, workload in tasks.items():
        for mode in set(TARGETS[name]) & set(modes):
            per_second(mode, workload[: 2 * NUM_WORKERS], metric, image, isolation)  # starts the workers
        for _ in range(num_rounds):
            for mode in modes:
                rounds[name][mode].append(per_second(mode, workload, metric, image, isolation))
    return rounds


def show(figures: dict[str, Any]) -> None:
    """Print the figures as a table, with the minimum ratios."""
    print(f"{'':12}{'mode':16}{'per second':>12}{'to baseline':>14}{'to bare loops':>16}  to be reached")
    for name, by_mode in figures["rounds"].items():
        median = {mode: statistics.median(values) for mode, values in by_mode.items()}
        for mode, value in median.items():
            wanted = {other: least for other, least in TARGETS[name].get(mode, {}).items() if other in median}
            reached = [f"{value / median[other]:.2f} of {other} (≥ {least})" for other, least in wanted.items()]
            to_baseline, to_bare = (
                f"{value / median[other]:.2f}" if other in median else "-" for other in ("baseline", "bare")
            )
            print(f"{name:12}{mode:16}{value:12.0f}{to_baseline:>14}{to_bare:>16}  {', '.join(reached)}")
    print(f"\none call with one candidate: {figures['one_call_ms']:.1f} ms (≤ 15)")


def main() -> None:
    """Measure, print a table and write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", type=Path, help="HumanEval.jsonl.gz")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--modes", nargs="+", choices=MODES, help="measure only these modes")
    parser.add_argument("--docker-image", help="measure containers of this image too")
    parser.add_argument(
        "--isolation", choices=("strict", "auto"), default="strict", help="auto: with the layers that are possible here"
    )
    parser.add_argument("--output", type=Path, help="write all figures here, as JSON")
    add_short(parser)
    arguments = parser.parse_args()
    tasks = workloads(read_solutions(arguments.problems, arguments.short))
    metric, image = evaluate.load(str(METRIC_FILE)), arguments.docker_image
    modes = arguments.modes or [mode for mode in MODES if image or mode not in DOCKER_MODES]
    rounds = measure_rounds(metric, tasks, arguments.rounds, modes, image, arguments.isolation)
    figures = {"machine": machine(), "rounds": rounds, "one_call_ms": one_call_ms(metric)}
    print(f"{figures['machine']}; samples per second, medians of {arguments.rounds} rounds\n")
    show(figures)
    if arguments.output:
        arguments.output.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
