"""BigCodeBench's `/predict`, for its `--execution gradio --gradio_endpoint URL`: Gradio's protocol, without Gradio."""

from __future__ import annotations

import asyncio
import contextlib
import io
import itertools
import re
from collections.abc import AsyncGenerator, Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from fastapi import APIRouter, Request
from starlette.datastructures import UploadFile
from starlette.responses import Response, StreamingResponse

from code_tasks.adapters.bigcodebench import OwnerBounds, RemoteEvaluator
from code_tasks.adapters.bigcodebench_parameters import Parameters
from code_tasks.server.errors import InvalidRequest, QueueFull, RequestError, logger
from code_tasks.server.json_answers import JsonAnswer
from code_tasks.server.pending_calls import PendingCall, PendingCalls
from code_tasks.server.protocols import gradio
from code_tasks.server.request_state import client_of, service_of
from code_tasks.server.service import Service
from sandboxes import RunResult, SandboxUnavailable, Task, Verdict
from sandboxes.validation import hide_paths

MAX_SAMPLES = 20_000
HEARTBEAT_SECONDS = 15.0
"""Seconds after which a stream without an answer sends a message, so that no proxy takes it for dead."""

MAX_NAME_CHARS = 200
MAX_CALL_BYTES = 1 << 20
"""Size of a call without its file. Its values take a multiple of that in memory."""

PROGRAMS_PER_WORKER = 2
"""Programs of one call that wait or run at once, for each worker, so that no worker waits for a program."""

UNPRINTABLE = re.compile(r"[^\w.,+=@ -]")
FULL = 503
"""The status that the client takes for a full queue."""

router = APIRouter(tags=["BigCodeBench"], default_response_class=JsonAnswer)


@router.get("/config")
async def config(request: Request) -> Response:
    """Return what gradio_client has to know of this server."""
    return JsonAnswer(gradio.config(service_of(request).settings.max_body_mb << 20))


@router.get(f"{gradio.PREFIX}/info")
async def info() -> Response:
    """Return the description of `/predict`."""
    return JsonAnswer(gradio.description())


@router.post(f"{gradio.PREFIX}/upload")
async def upload(request: Request) -> Response:
    """Keep a file of samples for a call that follows at once."""
    async with request.form(max_files=1, max_fields=0) as form:
        file = form.get("files")
        if not isinstance(file, UploadFile):
            raise InvalidRequest("files", "there is no file")
        name, data = PurePosixPath(file.filename or "").name, await file.read()
    try:
        call = calls_of(request).add(client_of(request), UNPRINTABLE.sub("_", name)[-MAX_NAME_CHARS:], data)
    except QueueFull as error:
        return JsonAnswer({"detail": str(error)}, FULL, error.headers)
    return JsonAnswer([call.path])


@router.post(f"{gradio.PREFIX}/queue/join")
async def join(request: Request) -> Response:
    """Take the parameters of a call. It runs as long as its client listens to the events of its session."""
    if len(await request.body()) > MAX_CALL_BYTES:
        return JsonAnswer(gradio.invalid("data", f"a call may have at most {MAX_CALL_BYTES >> 10} KiB"), 422)
    try:
        session, path, values = gradio.values_of(await request.json())
    except (ValueError, RecursionError) as error:
        return JsonAnswer(gradio.invalid("data", str(error)), 422)
    if service_of(request).settings.processes > 1:
        return JsonAnswer(gradio.invalid("samples", "/predict needs a server without --processes"), 422)
    call = calls_of(request).join(client_of(request), path, session, values)
    if call is None:
        return JsonAnswer(gradio.invalid("samples", "the uploaded file is no longer here: call again"), 422)
    return JsonAnswer({"event_id": call.id})


@router.get(f"{gradio.PREFIX}/queue/data")
async def events(request: Request, session_hash: str) -> Response:
    """Run the calls of a session, and send their answers as server-sent events."""
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(stream(request, session_hash), media_type="text/event-stream", headers=headers)


