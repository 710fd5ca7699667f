"""Whether tests in JavaScript or TypeScript can run apart from the candidate, decided by their text alone.

They can if they call the candidate's functions and look at what comes back as plain data. Such tests mean the same in
another process, for each honest candidate. A text that this module does not understand needs the candidate's process.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from itertools import pairwise

from sandboxes.languages.apart.javascript_identity import ComparedResults
from sandboxes.languages.apart.javascript_names import CONSTRUCTORS, NAMESPACES, VALUES, NamesOfTests
from sandboxes.languages.apart.javascript_tokens import KEYWORDS, NeedsCandidate, scan

DENIED = frozenset(
    """
    Function Promise Proxy Reflect Symbol WeakMap WeakRef WeakSet arguments class clearTimeout eval export
    exports extends fetch global globalThis import module performance prototype queueMicrotask setImmediate
    setInterval setTimeout structuredClone super this window with yield __proto__
    """.split()
)
"""Names that tests which run apart do not use."""

READING = frozenset(
    """
    at charAt charCodeAt codePointAt concat endsWith entries every fill filter find findIndex findLast findLastIndex
    flat flatMap forEach includes indexOf join keys lastIndexOf localeCompare map match matchAll normalize padEnd
    padStart reduce reduceRight repeat replace replaceAll reverse search slice some sort split startsWith substr
    substring toFixed toISOString toLocaleString toLowerCase toPrecision toString toUpperCase trim trimEnd trimStart
    valueOf values
    """.split()
)
"""Methods of plain data that no object with a state of its own is likely to have."""

MODULE = re.compile(r"""["'`](?:(?:node:)?assert(?:/strict)?|node:test)["'`]""")
"""A module that tests which run apart may require."""

CONSTANT = re.compile(r"[A-Z][A-Z\d_]*")
NOT_SAME = frozenset(("notStrictEqual", "notEqual"))
"""Functions of assert's that compare two objects by their identity."""

STARTS = frozenset(("", "=", ";", "{", "}"))
"""Tokens before a call whose result nothing takes at once."""


class TestsText(NamesOfTests):
    """The tokens of tests, and whether another process can serve each of them."""

    def check(self) -> None:
        """Check that each use of a name is one that another process can serve.

        Raises:
            NeedsCandidate: if one is not.
        """
        called = self.names | set(self.aliases.values())
        uses = 0
        compared = ComparedResults(self)
        for place, token in enumerate(self.tokens):
            if self.demands_two_objects(place):
                raise NeedsCandidate("the tests ask whether two objects are one")
            if compared.are_compared(place):
                raise NeedsCandidate("the tests ask whether two results are one object")
            if self.changes_result(place):
                raise NeedsCandidate("the tests change a part of a result")
            if token.text == "." and self.at(place + 2).text in ("(", "="):
                self.check_member(place)
            if token.kind != "name":
                continue
            if self.is_denied(place):
                raise NeedsCandidate(f"the tests use {token.text!r}")
            if token.text == "await" and not any(first < place < last for first, last in self.async_bodies):
                raise NeedsCandidate("the tests await outside of an async function")
            if self.is_property(place):
                continue
            self.check_name(place)
            uses += self.is_unknown(place) or token.text in self.aliases
            if token.text in called and self.at(place + 1).text == "(":
                self.check_call(place)
            elif token.text in self.results - self.callable and self.at(place + 1).text == "(":
                raise NeedsCandidate(f"the tests call {token.text!r}, which is the result of a call")
        if not uses:
            raise NeedsCandidate("the tests use nothing of the candidate's")

    def demands_two_objects(self, place: int) -> bool:
        """Return whether tests may demand that two objects are not one. Copies of one object are always two."""
        token = self.at(place)
        if token.text in NOT_SAME and self.at(place + 1).text == "(":
            return self.has_object(place + 2) and self.has_object(self.comma_after(place + 2) + 1)
        if token.text not in ("===", "==", "!==", "!=") or self.is_literal(place - 1) or self.is_literal(place + 1):
            return False
        around = [first for first, last in self.closing.items() if first < place < last]
        if not around:
            return False
        opening = max(around)
        if token.text in ("!==", "!="):
            return self.at(opening - 1).text in ("assert", "ok", "expect")
        after = self.closing[opening] + 1
        return self.at(opening - 1).text == "if" and "throw" in (self.at(after).text, self.at(after + 1).text)

    def comma_after(self, place: int) -> int:
        """Return the place of the comma, or of the closing bracket, after an argument."""
        while self.at(place).text not in (",", ")", ""):
            place = self.closing.get(place, place) + 1
        return place

    def has_object(self, place: int) -> bool:
        """Return whether an argument may be an object: it is no literal of anything else."""
        return self.at(place).text not in ("", ")") and not self.is_literal(place)

    def is_literal(self, place: int) -> bool:
        """Return whether a token is a literal that is no object, or the sign of one."""
        token = self.at(place)
        is_value = token.text in VALUES or token.text in ("true", "false", "null", "typeof")
        return token.kind in ("text", "number") or is_value or token.text == "-" and self.at(place + 1).kind == "number"

    def changes_result(self, place: int) -> bool:
        """Return whether a token is the sign by which tests set a part of what a function has returned."""
        if self.at(place).text != "=" or self.at(place - 1).kind == "symbol" and self.at(place - 1).text != "]":
            return False
        start = place - 1
        while start >= 0 and (self.at(start).text == "]" or self.at(start - 1).text == "."):
            if self.at(start).text == "]":
                start = next((first for first, last in self.closing.items() if last == start), 0) - 1
            else:
                start -= 2
        return start < place - 1 and self.at(start).text in self.results - self.plain

    def is_denied(self, place: int) -> bool:
        """Return whether tests that run apart do not use a name."""
        return self.at(place).text in DENIED

    def check_name(self, place: int) -> None:
        """Check the use of a name that is no property."""
        name, before, after = self.at(place).text, self.at(place - 1).text, self.at(place + 1).text
        if before in ("new", "instanceof") and name not in CONSTRUCTORS:
            raise NeedsCandidate(f"the tests use the class {name!r}")
        if name == "require" and before != "var" and not (after == "(" and MODULE.match(self.at(place + 2).text)):
            raise NeedsCandidate("the tests require a module")
        if name == "process" and not self.leaves_with_failure(place):
            raise NeedsCandidate("the tests use 'process'")
        if name == "console" and (after != "." or self.at(place + 3).text == "="):
            raise NeedsCandidate("the tests change 'console'")
        if not self.is_unknown(place):
            return
        is_value = after in (".", "?.", "[", "=", "++", "--") or name[0].isupper() and after != "("
        if is_value or before in ("typeof", "delete"):
            raise NeedsCandidate(f"the tests use {name!r} as a value")

    def leaves_with_failure(self, place: int) -> bool:
        """Return whether tests use `process` to fail: `process.exitCode = 1`, `process.exit(1)`."""
        dot, member, mark, status = (self.at(place + step).text for step in range(1, 5))
        has_status = mark == ("=" if member == "exitCode" else "(") and status.isdigit() and int(status) > 0
        return dot == "." and member in ("exit", "exitCode") and has_status

    def check_member(self, place: int) -> None:
        """Check a method that is called, or a property that is set."""
        receiver, member = self.at(place - 1), self.at(place + 1).text
        is_name = receiver.kind == "name" and self.at(place - 2).text not in (".", "?.")
        is_builtin = is_name and (receiver.text in NAMESPACES or receiver.text == "assert")
        is_own = is_name and receiver.text in self.plain
        if self.at(place + 2).text == "=":
            if is_builtin and receiver.text != "process":
                raise NeedsCandidate(f"the tests change {receiver.text!r}")
        elif not is_builtin and not is_own and member not in READING:
            raise NeedsCandidate(f"the tests call the method {member!r}")

    def check_call(self, place: int) -> None:
        """Check a call of the candidate's function, and what the tests do with its result."""
        name, end = self.at(place).text, self.closing[place + 1]
        if self.at(place - 1).text in ("...", "of", "new"):
            raise NeedsCandidate(f"the tests iterate over the result of {name!r}")
        if self.async_bodies and self.goes_on(place):
            # A promise that is pending then may need what the tests do next.
            raise NeedsCandidate(f"the tests go on while {name!r} may be pending")
        if self.at(end + 1).text == "(":
            raise NeedsCandidate(f"the tests call the result of {name!r}")
        for inner in range(place + 2, end):
            token, after = self.at(inner), self.at(inner + 1).text
            is_function = token.kind == "name" and not self.is_property(inner) and self.names_function(token.text)
            if token.text in ("=>", "function") or is_function and after != "(" and not self.reads_constant(inner):
                raise NeedsCandidate(f"the tests give {name!r} a function")

    @cached_property
    def async_bodies(self) -> list[tuple[int, int]]:
        """The places of the brackets around the bodies of async functions."""
        found = []
        for place, token in enumerate(self.tokens):
            if token.text != "async" or self.is_property(place):
                continue
            at = place + 1 + (self.at(place + 1).text == "function")
            # The function's name, or its only parameter.
            at += self.at(at).kind == "name"
            if self.at(at).text == "(":
                at = self.closing[at] + 1
            at += self.at(at).text == "=>"
            found += self.body_at(at)
        return found

    def body_at(self, place: int) -> list[tuple[int, int]]:
        """Return the places around the body that a function has at a place; an empty list if they are not known."""
        return [(place, self.closing[place])] if self.at(place).text == "{" else []

    def goes_on(self, place: int) -> bool:
        """Return whether tests take the result of a call nowhere at once, so that they go on while it is pending."""
        before = self.at(place - 1)
        ends = before.text in (")", "]") or before.kind != "symbol" and before.text not in KEYWORDS
        return before.text in STARTS or self.at(place).follows_line and ends

    def names_function(self, name: str) -> bool:
        """Return whether a name may stand for a function."""
        is_builtin = name in self.builtin - KEYWORDS - VALUES
        return is_builtin or name in self.names or name in self.functions

    @cached_property
    def functions(self) -> set[str]:
        """Names that the tests declare as functions."""
        found = {following.text for token, following in pairwise(self.tokens) if token.text == "function"}
        return found | (self.callable & self.declared) - self.plain

    def reads_constant(self, place: int) -> bool:
        """Return whether a name is followed by that of a constant, or of a method that is called: `Math.PI`."""
        member = self.at(place + 2)
        is_plain = self.at(place + 3).text == "(" or CONSTANT.fullmatch(member.text) is not None
        return self.at(place + 1).text == "." and is_plain


@lru_cache(maxsize=256)
def read_tests(tests: str) -> tuple[str, frozenset[str]]:
    """Return why tests need the candidate's process, "" if they don't, and the names that they may have from it."""
    try:
        text = TestsText(list(scan(tests)))
        text.check()
    except NeedsCandidate as error:
        return str(error), frozenset()
    return "", frozenset(text.names)


def reason_for_candidate(tests: str) -> str:
    """Return why tests need the candidate's process; "" if they can run apart."""
    return read_tests(tests)[0]
