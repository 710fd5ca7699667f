"""A direct connection between this process and a guest in a container, past the engine.

What goes through a container's standard streams passes the docker command, the engine and the container's own watcher,
each of which wakes up for every message. A Unix socket in a folder that the container sees spares programs these.
Where no connection comes about, as with an engine on another machine, the streams stay in use.
"""

from __future__ import annotations

import hmac
import os
import secrets
import socket
import sys
import tempfile
from collections.abc import Sequence

from sandboxes.guest.common.files import remove_folder

SOCKET_NAME = "socket"
# Where the container sees the folder.
FOLDER = "/code-eval"
# Other users of this machine may connect too.
MAX_WAITING = 16
# Runs a command, and removes the folder when it has ended.
WRAPPER = f'"$@"; status=$?; rm -f "$0/{SOCKET_NAME}"; rmdir "$0" 2>/dev/null; exit $status'


class Listener:
    """A socket to which one guest connects, before its first program. It has a folder of its own."""

    def __init__(self) -> None:
        """Make the folder and listen.

        Raises:
            OSError: if that is not possible here.
        """
        self.token = secrets.token_hex(16)
        """The guest sends it first, to show that it is the one that was given it."""
        self.folder = tempfile.mkdtemp(prefix=f"code-eval-{os.getpid()}-")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            # The container's user is another one.
            os.chmod(self.folder, 0o711)
            descriptor = os.open(self.folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            try:
                # The name of a socket has room for a hundred characters, and the folder's may be longer.
                self._socket.bind(f"/proc/self/fd/{descriptor}/{SOCKET_NAME}")
            finally:
                os.close(descriptor)
            os.chmod(os.path.join(self.folder, SOCKET_NAME), 0o666)
            self._socket.setblocking(False)
            self._socket.listen(MAX_WAITING)
        except BaseException:
            self.close()
            raise

    def mount_arguments(self) -> list[str]:
        """Return the arguments of `docker run` that show the folder to a container."""
        # The command reads a line of CSV.
        source = f"source={self.folder}".replace('"', '""')
        return ["--mount", f'type=bind,"{source}",target={FOLDER},readonly']

    def wrap(self, command: Sequence[str]) -> list[str]:
        """Return a command line that removes the folder too: this process may end before the guest is ready."""
        return ["/bin/sh", "-c", WRAPPER, self.folder, *command]

    def options(self) -> dict[str, str]:
        """Return what a guest needs to connect."""
        return {"path": f"{FOLDER}/{SOCKET_NAME}", "token": self.token}

    def accept(self) -> socket.socket | None:
        """Return the connection of the guest that knows the token; None if it has none."""
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return None
            connection.setblocking(False)
            try:
                sent = connection.recv(len(self.token))
            except OSError:
                sent = b""
            if hmac.compare_digest(sent, self.token.encode()):
                return connection
            connection.close()

    def disown(self) -> None:
        """Stop listening in a process forked from the owner, and leave the folder to the owner."""
        self._socket.close()

    def close(self) -> None:
        """Stop listening, and remove the folder."""
        self._socket.close()
        remove_folder(self.folder)


def open_listener() -> Listener | None:
    """Return a listener; None where there can be none."""
    if sys.platform != "linux":
        # The engine runs in a virtual machine, which does not see this machine's sockets.
        return None
    try:
        return Listener()
    except OSError:
        return None
