"""Runs a candidate in the way of the graders of open-r1, Genesys and INTELLECT-3: as a process for each case or call.

This text becomes a part of a program's tests, see `forms.py`. Each function does what a grader does, with what is wrong
in it. A candidate decides by what its process writes, and can forge a pass of a call.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from code_tasks.benchmarks.official.running import described
from sandboxes.guest.common.training_checkers import stripped_lines, words_of_lines

GENESYS_METHOD = """
import user_code
obj = user_code.{owner}()
method = getattr(obj, '{function}')
args = {arguments}
res = method(*args)
print(res)
"""
GENESYS_FUNCTION = """
import user_code
method = getattr(user_code, '{function}')
args = {arguments}
res = method(*args)
print(res)
"""
INTELLECT_CALL = """
import json
try:
    inputs = {arguments}
    if "Solution" in locals() or "Solution" in globals():
        solution_instance = Solution()
        result = getattr(solution_instance, "{function}")(*inputs)
    else:
        result = {function}(*inputs)
    print(json.dumps({{"success": True, "result": result}}))
except Exception as e:
    print(json.dumps({{"success": False, "error": repr(e)}}))
"""


def run_programs(source: str, rules: dict[str, Any]) -> None:
    """Run a candidate on its cases. Raise an exception at the first that is wrong."""
    for number, (given, wanted) in enumerate(rules["cases"], 1):
        try:
            message = MESSAGES[rules["grader"]](source, rules, given, wanted)
        except Exception as error:
            message = described(error)
        if message:
            raise AssertionError(f"case {number}: {message}")


def message_of_open_r1(source: str, rules: dict[str, Any], given: str, wanted: str) -> str:
    """Return what is wrong with the output of a script. The lines that both outputs have are compared."""
    command = [sys.executable, "-c", source]
    done = subprocess.run(command, input=given, text=True, capture_output=True, timeout=rules["seconds"])
    if done.returncode != 0:
        return f"it ended with status {done.returncode}: {done.stderr[-200:]}"
    pairs = zip(done.stdout.strip().split("\n"), wanted.split("\n"))
    return "" if all(one.strip() == other.strip() for one, other in pairs) else message_of(wanted, done.stdout)


def message_of_genesys_script(source: str, rules: dict[str, Any], given: str, wanted: str) -> str:
    """Return what is wrong with all that a script writes, whatever its status is."""
    path = written("code_0.py", source.strip())
    output = output_of_genesys([sys.executable, path], given, rules)
    return "" if stripped_lines(output) == stripped_lines(wanted) else message_of(wanted, output)


def message_of_genesys_call(source: str, rules: dict[str, Any], given: list[Any], wanted: Any) -> str:
    """Return what is wrong with all that the program of a call writes, whatever its status is."""
    code = rules["preamble"] + source.strip()
    written("user_code.py", code)
    owner, is_method = owner_of(code, rules["function"])
    if not owner:
        return f"it defines no {rules['function']}"
    harness = GENESYS_METHOD if is_method else GENESYS_FUNCTION
    path = written("harness_0.py", harness.format(owner=owner, function=rules["function"], arguments=given))
    output = output_of_genesys([sys.executable, path], "", rules)
    return "" if output.strip() == str(wanted).strip() else message_of(str(wanted), output)


def output_of_genesys(command: list[str], text: str, rules: dict[str, Any]) -> str:
    """Return what a command writes to stdout and stderr."""
    both = subprocess.PIPE, subprocess.STDOUT
    done = subprocess.run(command, input=text.encode(), timeout=rules["seconds"], stdout=both[0], stderr=both[1])
    return done.stdout.decode()


def owner_of(code: str, function: str) -> tuple[str, bool]:
    """Return (first class with a method of a name, True), or (the function, False), or ("", False) if none is there."""
    try:
        body = ast.parse(code).body
    except SyntaxError:
        return "", False
    for node in body:
        if isinstance(node, ast.ClassDef) and is_defined(node.body, function):
            return node.name, True
    return (function, False) if is_defined(body, function) else ("", False)


def is_defined(body: list[ast.stmt], name: str) -> bool:
    """Return whether one of the statements is a plain function of a name."""
    return any(isinstance(node, ast.FunctionDef) and node.name == name for node in body)


def message_of_intellect_script(source: str, rules: dict[str, Any], given: str, wanted: str) -> str:
    """Return what is wrong with the output of a script."""
    output = output_of_intellect(f"{rules['preamble']}\n{source.strip()}", given, rules)
    return "" if is_right_for_intellect(wanted, output) else message_of(wanted, output)


def message_of_intellect_call(source: str, rules: dict[str, Any], given: list[Any], wanted: Any) -> str:
    """Return what is wrong with the last result of a call. It is all that the program may write."""
    call = INTELLECT_CALL.format(arguments=given, function=rules["function"])
    output = output_of_intellect(f"\n{rules['preamble']}\n{source.strip()}\n{call}", "", rules)
    answer = json.loads(output.strip())
    if not answer.get("success", False):
        return str(answer.get("error", answer))[:300]
    result = answer["result"]
    if result == wanted or (isinstance(wanted, list) and result == wanted[0]):
        return ""
    return message_of(repr(wanted), repr(result))


def output_of_intellect(program: str, text: str, rules: dict[str, Any]) -> str:
    """Return what a program writes. Raise AssertionError if it does not end with status 0."""
    path = written("script.py", program)
    done = subprocess.run([sys.executable, path], input=text.encode(), capture_output=True, timeout=rules["seconds"])
    if done.returncode != 0:
        raise AssertionError(f"it ended with status {done.returncode}: {done.stderr[-200:].decode(errors='replace')}")
    return done.stdout.decode(errors="replace")


def is_right_for_intellect(wanted: str, output: str) -> bool:
    """Tell whether INTELLECT-3's grader accepts an output: the same words in each line, or close numbers in all."""
    if output.strip() == wanted.strip():
        return True
    one, other = (words_of_lines(text.strip().splitlines()) for text in (output, wanted))
    if one == other:
        return True
    words = [[word for line in lines for word in line] for lines in (one, other)]
    if len(words[0]) != len(words[1]) or not words[0]:
        return False
    try:
        numbers = [list(map(Decimal, each)) for each in words]
        return all(abs(left - right) <= Decimal(1e-3) for left, right in zip(*numbers))
    except (ArithmeticError, ValueError):
        return False


def written(name: str, text: str) -> str:
    """Return the path of a new file."""
    path = Path(os.getcwd(), name)
    path.write_text(text, encoding="utf-8")
    return str(path)


def message_of(wanted: str, output: str) -> str:
    """Return a line for people about a wrong output."""
    return f"it should write {wanted!r:.80}, but wrote {output!r:.80}"


MESSAGES: dict[str, Callable[[str, dict[str, Any], Any, Any], str]] = {
    "open_r1": message_of_open_r1,
    "genesys": message_of_genesys_script,
    "genesys_calls": message_of_genesys_call,
    "intellect3": message_of_intellect_script,
    "intellect3_calls": message_of_intellect_call,
}
