"""Variables in tests in C: their declarations, and statements that change them. Used by `c`."""

from __future__ import annotations

from sandboxes.languages.apart.c_conditions import ConditionReader
from sandboxes.languages.apart.c_numbers import Number, number
from sandboxes.languages.apart.c_places import HARMLESS, KEYWORDS, calls_in, check_data, names_in
from sandboxes.languages.apart.plain_tokens import BRACKETS, NotPlain

FILLERS = frozenset("strcpy strcat memset memcpy memmove sprintf snprintf free srand".split())
"""Functions of the library that change what they are given."""

COUNTED = {"int": "int", "unsigned": "unsigned", "size_t": "unsigned long", "float": "float", "double": "double"}
"""The types of variables whose numbers are known, by the last word of their names."""


class VariableReader(ConditionReader):
    """Takes statements about variables, and keeps them."""

    def __init__(self, code: str) -> None:
        """Begin with the first token."""
        super().__init__(code)
        # Variables that are only declared, with data, by the places of their statements.
        self.declared: dict[int, str] = {}
        self.assigned: set[str] = set()
        # Variables that count what has failed.
        self.failures: set[str] = set()
        # Where tokens stand in statements that declare, call and count what is named there, and do no more with it.
        self.known_places: set[int] = set()

    def is_declaration(self) -> bool:
        """Return whether a declaration of variables comes next."""
        first, second, third = (self.peek(step) for step in range(3))
        is_pointer = second.text == "*" and (third.kind == "name" or third.text == "*")
        return first.kind == "name" and (second.kind == "name" or is_pointer)

    def declaration(self) -> None:
        """Take a declaration of variables, and keep it as one for each."""
        first = self.at
        words = list[str]()
        while self.is_declaration():
            words.append(self.name())
        if not words or KEYWORDS & {*words}:
            raise NotPlain("no declaration")
        kind = self.source(first)
        self.variable(kind, words)
        while self.take(","):
            self.variable(kind, words)
        self.expect(";")

    def variable(self, kind: str, words: list[str]) -> None:
        """Take a variable of a declaration.

        Args:
            kind: the type before it.
            words: the words of the type.
        """
        first, is_plain = self.at, True
        while self.take("*") or self.take("const"):
            is_plain = False
        self.known_places.add(self.peek().start)
        name = self.name()
        while self.next_is("["):
            is_plain = False
            self.skip_data()
        if name in KEYWORDS:
            raise NotPlain("no declaration")
        if name in self.failures or name in self.variables:
            # Another variable of the same name may be the one that counts.
            self.assigned.add(name)
        value = self.value(name) if self.take("=") else True
        self.variables[name] = None
        self.fixed.discard(name)
        if isinstance(value, Number) and is_plain and words[-1] in COUNTED:
            self.variables[name] = number(COUNTED[words[-1]], value.value)
            if "const" in words:
                self.fixed.add(name)
        if value is not False:
            self.declared[len(self.statements)] = name
        self.statements.append(f"{kind} {self.source(first)};")

    def value(self, name: str) -> Number | bool:
        """Take what a variable is set to, up to a comma or a semicolon.

        Args:
            name: the variable.

        Returns:
            The number, True for other data, or False for what a function returns.
        """
        first = self.at
        while not self.next_is(",") and not self.next_is(";"):
            if self.peek() is self.end:
                raise NotPlain("no end")
            if self.peek().kind == "symbol" and self.peek().text in BRACKETS:
                self.skip_brackets()
            else:
                self.at += 1
        tokens, end = self.tokens[first : self.at], self.at
        self.at = first
        if not calls_in(tokens) - {"sizeof"} and not names_in(tokens) & self.results:
            check_data(tokens)
            try:
                found = self.constant()
            except NotPlain:
                return True
            finally:
                is_constant, self.at = self.at == end, end
            return found if is_constant else True
        place = self.place()
        if self.at != end:
            raise NotPlain("a result that is changed")
        if self.may_compare(place):
            self.compared.add(name)
        if place.names & self.results or not {*place.calls} <= HARMLESS:
            self.results.add(name)
        return False

    def expression(self) -> None:
        """Take an assignment, a step, or a call whose result nothing looks at, and keep it."""
        first = self.at
        if self.next_is("(", "void", ")"):
            self.at += 3
        place = self.place()
        variables = place.names & {*self.variables}
        if self.next_is("+", "+") or self.next_is("-", "-"):
            self.at += 2
            self.assigned |= variables
        elif self.take("="):
            if place.calls or not variables:
                raise NotPlain("an assignment to something else")
            self.assigned |= variables
            at = self.at
            for name in sorted(variables):
                self.at = at
                self.value(name)
        elif place.calls and place.calls[0] not in FILLERS:
            if self.may_compare(place):
                self.compared |= variables
            self.results |= variables
        self.expect(";")
        self.statements.append(self.source(first))
