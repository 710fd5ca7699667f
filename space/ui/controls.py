"""The controls that both tabs have: how to run and score programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr
import plotly.graph_objects as go

from code_tasks.scoring.estimates import PassAtK
from sandboxes import EvalConfig, Limits
from sandboxes.languages.registry import LABELS
from space.service import Progress, Service
from space.service_requests import DEFAULT_KS
from space.ui.html_parts import refused_sandboxes, sandbox_panel

GRADING_CHOICES = [
    ("auto: apart if the tests allow it", "auto"),
    ("separate: tests run apart, so that a pass can't be forged", "separate"),
    ("shared: tests run with the candidate", "shared"),
]

EXTRACT_CHOICES = [
    ("auto: programs, or chat answers that hold them", "auto"),
    ("none: programs, which run as they are", "none"),
]
EXTRACT_LABEL = "What the candidates are"


@dataclass(frozen=True)
class Controls:
    """The components, in the order in which `Service.choices` takes their values."""

    sandbox: gr.Radio
    grading: gr.Dropdown
    k: gr.Textbox
    timeout: gr.Slider
    memory_mb: gr.Slider
    language: gr.Dropdown
    extract: gr.Dropdown

    @property
    def inputs(self) -> list[Any]:
        """The components, as inputs of an event."""
        return [self.sandbox, self.grading, self.k, self.timeout, self.memory_mb, self.language, self.extract]


def controls(service: Service, language_label: str) -> Controls:
    """Add the controls to the page, with the layers of the chosen sandbox.

    Args:
        service: runs programs.
        language_label: the label of the choice of a language.
    """
    settings, limits = service.settings, Limits()
    refused = {name: entry.refused for name, entry in service.sandboxes.items() if entry.refused}
    usable = [name for name in service.sandboxes if name not in refused]
    # All languages, until the page has loaded: `language_update` then leaves those of the sandbox.
    language = gr.Dropdown(
        [(label, name) for name, label in LABELS.items()], value="python", label=language_label, interactive=True
    )
    sandbox = gr.Radio(usable, value=service.default_sandbox if usable else None, label="Sandbox")
    if refused:
        gr.HTML(refused_sandboxes(refused))
    panel = gr.HTML(sandbox_panel(service.sandboxes[service.default_sandbox]) if usable else "")
    with gr.Accordion("Grading and limits", open=False):
        extract = gr.Dropdown(EXTRACT_CHOICES, value="auto", label=EXTRACT_LABEL)
        grading = gr.Dropdown(GRADING_CHOICES, value="auto", label="Where tests run")
        k = gr.Textbox(", ".join(map(str, DEFAULT_KS)), label="k of pass@k", max_lines=1)
        timeout = gr.Slider(
            0.5,
            settings.max_timeout,
            value=min(limits.wall_seconds, settings.max_timeout),
            step=0.5,
            label="Seconds for each candidate",
        )
        memory_mb = gr.Slider(
            min(64, settings.max_memory_mb),
            settings.max_memory_mb,
            value=min(limits.memory_bytes >> 20, settings.max_memory_mb),
            step=1,
            label="MiB of memory for each candidate",
        )
    sandbox.change(
        lambda name, chosen: (sandbox_panel(service.sandboxes[name]), language_update(service, name, chosen)),
        [sandbox, language],
        [panel, language],
        queue=False,
        api_visibility="private",
    )
    return Controls(sandbox, grading, k, timeout, memory_mb, language, extract)


def language_update(service: Service, sandbox: str, chosen: str) -> Any:
    """Return the update of the choice of a language: a sandbox's languages, with the chosen one kept if it has that."""
    available = service.languages.of(sandbox)
    choices = [(LABELS[name], name) for name in available]
    return gr.update(choices=choices, value=chosen if chosen in available else "python")


def hints(progress: Progress, choices: EvalConfig) -> list[str]:
    """Return what the results say about the answers, with the choice that takes code out of them if it was not made."""
    return progress.hints.sentences("" if choices.tasks.extract else f'"auto" under "{EXTRACT_LABEL}"')


def curve_plot() -> gr.Plot:
    """Add the plot of pass@k over k, hidden until there is a curve."""
    return gr.Plot(visible=False, label="pass@k over k", show_label=False, elem_classes="ce-curve")


def curve_update(curve: Sequence[PassAtK]) -> Any:
    """Return the update of the plot: pass@k over k, or a hidden plot if there is only one k."""
    if len(curve) < 2:
        return gr.update(visible=False)
    figure = go.Figure(
        go.Scatter(
            x=[point.k for point in curve],
            y=[point.mean for point in curve],
            mode="lines+markers",
            line={"color": "#6366f1"},
            hovertemplate="pass@%{x}: %{y:.1%}<extra></extra>",
        )
    )
    # These colours can be read on white and on black.
    gray, lines = "#7c8797", "rgba(124, 135, 151, 0.3)"
    axis = {"gridcolor": lines, "zeroline": False, "fixedrange": True}
    last = curve[-1].k
    figure.update_layout(
        height=210,
        margin={"l": 48, "r": 16, "t": 12, "b": 40},
        paper_bgcolor="rgba(0, 0, 0, 0)",
        plot_bgcolor="rgba(0, 0, 0, 0)",
        font={"color": gray},
        showlegend=False,
        xaxis={**axis, "title": {"text": "k"}, "tickmode": "linear", "tick0": 1, "dtick": -(-last // 10)},
        yaxis={**axis, "title": {"text": "pass@k"}, "tickformat": ".0%", "range": [-0.03, 1.03]},
    )
    return gr.update(value=figure, visible=True)
