"""Runs a script in the way of TACO's grader: as a process for each case, and once more in other ways if that fails.

This text becomes a part of a program's tests, see `forms.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from typing import Any

from code_tasks.benchmarks.official.running import alarm, described, loaded
from sandboxes.guest.common.benchmark_checkers import expected_lines, rounded
from sandboxes.guest.common.training_checkers import is_all_close

INPUT, OUTPUT = "input.txt", "output.txt"
RIGHT, WRONG, RAISED = "", "the output is wrong", "it ended with status 1"


def run_taco_script(source: str, rules: dict[str, Any]) -> None:
    """Run a script on its cases. Raise an exception if one is wrong.

    A script that ends with status 1 on each of them is run once more, in a function.
    """
    plain, in_function = taco_programs(source, rules["preamble"])
    with alarm(rules["seconds"]):
        # A script that can't stand in a function has failed.
        _ = loaded(in_function).code
    messages = messages_of_cases(plain, rules, goes_on_after=RAISED)
    if set(messages) == {RAISED}:
        messages = messages_of_cases(in_function + "\ncode()\n", rules)
    if messages[-1]:
        raise AssertionError(f"case {len(messages)}: {messages[-1]}")


def messages_of_cases(program: str, rules: dict[str, Any], goes_on_after: str = RIGHT) -> list[str]:
    """Return what is wrong with the output of each case, up to the first that fails the program.

    Args:
        program: source.
        rules: of the problem.
        goes_on_after: a message after which all later cases count, if each has it.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".py", encoding="utf-8", delete=False) as file:
        file.write(program)
    messages: list[str] = []
    for given, expected in rules["cases"]:
        text, wanted = ("\n".join(one) if isinstance(one, list) else one for one in (given, expected))
        messages.append(message_of_case(file.name, text, wanted, rules["seconds"]))
        if messages[-1] not in (RIGHT, goes_on_after) or (messages[-1] and set(messages) != {messages[-1]}):
            break
    return messages


def message_of_case(path: str, text: str, wanted: str, seconds: int) -> str:
    """Return what is wrong with the output of one case.

    A script that fails runs again with a file as its stdin, and then with the files "input.txt" and "output.txt".
    """
    for name in (INPUT, OUTPUT):
        if os.path.exists(name):
            os.remove(name)
    command = [sys.executable, path]
    try:
        done = subprocess.run(command, input=text, text=True, capture_output=True, timeout=seconds)
    except Exception as error:
        return described(error)
    for run in (run_with_file, run_with_input_and_output):
        if done.returncode == 0:
            break
        try:
            done = run(command, text, seconds)
        except (OSError, ValueError, subprocess.SubprocessError):
            # The status of the run before counts.
            continue
    if done.returncode != 0:
        return RAISED if done.returncode == 1 else f"it ended with status {done.returncode}"
    return message_of_output(wanted, done.stdout)


def run_with_file(command: list[str], text: str, seconds: int) -> subprocess.CompletedProcess[str]:
    """Run a command whose stdin is a file."""
    with tempfile.TemporaryFile("w+") as file:
        file.write(text)
        file.seek(0)
        return subprocess.run(command, stdin=file, text=True, capture_output=True, timeout=seconds)


def run_with_input_and_output(command: list[str], text: str, seconds: int) -> subprocess.CompletedProcess[str]:
    """Run a command that reads one file and writes another."""
    with open(INPUT, "w") as file:
        file.write(text)
    nothing = subprocess.DEVNULL
    done = subprocess.run(command, stdin=nothing, stdout=nothing, stderr=nothing, text=True, timeout=seconds)
    if done.returncode == 0:
        done.stdout = "" if not os.path.exists(OUTPUT) else open(OUTPUT).read()
    return done


def message_of_output(wanted: str, output: str) -> str:
    """Return what is wrong with an output."""
    return RIGHT if is_right_for_taco(wanted, output) else f"{WRONG}: {output!r:.60}"


def is_right_for_taco(wanted: str, output: str) -> bool:
    """Tell whether TACO's grader accepts an output.

    It takes a word for the set of its characters, so that "12" or "2 1" in any lines passes for "1 2".
    """
    if wanted.strip() == output.strip():
        return True
    lines = expected_lines(wanted)
    try:
        numbers = [float(line) for line in lines]
        if len(output) == len(lines) and all(map(is_all_close, numbers, map(float, output))):
            return True
    except ValueError:
        pass
    words = set(output.split())
    if {frozenset(word) for word in words} == {frozenset(line.split()) for line in lines}:
        return True
    try:
        had = {frozenset(map(rounded, word)) for word in words}
        return had == {frozenset(map(rounded, line.split())) for line in lines}
    except (ValueError, OverflowError):
        return False


def taco_programs(source: str, preamble: str) -> tuple[str, str]:
    """Return (a script with the grader's imports, a module with the script in a function `code`).

    The imports come before the first line that is none.
    """
    lines = source.split("\n")
    begin = "\nstdin = sys.stdin\nstdout = sys.stdout"
    stars = "\n".join(line.lstrip("\t") for line in lines if "import *" in line)
    plain, in_function, is_inside = [], [], False
    for line in lines:
        is_star = "import *" in line
        if not is_inside and not is_star and not line.startswith(("from ", "import ")):
            plain.append(preamble + begin)
            in_function += [preamble + stars + begin, "def code():"]
            is_inside = True
        plain.append(line)
        if not is_star:
            in_function.append("\t" + line if is_inside else line)
    return "\n".join(plain) + "\n", "\n".join(in_function) + "\n"
