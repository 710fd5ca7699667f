"""Comparisons of outputs in the graders of CodeContests, xCodeEval, DeepCoder, INTELLECT-3, Genesys and SandboxFusion.

`checkers.py` offers them by name. They run where it runs, in processes where no candidate runs.
"""

from __future__ import annotations

import math
import re
from decimal import Context, Decimal
from itertools import chain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Sequence

CASELESS = {"yes", "no", "true", "false"}
"""Words that xCodeEval's grader accepts in any case."""

CODECONTESTS_DIFFERENCE = 1e-5
# SandboxFusion divides a difference by the expected number, or by SMALLEST if that is larger.
SANDBOX_FUSION_DIFFERENCE, SMALLEST = 1e-5, 1e-10
XCODEEVAL_DIFFERENCE = Decimal("1e-12")
# The grader's own value is the float 1e-3 as a decimal number.
INTELLECT_DIFFERENCE = Decimal(1e-3)
WHOLE = re.compile(r"[+-]?[0-9]+")
NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,9})?")
# Without traps, because a number that is too large is infinite.
CONTEXT = Context(prec=60, traps=[])
# numpy.allclose's defaults, with which the graders of APPS, verl and DeepCoder compare numbers.
RELATIVE, ABSOLUTE = 1e-5, 1e-8


def is_right_in_codecontests(expected: str, actual: str) -> bool:
    """Tell whether CodeContests' grader accepts an output: the same words in any case, or numbers that are close.

    The grader compares whole numbers as floats, so that large ones pass that differ. Here these have to be the same.
    """
    wanted, had = expected.lower().split(), actual.lower().split()
    return len(wanted) == len(had) and all(map(is_same_in_codecontests, wanted, had))


def is_same_in_codecontests(wanted: str, had: str) -> bool:
    """Tell whether two words are the same, the same whole number, or numbers that are close."""
    if (same := is_same_exactly(wanted, had)) is not None:
        return same
    return abs(float(wanted) - float(had)) < CODECONTESTS_DIFFERENCE


def is_right_in_xcodeeval(expected: str, actual: str) -> bool:
    """Tell whether xCodeEval's grader ExecEval accepts an output: the same lines, or the same words or numbers.

    In ExecEval, "nan" is right for every number. Here it is right for itself.
    """
    if stripped_lines(expected) == stripped_lines(actual):
        return True
    wanted, had = expected.split(), actual.split()
    return len(wanted) == len(had) and all(map(is_same_in_xcodeeval, wanted, had))


def is_same_in_xcodeeval(wanted: str, had: str) -> bool:
    """Tell whether two words are the same, the same answer in another case, or numbers that are close."""
    if wanted == had:
        return True
    if wanted.lower() in CASELESS:
        return wanted.lower() == had.lower()
    return is_decimal_close(wanted, had, XCODEEVAL_DIFFERENCE)


def is_right_in_intellect3(expected: str, actual: str) -> bool:
    """Tell whether INTELLECT-3's grader accepts an output: the same words in each line, or close numbers in all."""
    wanted, had = words_of_lines(expected.splitlines()), words_of_lines(actual.splitlines())
    if wanted == had:
        return True
    one, other = expected.split(), actual.split()
    return len(one) == len(other) and all(is_decimal_close(*pair, INTELLECT_DIFFERENCE) for pair in zip(one, other))


def is_right_in_deepcoder(expected: str, actual: str) -> bool:
    """Tell whether DeepCoder's grader accepts an output: lines with the same words, or with numbers that are close.

    Lines of one character may stand in one line too. The grader accepts any other word for a word, which is wrong.
    """
    wanted, had = words_of_lines(expected.split("\n")), words_of_lines(actual.split("\n"))
    if list(map(len, wanted)) == list(map(len, had)):
        return all(map(is_float_close, chain.from_iterable(wanted), chain.from_iterable(had)))
    return all(len("".join(words)) == 1 for words in wanted) and list(chain.from_iterable(wanted)) == actual.split()


def is_right_in_sandbox_fusion(expected: str, actual: str) -> bool:
    """Tell whether SandboxFusion accepts an output: the same lines in any case, or a number per line that is close.

    SandboxFusion compares whole numbers as floats too, so that large ones pass that differ. Here these have to be the
    same.
    """
    wanted, had = stripped_lines(expected.lower()), stripped_lines(actual.lower())
    return len(wanted) == len(had) and all(map(is_same_in_sandbox_fusion, wanted, had))


def is_same_in_sandbox_fusion(wanted: str, had: str) -> bool:
    """Tell whether two lines are the same, the same whole number, or numbers that are close."""
    if (same := is_same_exactly(wanted, had)) is not None:
        return same
    one, other = float(wanted), float(had)
    return math.isfinite(one) and abs(one - other) / max(abs(one), SMALLEST) < SANDBOX_FUSION_DIFFERENCE


def is_same_exactly(wanted: str, had: str) -> bool | None:
    """Tell whether two texts are the same, or the same whole number; None for numbers that may be close."""
    if wanted == had:
        return True
    if not (NUMBER.fullmatch(wanted) and NUMBER.fullmatch(had)):
        return False
    if WHOLE.fullmatch(wanted) and WHOLE.fullmatch(had):
        return Decimal(wanted) == Decimal(had)
    return None


def is_same_by_lines(expected: str, actual: str) -> bool:
    """Tell whether two texts have the same lines, but for white space at the ends of lines and of the text."""
    return stripped_lines(expected) == stripped_lines(actual)


def stripped_lines(text: str) -> list[str]:
    """Return the lines of a text without the white space at the ends of each, and of the text."""
    return [line.strip() for line in text.strip().split("\n")]


def words_of_lines(lines: Sequence[str]) -> list[list[str]]:
    """Return the words of each line that has any."""
    return [words for words in map(str.split, lines) if words]


def is_decimal_close(wanted: str, had: str, difference: Decimal) -> bool:
    """Tell whether two words are decimal numbers that differ by no more than this."""
    if not (NUMBER.fullmatch(wanted) and NUMBER.fullmatch(had)):
        return False
    return CONTEXT.abs(CONTEXT.subtract(Decimal(wanted), Decimal(had))) <= difference


def is_float_close(wanted: str, had: str) -> bool:
    """Tell whether two words are the same, or numbers that are close, as `numpy.isclose` has it."""
    if wanted == had:
        return True
    if not (NUMBER.fullmatch(wanted) and NUMBER.fullmatch(had)):
        return False
    return is_all_close(float(wanted), float(had))


def is_all_close(wanted: float, had: float) -> bool:
    """Tell whether a number is close to another, as `numpy.allclose` does. NaN is close to none."""
    return wanted == had or (math.isfinite(wanted) and abs(had - wanted) <= ABSOLUTE + RELATIVE * abs(wanted))


TRAINING_GRADERS = {
    "codecontests": is_right_in_codecontests,
    "xcodeeval": is_right_in_xcodeeval,
    "deepcoder": is_right_in_deepcoder,
    "intellect3": is_right_in_intellect3,
    "lines-exact": is_same_by_lines,
    "sandbox-fusion": is_right_in_sandbox_fusion,
}
"""Comparisons by name: (expected, actual) -> whether the output is right."""
