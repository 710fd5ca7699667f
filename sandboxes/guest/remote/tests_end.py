"""The tests' end of the connection: has the candidate's process do what tests ask of its objects."""

from __future__ import annotations

import os

from ..common.library_values import build_exact_array
from ..common.value_decoder import BUILDERS, Decoder
from ..common.values import NotTransferable, ProtocolError
from .candidate_exceptions import exception_class, new_exception
from .cpu_timers import TestsTimer
from .data_types import EXACT_COPIES
from .handles import handle_class, is_handle
from .message_stream import REPLY_FIELDS, PeerGone
from .messages import RETURNED, Messages
from .operations import COMPARISONS, OF_TWO
from .readings import Reading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn, Sequence

    from ..common.value_encoder import Encoder

    Node = list[Any]

ADVICE = 'grade such tests with grading="shared"'
KINDS = frozenset(("object", "value", "exception", "exception_class"))
BASES = {kind.__name__: kind for kind in EXACT_COPIES}


class TestsDecoder(Decoder):
    """The values of a reply."""

    builders = {
        **BUILDERS,
        "array": lambda children: build_exact_array("array", *children),
        "scalar": lambda children: build_exact_array("scalar", *children),
    }

    def __init__(self, side: Any, nodes: list[Node]) -> None:
        """Read the descriptions of classes, which stand where each is first referred to.

        Args:
            side: the tests' end.
            nodes: of the message.
        """
        Decoder.__init__(self, side, nodes)
        for node in nodes:
            if node[0] in KINDS:
                side.kind(node[2])


