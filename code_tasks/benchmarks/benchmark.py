"""A benchmark as the registry has it, and its problems once they are loaded."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from code_tasks.benchmarks.canonical_limits import with_canonical_limits
from code_tasks.benchmarks.problems import Problem
from sandboxes import EvalConfig, Evaluator, Sandbox, Task
from sandboxes.tasks.task import check_candidates
from sandboxes.validation import short_repr

MEMORY_BYTES = 4 << 30
"""Memory of a program where a grader sets no limit, or sets this one."""

CALLS_AT_THEIR_LIMIT = 4
"""The calls of a problem may take together as long as this many calls that take all of their time."""


@dataclass(frozen=True)
class Benchmark:
    """The knowledge about one published benchmark: where its records are, and how its grader judges."""

    name: str
    parse: Callable[[Mapping[str, Any], int], Problem | None]
    """(record, its position from 0) -> the problem, or None for a record that is no code problem.

    Raises ValueError or TypeError for an invalid record.
    """

    hub_id: str
    """The dataset on the Hugging Face Hub."""

    split: str = "test"
    config: str | None = None
    preload: tuple[str, ...] = ()
    """Modules that the preamble imports, for the option `preload`: the sandbox imports them once, before candidates."""

    files: Callable[[str, str | None], Sequence[str]] | None = None
    """(split, release or configuration) -> the files of the dataset, where it has to be read by its files. A name may
    be a pattern. Raises ValueError."""

    date_field: str = ""
    """The field with a problem's date, by which problems can be chosen. "": problems have no date."""

    fields: tuple[str, ...] = ()
    """Fields that only the records of this benchmark have together, by which they are recognised. (): they are not."""

    fields_on_hub: tuple[str, ...] = ()
    """The same of the dataset on the Hub, where its records have another form than in the benchmark's own file."""

    official: Callable[[Problem], Problem] | None = None
    """(problem) -> the same with tests that run candidates in the way of the benchmark's own grader, with what is wrong
    in it. None: there are no such tests, so that verdicts are ours."""

    aliases: tuple[str, ...] = ()
    """Other names under which users know it."""

    has_repeats: bool = False
    """True if a problem may have several records, one for each answer of a model. Equal problems are then one."""

    preferred_field: str = ""
    """The field that the grader takes of a sample with both `completion` and `solution`. "": it knows only one."""

    is_sorted: bool = False
    """True if the grader takes problems by their ids, and not in the order of the dataset."""

    sandbox_options: Callable[[Mapping[str, Any]], dict[str, Any]] | None = None
    """Adds to a run's options what the grader's programs find and ours don't, such as a shell. None: nothing."""

    runs_restricted: bool = True
    """False if a policy refuses what the preamble or the tests do, for right candidates too."""

    def eval_config(self, options: Mapping[str, Any], without: Collection[str] = ()) -> EvalConfig:
        """Return the configuration of a run, with what the benchmark adds to the options.

        Args:
            options: as `compute` takes them.
            without: options that the caller does not take.

        Raises:
            ValueError, TypeError, SandboxUnavailable: as `EvalConfig.from_options` does.
            ValueError: if the sandbox can't run the benchmark.
        """
        if self.sandbox_options and isinstance(options.get("sandbox", ""), str):
            options = self.sandbox_options(options)
        preload = [*(options.get("preload") or ()), *self.preload]
        config = EvalConfig.from_options({**options, "preload": preload} if preload else options, without=without)
        self.check_sandbox(config.sandbox)
        return config

    def official_form(self, problem: Problem) -> Problem:
        """Return a problem with tests that judge as the benchmark's own grader; itself if there are no such tests."""
        return self.official(problem) if self.official else problem

    def check_sandbox(self, sandbox: Sandbox) -> None:
        """Raise ValueError for a sandbox with a policy, if the policy refuses what the grader does."""
        if sandbox.has_policy and not self.runs_restricted:
            raise ValueError(
                f"the grader of {self.name} does what the sandbox {sandbox.name!r} refuses, such as some imports; "
                'choose "subprocess" or "docker"'
            )

    def check_official_sandbox(self, sandbox: Sandbox) -> None:
        """Raise ValueError for a sandbox with a policy, if there are official forms. They do what a policy refuses."""
        if sandbox.has_policy and self.official:
            raise ValueError(
                f"the official verdicts of {self.name} need what the sandbox {sandbox.name!r} refuses; "
                'choose "subprocess" or "docker"'
            )


