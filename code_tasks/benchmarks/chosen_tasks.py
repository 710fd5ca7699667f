"""The choice of some tasks of a benchmark: by their ids, and the first ones."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from code_tasks.benchmarks.known_ids import KnownIds
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.readers import InputError
from sandboxes.validation import short_repr


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
        known = KnownIds(problems)
        raise InputError("\n".join(f"there is no task {short_repr(name)}{known.hint(name)}" for name in unknown))
    chosen = {name: problem for name, problem in problems.items() if not task_ids or name in task_ids}
    return dict([*chosen.items()][:limit])
