"""Rewards for verl: `custom_reward_function.path` takes this file, and `name` one of its functions.

Use `compute_score` or `compute_score_async` for reward managers that score samples one by one, and `compute_scores` for
the one that scores batches. A call whose candidate has no verdict raises NoReward, because verl has no number for it.
"""

from __future__ import annotations

import asyncio
import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from code_tasks.adapters.joined_calls import joined_calls
from code_tasks.adapters.sample_scores import (
    RewardSettings,
    assembled,
    details_of,
    run_joined,
    run_together,
    score_of,
    settings_of,
    task_of,
)
from sandboxes import ProgramBatch
from sandboxes.consent import require_consent

MODULE = "code_tasks.adapters.verl"
PUBLIC = ("NoReward", "compute_score", "compute_score_async", "compute_scores")


class NoReward(BaseException):  # noqa: N818 (nothing is known about the candidate)
    """A sample has no reward: the sandbox could not run it, or its tests or the options are invalid.

    The base is not Exception, because two of verl's reward managers ("prime" and "rate_limited") turn each Exception
    into a reward of 0. Ray hands it to verl's trainer as an Exception.
    """


def compute_score(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Any = None,
    reward_router_address: Any = None,
    reward_model_tokenizer: Any = None,
    **options: Any,
) -> float | dict[str, Any]:
    """Return 1.0 if the code of an answer passes its tests, otherwise 0.0. Safe in hundreds of threads at once.

    Args:
        data_source: the sample's dataset, for `code_sources` and messages.
        solution_str: the model's answer.
        ground_truth: the tests, as `problem_of_ground_truth` takes them.
        extra_info: of the sample, for verl's own scorers.
        reward_router_address: of verl; ignored.
        reward_model_tokenizer: of verl; ignored.
        options: those of `compute`, and these:
            extract: "verl", the default, takes the last block of Python. Others as in `compute`.
            continuous: the share of the first 10 cases that passed, as verl's own scorers return it for scripts.
            partial_credit: the share of all cases that passed.
            strict_official: judge as prime_code does, with what is wrong in it. A candidate can forge a pass.
            details: return a dict with "score", "acc", "outcome", "detail" and "seconds".
            code_sources: data sources whose samples are code. verl's own `default_compute_score` scores all others.
            retry_seconds: time in which a sample that the sandbox could not run is tried again.

    Raises:
        NoReward: if there is no verdict.
    """
    try:
        settings, batch = prepared(data_source, solution_str, ground_truth, options)
        if batch is None:
            return verls_own(settings, data_source, solution_str, ground_truth, extra_info)
        call = joined_calls.submit(run_joined(settings, batch))
        try:
            return score_of(settings, call.result())
        except BaseException:
            # A caller who gives up, by Ctrl-C or verl's alarm, ends the candidate too.
            call.cancel()
            raise
    except Exception as error:
        raise no_reward(data_source, error) from error


async def compute_score_async(
    data_source: str,
    solution_str: str,
    ground_truth: Any,
    extra_info: Any = None,
    reward_router_address: Any = None,
    reward_model_tokenizer: Any = None,
    **options: Any,
) -> float | dict[str, Any]:
    """Return what `compute_score` does, without blocking the event loop. A cancelled call ends its candidate."""
    try:
        settings, batch = await asyncio.to_thread(prepared, data_source, solution_str, ground_truth, options)
        if batch is None:
            arguments = (settings, data_source, solution_str, ground_truth, extra_info)
            return await asyncio.to_thread(verls_own, *arguments)
        return score_of(settings, await asyncio.wrap_future(joined_calls.submit(run_joined(settings, batch))))
    except Exception as error:
        raise no_reward(data_source, error) from error


def compute_scores(
    data_sources: Sequence[str],
    solution_strs: Sequence[str],
    ground_truths: Sequence[Any],
    extra_infos: Sequence[Any] | None = None,
    **options: Any,
) -> list[float | dict[str, Any]]:
    """Return the score of each sample of a batch, as `BatchRewardManager` calls it. Equal candidates run once.

    Options and errors are those of `compute_score`. If one sample has no verdict, the batch has no rewards.
    """
    try:
        require_consent()
        settings = settings_of(options)
        infos = extra_infos if extra_infos is not None else [None] * len(data_sources)
        rows = list(zip(data_sources, solution_strs, ground_truths, infos, strict=True))
        tasks = {
            number: task_of(settings, answer, truth)
            for number, (source, answer, truth, _) in enumerate(rows)
            if not is_foreign(settings, source)
        }
        results = run_together(settings, tasks)
        return [
            score_of(settings, results[number]) if number in results else verls_own(settings, *row)
            for number, row in enumerate(rows)
        ]
    except Exception as error:
        raise no_reward("a batch", error) from error


def prepared(
    data_source: str, answer: str, truth: Any, options: Mapping[str, Any]
) -> tuple[RewardSettings, ProgramBatch | None]:
    """Return the settings of options, and the program of a sample; None for a sample that verl's own scorers score."""
    require_consent()
    settings = settings_of(options)
    return settings, None if is_foreign(settings, data_source) else assembled(settings, answer, truth)


def is_foreign(settings: RewardSettings, data_source: str) -> bool:
    """Return whether verl's own scorers are to score the samples of a data source."""
    return settings.code_sources is not None and data_source not in settings.code_sources


def verls_own(
    settings: RewardSettings, data_source: str, answer: str, truth: Any, extra_info: Any
) -> float | dict[str, Any]:
    """Return the score of verl's own scorers, such as those for mathematics. Raises as they do."""
    from verl.utils.reward_score import default_compute_score

    own = default_compute_score(data_source, answer, truth, extra_info)
    score = float(own["score"] if isinstance(own, Mapping) else own)
    accuracy = float(own.get("acc", score)) if isinstance(own, Mapping) else score
    return details_of(score, accuracy, "scored by verl", "", 0.0) if settings.details else score


def no_reward(data_source: str, error: Exception) -> NoReward:
    """Return the error of a sample that has no reward."""
    return NoReward(f"no reward for {data_source}: {type(error).__name__}: {error}")


if __name__ != MODULE:
    # verl loads this file by its path, as a module that nobody can import. These names are those of the module that
    # other processes can, so that functions can be pickled, and all copies of the file share their workers.
    _module = importlib.import_module(MODULE)
    globals().update((name, getattr(_module, name)) for name in PUBLIC)
