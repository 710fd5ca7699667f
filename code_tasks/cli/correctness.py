"""The command `code-eval correctness`, and its report."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from code_tasks.benchmarks.readers import InputError
from code_tasks.cli.arguments import expand_arguments, usage_errors
from code_tasks.cli.options import Door, GivenOptions
from code_tasks.cli.output import check_writable, fail, write_results
from code_tasks.correctness import LABELS, CheckedRecord, CorrectnessChecker, Record, fill_in_prompts, read_correctness
from code_tasks.correctness.checker import NOT_OF_CORRECTNESS, TIMEOUT_SECONDS
from code_tasks.scoring.trusted_files import check_apart
from sandboxes import SandboxUnavailable, Verdict, close_pools
from sandboxes.validation import printable

MAX_DETAIL_CHARS = 100
MAX_ROWS = 50

# No reuse: each run draws a token of its own, so no key holds all that decides.
CORRECTNESS = Door(
    groups=("scoring", "limits", "sandbox", "docker"),
    refused=dict.fromkeys({*NOT_OF_CORRECTNESS} - {"repeats"}, "the records and their languages' tests decide"),
    defaults={"repeats": 3, "timeout": TIMEOUT_SECONDS},
)


@dataclass(frozen=True)
class OutputFiles:
    """The files that the command writes."""

    PANEL: ClassVar[str] = "Files"

    output: Annotated[Path | None, typer.Option(help="Write the runs of each record here, as JSON lines.")] = None
    labels: Annotated[
        Path | None,
        typer.Option(
            help="Write the records here, as JSON lines. A record without a label has the label of its runs in "
            '"outputs". Without --labels, such a record is an error.'
        ),
    ] = None
    prompts: Annotated[
        Path | None,
        typer.Option(
            help="Write what a model is asked about each record here, as JSON lines, and run nothing: "
            '{"id", "language", "prompt", "outputs"}.'
        ),
    ] = None

    def check(self, data: Path) -> None:
        """Raise ValueError for files that would overwrite the records or each other. End the command for other faults.

        Args:
            data: the file of records.
        """
        if self.prompts and (self.output or self.labels):
            raise ValueError("--prompts runs nothing; give --output and --labels to a command of their own")
        others = {"the records": data}
        for option, path in {"--output": self.output, "--labels": self.labels, "--prompts": self.prompts}.items():
            if path:
                check_apart(option, path, others)
                check_writable(path)
                others[option] = path

    def write(self, checked: Sequence[CheckedRecord]) -> None:
        """Write the results and the labelled records."""
        if self.output:
            write_results(self.output, [result_record(record) for record in checked])
        if self.labels:
            write_results(self.labels, [labelled_record(record) for record in checked])


@expand_arguments
def correctness(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="JSON lines, an array or one record, plain or gzipped: "
            '{"instruction", "inputs": {"focal_code", "test_code", "lang"}, "outputs", "meta": {"id"}}.',
        ),
    ],
    options: Annotated[GivenOptions, CORRECTNESS],
    files: OutputFiles,
    syntax_errors_fail: Annotated[
        bool,
        typer.Option(
            "--syntax-errors-fail",
            help='Label a record "failed" if its test is not a valid program, as MERA defines it. Otherwise such a '
            "record has no label.",
        ),
    ] = False,
) -> None:
    """Run the records of a CodeCorrectness dataset, in Python, Java and Go, and compare its labels.

    A record is code, a test of it, and the label "success" or "failed". This runs code and tests, which nobody may have
    read. `code-eval doctor` shows how they are isolated.
    """
    options = {**CORRECTNESS.defaults, **options}
    repeats = options.pop("repeats")
    with usage_errors():
        files.check(data)
        checker = CorrectnessChecker(**options)
    start = time.monotonic()
    try:
        records = read_correctness(data, needs_labels=not (files.labels or files.prompts))
        if files.prompts:
            write_prompts(files.prompts, records)
            return
        checked = checker.check(records, repeats, syntax_errors_fail)
    except (InputError, SandboxUnavailable) as error:
        fail(str(error))
    finally:
        close_pools()
    files.write(checked)
    typer.echo(as_text(checked, repeats, time.monotonic() - start), nl=False)


def write_prompts(path: Path, records: Sequence[Record]) -> None:
    """Write what a model is asked about each record, as JSON lines. Raise InputError for an invalid instruction."""
    lines = [
        {"id": record.id, "language": record.language, "prompt": prompt, "outputs": record.label or None}
        for record, prompt in zip(records, fill_in_prompts(records), strict=True)
    ]
    write_results(path, lines)
    typer.echo(f"{len(lines)} prompts written to {printable(str(path))}")


def labelled_record(checked: CheckedRecord) -> dict[str, Any]:
    """Return a record as it was read, with the label of its runs if it had none."""
    return {**checked.record.source, "outputs": checked.record.label or checked.label}


def result_record(checked: CheckedRecord) -> dict[str, Any]:
    """Return a record's line in the file of results."""
    runs = [
        {"outcome": verdict.outcome.value, "detail": verdict.detail, "wall_seconds": verdict.wall_seconds}
        | {"stdout": verdict.stdout, "stderr": verdict.stderr}
        for verdict in checked.results
        if isinstance(verdict, Verdict)
    ]
    record = checked.record
    identity = {"id": record.id, "language": record.language, "place": record.place, "outputs": record.label or None}
    return identity | {"label": checked.label, "flaky": checked.is_flaky, "fault": checked.problem, "runs": runs}


