"""The lines of a candidate and of its tests at which a program failed, as its traceback names them."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

CANDIDATE, TESTS = "candidate.py", "tests.py"
FRAME = re.compile(r'^  File "(candidate\.py|tests\.py)", line (\d+)(?:, in .*)?(?:\n    (.*))?$', re.MULTILINE)
TRACEBACK = "Traceback (most recent call last):"


@dataclass(frozen=True)
class Frame:
    """One frame of a traceback."""

    file: str
    number: int
    """Its line's number in the file, from 1."""

    source: str
    """Its line without indentation; empty if the traceback does not show it."""


@dataclass(frozen=True)
class NumberedCode:
    """A text of code, with the numbers that a traceback gives its lines."""

    text: str
    first_line: int = 1
    failing_line: int | None = None
    """The number of the line that failed; None if it is not known, or not in this text."""


def frames_of(traceback: str) -> list[Frame]:
    """Return the frames of candidate and tests in a traceback of Python."""
    return [Frame(file, int(number[:9]), source.strip()) for file, number, source in FRAME.findall(traceback)]


def numbered_candidate(code: str, traceback: str, usual_first_line: int = 1) -> NumberedCode:
    """Return a candidate with the line that failed. A prompt that stood before it shifts its lines.

    Args:
        code: the candidate as its file has it, without the prompt.
        traceback: of the program.
        usual_first_line: the number of the candidate's first line, if the traceback does not tell another.
    """
    lines = [line.strip() for line in code.split("\n")]
    known = [first_lines(lines, frame) for frame in frames_of(traceback) if frame.file == CANDIDATE and frame.source]
    # Frames in the prompt fit nowhere.
    possible = set.intersection(*fitting) if (fitting := [each for each in known if each]) else set()
    first_line = chosen_first_line(possible, usual_first_line)
    if first_line is None:
        return NumberedCode(code, usual_first_line)
    return NumberedCode(code, first_line, last_line(lines, first_line, CANDIDATE, traceback))


def numbered_tests(tests: str, traceback: str) -> NumberedCode:
    """Return tests with the line that failed."""
    return NumberedCode(tests, 1, last_line([line.strip() for line in tests.split("\n")], 1, TESTS, traceback))


def first_lines(lines: list[str], frame: Frame) -> set[int]:
    """Return the numbers that the first of these lines can have, so that the frame's line stands where it says."""
    return {first for index, line in enumerate(lines) if line == frame.source and (first := frame.number - index) >= 1}


def chosen_first_line(possible: Collection[int], usual: int) -> int | None:
    """Return the number of the first line out of several that fit a traceback; None if that would be a guess."""
    if len(possible) == 1:
        return next(iter(possible))
    return next((first for first in (usual, 1) if first in possible), None)


def last_line(lines: list[str], first_line: int, file: str, traceback: str) -> int | None:
    """Return the number of the line of a file that the program's last exception came from; None if it is not here."""
    numbers = [
        frame.number
        for frame in frames_of(traceback.rpartition(TRACEBACK)[2])
        if frame.file == file
        and 0 <= frame.number - first_line < len(lines)
        and frame.source in ("", lines[frame.number - first_line])
    ]
    return numbers[-1] if numbers else None
