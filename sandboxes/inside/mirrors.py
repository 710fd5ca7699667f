"""Makes stand-ins for what the other process names, from what it says of them."""

import builtins
import sys
import types
from collections import deque

from .crossing import BUILDERS, FILLERS, CannotCross, Nonsense
from .libraries import SAFE_MODULES
from .names import EXACT, FIRST_NUMBERED_KEY, FUNCTION, data_base
from .operators import OPERATORS
from .stand_ins import StandInType, stand_in_class

NO_PARTS = frozenset("mine yours copy module named function generator coroutine async_generator".split())
BASES = {kind.__name__: kind for kind in EXACT}


def generator(link, number, name):
    """A generator that goes on where the other process's does."""
    ask, values, operation = link.ask, [], "__next__"
    while True:
        try:
            value = ask("method", number, [operation], values)
        except StopIteration as end:
            return end.value
        try:
            sent = yield value
            operation, values = ("__next__", []) if sent is None else ("send", [sent])
        except GeneratorExit:
            ask("method", number, ["close"], [])
            raise
        except BaseException as error:
            # This frame is none of what raised it.
            operation, values = "throw", [error.with_traceback(error.__traceback__.tb_next)]


async def coroutine(link, number, name):
    """A coroutine whose result is awaited in the other process."""
    return link.ask("await", number, None, [])


async def async_generator(link, number, name):
    """An asynchronous generator that goes on where the other process's does."""
    while True:
        try:
            value = link.ask("anext", number, None, [])
        except StopAsyncIteration:
            return
        yield value


GENERATORS = {"generator": generator, "coroutine": coroutine, "async_generator": async_generator}
MADE_ANEW = frozenset((FUNCTION, types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType))


def finish_exception(error, parts):
    attributes, cause = parts
    if type(attributes) is dict:
        object.__getattribute__(error, "__dict__").update(attributes)
    if isinstance(cause, BaseException):
        error.__cause__ = cause


def new_exception(kind, arguments):
    """An exception made by the builtin class that its own derives from: no other code runs."""
    base = next(each for each in kind.__mro__ if each.__module__ == "builtins")
    try:
        error = base.__new__(kind, *arguments)
        base.__init__(error, *arguments)
    except Exception:
        # Not the arguments that this class takes, or a group of exceptions without any.
        base = Exception if issubclass(kind, BaseExceptionGroup) else base
        error = base.__new__(Exception if base is Exception else kind)
        BaseException.args.__set__(error, arguments)
    return error


BaseExceptionGroup = getattr(builtins, "BaseExceptionGroup", ())


