"""Tests for jest in JavaScript and TypeScript: whether a text has some, and whether they can run apart.

They run apart from the candidate or not at all: nothing that jest judges by is safe from a candidate in its process.
Statements that import the candidate are taken out of their text. The names that they declare are then the candidate's,
as in other tests.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import ClassVar

from sandboxes.languages.apart.javascript import TestsText
from sandboxes.languages.apart.javascript import reason_for_candidate as reason_without_jest
from sandboxes.languages.apart.javascript_jest_imports import (
    GLOBALS,
    JEST_MODULE,
    TESTS,
    Imports,
    with_members,
)
from sandboxes.languages.apart.javascript_names import BUILTIN
from sandboxes.languages.apart.javascript_tokens import KEYWORDS, NeedsCandidate, scan

VARIANTS = frozenset("concurrent each failing only skip todo".split())
"""Members of `test` and `describe`."""

ASYMMETRIC = frozenset(
    "any anything arrayContaining arrayOf closeTo objectContaining stringContaining stringMatching".split()
)
OF_EXPECT = ASYMMETRIC | frozenset("assertions extend hasAssertions".split())
OF_JEST = frozenset(
    "clearAllMocks fn isMockFunction mocked now replaceProperty resetAllMocks restoreAllMocks setTimeout spyOn".split()
)
"""Members of `jest` that mean the same in a process without the candidate."""

MATCHER = re.compile(r"to[A-Z]\w*|(?:last|nth)(?:CalledWith|ReturnedWith)")
SNAPSHOT = re.compile(r"to(?:Match|ThrowErrorMatching)\w*Snapshot")
PROMISED = frozenset(("then", "catch", "finally"))
MAY_HAVE_TESTS = re.compile(rf"\b(?:{'|'.join(sorted(TESTS))})\b")
LOOKS_LIKE_TESTS = re.compile(rf"^\s*(?:{'|'.join(sorted(TESTS))})\s*[.(]", re.MULTILINE)
OTHER_TESTS = re.compile(
    rf"""(?:function|const|let|var|class)\s*\{{?[\w\s,]*\b(?:expect|{"|".join(sorted(TESTS))})\b|["'`]node:test["'`]"""
)
"""What shows that tests define such functions, where a text is not understood."""


@dataclass(frozen=True)
class JestTests:
    """Tests for jest."""

    reason: str
    """Why they can't run apart; "" if they can."""

    code: str = ""
    """Their text without the statements that import the candidate or jest."""

    names: dict[str, str] = field(default_factory=dict)
    """Names of the candidate's, as requests have them, by the tests' own names."""


class JestText(TestsText):
    """The tokens of tests for jest."""

    builtin: ClassVar[frozenset[str]] = BUILTIN | GLOBALS

    def __post_init__(self) -> None:
        """Find declarations, also those of methods."""
        super().__post_init__()
        for place in range(len(self.tokens)):
            if self.is_method(place):
                self.callable |= self.names_within(place + 1)

    def check(self) -> None:
        """Check that each use of a name is one that another process can serve.

        Raises:
            NeedsCandidate: if one is not.
        """
        for place, token in enumerate(self.tokens):
            if token.kind == "name":
                self.check_jest(place)
            # Behind a bracket it is the type of a function.
            is_member = token.text == ":" and self.at(place - 1).text != ")" and self.begins_function(place + 1)
            if (is_member or self.is_held_function(place)) and not self.is_for_jest(place):
                raise NeedsCandidate("the tests have an object with a function")
        super().check()

    def check_jest(self, place: int) -> None:
        """Check the use of a name of jest's, and of a template by a function of the candidate's."""
        name, before, after = self.at(place).text, self.at(place - 1).text, self.at(place + 1).text
        member = self.at(place + 2).text
        if SNAPSHOT.fullmatch(name) and before in (".", "?."):
            raise NeedsCandidate("the tests have snapshots")
        if self.at(place + 1).text.startswith("`") and self.is_unknown(place):
            raise NeedsCandidate(f"the tests give {name!r} a template")
        if name not in GLOBALS or self.is_property(place):
            return
        if name == "jest" and (after != "." or member not in OF_JEST):
            raise NeedsCandidate(f"the tests use {f'jest.{member}' if after == '.' else name!r}")
        if name == "jest" and member in ("fn", "spyOn", "mocked"):
            self.check_mock(place)
        if name == "expect" and after == "." and member not in OF_EXPECT | {"not"}:
            raise NeedsCandidate(f"the tests use {f'expect.{member}'!r}")

    def check_mock(self, place: int) -> None:
        """Check that a mock has a name of its own, and that what is mocked is not the candidate's."""
        owner = self.at(place + 4)
        if self.at(place + 2).text != "fn" and owner.text not in self.plain:
            raise NeedsCandidate(f"the tests mock a part of {owner.text!r}")
        before, named = self.at(place - 1).text, self.at(place - 2)
        is_named = before == "=" and named.kind == "name" and self.at(place - 3).text not in (".", "?.")
        is_statement = before in (";", "{", "}") or self.at(place).follows_line
        if not is_named and not is_statement and before not in ("=>", "return"):
            raise NeedsCandidate("the tests have a mock without a name")

    @cached_property
    def aliases(self) -> dict[str, str]:
        """Names that stand for another, by those others. The tests may name a function of jest's again."""
        return {name: own for name, own in super().aliases.items() if name not in GLOBALS}

    def is_method(self, place: int) -> bool:
        """Return whether a name is that of a method in an object: `{ name(a) { return a; } }`."""
        opening = place + 1
        name = self.at(place)
        if name.kind != "name" or name.text in KEYWORDS or self.at(opening).text != "(":
            return False
        body = self.at(self.closing[opening] + 1)
        return self.at(place - 1).text in ("{", ",", "async") and body.text == "{" and not body.follows_line

    def is_property(self, place: int) -> bool:
        """Return whether a name is that of a property."""
        return super().is_property(place) or self.is_method(place)

    def is_for_jest(self, place: int) -> bool:
        """Return whether a token is within a table of tests, or the tests' own matchers."""
        around = [first for first, last in self.closing.items() if first < place < last]
        return any(self.at(first - 1).text in ("each", "extend") for first in around)

    def is_held_function(self, place: int) -> bool:
        """Return whether a token is a function of the tests' own, as a part of an array or an object."""
        is_part = self.at(place - 1).text in (":", "[", ",", "{") and self.at(place + 1).text in (",", "]", "}")
        if not is_part or self.at(place).text not in self.functions:
            return False
        around = min(((last, first) for first, last in self.closing.items() if first < place < last), default=(0, 0))
        return self.at(around[1]).text in ("[", "{")

    def begins_function(self, place: int) -> bool:
        """Return whether a function begins at a place, such as `(a) => a`."""
        first, second = self.at(place), self.at(place + 1)
        if first.text == "(":
            return self.at(self.closing[place] + 1).text == "=>"
        return first.text in ("async", "function") or first.kind == "name" and second.text == "=>"

    def assign(self, name: str, place: int) -> None:
        """Note what a variable gets. Mocks are functions."""
        super().assign(name, place)
        if self.at(place).text == "jest":
            self.results.discard(name)
            self.callable.add(name)

    def is_denied(self, place: int) -> bool:
        """Return whether tests that run apart do not use a name. `jest.setTimeout` sets no timer."""
        return super().is_denied(place) and self.at(place - 2).text != "jest"

    def check_name(self, place: int) -> None:
        """Check the use of a name that is no property. Tests may look whether it is a function."""
        if self.at(place - 1).text != "typeof" or self.at(place + 1).text in (".", "?.", "["):
            super().check_name(place)

    def check_member(self, place: int) -> None:
        """Check a method that is called, or a property that is set."""
        receiver, member = self.at(place - 1), self.at(place + 1).text
        is_call = self.at(place + 2).text == "("
        follows_expect = receiver.text in (")", "not", "resolves", "rejects")
        if is_call and follows_expect and MATCHER.fullmatch(member):
            return
        if is_call and member in VARIANTS and receiver.text in TESTS | VARIANTS:
            return
        if is_call and (member in ASYMMETRIC and receiver.text == "not" or member.startswith("mock")):
            return
        if receiver.text in ("expect", "jest") and self.at(place - 2).text not in (".", "?."):
            if is_call:
                return
            raise NeedsCandidate(f"the tests change {receiver.text!r}")
        if is_call and member in PROMISED and self.is_awaited(place):
            return
        super().check_member(place)

    def demands_two_objects(self, place: int) -> bool:
        """Return whether tests may demand that two objects are not one, also by jest's `not`."""
        is_negated = self.at(place - 1).text == "." and self.at(place - 2).text == "not"
        if is_negated and self.at(place).text in ("toBe", "toContain") and self.at(place + 1).text == "(":
            return self.has_object(place + 2)
        return super().demands_two_objects(place)

    def is_awaited(self, place: int) -> bool:
        """Return whether tests wait for the promise before a dot, which a call has returned: `return add(2).then`."""
        opening = next((first for first, last in self.closing.items() if last == place - 1), None)
        if opening is None or self.at(opening - 1).kind != "name":
            return False
        if self.at(opening - 2).text == "." and self.at(opening - 1).text in PROMISED:
            return self.is_awaited(opening - 2)
        return self.is_unknown(opening - 1) and self.at(opening - 2).text in ("return", "await", "=>")

    def body_at(self, place: int) -> list[tuple[int, int]]:
        """Return the places around the body that a function has at a place, which may be an expression."""
        if self.at(place).text == "{" or self.at(place - 1).text != "=>":
            return super().body_at(place)
        around = (last for first, last in self.closing.items() if first < place <= last)
        return [(place - 1, min(around, default=len(self.tokens)))]

    def goes_on(self, place: int) -> bool:
        """Return whether tests go on while a call may be pending. Functions that are not async wait for none."""
        return super().goes_on(place) and any(first < place < last for first, last in self.async_bodies)

    def check_call(self, place: int) -> None:
        """Check a call of the candidate's function, and what the tests do with its result."""
        super().check_call(place)
        for inner in range(place + 2, self.closing[place + 1]):
            if self.at(inner).text in ("jest", "expect") and not self.is_property(inner):
                raise NeedsCandidate(f"the tests give {self.at(place).text!r} what jest makes")


def has_tests(text: TestsText, bound: set[str]) -> bool:
    """Return whether tests call a function of jest's that nothing declares.

    Args:
        text: the tests, whose imports are still there.
        bound: names that they import from other modules.
    """
    own = text.declared | text.callable | bound
    for place, token in enumerate(text.tokens):
        if token.text not in TESTS - own or token.kind != "name" or text.is_property(place):
            continue
        if text.at(place + 1).text == "." and text.at(place + 2).text in VARIANTS:
            return True
        if text.at(place + 1).text != "(" or text.at(place + 2).kind != "text":
            continue
        comma = place + 3
        while text.at(comma).text == "(":
            # An expression in a template, and the text after it.
            comma = text.closing[comma] + 2
        if text.at(comma).text == "," and is_function(text, comma + 1):
            return True
    return False


def is_function(text: TestsText, place: int) -> bool:
    """Return whether an argument is a function, or the name of one that the tests declare."""
    first = text.at(place)
    if first.text == "(":
        return text.at(text.closing[place] + 1).text in ("=>", ":")
    is_own = first.text in text.callable | text.declared or text.at(place + 1).text == "=>"
    return first.text in ("async", "function") or first.kind == "name" and is_own


@lru_cache(maxsize=256)
def read_jest(tests: str) -> JestTests | None:
    """Return tests for jest; None if they are for anything else."""
    if not MAY_HAVE_TESTS.search(tests):
        return None
    try:
        tokens = list(scan(tests, with_templates=True))
        imports = Imports(tests, tokens)
        if not imports.has_jest and not has_tests(TestsText(tokens), imports.bound):
            return None
    except NeedsCandidate as error:
        looks_so = JEST_MODULE.search(tests) or LOOKS_LIKE_TESTS.search(tests) and not OTHER_TESTS.search(tests)
        return JestTests(str(error)) if looks_so and "expect(" in tests else None
    try:
        if len(imports.modules) > 1:
            raise NeedsCandidate("the tests import more than one module")
        code, requests = with_members(imports.edited(), imports.own)
        text = JestText(list(scan(code, with_templates=True)))
        text.check()
    except NeedsCandidate as error:
        return JestTests(str(error))
    names = {name: requests.get(name, name) for name in text.names}
    return JestTests("", code, names)


def reason_for_candidate(tests: str) -> str:
    """Return why tests need the candidate's process; "" if they can run apart."""
    jest = read_jest(tests)
    return reason_without_jest(tests) if jest is None else jest.reason
