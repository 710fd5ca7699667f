"""What augmented assignment and match statements read and write, by way of the guards that a program has."""

from __future__ import annotations

from typing import Any

from sandboxes.restricted.copying import Single
from sandboxes.restricted.matching import Matcher


class Places(Single):
    """What `a.n += 1` and `d[k] += 1` become, by way of the guards that a program has, ours or its user's."""

    def __init__(self, namespace: dict[str, Any]):
        """Takes the program's globals."""
        self._getattr, self._getitem = namespace["_getattr_"], namespace["_getitem_"]
        self._write, self._inplacevar = namespace["_write_"], namespace["_inplacevar_"]

    def names(self) -> dict[str, Any]:
        """Guards that the default policy needs besides RestrictedPython's."""
        return {"_attribute_place_": self.attribute, "_item_place_": self.item, "_inplace_": self.change}

    def attribute(self, value: Any, name: str) -> tuple[Any, Any, Any, bool]:
        """An attribute and its value now."""
        return value, name, self._getattr(value, name), True

    def item(self, value: Any, key: Any) -> tuple[Any, Any, Any, bool]:
        """An item and its value now."""
        return value, key, self._getitem(value, key), False

    def change(self, place: tuple[Any, Any, Any, bool], operation: str, other: Any) -> None:
        """Computes the new value and sets it."""
        value, key, old, is_attribute = place
        new = self._inplacevar(operation, old, other)
        if is_attribute:
            setattr(self._write(value), key, new)
        else:
            self._write(value)[key] = new


def complete(namespace: dict[str, Any]) -> None:
    """Adds what works by way of the other guards, once those are what they will be."""
    matcher = Matcher(namespace["_getattr_"], namespace["_getiter_"], namespace["_getitem_"])
    namespace.update(Places(namespace).names(), _match_=matcher.match)
