"""BigCodeBench's remote evaluation: what `bigcodebench.evaluate --execution gradio` asks for, and the answer to it.

It calls `/predict` of a Gradio app. The server and the Space run the tasks of an `Evaluation`, and return its answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

from code_tasks.adapters.bigcodebench_parameters import Parameters
from code_tasks.benchmarks import LoadedBenchmark
from code_tasks.benchmarks.bigcodebench import BIGCODEBENCH, uncalibrated
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.readers import InputErrors, bounded_lines, parsed_lines
from code_tasks.benchmarks.sample_files import Shape
from code_tasks.benchmarks.sample_reader import SampleReader
from code_tasks.benchmarks.samples import Sample
from code_tasks.scoring import Results
from code_tasks.scoring.batch import tasks_of_samples
from code_tasks.scoring.formats.base import GradedRun
from code_tasks.scoring.formats.bigcodebench import eval_results, pass_rates
from sandboxes import EvalConfig, RunResult, Task, TaskOptions, Verdict, result_dict
from sandboxes.validation import short_repr

BENCHMARKS = MappingProxyType({"full": "bigcodebench", "hard": "bigcodebench-hard"})
"""Our names of the benchmarks, by the parameter `subset`."""

MAX_LINE_BYTES = 1 << 20
"""Largest line of samples. Its JSON value takes a multiple of its size in memory."""

MAX_PROGRAM_CHARS = 64 << 20
"""Length of all programs of a request, with their prompts, which the answer repeats."""

MAX_DETAIL_CHARS, MAX_ALL_DETAILS_CHARS, MIN_DETAIL_CHARS = 4_000, 32 << 20, 200
"""Length of one message in the answer, and of all of them unless each keeps MIN_DETAIL_CHARS already."""

MAX_KNOWN = 100_000
"""Canonical solutions that are known to pass. A client who varies the limits adds some with each request."""

Key = tuple[str, str, tuple[Any, ...]]
FILE_KEY = "path"
"""gradio_client takes an object with this key for a file, which it would try to download."""


@dataclass(frozen=True)
class OwnerBounds:
    """The most that the owner of a server allows."""

    wall_seconds: float
    """For a candidate, also where the benchmark's grader gives more."""

    memory_bytes: int
    max_samples: int
    """Samples of one request."""


class RemoteEvaluator:
    """The benchmarks that a server offers, and which of their canonical solutions pass there."""

    def __init__(self, offered: Mapping[str, LoadedBenchmark]):
        """Keep the benchmarks.

        Args:
            offered: by name; those that are not BigCodeBench are left aside.
        """
        self.offered = {subset: offered[name] for subset, name in BENCHMARKS.items() if name in offered}
        self._right: set[Key] = set()
        """The canonical solutions that passed, and are not run again."""

    def evaluation(self, parameters: Parameters, file: IO[bytes], name: str, bounds: OwnerBounds) -> Evaluation:
        """Return the evaluation that a client asks for; nothing is run.

        Args:
            parameters: the client's.
            file: the samples, as JSON lines.
            name: of the file, without a folder.
            bounds: what the owner allows.

        Raises:
            ValueError: if the samples are invalid, or the parameters can't be honoured here; the message says why.
        """
        loaded = self.offered.get(parameters.subset)
        if loaded is None:
            wanted = BENCHMARKS[parameters.subset]
            raise ValueError(
                f"this server does not offer the subset {parameters.subset!r}; its owner can add --benchmark "
                f"{wanted}=FILE, or {wanted} to CODE_EVAL_BENCHMARKS"
            )
        bounded = {
            name: replace(problem, limits=limits_of(parameters, bounds, problem.limits))
            for name, problem in parameters.chosen(loaded.problems).items()
        }
        # The grader runs canonical solutions without calibration.
        plain = {name: uncalibrated(problem) for name, problem in bounded.items()}
        problems = bounded if parameters.calibrated else plain
        samples: list[Sample] = []
        if not parameters.check_gt_only:
            samples = read_samples(file, name, loaded.problems, bounds.max_samples)
            samples = [sample for sample in samples if sample.task_id in problems]
            check_complete(samples, problems)
        canonical = []
        if not parameters.no_gt:
            known = {task_id for task_id, problem in plain.items() if key_of(parameters, problem) in self._right}
            unknown = plain if parameters.check_gt_only else plain.keys() - known
            canonical = [
                Sample(task_id, plain[task_id].canonical_solution or "") for task_id in plain if task_id in unknown
            ]
        return Evaluation(parameters, name, problems, samples, plain, canonical, self._right)


