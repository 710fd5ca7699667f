"""The parts of a prompt: what a completion continues, and what whole programs may lack of it."""

from __future__ import annotations

import ast
import functools
import textwrap
from collections.abc import Set
from dataclasses import dataclass

from sandboxes.extraction.names import DEFINITIONS, STAR, defined_names, module_level
from sandboxes.extraction.statements import BEGINS_CODE, indented, is_prose, lines_of
from sandboxes.imports import parse_candidate, parse_tree

INDENT = "    "
IDLE = (*DEFINITIONS, ast.Import, ast.ImportFrom)
UNFINISHED = ("", f"{INDENT}pass\n", f"\n{INDENT}pass\n", f"{INDENT * 2}pass\n")
"""Ends of which one makes a prompt valid Python."""


@dataclass(frozen=True)
class Prompt:
    """Code that a completion continues."""

    text: str

    preamble: str = ""
    """Its imports, helpers and constants, without the function that is asked for."""

    names: frozenset[str] = frozenset()
    """The names that the preamble defines."""

    def provides(self, lacking: Set[str]) -> bool:
        """Return whether the preamble has one of these names, or may have it."""
        return bool(lacking) and (STAR in self.names or bool(self.names & lacking))

    def body(self, text: str) -> str:
        """Return the completion that a text is; "" if it is none. Its indentation, or that of one line, may lack."""
        return next(filter(self.is_continued_by, self.forms(text)), "")

    def forms(self, text: str) -> list[str]:
        """Return the forms in which a text may be a completion."""
        if not self.text or not text.strip():
            return []
        as_it_is, line_break = ([], "") if self.text.endswith("\n") else ([text], "\n")
        if first_line(text)[:1].isspace():
            return [*as_it_is, line_break + text, line_break + indented(textwrap.dedent(text), INDENT)]
        # Some tokenizers cut the space at the beginning.
        return [*as_it_is, line_break + INDENT + text.lstrip("\n"), line_break + indented(text, INDENT)]

    def is_continued_by(self, text: str) -> bool:
        """Return whether the prompt with a text is valid Python, and the text does something."""
        try:
            tree = parse_candidate(self.text + text)
        except ValueError:
            return False
        if any(isinstance(node, ast.Return) for node in module_level(tree.body)):
            return False
        if not self.text.endswith("\n") and text[:1] != "\n":
            return True
        try:
            block = parse_candidate(f"if 1:\n{text}").body[0]
        except ValueError:
            return True
        # A function alone is the whole program, indented.
        return not all(is_prose(node) or isinstance(node, IDLE) for node in getattr(block, "body", ()))

    def line_of_error(self, text: str) -> int:
        """Return how many of a text's lines stand before the one where it can't continue the prompt."""
        try:
            parse_tree(self.text + text)
        except SyntaxError as error:
            return (error.lineno or 1) - 1 - self.text.count("\n")
        except (ValueError, MemoryError, RecursionError):
            return 0
        return text.count("\n")


@functools.lru_cache(maxsize=256)
def prompt_of(text: str, wanted: frozenset[str]) -> Prompt:
    """Return the parts of a prompt in Python.

    Args:
        text: the prompt; "" if there is none.
        wanted: the names that answers define.
    """
    for end in UNFINISHED if text else ():
        try:
            tree = parse_candidate(text + end)
        except ValueError:
            continue
        asked = [node for node in tree.body if isinstance(node, DEFINITIONS) and node.name in wanted]
        asked = asked or [node for node in tree.body[-1:] if isinstance(node, DEFINITIONS)]
        kept = [node for node in tree.body if node not in asked and not is_prose(node)]
        if not kept and not asked:
            break
        names = frozenset(defined_names(ast.Module(kept, [])))
        return Prompt(text, "\n".join(lines_of(text, node) for node in kept), names)
    # Plain words are no beginning of a program.
    return Prompt(text if any(map(BEGINS_CODE.match, text.split("\n"))) else "")


def first_line(text: str) -> str:
    """Return the first line of a text that is not blank."""
    return next((line for line in text.split("\n") if line.strip()), "")
