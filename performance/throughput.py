"""Samples per second: code_eval's own way, the limit for one process per sample, and our sandboxes, in one run.

Ours are measured with all layers of isolation on. Two workloads: HumanEval's solutions, ten times each, and as many
trivial programs, all different. The figures that count are the ratios: machines are shared and noisy. Also measured:
one call of `compute` with one candidate on a warm metric, and the memory of the calling process for 200 candidates of
each task.

Usage: python performance/throughput.py HumanEval.jsonl.gz [--rounds 3] [--docker-image IMAGE] [--output rounds.json]
"""

import argparse
import concurrent.futures
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ["HF_ALLOW_CODE_EVAL"] = "1"

import evaluate

from code_tasks.datasets import read_problems
from sandboxes import usable_cpus

HERE = Path(__file__).parent
METRIC_FILE = HERE.parent / "code_eval.py"
CANDIDATES_PER_TASK = 10
NUM_WORKERS = 4
# The slow ones get every so many-th program.
SHARES = {"baseline": 10, "docker run": 100}
STRICT = {"isolation": "strict"}
IMPORTS = ["typing", "math", "collections", "itertools", "functools", "re", "string", "copy", "hashlib", "random"]
# The arguments of `compute` for each of our modes; the others are programs of their own.
MODES = {
    "baseline": None,
    "bare": None,
    "shared": {"grading": "shared", **STRICT},
    "separate": {"grading": "separate", **STRICT},
    "restricted": {
        "sandbox": "restricted",
        "allowed_imports": IMPORTS,
        "allow_underscore_variable_names": True,
        **STRICT,
    },
    "docker": {"sandbox": "docker", "pull": "never", **STRICT},
    "docker run": None,
}
# The engine clears up after the containers of the last mode, which is not to fall into the first one's time.
SECONDS_TO_CLEAR_UP = 5
DOCKER_MODES = ("docker run", "docker")
# As HumanEval/160 does, which no restricted program may.
CALLS_EVAL = "eval("
# What is to be reached at least: {mode: {other mode: ratio of samples per second}}.
TARGETS = {
    "humaneval": {
        "shared": {"baseline": 7, "bare": 0.75},
        "separate": {"bare": 0.45},
        "restricted": {"shared": 0.5},
        "docker": {"shared": 0.5, "docker run": 20},
    },
    "trivial": {
        "shared": {"baseline": 15, "bare": 0.75},
        "separate": {"bare": 0.35},
        "restricted": {"shared": 0.5},
        "docker": {"docker run": 20},
    },
}
LARGE_CANDIDATES_PER_TASK = 200


def workloads(problems_file):
    """{name: [(candidates of a task, its tests), ...]}."""
    problems = read_problems(problems_file)
    solutions = read_solutions(problems_file)
    humaneval = []
    for task_id, problem in problems.items():
        humaneval.append(([problem.candidate(solutions[task_id], "python")] * CANDIDATES_PER_TASK, problem.tests))
    trivial = [
        (
            [f"def add(a, b):\n    return a + b + {task} * {number}\n" for number in range(CANDIDATES_PER_TASK)],
            f"assert add(2, 3) - 5 in [{task} * n for n in range({CANDIDATES_PER_TASK})]\nassert add({task}, 1)\n",
        )
        for task in range(1, len(humaneval) + 1)
    ]
    return {"humaneval": humaneval, "trivial": trivial}


def read_solutions(problems_file):
    """{task_id: canonical solution}."""
    import gzip

    opened = gzip.open(problems_file, "rt") if problems_file.suffix == ".gz" else open(problems_file)
    with opened as file:
        return {record["task_id"]: record["canonical_solution"] for record in map(json.loads, file)}


def per_second(mode, workload, metric, image):
    """Samples per second of one mode on one workload. Every sample must pass."""
    if MODES[mode] is not None:
        return ours_per_second(mode, workload, metric, image)
    programs = [(candidate, tests) for candidates, tests in workload for candidate in candidates]
    programs = programs[:: SHARES.get(mode, 1)]
    if mode == "docker run":
        return docker_runs_per_second(programs, image)
    script, options = {"baseline": ("code_eval_way.py", []), "bare": ("bare_loop.py", ["-I", "-S"])}[mode]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(programs, file)
        file.flush()
        command = [sys.executable, *options, str(HERE / script), file.name]
        answer = json.loads(subprocess.run(command, check=True, capture_output=True).stdout.splitlines()[-1])
    check(mode, answer["failed"] == 0 if mode == "bare" else set(answer["results"]) == {"passed"})
    return len(programs) / answer["seconds"]


