"""SandboxFusion's `POST /run_jupyter`: cells run one after the other, in a session that ends with the request."""

from __future__ import annotations

import asyncio
import dataclasses
import time

from fastapi import APIRouter, Request

from code_tasks.server.errors import InvalidRequest
from code_tasks.server.foreign.routes import FusionRoute
from code_tasks.server.json_answers import JsonAnswer
from code_tasks.server.owner_limits import allowed_memory, allowed_seconds
from code_tasks.server.protocols.cell_program import dedented
from code_tasks.server.protocols.files import fetched, files_from_base64, plain_names
from code_tasks.server.protocols.fusion_models import RunJupyterRequest, RunJupyterResponse, RunStatus
from code_tasks.server.protocols.notebook import cell_run_result, driver_result, stops_notebook
from code_tasks.server.protocols.texts import to_base64
from code_tasks.server.request_state import client_of, places_of, service_of
from sandboxes import AsyncSession, CellResult, SandboxUnavailable, SessionEnded
from sandboxes.raw_runs.raw_run import MAX_FETCHED_BYTES

GRACE_SECONDS = 60.0
"""Seconds that a session lives longer than its cells may take, for its start and its files."""

router = APIRouter(route_class=FusionRoute, default_response_class=JsonAnswer, tags=["SandboxFusion"])


@router.post("/run_jupyter")
async def run_jupyter(body: RunJupyterRequest, request: Request) -> RunJupyterResponse:
    """Run the cells of a notebook. A cell that raises does not end it; one that takes too long does."""
    service = service_of(request)
    sessions = places_of(request)
    seconds = allowed_seconds(service, "total_timeout", body.total_timeout)
    limits = dataclasses.replace(
        sessions.limits,
        memory_bytes=allowed_memory(service, "memory_limit_MB", body.memory_limit_MB, 1 << 20),
        max_seconds=seconds + GRACE_SECONDS,
    )
    files, names = files_from_base64(body.files), plain_names(body.fetch_files)
    try:
        async with sessions.single(client_of(request), limits) as session:
            await write_files(session, files)
            began = time.monotonic()
            results = await run_cells(session, body, seconds)
            took = time.monotonic() - began
            contents = await read_files(session, [*names.values()])
    except SessionEnded as error:
        raise SandboxUnavailable(str(error)) from error
    last = results[-1] if results else None
    stopped = len(results) < len(body.cells) or (last is not None and stops_notebook(last))
    return RunJupyterResponse(
        status=RunStatus.Failed if stopped else RunStatus.Success,
        message=message_of(results, len(body.cells)),
        driver=driver_result(last, took),
        cells=[cell_run_result(result) for result in results],
        files={name: to_base64(data) for name, data in fetched(names, contents).items()},
    )


async def run_cells(session: AsyncSession, body: RunJupyterRequest, seconds: float) -> list[CellResult]:
    """Return the results of cells, up to the first that ends the notebook or has written too much.

    Args:
        session: where they run.
        body: of the request.
        seconds: that all of them may take.
    """
    deadline = time.monotonic() + seconds
    # Each cell has its own limit, but an answer is as large as all of them together.
    room = session.limits.output_bytes
    results: list[CellResult] = []
    for cell in body.cells:
        # A cell that has no time left is given a moment, and so ends as one that took too long.
        left = max(deadline - time.monotonic(), 0.001)
        source = await asyncio.to_thread(dedented, cell)
        results.append(await session.run_cell(source, min(body.cell_timeout or left, left)))
        room -= size_of(results[-1])
        if stops_notebook(results[-1]) or room < 0:
            break
    return results


def size_of(result: CellResult) -> int:
    """Return the characters of a cell's result."""
    error = result.error
    texts = (result.stdout, result.stderr, result.value or "", error.message + error.traceback if error else "")
    return sum(map(len, texts))


def message_of(results: list[CellResult], cells: int) -> str:
    """Return what the fields of an answer do not tell.

    Args:
        results: of the cells that ran.
        cells: number of all cells.
    """
    parts = [results[-1].detail] if results and stops_notebook(results[-1]) else []
    if len(results) < cells and not parts:
        parts.append("the cells exceeded their output limit together")
    cut = [number for number, result in enumerate(results, start=1) if result.stdout_is_cut or result.stderr_is_cut]
    parts += [f"the output of cell {number} was cut" for number in cut]
    return "; ".join(filter(None, parts))


async def write_files(session: AsyncSession, files: dict[str, bytes]) -> None:
    """Write files into a session's folder.

    Raises:
        InvalidRequest: if one can't be written.
    """
    for name, data in files.items():
        try:
            await session.write_file(name, data)
        except OSError as error:
            raise InvalidRequest("files", f"{name!r} can't be written: {error.strerror}") from None


async def read_files(session: AsyncSession, names: list[str]) -> dict[str, bytes]:
    """Return the contents of files by name. A file that can't be read, or is too large, is left out."""
    contents: dict[str, bytes] = {}
    left = MAX_FETCHED_BYTES
    for name in names:
        try:
            contents[name] = await session.read_file(name, max(left, 1))
        except OSError:
            continue
        left -= len(contents[name])
    return contents
