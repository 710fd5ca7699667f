"""Whether what a program wrote is what it should have written. Runs where no candidate runs."""

import math
from decimal import Decimal, InvalidOperation

CHECKERS = ("tokens", "exact", "floats", "lines-unordered", "lines")
MOST_SHOWN_CHARS = 60


def difference(checker, tolerance, expected, found):
    """What is wrong with an output, as a line for people; "" if it is right.

    Args:
        checker: one of CHECKERS. "tokens": the words between white space are the same; "exact": every character is;
            "floats": as "tokens", but numbers may differ by `tolerance`, relative or absolute; "lines-unordered": the
            same lines, in any order, but for white space at their ends; "lines": the same lines in their order, where
            a line of numbers may have each written in another way, as LiveCodeBench's grader has it.
        tolerance: for "floats".
        expected: text.
        found: text.
    """
    if checker == "exact":
        return "" if expected == found else first_difference("characters", list(expected), list(found), expected, found)
    if checker == "lines-unordered":
        wanted, had = (sorted(line.strip() for line in text.split("\n") if line.strip()) for text in (expected, found))
        return "" if wanted == had else first_difference("lines, sorted,", wanted, had, expected, found)
    if checker == "lines":
        wanted, had = ([line.strip() for line in text.strip().split("\n")] for text in (expected, found))
        if len(wanted) == len(had) and all(map(is_same_line, wanted, had)):
            return ""
        return first_difference("lines", wanted, had, expected, found, is_same_line)
    wanted, had = expected.split(), found.split()
    if checker == "floats":
        if len(wanted) == len(had) and all(is_close(one, other, tolerance) for one, other in zip(wanted, had)):
            return ""
    elif wanted == had:
        return ""
    same = (lambda one, other: is_close(one, other, tolerance)) if checker == "floats" else None
    return first_difference("words", wanted, had, expected, found, same)


def is_same_line(wanted, had):
    """Returns whether two lines are the same, or the same numbers, exactly."""
    if wanted == had:
        return True
    try:
        return [Decimal(word) for word in wanted.split()] == [Decimal(word) for word in had.split()]
    except InvalidOperation:
        # A word is not a number, or one that is equal to none.
        return False


def is_close(wanted, had, tolerance):
    """Whether two words are the same, or numbers that differ by no more than the tolerance."""
    if wanted == had:
        return True
    try:
        one, other = float(wanted), float(had)
    except ValueError:
        return False
    if math.isinf(one) or math.isinf(other):
        # Also a number that is too large for a float becomes infinite.
        return one == other and "inf" in wanted.lower() and "inf" in had.lower()
    return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance) or (math.isnan(one) and math.isnan(other))


def first_difference(kind, wanted, had, expected, found, same=None):
    """A line that says where two lists of parts first differ, and what stands there."""
    if max(len(expected), len(found)) <= MOST_SHOWN_CHARS:
        return f"expected {expected.strip()!r}, but it wrote {found.strip()!r}"
    if not had:
        return f"expected {shortened(expected.strip())}, but it wrote nothing"
    for number, (one, other) in enumerate(zip(wanted, had), start=1):
        if one != other and not (same and same(one, other)):
            return f"of {kind} number {number} should be {shortened(one)}, but is {shortened(other)}"
    return f"expected {len(wanted)} {kind.rstrip(',')}, but it wrote {len(had)}"


def shortened(text):
    shown = repr(text)
    return shown if len(shown) <= MOST_SHOWN_CHARS else shown[: MOST_SHOWN_CHARS - 3] + "..."
