"""Compares interpreters: samples per second of our sandboxes, as ratios to bare fork loops of the same interpreter.

    python performance/interpreters.py HumanEval.jsonl.gz [--pythons PYTHON ...] [--rounds 5] [--short]

Each PYTHON is an interpreter, 3.11 or newer. For each of them the package is installed into an environment of its own,
and throughput.py measures there. Without `--pythons` it measures in this environment. Prints a table in Markdown: for
each interpreter, workload and grading the median of the rounds' ratios, and their range.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from workload import add_short

HERE = Path(__file__).resolve().parent
MODES = ("bare", "shared", "separate")
# A program that is linked with the interpreter's library is much smaller than one that holds the interpreter.
DESCRIBE = (
    "import os, platform, sys;"
    "is_whole = os.path.getsize(os.path.realpath(sys.executable)) > 1 << 20;"
    "print(platform.python_version() + ',', 'one executable' if is_whole else 'in a shared library')"
)


def make_environment(python: str, folder: Path) -> str:
    """Install the package into a new environment of an interpreter, and return the environment's interpreter.

    Args:
        python: the interpreter.
        folder: an empty folder for the environment.
    """
    subprocess.run([python, "-m", "venv", folder / "environment"], check=True)
    own = str(folder / "environment" / "bin" / "python")
    # pip builds where the files are.
    package = shutil.copytree(HERE.parent, folder / "package", ignore=shutil.ignore_patterns(".git", "tests", "build"))
    subprocess.run([own, "-m", "pip", "install", "--quiet", package], check=True)
    return own


def measure(python: str, problems: Path, rounds: int, short: bool) -> dict[str, Any]:
    """Return the figures that throughput.py writes when an interpreter runs it."""
    with tempfile.NamedTemporaryFile(suffix=".json") as output:
        command = [python, str(HERE / "throughput.py"), str(problems), "--rounds", str(rounds), "--modes", *MODES]
        command += ["--output", output.name, *(["--short"] if short else [])]
        # The package is imported from the environment, where it is compiled.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
        figures: dict[str, Any] = json.loads(Path(output.name).read_text(encoding="utf-8"))
        return figures


def ratio_text(rounds: dict[str, list[float]], mode: str) -> str:
    """Return the median of a mode's ratios to the bare loops, and their range."""
    ratios = [own / bare for own, bare in zip(rounds[mode], rounds["bare"], strict=True)]
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", type=Path, help="HumanEval.jsonl.gz")
    parser.add_argument("--pythons", nargs="+", help="interpreters")
    parser.add_argument("--rounds", type=int, default=5)
    add_short(parser)
    options = parser.parse_args()
    print(f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, medians and ranges of {options.rounds} rounds\n")
    names = [(workload, mode) for workload in ("humaneval", "trivial") for mode in MODES[1:]]
    print("| Python | " + " | ".join(f"{workload}, {mode}" for workload, mode in names) + " |")
    print("|---" * (1 + len(names)) + "|", flush=True)
    for python in options.pythons or [sys.executable]:
        described = subprocess.run([python, "-c", DESCRIBE], check=True, capture_output=True, text=True).stdout.strip()
        with tempfile.TemporaryDirectory() as folder:
            own = make_environment(python, Path(folder)) if options.pythons else python
            rounds = measure(own, options.problems, options.rounds, options.short)["rounds"]
        cells = [ratio_text(rounds[workload], mode) for workload, mode in names]
        print(f"| {described} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
