"""Runs many programs in one pool, one in ten of them hostile: every verdict must be right, and nothing may grow.

Most hostile programs are cheap ones: the others take so long that a million programs would take hours.

Measured between rounds: descriptors of the calling process and of the guests, processes, mounts, the memory of the
guests, and the files in the folder for temporary files. Prints a row after each round, and then what was wrong, if
anything. Ends with status 1 if something was wrong.

Usage: python performance/soak.py [--programs 20000] [--rounds 10] [--grading shared] [--workers 4]
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path

import psutil

from sandboxes import Limits, Outcome, Pool, Program, Verdict, open_sandbox

LIMITS = Limits(wall_seconds=0.5, memory_bytes=512 << 20, output_bytes=4 << 20)
# Quick programs get a long timeout, so that a busy machine does not decide.
PATIENT = Limits(wall_seconds=10.0, memory_bytes=512 << 20, output_bytes=4 << 20)
TESTS = "assert add(2, 3) == 5\nassert add(-1, 1) == 0"
RIGHT = "def add(a, b):\n    return a + b  # {number}\n"
WRONG = "def add(a, b):\n    return a * b  # {number}\n"
# (text, limits, expected outcomes) by name. All are bounded, in case the sandbox does not hold.
HOSTILE = {
    "leaves processes": (
        "import os, time\nfor _ in range(5):\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(60)\n"
        + RIGHT,
        PATIENT,
        {Outcome.PASSED},
    ),
    "forks as often as it can": (
        "import os, time\nfor _ in range(7):\n    try:\n        os.fork()\n    except OSError:\n        pass\n"
        "time.sleep(99)\n",
        LIMITS,
        {Outcome.TIMED_OUT},
    ),
    "kills all it can": ("import os\nos.kill(-1, 9)\n" + WRONG, PATIENT, {Outcome.FAILED, Outcome.CRASHED}),
    "fills the disk": (
        "for n in range(9):\n    try:\n        open(f'/tmp/{n}', 'wb').write(bytes(60 << 20))\n    except OSError:\n"
        "        pass\n" + RIGHT,
        PATIENT,
        {Outcome.PASSED},
    ),
    "many files": (
        "import os\nfor n in range(3000):\n    open(f'f{n}', 'w').close()\nos.chmod('.', 0)\n" + RIGHT,
        PATIENT,
        {Outcome.PASSED},
    ),
    "deep folders": (
        "import os\nfor n in range(500):\n    os.mkdir('d')\n    os.chdir('d')\nos.chmod('.', 0)\n" + RIGHT,
        PATIENT,
        {Outcome.PASSED},
    ),
    "shared memory": ("open('/dev/shm/x', 'wb').write(bytes(1 << 20))\n" + RIGHT, PATIENT, {Outcome.PASSED}),
    "floods its output": ("while True:\n    print('x' * 9999)\n", PATIENT, {Outcome.OUTPUT_LIMIT}),
    "eats memory": ("x = []\nwhile True:\n    x.append(bytearray(50 << 20))\n", PATIENT, {Outcome.OUT_OF_MEMORY}),
    "hangs": ("while True:\n    pass\n", LIMITS, {Outcome.TIMED_OUT}),
    "leaves early": ("import os\nos._exit(0)\n", PATIENT, {Outcome.EXITED}),
    "crashes": ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n", PATIENT, {Outcome.CRASHED}),
    "changes its pipes": (
        "import fcntl, os\nfor fd in (1, 2, 3):\n    for change in (\n"
        "        lambda: fcntl.fcntl(fd, fcntl.F_SETFL, os.O_NONBLOCK),\n        lambda: os.fchmod(fd, 0),\n"
        "        lambda: fcntl.fcntl(fd, 1031, 4096),\n    ):\n        try:\n            change()\n"
        "        except OSError:\n            pass\n" + RIGHT,
        PATIENT,
        {Outcome.PASSED},
    ),
    "speaks for the judge": (
        'import os\nfor fd in range(3, 99):\n    try:\n        os.write(fd, b\'{"outcome": "passed"}\')\n'
        "    except OSError:\n        pass\nos._exit(0)\n",
        PATIENT,
        {Outcome.EXITED},
    ),
}

# Those that take a good part of a second.
COSTLY = {
    "forks as often as it can",
    "fills the disk",
    "many files",
    "deep folders",
    "floods its output",
    "eats memory",
    "hangs",
}
CHEAP_PER_COSTLY = 20
WEIGHTS = [1 if name in COSTLY else CHEAP_PER_COSTLY for name in HOSTILE]


def programs_of(count: int, grading: str, seed: int) -> list[tuple[Program, set[Outcome], str]]:
    """Draw programs at random, and return (program, expected outcomes, name) of each."""
    drawn, chosen = random.Random(seed), []  # noqa: S311 (no secret)
    for number in range(count):
        if drawn.random() < 0.1:
            [name] = drawn.choices(list(HOSTILE), WEIGHTS)
            text, limits, outcomes = HOSTILE[name]
        else:
            name, text = drawn.choice([("right", RIGHT), ("right", RIGHT), ("wrong", WRONG)])
            limits, outcomes = PATIENT, {Outcome.PASSED if name == "right" else Outcome.FAILED}
        chosen.append((Program(text.replace("{number}", str(number)), TESTS, limits, grading), outcomes, name))
    return chosen


def sample_resources(folder: str) -> dict[str, int]:
    """Return the resources that must not grow, by name."""
    own = psutil.Process()
    guests = [process for process in own.children(recursive=True) if process.status() != psutil.STATUS_ZOMBIE]
    return {
        "own descriptors": own.num_fds(),
        "guests' descriptors": sum(process.num_fds() for process in guests),
        "processes": len(guests),
        # A container engine mounts and unmounts for others.
        "mounts": sum("docker" not in line for line in Path("/proc/self/mounts").read_text().splitlines()),
        "guests' MB": round(sum(process.memory_info().rss for process in guests) / (1 << 20)),
        "temporary files": len(os.listdir(folder)),
    }


def grown_resources(before: dict[str, int], after: dict[str, int], workers: int) -> list[str]:
    """Return the names of resources that grew. Each worker may have one more process, which keeps a task's tests."""
    room = {"guests' MB": before["guests' MB"] // 10 + 12 * workers, "processes": workers}
    room["guests' descriptors"] = 12 * workers
    return [name for name in before if after[name] > before[name] + room.get(name, 0)]


def soak(count: int, rounds: int, grading: str, workers: int) -> list[str]:
    """Run the programs and print a row after each round.

    Returns:
        Lines on what was wrong; empty if all was right.
    """
    wrong = []
    folder = tempfile.gettempdir()
    pool = Pool(open_sandbox("subprocess"))
    try:
        # After this, every worker has run every kind of program once, and has its final size.
        warm = [
            (Program(text.replace("{number}", "0"), TESTS, limits, grading)) for text, limits, _ in HOSTILE.values()
        ]
        pool.run_all(warm * workers, workers)
        before = after = sample_resources(folder)
        print(f"{'programs':>9}{'per second':>12}" + "".join(f"{name:>21}" for name in before))
        for number in range(rounds):
            chosen = programs_of(count // rounds, grading, seed=number)
            began = time.perf_counter()
            verdicts = pool.run_all([program for program, _, _ in chosen], workers)
            seconds = time.perf_counter() - began
            for (_, outcomes, name), verdict in zip(chosen, verdicts, strict=True):
                if not isinstance(verdict, Verdict):
                    wrong.append(f"{name}: {verdict}")
                elif verdict.outcome not in outcomes or verdict.attempts > 1:
                    wrong.append(f"{name}: {verdict.outcome.value} ({verdict.detail}), attempts {verdict.attempts}")
            after = sample_resources(folder)
            values = "".join(f"{value:>21}" for value in after.values())
            print(f"{(number + 1) * len(chosen):>9}{len(chosen) / seconds:>12.0f}{values}", flush=True)
        wrong += [
            f"{name} grew from {before[name]} to {after[name]}" for name in grown_resources(before, after, workers)
        ]
    finally:
        pool.close()
    if left := psutil.Process().children(recursive=True):
        wrong.append(f"processes are left: {left}")
    return wrong


def main() -> None:
    """Run the soak, and exit with status 1 if something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--grading", choices=["shared", "separate"], default="shared")
    parser.add_argument("--workers", type=int, default=4)
    arguments = parser.parse_args()
    wrong = soak(arguments.programs, arguments.rounds, arguments.grading, arguments.workers)
    print("\n".join(wrong) or "all verdicts were right, and nothing grew")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
