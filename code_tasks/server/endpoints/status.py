"""The state of the server: health, metrics, sandboxes."""

from __future__ import annotations

import dataclasses

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.responses import Response

from code_tasks.server.json_answers import JsonAnswer
from code_tasks.server.request_state import service_of
from sandboxes.validation import hide_paths

router = APIRouter(tags=["state"])


@router.get("/health")
async def health(request: Request) -> Response:
    """Return {"status": "ok"}, or status 503 while no programs are accepted."""
    is_ready = service_of(request).is_ready
    return JsonAnswer({"status": "ok" if is_ready else "shutting down"}, 200 if is_ready else 503)


@router.get("/metrics")
async def metrics(request: Request) -> Response:
    """Return the figures of this server process for Prometheus."""
    return Response(service_of(request).metrics.as_text(), media_type=CONTENT_TYPE_LATEST)


@router.get("/sandboxes")
async def sandboxes(request: Request) -> Response:
    """Say how candidates are isolated, in which languages they may be written, and how much a request may ask for.

    The answer has "sandbox" (the sandbox's name), "layers", "missing" (layers that are off, with the reasons),
    "languages" (versions by name), "workers" (candidates at once), "defaults" (the limits of a candidate that asks for
    none) and "limits".
    """
    service = service_of(request)
    config, isolation = service.settings.config, service.isolation
    names = ("max_queue", "max_body_mb", "max_sessions", "max_task_seconds")
    limits = {**{name: getattr(service.settings, name) for name in names}, **service.settings.limits}
    return JsonAnswer(
        {
            "sandbox": config.sandbox.name,
            "layers": isolation.layers,
            "missing": {layer: hide_paths(reason) for layer, reason in isolation.missing.items()},
            "languages": {name: hide_paths(version) for name, version in service.languages.items()},
            "workers": service.num_workers,
            "defaults": dataclasses.asdict(config.limits),
            "limits": {"max_candidates": service.settings.accepted_candidates, **limits},
        }
    )