class TestsEnd:
    """The tests' end."""

    def __init__(self, fd: int) -> None:
        """Begin with no known objects.

        Args:
            fd: this end of the socket.
        """
        self.messages = Messages(fd, self, TestsDecoder)
        self.stream = self.messages.stream
        self.random = os.urandom
        # by the candidate's numbers: its objects and its classes
        self.objects: dict[int, Any] = {}
        self.kinds: dict[int, Any] = {}
        # the class of the handles of functions that the candidate named at the start
        self.functions: Any = None
        # for the id of a handle, what was read of its object since something may have changed it
        self.readings: dict[int, Reading] = {}
        # ids of the classes that tests name, and of the instances that they have made by those names
        self.classes: set[int] = set()
        self.made: set[int] = set()
        # Why something that the tests needed was refused. They may have taken that exception for the candidate's.
        self.refusal: str | None = None
        # what a failure may come from
        self.note = ""
        # how many comparisons of two objects the candidate's process has decided
        self.decided = 0
        self.timer = TestsTimer()

    # Requests

    def request(self, operation: str, subject: int, name: Any, values: list[Any]) -> Any:
        """Have the candidate's process do something.

        Args:
            operation: one that its `perform` knows.
            subject: the number of one of its objects; 0 for none.
            name: for the operation, plain.
            values: a list.

        Returns:
            What it returned. If it raised an exception, that is raised.

        Raises:
            PeerGone: if it does not answer as it should.
            NotTransferable: if a value can't be sent.
        """
        if self.stream.closed_reason:
            raise PeerGone(self.stream.closed_reason)
        nonce = int.from_bytes(self.random(7), "big")
        shared = self.messages.shared
        forgotten = shared.surplus_keys()
        for key in forgotten:
            shared.forget(key)
        body, keys = self.messages.encode_body(values)
        self.stream.send([nonce, operation, subject, name, *body, forgotten])
        message = self.stream.receive()
        if len(message) != REPLY_FIELDS or message[0] != nonce:
            self.stream.abort("a reply to no request")
        value = self.read_reply(message, keys)
        if message[1] == RETURNED:
            return value
        if not isinstance(value, BaseException):
            self.stream.abort("what was raised is not an exception")
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
            value = self.messages.decode_body(roots, nodes, changes, still)[0][0]
            for key in keys:
                if key not in still:
                    self.messages.shared.forget(key)
            return value
        except Exception as error:
            self.stream.abort("%s: %s" % (type(error).__name__, error))

    def number(self, handle: Any) -> int:
        """Return the number by which the candidate's process knows an object or a class."""
        number: int = self.messages.references[id(handle)][1]
        return number

    def ask(self, operation: str, handle: Any, name: Any, values: list[Any]) -> Any:
        """Have the candidate's process do something with an object or a class of its own."""
        if operation in ("call", "method"):
            self.readings.clear()
            if self.timer.seconds != self.timer.known_seconds:
                self.request("limit", 0, self.timer.seconds, [])
                self.timer.known_seconds = self.timer.seconds
        value = self.request(operation, self.number(handle), name, values)
        if operation == "call" and id(handle) in self.classes and is_handle(value):
            self.made.add(id(value))
        return value

    def operate(self, name: str, operands: list[Any]) -> Any:
        """Have the candidate's process apply a special method to objects."""
        subject, *arguments = operands
        if name in COMPARISONS:
            self.decided += 1
        if name in OF_TWO or id(subject) in self.made:
            return self.operate_anew(name, operands)
        if self.readings and self.messages.shared.have_changed():
            # The tests may have changed a list that an object holds.
            self.readings.clear()
        reading = self.readings.setdefault(id(subject), Reading(subject, self.refuse))
        if name == "__next__":
            return reading.next_item(lambda: self.operate_anew(name, operands))
        if name == "__iter__" and not hasattr(type(subject), "__next__"):
            return reading.iterate(lambda: iter(self.operate_anew(name, operands)))
        if name == "__reversed__" and hasattr(type(subject), "__iter__"):
            return reversed(list(subject))
        key = (name, *map(repr, arguments))
        if key not in reading.answers:
            try:
                answer = self.operate_anew(name, operands)
            except IndexError:
                reading.note_missing(*arguments)
                raise
            reading.note(name, tuple(arguments), answer)
        return reading.answers[key]

    def operate_anew(self, name: str, operands: list[Any]) -> Any:
        """Have the candidate's process apply a special method, whatever it said before.

        Raises:
            StopIteration: if an iterator has no more items. Raised by anything else it would end a loop of the tests.
        """
        try:
            return self.request("operate", 0, name, operands)
        except Exception as error:
            if name != "__next__" or not any(kind.__name__ == "StopIteration" for kind in type(error).__mro__):
                raise
            end = error.args
        raise StopIteration(*end)

    def data_of(self, handle: Any) -> Any:
        """Return the data that an instance of a subclass of plain data holds."""
        return self.request("data", self.number(handle), None, [])

    def note_comparison(self, handle: Any, other: Any) -> None:
        """Note that an object was compared with something else than another one."""
        names = (type(handle).__name__, type(other).__name__)
        self.note = "%s of the candidate meets %s of the tests, and is not equal to it; " % names + ADVICE

    def refuse(self, reason: str) -> NoReturn:
        """End what the tests are doing, and make sure that they fail.

        Raises:
            NotTransferable: always.
        """
        self.refusal = self.refusal or reason + ADVICE
        raise NotTransferable(reason + ADVICE)

    # Values

    def known_node(self, value: Any) -> Node | None:
        """Return the node that refers to a value; None if the other process does not know the value."""
        return self.messages.references.get(id(value))

    def encode(self, encoder: Encoder, value: Any) -> Node:
        """Refuse a value that is no plain data: the tests keep it."""
        kind = type(value)
        self.refuse("%s.%s can't be given to the candidate; " % (kind.__module__, kind.__qualname__))

    def parts_needed(self, node: Node, decoder: Decoder) -> list[Any]:
        """Return the children that must be there before the value of a node is."""
        if node[0] == "value":
            return decoder.parts_needed(node[3:])
        return node[3:4] if node[0] == "exception" else []

    def build(self, decoder: Decoder, node: Node) -> Any:
        """Return the value for a node that is not data."""
        kind, number = node[:2]
        if kind == "sender":
            value = self.objects[number]
            # What the candidate refers to again may be a result. A class that it gives makes results, too.
            self.made.discard(id(value))
            self.classes.discard(id(value))
            return value
        if kind == "container":
            return self.messages.shared.by_key[-number].value
        if type(number) is not int or number < 1 or number in self.objects or kind not in KINDS:
            # An object that lost its number could be freed, and another one could get its id.
            raise ProtocolError("an invalid node: %r" % (node[:2],))
        described = self.kinds[node[2][0]]
        if kind == "exception_class":
            return self.add(number, described)
        if kind == "exception":
            (arguments,) = decoder.resolve(node[3:4])
            if not issubclass(described, BaseException) or type(arguments) is not tuple:
                raise ProtocolError("an invalid exception")
            return self.add(number, new_exception(described, arguments))
        if kind == "object":
            return self.add(number, object.__new__(described))
        base = BASES[node[3]]
        return self.add(number, base.__new__(described, decoder.make(node[3:])))

    def add(self, number: int, value: Any) -> Any:
        """Note an object of the candidate's, so that it is the same each time. Return it."""
        self.objects[number] = value
        self.messages.references[id(value)] = ["receiver", number]
        return value

    def function(self, number: int) -> Any:
        """Return the handle of one of the candidate's functions, which it named at the start."""
        if number < 1:
            self.stream.abort("an invalid number of a function: %d" % number)
        if number in self.objects:
            # Another name of the same function.
            return self.objects[number]
        if self.functions is None:
            self.functions = handle_class(self, "function", ("__call__",), (), None)
        return self.add(number, object.__new__(self.functions))

    def kind(self, described: list[Any]) -> Any:
        """Return the class that stands for one of the candidate's.

        Args:
            described: its number; the first time also its name, its module, the names of special methods, those of
                methods, the name of the plain data that it derives from, and its bases if it is an exception.
        """
        number = described[0]
        if len(described) > 1:
            name, module, defined, methods, base, bases = described[1:]
            more = (name, module, defined.split(), methods.split())
            if bases is not None:
                inherited = tuple(self.kind(each) for each in bases)
                self.kinds[number] = exception_class(self, *more, inherited)
            else:
                self.kinds[number] = handle_class(self, name, *more[2:], BASES[base] if base else None)
        return self.kinds[number]
