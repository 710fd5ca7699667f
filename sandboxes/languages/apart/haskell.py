"""Tests in Haskell that compare results of calls with data: a `main` of conditions, as in MultiPL-E.

A literal is a number of the type that the candidate's function returns. The compiler finds that type as in the tests,
from the call and other data of the same kind, and the program writes the numbers with their types.
"""

from __future__ import annotations

import json
import re
from itertools import groupby

from sandboxes.languages.apart.haskell_conditions import (
    DECIDING,
    FAILURES,
    FROM_MODULES,
    KEYWORDS,
    VARIABLE,
    HaskellConditionReader,
)
from sandboxes.languages.apart.haskell_data import Shape, common_shape, filled, neutral
from sandboxes.languages.apart.haskell_results import IMPORTS, WRITER
from sandboxes.languages.apart.plain_tests import PlainTests, or_none
from sandboxes.languages.apart.plain_tokens import NotPlain, Token
from sandboxes.languages.haskell_source import PRELUDE, without_comments

# Dashes behind an operator's characters are no comment.
OPERATOR = re.compile(r"[!#$%&*+./<=>?@\\^|~:]--")
MODULE = re.compile(r"[A-Z]\w*(?:\.[A-Z]\w*)*", re.ASCII)
PROGRAM = """\
%(imports)s
main :: Prelude.IO ()
main = %(names)scodeEvalSay %(most)d
  [ %(calls)s
  ]

"""
MOST_CHARS, MOST_FOR_EACH = 10_000, 40
"""The longest text of a result, and so much more for each character of the tests. An equal one is shorter."""


