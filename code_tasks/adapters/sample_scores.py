"""The rewards of single samples: an answer with its tests becomes a task, and the result of the task a score."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from code_tasks.adapters.joined_calls import joined_calls
from code_tasks.benchmarks.ground_truth import plain, problem_of_ground_truth
from code_tasks.benchmarks.prime_code import OFFICIAL, PREAMBLE, PRIME_CODE
from code_tasks.benchmarks.problems import Problem
from sandboxes import EvalConfig, Evaluator, InvalidTests, ProgramBatch, RunResult, SandboxUnavailable, Task, Verdict
from sandboxes.config import LIMIT_OPTIONS
from sandboxes.extraction import Extractor, read_answer
from sandboxes.tasks.results import passed_share
from sandboxes.validation import short_repr, true_or_false

NOT_OF_REWARDS = ("k", "on_sandbox_error", "on_invalid_tests", "progress", "languages", "assemble")
"""Options that a reward does not have."""

CONTINUOUS_CASES = 10
"""Cases that `continuous` counts, as verl's own scorers do."""

LONGEST_PAUSE_SECONDS = 5.0


@dataclass(frozen=True)
class RewardSettings:
    """The checked options of a reward."""

    config: EvalConfig
    extract: Extractor | None
    """Takes the code out of answers. None: all of an answer is code."""

    own_limits: frozenset[str]
    """Fields of `Limits` that the options set, and that hold in place of the tests' own."""

    continuous: bool = False
    strict_official: bool = False
    details: bool = False
    code_sources: Collection[str] | None = None
    retry_seconds: float = 30.0


@dataclass(frozen=True)
class GivenOptions:
    """Options as the caller gave them. Equal texts make them equal."""

    text: str
    options: Mapping[str, Any] = field(compare=False)


def settings_of(options: Mapping[str, Any]) -> RewardSettings:
    """Return the settings of options, which are checked once per process.

    Raises:
        ValueError, TypeError: for an invalid option; the message names the value.
        SandboxUnavailable: if the sandbox needs something that is not installed.
    """
    # verl hands over lists and dicts of OmegaConf.
    options = {name: as_plain(value) for name, value in options.items()}
    return checked_settings(GivenOptions(repr(sorted(options.items())), options))


@lru_cache(16)
def checked_settings(given: GivenOptions) -> RewardSettings:
    """Return the settings of options. Raises as `settings_of` does."""
    options = {"extract": "auto", **given.options}
    flags = {
        name: true_or_false(name, options.pop(name, False)) for name in ("continuous", "strict_official", "details")
    }
    sources, seconds = options.pop("code_sources", None), options.pop("retry_seconds", RewardSettings.retry_seconds)
    if sources is not None and (isinstance(sources, str) or not isinstance(sources, Collection)):
        raise TypeError(f"code_sources must be a list of data sources, not {short_repr(sources)}")
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < float("inf"):
        raise ValueError(f"retry_seconds must be a number of seconds, 0 or more, not {short_repr(seconds)}")
    if flags["strict_official"] and (flags["continuous"] or options.get("partial_credit")):
        raise ValueError("strict_official judges all cases at once; leave out continuous and partial_credit")
    if flags["continuous"]:
        options["partial_credit"] = True
    config = PRIME_CODE.eval_config(options, without=NOT_OF_REWARDS)
    # All calls of a reward share one image, and a sample that can't be run does not end those of other threads.
    config = replace(config, chooses_packages=False, on_sandbox_error="exclude")
    extract, config = config.tasks.extract, replace(config, tasks=replace(config.tasks, extract=None))
    own_limits = frozenset(name for option, (name, _) in LIMIT_OPTIONS.items() if options.get(option) is not None)
    return RewardSettings(config, extract, own_limits, **flags, code_sources=sources, retry_seconds=seconds)


def as_plain(value: Any) -> Any:
    """Return the value of an option with lists and dicts of OmegaConf as Python's own."""
    is_container = isinstance(value, Mapping | Sequence) and not isinstance(value, str | bytes)
    return plain(value) if is_container else value


