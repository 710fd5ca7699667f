"""The candidate's end of the connection to its tests: sends what the candidate defines, and does what they request."""

from __future__ import annotations

import copy
import operator
import re
import sys
import traceback
from importlib import import_module

from ..common.frames import REPORT_FIELDS
from ..common.output_value import encode_output
from ..common.value_encoder import MAX_INT
from ..common.values import ProtocolError, quote, scan, write
from ..runners.in_process import (
    CANDIDATE_FILE,
    SOURCES,
    TRACEBACK_CHARS,
    compile_error_report,
    keep_own_frames,
    new_module,
    program_report,
    register_sources,
)
from ..runners.policy import PLAIN
from .callbacks import build_callback
from .connection import RAISED, RETURNED, Connection, call
from .exporter import COROUTINE_FUNCTION, FUNCTION, MODULE
from .library_origins import known_values, library_origin
from .message_stream import PeerGone
from .special_methods import is_special
from .tests_imports import missing_imports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, NoReturn, Sequence

    from ..common.value_decoder import Decoder
    from ..common.value_encoder import Encoder
    from ..runners.policy import PlainPython

    Node = list[Any]
    Report = dict[str, Any]

BUILTINS = frozenset(vars(sys.modules["builtins"]))


def names_set_later(candidate: bytes) -> list[str]:
    """Return the global names that a candidate's functions may define when they are called."""
    if b"global " not in candidate:
        return []
    statements = re.findall(rb"^\s*global\s+([\w, ]+)", candidate, re.MULTILINE)
    return sorted({name.strip().decode("utf-8", "replace") for names in statements for name in names.split(b",")})


