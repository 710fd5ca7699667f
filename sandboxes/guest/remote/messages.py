"""Sends and receives values between a candidate's process and that of its tests, as both of them do it.

A request is ``[nonce, operation, subject, name, roots, nodes, changes, forgotten]``, a reply ``[nonce, status, roots,
nodes, changes, kept]``. Only the tests request. A reply names the request's nonce, which can't be known before: a
message that was sent earlier is no answer.
"""

from __future__ import annotations

from ..common.containers import CONTAINER_NODES
from ..common.value_decoder import Decoder
from ..common.value_encoder import Encoder
from ..common.values import ProtocolError
from .message_stream import MessageStream
from .shared_containers import SharedContainers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Protocol, Sequence

    from ..common.value_decoder import DecodingSide
    from ..common.value_encoder import EncodingSide

    # roots, nodes and changes
    Body = tuple[list[Any], list[Any], list[Any]]

    class Side(EncodingSide, DecodingSide, Protocol):
        """An end of the connection: it encodes and builds what is no plain data."""


RETURNED, RAISED = 0, 1


class Messages:
    """The messages of one end: plain data, containers that both ends have, and what a side makes of other values."""

    def __init__(self, fd: int, side: Side, decoder: Callable[[Side, list[Any]], Decoder] = Decoder) -> None:
        """Begin with no known objects.

        Args:
            fd: this end of the socket.
            side: encodes and builds what is no plain data.
            decoder: makes the decoder of a message for a side and its nodes.
        """
        self.stream = MessageStream(fd)
        self.side, self.decoder = side, decoder
        # for the id of a value, the node that refers to it
        self.references: dict[int, list[Any]] = {}
        self.shared = SharedContainers(self.references)
        # ids of the values that got a number in the message that is being encoded
        self.newly_numbered: list[int] = []

    def encode_body(self, values: list[Any]) -> tuple[Body, Sequence[int]]:
        """Return the roots, nodes and changes of a message with these values, and the keys of the containers in it."""
        encoder, shared = Encoder(self.side), self.shared
        try:
            changes = shared.changes(encoder) if shared.by_key else []
            # Not the same list, which its owner will empty.
            roots = list(encoder.children(values))
            if not encoder.values:
                return (roots, [], changes), ()
            nodes = encoder.finish()
        except BaseException:
            shared.resend_all()
            for identity in self.newly_numbered:
                self.references.pop(identity, None)
            raise
        finally:
            self.newly_numbered.clear()
        return (roots, nodes, changes), shared.add_sent(encoder)

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
        decoder = self.decoder(self.side, nodes)
        values = decoder.build()
        keys = self.shared.add_received(values, new, still)
        self.shared.apply(changes, decoder.resolve)
        # Some nodes are the values themselves. A reference from here would count as a use.
        nodes.clear()
        return decoder.resolve(roots), keys
