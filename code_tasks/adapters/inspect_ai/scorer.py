"""The scorer `verify` for Inspect: a model's code against a sample's tests, never in the sample's own sandbox."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, scorer, stderr
from inspect_ai.solver import TaskState
from inspect_ai.util import concurrency

from sandboxes import EvalConfig, Evaluator, RunResult, Task, Verdict, result_dict
from sandboxes.consent import require_consent
from sandboxes.extraction import text_for
from sandboxes.pool.cpus import usable_cpus
from sandboxes.tasks.task import plain_reference

NOT_OF_SCORERS = ("k", "num_workers", "on_sandbox_error", "on_invalid_tests", "progress", "languages")
"""Options that a scorer does not have."""


@scorer(metrics=[accuracy(), stderr()])
def verify(*, tests: str | None = None, extract: str = "auto", **options: Any) -> Scorer:
    """Score the code in an answer: correct if it passes the sample's tests; with `partial_credit` the passed share.

    Candidate and tests run in sandboxes of their own, and Inspect's sandbox is not asked: nothing that a model left
    there has a say.

    Args:
        tests: the field of the sample's metadata with the tests: code, or cases, as the references of `compute`. None:
            the sample's target has the tests' code, whose parts, if it is a list, are lines.
        extract: takes the code out of the answer, as in `compute`. "none": the whole answer is code.
        options: as `compute` takes them: `grading`, `timeout`, `sandbox`, `language`, `partial_credit`, ...

    Raises:
        ValueError, TypeError: for an invalid option; the message names the value.
    """
    given = {**options, "extract": extract}
    config = EvalConfig.from_options(given, without=NOT_OF_SCORERS)
    # All samples share one image.
    config = replace(config, num_workers=1, chooses_packages=False)

    async def score(state: TaskState, target: Target) -> Score:
        """Run a sample's last answer against its tests.

        Raises:
            SandboxUnavailable: if the sandbox could not run it, so that the sample is an error and has no score.
            ValueError, TypeError: if the sample's tests are invalid.
        """
        require_consent()
        answer = text_for(config.tasks.extract, state.output.completion)
        task = Task(tests_of(state, target, tests), (answer,), f"sample {state.sample_id}")
        # Not the gate of "subprocesses", which commands that hang in samples may hold.
        async with concurrency("code_eval_candidates", usable_cpus()), Evaluator(config) as evaluator:
            result = await evaluator.run_async(task)
        return score_of(result, answer, config.tasks.partial_credit)

    return score


def tests_of(state: TaskState, target: Target, field: str | None) -> Any:
    """Return a sample's tests.

    Raises:
        ValueError, TypeError: if there are none; the message names the sample.
    """
    tests = "\n".join(target) if field is None else state.metadata.get(field)
    if not tests:
        place = "target" if field is None else f"metadata[{field!r}]"
        raise ValueError(f"sample {state.sample_id} has no tests in its {place}")
    return plain_reference(tests)


def score_of(result: RunResult, answer: str, partial_credit: bool) -> Score:
    """Return the score of a candidate's result.

    Raises:
        SandboxUnavailable: if there is no verdict.
    """
    if not isinstance(result, Verdict):
        raise result
    fields = result_dict(0, 0, result, ("partial_credit",))
    return Score(
        value=fields["partial_credit"] if partial_credit else CORRECT if result.passed else INCORRECT,
        answer=answer,
        explanation=fields["result"],
        metadata={name: fields[name] for name in ("outcome", "tests", "stdout", "stderr", "wall_seconds", "isolation")},
    )
