"""Code out of a chat model's answer: it stands in fenced blocks, between words."""

from __future__ import annotations

import ast
import re

from sandboxes.imports import parsed

# A fence of backticks or tildes, indented by at most three spaces; a block that is not closed goes to the end.
FENCED = re.compile(
    r"^ {0,3}(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<code>.*?)(?:^ {0,3}(?P=fence)[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
WORD = re.compile(r"[A-Za-z_]\w*")
DEFINES = (
    r"(?m)^[ \t]*(?:async\s+)?(?:def|class|func|function|fn|const|let|var|void|int|public\s.*?|static\s.*?)\s+{}\b"
)


def code_blocks(answer: str) -> list[str]:
    """The texts of an answer's fenced blocks, in their order."""
    return [found["code"] for found in FENCED.finditer(answer.replace("\r\n", "\n"))]


def last_block(answer: str, reference: str = "") -> str:
    """The last fenced block of an answer; the answer itself if it has none."""
    return (code_blocks(answer) or [answer])[-1]


def all_blocks(answer: str, reference: str = "") -> str:
    """All fenced blocks of an answer, one after the other; the answer itself if it has none."""
    return "\n".join(code_blocks(answer) or [answer])


def defining_block(answer: str, reference: str) -> str:
    """The last fenced block that defines a name which the tests use: the last block if none does.

    Args:
        answer: of the model.
        reference: the tests, or the name of the entry point.
    """
    used = set(WORD.findall(reference))
    defining = [block for block in code_blocks(answer) if used & defined_in(block)]
    return defining[-1] if defining else last_block(answer)


def defined_in(block: str) -> set[str]:
    """Names that a block of code defines at its top, as far as can be told."""
    try:
        tree = parsed(block)
    except ValueError:
        return {name for name in set(WORD.findall(block)) if re.search(DEFINES.format(re.escape(name)), block)}
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)}


EXTRACTORS = {"last": last_block, "all": all_blocks, "defining": defining_block}
"""Ways to take the code out of an answer: (answer, reference) -> code."""
