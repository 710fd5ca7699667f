"""The chat solver's requests and its use of answers, with a real HTTP server that has OpenAI's protocol."""

import asyncio
import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from code_tasks.benchmarks.problems import parse_problem
from code_tasks.solvers.interface import FinalResult, Step, Task
from code_tasks.solvers.known_answers import tasks_from_problems
from code_tasks.solvers.models.chat import ChatSolver
from code_tasks.solvers.options import SolveOptions
from code_tasks.solvers.run import solve
from sandboxes.extraction import final_answer
from support.chat_server import Reply, chat_server
from support.chat_solver import ADD, ANSWER, WHOLE, WRONG, Recorded, ask, in_sandbox
from support.metric_and_command import PROBLEM, code_eval, lines_of

pytestmark = pytest.mark.slow


def test_one_answer_is_one_attempt():
    """An attempt yields a step with the conversation, and a result with the code of the answer."""
    [step, result], candidates, requests = ask(Reply(ANSWER))
    assert isinstance(step, Step) and isinstance(result, FinalResult)
    assert candidates == [result.candidate] == [WHOLE]
    assert result.correct and step.conversation == result.conversation
    assert result.conversation[-1] == {"role": "assistant", "content": ANSWER}
    assert dict(step.metadata) == {"finish_reason": "stop", "prompt_tokens": 7, "completion_tokens": 11}
    assert not (result.max_steps_reached or result.max_tokens_reached or result.max_time_reached)
    assert len(requests) == 1


def test_request():
    """A request has the chosen parameters, and no others."""
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


def test_key_stays_out_of_the_run_log():
    """The key is neither in the settings nor in the repr of an object."""
    solver = ChatSolver(Recorded(), model="m", base_url="http://127.0.0.1:9/v1", api_key="secret-key")
    assert "secret-key" not in f"{solver.settings} {solver.client.endpoint} {solver.shortname()}"
    assert (solver.settings["model"], solver.shortname()) == ("m", "chat m")


@pytest.mark.parametrize(
    "error", [{"code": "context_length_exceeded"}, {"message": "This model's maximum context length is 10 tokens"}]
)
def test_prompt_too_long(error):
    """An attempt whose prompt is too long for the model ends at the token limit."""
    [_, result], candidates, _ = ask(Reply(status=400, error=error))
    assert (result.max_tokens_reached, result.correct, candidates) == (True, False, [""])


def test_length():
    """An answer that ended at the token limit is graded as it is, and its result has the flag."""
    [_, result], candidates, _ = ask(Reply(ANSWER.split("```\n")[0], finish_reason="length"))
    assert result.max_tokens_reached and result.correct and candidates == [WHOLE]


def test_max_time():
    """An attempt that exceeds max_time has failed. It is no infrastructure error."""
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
    """An answer without content, a refusal and reasoning alone are incorrect, and no error."""
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
    """Code is found in parts, after reasoning, before examples, without fences, and beside lone surrogates."""
    [_, result], _, _ = ask(reply)
    assert result.correct


def test_reasoning_is_recorded():
    """Reasoning that a server reports is in the metadata, and not in the conversation."""
    [step, result], _, _ = ask(Reply(ANSWER, message={"reasoning_content": "Hm."}))
    assert (step.metadata["reasoning"], "Hm." in str(result.conversation)) == ("Hm.", False)


@given(st.text())
def test_reasoning(text):
    """Reasoning is left out, whatever its text."""
    assert final_answer(f"<think>{text}</think>done") == "done"


def test_command(tmp_path):
    """`code-eval solve` asks a server and logs every answer, without the key."""
    problems, record = tmp_path / "problems.jsonl", tmp_path / "run.jsonl"
    problems.write_text(json.dumps(PROBLEM))
    with chat_server(
        lambda request, number: (Reply(status=500), Reply(ANSWER), Reply(WRONG))[min(number, 2)]
    ) as server:
        arguments = ["solve", "--problems", problems, "--solver", "chat", "--model", "m", "--base-url", server.url]
        options = ["--tries", 4, "--answers-per-request", 2, "--temperature", 0.5, "--max-tokens", 64]
        done = code_eval(*arguments, *options, "--output", record, OPENAI_API_KEY="secret-key")
        asked = [request for _, _, request in server.requests]
    assert done.returncode == 0, done.stdout + done.stderr
    matches = [line["correct"] for line in lines_of(record) if line["record_type"] == "match"]
    assert sorted(matches) == [False, False, True, True]
    assert all((each["temperature"], each["max_tokens"]) == (0.5, 64) for each in asked) and asked[0]["n"] == 2
    assert "secret-key" not in record.read_text() + done.stdout + done.stderr


def test_command_that_is_refused(tmp_path):
    """A refusal of the server ends the command with a message that says what to do, without a traceback."""
    problems = tmp_path / "problems.jsonl"
    problems.write_text(json.dumps(PROBLEM))
    with chat_server(lambda request, number: Reply(status=404, error={"message": "no model m"})) as server:
        done = code_eval("solve", "--problems", problems, "--solver", "agent", "--model", "m", "--base-url", server.url)
    assert done.returncode == 2, done.stdout + done.stderr
    assert "no model m" in done.stderr and "Traceback" not in done.stderr


def test_body_or_whole_function_in_the_sandbox():
    """A whole function can use the prompt's imports, and a body continues the prompt."""
    prompt = "from math import sqrt\n\ndef add(a, b):\n"
    problem = parse_problem({**PROBLEM, "prompt": prompt})
    codes = ["    return int(sqrt((a + b) ** 2))", "def add(a, b):\n    return int(sqrt((a + b) ** 2))\n"]
    replies = itertools.cycle(Reply(f"```python\n{code}\n```") for code in codes)
    with chat_server(lambda request, number: next(replies)) as server:

        async def run():
            async with in_sandbox() as grader:
                solver = ChatSolver(grader, model="m", base_url=server.url)
                return await solve(
                    solver, tasks_from_problems({"t/0": problem}), SolveOptions(n_tries=2, concurrency=1)
                )

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
        ({"stop": [""]}, "stop must be one or more non-empty strings, not ''"),
        ({"stop": [3]}, "stop must be one or more non-empty strings, not 3"),
        ({"timeout": 0}, "timeout must be"),
        ({"max_time": -1}, "max_time must be"),
        ({"template": "Solve it."}, "template must be a string that contains {prompt}"),
        ({"system": 3}, "system must be a string, not 3"),
        ({"extract": "first"}, "extract must be one of auto, last, all, defining"),
    ],
)
def test_bad_options(options, message):
    """An invalid option is an error that names it, before any request."""
    with pytest.raises((ValueError, TypeError), match=message):
        ChatSolver(Recorded(), **{"model": "m", "base_url": "http://127.0.0.1:9/v1", **options})


def test_stop_is_a_text():
    """One stop text need not be in a list."""
    solver = ChatSolver(Recorded(), model="m", base_url="http://127.0.0.1:9/v1", stop="\nclass")
    assert solver.settings["stop"] == ["\nclass"]
