"""Tests that are inputs with outputs: from the shapes that data sets have, and how candidates are run on them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sandboxes.checks import shortened
from sandboxes.contract import Outcome, Verdict

INPUT_NAMES, OUTPUT_NAMES = ("input", "inputs"), ("output", "outputs")

Checker = Callable[[str, str, str], bool]
"""(input, expected output, output) -> whether the output is right."""


@dataclass(frozen=True)
class Case:
    """One input and its output: text for stdin and from stdout, or the arguments and the result of a call."""

    input: Any
    output: Any


@dataclass(frozen=True)
class Cases:
    """The cases of one task."""

    cases: tuple[Case, ...]
    function: str = ""
    """Name of the function that is called with each input, a method of `Solution` or not. Empty: stdin and stdout."""


def cases_of(reference: Any) -> Cases | None:
    """The cases that a reference holds; None if it is code.

    Args:
        reference: a list of {"input", "output"}; or a dict of two lists of the same length, "inputs" and "outputs" (or
            "input" and "output"), with "fn_name" for calls; or one of these as JSON. An input may be a list of lines.

    Raises:
        ValueError, TypeError: if it is neither.
    """
    if isinstance(reference, str):
        if not reference.lstrip().startswith(("[", "{")):
            return None
        try:
            reference = json.loads(reference)
        except ValueError:
            return None
        if not looks_like_cases(reference):
            return None
    if isinstance(reference, Mapping):
        return cases_of_mapping(reference)
    if isinstance(reference, Sequence) and all(isinstance(each, Mapping) for each in reference):
        return cases_of_list(reference)
    raise TypeError(f"tests must be a string, or a list of dicts with input and output, not {shortened(reference)}")


def looks_like_cases(value: Any) -> bool:
    """Whether what a text of JSON holds is cases, and not code that happens to be JSON too."""
    each = value[0] if isinstance(value, list) and value else value
    return isinstance(each, dict) and any(name in each for name in INPUT_NAMES)


def cases_of_mapping(reference: Mapping[str, Any]) -> Cases:
    """APPS, TACO and CodeContests: lists of inputs and outputs."""
    inputs, outputs = one_of(reference, INPUT_NAMES), one_of(reference, OUTPUT_NAMES)
    for name, values in (("inputs", inputs), ("outputs", outputs)):
        if not isinstance(values, list | tuple):
            raise TypeError(f"{name} must be a list with one per case, not {shortened(values)}")
    if len(inputs) != len(outputs):
        raise ValueError(f"there are {len(inputs)} inputs, but {len(outputs)} outputs; one each a case")
    function = reference.get("fn_name") or ""
    pairs = list(zip(inputs, outputs, strict=True))
    return made_of(pairs, function)


def cases_of_list(reference: Sequence[Mapping[str, Any]]) -> Cases:
    """One dict per case. LiveCodeBench marks those that are calls, whose arguments are lines of JSON."""
    pairs = [(one_of(each, INPUT_NAMES), one_of(each, OUTPUT_NAMES)) for each in reference]
    functions = {each.get("fn_name") or each.get("func_name") or "" for each in reference}
    if len(functions) > 1:
        raise ValueError(f"the cases of a task must call one function, not {', '.join(sorted(map(repr, functions)))}")
    [function] = functions or {""}
    if function:
        pairs = [(arguments_of(given), value_of(wanted)) for given, wanted in pairs]
    elif any(each.get("testtype") == "functional" for each in reference):
        raise ValueError('cases of the type "functional" need "fn_name", the function that they call')
    return made_of(pairs, function)


def made_of(pairs: Sequence[tuple[Any, Any]], function: str) -> Cases:
    """Cases of (input, output) pairs, which are texts unless a function is called."""
    if not pairs:
        raise ValueError("there are no cases: a task needs at least one")
    if not function:
        pairs = [(text_of("input", given), text_of("output", wanted)) for given, wanted in pairs]
    return Cases(tuple(Case(given, wanted) for given, wanted in pairs), function)


def one_of(record: Mapping[str, Any], names: Sequence[str]) -> Any:
    """The value of the name that a record has."""
    for name in names:
        if name in record:
            return record[name]
    raise ValueError(f"a case has no {names[0]!r}: {shortened(dict(record))}")


def text_of(name: str, value: Any) -> str:
    """An input or output as text: a list is its lines."""
    if isinstance(value, list | tuple):
        return "".join(f"{line}\n" for line in value)
    if not isinstance(value, str):
        raise TypeError(f"the {name} of a case must be a text or a list of lines, not {shortened(value)}")
    return value


def arguments_of(value: Any) -> list[Any]:
    """The arguments of a call, which may be lines of JSON."""
    return [json.loads(line) for line in value.splitlines() if line.strip()] if isinstance(value, str) else list(value)


def value_of(value: Any) -> Any:
    """The result of a call, which may be JSON."""
    return json.loads(value) if isinstance(value, str) else value


CALLS = """\
def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return {key: plain(each) for key, each in value.items()} if isinstance(value, dict) else value


