"""LiveCodeBench's tasks and metric for lighteval, and `codegen_metrics` as lighteval's own is called and answers.

This module is a `--custom-tasks` of lighteval as it is: `TASKS_TABLE` has lighteval's tasks of LiveCodeBench, whose
candidates run in the sandbox. Verdicts are those of the project's LiveCodeBench. An error of the sandbox is raised,
because lighteval has no value for a sample that nobody could judge.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from lighteval.metrics.metrics_sample import SampleLevelComputation, SamplingMetric
from lighteval.metrics.utils.metric_utils import SampleLevelMetric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.lighteval_task import LightevalTaskConfig
from lighteval.tasks.requests import Doc, SamplingMethod
from lighteval.tasks.tasks.lcb import main as lcb
from lighteval.tasks.tasks.lcb.codegen_metrics import compute_metrics_from_results, extract_code

from code_tasks.benchmarks.livecodebench import LIVECODEBENCH, SECONDS, parse, problem_of
from code_tasks.benchmarks.problems import Problem
from code_tasks.scoring.formats.livecodebench import case_codes
from sandboxes import Evaluator, result_dict
from sandboxes.consent import require_consent
from sandboxes.pool.cpus import usable_cpus
from sandboxes.validation import short_repr

REFUSED = (
    *("k", "language", "languages", "on_sandbox_error", "on_invalid_tests", "extract", "assemble", "checker"),
    *("timeout", "num_workers"),
)
"""Options that the benchmark or lighteval's own arguments decide."""

Codes = list[bool | int]
"""A code for each case of a candidate up to the first that failed, as lighteval has them."""


class CodegenMetrics:
    """A function with the arguments and the answer of lighteval's `codegen_metrics`."""

    def __init__(self, **options: Any):
        """Check the options; nothing is started yet.

        Args:
            options: as `compute` takes them, without those in REFUSED.

        Raises:
            ValueError, TypeError: for an invalid option; the message names the value.
        """
        self.config = LIVECODEBENCH.eval_config(options, without=REFUSED)
        self.has_memory_limit = "memory_mb" in options

    def __call__(
        self,
        samples: Sequence[Mapping[str, str]],
        generations: Sequence[Sequence[str]],
        k_list: Sequence[int] = (1, 5),
        num_process_evaluate: int = 16,
        timeout: float = SECONDS,
    ) -> tuple[dict[str, Any], dict[int, list[Codes]]]:
        """Run candidates, and return (metrics, results).

        Args:
            samples: {"input_output": JSON of "inputs", "outputs" and "fn_name"} for each problem.
            generations: the candidates for each problem.
            k_list: each k of pass@k. A k that some problem has too few candidates for is left out.
            num_process_evaluate: candidates at once, at most as many as there are CPUs.
            timeout: seconds of each case or call.

        Returns:
            metrics: {"pass@1": the mean, ..., "detail": {"pass@1": {number of the problem: its value}}}.
            results: for each problem, by its number, the codes of each candidate: True for a case that passed, -2 for
                wrong output, False for a wrong result of a call, -3 for a time-out, -4 for all other errors.

        Raises:
            ValueError, TypeError: for invalid samples or generations, or if running programs was not allowed.
            SandboxUnavailable: if the sandbox could not run a candidate.
        """
        require_consent()
        if len(samples) < len(generations):
            raise ValueError(f"there are {len(generations)} lists of generations, but {len(samples)} samples; one each")
        problems = [problem_of_sample(number, samples[number], timeout) for number in range(len(generations))]
        results = self.case_results(problems, generations, num_process_evaluate)
        return compute_metrics_from_results(results, k_list=list(k_list)), results

    def case_results(
        self, problems: Sequence[Problem], generations: Sequence[Sequence[str]], num_workers: int
    ) -> dict[int, list[Codes]]:
        """Run the candidates of problems, and return their codes by the problem's number."""
        if self.has_memory_limit:
            own = ({"wall_seconds": problem.limits["wall_seconds"]} for problem in problems)
            problems = [replace(problem, limits=limits) for problem, limits in zip(problems, own, strict=True)]
        tasks = []
        for number, (problem, candidates) in enumerate(zip(problems, generations, strict=True)):
            if isinstance(candidates, str) or not all(isinstance(candidate, str) for candidate in candidates):
                raise TypeError(f"generations[{number}] must be a list of texts, not {short_repr(candidates)}")
            tasks.append(problem.task([problem.whole(candidate) for candidate in candidates], self.config.limits))
        num_workers = min(num_workers, usable_cpus()) if self.config.cluster is None else num_workers
        verdicts = iter(Evaluator(self.config).run(tasks, num_workers=num_workers))
        return {
            number: [case_codes(result_dict(number, 0, next(verdicts)), bool(problem.entry_point)) for _ in candidates]
            for number, (problem, candidates) in enumerate(zip(problems, generations, strict=True))
        }


