"""CRUXEval: the input or the output of a function is predicted. The two predictions are two benchmarks.

Source: Gu et al. 2024, arXiv:2401.03065, and its grader. A completion is an answer: the call `f(...)`, the output, or
the assertion with it, also between [ANSWER] and [/ANSWER]. It may take 3 seconds.

An answer is an expression of the model's, and must not decide on its own verdict. Its value alone goes to the tests,
which call `f` and compare.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from code_tasks.benchmarks.benchmark import Benchmark
from code_tasks.benchmarks.official.forms import cruxeval_form
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.records import id_field, text_field
from sandboxes.imports import parse_candidate, parse_tree

SECONDS = 3.0
FUNCTION = "f"
ARGUMENTS = """\
{code}


def code_eval_arguments(*arguments, **named):
    return arguments, named


code_eval_answer = {answer}
"""
CALL = """\
{code}


code_eval_arguments_given, code_eval_named_given = code_eval_answer
assert {output} == f(*code_eval_arguments_given, **code_eval_named_given)
"""
NO_CALL = "raise ValueError('the answer is no call of f')\n"
TOO_DEEP = "raise ValueError('the answer is nested too deeply, or has too large an int')\n"


@dataclass(frozen=True)
class InputAnswer:
    """Makes the program that computes the arguments of an answer's call."""

    code: str
    """The code of the record. Arguments may use its names."""

    def __call__(self, completion: str) -> str:
        """Return the program of an answer."""
        answer = answer_of(completion, 0)
        call = parsed_expression(answer)
        if call is None:
            return self.code + "\n" + answer
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id != FUNCTION:
            return NO_CALL
        call.func.id = "code_eval_arguments"
        try:
            return ARGUMENTS.format(code=self.code, answer=ast.unparse(call))
        except (RecursionError, ValueError):
            # An int of more than 4,300 digits has no text.
            return TOO_DEEP


@dataclass(frozen=True)
class OutputAnswer:
    """Makes the program that computes an answer. It has no names of the record's, so that it can't call `f`."""

    def __call__(self, completion: str) -> str:
        """Return the program of an answer."""
        answer = answer_of(completion, 1)
        return answer if parsed_expression(answer) is None else f"code_eval_answer = (\n{answer}\n)\n"


def parse_input(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record, for the prediction of an input. Any input with the record's output is right."""
    code, given, output = (text_field(record, name) for name in ("code", "input", "output"))
    check_expression("output", output)
    return Problem(
        *(id_field(record, "id"), "", CALL.format(code=code, output=f"({output})"), "python"),
        entry_point=FUNCTION,
        canonical_solution=f"{FUNCTION}({given})",
        make_program=InputAnswer(code),
        limits={"wall_seconds": SECONDS},
        official=official_fields(record, "input"),
    )


def parse_output(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record, for the prediction of its output."""
    output = text_field(record, "output")
    check_expression("output", output)
    return Problem(
        *(id_field(record, "id"), "", f"assert ({output}) == code_eval_answer\n", "python"),
        canonical_solution=output,
        make_program=OutputAnswer(),
        limits={"wall_seconds": SECONDS},
        official=official_fields(record, "output"),
    )


def official_fields(record: Mapping[str, Any], predicted: str) -> dict[str, Any]:
    """Return what the official form needs. Records for the prediction of an output need neither code nor input."""
    return {**{name: record.get(name, "") for name in ("code", "input", "output")}, "predicted": predicted}


def check_expression(name: str, text: str) -> None:
    """Raise ValueError if a field of a record is no Python expression."""
    try:
        parse_tree(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ValueError(f"{name!r} is not a Python expression ({error}): {text[:80]!r}") from error


def answer_of(completion: str, side: int) -> str:
    """Return the answer in a completion, without tags and the assertion around it.

    Args:
        completion: the model's text.
        side: of `==` in an assertion, 0 or 1, that the answer is.
    """
    text = completion.partition("[ANSWER]")[2] if "[ANSWER]" in completion else completion
    text = text.partition("[/ANSWER]")[0].strip()
    body = parsed_statements(text)
    if len(body) == 1 and isinstance(body[0], ast.Assert | ast.Expr):
        shown = body[0].test if isinstance(body[0], ast.Assert) else body[0].value
        if isinstance(shown, ast.Compare) and len(shown.ops) == 1 and isinstance(shown.ops[0], ast.Eq):
            shown = shown.comparators[0] if side else shown.left
        return ast.get_source_segment(text, shown) or ""
    # An answer that is no Python, such as the half of an assertion, is cut at the text.
    if "==" in text:
        text = text.split("==")[side]
    return text.strip().removeprefix("assert ").strip()


def parsed_expression(text: str) -> ast.expr | None:
    """Return the expression that a text is, or None if it is none."""
    body = parsed_statements(text)
    return body[0].value if len(body) == 1 and isinstance(body[0], ast.Expr) else None


def parsed_statements(text: str) -> list[ast.stmt]:
    """Return the statements of a text; none for a text that is not Python, or is very long."""
    try:
        return parse_candidate(text).body
    except ValueError:
        return []


FIELDS = ("id", "code", "input", "output")
"""Fields of the records, which both benchmarks have."""

CRUXEVAL_INPUT, CRUXEVAL_OUTPUT = (
    Benchmark(name, parse, "cruxeval-org/cruxeval", fields=FIELDS, official=cruxeval_form)
    for name, parse in (("cruxeval-input", parse_input), ("cruxeval-output", parse_output))
)
