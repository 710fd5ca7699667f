"""POST /evaluate: tasks in, a result for each candidate out, at once or as each one comes."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from code_tasks.benchmarks.problems import Problem
from code_tasks.server.assembled_task import AssembledTask, check_cases
from code_tasks.server.documentation import body_of
from code_tasks.server.errors import RequestError
from code_tasks.server.evaluation_request import EvaluationRequest, RequestTask
from code_tasks.server.json_answers import JsonAnswer, as_json
from code_tasks.server.request_state import client_of, service_of
from code_tasks.server.service import Service
from sandboxes import InvalidTests, RunResult, SandboxUnavailable, Verdict, result_dict
from sandboxes.extraction import Extraction, Extractor, checked_extractor
from sandboxes.outcome_labels import INVALID_TESTS
from sandboxes.validation import hide_paths

EVENT_STREAM = "text/event-stream"
HEARTBEAT_SECONDS = 15.0
"""Seconds after which a stream without results sends a comment, so that no proxy takes it for dead."""

SEND_SECONDS = 60.0
"""Seconds that a reader may take for a part of a stream. Its programs are ended if it takes longer."""

router = APIRouter(tags=["evaluation"])


@dataclass(frozen=True)
class Candidate:
    """One candidate of a request."""

    task: AssembledTask
    task_id: str | int
    number: int
    """Its number in its task."""

    def result(self, result: RunResult) -> dict[str, Any]:
        """Return its result as plain data. Without a verdict it has the error, without paths."""
        if isinstance(result, SandboxUnavailable):
            kind = InvalidTests if isinstance(result, InvalidTests) else SandboxUnavailable
            result = kind(hide_paths(str(result)))
        return result_dict(self.task_id, self.number, result, self.task.extra_fields)


@router.post("/evaluate", openapi_extra=body_of(EvaluationRequest))
async def evaluate(request: Request) -> Response:
    """Run the candidates of tasks, each in a sandbox.

    The answer is {"results": [...], "summary": {...}}, with one result for each candidate in the request's order. With
    `Accept: text/event-stream` each result is an event "result" as soon as there is one, with its "index", and the last
    event is "summary". A result whose "passed" is null has no verdict, because the sandbox could not run the candidate.
    """
    service = service_of(request)
    asked = EvaluationRequest.model_validate_json(await request.body())
    asked.check_sizes(service.settings.accepted_candidates)
    candidates = await assembled(service, asked)
    client = client_of(request)
    if EVENT_STREAM in request.headers.get("accept", ""):
        return ResultStream(service, candidates, client)
    results: list[dict[str, Any]] = [{}] * len(candidates)
    summary = Summary()
    with service.admitted(client, len(candidates)), service.holding(tasks_of(candidates)):
        async with aclosing(each_result(service, candidates, client)) as run:
            async for index, result in run:
                results[index] = candidates[index].result(result)
                summary.add(result)
    if summary.error and not summary.outcomes:
        raise summary.error
    return JsonAnswer({"results": results, "summary": summary.as_dict()})


class Summary:
    """The counts of a request's results."""

    def __init__(self) -> None:
        """Begin at 0."""
        self.outcomes: Counter[str] = Counter()
        self.passed = self.not_run = 0
        self.error: SandboxUnavailable | None = None
        """The reason why a candidate has no verdict."""

    def add(self, result: RunResult) -> None:
        """Count a result."""
        if isinstance(result, Verdict):
            self.outcomes[result.outcome.value] += 1
            self.passed += result.passed
        elif isinstance(result, InvalidTests):
            self.outcomes[INVALID_TESTS] += 1
        else:
            self.not_run += 1
            self.error = result

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        total = self.outcomes.total() + self.not_run
        return {"candidates": total, "passed": self.passed, "not_run": self.not_run, "outcomes": dict(self.outcomes)}