async def stream(request: Request, session: str) -> AsyncGenerator[bytes]:
    """Yield the events of a session's calls. Closing it ends their programs."""
    client = client_of(request)
    while call := calls_of(request).take(client, session):
        with call.place:
            yield gradio.event("process_starts", call.id)
            run = asyncio.create_task(answer(request, call))
            try:
                while not (await asyncio.wait([run], timeout=HEARTBEAT_SECONDS))[0]:
                    yield gradio.event("heartbeat", None)
                yield run.result()
            finally:
                run.cancel()
                # The programs are ended before the client's places are free again.
                with contextlib.suppress(asyncio.CancelledError):
                    await run
    yield gradio.event("close_stream", None)


async def answer(request: Request, call: PendingCall) -> bytes:
    """Run a call, and return the event with its answer or its error."""
    try:
        return gradio.completed(call.id, await predict(request, call))
    except SandboxUnavailable as error:
        logger.warning("%s", error)
        message = f"the sandbox could not run a program, so that there are no verdicts: {error}"
    except (ValueError, RequestError) as error:
        message = str(error)
    except Exception:
        # The client would call again and again if the stream broke off.
        logger.exception("a call of /predict failed")
        message = "the call failed; the log of the server says why"
    return gradio.failed(call.id, hide_paths(message))


async def predict(request: Request, call: PendingCall) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the (results, pass_at_k) of a call.

    Raises:
        ValueError, RequestError: if it is refused.
        SandboxUnavailable: if a program could not be run.
    """
    service, remote = service_of(request), remote_of(request)
    parameters = Parameters.of(call.values)
    settings = service.settings
    bounds = OwnerBounds(settings.max_benchmark_timeout, settings.max_benchmark_memory_mb << 20, MAX_SAMPLES)
    # In threads, because a file may be as long as a request.
    evaluation = await asyncio.to_thread(remote.evaluation, parameters, io.BytesIO(call.data), call.file_name, bounds)
    config = settings.config
    order, tasks = await asyncio.to_thread(evaluation.tasks, config)
    width = min(service.num_workers * PROGRAMS_PER_WORKER, settings.accepted_candidates)
    width = min(width, parameters.parallel) if parameters.parallel >= 1 else width
    results = await run_all(service, tasks, client_of(request), width)
    in_order = [result for _, result in sorted(zip(order, results, strict=True), key=lambda pair: pair[0])]
    return await asyncio.to_thread(evaluation.answer, in_order, config.tasks)


async def run_all(service: Service, tasks: list[Task], client: str, width: int) -> list[RunResult]:
    """Return the verdict of each candidate of tasks, one after the other.

    Args:
        service: of the app.
        tasks: with their candidates.
        client: whom the programs are run for.
        width: programs that may wait or run at once.

    Raises:
        RequestError: as `Service.evaluate` does.
        SandboxUnavailable: if a program could not be run. The others are then ended.
    """
    programs: Iterator[tuple[int, Task]] = enumerate(
        replace(task, candidates=[program]) for task in tasks for program in task.candidates
    )
    results: dict[int, RunResult] = {}

    async def work() -> None:
        for index, task in programs:
            results[index] = await run_when_free(service, task, client)

    try:
        async with asyncio.TaskGroup() as group:
            for _ in itertools.repeat(None, width):
                group.create_task(work())
    except ExceptionGroup as errors:
        raise errors.exceptions[0] from None
    return [results[index] for index in range(len(results))]


async def run_when_free(service: Service, task: Task, client: str) -> Verdict:
    """Return the verdict of a task's only candidate, for which there may be room in the queue only later."""
    while True:
        try:
            result = await service.evaluate(task, {}, client)
        except QueueFull as full:
            await asyncio.sleep(full.retry_after)
            continue
        if isinstance(result, SandboxUnavailable):
            raise result
        return result


def calls_of(request: Request) -> PendingCalls:
    """Return the calls of the app."""
    calls: PendingCalls = request.app.state.calls
    return calls


def remote_of(request: Request) -> RemoteEvaluator:
    """Return the evaluator of the app."""
    remote: RemoteEvaluator = request.app.state.remote
    return remote
