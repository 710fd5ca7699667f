"""The part of Gradio's protocol that gradio_client needs to call one endpoint with a file.

The client reads `/config` and the endpoint's description, uploads the file, joins the queue, and listens to events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from code_tasks.adapters.bigcodebench_parameters import PARAMETERS, REQUIRED
from code_tasks.server.json_answers import as_json

PREFIX = "/gradio_api"
VERSION = "6.31.0"
"""The version of Gradio whose protocol this is. Clients ask for the older ones only of versions before 4."""

FILE_PARAMETER = "samples"
OUTPUTS = ("results", "pass_at_k")
FIRST_OUTPUT_ID = len(PARAMETERS)
TYPES = {str: "string", bool: "boolean", int: "number"}


def config(max_file_bytes: int) -> dict[str, Any]:
    """Return the answer of `/config`: one event with its components.

    Args:
        max_file_bytes: largest file that a client may upload.
    """
    components = [{"id": number, "type": component_type(name), "props": {}} for number, name in enumerate(PARAMETERS)]
    components += [{"id": FIRST_OUTPUT_ID + number, "type": "json", "props": {}} for number in range(len(OUTPUTS))]
    event = {
        "id": 0,
        "api_name": "predict",
        "api_visibility": "public",
        "show_api": True,
        "backend_fn": True,
        "cancels": [],
        "inputs": list(range(FIRST_OUTPUT_ID)),
        "outputs": [FIRST_OUTPUT_ID + number for number in range(len(OUTPUTS))],
    }
    return {
        "version": VERSION,
        "api_prefix": PREFIX,
        "protocol": "sse_v3",
        "connect_heartbeat": False,
        "max_file_size": max_file_bytes,
        "components": components,
        "dependencies": [event],
    }


def description() -> dict[str, Any]:
    """Return the answer of `/info`: the parameters of the endpoint, and what it returns."""
    parameters = [
        {
            **typed(name, "any" if default is REQUIRED else TYPES[type(default)]),
            "parameter_name": name,
            "parameter_has_default": default is not REQUIRED,
            "parameter_default": None if default is REQUIRED else default,
        }
        for name, default in PARAMETERS.items()
    ]
    returns = [typed(name, "object") for name in OUTPUTS]
    endpoint = {"parameters": parameters, "returns": returns, "api_visibility": "public"}
    return {"named_endpoints": {"/predict": endpoint}, "unnamed_endpoints": {}}


def typed(name: str, kind: str) -> dict[str, Any]:
    """Return the part of a description that parameters and outputs have in common."""
    python_type = {"type": kind, "description": ""}
    return {"label": name, "type": {"type": kind}, "python_type": python_type, "component": component_type(name)}


def component_type(name: str) -> str:
    """Return the type of the component of a parameter or output."""
    return "file" if name == FILE_PARAMETER else "json" if name in OUTPUTS else "api"


def values_of(body: Any) -> tuple[str, str, dict[str, Any]]:
    """Return (session, path of the uploaded file, the other values by name) of a request that joins the queue.

    Raises:
        ValueError: if it has another shape.
    """
    session, data = (body.get("session_hash"), body.get("data")) if isinstance(body, dict) else (None, None)
    if not (isinstance(session, str) and session and isinstance(data, list) and len(data) == len(PARAMETERS)):
        raise ValueError(f"a call needs session_hash, and data with {len(PARAMETERS)} values")
    values = dict(zip(PARAMETERS, data, strict=True))
    file = values.pop(FILE_PARAMETER)
    path = file.get("path") if isinstance(file, dict) else None
    if not isinstance(path, str):
        raise ValueError(f"{FILE_PARAMETER} is not an uploaded file")
    return session, path, values


def invalid(parameter: str, message: str) -> dict[str, Any]:
    """Return the body of an answer with status 422, whose message the client shows."""
    entry = {"__type__": "validate", "is_valid": False, "message": message, "parameter_name": parameter}
    return {"detail": [entry]}


def event(message: str, event_id: str | None, fields: Mapping[str, Any] | None = None) -> bytes:
    """Return a message of the stream of events. JSON in ASCII has no line breaks."""
    return b"data: %s\n\n" % as_json({"msg": message, "event_id": event_id, **(fields or {})})


def completed(event_id: str, data: Sequence[Any]) -> bytes:
    """Return the message with a call's answer."""
    return event("process_completed", event_id, {"success": True, "output": {"data": list(data)}})


def failed(event_id: str, error: str) -> bytes:
    """Return the message that a call can't be answered."""
    return event("process_completed", event_id, {"success": False, "output": {"error": error}})
