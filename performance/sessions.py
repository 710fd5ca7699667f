"""Measures in one run what sessions cost: to open one, to use it in each way, and to keep it.

    python performance/sessions.py [--sessions 20] [--calls 20] [--short]

The baseline starts an interpreter for each cell, with no sandbox. Prints a row for each call: medians in milliseconds,
and the ratio to the baseline. Then the memory and the processes of one session that is kept open.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

import psutil

from sandboxes import EvalConfig, Session
from workload import add_short, machine

CONFIG = EvalConfig.from_options({"sandbox": "subprocess", "isolation": "strict"})


def milliseconds(call: Callable[[], object]) -> float:
    """Return the milliseconds that a call takes."""
    begin = time.monotonic()
    call()
    return 1000 * (time.monotonic() - begin)


def start_interpreter() -> None:
    """Run a cell in an interpreter of its own."""
    subprocess.run([sys.executable, "-I", "-S", "-c", "x = 1"], check=True)


def proportional_megabytes(process: psutil.Process) -> float:
    """Return the memory of a process, each shared page divided by its number of users."""
    return float(process.memory_full_info().pss / 1e6)


def measure_calls(session: Session, calls: int) -> dict[str, float]:
    """Return the median milliseconds of each kind of call."""
    kinds: dict[str, Callable[[], object]] = {
        "cell": lambda: session.run_cell("x = 1"),
        "command": lambda: session.run_command(["true"]),
        "shell": lambda: session.run_command("true"),
        "write": lambda: session.write_file("file", b"x" * 1000),
        "read": lambda: session.read_file("file"),
    }
    return {kind: statistics.median(milliseconds(call) for _ in range(calls)) for kind, call in kinds.items()}


def main() -> None:
    """Measure, and print the rows."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sessions", type=int, default=20, help="sessions that are open at once")
    parser.add_argument("--calls", type=int, default=20, help="calls of each kind")
    add_short(parser)
    arguments = parser.parse_args()
    count, calls = (2, 2) if arguments.short else (arguments.sessions, arguments.calls)
    print(f"{machine()}; {count} sessions, {calls} calls of each kind")
    baseline = statistics.median(milliseconds(start_interpreter) for _ in range(calls))
    print(f"interpreter {baseline:7.1f} ms")
    sessions = [Session(CONFIG) for _ in range(count)]
    rows = {"open": statistics.median(milliseconds(session.open) for session in sessions)}
    guests = psutil.Process().children(recursive=True)
    rows["first cell"] = statistics.median(milliseconds(partial(session.run_cell, "x = 1")) for session in sessions)
    used = psutil.Process().children(recursive=True)
    megabytes = sum(map(proportional_megabytes, used)) / count
    rows |= measure_calls(sessions[0], calls)
    rows["close"] = statistics.median(milliseconds(session.close) for session in sessions)
    for kind, median in rows.items():
        print(f"{kind:11} {median:7.1f} ms  {median / baseline:6.2f} of an interpreter")
    print(f"a session: {len(guests) / count:g} processes, {len(used) / count:g} with cells, {megabytes:.1f} MB")


if __name__ == "__main__":
    main()