class CandidateConnection(Connection):
    """The candidate's end of the connection. It does whatever the tests request."""

    def __init__(self, fd: int, policy: PlainPython = PLAIN) -> None:
        """Begin with no known objects, and a module for the candidate.

        Args:
            fd: this end of the socket.
            policy: that the candidate obeys.
        """
        Connection.__init__(self, fd)
        self.policy = policy
        self.module = new_module()
        self.namespace: dict[str, Any] = self.module.__dict__
        self.later_names: Sequence[str] = ()
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
        describe = operator.attrgetter("__globals__", "__dict__", "__code__.co_flags")
        looking = (FUNCTION, describe, BUILTINS, known_values(), self.exported, self.references, "sender")
        left = (self.fail_to_compile, self.fail, self.serve_tests, self.note_counts, self.go_on, self.finish)
        return compiling, looking, (scan, write, sys.getrefcount, encode_report), left

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

    def go_on(self, unread: bytes) -> None:
        """Answer the tests until they end.

        Args:
            unread: what was read of their next request.
        """
        self.unread = unread
        try:
            while True:
                with self.lock:
                    message = self.receive()
                if not self.answer_plainly(message):
                    self.serve(message)
        except PeerGone:
            return

    def note_counts(self, received: int, sent: int) -> None:
        """Count nodes that were received and sent elsewhere. They describe no container that is still shared."""
        self.shared.received -= received
        self.shared.sent += sent

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
        keys = self.shared.add_received(values, [True] * len(values), None)
        values.clear()
        for key, parts in zip(keys, before):
            self.shared.by_key[key].parts = parts
        try:
            self.reply(nonce, status, [value], keys)
        except PeerGone:
            return
        self.go_on(b"")

    def send_body(self, body: bytes) -> None:
        """Write a frame, after the candidate's output: once its tests end, it may have no time to write that."""
        for stream in self.streams:
            try:
                stream.flush()
            except BaseException:  # closed, full: the candidate's own affair
                continue
        Connection.send_body(self, body)

    def answer_plainly(self, message: list[Any]) -> bool:
        """Answer a call with plain arguments at the least cost. Most calls are such. Return False for other messages.

        A freshly forked process pays for each object that it touches, so all of it is in one place.
        """
        nonce, operation, subject, keywords, values, nodes, changes, forgotten = message
        if operation != "call" or keywords or nodes or changes or forgotten or self.shared.by_key:
            return False
        self.depth = 1
        status = RETURNED
        try:
            value = self.exported[subject](*values)
        except PeerGone:
            raise
        except BaseException as error:
            status, value = RAISED, error
        self.depth = 0
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
        body = ("[%d,0,[%s],[],[],[]]" % (nonce, text)).encode("utf-8", "surrogatepass")
        self.send_body(body)
        return True

    def exports(self) -> list[str]:
        """Return what the candidate defines, as four texts: functions, other names, modules, names of libraries."""
        functions, others, modules, libraries = [], [], [], []
        guards = self.policy.guards
        for name, value in list(self.namespace.items()):
            if type(name) is not str or is_special(name) or name in BUILTINS or name in guards:
                continue
            kind = type(value)
            if kind is FUNCTION and not value.__dict__:
                library = library_origin(value)
                if library is None:
                    flavour = "async" if value.__code__.co_flags & COROUTINE_FUNCTION else ""
                    functions.append("%s:%d:%s" % (name, self.number(value), flavour))
                else:
                    libraries.append("%s:%s:%s" % (name, *library))
            elif kind is MODULE:
                modules.append("%s:%s" % (name, value.__name__))
            else:
                library = library_origin(value)
                if library is None:
                    others.append(name)
                else:
                    libraries.append("%s:%s:%s" % (name, *library))
        others += [name for name in self.later_names if name not in self.namespace]
        return [" ".join(group) for group in (functions, others, modules, libraries)]

    def number(self, value: Any) -> int:
        """Return the number of a value, which it gets if it has none."""
        reference = self.references.get(id(value))
        return reference[1] if reference else self.export(value)

    def perform(self, operation: str, subject: int, name: Any, values: list[Any]) -> Any:
        """Do what the tests request, and return the result."""
        if operation == "output":
            return encode_output(self.namespace, self.policy.output_variable)
        if operation == "global":
            return self.namespace[name] if name in self.namespace else self.missing(name)
        if operation == "import":
            return self.import_if_mentioned(values)
        value = self.exported[subject]
        if operation == "call":
            return call(value, name, values)
        if operation == "method":
            return self.call_method(value, name[0], name[1:], values)
        if operation == "get":
            return getattr(value, name)
        if operation == "set":
            return setattr(value, name, values[0])
        if operation == "del":
            return delattr(value, name)
        if operation in ("copy", "deepcopy"):
            return getattr(copy, operation)(value)
        if operation == "await":
            return self.run_awaitable(value)
        if operation == "anext":
            return self.run_awaitable(value.__anext__())
        if operation == "dir":
            return dir(value)
        if operation == "trace":
            return own_frames(value)
        if operation == "fields":
            return describe_fields(value)
        raise ProtocolError(operation)

    def import_if_mentioned(self, texts: list[str]) -> None:
        """Import what the tests import and the candidate forgot, as far as its policy lets it."""
        for statement in missing_imports(texts, SOURCES[CANDIDATE_FILE], self.namespace):
            try:
                exec(self.policy.compile(statement, CANDIDATE_FILE), self.namespace)
            except Exception:  # refused by the policy, or not installed
                continue

    def missing(self, name: str) -> NoReturn:
        """Raise NameError for a name that the candidate does not define."""
        raise NameError("name %r is not defined" % name)

    def call_method(self, value: Any, name: str, keywords: list[str], values: list[Any]) -> Any:
        """Call a method of an object."""
        if is_special(name):
            # An operator does not look among the instance's own attributes.
            return call(getattr(type(value), name), keywords, [value, *values])
        return call(getattr(value, name), keywords, values)

    def encode(self, encoder: Encoder, value: Any) -> Node:
        """Return the node for a value that is not data. A module is an object to the tests."""
        if type(value) is MODULE:
            return ["object", self.export(value), self.refer_to_class(encoder, MODULE)]
        return Connection.encode(self, encoder, value)

    def encode_function(self, encoder: Encoder, function: Any) -> Node:
        """Return the node for a function. One with attributes is an object to the tests."""
        if type(function) is FUNCTION and function.__dict__:
            return ["object", self.export(function), encoder.refer(FUNCTION)]
        name = getattr(function, "__name__", "")
        return ["function", self.export(function), name if type(name) is str else ""]

    def build_function(self, decoder: Decoder, number: int, node: Node) -> Any:
        """Return a function with the parameters of one of the tests', which calls that one."""
        name, flavour, parameters, passed = node[2:]

        def ask(arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
            return self.request_call(number, arguments, keywords)

        return self.add_proxy(number, build_callback(name, bool(flavour), parameters, passed, ask))

    def build_named(self, kind: str, name: str, *more: str) -> Any:
        """Return a module or a function of the standard library."""
        value: Any = import_module(name)
        for part in more[0].split(".") if more else ():
            value = getattr(value, part)
        return value


def describe_fields(kind: Any) -> list[tuple[Any, ...]]:
    """Return name, variety, and the flags init, repr and compare of a dataclass's fields.

    Raises:
        AttributeError: if the class is not a dataclass.
    """
    fields = kind.__dataclass_fields__.values()
    return [(field.name, field._field_type.name, field.init, field.repr, field.compare) for field in fields]


def own_frames(error: BaseException) -> str:
    """Return the lines of a traceback that show the candidate's own frames."""
    register_sources()
    shown = traceback.TracebackException(type(error), error, error.__traceback__, limit=-200, lookup_lines=False)
    keep_own_frames(shown)
    return "".join(shown.stack.format())[-TRACEBACK_CHARS:]
