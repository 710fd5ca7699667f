"""The examples in a prompt's docstrings as tests: a canonical solution that fails them contradicts its own prompt."""

from __future__ import annotations

import ast
import doctest
import re

QUOTES = re.compile(r'"""|\'\'\'')


def example_tests(prompt: str) -> str:
    """Return asserts of the examples in doctest's form whose result is a literal; "" if there are none.

    Floats may differ in the last digits, which prompts often leave out.
    """
    try:
        # Quotation marks behind the last example would be a part of its result.
        examples = doctest.DocTestParser().get_examples(QUOTES.sub("\n", prompt))
    except ValueError:
        return ""
    return "".join(assertion(each.source.strip(), each.want.strip()) for each in examples)


def assertion(source: str, wanted: str) -> str:
    """Return a statement that compares an expression's value with a literal; "" for anything else."""
    try:
        ast.parse(source, mode="eval")
        value = ast.literal_eval(wanted)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ""
    condition = f"abs(({source}) - ({wanted})) < 1e-6" if isinstance(value, float) else f"({source}) == ({wanted})"
    return f"assert {condition}, {f'{source} is not {wanted}'!r}\n"
