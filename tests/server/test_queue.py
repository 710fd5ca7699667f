"""The queue of a server: bounded, fair between clients, and without programs that nobody waits for."""

import asyncio
import contextlib
import json
import socket
import time

import httpx
import pytest

from code_tasks.server.errors import QueueFull, ShuttingDown
from code_tasks.server.metrics import Metrics
from code_tasks.server.service import Service
from code_tasks.server.settings import ServerSettings
from sandboxes import Task
from sandboxes.workers.messages import GuestBroken
from support.observers import wait_until
from support.server_client import serving

pytestmark = pytest.mark.slow

SECONDS = 60.0
HANGS = "import time\ntime.sleep(1000)  # {}"
TOKENS = {"alice": "a" * 16, "bob": "b" * 16}


def request_of(candidate, tests="assert True"):
    """Return a request with one candidate, which may run for a minute."""
    return {"tasks": [{"tests": tests, "candidates": [candidate]}], "options": {"timeout": 60}}


def as_client(name):
    """Return the headers of a client."""
    return {"authorization": f"Bearer {TOKENS[name]}"}


def figure(client, name, headers=None):
    """Return a figure of /metrics."""
    lines = client.get("/metrics", headers=headers or {}).text.splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.split("{")[0].split(" ")[0] == name)


def pending(client, headers):
    """Return the number of programs that wait or run."""
    return figure(client, "code_eval_running", headers) + figure(client, "code_eval_waiting", headers)


class HangingClients:
    """Clients whose programs hang, until the block is left."""

    def __init__(self, url):
        """Start without clients."""
        self.url, self.connections = url, []

    def __enter__(self):
        """Return the clients."""
        return self

    def __exit__(self, *error):
        """Leave, as clients do that are killed."""
        for connection in self.connections:
            connection.close()

    def add(self, number, name):
        """Send a request whose program hangs."""
        body = json.dumps(request_of(HANGS.format(number))).encode()
        lines = ["POST /evaluate HTTP/1.1", "Host: localhost", f"Authorization: Bearer {TOKENS[name]}"]
        head = "\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]).encode()
        connection = socket.create_connection((self.url.host, self.url.port))
        self.connections.append(connection)
        connection.sendall(head + body)


def test_a_full_queue():
    """A client whose programs fill its places is told when to come back, and another one still finds a place."""
    with (
        serving(max_queue=4, options={"num_workers": 1}, tokens=TOKENS) as client,
        HangingClients(client.base_url) as programs,
    ):
        for number in range(2):
            programs.add(number, "alice")
        alice = as_client("alice")
        assert wait_until(lambda: pending(client, alice) == 2, SECONDS)
        answer = client.post("/evaluate", json=request_of("x = 1"), headers=alice)
        assert answer.status_code == 429
        assert int(answer.headers["retry-after"]) >= 1
        assert figure(client, "code_eval_rejected_total", alice) == 1
        programs.add(3, "bob")
        assert wait_until(lambda: pending(client, alice) == 3, SECONDS)


def test_a_request_that_never_finds_a_place():
    """A request with more candidates than a client may have in the queue is not told to try again."""
    with serving(max_queue=5) as client:
        few, many = ({"tasks": [{"tests": "assert x", "candidates": ["x = 1"] * number}]} for number in (3, 4))
        assert client.post("/evaluate", json=few).status_code == 200
        answer = client.post("/evaluate", json=many)
        assert (answer.status_code, "at most 3" in answer.json()["detail"][0]["msg"]) == (400, True)
        assert client.get("/sandboxes").json()["limits"]["max_candidates"] == 3


def test_places_are_shared():
    """A client may have as many places as are left besides, and they are free again after its programs."""
    service = Service(ServerSettings(max_queue=8), Metrics())
    service.is_ready = True
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            stack.enter_context(service.admitted("alice"))
        with pytest.raises(QueueFull):
            stack.enter_context(service.admitted("alice"))
        stack.enter_context(service.admitted("bob", 2))
        with pytest.raises(QueueFull):
            stack.enter_context(service.admitted("bob"))
        stack.enter_context(service.admitted("carol"))
    with service.admitted("alice", 4):
        pass
    service.stop_accepting()
    with pytest.raises(ShuttingDown), service.admitted("alice"):
        pass


