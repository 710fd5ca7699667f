"""What a request finds in the app, and who sent it."""

from __future__ import annotations

from starlette.requests import Request

from code_tasks.server.service import Service
from code_tasks.server.session_places import SessionPlaces


def service_of(request: Request) -> Service:
    """Return the service of the app."""
    service: Service = request.app.state.service
    return service


def client_of(request: Request) -> str:
    """Return the name under which the queue counts a client's programs."""
    client: str = request.state.client
    return client


def places_of(request: Request) -> SessionPlaces:
    """Return the sessions of the app."""
    places: SessionPlaces = request.app.state.sessions
    return places
