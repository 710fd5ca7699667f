"""Answers in Python to a task with a suffix: what stands between two pieces of code, or the whole program."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sandboxes.extraction.answers import COMPLETION, Asked, Extraction
from sandboxes.extraction.fences import blocks_in
from sandboxes.extraction.model_formats import final_answer
from sandboxes.extraction.python_readings import BLOCK, MAX_BLOCKS, read_python
from sandboxes.imports import is_python


def read_infilling(answer: str, asked: Asked) -> Extraction:
    """Return the first text of an answer that fits between prompt and suffix, otherwise the whole program in it.

    Without either, all of the answer stands between them.
    """
    for reading in infillings(answer):
        if is_python(asked.prompt + reading.code + asked.suffix):
            return reading
    whole = read_python(answer, replace(asked, prompt="", suffix=""))
    return whole if is_python(whole.code) else Extraction(answer, COMPLETION, continues_prompt=True)


def infillings(answer: str) -> Iterator[Extraction]:
    """Yield the texts of an answer that may fit: all of it, its final answer, and its blocks, the last one first.

    No space is removed: a suffix may begin in the middle of a line.
    """
    text = final_answer(answer.replace("\r\n", "\n"))
    yield Extraction(answer, COMPLETION, continues_prompt=True)
    if text != answer:
        yield Extraction(text, f"{COMPLETION}, without what the model's format adds", continues_prompt=True)
    for block in reversed(blocks_in(text)[-MAX_BLOCKS:]):
        for code in dict.fromkeys((block.code, block.code.removesuffix("\n"))):
            yield Extraction(code, f"{BLOCK}, {COMPLETION}", continues_prompt=True)
