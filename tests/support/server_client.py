"""The server as clients see it: the real app under uvicorn, in a thread, on a free port of loopback."""

import contextlib
import threading

import httpx
import uvicorn

from code_tasks.server.app import create_app
from code_tasks.server.settings import ServerSettings
from support.observers import wait_until

# Far more than a server needs, so that a busy machine fails no test.
START_TIMEOUT_SECONDS = 120
REQUEST_SECONDS = 120


@contextlib.contextmanager
def serving(**settings):
    """Serve an app until the block is left, and yield an httpx.Client with its address.

    Args:
        **settings: fields of `ServerSettings`. Only Python runs, unless `allowed_languages` names others.
    """
    settings = ServerSettings(**{"allowed_languages": ("python",), **settings})
    config = uvicorn.Config(create_app(settings), host="127.0.0.1", port=0, log_level="warning", server_header=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, name="server")
    thread.start()
    try:
        assert wait_until(lambda: server.started or not thread.is_alive(), START_TIMEOUT_SECONDS)
        [listener] = server.servers
        host, port = listener.sockets[0].getsockname()
        with httpx.Client(base_url=f"http://{host}:{port}", timeout=REQUEST_SECONDS, trust_env=False) as client:
            yield client
    finally:
        server.should_exit = True
        thread.join(START_TIMEOUT_SECONDS)
        assert not thread.is_alive()
