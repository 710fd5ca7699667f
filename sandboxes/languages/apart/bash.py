"""Tests in Bash that compare what calls print with texts: a list of conditions, as in MultiPL-E."""

from __future__ import annotations

import json
import re
from typing import NoReturn

from sandboxes.languages.apart.plain_tests import PlainTests, or_none
from sandboxes.languages.apart.plain_tokens import NotPlain

BLANK = re.compile(r"(?:[ \t\n;]|(?:^|(?<=\s))#[^\n]*)*", re.MULTILINE)
SPACE = re.compile(r"(?:[ \t]|\\\n)+")
OPTIONS = re.compile(r"set[ \t]+-[eu]*e[eu]*(?:o[ \t]+pipefail)?[ \t]*(?=[;\n]|\Z)")
FORWARDS = re.compile(r"(\w+)[ \t]*\(\)[ \t\n]*\{[ \t\n]*(\w+)[ \t]+\"\$@\"[ \t]*(?:;|\n)[ \t\n]*\}")
OPENS = re.compile(r"(\w+)[ \t]*\(\)[ \t\n]*\{[ \t]*\n")
NAME = re.compile(r"[A-Za-z_]\w*")
# A word, in parts: a text in quotes without expansions, an escaped character, and what stands for itself.
PART = re.compile(
    r"""'(?P<single>[^']*)'|"(?P<double>(?:[^"\\$`]|\\.)*)"|\\(?P<escaped>[^\n])|(?P<bare>[\w./:,+@%^=-]+)""", re.DOTALL
)
ESCAPE = re.compile(r"\\([\\\"$`])|\\\n")
OR_EXIT = re.compile(r"[ \t]*\|\|[ \t\n]*(?:exit|return)[ \t]+[1-9]\d*(?=[ \t]*(?:[;\n]|\Z))")
OR_SAY = re.compile(
    r"[ \t]*\|\|[ \t\n]*\{[ \t\n]*(?:echo|printf)(?:[ \t]+(?:'[^']*'|\"[^\"$`\\]*\"|[\w.,:-]+))+(?:[ \t]*>&2)?"
    r"[ \t]*[;\n][ \t\n]*(?:exit|return)[ \t]+[1-9]\d*[ \t]*[;\n][ \t\n]*\}"
)

PROGRAM = """\
code_eval_all=
code_eval_add() {
    local text=$1 slash='\\' quote='"' said= each
    text=${text//"$slash"/"$slash$slash"}
    text=${text//"$quote"/"$slash$quote"}
    if [[ $text == *[[:cntrl:]]* ]]; then
        while [[ -n $text ]]; do
            each=${text::1} text=${text:1}
            [[ $each == [[:cntrl:]] ]] && printf -v each '\\\\u%%04x' "'$each"
            said+=$each
        done
        text=$said
    fi
    code_eval_all+=${code_eval_all:+,}$quote$text$quote
}
%(statements)s
printf '\\n[%%s]\\n' "$code_eval_all"
"""


class BashReader:
    """Reads tests in Bash, as a list of conditions."""

    def __init__(self, code: str) -> None:
        """Begin with the first command."""
        self.code, self.at = code, 0
        self.statements: list[str] = []
        self.expected: list[str] = []
        self.ends_at_failure = False
        # A function of conditions that has to be called.
        self.function = ""

    def read(self) -> PlainTests:
        """Take all tests.

        Raises:
            NotPlain: if they do more than compare what calls print.
        """
        while not self.is_over():
            self.command()
        if self.function or not self.expected:
            self.refuse("no conditions, or a function that is not called")
        expected = json.dumps([[text, 0] for text in self.expected])
        return PlainTests(PROGRAM % {"statements": "\n".join(self.statements)}, expected)

    def command(self) -> None:
        """Take a command outside of functions."""
        if options := self.match(OPTIONS):
            self.ends_at_failure = True
            self.statements.append(options[0])
        elif forwards := self.match(FORWARDS):
            self.statements.append(forwards[0])
        elif opens := self.match(OPENS):
            if self.function or not self.ends_at_failure:
                self.refuse("a function whose conditions do not all decide")
            self.function = opens[1]
            while not self.is_over() and not self.take("}"):
                self.condition()
        elif self.function and self.take(self.function):
            self.function = ""
        else:
            self.condition()

    def condition(self) -> None:
        """Take a condition, and what happens if it does not hold."""
        is_double = self.take("[[")
        if not is_double and not self.take("["):
            self.refuse("a command that is no condition")
        self.space()
        is_quoted = self.take('"')
        if not is_quoted and not is_double:
            self.refuse("words that are split")
        call = self.call()
        if is_quoted and not self.take('"'):
            self.refuse("a text after a call")
        self.space()
        if not self.take("==") and not self.take("="):
            self.refuse("another comparison")
        self.space()
        self.expected.append(self.word())
        self.space()
        if not self.take("]]" if is_double else "]"):
            self.refuse("a longer condition")
        self.statements.append(f'code_eval_add "{call}"')
        if not self.match(OR_EXIT) and not self.match(OR_SAY) and not self.ends_at_failure and not self.is_over():
            self.refuse("a condition that does not decide")

    def call(self) -> str:
        """Take a call of a function whose output is compared, and return it."""
        first = self.at
        if not self.take("$("):
            self.refuse("no call")
        self.match(SPACE)
        if not self.match(NAME):
            self.refuse("no name of a function")
        while self.match(SPACE) and not self.code.startswith(")", self.at):
            self.word()
        if not self.take(")"):
            self.refuse("more than a call")
        return self.code[first : self.at]

    def word(self) -> str:
        """Take a word without expansions, and return its text."""
        parts = []
        while part := self.match(PART):
            if part["double"] is not None:
                parts.append(ESCAPE.sub(lambda escape: escape[1] or "", part["double"]))
            else:
                parts.append(part[str(part.lastgroup)])
        if not parts:
            self.refuse("no plain word")
        return "".join(parts)

    def space(self) -> None:
        """Take the space that has to be between two words."""
        if not self.match(SPACE):
            self.refuse("words without a space between them")

    def is_over(self) -> bool:
        """Take blank lines and comments. Return whether nothing follows."""
        self.match(BLANK)
        return self.at == len(self.code)

    def match(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """Take what matches a pattern, if it comes next."""
        found = pattern.match(self.code, self.at)
        self.at = found.end() if found else self.at
        return found

    def take(self, text: str) -> bool:
        """Take a text if it comes next. Return whether it does."""
        comes = self.code.startswith(text, self.at)
        self.at += len(text) if comes else 0
        return comes

    def refuse(self, reason: str) -> NoReturn:
        """Give up.

        Raises:
            NotPlain: always.
        """
        raise NotPlain(f"{reason}: {self.code[self.at : self.at + 40]!r}")


@or_none
def bash_tests(tests: str) -> PlainTests:
    """Return tests whose calls and results are apart.

    Raises:
        NotPlain: if they do more than compare what calls print with texts.
    """
    return BashReader(tests).read()
