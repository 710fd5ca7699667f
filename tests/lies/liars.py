"""The lies: objects that are not the right value, and sources of the classes that make them.

No lie knows the right value. The hash of a number alone, 7, is its own, for dicts and sets.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Lie:
    """One lie."""

    name: str

    source: str
    """What the candidate begins with."""

    value: str = "Lie()"
    """The expression for the object."""

    has_class: bool = True
    """Whether the source defines a class `Lie` that takes any arguments and makes such objects."""


ANSWERS = {
    "True": "return True",
    "1": "return 1",
    "self": "return self",
    "argument": "return given[0] if given else self",
    "NotImplemented": "return NotImplemented",
    "empty iterator": "return iter(())",
    "lying text": "return Text()",
    "StopIteration": "raise StopIteration",
    "AssertionError": "raise AssertionError",
}
ORDER = ("__lt__", "__le__", "__gt__", "__ge__", "__contains__")
BINARY = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor")
ARITHMETIC = (
    *(f"__{prefix}{name}__" for name in BINARY for prefix in ("", "r")),
    *("__abs__", "__neg__", "__pos__", "__round__", "__getitem__", "__call__", "__enter__"),
)
NEGATIVE = "return False"
FIXED = {
    "__bool__": "return True",
    "__len__": "return 3",
    "__exit__": "return True",
    "__str__": "return Text()",
    "__repr__": "return Text()",
    "__format__": "return Text()",
    # Protocols of copying and of numpy look for attributes with underscores.
    "__getattr__": "if given[0].startswith('__'):\n            raise AttributeError(given[0])\n        return self",
}
# An item has none of them: numpy follows items of items without an end.
OF_SEQUENCES = ("__getitem__", "__len__", "__iter__", "__getattr__")
ITEMS = {"no items": "return iter(())", "three items": "return iter([Item(), Item(), Item()])"}
BASES = ("int", "float", "str", "bytes", "list", "tuple", "dict", "set", "BaseException")


def class_source(name, base, methods, metaclass=""):
    """Return the source of a class.

    Args:
        name: the class's name.
        base: the name of its base.
        methods: {name: body}.
        metaclass: the name of its metaclass, if it has one.
    """
    bases = f"{base}, metaclass={metaclass}" if metaclass else base
    made = {"__hash__": "return 7", **methods}
    if base != "type":
        made = {"__new__": f"return {base}.__new__(self)", "__init__": "pass", **made}
    parts = [f"    def {each}(self, *given, **named):\n        {body}\n" for each, body in made.items()]
    return f"class {name}({bases}):\n" + "\n".join(parts) + "\n\n"


TEXT = class_source("Text", "str", {"__eq__": "return True", "__ne__": NEGATIVE, "__len__": "return 3"})


def methods_of(scope, answer):
    """Return {name: body} of the special methods that lie."""
    equality = {"__eq__": answer}
    if scope == "equality":
        return equality
    comparisons = equality | dict.fromkeys(ORDER, answer) | {"__ne__": answer if "raise" in answer else NEGATIVE}
    if scope == "comparisons":
        return comparisons
    return comparisons | dict.fromkeys(ARITHMETIC, answer) | FIXED | {"__iter__": ITEMS[scope]}


def liar(base="object", scope="three items", answer="True", **more):
    """Return the source of a class `Lie`, with more methods, after the classes of its texts and its items."""
    methods = methods_of(scope, ANSWERS[answer])
    item = {name: body for name, body in methods.items() if name not in OF_SEQUENCES}
    return TEXT + class_source("Item", "object", item) + class_source("Lie", base, methods | more)


LIAR = liar()
NOT_MEANT = {"__eq__": "return True", "__ne__": NEGATIVE}
METACLASS = methods_of("three items", ANSWERS["True"]) | {"__instancecheck__": "return True"}
# A metaclass's call makes the class's objects.
METACLASS = {name: body for name, body in METACLASS.items() if name not in ("__call__", "__getattr__")}

SINGLE = (
    *(Lie(f"{scope} True", liar(scope=scope)) for scope in ("equality", "comparisons", *ITEMS)),
    *(
        Lie(f"{scope} {answer}", liar(scope=scope, answer=answer))
        for answer in list(ANSWERS)[1:]
        for scope in ("equality", "three items")
    ),
    *(Lie(f"a kind of {base}", liar(base)) for base in BASES),
    *(
        Lie(f"called {name}", liar() + f"class Lie(Lie):\n    __class__ = property(lambda self: {name})\n\n\n")
        for name in BASES[:-1]
    ),
)
SPECIAL = (
    Lie(
        "an empty iterator with a length",
        class_source(
            "Lie", "object", {"__len__": "return 3", "__iter__": "return self", "__next__": "raise StopIteration"}
        ),
    ),
    Lie(
        "a length that changes",
        "lengths = [3]\n\n\n"
        + class_source(
            "Lie", "object", {"__len__": "return lengths.pop() if lengths else 0", "__iter__": "return iter(())"}
        ),
    ),
    Lie(
        "items by index",
        LIAR
        + class_source(
            "Lie",
            "object",
            NOT_MEANT
            | {
                "__len__": "return 3",
                "__getitem__": "if given[0] in (0, 1, 2, -1):\n            return Item()\n        raise IndexError",
            },
        ),
    ),
    Lie(
        "no items the first time",
        "looks = []\n\n\n"
        + class_source(
            "Lie",
            "object",
            NOT_MEANT
            | {
                "__len__": "return 3",
                "__iter__": "looks.append(1)\n        return iter([0, 0, 0] if len(looks) > 1 else [])",
            },
        ),
    ),
    Lie(
        "a class",
        TEXT + class_source("Kind", "type", METACLASS) + class_source("Lie", "object", {}, "Kind"),
        "Lie",
        False,
    ),
    Lie("an array", "import numpy\n\n\n" + liar(__array__="return numpy.array([])")),
    Lie(
        "a kind of array",
        f"import numpy\n\n\n{TEXT}" + class_source("Lie", "numpy.ndarray", NOT_MEANT),
        "numpy.zeros(3).view(Lie)",
        False,
    ),
)
CONTAINERS = tuple(
    Lie(f"liars in a {name}", source + LIAR + "KEPT = Lie()\n\n\n", value, False)
    for name, source, value in (
        ("list", "", "[Lie(), Lie(), Lie()]"),
        ("tuple", "", "(Lie(), Lie())"),
        ("dict", "", "{'a': Lie(), 'b': Lie()}"),
        ("set", "", "{Lie()}"),
        ("iterator", "", "iter([Lie(), Lie(), Lie()])"),
        ("deque", "import collections\n\n\n", "collections.deque([Lie(), Lie(), Lie()])"),
        ("defaultdict", "import collections\n\n\n", "collections.defaultdict(Lie, a=Lie(), b=Lie())"),
        ("mapping proxy", "import types\n\n\n", "types.MappingProxyType(Lie())"),
        ("weak proxy", "import weakref\n\n\n", "weakref.proxy(KEPT)"),
    )
)
PLAIN = tuple(
    Lie(f"plain {value}", source, value, False)
    for source, value in (
        ("", "None"),
        ("", "0"),
        ("", "''"),
        ("", "[0, 0, 0]"),
        ("", "NotImplemented"),
        ("import numpy\n\n\n", "numpy.array([])"),
        ("from unittest.mock import ANY\n\n\n", "ANY"),
    )
)
LIES = SINGLE + SPECIAL + CONTAINERS + PLAIN
