"""The tests' end of the link: what the candidate's process may ask of it, and what may be decided over there."""

import sys
from collections import Counter

from .callbacks import named_function, parameters_of
from .control_flow import TEST_RUNNERS, ControlFlow
from .copies import CONTAINERS
from .crossing import CannotCross
from .libraries import SAFE_MODULES
from .link import Link, call
from .names import BOUND_METHOD, BUILTIN_FUNCTION, COROUTINE_FUNCTION, FUNCTION, MODULE, data_base
from .operators import JUDGING, OPERATORS, READING, is_special
from .oracles import is_class_name, oracle_classes
from .stand_ins import ADVICE, StandInType, View

# Of the classes of libraries, instances of these may be used by a candidate that gets one.
LENT = frozenset(
    [("_io", "StringIO"), ("_io", "BytesIO"), ("random", "Random"), ("re", "Pattern"), ("re", "Match")]
    + [("types", "SimpleNamespace"), ("builtins", "memoryview"), ("array", "array")]
)
CALLED_ONLY = frozenset([("functools", "partial"), ("functools", "_lru_cache_wrapper")])
CALLED_ONLY |= {("operator", name) for name in ("itemgetter", "attrgetter", "methodcaller")}
METHOD_DESCRIPTOR = type(str.upper)
GENERATOR_METHODS = frozenset(("__next__", "__iter__", "send", "close", "__anext__", "__aiter__"))
ITERATORS = frozenset(("generator", "coroutine", "async_generator"))
TESTS_MODULE = "candidate"


def own_class(kind):
    """Whether the tests define a class, and it is none that a test runner uses."""
    modules = {base.__module__.partition(".")[0] for base in kind.__mro__}
    return kind.__module__ == TESTS_MODULE and not modules & TEST_RUNNERS


def all_within(value):
    """Returns a value and all that is in it, where it is a container of plain data."""
    found, pending = {}, [value]
    while pending:
        value = pending.pop()
        if id(value) not in found:
            found[id(value)] = value
            base = data_base(type(value))
            if base in CONTAINERS:
                pending += CONTAINERS[base][0](value)
            elif base is tuple or base is frozenset:
                pending += base.__iter__(value)
    return found.values()


def is_iterator(kind):
    return kind.__module__ in ("builtins", "itertools") and hasattr(kind, "__next__")


