"""Compares the output of a program with the expected output. It runs in processes where no candidate runs."""

from __future__ import annotations

import math
import re
from decimal import Decimal, InvalidOperation

from .benchmark_checkers import BENCHMARK_GRADERS
from .call_results import MAX_SHOWN_CHARS, result_difference, results_difference, shortened
from .training_checkers import TRAINING_GRADERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Sequence

CHECKERS = (
    *("tokens", "exact", "floats", "lines-unordered", "lines", "apps", "taco", "prime_code", "open-r1"),
    *TRAINING_GRADERS,
)
YES_OR_NO = re.compile(r"\b(yes|no)\b", re.IGNORECASE | re.ASCII)


def difference_from_any(checker: str, tolerance: float, expected: str | Sequence[str], actual: str) -> str:
    """Return what is wrong with an output, or "" if it is one of those that are right.

    Args:
        checker: as `difference` takes it.
        tolerance: as `difference` takes it.
        expected: the output that is right, or a list of such outputs.
        actual: the output of the program.
    """
    if isinstance(expected, str):
        return difference(checker, tolerance, expected, actual)
    wrong = ""
    for accepted in expected:
        found = difference(checker, tolerance, accepted, actual)
        if not found:
            return ""
        wrong = wrong or found
    others = len(expected) - 1
    return wrong + (" ({} other output{} would be right)".format(others, "s" if others > 1 else "") if others else "")


def difference(checker: str, tolerance: float, expected: str, actual: str) -> str:
    """Return what is wrong with an output, as a line for people; "" if it is right.

    Args:
        checker: one of CHECKERS. "tokens": the words between white space are the same; "exact": every character is;
            "floats": as "tokens", but numbers may differ by `tolerance`, relative or absolute; "lines-unordered": the
            same lines, in any order, but for white space at their ends; "lines": the same lines in their order, but
            the numbers of a line may each be written in another way, as in LiveCodeBench's grader; "lines-exact": the
            same lines; "result": the last line is the same value, in JSON; "results": it is a list of such values;
            "open-r1": as "tokens", and "yes" and "no" in any case; the others: as in the grader of that name.
        tolerance: for "floats".
        expected: the output that is right.
        actual: the output of the program.
    """
    if checker == "exact":
        return (
            "" if expected == actual else first_difference("character", list(expected), list(actual), expected, actual)
        )
    if checker == "result":
        return result_difference(expected, actual)
    if checker == "results":
        return results_difference(expected, actual)
    if checker == "lines-unordered":
        wanted, had = (sorted(line.strip() for line in text.split("\n") if line.strip()) for text in (expected, actual))
        return "" if wanted == had else first_difference("sorted line", wanted, had, expected, actual)
    if checker == "lines":
        wanted, had = ([line.strip() for line in text.strip().split("\n")] for text in (expected, actual))
        if len(wanted) == len(had) and all(map(is_same_line, wanted, had)):
            return ""
        return first_difference("line", wanted, had, expected, actual, is_same_line)
    if checker in GRADERS:
        if expected == actual or GRADERS[checker](expected, actual):
            return ""
        wanted, had = ([line.strip() for line in text.split("\n") if line.strip()] for text in (expected, actual))
        return first_difference("line", wanted, had, expected, actual)
    if checker == "open-r1":
        expected, actual = (YES_OR_NO.sub(lambda word: word[0].upper(), text) for text in (expected, actual))
    wanted, had = expected.split(), actual.split()
    if checker == "floats":
        if len(wanted) == len(had) and all(is_close(one, other, tolerance) for one, other in zip(wanted, had)):
            return ""
    elif wanted == had:
        return ""
    same = (lambda one, other: is_close(one, other, tolerance)) if checker == "floats" else None
    return first_difference("word", wanted, had, expected, actual, same)


def is_same_line(wanted: str, had: str) -> bool:
    """Return whether two lines are the same, or the same numbers, exactly."""
    if wanted == had:
        return True
    try:
        return [Decimal(word) for word in wanted.split()] == [Decimal(word) for word in had.split()]
    except InvalidOperation:
        # A word is not a number, or is one that equals none.
        return False


def is_close(wanted: str, had: str, tolerance: float) -> bool:
    """Tell whether two words are the same, or numbers that differ by no more than the tolerance."""
    if wanted == had:
        return True
    try:
        one, other = float(wanted), float(had)
    except ValueError:
        return False
    if math.isinf(one) or math.isinf(other):
        # A number that is too large for a float becomes infinite too.
        return one == other and "inf" in wanted.lower() and "inf" in had.lower()
    return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance) or (math.isnan(one) and math.isnan(other))


def first_difference(
    kind: str,
    wanted: Sequence[str],
    had: Sequence[str],
    expected: str,
    actual: str,
    same: Callable[[str, str], bool] | None = None,
) -> str:
    """Return a line that says where two lists of parts first differ, and what stands there.

    Args:
        kind: of a part, as a noun.
        wanted: the parts of the expected output.
        had: the parts of the actual output.
        expected: the expected output.
        actual: the actual output.
        same: tells whether two parts are the same; None if equal parts alone are.
    """
    if max(len(expected), len(actual)) <= MAX_SHOWN_CHARS:
        return f"expected {expected.strip()!r}, but it wrote {actual.strip()!r}"
    if not had:
        return f"expected {short_repr(expected.strip())}, but it wrote nothing"
    for number, (one, other) in enumerate(zip(wanted, had), start=1):
        if one != other and not (same and same(one, other)):
            return f"{kind} {number} should be {short_repr(one)}, but is {short_repr(other)}"
    return f"expected {len(wanted)} {kind}{'' if len(wanted) == 1 else 's'}, but it wrote {len(had)}"


def short_repr(text: str) -> str:
    """Return the repr of a text, cut if it is long."""
    return shortened(repr(text))


GRADERS = {**BENCHMARK_GRADERS, **TRAINING_GRADERS}
"""Comparisons of the graders of benchmarks: (expected, actual) -> whether the output is right."""
