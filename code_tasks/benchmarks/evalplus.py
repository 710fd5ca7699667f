"""HumanEval+ and MBPP+ as EvalPlus's own files have them: inputs, and a canonical solution that says what is right.

Source: Liu et al. 2023, arXiv:2305.01210, and its grader, evalplus. A completion follows its prompt. Both the base
inputs and the plus inputs must give what the canonical solution gives: EvalPlus's "plus" score. Each input may take 1
second, or 4 times as long as the canonical solution.
"""

from __future__ import annotations

import ast
import functools
import inspect
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import ModuleType
from typing import Any

from code_tasks.benchmarks import evalplus_results, evalplus_tests, human_eval
from code_tasks.benchmarks.benchmark import MEMORY_BYTES, Benchmark
from code_tasks.benchmarks.evalplus_inputs import restored_inputs
from code_tasks.benchmarks.official.forms import ANNOTATIONS, CHECK_CALL, evalplus_form
from code_tasks.benchmarks.packages import needed_packages
from code_tasks.benchmarks.problems import ExpectedResults, Problem, check_has_tests
from code_tasks.benchmarks.records import id_field, optional_text, required, text_field, texts_field
from sandboxes.imports import parse_tree
from sandboxes.validation import short_json

SECONDS = 60.0
"""Wall seconds of all inputs of a problem, as in the grader."""

INPUT_SECONDS, FACTOR = 1.0, 4.0
"""CPU seconds that each input may take, or the multiple of the canonical solution's, whichever is longer.

CPU time, because a busy machine must not fail a candidate. The grader has wall seconds.
"""

MAX_SIZE = 10_000_000
"""Characters and items of a result that can be sent to another process within the limits of time and memory."""

NOTHING_KNOWN = "code_eval_known = {}\n"
"""The line of tests that the canonical solution's results take the place of."""

SCORES = {"base": ("test_base",), "plus": ("test_base", "test_plus")}
"""EvalPlus's scores, by the tests of CHECK_CALL that must pass."""

# A plain `exec` in tests would leave test functions to pytest, which finds tests that are bound in any way.
EXECUTED_ORACLE = """\
def code_eval_oracle():
    import builtins
    space = {}
    builtins.exec(compile(SOLUTION, "solution.py", "exec", 0, True), space)
    return space[NAME]
"""
EQUAL = "code_eval_is_right(result, expected, atol)"
SET = "set(result) == set(expected)"
NOT_NONE = "(result if isinstance(result, bool) else result is not None) == (expected is not None)"
RULES = {
    # The root of a polynomial need not be the canonical solution's.
    "HumanEval/32": "abs(sum(one * result ** power for power, one in enumerate(arguments[0]))) <= atol",
    # Any result is right: what counts as equivalent is not defined.
    "Mbpp/164": "True",
    "Mbpp/295": f"result == 0 or {EQUAL}",
    # "Height" may be that of the pyramid, or that of its sides.
    "Mbpp/581": f"{EQUAL} or abs(result - round(arguments[0] ** 2 + 2 * arguments[0] * "
    "((arguments[0] / 2) ** 2 + arguments[1] ** 2) ** 0.5)) <= atol",
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
    inputs = repr(text_of_values({"base": base, "plus": plus}))
    rule = RULES_OF_NAMES.get(name, RULES.get(task_id, EQUAL))
    tests = tests_of(rule, atol, inputs, oracle_of(prompt + solution, name)) + CHECK_CALL.replace("ENTRY_POINT", name)
    limits = {"wall_seconds": SECONDS, "memory_bytes": MEMORY_BYTES}
    return Problem(
        *(task_id, prompt, tests, "python"),
        entry_point=name,
        canonical_solution=solution,
        limits=limits,
        scores=SCORES,
        expected=ExpectedResults(program_of(prompt + solution, name, inputs), with_known),
    )


@functools.cache
def functions_of(*modules: ModuleType) -> str:
    """Return the functions of modules as one text, without the imports that are for annotations alone."""
    parts = [inspect.getsource(module).partition("\n\n\n")[2] for module in modules]
    return ANNOTATIONS + "\n\n".join(parts)


def tests_of(rule: str, atol: float, inputs: str, oracle: str) -> str:
    """Return the tests of a problem, up to the calls of `code_eval_check`.

    Args:
        rule: an expression that says whether a result is right.
        atol: the tolerance of floats.
        inputs: the source of `text_of_values`.
        oracle: the definition of `code_eval_oracle`.
    """
    return f"""\
{functions_of(evalplus_tests)}

def code_eval_rule(result, expected, arguments, atol):
    return {rule}


def code_eval_check(candidate, group):
    from copy import deepcopy
    from signal import ITIMER_PROF, SIGPROF, setitimer, signal
    from time import process_time

    signal(SIGPROF, code_eval_end_input)
    known = code_eval_known.get(group, [])
    for number, arguments in enumerate(code_eval_inputs[group]):
        # What is known: a result and its seconds; of a long one its size, digest and seconds; or nothing.
        facts = known[number] if known else []
        if len(facts) == 2:
            expected, seconds = facts
        elif facts:
            seconds = facts[2]
        else:
            given = deepcopy(arguments)
            begin = process_time()
            expected = code_eval_oracle()(*given)
            seconds = process_time() - begin
        given = deepcopy(arguments)
        # Again and again, for a candidate that catches the exception.
        setitimer(ITIMER_PROF, max({INPUT_SECONDS}, {FACTOR} * seconds), 0.05)
        try:
            result = candidate(*given)
        finally:
            setitimer(ITIMER_PROF, 0)
        if len(facts) == 3:
            if facts[1] and code_eval_digest(result) == facts[1]:
                continue
            expected = code_eval_oracle()(*deepcopy(arguments))
        assert code_eval_rule(result, expected, arguments, code_eval_atol), (
            "%s input %d: it should be %.80r, but is %.80r" % (group, number + 1, expected, result))


{oracle}

code_eval_atol = {atol!r}
code_eval_inputs = code_eval_values({inputs})
{NOTHING_KNOWN}"""


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


def text_of_values(groups: Mapping[str, Sequence[Any]]) -> str:
    """Return the text of JSON that `code_eval_values` reads. Arguments may hold tuples, sets and complex numbers."""
    return json.dumps({"dict": [[name, evalplus_results.code_eval_encoded(group)] for name, group in groups.items()]})


def program_of(source: str, name: str, inputs: str) -> str:
    """Return a program that prints a canonical solution's results, as `code_eval_known` has them.

    Args:
        source: of the solution.
        name: of its function.
        inputs: the source of `text_of_values`.
    """
    call = f"code_eval_print_known({source!r}, {name!r}, code_eval_values({inputs}))"
    return f"{functions_of(evalplus_tests, evalplus_results)}\n\n{call}\n"


def with_known(problem: Problem, known: str) -> Problem:
    """Return a problem with what the program of `program_of` has printed.

    Its tests run with the candidate if a result is so large that no other process can get it.

    Raises:
        ValueError: if that is anything else.
    """
    tests = problem.tests.replace(NOTHING_KNOWN, f"code_eval_known = code_eval_values({known.strip()!r})\n", 1)
    groups = evalplus_tests.code_eval_values(known)
    if not isinstance(groups, dict):
        raise ValueError(f"the results of the inputs are {short_json(groups)}")
    is_large = any(len(each) == 3 and each[0] > MAX_SIZE for group in groups.values() for each in group)
    return replace(problem, tests=tests, grading="shared" if is_large else problem.grading)


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
    fields_on_hub=("task_id", "code", "test_list", "test"),
    official=evalplus_form,
    runs_restricted=False,
)
