"""eval-framework's calls that run code: one program, or a candidate with its tests, in a warm container."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from code_tasks.benchmarks.bigcodebench import with_localhost_and_shell
from code_tasks.execution.dependencies import get_external_dependencies
from code_tasks.execution.programs import MAX_OUTPUT_BYTES, combined_output, script_program
from code_tasks.execution.sandbox_options import MEMORY_MB, has_images
from code_tasks.execution.trace_texts import timeout_text
from code_tasks.execution.unittest_output import ExecutionResult, parse_unittest_output, unittest_merge_snippets
from sandboxes import EvalConfig, Evaluator, Limits, Outcome, ProgramBatch, close_pools
from sandboxes.backends.docker.engine import DockerCli
from sandboxes.options.table import OPTIONS
from sandboxes.validation import short_repr

# In place of no limit, which no program has here.
LONGEST_SECONDS = 24 * 60 * 60

PoolKey = tuple[str | None, str | None, tuple[str, ...], str]
"""(image, Dockerfile, packages, other options)."""

_pools: dict[PoolKey, Evaluator] = {}
_pools_lock = threading.Lock()


class SandboxTimeoutError(TimeoutError):
    """A program took longer than its time limit."""

    def __init__(self, seconds: float):
        """Take the time limit, in seconds."""
        super().__init__(timeout_text(seconds))
        self.timeout_duration = seconds


def get_or_create_pool(
    image: str | None = None, dockerfile: str | None = None, packages: Sequence[str] | None = None, **options: Any
) -> Evaluator:
    """Return the evaluator for an image with packages. Equal arguments have the same one, and so the same containers.

    Nothing is started before its first program. Containers stay warm until `close_containers`, or the process's end.

    Args:
        image: name of an image with Python 3.8 or newer.
        dockerfile: path of a Dockerfile, in place of an image. The image is built when the evaluator is made.
        packages: PyPI requirements; none and an empty list are the same.
        options: those of `EvalConfig`, such as `network`.

    Raises:
        ValueError, TypeError: if an argument or option is invalid.
        SandboxUnavailable: if the image can't be built.
    """
    if (image is None) == (dockerfile is None):
        raise ValueError(f"give an image or a dockerfile, not {short_repr(image)} and {short_repr(dockerfile)}")
    key = (image, dockerfile, tuple(packages or ()), repr(sorted(options.items())))
    with _pools_lock:
        if key not in _pools:
            _pools[key] = create_pool_manager(
                image=image, dockerfile=dockerfile, packages=list(packages or ()), options=options
            )
        return _pools[key]


def create_pool_manager(
    *, image: str | None, dockerfile: str | None, packages: list[str], options: Mapping[str, Any]
) -> Evaluator:
    """Return a new evaluator, with the arguments of `get_or_create_pool`."""
    name = image if dockerfile is None else built_image(dockerfile, options.get("docker_host"))
    chosen = with_localhost_and_shell({"sandbox": "docker", "memory_mb": MEMORY_MB, "num_workers": 1, **options})
    if has_images(chosen["sandbox"]):
        chosen |= {"image": name, "packages": packages}
    # The default of this call alone: a sandbox that fails is an exception of the call.
    return Evaluator(EvalConfig.from_options(chosen, defaults={"on_sandbox_error": "raise"}))


def built_image(dockerfile: str, docker_host: str | None) -> str:
    """Build a Dockerfile, in the folder that it is in, and return the image's id.

    Raises:
        SandboxUnavailable: if no engine answers, or the build fails.
    """
    path = os.path.abspath(dockerfile)
    # --force-rm: otherwise a failed build leaves its last container.
    arguments = ("build", "--quiet", "--force-rm", "--file", path, os.path.dirname(path))
    return DockerCli(docker_host).call(*arguments, what=f"can't build {dockerfile}", seconds=None)


def close_containers() -> None:
    """Forget the evaluators, and end all warm containers of this process."""
    with _pools_lock:
        _pools.clear()
    close_pools()


def run_python_code(
    code: str,
    image: str | None = None,
    dockerfile: str | None = None,
    input_files: Sequence[tuple[str, str]] | None = None,
    timeout: float = 60,
    packages: Sequence[str] | None = None,
    **options: Any,
) -> str:
    """Run a program as a script, and return what it wrote: standard error, then standard output.

    Args:
        code: the program.
        image: name of the image; without it and a `dockerfile`, the default of the option `image`.
        dockerfile: as `get_or_create_pool` takes it.
        input_files: (path here, path in the container) of files that the program can read.
        timeout: seconds; 0 for LONGEST_SECONDS.
        packages: PyPI requirements.
        options: those of `EvalConfig`, such as `network`, or `sandbox` for another one than "docker".

    Raises:
        SandboxTimeoutError: if the program takes longer than its time limit.
        SandboxUnavailable: if the sandbox, the image or a package is not available.
        ValueError, TypeError: if an argument or option is invalid.
    """
    if input_files:
        options["volumes"] = {**dict(input_files), **options.get("volumes", {})}
    if dockerfile is None and image is None:
        image = OPTIONS["image"].default
    evaluator = get_or_create_pool(image=image, dockerfile=dockerfile, packages=packages, **options)
    seconds = timeout or LONGEST_SECONDS
    limits = Limits(
        wall_seconds=seconds,
        memory_bytes=evaluator.config.limits.memory_bytes,
        output_bytes=MAX_OUTPUT_BYTES,
        kept_bytes=MAX_OUTPUT_BYTES,
    )
    [verdict] = evaluator.run(ProgramBatch([script_program(code, limits)]))
    if isinstance(verdict, Exception):
        raise verdict
    if verdict.outcome is Outcome.TIMED_OUT:
        raise SandboxTimeoutError(seconds)
    return combined_output(verdict)


def execute_python_code_with_tests(
    code: str,
    test_code: str,
    dockerfile: str | None = None,
    package_mapping: Mapping[str, str | None] | None = None,
    merge_code_fn: Callable[[str, str], str] = unittest_merge_snippets,
    image: str | None = None,
    timeout: float = 60,
    parse_output_fn: Callable[[str], ExecutionResult] = parse_unittest_output,
    **options: Any,
) -> ExecutionResult:
    """Run a candidate merged with its tests as a script, and return the result that a function reads from its output.

    The output decides here, and a program can write whatever the function looks for. `CodeExecutionPassAtOne` decides
    by the sandbox's verdict.

    Args:
        code: the candidate.
        test_code: its tests.
        dockerfile: as `run_python_code` takes it.
        package_mapping: {import name: PyPI requirement or None}. Packages that the program imports are installed. None:
            no package is.
        merge_code_fn: (code, test_code) -> program.
        image: as `run_python_code` takes it.
        timeout: seconds for the whole program.
        parse_output_fn: (output) -> ExecutionResult.
        options: as `run_python_code` takes them.

    Raises:
        SandboxTimeoutError, SandboxUnavailable: as in `run_python_code`.
    """
    program = merge_code_fn(code, test_code)
    packages = get_external_dependencies(program, package_mapping or {})
    return parse_output_fn(run_python_code(program, image, dockerfile, None, timeout, packages, **options))
