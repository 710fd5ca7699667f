"""Judges an answer in the way of CRUXEval's grader: its text is put behind `assert OUTPUT == ` and run.

This text becomes a part of a program's tests, see `forms.py`. An answer decides what is compared, as it does there.
"""

from __future__ import annotations

import signal
from typing import Any

from code_tasks.benchmarks.official.running import quiet, raise_time_limit, take_functions_away

SECONDS = 3


def run_answer(answer: str, record: dict[str, Any]) -> None:
    """Judge an answer. Raise an exception if it is wrong.

    Args:
        answer: the model's text.
        record: the fields "code", "input" and "output", and in "predicted" the one that is predicted.
    """
    is_input = record["predicted"] == "input"
    text = text_of_answer(answer, is_input)
    call = f"f({record['input']})"
    if is_input and "f(" not in text:
        raise AssertionError("the answer has no call of f")
    if not is_input and call in text:
        raise AssertionError("the answer has the call of f whose output is asked for")
    program = f"{record['code']}\nassert {record['output']} == {text}"
    take_functions_away("cruxeval")
    signal.signal(signal.SIGALRM, raise_time_limit)
    with quiet():
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            exec(compile(program, "<string>", "exec", 0, True), {})
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


def text_of_answer(answer: str, is_input: bool) -> str:
    """Return what the grader takes of an answer: the part between the tags, and a side of its assertion."""
    answer = answer.split("[/ANSWER]")[0]
    if "[ANSWER]" in answer:
        answer = answer.split("[ANSWER]")[1].strip()
    if "==" in answer:
        answer = answer.split("==")[0 if is_input else 1].strip()
    if is_input and "assert f" in answer:
        answer = "f" + answer.split("assert f")[1].strip()
    return answer.strip()
