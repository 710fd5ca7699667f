"""Input/output cases: tests as inputs with expected outputs, read from the shapes that datasets have."""

from __future__ import annotations

import dataclasses
import json
import keyword
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sandboxes.contract import Outcome, Verdict
from sandboxes.languages.judge_programs import CheckerProgram, Interactor
from sandboxes.tasks.case_judging import parse_judging
from sandboxes.tasks.judging_fields import check_fields
from sandboxes.validation import short_json, short_repr, true_or_false

INPUT_NAMES, OUTPUT_NAMES = ("input", "inputs"), ("output", "outputs")
CALL_TYPES = ("functional", "function_call")
"""Types of cases that call a function, in LiveCodeBench and open-r1."""

RESULTS = ("equal", "printed", "json")
"""How the results of calls are compared: with `==`, as `print` writes them, or as JSON holds them."""

FUNCTION_FIELDS = ("fn_name", "func_name")
"""Fields of a case that decide, beside its input and output."""

FIELDS = (*FUNCTION_FIELDS, "checker", "interactor", "input_mode")
"""Fields of lists of inputs and outputs that decide."""

Checker = Callable[[str, str, str], bool]
"""(input, expected output, output) -> whether the output is right."""


@dataclass(frozen=True)
class IOCase:
    """One input and its expected output: texts of stdin and stdout, or the arguments and the result of a call."""

    input: Any
    output: Any
    """A tuple of texts holds several outputs, each of which is right."""


@dataclass(frozen=True)
class IOCases:
    """The cases of one task."""

    cases: tuple[IOCase, ...]
    function: str = ""
    """Name of the function that is called with each input. It may be a method of `Solution`. "": stdin and stdout."""

    is_wrapped: bool = False
    """True if every expected result is in a list of one. Then both `3` and `[3]` are right for `[3]`."""

    checker: str | CheckerProgram = "tokens"
    """The checker of outputs if the caller chose none: one of CHECKERS, or a program."""

    interactor: Interactor | None = None
    """The program that talks with candidates. Then inputs and outputs are its own, and no name is a checker."""

    any_status: bool = False
    """True if a script that calls `sys.exit` has ended well, whatever the status."""

    uses_files: bool = False
    """True if candidates read `input.txt` and write `output.txt`."""

    results: str = "equal"
    """The comparison of calls' results: one of RESULTS."""

    unlimited_stack: bool = False
    """True if nothing but their memory limits the candidates' stack."""


