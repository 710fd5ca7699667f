"""Stand-ins for the other process's objects and classes: what is done with one is asked of the other process."""

from collections import Counter

from .operators import COMPARISONS, GUARDED, OPERATORS, READABLE, READING, is_special

ADVICE = 'grade such tests with grading="shared"'


class StandInType(type):
    """The type of classes that stand for the other process's classes."""

    def __new__(cls, name, bases, namespace):
        """Makes such a class, unless a test wants to derive one of its own."""
        if "_crossing_link" not in namespace:
            link = next(base._crossing_link for base in bases if isinstance(base, StandInType))
            link.cannot("a class of one process can't derive from a class of the other; ")
        return type.__new__(cls, name, bases, namespace)

    def __init__(cls, name, bases, namespace):
        type.__init__(cls, name, bases, namespace)

    def __call__(cls, *arguments, **keywords):
        return cls._crossing_link.construct(cls, arguments, keywords)

    def __getattr__(cls, name):
        if name == "__dataclass_fields__":
            fields = cls._crossing_link.dataclass_fields(cls)
            type.__setattr__(cls, name, fields)
            return fields
        if is_special(name) and name not in READABLE:
            raise AttributeError(name)
        return cls._crossing_link.ask_of("get", cls, name, [])

    def __setattr__(cls, name, value):
        if is_special(name):
            type.__setattr__(cls, name, value)
        else:
            cls._crossing_link.ask_of("set", cls, name, [value])

    def __delattr__(cls, name):
        cls._crossing_link.ask_of("del", cls, name, [])


class StandIn:
    """The part that all stand-ins have; each class of the other process adds its operators and methods."""

    __slots__ = ()

    def __getattr__(self, name):
        if name == "__dataclass_fields__":
            return getattr(type(self), name)
        if is_special(name) and name not in READABLE:
            raise AttributeError("%r object has no attribute %r" % (type(self).__name__, name))
        return self._crossing_link.ask_of("get", self, name, [])

    def __setattr__(self, name, value):
        if is_special(name):
            object.__setattr__(self, name, value)
        else:
            self._crossing_link.ask_of("set", self, name, [value])

    def __delattr__(self, name):
        self._crossing_link.ask_of("del", self, name, [])

    def __dir__(self):
        return self._crossing_link.ask_of("dir", self, None, [])

    def __copy__(self):
        return self._crossing_link.ask_of("copy", self, None, [])

    def __deepcopy__(self, memo):
        return self._crossing_link.ask_of("deepcopy", self, None, [])

    def __reduce_ex__(self, protocol):
        self._crossing_link.cannot("an object of the other process can't be pickled; ")


def operator(name):
    def ask(self, *arguments):
        return self._crossing_link.method(self, name, arguments, {})

    return ask


def guarded_operator(name):
    def ask(self, other, *more):
        link = self._crossing_link
        if link.may_decide(self, other):
            return link.decide(self, name, (other, *more))
        return link.refuse(self, name, other)

    return ask


def contains(self, wanted):
    link = self._crossing_link
    if link.may_decide(self, wanted):
        return link.method(self, "__contains__", (wanted,), {})
    return any(each is wanted or each == wanted for each in self)


def length(self):
    link = self._crossing_link
    if link.trusts(self):
        return link.method(self, "__len__", (), {})
    return link.view_of(self).length()


def iterate(self):
    link = self._crossing_link
    if link.trusts(self) or hasattr(type(self), "__next__"):
        return link.method(self, "__iter__", (), {})
    return link.view_of(self).items()


def item(self, key):
    link = self._crossing_link
    try:
        return link.method(self, "__getitem__", (key,), {})
    except IndexError:
        if type(key) is int and key >= 0 and not link.trusts(self):
            # It ends the iteration of what has no `__iter__`.
            link.view_of(self).end_at(key)
        raise


def leave(name):
    def ask(self, kind, error, trace):
        return self._crossing_link.leave(self, name, kind, error)

    return ask


def awaited(self):
    return self._crossing_link.ask_of("await", self, None, [])
    yield


def method(name):
    def ask(self, *arguments, **keywords):
        return self._crossing_link.method(self, name, arguments, keywords)

    ask.__name__ = name
    return ask


