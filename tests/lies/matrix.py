"""The matrix of lies: each way to the tests, with each lie, with each use. `measure.py` runs it.

A combination is wrong by construction, because no lie knows the right value. Its honest twin has that value instead of
the object, and passes the same tests.
"""

import itertools
import random
import re
from dataclasses import dataclass

from lies.liars import LIES, Lie
from lies.reaches import BUILTINS, REACHES, Reach
from lies.uses import USES, Use

IMPORT = re.compile(r"^(?:import|from) .*\n+", re.MULTILINE)
OF_BUILTINS = {reach.name: re.compile(rf"\b{reach.name.split()[1]}\(") for reach in BUILTINS}


@dataclass(frozen=True)
class Combination:
    """One wrong program with its tests."""

    reach: Reach
    lie: Lie
    use: Use

    @property
    def name(self):
        """The names of the three parts."""
        return f"{self.reach.name} / {self.lie.name} / {self.use.name}"

    @property
    def candidate(self):
        """The wrong program."""
        return self.lie.source + self.reach.candidate.replace("VALUE", self.lie.value)

    @property
    def tests(self):
        """The tests, which the lie can't change."""
        return tests_of(self.reach, self.use)


def tests_of(reach, use):
    """Return the tests of a way and a use: the imports of both, then the use in the place that the way has for it."""
    imports = dict.fromkeys(each.strip() for text in (reach.tests, use.tests) for each in IMPORT.findall(text))
    around, inner = (IMPORT.sub("", text) for text in (reach.tests, use.tests))
    inner = inner.replace("GOT", reach.got)
    placed = re.sub(
        r"^( *)USE", lambda found: re.sub("^(?=.)", found[1], inner, flags=re.MULTILINE), around, flags=re.MULTILINE
    )
    return "".join(f"{each}\n" for each in imports) + placed.replace("WANT", use.want) + "\n"


def program_with(value, reach, use):
    """Return the honest twin's program, but with another value than the right one, if `value` is not `use.want`."""
    text = reach.honest or reach.candidate.replace("VALUE", "WANT")
    return text.replace("WANT", value)


def pairs():
    """Return all (reach, use), but for two kinds that are no lies.

    A use may call the builtin that the candidate defines. An operator of the object itself may answer True where that
    is right.
    """
    return [
        (reach, use)
        for reach, use in itertools.product(REACHES, USES)
        if not (reach.name in OF_BUILTINS and OF_BUILTINS[reach.name].search(use.tests))
        and not (reach.needs_class and use.want == "True")
    ]


def combinations():
    """Return all combinations, in order, but for those that don't fit."""
    return [
        Combination(reach, lie, use) for (reach, use), lie in itertools.product(pairs(), LIES) if fits(reach, use, lie)
    ]


def fits(reach, use, lie):
    """Return whether a lie has the class that a candidate names, and is not right by chance."""
    return (lie.has_class or not reach.needs_class) and lie.value != use.want


def count():
    """Return the number of combinations, without making them."""
    return sum(fits(reach, use, lie) for (reach, use), lie in itertools.product(pairs(), LIES))


def sample(number, seed):
    """Return so many random combinations, the same ones for the same seed."""
    all_pairs, lies = pairs(), len(LIES)
    total = len(all_pairs) * lies
    # Without making all of them: some more are drawn, because one of seventeen doesn't fit.
    drawn = random.Random(seed).sample(range(total), min(total, number + number // 8 + 16))
    made = (Combination(all_pairs[each // lies][0], LIES[each % lies], all_pairs[each // lies][1]) for each in drawn)
    return [each for each in made if fits(each.reach, each.use, each.lie)][:number]
