"""An answer and what it was asked for, and the program that a reading of it gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

AS_IT_STANDS = "as it stands"
COMPLETION = "a completion of the prompt"


@dataclass(frozen=True)
class Asked:
    """What an answer was asked for."""

    tests: str = ""
    """The tests, as code or as JSON. An extractor of the user's gets this text."""

    entry_point: str = ""
    """The function that the tests call. "": the names that the tests use, and do not define."""

    prompt: str = ""
    """Code that a completion continues. "": answers are whole programs."""

    language: str = "python"
    """The language of the program."""

    reads_input: bool = False
    """True if tests give the program input, and read its output."""

    suffix: str = ""
    """Code that follows a completion. "": nothing does."""


@dataclass(frozen=True)
class Extraction:
    """The program in an answer."""

    code: str
    """Source. Without a program in the answer, its text."""

    reading: str = AS_IT_STANDS
    """How the answer was read, in words for people."""

    continues_prompt: bool = False
    """True if the code continues the prompt; False if it is a whole program."""

    @property
    def is_part(self) -> bool:
        """True if the program is neither all of the answer nor the prompt with all of the answer."""
        return self.reading not in (AS_IT_STANDS, COMPLETION)


def content_text(content: Any) -> str:
    """Return the text of a chat message's content, which is a string or a list of parts. UTF-8 can encode the text."""
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, Mapping) else part for part in parts]
    return encodable("".join(text for text in texts if isinstance(text, str)))


def encodable(text: str) -> str:
    """Return a text that UTF-8 can encode: each lone surrogate becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")