def test_clients_take_turns():
    """A client with one program does not wait until another client's many programs have run."""

    async def run():
        ended = []
        settings = ServerSettings(options={"num_workers": 1}, allowed_languages=("python",), max_queue=1000)
        async with Service(settings, Metrics()) as service:

            async def evaluate(client, number):
                task = Task("assert True", [f"import time\ntime.sleep(0.02)\nx = {number}"], language="python")
                result = await service.evaluate(task, {}, client)
                assert result.passed
                ended.append(client)

            many = [asyncio.create_task(evaluate("alice", number)) for number in range(100)]
            await asyncio.sleep(0.2)
            await evaluate("bob", 1)
            before = len(ended)
            await asyncio.gather(*many)
        return before

    # The worker has a batch of at most eight programs, and another one may begin with bob's.
    assert asyncio.run(run()) < 50


def test_a_client_that_goes_away_ends_its_program():
    """The program of a client that closes its connection is ended, and its worker runs the next one."""
    with serving(options={"num_workers": 1}) as client:
        client.post("/evaluate", json=request_of("x = 1"))
        with httpx.Client(base_url=client.base_url, trust_env=False) as gone, pytest.raises(httpx.ReadTimeout):
            gone.post("/evaluate", json=request_of(HANGS.format(1)), timeout=2)
        began = time.monotonic()
        answer = client.post("/evaluate", json=request_of("x = 2"))
        assert answer.json()["results"][0]["passed"]
        # The program would have hung for a minute.
        assert time.monotonic() - began < 30
        assert figure(client, "code_eval_cancelled_total") == 1
        assert figure(client, "code_eval_worker_restarts_total") == 0
        assert wait_until(lambda: figure(client, "code_eval_running") == 0, SECONDS)


def test_a_stream_that_is_left_ends_its_programs():
    """The programs of a stream end when its reader leaves, after the results that it has got."""
    with serving(options={"num_workers": 1}) as client:
        candidates = ["x = 1", *(HANGS.format(number) for number in range(5))]
        body = {"tasks": [{"tests": "assert True", "candidates": candidates}], "options": {"timeout": 60}}
        with client.stream("POST", "/evaluate", json=body, headers={"accept": "text/event-stream"}) as answer:
            first = next(answer.iter_lines())
        assert first == "event: result"
        assert wait_until(lambda: figure(client, "code_eval_cancelled_total") == 5, SECONDS)
        assert client.post("/evaluate", json=request_of("x = 2")).json()["summary"]["passed"] == 1


def test_a_slow_program_holds_nobody_up():
    """Programs that were batched behind one that hangs run on the other worker."""

    async def run():
        settings = ServerSettings(options={"num_workers": 2, "timeout": 30}, allowed_languages=("python",))
        async with Service(settings, Metrics()) as service:

            async def evaluate(code):
                return await service.evaluate(Task("assert True", [code], language="python"), {}, "alice")

            # While these two run, the others are batched.
            busy = [asyncio.create_task(evaluate("import time\ntime.sleep(1)")) for _ in range(2)]
            await asyncio.sleep(0.3)
            hangs = asyncio.create_task(evaluate(HANGS.format(0)))
            began = time.monotonic()
            others = await asyncio.gather(*[evaluate(f"x = {number}") for number in range(15)])
            seconds = time.monotonic() - began
            hangs.cancel()
            await asyncio.gather(*busy)
        return others, seconds

    others, seconds = asyncio.run(run())
    assert all(result.passed for result in others)
    assert seconds < 30


def test_others_of_a_batch_are_not_lost():
    """Programs that wait behind one that is cancelled on the same worker get their verdicts."""

    async def run():
        settings = ServerSettings(options={"num_workers": 1, "timeout": 60}, allowed_languages=("python",))
        async with Service(settings, Metrics()) as service:

            def start(code):
                task = Task("assert True", [code], language="python")
                return asyncio.create_task(service.evaluate(task, {}, "alice"))

            # While this one runs, the others become one batch.
            first = start("import time\ntime.sleep(1)")
            await asyncio.sleep(0.3)
            runs = [start(HANGS.format(number) if number % 2 else f"x = {number}") for number in range(8)]
            await first
            await asyncio.sleep(1)
            for number, each in enumerate(runs):
                if number % 2:
                    each.cancel()
            return await asyncio.gather(*runs[::2])

    assert all(result.passed for result in asyncio.run(run()))


def test_a_broken_sandbox_is_no_verdict(monkeypatch):
    """A candidate that the sandbox could not run is 503, without a path of the server."""

    def receive(worker):
        raise GuestBroken("the guest could not read /opt/secret/file")

    with serving(options={"num_workers": 1}) as client:
        monkeypatch.setattr("sandboxes.workers.worker.Worker.receive", receive)
        answer = client.post("/evaluate", json=request_of("x = 1"))
        assert answer.status_code == 503
        assert "/opt/secret" not in answer.text
        monkeypatch.undo()
        assert client.post("/evaluate", json=request_of("x = 1")).status_code == 200
