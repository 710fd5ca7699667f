"""code-execution-pass@1: runs completions with their tests, each in its own image and with its own packages.

Records have the form of eval-framework. A record names an image and packages. It also names one function that merges
completion and tests into a program, and one that parses the program's output. With the default functions the sandbox's
verdict decides, and not the output. With other functions the output decides, and a program can forge it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.machinery import PathFinder
from sys import stdlib_module_names
from typing import Any

from code_tasks.benchmarks.bigcodebench import with_localhost_and_shell
from code_tasks.execution.callables import CallableSerializer, SerializationError
from code_tasks.execution.programs import completion_program, metric_result
from code_tasks.execution.records import (
    NAME,
    Completion,
    Error,
    ExecutionTask,
    MetricResult,
    read_error,
    read_task,
)
from code_tasks.execution.sandbox_options import MEMORY_MB, has_images
from code_tasks.execution.trace_texts import OWN, TRACE_TEXTS
from sandboxes import (
    EvalConfig,
    Evaluator,
    Outcome,
    Program,
    ProgramBatch,
    RunResult,
    SandboxUnavailable,
    Verdict,
)
from sandboxes.backends.import_paths import site_folders
from sandboxes.imports import packages_for
from sandboxes.pool.progress import ProgressBar
from sandboxes.runner import OnResult
from sandboxes.tasks.unittest_harness import NoUnittestClass
from sandboxes.validation import positive_int, short_repr

NOT_OF_EXECUTION = (
    *("k", "progress", "on_sandbox_error", "on_invalid_tests", "timeout", "cpu_seconds", "max_processes"),
    *("max_output_bytes", "stack_mb"),
    *("language", "languages", "checker", "tolerance", "stop_at_first_failure", "partial_credit"),
    *("assemble", "extract", "compile_timeout", "repeats"),
)
"""Options whose values are in the records, or that make no sense for single completions."""

DEFAULTS = {"on_sandbox_error": "exclude", "memory_mb": MEMORY_MB}
"""Defaults of this metric."""

Results = Sequence[RunResult | Exception]

Key = tuple[str, tuple[str, ...], bool | str]
"""(image, packages, `loopback`) of a sandbox."""


@dataclass(frozen=True)
class PendingCompletion:
    """A completion that can be run."""

    index: int
    """Index of the completion."""

    task: ExecutionTask
    program: Program
    image: str = ""
    """Image for the program; empty for the sandbox's own."""

    packages: tuple[str, ...] = ()
    """PyPI requirements of the imported modules."""

    loopback: bool | str = False
    """Whether the program has localhost to itself: a value of the option."""

    @property
    def key(self) -> Key:
        """The sandbox that the program needs."""
        return self.image, self.packages, self.loopback


