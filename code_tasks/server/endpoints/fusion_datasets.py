"""SandboxFusion's endpoints about datasets: submissions of a problem, and the prompts of problems."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

from fastapi import APIRouter, Request

from code_tasks.benchmarks import LoadedBenchmark
from code_tasks.server.errors import InvalidRequest
from code_tasks.server.foreign.custom_extraction import custom_blocks
from code_tasks.server.foreign.programs import limits_of, verdict_of
from code_tasks.server.foreign.routes import FusionRoute
from code_tasks.server.json_answers import JsonAnswer
from code_tasks.server.owner_limits import allowed_compile_seconds, allowed_memory, allowed_seconds, require_language
from code_tasks.server.protocols import common_oj
from code_tasks.server.protocols.fusion_extraction import CodeBlock, all_blocks, chosen_block
from code_tasks.server.protocols.fusion_models import (
    EvalResult,
    GetPromptByIdRequest,
    GetPromptsRequest,
    Prompt,
    SubmitRequest,
    TestConfig,
)
from code_tasks.server.protocols.languages import FUSION_FENCES, FUSION_LANGUAGES
from code_tasks.server.request_state import service_of
from sandboxes import Task
from sandboxes.validation import short_repr

router = APIRouter(route_class=FusionRoute, default_response_class=JsonAnswer, tags=["SandboxFusion"])


@router.post("/submit")
async def submit(body: SubmitRequest, request: Request) -> EvalResult:
    """Judge a completion: of a problem that the request brings along, or of a benchmark that the server offers."""
    if (loaded := offered(request).get(body.dataset)) and body.config.provided_data is None:
        return await submit_problem(body, request, loaded)
    require_common_oj(body.dataset, body.config)
    cases = common_oj.cases_of(common_oj.row_of(body.config))
    service, config = service_of(request), body.config
    language = language_of(request, config)
    compile_seconds, seconds = common_oj.seconds_of(config)
    limits = limits_of(
        allowed_seconds(service, "config.run_timeout", seconds), allowed_memory(service, "memory_limit_MB", None)
    )
    options = {
        "compile_timeout": allowed_compile_seconds(service, "config.compile_timeout", compile_seconds),
        "stop_at_first_failure": not config.extra.get("run_all_cases", False),
    }
    block = await extracted(body, request, limits.wall_seconds)
    task = Task(common_oj.reference_of(cases), [block.code if block else ""], language=language, limits=limits)
    return common_oj.eval_result(body, block, cases, await verdict_of(request, task, options), language)


async def extracted(body: SubmitRequest, request: Request, seconds: float) -> CodeBlock | None:
    """Return the block of a completion that has the code, as SandboxFusion chooses it. None: there is none."""
    language, logic = body.config.language or "", body.config.custom_extract_logic
    custom = await custom_blocks(request, logic, body.completion, seconds) if logic is not None else []
    # In a thread, because a completion may be as long as a request.
    blocks = await asyncio.to_thread(all_blocks, body.completion, language, FUSION_FENCES, custom)
    return chosen_block(blocks, language)


async def submit_problem(body: SubmitRequest, request: Request, loaded: LoadedBenchmark) -> EvalResult:
    """Judge a completion of a benchmark's problem, with the limits and the comparison of the benchmark's grader."""
    service, key = service_of(request), problem_id(loaded, body.id)
    problem = loaded.problems[key]
    asked = language_of(request, body.config) if body.config.language else ""
    language = require_language(service, "config.language", problem.language, problem.language or asked or "python")
    if asked not in ("", language):
        raise InvalidRequest("config.language", f"{short_repr(key)} is a problem in {language}, not in {asked}")
    block = await extracted(body, request, service.settings.max_timeout)
    program = problem.whole(block.code, language) if block else problem.candidate(body.completion, language)
    # The limits may follow from the time of the canonical solution, which has to run for that.
    [task] = await asyncio.to_thread(loaded.tasks, {key: [""]}, service.settings.config)
    task = replace(task, candidates=[program], language=language)
    verdict = await verdict_of(request, task, {})
    cases: list[dict[str, dict[str, str]]] = [{} for _ in verdict.tests or (verdict,)]
    result = common_oj.eval_result(body, block, cases, verdict, language)
    return result.model_copy(update={"full_code": program})


@router.get("/list_datasets")
async def list_datasets(request: Request) -> list[str]:
    """Return the ids of the benchmarks that the server offers."""
    return list(offered(request))


@router.post("/list_ids")
async def list_ids(body: GetPromptsRequest, request: Request) -> list[int | str]:
    """Return the ids of problems."""
    return [prompt.id for prompt in prompts_of(body, request)]


@router.post("/get_prompts")
async def get_prompts(body: GetPromptsRequest, request: Request) -> list[Prompt]:
    """Return the prompts of problems."""
    return prompts_of(body, request)


@router.post("/get_prompt_by_id")
async def get_prompt_by_id(body: GetPromptByIdRequest, request: Request) -> Prompt:
    """Return the prompt of one problem."""
    if (loaded := offered(request).get(body.dataset)) and body.config.provided_data is None:
        return benchmark_prompt(loaded, problem_id(loaded, body.id))
    require_common_oj(body.dataset, body.config)
    return common_oj.prompt_of(common_oj.row_of(body.config), prompt_language(request, body.config))


def prompts_of(body: GetPromptsRequest, request: Request) -> list[Prompt]:
    """Return the prompts that a request asks for. `offset` and `limit` are for benchmarks, as in SandboxFusion."""
    rows = body.config.provided_data
    if (loaded := offered(request).get(body.dataset)) and rows is None:
        keys = list(loaded.problems)[body.offset : body.offset + body.limit]
        return [benchmark_prompt(loaded, key) for key in keys]
    require_common_oj(body.dataset, body.config)
    if not isinstance(rows, list):
        raise InvalidRequest("config.provided_data", "give a list of rows, each with id, content and labels")
    language = prompt_language(request, body.config)
    return [common_oj.prompt_of(row, language) for row in rows]


def benchmark_prompt(loaded: LoadedBenchmark, key: str) -> Prompt:
    """Return the prompt of a benchmark's problem."""
    problem = loaded.problems[key]
    published = {name: value for name, value in problem.published.items() if is_plain(value)}
    return Prompt(id=key, prompt=problem.prompt, labels={**published, "entry_point": problem.entry_point})


