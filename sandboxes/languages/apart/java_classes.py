"""The classes of objects in tests in Java, which are equal to objects of the same classes alone. Used by `java`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sandboxes.languages.apart.plain_data import Character, Marked
from sandboxes.languages.apart.plain_tokens import NotPlain

BY_SUFFIX = {"l": "Long", "f": "Float", "d": "Double"}
BY_CAST = {
    "int": "Integer",
    "long": "Long",
    "double": "Double",
    "float": "Float",
    "short": "Short",
    "byte": "Byte",
    "char": "Character",
}

# A zero with a sign is equal to no other zero as an object. A list is equal to no set.
ONLY = """
    static Object only(Object value, Class<?> number, Class<?> text, Class<?> key) {
        String other = other(value, number, text, key);
        return other == null ? value : "another class: " + other;
    }

    private static String other(Object value, Class<?> number, Class<?> text, Class<?> key) {
        if (value instanceof java.util.Optional) value = ((java.util.Optional<?>) value).orElse(null);
        if (value == null || value.getClass().isArray()) return null;
        // In JSON true is not told from 1.
        boolean isOther = value instanceof Number ? number == null : value instanceof Boolean && number != null;
        if (isOther) return value.getClass().getName();
        Class<?> wanted = value instanceof Number ? number : null;
        if (value instanceof CharSequence || value instanceof Character) wanted = text;
        if (wanted != null && value.getClass() != wanted) return value.getClass().getName();
        if (value.equals(-0.0) || value.equals(-0.0f)) return "a zero with a sign";
        if (value instanceof java.util.Map) {
            for (java.util.Map.Entry<?, ?> each : ((java.util.Map<?, ?>) value).entrySet()) {
                String found = other(each.getKey(), key, key, key);
                if (found == null) found = other(each.getValue(), number, text, key);
                if (found != null) return found;
            }
        } else if (value instanceof java.util.List) {
            for (Object each : (java.util.List<?>) value) {
                String found = other(each, number, text, key);
                if (found != null) return found;
            }
        } else if (value instanceof Iterable) return value.getClass().getName();
        return null;
    }

"""
"""The Java methods that return a value, or a text if it has objects of other classes."""


def classes_of(value: Any, tokens: Sequence[tuple[str, str]]) -> tuple[str, str, str]:
    """Return the classes of the numbers, the texts and the keys in data, as Java writes them; "null" for none.

    Args:
        value: the data.
        tokens: of the data, as kinds and sources.

    Raises:
        NotPlain: if they have several.
    """
    number = only_one({class_of_number(tokens, place) for place, (kind, _) in enumerate(tokens) if kind == "number"})
    texts, keys = set[str](), set[str]()
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, bool) and number != "null":
            raise NotPlain("conditions beside numbers")
        if isinstance(each, Marked):
            pending.append(each.value)
        elif isinstance(each, dict):
            if any(isinstance(key, bool) for key in each):
                raise NotPlain("conditions as keys")
            keys |= {number if isinstance(key, int) else class_of_text(key) for key in each}
            pending += each.values()
        elif isinstance(each, list):
            pending += each
        elif isinstance(each, str):
            texts.add(class_of_text(each))
    return number, only_one(texts), only_one(keys)


def only_one(classes: set[str]) -> str:
    """Return the one class; "null" if there is none."""
    if len(classes) > 1:
        raise NotPlain("objects of several classes")
    return next(iter(classes), "null")


def class_of_text(value: Any) -> str:
    """Return the class of a text or a character."""
    return "Character.class" if isinstance(value, Character) else "String.class"


def class_of_number(tokens: Sequence[tuple[str, str]], place: int) -> str:
    """Return the class of a number, as its cast or its suffix says.

    Args:
        tokens: as in `classes_of`.
        place: of the number.
    """
    text = tokens[place][1].lower()
    before = place - 1
    if before >= 0 and tokens[before][1] == "-":
        before -= 1
        if not any(digit in text for digit in "123456789"):
            raise NotPlain("a zero with a sign")
    if before > 1 and tokens[before][1] == ")" and tokens[before - 2][1] == "(":
        cast = tokens[before - 1][1]
        if cast not in BY_CAST:
            raise NotPlain(cast)
        return f"{BY_CAST[cast]}.class"
    if text.startswith("0x"):
        return "Long.class" if text.endswith("l") else "Integer.class"
    is_real = "." in text or "e" in text
    return f"{BY_SUFFIX.get(text[-1]) or ('Double' if is_real else 'Integer')}.class"
