"""The candidate's process where the tests run in another: runs the candidate, then does what the tests ask for."""

import copy
import linecache
import re
import sys
import traceback
from importlib import import_module

from .callbacks import build_callback
from .crossing import MOST_INT, Nonsense, quote
from .judge import CANDIDATE_FILE, TRACEBACK_CHARS, describe, keep_own_frames
from .libraries import SAFE_MODULES
from .link import RAISED, RETURNED, Gone, Link, call
from .names import COROUTINE_FUNCTION, FUNCTION, MODULE
from .operators import is_special
from .output import output_of
from .policy import PLAIN

BUILTINS = frozenset(vars(sys.modules["builtins"]))
REPORT_FIELDS = ("outcome", "detail", "exception_type", "exception_message", "traceback")


def serve(candidate, fd, policy=PLAIN):
    """Runs a candidate, says what it defines, and answers the tests until they end.

    Args:
        candidate: source, bytes.
        fd: this end of the socket.
        policy: that the candidate obeys.

    Returns:
        The report if the candidate itself failed, else None.
    """
    link = CandidateSide(fd, policy)
    module = type(sys)("candidate")
    report = run_candidate(candidate, module, policy)
    try:
        if report is not None:
            output = output_of(module.__dict__, policy.output_variable)
            link.send([0, RAISED, [report[name] for name in REPORT_FIELDS] + [output], [], [], []])
            return report
        link.namespace = module.__dict__
        link.later_names = names_set_later(candidate)
        link.send([0, RETURNED, link.exports(), [], [], []])
        while True:
            with link.lock:
                message = link.receive()
            if not link.answer_plainly(message):
                link.serve(message)
    except Gone:
        return None


def run_candidate(candidate, module, policy):
    """Runs a candidate as `judge` does. Returns the report if it failed."""
    run = exec  # the candidate may replace the builtin
    module.__file__ = CANDIDATE_FILE
    sys.modules["candidate"] = module
    # Else `import __main__` is this file.
    sys.modules["__main__"] = type(sys)("__main__")
    try:
        source = candidate.decode("utf-8", "surrogatepass")
        linecache.cache[CANDIDATE_FILE] = (len(source), None, source.splitlines(True), CANDIDATE_FILE)
        code = policy.compile(source, CANDIDATE_FILE)
        if policy.prepare is not None:
            policy.prepare(module)
    except BaseException as error:
        return describe(error, "compile_error")
    try:
        run(code, module.__dict__)
    except SystemExit as error:
        return describe(error, "exited")
    except MemoryError as error:
        return describe(error, "out_of_memory")
    except BaseException as error:
        return describe(error, "failed")
    return None


def names_set_later(candidate):
    """Global names that a candidate's functions may define when they are called."""
    if b"global " not in candidate:
        return []
    found = re.findall(rb"^\s*global\s+([\w, ]+)", candidate, re.MULTILINE)
    return sorted({name.strip().decode("utf-8", "replace") for names in found for name in names.split(b",")})


def library_of(value):
    """The module of the standard library that has a value under the value's own name; None if there is none."""
    module = getattr(value, "__module__", None)
    name = getattr(value, "__name__", None) or getattr(value, "_name", None)
    if type(module) is not str or type(name) is not str or module not in SAFE_MODULES:
        return None
    return (module, name) if getattr(sys.modules.get(module), name, None) is value else None