async def assembled(service: Service, asked: EvaluationRequest) -> list[Candidate]:
    """Return the candidates of a request, ready to run.

    Raises:
        InvalidRequest, LimitExceeded: if one of the tasks is refused.
    """
    candidates: list[Candidate] = []
    cases = 0
    for number, task in enumerate(asked.tasks):
        if task.is_small:
            problem = task.problem(number)
        else:
            problem = await asyncio.to_thread(task.problem, number)
        options = asked.options_of(task)
        extract = checked_extractor(options.get("extract"))
        read = partial(programs_of, problem, task, extract)
        # Long answers are parsed many times.
        texts = await asyncio.to_thread(read) if extract else read()
        programs = await service.assemble(
            problem.task(texts, service.settings.config.limits), options, f"tasks.{number}."
        )
        check_cases("tasks", cases := cases + programs.cases)
        task_id = number if task.task_id is None else task.task_id
        candidates += [Candidate(programs, task_id, index) for index in range(len(programs))]
    return candidates


def programs_of(problem: Problem, task: RequestTask, extract: Extractor | None) -> list[Extraction]:
    """Return the programs of a task's candidates."""
    return [problem.extracted(text, task.language, extract) for text in task.candidates]


def tasks_of(candidates: Sequence[Candidate]) -> list[AssembledTask]:
    """Return the tasks of candidates, each once."""
    return [candidate.task for candidate in candidates if candidate.number == 0]


async def each_result(
    service: Service, candidates: Sequence[Candidate], client: str
) -> AsyncGenerator[tuple[int, RunResult]]:
    """Yield (index, result) of admitted candidates, in the order in which they end. Closing it ends the others."""
    if len(candidates) == 1:
        yield 0, await service.run(candidates[0].task, candidates[0].number, client)
        return
    ended: asyncio.Queue[int] = asyncio.Queue()

    def start(index: int) -> asyncio.Task[RunResult]:
        candidate = candidates[index]
        task = asyncio.create_task(service.run(candidate.task, candidate.number, client))
        task.add_done_callback(lambda _: ended.put_nowait(index))
        return task

    tasks = [start(index) for index in range(len(candidates))]
    try:
        for _ in tasks:
            index = await ended.get()
            yield index, tasks[index].result()
    finally:
        for task in tasks:
            task.cancel()
        # The programs are ended before the client's places are free again.
        await asyncio.gather(*tasks, return_exceptions=True)


class ResultStream(Response):
    """The results of a request as server-sent events."""

    def __init__(self, service: Service, candidates: Sequence[Candidate], client: str):
        """Start nothing yet: what is refused gets its own answer as long as nothing was sent."""
        super().__init__(media_type=EVENT_STREAM, headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self.service, self.candidates, self.client = service, candidates, client

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Run the candidates, and send each result as it comes."""
        held = self.service.holding(tasks_of(self.candidates))
        with self.service.admitted(self.client, len(self.candidates)), held:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            lock = asyncio.Lock()

            async def send_part(body: bytes, more: bool = True) -> None:
                async with lock, asyncio.timeout(SEND_SECONDS):
                    await send({"type": "http.response.body", "body": body, "more_body": more})

            async def beat() -> None:
                while True:
                    await asyncio.sleep(HEARTBEAT_SECONDS)
                    await send_part(b": still running\n\n")

            heartbeat = asyncio.create_task(beat())
            try:
                await send_part(await self._send_results(send_part), False)
            finally:
                heartbeat.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await heartbeat

    async def _send_results(self, send_part: Any) -> bytes:
        """Send the results, and return the last event."""
        summary = Summary()
        try:
            async with aclosing(each_result(self.service, self.candidates, self.client)) as run:
                async for index, result in run:
                    summary.add(result)
                    await send_part(event("result", {"index": index, **self.candidates[index].result(result)}, index))
        except RequestError as error:
            return event("error", {"detail": [{"loc": [], "msg": hide_paths(str(error))}]})
        return event("summary", summary.as_dict())


def event(name: str, data: dict[str, Any], number: int | None = None) -> bytes:
    """Return a server-sent event. JSON in ASCII has no line breaks."""
    id_line = b"" if number is None else b"id: %d\n" % number
    return b"event: %s\n%sdata: %s\n\n" % (name.encode(), id_line, as_json(data))
