"""Changes that a candidate makes in the tests' process are gone when the next candidate is graded there."""

import pytest

from sandboxes import Limits, Program
from sandboxes.guest.isolation.landlock import confines_signals
from support.requirements import WALL_SECONDS

# (tests that hand out an object that outlives them, a candidate that changes it, a right candidate)
STATE = {
    "a library's list": (
        "import calendar\nassert f(calendar.mdays) == 31\nassert calendar.mdays[2] == 28",
        "def f(days):\n    days[2] = 99\n    return 31",
        "def f(days):\n    return days[1]",
    ),
    "a library's list, cleared": (
        "import calendar\nassert f(calendar.mdays) == 31",
        "def f(days):\n    days.clear()\n    return 0",
        "def f(days):\n    return days[1]",
    ),
    "a list in a library's dict": (
        "import string, json.decoder\nassert f(json.decoder.BACKSLASH) == 8 and len(json.decoder.BACKSLASH) == 8",
        "def f(table):\n    table['x'] = 'y'\n    return 8",
        "def f(table):\n    return len(table)",
    ),
    "a library's array": (
        "import numpy as np, html.entities\ntable = html.entities.codepoint2name.setdefault(0, np.zeros(2))\n"
        "assert f(table) == 0 and table[0] == 0",
        "def f(table):\n    table[0] = 5\n    return 0",
        "def f(table):\n    return int(table[0])",
    ),
}


def passed(pool, tests, *candidates, **options):
    """Return whether each candidate passes, if one worker grades them in turn. The options are those of Program."""
    limits = Limits(wall_seconds=WALL_SECONDS)
    verdicts = pool.run_all([Program(each, tests, limits, "separate", **options) for each in candidates], 1)
    return [verdict.passed for verdict in verdicts]


@pytest.mark.parametrize(("tests", "wrong", "right"), STATE.values(), ids=STATE)
def test_next_candidate_is_judged_by_the_same_values(pool, tests, wrong, right):
    """A right candidate passes after one that changed what the tests handed out, in this call and in a later one."""
    assert passed(pool, tests, right, wrong, right, right) == [True, False, True, True]
    assert passed(pool, tests, right) == [True]


def test_candidates_that_change_their_arguments_share_a_process(pool):
    """A candidate that sorts a list of the tests changes nothing that outlives them, so their process is kept."""
    tests = (
        "import string\nitems = [3, 1, 2]\nassert f(items) == 1 and items == [1, 2, 3]\n"
        "string.__all__.append('run')\nassert string.__all__.count('run') < 3"
    )
    sort = "def f(items):\n    items.sort()\n    return items[0]"
    # In a container the process serves one candidate, unless the kernel keeps the candidate's signals from it.
    goes_on = pool.sandbox.name != "docker" or confines_signals()
    # No tests that are repeatable by their text could find out.
    assert passed(pool, tests, sort, sort, sort, tests_are_repeatable=True) == [True, True, not goes_on]
