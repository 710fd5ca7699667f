"""The server processes: one that serves, or a parent that keeps several alive on the same port."""

from __future__ import annotations

import functools
import os
import signal
import socket
import sys

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from code_tasks.server.app import create_app
from code_tasks.server.settings import ServerSettings
from sandboxes.private_process import end_with_parent, keep_private

GRACE_SECONDS = 5.0
"""Seconds beyond `shutdown_seconds` in which answers are sent and workers end."""

KEEP_ALIVE_SECONDS = 75
"""Seconds for which a connection without requests stays open. Clients of rewards pause while a model generates."""


def serve_forever(settings: ServerSettings) -> None:
    """Serve until SIGTERM or SIGINT, which both end the server with status 0 after its programs have ended.

    Raises:
        OSError: if the port is taken.
    """
    keep_private()
    with bound_socket(settings.host, settings.port) as listener:
        host, port = listener.getsockname()[:2]
        name = f"[{host}]" if ":" in host else host
        config = uvicorn.Config(
            functools.partial(server_process_app, settings, os.getpid(), f"http://{name}:{port}"),
            factory=True,
            host=host,
            port=port,
            workers=settings.processes,
            access_log=False,
            log_level="warning",
            server_header=False,
            proxy_headers=False,
            ws="none",
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=int(settings.shutdown_seconds + GRACE_SECONDS),
            timeout_worker_healthcheck=60,
            backlog=2048,
        )
        if settings.processes > 1:
            Multiprocess(config, [listener]).run()
            return
        # Uvicorn raises the signal again when it has ended; the default action would be an end without clean-up.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, frame: None)
        uvicorn.Server(config).run([listener])


def server_process_app(settings: ServerSettings, parent: int, url: str) -> FastAPI:
    """Return the app of one server process, which ends with the process that keeps it alive.

    Args:
        settings: the server's.
        parent: the process that `serve_forever` runs in.
        url: where the server listens.
    """
    if os.getpid() != parent:
        end_with_parent(parent)
        keep_private()
    return create_app(settings, lambda: print(f"serving on {url}", file=sys.stderr, flush=True))  # noqa: T201


def bound_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens.

    Raises:
        OSError: if the address is not this machine's, or is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=2048)
    listener.set_inheritable(True)
    return listener
