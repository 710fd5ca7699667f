"""A chat solver with a server, for tests."""

import asyncio

from code_tasks.benchmarks.problems import parse_problem
from code_tasks.solvers.grader import SandboxGrader, program_of_answer
from code_tasks.solvers.interface import Grade
from code_tasks.solvers.known_answers import tasks_from_problems
from code_tasks.solvers.models.chat import ChatSolver
from code_tasks.solvers.options import Backoff
from sandboxes import EvalConfig, Evaluator, Limits, open_sandbox
from support.chat_server import chat_server
from support.metric_and_command import PROBLEM

ADD = parse_problem(PROBLEM)
[QUESTION] = tasks_from_problems({"t/0": ADD})
WHOLE = "def add(a, b):\n    return a + b\n"
ANSWER = f"Here it is:\n\n```python\n{WHOLE}```\nIt adds."
WRONG = ANSWER.replace("+", "*")
AT_ONCE = Backoff(first_seconds=0.01)


class Recorded:
    """A grader that remembers its candidates. A sum is correct."""

    def __init__(self):
        self.candidates = []

    async def grade(self, task, candidate):
        """Return score 1 for a sum."""
        self.candidates.append(candidate)
        return Grade(float("a + b" in candidate), "checked")


def in_sandbox(**options):
    """Return a grader on the sandbox that all tests share."""
    limits = Limits(wall_seconds=20.0)
    return SandboxGrader(Evaluator(EvalConfig(open_sandbox("subprocess"), limits=limits, **options)), program_of_answer)


def events_of(solver, task=QUESTION):
    """Return the events of one attempt of a solver."""

    async def run():
        async with solver:
            return [event async for event in solver.run(task)]

    return asyncio.run(run())


def ask(reply, task=QUESTION, **options):
    """Return (events, candidates, requests) of one attempt at a server that has one reply for all requests."""
    grader = Recorded()
    with chat_server(reply if callable(reply) else lambda request, number: reply) as server:
        solver = ChatSolver(grader, **{"model": "m", "base_url": server.url, **options})
        try:
            return events_of(solver, task), grader.candidates, server.requests
        finally:
            asked = [request for _, _, request in server.requests]
            assert all(request["model"] == "m" for request in asked)
