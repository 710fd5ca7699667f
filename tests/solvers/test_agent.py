"""The agent solver against a real HTTP server with OpenAI's protocol. A real sandbox grades the answers."""

import asyncio

import pytest

from code_tasks.benchmarks.problems import parse_problem
from code_tasks.solvers.grader import SandboxGrader, program_of_answer
from code_tasks.solvers.interface import FinalResult, Grade, Step
from code_tasks.solvers.known_answers import tasks_from_problems
from code_tasks.solvers.models.agent import MAX_SHOWN_CHARS, AgentSolver, feedback
from code_tasks.solvers.options import Backoff, SolveOptions
from code_tasks.solvers.run import solve
from sandboxes import EvalConfig, Evaluator, Limits, open_sandbox
from support.chat_server import Reply, chat_server
from support.metric_and_command import PROBLEM

TESTS = "def check(candidate):\n    assert candidate(2, 3) == 5\n    assert candidate(20, 30) == 50, 'the hidden one'\n"
[QUESTION] = tasks_from_problems({"t/0": parse_problem({**PROBLEM, "test": TESTS})})


def fenced(body):
    """Return an answer with a whole function."""
    return f"```python\ndef add(a, b):\n    {body}\n```"


RIGHT = Reply(fenced("return a + b"))
WRONG = Reply(fenced("print('a is', a); return a * b"))


def attempt(replies, **options):
    """Return (steps, result, requests) of one attempt at a server that gives these replies and repeats the last."""

    async def run(url):
        config = EvalConfig(open_sandbox("subprocess"), limits=Limits(wall_seconds=20.0))
        async with SandboxGrader(Evaluator(config), program_of_answer) as grader:
            async with AgentSolver(grader, model="m", base_url=url, **options) as solver:
                return [event async for event in solver.run(QUESTION)]

    with chat_server(lambda request, number: replies[min(number, len(replies) - 1)]) as server:
        *steps, result = asyncio.run(run(server.url))
        requests = [request["messages"] for _, _, request in server.requests]
    assert isinstance(result, FinalResult) and all(isinstance(step, Step) for step in steps)
    return steps, result, requests


def flags(result):
    """Return the flags of max_steps, max_tokens and max_time."""
    return result.max_steps_reached, result.max_tokens_reached, result.max_time_reached


@pytest.mark.slow
def test_second_try():
    """A model that failed sees the test's message and the output of its code, and answers again."""
    steps, result, requests = attempt([WRONG, RIGHT])
    assert (len(steps), result.correct, flags(result)) == (2, True, (False, False, False))
    assert [message["role"] for message in result.conversation] == ["user", "assistant", "user", "assistant"]
    assert requests == [list(result.conversation[:1]), list(result.conversation[:3])]
    shown = result.conversation[2]["content"]
    assert "AssertionError" in shown and "a is 2" in shown
    assert [step.metadata["score"] for step in steps] == [0.0, 1.0]


def test_later_tests_stay_hidden():
    """Only the first failed test is shown."""
    _, result, _ = attempt([WRONG, RIGHT])
    assert "hidden" not in str(result.conversation)


def test_first_try():
    """A model whose first answer is correct is asked once."""
    steps, result, requests = attempt([RIGHT])
    assert (len(steps), len(requests), result.correct, flags(result)) == (1, 1, True, (False, False, False))


def test_max_steps():
    """An attempt ends after max_steps answers, and the last answer counts."""
    steps, result, requests = attempt([WRONG], max_steps=3)
    assert (len(steps), len(requests), result.correct, flags(result)) == (3, 3, False, (True, False, False))
    assert "a * b" in result.candidate and len(result.conversation) == 6


def test_truncated():
    """A model whose answer was truncated gets a notice of that."""
    cut = Reply("```python\ndef add(a, b):\n    return (a +", finish_reason="length")
    _, result, _ = attempt([cut, RIGHT])
    assert result.correct and result.conversation[2]["content"].startswith("Your answer was cut off")
    _, result, _ = attempt([cut], max_steps=2)
    assert not result.correct and flags(result) == (False, True, False)


def test_conversation_too_long():
    """A conversation that is too long for the model ends the attempt, and the last answer counts."""
    full = Reply(status=400, error={"code": "context_length_exceeded"})
    steps, result, _ = attempt([WRONG, full])
    assert (len(steps), flags(result), "a * b" in result.candidate) == (1, (False, True, False), True)
    assert "no room for another answer; before: AssertionError" in result.grade.grader_log


def test_max_time():
    """max_time is for all answers of an attempt together."""
    slow = Reply(WRONG.text, delay=0.4)
    steps, result, _ = attempt([slow], max_steps=1000, max_time=1.0)
    assert 1 <= len(steps) <= 2 and flags(result) == (False, False, True)


@pytest.mark.slow
def test_runs():
    """Many attempts with server errors in between are all solved in their second step."""

    def reply(request, number):
        if number % 4 == 3:
            return Reply(status=(429, 500)[number % 8 == 3])
        return RIGHT if len(request["messages"]) > 1 else WRONG

    async def run(url):
        config = EvalConfig(open_sandbox("subprocess"), limits=Limits(20.0), grading="separate")
        async with SandboxGrader(Evaluator(config)) as grader:
            grader.assemble = program_of_answer
            solver = AgentSolver(grader, model="m", base_url=url)
            return await solve(solver, [QUESTION], SolveOptions(n_tries=30, backoff=Backoff(first_seconds=0.01)))

    with chat_server(reply) as server:
        summary = asyncio.run(run(server.url))
    assert (summary.attempts, summary.accuracy, summary.system_errors) == (30, 1.0, 0)


def test_feedback_is_bounded():
    """Feedback has a bounded length, can be encoded, and needs no verdict."""
    grade = Grade(0.0, "", {"detail": "x" * 10**6, "traceback": "\ud800" * 10**6, "stdout": "y" * 10**6, "stderr": ""})
    text = feedback(grade)
    assert len(text) < 4 * MAX_SHOWN_CHARS and text.encode()
    assert "not what I asked" in feedback(Grade(0.0, "not what I asked"))


def test_bad_options():
    """max_steps is at least 1."""
    with pytest.raises(ValueError, match="max_steps must be at least 1, not 0"):
        AgentSolver(None, model="m", base_url="http://127.0.0.1:9/v1", max_steps=0)
