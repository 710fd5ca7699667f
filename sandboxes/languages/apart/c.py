"""Tests in C that compare results with data: a `main` of assertions, or of conditions that end the program."""

from __future__ import annotations

import json
import re
from typing import Any

from sandboxes.languages.apart.c_macros import DEFINE, LINE, read_defines, without_comments
from sandboxes.languages.apart.c_places import COMPARISONS, KEYWORDS, PRINTERS, names_in, symbols_in
from sandboxes.languages.apart.c_printing import check_printing, check_streams
from sandboxes.languages.apart.c_results import MACROS, USED
from sandboxes.languages.apart.c_variables import VariableReader
from sandboxes.languages.apart.plain_tests import PlainTests, or_none
from sandboxes.languages.apart.plain_tokens import NotPlain


class CReader(VariableReader):
    """Reads tests in C."""

    def __init__(self, code: str) -> None:
        """Begin with the first token."""
        super().__init__(code)
        self.functions: dict[str, list[list[Any]]] = {}
        self.is_main = self.has_ended = False

    def read(self) -> None:
        """Take declarations and functions, up to the end of `main`, which has to be the last."""
        while not self.is_main:
            if not self.function() and not self.prototype():
                self.declaration()
        if self.peek() is not self.end:
            raise NotPlain("something after main")
        named = self.failures | {name for name, expected in self.functions.items() if expected}
        if any(
            token.kind == "name" and token.text in named and token.start not in self.known_places
            for token in self.tokens
        ):
            raise NotPlain("a function or a number of failures that something else uses")

    def function(self) -> bool:
        """Take a function, if one comes next: `main`, or one of statements without parameters or a result."""
        first = self.at
        self.take("static")
        self.is_main = self.next_is("int", "main", "(")
        if not self.is_main and not self.next_is("void"):
            self.at = first
            return False
        self.at += 1
        place = self.peek().start
        name, parameters = self.name(), self.at
        if self.next_is("("):
            self.skip_brackets()
        if not self.next_is("{") or not self.is_main and self.source(parameters) not in ("()", "(void)"):
            self.at, self.is_main = first, False
            return False
        self.known_places.add(place)
        self.statements.append(self.source(first))
        before, self.expected = self.expected, []
        self.block(self.is_main)
        if not self.is_main:
            self.functions[name], self.expected = self.expected, before
        return True

    def block(self, is_main: bool = False) -> None:
        """Take statements in brackets.

        Args:
            is_main: whether `main` ends with them.
        """
        variables, fixed = {**self.variables}, {*self.fixed}
        self.expect("{")
        self.statements.append("{")
        while not self.take("}"):
            if self.has_ended:
                raise NotPlain("a statement after the end")
            self.statement()
        if is_main and not self.has_ended:
            self.finish(set())
        self.statements.append("}")
        self.variables, self.fixed = variables, fixed

    def finish(self, returned: set[str]) -> None:
        """Note the end of `main`, which returns 0, or how many have failed."""
        if self.failures != returned or self.failures & self.assigned:
            raise NotPlain("failures that do not decide")
        self.statements.append(f"{USED} return 0;")
        self.has_ended = True

    def prototype(self) -> bool:
        """Take the declaration of a function, if one comes next."""
        first = self.at
        self.take("extern")
        while self.peek().kind == "name" or self.next_is("*"):
            self.at += 1
        if self.peek(-1).kind != "name" or self.at - first < 2 or not self.next_is("("):
            self.at = first
            return False
        self.known_places.add(self.peek(-1).start)
        self.skip_brackets()
        self.expect(";")
        tokens = self.tokens[first : self.at]
        if symbols_in(tokens) & (COMPARISONS | {"{", "="}) or names_in(tokens) & (KEYWORDS - {"extern"}):
            raise NotPlain("no declaration")
        self.statements.append(self.source(first))
        return True

    def statement(self) -> None:
        """Take a statement."""
        first = self.at
        if self.take(";"):
            return
        if self.next_is("{"):
            self.block()
        elif self.take("assert", "("):
            self.condition(True)
            self.expect(")", ";")
        elif self.take("if"):
            self.decision()
        elif self.take("return"):
            self.returned()
        elif self.peek().text in PRINTERS and self.peek(1).text == "(":
            is_flush = self.text_of() == "fflush"
            self.printing()
            self.expect(";")
            if is_flush:
                self.statements.append(self.source(first))
        elif self.peek().text in self.functions and self.peek(1).text == "(":
            self.known_places.add(self.peek().start)
            name = self.name()
            self.expect("(", ")", ";")
            self.expected += self.functions[name]
            self.statements.append(self.source(first))
        elif self.is_declaration():
            self.declaration()
        else:
            self.expression()

    def printing(self, may_call: bool = False) -> None:
        """Take a call that only prints, and leave it out: it may say what is expected.

        Args:
            may_call: whether what is printed may be what a function returns.
        """
        first = self.at
        self.at += 1
        self.skip_brackets()
        tokens = self.tokens[first : self.at]
        check_printing(tokens, may_call)
        self.known_places |= {token.start for token in tokens}

    def returned(self) -> None:
        """Take what `main` returns: 0, or how many have failed."""
        if not self.is_main:
            raise NotPlain("a return")
        is_bracketed = self.peek(1).text in self.variables and self.take("(")
        if self.text_of() not in self.variables:
            if not self.is_zero():
                self.condition(False)
            self.expect(";")
            self.finish(set())
            return
        self.known_places.add(self.peek().start)
        name, is_reversed = self.name(), self.take("==")
        if is_reversed or self.take("!=") or self.take(">"):
            self.digit("0")
        if is_bracketed:
            self.expect(")")
        if self.take("?"):
            statuses = [self.constant().value]
            self.expect(":")
            statuses.insert(0 if is_reversed else 1, self.constant().value)
            if not statuses[0] or statuses[1]:
                raise NotPlain("a status")
        elif is_reversed:
            raise NotPlain("a status")
        self.expect(";")
        self.finish({name})

    def digit(self, text: str) -> None:
        """Take a number that has to come next."""
        if self.text_of() != text:
            raise NotPlain("another number")
        self.at += 1

    def is_zero(self) -> bool:
        """Take the status of a program that ends well, if it comes next. Return whether it does."""
        first = self.at
        try:
            if not self.constant().value and self.next_is(";"):
                return True
        except NotPlain:
            pass
        self.at = first
        return False

    def decision(self) -> None:
        """Take an `if` that ends the program, or counts, where a result is wrong. Its first word has been taken."""
        condition = self.at
        if not self.next_is("("):
            raise NotPlain("no condition")
        self.skip_brackets()
        fails = self.body()
        otherwise = self.body() if self.take("else") else False
        if fails == otherwise:
            raise NotPlain("no decision")
        after, self.at = self.at, condition + 1
        self.condition(not fails)
        self.expect(")")
        self.at = after

    def body(self) -> bool:
        """Take what follows a condition. Return whether it fails the tests; otherwise it only prints."""
        first = self.at
        if not self.take("{"):
            fails = self.consequence()
        else:
            fails = False
            while not self.take("}"):
                fails = self.consequence() or fails
        tokens = self.tokens[first : self.at]
        if not fails:
            check_printing(tokens[1:-1] if tokens[0].text == "{" else tokens)
        return fails

    def consequence(self) -> bool:
        """Take a statement that follows a condition. Return whether it fails the tests; otherwise it only prints."""
        word = self.text_of()
        if word in PRINTERS and self.peek(1).text == "(":
            self.printing(may_call=True)
        elif self.take("abort", "(", ")"):
            pass
        elif self.take("assert", "("):
            if self.constant().value:
                raise NotPlain("no failure")
            self.expect(")")
        elif word == "return" and self.is_main or word in ("exit", "_exit", "_Exit"):
            self.at += 1
            if not self.constant().value:
                raise NotPlain("no failure")
        else:
            self.count()
        self.expect(";")
        return word not in PRINTERS

    def count(self) -> None:
        """Take what counts a failure."""
        is_counted = self.take("+", "+")
        self.known_places.add(self.peek().start)
        name = self.name()
        start = self.variables.get(name)
        if not is_counted and not self.take("+", "+"):
            self.take("+")
            self.expect("=")
            self.digit("1")
        if start is None or start.value or not start.is_whole:
            raise NotPlain("no number of failures")
        self.failures.add(name)

    def kept(self) -> str:
        """Return the statements. A variable that is only declared is left out, because it may hold what is expected."""
        statements = dict(enumerate(self.statements))
        while True:
            unused = [
                place
                for place, name in self.declared.items()
                if place in statements
                and not any(re.search(rf"\b{name}\b", text) for at, text in statements.items() if at != place)
            ]
            if not unused:
                return "\n".join(statements.values())
            for place in unused:
                del statements[place]


@or_none
def c_tests(tests: str) -> PlainTests:
    """Return tests whose calls and results are apart.

    Raises:
        NotPlain: if they do more than compare results with data.
    """
    text = without_comments(tests)
    code = LINE.sub("", text)
    reader = CReader(DEFINE.sub("", code))
    check_streams(reader.tokens)
    reader.constants = read_defines(code)
    reader.read()
    if not reader.expected:
        raise NotPlain("no call")
    kept = reader.kept()
    head = LINE.findall(text)
    for line in DEFINE.finditer(code):
        if not re.search(rf"\b{line[1]}\b", kept):
            continue
        if line[1] in reader.used:
            raise NotPlain("a name for what is given and what is expected")
        head.append(line[0])
    return PlainTests("\n".join([*head, MACROS, kept, ""]), json.dumps(reader.expected))
