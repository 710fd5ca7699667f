"""Extraction of code from a completion as SandboxFusion does it. It reads each line a fixed number of times.

A request's own logic (`custom_extract_logic`) runs in a sandbox, and this file with it. So it uses the standard library
of Python 3.8 alone, and imports nothing of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

FENCE = "```"
CUSTOM, FENCED, UNCLOSED, HEURISTIC = 40, 30, 20, 10
"""Priorities of blocks. The blocks of the highest are looked at, and no others."""

TYPES = {FENCED: "fenced", UNCLOSED: "incomplete_fenced", HEURISTIC: "heuristic"}
"""The names of these priorities in answers."""

IMPORT_LINE = re.compile(r"(?:import|from|#).")
DEFINITION_LINE = re.compile(r"(?:def|class) .")
SQL_LINE = re.compile(r"\s*(?:select|with\s.+as)", re.IGNORECASE)


@dataclass
class CodeBlock:
    """A block of code in a completion."""

    priority: int
    code: str
    language: str = ""
    """SandboxFusion's name of the language. "": unknown."""


def extract_fenced_code(completion: str, fences: Mapping[str, Sequence[str]] | None = None) -> list[CodeBlock]:
    """Return the blocks that a fence closes.

    Args:
        completion: the model's text.
        fences: words after a fence by the language that they name.
    """
    languages = fence_languages(fences)
    return [CodeBlock(FENCED, code, language_of(word, languages)) for word, code in fenced_blocks(completion)]


def fenced_blocks(completion: str) -> Iterator[tuple[str, str]]:
    """Yield (the rest of the line after the fence, code) of each block that a fence closes.

    A fence opens a block anywhere in a line. The fence that closes it has nothing but white space before it. Empty
    lines before it are no part of the code.
    """
    lines = completion.split("\n")
    number, column = 0, 0
    while number < len(lines):
        found = lines[number].find(FENCE, column)
        if found < 0:
            number, column = number + 1, 0
            continue
        closing = number + 2
        while closing < len(lines) and not lines[closing].lstrip().startswith(FENCE):
            closing += 1
        if closing >= len(lines):
            return
        end = closing
        while end > number + 2 and not lines[end - 1].strip():
            end -= 1
        yield lines[number][found + len(FENCE) :], "\n".join(lines[number + 1 : end])
        number, column = closing, lines[closing].find(FENCE) + len(FENCE)


def extract_incomplete_fenced_code(
    completion: str, fences: Mapping[str, Sequence[str]] | None = None
) -> list[CodeBlock]:
    """Return what follows the line of the first fence, to the end."""
    _, fence, rest = completion.partition(FENCE)
    word, line_break, code = rest.partition("\n")
    if not fence or not line_break:
        return []
    return [CodeBlock(UNCLOSED, code, language_of(word, fence_languages(fences)))]


def extract_heuristic_code(completion: str, language: str = "") -> list[CodeBlock]:
    """Return blocks that look like code of a language, in a completion without fences."""
    lines = [line for line in completion.split("\n") if line.strip()]
    if language == "python":
        return [CodeBlock(HEURISTIC, code, language) for code in python_definitions(lines)]
    if language == "sql":
        starts = [number for number, line in enumerate(lines) if SQL_LINE.match(line)]
        codes = ["\n".join([*lines[start:], ""]).partition(";")[0] for start in starts[:1]]
        return [CodeBlock(HEURISTIC, code, language) for code in codes]
    if language == "bash":
        return [CodeBlock(HEURISTIC, "\n".join(lines) + "\n", language)]
    return []


def python_definitions(lines: Sequence[str]) -> Iterator[str]:
    """Yield each definition with the indented lines after it and the imports and comments before it."""
    number = start = 0
    while number < len(lines):
        if IMPORT_LINE.match(lines[number]):
            number += 1
            continue
        end = number + 1
        if DEFINITION_LINE.match(lines[number]):
            while end < len(lines) and lines[end][:1].isspace():
                end += 1
            if end > number + 1:
                yield "\n".join(lines[start:end]) + "\n"
        number = start = end


def fence_languages(fences: Mapping[str, Sequence[str]] | None) -> dict[str, str]:
    """Return languages by the words after a fence that name them."""
    return {word: language for language, words in (fences or {}).items() for word in words}


def language_of(word: str, languages: Mapping[str, str]) -> str:
    """Return the language that the word after a fence names, or "" if it names none."""
    return languages.get(word.strip().lower(), "")


def all_blocks(
    completion: str, language: str, fences: Mapping[str, Sequence[str]] | None, custom: Sequence[CodeBlock] = ()
) -> list[CodeBlock]:
    """Return all blocks of a completion, in SandboxFusion's order.

    Args:
        completion: the model's text.
        language: that the code should be in.
        fences: words after a fence by the language that they name.
        custom: blocks that a request's own logic has found.
    """
    return [
        *extract_fenced_code(completion, fences),
        *extract_heuristic_code(completion, language),
        *extract_incomplete_fenced_code(completion, fences),
        *custom,
    ]


def chosen_block(blocks: Sequence[CodeBlock], language: str) -> CodeBlock | None:
    """Return the first of the blocks with the highest priority, if possible in a language. None: there is no block."""
    if not blocks:
        return None
    highest = max(block.priority for block in blocks)
    best = [block for block in blocks if block.priority == highest]
    return next((block for block in best if block.language == language), best[0])
