"""The choice of some tasks of a benchmark: by their ids, and the first ones."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence

from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.readers import InputError
from code_tasks.benchmarks.sample_reader import normal_id
from sandboxes.validation import short_repr

MAX_NEAR = 3


def choose_tasks(
    problems: Mapping[str, Problem], task_ids: Collection[str] = (), limit: int | None = None
) -> dict[str, Problem]:
    """Return some of the problems, in their order.

    Args:
        problems: by task_id.
        task_ids: ids of the tasks that are wanted. Empty for all.
        limit: the number of tasks that are left, the first ones. None for all.

    Raises:
        InputError: naming each id that no problem has, with the ids that are near it.
    """
    if unknown := [name for name in task_ids if name not in problems]:
        raise InputError("\n".join(f"there is no task {short_repr(name)}{near(name, [*problems])}" for name in unknown))
    chosen = {name: problem for name, problem in problems.items() if not task_ids or name in task_ids}
    return dict([*chosen.items()][:limit])


def near(task_id: str, known: Sequence[str]) -> str:
    """Return the end of a message: the known ids that may be meant, otherwise how ids look."""
    normal: dict[str, str] = {}
    for name in known:
        normal.setdefault(normal_id(name), name)
        normal.setdefault(normal_id(name).rpartition("/")[2], name)
    if meant := normal.get(normal_id(task_id)):
        return f"; write {short_repr(meant)} if you mean that one"
    if close := difflib.get_close_matches(normal_id(task_id), normal, MAX_NEAR):
        return f"; near it are {', '.join(dict.fromkeys(short_repr(normal[each]) for each in close))}"
    return f"; the first of {len(known)} is {short_repr(known[0])}"
