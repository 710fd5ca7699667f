"""Results in experiment trackers: one call logs scores, counts of outcomes, limits and a table of the samples.

The trackers' packages are imported when they are used. Settings of a run other than the limits are not logged, because
they may hold secrets, such as values of environment variables.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from code_tasks.scoring.estimates import DEFAULT_KS, pass_at_k_from_counts
from code_tasks.scoring.hub_upload import VERDICT_FIELDS
from code_tasks.scoring.results import Results
from code_tasks.scoring.summary import Tally
from code_tasks.scoring.tables import as_text, row
from sandboxes.outcome_labels import NOT_RUN

PREFIX = "code_eval/"
"""The beginning of all names, so that they differ from those of the caller's own values."""


def log_to_wandb(
    results: Any,
    run: Any = None,
    *,
    step: int | None = None,
    k: Sequence[int] = DEFAULT_KS,
    programs: bool = True,
) -> str:
    """Log results to Weights & Biases, and return the id of the run.

    Args:
        results: `Results`, or what the metric's `compute` returned.
        run: a `wandb.Run`. None: the active one, or a new one that ends with this call.
        step: of the run, such as that of a training.
        k: each >= 1. A k for which a task has too few samples is left out.
        programs: False leaves out everything that candidates and tests wrote: programs, outputs, messages.

    Raises:
        ImportError: if wandb is not installed.
    """
    try:
        import wandb
    except ImportError as error:
        raise ImportError(f"{error}; pip install 'code-eval-sandboxes[wandb]'") from error
    results = as_results(results)
    with ExitStack() as stack:
        run = run or wandb.run or stack.enter_context(wandb.init())
        fields, rows = plain_table(results, programs)
        table = wandb.Table(columns=fields, data=[list(each.values()) for each in rows], allow_mixed_types=True)
        run.config.update({f"{PREFIX}{name}": value for name, value in results.limits.items()}, allow_val_change=True)
        run.log({**numbers(results, k), f"{PREFIX}results": table}, step=step)
        return str(run.id)


def log_to_mlflow(
    results: Any,
    run_id: str | None = None,
    *,
    step: int | None = None,
    k: Sequence[int] = DEFAULT_KS,
    programs: bool = True,
) -> str:
    """Log results to MLflow, and return the id of the run. MLflow has no "@" in names: pass@1 is "pass_at_1".

    Args:
        results: `Results`, or what the metric's `compute` returned.
        run_id: of a run. None: the active one, or a new one that ends with this call.
        step: of the run, such as that of a training. Each step has a table of its own.
        k: each >= 1. A k for which a task has too few samples is left out.
        programs: False leaves out everything that candidates and tests wrote: programs, outputs, messages.

    Raises:
        ImportError: if mlflow is not installed.
    """
    try:
        import mlflow
    except ImportError as error:
        raise ImportError(f"{error}; pip install 'code-eval-sandboxes[mlflow]'") from error
    import pandas

    results = as_results(results)
    with ExitStack() as stack:
        if run_id is None:
            run = mlflow.active_run() or stack.enter_context(mlflow.start_run())
            run_id = str(run.info.run_id)
        fields, rows = plain_table(results, programs)
        metrics = {name.replace("@", "_at_"): value for name, value in numbers(results, k).items()}
        mlflow.log_params({f"{PREFIX}{name}": value for name, value in results.limits.items()}, run_id=run_id)
        mlflow.log_metrics(metrics, step=step, run_id=run_id)
        name = "results.json" if step is None else f"results-{step}.json"
        mlflow.log_table(pandas.DataFrame(rows, columns=fields), f"{PREFIX}{name}", run_id=run_id)
        return run_id


def as_results(results: Any) -> Results:
    """Return what the metric's `compute` returned as `Results`, and `Results` as they are."""
    return results if isinstance(results, Results) else Results.of(results)


def numbers(results: Results, ks: Sequence[int]) -> dict[str, float]:
    """Return the numbers of tasks, of samples and of each outcome, and pass@k with its standard error, by name."""
    tally = Tally()
    for record in results:
        tally.add(record["task_id"], record)
    counts = {name: (task.samples, task.passed) for name, task in tally.tasks.items()}
    values: dict[str, float] = {"tasks": len(tally.tasks), "samples": tally.samples}
    for estimate in pass_at_k_from_counts(counts, ks)[0]:
        values[f"pass@{estimate.k}"] = estimate.mean
        if not math.isnan(estimate.standard_error):
            values[f"pass@{estimate.k}_standard_error"] = estimate.standard_error
    values |= {f"outcome/{outcome or NOT_RUN}": count for outcome, count in tally.outcomes.items()}
    return {f"{PREFIX}{name}": value for name, value in values.items()}


def plain_table(results: Results, programs: bool) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the fields and the rows of a table in which lists are texts of JSON. UTF-8 can encode all texts."""
    fields = [name for name in results.fields if programs or name in VERDICT_FIELDS]
    return fields, [{name: as_text(value) for name, value in row(fields, record).items()} for record in results]
