"""Builds proxies for objects of the other process, from its references to them and its descriptions of them."""

from __future__ import annotations

import types
from collections import deque

from ..common.containers import FILLERS
from ..common.value_decoder import BUILDERS
from ..common.values import NotTransferable, ProtocolError
from .exporter import EXACT_COPIES, FIRST_NUMBERED_KEY, FUNCTION, NAMING, BaseExceptionGroup, data_base
from .generator_proxies import GENERATORS
from .library_classes import LibraryClasses, class_attribute, library_class
from .proxies import ProxyType, make_proxy_class
from .special_methods import OPERATORS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Iterable, NoReturn, Sequence

    from ..common.value_decoder import Decoder
    from .proxy_connection import ObjectView
    from .shared_containers import SharedContainers

    Node = list[Any]

WITHOUT_PARTS = frozenset("sender receiver container module named function generator coroutine async_generator".split())
BASES = {kind.__name__: kind for kind in EXACT_COPIES}
MADE_ANEW = frozenset((FUNCTION, types.GeneratorType, types.CoroutineType, types.AsyncGeneratorType))


def finish_exception(error: Any, parts: Sequence[Any]) -> None:
    """Give an exception its attributes and its cause."""
    attributes, cause = parts
    if type(attributes) is dict:
        for kind in NAMING:
            if isinstance(error, kind):
                kind.name.__set__(error, attributes.pop("name", None))
        object.__getattribute__(error, "__dict__").update(attributes)
    if isinstance(cause, BaseException):
        error.__cause__ = cause


def new_exception(kind: type[BaseException], arguments: tuple[Any, ...]) -> BaseException:
    """Return an exception made by the builtin class that its own derives from, so that no other code runs."""
    base: Any = next(ancestor for ancestor in kind.__mro__ if ancestor.__module__ == "builtins")
    error: BaseException
    try:
        error = base.__new__(kind, *arguments)
        base.__init__(error, *arguments)
    except Exception:
        # This class does not take these arguments, or it is a group of exceptions without any.
        base = Exception if issubclass(kind, BaseExceptionGroup) else base
        error = base.__new__(Exception if base is Exception else kind)
        BaseException.args.__set__(error, arguments)  # type: ignore[attr-defined]
    return error


