"""Shows where a short program's time goes: CPU time and page faults of each process that has a part in it.

    python performance/program_costs.py [HumanEval.jsonl.gz] [--programs 1640] [--rounds 3] [--isolation auto] [--short]

The programs are trivial and all different, tests included, or HumanEval's solutions, as often as it takes. They run
on four workers with all layers of isolation. Bare fork loops run the same programs. A page fault of a child is a page
of its fork server's memory that it has to copy, or a new one. Prints a row per process and grading, in milliseconds
and page faults per program: those of the round that took the least CPU time.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import psutil

from sandboxes import Pool, Program, Verdict, open_sandbox
from workload import add_short, machine, read_solutions

HERE = Path(__file__).resolve().parent
NUM_WORKERS = 4
SHORT_PROGRAMS = 40
PROGRAMS = "programs"
ROLES = {"shared": ("shared",), "separate": ("candidate", "tests")}
"""The roles of the fork servers that each grading needs."""

# Fields of /proc/PID/stat after the name of the process: page faults of its own, and of its children that have ended.
OWN_FAULTS, CHILDREN_FAULTS = 7, 8

Costs = dict[str, tuple[float, float]]
"""CPU milliseconds and page faults per program, by process."""


def trivial_programs(count: int, grading: str) -> list[Program]:
    """Return programs that differ in candidate and tests."""
    return [
        Program(f"def f(x):\n    return x + {number}\n", f"assert f(1) == {number + 1}", grading=grading)
        for number in range(count)
    ]


def solutions(problems_file: Path, count: int, grading: str) -> list[Program]:
    """Return programs of HumanEval's solutions, which differ in their candidates."""
    solved = read_solutions(problems_file)
    each = (solved[number * len(solved) // count] for number in range(count))
    return [
        Program(f"{solution.candidate}\n# {number}\n", solution.tests, grading=grading)
        for number, solution in enumerate(each)
    ]


def roles(pool: Pool, grading: str) -> dict[psutil.Process, str]:
    """Return the processes that stay and that a grading needs, with what they are."""
    has_namespace = "pid" in pool.preflight().layers
    caller = psutil.Process()
    found = {caller: "caller"}
    for supervisor in caller.children():
        found[supervisor] = "supervisors"
        for outer in supervisor.children():
            # With a PID namespace, the fork server is this process's child. A fork server's children are programs.
            for process in (outer, *(outer.children() if has_namespace else ())):
                if (role := process.cmdline()[-1]) in ROLES[grading]:
                    found[process] = f"fork servers, {role}"
    return found


def used(processes: dict[psutil.Process, str]) -> tuple[Counter[str], Counter[str]]:
    """Return the nanoseconds of CPU time and the page faults of processes so far, by what they are."""
    cpu, faults = Counter[str](), Counter[str]()
    for process, role in processes.items():
        folder = Path("/proc", str(process.pid))
        cpu[role] += int((folder / "schedstat").read_text().split()[0])
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        faults[role] += int(fields[OWN_FAULTS])
        if role.startswith("fork servers"):
            faults[PROGRAMS] += int(fields[CHILDREN_FAULTS])
    return cpu, faults


def measure(pool: Pool, programs: Sequence[Program]) -> Costs:
    """Run programs on warm workers, and return their costs.

    Raises:
        SystemExit: if a program does not pass.
    """
    processes = roles(pool, programs[0].grading)
    cpu, faults = used(processes)
    results = pool.run_all(programs, NUM_WORKERS)
    later_cpu, later_faults = used(processes)
    verdicts = [result for result in results if isinstance(result, Verdict) and result.passed]
    if len(verdicts) < len(programs):
        raise SystemExit("a program did not pass")
    later_cpu[PROGRAMS] = round(1e9 * sum(verdict.cpu_seconds for verdict in verdicts))
    count = len(programs)
    return {
        role: ((later_cpu[role] - cpu[role]) / count / 1e6, (later_faults[role] - faults[role]) / count)
        for role in [*dict.fromkeys(processes.values()), PROGRAMS]
    }


def measure_bare(programs: Sequence[Program]) -> Costs:
    """Run programs in bare fork loops, and return their costs."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump([[program.candidate, program.tests] for program in programs], file)
        file.flush()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-I", "-S", HERE / "bare_loop.py", file.name], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"loops and programs": (1e3 * seconds / len(programs), (after.ru_minflt - before.ru_minflt) / len(programs))}


def print_best(name: str, rounds: Sequence[Costs]) -> None:
    """Print the round that took the least CPU time."""
    costs = min(rounds, key=lambda each: sum(cpu for cpu, _ in each.values()))
    costs["all"] = (sum(cpu for cpu, _ in costs.values()), sum(faults for _, faults in costs.values()))
    for role, (cpu, faults) in costs.items():
        print(f"{name:9} {role:24} {cpu:8.3f} ms {faults:8.1f} page faults")


def main() -> None:
    """Measure, and print the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", type=Path, nargs="?", help="HumanEval.jsonl.gz, in place of trivial programs")
    parser.add_argument("--programs", type=int, default=1640)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--isolation", choices=("strict", "auto"), default="strict", help="auto: with the layers that are possible here"
    )
    add_short(parser)
    options = parser.parse_args()
    count = SHORT_PROGRAMS if options.short else options.programs
    programs = partial(solutions, options.problems) if options.problems else trivial_programs
    print(f"{machine()}; the best of {options.rounds} rounds of {count} programs")
    print_best("bare", [measure_bare(programs(count, "shared")) for _ in range(options.rounds)])
    pool = Pool(open_sandbox("subprocess", isolation=options.isolation))
    try:
        for grading in ("shared", "separate"):
            pool.run_all(programs(NUM_WORKERS * 100, grading), NUM_WORKERS)
            print_best(grading, [measure(pool, programs(count, grading)) for _ in range(options.rounds)])
    finally:
        pool.close()


if __name__ == "__main__":
    main()
