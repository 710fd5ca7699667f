"""Runs an answer in the way of ClassEval's grader: as one module with its tests, each test class in a thread.

This text becomes a part of a program's tests, see `forms.py`. The answer shares the module with its tests, as it does
in the grader, and can forge a pass.
"""

from __future__ import annotations

import importlib
import io
import re
import sys
import threading
import unittest
from pathlib import Path
from typing import Any

from code_tasks.benchmarks.official.running import described

SECONDS = 5
MODULE = "code_eval_class_0"
PLACES = ("### Response:", "@@ Response:", "[/INST]")
"""Marks of models' prompts, behind which the answer begins."""

BLOCKS = (
    *(r"```python(.*?)```", r"```ruby(.*?)```", r"```scss(.*?)```", r"```python(.*?)", r"```(.*?)```"),
    r"\[PYTHON\](.*?)\[/PYTHON\]",
)
"""Patterns of the block with the code, in the grader's order. An open block of Python is empty for it."""


def run_classes(answer: str, record: dict[str, Any]) -> None:
    """Run the test classes of a record. Raise an exception at the first that does not succeed.

    Args:
        answer: the model's text.
        record: the fields "import_statement", "test" and "test_classes".
    """
    code = with_static_methods(code_of_answer(answer))
    text = "\n".join(record["import_statement"]) + "\n" + code + "\n" + record["test"]
    Path(f"{MODULE}.py").write_text(text, encoding="utf-8")
    sys.path.insert(0, "")
    for name in record["test_classes"]:
        messages: list[str] = []
        thread = threading.Thread(target=run_class, args=(name, messages), daemon=True)
        thread.start()
        thread.join(SECONDS)
        message = messages[0] if messages else "it took longer than the grader's limit"
        if message:
            raise AssertionError(f"{name.strip()}: {message}")


def run_class(name: str, messages: list[str]) -> None:
    """Add what is wrong with a test class, or "", to a list."""
    messages.append(message_of_class(name))


def message_of_class(name: str) -> str:
    """Return what is wrong with a test class, or ""."""
    try:
        module = importlib.import_module(MODULE)
        suite = unittest.TestLoader().loadTestsFromTestCase(getattr(module, name))
        result = unittest.TextTestRunner(stream=io.StringIO()).run(suite)
    except BaseException as error:
        return described(error)
    failed = [*result.errors, *result.failures]
    if failed:
        return f"{failed[0][0]}: {failed[0][1].strip().splitlines()[-1]}"
    return "" if result.testsRun else "it has no test"


def code_of_answer(answer: str) -> str:
    """Return what the grader takes for the code of an answer: a block, or its imports and all from its first class."""
    text = answer.rstrip()
    for place in PLACES:
        if place in text:
            text = text.split(place)[1]
            break
    for pattern in BLOCKS:
        if found := re.findall(pattern, text, re.DOTALL):
            return str(found[0])
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip().startswith("class")), len(lines))
    removed = [line for line in lines[:first] if not line.strip().startswith(("import", "from"))]
    # A line that is left out before the class is left out everywhere.
    lines = [line for line in lines if line not in removed]
    indents = [spaces_before(line) for line in lines if line.strip().startswith("class")]
    if indents and indents[0]:
        lines = [" " * (spaces_before(line) - indents[0]) + line.lstrip() for line in lines]
    return "\n".join(lines)


def with_static_methods(code: str) -> str:
    """Return code in which exactly the methods without `self` and `cls` in their first line are static."""
    lines = []
    for line in code.split("\n"):
        if "@staticmethod" in line:
            continue
        if line.strip().startswith("def ") and "self" not in line and "cls" not in line and spaces_before(line) == 4:
            lines.append("    @staticmethod")
        lines.append(line)
    return "\n".join(lines)


def spaces_before(line: str) -> int:
    """Return the number of white space characters before a line."""
    return len(line) - len(line.lstrip())
