"""The chat solver, against a real HTTP server that answers as OpenAI's does."""

import asyncio
import contextlib
import itertools
import json
import subprocess
import sys
import threading

import pytest
from chat_server import Reply, chat_server
from hypothesis import given
from hypothesis import strategies as st
from scoring import PROBLEM, ROOT, SECONDS, code_eval, lines_of

from code_tasks.chat import ChatSolver, without_thoughts
from code_tasks.completions import program_of_answer
from code_tasks.endpoint import EndpointError, retry_after
from code_tasks.problems import problem_of
from code_tasks.sandbox_grader import SandboxGrader
from code_tasks.solver import FinalResult, Grade, RetryableSystemError, Step, Task
from code_tasks.solvers import tasks_of
from code_tasks.solving import Backoff, Plan, solve
from sandboxes import Limits, open_sandbox, warm_pool

ADD = problem_of(PROBLEM)
[QUESTION] = tasks_of({"t/0": ADD})
WHOLE = "def add(a, b):\n    return a + b\n"
ANSWER = f"Here it is:\n\n```python\n{WHOLE}```\nIt adds."
WRONG = ANSWER.replace("+", "*")
AT_ONCE = Backoff(first_seconds=0.01)


class Recorded:
    """A grader that remembers what it was given; right is what adds."""

    def __init__(self):
        self.candidates = []

    async def grade(self, task, candidate):
        """1 for a sum."""
        self.candidates.append(candidate)
        return Grade(float("a + b" in candidate), "looked at")


def in_sandbox(**options):
    """A grader on the sandbox that all tests share."""
    limits = Limits(wall_seconds=20.0)
    return SandboxGrader(warm_pool(open_sandbox("subprocess")), limits, assemble=program_of_answer, **options)


def events_of(solver, task=QUESTION):
    """What an entered solver says of one attempt."""

    async def run():
        async with solver:
            return [event async for event in solver.run(task)]

    return asyncio.run(run())


def ask(reply, task=QUESTION, **options):
    """(events, candidates, requests) of one attempt at a server that has one reply for everything."""
    grader = Recorded()
    with chat_server(reply if callable(reply) else lambda request, number: reply) as server:
        solver = ChatSolver(grader, **{"model": "m", "base_url": server.url, **options})
        try:
            return events_of(solver, task), grader.candidates, server.requests
        finally:
            asked = [request for _, _, request in server.requests]
            assert all(request["model"] == "m" for request in asked)


def test_one_answer_is_one_attempt():
    """An attempt is a step with the conversation, and a result with the code that was in the answer."""
    [step, result], candidates, requests = ask(Reply(ANSWER))
    assert isinstance(step, Step) and isinstance(result, FinalResult)
    assert candidates == [result.candidate] == [WHOLE]
    assert result.correct and step.conversation == result.conversation
    assert result.conversation[-1] == {"role": "assistant", "content": ANSWER}
    assert dict(step.metadata) == {"finish_reason": "stop", "prompt_tokens": 7, "completion_tokens": 11}
    assert not (result.max_steps_reached or result.max_tokens_reached or result.max_time_reached)
    assert len(requests) == 1


def test_request():
    """A request has what was chosen, and nothing that was not."""
    task = Task("t/0", ({"role": "user", "content": "def add(a, b): {} {entry_point}"},), ADD)
    _, _, [(_, _, plain)] = ask(Reply(ANSWER), task, template="{prompt}")
    assert plain == {"model": "m", "messages": [{"role": "user", "content": "def add(a, b): {} {entry_point}"}]}
    options = {"temperature": 0.5, "top_p": 0.9, "max_tokens": 64, "stop": ["\nclass"], "extra_body": {"seed": 3}}
    _, _, [(_, headers, request)] = ask(
        Reply(ANSWER), task, system="Be short.", template="{entry_point}: {prompt}!", api_key="secret-key", **options
    )
    assert request.pop("messages") == [
        {"role": "system", "content": "Be short."},
        {"role": "user", "content": "add: def add(a, b): {} {entry_point}!"},
    ]
    assert request == {
        "model": "m", "temperature": 0.5, "top_p": 0.9, "max_tokens": 64, "stop": ["\nclass"], "seed": 3,
    }  # fmt: skip
    assert headers["authorization"] == "Bearer secret-key"


