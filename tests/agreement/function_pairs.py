"""Pairs of the benchmarks of plain functions in Python: HumanEval, MBPP, EvoEval and MHPP.

Each function yields (what the answer is like, record, task_id, answer).
"""

import ast
import re
from pathlib import Path

from evalplus_problems import CLOSE
from problems import CALLS, call_pairs, filled
from published import humaneval_records, records_of

STEP_OF_MBPP = 4
EVOEVAL_NAMES = ("is_floats", "DataType", "get_type", "is_equal")
EVOEVAL_HEAD = "import numpy as np\nfrom numpy import nan, inf\nimport sys\nfrom enum import IntEnum, auto\n\n"
EVOEVAL_CHECK = """\
def check(candidate):
    inputs = [eval(f"[{each}]") for each in INPUTS]
    for arguments, expected in zip(inputs, OUTPUTS):
        assert is_equal(candidate(*arguments), expected)[0]
"""
TUPLES_WRONG = ("pair_sums", "grid", "single", "last_two")
"""Functions of `CALLS` whose result is a list."""


def humaneval_pairs(data):
    """Yield completions of HumanEval's problems."""
    for record in humaneval_records(data):
        for number, completion in enumerate(humaneval_completions(record)):
            yield f"completion {number}", record, record["task_id"], completion


def humaneval_completions(record):
    """Yield completions of a problem: the solution, two that mean the same, and three that do not."""
    solution = record["canonical_solution"]
    yield solution
    yield f"    print('x')\n{solution}\nif __name__ == '__main__':\n    raise ValueError\n"
    yield f"{solution.rstrip()}\n\n\nimport unused_name_of_no_module\n"
    yield solution.replace("return ", "return None and ")
    yield solution.replace("+ 1", "").replace("<", "<=")
    yield "    pass\n"


def mbpp_pairs(data):
    """Yield answers to published records of MBPP. Every second record takes the shape of the sanitized set."""
    for number, record in enumerate(records_of(data / "benchmarks" / "mbpp.jsonl")[::STEP_OF_MBPP]):
        solution = record["code"].replace("\r\n", "\n").rstrip() + "\n"
        name = re.search(r"assert\s+\(*(?:\w+\()*?(\w+)\(", record["test_list"][0])[1]
        for kind, text in {
            "solution": solution,
            "prints": f"{solution}print('done')\n",
            "main block": f"{solution}\nif __name__ == '__main__':\n    raise ValueError\n",
            "own tests": f"{solution}\n" + "\n".join(record["test_list"][:1]) + "\n",
            "exit": f"{solution}\nimport sys\nsys.exit(0)\n",
            "reads stdin": f"{solution}\ninput()\n",
            "fence": f"```python\n{solution}```\n",
            "other name": re.sub(r"^(def|class) (\w+)", r"\1 my_\2", solution, flags=re.MULTILINE),
            "off by one": re.sub(r"\b1\b", "2", solution),
            "other operator": solution.replace(" == ", " != ").replace("<", "<=").replace(" + ", " - "),
            "as text": f"{solution}\nold = {name}\ndef {name}(*given):\n    return str(old(*given)) + ' '\n",
            "list for tuple": f"{solution}\nold = {name}\ndef {name}(*given):\n    result = old(*given)\n"
            "    return list(result) if isinstance(result, tuple) else result\n",
            "annotated without imports": f"{solution}\ndef helper(a: List[int]):\n    return Counter(a)\n",
        }.items():
            yield kind, sanitized(record) if number % 2 else record, str(record["task_id"]), text


def sanitized(record):
    """Return a record of the full set in the shape of the sanitized one."""
    kept = {name: record[name] for name in ("task_id", "code", "test_list")}
    return {**kept, "source_file": "", "prompt": record["text"], "test_imports": ["import math"]}


def evoeval_pairs(folder):
    """Yield completions of our own problems in the shape of EvoEval's datasets, and of its own files.

    The tests of the datasets begin with the comparison of EvoEval's grader, which is in `folder`.
    """
    path = Path(folder, "evoeval", "eval_test", "__init__.py")
    source = path.read_text(encoding="utf-8")
    functions = [node for node in ast.parse(source).body if getattr(node, "name", "") in EVOEVAL_NAMES]
    head = EVOEVAL_HEAD + "\n\n".join(ast.unparse(node) for node in functions)
    problems = {problem[0]: problem for _, problem, _ in call_pairs()}
    records = {name: evoeval_record(number, *problems[name], head) for number, name in enumerate(CALLS)}
    pairs = [(kind, problem[0], text) for kind, problem, text in call_pairs()]
    for name, (params, body, _) in CALLS.items():
        for kind, end in CLOSE.items():
            pairs.append((kind, name, filled(f"def {name}({params}):\n    BODY\n    {end}\n", BODY=body)))
    for kind, name, text in pairs:
        yield kind, records[name], records[name]["task_id"], text


def evoeval_record(number, name, cases, head):
    """Return a record as EvoEval's datasets have it, with the inputs of its own files."""
    params, body, _ = CALLS[name]
    inputs = [", ".join(map(repr, given)) for given, _ in cases]
    return {
        "task_id": f"EvoEval/{number}",
        "prompt": f'def {name}({params}):\n    """Do what is asked."""\n',
        "canonical_solution": f"    {body}\n    return result\n",
        "entry_point": name,
        "inputs": inputs,
        "test": f"{head}\n\n"
        + EVOEVAL_CHECK.replace("INPUTS", repr(inputs)).replace("OUTPUTS", repr([result for _, result in cases])),
    }


def mhpp_pairs():
    """Yield programs for our own problems in MHPP's shape, with our own tests."""
    for kind, (name, cases), text in call_pairs():
        asserts = [f"    assert candidate({', '.join(map(repr, given))}) == {result!r}\n" for given, result in cases]
        shape = {"id": list(CALLS).index(name), "function_name": name, "difficulty_types": 1, "question": name}
        yield kind, {**shape, "test": "def check(candidate):\n" + "".join(asserts)}, str(shape["id"]), text


def is_right_for_mhpp(kind, record):
    """Return the verdict, worked out by hand, of a program for a problem in MHPP's shape.

    MHPP's authors keep their grader and their tests. A program is right if its function, in a module of its own without
    further imports, gives results that are equal to the expected ones, for all calls in turn.
    """
    is_list = record["function_name"] in TUPLES_WRONG
    if kind == "tuple for a list":
        return not is_list
    if kind == "tuples as rows":
        return is_list and record["function_name"] != "grid"
    return kind in RIGHT_FOR_MHPP


RIGHT_FOR_MHPP = {
    *("plain", "prints", "main block", "deep recursion", "float for an int", "numpy", "future", "state"),
    *("caught exit", "a slow call"),
}
