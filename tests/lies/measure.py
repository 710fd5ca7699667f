"""Runs the matrix of lies, and tells how many pass: PYTHONPATH=.:tests python -m lies.measure [--sample N --seed S].

Each combination runs under "auto" and under "shared". Of those for which "auto" chose "separate" none may pass: the
status is 1 if one does. Under "shared" the number is told. --honest asks plain Python instead, for each way to the
tests and each use, whether the right value passes and plain wrong ones fail.
"""

import argparse
import itertools
import sys
import time
from collections import Counter

from lies.matrix import combinations, pairs, program_with, sample, tests_of
from lies.oracle import passes
from lies.reaches import REACHES
from lies.uses import USES
from sandboxes import EvalConfig, Evaluator, Task, close_pools

BATCH = 4096
"""Combinations that are evaluated together."""

EXAMPLES = 3
"""Names that are shown for each group."""

GROUPS = 20
"""Reaches, lies and uses that are shown, those with the most passes."""

PRELOADED = ["numpy", "pytest", "unittest.mock"]
"""Modules that take a child longer to import than the rest of its work."""

WRONG = (
    *("None", "0", "1", "-1", "True", "False", "3", "2.0", "''", "'lie'", "b''", "[]", "()", "{}", "set()", "range(0)"),
    *("[0, 0, 0]", "['lie']", "(0, 0)", "{0: 0}", "object()", "NotImplemented"),
)
"""Plain values that are wrong for each use whose right value is another one."""

EMPTY = ("[]", "()", "range(0)")
"""Values that numpy's allclose finds close to any number."""


def main():
    """Run what the arguments ask for, and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, help="about so many random combinations")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--workers", type=int, default=1, help="processes that run programs")
    parser.add_argument("--show", metavar="NAME", help="print the sources of one combination")
    parser.add_argument("--honest", action="store_true", help="check the honest twins with plain Python")
    options = parser.parse_args()
    if options.show:
        return show(options.show)
    if options.honest:
        return check_honest()
    chosen = sample(options.sample, options.seed) if options.sample else combinations()
    return measure(chosen, options.workers)


def write(text):
    """Print a line at once."""
    print(text, flush=True)  # noqa: T201 (a command)


def show(name):
    """Print one combination. Return the status."""
    [found] = [each for each in combinations() if each.name == name]
    write(f"# the candidate\n{found.candidate}\n# the tests\n{found.tests}")
    write(f"# the honest twin\n{program_with(found.use.want, found.reach, found.use)}")
    return 0


def check_honest():
    """Print each (way, use) that plain Python doesn't answer as it should. Return the status."""
    right = pairs()
    twins = [program_with(use.want, reach, use) + "\n\n" + tests_of(reach, use) for reach, use in right]
    failed = [pair for pair, passed in zip(right, passes(twins), strict=True) if not passed]
    for reach, use in failed:
        write(f"the right value fails: {reach.name} / {use.name}")
    wrong = [(use, value) for use, value in itertools.product(USES, WRONG) if value != use.want]
    wrong = [(use, value) for use, value in wrong if not ("np.allclose" in use.tests and value in EMPTY)]
    way = REACHES[0]
    sources = [program_with(value, way, use) + "\n\n" + tests_of(way, use) for use, value in wrong]
    passed = [each for each, one in zip(wrong, passes(sources), strict=True) if one]
    for use, value in passed:
        write(f"a wrong value passes: {value} / {use.name}")
    write(
        f"{len(twins) - len(failed)} of {len(twins)} honest twins pass, {len(passed)} of {len(wrong)} wrong values do"
    )
    return int(bool(failed or passed))


def measure(chosen, workers):
    """Print how many combinations pass under each grading. Return the status."""
    chosen = sorted(chosen, key=lambda each: each.tests)
    auto = evaluated(chosen, "auto", workers)
    separate = [pair for pair in zip(chosen, auto, strict=True) if pair[1].grading == "separate"]
    lies = [combination for combination, result in separate if result.passed]
    write(f"{len(chosen)} combinations")
    write(f'"auto" chose "separate" for {len(separate)}, of which {len(lies)} pass')
    for reason, count in Counter(result.grading_reason for result in auto if result.grading_reason).items():
        write(f'  "shared" for {count}, because {reason}')
    for part in ("reach", "lie", "use"):
        tell(part, lies)
    shared = evaluated(chosen, "shared", workers)
    write(f'under "shared" {sum(result.passed for result in shared)} of {len(chosen)} pass')
    close_pools()
    return int(bool(lies))


def tell(part, lies):
    """Print the passes by one part of the combinations, with examples."""
    groups = {}
    for each in lies:
        groups.setdefault(getattr(each, part).name, []).append(each.name)
    for name, names in sorted(groups.items(), key=lambda group: -len(group[1]))[:GROUPS]:
        write(f"  {part} {name}: {len(names)}, such as {'; '.join(names[:EXAMPLES])}")


def evaluated(chosen, grading, workers):
    """Return the result of each combination under a grading."""
    started, results = time.monotonic(), []
    config = EvalConfig.from_options({"grading": grading, "num_workers": workers, "preload": PRELOADED})
    with Evaluator(config) as evaluator:
        for start in range(0, len(chosen), BATCH):
            batch = chosen[start : start + BATCH]
            # Tests that follow each other are one task: they are parsed and compiled once.
            groups = itertools.groupby(batch, key=lambda each: each.tests)
            results += evaluator.run(
                [Task(tests, [each.candidate for each in group], f"tests from {start}") for tests, group in groups]
            )
    seconds = time.monotonic() - started
    write(f"{grading}: {len(results) / seconds:.0f} programs a second")
    return results


if __name__ == "__main__":
    sys.exit(main())