class Importer:
    """The part of a Connection that makes values of the nodes that are not data."""

    DESCRIBES = frozenset("class object value exception function generator coroutine async_generator".split())

    references: dict[int, Node]
    exported: dict[int, Any]
    # for a number of the other process, the proxy
    imported: dict[int, Any]
    # for the special methods of a metaclass, the type of the proxy classes
    metaclasses: dict[frozenset[str], type]
    shared: SharedContainers
    library_classes: LibraryClasses

    if TYPE_CHECKING:

        def request(self, operation: str, subject: int, name: Any, values: list[Any]) -> Any:
            """Have the other end do something."""
            raise NotImplementedError

        def refuse(self, reason: str) -> NoReturn:
            """Refuse an operation that is possible only in one process."""
            raise NotImplementedError

    def parts_needed(self, node: Node, decoder: Decoder) -> list[Any]:
        """Return the children that must be there before the value of a node is."""
        kind = node[0]
        if kind == "sender" and node[1] not in self.imported:
            return [decoder.child_for(node[1])]
        if kind in WITHOUT_PARTS:
            return []
        if kind == "class":
            return node[10:]
        if kind == "value" and node[3] in BUILDERS:
            return node[2:3] + (node[4:5] if node[3] in FILLERS else node[4:])
        return node[2:4] if kind == "exception" else node[2:3]

    def build(self, decoder: Decoder, node: Node) -> Any:
        """Return the value for a node that is not data."""
        kind, number = node[0], node[1]
        if kind == "receiver":
            return self.exported[number]
        if kind == "sender":
            return self.referred_again(self.imported[number])
        if kind == "container":
            return self.referred_again(self.shared.by_key[-number].value)
        if kind == "module" or kind == "named":
            return self.build_named(kind, *node[1:])
        if type(number) is not int or number < 1:
            raise ProtocolError("an invalid number: %r" % (number,))
        if kind == "function":
            return self.build_function(decoder, number, node)
        return BUILD[kind](self, decoder, number, node)

    def add_proxy(self, number: int, value: Any) -> Any:
        """Note a proxy, so that it is the same each time and is recognised when it goes back. Return it.

        Raises:
            ProtocolError: if the number is in use. A value that lost its number could be freed, and another value could
                get its id.
        """
        if number in self.imported:
            raise ProtocolError("a number that is in use: %r" % (number,))
        self.imported[number] = value
        self.references[id(value)] = ["receiver", number]
        return value

    def is_proxy(self, value: Any) -> bool:
        """Return whether a value stands for one of the other process.

        The type of a proxy tells. The id of a value that this process may have too never tells: there is only one 5,
        and only one `json.JSONDecodeError`. Functions, generators and exceptions are made anew for each number and
        kept, so nothing else has their ids.
        """
        kind = type(value)
        if isinstance(kind, ProxyType) or isinstance(value, ProxyType):
            return True
        made_anew = kind in MADE_ANEW or issubclass(kind, BaseException)
        return made_anew and self.references.get(id(value), ("",))[0] == "receiver"

    def referred_again(self, value: Any) -> Any:
        """Return a proxy or a container that the other process has referred to instead of describing it."""
        return value

    def build_named(self, kind: str, name: str, *more: str) -> Any:
        """Return a module, or something in it, by its name. Only the candidate's end does."""
        raise ProtocolError("a module by its name")

    def build_generator(self, decoder: Decoder, number: int, node: Node) -> Any:
        """Return a proxy for a generator or a coroutine."""
        return self.add_proxy(number, GENERATORS[node[0]](self, number, str(node[2])))

    def build_function(self, decoder: Decoder, number: int, node: Node) -> Any:
        """Return a function that calls one of the other process."""

        def function(*arguments: Any, **keywords: Any) -> Any:
            return self.request_call(number, arguments, keywords)

        function.__name__ = function.__qualname__ = str(node[2])
        # Programs that look at its parameters must not find these.
        function.__annotations__.clear()
        return self.add_proxy(number, function)

    def build_object(self, decoder: Decoder, number: int, node: Node) -> Any:
        """Return a proxy for an object."""
        kind: Any = decoder.resolve(node[2:3])[0]
        if not isinstance(kind, ProxyType):
            raise ProtocolError("an object of a class that is not a proxy")
        new: Any = object.__new__
        return self.add_proxy(number, new(kind))

    def build_value(self, decoder: Decoder, number: int, node: Node) -> Any:
        """Return a proxy for an instance of a subclass of plain data. It has the data's own comparisons."""
        kind, name, content = decoder.resolve(node[2:3])[0], node[3], node[4:]
        base: Any = BASES[name]
        if not isinstance(kind, ProxyType) or not issubclass(kind, base):
            # An instance of the builtin class itself would be taken for this process's own data.
            kind = make_proxy_class(self, kind.__name__, kind.__module__, None, (base,), (), (), (), "", base, None)
        if name in FILLERS:
            value = base.__new__(kind)
            if name in ("deque", "defaultdict"):
                base.__init__(value, *([(), content[0]] if base is deque else decoder.resolve(content[:1])))
                content = content[1:]
            if name == "bytearray":
                bytearray.__init__(value, bytes.fromhex(content[0]))
            else:
                decoder.unfilled.append((value, FILLERS[name], content))
            self.add_proxy(number, value)
            self.shared.add(value, -FIRST_NUMBERED_KEY - number, base)
            return value
        content = BUILDERS[name](decoder.resolve(content))
        return self.add_proxy(number, base.__new__(kind, content))

    def build_exception(self, decoder: Decoder, number: int, node: Node) -> Any:
        """Return an exception of a proxy class, or of a class that this process has too."""
        kind, arguments = decoder.resolve(node[2:4])
        if not issubclass(kind, BaseException) or type(arguments) is not tuple:
            raise ProtocolError("an invalid exception")
        error = new_exception(kind, arguments)
        decoder.unfilled.append((error, finish_exception, node[4:6]))
        return self.add_proxy(number, error)

    def build_class(self, decoder: Decoder, number: int, node: Node) -> Any:
        """Return a proxy class; for an exception of a library, the library's own class."""
        name, module, _, text, operators, methods, meta, flags = node[2:10]
        own = library_class(module, name)
        if own is not None and issubclass(own, BaseException):
            return self.add_proxy(number, own)
        bases = tuple(base for base in decoder.resolve(node[10:]) if self.can_derive(base))
        data = next((data_base(base) for base in bases if data_base(base)), None)
        operators, meta = (
            [special for special in names.split() if special in OPERATORS] for names in (operators, meta)
        )
        shown = class_attribute(own, bases)
        described = (operators, methods.split(), meta, flags)
        try:
            kind = make_proxy_class(self, name, module, text, bases, *described, data, shown)
        except (TypeError, NotTransferable):
            kind = make_proxy_class(self, name, module, text, (), *described, None, shown)
        self.library_classes.add(kind, own)
        return self.add_proxy(number, kind)

    def can_derive(self, base: Any) -> bool:
        """Tell whether a proxy class may derive from a class."""
        if self.is_proxy(base) or base in EXACT_COPIES:
            return True
        return isinstance(base, type) and issubclass(base, BaseException)

    def exit_context(self, value: Any, name: str, kind: Any, error: Any) -> Any:
        """Have the other process leave a context manager. A traceback would lead to all that this process knows."""
        return self.request_method(value, name, (kind, error, None), {})

    def request_call(self, number: int, arguments: Iterable[Any], keywords: dict[str, Any]) -> Any:
        """Have the other process call one of its functions."""
        return self.request("call", number, [*keywords], [*arguments, *keywords.values()])

    def construct(self, kind: Any, arguments: Iterable[Any], keywords: dict[str, Any]) -> Any:
        """Have the other process make an instance of one of its classes."""
        return self.request_call(self.references[id(kind)][1], arguments, keywords)

    def request_method(self, value: Any, name: str, arguments: Iterable[Any], keywords: dict[str, Any]) -> Any:
        """Have the other process call a method of one of its objects."""
        number = self.references[id(value)][1]
        return self.request("method", number, [name, *keywords], [*arguments, *keywords.values()])

    def request_on(self, operation: str, value: Any, name: Any, values: list[Any]) -> Any:
        """Have the other process do something with one of its objects."""
        return self.request(operation, self.references[id(value)][1], name, values)

    def dataclass_fields(self, kind: Any) -> dict[str, Any]:
        """Return the fields of a proxy for a dataclass, as the library keeps them, for `asdict` and its like."""
        fields: dict[str, Any] = {}
        import dataclasses

        for name, variety, init, show, compare in self.request_on("fields", kind, None, []):
            field = fields[name] = dataclasses.field(init=init, repr=show, compare=compare)
            field.name, field.type = name, None
            field._field_type = getattr(dataclasses, variety)
        return fields

    def trusts_name(self, name: str) -> bool:
        """Return whether a class of this name may decide operations of its instances and this process's data."""
        return True

    def trusts(self, value: Any) -> bool:
        """Return whether an object may decide operations of itself and this process's data."""
        return True

    def may_decide(self, value: Any, other: Any) -> bool:
        """Return whether the other process may decide an operator of these two values."""
        return True

    def decide_remotely(self, value: Any, name: str, others: Sequence[Any]) -> Any:
        """Have the other process decide an operator, and return the result."""
        return self.request_method(value, name, others, {})

    def refuse_operator(self, value: Any, name: str, other: Any) -> Any:
        """Return the result of an operator that the other process may not decide. Only the tests' end has some."""
        raise NotImplementedError

    def stable_view(self, value: Any) -> ObjectView:
        """Return the view of an object that this process does not trust. Only the tests' end has some."""
        raise NotImplementedError


BUILD: dict[str, Callable[[Any, Decoder, int, Node], Any]] = {
    "class": Importer.build_class,
    "object": Importer.build_object,
    "value": Importer.build_value,
    "exception": Importer.build_exception,
    "generator": Importer.build_generator,
    "coroutine": Importer.build_generator,
    "async_generator": Importer.build_generator,
}
