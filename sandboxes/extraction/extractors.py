"""The ways to take the code out of an answer, by name."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sandboxes.extraction.answers import Asked, Extraction, encodable
from sandboxes.extraction.fences import blocks_in
from sandboxes.extraction.infilling import read_infilling
from sandboxes.extraction.model_formats import begins_with_reasoning, final_answer
from sandboxes.extraction.other_languages import defined_in, read_other, wanted_names
from sandboxes.extraction.python_readings import BLOCK, read_python
from sandboxes.imports import MAX_PARSED_CHARS, is_python
from sandboxes.validation import short_repr

OWN_FENCE = re.compile(r"^ {0,3}(?:`{3,}|~{3,})", re.MULTILINE)

Extractor = Callable[[str, Asked], Extraction]


@dataclass(frozen=True)
class OwnExtractor:
    """An extractor of the user's."""

    function: Callable[[str, str], str]
    """(answer, tests) -> the code."""

    def __call__(self, answer: str, asked: Asked) -> Extraction:
        """Return what the function takes out of an answer. An answer that it leaves as it is continues a prompt."""
        code = self.function(answer, asked.tests)
        name = getattr(self.function, "__qualname__", type(self.function).__name__)
        return as_it_stands(answer, asked) if code == answer else Extraction(code, f"the function {name}")


def code_blocks(answer: str) -> list[str]:
    """Return the texts of an answer's fenced blocks, in their order."""
    return [block.code for block in blocks_in(answer.replace("\r\n", "\n"))]


def ends_in_open_block(answer: str) -> bool:
    """Return whether the last block of an answer is never closed."""
    blocks = blocks_in(answer.replace("\r\n", "\n"))
    # A single fence may close what no fence has opened.
    return bool(blocks) and not blocks[-1].is_closed and bool(blocks[-1].code.strip())


def automatic(answer: str, asked: Asked) -> Extraction:
    """Return the program in an answer, in whatever form a chat model gives it."""
    if not asked.language.startswith("python"):
        return read_other(answer, asked)
    if len(answer) > MAX_PARSED_CHARS:
        # Nothing tells a string of such a program from a chat around it, but a fence on a line of its own.
        is_chat = OWN_FENCE.search(answer) or begins_with_reasoning(answer)
        return read_other(answer, asked) if is_chat else as_it_stands(answer, asked)
    # This Python can't read all that another one can.
    own = asked.language == "python" or is_python(answer)
    if own and asked.suffix.strip():
        return read_infilling(answer, asked)
    return read_python(answer, asked) if own else read_other(answer, asked)


def last_block(answer: str, asked: Asked | None = None) -> Extraction:
    """Return the last fenced block of an answer, or the answer itself if it has none."""
    blocks = code_blocks(final_answer(answer))
    return Extraction(blocks[-1], BLOCK) if blocks else as_it_stands(answer, asked)


def all_blocks(answer: str, asked: Asked | None = None) -> Extraction:
    """Return all fenced blocks of an answer in one text, or the answer itself if it has none."""
    blocks = code_blocks(final_answer(answer))
    return Extraction("\n".join(blocks), BLOCK) if blocks else as_it_stands(answer, asked)


def defining_block(answer: str, asked: Asked) -> Extraction:
    """Return the last fenced block that defines a name that the tests use, or the last block if none does."""
    wanted = wanted_names(asked)
    defining = [block for block in code_blocks(final_answer(answer)) if wanted & defined_in(block)]
    return Extraction(defining[-1], BLOCK) if defining else last_block(answer, asked)


def as_it_stands(answer: str, asked: Asked | None) -> Extraction:
    """Return an answer that is code as it stands: of a task with a prompt, a completion."""
    return Extraction(answer, continues_prompt=bool(asked and asked.prompt))


EXTRACTORS: dict[str, Extractor] = {
    "auto": automatic,
    "last": last_block,
    "all": all_blocks,
    "defining": defining_block,
}


def read_answer(answer: str, asked: Asked, extract: Extractor | None) -> Extraction:
    """Return the program in a chat model's answer.

    Args:
        answer: the model's whole text.
        asked: what it was asked for.
        extract: an extractor. None: all of the final answer is code.
    """
    text = text_for(extract, answer)
    return as_it_stands(text, asked) if extract is None else extract(text, asked)


def text_for(extract: Extractor | None, answer: str) -> str:
    """Return the text of a chat model's answer for an extractor: the final answer, or all for the one that finds it."""
    return encodable(answer) if extract is automatic else final_answer(encodable(answer))


def checked_extractor(extract: Any) -> Extractor | None:
    """Return the extractor of a name, or of a function (answer, tests) -> code. "none" gives None.

    Raises:
        ValueError: if there is no extractor of this name.
    """
    if callable(extract):
        return OwnExtractor(extract)
    if extract in (None, "none"):
        return None
    if not isinstance(extract, str) or extract not in EXTRACTORS:
        choices = ", ".join((*EXTRACTORS, "none"))
        raise ValueError(f"extract must be one of {choices}, or a function, not {short_repr(extract)}")
    return EXTRACTORS[extract]
