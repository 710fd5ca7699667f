"""One end of the connection between a candidate's process and its tests': asks the other end, and answers it.

A request is ``[nonce, operation, subject, name, roots, nodes, changes, forgotten]``, a reply ``[nonce, status, roots,
nodes, changes, kept]``; each is JSON after four bytes of length, big-endian. While one end waits for its reply it
serves the other's requests, so they nest. A reply names the request's nonce, which can't be known before: what was sent
earlier is no answer.
"""

import os
import sys
from _thread import RLock

from .copies import Copies
from .crossing import CannotCross, Nonsense, Packer, Unpacker, scan, write
from .mirrors import Mirrors
from .names import Names

MOST_FRAME_BYTES = 64 << 20
READ_BYTES = 1 << 15
REQUEST_FIELDS, REPLY_FIELDS = 8, 6
RETURNED, RAISED = 0, 1
MOST_NESTED = 1500
# How deep a request that is served while another waits can be called by our own functions.
OWN_FRAMES = 24
CONTENTS = frozenset("list dict set deque bytearray OrderedDict Counter defaultdict array".split())


class Gone(BaseException):
    """The other process has ended, or does not keep to the protocol."""


class Link(Names, Mirrors):
    """One end."""

    def __init__(self, fd):
        self.fd = fd
        self.read_some, self.write_some, self.random = os.read, os.write, os.urandom
        self.unread = b""
        self.lock = RLock()
        self.nested = 0
        self.gone = self.loop = None
        self.names = {}
        self.copies = Copies(self.names)
        self.exported, self.mirrors = {}, {}
        self.metaclasses, self.described = {}, {}
        # ids of values that were named to the other end in the message that is being packed
        self.just_named = []

    def ask(self, operation, subject, name, values):
        """Has the other end do something, and serves it meanwhile.

        Args:
            operation: one that its `perform` knows.
            subject: the number of one of its values.
            name: for the operation, plain.
            values: a list.

        Returns:
            What it returned. What it raised is raised.

        Raises:
            Gone: if it does not answer as it should.
            CannotCross: if a value can't be sent.
        """
        with self.lock:
            if self.gone:
                raise Gone(self.gone)
            nonce = int.from_bytes(self.random(7), "big")
            copies = self.copies
            forgotten = copies.too_many()
            for key in forgotten:
                copies.forget(key)
            keys = self.post([nonce, operation, subject, name], values, forgotten)
            while True:
                message = self.receive()
                if message[0] == nonce and len(message) == REPLY_FIELDS:
                    break
                self.serve(message)
            value = self.open_reply(message, keys)
        if message[1] == RETURNED:
            return value
        if not isinstance(value, BaseException):
            self.break_off("what was raised is no exception")
        raise value

    def open_reply(self, message, keys):
        """The value in a reply, after what it says of containers."""
        _, _, roots, nodes, changes, kept = message
        try:
            still = {-key for key in kept}
            value = self.unpack(roots, nodes, changes, still)[0][0]
            for key in keys:
                if key not in still:
                    self.copies.forget(key)
            return value
        except Exception as error:
            self.break_off("%s: %s" % (type(error).__name__, error))

    def unpack(self, roots, nodes, changes, still=None):
        """The values of a message, and the keys of the new containers.

        Args:
            roots: of the message.
            nodes: of the message; emptied.
            changes: of the message.
            still: keys of the containers to keep a link to; all of them if None.
        """
        if not nodes and not changes:
            if list in map(type, roots):
                raise Nonsense("a node that is not there")
            return roots, ()
        new = [node[0] in CONTENTS for node in nodes]
        unpacker = Unpacker(self, nodes)
        values = unpacker.build()
        keys = self.copies.add_received(values, new, still)
        self.copies.apply(changes, unpacker.resolve)
        # They are the values themselves, in part, and would count as held.
        nodes.clear()
        return unpacker.resolve(roots), keys

    def post(self, head, values, kept):
        """Sends a request. Returns the keys of the containers in it."""
        packed, keys = self.pack_all(values)
        self.send([*head, *packed, kept])
        return keys

    def pack_all(self, values):
        """The roots, nodes and changes of a message with these values, and the keys of the containers in it."""
        packer, copies = Packer(self), self.copies
        try:
            changes = copies.changes(packer) if copies.by_key else []
            # Not the same list, which its owner will empty.
            roots = list(packer.children(values))
            if not packer.values:
                return (roots, [], changes), ()
            nodes = packer.finish()
        except BaseException:
            copies.send_all_again()
            for each in self.just_named:
                self.names.pop(each, None)
            raise
        finally:
            self.just_named.clear()
        return (roots, nodes, changes), copies.add_sent(packer)

    def send(self, message):
        """Writes a message."""
        self.send_body("".join(write(message, 0)).encode("utf-8", "surrogatepass"))

    def send_body(self, body):
        """Writes a frame."""
        if len(body) > MOST_FRAME_BYTES:
            self.break_off("more than %d bytes at once" % MOST_FRAME_BYTES)
        frame = len(body).to_bytes(4, "big") + body
        try:
            written = self.write_some(self.fd, frame)
            while written < len(frame):
                frame = frame[written:]
                written = self.write_some(self.fd, frame)
        except OSError as error:
            self.break_off(str(error))

    def receive(self):
        """Reads a frame: a list that is a request or a reply by its length."""
        try:
            buffer = self.unread or self.read_some(self.fd, READ_BYTES)
            while len(buffer) < 4:
                buffer += self.more()
            end = 4 + int.from_bytes(buffer[:4], "big")
            if end > MOST_FRAME_BYTES:
                raise Nonsense("a frame of %d bytes" % end)
            if len(buffer) < end:
                buffer = self.read_until(buffer, end)
            self.unread = buffer[end:]
            text = buffer[4:end].decode("utf-8", "surrogatepass")
            message, length = scan(text, 0)
            if length != len(text) or type(message) is not list or len(message) not in (REQUEST_FIELDS, REPLY_FIELDS):
                raise Nonsense("a frame that holds no message")
            return message
        except (Exception, StopIteration) as error:
            self.break_off("%s: %s" % (type(error).__name__, error))

    def read_until(self, buffer, end):
        buffer = bytearray(buffer)
        while len(buffer) < end:
            buffer += self.more()
        return bytes(buffer)

    def more(self):
        chunk = self.read_some(self.fd, 1 << 20)
        if not chunk:
            raise EOFError("the other process has ended")
        return chunk

    def break_off(self, reason):
        """Speaks no more with the other end.

        Raises:
            Gone: always.
        """
        self.gone = self.gone or reason
        raise Gone(reason)

    def serve(self, message):
        """Does what the other end asks for, and replies."""
        if len(message) != REQUEST_FIELDS:
            self.break_off("a reply to no request")
        nonce, operation, subject, name, roots, nodes, changes, forgotten = message
        nested = self.nested
        self.nested = nested + 1
        if nested:
            # Else a recursion through both processes ends sooner than it would in one.
            sys.setrecursionlimit(sys.getrecursionlimit() + OWN_FRAMES)
        try:
            for key in forgotten:
                self.copies.forget(-key)
            values, keys = self.unpack(roots, nodes, changes)
            del roots, nodes, changes, message
        except Exception as error:
            self.break_off("%s: %s" % (type(error).__name__, error))
        try:
            try:
                if nested > MOST_NESTED:
                    raise RecursionError("maximum recursion depth exceeded between the tests and the candidate")
                status, result = RETURNED, [self.perform(operation, subject, name, values)]
            except Gone:
                raise
            except BaseException as error:
                status, result = RAISED, [error]
            del values
            self.reply(nonce, status, result, keys)
        finally:
            self.nested = nested
            if nested:
                sys.setrecursionlimit(sys.getrecursionlimit() - OWN_FRAMES)

    def reply(self, nonce, status, result, keys):
        """Sends a reply, and forgets what nobody holds."""
        with self.lock:
            try:
                packed, new_keys = self.pack_all(result)
            except CannotCross as error:
                status = RAISED
                packed, new_keys = self.pack_all([CannotCross(*error.args)])
            result.clear()
            keys = [*keys, *new_keys]
            kept = self.copies.held(keys) if keys else []
            self.send([nonce, status, *packed, kept])
            for key in keys:
                if key not in kept:
                    self.copies.forget(key)

    def run_awaitable(self, awaitable):
        """What an awaitable of this process gives, awaited in a loop of its own."""
        import asyncio

        async def wait():
            return await awaitable

        running = asyncio._get_running_loop()
        # The other process may ask while a loop of ours waits for it.
        asyncio._set_running_loop(None)
        try:
            if self.loop is None or self.loop.is_running():
                self.loop = asyncio.new_event_loop()
            return self.loop.run_until_complete(wait())
        finally:
            asyncio._set_running_loop(running)


def call(function, keywords, values):
    """Calls a function with values of which the last are for these keywords."""
    if not keywords:
        return function(*values)
    first = len(values) - len(keywords)
    return function(*values[:first], **dict(zip(keywords, values[first:])))