def bind(self, instance, owner=None):
    return self if instance is None else BOUND_METHOD(self, instance)


BOUND_METHOD = type(StandIn().__dir__)
# A stand-in class is made, shown and compared as any class.
NOT_OF_CLASSES = frozenset("__call__ __repr__ __str__ __format__ __hash__ __eq__ __ne__".split())
STUBS = {name: (guarded_operator if name in GUARDED else operator)(name) for name in OPERATORS}
STUBS.update(__call__=method("__call__"))
STUBS.update(__contains__=contains, __len__=length, __iter__=iterate, __getitem__=item, __await__=awaited)
STUBS.update(__exit__=leave("__exit__"), __aexit__=leave("__aexit__"))


def stand_in_class(link, name, module, text, bases, operators, methods, meta, flags, data):
    """A class that stands for one of the other process.

    Args:
        link: to the other process.
        name: of the class.
        module: of the class.
        text: its docstring.
        bases: classes, stand-ins or builtin.
        operators: names of the special methods that it defines.
        methods: names of its other methods.
        meta: names of the special methods that its metaclass defines.
        flags: "unhashable" or "".
        data: the type of plain data it derives from, or None.
    """
    namespace = {"_crossing_link": link, "__slots__": (), "__module__": module, "__doc__": text}
    trusted = link.trusts_name(name)
    of_data = COMPARISONS if trusted else GUARDED | READING | COMPARISONS
    if data is Counter:
        # A Counter asks for these of itself while it is compared, and for each of the other's keys.
        of_data = of_data | READING | {"__missing__"}
    for each in operators:
        if data is None or each not in of_data:
            namespace[each] = STUBS[each]
    for each in methods:
        if each.isidentifier() and not is_special(each) and each != "_crossing_link":
            if data is None or trusted or not hasattr(data, each):
                namespace[each] = method(each)
    if data is not None:
        for each in COMPARISONS:
            namespace[each] = getattr(data, each)
    elif "unhashable" in flags:
        namespace["__hash__"] = None
    elif "__eq__" in namespace and "__hash__" not in namespace:
        namespace["__hash__"] = object.__hash__
    if "__call__" in namespace:
        namespace["__get__"] = bind
    metaclass = stand_in_metaclass(link, meta)
    if not any(issubclass(base, StandIn) for base in bases):
        bases = (StandIn, *bases)
    return metaclass(name, bases, namespace)


def stand_in_metaclass(link, operators):
    """The type of a stand-in class whose own type defines these special methods."""
    key = frozenset(operators) - NOT_OF_CLASSES
    if key and key not in link.metaclasses:
        link.metaclasses[key] = type("StandInType", (StandInType,), {each: STUBS[each] for each in key})
    return link.metaclasses[key] if key else StandInType


class View:
    """What an object of the other process, read twice, has shown: the same until something else is asked of it.

    Else it could have no items while they are compared, and the right number of them when they are counted.
    """

    def __init__(self, link, value):
        self.link, self.value = link, value
        self.seen, self.ended, self.iterator, self.claimed = [], False, None, None
        # the lowest index at which it had no item
        self.missing = None

    def length(self):
        if self.claimed is None:
            self.claimed = self.link.method(self.value, "__len__", (), {})
            self.check()
        return self.claimed

    def items(self):
        k = 0
        while True:
            if k == len(self.seen):
                if self.ended or not self.advance():
                    return
            yield self.seen[k]
            k += 1

    def advance(self):
        """Asks for one more item. False if there is none."""
        if self.iterator is None:
            self.iterator = iter(self.link.method(self.value, "__iter__", (), {}))
        try:
            self.seen.append(next(self.iterator))
            return True
        except StopIteration:
            self.ended = True
            if hasattr(type(self.value), "__len__"):
                self.length()
            self.check()
            return False

    def end_at(self, index):
        """Notes that it has no item at an index."""
        self.missing = index if self.missing is None else min(index, self.missing)
        self.check()

    def check(self):
        if self.claimed is None:
            return
        if self.ended and self.claimed != len(self.seen):
            self.link.cannot("its length, %r, is not its number of items, %d; " % (self.claimed, len(self.seen)))
        if self.missing is not None and self.claimed > self.missing:
            self.link.cannot("its length is %r, but it has no item %d; " % (self.claimed, self.missing))
