"""`code-eval audit`: runs a benchmark's own solutions, stubs and mutants, before a model is blamed."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from code_tasks.audit.problem_audit import FINDINGS
from code_tasks.benchmarks.problems import Problem
from code_tasks.cli.arguments import expand_arguments, usage_errors
from code_tasks.cli.benchmark_source import BenchmarkSource
from code_tasks.cli.options import Door, GivenOptions, decisive_settings
from code_tasks.cli.output import STATUS_BELOW, check_writable, fail, show_next_step, write_results
from code_tasks.cli.score_report import JsonArguments
from code_tasks.cli.wording import as_command_message
from code_tasks.scoring.trusted_files import check_apart
from sandboxes import EvalConfig, SandboxUnavailable, close_pools

REPEATS = 3
AUDIT = Door(
    refused={
        "languages": "problems name their languages",
        "extract": "canonical solutions are code",
        "k": "no model is scored",
        "on_invalid_tests": "invalid tests are a finding",
        "partial_credit": "a mutant passes or does not",
        "stop_at_first_failure": "a mutant passes or does not",
        "return_output": "a mutant passes or does not",
        "output_variable": "a mutant passes or does not",
    },
    defaults={"repeats": REPEATS, "hash_seed": "random"},
)


@dataclass(frozen=True)
class AuditArguments:
    """The options of an audit alone."""

    PANEL: ClassVar[str] = "The audit"

    output: Annotated[
        Path | None,
        typer.Option(help="Write the audit of each problem here, as JSON lines, with everything that was found out."),
    ] = None
    mutants: Annotated[
        int,
        typer.Option(
            min=0,
            help="Mutants of each canonical solution in Python: comparisons, constants, operators, conditions, slices, "
            "ranges and results are changed, one in each mutant. Some mutants do the same as the canonical solution, "
            "and no test can refuse them. There are no mutants in other languages.",
        ),
    ] = 10
    solutions: Annotated[
        Path | None,
        typer.Option(
            help="Other solutions, such as corrected ones, in any form of samples. A problem whose tests refuse one "
            "is listed: the tests are wrong, or that solution is."
        ),
    ] = None
    seed: Annotated[int, typer.Option(help="Decides which mutants are chosen.")] = 0
    fail_on: Annotated[
        list[str],
        typer.Option(
            help="End with status 1 if this was found; give it several times for several findings. "
            + "; ".join(f"{name}: {text}" for name, text in FINDINGS.items())
            + ". none: end with status 0.",
            metavar="|".join((*FINDINGS, "none")),
        ),
    ] = ("fails", "flaky", "stub", "disputed")  # type: ignore[assignment]

    def __post_init__(self) -> None:
        """Raise BadParameter for an unknown finding."""
        if unknown := {*self.fail_on} - {*FINDINGS, "none"}:
            choices = ", ".join((*FINDINGS, "none"))
            raise typer.BadParameter(f"--fail-on must be one of {choices}, not {min(unknown)!r}")


def read_solutions(path: Path, problems: Mapping[str, Problem], config: EvalConfig) -> dict[str, list[str]]:
    """Return the programs of a file of samples, by task_id. Raises InputError."""
    from code_tasks.benchmarks.sample_reader import read_samples

    programs: dict[str, list[str]] = {}
    for sample in read_samples(path, problems):
        problem = problems[sample.task_id]
        program = sample.program(problem, problem.language or config.tasks.language)
        programs.setdefault(sample.task_id, []).append(program)
    return programs


@expand_arguments
def audit(
    source: BenchmarkSource,
    arguments: AuditArguments,
    report: JsonArguments,
    options: Annotated[GivenOptions, AUDIT],
) -> None:
    """Audit a benchmark: run its canonical solutions, stubs that solve nothing, and mutants of the solutions.

    The report lists the problems whose canonical solution fails or is missing, whose tests a stub or many mutants pass,
    and which are flaky or slow. A stub passes rightly if a constant is the right answer.
    """
    from code_tasks.audit.report import as_data, as_text
    from code_tasks.audit.run import AuditPlan, audit_problems

    with usage_errors():
        if source.strict_official:
            raise ValueError("--strict-official is for code-eval run: an audit has our verdicts")
        config = source.eval_config(options, AUDIT.refused)
        if arguments.output:
            check_apart("--output", arguments.output, {"the problems": source.problems})
    if arguments.output:
        check_writable(arguments.output)
    plan = AuditPlan(options.get("repeats", REPEATS), arguments.mutants, arguments.seed)
    begin = time.monotonic()
    try:
        loaded = source.load_for(options)
        if source.benchmark is None:
            config = loaded.benchmark.eval_config(options, AUDIT.refused)
        problems = source.chosen(loaded.problems)
        solutions = read_solutions(arguments.solutions, problems, config) if arguments.solutions else None
        audits = list(audit_problems(problems, config, plan, solutions))
    except (ValueError, TypeError, ImportError, NotImplementedError, SandboxUnavailable) as error:
        fail(as_command_message(str(error)))
    finally:
        close_pools()
    if arguments.output:
        write_results(arguments.output, [each.as_record() for each in audits])
    seconds = time.monotonic() - begin
    scored = {
        "command": "audit",
        "benchmark": loaded.benchmark.name or None,
        "limit": source.limit,
        "task": source.task,
    }
    report.show(
        as_text(audits, seconds), {**scored, **as_data(audits, seconds), "settings": decisive_settings(options)}
    )
    if not arguments.output:
        show_next_step("the same command with --output FILE writes every stub and mutant, and how it ended")
    if any({*each.findings} & {*arguments.fail_on} for each in audits):
        sys.exit(STATUS_BELOW)
