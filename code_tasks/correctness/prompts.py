"""The prompts of records: what a model is asked, with the placeholders filled in as MERA fills them in."""

from __future__ import annotations

from collections.abc import Sequence
from string import Formatter

from code_tasks.benchmarks.readers import InputErrors
from code_tasks.correctness.records import FIELDS, Record
from sandboxes.validation import short_repr


def fill_in_prompts(records: Sequence[Record]) -> list[str]:
    """Return what a model is asked about each record: its instruction with focal_code, test_code and lang filled in.

    The texts are filled in as the dataset has them, also where they write a newline as a backslash and an n.

    Raises:
        InputError: with a message for each record that has no instruction, or an invalid one.
    Source: `doc_to_text` of MERA's task, `instruction.format(focal_code=..., test_code=..., lang=...).strip()`.
    """
    errors = InputErrors()
    prompts = []
    for record in records:
        try:
            prompts.append(fill_in(record))
        except ValueError as error:
            errors.add(f"{record.place or 'record ' + record.id}: {error}")
    errors.raise_if_any()
    return prompts


def fill_in(record: Record) -> str:
    """Return a record's prompt. Raise ValueError for an invalid instruction."""
    instruction = record.source.get("instruction")
    if not isinstance(instruction, str) or not instruction.strip():
        raise ValueError("there is no instruction")
    inputs = record.source["inputs"]
    parts = []
    try:
        # Not `str.format`: a placeholder with a width could ask for all the memory there is.
        for literal, name, width, conversion in Formatter().parse(instruction):
            parts.append(literal)
            if name is None:
                continue
            if name not in FIELDS or width or conversion:
                raise ValueError(f"not {{{short_repr(name)[1:-1]}}}" + (" with a format" if name in FIELDS else ""))
            parts.append(inputs[name])
    except ValueError as error:
        names = ", ".join(f"{{{name}}}" for name in FIELDS)
        raise ValueError(f"the instruction's placeholders must be {names}: {error}") from error
    return "".join(parts).strip()
