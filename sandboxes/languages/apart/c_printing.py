"""Calls in tests in C that only print, which are left out: they may say what is expected. Used by `c`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sandboxes.languages.apart.c_places import HARMLESS, PRINTERS, calls_in, has_changes, is_call, names_in, symbols_in
from sandboxes.languages.apart.plain_tokens import NotPlain, Token

STREAMS = frozenset(("stdout", "stderr"))
REDIRECTIONS = frozenset(
    "freopen freopen64 dup dup2 dup3 pipe pipe2 fork vfork setvbuf setbuf setbuffer setlinebuf open_memstream "
    "fmemopen fopencookie tmpfile popen fdopen stdin".split()
)
"""Functions by which tests could read what was printed."""

COUNT = re.compile(r"%[^%a-zA-Z]*[hlLjzt]*n")
"""A conversion that writes how much was printed."""


def check_streams(tokens: Sequence[Token]) -> None:
    """Check that nothing but printing has to do with the streams of a program.

    Raises:
        NotPlain: if something else does.
    """
    if names_in(tokens) & REDIRECTIONS:
        raise NotPlain("output that is read")
    printed = {place for first in calls_of_printers(tokens) for place in stream_places(tokens, first)}
    if any(token.kind == "name" and token.text in STREAMS and at not in printed for at, token in enumerate(tokens)):
        raise NotPlain("a stream for something else")


def check_printing(tokens: Sequence[Token], may_call: bool = False) -> None:
    """Check that calls print to a stream of the program, and change nothing.

    Args:
        tokens: the calls.
        may_call: whether what is printed may be what a function returns.

    Raises:
        NotPlain: if they do more.
    """
    texts = "".join(token.text for token in tokens if token.kind == "text")
    if has_changes(tokens) or "&" in symbols_in(tokens) or COUNT.search(texts):
        raise NotPlain("more than printing")
    if not may_call and (calls_in(tokens) - PRINTERS - HARMLESS or "{" in symbols_in(tokens)):
        raise NotPlain("a call in what is printed")
    for first in calls_of_printers(tokens):
        name = tokens[first].text
        places = stream_places(tokens, first)
        if name in ("fprintf", "fputs", "fflush") and not places:
            raise NotPlain("another stream")
        if name in ("printf", "fprintf"):
            at = places[0] + 2 if places else first + 2
            if tokens[at].kind != "text":
                raise NotPlain("a format that is no literal")


def calls_of_printers(tokens: Sequence[Token]) -> list[int]:
    """Return the places of functions that print, where they are called."""
    return [
        at
        for at in range(len(tokens) - 1)
        if tokens[at].kind == "name" and tokens[at].text in PRINTERS and is_call(tokens[at], tokens[at + 1])
    ]


def stream_places(tokens: Sequence[Token], first: int) -> list[int]:
    """Return the place of the stream that a call names; none if it names no stream of the program."""
    name = tokens[first].text
    if name == "fprintf":
        place, neighbours = first + 2, ("(", ",")
    elif name == "fflush":
        place, neighbours = first + 2, ("(", ")")
    elif name == "fputs":
        place, neighbours = closing(tokens, first + 1) - 1, (",", ")")
    else:
        return []
    if place + 1 >= len(tokens) or tokens[place].kind != "name" or tokens[place].text not in STREAMS:
        return []
    beside = tokens[place - 1], tokens[place + 1]
    is_alone = all(token.kind == "symbol" for token in beside) and tuple(token.text for token in beside) == neighbours
    return [place] if is_alone else []


def closing(tokens: Sequence[Token], opening: int) -> int:
    """Return the place of the bracket that closes another."""
    depth = 0
    for at in range(opening, len(tokens)):
        if tokens[at].kind == "symbol":
            depth += (tokens[at].text == "(") - (tokens[at].text == ")")
        if not depth:
            return at
    raise NotPlain("a bracket that is not closed")
