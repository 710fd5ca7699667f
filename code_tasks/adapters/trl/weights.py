"""Weights of tests: the share of a task's total weight that a candidate has earned."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from sandboxes import Outcome, Verdict
from sandboxes.tasks.results import passed_share
from sandboxes.validation import short_repr

Weights = Mapping[str, float] | Sequence[float]
"""The weights of a task's tests, by name or in the tests' order."""


def weights_of(given: Any, reference: Any) -> Weights | None:
    """Return the weights of a task's tests. None: all tests weigh the same.

    Args:
        given: a number for each test, in their order; or {name of a test: number}, in which other tests weigh nothing
            and None stands for a missing entry. None: those in the reference.
        reference: the tests. Cases may have them: "weight" in each, or "weights" beside "inputs" and "outputs".

    Raises:
        TypeError, ValueError: if the weights are invalid.
    """
    weights = weights_in(reference) if given is None else given
    if weights is None:
        return None
    checked: Weights
    if isinstance(weights, Mapping):
        checked = {name: checked_weight(weight) for name, weight in weights.items() if weight is not None}
        total = sum(checked.values())
    elif isinstance(weights, str) or not isinstance(weights, Sequence):
        raise TypeError(f"weights must be a list of numbers, or a dict of them by test, not {short_repr(weights)}")
    else:
        checked = [checked_weight(weight) for weight in weights]
        total = sum(checked)
    if not 0 < total < math.inf:
        raise ValueError(f"the weights of a task must have a finite sum above 0, not {short_repr(weights)}")
    return checked


def weights_in(reference: Any) -> list[Any] | None:
    """Return the weights that stand in cases. A case without one weighs 1. None: no case has one."""
    if isinstance(reference, str):
        if '"weight' not in reference:
            return None
        try:
            reference = json.loads(reference)
        except ValueError:
            return None
    if isinstance(reference, Mapping):
        weights = reference.get("weights")
        return None if weights is None else list(weights)
    if not isinstance(reference, Sequence):
        return None
    weights = [case.get("weight") if isinstance(case, Mapping) else None for case in reference]
    return (
        None if all(weight is None for weight in weights) else [1 if weight is None else weight for weight in weights]
    )


def checked_weight(weight: Any) -> float:
    """Return the weight of one test.

    Raises:
        TypeError, ValueError: if it is not a finite number, or below 0.
    """
    if isinstance(weight, bool) or not isinstance(weight, Real):
        raise TypeError(f"the weight of a test must be a number, not {short_repr(weight)}")
    if not 0 <= (number := float(weight)) < math.inf:
        raise ValueError(f"the weight of a test must be a finite number of at least 0, not {weight!r}")
    return number


def earned_share(verdict: Verdict, weights: Weights | None) -> float:
    """Return the share of the total weight that a candidate's passed tests have, from 0 to 1.

    The total is that of all weights, so a test without a result counts as failed. Tests that report no single results
    are one test.

    Args:
        verdict: of a program that ran all its tests.
        weights: of the tests. None: all weigh the same.
    """
    if weights is None or verdict.passed or not verdict.tests:
        return passed_share(verdict)
    passed = [test.outcome is Outcome.PASSED for test in verdict.tests]
    if isinstance(weights, Mapping):
        failed = {test.name for test in verdict.tests if test.outcome is not Outcome.PASSED}
        earned = sum(weights.get(name, 0.0) for name in {test.name for test in verdict.tests} - failed)
        return earned / sum(weights.values())
    return sum(weight for weight, right in zip(weights, passed, strict=False) if right) / sum(weights)