def task_of(settings: RewardSettings, answer: str, truth: Any) -> Task:
    """Return the task of an answer and its tests.

    Raises:
        ValueError, TypeError: if the tests are invalid, or the answer is no text.
    """
    if not isinstance(answer, str):
        raise TypeError(f"solution_str must be a string, not {short_repr(answer)}")
    problem = problem_of_ground_truth(truth)
    if settings.continuous:
        problem = with_first_cases(problem, CONTINUOUS_CASES)
    read = read_answer(answer, problem.asked(settings.config.tasks.language), settings.extract)
    if settings.strict_official and problem.preamble == PREAMBLE:
        problem = OFFICIAL.form(problem)
    own = {name: value for name, value in problem.limits.items() if name not in settings.own_limits}
    return replace(problem, limits=own).task([problem.program(read, "")], settings.config.limits)


def assembled(settings: RewardSettings, answer: str, truth: Any) -> ProgramBatch:
    """Return the only program of an answer and its tests. Raises as `task_of` does."""
    return Evaluator(settings.config).assemble([task_of(settings, answer, truth)])


def with_first_cases(problem: Problem, count: int) -> Problem:
    """Return a problem with its first cases alone. Tests that are code stay as they are."""
    if not problem.tests.startswith("{"):
        return problem
    tests = json.loads(problem.tests)
    for name in ("inputs", "outputs"):
        tests[name] = tests[name][:count]
    return replace(problem, tests=json.dumps(tests))


async def run_joined(settings: RewardSettings, batch: ProgramBatch) -> RunResult:
    """Run the only program of a batch beside those of other calls. If the sandbox fails, try again for a while."""
    languages = tuple(sorted(batch.languages))
    config = replace(settings.config, tasks=replace(settings.config.tasks, languages=languages))
    for pause in pauses(settings.retry_seconds):
        result = await joined_calls.run(config, batch)
        if is_final(result):
            break
        await asyncio.sleep(pause)
    return result


def run_together(settings: RewardSettings, tasks: Mapping[int, Task]) -> dict[int, RunResult]:
    """Run tasks with one candidate each in one run, and return their results by the same keys. Retries as `run_joined`.

    Raises:
        ValueError, TypeError: if a reference is invalid.
    """
    results: dict[int, RunResult] = {}
    for pause in pauses(settings.retry_seconds):
        left = [key for key in tasks if key not in results or not is_final(results[key])]
        try:
            results.update(zip(left, Evaluator(settings.config).run([tasks[key] for key in left]), strict=True))
        except SandboxUnavailable as error:
            results.update(dict.fromkeys(left, error))
        if all(map(is_final, results.values())):
            break
        time.sleep(pause)
    return results


def is_final(result: RunResult) -> bool:
    """Return whether another run would have the same result."""
    return isinstance(result, Verdict | InvalidTests)


def pauses(seconds: float) -> Iterator[float]:
    """Yield the seconds to wait after each failed try: 0 after the last one, when the time is over."""
    ends, pause = time.monotonic() + seconds, 0.25
    while time.monotonic() + pause < ends:
        yield pause
        pause = min(2 * pause, LONGEST_PAUSE_SECONDS)
    yield 0.0


def score_of(settings: RewardSettings, result: RunResult) -> float | dict[str, Any]:
    """Return the score of a result, with details if the settings want them. Raises the error of the sandbox."""
    if not isinstance(result, Verdict):
        raise result
    score = passed_share(result) if settings.config.tasks.partial_credit else float(result.passed)
    if not settings.details:
        return score
    return details_of(score, float(result.passed), result.outcome.value, result.detail, result.wall_seconds)


def details_of(score: float, accuracy: float, outcome: str, detail: str, seconds: float) -> dict[str, Any]:
    """Return the fields of a sample. All samples of a batch need the same ones, or verl fails."""
    return {"score": score, "acc": accuracy, "outcome": outcome, "detail": detail, "seconds": seconds}