def parse_cases(reference: Any) -> IOCases | None:
    """Parse the cases of a reference. Return None if the reference is code.

    Args:
        reference: a list of {"input", "output"}; or a dict of two lists of the same length, "inputs" and "outputs" (or
            "input" and "output"), with "fn_name" for calls; or one of these as JSON. An input for stdin may be a list
            of lines. Inputs of calls are lists of arguments, or texts with a line of JSON for each argument.

    Raises:
        ValueError, TypeError: if the reference is neither code nor valid cases.
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
        return parse_mapping(reference)
    if isinstance(reference, Sequence) and all(isinstance(record, Mapping) for record in reference):
        return parse_list(reference)
    message = f"tests must be a string, or a list of dicts with input and output, not {short_repr(reference)}"
    are_texts = isinstance(reference, Sequence) and all(isinstance(text, str) for text in reference)
    raise TypeError(f"{message}; join asserts with line breaks" if are_texts else message)


def looks_like_cases(value: Any) -> bool:
    """Return whether the data of a JSON text is cases. Code such as a list of numbers may be valid JSON too."""
    first = value[0] if isinstance(value, list) and value else value
    return isinstance(first, dict) and any(name in first for name in INPUT_NAMES)


def parse_mapping(reference: Mapping[str, Any]) -> IOCases:
    """Parse the cases of APPS, TACO, CodeContests, lighteval and verl: lists of inputs and outputs.

    They may have what `parse_judging` reads. Readers of benchmarks add "any_status", "unlimited_stack", and "results",
    one of RESULTS. "accepted" may stand in place of "outputs", with a list of accepted texts for each input. Cases with
    an interactor may lack outputs.
    """
    check_cases([reference], FIELDS)
    several = "accepted" in reference
    inputs = first_present(reference, INPUT_NAMES)
    if "interactor" in reference and not several and not any(name in reference for name in OUTPUT_NAMES):
        reference = {**reference, "outputs": ["" for _ in inputs] if isinstance(inputs, list | tuple) else ()}
    outputs = first_present(reference, ("accepted",) if several else OUTPUT_NAMES)
    for name, values in (("inputs", inputs), ("outputs", outputs)):
        if not isinstance(values, list | tuple):
            raise TypeError(f"{name} must be a list with one per case, not {short_json(values)}")
    if len(inputs) != len(outputs):
        raise ValueError(f"there are {len(inputs)} inputs, but {len(outputs)} outputs; give one of each per case")
    results = reference.get("results", "equal")
    if results not in RESULTS:
        raise ValueError(f"results must be one of {', '.join(RESULTS)}, not {short_json(results)}")
    pairs = list(zip(inputs, outputs, strict=True))
    cases = build_accepted(pairs) if several else build_cases(pairs, function_name(reference), results)
    judging = parse_judging(reference, cases.checker, bool(cases.function), several)
    any_status, unlimited_stack = (
        true_or_false(name, reference.get(name, False)) for name in ("any_status", "unlimited_stack")
    )
    return dataclasses.replace(cases, **vars(judging), any_status=any_status, unlimited_stack=unlimited_stack)


def parse_list(reference: Sequence[Mapping[str, Any]]) -> IOCases:
    """Parse the cases of LiveCodeBench, DeepCoder and open-r1: one dict per case."""
    check_cases(reference)
    pairs = [(first_present(record, INPUT_NAMES), first_present(record, OUTPUT_NAMES)) for record in reference]
    functions = {function_name(record) for record in reference}
    if len(functions) > 1:
        raise ValueError(f"the cases of a task must call one function, not {', '.join(sorted(map(repr, functions)))}")
    [function] = functions or {""}
    for record in reference:
        if not function and (kind := record.get("testtype") or record.get("type")) in CALL_TYPES:
            raise ValueError(f'cases of the type "{kind}" need "fn_name", the function that they call')
    cases = build_cases(pairs, function)
    # Only LiveCodeBench's cases have this field, and its grader compares line by line.
    is_lined = not function and any("testtype" in record for record in reference)
    return dataclasses.replace(cases, checker="lines") if is_lined else cases


def check_cases(cases: Iterable[Mapping[str, Any]], known: Collection[str] = FUNCTION_FIELDS) -> None:
    """Raise ValueError if cases have fields that may decide on verdicts, and that are not read.

    Args:
        cases: one object for each, or one with lists of inputs and outputs.
        known: fields that are read.
    """
    for case in cases:
        check_fields(case, known, "in cases; remove it, or give it a name of your own")


def function_name(record: Mapping[str, Any]) -> str:
    """Return the name of the function that a record's cases call, or "" if they call none."""
    metadata = record.get("metadata")
    inner = metadata.get("func_name") if isinstance(metadata, Mapping) else None
    name = record.get("fn_name") or record.get("func_name") or inner or ""
    if not isinstance(name, str) or (name and (not name.isidentifier() or keyword.iskeyword(name))):
        raise ValueError(f"fn_name must be the name of a function, or of a method of Solution, not {short_json(name)}")
    return name


def build_accepted(pairs: Sequence[tuple[Any, Any]]) -> IOCases:
    """Build the cases of (input, accepted outputs) pairs. Raises ValueError unless each has a list of texts."""
    if not pairs:
        raise ValueError("there are no cases: a task needs at least one")
    for _, accepted in pairs:
        if not isinstance(accepted, list | tuple) or not accepted or not all(isinstance(one, str) for one in accepted):
            raise ValueError(f"the accepted outputs of a case must be a list of texts, not {short_json(accepted)}")
    return IOCases(tuple(IOCase(text_from("input", one), tuple(accepted)) for one, accepted in pairs))


def build_cases(pairs: Sequence[tuple[Any, Any]], function: str, results: str = "equal") -> IOCases:
    """Build the cases of (input, output) pairs as a dataset has them. `results` is one of RESULTS, for calls."""
    if not pairs:
        raise ValueError("there are no cases: a task needs at least one")
    if function:
        return build_calls(pairs, function, results)
    return IOCases(tuple(IOCase(text_from("input", one), text_from("output", other)) for one, other in pairs))


