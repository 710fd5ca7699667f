"""What a match statement does with a value, by way of the guards. Semantics: Python's reference, section 8.6."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sandboxes.restricted.copying import Single
from sandboxes.restricted.provided import real_type

# Flags of a type, as CPython's object.h has them: which patterns its instances match is decided by these.
SEQUENCE, MAPPING, MATCHES_ITSELF = 1 << 5, 1 << 6, 1 << 22
MISSING = object()

Pattern = Sequence[Any]
Found = dict[str, Any]


class Matcher(Single):
    """`_match_`: tells whether a value matches a pattern that `patterns.Lowering` described."""

    def __init__(
        self,
        get_attribute: Callable[..., Any],
        get_iterable: Callable[[Any], Any],
        get_item: Callable[[Any, Any], Any],
    ):
        """Takes `_getattr_`, `_getiter_` and `_getitem_`."""
        self._get_item = get_item
        self._get_attribute = get_attribute
        self._get_iterable = get_iterable

    def match(self, value: Any, pattern: Pattern) -> Found | None:
        """The values that the pattern's names get; None if it does not match."""
        found: Found = {}
        return found if self._matches(value, pattern, found) else None

    def _matches(self, value: Any, pattern: Pattern, found: Found) -> bool:
        kind, *parts = pattern
        return bool(getattr(self, "_" + kind)(value, found, *parts))

    def _all(self, values: Sequence[Any], patterns: Sequence[Pattern], found: Found) -> bool:
        return all(self._matches(value, pattern, found) for value, pattern in zip(values, patterns, strict=True))

    def _MatchValue(self, value: Any, found: Found, expected: Any) -> Any:
        return value == expected

    def _MatchSingleton(self, value: Any, found: Found, expected: Any) -> bool:
        return value is expected

    def _MatchAs(self, value: Any, found: Found, within: Pattern | None, name: str | None) -> bool:
        if within is not None and not self._matches(value, within, found):
            return False
        if name is not None:
            found[name] = value
        return True

    def _MatchOr(self, value: Any, found: Found, alternatives: Sequence[Pattern]) -> bool:
        for pattern in alternatives:
            attempt: Found = {}
            if self._matches(value, pattern, attempt):
                found.update(attempt)
                return True
        return False

    def _MatchSequence(self, value: Any, found: Found, patterns: Sequence[Pattern]) -> bool:
        if not type(value).__flags__ & SEQUENCE:
            return False
        stars = [place for place, pattern in enumerate(patterns) if pattern[0] == "MatchStar"]
        size, least = len(value), len(patterns) - len(stars)
        if size < least or (not stars and size > least):
            return False
        items = list(self._get_iterable(value))
        if not stars:
            return self._all(items, patterns, found)
        before, after = stars[0], len(items) - (len(patterns) - stars[0] - 1)
        if not self._all(items[:before], patterns[:before], found):
            return False
        name = patterns[before][1]
        if name is not None:
            found[name] = items[before:after]
        return self._all(items[after:], patterns[before + 1 :], found)

    def _MatchMapping(
        self, value: Any, found: Found, keys: Sequence[Any], patterns: Sequence[Pattern], rest: str | None
    ) -> bool:
        if not type(value).__flags__ & MAPPING:
            return False
        if len(set(keys)) < len(keys):
            raise ValueError("mapping pattern checks a key twice")
        get = self._get_attribute(value, "get")
        if any(get(key, MISSING) is MISSING for key in keys):
            return False
        if not self._all([self._get_item(value, key) for key in keys], patterns, found):
            return False
        if rest is not None:
            found[rest] = {key: self._get_item(value, key) for key in self._get_iterable(value) if key not in keys}
        return True

    def _MatchClass(
        self,
        value: Any,
        found: Found,
        given: Any,
        patterns: Sequence[Pattern],
        attributes: Sequence[str],
        attribute_patterns: Sequence[Pattern],
    ) -> bool:
        cls = real_type(given)
        if not isinstance(cls, type):
            raise TypeError("called match pattern must be a class")
        if not isinstance(value, cls):
            return False
        by_place = self._names_by_place(cls, len(patterns), attributes) if patterns else []
        values = []
        for name in (*by_place, *attributes):
            try:
                values.append(value if name is None else self._get_attribute(value, name))
            except AttributeError:
                return False
        return self._all(values, [*patterns, *attribute_patterns], found)

    def _names_by_place(self, cls: type, count: int, attributes: Sequence[str]) -> list[str | None]:
        """The attributes that a class's patterns by place stand for; None for the value itself."""
        own = getattr(cls, "__match_args__", MISSING)
        itself = own is MISSING and bool(cls.__flags__ & MATCHES_ITSELF)
        match_args: Any = [None] if itself else () if own is MISSING else own
        if not itself and type(match_args) is not tuple:
            raise TypeError(f"{cls.__name__}.__match_args__ must be a tuple (got {type(match_args).__name__})")
        if count > len(match_args):
            most = "1 positional sub-pattern" if len(match_args) == 1 else f"{len(match_args)} positional sub-patterns"
            raise TypeError(f"{cls.__name__}() accepts {most} ({count} given)")
        names = list(match_args[:count])
        for name in names:
            if name is not None and type(name) is not str:
                raise TypeError(f"__match_args__ elements must be strings (got {type(name).__name__})")
            if name in attributes or (name is not None and names.count(name) > 1):
                raise TypeError(f"{cls.__name__}() got multiple sub-patterns for attribute {name!r}")
        return names
