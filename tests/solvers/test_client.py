"""A model's server that is slow, broken or busy, or refuses a request; a real HTTP server plays it."""

import asyncio
import contextlib
import itertools
import json
import socket
import subprocess
import sys
import threading

import pytest

from code_tasks.benchmarks.problems import parse_problem
from code_tasks.solvers.interface import RetryableSystemError, Task
from code_tasks.solvers.models.chat import ChatSolver
from code_tasks.solvers.models.client import EndpointError, retry_after
from code_tasks.solvers.options import SolveOptions
from code_tasks.solvers.run import solve
from support.chat_server import Reply, chat_server
from support.chat_solver import ADD, ANSWER, AT_ONCE, QUESTION, Recorded, ask, events_of, in_sandbox
from support.metric_and_command import PROBLEM, ROOT, SECONDS

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(status=429), "429"),
        (Reply(status=500), "500"),
        (Reply(status=503, body=b"<html>overloaded</html>", headers={"Content-Type": "text/html"}), "503"),
        (Reply(ANSWER, cut=40), "lost the connection to"),
        (Reply(ANSWER, cut=0), "lost the connection to"),
        (Reply(body=b'{"id": "c", "choices": [{"index'), "no answer|JSON|Expecting|Unterminated"),
        (Reply(body=b"<html>", headers={"Content-Type": "text/html"}), "no answer"),
        (Reply(body=b'{"choices": []}'), "no answer"),
        (Reply(body=b'{"error": {"message": "overloaded"}}'), "no answer.*overloaded"),
        (Reply(body=b"[]"), "no answer"),
        (Reply(body=b'{"choices": [{"index": 0}]}'), "no answer"),
        (Reply(ANSWER, delay=60), "no answer within 0.5 s"),
    ],
)
def test_broken_infrastructure(reply, reason):
    """Rate limits, server errors, and slow or truncated responses are retryable, and nothing was graded."""
    with pytest.raises(RetryableSystemError, match=f"(?s)^m: .*({reason})"):
        ask(reply, timeout=0.5 if reply.delay else 60)


def test_no_server():
    """A missing server is retryable, because it may start later."""
    with chat_server(lambda request, number: Reply()) as server:
        url = server.url
    with pytest.raises(RetryableSystemError, match="can't reach http.*ConnectError"):
        events_of(ChatSolver(Recorded(), model="m", base_url=url))


@contextlib.contextmanager
def full_backlog():
    """Provide the URL of a port that answers no connection, as a host behind a firewall."""
    with contextlib.ExitStack() as stack:
        listening = stack.enter_context(socket.socket())
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        for _ in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listening.getsockname())
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/v1"


def test_host_that_drops_packets(monkeypatch):
    """A host that does not answer is told of after the time for a connection, not after that for an answer."""
    monkeypatch.setattr("code_tasks.solvers.models.client.CONNECT_SECONDS", 0.5)
    with full_backlog() as url, pytest.raises(RetryableSystemError, match="can't reach http.*no connection within 0.5"):
        events_of(ChatSolver(Recorded(), model="m", base_url=url))


def test_unknown_host(monkeypatch):
    """A host without an address is retryable, because a network may come back, and the message says what it is."""

    def lookup(*args, **kwargs):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    with pytest.raises(RetryableSystemError, match="can't reach http://host.invalid/v1/: .*Name or service not known"):
        events_of(ChatSolver(Recorded(), model="m", base_url="http://host.invalid/v1"))


@pytest.mark.parametrize(
    ("status", "hint"),
    [(401, "OPENAI_API_KEY"), (403, "may not use"), (404, "base_url.*model"), (400, "settings"), (422, "settings")],
)
def test_refusal(status, hint):
    """A lasting refusal is an error with the server's reason and a hint."""
    with pytest.raises(EndpointError, match=f"(?s)answered {status}: .*the reason.*{hint}"):
        ask(Reply(status=status, error={"message": "the reason"}))


def test_no_credit():
    """A 429 for missing credit is a lasting refusal."""
    with pytest.raises(EndpointError, match="429: .*credit"):
        ask(Reply(status=429, error={"code": "insufficient_quota"}))


def test_retry_after():
    """After a 429 no attempt asks the server before Retry-After is over. Users are told. All attempts are solved."""

    def reply(request, number):
        return Reply(status=429, headers={"Retry-After": "1.5"}) if number == 0 else Reply(ANSWER)

    with chat_server(reply) as server:
        retries = []

        async def run():
            options = SolveOptions(n_tries=5, concurrency=1, backoff=AT_ONCE)
            async with ChatSolver(Recorded(), model="m", base_url=server.url) as solver:
                return await solve(solver, [QUESTION], options, on_retry=retries.append)

        summary = asyncio.run(run())
        late = [when - server.requests[0][0] for when, _, _ in server.requests[1:]]
    assert summary.accuracy == 1.0 and len(late) == 5
    assert [retry.seconds for retry in retries] == [1.5]
    # The client's clock started a moment before ours.
    assert min(late) > 1.4


