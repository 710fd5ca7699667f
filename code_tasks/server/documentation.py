"""The OpenAPI documentation of requests that their endpoints parse themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

SCHEMAS = "#/components/schemas/{model}"


def body_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return what FastAPI's `openapi_extra` takes to document the body of a request."""
    schema = {"$ref": SCHEMAS.format(model=model.__name__)}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def describe_requests(app: FastAPI, models: Sequence[type[BaseModel]]) -> None:
    """Add the schemas of requests to the app's OpenAPI documentation."""
    _, schema = models_json_schema([(model, "validation") for model in models], ref_template=SCHEMAS)
    generate = app.openapi

    def openapi() -> dict[str, Any]:
        document = generate()
        document.setdefault("components", {}).setdefault("schemas", {}).update(schema["$defs"])
        return document

    app.openapi = openapi  # type: ignore[method-assign]
