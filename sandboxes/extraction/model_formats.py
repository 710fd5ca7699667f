"""What chat models write around an answer: reasoning, channels, turns and special tokens, as tables of formats."""

from __future__ import annotations

import re
from itertools import islice

from sandboxes.extraction.fences import line_before

REASONING = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    ("<scratchpad>", "</scratchpad>"),
    ("<seed:think>", "</seed:think>"),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<unused94>", "<unused95>"),
)
"""The tags around a model's reasoning. A chat template may write the first, so that the answer has the second alone."""

WRAPPERS = (
    ("<answer>", "</answer>"),
    ("<|begin_of_solution|>", "<|end_of_solution|>"),
    ("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
)
"""The tags around the answer behind the reasoning."""

HARMONY_FINAL = re.compile(r"<\|channel\|>final[^<]*<\|message\|>")
HARMONY_CHANNEL = "<|channel|>"
# The same format without its special tokens, as a tokenizer that skips them decodes it.
FLAT_HARMONY = re.compile(r"\s*(?:assistant)?(?:analysis|commentary)(?=[A-Z\s]).*assistantfinal", re.DOTALL)

# A turn begins with these, behind what may come before a text.
TURN_BEGINS = re.compile(
    r"(?:\s*(?:<s>|<bos>|<pad>|<\|begin_of_text\|>|<\|endoftext\|>|<｜begin▁of▁sentence｜>|\[/INST\]|<\|python_tag\|>"
    r"|<\|im_start\|>\s*assistant\b|<\|start_header_id\|>\s*assistant\s*<\|end_header_id\|>|<start_of_turn>\s*model\b"
    r"|<\|start\|>\s*assistant\b|<\|(?i:assistant)\|>|<｜Assistant｜>|<\|message\|>|<\|CHATBOT_TOKEN\|>"
    r"|<\|START_OF_TURN_TOKEN\|>)\n?)+"
)
# A turn ends with one of the first kind. Those of the second are texts that code and prose may hold: they count at the
# beginning and at the end of a line.
TOKEN = (
    r"<\|(?:im_end|im_start|endoftext|end_of_text|eot_id|eom_id|end|EOT|return|call|start|user|system"
    r"|start_header_id|END_OF_TURN_TOKEN|endofresponse|file_separator|observation)\|>|<｜(?:end▁of▁sentence|User|EOT)｜>"
)
TAG = (
    r"(?:</s>|<eos>|<end_of_turn>|<start_of_turn>|<EOT>|\[INST\]|\[EOS\]"
    r"|<(?:filename|file_sep|reponame|gh_stars|issue_start|fim_[a-z]+|jupyter_[a-z]+)>)"
)
TURN_ENDS = re.compile(rf"{TOKEN}|^[ \t]*{TAG}|{TAG}(?=[ \t]*(?:$|{TAG}))", re.MULTILINE)
LABEL = re.compile(r"\s*(?:python3?|py)[ \t]*\n(?=\S)")
# Texts may be hostile: each place costs a look at its line.
MAX_PLACES = 50
SPACES = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})


def final_answer(text: str) -> str:
    """Return a model's final answer, without its reasoning, its other channels and special tokens.

    Returns:
        An empty text if the model never came to an answer.
    """
    text = text.removeprefix("\ufeff")
    if final := list(HARMONY_FINAL.finditer(text)):
        text = text[final[-1].end() :]
    elif HARMONY_CHANNEL in text:
        return ""
    elif flat := FLAT_HARMONY.match(text):
        text = text[flat.end() :]
    text = without_turns(without_reasoning(text))
    if label := LABEL.match(text):
        # A fence's label without its fence.
        text = text[label.end() :]
    for begin, end in WRAPPERS:
        opened = last_place(begin, text)
        if opened >= 0 and "\n```" not in text[opened:].partition(end)[2]:
            text = text[opened + len(begin) :].partition(end)[0]
    return text


def begins_with_reasoning(text: str) -> bool:
    """Return whether a text begins with a model's reasoning."""
    begin = TURN_BEGINS.match(text)
    return text[begin.end() if begin else 0 :].lstrip().startswith(tuple(begin for begin, _ in REASONING))


def without_reasoning(text: str) -> str:
    """Return an answer without the reasoning in it; an empty text if it is nothing but reasoning that never ended.

    What comes behind the reasoning is the answer, or, if nothing does, what comes before it.
    """
    for begin, end in REASONING:
        first, last = first_place(begin, text), last_place(end, text)
        if last < 0 <= first:
            # An odd quotation mark may stand before it.
            last = text.rfind(end)
        if first < 0 and last < 0:
            continue
        behind = text[last + len(end) :] if last >= 0 else ""
        if (again := first_place(begin, behind)) >= 0:
            behind = behind[:again]
        text = behind if behind.strip() or first < 0 else text[:first]
    return text


def without_turns(text: str) -> str:
    """Return the first turn of the assistant in a text, without the tokens around it."""
    if begin := TURN_BEGINS.match(text):
        text = text[begin.end() :]
    for end in islice(TURN_ENDS.finditer(text), MAX_PLACES):
        if not is_quoted(text, end.start()):
            return text[: end.start()]
    return text


def first_place(tag: str, text: str) -> int:
    """Return the first place of a tag in a text, or -1. In quotation marks it is a part of code, or only mentioned."""
    place = text.find(tag)
    for _ in range(MAX_PLACES):
        if place < 0 or not is_quoted(text, place):
            break
        place = text.find(tag, place + len(tag))
    return place


def last_place(tag: str, text: str) -> int:
    """Return the last place of a tag in a text, or -1, as `first_place` does."""
    place = text.rfind(tag)
    for _ in range(MAX_PLACES):
        if place < 0 or not is_quoted(text, place):
            break
        place = text.rfind(tag, 0, place)
    return place


def is_quoted(text: str, place: int) -> bool:
    """Return whether a quotation is open on a line before a place."""
    line = line_before(text, place)
    # An apostrophe stands between two letters, and a fence quotes nothing on its line.
    line = re.sub(r"(?<=\w)'(?=\w)|`{3,}", "", line)
    return any(line.count(mark) % 2 for mark in ("'", '"', "`"))


def with_usual_characters(text: str) -> str:
    """Return a text with plain spaces and quotation marks, and without invisible characters."""
    return INVISIBLE.sub("", SPACES.sub(" ", text)).translate(QUOTES)
