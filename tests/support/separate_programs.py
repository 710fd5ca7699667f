"""Reads programs in tests/data: a candidate, then facts with the tests that show them.

Tests run those in tests/data/separate without a sandbox, to see how candidate and tests speak to each other. No other
hostile program belongs there.
"""

from pathlib import Path
from typing import NamedTuple

from sandboxes.separable_tests import reason_for_shared

FOLDER = Path(__file__).parents[1] / "data"
MARK = "@@ "


class SeparateProgram(NamedTuple):
    """A candidate and its tests."""

    fact: str
    """The behaviour that is shown, or the attack that is tried."""

    candidate: str
    tests: str

    @property
    def is_apart(self) -> bool:
        """Whether the tests can run apart from the candidate."""
        return not reason_for_shared(self.tests)


def read_programs(name: str) -> list[SeparateProgram]:
    """Return the programs of one file."""
    programs, candidate = [], ""
    for part in ("\n" + (FOLDER / f"{name}.txt").read_text(encoding="utf-8")).split("\n" + MARK)[1:]:
        heading, _, text = part.partition("\n")
        if heading == "candidate":
            candidate = text + "\n"
        else:
            programs.append(SeparateProgram(heading, candidate, text + "\n"))
    return programs


def read_all(pattern: str) -> list[SeparateProgram]:
    """Return the programs for `separate` in the files whose names match."""
    paths = sorted((FOLDER / "separate").glob(pattern))
    return [program for path in paths for program in read_programs(f"separate/{path.stem}")]


HONEST, HOSTILE = read_all("honest_*.txt"), read_all("hostile*.txt")