def test_key_stays_out_of_the_record():
    """The key is neither in the settings nor in what an object looks like."""
    solver = ChatSolver(Recorded(), model="m", base_url="http://127.0.0.1:9/v1", api_key="secret-key")
    assert "secret-key" not in f"{solver.settings} {solver.client.endpoint} {solver.shortname()}"
    assert (solver.settings["model"], solver.shortname()) == ("m", "chat m")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(status=429), "429"),
        (Reply(status=500), "500"),
        (Reply(status=503, body=b"<html>overloaded</html>", headers={"Content-Type": "text/html"}), "503"),
        (Reply(ANSWER, cut=40), "Connection error"),
        (Reply(ANSWER, cut=0), "Connection error"),
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
    """Too many requests, a server's errors, slow and cut-off answers are to be tried again, and nothing was graded."""
    with pytest.raises(RetryableSystemError, match=f"(?s)^m: .*({reason})"):
        ask(reply, timeout=0.5 if reply.delay else 60)


def test_no_server():
    """A server that is not there may come."""
    with chat_server(lambda request, number: Reply()) as server:
        url = server.url
    with pytest.raises(RetryableSystemError, match="Connection error.*ConnectError"):
        events_of(ChatSolver(Recorded(), model="m", base_url=url))


@pytest.mark.parametrize(
    ("status", "hint"),
    [(401, "OPENAI_API_KEY"), (403, "may not use"), (404, "base_url.*model"), (400, "settings"), (422, "settings")],
)
def test_refusal(status, hint):
    """What would be refused again is an error that says what was said, and what to do."""
    with pytest.raises(EndpointError, match=f"(?s)answered {status}: .*the reason.*{hint}"):
        ask(Reply(status=status, error={"message": "the reason"}))


def test_no_credit():
    """Waiting does not help where there is no credit."""
    with pytest.raises(EndpointError, match="429: .*credit"):
        ask(Reply(status=429, error={"code": "insufficient_quota"}))


@pytest.mark.parametrize(
    "error", [{"code": "context_length_exceeded"}, {"message": "This model's maximum context length is 10 tokens"}]
)
def test_prompt_too_long(error):
    """A prompt that is longer than the model can read is an attempt that ended by tokens."""
    [_, result], candidates, _ = ask(Reply(status=400, error=error))
    assert (result.max_tokens_reached, result.correct, candidates) == (True, False, [""])


def test_length():
    """An answer that ended at the token limit says so, and is graded as far as it goes."""
    [_, result], candidates, _ = ask(Reply(ANSWER.split("```\n")[0], finish_reason="length"))
    assert result.max_tokens_reached and result.correct and candidates == [WHOLE]


def test_max_time():
    """A model that thinks for too long has failed, which is not the infrastructure's fault."""
    [result], candidates, _ = ask(Reply(ANSWER, delay=60), max_time=0.3)
    assert result.max_time_reached and not result.correct and not candidates
    assert result.grade.grader_log == "the model gave no answer within 0.3 s"


@pytest.mark.parametrize(
    "reply",
    [
        Reply(None),
        Reply(""),
        Reply(None, message={"refusal": "I can't help with that."}),
        Reply(None, message={"reasoning_content": f"Let me see: {ANSWER}"}),
        Reply(None, message={"tool_calls": [{"id": "1", "type": "function", "function": {"name": "f"}}]}),
        Reply(None, finish_reason="content_filter"),
        Reply([]),
        Reply({"odd": 1}),
        Reply(f"<think>Perhaps {ANSWER}", finish_reason="length"),
    ],
)
def test_no_code(reply):
    """An answer without content, a refusal and mere thoughts are wrong, and no error."""
    [_, result], candidates, _ = ask(reply)
    assert not result.correct and candidates == [""]


@pytest.mark.parametrize(
    "reply",
    [
        Reply([{"type": "text", "text": ANSWER}]),
        Reply(ANSWER, message={"reasoning_content": "Hm. ```python\nx = 1\n```"}),
        Reply(f"<think>Perhaps {WRONG}</think>\n{ANSWER}"),
        Reply(f"{ANSWER}\nUse it:\n```python\nprint(add(1, 2))\n```"),
        Reply(WHOLE),
        Reply(ANSWER.replace("It adds", "\ud800")),
        Reply(ANSWER, finish_reason=None),
    ],
)
def test_code(reply):
    """The code is found in parts, after thoughts, before examples, without fences, and beside what can't be encoded."""
    [_, result], _, _ = ask(reply)
    assert result.correct


