"""Pairs of the benchmarks in several languages, as (language, record, task_id, completion).

They are answers of a model for MultiPL-E, and solutions and changed solutions for HumanEval-X and HumanEvalPack.
"""

import re

from published import humaneval_records, records_of

STEP = 6
"""Every sixth record of MultiPL-E is taken, because most compilers need seconds."""

X_STEP = 5
PACK_STEPS = {"python": 1, "js": 1, "cpp": 2, "go": 2, "java": 2, "rust": 2}
"""Steps through the records of HumanEval-X, and of HumanEvalPack's excerpts, by language."""

X_LANGUAGES = ("cpp", "go", "js", "python")
"""Languages of HumanEval-X that the published script runs. It runs no Java program, and needs a network for Rust."""

CHANGES = {
    "solution": (r"$^", ""),
    "comparison": (r" (<|>) ", r" \1= "),
    "off by one": (r"\b1\b", "2"),
    "negated": (r"\b(?:True|true)\b", "False"),
}
"""Changes of a solution: {kind: (pattern, replacement)}. A change that changes nothing is left out."""


def multipl_e_pairs(answers, data):
    """Yield pairs of records that have an answer, as "gpt_solution", in a folder, and of HumanEval as MultiPL-E has it.

    Args:
        answers: the folder.
        data: the folder with HumanEval, for Python. MultiPL-E takes its problems without a change.
    """
    for path in sorted(answers.glob("humaneval-*.jsonl")):
        for record in records_of(path)[::STEP]:
            completion = completion_of(record)
            if completion is not None:
                for text in dict.fromkeys((completion, re.sub(*CHANGES["off by one"], completion))):
                    yield record["language"], record, record["name"], text
    for record in humaneval_records(data)[::STEP]:
        tests = f"{record['test']}\ndef test_check():\n    check({record['entry_point']})\n\ntest_check()\n"
        name = record["task_id"].replace("/", "_")
        own = {"name": name, "language": "py", "prompt": record["prompt"], "tests": tests, "stop_tokens": ["\ndef"]}
        for text in changed(record["canonical_solution"]):
            yield "py", own, name, text


def completion_of(record):
    """Return an answer's code after the first line of the function, cut at the stop tokens. None if it is not there."""
    block = re.search(r"```\w*\n(.*?)```", record["gpt_solution"], re.DOTALL)
    code = block[1] if block else record["gpt_solution"]
    name = re.search(r"(\w+)\s*\(", record["prompt"].rstrip().splitlines()[-1])
    head = name and re.search(rf"^[ \t]*(?![ \t]|//|#)[^\n]*\b{name[1]}\s*\([^\n]*\{{[ \t]*\n+", code, re.MULTILINE)
    if not head:
        return None
    completion = code[head.end() :]
    for token in record["stop_tokens"]:
        completion = completion.partition(token)[0]
    return completion


def humaneval_x_pairs(folder):
    """Yield pairs of published records, in the folder of CodeGeeX."""
    for language in X_LANGUAGES:
        path = folder / "codegeex/benchmark/humaneval-x" / language / f"data/humaneval_{language}.jsonl.gz"
        for record in records_of(path)[::X_STEP]:
            for text in changed(record["canonical_solution"]):
                yield language, record, record["task_id"], text


def humanevalpack_pairs(data):
    """Yield pairs of published records, in a folder of data: also the buggy solutions."""
    for language, step in PACK_STEPS.items():
        for record in records_of(data / "benchmarks" / f"humanevalpack_{language}.jsonl")[::step]:
            texts = [*changed(record["canonical_solution"]), record["buggy_solution"]]
            for text in dict.fromkeys(texts):
                yield language, record, record["task_id"], text


def changed(solution):
    """Return a solution, and its changes."""
    texts = {re.sub(*change, solution) for change in CHANGES.values()} - {solution}
    return [solution, *sorted(texts)]
