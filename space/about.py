"""The tab "About": the metric card, what the sandbox promises, and the code to call it."""

from __future__ import annotations

import re

import gradio as gr

from space.service import Service
from space.view import offer_panel

FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.DOTALL)
IMAGE = re.compile(r"^.*!\[[^\]]*\]\([^)]*\).*\n", re.MULTILINE)
TITLE = re.compile(r"\A\s*# .*\n")
SECTION = re.compile(r"^## ", re.MULTILINE)
LINK = re.compile(r"\[([^\]]+)\]\((?!https?://)[^)]*\)")

CALL = """\
import os
import evaluate

os.environ["HF_ALLOW_CODE_EVAL"] = "1"
code_eval = evaluate.load("path/to/code_eval.py")

pass_at_k, results = code_eval.compute(
    predictions=[["def add(a, b): return a * b", "def add(a, b): return a + b"]],
    references=["assert add(2, 3) == 5"],
    k=[1, 2],
)
"""


def about_tab(service: Service, readme: str, security: str) -> None:
    """Adds the tab's components to the page.

    Args:
        service: whose sandboxes are described.
        readme: the project's README.md.
        security: its SECURITY.md.
    """
    gr.Markdown("### Call it from Python")
    gr.Code(CALL, language="python", interactive=False, show_label=False)
    gr.Markdown("### What isolates programs on this server")
    for offer in service.offers.values():
        gr.HTML(offer_panel(offer))
    add_document("The metric card", readme)
    add_document("What the sandbox promises, and what it does not", security)


def add_document(title: str, text: str) -> None:
    """Adds a Markdown file of the project's: its introduction, and a part to open for each of its sections."""
    introduction, *sections = SECTION.split(for_a_page(text))
    gr.Markdown(f"### {title}")
    gr.Markdown(TITLE.sub("", introduction), elem_classes="ce-document")
    for section in sections:
        heading, _, body = section.partition("\n")
        with gr.Accordion(heading, open=False):
            gr.Markdown(body, elem_classes="ce-document")


def for_a_page(text: str) -> str:
    """A Markdown file of the project's as a page can show it: without front matter, pictures and links to its files."""
    return LINK.sub(r"\1", IMAGE.sub("", FRONT_MATTER.sub("", text)))