def test_retry_after_forms():
    """Retry-After is seconds or a date. An invalid or negative value counts as 0, and a large one is bounded."""
    values = ("3", "0.5", "-4", "soon", "nan", "inf", "Wed, 21 Oct 2015 07:28:00 GMT", "Wed, 21 Oct 2099 07:28:00 GMT")
    assert [retry_after({"retry-after": value}) for value in values] == [3, 0.5, 0, 0, 0, 600, 0, 600]
    assert retry_after({}) == 0


def test_hundreds_of_attempts_with_faults():
    """Hundreds of attempts have the same results although every third request fails in some way."""
    problems = {
        f"t/{n}": parse_problem({**PROBLEM, "task_id": f"t/{n}", "test": PROBLEM["test"].replace("5", f"5 + {n}")})
        for n in range(60)
    }
    faults = itertools.cycle(
        [
            Reply(status=429, headers={"Retry-After": "0.05"}),
            Reply(status=500),
            Reply("late", delay=60),
            Reply(ANSWER, cut=30),
            Reply(body=b'{"choices": [{"message": {"con'),
            Reply(status=502, body=b"bad gateway", headers={"Content-Type": "text/plain"}),
        ]
    )
    lock, tries = threading.Lock(), {}

    def reply(request, number):
        with lock:
            if number % 3 == 1:
                return next(faults)
            text = request["messages"][-1]["content"]
            tries[text] = tries.get(text, 0) + 1
            right = tries[text] % 2
        number = text.split("number ")[1].split("\n")[0]
        return Reply(f"```python\ndef add(a, b):\n    return a + b + {number if right else -1}\n```")

    questions = [
        Task(name, ({"role": "user", "content": f"number {name[2:]}\n{problem.prompt}"},), problem)
        for name, problem in problems.items()
    ]
    with chat_server(reply) as server:

        async def run():
            async with in_sandbox() as grader:
                solver = ChatSolver(grader, model="m", base_url=server.url, timeout=10.0)
                return await solve(solver, questions, SolveOptions(n_tries=6, concurrency=48, backoff=AT_ONCE))

        summary = asyncio.run(run())
        requests = len(server.requests)
    assert (summary.attempts, summary.system_errors, summary.accuracy, summary.is_valid) == (360, 0, 0.5, True)
    # All other requests were one attempt each.
    assert requests - requests // 3 in range(360, 364)


@pytest.mark.parametrize("knows_n", [True, False])
def test_shared_requests(knows_n):
    """Attempts at one question share requests and get an answer each, even from a server that ignores n."""
    numbers = itertools.count()

    def reply(request, number):
        if number == 1:
            return Reply(status=500)
        head = {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "usage": {"prompt_tokens": 7}}
        choices = [
            {"index": n, "finish_reason": "stop", "message": {"role": "assistant", "content": f"a + b{next(numbers)}"}}
            for n in range(request.get("n", 1) if knows_n else 1)
        ]
        return Reply(body=json.dumps({**head, "choices": choices}).encode())

    questions = [Task(f"t/{n}", ({"role": "user", "content": f"number {n}"},), ADD) for n in range(3)]
    grader = Recorded()
    with chat_server(reply) as server:

        async def run():
            solver = ChatSolver(grader, model="m", base_url=server.url, answers_per_request=4)
            return await solve(solver, questions, SolveOptions(n_tries=6, backoff=AT_ONCE))

        summary = asyncio.run(run())
        asked = [request.get("n", 1) for _, _, request in server.requests]
    assert (summary.accuracy, summary.attempts, summary.system_errors) == (1.0, 18, 0)
    assert len(set(grader.candidates)) == len(grader.candidates) == 18
    assert max(asked) == 4 and (len(asked) < 18 if knows_n else len(asked) >= 18)


def test_shared_request_that_is_slow():
    """Attempts that exceed max_time in a shared request end, and so does the run."""
    with chat_server(lambda request, number: Reply(ANSWER, delay=60)) as server:

        async def run():
            solver = ChatSolver(Recorded(), model="m", base_url=server.url, answers_per_request=8, max_time=0.5)
            return await solve(solver, [QUESTION], SolveOptions(n_tries=8))

        assert asyncio.run(run()).accuracy == 0.0
        assert len(server.requests) == 1


def test_neither_key_nor_server(monkeypatch):
    """Without a key and a base_url, the error says what to give."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match="give base_url, .* or set OPENAI_API_KEY"):
        ChatSolver(Recorded(), model="m")


def test_without_the_package():
    """Without the openai package, the error says what to install; the module can be imported without it."""
    script = (
        "import sys; sys.modules['openai'] = None\n"
        "from code_tasks.solvers.models.chat import ChatSolver\n"
        "try: ChatSolver(None, model='m', base_url='http://127.0.0.1:9')\n"
        "except ImportError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    assert 'pip install "code-eval-sandboxes[solvers]"' in done.stdout, done.stderr


def test_left_early():
    """A run that is cancelled while a model answers ends at once, and leaves no connection."""

    async def run(url):
        async with ChatSolver(Recorded(), model="m", base_url=url) as solver:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.5):
                    await solve(solver, [QUESTION], SolveOptions(n_tries=8))

    with chat_server(lambda request, number: Reply(ANSWER, delay=60)) as server:
        asyncio.run(run(server.url))
        assert len(server.requests) == 8
