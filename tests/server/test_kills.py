"""Processes that are killed in the middle: nothing that was answered is wrong, and nothing is left behind."""

import concurrent.futures
import json
import subprocess
import sys

import httpx
import pytest

from support.observers import all_gone, has_ended, processes_with, wait_until
from support.server_process import started

pytestmark = pytest.mark.slow

SECONDS = 120
# A second for each, so that a kill comes in the middle.
SLOW = "import time\ntime.sleep(1)\nx = {}"
SPAWNS = """
import subprocess, sys
subprocess.run([sys.executable, "-c", "import time; time.sleep(3)", {!r}], check=True)
"""
HANGS = """
import os, sys
os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", {!r}])
"""
# Sends a request, says so, and never reads the answer.
CLIENT = """
import http.client, sys, time
connection = http.client.HTTPConnection(sys.argv[1])
connection.request("POST", "/evaluate", sys.argv[2], {"content-type": "application/json"})
print("sent", flush=True)
time.sleep(600)
"""


def result_of(answer):
    """Return the result in an answer with one candidate."""
    [result] = answer.json()["results"]
    return result


def test_a_worker_that_is_killed():
    """A program whose worker is killed runs again on another one, and its answer is right."""
    marker = "killed-with-its-worker"
    with started("--num-workers", "1") as server, concurrent.futures.ThreadPoolExecutor() as pool:
        answer = pool.submit(server.evaluate, SPAWNS.format(marker))
        assert wait_until(lambda: processes_with(marker), SECONDS)
        for worker in server.workers():
            worker.kill()
        result = result_of(answer.result(SECONDS))
        assert (result["passed"], result["attempts"]) == (True, 2)
        assert result_of(server.evaluate("x = 1"))["passed"]


def test_a_server_process_that_is_killed():
    """All answers of several server processes are right if one is killed, and another one takes its place."""
    with (
        started("--processes", "2", "--num-workers", "2") as server,
        concurrent.futures.ThreadPoolExecutor(16) as pool,
    ):
        assert wait_until(lambda: server.log.read_text().count("serving on") == 2, SECONDS)
        answers = [pool.submit(server.evaluate, SLOW.format(number)) for number in range(32)]
        # Some have ended, and some run.
        concurrent.futures.wait(answers, return_when=concurrent.futures.FIRST_COMPLETED)
        victim, _ = server.server_processes()
        orphans = [process for process in server.workers() if process.ppid() == victim.pid]
        victim.kill()
        concurrent.futures.wait(answers, SECONDS)
        errors = [answer.exception() for answer in answers if answer.exception()]
        assert all(isinstance(error, httpx.TransportError) for error in errors), errors
        results = [result_of(answer.result()) for answer in answers if not answer.exception()]
        assert results
        assert all(result["passed"] for result in results)
        assert wait_until(lambda: all(has_ended(orphan) for orphan in orphans), SECONDS)
        assert wait_until(lambda: server.log.read_text().count("serving on") == 3, SECONDS)
        assert result_of(server.evaluate("x = 1"))["passed"]


def test_a_client_that_is_killed():
    """The program of a client that is killed is ended, and its worker serves the next one."""
    marker = "hangs-for-a-killed-client"
    request = {"tasks": [{"tests": "assert True", "candidates": [HANGS.format(marker)]}], "options": {"timeout": 60}}
    with started("--num-workers", "1") as server:
        workers = {worker.pid for worker in server.workers()}
        command = [sys.executable, "-c", CLIENT, server.url.removeprefix("http://"), json.dumps(request)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
            assert client.stdout.readline() == "sent\n"
            # The client has the marker in its command line too.
            assert wait_until(lambda: len(processes_with(marker)) > 1, SECONDS)
            client.kill()
        assert all_gone(marker, SECONDS)
        assert result_of(server.evaluate("x = 1"))["passed"]
        assert {worker.pid for worker in server.workers()} == workers
