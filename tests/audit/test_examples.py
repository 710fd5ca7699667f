"""The examples of a prompt become tests."""

import pytest

from code_tasks.audit.examples import example_tests


@pytest.mark.parametrize(
    ("docstring", "tests"),
    [
        (">>> f(1)\n    2", "assert (f(1)) == (2), 'f(1) is not 2'\n"),
        (
            ">>> f([1,\n    ...    2])\n    [2, 3]",
            "assert (f([1,\n   2])) == ([2, 3]), 'f([1,\\n   2]) is not [2, 3]'\n",
        ),
        (">>> f(1)\n    0.33", "assert abs((f(1)) - (0.33)) < 1e-6, 'f(1) is not 0.33'\n"),
        (">>> f(1)\n    array([1])", ""),
        (">>> x = f(1)\n    >>> print(x)", ""),
        (">>> f(1)\n  2", ""),
        ("f(1) ==> 2", ""),
    ],
)
def test_examples(docstring, tests):
    """An example is an assert if its result is a literal."""
    assert example_tests(f'def f(a):\n    """Add.\n    {docstring}\n    """\n') == tests