@dataclass(frozen=True)
class LoadedBenchmark:
    """The problems of a benchmark."""

    benchmark: Benchmark
    problems: Mapping[str, Problem] = field(repr=False)
    """Problems by task_id, in their order."""

    _with_canonical_limits: dict[tuple[Any, ...], Problem] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    """Problems with the limits of their canonical solutions, by what decides on these."""

    def tasks(self, candidates: Mapping[str, Sequence[str]], config: EvalConfig) -> list[Task]:
        """Return tasks for `Evaluator(config)`, one for each problem that has candidates.

        The first call that names a problem with a `canonical_limit` runs its canonical solution. If that fails, there
        is a warning, and the problem's fixed limit holds.

        Args:
            candidates: completions, or whole programs where the benchmark asks for these, by task_id.
            config: how candidates are run. Its limits hold where the benchmark has none.

        Raises:
            ValueError: if there is no such problem, or the sandbox can't run the benchmark.
            TypeError: for a text in place of a problem's list of candidates.
            SandboxUnavailable: if a canonical solution can't be run.
        """
        return self._tasks(candidates, config, lambda problem: problem)

    def official_tasks(self, candidates: Mapping[str, Sequence[str]], config: EvalConfig) -> list[Task]:
        """Return tasks whose verdicts are those of the benchmark's own grader, also where it is wrong.

        A candidate can forge a pass in them, as it can in that grader. Arguments and errors are those of `tasks`, which
        gives the same where there are no such tests.
        """
        self.benchmark.check_official_sandbox(config.sandbox)
        return self._tasks(candidates, config, self.benchmark.official_form)

    def _tasks(
        self, candidates: Mapping[str, Sequence[str]], config: EvalConfig, form: Callable[[Problem], Problem]
    ) -> list[Task]:
        self.benchmark.check_sandbox(config.sandbox)
        for task_id in candidates:
            if task_id not in self.problems:
                raise ValueError(f"there is no problem {short_repr(task_id)} in {self.benchmark.name}")
        problems = self._limited(candidates, config)
        tasks = []
        for task_id, completions in candidates.items():
            check_candidates(completions, f"problem {short_repr(task_id)}")
            problem = form(problems[task_id])
            language = problem.language or config.tasks.language
            programs = [problem.candidate(completion, language) for completion in completions]
            tasks.append(problem.task(programs, config.limits))
        return tasks

    def _limited(self, task_ids: Collection[str], config: EvalConfig) -> dict[str, Problem]:
        """Return problems with the limits of their canonical solutions, which are run once for each configuration."""
        keys = {task_id: (task_id, config.sandbox, config.limits, config.grading) for task_id in task_ids}
        missing = {name: self.problems[name] for name, key in keys.items() if key not in self._with_canonical_limits}
        if missing:
            reuse = replace(config.reuse, repeats=1)
            with Evaluator(replace(config, tasks=replace(config.tasks, extract=None), reuse=reuse)) as evaluator:
                limited = with_canonical_limits(missing, evaluator)
            for line in limited.warnings():
                warnings.warn(line, stacklevel=3)
            self._with_canonical_limits.update((keys[name], problem) for name, problem in limited.problems.items())
        return {name: self._with_canonical_limits[key] for name, key in keys.items()}


def limits_of_calls(seconds: float, calls: int) -> dict[str, float]:
    """Return the limits of a problem whose calls may take so many seconds each. All of its calls are one program."""
    return {"wall_seconds": seconds * min(calls, CALLS_AT_THEIR_LIMIT), "memory_bytes": MEMORY_BYTES}


def limits_of_cases(seconds: float) -> dict[str, float]:
    """Return the limits of a problem whose cases may take so many seconds each."""
    return {"wall_seconds": seconds, "memory_bytes": MEMORY_BYTES}
