"""The corpus of honest programs: each with its tests, and what kind it is. `compare.py` runs it.

The pairs of tests/data/honest/ are written by hand, the others are made of tables. A right program passes its tests in
plain Python, and a wrong one fails them: `oracle.py` checks both.
"""

import re
from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).parents[1] / "data" / "honest"
ENTRY = re.compile(r"^@@ (.*)\n", re.MULTILINE)


@dataclass(frozen=True)
class Pair:
    """A program with its tests."""

    group: str
    """What kind it is: the file that it is written in, or the table that made it."""

    title: str

    candidate: str

    tests: str

    is_right: bool = True
    """Whether the program is right."""

    has_own_builtin: bool = False
    """Whether the candidate's definition of a builtin decides in plain Python, so that a wrong program passes.

    Only "shared" may let it pass, too.
    """

    @property
    def name(self):
        """The name that `compare.py --only` finds."""
        return f"{self.group} / {self.title}" + ("" if self.is_right else " / wrong")


def written_pairs():
    """Return the pairs of all files, in order."""
    return [pair for path in sorted(DATA.glob("*.txt")) for pair in read_pairs(path.stem, path.read_text("utf-8"))]


def entries(text):
    """Return [(heading, source)] of a text: a first line about it, then for each source "@@ " and its heading."""
    _, *fields = ENTRY.split(text)
    return [(name, source.rstrip("\n") + "\n") for name, source in zip(fields[::2], fields[1::2], strict=True)]


def read_pairs(group, text):
    """Return the pairs of a text.

    Args:
        group: of the pairs.
        text: entries. A pair's title is the heading of the right program. The tests have the heading "tests". A wrong
            program may follow, with the heading "wrong".
    """
    title = candidate = tests = ""
    pairs = []
    for heading, source in entries(text):
        if heading == "tests":
            tests = source
            pairs.append(Pair(group, title, candidate, tests))
        elif heading == "wrong":
            pairs.append(Pair(group, title, source, tests, is_right=False))
        else:
            title, candidate = heading, source
    return pairs
