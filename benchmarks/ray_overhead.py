"""What a cluster costs beside one machine, at equal workers, in one run; and the figures that cluster_model.py needs.

Both run HumanEval's solutions, several times each, in turn: a pool of this machine, and one on a Ray cluster that is
started on it. The figure that counts is the ratio. What the caller's process spends on each batch and on each program
is its CPU time with batches of one program and with large ones.

Usage: python benchmarks/ray_overhead.py HumanEval.jsonl.gz [--rounds 3] [--copies 10] [--output ray.json]
"""

import argparse
import json
import platform
import statistics
import time
from pathlib import Path

from throughput import read_solutions

from code_tasks.datasets import program_of, read_problems
from sandboxes import ClusterPool, Limits, Pool, Program, close_pools, open_sandbox, ray_batches, usable_cpus

MOST_OVERHEAD = 0.15
LARGE_BATCH = 50
# For the caller's own costs: enough that what a batch costs can be told from noise.
TRIVIAL_PROGRAMS = 600


def humaneval(problems_file, copies):
    """The programs of HumanEval's solutions, each `copies` times, those of a task together."""
    problems, solutions = read_problems(problems_file), read_solutions(problems_file)
    programs = [program_of(problem, solutions[task_id], Limits()) for task_id, problem in problems.items()]
    return [program for program in programs for _ in range(copies)]


def seconds_of(pool, programs, num_workers):
    """Seconds of a run in which every program passes."""
    began = time.perf_counter()
    verdicts = pool.run_all(programs, num_workers)
    seconds = time.perf_counter() - began
    if not all(verdict.passed for verdict in verdicts):
        raise SystemExit("some programs did not pass, so the figures mean nothing")
    return seconds


def own_seconds(pool, num_workers, batch):
    """CPU seconds of this process for each program, in batches of so many."""
    programs = [
        Program(f"def f():\n    return {number}\n", f"assert f() == {number}") for number in range(TRIVIAL_PROGRAMS)
    ]
    ray_batches.MOST_IN_BATCH = ray_batches.FIRST_BATCH = batch
    began = time.process_time()
    seconds_of(pool, programs, num_workers)
    return (time.process_time() - began) / len(programs)


def measure(programs, num_workers, rounds):
    """All figures."""
    sandbox = open_sandbox("subprocess")
    here, there = Pool(sandbox), ClusterPool(sandbox, "local")
    there.cpus()
    began, cpu_began = time.perf_counter(), time.process_time()
    there.preflight()
    start, own_start = time.perf_counter() - began, time.process_time() - cpu_began
    here.preflight()
    for pool in (here, there):
        seconds_of(pool, programs[: 8 * num_workers], num_workers)  # starts the workers
    pairs = [(seconds_of(here, programs, num_workers), seconds_of(there, programs, num_workers)) for _ in range(rounds)]
    # The last batches are small by design, which small runs have more of: one large run and one of single programs.
    usual = ray_batches.MOST_IN_BATCH, ray_batches.FIRST_BATCH
    single, large = (
        statistics.median(own_seconds(there, num_workers, batch) for _ in range(rounds)) for batch in (1, LARGE_BATCH)
    )
    ray_batches.MOST_IN_BATCH, ray_batches.FIRST_BATCH = usual
    # single = program + batch; large = program + batch / LARGE_BATCH, or a little more.
    per_batch = max(0.0, (single - large) / (1 - 1 / LARGE_BATCH))
    close_pools()
    return {
        "machine": f"{usable_cpus()} CPUs, Python {platform.python_version()}, {platform.system()}",
        "programs": len(programs),
        "num_workers": num_workers,
        "rounds": pairs,
        "ratio": statistics.median(there / here for here, there in pairs),
        "seconds_per_program": num_workers * statistics.median(there for _, there in pairs) / len(programs),
        "head_seconds_per_batch": per_batch,
        "head_seconds_per_program": max(0.0, single - per_batch),
        "actor_start_seconds": start,
        "head_seconds_per_actor": own_start,
    }


def main():
    """Measures, prints and writes JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", type=Path, help="HumanEval.jsonl.gz")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--copies", type=int, default=10, help="of each solution")
    parser.add_argument("--num-workers", type=int, default=usable_cpus())
    parser.add_argument("--output", type=Path, help="write all figures here, as JSON")
    arguments = parser.parse_args()
    found = measure(humaneval(arguments.problems, arguments.copies), arguments.num_workers, arguments.rounds)
    print(
        f"{found['machine']}; {found['programs']} programs, {found['num_workers']} at once, {arguments.rounds} rounds"
    )
    for here, there in found["rounds"]:
        print(f"  this machine {here:6.2f} s   cluster {there:6.2f} s   ratio {there / here:.3f}")
    print(f"median ratio {found['ratio']:.3f} (at most {1 + MOST_OVERHEAD:.2f})")
    for name in ("head_seconds_per_batch", "head_seconds_per_program", "head_seconds_per_actor"):
        print(f"{name:26} {1000 * found[name]:8.3f} ms")
    for name in ("seconds_per_program", "actor_start_seconds"):
        print(f"{name:26} {found[name]:8.4f} s")
    if arguments.output:
        arguments.output.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()
