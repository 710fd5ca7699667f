"""Checks of the predictions and references that users give to the metric, and texts in a form that Arrow can store."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from sandboxes.tasks.task import Task, normalize_reference, plain_reference
from sandboxes.validation import short_repr, summarize

# Arrow can't store a lone surrogate. No program contains NUL, so NUL with a code stands for a surrogate in Arrow.
_SURROGATE = re.compile("[\ud800-\udfff]")
_STORED_SURROGATE = re.compile("\0u(d[89a-f][0-9a-f]{2})")


def checked_samples(samples: Iterable[Any], sample_ids: collections.deque[tuple[int | str, int]]) -> Iterator[Task]:
    """Yield a task with one candidate for each sample of a stream, and add its ids to `sample_ids`.

    Raises:
        ValueError, TypeError: if a sample is invalid. The message has its number, from 0.
    """
    last: int | str | None = None
    count = 0
    for number, sample in enumerate(samples):
        if not isinstance(sample, Mapping) or not {"prediction", "reference"} <= set(sample):
            raise TypeError(
                f'sample {number} must be a dict with "prediction", a candidate, and "reference", its tests, '
                f"not {short_repr(sample)}"
            )
        try:
            [task] = checked_tasks([[sample["prediction"]]], [sample["reference"]])
        except (ValueError, TypeError) as error:
            raise type(error)(f"sample {number}: {error}") from None
        task_id = sample.get("task_id", number)
        count = count + 1 if task_id == last else 0
        last = task_id
        sample_ids.append((task_id, count))
        yield replace(task, name=f"sample {number}")


def checked_tasks(predictions: Any, references: Any) -> list[Task]:
    """Return the metric's arguments as tasks, whose references are not parsed yet.

    Raises:
        ValueError, TypeError: if there are no tasks, if the two lists differ in length, if a task has no candidates, or
            if a candidate is not a string.
    """
    for name, samples in (("predictions", predictions), ("references", references)):
        if isinstance(samples, str) or not hasattr(samples, "__iter__"):
            raise TypeError(f"{name} must be a list, not {short_repr(samples)}; a single task is a list of one")
    predictions, references = list(predictions), list(references)
    if len(predictions) != len(references):
        raise ValueError(f"there are {len(predictions)} predictions, but {len(references)} references; one per task")
    if len(predictions) == 0:
        raise ValueError("there is nothing to score: predictions and references are empty")
    tasks = []
    for task_id, (candidates, tests) in enumerate(zip(predictions, references, strict=True)):
        if isinstance(candidates, str) or not hasattr(candidates, "__iter__"):
            message = f"predictions[{task_id}] must be a list of candidates, not {short_repr(candidates)}"
            raise TypeError(f"{message}; a single one is a list of one")
        candidates = [restored(candidate) for candidate in candidates]
        for number, candidate in enumerate(candidates):
            if not isinstance(candidate, str):
                raise TypeError(f"predictions[{task_id}][{number}] must be a string, not {short_repr(candidate)}")
        try:
            tests = plain_reference(tests)
        except (ValueError, TypeError) as error:
            raise type(error)(f"references[{task_id}]: {error}") from None
        tasks.append(Task(restored(tests), candidates))
    if without := [task_id for task_id, task in enumerate(tasks) if not task.candidates]:
        raise ValueError(f"no candidates for task(s) {summarize(without)}; leave such tasks out of both arguments")
    return tasks


def storable_tasks(predictions: Any, references: Any) -> tuple[list[list[str]], list[str]]:
    """Return (predictions, references) of the metric as texts that Arrow can hold.

    Raises:
        ValueError, TypeError: as `checked_tasks`, and if a reference is no tests.
    """
    tasks = checked_tasks(predictions, references)
    texts = []
    for number, task in enumerate(tasks):
        try:
            texts.append(storable(normalize_reference(task.reference)))
        except (ValueError, TypeError) as error:
            raise type(error)(f"references[{number}]: {error}") from None
    return [list(map(storable, cast("list[str]", task.candidates))) for task in tasks], texts


def storable(text: str) -> str:
    """Return a text in a form that Arrow can store."""
    return _SURROGATE.sub(lambda surrogate: f"\0u{ord(surrogate[0]):04x}", text)


def restored(value: Any) -> Any:
    """Return the text that `storable` was given. Other values stay as they are."""
    if not isinstance(value, str) or "\0u" not in value:
        return value
    return _STORED_SURROGATE.sub(lambda stored: chr(int(stored[1], 16)), value)
