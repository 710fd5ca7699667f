"""What happens to sandboxes, as events of the logger `code_eval`, for whoever wants to know."""

from __future__ import annotations

import logging
from typing import Literal

logger = logging.getLogger("code_eval")
# Else Python prints what nobody has asked for.
logger.addHandler(logging.NullHandler())

Event = Literal["restart", "retry", "fallback"]


def tell(event: Event, message: str, *values: object) -> None:
    """Logs an event, as a warning whose record has the attribute `event`.

    Args:
        event: "restart": a sandbox broke and is replaced; "retry": a program runs again; "fallback": something is less
            than was asked for.
        message: as `logging` takes it.
        values: of the message.
    """
    logger.warning(message, *values, extra={"event": event}, stacklevel=2)
