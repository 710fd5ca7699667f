"""Extraction of code from a chat model's answer, which has code in fenced blocks and prose between them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from typing import Any

from sandboxes.imports import parse_candidate

# A fence has backticks or tildes, and at most three spaces before them. An unclosed block goes on to the end.
FENCED = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<code>.*?)(?:(?P<end>^ {0,3}(?P=fence)[`~]*[ \t]*$)|\Z)",
    re.MULTILINE | re.DOTALL,
)
WORD = re.compile(r"[A-Za-z_]\w*")
DEFINITION = re.compile(
    r"^[ \t]*(?:async\s+)?(?:(?:def|class|func|function|fn|const|let|var|void|int)\s+([A-Za-z_]\w*)"
    r"|(?:public|static)\s(.*))",
    re.MULTILINE,
)
AFTER_SPACE = re.compile(r"\s([A-Za-z_]\w*)")


def code_blocks(answer: str) -> list[str]:
    """Return the texts of an answer's fenced blocks, in their order."""
    return [block["code"] for block in blocks_in(answer)]


def ends_in_open_block(answer: str) -> bool:
    """Return whether the last block of an answer is never closed."""
    return any(block["end"] is None for block in blocks_in(answer))


def blocks_in(answer: str) -> Iterator[re.Match[str]]:
    """Return the matches of an answer's fenced blocks, in their order. Only the last may be open."""
    return FENCED.finditer(answer.replace("\r\n", "\n"))


def last_block(answer: str, reference: str = "") -> str:
    """Return the last fenced block of an answer, or the answer itself if it has none."""
    return (code_blocks(answer) or [answer])[-1]


def all_blocks(answer: str, reference: str = "") -> str:
    """Return all fenced blocks of an answer in one text, or the answer itself if it has none."""
    return "\n".join(code_blocks(answer) or [answer])


def defining_block(answer: str, reference: str) -> str:
    """Return the last fenced block that defines a name that the tests use, or the last block if none does.

    Args:
        answer: the model's answer.
        reference: the tests, or the name of the entry point.
    """
    used = set(WORD.findall(reference))
    defining = [block for block in code_blocks(answer) if used & defined_names(block)]
    return defining[-1] if defining else last_block(answer)


def defined_names(block: str) -> set[str]:
    """Return names that a block of code defines at its top level.

    A block that is very long, or not valid Python, is searched for text that looks like a definition. The search reads
    the block once, so that a hostile answer costs neither memory nor time.
    """
    try:
        tree = parse_candidate(block)
    except ValueError:
        matches = list(DEFINITION.finditer(block))
        names = {match[1] for match in matches if match[1]}
        return names.union(*(AFTER_SPACE.findall(match[2] or "") for match in matches))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}


EXTRACTORS = {"last": last_block, "all": all_blocks, "defining": defining_block}
"""Ways to take the code out of an answer: (answer, reference) -> code."""

REASONING_TAGS = ("<think>", "</think>")


def without_reasoning(text: str) -> str:
    """Return a model's answer without the reasoning before it; an empty text if the reasoning never ended."""
    begin, end = REASONING_TAGS
    if end in text:
        return text.rpartition(end)[2]
    return "" if text.lstrip().startswith(begin) else text


def content_text(content: Any) -> str:
    """Return the text of a chat message's content, which is a string or a list of parts. UTF-8 can encode the text."""
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, Mapping) else part for part in parts]
    return encodable("".join(text for text in texts if isinstance(text, str)))


def encodable(text: str) -> str:
    """Return a text that UTF-8 can encode: each lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")