codegen_metrics = CodegenMetrics()
"""`codegen_metrics` with the defaults: 4 GiB, and this machine's sandbox."""


class CodegenPassAtK(SamplingMetric, SampleLevelComputation):
    """pass@k of a sample's answers. All samples of a task are run together."""

    def __init__(self, k: int, n: int, extract: Callable[[str], str], timeout: float, **options: Any):
        """Check the options, which `codegen_metric` explains."""
        super().__init__()
        self.k, self.n, self.extract, self.timeout = k, n, extract, timeout
        self.metrics = CodegenMetrics(**options)

    def compute(self, responses: Sequence[ModelResponse], docs: Sequence[Doc], **others: Any) -> list[float]:
        """Run the answers to all samples, and return pass@k of each.

        Raises:
            ValueError: if a sample has no tests in `specific`, or fewer than k answers.
        """
        samples, generations = [], []
        for response, doc in zip(responses, docs, strict=True):
            if not doc.specific:
                raise ValueError(f"the sample {doc.id!r} has no 'specific' with its tests; give inputs and outputs")
            if len(response.final_text) < self.k:
                raise ValueError(f"the sample {doc.id!r} has {len(response.final_text)} answers, and k is {self.k}")
            samples.append({"input_output": json.dumps(doc.specific)})
            generations.append([self.extract(text) for text in response.final_text])
        metrics, _ = self.metrics(samples, generations, [self.k], usable_cpus(), self.timeout)
        values = metrics["detail"][f"pass@{self.k}"] if docs else {}
        return [float(values[number]) for number in range(len(docs))]

    def __str__(self) -> str:
        """Return what lighteval writes about the metric beside its results."""
        return f"CodegenPassAtK(k={self.k}, n={self.n}, timeout={self.timeout})"

    def num_samples(self) -> int:
        """Return the number of answers that lighteval asks the model for."""
        return self.n


def codegen_metric(
    *,
    k: int = 1,
    n: int = 1,
    extract: Callable[[str], str] = extract_code,
    timeout: float = SECONDS,
    **options: Any,
) -> SampleLevelMetric:
    """Return a metric for lighteval's tasks: the mean of pass@k over samples.

    Args:
        k: of pass@k.
        n: answers to each sample, at least k.
        extract: takes the code out of an answer. The default is lighteval's own: the last fenced block.
        timeout: seconds of each case or call.
        options: as `CodegenMetrics` takes them.

    Raises:
        ValueError, TypeError: for an invalid option.
    """
    if not 1 <= k <= n:
        raise ValueError(f"k must be from 1 to n, which is {n}, not {short_repr(k)}")
    return SampleLevelMetric(
        metric_name=f"codegen_pass@k:k={k}&n={n}",
        category=SamplingMethod.GENERATIVE,
        higher_is_better=True,
        sample_level_fn=CodegenPassAtK(k, n, extract, timeout, **options),
        corpus_level_fn=np.mean,
        batched_compute=True,
    )


def codegen_prompt(line: Mapping[str, Any], task_name: str = "") -> Doc:
    """Return lighteval's prompt for a record of LiveCodeBench, with its tests.

    The private tests are read without unpickling anything but a text, because a pickle may run code.

    Raises:
        ValueError: if running programs was not allowed, which is better known before the model has answered.
        ValueError, TypeError: for an invalid record.
    """
    require_consent()
    tests = json.loads(parse(line, 0).tests)
    specific = {name: tests.get(name) for name in ("inputs", "outputs", "fn_name")}
    return Doc(task_name=task_name, query=lcb.prepare_prompt(line), choices=[""], gold_index=0, specific=specific)


def codegen_tasks(**options: Any) -> list[LightevalTaskConfig]:
    """Return lighteval's tasks of LiveCodeBench, such as "code_eval_lcb:codegeneration_v6", with this metric.

    Args:
        options: as `codegen_metric` takes them.
    """
    changes = {"prompt_function": codegen_prompt, "metrics": [codegen_metric(**options)]}
    return [replace(task, name=f"code_eval_{task.name}", **changes) for task in lcb.TASKS_TABLE]


def problem_of_sample(number: int, sample: Mapping[str, str], seconds: float) -> Problem:
    """Return the problem of a sample.

    Raises:
        ValueError: if it has no valid tests.
    """
    try:
        tests = json.loads(sample["input_output"])
        return problem_of(str(number), tests["inputs"], tests["outputs"], tests.get("fn_name"), seconds)
    except (ValueError, TypeError, LookupError, AttributeError) as error:
        raise ValueError(f"samples[{number}] has no valid 'input_output': {type(error).__name__}: {error}") from error


TASKS_TABLE = codegen_tasks()
"""The tasks that lighteval finds here."""
