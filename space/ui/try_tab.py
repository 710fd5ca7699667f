"""The tab "Try it": candidates and tests in editors, with results as they come."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any

import gradio as gr

from code_tasks.reports.html_parts import estimates
from sandboxes import EvalConfig
from sandboxes.languages.registry import HIGHLIGHTS
from space.errors import RequestError
from space.service import Service
from space.service_requests import without_blank
from space.ui.controls import Controls, controls, curve_plot, curve_update, hints
from space.ui.examples import EXAMPLES, Example
from space.ui.html_parts import empty, left_by_run, message, progress_bar, results_list
from space.ui.kept_editors import FROM_LINK, MAX_EDITORS, add_kept_events, read_kept
from space.ui.run_button import WAITING, RunAction, add_run

NOT_RUN = empty("Nothing was run.")
QUICK: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}


@dataclass(frozen=True)
class Editors:
    """The editors of candidates, each in a tab. The tabs after the last candidate are hidden."""

    codes: Sequence[gr.Code]
    pages: Sequence[gr.Tab]
    tabs: gr.Tabs
    count: gr.State
    """The number of candidates."""

    selected: gr.State
    """The number of the candidate whose tab is open, from 0."""

    @property
    def outputs(self) -> list[Any]:
        """The components that `show_candidates` gives values for."""
        return [*self.codes, *self.pages, self.tabs, self.count, self.selected]


@dataclass(frozen=True)
class Inputs:
    """The components of the left column."""

    editors: Editors
    add: gr.Button
    remove: gr.Button
    tests: gr.Code
    controls: Controls
    run: gr.Button
    cancel: gr.Button
    copy: gr.Button
    note: gr.HTML
    """What is to be said about a link."""

    @property
    def filled(self) -> list[Any]:
        """The components that an example gives values for."""
        chosen = self.controls
        return [*self.editors.outputs, self.tests, chosen.sandbox, chosen.grading, chosen.language]

    @property
    def kept(self) -> list[Any]:
        """The components whose values outlive the page, in the order that page.js takes them in."""
        chosen = self.controls
        return [*self.editors.codes, self.tests, chosen.sandbox, chosen.grading, chosen.language]


@dataclass(frozen=True)
class Outputs:
    """The components of the right column."""

    status: gr.HTML
    numbers: gr.HTML
    curve: gr.Plot
    results: gr.HTML
    left: gr.State
    """What `RunAction.left` holds."""


@dataclass(frozen=True)
class TryTab:
    """The parts of the tab that the page's first events use."""

    controls: Controls
    hidden: Mapping[str, Sequence[gr.Button]]
    """The hidden buttons of examples, by language."""

    restore: Callable[[str], list[Any]]
    """Returns the values of `restored`, from the value of `kept`."""

    kept: gr.Textbox
    restored: Sequence[Any]


def try_tab(service: Service, runs: dict[str, Any]) -> TryTab:
    """Add the tab's components and events to the page.

    Args:
        service: runs programs.
        runs: keywords of each event that runs programs.
    """
    with gr.Row(elem_classes="ce-examples"):
        gr.HTML("Examples", elem_classes="ce-examples-title")
        buttons = [gr.Button(example.title, size="sm", visible=example.language == "python") for example in EXAMPLES]
    with gr.Row(equal_height=False):
        with gr.Column(scale=6, min_width=320):
            inputs = add_inputs(service, EXAMPLES[0])
        with gr.Column(scale=5, min_width=320):
            prompt = empty("Choose an example or write a program, then press Run or Ctrl+Enter.")
            status = gr.HTML(prompt, elem_classes="ce-status")
            outputs = Outputs(status, gr.HTML(), curve_plot(), gr.HTML(), gr.State(""))
    add_editor_events(inputs)
    add_example_events(service, inputs, buttons)
    add_kept_events(inputs.kept, inputs.copy, inputs.note)
    add_run(inputs.run, inputs.cancel, run_action(service, inputs, outputs), runs)
    hidden: dict[str, list[gr.Button]] = {}
    for button, example in zip(buttons, EXAMPLES, strict=True):
        if example.language != "python":
            hidden.setdefault(example.language, []).append(button)
    restored = [*inputs.filled, inputs.note]
    return TryTab(inputs.controls, hidden, partial(restore, service, inputs), gr.Textbox(visible=False), restored)


def add_inputs(service: Service, example: Example) -> Inputs:
    """Add the left column: editors with an example, the controls, and the buttons."""
    editors = add_editors(example.candidates)
    with gr.Row(elem_classes="ce-pair"):
        add = gr.Button("Add a candidate", size="sm")
        remove = gr.Button("Remove this one", size="sm")
    tests = gr.Code(example.tests, language="python", lines=5, max_lines=16, label="Tests", interactive=True)
    with gr.Row(elem_classes="ce-pair"):
        run = gr.Button("Run", variant="primary", elem_classes="ce-run")
        cancel = gr.Button("Cancel", interactive=False)
        copy = gr.Button("Copy link")
    note = gr.HTML(elem_classes="ce-note")
    chosen = controls(service, "Language")
    return Inputs(editors, add, remove, tests, chosen, run, cancel, copy, note)


