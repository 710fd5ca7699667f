"""The statements by which tests for jest import the candidate, jest and other modules. Used by `javascript_jest`."""

from __future__ import annotations

import re

from sandboxes.languages.apart.javascript import MODULE
from sandboxes.languages.apart.javascript_tokens import NeedsCandidate, Token, scan

TESTS = frozenset("describe fdescribe fit it test xdescribe xit xtest".split())
GLOBALS = TESTS | frozenset("afterAll afterEach beforeAll beforeEach expect jest".split())
"""The names that jest gives to tests."""

JEST_MODULE = re.compile(r"""(["'`])@jest/globals\1""")
OWN_MODULE = re.compile(r"""(["'`])\.\.?/[\w./-]*\1""")
"""A module beside the tests. There is none but the candidate."""

DEFAULT, WHOLE = "default", "*"
"""What a name of the tests stands for, if it is the default export, or the module itself."""

CHANGING = frozenset("+-*/%&|^?")
"""Signs that change a variable before `=`, or twice."""

REQUESTS = {DEFAULT: "part ", WHOLE: "member "}
"""What stands before the name of a part of one of these, in the requests of `javascript_link`."""


class Imports:
    """The statements of a text that import modules."""

    def __init__(self, code: str, tokens: list[Token]) -> None:
        """Read them.

        Raises:
            NeedsCandidate: if one is not understood.
        """
        self.code, self.tokens = code, tokens
        self.has_jest = False
        self.bound: set[str] = set()
        """Names that modules other than jest and the candidate declare."""

        self.own: dict[str, str] = {}
        """What the candidate exports, by the tests' names: a name, DEFAULT or WHOLE."""

        self.modules: set[str] = set()
        """The modules beside the tests."""

        self.edits: list[tuple[int, int, str]] = []
        """(start, end, text): parts of the text, and what they become."""

        for place, token in enumerate(tokens):
            is_property = self.text(place - 1) in (".", "?.")
            if token.text == "import" and not is_property and self.text(place + 1) not in ("(", "."):
                self.read_import(place)
            elif token.text == "require" and not is_property and self.text(place + 1) == "(":
                self.read_require(place)

    def text(self, place: int) -> str:
        """Return the text of a token; "" outside of the text."""
        return self.tokens[place].text if 0 <= place < len(self.tokens) else ""

    def read_import(self, place: int) -> None:
        """Read a statement with `import`."""
        end = place + 1
        while self.tokens[end : end + 1] and self.tokens[end].kind != "text":
            end += 1
        clause = [token.text for token in self.tokens[place + 1 : end]]
        if clause and clause.pop() != "from":
            raise NeedsCandidate("the tests use 'import'")
        if clause[:1] == ["type"] and len(clause) > 1:
            self.replace(place, end, "")
            return
        names: dict[str, str] = {}
        if clause and clause[0] not in ("{", "*"):
            names[clause[0]] = DEFAULT
            clause = clause[2:]
        if clause[:2] == ["*", "as"]:
            names[clause[2]] = WHOLE
        elif clause:
            names |= named_parts(clause[1:-1], "as")
        self.take(place, end, names)

    def read_require(self, place: int) -> None:
        """Read a statement with `require`."""
        if not JEST_MODULE.fullmatch(self.text(place + 2)) and not OWN_MODULE.fullmatch(self.text(place + 2)):
            return
        end, start = place + 3, place - 2
        names: dict[str, str] = {}
        member = WHOLE
        if self.text(end + 1) == ".":
            member, end = self.text(end + 2), end + 2
        ends = self.text(end + 1) in ("", ";") or self.tokens[end + 1].follows_line
        if self.text(place - 1) != "=":
            start = place
            ends &= self.text(place - 1) in ("", ";", "{", "}") or self.tokens[place].follows_line
        elif self.text(place - 2) == "}":
            while start and self.text(start) != "{":
                start -= 1
            names = named_parts([token.text for token in self.tokens[start + 1 : place - 2]], ":")
            member = WHOLE if member == WHOLE else ""
        else:
            names = {self.text(place - 2): member}
        is_declared = start == place or self.text(start - 1) in ("const", "let", "var")
        if not member or not is_declared or not ends:
            raise NeedsCandidate("the tests require the candidate within an expression")
        self.take(start - (start != place), end, names, place + 2)

    def take(self, start: int, end: int, names: dict[str, str], module_place: int | None = None) -> None:
        """Note what a statement declares, and take it out of the text.

        Args:
            start: the place of its first token.
            end: likewise of its last, but for a semicolon.
            names: what the module exports, by the tests' names.
            module_place: of the module's name. None: it is at the end.
        """
        module = self.text(end if module_place is None else module_place)
        if JEST_MODULE.fullmatch(module):
            self.has_jest = True
            if unknown := [name for name in names.values() if name not in GLOBALS]:
                raise NeedsCandidate(f"the tests import {unknown[0]!r} of jest")
            renamed = (f"const {own} = {name};" for own, name in names.items() if own != name)
            self.replace(start, end, " ".join(renamed))
        elif OWN_MODULE.fullmatch(module):
            self.modules.add(re.sub(r"(?:\.[cm]?[jt]sx?)?.$", "", module[1:]))
            self.own |= names
            self.replace(start, end, "")
        else:
            self.bound |= names.keys()
            if MODULE.fullmatch(module):
                wholes = [own for own, name in names.items() if name in (DEFAULT, WHOLE)]
                parts = ", ".join(f"{name}: {own}" for own, name in names.items() if own not in wholes)
                patterns = [*wholes, *([f"{{ {parts} }}"] if parts else [])]
                self.replace(start, end, " ".join(f"const {each} = require({module});" for each in patterns))

    def replace(self, start: int, end: int, text: str) -> None:
        """Put something in the place of a statement. The lines keep their numbers."""
        end += self.text(end + 1) == ";"
        first, last = self.tokens[start].start, self.tokens[end].end
        self.edits.append((first, last, text + ";" + "\n" * self.code.count("\n", first, last)))

    def edited(self) -> str:
        """Return the text with all changes."""
        code = self.code
        for start, end, text in sorted(self.edits, reverse=True):
            code = code[:start] + text + code[end:]
        return code


