"""The words and letters of outcomes for people: one table for the command, the report, the Space and notebooks.

Keys are values of `Outcome`, and the three states without an outcome. Files and answers for programs have the keys.
"""

from __future__ import annotations

from typing import NamedTuple

NOT_RUN = "not_run"
"""The state of a program that the sandbox could not run."""

INVALID_TESTS = "invalid_tests"
"""The state of a program whose tests can judge no candidate."""

WAITING = "waiting"
"""The state of a program whose verdict has not come yet."""


class OutcomeLabel(NamedTuple):
    """An outcome or a state, as people see it."""

    label: str
    letter: str
    """Unique: nobody has to tell colours apart."""


OUTCOME_LABELS = {
    "passed": OutcomeLabel("passed", "P"),
    "failed": OutcomeLabel("failed", "F"),
    "compile_error": OutcomeLabel("compile error", "C"),
    "timed_out": OutcomeLabel("timed out", "T"),
    "out_of_memory": OutcomeLabel("out of memory", "M"),
    "crashed": OutcomeLabel("crashed", "X"),
    "exited": OutcomeLabel("left early", "E"),
    "output_limit": OutcomeLabel("wrote too much", "O"),
    NOT_RUN: OutcomeLabel("not run", "N"),
    INVALID_TESTS: OutcomeLabel("invalid tests", "I"),
    WAITING: OutcomeLabel("no verdict yet", "W"),
}

LABELS = {name: shown.label for name, shown in OUTCOME_LABELS.items()}
LETTERS = {name: shown.letter for name, shown in OUTCOME_LABELS.items()}
