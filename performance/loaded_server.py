"""The server of server_load.py: its start and end, and the resources that must not grow."""

from __future__ import annotations

import contextlib
import http.client
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator

import psutil

from load_clients import ANSWER_SECONDS

QUIET_SECONDS = 30.0
END_SECONDS = 60.0
ADDRESS = re.compile(r"serving on http://127\.0\.0\.1:(\d+)")
ROOM_FOR_MB = 64
"""MiB by which the server may grow. Its heap is not compact after the first requests."""


@contextlib.contextmanager
def served(workers: int, processes: int) -> Iterator[tuple[psutil.Popen, int]]:
    """Start a server, and yield (process, port). Nothing may be left of it after SIGTERM."""
    options = ["--port", "0", "--allowed-language", "python", "--num-workers", workers, "--processes", processes]
    command = [sys.executable, "-m", "code_tasks.cli", "serve", *map(str, options)]
    server = psutil.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        for line in server.stderr:
            if found := ADDRESS.search(line):
                break
            sys.stderr.write(line)
        else:
            raise SystemExit(f"the server does not start: status {server.wait()}")
        # Its pipe must not fill up.
        threading.Thread(target=sys.stderr.writelines, args=(server.stderr,), daemon=True).start()
        yield server, int(found[1])
    finally:
        if server.poll() is None:
            server.kill()
            server.wait()


def sample_resources(server: psutil.Process, folder: str) -> dict[str, int]:
    """Return the resources that must not grow, by name."""
    while True:
        # A process may end between two looks at it.
        with contextlib.suppress(psutil.NoSuchProcess):
            return look_at_resources(server, folder)


def look_at_resources(server: psutil.Process, folder: str) -> dict[str, int]:
    """Return the same, unless a process of the server ends meanwhile.

    Raises:
        psutil.NoSuchProcess: if one does.
    """
    family = [server, *server.children(recursive=True)]
    alive = [process for process in family if process.status() != psutil.STATUS_ZOMBIE]
    with open("/proc/self/mounts", encoding="utf-8") as mounts:
        mounted = mounts.read().count(folder)
    return {
        "processes": len(alive),
        "zombies": len(family) - len(alive),
        "descriptors": sum(process.num_fds() for process in alive),
        "MB": round(sum(process.memory_info().rss for process in alive) / (1 << 20)),
        "mounts": mounted,
        "temporary files": len(os.listdir(folder)),
    }


def wait_until_quiet(port: int) -> bool:
    """Return whether soon no program runs or waits, also none whose client has gone."""
    deadline = time.monotonic() + QUIET_SECONDS
    while time.monotonic() < deadline:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)
        with contextlib.closing(connection):
            connection.request("GET", "/metrics")
            text = connection.getresponse().read().decode()
        if {float(value) for value in re.findall(r"^code_eval_(?:running|waiting) (\S+)$", text, re.M)} == {0.0}:
            return True
        time.sleep(0.1)
    return False


def grown_resources(before: dict[str, int], after: dict[str, int]) -> list[str]:
    """Return lines on resources that grew."""
    room = {"MB": ROOM_FOR_MB + before["MB"] // 10}
    return [
        f"{name} grew from {before[name]} to {after[name]}"
        for name in before
        if after[name] > before[name] + room.get(name, 0)
    ]


def end(server: psutil.Process) -> list[str]:
    """End a server with SIGTERM, and return lines on what is left of it."""
    family = server.children(recursive=True)
    server.send_signal(signal.SIGTERM)
    try:
        status = server.wait(END_SECONDS)
    except psutil.TimeoutExpired:
        return [f"the server did not end within {END_SECONDS:g} s"]
    _, left = psutil.wait_procs(family, timeout=END_SECONDS)
    return [
        *([f"the server ended with status {status}"] if status else []),
        *(f"{process} is left" for process in left),
    ]


def cpu_seconds(process: psutil.Process) -> float:
    """Return the CPU time of a process and of all that it started, but for those that end meanwhile."""
    seconds = 0.0
    for each in (process, *process.children(recursive=True)):
        with contextlib.suppress(psutil.NoSuchProcess):
            seconds += sum(each.cpu_times()[:4])
    return seconds