def test_reasoning_is_recorded():
    """What a server says of the model's thoughts is in the metadata, and not in the conversation."""
    [step, result], _, _ = ask(Reply(ANSWER, message={"reasoning_content": "Hm."}))
    assert (step.metadata["reasoning"], "Hm." in str(result.conversation)) == ("Hm.", False)


@given(st.text())
def test_thoughts(text):
    """Thoughts are left out, whatever is in them."""
    assert without_thoughts(f"<think>{text}</think>done") == "done"


def test_retry_after():
    """After a 429 the server is left alone for as long as it asked, by all attempts; then everything is solved."""

    def reply(request, number):
        return Reply(status=429, headers={"Retry-After": "1.5"}) if number == 0 else Reply(ANSWER)

    with chat_server(reply) as server:

        async def run():
            async with ChatSolver(Recorded(), model="m", base_url=server.url) as solver:
                return await solve(solver, [QUESTION], Plan(n_tries=5, concurrency=1, backoff=AT_ONCE))

        summary = asyncio.run(run())
        late = [when - server.requests[0][0] for when, _, _ in server.requests[1:]]
    assert summary.accuracy == 1.0 and len(late) == 5
    # Its own clock started a moment before ours.
    assert min(late) > 1.4


def test_retry_after_forms():
    """Retry-After may be seconds or a date; what is neither, negative or too much is bounded."""
    said = ("3", "0.5", "-4", "soon", "nan", "inf", "Wed, 21 Oct 2015 07:28:00 GMT", "Wed, 21 Oct 2099 07:28:00 GMT")
    assert [retry_after({"retry-after": each}) for each in said] == [3, 0.5, 0, 0, 0, 600, 0, 600]
    assert retry_after({}) == 0


