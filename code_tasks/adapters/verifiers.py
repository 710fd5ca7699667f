"""Rewards and a taskset for verifiers, whose environments ask a model and score its traces.

`code_reward` is for any taskset whose tasks have tests: its configuration names the function. `CodeTaskset` makes tasks
of benchmarks and of files of problems; its id in a configuration is "code-tasks". Candidates run in our sandbox. This
is not the runtime in which the model acts, so that a model can't change its grader. A sandbox that breaks is an error
of the rollout (`SandboxError`), and never a reward.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from datetime import date
from functools import cache
from typing import Any

import verifiers.v1 as vf

from code_tasks.benchmarks import LoadedBenchmark, load_benchmark
from code_tasks.benchmarks.problems import Problem
from sandboxes import EvalConfig, Evaluator, InvalidTests, SandboxUnavailable, Task, Verdict, result_dict
from sandboxes.consent import require_consent
from sandboxes.extraction import Extractor, checked_extractor, read_answer, text_for
from sandboxes.tasks.task import plain_reference
from sandboxes.validation import short_repr

NOT_OF_REWARDS = ("k", "on_sandbox_error", "on_invalid_tests", "progress", "languages", "dedupe")
"""Options that a reward does not have."""

DEFAULTS: Mapping[str, Any] = {"extract": "auto"}
RECORDED = ("outcome", "detail", "grading", "wall_seconds", "peak_memory_bytes", "isolation")
"""Fields of a result that a trace keeps."""

TEMPLATE = (
    "Solve this problem. Answer with the whole code, and the imports that it needs, in one fenced block.\n\n{prompt}"
)

_open: dict[EvalConfig, Evaluator] = {}
_lock = threading.Lock()


def _begin_anew() -> None:
    """Forget a parent's evaluators, whose threads a forked child lacks, and a lock that one of its threads may hold."""
    global _lock
    _open.clear()
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_begin_anew)

Reward = Callable[[Any, Any], Awaitable[float]]


def make_code_reward(*, tests_field: str = "tests", **options: Any) -> Reward:
    """Return a reward for tasks with tests: 1 if the model's last reply passes them, otherwise 0.

    Args:
        tests_field: the field of a task's data with the tests: code, or cases, as the references of `compute`.
        options: as `compute` takes them. The extraction is "auto" unless they say otherwise. With
            `partial_credit` the reward is the share of the tests that pass.

    Raises:
        ValueError, TypeError: for an invalid option; the message names the value.
    """
    given = {**DEFAULTS, **options}
    # All calls of a reward share one image.
    config = replace(EvalConfig.from_options(given, without=NOT_OF_REWARDS), chooses_packages=False)

    async def code_reward(task: Any, trace: Any) -> float:
        """Run the code in a trace's last reply, and return its reward. The verdict is in the trace's info."""
        tests = task.model_dump().get(tests_field)
        if tests is None:
            raise ValueError(f"the task has no tests in {tests_field!r}; it has {', '.join(task.model_dump())}")
        candidate = text_for(config.tasks.extract, trace.last_reply)
        return await reward_of(trace, config, Task(plain_reference(tests), [candidate], tests_field))

    return code_reward


async def reward_of(trace: Any, config: EvalConfig, task: Task) -> float:
    """Run the only candidate of a task, and return its reward. The trace's info gets the verdict."""
    result = await verdict_of(config, task)
    record = result_dict(0, 0, result, config.extra_fields)
    trace.info["code_eval"] = {name: record[name] for name in RECORDED}
    return float(record["partial_credit"] if config.tasks.partial_credit else result.passed)


async def verdict_of(config: EvalConfig, task: Task) -> Verdict:
    """Return the verdict on the only candidate of a task.

    Raises:
        ValueError, TypeError: for invalid tests, or if running programs was not allowed. verifiers makes a TaskError.
        vf.SandboxError: if the sandbox could not run the candidate.
    """
    require_consent()
    # The workers of an evaluator see the files that the languages of its configuration need, and no others.
    languages = tuple(sorted(Evaluator(config).assemble([task]).languages))
    config = replace(config, tasks=replace(config.tasks, languages=languages))
    try:
        evaluator = await asyncio.to_thread(open_evaluator, config)
        result = await evaluator.run_async(task)
    except SandboxUnavailable as error:
        raise vf.SandboxError(str(error)) from error
    if isinstance(result, InvalidTests):
        raise ValueError(str(result))
    if not isinstance(result, Verdict):
        raise vf.SandboxError(str(result)) from result
    return result


def open_evaluator(config: EvalConfig) -> Evaluator:
    """Return this process's evaluator with a configuration, opened. All event loops may use it.

    Raises:
        SandboxUnavailable: if the sandbox does not work here. The next call tries again.
    """
    with _lock:
        if config not in _open:
            evaluator = Evaluator(config)
            # An evaluator keeps nothing of the event loop in which it was opened.
            asyncio.run(evaluator.__aenter__())
            _open[config] = evaluator
        return _open[config]


class CodeTaskConfig(vf.TaskConfig):
    """The configuration of tasks: `--env.taskset.task.*`."""

    options: dict[str, Any] = {}
    """Options as `compute` takes them, such as timeout or sandbox. Limits replace those of the benchmark."""