def as_text(checked: Sequence[CheckedRecord], repeats: int, wall_seconds: float) -> str:
    """Return the report that the command prints.

    Args:
        checked: all records.
        repeats: runs of each record.
        wall_seconds: time of all runs together.
    """
    times = "once" if repeats == 1 else f"{repeats} times"
    lines = [f"{len(checked)} records, each run {times}, in {wall_seconds:.1f} s", ""]
    lines.append("  language    records   labels that the runs agree with")
    by_language: dict[str, list[CheckedRecord]] = {}
    for record in sorted(checked, key=lambda checked: checked.record.language):
        by_language.setdefault(record.record.language, []).append(record)
    for name, group in {**by_language, "all": list(checked)}.items():
        known = [record.agrees for record in group if record.agrees is not None]
        share = f"{100 * sum(known) / len(known):6.1f} %   ({sum(known)} of {len(known)})" if known else "     -"
        lines.append(f"  {name:<12}{len(group):7}   {share}")
    lines += labels_given(checked)
    contradicted = [record for record in checked if record.agrees is False]
    lines += section("records whose label the runs contradict", contradicted)
    lines += section("flaky records: their runs differ", [record for record in checked if record.is_flaky])
    unclear = [record for record in checked if record.problem]
    lines += section("records whose runs say nothing about their code", unclear)
    # Names come from files.
    return "\n".join(printable(line) for line in [*lines, ""])


def labels_given(checked: Sequence[CheckedRecord]) -> list[str]:
    """Return lines on the labels of records that had none; none if there are no such records."""
    given = [record.label for record in checked if not record.record.label]
    counts = ", ".join(f"{given.count(label)} {label}" for label in LABELS)
    found = len(given) - given.count(None)
    return ["", f"{found} of {len(given)} records without a label have one from their runs: {counts}"] if given else []


def section(title: str, checked: Sequence[CheckedRecord]) -> list[str]:
    """Return lines on some records; none without records."""
    rows = [f"  {record.record.place}: id {record.record.id}: {reason(record)}" for record in checked[:MAX_ROWS]]
    if len(checked) > MAX_ROWS:
        rows.append(f"  ... and {len(checked) - MAX_ROWS} more")
    return ["", title, *rows] if rows else []


def reason(checked: CheckedRecord) -> str:
    """Return, in a line for people, why a record needs a look."""
    if checked.problem:
        return checked.problem
    failed = [result.detail for result in checked.results if isinstance(result, Verdict) and not result.passed]
    detail = f" ({failed[0][:MAX_DETAIL_CHARS]})" if failed else ""
    counts = [f"{checked.labels.count(label)} {label}" for label in sorted(set(checked.labels), reverse=True)]
    label = f"labelled {checked.record.label}" if checked.record.label else "without a label"
    return f"{label}, its runs: {', '.join(counts)}{detail}"