class Mirrors:
    """The part of a Link that makes values of the nodes that are not data."""

    DESCRIBES = frozenset("class object value exception function generator coroutine async_generator".split())

    def parts_needed(self, node, unpacker):
        """The children that must be there before the value is."""
        kind = node[0]
        if kind == "mine" and node[1] not in self.mirrors:
            return [unpacker.node_of(node[1])]
        if kind in NO_PARTS:
            return []
        if kind == "class":
            return node[10:]
        if kind == "value" and node[3] in BUILDERS:
            return node[2:3] + (node[4:5] if node[3] in FILLERS else node[4:])
        return node[2:4] if kind == "exception" else node[2:3]

    def build(self, unpacker, node):
        """The value for a node that is not data."""
        kind, number = node[0], node[1]
        if kind == "yours":
            return self.exported[number]
        if kind == "mine":
            return self.named_again(self.mirrors[number])
        if kind == "copy":
            return self.named_again(self.copies.by_key[-number].value)
        if kind == "module" or kind == "named":
            return self.build_named(kind, *node[1:])
        if type(number) is not int or number < 1:
            raise Nonsense("an invalid number: %r" % (number,))
        if kind == "function":
            return self.build_function(unpacker, number, node)
        return BUILD[kind](self, unpacker, number, node)

    def mirror(self, number, value):
        """Notes a stand-in, so that it is the same each time and is known when it goes back.

        Raises:
            Nonsense: if the number is in use. A value that lost its number could be freed, and its id be another's.
        """
        if number in self.mirrors:
            raise Nonsense("a number that is in use: %r" % (number,))
        self.mirrors[number] = value
        self.names[id(value)] = ["yours", number]
        return value

    def is_stand_in(self, value):
        """Returns whether a value stands for one of the other process.

        The type of a stand-in tells, never the id of a value that this process may have too: there is only one 5, and
        only one `json.JSONDecodeError`. Functions, generators and exceptions are made anew for each number and kept, so
        nothing else has their ids.
        """
        kind = type(value)
        if isinstance(kind, StandInType) or isinstance(value, StandInType):
            return True
        made_anew = kind in MADE_ANEW or issubclass(kind, BaseException)
        return made_anew and self.names.get(id(value), " ")[0] == "yours"

    def named_again(self, value):
        """Returns a stand-in or a container that the other process has named instead of describing it."""
        return value

    def build_named(self, kind, name, *more):
        raise Nonsense("a module by its name")

    def build_generator(self, unpacker, number, node):
        return self.mirror(number, GENERATORS[node[0]](self, number, str(node[2])))

    def build_function(self, unpacker, number, node):
        """A function that calls one of the other process."""

        def function(*arguments, **keywords):
            return self.call(number, arguments, keywords)

        function.__name__ = function.__qualname__ = str(node[2])
        return self.mirror(number, function)

    def build_object(self, unpacker, number, node):
        kind = unpacker.resolve(node[2:3])[0]
        if not isinstance(kind, StandInType):
            raise Nonsense("an object of a class that is there")
        return self.mirror(number, object.__new__(kind))

    def build_value(self, unpacker, number, node):
        """An instance of a subclass of plain data: of the stand-in class, with the data's own comparisons."""
        kind, name, content = unpacker.resolve(node[2:3])[0], node[3], node[4:]
        base = BASES[name]
        if not isinstance(kind, StandInType) or not issubclass(kind, base):
            # An instance of the builtin class itself would be taken for this process's own data.
            kind = stand_in_class(self, kind.__name__, kind.__module__, None, (base,), (), (), (), "", base)
        if name in FILLERS:
            value = base.__new__(kind)
            if name in ("deque", "defaultdict"):
                base.__init__(value, *([(), content[0]] if base is deque else unpacker.resolve(content[:1])))
                content = content[1:]
            if name == "bytearray":
                bytearray.__init__(value, bytes.fromhex(content[0]))
            else:
                unpacker.unfilled.append((value, FILLERS[name], content))
            self.mirror(number, value)
            self.copies.add(value, -FIRST_NUMBERED_KEY - number, base)
            return value
        content = BUILDERS[name](unpacker.resolve(content))
        return self.mirror(number, base.__new__(kind, content))

    def build_exception(self, unpacker, number, node):
        kind, arguments = unpacker.resolve(node[2:4])
        if not issubclass(kind, BaseException) or type(arguments) is not tuple:
            raise Nonsense("an exception that is none")
        error = new_exception(kind, arguments)
        unpacker.unfilled.append((error, finish_exception, node[4:6]))
        return self.mirror(number, error)

    def build_class(self, unpacker, number, node):
        name, module, _, text, operators, methods, meta, flags = node[2:10]
        real = sys.modules.get(module) if module.partition(".")[0] in SAFE_MODULES else None
        found = getattr(real, name, None)
        if isinstance(found, type) and issubclass(found, BaseException):
            return self.mirror(number, found)
        bases = tuple(base for base in unpacker.resolve(node[10:]) if self.can_derive(base))
        data = next((data_base(base) for base in bases if data_base(base)), None)
        parts = [
            [each for each in operators.split() if each in OPERATORS],
            methods.split(),
            [each for each in meta.split() if each in OPERATORS],
            flags,
        ]
        try:
            kind = stand_in_class(self, name, module, text, bases, *parts, data)
        except (TypeError, CannotCross):
            kind = stand_in_class(self, name, module, text, (), *parts, None)
        return self.mirror(number, kind)

    def can_derive(self, base):
        """Whether a stand-in class may derive from a class."""
        return self.is_stand_in(base) or base in EXACT or (isinstance(base, type) and issubclass(base, BaseException))

    def leave(self, value, name, kind, error):
        """Has the other process leave a context manager. A traceback would lead to all that this process knows."""
        return self.method(value, name, (kind, error, None), {})

    def call(self, number, arguments, keywords):
        """Has the other process call one of its functions."""
        return self.ask("call", number, [*keywords], [*arguments, *keywords.values()])

    def construct(self, kind, arguments, keywords):
        """Has the other process make an instance of one of its classes."""
        return self.call(self.names[id(kind)][1], arguments, keywords)

    def method(self, value, name, arguments, keywords):
        """Has the other process call a method of one of its objects."""
        return self.ask("method", self.names[id(value)][1], [name, *keywords], [*arguments, *keywords.values()])

    def ask_of(self, operation, value, name, values):
        """Has the other process do something with one of its objects."""
        return self.ask(operation, self.names[id(value)][1], name, values)

    def dataclass_fields(self, kind):
        """The fields of a stand-in for a dataclass, as the library keeps them, for `asdict` and its like."""
        fields = {}
        import dataclasses

        for name, of, init, show, compare in self.ask_of("fields", kind, None, []):
            field = fields[name] = dataclasses.field(init=init, repr=show, compare=compare)
            field.name, field.type = name, None
            field._field_type = getattr(dataclasses, of)
        return fields

    def trusts_name(self, name):
        """Returns whether a class of this name may decide what comes of its instances and this process's data."""
        return True

    def trusts(self, value):
        """Returns whether an object may decide what comes of it and this process's data."""
        return True

    def may_decide(self, value, other):
        """Returns whether what comes of an operator may be decided in the other process."""
        return True

    def decide(self, value, name, others):
        """Has the other process decide what comes of an operator."""
        return self.method(value, name, others, {})


BUILD = {
    "class": Mirrors.build_class,
    "object": Mirrors.build_object,
    "value": Mirrors.build_value,
    "exception": Mirrors.build_exception,
    "generator": Mirrors.build_generator,
    "coroutine": Mirrors.build_generator,
    "async_generator": Mirrors.build_generator,
}
