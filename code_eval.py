"""The code_eval metric: runs model-written programs against tests, in a sandbox, and estimates pass@k.

>>> import os, evaluate
>>> os.environ["HF_ALLOW_CODE_EVAL"] = "1"
>>> code_eval = evaluate.load("code_eval")  # the path of this file, or of a folder of its name that holds it
>>> tests = ["assert add(2, 3) == 5"]
>>> candidates = [["def add(a, b): return a * b", "def add(a, b): return a + b"]]
>>> pass_at_k, results = code_eval.compute(predictions=candidates, references=tests, k=[1, 2])
>>> pass_at_k
{'pass@1': 0.5, 'pass@2': 1.0}
>>> results[0][0][1]["result"]
'failed: AssertionError: add(2, 3) == 5'
"""

import collections
import contextlib
import dataclasses
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import datasets
import evaluate


def _install_advice(module: str) -> str:
    """Return how the package is installed that belongs to this file.

    Args:
        module: the name of this file's module. `evaluate` puts the name of the Space into it, if the file is from one.
    """
    spaces = [part.replace("--", "/", 1) for part in module.split(".") if "--" in part]
    source = f"git+{evaluate.config.HF_ENDPOINT}/spaces/{spaces[0]}" if spaces else "."
    where = "" if spaces else ", in the repository that this file comes from"
    return f"code_eval.py needs its own version of the package code-eval-sandboxes: pip install -U {source}{where}"


# `evaluate` looks for imports at the beginning of lines, and would tell users of a Space a name that no index has.
try:
    import sandboxes
    from sandboxes.backends.registry import require_backend
    from sandboxes.consent import require_consent
    from sandboxes.extraction.hints import warn_of_answers
    from sandboxes.options.checks import given_options
    from sandboxes.options.docs import argument_list
    from sandboxes.pool.progress import ProgressBar
    from sandboxes.tasks.added_samples import AddedSamples, either_name
    from sandboxes.tasks.results import MetricOutput, metric_output
    from sandboxes.tasks.samples import checked_samples, checked_tasks, storable_tasks
except ImportError as error:
    raise ImportError(f"{_install_advice(__name__)} ({error})") from error

PATH = os.path.abspath(__file__)
"""The path of this file, which `evaluate.load` takes from any folder."""

DEFAULT_SANDBOX = "subprocess"
NOT_OF_STREAMS = ("k", "progress", "languages")
"""Options that `evaluate_stream` does not have: it yields results, one per sample, in one language."""

# The upstream metric's module has this name.
estimate_pass_at_k = sandboxes.estimate_pass_at_k
result_dict = sandboxes.result_dict

_CITATION = """\
@misc{chen2021evaluating,
      title={Evaluating Large Language Models Trained on Code},
      author={Mark Chen and Jerry Tworek and Heewoo Jun and Qiming Yuan and Henrique Ponde de Oliveira Pinto and
              Jared Kaplan and Harri Edwards and Yuri Burda and Nicholas Joseph and Greg Brockman and others},
      year={2021},
      eprint={2107.03374},
      archivePrefix={arXiv},
      primaryClass={cs.LG}
}
"""

_DESCRIPTION = """\
Runs programs written by a model against unit tests, each in a sandbox, and estimates pass@k: the probability that at
least one of k candidates for a problem passes its tests (Chen et al. 2021, "Evaluating Large Language Models Trained on
Code", arXiv:2107.03374).
"""

_KWARGS_DESCRIPTION = f"""
Args:
    predictions: list of lists of str: The candidates for each task, at least one each.
    references: list: The tests of each task. A str is code that fails unless the candidate before it is right. Cases
        are a list of {{"input", "output"}} for stdin and stdout, or a dict of the lists "inputs" and "outputs", with
        "fn_name" for calls of a function. Cases may also be a str of JSON.
{argument_list()}
Returns:
    pass_at_k: dict: {{"pass@1": float, ...}}, each in [0, 1].
    results: dict: {{task_id: [(completion_id, result), ...]}}, both ids counted from 0. A result is a dict:
        "task_id", "completion_id", "passed" (bool), "result" ("passed", "timed out" or "failed: ..."), "outcome"
        ("passed", "failed", "compile_error", "timed_out", "out_of_memory", "crashed", "exited" or "output_limit"),
        "detail", "exception_type", "exception_message", "traceback", "stdout", "stderr", "wall_seconds", "cpu_seconds",
        "waited_seconds" (for a CPU, while its clock stood still), "peak_memory_bytes", "isolation" (list of str: the
        layers that were on), "grading" ("shared" or "separate"), "tests" (list of {{"name", "outcome", "message",
        "seconds"}}, one per test that was run), "attempts", "cached" (bool: whether it comes from the cache),
        "duplicate_of" ([task_id, completion_id] of the same candidate, which was run for both, or None), "repeats"
        (list of the outcomes of all runs, with the option `repeats`) and "flaky" (bool: whether these outcomes differ).
        With sandbox="restricted" also "exception_description", which is "exception_message". With `partial_credit`
        also "partial_credit". With `return_output` also "output".
Raises:
    ValueError, TypeError: If an argument is invalid. The message names the value.
    sandboxes.SandboxUnavailable: If the sandbox can't run candidates, or not as isolated as "strict" demands.
"""

