"""The judges of a task's cases: a checker, a checker program or an interactor, as references give them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sandboxes.guest.common.checkers import CHECKERS
from sandboxes.languages.judge_programs import CheckerProgram, Interactor
from sandboxes.validation import short_json

INPUT_MODES = ("stdio", "file")
"""Standard input and output; or the files `input.txt` and `output.txt`, as in old contests."""


@dataclass(frozen=True)
class CaseJudging:
    """The fields of `IOCases` that say what decides."""

    checker: str | CheckerProgram
    interactor: Interactor | None
    uses_files: bool


def parse_judging(
    reference: Mapping[str, Any], checker: str | CheckerProgram, are_calls: bool, several: bool
) -> CaseJudging:
    """Parse "checker", one of CHECKERS or a program, "interactor", and "input_mode", one of INPUT_MODES.

    Args:
        reference: a mapping with cases, which may have these fields.
        checker: the checker if there is none in the reference.
        are_calls: whether the cases call a function.
        several: whether cases have several accepted outputs.

    Raises:
        ValueError, TypeError: if a field is invalid, or does not go with another one.
    """
    decides = reference.get("checker", checker)
    if not isinstance(decides, str | CheckerProgram):
        decides = CheckerProgram.parse(decides)
    if isinstance(decides, str) and decides not in CHECKERS:
        raise ValueError(f"checker must be one of {', '.join(CHECKERS)}, or a program, not {short_json(decides)}")
    interactor = None if reference.get("interactor") is None else Interactor.parse(reference["interactor"])
    mode = reference.get("input_mode", INPUT_MODES[0])
    if mode not in INPUT_MODES:
        raise ValueError(f"input_mode must be one of {', '.join(INPUT_MODES)}, not {short_json(mode)}")
    if are_calls and (mode == "file" or interactor or isinstance(decides, CheckerProgram)):
        raise ValueError(
            "a checker program, an interactor and files are for cases that are texts, not for calls of a function"
        )
    if several and (interactor or isinstance(decides, CheckerProgram)):
        raise ValueError(
            "give one output for each input to a checker program or an interactor, which decides what else is right"
        )
    if interactor and mode == "file":
        raise ValueError('an interactor talks through pipes; leave out "input_mode"')
    if interactor and "checker" in reference and isinstance(decides, str):
        raise ValueError(
            f"an interactor decides itself, or leaves a log to a checker program; leave out the checker {decides!r}"
        )
    return CaseJudging(decides, interactor, mode == "file")
