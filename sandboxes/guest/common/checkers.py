"""Compares the output of a program with the expected output. It runs in processes where no candidate runs."""

from __future__ import annotations

import json
import math
import re
import struct
from decimal import Decimal, InvalidOperation

from .training_checkers import TRAINING_GRADERS, is_all_close

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Sequence

CHECKERS = (
    *("tokens", "exact", "floats", "lines-unordered", "lines", "apps", "taco", "prime_code", "open-r1"),
    *TRAINING_GRADERS,
)
YES_OR_NO = re.compile(r"\b(yes|no)\b", re.IGNORECASE | re.ASCII)
MAX_SHOWN_CHARS = 60
MAX_DIGITS = 4000
MAX_LINES_AFTER = 100
WORDS = {"Word": 64, "Word8": 8, "Word16": 16, "Word32": 32, "Word64": 64}
SIGNED_WORDS = {"Int8": 8, "Int16": 16, "Int32": 32, "Int64": 64}
"""Bits of types of integers, whose literals lose what has no place in them."""


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


def result_difference(expected: str, actual: str) -> str:
    """Return what is wrong with the result of a call, as `difference` does.

    Args:
        expected: the result, in JSON.
        actual: the output of the program, whose last line is its result, in JSON.
    """
    try:
        result = read_result(actual)
    except (ValueError, RecursionError):
        return "should return %s, but did not return" % shortened(expected)
    if result == json.loads(expected):
        return ""
    return "should return %s, but returned %s" % (shortened(expected), shortened(json.dumps(result)))


def results_difference(expected: str, actual: str) -> str:
    """Return what is wrong with the results of several calls, as `difference` does.

    Args:
        expected: a list in JSON, with [result, tolerance of its numbers] of each call, and after these other results
            that are right too. Without a tolerance the numbers are literals, and those of the output come with their
            types.
        actual: the output of the program, with a line that is the list of its results, in JSON.
    """
    wanted = json.loads(expected)
    results = find_results(actual, len(wanted))
    if results is None:
        return "the calls did not all return"
    for number, ((result, tolerance, *others), returned) in enumerate(zip(wanted, results), start=1):
        if not is_near(result, returned, tolerance) and returned not in others:
            texts = [shortened(json.dumps(each)) for each in (result, returned)]
            return "call {} should return {}, but returned {}".format(number, *texts)
    return ""