def build_calls(pairs: Sequence[tuple[Any, Any]], function: str, results: str = "equal") -> IOCases:
    """Build cases that are calls, in one of the two shapes that datasets have.

    If every input is a text (LiveCodeBench, lighteval, verl), each of its lines is an argument in JSON, and an output
    that is a text is JSON too. Otherwise (APPS, TACO) inputs are lists of arguments, and outputs are values.
    The graders of APPS and TACO accept both `output` and `output[0]`. Here `output[0]` is right only if all outputs of
    a task are lists of one. Otherwise the dataset does not wrap results, and `1` would pass for `[1, 2]`.
    LiveCodeBench's grader never unwraps. verl's prime_code does, but its data looks like LiveCodeBench's.
    """
    are_texts = {isinstance(arguments, str) for arguments, _ in pairs}
    if len(are_texts) > 1:
        raise ValueError("inputs of calls must be lists of arguments, or texts with a line of JSON each, and not both")
    if are_texts == {True}:
        calls = [IOCase(parse_arguments(arguments), parse_result(expected)) for arguments, expected in pairs]
        return IOCases(tuple(calls), function, results=results)
    is_wrapped = all(isinstance(expected, list | tuple) and len(expected) == 1 for _, expected in pairs)
    # Only the graders that compare with `==` give dicts their numbers back.
    restored = with_int_keys if results == "equal" else lambda value: value
    cases = []
    for arguments, expected in pairs:
        if not isinstance(arguments, list | tuple):
            raise TypeError(f"the input of a call must be a list of its arguments, not {short_json(arguments)}")
        result = [restored(expected[0])] if is_wrapped else restored(expected)
        cases.append(IOCase([*map(restored, arguments[:1]), *arguments[1:]], result))
    return IOCases(tuple(cases), function, is_wrapped, results=results)


def with_int_keys(value: Any) -> Any:
    """Return a dict with int keys, if all its keys are numbers as text. JSON has no other keys than text.

    The graders of APPS and TACO convert such keys too. Other values are returned as they are.
    """
    if not isinstance(value, dict):
        return value
    try:
        return {int(key): item for key, item in value.items()}
    except ValueError:
        return value


def parse_arguments(text: str) -> list[Any]:
    """Parse the arguments of a call: each line is one, in JSON."""
    # Not splitlines: a JSON string may hold U+2028 and other line separators.
    return [parse_json("input", line) for line in text.split("\n") if line.strip()]


def parse_result(expected: Any) -> Any:
    """Parse the expected result of a call, which may be a text of JSON."""
    return parse_json("output", expected) if isinstance(expected, str) else expected


def parse_json(name: str, text: str) -> Any:
    """Parse a text of JSON.

    Args:
        name: "input" or "output", for messages.
        text: of the input or output.

    Raises:
        ValueError: if the text is not JSON.
    """
    try:
        return json.loads(text)
    except ValueError as error:
        advice = "give lists of arguments, or texts with a line of JSON for each"
        raise ValueError(
            f"the {name} of a call has {short_json(text)}, which is not JSON ({error}); {advice}"
        ) from error


def first_present(record: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Return the value of the first name that a record has.

    Raises:
        ValueError: if the record has none of the names.
    """
    for name in names:
        if name in record:
            return record[name]
    raise ValueError(f"a case has no {names[0]!r}: {short_json(dict(record))}")


def text_from(name: str, value: Any) -> str:
    """Return an input or output as text. A list holds its lines.

    Raises:
        TypeError: if the value is neither a text nor a list.
    """
    if isinstance(value, list | tuple):
        return "".join(f"{line}\n" for line in value)
    if not isinstance(value, str):
        raise TypeError(f"the {name} of a case must be a text or a list of lines, not {short_json(value)}")
    return value


def apply_checker(checker: Checker, cases: IOCases, verdict: Verdict) -> Verdict:
    """Return a verdict after the caller's checker has decided on the outputs.

    Args:
        checker: the caller's function.
        cases: of the task.
        verdict: of a program. All of its runs that took place ended by themselves, and their results have outputs.
    """
    tests = list(verdict.tests)
    for number, test in enumerate(tests):
        case = cases.cases[number]
        accepted = case.output if isinstance(case.output, tuple) else (case.output,)
        if test.outcome is Outcome.PASSED and not any(checker(case.input, one, test.stdout) for one in accepted):
            message = f"the checker refuses {short_json(test.stdout.strip())}"
            tests[number] = dataclasses.replace(test, outcome=Outcome.FAILED, message=message)
    plain = tuple(dataclasses.replace(test, stdout="") for test in tests)
    wrong = next((test for test in tests if test.outcome is not Outcome.PASSED), None)
    if wrong is None or (verdict.outcome is not Outcome.PASSED and tests.index(wrong) >= first_failure(verdict)):
        return dataclasses.replace(verdict, tests=plain)
    detail = f"{wrong.name}: {wrong.message}"
    return dataclasses.replace(verdict, outcome=wrong.outcome, detail=detail, stdout=wrong.stdout, tests=plain)


def first_failure(verdict: Verdict) -> int:
    """Return the index of the first test that did not pass, or the number of tests if all passed."""
    failed = (number for number, test in enumerate(verdict.tests) if test.outcome is not Outcome.PASSED)
    return next(failed, len(verdict.tests))
