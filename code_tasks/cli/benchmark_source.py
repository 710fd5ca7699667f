"""The source of problems for `code-eval run` and `code-eval audit`, which may be a published benchmark."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from code_tasks.benchmarks import BENCHMARKS, LoadedBenchmark, load_benchmark
from code_tasks.benchmarks.benchmark import Benchmark
from code_tasks.benchmarks.detection import PLAIN
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.references import read_references
from code_tasks.benchmarks.registry import checked_benchmark
from code_tasks.cli.arguments import ProblemSource
from code_tasks.cli.options import GivenOptions, completion_of
from sandboxes import EvalConfig
from sandboxes.config import LIMIT_OPTIONS


@dataclass(frozen=True)
class BenchmarkSource(ProblemSource):
    """The source of a command's problems, which may be a published benchmark."""

    WAYS: ClassVar[str] = f"{ProblemSource.WAYS}, or --benchmark NAME"

    split: Annotated[
        str | None,
        typer.Option(
            help="The split of --dataset, of a saved dataset, or of the benchmark's dataset.",
            show_default="test, or the benchmark's own",
        ),
    ] = None
    benchmark: Annotated[
        str | None,
        typer.Option(
            help="The published benchmark that the problems belong to. Samples are judged as by its own grader, with "
            "its imports, comparison and limits; --timeout and --memory-mb replace these. Without --problems and "
            "--dataset, the problems come from its dataset on the Hub. Without this option, the fields of the first "
            f"record of --problems show the benchmark. One of {', '.join(BENCHMARKS)}.",
            metavar="NAME",
            autocompletion=completion_of(BENCHMARKS),
        ),
    ] = None
    config: Annotated[
        str | None, typer.Option(help="The configuration of the benchmark's dataset, or its release: release_v5.")
    ] = None
    revision: Annotated[str | None, typer.Option(help="The revision of the benchmark's dataset.")] = None
    since: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Leave out the benchmark's problems before this day.")
    ] = None
    until: Annotated[
        datetime | None, typer.Option(formats=["%Y-%m-%d"], help="Leave out the benchmark's problems after this day.")
    ] = None

    strict_official: Annotated[
        bool,
        typer.Option(
            "--strict-official",
            help="Give the verdict of the benchmark's own grader also where that is wrong, with ours beside it as "
            "our_passed. docs/benchmarks.md lists the differences. Candidates can forge these verdicts.",
        ),
    ] = False

    def __post_init__(self) -> None:
        """Raise BadParameter unless there is one source, and options of benchmarks come with a benchmark."""
        if self.config and self.config.endswith(".toml"):
            raise typer.BadParameter(
                f"--config is a benchmark's configuration here; settings go before the command: code-eval --config "
                f"{self.config} ..."
            )
        if self.benchmark is None:
            super().__post_init__()
            for name in ("config", "revision", "since", "until", "strict_official"):
                if getattr(self, name) not in (None, False):
                    raise typer.BadParameter(f"--{name.replace('_', '-')} goes with --benchmark")
        elif self.problems and self.dataset:
            raise typer.BadParameter("give either --problems FILE or --dataset NAME")

    def eval_config(self, options: GivenOptions, refused: Collection[str]) -> EvalConfig:
        """Return the configuration of a run, with what the benchmark adds to the options.

        Args:
            options: as they were given.
            refused: options that the command does not take.

        Raises:
            ValueError, TypeError, SandboxUnavailable: as `Benchmark.eval_config` does.
            ValueError: if there is no such benchmark.
        """
        if self.benchmark is None:
            return EvalConfig.from_options(options, without=refused)
        # Samples of benchmarks are models' answers.
        read = {} if "extract" in refused else {"extract": "auto"}
        return checked_benchmark(self.benchmark).eval_config({**read, **options}, refused)

    def official_form(self, benchmark: Benchmark, config: EvalConfig) -> Callable[[Problem], Problem] | None:
        """With `--strict-official`, return the function that returns a problem's official form; otherwise None.

        Raises:
            ValueError: as `Benchmark.check_official_sandbox` does.
        """
        if not self.strict_official:
            return None
        benchmark.check_official_sandbox(config.sandbox)
        if benchmark.official is None:
            typer.echo(f"--strict-official: {benchmark.name} has no official verdicts here, only ours", err=True)
        return benchmark.official_form

    def load_for(self, options: GivenOptions) -> LoadedBenchmark:
        """Return the problems. Limits that the user gave replace the benchmark's.

        The benchmark is the one that was named, or the one that a file's first record belongs to.

        Args:
            options: as they were given.

        Raises:
            ValueError: if they can't be read, also as InputError.
        """
        if self.benchmark is None and self.problems is None:
            return LoadedBenchmark(PLAIN, self.read())
        given = {field for name, (field, _) in LIMIT_OPTIONS.items() if name in options}
        loaded = load_benchmark(
            self.benchmark,
            self.problems or self.dataset,
            split=self.split,
            config=self.config,
            revision=self.revision,
            since=self.since and self.since.date(),
            until=self.until and self.until.date(),
            ignored_fields=self.ignore_field or (),
        )
        if self.benchmark is None and loaded.benchmark is not PLAIN:
            typer.echo(
                f"{self.problems} has the fields of {loaded.benchmark.name}, and is judged as by its grader; "
                "--benchmark NAME chooses another",
                err=True,
            )
        problems = {task_id: without_limits(problem, given) for task_id, problem in loaded.problems.items()}
        return replace(loaded, problems=problems)


@dataclass(frozen=True)
class SampleProblems(BenchmarkSource):
    """The source of the problems that samples belong to, which may be references without problems."""

    WAYS: ClassVar[str] = f"{BenchmarkSource.WAYS}, or --references FILE"

    references: Annotated[
        Path | None,
        typer.Option(
            help="A JSON array with a text of tests for each problem, in place of --problems: what "
            "bigcode-evaluation-harness writes with --save_references. SAMPLES is then its file of generations, which "
            "are whole programs in the order of the references."
        ),
    ] = None

    def __post_init__(self) -> None:
        """Raise BadParameter unless there is one source, and options of benchmarks come with a benchmark."""
        if self.references is None:
            super().__post_init__()
            return
        shared = ("references", "limit", "task")
        given = (name for name, value in vars(self).items() if name not in shared and value not in (None, False))
        if other := next(given, None):
            raise typer.BadParameter(f"--references has the tests; give it without --{other.replace('_', '-')}")

    def scored(self, samples: Path, loaded: LoadedBenchmark) -> dict[str, Any]:
        """Return what was scored, by the names that `--json` has for it."""
        names = {"samples": str(samples), "benchmark": loaded.benchmark.name or None}
        return {**names, "limit": self.limit, "task": self.task}

    def load_for(self, options: GivenOptions) -> LoadedBenchmark:
        """Return the problems, as `BenchmarkSource` does, or those that the references make."""
        if self.references is None:
            return super().load_for(options)
        return LoadedBenchmark(PLAIN, read_references(self.references))


def without_limits(problem: Problem, names: Collection[str]) -> Problem:
    """Return a problem without some of its own limits.

    Args:
        problem: the problem.
        names: fields of `Limits`.
    """
    limits = {name: problem.limits[name] for name in problem.limits.keys() - names}
    return replace(problem, limits=limits, canonical_limit=None if "wall_seconds" in names else problem.canonical_limit)
