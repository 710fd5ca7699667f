"""The app: the endpoints, and what stands in front of them."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from importlib.metadata import version
from types import FrameType

from fastapi import FastAPI
from fastapi_offline import FastAPIOffline

from code_tasks.adapters.bigcodebench import RemoteEvaluator
from code_tasks.server.auth import AccessControl
from code_tasks.server.documentation import describe_requests
from code_tasks.server.endpoints import (
    bigcodebench,
    evaluate,
    fusion_datasets,
    jupyter,
    open_r1,
    piston,
    run,
    sandbox_fusion,
    sessions,
    status,
)
from code_tasks.server.errors import HANDLERS
from code_tasks.server.evaluation_request import EvaluationRequest
from code_tasks.server.metrics import Metrics
from code_tasks.server.offered_benchmarks import load_offered
from code_tasks.server.pending_calls import PendingCalls
from code_tasks.server.raw_request import RunRequest
from code_tasks.server.request_bodies import RequestBodies
from code_tasks.server.service import Service
from code_tasks.server.session_places import SessionPlaces
from code_tasks.server.settings import ServerSettings
from code_tasks.server.startup_errors import StartupErrors

ROUTERS = (
    *(evaluate.router, run.router, status.router, sessions.router),
    *(sandbox_fusion.router, fusion_datasets.router, jupyter.router, piston.router, open_r1.router),
    bigcodebench.router,
)
REQUESTS = (EvaluationRequest, RunRequest)
"""Requests that their endpoints parse themselves, which takes half as long as FastAPI does."""


def create_app(settings: ServerSettings, on_ready: Callable[[], object] = lambda: None) -> FastAPI:
    """Return the app of one server process. Its workers start with its lifespan.

    Endpoints find the `Service` as `request.app.state.service`, and the client as `request.state.client`.

    Args:
        settings: the server's.
        on_ready: called when the workers are warm.
    """

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with Service(settings, Metrics()) as service:
            app.state.service = service
            app.state.benchmarks = await asyncio.to_thread(load_offered, settings.benchmarks, settings.config.sandbox)
            app.state.remote, app.state.calls = RemoteEvaluator(app.state.benchmarks), PendingCalls()
            app.state.sessions = places = SessionPlaces(settings)
            try:
                with graceful_shutdown(service, places):
                    on_ready()
                    yield
            finally:
                await places.close_all()

    # Its page of documentation fetches nothing from other servers.
    app = FastAPIOffline(redoc_url=None, title="Code Eval", version=version("code-eval-sandboxes"), lifespan=lifespan)
    for kind, handler in HANDLERS.items():
        app.add_exception_handler(kind, handler)
    for router in ROUTERS:
        app.include_router(router)
    describe_requests(app, REQUESTS)
    # The one that is added last comes first.
    app.add_middleware(RequestBodies, settings=settings)
    app.add_middleware(AccessControl, settings=settings)
    app.add_middleware(StartupErrors)
    return app


@contextlib.contextmanager
def graceful_shutdown(service: Service, places: SessionPlaces) -> Iterator[None]:
    """Refuse programs as soon as a signal asks uvicorn to end, and end those and sessions that run on for too long.

    Uvicorn has installed its handlers before the lifespan begins. It waits for all answers before the lifespan ends.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def begin() -> None:
        service.stop_accepting()
        loop.call_later(service.settings.shutdown_seconds, end)

    def end() -> None:
        # Kept, because the loop itself has only a weak reference.
        service.ending = asyncio.gather(service.end_programs(), places.close_all())

    def handle(number: int, frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(begin)
        if callable(handler := handlers[signal.Signals(number)]):
            handler(number, frame)

    for number in handlers:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
