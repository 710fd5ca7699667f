"""Runs a script in the way of rLLM, the grader of DeepCoder: as a process for each case, whatever its status is.

This text becomes a part of a program's tests, see `forms.py`.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from typing import Any

from code_tasks.benchmarks.official.running import alarm, loaded
from code_tasks.benchmarks.official.taco_scripts import is_right_for_taco, taco_programs
from sandboxes.guest.common.training_checkers import is_all_close, words_of_lines


def run_rllm_script(source: str, rules: dict[str, Any]) -> None:
    """Run a script on its cases. Raise an exception at the first that is wrong."""
    has_words = rules["grader"] == "deepcoder"
    plain, in_function = taco_programs(rules["base"] + source.strip(), rules["preamble"])
    with alarm(rules["seconds"]):
        # A script that can't stand in a function has failed.
        _ = loaded(in_function).code
    with tempfile.NamedTemporaryFile("w", suffix=".py", encoding="utf-8", delete=False) as file:
        file.write(plain)
    for number, (given, expected) in enumerate(rules["cases"], 1):
        text, wanted = ("\n".join(map(str, one)) if isinstance(one, list) else one for one in (given, expected))
        done = subprocess.run(
            [sys.executable, file.name], input=text, text=True, capture_output=True, timeout=rules["seconds"]
        )
        output = done.stdout.rstrip("\n") if has_words else done.stdout
        if not ((has_words and is_right_by_words(wanted, output)) or is_right_for_taco(wanted, output)):
            raise AssertionError(f"case {number}: it should write {wanted!r:.80}, but wrote {output!r:.80}")


def is_right_by_words(wanted: str, output: str) -> bool:
    """Tell whether lines have as many words, and all words that both are numbers are close. Other words may differ."""
    one, other = wanted.strip(), output.strip()
    if one == other:
        return True
    if (number := number_of(one)) is not None and (had := number_of(other)) is not None:
        return is_all_close(number, had)
    lines = [words_of_lines(text.split("\n")) for text in (one, other)]
    if list(map(len, lines[0])) != list(map(len, lines[1])):
        return False
    words = [[word for line in each for word in line] for each in lines]
    pairs = [(number_of(left), number_of(right)) for left, right in zip(*words) if left != right]
    return all(left is None or right is None or is_all_close(left, right) for left, right in pairs)


def number_of(word: str) -> float | None:
    """Return the number that a text is, or None."""
    try:
        return float(word)
    except ValueError:
        return None
