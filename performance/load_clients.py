"""The clients of server_load.py: many at once, some of which go away before they have their answer."""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from sandboxes import Outcome, Program
from soak import TESTS

GONE_SHARE = 1 / 50
MAX_GONE_SECONDS = 0.2
ANSWER_SECONDS = 300.0


@dataclass
class Tally:
    """Sums up a round as its clients saw it. Used by all their threads."""

    waited: list[float] = field(default_factory=list)
    """Seconds from each request to its answer, without those of the program itself."""

    answered: list[int] = field(default_factory=list)
    """Numbers of the programs that have a verdict."""

    wrong: list[str] = field(default_factory=list)
    gone: int = 0
    refused: int = 0


class LoadClient:
    """One client, which sends one request after the other on its own connection."""

    def __init__(self, port: int, tally: Tally):
        """Connect when there is something to send."""
        self.tally = tally
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=ANSWER_SECONDS)

    def send(self, number: int, program: Program, expected: set[Outcome], name: str) -> None:
        """Send a program, wait for its verdict, and check it. Send it again if the queue is full."""
        body = request_body(program)
        while True:
            began = time.perf_counter()
            self.connection.request("POST", "/evaluate", body, {"Content-Type": "application/json"})
            answer = self.connection.getresponse()
            text = answer.read()
            if answer.status != 429:
                break
            self.tally.refused += 1
            time.sleep(float(answer.headers["Retry-After"]))
        seconds = time.perf_counter() - began
        if answer.status != 200:
            self.tally.wrong.append(f"{name}: status {answer.status}, {text[:200]!r}")
            return
        [result] = json.loads(text)["results"]
        if result["passed"] is None or Outcome(result["outcome"]) not in expected:
            self.tally.wrong.append(f"{name}: {result['result']}")
            return
        self.tally.answered.append(number)
        self.tally.waited.append(seconds - result["wall_seconds"])

    def send_and_go(self, program: Program, seconds: float) -> None:
        """Send a program, and close the connection before its verdict can be read."""
        self.connection.request("POST", "/evaluate", request_body(program), {"Content-Type": "application/json"})
        time.sleep(seconds)
        self.connection.close()
        self.tally.gone += 1


def request_body(program: Program) -> bytes:
    """Return the request for a program."""
    limits = program.limits
    options = {
        "timeout": limits.wall_seconds,
        "memory_mb": limits.memory_bytes >> 20,
        "max_output_bytes": limits.output_bytes,
        "grading": program.grading,
    }
    return json.dumps({"tasks": [{"tests": TESTS, "candidates": [program.candidate]}], "options": options}).encode()


def send_all(
    port: int, chosen: Sequence[tuple[Program, set[Outcome], str]], clients: int, seed: int
) -> tuple[Tally, float]:
    """Send programs from many clients at once.

    Args:
        port: of the server.
        chosen: (program, expected outcomes, name) of each.
        clients: connections at once.
        seed: of the choice of clients that go away.

    Returns:
        (what they saw, seconds).
    """
    tally, drawn = Tally(), random.Random(seed)  # noqa: S311 (no secret)
    leaving = {
        number: drawn.random() * MAX_GONE_SECONDS for number in range(len(chosen)) if drawn.random() < GONE_SHARE
    }
    numbers, lock = iter(range(len(chosen))), threading.Lock()

    def serve_client(_: int) -> None:
        client = LoadClient(port, tally)
        with contextlib.closing(client.connection):
            while True:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                if number in leaving:
                    client.send_and_go(chosen[number][0], leaving[number])
                else:
                    client.send(number, *chosen[number])

    began = time.perf_counter()
    with ThreadPoolExecutor(clients) as threads:
        # To the list, so that an error of a client is raised here.
        list(threads.map(serve_client, range(clients)))
    return tally, time.perf_counter() - began
