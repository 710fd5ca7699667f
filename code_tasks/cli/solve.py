"""The command `code-eval solve`."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NoReturn

import typer

from code_tasks.cli.arguments import (
    RESUME_ADVICE,
    RESUME_HELP,
    ProblemSource,
    check_resume,
    expand_arguments,
    usage_errors,
)
from code_tasks.cli.options import Door, GivenOptions, decisive_settings
from code_tasks.cli.output import fail, show_report_step
from code_tasks.cli.score_report import ReportArguments
from code_tasks.scoring.trusted_files import check_apart
from code_tasks.solvers.interface import SOLVERS
from code_tasks.solvers.record.format import RunLogError
from sandboxes import EvalConfig, SandboxUnavailable, close_pools
from sandboxes.validation import printable, summarize

if TYPE_CHECKING:
    from code_tasks.solvers.job import SolverJob
    from code_tasks.solvers.options import SolveOptions
    from code_tasks.solvers.summary import Summary

INTERRUPTED_STATUS = 130
SOLVE = Door(
    refused={
        "k": "every k that the tries allow is reported",
        "repeats": "each try is a run",
        "on_sandbox_error": "a sandbox that breaks is tried again, and then it is a system error",
        "on_invalid_tests": "attempts at tasks with invalid tests are system errors",
        "language": "problems name their languages",
        "languages": "problems name their languages",
        "dedupe": "attempts come one by one",
        "progress": "there is a bar on a terminal",
    },
    defaults={"extract": "auto", "on_invalid_tests": "skip"},
)


@dataclass(frozen=True)
class ModelArguments:
    """The server, the model and the prompts of the solvers chat and agent."""

    PANEL: ClassVar[str] = "The model, for --solver chat and agent"

    model: Annotated[str | None, typer.Option(help="The name of the model at the server.")] = None
    base_url: Annotated[
        str | None,
        typer.Option(
            help="An OpenAI-compatible server, such as http://localhost:8000/v1. Its key is taken from OPENAI_API_KEY.",
            show_default="OPENAI_BASE_URL, otherwise OpenAI's own",
        ),
    ] = None
    temperature: Annotated[
        float | None, typer.Option(min=0, help="The sampling temperature.", show_default="the server's")
    ] = None
    top_p: Annotated[
        float | None,
        typer.Option(min=0, max=1, help="Nucleus sampling.", show_default="the server's"),
    ] = None
    max_tokens: Annotated[
        int | None, typer.Option(min=1, help="The most tokens of one answer.", show_default="the server's")
    ] = None
    stop: Annotated[list[str] | None, typer.Option(help="A text at which an answer ends. May be repeated.")] = None
    answers_per_request: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Attempts at one task that may share a request for several answers. The server must support the "
            "field n.",
            show_default="1",
        ),
    ] = None
    template: Annotated[
        Path | None,
        typer.Option(help="A file with the prompt to the model. {prompt} in it stands for the problem's prompt."),
    ] = None
    system: Annotated[str | None, typer.Option(help="The system prompt.")] = None
    max_steps: Annotated[
        int | None, typer.Option(min=1, help="For --solver agent: the most answers per attempt.", show_default="5")
    ] = None
    max_time: Annotated[
        float | None,
        typer.Option(help="Seconds that the model may take for an attempt.", show_default="no limit"),
    ] = None

    def given(self) -> dict[str, Any]:
        """Return the arguments of `ChatSolver` and `AgentSolver` that were given.

        Raises:
            OSError: if the template can't be read.
        """
        options = {name: value for name, value in asdict(self).items() if value not in (None, [])}
        if self.template:
            options["template"] = self.template.read_text(encoding="utf-8")
        return options


@dataclass(frozen=True)
class AttemptArguments:
    """The number of attempts, and the way in which they are made."""

    PANEL: ClassVar[str] = "Attempts"

    tries: Annotated[
        int | None,
        typer.Option("--tries", min=1, help="Attempts per task.", show_default="1; replay: all samples of a task"),
    ] = None
    samples: Annotated[
        Path | None, typer.Option(help='For replay: JSON lines, plain or gzipped: {"task_id", "completion"}.')
    ] = None
    concurrency: Annotated[int, typer.Option(min=1, help="Attempts at once.")] = 64
    on_solver_error: Annotated[
        str,
        typer.Option(
            help="Effect of an exception in the solver itself. raise: the run ends. record: the attempt is wrong."
        ),
    ] = "raise"
    order: Annotated[
        str | None,
        typer.Option(
            help="The order in which attempts begin. interleaved: first attempts at all tasks, then second ones. "
            "by_question: all attempts at a task, then the next task.",
            show_default="interleaved; by_question for gold, failing and replay, and with --answers-per-request",
        ),
    ] = None


@dataclass(frozen=True)
class RunLogArguments:
    """The run log that is written or continued."""

    PANEL: ClassVar[str] = "Run log"

    output: Annotated[
        Path | None, typer.Option(help="Write a run log here: every step and result, as JSON lines. A new file.")
    ] = None
    resume: Annotated[bool, typer.Option("--resume", help=RESUME_HELP)] = False
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="With --resume: repeat attempts that broken infrastructure ended.")
    ] = False

    record_pretty: Annotated[
        bool,
        typer.Option(
            "--record-pretty",
            help="In the run log, give each message of a conversation a line of its own, once, for people. Steps then "
            "have no messages.",
        ),
    ] = False
    log_at_end: Annotated[
        bool,
        typer.Option("--log-at-end", help="In the run log, add a line with the grader's text to each attempt."),
    ] = False

    @property
    def continued(self) -> Path | None:
        """The run log to continue; None if this is a new run."""
        return self.output if self.resume and self.output and self.output.exists() else None

    def check(self, inputs: dict[str, Path | None]) -> None:
        """Raise BadParameter if options contradict each other, or if the run log is one of the inputs.

        Args:
            inputs: files that the command reads, by their names in messages.
        """
        check_resume(self.resume, self.output)
        if self.retry_errors and not self.resume:
            raise typer.BadParameter("--retry-errors goes with --resume")
        for option, is_given in (("--record-pretty", self.record_pretty), ("--log-at-end", self.log_at_end)):
            if is_given and not self.output:
                raise typer.BadParameter(f"{option} needs --output FILE")
        if self.output:
            with usage_errors():
                check_apart("--output", self.output, inputs)

    def fail_interrupted(self) -> NoReturn:
        """End the command after Ctrl-C. The run log has every attempt that ended."""
        typer.echo(f"interrupted; {RESUME_ADVICE}" if self.output else "interrupted", err=True)
        sys.exit(INTERRUPTED_STATUS)


@expand_arguments
def solve(
    solver: Annotated[str, typer.Option(help=f"The solver: {', '.join(SOLVERS)}.")],
    source: ProblemSource,
    attempts: AttemptArguments,
    run_log: RunLogArguments,
    model: ModelArguments,
    report: ReportArguments,
    options: Annotated[GivenOptions, SOLVE],
) -> None:
    """Let a solver, such as a model, answer every problem, run the answers, and sum up: accuracy, pass@k, pass^k.

    If a sandbox or a server breaks, the attempt is repeated: it is never a wrong answer. A run that ended early
    continues with --resume. This runs programs that nobody has read. `code-eval doctor` shows how they are isolated.
    The status is 2 if a task has no attempt that worked.
    """
    from code_tasks.solvers.models.client import EndpointError

    run_log.check({"the problems": source.problems, "the samples": attempts.samples, "the template": model.template})
    with usage_errors():
        job, plan, left_out = prepare(solver, source, attempts, run_log, model, options)
    try:
        summary = job.run(plan, run_log.output, run_log.continued, run_log.retry_errors)
    except (EndpointError, RunLogError, SandboxUnavailable) as error:
        fail(str(error))
    except KeyboardInterrupt:
        run_log.fail_interrupted()
    finally:
        close_pools()
    for line in left_out:
        typer.echo(line, err=True)
    show(summary, report, job.settings)
    show_report_step(run_log.output, summary.correct == summary.attempts)
    report.check(1, summary.pass_at_k[0].mean if summary.pass_at_k else None)


def prepare(
    solver: str,
    source: ProblemSource,
    attempts: AttemptArguments,
    run_log: RunLogArguments,
    model: ModelArguments,
    options: GivenOptions,
) -> tuple[SolverJob, SolveOptions, list[str]]:
    """Return the job, its plan, and lines about what is not in the score. Start nothing.

    Raises:
        InputError, ImportError, NotImplementedError, OSError, SandboxUnavailable: if something is missing.
        ValueError, TypeError: for invalid options.
    """
    from code_tasks.solvers.job import SolverChoice, SolverJob

    options = dict(options)
    model_options = model.given() | ({"extract": options.pop("extract")} if "extract" in options else {})
    # Invalid options are reported before files are read.
    config = EvalConfig.from_options(options, defaults={"dedupe": False}, without=SOLVE.refused)
    choice = SolverChoice(solver, attempts.samples, model_options)
    known = source.read()
    problems = source.chosen(known)
    job = SolverJob.of(replace(choice, task_ids=problems), known, config, decisive_settings(options))
    plan = job.plan(
        attempts.tries,
        attempts.order,
        concurrency=attempts.concurrency,
        on_solver_error=attempts.on_solver_error,
        record_pretty=run_log.record_pretty,
        log_at_end=run_log.log_at_end,
    )
    left_out = ["the solver dummy is always correct: nothing was run"] if solver == "dummy" else []
    if without := len(problems) - len(job.questions):
        left_out.append(f"{without} of the {len(problems)} problems have no samples and are not in the score")
    if number := job.samples_left_out(plan):
        left_out.append(f"{number} samples are not in the score: --tries takes the first {plan.n_tries} of each task")
    return job, plan, left_out


def show(summary: Summary, report: ReportArguments, settings: Mapping[str, Any]) -> None:
    """Print the summary. End the command with an error if a task has no attempt that worked.

    Args:
        summary: of the run.
        report: the form of the report.
        settings: of the run.
    """
    from code_tasks.solvers.summary import as_text

    text = "\n".join(printable(line) for line in as_text(summary).split("\n"))
    report.show(text, {"command": "solve", **summary.as_scores(), "settings": dict(settings)})
    if not summary.is_valid:
        fail(
            f"\nnot valid: no attempt worked at {len(summary.missing_tasks)} task(s): "
            f"{printable(summarize(summary.missing_tasks))}"
        )
