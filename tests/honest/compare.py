"""Compares verdicts with plain Python's: PYTHONPATH=.:tests python -m honest.compare [--sample N --seed S].

Each program runs with its tests under "auto" and under "shared", and in plain Python. The status is 1 if a verdict is
another one, or if plain Python fails a right program or passes a wrong one. Wrong programs whose own builtin decides
in plain Python have to fail under "auto".
"""

import argparse
import random
import sys
import time
from collections import Counter

from honest.builtin_names import builtin_pairs
from honest.oracle import passes
from honest.pairs import written_pairs
from honest.styles import style_pairs
from sandboxes import EvalConfig, Evaluator, Task, close_pools

BATCH = 512
"""Programs that are evaluated together."""

EXAMPLES = 5
"""Programs that are named for each group and kind of difference, and shown if no more are chosen."""

DETAIL_CHARS = 100
"""The beginning of a verdict's reason that is shown."""

SECONDS = 20.0
"""Time limit of a program, as in `oracle.py`. No program needs it: an idle machine runs each in less than a second."""

PRELOADED = ["asyncio", "numpy", "pytest", "unittest.mock"]
"""Modules that take a child longer to import than the rest of its work."""

GRADINGS = ("auto", "shared")
KINDS = ("agree", "right but failed", "wrong but passed")


def main():
    """Run what the arguments ask for, and print it. Return the status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, help="so many random programs")
    parser.add_argument("--seed", type=int, default=0, help="of the sample")
    parser.add_argument("--only", metavar="NAME", help="programs whose name begins so; few are shown")
    parser.add_argument("--grading", choices=GRADINGS, action="append", help="one of them alone")
    parser.add_argument("--workers", type=int, default=1, help="processes that run programs")
    options = parser.parse_args()
    pairs = chosen_pairs(options.only, options.sample, options.seed)
    if len(pairs) <= EXAMPLES:
        show(pairs)
    started = time.monotonic()
    answers = passes(pairs)
    write(f"plain Python: {len(pairs)} programs in {time.monotonic() - started:.0f} s")
    unfair = [pair.name for pair, passed in zip(pairs, answers, strict=True) if not is_fair(pair, passed)]
    for name in unfair:
        write(f"  the corpus is wrong, plain Python says otherwise: {name}")
    differences = [compare(pairs, answers, grading, options.workers) for grading in options.grading or GRADINGS]
    close_pools()
    return int(bool(unfair or any(differences)))


def write(text):
    """Print a line at once."""
    print(text, flush=True)  # noqa: T201 (a command)


def all_pairs():
    """Return the whole corpus, in order."""
    return [*written_pairs(), *builtin_pairs(), *style_pairs()]


def chosen_pairs(only=None, number=None, seed=0):
    """Return the pairs whose name begins with a text, or a random sample of them, the same one for the same seed."""
    pairs = [pair for pair in all_pairs() if pair.name.startswith(only or "")]
    return random.Random(seed).sample(pairs, min(number, len(pairs))) if number else pairs


def is_fair(pair, passed):
    """Return whether plain Python passes a right program, and fails a wrong one unless its own builtin decides."""
    return passed == (pair.is_right or pair.has_own_builtin)


def show(pairs):
    """Print the sources of some pairs."""
    for pair in pairs:
        write(f"# {pair.name}\n{pair.candidate}\n# its tests\n{pair.tests}")


def compare(pairs, answers, grading, workers):
    """Print a table of the verdicts under a grading. Return the number of differences.

    Args:
        pairs: programs with their tests.
        answers: whether each passes in plain Python.
        grading: one of GRADINGS.
        workers: number of processes that run programs.
    """
    started = time.monotonic()
    verdicts = evaluated(pairs, grading, workers)
    write(f"\n{grading}: {len(pairs)} programs in {time.monotonic() - started:.0f} s")
    counts, examples = Counter(), {}
    for pair, answer, verdict in zip(pairs, answers, verdicts, strict=True):
        wanted = answer and not (pair.has_own_builtin and grading == "auto")
        kind = KINDS[0] if verdict.passed == wanted else KINDS[1 if wanted else 2]
        counts[pair.group, kind] += 1
        if kind != KINDS[0]:
            examples.setdefault((pair.group, kind), []).append((pair, verdict))
    groups = list(dict.fromkeys(group for group, _ in counts))
    write(f"{'group':20}" + "".join(f"{kind:>18}" for kind in KINDS))
    for group in groups:
        write(f"{group:20}" + "".join(f"{counts[group, kind]:18}" for kind in KINDS))
    totals = [sum(counts[group, kind] for group in groups) for kind in KINDS]
    write(f"{'all':20}" + "".join(f"{total:18}" for total in totals))
    for (group, kind), found in sorted(examples.items(), key=lambda item: item[0]):
        write(f"{group}, {kind}, such as")
        for pair, verdict in found[:EXAMPLES]:
            detail = " ".join(verdict.detail.split())[:DETAIL_CHARS]
            write(f"  {pair.name} ({verdict.grading}): {verdict.outcome.value} {detail}")
    return sum(totals[1:])


def evaluated(pairs, grading, workers=1):
    """Return the verdict of each pair under a grading."""
    verdicts = []
    options = {"grading": grading, "num_workers": workers, "preload": PRELOADED, "timeout": SECONDS}
    with Evaluator(EvalConfig.from_options(options)) as evaluator:
        for start in range(0, len(pairs), BATCH):
            batch = pairs[start : start + BATCH]
            verdicts += evaluator.run([Task(pair.tests, [pair.candidate], pair.name) for pair in batch])
    return verdicts


if __name__ == "__main__":
    sys.exit(main())