_LICENSE = "Apache License 2.0"


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class CodeEval(AddedSamples, evaluate.Metric):
    """Scores programs by running them."""

    defaults: Mapping[str, Any] = {}
    """Options of a subclass for callers that give none, such as a harness."""

    def _info(self) -> evaluate.MetricInfo:
        require_backend(self._default_sandbox())
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features(
                {
                    "predictions": datasets.Sequence(datasets.Value("string")),
                    "references": datasets.Value("string"),
                }
            ),
            homepage="https://github.com/openai/human-eval",
            codebase_urls=["https://github.com/openai/human-eval"],
            reference_urls=["https://github.com/openai/human-eval"],
            license=_LICENSE,
        )

    def _default_sandbox(self) -> str:
        default = self.defaults.get("sandbox", DEFAULT_SANDBOX)
        return str(default) if self.config_name == "default" else self.config_name

    def _config(self, options: Mapping[str, Any], without: Collection[str] = ()) -> sandboxes.EvalConfig:
        own = {name: value for name, value in self.defaults.items() if name != "sandbox"}
        defaults = {"sandbox": self._default_sandbox()}
        return sandboxes.EvalConfig.from_options({**own, **options}, defaults=defaults, without=without)

    # fmt: off
    def compute(
        self, *, predictions: Any = None, references: Any = None,
        # options
        k: Any = (1, 10, 100), grading: Any = "auto", partial_credit: Any = False, stop_at_first_failure: Any = None,
        repeats: Any = 1, on_sandbox_error: Any = "raise", on_invalid_tests: Any = "raise", progress: Any = None,
        language: Any = "python", languages: Any = None, extract: Any = "none", assemble: Any = None,
        checker: Any = None, tolerance: Any = 1e-06, timeout: Any = 3.0, compile_timeout: Any = 30.0,
        memory_mb: Any = 1024, stack_mb: Any = 8, cpu_seconds: Any = None, max_processes: Any = 64,
        max_output_bytes: Any = 16777216, sandbox: Any = None, num_workers: Any = None, cluster: Any = None,
        isolation: Any = "auto", network: Any = False, loopback: Any = False, shell: Any = False,
        read_only_paths: Any = None, env: Any = None, preload: Any = None, import_paths: Any = "installed",
        hash_seed: Any = 0, cache_dir: Any = None, cache_mb: Any = 1024, cache_nondeterministic: Any = False,
        dedupe: Any = None, use_safe_builtins: Any = True, use_limited_builtins: Any = True,
        use_utility_builtins: Any = True, additional_globals: Any = None, additional_locals: Any = None,
        allowed_imports: Any = None, allow_str_format: Any = False, allow_underscore_variable_names: Any = False,
        return_output: Any = False, output_variable: Any = "output", policy: Any = None, custom_builtins: Any = None,
        trusted_globals: Any = False, image: Any = "python:3.11-slim", packages: Any = None, cpus: Any = 1.0,
        runtime: Any = None, pull: Any = "missing", volumes: Any = None, docker_host: Any = None,
        fresh_container: Any = False,
        # end of options
        **others: Any,
    ) -> Any:
        """Run the candidates, and return (pass_at_k, results). Several threads may call this at once."""
        # fmt: on
        options = given_options(locals()) | others
        config = self._config(options)
        if (predictions is None) != (references is None):
            raise ValueError("compute() needs both predictions and references, or neither after add_batch()")
        if predictions is not None and len(self) == 0 and self.num_process == 1:
            # Samples that are all given at once need not be written to evaluate's file.
            return self._score(predictions, references, config)
        added = len(self)
        try:
            answer = super().compute(predictions=predictions, references=references, **options)
        except BaseException:
            self._restore_added(added)
            raise
        self._forget_files()
        return answer

    def evaluate_stream(self, samples: Iterable[Mapping[str, Any]], **options: Any) -> Iterator[dict[str, Any]]:
        """Run samples that need not fit into memory: only a few samples are read ahead of the results.

        Candidates run while the caller waits for the next result. With `cache_dir`, `dedupe=True` or `repeats`, samples
        are read in chunks of some ten thousand, and duplicates are found within a chunk. Otherwise duplicates run too.

        Args:
            samples: dicts: {"prediction": a candidate, "reference": its tests}, and optionally "task_id", which is the
                sample's number otherwise. Samples with the same tests best stand together.
            options: as `compute` takes them, but for k, progress and languages.

        Yields:
            The result of each sample, in the samples' order, as `compute` describes it. "completion_id" is counted
            among neighbours with the same "task_id", and "duplicate_of" is the number of a sample.

        Raises:
            ValueError, TypeError: for invalid options, at once, and for an invalid sample, when it is read.
            sandboxes.SandboxUnavailable: as `compute`.
        """
        # Duplicates in a stream may be far apart.
        options["dedupe"] = options.get("dedupe", False)
        config = self._config(options, without=NOT_OF_STREAMS)
        require_consent()
        return self._stream(samples, config)

    @staticmethod
    def _stream(samples: Iterable[Mapping[str, Any]], config: sandboxes.EvalConfig) -> Iterator[dict[str, Any]]:
        sample_ids: collections.deque[tuple[int | str, int]] = collections.deque()
        with contextlib.closing(sandboxes.Evaluator(config).stream(checked_samples(samples, sample_ids))) as stream:
            for result in stream:
                original = None
                if isinstance(result, sandboxes.Verdict):
                    original = result.duplicate_of
                    result = dataclasses.replace(result, duplicate_of=None)
                yield sandboxes.result_dict(*sample_ids.popleft(), result, config.extra_fields) | {
                    "duplicate_of": original
                }

    def add_batch(self, *, predictions: Any = None, references: Any = None, **others: Any) -> None:
        """Add tasks, to be scored by `compute()`. Raises what `storable_tasks` raises."""
        stored_predictions, stored_references = storable_tasks(predictions, references)
        super().add_batch(predictions=stored_predictions, references=stored_references, **others)

    def add(self, *, prediction: Any = None, reference: Any = None, **others: Any) -> None:
        """Add one task, to be scored by `compute()`. `predictions` and `references` are other names of its parts."""
        prediction = either_name("prediction", prediction, others)
        reference = either_name("reference", reference, others)
        [stored_prediction], [stored_reference] = storable_tasks([prediction], [reference])
        super().add(**{**others, "predictions": stored_prediction, "references": stored_reference})

    def _restore_added(self, count: int) -> None:
        """Remove evaluate's files after a failed compute, and add the first `count` tasks again.

        In a distributed run they are gone, because the other processes have handed in theirs.
        """
        if self.data is None:
            return
        samples = {name: self.data[name][:count] for name in ("predictions", "references")}
        self.data = self.writer = self.buf_writer = None
        for lock, path in zip(self.filelocks or (), self.file_paths or (), strict=True):
            os.remove(path)
            lock.release()
        self._forget_files()
        if count and self.num_process == 1:
            super().add_batch(**samples)

    # fmt: off
    def _compute(
        self, predictions: Any, references: Any,
        # options
        k: Any = (1, 10, 100), grading: Any = "auto", partial_credit: Any = False, stop_at_first_failure: Any = None,
        repeats: Any = 1, on_sandbox_error: Any = "raise", on_invalid_tests: Any = "raise", progress: Any = None,
        language: Any = "python", languages: Any = None, extract: Any = "none", assemble: Any = None,
        checker: Any = None, tolerance: Any = 1e-06, timeout: Any = 3.0, compile_timeout: Any = 30.0,
        memory_mb: Any = 1024, stack_mb: Any = 8, cpu_seconds: Any = None, max_processes: Any = 64,
        max_output_bytes: Any = 16777216, sandbox: Any = None, num_workers: Any = None, cluster: Any = None,
        isolation: Any = "auto", network: Any = False, loopback: Any = False, shell: Any = False,
        read_only_paths: Any = None, env: Any = None, preload: Any = None, import_paths: Any = "installed",
        hash_seed: Any = 0, cache_dir: Any = None, cache_mb: Any = 1024, cache_nondeterministic: Any = False,
        dedupe: Any = None, use_safe_builtins: Any = True, use_limited_builtins: Any = True,
        use_utility_builtins: Any = True, additional_globals: Any = None, additional_locals: Any = None,
        allowed_imports: Any = None, allow_str_format: Any = False, allow_underscore_variable_names: Any = False,
        return_output: Any = False, output_variable: Any = "output", policy: Any = None, custom_builtins: Any = None,
        trusted_globals: Any = False, image: Any = "python:3.11-slim", packages: Any = None, cpus: Any = 1.0,
        runtime: Any = None, pull: Any = "missing", volumes: Any = None, docker_host: Any = None,
        fresh_container: Any = False,
        # end of options
    ) -> MetricOutput:
        """Score samples for evaluate's own `compute`, which takes no other keywords than these."""
        # fmt: on
        return self._score(predictions, references, self._config(given_options(locals())))

    def _score(self, predictions: Any, references: Any, config: sandboxes.EvalConfig) -> MetricOutput:
        """Return the samples' score: (pass_at_k, results)."""
        require_consent()
        tasks = checked_tasks(predictions, references)
        config.tasks.check_task_count(len(tasks))
        evaluator = sandboxes.Evaluator(config)
        batch = evaluator.assemble(tasks)
        show = _default_progress() if config.progress is None else config.progress
        with ProgressBar(len(batch.programs), show) as bar:
            results = evaluator.run(batch, on_result=bar.count)
        # Otherwise programs, verdicts and results would be in memory at once.
        del batch
        output = metric_output([len(task.candidates) for task in tasks], results, config.k, config.extra_fields)
        warn_of_answers((answer for task in tasks for answer in task.candidates), output[1].records(), stacklevel=4)
        return output


def _default_progress() -> bool | None:
    """Return False if evaluate's or datasets' own bars are switched off. Otherwise None: a bar on a terminal."""
    switched_off = datasets.are_progress_bars_disabled() or not evaluate.utils.logging.is_progress_bar_enabled()
    return False if switched_off else None