class CodeExecutionPassAtOne:
    """The metric. Its sandboxes are opened when completions are run."""

    NAME = NAME

    def __init__(
        self,
        sandbox: str = "docker",
        *,
        trusted: bool = False,
        share_packages: bool = False,
        k: int = 1,
        trace_texts: str = OWN,
        fail_on_error: bool = False,
        progress: bool | None = None,
        **options: Any,
    ):
        """Check the options; nothing is started yet.

        Args:
            sandbox: one of BACKENDS. `run_env` and `package_downloads` are for sandboxes with images. In other
                sandboxes, programs have the packages that are installed here.
            trusted: whether functions may be serialized. Decoding them runs code in this process.
            share_packages: whether all completions of an image share one image with the packages of all of them. This
                needs one build, instead of one for each set of packages.
            k: draws of pass@k. A single completion has the same value for every k; `pass_at_k` is for several.
            trace_texts: one of TRACE_TEXTS: "own", or "eval-framework" for the words of recorded traces.
            fail_on_error: whether a sandbox that fails is an exception, in place of a result with an error.
            progress: whether to show a progress bar; None: on a terminal.
            options: options as `compute` takes them, but for NOT_OF_EXECUTION. `image` replaces every `run_env`.
                `packages` are installed besides those of the completions; a mapping adds to the completions' mappings.
                `grading` is for the default functions: with "separate", a completion can't forge a pass. DEFAULTS has
                the defaults that differ from those of `compute`.
                `shell` is on, and `loopback` is "auto" unless there is a `network`: see `with_localhost_and_shell`.

        Raises:
            ValueError, TypeError: for an invalid option; the message names the value.
        """
        packages = options.pop("packages", None) or ()
        if trace_texts not in TRACE_TEXTS:
            raise ValueError(f"trace_texts must be one of {', '.join(TRACE_TEXTS)}, not {short_repr(trace_texts)}")
        self.k, self.trace_texts, self.fail_on_error = positive_int("k", k), trace_texts, fail_on_error
        options = with_localhost_and_shell(options)
        # Importing unittest takes longer than running most programs.
        self.options = {"sandbox": sandbox, **options, "preload": ["unittest", *(options.get("preload") or ())]}
        self.share_packages, self.progress = share_packages, progress
        self.config = self._config({"packages": packages} if packages else {})
        self.has_images = has_images(sandbox)
        self.mapping = dict(packages) if isinstance(packages, Mapping) else {}
        self.packages = () if isinstance(packages, Mapping) else tuple(packages)
        self.serializer = CallableSerializer(trusted)

    def calculate(self, response: Any) -> list[MetricResult]:
        """Return a list with the result of one completion. The sandbox stays warm for the next similar completion."""
        return self._results([response], keep_warm=True, progress=False)

    def evaluate(self, responses: Iterable[Any]) -> list[MetricResult]:
        """Return the results of many completions, in the completions' order, and close the sandboxes.

        Args:
            responses: instances of Completion, or mappings or objects with the same fields.

        Raises:
            TypeError: for a single completion.
            DecodingError: if a serialized function of a record can't be decoded, or is not trusted.
            SandboxUnavailable: if a sandbox fails, with `fail_on_error`.
        """
        if isinstance(responses, str | Mapping | Completion):
            raise TypeError(f"responses must be a list of completions, not {short_repr(responses)}")
        return self._results(list(responses), keep_warm=False, progress=self.progress)

    def _results(self, responses: Sequence[Any], keep_warm: bool, progress: bool | None) -> list[MetricResult]:
        results: dict[int, MetricResult] = {}
        groups: dict[Key, list[PendingCompletion]] = {}
        for index, response in enumerate(responses):
            try:
                if error := read_error(response):
                    results[index] = MetricResult(error=error)
                else:
                    pending = self._prepare(index, response)
                    groups.setdefault(pending.key, []).append(pending)
            except SerializationError:
                raise
            except NoUnittestClass as exception:
                results[index] = MetricResult(value=0.0, code_execution_trace=str(exception))
            except Exception as exception:  # a record's own functions may raise anything
                results[index] = MetricResult(error=Error.from_exception(exception))
        groups = with_shared_packages(groups) if self.share_packages else groups
        with ProgressBar(sum(map(len, groups.values())), progress) as bar:
            for key, group in groups.items():
                # Neighbours with the same tests save the sandbox work.
                group.sort(key=lambda pending: pending.program.tests)
                run_results = self._run(key, group, keep_warm, lambda index, result: bar.count(index, counted(result)))
                for pending, run_result in zip(group, run_results, strict=True):
                    if self.fail_on_error and isinstance(run_result, Exception):
                        raise run_result
                    results[pending.index] = metric_result(pending.task, run_result, self.k, self.trace_texts)
        return [results[index] for index in range(len(responses))]

    def _prepare(self, index: int, response: Any) -> PendingCompletion:
        """Return the program of a completion, with what its sandbox needs.

        Raises:
            Exception: if the record is invalid, or its merge function fails.
        """
        task = read_task(response, self.serializer)
        program, sources = completion_program(task, self.config)
        mapping = {**self.mapping, **task.context.package_downloads}
        chosen = task.context.loopback
        loopback = self.options["loopback"] if chosen is None else chosen
        if self.has_images:
            image = self.options.get("image") or task.context.run_env
            return PendingCompletion(index, task, program, image, packages_for(sources, mapping), loopback)
        needed = {name: None if is_installed(name) else package for name, package in mapping.items()}
        if missing := packages_for(sources, needed):
            raise ModuleNotFoundError(
                f"the {self.config.sandbox.name} sandbox installs no packages, and these are not installed here: "
                f'{", ".join(missing)}; install them for this interpreter, or use sandbox="docker"'
            )
        return PendingCompletion(index, task, program, loopback=loopback)

    def _run(self, key: Key, group: list[PendingCompletion], keep_warm: bool, on_result: OnResult) -> Results:
        """Return the results of completions that share a sandbox, in their order."""
        image, packages, loopback = key
        more: dict[str, Any] = {"packages": [*packages, *self.packages]} if self.has_images else {}
        more["loopback"] = loopback
        try:
            config = self._config({"image": image, **more} if image else more)
            with Evaluator(config, keep_warm=keep_warm) as evaluator:
                return evaluator.run(ProgramBatch([pending.program for pending in group]), on_result=on_result)
        except (SandboxUnavailable, NotImplementedError, ValueError, TypeError) as error:
            return [error] * len(group)

    def _config(self, more: Mapping[str, Any]) -> EvalConfig:
        """Return the configuration for one image and its packages."""
        return EvalConfig.from_options({**self.options, **more}, defaults=DEFAULTS, without=NOT_OF_EXECUTION)


def with_shared_packages(groups: dict[Key, list[PendingCompletion]]) -> dict[Key, list[PendingCompletion]]:
    """Return the same completions in one group per image, which has the packages of all of them."""
    images: dict[tuple[str, bool | str], list[PendingCompletion]] = {}
    for (image, _, loopback), group in groups.items():
        images.setdefault((image, loopback), []).extend(group)
    return {
        (image, tuple(sorted({package for pending in group for package in pending.packages})), loopback): group
        for (image, loopback), group in images.items()
    }


def is_installed(name: str) -> bool:
    """Tell whether programs that run with this interpreter can import a module."""
    top = name.partition(".")[0]
    return top in stdlib_module_names or PathFinder.find_spec(top, site_folders()) is not None


def counted(result: RunResult) -> RunResult:
    """Return a result as the progress bar counts it: a script with an exit status other than 0 has failed."""
    if isinstance(result, Verdict) and result.outcome is Outcome.EXITED:
        return replace(result, outcome=Outcome.FAILED)
    return result
