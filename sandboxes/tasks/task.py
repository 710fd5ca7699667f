"""A task, and what its reference and its candidates are as texts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sandboxes.contract import Limits
from sandboxes.extraction import Asked, Extraction, Extractor
from sandboxes.tasks.io_cases import IOCases, parse_cases
from sandboxes.validation import short_repr


@dataclass(frozen=True)
class Task:
    """One problem, with the candidates that are run against its tests."""

    reference: Any
    """The tests: code, or input/output cases as `parse_cases` takes them."""

    candidates: Sequence[str | Extraction]
    """Sources, or the programs that were taken out of answers."""

    name: str = ""
    """The task's name in errors. Empty: "references[0]" and so on."""

    language: str | None = None
    """The candidates' language. None: the language of the options."""

    limits: Limits | None = None
    """The limits of each candidate, on each of its cases. None: the limits of the configuration."""

    modules: tuple[str, ...] = ()
    """Names, without dots, of modules that its tests or right candidates import. Candidates don't run without them."""

    grading: str | None = None
    """The grading of tests that are Python code. None: that of the configuration."""

    def __post_init__(self) -> None:
        """Raise TypeError for a text in place of the list of candidates, each of whose letters would be one."""
        check_candidates(self.candidates, self.name or "a task")


def read_candidates(task: Task, extract: Extractor | None, cases: IOCases | None, language: str) -> list[Extraction]:
    """Return the programs of a task's candidates. The arguments are the task's, as for `asked_by`."""
    asked = asked_by(task.reference, cases, language) if extract else Asked()
    return [
        each if isinstance(each, Extraction) else extract(each, asked) if extract else Extraction(each)
        for each in task.candidates
    ]


def asked_by(reference: Any, cases: IOCases | None, language: str) -> Asked:
    """Return what tests ask of an answer.

    Args:
        reference: the tests.
        cases: the same, if they are cases.
        language: of the program.
    """
    entry_point = cases.function if cases is not None else ""
    reads_input = cases is not None and not cases.function
    return Asked(reference_text(reference), entry_point, "", language, reads_input)


def check_candidates(candidates: Any, task: str) -> None:
    """Raise TypeError, with the task's name, unless candidates are several texts."""
    if isinstance(candidates, str | bytes) or not hasattr(candidates, "__iter__"):
        raise TypeError(f"the candidates of {task} must be a list of sources, not {short_repr(candidates)}")


def normalize_reference(reference: Any) -> str:
    """Return a task's tests as a text: code as it is, cases as JSON.

    Raises:
        ValueError, TypeError: if the reference is neither.
    """
    if isinstance(reference, str):
        return reference
    parse_cases(reference)
    return json.dumps(reference)


def plain_reference(reference: Any) -> Any:
    """Return a task's tests, with cases as plain data that JSON can hold. Cases are not parsed yet.

    Raises:
        ValueError, TypeError: if cases hold a value that JSON can't hold.
    """
    if isinstance(reference, str):
        return reference
    if not isinstance(reference, Mapping | Sequence):
        # Raises an error, because such a value is neither code nor cases.
        return parse_cases(reference)
    try:
        return json.loads(json.dumps(reference))
    except TypeError:
        # A value that is not a case at all gets a better error here.
        parse_cases(reference)
        raise


def reference_text(reference: Any) -> str:
    """Return tests as the text that functions of the caller get."""
    return reference if isinstance(reference, str) else json.dumps(reference)
