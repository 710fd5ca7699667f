"""An environment server of OpenEnv on this machine, in a thread of the tests' process."""

import contextlib
import socket
import threading
import time

import uvicorn

from support.requirements import WALL_SECONDS


@contextlib.contextmanager
def serving(app):
    """Serve an application for as long as the block runs, and yield its address."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=256)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    deadline = time.monotonic() + WALL_SECONDS
    while not server.started and thread.is_alive() and time.monotonic() < deadline:
        time.sleep(0.05)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(WALL_SECONDS)
        listener.close()
