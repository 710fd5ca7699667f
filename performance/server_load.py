"""Measures `code-eval serve` under load: many clients at once, one program in ten hostile, one client in fifty gone.

    python performance/server_load.py [--requests 10000] [--clients 64] [--rounds 5] [--minutes M]
        [--workers N] [--port-processes 1]

A real server process serves on loopback. Each request is one candidate for /evaluate. A client that goes closes its
connection before the answer. Each round sends its requests, and then runs the programs that were answered in a pool of
this process, with as many workers. Counts wrong verdicts, requests without a verdict, and what grew: the server's
processes, descriptors and memory, mounts, and temporary files. Then the server gets SIGTERM and must leave nothing
behind. Prints a row after each round, the waiting times, and what was wrong, if anything. Ends with status 1 if
something was wrong. A ratio below the mark is printed, and no error: it depends on what else the machine does. The CPU
times depend on that less.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import psutil

from load_clients import send_all
from loaded_server import cpu_seconds, end, grown_resources, sample_resources, served, wait_until_quiet
from sandboxes import Outcome, Pool, Program, Verdict, open_sandbox
from sandboxes.pool.cpus import usable_cpus
from soak import HOSTILE, PATIENT, TESTS, programs_of
from workload import machine

MARK = 0.6


@dataclass
class Load:
    """The load on a server, and the sums over its rounds."""

    arguments: argparse.Namespace
    folder: str
    """The folder of all temporary files."""

    server: psutil.Process
    port: int
    pool: Pool
    """The pool of this process, which runs the same programs."""

    wrong: list[str] = field(default_factory=list)
    waited: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    gone: int = 0
    refused: int = 0
    cpu_of_server: float = 0.0
    cpu_in_pool: float = 0.0

    def warm_up(self) -> None:
        """Give all connections and workers their final size."""
        warm = [(Program(text, TESTS, limits), expected, name) for name, (text, limits, expected) in HOSTILE.items()]
        right = (programs_of(1, "shared", seed=0)[0][0], {*Outcome}, "warm-up")
        workers, clients = self.arguments.workers, self.arguments.clients
        send_all(self.port, [*warm * 2 * workers, *[right] * 8 * clients], clients, seed=0)
        self.pool.run_all([program for program, _, _ in warm], workers)
        wait_until_quiet(self.port)

    def run_round(self, number: int) -> str:
        """Send the programs of a round, run those that were answered in the pool, and return the round's row."""
        arguments, own = self.arguments, psutil.Process()
        chosen = programs_of(arguments.requests // arguments.rounds, "shared", seed=number)
        if arguments.short_programs:
            chosen = [each for each in chosen if each[0].limits == PATIENT and each[2] in ("right", "wrong")]
        cpu_began = cpu_seconds(self.server)
        tally, seconds = send_all(self.port, chosen, arguments.clients, seed=number)
        if not wait_until_quiet(self.port):
            self.wrong.append("programs still run after their clients have gone")
        after = sample_resources(self.server, self.folder)
        self.cpu_of_server += cpu_seconds(self.server) - cpu_began
        cpu_began = cpu_seconds(own) - cpu_seconds(self.server)
        in_pool = pool_seconds(self.pool, [chosen[index][0] for index in sorted(tally.answered)], arguments.workers)
        self.cpu_in_pool += cpu_seconds(own) - cpu_seconds(self.server) - cpu_began
        rates = len(tally.answered) / seconds, len(tally.answered) / in_pool
        self.ratios.append(rates[0] / rates[1])
        self.wrong += tally.wrong
        self.waited += tally.waited
        self.gone, self.refused = self.gone + tally.gone, self.refused + tally.refused
        values = "".join(f"{value:>17}" for value in after.values())
        return f"{(number + 1) * len(chosen):>9}{rates[0]:>12.0f}{rates[1]:>8.0f}{self.ratios[-1]:>7.2f}{values}"

    def summary(self) -> list[str]:
        """Return the lines after the last round."""
        shares = (0.5, 0.9, 0.99, 1.0)
        waiting = (f"p{share * 100:g} {percentile(self.waited, share) * 1000:.0f} ms" for share in shares)
        in_server, in_pool = (seconds / len(self.waited) * 1000 for seconds in (self.cpu_of_server, self.cpu_in_pool))
        return [
            f"{len(self.waited)} answered, {self.gone} gone before the answer, {self.refused} told to come back",
            "waiting: " + ", ".join(waiting),
            f"CPU time of a program: {in_server:.1f} ms in the server and its workers, {in_pool:.1f} ms in the pool",
            f"ratio to the pool: median {statistics.median(self.ratios):.2f} (≥ {MARK})",
        ]


def pool_seconds(pool: Pool, programs: Sequence[Program], workers: int) -> float:
    """Return how long a pool of this process takes for programs."""
    began = time.perf_counter()
    results = pool.run_all(programs, workers, on_sandbox_error="exclude")
    assert all(isinstance(result, Verdict) for result in results)  # noqa: S101 (a broken sandbox has no figures)
    return time.perf_counter() - began


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which a share of the values lie."""
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def measure(arguments: argparse.Namespace, folder: str, report: Callable[[str], Any] = print) -> list[str]:
    """Run the load and report a row after each round.

    Args:
        arguments: of the command.
        folder: for all temporary files. It is empty.
        report: takes each line.

    Returns:
        Lines on what was wrong; empty if all was right.
    """
    with (
        served(arguments.workers, arguments.port_processes) as (server, port),
        contextlib.closing(Pool(open_sandbox("subprocess"))) as pool,
    ):
        load = Load(arguments, folder, server, port, pool)
        load.warm_up()
        before = sample_resources(server, folder)
        report(machine() + f"; {arguments.clients} clients, {arguments.workers} workers")
        report(f"{'requests':>9}{'per second':>12}{'pool':>8}{'ratio':>7}" + "".join(f"{name:>17}" for name in before))
        number, deadline = 0, time.monotonic() + 60 * arguments.minutes
        while number < arguments.rounds or time.monotonic() < deadline:
            report(load.run_round(number))
            number += 1
        load.wrong += grown_resources(before, sample_resources(server, folder))
        load.wrong += end(server)
    if left := sorted(os.listdir(folder)):
        load.wrong.append(f"temporary files are left: {left[:5]}")
    for line in load.summary():
        report(line)
    return load.wrong


def main() -> None:
    """Run the load, and exit with status 1 if something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--minutes", type=float, default=0.0, help="more rounds until then")
    parser.add_argument("--workers", type=int, default=usable_cpus())
    parser.add_argument("--port-processes", type=int, default=1, help="server processes on the port")
    parser.add_argument("--short-programs", action="store_true", help="only programs that end within milliseconds")
    with tempfile.TemporaryDirectory(prefix="server-load-") as folder:
        # Programs of a user of their own must reach their folders.
        os.chmod(folder, 0o711)
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        wrong = measure(parser.parse_args(), folder)
        tempfile.tempdir = None
    print("\n".join(wrong) or "all verdicts were right, and nothing grew")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
