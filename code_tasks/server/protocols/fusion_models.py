"""SandboxFusion's requests and answers, with the names and defaults of its fields. Its own clients read these answers.

Fields that SandboxFusion does not have stand at the end of an answer. Its clients leave them out.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from pydantic import BaseModel, Field

from code_tasks.server.request_values import MAX_INTEGER


class CommandRunStatus(StrEnum):
    """The way in which a compiler or a program ended."""

    Finished = "Finished"
    Error = "Error"
    TimeLimitExceeded = "TimeLimitExceeded"


class RunStatus(StrEnum):
    """The status of an answer."""

    Success = "Success"
    Failed = "Failed"
    SandboxError = "SandboxError"


class CommandRunResult(BaseModel):
    """The end of a compiler or a program."""

    status: CommandRunStatus
    execution_time: float | None = None
    cpu_time: float | None = None
    return_code: int | None = None
    stdout: str | None = None
    stderr: str | None = None
    limit: str | None = Field(default=None, description="the limit that ended it, as a value of `Outcome`")
    peak_memory_bytes: int | None = None


class RunCodeRequest(BaseModel):
    """The body of `POST /run_code`."""

    compile_timeout: float = Field(10, gt=0, allow_inf_nan=False, description="seconds of the compiler")
    run_timeout: float = Field(10, gt=0, allow_inf_nan=False, description="seconds of the program")
    memory_limit_MB: int = Field(
        -1, le=MAX_INTEGER, description="memory of the program; 0 or less: as much as the owner allows"
    )
    code: str = Field(examples=['print("hello")'])
    stdin: str | None = None
    language: str = Field(examples=["python"])
    files: dict[str, str | None] = Field(default={}, description="contents in base64, by path")
    fetch_files: list[str] = Field(default=[], description="paths of files to return")


class RunCodeResponse(BaseModel):
    """The answer of `POST /run_code`."""

    status: RunStatus
    message: str = ""
    compile_result: CommandRunResult | None = None
    run_result: CommandRunResult | None = None
    executor_pod_name: str | None = None
    files: dict[str, str] = {}


class RunJupyterRequest(BaseModel):
    """The body of `POST /run_jupyter`."""

    cells: list[str] = Field(examples=[["a = 123", "a"]])
    cell_timeout: float = Field(0, ge=0, allow_inf_nan=False, description="seconds of each cell; 0: those of all cells")
    total_timeout: float = Field(45, gt=0, allow_inf_nan=False, description="seconds of all cells")
    memory_limit_MB: int = Field(-1, le=MAX_INTEGER)
    kernel: Literal["python3"] = "python3"
    files: dict[str, str | None] = {}
    fetch_files: list[str] = []


class CellRunResult(BaseModel):
    """The end of one cell."""

    stdout: str
    stderr: str
    display: list[dict[str, Any]]
    error: list[dict[str, Any]]
    status: Literal["ok", "error"] = "ok"


class RunJupyterResponse(BaseModel):
    """The answer of `POST /run_jupyter`."""

    status: RunStatus
    message: str = ""
    driver: CommandRunResult | None = None
    cells: list[CellRunResult] = []
    executor_pod_name: str | None = None
    files: dict[str, str] = {}


class TestConfig(BaseModel):
    """The part that requests about datasets have in common."""

    # Otherwise pytest takes this for a class of tests.
    __test__ = False

    dataset_type: str | None = None
    language: str | None = None
    locale: str | None = None
    is_fewshot: bool | None = None
    compile_timeout: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    run_timeout: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    custom_extract_logic: str | None = None
    provided_data: list[dict[str, Any]] | dict[str, Any] | None = None
    extra: dict[str, Any] = {}


class GetPromptsRequest(BaseModel):
    """The body of `POST /get_prompts` and `POST /list_ids`."""

    dataset: str
    config: TestConfig
    offset: int = Field(0, ge=0)
    limit: int = Field(1000000, ge=0)


class GetPromptByIdRequest(BaseModel):
    """The body of `POST /get_prompt_by_id`."""

    dataset: str
    config: TestConfig
    id: int | str


class SubmitRequest(BaseModel):
    """The body of `POST /submit`."""

    dataset: str
    id: int | str
    completion: str
    config: TestConfig


class Prompt(BaseModel):
    """A problem without its tests."""

    id: int | str
    prompt: str
    labels: dict[str, Any] = {}


class EvalTestCase(BaseModel):
    """The result of one test."""

    passed: bool
    exec_info: RunCodeResponse
    test_info: dict[str, Any] | None = None


class EvalResult(BaseModel):
    """The answer of `POST /submit`."""

    id: int | str
    accepted: bool
    extracted_code: str
    full_code: str | None = None
    test_code: str | None = None
    tests: list[EvalTestCase]
    extracted_type: Literal["fenced", "incomplete_fenced", "heuristic", "empty"] | None = None
    extra: dict[str, Any] | None = None
