"""The parameters of BigCodeBench's `/predict`, as its client sends them, and as it documents them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from sandboxes.validation import short_repr

REQUIRED: Final = object()
"""In place of the default of a parameter that has none."""

PARAMETERS: Mapping[str, Any] = MappingProxyType(
    {
        "split": REQUIRED,
        "subset": REQUIRED,
        "samples": REQUIRED,
        "pass_k": "1,5,10",
        "parallel": -1,
        "min_time_limit": 1,
        "max_as_limit": 30 * 1024,
        "max_data_limit": 30 * 1024,
        "max_stack_limit": 10,
        "calibrated": True,
        "check_gt_only": False,
        "no_gt": False,
        "selective_evaluate": "",
    }
)
"""The parameters in their order, with the client's defaults. `samples` is the file; limits are seconds and MiB."""

SPLITS, SUBSETS = ("complete", "instruct"), ("full", "hard")
MAX_KS, MAX_K = 100, 10_000


@dataclass(frozen=True)
class Parameters:
    """The parameters of one request, but for the file of samples."""

    split: str
    """One of SPLITS. Nothing depends on it: the client's answer repeats it."""

    subset: str
    ks: tuple[int, ...]
    parallel: int
    """Programs that may run at once. Less than 1: the server decides."""

    min_time_limit: float
    """Seconds that each program has at least."""

    max_as_limit: float
    max_data_limit: float
    has_memory_limits: bool
    """False if one of the three limits is 0, which turns all of them off in the grader."""

    calibrated: bool
    check_gt_only: bool
    """True if only the canonical solutions are to be run."""

    no_gt: bool
    """True if the canonical solutions are not to be run."""

    selected: frozenset[str]
    """The tasks to be run. Empty: all."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Parameters:
        """Return checked parameters.

        Args:
            values: by name. A missing one has its default.

        Raises:
            ValueError: for an invalid value; the message names it.
        """
        given = {**PARAMETERS, **values}
        limits = {name: number(name, given[name]) for name in ("max_as_limit", "max_data_limit", "max_stack_limit")}
        has_memory_limits = all(limits.values())
        if has_memory_limits and given["max_stack_limit"] != PARAMETERS["max_stack_limit"]:
            raise ValueError(
                f"max_stack_limit is {short_repr(given['max_stack_limit'])}: the stack counts as address space "
                "here, and has no limit of its own; leave the parameter out"
            )
        flags = {name: flag(name, given[name]) for name in ("calibrated", "check_gt_only", "no_gt")}
        if flags["check_gt_only"] and flags["no_gt"]:
            raise ValueError("check_gt_only and no_gt exclude each other")
        return cls(
            split=choice("split", given["split"], SPLITS),
            subset=choice("subset", given["subset"], SUBSETS),
            ks=whole_numbers(given["pass_k"]),
            parallel=int(number("parallel", given["parallel"], least=-math.inf)),
            min_time_limit=number("min_time_limit", given["min_time_limit"]),
            max_as_limit=limits["max_as_limit"],
            max_data_limit=limits["max_data_limit"],
            has_memory_limits=has_memory_limits,
            selected=task_ids(given["selective_evaluate"]),
            **flags,
        )

    def chosen(self, problems: Mapping[str, Any]) -> dict[str, Any]:
        """Return the problems that are to be run, by task_id. Raises ValueError for a task that is not there."""
        if unknown := sorted(self.selected - problems.keys()):
            raise ValueError(f"selective_evaluate names {short_repr(unknown[0])}, which is no task of {self.subset!r}")
        return {name: problem for name, problem in problems.items() if not self.selected or name in self.selected}


def choice(name: str, value: Any, choices: tuple[str, ...]) -> str:
    """Return a value that is one of some texts."""
    if value not in choices or not isinstance(value, str):
        raise ValueError(f"{name} must be one of {', '.join(choices)}, not {short_repr(value)}")
    return value


def flag(name: str, value: Any) -> bool:
    """Return a value that is a bool."""
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false, not {short_repr(value)}")
    return value


def number(name: str, value: Any, least: float = 0) -> float:
    """Return a value that is a finite number of at least `least`."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not abs(value) <= MAX_NUMBER or value < least:
        wanted = "a number" if least < 0 else f"a number from {least:g}"
        raise ValueError(f"{name} must be {wanted}, not {short_repr(value)}")
    return float(value)


MAX_NUMBER = 1 << 40


def whole_numbers(pass_k: Any) -> tuple[int, ...]:
    """Return the k of pass@k. The command line of the client makes a number or a list of the text."""
    values = pass_k.split(",") if isinstance(pass_k, str) else pass_k if isinstance(pass_k, list | tuple) else [pass_k]
    try:
        ks = [int(value) if isinstance(value, str) else value for value in values]
    except ValueError:
        ks = []
    is_valid = all(isinstance(k, int) and not isinstance(k, bool) and 1 <= k <= MAX_K for k in ks)
    if not (is_valid and 1 <= len(ks) <= MAX_KS):
        raise ValueError(f"pass_k must be numbers from 1 to {MAX_K} such as '1,5,10', not {short_repr(pass_k)}")
    return tuple(dict.fromkeys(ks))


def task_ids(selective_evaluate: Any) -> frozenset[str]:
    """Return the ids of tasks in a text with commas between them, or in a list."""
    is_text = isinstance(selective_evaluate, str)
    values = selective_evaluate.split(",") if is_text else selective_evaluate
    if not isinstance(values, list | tuple) or not all(isinstance(value, str) for value in values):
        raise ValueError(
            "selective_evaluate must be the ids of tasks with commas between them, not "
            f"{short_repr(selective_evaluate)}"
        )
    return frozenset(value.strip() for value in values if value.strip())