def is_plain(value: object) -> bool:
    """Return whether JSON can hold a value."""
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True


def offered(request: Request) -> dict[str, LoadedBenchmark]:
    """Return the benchmarks that the server offers, by id."""
    benchmarks: dict[str, LoadedBenchmark] = request.app.state.benchmarks
    return benchmarks


def problem_id(loaded: LoadedBenchmark, wanted: int | str) -> str:
    """Return the id of a problem. A number is the whole of an id, or what stands after its last slash.

    Raises:
        InvalidRequest: if there is no such problem.
    """
    text = str(wanted)
    if text in loaded.problems:
        return text
    found = [key for key in loaded.problems if key.rpartition("/")[2] == text]
    if len(found) != 1:
        raise InvalidRequest("id", f"{loaded.benchmark.name} has no problem {short_repr(wanted)}")
    return found[0]


def require_common_oj(dataset: str, config: TestConfig) -> None:
    """Raise InvalidRequest unless a request brings its problem along, as `CommonOJDataset` has it."""
    if config.dataset_type is None:
        raise InvalidRequest(
            "dataset",
            f"this server does not offer {short_repr(dataset)}; start it with --benchmark NAME=FILE, or give "
            f'config.dataset_type="{common_oj.NAME}" and config.provided_data',
        )
    if config.dataset_type != common_oj.NAME:
        raise InvalidRequest(
            "config.dataset_type", f"{short_repr(config.dataset_type)} is not supported, only {common_oj.NAME}"
        )


def language_of(request: Request, config: TestConfig) -> str:
    """Return our name of the language that a submission is in.

    Raises:
        InvalidRequest: if there is none, or the server does not offer it.
    """
    if config.language is None:
        raise InvalidRequest("config.language", f"{common_oj.NAME} needs the language of the program")
    foreign = FUSION_LANGUAGES.get(config.language)
    own = foreign.language if foreign and not foreign.test_command else None
    return require_language(service_of(request), "config.language", config.language, own)


def prompt_language(request: Request, config: TestConfig) -> str:
    """Return our name of the language of a prompt. "": the request names none."""
    return language_of(request, config) if config.language else ""
