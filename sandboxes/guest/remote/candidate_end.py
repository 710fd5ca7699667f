"""The candidate's end of the connection to its tests: sends what the candidate defines, and answers their requests."""

from __future__ import annotations

import builtins
import operator
import re
import sys

from ..common.frames import REPORT_FIELDS
from ..common.names import is_special
from ..common.output_value import encode_output
from ..common.value_encoder import ENCODERS, MAX_INT
from ..common.values import NotTransferable, quote, scan, write
from ..runners.in_process import (
    compile_error_report,
    new_module,
    program_report,
)
from ..runners.policy import PLAIN
from ..runners.sources import CANDIDATE_FILE, SOURCES
from .candidate_requests import CandidateRequests
from .data_types import EXACT_COPIES, UNCHANGING, data_base
from .kinds import FUNCTION, Kinds
from .message_stream import REQUEST_FIELDS, PeerGone
from .messages import RAISED, RETURNED, Messages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, Sequence

    from ..common.value_decoder import Decoder
    from ..common.value_encoder import Encoder
    from ..runners.policy import PlainPython

    Node = list[Any]
    Report = dict[str, Any]

BUILTINS = frozenset(vars(builtins))
BaseExceptionGroup: Any = getattr(builtins, "BaseExceptionGroup", ())
MODULE = type(sys)


def names_set_later(candidate: bytes) -> list[str]:
    """Return the global names that a candidate's functions may define when they are called."""
    if b"global " not in candidate:
        return []
    statements = re.findall(rb"^\s*global\s+([\w, ]+)", candidate, re.MULTILINE)
    return sorted({name.strip().decode("utf-8", "replace") for names in statements for name in names.split(b",")})