class CodeTasksetConfig(vf.TasksetConfig):
    """The configuration of the taskset: `--env.taskset.*`."""

    task: CodeTaskConfig = CodeTaskConfig()
    benchmark: str | None = None
    """The name of a benchmark. None: the one that the first record of `path` belongs to."""

    path: str | None = None
    """A file or folder of problems, or a dataset on the Hub. None: the benchmark's own dataset."""

    split: str | None = None
    config: str | None = None
    """The configuration or release of the dataset."""

    revision: str | None = None
    since: date | None = None
    """The date of the first problems, for a benchmark with dates."""

    until: date | None = None
    template: str = TEMPLATE
    """The text of a question, with {prompt} in it."""


SOURCE_FIELDS = ("benchmark", "path", "split", "config", "revision", "since", "until")


class CodeData(vf.TaskData):
    """One problem as it is sent between processes: its name and its source, without its tests."""

    source: dict[str, str | None] = {}
    """The fields SOURCE_FIELDS of the taskset."""


class CodeTask(vf.Task[CodeData, vf.State, CodeTaskConfig]):
    """One problem."""

    @vf.reward
    async def code(self, trace: Any) -> float:
        """Return 1 if the last reply passes the problem's tests, otherwise 0; with partial_credit the passed share."""
        config, task = await asyncio.to_thread(self._task, str(trace.last_reply), True)
        return await reward_of(trace, config, task)

    async def validate(self, runtime: Any) -> bool | None:
        """Return whether the canonical solution passes; None if the problem has none."""
        loaded = await asyncio.to_thread(load_source, **self.data.source)
        solution = loaded.problems[self.data.id].canonical_solution
        if solution is None:
            return None
        config, task = await asyncio.to_thread(self._task, solution, False)
        return (await verdict_of(config, task)).passed

    def _task(self, text: str, is_answer: bool) -> tuple[EvalConfig, Task]:
        """Return the configuration and the task of a candidate, which is an answer or continues the prompt.

        Raises:
            ValueError, TypeError: if an option is invalid, or if the problems can't be read.
            vf.SandboxError: if the canonical solution, whose time decides on the limit, can't be run.
        """
        require_consent()
        loaded = load_source(**self.data.source)
        options = {**DEFAULTS, **self.config.options}
        extract = checked_extractor(options.pop("extract"))
        config = replace(loaded.benchmark.eval_config(options, NOT_OF_REWARDS), chooses_packages=False)
        problem = loaded.problems[self.data.id]
        try:
            [task] = loaded.tasks({problem.task_id: [""]}, config)
        except SandboxUnavailable as error:
            raise vf.SandboxError(str(error)) from error
        language = problem.language or config.tasks.language
        if is_answer:
            candidate = program_in(problem, text, language, extract)
        else:
            candidate = problem.candidate(text, language)
        return config, replace(task, candidates=[candidate], language=language)


def program_in(problem: Problem, answer: str, language: str, extract: Extractor | None) -> str:
    """Return the program of a model's answer: a whole program, or code that continues the problem's prompt.

    Args:
        problem: of the answer.
        answer: the model's, with its reasoning.
        language: of the problem.
        extract: takes the code out of an answer. None: the whole answer is code.
    """
    return problem.program(read_answer(answer, problem.asked(language), extract), language)


@cache
def load_source(**source: str | None) -> LoadedBenchmark:
    """Return the problems of a source, as `CodeData` has it. Each process reads them once.

    Raises:
        ValueError: if they can't be read, also as InputError.
    """
    since, until = (date.fromisoformat(value) if (value := source.get(name)) else None for name in ("since", "until"))
    return load_benchmark(
        source.get("benchmark"),
        source.get("path"),
        split=source.get("split"),
        config=source.get("config"),
        revision=source.get("revision"),
        since=since,
        until=until,
    )


class CodeTaskset(vf.Taskset[CodeTask, CodeTasksetConfig]):
    """The problems of a benchmark, or of a file."""

    def load(self) -> Iterable[CodeTask]:
        """Yield the problems as tasks.

        Raises:
            ValueError: if they can't be read, or if one has no prompt for a model.
        """
        config = self.config
        if "{prompt}" not in config.template:
            raise ValueError(f"template must contain {{prompt}}, not {short_repr(config.template)}")
        if config.benchmark is None and config.path is None:
            raise ValueError("give the taskset a benchmark, or the path of a file of problems (env.taskset.path)")
        source = {name: str(value) for name in SOURCE_FIELDS if (value := getattr(config, name)) is not None}
        for task_id, problem in load_source(**source).problems.items():
            prompt = problem.prompt or problem.published.get("question_content")
            if not prompt:
                raise ValueError(
                    f"problem {short_repr(task_id)} has no prompt for a model; write a taskset with prompts of your "
                    "own, and give it the reward code_tasks.adapters.verifiers:code_reward"
                )
            text = config.template.replace("{prompt}", prompt)
            yield CodeTask(CodeData(id=task_id, name=task_id, prompt=text, source=source), config.task)


code_reward = make_code_reward()
"""The reward with the defaults: tests in the field `tests`, Python, 3 seconds, 1 GiB."""
