"""One end of the connection between a candidate's process and that of its tests: sends requests and answers them.

A request is ``[nonce, operation, subject, name, roots, nodes, changes, forgotten]``, a reply ``[nonce, status, roots,
nodes, changes, kept]``. Each is JSON after four bytes of length, big-endian. While one end waits for its reply, it
serves the other's requests, so they nest. A reply names the request's nonce, which can't be known before: a message
that was sent earlier is no answer.
"""

from __future__ import annotations

import os
import sys
from _thread import RLock

from ..common.containers import CONTAINER_NODES
from ..common.value_decoder import Decoder
from ..common.value_encoder import Encoder
from ..common.values import NotTransferable, ProtocolError
from .exporter import Exporter
from .importer import Importer
from .library_classes import LibraryClasses
from .message_stream import REPLY_FIELDS, REQUEST_FIELDS, MessageStream, PeerGone
from .shared_containers import SharedContainers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Awaitable, Callable, Iterable, Sequence

    # roots, nodes and changes
    Body = tuple[list[Any], list[Any], list[Any]]

RETURNED, RAISED = 0, 1
MAX_NESTED_REQUESTS = 1500
# Frames of our own functions that a nested request may need.
FRAMES_PER_REQUEST = 24


class Connection(MessageStream, Exporter, Importer):
    """One end."""

    def __init__(self, fd: int) -> None:
        """Begin with no known objects.

        Args:
            fd: this end of the socket.
        """
        MessageStream.__init__(self, fd)
        self.random = os.urandom
        self.lock = RLock()
        self.depth = 0
        self.event_loop: Any = None
        self.references = {}
        self.shared = SharedContainers(self.references)
        self.exported, self.imported = {}, {}
        self.metaclasses, self.forced_classes = {}, {}
        self.newly_exported = []
        self.library_classes = LibraryClasses()

    def request(self, operation: str, subject: int, name: Any, values: list[Any]) -> Any:
        """Have the other end do something, and serve it meanwhile.

        Args:
            operation: one that its `perform` knows.
            subject: the number of one of its values.
            name: for the operation, plain.
            values: a list.

        Returns:
            What it returned. If it raised an exception, that is raised.

        Raises:
            PeerGone: if it does not answer as it should.
            NotTransferable: if a value can't be sent.
        """
        with self.lock:
            if self.closed_reason:
                raise PeerGone(self.closed_reason)
            nonce = int.from_bytes(self.random(7), "big")
            shared = self.shared
            forgotten = shared.surplus_keys()
            for key in forgotten:
                shared.forget(key)
            keys = self.send_request([nonce, operation, subject, name], values, forgotten)
            while True:
                message = self.receive()
                if message[0] == nonce and len(message) == REPLY_FIELDS:
                    break
                self.serve(message)
            value = self.read_reply(message, keys)
        if message[1] == RETURNED:
            return value
        if not isinstance(value, BaseException):
            self.abort("what was raised is not an exception")
        raise value

    def read_reply(self, message: list[Any], keys: Sequence[int]) -> Any:
        """Return the value in a reply, after making the changes to containers that the reply reports.

        Args:
            message: the reply.
            keys: of the containers in the request.
        """
        _, _, roots, nodes, changes, kept = message
        try:
            still = {-key for key in kept}
            value = self.decode_body(roots, nodes, changes, still)[0][0]
            for key in keys:
                if key not in still:
                    self.shared.forget(key)
            return value
        except Exception as error:
            self.abort("%s: %s" % (type(error).__name__, error))

    def decode_body(
        self, roots: list[Any], nodes: list[Any], changes: list[Any], still: set[int] | None = None
    ) -> tuple[list[Any], Sequence[int]]:
        """Return the values of a message, and the keys of the new containers.

        Args:
            roots: of the message.
            nodes: of the message; emptied.
            changes: of the message.
            still: keys of the containers that stay shared; all of them if None.
        """
        if not nodes and not changes:
            if list in map(type, roots):
                raise ProtocolError("a node that is not there")
            return roots, ()
        new = [node[0] in CONTAINER_NODES for node in nodes]
        decoder = Decoder(self, nodes)
        values = decoder.build()
        keys = self.shared.add_received(values, new, still)
        self.shared.apply(changes, decoder.resolve)
        # Some nodes are the values themselves. A reference from here would count as a use.
        nodes.clear()
        return decoder.resolve(roots), keys

    def send_request(self, head: list[Any], values: list[Any], forgotten: list[int]) -> Sequence[int]:
        """Send a request. Return the keys of the containers in it."""
        body, keys = self.encode_body(values)
        self.send([*head, *body, forgotten])
        return keys

    def encode_body(self, values: list[Any]) -> tuple[Body, Sequence[int]]:
        """Return the roots, nodes and changes of a message with these values, and the keys of the containers in it."""
        encoder, shared = Encoder(self), self.shared
        try:
            changes = shared.changes(encoder) if shared.by_key else []
            # Not the same list, which its owner will empty.
            roots = list(encoder.children(values))
            if not encoder.values:
                return (roots, [], changes), ()
            nodes = encoder.finish()
        except BaseException:
            shared.resend_all()
            for identity in self.newly_exported:
                self.references.pop(identity, None)
            raise
        finally:
            self.newly_exported.clear()
        return (roots, nodes, changes), shared.add_sent(encoder)

    def serve(self, message: list[Any]) -> None:
        """Do what the other end requests, and reply."""
        if len(message) != REQUEST_FIELDS:
            self.abort("a reply to no request")
        nonce, operation, subject, name, roots, nodes, changes, forgotten = message
        depth = self.depth
        self.depth = depth + 1
        if depth:
            # Otherwise a recursion through both processes would end sooner than in one.
            sys.setrecursionlimit(sys.getrecursionlimit() + FRAMES_PER_REQUEST)
        try:
            for key in forgotten:
                self.shared.forget(-key)
            values, keys = self.decode_body(roots, nodes, changes)
            del roots, nodes, changes, message
        except Exception as error:
            self.abort("%s: %s" % (type(error).__name__, error))
        try:
            try:
                if depth > MAX_NESTED_REQUESTS:
                    raise RecursionError("maximum recursion depth exceeded between the tests and the candidate")
                status, result = RETURNED, [self.perform(operation, subject, name, values)]
            except PeerGone:
                raise
            except BaseException as error:
                status, result = RAISED, [error]
            del values
            self.reply(nonce, status, result, keys)
        finally:
            self.depth = depth
            if depth:
                sys.setrecursionlimit(sys.getrecursionlimit() - FRAMES_PER_REQUEST)

    def perform(self, operation: str, subject: int, name: Any, values: list[Any]) -> Any:
        """Do what the other end requests, and return the result. Each of the two ends has its own way."""
        raise NotImplementedError

    def reply(self, nonce: int, status: int, result: list[Any], keys: Iterable[int]) -> None:
        """Send a reply, and forget the containers that nobody uses.

        Args:
            nonce: of the request.
            status: RETURNED or RAISED.
            result: a list of the one value; emptied.
            keys: of the containers in the request.
        """
        with self.lock:
            try:
                body, new_keys = self.encode_body(result)
            except NotTransferable as error:
                status = RAISED
                body, new_keys = self.encode_body([NotTransferable(*error.args)])
            result.clear()
            keys = [*keys, *new_keys]
            kept = self.shared.keys_in_use(keys) if keys else []
            self.send([nonce, status, *body, kept])
            for key in keys:
                if key not in kept:
                    self.shared.forget(key)

    def run_awaitable(self, awaitable: Awaitable[Any]) -> Any:
        """Await something of this process in an event loop of its own, and return the result."""
        import asyncio

        async def wait() -> Any:
            return await awaitable

        running, task = asyncio._get_running_loop(), None
        # The other process may ask while a task of this process waits for it.
        if running is not None and sys.version_info >= (3, 14):
            # There, a thread has one current task, whatever the loop.
            task = asyncio.tasks._swap_current_task(running, None)
        asyncio._set_running_loop(None)
        try:
            if self.event_loop is None or self.event_loop.is_running():
                self.event_loop = asyncio.new_event_loop()
            return self.event_loop.run_until_complete(wait())
        finally:
            asyncio._set_running_loop(running)
            if task is not None:
                asyncio.tasks._swap_current_task(running, task)


def call(function: Callable[..., Any], keywords: Sequence[str], values: Sequence[Any]) -> Any:
    """Call a function.

    Args:
        function: to call.
        keywords: names of the last values.
        values: the arguments.
    """
    if not keywords:
        return function(*values)
    first = len(values) - len(keywords)
    return function(*values[:first], **dict(zip(keywords, values[first:])))
