"""Measures what a user waits for first: the command, imports, the metric, and the first verdict of a pool.

    python performance/cold_start.py [--rounds 7] [--short]

Each figure is the median over new processes, one of each kind in every round. Commands and imports are whole processes;
their baselines are a Python that does nothing, and a Python that shows the help of a command of typer. The others are
times within a process that has done the step before. Prints a row for each, with its ratio to the baseline.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from workload import METRIC_FILE, add_short, machine

TYPER_COMMAND = """
import typer
app = typer.Typer(add_completion=False)
@app.command()
def hello(name: str) -> None:
    "Say hello."
    print(name)
app(["--help"])
"""
# Each step prints its name and its seconds.
METRIC_STEPS = f"""
import json, time
def timed(name, step):
    begin = time.perf_counter()
    result = step()
    print(json.dumps([name, time.perf_counter() - begin]))
    return result
evaluate = timed("import evaluate", lambda: __import__("evaluate"))
metric = timed("evaluate.load", lambda: evaluate.load({str(METRIC_FILE)!r}))
compute = lambda: metric.compute(predictions=[["def f(): return 1"]], references=["assert f() == 1"], k=[1])
timed("first compute", compute)
timed("second compute", compute)
"""
POOL_STEPS = """
import json, time
from sandboxes import Pool, Program, open_sandbox
begin = time.perf_counter()
pool = Pool(open_sandbox("subprocess"))
[verdict] = pool.run_all([Program("def f(): return 1", "assert f() == 1")], 1)
print(json.dumps(["first verdict", time.perf_counter() - begin]))
assert verdict.passed
"""
PROBLEM = {"task_id": "t/0", "prompt": "def add(a, b):\n", "entry_point": "add"}
TESTS = "def check(candidate):\n    assert candidate(2, 3) == 5\n"
SAMPLE = {"task_id": "t/0", "completion": "    return a + b\n"}
MORE_THAN_TYPER = 0.3
FIRST_VERDICT = 0.5

Medians = dict[str, float]
"""Seconds by the name of what was measured."""


def processes(folder: Path) -> dict[str, list[str]]:
    """Return the arguments of Python for each whole process that is timed, by its name in the rows."""
    problems, samples = folder / "problems.jsonl", folder / "samples.jsonl"
    problems.write_text(json.dumps({**PROBLEM, "test": TESTS}))
    samples.write_text(json.dumps(SAMPLE))
    command = ["-m", "code_tasks.cli"]
    return {
        "python": ["-c", "pass"],
        "typer --help": ["-c", TYPER_COMMAND],
        "code-eval --help": [*command, "--help"],
        "code-eval run --help": [*command, "run", "--help"],
        "code-eval run": [*command, "run", str(samples), "--problems", str(problems)],
        "import sandboxes": ["-c", "import sandboxes"],
        "import code_tasks": ["-c", "import code_tasks"],
    }


def run_python(arguments: list[str]) -> tuple[float, str]:
    """Run Python. Return (seconds, what it printed).

    Raises:
        subprocess.CalledProcessError: if it fails.
    """
    begin = time.perf_counter()
    environment = {**os.environ, "HF_ALLOW_CODE_EVAL": "1"}
    done = subprocess.run([sys.executable, *arguments], check=True, capture_output=True, text=True, env=environment)
    return time.perf_counter() - begin, done.stdout


def measure(num_rounds: int) -> Medians:
    """Return the median seconds of everything."""
    times: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        timed = processes(Path(folder))
        for _ in range(num_rounds):
            for name, arguments in timed.items():
                times.setdefault(name, []).append(run_python(arguments)[0])
            for steps in (METRIC_STEPS, POOL_STEPS):
                for line in run_python(["-c", steps])[1].splitlines():
                    name, seconds = json.loads(line)
                    times.setdefault(name, []).append(seconds)
    return {name: statistics.median(seconds) for name, seconds in times.items()}


def show(medians: Medians) -> None:
    """Print a row for each figure, then the marks."""
    for name, seconds in medians.items():
        baseline = "typer --help" if name.startswith("code-eval") else "python"
        print(f"{name:22}{seconds:8.3f} s{seconds / medians[baseline]:8.2f} of {baseline}")
    more = medians["code-eval --help"] - medians["typer --help"]
    print(f"\ncode-eval --help: {more:+.3f} s beside a command of typer (≤ {MORE_THAN_TYPER})")
    print(f"first verdict: {medians['first verdict']:.3f} s after the start of the pool (≤ {FIRST_VERDICT})")


def main() -> None:
    """Measure, and print the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    add_short(parser)
    arguments = parser.parse_args()
    num_rounds = 1 if arguments.short else arguments.rounds
    print(f"{machine()}; medians of {num_rounds} rounds\n")
    show(measure(num_rounds))


if __name__ == "__main__":
    main()
