"""HumanEval+ and MBPP+ as EvalPlus's own files have them: inputs, and a canonical solution that says what is right.

Source: Liu et al. 2023, arXiv:2305.01210, and its grader, evalplus. A completion follows its prompt. Both the base
inputs and the plus inputs must give what the canonical solution gives: EvalPlus's "plus" score. Each input may take 1
second, or 4 times as long as the canonical solution takes beside it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from code_tasks.benchmarks import human_eval
from code_tasks.benchmarks.benchmark import MEMORY_BYTES, Benchmark
from code_tasks.benchmarks.evalplus_inputs import restored_inputs
from code_tasks.benchmarks.official.forms import CHECK_CALL, evalplus_form
from code_tasks.benchmarks.packages import needed_packages
from code_tasks.benchmarks.problems import Problem, check_has_tests
from code_tasks.benchmarks.records import id_field, optional_text, required, text_field, texts_field
from sandboxes.imports import parse_tree
from sandboxes.tasks.call_harness import source_of_data
from sandboxes.validation import short_json

SECONDS = 20.0
"""Wall seconds of all inputs of a problem, with the canonical solution on them."""

INPUT_SECONDS, FACTOR = 1.0, 4.0
"""CPU seconds that each input may take, or the multiple of the canonical solution's, whichever is longer.

CPU time, because a busy machine must not fail a candidate. The grader has wall seconds. Under "separate" the tests'
process has not the candidate's CPU time, so that SECONDS alone holds.
"""

TESTS = """\
def code_eval_is_close(result, expected, atol):
    if result == expected:
        return True
    if isinstance(expected, (list, tuple)) and isinstance(result, (list, tuple)):
        return len(result) == len(expected) and all(map(code_eval_is_close, result, expected, [atol] * len(expected)))
    return abs(expected) != float("inf") and abs(result - expected) <= atol + 1e-7 * abs(expected)


def code_eval_is_right(result, expected, atol):
    if result == expected:
        return True
    parts = expected if isinstance(expected, (list, tuple)) else [expected]
    if atol == 0 and parts and all(isinstance(part, float) for part in parts):
        atol = 1e-6
    return atol != 0 and type(result) == type(expected) and code_eval_is_close(result, expected, atol)


def code_eval_rule(result, expected, arguments, atol):
    return RULE


def check(candidate, group):
    from copy import deepcopy
    from signal import ITIMER_REAL, SIGALRM, setitimer, signal
    from time import process_time
    oracle = code_eval_oracle()

    def end_input(number, frame):
        left = begin + seconds - process_time()
        if left <= 0:
            raise TimeoutError(too_slow)
        setitimer(ITIMER_REAL, left + 0.01)

    signal(SIGALRM, end_input)
    for number, arguments in enumerate(code_eval_inputs[group], 1):
        name = "%s input %d" % (group, number)
        given = deepcopy(arguments)
        begin = process_time()
        expected = oracle(*given)
        seconds = max(LEAST_SECONDS, FACTOR * (process_time() - begin))
        too_slow = "%s: it takes more than %.1f s" % (name, seconds)
        given = deepcopy(arguments)
        begin = process_time()
        setitimer(ITIMER_REAL, seconds)
        try:
            result = candidate(*given)
        finally:
            setitimer(ITIMER_REAL, 0)
        assert process_time() <= begin + seconds, too_slow
        assert code_eval_rule(result, expected, arguments, code_eval_atol), "%s: it should be %.80r, but is %.80r" % (
            name, expected, result)


ORACLE

code_eval_atol = ATOL
code_eval_inputs = INPUTS
"""
SCORES = {"base": ("test_base",), "plus": ("test_base", "test_plus")}
"""EvalPlus's scores, by the tests of CHECK_CALL that must pass."""

# A plain `exec` in tests would leave test functions to pytest, which finds tests that are bound in any way.
EXECUTED_ORACLE = """\
def code_eval_oracle():
    import builtins
    space = {}
    builtins.exec(SOLUTION, space)
    return space[NAME]
"""
EQUAL = "code_eval_is_right(result, expected, ATOL)"
SET = "set(result) == set(expected)"
NOT_NONE = "(result if isinstance(result, bool) else result is not None) == (expected is not None)"
RULES = {
    # The root of a polynomial need not be the canonical solution's.
    "HumanEval/32": "abs(sum(one * result ** power for power, one in enumerate(arguments[0]))) <= ATOL",
    # Any result is right: what counts as equivalent is not defined.
    "Mbpp/164": "True",
    "Mbpp/295": f"result == 0 or {EQUAL}",
    # "Height" may be that of the pyramid, or that of its sides.
    "Mbpp/581": f"{EQUAL} or abs(result - round(arguments[0] ** 2 + 2 * arguments[0] * "
    "((arguments[0] / 2) ** 2 + arguments[1] ** 2) ** 0.5)) <= ATOL",
    # Digits may be compared place by place.
    "Mbpp/558": f"{EQUAL} or result == sum(abs(int(one) - int(other)) for one, other in "
    "zip(*[str(each).zfill(max(len(str(a)) for a in arguments)) for each in arguments]))",
    **dict.fromkeys(("Mbpp/2", "Mbpp/7", "Mbpp/111", "Mbpp/140", "Mbpp/232", "Mbpp/249", "Mbpp/579", "Mbpp/769"), SET),
}
"""Problems whose results are not compared by EQUAL, as in EvalPlus."""

