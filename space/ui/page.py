"""The page with its tabs and endpoints, and the options of the server that serves it."""

from __future__ import annotations

import importlib.util
import itertools
from importlib.resources import files
from typing import Any

import gradio as gr
from starlette.middleware import Middleware

from code_tasks.reports.html_parts import results_css
from sandboxes.consent import has_consent
from space.api.endpoints import add_endpoints
from space.hosting.housekeeping import all_lifespans, housekeeping
from space.hosting.request_filter import RequestFilter
from space.hosting.tool_calls import ToolCalls
from space.service import Service
from space.service_requests import NOT_ALLOWED
from space.ui.about_tab import about_tab
from space.ui.controls import language_update
from space.ui.file_tab import file_tab
from space.ui.html_parts import header, message, script
from space.ui.kept_editors import READ
from space.ui.try_tab import try_tab

TITLE = "Code Eval"
TAGLINE = "Runs model-written programs against tests, each in a sandbox, and gives the reason for each verdict."
CLEAN_UP_INTERVAL_SECONDS = 600
MAX_FILE_AGE_SECONDS = 3600
MAX_SESSIONS = 1_000
# Gradio's default fonts come from another server.
FONTS = ("ui-sans-serif", "system-ui", "sans-serif")
MONO_FONTS = ("ui-monospace", "Consolas", "monospace")


def build(service: Service, calls: ToolCalls, readme: str, security: str) -> gr.Blocks:
    """Return the page with its tabs and endpoints.

    Args:
        service: runs programs.
        calls: the calls of the endpoints as tools.
        readme: the project's README.md.
        security: its SECURITY.md.
    """
    settings = service.settings
    # One queue for the runs of all events.
    runs: dict[str, Any] = {"concurrency_limit": settings.max_concurrent_runs, "concurrency_id": "runs"}
    clean_up = (CLEAN_UP_INTERVAL_SECONDS, MAX_FILE_AGE_SECONDS)
    page: gr.Blocks
    with gr.Blocks(title=TITLE, analytics_enabled=False, delete_cache=clean_up) as page:
        gr.HTML(header(TITLE, TAGLINE))
        if not has_consent():
            gr.HTML(message(NOT_ALLOWED, "warning"))
        with gr.Tabs():
            with gr.Tab("Try it", id="try"):
                tried = try_tab(service, runs)
            with gr.Tab("Score a file", id="file"):
                file_controls = file_tab(service, runs)
            with gr.Tab("About", id="about"):
                about_tab(service, readme, security)
        add_endpoints(service, calls, runs)

        languages = [tried.controls.language, file_controls.language]

        async def show_languages(*chosen: str) -> list[Any]:
            await service.languages.wait_for(service.default_sandbox)
            available = {name for sandbox in service.sandboxes for name in service.languages.of(sandbox)}
            examples = [gr.update(visible=name in available) for name, buttons in tried.hidden.items() for _ in buttons]
            pairs = zip(chosen[::2], chosen[1::2], strict=True)
            return [language_update(service, sandbox, language) for sandbox, language in pairs] + examples

        quiet: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
        restored = page.load(tried.restore, tried.kept, tried.restored, js=READ, **quiet)
        # The server may still be finding out its languages when the page loads.
        restored.then(
            show_languages,
            [tried.controls.sandbox, languages[0], file_controls.sandbox, languages[1]],
            [*languages, *itertools.chain(*tried.hidden.values())],
            **quiet,
        )
    # Calls of the endpoints wait in the queue too.
    page.queue(max_size=settings.max_queue, api_open=False, default_concurrency_limit=None)
    return page


def launch_options(page: gr.Blocks, service: Service, calls: ToolCalls) -> dict[str, Any]:
    """Return the keywords of the page's `launch`, and give the page its server of tools."""
    assets = files("space.ui") / "assets"
    lifespans = [housekeeping(service.store.folder, service.settings.max_disk_mb << 20)]
    if importlib.util.find_spec("mcp") is not None:
        # Gradio's tools need the package mcp, which a Space of one's own may be without.
        from space.hosting.json_tools import add_tools

        lifespans.append(add_tools(page))
    settings = service.settings
    theme = gr.themes.Default(primary_hue="indigo", neutral_hue="slate", font=FONTS, font_mono=MONO_FONTS)
    return {
        # Gradio's own colours are too pale to read.
        "theme": theme.set(
            body_text_color_subdued="*neutral_500",
            link_text_color_dark="*secondary_400",
            button_primary_background_fill="*primary_600",
            button_primary_background_fill_hover="*primary_700",
        ),
        "css": results_css() + (assets / "page.css").read_text(encoding="utf-8"),
        "head": script((assets / "page.js").read_text(encoding="utf-8")),
        "footer_links": ["api"],
        # A visitor's runs are shown only on the visitor's own page.
        "run_history": False,
        "enable_monitoring": False,
        "ssr_mode": False,
        "show_error": False,
        # Without it, a launch fails if the server's first page takes longer than three seconds, as on a busy machine.
        "_frontend": False,
        "max_file_size": settings.max_file_mb << 20,
        # A session takes 250 KiB of memory.
        "state_session_capacity": MAX_SESSIONS,
        # Gradio would replace the page's own server of tools.
        "mcp_server": False,
        "app_kwargs": {
            "middleware": [Middleware(RequestFilter, settings=settings, calls=calls)],
            "lifespan": all_lifespans(lifespans),
        },
    }