class Guard(ControlFlow):
    """The tests' end."""

    def __init__(self, fd, tests):
        ControlFlow.__init__(self, fd, tests)
        self.oracles = None
        self.namespace, self.given, self.fetchable = {}, {}, set()
        self.views, self.notes = {}, []
        # ids of the instances that the tests made of the candidate's classes, and how often it has named one since
        self.constructed, self.named_since = set(), Counter()
        # whether the last reply told of changed containers
        self.told_changes = False
        # for the id of a class, the global names by which the tests got it
        self.class_names = {}
        # What the tests needed and could not have: they may have taken our exception for the candidate's.
        self.impossible = None
        # the tests' objects that the candidate changed, by id
        self.changed = {}

    def ask(self, operation, subject, name, values):
        """Asks the candidate's process, as every Link does."""
        wanted = name[0] if operation == "method" else name if operation == "get" else None
        if wanted in JUDGING and not self.is_made(self.mirrors[subject]):
            self.cannot("%s of an object that the tests have not made can't be believed; " % wanted)
        reads = operation in ("get", "dir", "global") or (operation == "method" and name[0] in READING)
        if not reads:
            self.views.clear()
        return ControlFlow.ask(self, operation, subject, name, values)

    def fetch(self, name):
        """Returns the value that a global name of the candidate has now."""
        if name not in self.fetchable:
            raise KeyError(name)
        value = self.ask("global", 0, name, [])
        if isinstance(value, StandInType):
            self.class_names.setdefault(id(value), set()).add(name)
        return value

    def function_of(self, number, name, is_async):
        """Returns a function of the tests' process that calls one of the candidate's."""
        if type(self.mirrors.get(number)) is FUNCTION:
            # Another name of the same function.
            return self.mirrors[number]
        if number < 1 or number in self.mirrors:
            self.break_off("an invalid number of a function: %d" % number)

        def function(*arguments, **keywords):
            return self.ask("call", number, [*keywords], [*arguments, *keywords.values()])

        async def awaited(*arguments, **keywords):
            return await self.ask("call", number, [*keywords], [*arguments, *keywords.values()])

        function = awaited if is_async else function
        function.__name__ = function.__qualname__ = name
        return self.mirror(number, function)

    def trusts_name(self, name):
        if self.oracles is None:
            self.oracles = oracle_classes(self.tests)
        return name in self.oracles

    def trusts(self, value):
        """Returns whether an object may decide what comes of it and the tests' data.

        The tests have made it themselves, of a class that they use as one, by each of its names. Since then the
        candidate has not named it: what a call returns decides nothing, even if that is the instance it was called on.
        """
        if id(value) not in self.constructed or id(value) in self.named_since:
            return False
        return all(map(self.trusts_name, self.class_names[id(type(value))]))

    def is_made(self, value):
        """Returns whether an object is a class of the candidate, or was made of one by the tests and not named since.

        The class must be written like one: a function could be a class too.
        """
        kind = value if isinstance(value, StandInType) else type(value)
        made = kind is value or (id(value) in self.constructed and id(value) not in self.named_since)
        return made and id(kind) in self.class_names and all(map(is_class_name, self.class_names[id(kind)]))

    def construct(self, kind, arguments, keywords):
        value = Link.construct(self, kind, arguments, keywords)
        if type(value) is kind and id(kind) in self.class_names:
            self.constructed.add(id(value))
        return value

    def named_again(self, value):
        # What is in a container can be an instance only once the tests have made one.
        self.named_since.update(map(id, all_within(value)) if self.constructed else (id(value),))
        return value

    def may_decide(self, value, other):
        return self.is_stand_in(other) or self.trusts(value)

    def decide(self, value, name, others):
        """Has the candidate's process decide what comes of an operator, whose result may decide as its operand does."""
        trusted = {id(each) for each in (value, *others) if self.is_stand_in(each) and self.trusts(each)}
        with self.lock:
            result = self.method(value, name, others, {})
            if self.told_changes:
                # The result may be in a container of the tests too.
                return result
        if id(result) in trusted and self.named_since[id(result)] == 1:
            # Such as what `+=` returns.
            del self.named_since[id(result)]
        elif id(value) in trusted and type(result) is type(value):
            # New, or it has been named and decides nothing.
            self.constructed.add(id(result))
        return result

    def open_reply(self, message, keys):
        self.told_changes = bool(message[4])
        return Link.open_reply(self, message, keys)

    def refuse(self, value, name, other):
        """What an operator gives that would have the candidate decide over data of the tests."""
        note = "%s of the candidate meets %s of the tests in %s: that can't be decided here; " % (
            *(type(value).__name__, type(other).__name__, name),
        )
        self.notes.append(note + ADVICE)
        if name in ("__eq__", "__ne__"):
            return NotImplemented
        self.cannot(note)

    def view_of(self, value):
        view = self.views.get(id(value))
        if view is None:
            view = self.views[id(value)] = View(self, value)
        return view

    def check_may_leave(self, value, kind):
        """Raises CannotCross for what the candidate could do harm with."""
        name = (kind.__module__, kind.__name__)
        if issubclass(kind, (BaseException, type)) or kind in (FUNCTION, BOUND_METHOD, BUILTIN_FUNCTION):
            allowed = True
        elif kind is MODULE:
            allowed = value.__name__ in SAFE_MODULES
        else:
            allowed = own_class(kind) or is_iterator(kind) or name in LENT or name in CALLED_ONLY
            allowed = allowed or kind is METHOD_DESCRIPTOR or kind.__name__ in ITERATORS
        if not allowed:
            self.cannot("%s.%s can't be given to the candidate; " % name)

    def pack(self, packer, value):
        kind = type(value)
        if kind in (FUNCTION, BUILTIN_FUNCTION, METHOD_DESCRIPTOR, type):
            named = named_function(value)
            if named is not None:
                return named
        if kind in (FUNCTION, BOUND_METHOD, BUILTIN_FUNCTION) or (kind.__module__, kind.__name__) in CALLED_ONLY:
            return self.pack_function(packer, value)
        return Link.pack(self, packer, value)

    def pack_function(self, packer, function):
        """The node for a function that the candidate may call."""
        parameters, passed = parameters_of(function)
        code = getattr(function, "__code__", None)
        flavour = "async" if code is not None and code.co_flags & COROUTINE_FUNCTION else ""
        name = str(getattr(function, "__name__", "function"))
        return ["function", self.export(function), name, flavour, parameters, passed]

    def perform_allowed(self, operation, subject, name, values):
        """Does what the candidate asks of one of the tests' objects, if it may."""
        value = self.exported[subject]
        kind = type(value)
        self.check(not self.is_own_failure(value), operation + " of a failure")
        self.note_change(value, kind, operation)
        if operation == "call":
            self.check(not isinstance(value, type) or own_class(value), "a call of " + kind.__name__)
            return call(value, name, values)
        if operation in ("await", "anext"):
            self.check(kind.__name__ in ITERATORS, operation)
            return self.run_awaitable(value if operation == "await" else value.__anext__())
        if operation == "method":
            return self.perform_method(value, kind, name[0], name[1:], values)
        self.check(is_lent(value, kind) or isinstance(value, (type, BaseException)), operation)
        if operation in ("copy", "deepcopy"):
            return getattr(sys.modules["copy"], operation)(value)
        self.check(is_public(name), name)
        if operation == "get":
            return getattr(value, name)
        self.check(kind.__name__ == "SimpleNamespace" or own_class(kind), name)
        self.check(not callable(getattr(kind, name, None)), name)
        if operation == "set":
            return setattr(value, name, values[0])
        self.check(operation == "del", operation)
        return delattr(value, name)

    def perform_method(self, value, kind, name, keywords, values):
        if kind.__name__ in ITERATORS or is_iterator(kind):
            self.check(name in GENERATOR_METHODS, name)
        else:
            self.check(is_lent(value, kind) and (name in OPERATORS or is_public(name)), name)
        if is_special(name):
            return call(getattr(kind, name), keywords, [value, *values])
        return call(getattr(value, name), keywords, values)

    def note_change(self, value, kind, operation):
        """Keeps what a request may change, for `tests_process` to see whether it outlives the tests."""
        if operation == "get" or (kind is FUNCTION and value.__module__ == TESTS_MODULE):
            return
        while type(value).__name__ == "partial" and type(value).__module__ == "functools":
            value = value.func
        value = getattr(value, "__self__", value) if kind in (BOUND_METHOD, BUILTIN_FUNCTION) else value
        self.changed[id(value)] = value

    def check(self, allowed, what):
        if not allowed:
            self.cannot("the candidate can't have %s of the tests; " % (what,))

    def cannot(self, reason):
        """Ends what the tests are doing, and makes sure that they fail.

        Raises:
            CannotCross: always.
        """
        self.impossible = self.impossible or reason + ADVICE
        raise CannotCross(reason + ADVICE)


def is_lent(value, kind):
    """Whether a candidate may use an object of the tests, beyond calling it."""
    if isinstance(value, type):
        return own_class(value)
    return own_class(kind) or (kind.__module__, kind.__name__) in LENT


def is_public(name):
    return type(name) is str and name.isidentifier() and name[:1] != "_"
