"""Samples per second: code_eval's own way, the limit for one process per sample, and both our gradings, in one run.

Ours are measured with all layers of isolation on. Two workloads: HumanEval's solutions, ten times each, and as many
trivial programs, all different. The figures that count are the ratios: machines are shared and noisy. Also measured:
one call of `compute` with one candidate on a warm metric, and the memory of the calling process for 200 candidates of
each task.

Usage: python benchmarks/throughput.py HumanEval.jsonl.gz [--rounds 3] [--output throughput.json]
"""

import argparse
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

from code_tasks.datasets import program_of, read_problems
from sandboxes import Limits, usable_cpus

HERE = Path(__file__).parent
METRIC_FILE = HERE.parent / "code_eval.py"
CANDIDATES_PER_TASK = 10
NUM_WORKERS = 4
# The baseline is so slow that it gets every tenth program.
BASELINE_SHARE = 10
MODES = {
    "baseline": "code_eval's own way",
    "bare": "two bare fork loops",
    "shared": f'ours, grading="shared", {NUM_WORKERS} workers',
    "separate": f'ours, grading="separate", {NUM_WORKERS} workers',
}
# Ratios to the baseline and to the bare loops that are to be reached at least.
TARGETS = {
    "humaneval": {"shared": (7, 0.6), "separate": (None, 0.45)},
    "trivial": {"shared": (15, 0.5), "separate": (None, 0.35)},
}
LARGE_CANDIDATES_PER_TASK = 200


def workloads(problems_file):
    """{name: [(candidates of a task, its tests), ...]}."""
    problems = read_problems(problems_file)
    solutions = read_solutions(problems_file)
    humaneval = []
    for task_id, problem in problems.items():
        program = program_of(problem, solutions[task_id], Limits())
        humaneval.append(([program.candidate] * CANDIDATES_PER_TASK, program.tests))
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


def per_second(mode, workload, metric):
    """Samples per second of one mode on one workload. Every sample must pass."""
    programs = [(candidate, tests) for candidates, tests in workload for candidate in candidates]
    if mode in ("shared", "separate"):
        began = time.perf_counter()
        pass_at_k, _ = metric.compute(
            predictions=[candidates for candidates, _ in workload],
            references=[tests for _, tests in workload],
            k=[1],
            num_workers=NUM_WORKERS,
            timeout=3.0,
            grading=mode,
            isolation="strict",
        )
        seconds = time.perf_counter() - began
        passed = pass_at_k["pass@1"] == 1.0
    else:
        script, options = {"baseline": ("code_eval_way.py", []), "bare": ("bare_loop.py", ["-I", "-S"])}[mode]
        if mode == "baseline":
            programs = programs[::BASELINE_SHARE]
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(programs, file)
            file.flush()
            command = [sys.executable, *options, str(HERE / script), file.name]
            answer = json.loads(subprocess.run(command, check=True, capture_output=True).stdout.splitlines()[-1])
        seconds = answer["seconds"]
        passed = answer["failed"] == 0 if mode == "bare" else set(answer["results"]) == {"passed"}
    if not passed:
        raise SystemExit(f"{MODES[mode]}: some programs did not pass, so the figures mean nothing")
    return len(programs) / seconds


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
    metric.compute(predictions=candidates, references=[tests for _, tests in workload], k=[1], num_workers=NUM_WORKERS)
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
    parser.add_argument("--output", type=Path, help="write all figures here, as JSON")
    arguments = parser.parse_args()
    metric = evaluate.load(str(METRIC_FILE))
    rounds = {}
    for name, workload in workloads(arguments.problems).items():
        for mode in TARGETS[name]:
            per_second(mode, workload[: 2 * NUM_WORKERS], metric)  # starts the workers
        for _ in range(arguments.rounds):
            for mode in MODES:
                rounds.setdefault(name, {}).setdefault(mode, []).append(per_second(mode, workload, metric))
    figures = {
        "machine": f"{usable_cpus()} CPUs, Python {platform.python_version()}, {platform.system()}",
        "rounds": rounds,
        "one_call_ms": one_call_ms(metric),
        "large": measure_large(workloads(arguments.problems)["humaneval"], metric),
    }
    print(f"{figures['machine']}; samples per second, medians of {arguments.rounds} rounds\n")
    print(f"{'':12}{'mode':10}{'per second':>12}{'to baseline':>14}{'to bare loops':>20}")
    for name, by_mode in rounds.items():
        median = {mode: statistics.median(values) for mode, values in by_mode.items()}
        for mode, value in median.items():
            wanted = TARGETS[name].get(mode, (None, None))
            ratios = (value / median["baseline"], value / median["bare"])
            shown = [
                f"{ratio:.2f}" + (f" (≥ {least})" if least else "") for ratio, least in zip(ratios, wanted, strict=True)
            ]
            print(f"{name:12}{mode:10}{value:12.0f}{shown[0]:>14}{shown[1]:>20}")
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