def ours_per_second(mode, workload, metric, image):
    """The same for one of our modes."""
    if mode == "restricted":
        workload = [(candidates, tests) for candidates, tests in workload if CALLS_EVAL not in candidates[0]]
    options = {**MODES[mode], "image": image} if mode == "docker" else MODES[mode]
    began = time.perf_counter()
    pass_at_k, _ = metric.compute(
        predictions=[candidates for candidates, _ in workload],
        references=[tests for _, tests in workload],
        k=[1],
        num_workers=NUM_WORKERS,
        timeout=3.0,
        dedupe=False,
        **options,
    )
    seconds = time.perf_counter() - began
    check(mode, pass_at_k["pass@1"] == 1.0)
    return sum(len(candidates) for candidates, _ in workload) / seconds


def docker_runs_per_second(programs, image):
    """The same for a container per sample, as many at once as we have workers."""

    def run(program):
        command = ["docker", "run", "--rm", "--network", "none", image, "python3", "-c", "\n".join(program)]
        return subprocess.run(command, capture_output=True).returncode

    began = time.perf_counter()
    with concurrent.futures.ThreadPoolExecutor(NUM_WORKERS) as threads:
        statuses = set(threads.map(run, programs))
    seconds = time.perf_counter() - began
    check("docker run", statuses == {0})
    time.sleep(SECONDS_TO_CLEAR_UP)
    return len(programs) / seconds


def check(mode, all_passed):
    """Ends the measurement of a mode that gave a wrong verdict."""
    if not all_passed:
        raise SystemExit(f"{mode}: some programs did not pass, so the figures mean nothing")


def one_call_ms(metric):
    """Median milliseconds of a compute call with one candidate."""
    times = []
    for _ in range(50):
        began = time.perf_counter()
        metric.compute(predictions=[["def add(a, b): return a + b"]], references=["assert add(2, 3) == 5"], k=[1])
        times.append(1000 * (time.perf_counter() - began))
    return statistics.median(times)


def measure_large(workload, metric):
    """200 candidates of each task in one call: seconds, and MB of memory that the calling process had at most."""
    candidates = [task[:1] * LARGE_CANDIDATES_PER_TASK for task, _ in workload]
    began = time.perf_counter()
    metric.compute(
        predictions=candidates,
        references=[tests for _, tests in workload],
        k=[1],
        num_workers=NUM_WORKERS,
        dedupe=False,
    )
    return {
        "samples": sum(map(len, candidates)),
        "seconds": time.perf_counter() - began,
        "peak_memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main():
    """Measures, prints a table and writes JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", type=Path, help="HumanEval.jsonl.gz")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--docker-image", help="measure containers of this image too")
    parser.add_argument("--output", type=Path, help="write all figures here, as JSON")
    arguments = parser.parse_args()
    metric, image = evaluate.load(str(METRIC_FILE)), arguments.docker_image
    modes = [mode for mode in MODES if image or mode not in DOCKER_MODES]
    rounds = {}
    for name, workload in workloads(arguments.problems).items():
        for mode in set(TARGETS[name]) & set(modes):
            per_second(mode, workload[: 2 * NUM_WORKERS], metric, image)  # starts the workers
        for _ in range(arguments.rounds):
            for mode in modes:
                rounds.setdefault(name, {}).setdefault(mode, []).append(per_second(mode, workload, metric, image))
    figures = {
        "machine": f"{usable_cpus()} CPUs, Python {platform.python_version()}, {platform.system()}",
        "rounds": rounds,
        "one_call_ms": one_call_ms(metric),
        "large": measure_large(workloads(arguments.problems)["humaneval"], metric),
    }
    print(f"{figures['machine']}; samples per second, medians of {arguments.rounds} rounds\n")
    print(f"{'':12}{'mode':12}{'per second':>12}{'to baseline':>14}{'to bare loops':>16}  to be reached")
    for name, by_mode in rounds.items():
        median = {mode: statistics.median(values) for mode, values in by_mode.items()}
        for mode, value in median.items():
            wanted = {other: least for other, least in TARGETS[name].get(mode, {}).items() if other in median}
            reached = [f"{value / median[other]:.2f} of {other} (≥ {least})" for other, least in wanted.items()]
            ratios = f"{value / median['baseline']:14.2f}{value / median['bare']:16.2f}"
            print(f"{name:12}{mode:12}{value:12.0f}{ratios}  {', '.join(reached)}")
    large = figures["large"]
    print(f"\none call with one candidate: {figures['one_call_ms']:.1f} ms (≤ 15)")
    print(
        f"{large['samples']} samples in one call: {large['seconds']:.0f} s, "
        f"{large['peak_memory_mb']:.0f} MB in the calling process (≤ 1000)"
    )
    if arguments.output:
        arguments.output.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