def named_parts(tokens: list[str], between: str) -> dict[str, str]:
    """Return the names that an import has in braces, by those that the tests give to them.

    Args:
        tokens: the texts between the braces.
        between: the token between a name and another that the tests give to it.

    Raises:
        NeedsCandidate: if there is anything else in the braces.
    """
    names: dict[str, str] = {}
    for part in " ".join(tokens).split(","):
        words = part.split()
        if words[:1] == ["type"] and len(words) > 1:
            continue
        if len(words) == 3 and words[1] == between:
            names[words[2]] = words[0]
        elif len(words) == 1:
            names[words[0]] = words[0]
        elif words:
            raise NeedsCandidate(f"the tests import {part.strip()!r}")
    return names


def with_members(code: str, own: dict[str, str]) -> tuple[str, dict[str, str]]:
    """Give each part of a module, or of its default export, a name of its own: `sums.add` becomes `sums$add`.

    Args:
        code: the tests.
        own: what the candidate exports, by the tests' names.

    Returns:
        (the tests, requests of `javascript_link` by the tests' names).

    Raises:
        NeedsCandidate: if a module is used in another way than by its parts, or as a function, or is changed.
    """
    requests = {name: f"default {name}" if member == DEFAULT else f"import {member}" for name, member in own.items()}
    tokens = list(scan(code, with_templates=True))
    edits: list[tuple[int, int, str]] = []
    for place, token in enumerate(tokens):
        texts = [tokens[at].text if 0 <= at < len(tokens) else "" for at in range(place - 1, place + 5)]
        before, _, after, part, *changes = texts
        whole = own.get(token.text, "")
        if whole not in REQUESTS or token.kind != "name" or before in (".", "?."):
            continue
        if after == "." and part:
            if changes[0] == "=" or changes[1] in ("=", changes[0]) and changes[0] in CHANGING or before == "delete":
                raise NeedsCandidate(f"the tests change a part of {token.text!r}")
            name = f"{token.text}${part}"
            requests[name] = REQUESTS[whole] + part
            edits.append((token.start, tokens[place + 2].end, name))
        elif after == "(" and before != "new":
            requests[token.text] = f"default {token.text}"
        elif whole == WHOLE:
            raise NeedsCandidate(f"the tests use the module {token.text!r} as a value")
    for start, end, text in reversed(edits):
        code = code[:start] + text + code[end:]
    return code, requests
