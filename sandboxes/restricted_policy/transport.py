"""The transport of values from the caller to a guest: data by value; functions, classes and modules by name.

Lambdas, local functions, instances and objects of `__main__` are sent as pickles, if the caller trusts them.
"""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from collections.abc import Callable
from pkgutil import resolve_name
from types import ModuleType
from typing import Any

from sandboxes.guest.common.value_decoder import Decoder
from sandboxes.guest.common.value_encoder import Encoder

PickleFunction = Callable[[Any], bytes]
REFERENCE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
SEND_HINT = 'put it into a module of its own, and give the function or class itself, or the string "module:name"'
TRUST_HINT = "or give trusted_globals=True, which sends a copy of it"
MAX_REPR_CHARS = 60


def encode(key: str, value: Any, dumps: PickleFunction | None = None) -> Any:
    """Return a value as JSON, from which `decode` makes the value again in another process.

    Args:
        key: the caller's name of the value, such as "additional_globals['helper']".
        value: data, a module, an object that a module has under a name, or a string "module:name".
        dumps: pickles other values; None to refuse them.

    Raises:
        TypeError: if the value can't be sent.
        ValueError: for a string "module:name" whose module is there, but has nothing of that name.
    """
    if is_reference(value):
        import_reference(key, value)
        return value
    encoder = Encoder(ReferenceEncoder(key, dumps))
    return [encoder.child(value), encoder.finish()]


def decode(encoded: Any) -> Any:
    """Return the value that `encode` was given. It imports what is named, so `encoded` must come from the caller.

    Args:
        encoded: the result of `encode`, or any "module:name".
    """
    if isinstance(encoded, str):
        return resolve_name(encoded)
    root, nodes = encoded
    decoder = Decoder(ReferenceDecoder(), nodes)
    decoder.build()
    return decoder.resolve([root])[0]


def is_reference(value: Any) -> bool:
    """Return whether a value is a string "module:name" whose module can be found. Any other string is text."""
    if type(value) is not str or not REFERENCE.fullmatch(value):
        return False
    module = value.partition(":")[0]
    if module == "__main__" or module in sys.modules:
        return True
    try:
        return importlib.util.find_spec(module) is not None
    except Exception:  # a parent package is imported, and may raise anything
        return False


def import_reference(key: str, reference: str) -> Any:
    """Return the object that a string "module:name" names.

    Raises:
        TypeError: if the module is `__main__`, which is another module in every process.
        ValueError: if the module can't be imported, or has no object of that name.
    """
    module, _, name = reference.partition(":")
    if module == "__main__":
        raise TypeError(
            f"{key}: {reference!r} can't be sent to the sandbox, where __main__ is another module; {SEND_HINT}"
        )
    try:
        return resolve_name(reference)
    except AttributeError as error:
        raise ValueError(
            f"{key}: the module {module} has no {name!r}; give an importable name for {reference!r}"
        ) from error
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{key}: can't import {module} for {reference!r}: {reason}") from error


def reference_to(value: Any) -> str | None:
    """Return the "module:qualified.name" by which every process can import a value, or None if there is none."""
    module = getattr(value, "__module__", None)
    if type(module) is not str or module == "__main__":
        return None
    # `__name__` is for a bound method that its module offers as a function, such as random.choice.
    for name in (getattr(value, "__qualname__", None), getattr(value, "__name__", None)):
        reference = f"{module}:{name}"
        try:
            if type(name) is str and REFERENCE.fullmatch(reference) and resolve_name(reference) is value:
                return reference
        except Exception:  # an import may raise anything
            continue
    return None


class ReferenceEncoder:
    """Encodes the values that are sent by name, for a Encoder."""

    def __init__(self, key: str, dumps: PickleFunction | None):
        """Take the key that errors name, and what pickles values without a name."""
        self.key, self.dumps = key, dumps

    def known_node(self, value: Any) -> list[Any] | None:
        """Return the node for a class, or None for other values."""
        # Otherwise a Encoder sends classes of a few libraries in its own way, which is less exact than a name.
        return self.encode(None, value) if isinstance(value, type) else None

    def encode(self, encoder: Any, value: Any) -> list[Any]:
        """Return the node for a value that is not data.

        Raises:
            TypeError: if the value has no name and is not pickled, or can't be.
        """
        if isinstance(value, ModuleType):
            name = value.__name__
            if name != "__main__" and sys.modules.get(name) is value:
                return ["module", name]
        elif reference := reference_to(value):
            return ["reference", reference]
        if self.dumps is None:
            raise TypeError(f"{self.key}: {describe(value)} can't be sent to the sandbox; {SEND_HINT}, {TRUST_HINT}")
        try:
            return ["pickle", self.dumps(value).hex()]
        except Exception as error:  # whatever the value's own class raises
            reason = f"{type(error).__name__}: {error}"
            raise TypeError(f"{self.key}: {describe(value)} can't be pickled: {reason}; {SEND_HINT}") from error


class ReferenceDecoder:
    """Resolves names and pickles in a guest, for a Decoder."""

    def parts_needed(self, node: list[Any], decoder: Any) -> list[Any]:
        """Return no values, because a name needs none."""
        return []

    def build(self, decoder: Any, node: list[Any]) -> Any:
        """Return the value that a node names."""
        kind, name = node
        if kind == "pickle":
            # Imported where it is used: a fork server's memory is copied for every program.
            return importlib.import_module("pickle").loads(bytes.fromhex(name))
        return importlib.import_module(name) if kind == "module" else resolve_name(name)


def describe(value: Any) -> str:
    """Return the name of a value that can't be sent, for an error message."""
    name = getattr(value, "__qualname__", None)
    if type(name) is str:
        return name
    try:
        text = repr(value)
    except Exception:
        text = "..."
    text = text if len(text) <= MAX_REPR_CHARS else text[: MAX_REPR_CHARS - 3] + "..."
    return text if isinstance(value, ModuleType) else f"{text}, an instance of {type(value).__qualname__},"