class CandidateEnd:
    """The candidate's end of the connection."""

    def __init__(self, fd: int, policy: PlainPython = PLAIN) -> None:
        """Begin with no known objects, and a module for the candidate.

        Args:
            fd: this end of the socket.
            policy: that the candidate obeys.
        """
        self.messages = Messages(fd, self)
        self.stream = self.messages.stream
        self.policy = policy
        self.module = new_module()
        self.namespace: dict[str, Any] = self.module.__dict__
        self.later_names: Sequence[str] = ()
        # for a number, the object that the tests know by it
        self.exported: dict[int, Any] = {}
        self.kinds = Kinds()
        self.requests = CandidateRequests(self.namespace, self.exported, policy)
        # Read before the candidate's first line, because it may replace them.
        self.streams = (sys.stdout, sys.stderr)

    def parts(self, encode_report: Callable[[Report | None], bytes]) -> tuple[tuple[Any, ...], ...]:
        """Return what the extension needs to do the same as `serve`, with less of Python.

        Args:
            encode_report: returns a complete report.

        Returns:
            How to compile a candidate and where to run it; how to look at what it defines; how to read and write
            values; and what the extension leaves to this class.
        """
        compiling = (compile, (CANDIDATE_FILE, "exec", 0, True), SOURCES, self.namespace)
        describe = operator.attrgetter("__globals__", "__dict__")
        looking = (FUNCTION, describe, BUILTINS, self.exported, self.messages.references, "sender")
        left = (self.fail_to_compile, self.fail, self.serve_tests, self.note_counts, self.go_on, self.finish)
        return compiling, looking, (scan, write, sys.getrefcount, encode_report), left

    # The beginning

    def fail_to_compile(self, error: BaseException) -> Report | None:
        """Report that the candidate can't be compiled."""
        return self.send_failure(compile_error_report(error))

    def fail(self, error: BaseException) -> Report | None:
        """Report the exception that ended the candidate."""
        return self.send_failure(program_report(error))

    def send_failure(self, report: Report) -> Report | None:
        """Send the report of a candidate that failed, and return it; None if the tests have ended."""
        output = encode_output(self.namespace, self.policy.output_variable)
        try:
            self.send([0, RAISED, [report[name] for name in REPORT_FIELDS] + [output], [], [], []])
        except PeerGone:
            return None
        return report

    def serve_tests(self, candidate: bytes) -> None:
        """Send the names that the candidate has defined, and answer the tests until they end.

        Args:
            candidate: source.
        """
        self.later_names = names_set_later(candidate)
        try:
            self.send([0, RETURNED, self.exports(), [], [], []])
        except PeerGone:
            return
        self.go_on(b"")

    def exports(self) -> list[str]:
        """Return what the candidate defines, as three texts: functions, other names, modules."""
        functions, others, modules = [], [], []
        guards = self.policy.guards
        for name, value in list(self.namespace.items()):
            if type(name) is not str or is_special(name) or name in BUILTINS or name in guards:
                continue
            kind = type(value)
            if kind is FUNCTION and value.__globals__ is self.namespace and not value.__dict__:
                functions.append("%s:%d" % (name, self.number(value)))
            elif kind is MODULE:
                modules.append("%s:%s" % (name, value.__name__))
            else:
                others.append(name)
        others += [name for name in self.later_names if name not in self.namespace]
        return [" ".join(group) for group in (functions, others, modules)]

    # Requests

    def go_on(self, unread: bytes) -> None:
        """Answer the tests until they end.

        Args:
            unread: what was read of their next request.
        """
        self.stream.unread = unread
        try:
            while True:
                message = self.stream.receive()
                if not self.answer_plainly(message):
                    self.serve(message)
        except PeerGone:
            return

    def answer_plainly(self, message: list[Any]) -> bool:
        """Answer a call with plain arguments at the least cost. Most calls are such. Return False for other messages.

        A freshly forked process pays for each object that it touches, so all of it is in one place.
        """
        if len(message) != REQUEST_FIELDS:
            return False
        nonce, operation, subject, keywords, values, nodes, changes, forgotten = message
        if (
            operation != "call"
            or keywords
            or nodes
            or changes
            or forgotten
            or self.messages.shared.by_key
            or self.requests.timer
        ):
            return False
        status = RETURNED
        try:
            value = self.exported[subject](*values)
        except PeerGone:
            raise
        except BaseException as error:
            status, value = RAISED, error
        kind = type(value)
        if kind is int and -MAX_INT < value < MAX_INT:
            text = repr(value)
        elif kind is bool:
            text = "true" if value else "false"
        elif value is None:
            text = "null"
        elif kind is str:
            text = quote(value)
        else:
            self.reply(nonce, status, [value], ())
            return True
        self.flush()
        self.stream.send_body(("[%d,0,[%s],[],[],[]]" % (nonce, text)).encode("utf-8", "surrogatepass"))
        return True

    def serve(self, message: list[Any]) -> None:
        """Do what the tests request, and reply."""
        if len(message) != REQUEST_FIELDS:
            self.stream.abort("a reply to no request")
        nonce, operation, subject, name, roots, nodes, changes, forgotten = message
        try:
            for key in forgotten:
                self.messages.shared.forget(-key)
            values, keys = self.messages.decode_body(roots, nodes, changes)
            del roots, nodes, changes, message
        except Exception as error:
            self.stream.abort("%s: %s" % (type(error).__name__, error))
        try:
            status, result = RETURNED, [self.requests.perform(operation, subject, name, values)]
        except PeerGone:
            raise
        except BaseException as error:
            status, result = RAISED, [error]
        del values
        self.reply(nonce, status, result, keys)

    # Replies

    def reply(self, nonce: int, status: int, result: list[Any], keys: Iterable[int]) -> None:
        """Send a reply, and forget the containers that nobody uses.

        Args:
            nonce: of the request.
            status: RETURNED or RAISED.
            result: a list of the one value; emptied.
            keys: of the containers in the request.
        """
        described = len(self.kinds.numbers)
        try:
            body, new_keys = self.messages.encode_body(result)
        except Exception as error:
            self.kinds.forget_since(described)
            status = RAISED
            body, new_keys = self.messages.encode_body([NotTransferable("%s: %s" % (type(error).__name__, error))])
        result.clear()
        keys = [*keys, *new_keys]
        shared = self.messages.shared
        kept = shared.keys_in_use(keys) if keys else []
        self.send([nonce, status, *body, kept])
        for key in keys:
            if key not in kept:
                shared.forget(key)

    def send(self, message: list[Any]) -> None:
        """Write a message, after the candidate's output."""
        self.flush()
        self.stream.send(message)

    def flush(self) -> None:
        """Write the candidate's output: once its tests end, it may have no time for that."""
        for stream in self.streams:
            try:
                stream.flush()
            except BaseException:  # closed, full: the candidate's own affair
                continue

    def note_counts(self, received: int, sent: int) -> None:
        """Count nodes that were received and sent elsewhere. They describe no container that is still shared."""
        self.messages.shared.received -= received
        self.messages.shared.sent += sent

    def finish(self, nonce: int, status: int, value: Any, values: list[Any], before: list[list[Any]]) -> None:
        """Send the result of a call that was made elsewhere, and answer the tests until they end.

        Args:
            nonce: of the request.
            status: RETURNED or RAISED.
            value: the result.
            values: of the request's nodes; emptied.
            before: the parts of the containers among them before the call.
        """
        if isinstance(value, PeerGone):
            return
        shared = self.messages.shared
        keys = shared.add_received(values, [True] * len(values), None)
        values.clear()
        for key, parts in zip(keys, before):
            shared.by_key[key].parts = parts
        try:
            self.reply(nonce, status, [value], keys)
        except PeerGone:
            return
        self.go_on(b"")

    # Values

    def number(self, value: Any) -> int:
        """Return the number of an object, which it gets if it has none."""
        reference = self.messages.references.get(id(value))
        return reference[1] if reference else self.export(value)

    def export(self, value: Any) -> int:
        """Give an object a number, by which the tests can refer to it."""
        number = len(self.exported) + 1
        self.exported[number] = value
        self.messages.references[id(value)] = ["sender", number]
        self.messages.newly_numbered.append(id(value))
        return number

    def known_node(self, value: Any) -> Node | None:
        """Return the node that refers to an object; None if the tests do not know it."""
        return self.messages.references.get(id(value))

    def encode(self, encoder: Encoder, value: Any) -> Node:
        """Return the node for a value that is not data: a number, its class, and what the tests have of it besides."""
        kind = type(value)
        if issubclass(kind, type) and issubclass(value, BaseException):
            return ["exception_class", self.export(value), self.kinds.describe(value)]
        described = self.kinds.describe(kind)
        if issubclass(kind, BaseException):
            arguments = encoder.refer(arguments_of(value, kind))
            return ["exception", self.export(value), described, arguments]
        base = data_base(kind)
        if base in UNCHANGING:
            # The number comes before the data, in which the value may be.
            number = self.export(value)
            return ["value", number, described, *ENCODERS[base](encoder, EXACT_COPIES[base](value))]
        return ["object", self.export(value), described]

    def parts_needed(self, node: Node, decoder: Decoder) -> list[Any]:
        """Return the children that must be there before the value of a node is: none."""
        return []

    def build(self, decoder: Decoder, node: Node) -> Any:
        """Return the value for a node that is not data: one that the tests refer to."""
        return self.exported[node[1]] if node[0] == "receiver" else self.messages.shared.by_key[-node[1]].value


def arguments_of(error: Any, kind: type) -> tuple[Any, ...]:
    """Return the arguments of which the tests' process makes an exception anew."""
    arguments: Any = BaseException.args.__get__(error)  # type: ignore[attr-defined]
    if issubclass(kind, OSError) and len(arguments) == 2 and error.filename is not None:
        return (*arguments, error.filename)
    if issubclass(kind, BaseExceptionGroup):
        return (*arguments[:1], BaseExceptionGroup.exceptions.__get__(error))
    return tuple(arguments)