def test_hundreds_of_attempts_with_faults():
    """Hundreds of attempts, every third request of which goes wrong in some way, come out as without faults."""
    problems = {
        f"t/{n}": problem_of({**PROBLEM, "task_id": f"t/{n}", "test": PROBLEM["test"].replace("5", f"5 + {n}")})
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
                return await solve(solver, questions, Plan(n_tries=6, concurrency=48, backoff=AT_ONCE))

        summary = asyncio.run(run())
        requests = len(server.requests)
    assert (summary.attempts, summary.system_errors, summary.accuracy, summary.is_valid) == (360, 0, 0.5, True)
    # Each of the others was one attempt.
    assert requests - requests // 3 in range(360, 364)


@pytest.mark.parametrize("knows_n", [True, False])
def test_shared_requests(knows_n):
    """Attempts at one question may share requests, with an answer each, also of a server that does not know n."""
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
            return await solve(solver, questions, Plan(n_tries=6, backoff=AT_ONCE))

        summary = asyncio.run(run())
        asked = [request.get("n", 1) for _, _, request in server.requests]
    assert (summary.accuracy, summary.attempts, summary.system_errors) == (1.0, 18, 0)
    assert len(set(grader.candidates)) == len(grader.candidates) == 18
    assert max(asked) == 4 and (len(asked) < 18 if knows_n else len(asked) >= 18)


def test_command(tmp_path):
    """`code-eval solve` asks a server, records every answer, and leaves the key out."""
    problems, record = tmp_path / "problems.jsonl", tmp_path / "run.jsonl"
    problems.write_text(json.dumps(PROBLEM))
    with chat_server(
        lambda request, number: (Reply(status=500), Reply(ANSWER), Reply(WRONG))[min(number, 2)]
    ) as server:
        arguments = ["solve", "--problems", problems, "--solver", "chat", "--model", "m", "--base-url", server.url]
        options = ["--tries", 4, "--answers-per-request", 2, "--temperature", 0.5, "--max-tokens", 64]
        ended = code_eval(*arguments, *options, "--output", record, OPENAI_API_KEY="secret-key")
        asked = [request for _, _, request in server.requests]
    assert ended.returncode == 0, ended.stdout + ended.stderr
    matches = [line["correct"] for line in lines_of(record) if line["record_type"] == "match"]
    assert sorted(matches) == [False, False, True, True]
    assert all((each["temperature"], each["max_tokens"]) == (0.5, 64) for each in asked) and asked[0]["n"] == 2
    assert "secret-key" not in record.read_text() + ended.stdout + ended.stderr


def test_command_that_is_refused(tmp_path):
    """A server that refuses ends the command with what to do, without a traceback."""
    problems = tmp_path / "problems.jsonl"
    problems.write_text(json.dumps(PROBLEM))
    with chat_server(lambda request, number: Reply(status=404, error={"message": "no model m"})) as server:
        ended = code_eval(
            "solve", "--problems", problems, "--solver", "agent", "--model", "m", "--base-url", server.url
        )
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "no model m" in ended.stderr and "Traceback" not in ended.stderr


def test_shared_request_that_is_slow():
    """Attempts that run out of time while they share a request end, and so does the run."""
    with chat_server(lambda request, number: Reply(ANSWER, delay=60)) as server:

        async def run():
            solver = ChatSolver(Recorded(), model="m", base_url=server.url, answers_per_request=8, max_time=0.5)
            return await solve(solver, [QUESTION], Plan(n_tries=8))

        assert asyncio.run(run()).accuracy == 0.0
        assert len(server.requests) == 1


def test_body_or_whole_function_in_the_sandbox():
    """A prompt's imports are there for a whole function, and a body goes on where the prompt ends."""
    prompt = "from math import sqrt\n\ndef add(a, b):\n"
    problem = problem_of({**PROBLEM, "prompt": prompt})
    codes = ["    return int(sqrt((a + b) ** 2))", "def add(a, b):\n    return int(sqrt((a + b) ** 2))\n"]
    replies = itertools.cycle(Reply(f"```python\n{code}\n```") for code in codes)
    with chat_server(lambda request, number: next(replies)) as server:

        async def run():
            async with in_sandbox() as grader:
                solver = ChatSolver(grader, model="m", base_url=server.url)
                return await solve(solver, tasks_of({"t/0": problem}), Plan(n_tries=2, concurrency=1))

        assert asyncio.run(run()).accuracy == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"model": ""}, "model must be"),
        ({"base_url": "localhost:8000"}, "base_url must be a URL .*'localhost:8000'"),
        ({"api_key": "a\nb"}, "api_key"),
        ({"temperature": -1}, "temperature must be a number >= 0, not -1"),
        ({"temperature": float("nan")}, "temperature"),
        ({"answers_per_request": 0}, "answers_per_request must be at least 1, not 0"),
        ({"max_tokens": 0}, "max_tokens must be at least 1, not 0"),
        ({"stop": [""]}, "stop must be texts, not ''"),
        ({"stop": [3]}, "stop must be texts, not 3"),
        ({"timeout": 0}, "timeout must be"),
        ({"max_time": -1}, "max_time must be"),
        ({"template": "Solve it."}, "template must be a text with {prompt}"),
        ({"system": 3}, "system must be a text, not 3"),
        ({"extract": "first"}, "extract must be one of last, all, defining"),
    ],
)
def test_bad_options(options, message):
    """Options that can't be right are errors that name them, before anything is asked."""
    with pytest.raises((ValueError, TypeError), match=message):
        ChatSolver(Recorded(), **{"model": "m", "base_url": "http://127.0.0.1:9/v1", **options})


def test_neither_key_nor_server(monkeypatch):
    """Without a key and without a server of one's own it is said what to give."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match="give base_url, .* or set OPENAI_API_KEY"):
        ChatSolver(Recorded(), model="m")


def test_without_the_package():
    """Without the openai package it is said what to install; importing the module needs none."""
    script = (
        "import sys; sys.modules['openai'] = None\n"
        "from code_tasks.chat import ChatSolver\n"
        "try: ChatSolver(None, model='m', base_url='http://127.0.0.1:9')\n"
        "except ImportError as error: print(error)"
    )
    ended = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)
    assert 'pip install "code-eval-sandboxes[solvers]"' in ended.stdout, ended.stderr


def test_stop_is_a_text():
    """One stop text need not be in a list."""
    solver = ChatSolver(Recorded(), model="m", base_url="http://127.0.0.1:9/v1", stop="\nclass")
    assert solver.settings["stop"] == ["\nclass"]


def test_left_early():
    """A run that is cancelled while a model thinks ends at once, and leaves no connection."""

    async def run(url):
        async with ChatSolver(Recorded(), model="m", base_url=url) as solver:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(0.5):
                    await solve(solver, [QUESTION], Plan(n_tries=8))

    with chat_server(lambda request, number: Reply(ANSWER, delay=60)) as server:
        asyncio.run(run(server.url))
        assert len(server.requests) == 8
