"""Variables in tests that compare results of calls with data. Used by the readers of Kotlin and Swift."""

from __future__ import annotations

import re
from typing import Any

from sandboxes.languages.apart.plain_data import Call
from sandboxes.languages.apart.plain_tests import Reader

WORD = re.compile(r"\w+")


class VariablesReader(Reader):
    """Reads tests with variables, which have data or results of calls."""

    def __init__(self, code: str) -> None:
        """Begin with the first token."""
        super().__init__(code)
        # Variables, by name: their data, or a call that is the variable.
        self.variables: dict[str, Any] = {}
        # Declarations of data that no call has needed yet. What is only compared stays out of the program.
        self.unused: dict[str, str] = {}

    def is_variable(self) -> bool:
        """Return whether the next token is a variable, of which nothing is called."""
        return self.peek().text in self.variables and self.peek(1).text not in ("(", ".")

    def declare(self, name: str, value: Any, needed: str, declaration: str) -> None:
        """Note a variable.

        Args:
            name: of the variable.
            value: the data, or a call.
            needed: the text of the value, which may name other variables.
            declaration: the whole text, for the program.
        """
        if isinstance(value, Call):
            self.use(needed)
            self.statements.append(declaration)
            self.variables[name] = Call(name)
        else:
            self.variables[name] = value
            self.unused[name] = declaration

    def use(self, source: str) -> None:
        """Keep the declarations of data that a call needs."""
        for name in WORD.findall(source):
            if declared := self.unused.pop(name, ""):
                self.statements.append(declared)

    def check(self, left: Any, right: Any, tolerance: float = 0) -> None:
        """Note that a call returns a value. One of the two is the call."""
        for side in (left, right):
            if isinstance(side, Call):
                self.use(side.source)
        super().check(left, right, tolerance)

    def has_variables(self, first: int) -> bool:
        """Return whether the tokens from a place on name variables, which the program may lack."""
        words = {token.text for token in self.tokens[first : self.at] if token.kind == "name"}
        return bool(words & self.variables.keys())