RULES_OF_NAMES = dict.fromkeys(("check_str", "text_match_three", "text_starta_endb"), NOT_NONE)
"""Functions whose result has to be something where the canonical solution's is, and nothing where it is None."""


def parse_humaneval(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of HumanEval+, from EvalPlus's file or in HumanEval's shape."""
    return parse(record, position) if has_inputs(record) else human_eval.parse(record, position)


def has_inputs(record: Mapping[str, Any]) -> bool:
    """Return whether a record is of EvalPlus's file, some versions of which also have HumanEval's own tests."""
    return "base_input" in record or "plus_input" in record or "test" not in record


def parse(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of EvalPlus's file."""
    task_id, name = id_field(record, "task_id"), text_field(record, "entry_point")
    prompt, solution = text_field(record, "prompt"), text_field(record, "canonical_solution")
    if not name.isidentifier():
        raise ValueError(f"'entry_point' is not the name of a function, but {short_json(name)}")
    base, plus = (inputs_of(record, field, task_id) for field in ("base_input", "plus_input"))
    if not base + plus:
        raise ValueError("'base_input' and 'plus_input' are empty: every sample would pass")
    atol = required(record, "atol")
    if isinstance(atol, bool) or not isinstance(atol, int | float):
        raise TypeError(f"'atol' is not a number, but {short_json(atol)}")
    parts = {
        "RULE": RULES_OF_NAMES.get(name, RULES.get(task_id, EQUAL)).replace("ATOL", "atol"),
        "ATOL": repr(atol),
        "LEAST_SECONDS": str(INPUT_SECONDS),
        "FACTOR": str(FACTOR),
        "INPUTS": source_of_inputs({"base": base, "plus": plus}),
        # Last, because a part's text must hold none of the words that are replaced after it.
        "ORACLE": oracle_of(prompt + solution, name),
    }
    tests = TESTS
    for part, text in parts.items():
        tests = re.sub(rf"\b{part}\b", text.replace("\\", r"\\"), tests, count=1)
    tests += CHECK_CALL.replace("ENTRY_POINT", name)
    limits = {"wall_seconds": SECONDS, "memory_bytes": MEMORY_BYTES}
    return Problem(
        *(task_id, prompt, tests, "python"),
        entry_point=name,
        canonical_solution=solution,
        limits=limits,
        scores=SCORES,
    )


def oracle_of(source: str, name: str) -> str:
    """Return the definition of `code_eval_oracle`, which returns the function of a canonical solution.

    The solution stands in it without `exec`, so that the tests can run in another interpreter than the candidate.
    """
    try:
        tree, oracle = parse_tree(source), parse_tree(f"def code_eval_oracle():\n    return {name}")
        nodes = list(ast.walk(tree))
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        nodes = []
    if not nodes or any(map(needs_module, nodes)):
        return EXECUTED_ORACLE.replace("NAME", repr(name)).replace("SOLUTION", repr(source))
    vars(oracle.body[0])["body"][:0] = tree.body
    return ast.unparse(oracle)


def needs_module(node: ast.AST) -> bool:
    """Return whether a statement means something else, or is an error, in a function."""
    if isinstance(node, ast.ImportFrom):
        return node.names[0].name == "*" or node.module == "__future__"
    return isinstance(node, ast.Global)


def inputs_of(record: Mapping[str, Any], field: str, task_id: str) -> list[Any]:
    """Return the inputs of a field: a list of arguments for each call.

    Raises:
        ValueError, TypeError: if the field is anything else.
    """
    value = required(record, field)
    # An empty field of the published file is an object.
    if not value:
        return []
    if not isinstance(value, list) or not all(isinstance(arguments, list) for arguments in value):
        raise TypeError(f"{field!r} is not a list of lists of arguments, but {short_json(value)}")
    return restored_inputs(task_id, value)


def source_of_inputs(value: Any) -> str:
    """Return the Python source of the arguments of a call, which may hold tuples, sets and complex numbers."""
    if isinstance(value, list):
        return "[" + ", ".join(map(source_of_inputs, value)) + "]"
    if isinstance(value, tuple):
        return "(" + "".join(source_of_inputs(item) + ", " for item in value) + ")"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {source_of_inputs(item)}" for key, item in value.items()) + "}"
    return repr(value) if isinstance(value, set | complex) else source_of_data(value)


def parse_mbpp(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of MBPP+, from EvalPlus's file, or from the Hub with asserts that are finished code."""
    if has_inputs(record):
        return parse(record, position)
    tests = "\n".join([*texts_field(record, "test_imports"), text_field(record, "test")]) + "\n"
    check_has_tests(tests, "test", "python")
    limits = {"wall_seconds": SECONDS, "memory_bytes": MEMORY_BYTES}
    solution = optional_text(record, "code")
    return Problem(
        *(id_field(record, "task_id"), "", tests, "python"),
        canonical_solution=solution,
        limits=limits,
        modules=needed_packages(tests),
    )


FIELDS = ("task_id", "base_input", "plus_input", "atol")
"""Fields of EvalPlus's files, which both benchmarks have."""

HUMANEVALPLUS = Benchmark(
    *("humanevalplus", parse_humaneval, "evalplus/humanevalplus"),
    preferred_field="solution",
    fields=FIELDS,
    official=evalplus_form,
    runs_restricted=False,
)
MBPPPLUS = Benchmark(
    *("mbppplus", parse_mbpp, "evalplus/mbppplus"),
    preferred_field="solution",
    fields=FIELDS,
    official=evalplus_form,
    runs_restricted=False,
)