def is_right(found, wanted):
    found, wanted = plain(found), plain(wanted)
    # APPS puts results into a list of one.
    return found == wanted or (isinstance(wanted, list) and len(wanted) == 1 and found == wanted[0])


def run_calls_of_code_eval(called, calls, stops, record):
    try:
        from time import monotonic
    except ImportError:
        monotonic = int

    first = None
    for number, (arguments, wanted, wanted_text) in enumerate(calls, 1):
        began, message = monotonic(), "the call did not return"
        try:
            found = called(*arguments)
            assert is_right(found, wanted), NAME + " should return %s, but returned %r" % (wanted_text, found)
            message = ""
        except Exception as error:
            message = (str(type(error))[8:-2].split(".")[-1] + ": " + str(error))[:300]
            if stops:
                raise
            first = first or error
        finally:
            outcome = "failed" if message else "passed"
            record.append(["case %d" % number, outcome, message, float(monotonic() - began)])
    if first is not None:
        raise first


try:
    called = Solution().FUNCTION
except NameError:
    called = FUNCTION
code_eval_tests = []
"""


def tests_of_calls(cases: Cases, stops: bool = True) -> str:
    """Cases that are calls, as Python tests, which record what became of each call.

    Args:
        cases: of the task.
        stops: whether the first call that fails is the last.
    """
    calls = [(tuple(case.input), case.output, shortened(case.output)) for case in cases.cases]
    harness = CALLS.replace("FUNCTION", cases.function).replace("NAME + ", f"{cases.function!r} + ")
    return f"{harness}run_calls_of_code_eval(called, {calls!r}, {stops}, code_eval_tests)\n"


def checked_by(checker: Checker, cases: Cases, verdict: Verdict) -> Verdict:
    """A verdict of runs whose outputs a checker of the caller's decides about.

    Args:
        checker: what decides.
        cases: of the task.
        verdict: of a program all of whose runs ended by themselves, as far as they were run.
    """
    tests = list(verdict.tests)
    for number, test in enumerate(tests):
        case = cases.cases[number]
        if test.outcome is Outcome.PASSED and not checker(case.input, case.output, test.stdout):
            message = f"the checker refuses {shortened(test.stdout.strip())}"
            tests[number] = dataclasses.replace(test, outcome=Outcome.FAILED, message=message)
    plain = tuple(dataclasses.replace(test, stdout="") for test in tests)
    wrong = next((test for test in tests if test.outcome is not Outcome.PASSED), None)
    if wrong is None or (verdict.outcome is not Outcome.PASSED and tests.index(wrong) >= first_failure(verdict)):
        return dataclasses.replace(verdict, tests=plain)
    detail = f"{wrong.name}: {wrong.message}"
    return dataclasses.replace(verdict, outcome=wrong.outcome, detail=detail, stdout=wrong.stdout, tests=plain)


def first_failure(verdict: Verdict) -> int:
    """The index of the first test that did not pass."""
    failed = (number for number, test in enumerate(verdict.tests) if test.outcome is not Outcome.PASSED)
    return next(failed, len(verdict.tests))