def add_editors(candidates: Sequence[str]) -> Editors:
    """Add the editors, with these candidates in the first ones."""
    count, selected = gr.State(len(candidates)), gr.State(0)
    pages, codes = [], []
    with gr.Tabs(selected=0, elem_classes="ce-candidates") as tabs:
        for number in range(MAX_EDITORS):
            title, is_visible = f"Candidate {number + 1}", number < len(candidates)
            with gr.Tab(title, id=number, visible=is_visible) as page:
                text = candidates[number] if is_visible else ""
                codes.append(gr.Code(text, language="python", lines=12, max_lines=24, label=title, interactive=True))
            page.select(lambda number=number: number, None, selected, queue=False, api_visibility="private")
            pages.append(page)
    return Editors(codes, pages, tabs, count, selected)


def show_candidates(candidates: Sequence[str], selected: int) -> list[Any]:
    """Return the values of `Editors.outputs` for these candidates, with one of them selected."""
    texts = [*candidates, *[""] * (MAX_EDITORS - len(candidates))]
    # Gradio does not hide a tab with False that was visible at first. "hidden" does.
    visible = [gr.update(visible=number < len(candidates) or "hidden") for number in range(MAX_EDITORS)]
    return [*texts, *visible, gr.update(selected=selected), len(candidates), selected]


def add_candidate(count: int, *texts: str) -> list[Any]:
    """Return the values of `Editors.outputs` with one more candidate, which is empty."""
    if count == MAX_EDITORS:
        raise gr.Error(f"This tab holds {MAX_EDITORS} candidates. A file may hold more: see the tab Score a file.")
    return show_candidates([*texts[:count], ""], count)


def remove_candidate(count: int, selected: int, *texts: str) -> list[Any]:
    """Return the values of `Editors.outputs` without the selected candidate."""
    left = [text for number, text in enumerate(texts[:count]) if number != selected]
    return show_candidates(left or [""], min(selected, max(len(left) - 1, 0)))


def add_editor_events(inputs: Inputs) -> None:
    """Let the buttons add and remove candidates, and the editors follow the chosen language."""
    editors, language = inputs.editors, inputs.controls.language
    inputs.add.click(add_candidate, [editors.count, *editors.codes], editors.outputs, **QUICK)
    inputs.remove.click(remove_candidate, [editors.count, editors.selected, *editors.codes], editors.outputs, **QUICK)
    language.change(
        lambda name: [gr.update(language=HIGHLIGHTS[name])] * (MAX_EDITORS + 1),
        language,
        [*editors.codes, inputs.tests],
        **QUICK,
    )


def add_example_events(service: Service, inputs: Inputs, buttons: Sequence[gr.Button]) -> None:
    """Let each button put its example into the page."""
    for button, example in zip(buttons, EXAMPLES, strict=True):
        button.click(partial(fill, service, example), None, inputs.filled, **QUICK)


def fill(service: Service, example: Example) -> list[Any]:
    """Return the values of `Inputs.filled` for an example."""
    name = service.languages.sandbox_with(example.language, service.default_sandbox)
    sandbox = example.sandbox or (gr.skip() if example.language == "python" else name)
    if example.sandbox and service.sandboxes[example.sandbox].refused:
        sandbox = gr.skip()
    return [*show_candidates(example.candidates, 0), example.tests, sandbox, example.grading, example.language]


def restore(service: Service, inputs: Inputs, text: str) -> list[Any]:
    """Return the values of `TryTab.restored`: the editors as the browser kept them, or as a link fills them."""
    try:
        kept = read_kept(text, service.sandboxes)
    except RequestError as error:
        kept, note = None, message(str(error), "warning")
    else:
        note = message(FROM_LINK, "info") if kept and kept[1] else ""
    return [*(fill(service, kept[0]) if kept else [gr.skip()] * len(inputs.filled)), note]


def run_action(service: Service, inputs: Inputs, outputs: Outputs) -> RunAction:
    """Return what the button Run starts."""

    def request(count: int, *values: Any) -> tuple[EvalConfig, list[str], str]:
        texts, tests, choice = values[:count], values[MAX_EDITORS], values[MAX_EDITORS + 1 :]
        return service.choices(*choice), without_blank(texts), tests or ""

    def wait(*values: Any) -> list[Any]:
        request(*values)
        return [WAITING, "", gr.update(visible=False), "", NOT_RUN]

    async def run_candidates(*values: Any) -> AsyncGenerator[list[Any], None]:
        choices, candidates, tests = request(*values)
        async with aclosing(service.evaluate(choices, [candidates], [tests])) as run:
            async for evaluation in run:
                progress = evaluation.progress
                waiting = [number for number, result in enumerate(evaluation.results, start=1) if result is None]
                yield [
                    progress_bar(progress.counts, progress.total, progress.note),
                    estimates(progress.estimates, hints(progress, choices)),
                    curve_update(progress.curve),
                    results_list(evaluation.results),
                    left_by_run(progress, "candidate", waiting),
                ]

    return RunAction(
        inputs=[inputs.editors.count, *inputs.editors.codes, inputs.tests, *inputs.controls.inputs],
        outputs=list(vars(outputs).values()),
        wait=wait,
        work=run_candidates,
        refused=(NOT_RUN, "", gr.update(visible=False), "", ""),
        left=outputs.left,
        ended_early=lambda left: (left, gr.skip(), gr.skip(), gr.skip(), gr.skip()),
    )
