"""What the cache of results saves, and what running the same candidates once does, in one run.

200 candidates of each of HumanEval's problems, all different: with an empty cache, and again with what that has kept.
Then the solutions, 200 copies of each, which are run once for all. The figure that counts is the ratio: machines are
shared and noisy.

Usage: python performance/cache.py HumanEval.jsonl.gz [--candidates 200] [--output cache.json]
"""

import argparse
import json
import os
import platform
import tempfile
import time
from pathlib import Path

os.environ["HF_ALLOW_CODE_EVAL"] = "1"

import evaluate
from throughput import METRIC_FILE, read_solutions

from code_tasks.datasets import program_of, read_problems
from sandboxes import Limits, usable_cpus
from sandboxes.cache_keys import ProgramKeys
from sandboxes.determinism import looks_deterministic

MOST_OF_FIRST = 0.05


def workload(problems_file, candidates):
    """[(different candidates, copies of one, tests) of each task]."""
    solutions = read_solutions(problems_file)
    tasks = []
    for task_id, problem in read_problems(problems_file).items():
        program = program_of(problem, solutions[task_id], Limits())
        different = [f"{program.candidate}\n# {number}\n" for number in range(candidates)]
        tasks.append((different, [program.candidate] * candidates, program.tests))
    return tasks


def timed(metric, predictions, references, **options):
    """(seconds, the metric's answer)."""
    began = time.perf_counter()
    answer = metric.compute(predictions=predictions, references=references, k=[1], progress=False, **options)
    return time.perf_counter() - began, answer


def microseconds_of_look(tasks):
    """Of looking whether a program is deterministic, for each sample, where texts are looked at once."""
    began = time.perf_counter()
    for _, copies, tests in tasks:
        for candidate in copies:
            looks_deterministic(candidate)
            looks_deterministic(tests)
    looked = time.perf_counter() - began
    return 1e6 * looked / sum(len(copies) for _, copies, _ in tasks)


def microseconds_of_keys(problems_file, candidates):
    """Of a program's key, for each sample."""
    solutions, limits = read_solutions(problems_file), Limits()
    problems = read_problems(problems_file)
    programs = [
        program_of(problem, solutions[task_id], limits)
        for task_id, problem in problems.items()
        for _ in range(candidates)
    ]
    keys = ProgramKeys()
    began = time.perf_counter()
    for program in programs:
        keys.of(program)
    return 1e6 * (time.perf_counter() - began) / len(programs)


def main():
    """Measures, prints and writes JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", type=Path, help="HumanEval.jsonl.gz")
    parser.add_argument("--candidates", type=int, default=200, help="of each problem")
    parser.add_argument("--output", type=Path, help="write all figures here, as JSON")
    arguments = parser.parse_args()
    metric = evaluate.load(str(METRIC_FILE))
    tasks = workload(arguments.problems, arguments.candidates)
    different, copies, tests = map(list, zip(*tasks, strict=True))
    metric.compute(predictions=[["x = 1"]], references=["assert x"], k=1)  # starts a worker
    figures = {"machine": f"{usable_cpus()} CPUs, Python {platform.python_version()}, {platform.system()}"}
    figures["samples"] = sum(map(len, different))
    look, keys = microseconds_of_look(tasks), microseconds_of_keys(arguments.problems, arguments.candidates)
    figures |= {"look_microseconds": look, "key_microseconds": keys}
    with tempfile.TemporaryDirectory() as folder:
        figures["first"], first = timed(metric, different, tests, cache_dir=folder)
        figures["second"], second = timed(metric, different, tests, cache_dir=folder)
        figures["cache_mb"] = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file()) / 1e6
    figures["from_cache"] = sum(result["cached"] for task in second[1].values() for _, result in task)
    if first[0] != second[0] or first[0] != {"pass@1": 1.0}:
        raise SystemExit(f"pass@k is {first[0]} and then {second[0]}, so the figures mean nothing")
    figures["duplicates_once"], once = timed(metric, copies, tests)
    figures["not_run"] = sum(result["duplicate_of"] is not None for task in once[1].values() for _, result in task)
    print(f"{figures['machine']}; {figures['samples']} samples")
    share = figures["second"] / figures["first"]
    print(f"different, first run {figures['first']:.1f} s, second {figures['second']:.2f} s: {100 * share:.1f} % (≤ 5)")
    print(f"  {figures['from_cache']} from a cache of {figures['cache_mb']:.0f} MB")
    print(f"copies of {len(tasks)}: {figures['duplicates_once']:.1f} s, with {figures['not_run']} not run")
    print(f"of each sample, looking at its text {look:.1f} µs (≤ 50), its key {keys:.1f} µs")
    if arguments.output:
        arguments.output.write_text(json.dumps(figures, indent=2) + "\n")
    if share > MOST_OF_FIRST:
        raise SystemExit("the second run takes more of the first one's time than it may")


if __name__ == "__main__":
    main()
