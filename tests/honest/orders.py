"""Evaluates programs in random orders: PYTHONPATH=.:tests python -m honest.orders [--tasks N --orders N --seed S].

Each order runs three times with one worker and with four. The status is 1 if a program's outcome is not always the
same.
"""

import argparse
import random
import sys
from collections import Counter

from honest.compare import PRELOADED, SECONDS, chosen_pairs, write
from honest.pairs import Pair
from sandboxes import EvalConfig, Evaluator, Task, close_pools

WORKERS, TIMES = (1, 4), 3
ADD = "def add(a, b):\n    return a + b\n"

CHANGES = {
    "an alarm": "import signal\nsignal.signal(signal.SIGALRM, lambda *_: 1 / 0)\n"
    "signal.setitimer(signal.ITIMER_REAL, 0.05)\nassert add(2, 3) == 5\n",
    "an array's text": "import numpy as np\nnp.set_printoptions(precision=1)\n"
    "assert str(np.array([add(1.25, 1)])) == '[2.2]'\n",
    "the same array's text": "import numpy as np\nassert str(np.array([add(1.25, 1)])) == '[2.25]'\n",
    "a dialect": "import csv\nassert 'own' not in csv.list_dialects()\ncsv.register_dialect('own')\n"
    "assert add(2, 3) == 5\n",
    "a path": "import sys\nassert '/own' not in sys.path\nsys.path.append('/own')\nassert add(2, 3) == 5\n",
    "a state of random": "import random\nfirst = random.random()\nrandom.seed(5)\nassert random.random() != first\n"
    "assert add(2, 3) == 5\n",
    "a module's attribute": "import math\nassert not hasattr(math, 'own')\nmath.own = 1\nassert add(2, 3) == 5\n",
    "a builtin": "import builtins\nassert not hasattr(builtins, 'own')\nbuiltins.own = 1\nassert add(2, 3) == 5\n",
}
"""Tests that leave something behind, and would find what other tests have left."""

BUSY = Pair(
    "orders",
    "many tasks of asyncio",
    "import asyncio\n\n\nasync def each(n):\n    await asyncio.sleep(0.01)\n    return n\n\n\n"
    "async def total(n):\n    return sum(await asyncio.gather(*map(each, range(n))))\n",
    "import asyncio\n\nassert asyncio.run(total(40)) == 780\n",
    True,
)


def programs(number, seed):
    """Return a random sample of the corpus, and the programs of this file."""
    changes = [Pair("orders", name, ADD, tests, True) for name, tests in CHANGES.items()]
    wrong = [Pair("orders", f"{name}, wrong", ADD.replace("+", "*"), tests, False) for name, tests in CHANGES.items()]
    own = [*changes, *wrong, BUSY]
    return [*own, *chosen_pairs(number=max(0, number - len(own)), seed=seed)]


def outcomes(pairs, orders, seed, times=TIMES, workers=WORKERS):
    """Return for each program its outcomes in random orders, and how often it had each.

    Args:
        pairs: the programs.
        orders: the number of orders.
        seed: of the orders.
        times: how often each order runs with each number of workers.
        workers: the numbers of workers.
    """
    found = {pair.name: Counter() for pair in pairs}
    for number in workers:
        options = {"timeout": SECONDS, "num_workers": number, "preload": PRELOADED, "dedupe": False}
        with Evaluator(EvalConfig.from_options(options)) as evaluator:
            for order in range(orders):
                shuffled = random.Random(seed + order).sample(pairs, len(pairs))
                for _ in range(times):
                    results = evaluator.run([Task(pair.tests, [pair.candidate]) for pair in shuffled])
                    for pair, result in zip(shuffled, results, strict=True):
                        found[pair.name][result.outcome.value] += 1
    return found


def main():
    """Run what the arguments ask for, and print it. Return the status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--orders", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found = outcomes(programs(options.tasks, options.seed), options.orders, options.seed)
    close_pools()
    different = {name: counts for name, counts in found.items() if len(counts) > 1}
    for name, counts in different.items():
        write(f"{name}: {', '.join(f'{outcome} {count} times' for outcome, count in counts.items())}")
    write(f"{len(found) - len(different)} of {len(found)} programs always had the same outcome")
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main())