class CandidateSide(Link):
    """The candidate's end of the link. It does whatever the tests ask for."""

    def __init__(self, fd, policy):
        Link.__init__(self, fd)
        self.policy = policy
        self.namespace, self.later_names = {}, ()
        # As they are before the candidate's first line.
        self.streams = (sys.stdout, sys.stderr)

    def send_body(self, body):
        """Writes a frame, but first what the candidate has printed: once its tests end it may have no time to."""
        for stream in self.streams:
            try:
                stream.flush()
            except BaseException:  # closed, full: the candidate's own affair
                continue
        Link.send_body(self, body)

    def answer_plainly(self, message):
        """Answers a call with plain arguments, as most are, at the least cost. False for any other message.

        A freshly forked process pays for each object that it touches, so all of it is in one place.
        """
        nonce, operation, subject, keywords, values, nodes, changes, forgotten = message
        if operation != "call" or keywords or nodes or changes or forgotten or self.copies.by_key:
            return False
        self.nested = 1
        status = RETURNED
        try:
            value = self.exported[subject](*values)
        except Gone:
            raise
        except BaseException as error:
            status, value = RAISED, error
        self.nested = 0
        kind = type(value)
        if kind is int and -MOST_INT < value < MOST_INT:
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

    def exports(self):
        """What the candidate defines, as four texts: functions, other names, modules, names of libraries."""
        functions, others, modules, libraries = [], [], [], []
        guards = self.policy.guards
        for name, value in list(self.namespace.items()):
            if type(name) is not str or is_special(name) or name in BUILTINS or name in guards:
                continue
            kind = type(value)
            if kind is FUNCTION and not value.__dict__:
                library = library_of(value)
                if library is None:
                    flavour = "async" if value.__code__.co_flags & COROUTINE_FUNCTION else ""
                    functions.append("%s:%d:%s" % (name, self.number(value), flavour))
                else:
                    libraries.append("%s:%s:%s" % (name, *library))
            elif kind is MODULE:
                modules.append("%s:%s" % (name, value.__name__))
            else:
                library = library_of(value)
                if library is None:
                    others.append(name)
                else:
                    libraries.append("%s:%s:%s" % (name, *library))
        others += [name for name in self.later_names if name not in self.namespace]
        return [" ".join(each) for each in (functions, others, modules, libraries)]

    def number(self, value):
        known = self.names.get(id(value))
        return known[1] if known else self.export(value)

    def perform(self, operation, subject, name, values):
        """Does what the tests ask for, and returns what that gives."""
        if operation == "output":
            return output_of(self.namespace, self.policy.output_variable)
        if operation == "global":
            return self.namespace[name] if name in self.namespace else self.missing(name)
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
            return fields_of(value)
        raise Nonsense(operation)

    def missing(self, name):
        raise NameError("name %r is not defined" % name)

    def call_method(self, value, name, keywords, values):
        if is_special(name):
            # As operators find it: not among the instance's own attributes.
            return call(getattr(type(value), name), keywords, [value, *values])
        return call(getattr(value, name), keywords, values)

    def pack_function(self, packer, function):
        if type(function) is FUNCTION and function.__dict__:
            return ["object", self.export(function), packer.refer(FUNCTION)]
        name = getattr(function, "__name__", "")
        return ["function", self.export(function), name if type(name) is str else ""]

    def build_function(self, unpacker, number, node):
        """A function with the parameters of one of the tests', which calls it."""
        name, flavour, parameters, passed = node[2:]

        def ask(arguments, keywords):
            return self.call(number, arguments, keywords)

        return self.mirror(number, build_callback(name, bool(flavour), parameters, passed, ask))

    def build_named(self, kind, name, *more):
        """A module or a function of the standard library."""
        found = import_module(name)
        for part in more[0].split(".") if more else ():
            found = getattr(found, part)
        return found


def fields_of(kind):
    """What a dataclass's fields are like.

    Raises:
        AttributeError: if it is none.
    """
    fields = kind.__dataclass_fields__.values()
    return [(each.name, each._field_type.name, each.init, each.repr, each.compare) for each in fields]


def own_frames(error):
    """The lines of a traceback that show the candidate's own frames."""
    shown = traceback.TracebackException(type(error), error, error.__traceback__, limit=-200, lookup_lines=False)
    keep_own_frames(shown)
    return "".join(shown.stack.format())[-TRACEBACK_CHARS:]
