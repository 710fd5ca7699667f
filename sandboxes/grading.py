"""Grading modes. Tests run in the candidate's interpreter ("shared"), or in another one ("separate").

With "auto", the text of the tests decides: see `separable_tests`.
"""

from sandboxes.separable_tests import reason_for_shared

GRADINGS = ("shared", "separate", "auto")
DEFAULT_GRADING = "auto"


def chosen_grading(grading: str, reason: str) -> str:
    """Return the grading of tests.

    Args:
        grading: one of GRADINGS. "auto" stands for the grading that the tests need.
        reason: why the tests can't run apart from their candidate, such as "the tests use exec"; "" if they can.

    Raises:
        ValueError: if they can't, and are to.
    """
    if grading == "separate" and reason:
        raise ValueError(f"{reason}, so that they run with the candidate; choose grading='auto' or grading='shared'")
    if grading == "auto":
        return "shared" if reason else "separate"
    return grading


def detect_grading(tests: str) -> str:
    """Return the grading that tests need: "shared" if there is a `reason_for_shared`, otherwise "separate"."""
    return "shared" if reason_for_shared(tests) else "separate"
