"""Grading modes. Tests run in the candidate's interpreter ("shared"), or in another one ("separate").

With "auto", the text of the tests decides: see `separable_tests`.
"""

from sandboxes.separable_tests import reason_for_shared

GRADINGS = ("shared", "separate", "auto")
DEFAULT_GRADING = "auto"


def classify_tests(chosen: str, tests: str) -> tuple[str, bool]:
    """Return (the grading of a program, whether its tests are repeatable, as in `Program.tests_are_repeatable`).

    Args:
        chosen: one of GRADINGS. "auto" stands for the grading that the tests need.
        tests: source.
    """
    if chosen == "shared":
        return chosen, False
    detected = detect_grading(tests)
    # Tests of these forms change nothing that the next run of theirs would find.
    return detected if chosen == "auto" else chosen, detected == "separate"


def detect_grading(tests: str) -> str:
    """Return the grading that tests need: "shared" if there is a `reason_for_shared`, otherwise "separate"."""
    return "shared" if reason_for_shared(tests) else "separate"
