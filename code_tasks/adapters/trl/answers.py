"""Answers in completions: their text without the reasoning, whether they were cut off, and whether they hold code."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sandboxes.extraction import code_blocks, content_text, defined_in, ends_in_open_block, final_answer
from sandboxes.imports import parse_candidate
from sandboxes.validation import short_repr


@dataclass(frozen=True)
class Answer:
    """The final answer in one completion."""

    text: str
    """The text without the reasoning before it."""

    is_cut: bool = False
    """True if the completion ended at the trainer's maximal length, and not where the model wanted to end."""


def answers_of(
    completions: Sequence[Any], completion_ids: Sequence[Sequence[int]] | None, eos_token_ids: Collection[int]
) -> list[Answer]:
    """Return the final answer of each completion: the text, or the last message of the assistant.

    Args:
        completions: strings, or lists of messages.
        completion_ids: the tokens of each completion, with the one that ended it. None: unknown.
        eos_token_ids: the tokens that end a completion. Empty: an open block of code, or reasoning without an end,
            shows that a completion was cut off.

    Raises:
        TypeError, ValueError: if these are no completions, or the tokens are not those of each.
    """
    if isinstance(completions, str) or not hasattr(completions, "__iter__"):
        raise TypeError(f"completions must be a list, not {short_repr(completions)}")
    texts = [text_of(number, completion) for number, completion in enumerate(completions)]
    if completion_ids is None or not eos_token_ids:
        return [Answer(answer := final_answer(text), looks_cut(text, answer)) for text in texts]
    if len(completion_ids) != len(texts):
        raise ValueError(f"there are {len(texts)} completions, but completion_ids for {len(completion_ids)}; one each")
    return [
        Answer(final_answer(text), not len(ids) or int(ids[-1]) not in eos_token_ids)
        for text, ids in zip(texts, completion_ids, strict=True)
    ]


def text_of(number: int, completion: Any) -> str:
    """Return the text of one completion: its own, or the content of the assistant's last message."""
    if isinstance(completion, str):
        return content_text(completion)
    if isinstance(completion, list) and all(isinstance(message, dict) for message in completion):
        answers = [message for message in completion if message.get("role", "assistant") == "assistant"]
        return content_text(answers[-1].get("content")) if answers else ""
    raise TypeError(f"completions[{number}] must be a string or a list of messages, not {short_repr(completion)}")


def looks_cut(text: str, answer: str) -> bool:
    """Return whether a completion seems to have been cut off: in its reasoning, or in a block of code.

    Args:
        text: the whole completion.
        answer: the text without the reasoning.
    """
    return (bool(text.strip()) and not answer.strip()) or ends_in_open_block(answer)


def holds_code(answer: str, code: str, language: str) -> bool:
    """Return whether there is code, right or wrong, in an answer that may also have prose.

    Args:
        answer: the model's text.
        code: extracted from it, and not empty.
        language: of the code. An answer in another language than Python that has no blocks is taken for code.
    """
    if language != "python":
        return True
    try:
        body = parse_candidate(code).body
    except ValueError:
        return bool(code_blocks(answer) or defined_in(code))
    return any(not is_prose(statement) for statement in body)


def is_prose(statement: ast.stmt) -> bool:
    """Return whether a statement does nothing, as a word of prose that happens to be Python: a name or a constant."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Name | ast.Constant)
