"""Fenced blocks in an answer, by CommonMark's rules, but a fence may stand inside of a line, as models write it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice

MARK = re.compile(r"`{3,}|~{3,}")
TAGS = tuple(
    (re.compile(begin), re.compile(end))
    for begin, end in (
        (r"\[PYTHON\]", r"\[/PYTHON\]"),
        (r"\[CODE\]", r"\[/CODE\]"),
        (r"\[BEGIN\]", r"\[DONE\]"),
        (r"<!\[CDATA\[", r"\]\]>"),
        (r"<(?:code|python|pre)\b[^>\n]{0,99}>(?:<code\b[^>\n]{0,99}>)?", r"</(?:code|python|pre)>"),
        (r'<parameter name="(?:code|content)">', r"</parameter>"),
    )
)
"""Other marks around code: those of CodeLlama, of MBPP's prompt, of XML and HTML, and of calls of tools."""

FIELD = re.compile(r'"(?:code|source|solution|program|completion)"\s{0,9}:\s{0,9}(?=["\[])')
"""What stands in JSON before code: in a call of a tool, or in a notebook's cell."""

# Texts may be hostile: each closing fence costs a parse.
MAX_OPENING_FENCES, MAX_CLOSING_FENCES = 64, 20
MAX_FENCES, MAX_LINE_CHARS, MAX_TRIED_CHARS = 5_000, 1_000, 1 << 19


@dataclass(frozen=True)
class Block:
    """A block of code in an answer."""

    code: str
    label: str = ""
    """The first word behind its opening fence, in small letters."""

    place: int = 0
    """Where it begins in the answer."""

    is_closed: bool = True
    """False if it goes on to the end of the answer."""


def blocks_in(answer: str, is_code: Callable[[str], bool] | None = None) -> list[Block]:
    """Return the blocks of an answer, in their order.

    Args:
        answer: text without carriage returns.
        is_code: tells whether a text is valid code. A block ends at the first fence before which its text is. Without
            this function it ends at the first fence that may close it.
    """
    fences = [Fence.at(answer, mark) for mark in islice(MARK.finditer(answer), MAX_FENCES)]
    blocks: list[Block] = []
    number = 0
    while number < len(fences) and len(blocks) < MAX_OPENING_FENCES:
        block, number = block_at(answer, fences, number, is_code)
        blocks.append(block)
    return blocks


def tagged_blocks(answer: str) -> list[Block]:
    """Return the blocks between other marks than fences, in their order. Each mark's end is looked for once."""
    blocks: list[Block] = []
    for begins, ends in TAGS:
        place = 0
        while (begin := begins.search(answer, place)) and len(blocks) < MAX_OPENING_FENCES:
            if (end := ends.search(answer, begin.end())) is None:
                break
            code = answer[begin.end() : end.start()].strip("\n")
            blocks.append(Block(html.unescape(code) if begin[0].endswith(">") else code, "", begin.start()))
            place = end.end()
    decode = json.JSONDecoder(strict=False).raw_decode
    for field in islice(FIELD.finditer(answer), MAX_OPENING_FENCES):
        with suppress(ValueError, TypeError, RecursionError):
            blocks.append(Block("".join(decode(answer, field.end())[0]), "", field.start()))
    return sorted(blocks, key=lambda block: block.place)


@dataclass(frozen=True)
class Fence:
    """A mark that opens a block or closes one."""

    mark: str
    begin: int
    end: int
    before: str
    """What stands before it on its line."""

    behind: str
    """What stands behind it on its line."""

    @classmethod
    def at(cls, answer: str, mark: re.Match[str]) -> Fence:
        """Return the fence of a match."""
        begin, end = mark.span()
        return cls(mark[0], begin, end, line_before(answer, begin), answer[end : end_of_line(answer, end)])

    @property
    def begins_line(self) -> bool:
        """True if there is only white space before it, or the mark of a quote."""
        return not self.before.strip(" \t>")

    def closes(self, opening: Fence) -> bool:
        """Return whether this fence may close a block that another one opens."""
        is_alike = self.mark[0] == opening.mark[0] and len(self.mark) >= len(opening.mark)
        return is_alike and (self.begins_line or not self.behind.strip())


def block_at(answer: str, fences: list[Fence], number: int, is_code: Callable[[str], bool] | None) -> tuple[Block, int]:
    """Return (the block that a fence opens, the number of the fence where the search goes on)."""
    opening = fences[number]
    label = (opening.behind.split() or [""])[0].strip("{}.").lower()
    following = fences[number + 1 : number + 2]
    if following and following[0].begin <= opening.end + len(opening.behind) and following[0].mark == opening.mark:
        # The block is a part of one line.
        text = answer[opening.end : following[0].begin]
        word, _, code = text.partition(" ")
        return Block(code if word.isalnum() and code.strip() else text, "", opening.begin), number + 2
    begin = min(opening.end + len(opening.behind) + 1, len(answer))

    def code_before(end: int) -> str:
        return without_prefix(answer[begin:end], opening.before)

    near = islice(range(number + 1, len(fences)), 4 * MAX_CLOSING_FENCES)
    closing = [each for each in near if fences[each].closes(opening)][:MAX_CLOSING_FENCES]
    # A fence at the beginning of a line is more likely to be one.
    likely = sorted(closing, key=lambda each: not fences[each].begins_line) if is_code else []
    chosen, left = None, MAX_TRIED_CHARS
    for each in likely:
        code = code_before(fences[each].begin)
        left -= len(code)
        if left < 0:
            break
        if is_code and is_code(code):
            chosen = each
            break
    if chosen is None:
        # By their place: text before a fence is no valid code, or nobody can tell.
        chosen = min(closing, default=None)
    if chosen is None:
        return Block(code_before(len(answer)), label, opening.begin, is_closed=False), len(fences)
    # The fence of the next block can stand where this one's is missing.
    opens = fences[chosen].begins_line and re.fullmatch(r"[ \t]*[A-Za-z]+[ \t]*", fences[chosen].behind)
    return Block(code_before(fences[chosen].begin), label, opening.begin), chosen if opens else chosen + 1


def line_before(text: str, place: int) -> str:
    """Return what stands before a place on its line, or the end of that."""
    nearest = max(0, place - MAX_LINE_CHARS)
    return text[max(nearest, text.rfind("\n", nearest, place) + 1) : place]


def end_of_line(text: str, place: int) -> int:
    """Return the end of the line that holds a place, or a place on a long line."""
    end = text.find("\n", place, place + MAX_LINE_CHARS)
    return min(len(text), place + MAX_LINE_CHARS) if end < 0 else end


def without_prefix(code: str, prefix: str) -> str:
    """Return code without what an opening fence has before it on each line: a list's indentation, a quote's marks."""
    if not prefix:
        return code
    if prefix.lstrip().startswith(">"):
        return re.sub(r"^[ \t]*>[ ]?", "", code, flags=re.MULTILINE)
    return re.sub(rf"^[ \t]{{1,{len(prefix)}}}", "", code, flags=re.MULTILINE) if is_margin(prefix) else code


def is_margin(prefix: str) -> bool:
    """Return whether the text before a fence is white space, or the mark of a list's item."""
    return re.fullmatch(r"[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?", prefix) is not None