class HaskellReader(HaskellConditionReader):
    """Reads tests in Haskell."""

    def __init__(self, tests: str) -> None:
        """Begin with the first token."""
        if "\t" in tests or "{-#" in tests or OPERATOR.search(tests):
            raise NotPlain("columns that differ, a pragma, or an operator")
        super().__init__(without_comments(tests))
        self.imports: list[str] = []
        self.names: dict[str, str] = {}

    def column(self, token: Token) -> int:
        """Return the column of a token."""
        return token.start - (self.code.rfind("\n", 0, token.start) + 1)

    def begins_line(self, token: Token) -> bool:
        """Return whether a token is the first in its line."""
        return not self.code[token.start - self.column(token) : token.start].strip()

    def begins_at(self, column: int) -> bool:
        """Return whether the next token is the first in its line, and stands in a column."""
        return self.begins_line(self.peek()) and self.column(self.peek()) == column

    def check_lines(self, first: int, column: int) -> None:
        """Check that all lines of what was taken belong to it.

        Args:
            first: its first token.
            column: of the block that it is a part of.
        """
        for token in self.tokens[first + 1 : self.at]:
            is_branch = column and token.kind == "name" and token.text in ("then", "else")
            if self.begins_line(token) and self.column(token) < (column if is_branch else column + 1):
                raise NotPlain("a line of another block")

    def file(self) -> None:
        """Take all of the tests."""
        if self.take("module", "Main"):
            self.take("(", "main", ")")
            self.expect("where")
        while self.next_is("import"):
            self.import_module()
        first = self.at
        if self.take("main", "::"):
            self.expect("IO", "(", ")")
            self.check_lines(first, 0)
        first = self.at
        if not self.begins_at(0):
            raise NotPlain("no definition")
        self.expect("main", "=")
        if self.take("do"):
            column = self.column(self.peek())
            self.line(column)
            while self.peek() is not self.end:
                if not self.begins_at(column):
                    raise NotPlain("more than a statement")
                self.line(column)
        else:
            self.statement()
        self.check_lines(first, 0)
        if not self.calls or self.peek() is not self.end:
            raise NotPlain("no call, or more than calls")

    def import_module(self) -> None:
        """Take an import, and keep it."""
        first = self.at
        self.expect("import")
        self.take("qualified")
        name = self.name()
        if name == "Prelude" or not MODULE.fullmatch(name):
            raise NotPlain("another Prelude")
        while self.peek() is not self.end and not self.begins_at(0):
            self.at += 1
        self.imports.append(self.source(first))

    def line(self, column: int) -> None:
        """Take a statement of a block.

        Args:
            column: of the block.
        """
        first = self.at
        self.statement()
        self.check_lines(first, column)

    def statement(self) -> None:
        """Take a statement of `main`."""
        if self.take("let"):
            self.binding()
        elif self.take("if"):
            self.decision()
        elif self.next_is("when") or self.next_is("unless"):
            holds = self.deciding() == "unless"
            self.expect("(")
            self.condition(holds)
            self.expect(")")
            if self.take("$"):
                self.fail()
            else:
                self.expect("(")
                self.fail()
                self.expect(")")
        else:
            self.succeed()

    def binding(self) -> None:
        """Take another name of a function. `let` has been taken."""
        name = self.name()
        self.expect("=")
        function = self.name()
        # A function with a name of the Prelude's is the candidate's if it is the one that is tested.
        refused = KEYWORDS | DECIDING
        is_plain = all(VARIABLE.fullmatch(each) and each not in refused for each in (name, function))
        if not is_plain or self.calls or name in self.names or name in PRELUDE:
            raise NotPlain("another name than that of a function")
        if function in PRELUDE and name != "candidate":
            raise NotPlain("a function of the Prelude's")
        self.names[name] = function

    def deciding(self) -> str:
        """Take a name that decides something, which has to be the library's, and return it."""
        name = self.name()
        module = FROM_MODULES.get(name, "")
        pattern = rf"import\s+{re.escape(module)}\s*(?:\((?:.*\W)?{name}(?:\W.*)?\))?"
        if module and not any(re.fullmatch(pattern, each, re.DOTALL) for each in self.imports):
            raise NotPlain("a name that may be the candidate's")
        return name

    def decision(self) -> None:
        """Take a condition and two actions. `if` has been taken."""
        place = self.at
        while place < len(self.tokens) and (self.tokens[place].kind, self.tokens[place].text) != ("name", "then"):
            place += 1
        action = self.tokens[place + 1 : place + 2]
        holds = not action or action[0].text not in FAILURES
        self.condition(holds)
        self.expect("then")
        (self.succeed if holds else self.fail)()
        self.expect("else")
        (self.fail if holds else self.succeed)()

    def succeed(self) -> None:
        """Take an action that does nothing, or writes a text."""
        if self.take("pure", "(", ")") or self.take("return", "(", ")"):
            return
        self.expect("putStrLn")
        if self.peek().kind != "text":
            raise NotPlain("something else than a text")
        self.at += 1

    def fail(self) -> None:
        """Take an action that ends the program with a failure, and what it says."""
        name = self.deciding()
        if name not in FAILURES:
            raise NotPlain("an action that may succeed")
        if name == "exitFailure":
            return
        self.take("$")
        if name == "exitWith":
            self.expect("(", "ExitFailure")
            self.atom()
            self.expect(")")
        elif self.peek().kind == "text":
            self.at += 1
        elif self.next_is("("):
            self.skip_brackets()
        else:
            raise NotPlain("an action without an argument")

    def common_shapes(self) -> dict[str, Shape]:
        """Return the shapes of results by functions, of those whose calls all have the same types.

        With the common shape in place of its own, a call does not tell whether it returns an empty list, or Nothing.
        """
        found = {}
        by_function = sorted(self.calls, key=lambda noted: noted[0].function)
        for function, group in groupby(by_function, key=lambda noted: noted[0].function):
            noted = [*group]
            arguments = [call.arguments for call, _ in noted]
            try:
                common_shape([("arguments", *each) for each in arguments if each is not None])
                if None not in arguments:
                    found[function] = common_shape(shape for _, shape in noted)
            except NotPlain:
                continue
        return found

    def program(self) -> str:
        """Return the tests that make the calls."""
        common = self.common_shapes()
        calls = [
            f"codeEvalLike ({call.source}) {neutral(filled(shape, common.get(call.function, shape)))}"
            for call, shape in self.calls
        ]
        parts = {
            "imports": "\n".join([*self.imports, IMPORTS]),
            "names": "".join(f"let {{ {name} = {function} }} in " for name, function in self.names.items()),
            "most": MOST_CHARS + MOST_FOR_EACH * len(self.code),
            "calls": "\n  , ".join(calls),
        }
        return PROGRAM % parts + WRITER


@or_none
def haskell_tests(tests: str) -> PlainTests:
    """Return tests whose calls and results are apart.

    Raises:
        NotPlain: if they do more than compare results with data.
    """
    reader = HaskellReader(tests)
    reader.file()
    return PlainTests(reader.program(), json.dumps(reader.expected))