@dataclass(frozen=True)
class Evaluation:
    """Samples and canonical solutions to be run, and the way from their results to an answer."""

    parameters: Parameters
    name: str
    """The name of the file of samples."""

    problems: Mapping[str, Problem]
    """The problems by task_id, as samples are judged by them."""

    samples: Sequence[Sample]
    plain_problems: Mapping[str, Problem]
    """The same, as canonical solutions are judged by them."""

    canonical: Sequence[Sample]
    """The canonical solutions that are not known to pass."""

    right: set[Key]
    """The canonical solutions that passed before, to which those of this evaluation are added."""

    def tasks(self, config: EvalConfig) -> tuple[list[int], list[Task]]:
        """Return (order, tasks): the index of each candidate's result in `answer`, and the tasks.

        Args:
            config: how candidates are run.
        """
        first, tasks = tasks_of_samples(self.canonical, self.plain_problems, config.tasks, config.limits)
        order, more = tasks_of_samples(self.samples, self.problems, config.tasks, config.limits)
        return first + [len(first) + index for index in order], tasks + more

    def answer(self, results: Sequence[RunResult], options: TaskOptions) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return (results, pass_at_k), which the client writes to `*_eval_results.json` and `*_pass_at_k.json`.

        Args:
            results: of canonical solutions, then of samples.
            options: of the tasks.

        Raises:
            SandboxUnavailable: if one of them could not be run: nothing is known about it.
        """
        verdicts = []
        for result in results:
            if not isinstance(result, Verdict):
                raise result
            verdicts.append(result)
        wrong = {sample.task_id for sample, each in zip(self.canonical, verdicts, strict=False) if not each.passed}
        # A result may be that of another index.
        ids = [("", 0)] * len(results)
        records = [
            sample.record() | result_dict(sample.task_id, 0, result, sample_ids=ids)
            for sample, result in zip(self.samples, verdicts[len(self.canonical) :], strict=True)
        ]
        graded = GradedRun(Results(records), self.problems, options, lambda: iter(()), self.name)
        written = eval_results(graded)
        shorten_details([entry for entries in written["eval"].values() for entry in entries])
        return written, pass_rates(written, self.parameters.ks, self.name) | self._facts(wrong)

    def _facts(self, wrong: set[str]) -> dict[str, Any]:
        """Return what the client is told besides scores, and note the canonical solutions that passed.

        Args:
            wrong: the tasks whose canonical solutions were run and failed.
        """
        # The grader counts none as right if it has not checked them.
        failed = [name for name in self.problems if self.parameters.no_gt or name in wrong]
        if len(self.right) > MAX_KNOWN:
            self.right.clear()
        checked = (sample.task_id for sample in self.canonical if sample.task_id not in wrong)
        self.right.update(key_of(self.parameters, self.plain_problems[name]) for name in checked)
        return {
            "split": self.parameters.split,
            "subset": self.parameters.subset,
            "calibrated": self.parameters.calibrated,
            "gt_pass_rate": 1 - len(failed) / len(self.problems),
            "failed_tasks": failed,
        }


def key_of(parameters: Parameters, problem: Problem) -> Key:
    """Return all that decides on the verdict of a canonical solution."""
    return parameters.subset, problem.task_id, tuple(problem.limits.values())


def limits_of(parameters: Parameters, bounds: OwnerBounds, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the limits of a program. The grader gives more seconds than a client asks for at least.

    Args:
        parameters: the client's.
        bounds: the owner's.
        own: the benchmark's.

    Raises:
        ValueError: if the client asks for what can't be honoured here.
    """
    if parameters.min_time_limit > bounds.wall_seconds:
        raise ValueError(
            f"min_time_limit is {parameters.min_time_limit:g}, and this server allows at most {bounds.wall_seconds:g}"
        )
    seconds = min(max(own["wall_seconds"], parameters.min_time_limit), bounds.wall_seconds)
    memory = min(own["memory_bytes"], bounds.memory_bytes)
    if parameters.has_memory_limits:
        memory = min(memory, int(parameters.max_as_limit * (1 << 20)))
        if parameters.max_data_limit * (1 << 20) < memory:
            raise ValueError(
                f"max_data_limit is {parameters.max_data_limit:g}: this server limits the address space alone, so give "
                "that limit as max_as_limit"
            )
    return {**own, "wall_seconds": seconds, "memory_bytes": memory}


def read_samples(file: IO[bytes], name: str, problems: Mapping[str, Problem], max_samples: int) -> list[Sample]:
    """Return the samples in a file. Samples of problems that are not there are left out, as by the grader.

    Raises:
        InputError: with a message for each line that is no sample.
        ValueError: if there are too many, or their programs are too long together.
    """
    errors = InputErrors()
    shape = Shape(
        "JSON lines",
        lambda path, head: True,
        lambda given, errors: parsed_lines(bounded_lines(file, MAX_LINE_BYTES, name), name, errors),
    )
    reader = SampleReader(Path(name), problems, BIGCODEBENCH.preferred_field, (shape,), skips_unknown=True)
    samples: list[Sample] = []
    chars = 0
    for sample in reader.read(errors):
        samples.append(sample)
        problem = problems[sample.task_id]
        chars += len(problem.preamble) + len(problem.prompt) + len(sample.completion)
        if len(samples) > max_samples:
            raise ValueError(f"{name} has more than {max_samples:,} samples, which is the limit here")
        if chars > MAX_PROGRAM_CHARS:
            raise ValueError(
                f"prompts and completions make programs of more than {MAX_PROGRAM_CHARS >> 20} MiB, which is the limit "
                "here; send fewer samples, or choose tasks with selective_evaluate"
            )
    errors.raise_if_any()
    return samples


def check_complete(samples: Sequence[Sample], problems: Mapping[str, Problem]) -> None:
    """Raise ValueError if a problem has no sample: the grader refuses such a file too."""
    found = {sample.task_id for sample in samples}
    if missing := [name for name in problems if name not in found]:
        raise ValueError(
            f"Missing problems in samples. Expected {len(problems)} problems, got {len(found)}; "
            f"{short_repr(missing[0])} is one that is missing. selective_evaluate chooses some"
        )


def shorten_details(entries: Sequence[dict[str, Any]]) -> None:
    """Shorten the messages in the answer's entries, and rename what a client would take for a file."""
    total = sum(len(entry["details"]) for entry in entries)
    most = min(MAX_DETAIL_CHARS, max(MIN_DETAIL_CHARS, MAX_ALL_DETAILS_CHARS // max(1, total)))
    for entry in entries:
        # The end of a traceback names the exception.
        entry["details"] = {
            f"{name}()" if name == FILE_KEY else name[:MIN_DETAIL_CHARS]: message[-most:]
            for name, message in entry["details"].items()
        }
