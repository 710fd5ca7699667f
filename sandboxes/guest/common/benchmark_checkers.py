"""Comparisons of outputs in the graders of APPS, TACO and verl. `checkers` offers them by name."""

from __future__ import annotations

from .training_checkers import is_all_close

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Sequence


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


BENCHMARK_GRADERS = {"apps": is_right_in_apps, "taco": is_right_in_taco, "prime_code": is_right_in_prime_code}
"""Comparisons by the names of their checkers: (expected, actual) -> whether the output is right."""
