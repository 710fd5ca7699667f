"""Failures of the docker sandbox on a real engine: what they leave behind, and their messages."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from sandboxes import Limits, Outcome, Pool, Program, SandboxUnavailable, open_sandbox
from sandboxes.backends.docker.engine import DockerCli
from support.docker_engines import IMAGE, containers, engine_of_own, wait_until
from support.requirements import WALL_SECONDS

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("engine")]

RIGHT = Program("def add(a, b):\n    return a + b\n", "assert add(2, 3) == 5\n", Limits(wall_seconds=WALL_SECONDS))


def test_no_container_is_left_after_close(open_pool):
    """`close` ends the containers and removes them."""
    before = set(containers())
    pool = open_pool()
    assert pool.run_all([RIGHT] * 4, 2)[0].passed
    pool.close()
    wait_until(lambda: set(containers()) <= before)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_no_container_is_left_when_the_caller_is_killed(number):
    """A caller that is ended by a signal, even one that it can't handle, leaves no container."""
    before = set(containers())
    script = (
        "from sandboxes import Limits, Pool, Program, open_sandbox\n"
        f"pool = Pool(open_sandbox('docker', image={IMAGE!r}, pull='never'))\n"
        "pool.preflight()\nprint('ready', flush=True)\n"
        "pool.run_all([Program('while True: pass', '', Limits(wall_seconds=600))] * 2, 2)\n"
    )
    caller = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert caller.stdout.readline() == b"ready\n"
    wait_until(lambda: set(containers()) - before)
    caller.send_signal(number)
    caller.wait(WALL_SECONDS)
    caller.stdout.close()
    wait_until(lambda: set(containers()) <= before)


def test_a_container_killed_from_outside_is_no_wrong_answer(open_pool):
    """A program whose container is killed runs again in another one."""
    before = set(containers())
    pool = open_pool()
    pool.preflight()
    [name] = set(containers()) - before
    killer = threading.Timer(1.0, DockerCli().query, ("kill", name))
    killer.start()
    slow = Program("import time\ntime.sleep(3)", "", RIGHT.limits)
    verdict = pool.run_all([slow], 1)[0]
    killer.join()
    assert (verdict.passed, verdict.attempts) == (True, 2)


def test_an_image_that_may_not_be_pulled_is_named(open_pool):
    """The error of a missing image says what to pull."""
    with pytest.raises(SandboxUnavailable, match="docker pull no.such/image:1"):
        open_pool(image="no.such/image:1").preflight()


def test_an_image_that_cant_be_pulled_is_named(open_pool):
    """The error of an image that can't be pulled names the image, and has the engine's message."""
    with pytest.raises(SandboxUnavailable, match="can't pull image 'no.such/image:1'"):
        open_pool(image="no.such/image:1", pull="missing").preflight()


def test_an_image_without_python_is_told(open_pool):
    """The error of an image without Python says what an image must have."""
    empty = subprocess.run(["tar", "-c", "-T", os.devnull], capture_output=True, check=True).stdout
    subprocess.run(["docker", "import", "-", "code-eval-test:empty"], input=empty, capture_output=True, check=True)
    with pytest.raises(SandboxUnavailable, match="Python 3.8 or newer"):
        open_pool(image="code-eval-test:empty").preflight()


def test_an_engine_that_does_not_answer_is_told(open_pool):
    """The error of an engine that does not answer says how to start it, or how to give its address."""
    with pytest.raises(SandboxUnavailable, match="docker_host"):
        open_pool(docker_host="tcp://127.0.0.1:9").preflight()


def test_an_unknown_runtime_is_told(open_pool):
    """The error of an unknown runtime says how to list the runtimes."""
    with pytest.raises(SandboxUnavailable, match="docker info"):
        open_pool(runtime="no-such-runtime").preflight()


def test_an_engine_that_dies_in_the_middle_scores_nothing_wrong(folder):
    """When the engine dies in a run of 500 programs, the verdicts so far are right and the run is an error."""
    # The path is short, because the paths of the engine's sockets have at most 107 characters.
    with engine_of_own(folder) as (process, address):
        pool = Pool(open_sandbox("docker", image=IMAGE, pull="never", docker_host=address))
        codes = [RIGHT.candidate if number % 2 else "def add(a, b):\n    return 0\n" for number in range(500)]
        programs = [Program(code + f"# {number}\n", RIGHT.tests, RIGHT.limits) for number, code in enumerate(codes)]
        ended = []

        def on_result(index, verdict):
            ended.append(verdict)
            if len(ended) == 100:
                for name in containers(address):
                    DockerCli(address).query("kill", name)
            if len(ended) == 250:
                process.kill()

        with pytest.raises(SandboxUnavailable):
            pool.run_all(programs, 2, on_result)
        assert len(ended) >= 250
        assert {verdict.outcome for verdict in ended} == {Outcome.PASSED, Outcome.FAILED}
        pool.close()


def test_containers_that_are_killed_in_the_middle_score_nothing_wrong(open_pool):
    """All 500 verdicts are right and in order, although containers are killed meanwhile."""
    before = set(containers())
    pool = open_pool()
    pool.preflight()
    codes = [RIGHT.candidate if number % 2 else "def add(a, b):\n    return 0\n" for number in range(500)]
    programs = [Program(code, RIGHT.tests, RIGHT.limits) for code in codes]
    count = iter(range(1, 501))

    def on_result(index, verdict):
        if next(count) in (100, 300):
            for name in set(containers()) - before:
                DockerCli().query("kill", name)

    verdicts = pool.run_all(programs, 2, on_result)
    assert [verdict.passed for verdict in verdicts] == [number % 2 == 1 for number in range(500)]
