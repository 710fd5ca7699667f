"""The tests' end of the link: what the candidate's process may ask of it, and what may be decided over there."""

import sys

from .callbacks import named_function, parameters_of
from .crossing import CannotCross
from .libraries import SAFE_MODULES
from .link import Link, call
from .names import BOUND_METHOD, BUILTIN_FUNCTION, COROUTINE_FUNCTION, FUNCTION, MODULE
from .operators import OPERATORS, READING, is_special
from .oracles import oracle_classes
from .stand_ins import ADVICE, View

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
# A test runner takes what these raise for success.
TEST_RUNNERS = frozenset(("unittest", "pytest", "_pytest", "doctest", "nose"))
TESTS_MODULE = "candidate"


def own_class(kind):
    """Whether the tests define a class, and it is none that a test runner uses."""
    modules = {base.__module__.partition(".")[0] for base in kind.__mro__}
    return kind.__module__ == TESTS_MODULE and not modules & TEST_RUNNERS


def is_iterator(kind):
    return kind.__module__ in ("builtins", "itertools") and hasattr(kind, "__next__")


class Guard(Link):
    """The tests' end."""

    def __init__(self, fd, tests):
        Link.__init__(self, fd)
        self.tests = tests
        self.oracles = None
        self.namespace, self.given, self.fetchable = {}, {}, set()
        self.constructed, self.views, self.notes = set(), {}, []
        # What the tests needed and could not have: they may have taken our exception for the candidate's.
        self.impossible = None

    def ask(self, operation, subject, name, values):
        """Asks the candidate's process, as every Link does."""
        reads = operation in ("get", "dir", "global") or (operation == "method" and name[0] in READING)
        if not reads:
            self.views.clear()
        try:
            return Link.ask(self, operation, subject, name, values)
        except StopIteration as error:
            # Else `all(map(test, cases))` ends early, and well.
            if operation == "call" and "StopIteration" not in self.tests:
                raise RuntimeError("the candidate raised StopIteration") from error
            raise
        except BaseException as error:
            if type(error).__module__.partition(".")[0] in TEST_RUNNERS:
                self.break_off("it raised what a test runner takes for success")
            raise

    def fetch(self, name):
        """The value that a global name of the candidate has now."""
        if name not in self.fetchable:
            raise KeyError(name)
        return self.ask("global", 0, name, [])

    def function_of(self, number, name, is_async):
        """A function of the tests' process that calls one of the candidate's."""

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

    def trusts(self, kind):
        return self.trusts_name(kind.__name__)

    def construct(self, kind, arguments, keywords):
        value = Link.construct(self, kind, arguments, keywords)
        if type(value) is kind and self.trusts(kind):
            self.constructed.add(id(value))
        return value

    def may_decide(self, value, other):
        return self.is_stand_in(other) or id(value) in self.constructed

    def note_result(self, value, result):
        if id(value) in self.constructed and type(result) is type(value):
            self.constructed.add(id(result))
        return result

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
        parameters, passed, defaults = parameters_of(function)
        code = getattr(function, "__code__", None)
        flavour = "async" if code is not None and code.co_flags & COROUTINE_FUNCTION else ""
        name = str(getattr(function, "__name__", "function"))
        children = packer.children(defaults)
        return ["function", self.export(function), name, flavour, parameters, passed, *children]

    def perform(self, operation, subject, name, values):
        """Does what the candidate asks of one of the tests' objects, if it may."""
        value = self.exported[subject]
        kind = type(value)
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
