"""The baseline: how Hugging Face's code_eval runs samples, written anew.

In a pool of four threads, each sample gets a multiprocessing.Manager and a Process of its own. The process runs
candidate and tests as one text, and puts "passed" or "failed: ..." into the manager's list. An empty list means "timed
out".

Usage: python code_eval_way.py PROGRAMS.json, a list of [candidate, tests]; prints {"seconds": ..., "results": [...]}.
"""

from __future__ import annotations

import contextlib
import io
import json
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from types import FrameType
from typing import Any

import evaluate  # noqa: F401 (the process that forks is as big as a user's)

TIMEOUT_SECONDS = 3.0
NUM_WORKERS = 4
FORK_LOCK = threading.Lock()
"""Lets one thread fork at a time: filelock, which `datasets` imports, refuses a fork while another thread forks."""


class TimedOut(Exception):
    """A program exceeded its time."""


def raise_timed_out(number: int, frame: FrameType | None) -> None:
    """Handle SIGALRM."""
    raise TimedOut


def run_in_process(program: str, results: Any) -> None:
    """Run a sample in its own process, and put its result into the manager's list."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        signal.signal(signal.SIGALRM, raise_timed_out)
        quiet = io.StringIO()
        try:
            with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
                signal.setitimer(signal.ITIMER_REAL, TIMEOUT_SECONDS)
                try:
                    exec(program, {})
                finally:
                    signal.setitimer(signal.ITIMER_REAL, 0)
            results.append("passed")
        except TimedOut:
            results.append("timed out")
        except BaseException as error:
            results.append(f"failed: {error}")
        os.chdir("/")


def check(program: str) -> str:
    """Return the result of one sample."""
    with FORK_LOCK:
        manager = multiprocessing.Manager()
    with manager:
        results = manager.list()
        process = multiprocessing.Process(target=run_in_process, args=(program, results))
        with FORK_LOCK:
            process.start()
        process.join(TIMEOUT_SECONDS + 1)
        if process.is_alive():
            process.kill()
            process.join()
        return str(results[0]) if len(results) else "timed out"


def main() -> None:
    """Run the programs of the file."""
    with open(sys.argv[1]) as file:
        programs = [f"{candidate}\n{tests}" for candidate, tests in json.load(file)]
    began = time.perf_counter()
    with ThreadPoolExecutor(NUM_WORKERS) as threads:
        results = list(threads.map(check, programs))
    print(json.dumps({"seconds": time.perf_counter() - began, "results": results}))


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    main()