def find_results(output: str, count: int) -> list[Any] | None:
    """Return the list of results in one of the last lines of an output; None if there is none of this length.

    Destructors and threads of a candidate may write after it.
    """
    for line in reversed(output.rsplit("\n", MAX_LINES_AFTER)):
        try:
            results = read_result(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(results, list) and len(results) == count:
            return results
    return None


def read_result(output: str) -> Any:
    """Return the value in the last line of an output.

    Raises:
        ValueError, RecursionError: if there is none.
    """
    return json.loads(output.rstrip("\n").rpartition("\n")[2], parse_int=read_integer)


def is_near(wanted: Any, had: Any, tolerance: float | None) -> bool:
    """Return whether two values are equal, but for differences of numbers that are less than a tolerance."""
    if tolerance is None:
        return is_literal(wanted, had)
    if not tolerance:
        return bool(wanted == had)
    if isinstance(wanted, list) and isinstance(had, list):
        return len(wanted) == len(had) and all(is_near(one, other, tolerance) for one, other in zip(wanted, had))
    numbers = [each for each in (wanted, had) if isinstance(each, (int, float))]
    try:
        return bool(wanted == had) or len(numbers) == 2 and abs(wanted - had) < tolerance
    except OverflowError:
        # An integer that no float can hold is near to none.
        return False


def is_literal(wanted: Any, had: Any) -> bool:
    """Return whether a value is that of a literal, whose numbers have the types of those in the value.

    Args:
        wanted: the value of the literal, as it is written.
        had: the value, whose numbers are {type: number}. An integer of 64 bits is one without a type.
    """
    if isinstance(wanted, list):
        return isinstance(had, list) and len(wanted) == len(had) and all(map(is_literal, wanted, had))
    if isinstance(wanted, dict):
        return (
            isinstance(had, dict)
            and wanted.keys() == had.keys()
            and all(map(is_literal, wanted.values(), had.values()))
        )
    if isinstance(wanted, bool) or not isinstance(wanted, (int, float)):
        return type(wanted) is type(had) and bool(wanted == had)
    if not isinstance(had, dict):
        return type(had) is int and as_type(wanted, "Int64") == had
    if len(had) != 1:
        return False
    [(name, number)] = had.items()
    return number is not None and bool(as_type(wanted, name) == number)


def as_type(number: float, name: str) -> Any:
    """Return the value of a literal in a type of Haskell's; None if there is no such type, or no such literal of it."""
    if name == "Ratio":
        return [*Decimal(str(number)).as_integer_ratio()]
    if name in ("Float", "Double"):
        number = float(number)
        try:
            return struct.unpack("f", struct.pack("f", number))[0] if name == "Float" else number
        except OverflowError:
            return math.copysign(math.inf, number)
    if not isinstance(number, int):
        return None
    if name in SIGNED_WORDS:
        half = 1 << (SIGNED_WORDS[name] - 1)
        return (number + half) % (2 * half) - half
    if name in WORDS:
        return number % (1 << WORDS[name])
    return number if name in ("Integer", "Natural") else None


def read_integer(digits: str) -> int | str:
    """Return an integer, or its text if reading it would take long."""
    return int(digits) if len(digits) <= MAX_DIGITS else digits


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


def is_right_in_apps(expected: str, actual: str) -> bool:
    """Tell whether APPS's grader accepts an output: as verl's, or the sets of each line's words are the same.

    The lines then may come in any order, a word or a line may be there twice, and numbers are rounded to 3 digits.
    """
    if is_right_for_numbers(expected, actual, all_numbers=True):
        return True
    wanted, had = expected_lines(expected), [line for line in actual.splitlines() if line.strip()]
    try:
        return are_same_word_sets(wanted, had, str) or are_same_word_sets(wanted, had, rounded)
    except (ValueError, OverflowError):
        return False


def is_right_in_prime_code(expected: str, actual: str) -> bool:
    """Tell whether verl's grader accepts an output: the same lines, or numbers in lines of their own that are close."""
    return is_right_for_numbers(expected, actual, all_numbers=False)


def is_right_in_taco(expected: str, actual: str) -> bool:
    """Tell whether TACO's grader accepts an output: the same text, but for white space at its ends.

    If each line is to be one character, these may also stand in the same line, or apart. The grader accepts them in any
    order too, and "12" for "1 2"; both are wrong, and are not accepted here.
    """
    if expected.strip() == actual.strip():
        return True
    wanted = expected_lines(expected)
    return all(len(line) == 1 for line in wanted) and wanted == actual.split()


def is_right_for_numbers(expected: str, actual: str, all_numbers: bool) -> bool:
    """Tell whether lines are the same, or are numbers that are close.

    Args:
        expected: the output that is right.
        actual: the output of the program.
        all_numbers: whether lines that are all whole numbers may be close too; otherwise these have to be the same.
    """
    had = actual.splitlines()
    for text in ("\n".join(had), "\n".join(line.strip() for line in had)):
        if text.strip() == expected.strip():
            return True
    wanted, had = expected_lines(expected), [line for line in had if line]
    if wanted == had:
        return True
    if len(wanted) != len(had):
        return False
    if not all_numbers and all(map(str.isdigit, wanted)) and all(map(str.isdigit, had)):
        return False
    try:
        return all(is_all_close(float(one), float(other)) for one, other in zip(wanted, had))
    except ValueError:
        return False


def expected_lines(text: str) -> list[str]:
    """Return the lines of an expected output that are not empty, as APPS's grader and its descendants split it."""
    return [line.strip() for line in text.split("\n") if line]


def are_same_word_sets(wanted: Sequence[str], had: Sequence[str], read: Callable[[str], object]) -> bool:
    """Tell whether two lists of lines are the same as sets of the sets of each line's words.

    Nothing is added to a set but what is expected. Numbers that all have the same hash would fill it slowly, and the
    program can write as many as it likes.

    Args:
        wanted: the expected lines.
        had: the program's lines.
        read: returns the value of a word. It may raise ValueError.
    """
    sets = {frozenset(map(read, line.split())) for line in wanted}
    known: frozenset[object] = frozenset().union(*sets)
    found = set()
    for line in had:
        values = list(map(read, line.split()))
        if not all(map(known.__contains__, values)) or (words := frozenset(values)) not in sets:
            return False
        found.add(words)
    return found == sets


def rounded(word: str) -> float:
    """Return a number with 3 digits after its point. Raises ValueError for other words."""
    return round(float(word), 3)


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


def shortened(text: str) -> str:
    """Return a text, cut if it is long."""
    return text if len(text) <= MAX_SHOWN_CHARS else text[: MAX_SHOWN_CHARS - 3] + "..."


GRADERS = {
    "apps": is_right_in_apps,
    "taco": is_right_in_taco,
    "prime_code": is_right_in_prime_code,
    **TRAINING_GRADERS,
}
"""Comparisons of the graders of benchmarks: (expected, actual) -> whether the output is right."""
