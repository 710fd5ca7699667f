"""What a request asks for, checked against what the owner of the server allows."""

from __future__ import annotations

from code_tasks.server.errors import InvalidRequest, LimitExceeded
from code_tasks.server.service import Service


def require_language(service: Service, field: str, name: str, language: str | None) -> str:
    """Return our name of a language that a request names.

    Args:
        service: of the app.
        field: of the request.
        name: that the request gives.
        language: our name. None: there is no such language here.

    Raises:
        InvalidRequest: if the server does not offer it.
    """
    if language is None or language not in service.languages:
        offered = ", ".join(service.languages)
        raise InvalidRequest(field, f"the language {name!r} is not available on this server, which has {offered}")
    return language


def check_limit(field: str, value: float, most: float) -> None:
    """Raise LimitExceeded if a request asks for more than the owner allows."""
    if value > most:
        raise LimitExceeded(field, f"{value:g}", f"{most:g}")


def allowed_seconds(service: Service, field: str, seconds: float) -> float:
    """Return the seconds that a request asks for.

    They are never lowered in silence, because a program that is ended earlier than its client thinks gets a wrong
    verdict.

    Raises:
        LimitExceeded: if the owner allows fewer.
    """
    check_limit(field, seconds, service.settings.max_timeout)
    return seconds


def allowed_compile_seconds(service: Service, field: str, seconds: float) -> float:
    """Return the seconds of a compiler that a request asks for.

    Raises:
        LimitExceeded: if the owner allows fewer.
    """
    check_limit(field, seconds, service.settings.max_compile_timeout)
    return seconds


def allowed_memory(service: Service, field: str, amount: float | None, unit_bytes: int = 1) -> int:
    """Return the bytes of memory that a request asks for; as many as the owner allows, if it asks for none.

    Args:
        service: of the app.
        field: of the request.
        amount: its value. None, 0 or less: no limit of the request's own.
        unit_bytes: size of the field's unit.

    Raises:
        LimitExceeded: if the owner allows less.
    """
    most = service.settings.max_memory_mb << 20
    if amount is None or amount <= 0:
        return most
    check_limit(field, amount, most // unit_bytes)
    return max(int(amount * unit_bytes), 1)
