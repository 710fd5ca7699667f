"""`code-eval run`: scores a file of samples."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from code_tasks.benchmarks.detection import PLAIN
from code_tasks.benchmarks.sample_columns import TARGETS, parse_columns
from code_tasks.cli.arguments import RESUME_ADVICE, RESUME_HELP, check_resume, expand_arguments, usage_errors
from code_tasks.cli.benchmark_source import SampleProblems
from code_tasks.cli.hub_arguments import HubArguments
from code_tasks.cli.options import Door, GivenOptions, decisive_settings
from code_tasks.cli.output import fail, show_report_step
from code_tasks.cli.score_report import SampleReportArguments
from code_tasks.cli.wording import as_command_message
from code_tasks.scoring.formats.base import GradedRun
from code_tasks.scoring.formats.registry import FORMATS, checked_formats, path_of, results_name, write_format
from code_tasks.scoring.results import Results
from code_tasks.scoring.trusted_files import check_apart, partial_path
from sandboxes import EvalConfig, Evaluator, Outcome, SandboxUnavailable, TaskOptions, close_pools
from sandboxes.options.table import LIMITS, TASK_OPTIONS
from sandboxes.tasks.task import reference_text
from sandboxes.validation import printable, short_repr, system_reason

if TYPE_CHECKING:
    from code_tasks.benchmarks.problems import Problem
    from code_tasks.scoring.run import ScoreSummary, ScoringConfig
    from code_tasks.scoring.sample_file import SampleFile

RUN = Door(refused={"languages": "problems name their languages"})
# The scoring records these itself.
SETTINGS_OF_SCORING = frozenset({"grading", *LIMITS.names, *TASK_OPTIONS})


@dataclass(frozen=True)
class ResultsArguments:
    """The files that a run writes and continues."""

    PANEL: ClassVar[str] = "Results"

    output: Annotated[
        Path | None,
        typer.Option(
            help="Write each sample with its verdict here, as JSON lines, and the cost of the run. Until the run ends, "
            "they are in a file of this name with .partial after it."
        ),
    ] = None
    resume: Annotated[bool, typer.Option("--resume", help=RESUME_HELP)] = False

    formats: Annotated[
        list[str] | None,
        typer.Option(
            "--format",
            metavar="|".join(FORMATS),
            help="Write the results as this tool does, too: in files beside --output, with its name and their ending. "
            "May be repeated.",
            show_default=False,
        ),
    ] = None

    def check(self, inputs: Mapping[str, Path | None]) -> None:
        """Raise BadParameter if the results can't be written.

        Args:
            inputs: files that the command reads, by their names in messages.
        """
        check_resume(self.resume, self.output)
        if self.formats and self.output is None:
            raise typer.BadParameter("--format writes files beside --output, which is missing")
        if self.output:
            with usage_errors():
                check_apart("--output", self.output, inputs)
                for ending in (ending for each in checked_formats(self.formats or ()) for ending in each.endings):
                    check_apart("--format", path_of(self.output, ending), inputs)
            for name, path in inputs.items():
                if path and path.is_dir() and path.resolve() in self.output.resolve().parents:
                    raise typer.BadParameter(f"--output {self.output} would belong to {name} in {path} the next time")

    @property
    def is_complete(self) -> bool:
        """True if --resume has nothing to continue, because an earlier run wrote all results."""
        return bool(self.resume and self.output and self.output.is_file() and not self._is_partial)

    @property
    def _is_partial(self) -> bool:
        return bool(self.output and partial_path(self.output).exists())

    def write_formats(self, file: SampleFile, problems: Mapping[str, Problem], options: TaskOptions) -> None:
        """Write the finished results in the other formats.

        Args:
            file: the samples.
            problems: by task_id.
            options: of the tasks.

        Raises:
            ValueError: if the results can't be read, or don't fit a format.
        """
        if not self.formats or self.output is None:
            return
        results = Results.read(self.output)
        if unknown := next((each["task_id"] for each in results if each["task_id"] not in problems), None):
            raise ValueError(f"{self.output} has results of {short_repr(unknown)}, which is none of the problems")
        graded = GradedRun(results, problems, options, file.records, results_name(self.output))
        for each in checked_formats(self.formats):
            try:
                written = write_format(each, graded, self.output)
            except OSError as error:
                fail(f"can't write the format {each.name}: {system_reason(error)}")
            typer.echo(f"{each.name}: {', '.join(map(str, written))}", err=True)
        if missing := sum(each["passed"] is None for each in results):
            typer.echo(f"{missing} samples could not be run; only CSV and Parquet have them", err=True)

    @contextmanager
    def noting_interrupts(self) -> Iterator[None]:
        """Print how to continue the run, if the user interrupts it."""
        try:
            yield
        except KeyboardInterrupt:
            if self.output and self._is_partial:
                path = partial_path(self.output)
                typer.echo(f"\ninterrupted; the results so far are in {path}, and {RESUME_ADVICE}", err=True)
            raise


SamplesArgument = Annotated[
    Path,
    typer.Argument(
        metavar="SAMPLES",
        help='JSON lines, plain or gzipped: {"task_id", "completion"}, or "solution" for whole programs. Also the '
        "files and folders of EvalPlus, BigCodeBench, LiveCodeBench, MultiPL-E, APPS, TACO, CRUXEval, DS-1000, "
        "ClassEval and bigcode-evaluation-harness; folders of datasets' save_to_disk; and results of an earlier run.",
    ),
]

ColumnsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="FIELD=COLUMN",
        help="Take fields of samples from columns with other names: --map completion=response,task_id=id. The fields "
        f"are {', '.join(TARGETS)}.",
        show_default=False,
    ),
]


@expand_arguments
def run(
    samples: SamplesArgument,
    source: SampleProblems,
    results: ResultsArguments,
    report: SampleReportArguments,
    hub: HubArguments,
    options: Annotated[GivenOptions, RUN],
    columns: ColumnsOption = None,
) -> None:
    """Score a file of samples against its problems.

    This runs the samples, which are programs that nobody has read. `code-eval doctor` shows how they are isolated.
    """
    from code_tasks.scoring.estimates import DEFAULT_KS
    from code_tasks.scoring.results_file import PartialResultsError
    from code_tasks.scoring.run import ScoringConfig
    from code_tasks.scoring.sample_file import SampleFile

    results.check({"the samples": samples, "the problems": source.problems, "the references": source.references})
    hub.check(results.output)
    is_complete = results.is_complete
    if is_complete:
        typer.echo(f"{results.output} is complete: there is nothing to continue", err=report.as_json)
        if not (results.formats or hub.push_to_hub or report.is_needed):
            return
    k = (options.get("k") or DEFAULT_KS)[0]
    with usage_errors():
        config = source.eval_config(options, RUN.refused)
        mapped = parse_columns(columns or ())
    try:
        with results.noting_interrupts():
            loaded = source.load_for(options)
            problems = source.chosen(loaded.problems)
            if source.benchmark is None:
                config = loaded.benchmark.eval_config(options, RUN.refused)
            with SampleFile(samples, loaded.problems, loaded.benchmark.preferred_field, problems, mapped) as file:
                show_hints(samples, file.hints)
                coverage = report.checked_coverage(file, k)
                form = source.official_form(loaded.benchmark, config)
                scoring = ScoringConfig(problems, with_packages(config, file, problems), form)
                settings = scoring.settings(file) | decisive_settings(options, SETTINGS_OF_SCORING)
                if not is_complete:
                    summary = score(file, scoring, settings, results)
                elif report.is_needed and results.output:
                    summary = summary_of_finished(results.output, settings, problems)
                if not is_complete or report.is_needed:
                    summary = replace(summary, coverage=coverage)
                    show(summary, report, options, problems, source.scored(samples, loaded), results.output)
                results.write_formats(file, problems, config.tasks)
                hub.push(results.output, None if loaded.benchmark is PLAIN else loaded.benchmark.name)
    except (PartialResultsError, ValueError, TypeError, ImportError, NotImplementedError, SandboxUnavailable) as error:
        fail(as_command_message(str(error)))
    finally:
        close_pools()
    if not is_complete and config.tasks.on_invalid_tests == "raise":
        fail_of_invalid_tests(len(summary.tally.invalid_tests))
    if report.fail_under is not None:
        report.check(k, summary.pass_at(k))


def show_hints(samples: Path, hints: Iterable[str]) -> None:
    """Tell the user how the samples of a file were understood."""
    for hint in hints:
        typer.echo(f"{samples}: {hint}", err=True)


def fail_of_invalid_tests(count: int) -> None:
    """End the command with an error if some tests, so many, turned out to be invalid."""
    if count:
        tests = "task has" if count == 1 else "tasks have"
        fail(f"{count} {tests} invalid tests; --on-invalid-tests skip leaves such tasks out without an error")


def show(
    summary: ScoreSummary,
    report: SampleReportArguments,
    options: GivenOptions,
    problems: Mapping[str, Problem],
    scored: Mapping[str, Any],
    output: Path | None,
) -> None:
    """Print the report of a run, reasons for which no candidate is to blame, and the next step.

    Args:
        summary: of the run.
        report: the form of the report.
        options: as they were given.
        problems: by task_id.
        scored: names of what was scored, for JSON.
        output: the results file.
    """
    ks = options.get("k")
    data = {"command": "run", **scored, **summary.as_data(ks), "settings": decisive_settings(options)}
    report.show(summary.as_text(ks), data)
    for task_id, task in summary.tally.tasks.items():
        if task.samples and not task.passed and (caveat := problems[task_id].caveat):
            typer.echo(f"\n{printable(task_id)} counts in pass@k, but {caveat}", err=True)
    show_report_step(output, summary.tally.outcomes.keys() <= {Outcome.PASSED.value})


def score(
    file: SampleFile, scoring: ScoringConfig, settings: Mapping[str, Any], results: ResultsArguments
) -> ScoreSummary:
    """Run the samples of a file.

    Args:
        file: which is open.
        scoring: the problems, and how samples are run.
        settings: the values that affect results.
        results: the files of results.

    Raises:
        InputError, PartialResultsError, SandboxUnavailable: as `ScoringRun.run` does.
    """
    from code_tasks.benchmarks.canonical_limits import with_canonical_limits
    from code_tasks.scoring.run import ScoringRun

    problems = scoring.problems
    config, facts = scoring.for_file(file)
    with Evaluator(config, keep_warm=False) as evaluator:
        evaluator.require_modules(facts)
        # The settings have no measured limits, because these differ when a run is continued.
        limited = with_canonical_limits({task_id: problems[task_id] for task_id in file.counts_by_task}, evaluator)
        for line in limited.warnings():
            typer.echo(printable(line), err=True)
        run = ScoringRun(file, replace(scoring, problems=limited.problems), evaluator)
        return run.run(results.output, settings, results.resume)


def summary_of_finished(path: Path, settings: Mapping[str, Any], problems: Mapping[str, Problem]) -> ScoreSummary:
    """Return the scores of a run that is complete already.

    Args:
        path: its results.
        settings: of this run, which must be those of the results.
        problems: by task_id.

    Raises:
        PartialResultsError: if the results belong to a run with other settings.
    """
    from code_tasks.scoring.results_file import check_settings
    from code_tasks.scoring.run import summary_of_results

    finished = Results.read(path)
    check_settings(path, finished.settings, settings)
    return summary_of_results(finished, problems)


def with_packages(config: EvalConfig, file: SampleFile, problems: Mapping[str, Problem]) -> EvalConfig:
    """Return the configuration with the packages that samples or tests import, if packages have import names."""
    completions = (entry.sample.program(problems[entry.sample.task_id], "") for entry in file)
    tested = [problems[task_id] for task_id in file.counts_by_task]
    tests = (reference_text(problem.tests) for problem in tested)
    solutions = (
        problem.candidate(problem.canonical_solution or "", "") for problem in tested if problem.canonical_limit
    )
    return replace(config, sandbox=config.sandbox.for_sources(itertools.chain(completions, tests, solutions)))
