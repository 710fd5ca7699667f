"""The code_eval metric: runs model-written programs against tests, in a sandbox, and estimates pass@k.

>>> import os, evaluate
>>> os.environ["HF_ALLOW_CODE_EVAL"] = "1"
>>> code_eval = evaluate.load("code_eval.py")
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
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import datasets
import evaluate
import numpy as np

import sandboxes  # From: code-eval-sandboxes

DEFAULT_SANDBOX = "subprocess"
DEFAULT_GRADING = "shared"

# Of the metric as upstream has it.
estimate_pass_at_k = sandboxes.estimate_pass_at_k
result_of = sandboxes.result_of

Results = dict[int, list[tuple[int, dict[str, Any]]]]
"""{task_id: [(completion_id, result), ...]}"""

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

_KWARGS_DESCRIPTION = """
Args:
    predictions: list of lists of str: the candidates for each task, at least one each.
    references: list: the tests of each task: a str of code that fails unless the candidate before it is right, or
        cases: a list of {"input", "output"} for stdin and stdout, or a dict of the lists "inputs" and "outputs", with
        "fn_name" for calls of a function; or cases as a str of JSON.
    k: int or list of int, >= 1: the k of pass@k. Default [1, 10, 100]; those that some task has too few candidates for
        are left out, with a warning.
    num_workers: int, >= 1: candidates that run at once. Default: the CPUs that this process may use, or the cluster's.
    timeout: float, > 0: seconds on the clock that a candidate with its tests may take. Default 3.0.
    sandbox: str: where candidates run: "subprocess"; "restricted": there too, in RestrictedPython; "docker": in
        containers. Default: the configuration name given to `evaluate.load`, else "subprocess".
    cluster: str: "auto", "local" or "ray://HOST:PORT": the Ray cluster whose nodes run candidates, each in such a
        sandbox: the one that runs here or that RAY_ADDRESS leads to, one that is started for this process, or that one.
        A Ray that you have connected to is used instead. Default None: candidates run on this machine.
    language: str: "python" (default), "java", "go", "javascript", "typescript", "cpp", "c", "rust" or "bash".
    languages: list of str: instead of language, one per task.
    compile_timeout: float, > 0: seconds on the clock of each compiler. Default 30.
    checker: what decides on the output of a case: "tokens" (default), "exact", "floats", "lines-unordered", a function
        (input, expected output, output) -> bool, or its "module:name".
    tolerance: float, > 0: by how much numbers may differ for "floats", relative or absolute. Default 1e-6.
    stop_at_first_failure: bool: whether cases and asserts after the first that failed are left out. Default True.
    partial_credit: bool: whether results have "partial_credit", the share of tests that passed. Default False.
    assemble: function (candidate, reference) -> program, for tests that are code. Default: the one before the other.
    extract: what takes the code out of a chat answer: "last" or "all" of its fenced blocks, "defining": the last that
        defines what the tests use; or a function (candidate, reference) -> code. Default None: all of it is code.
    on_sandbox_error: "raise" (default) or "exclude": what to do about a candidate that the sandbox could not run, also
        after it was tried on fresh workers. An excluded one counts neither as right nor as wrong.
    cache_dir: str: a folder for the results of calls, which are taken from there when the same candidate meets the same
        tests in the same sandbox again. Default none.
    cache_mb: int, >= 1: MiB of that folder; beyond it those results go that were used longest ago. Default 1024.
    cache_unstable: bool: whether time-outs, results for want of memory and flaky ones are kept too. Default False.
    dedupe: bool: whether candidates that are the same, with the same tests and limits, are run once for all. Default:
        in "subprocess" and "restricted", without a network, those that look deterministic: without a clock, randomness,
        threads, processes or files.
    repeats: int, >= 1: how often each candidate is run. What counts is the first run; the results tell of the others.
        Default 1.
    progress: bool: whether to show a bar. Default: on a terminal, for runs of more than a second or two.
    grading: str: "shared" (default): tests run in the candidate's interpreter; "separate": in another, so that a
        candidate can't forge a pass; "auto": "separate", unless the text of the tests shows that they need "shared".
    isolation: str: "auto" (default): all layers that can be had here, with one warning of those that can't; "strict":
        all of them, or SandboxUnavailable; "off": limits only, for debugging.
    network: bool: whether candidates may use the network; with sandbox="docker" also its name. Default False.
    read_only_paths: list of str: more files and folders that candidates can read, at their own paths. Default none.
    env: dict of str: more environment variables of candidates, which see none of yours. Default none.
    preload: list of str: modules to import before candidates are forked: importing them then costs nothing.
    memory_mb: int, >= 1: MiB of address space of a process, and of memory of all of a candidate's. Default 1024.
    cpu_seconds: float, > 0: CPU time of one process. Default: as much as `timeout` on every CPU.
    max_processes: int, >= 1: processes and threads of a candidate at once. Default 64.
    max_output_bytes: int, >= 1: what a candidate may write to stdout and stderr together. Default 16 MiB.
    use_safe_builtins, use_limited_builtins, use_utility_builtins: bool: with sandbox="restricted", as all that follow:
        whether candidates have these builtins of RestrictedPython's. Default True.
    additional_globals, additional_locals: dict of more names for candidates: data, or what can be imported, which
        "module:name" also stands for. Default none.
    allowed_imports: list of str: modules that may be imported, with those below them. Default none.
    allow_str_format: bool: whether `str.format` and `str.format_map` work. Default False.
    allow_underscore_variable_names: bool: whether names and attributes may begin with one underscore. Default False.
    return_output: bool: whether results have "output", the value of a variable after the run. Default False.
    output_variable: str: that variable. Default "output".
    policy: a subclass of `RestrictedPython.RestrictingNodeTransformer`, its "module:Class", or "strict" for that class
        itself: what candidates may be written in. Default: what models write, as far as it is safe.
    custom_builtins: dict of more builtins, or its "module:name". Default none.
    image: str: with sandbox="docker", as all that follow: any with Python 3.8 or newer. Default "python:3.11-slim".
    packages: list of PyPI requirements to install on it, or dict of {import name: requirement or None}, of which those
        are installed that candidates or tests import. Default none.
    cpus: float, > 0: CPUs of a container. Default 1.
    runtime: str: Docker's name of the runtime, such as "runsc" for gVisor. Default the engine's own.
    pull: "missing" (default), "never" or "always": when to pull the image.
    volumes: dict of {path: path in the container}, or list of paths, that candidates can read. Default none.
    docker_host: str: where the engine is, as DOCKER_HOST has it. Default where the docker command finds it.
    fresh_container: bool: whether each candidate gets a container of its own. Default False.
Returns:
    pass_at_k: dict: {"pass@1": float, ...}, each in [0, 1].
    results: dict: {task_id: [(completion_id, result), ...]}, both ids counted from 0. A result is a dict: "task_id",
        "completion_id", "passed" (bool), "result" ("passed", "timed out" or "failed: ..."), "outcome" ("passed",
        "failed", "compile_error", "timed_out", "out_of_memory", "crashed", "exited" or "output_limit"), "detail",
        "exception_type", "exception_message", "traceback", "stdout", "stderr", "wall_seconds", "cpu_seconds",
        "peak_memory_bytes", "isolation" (list of str: the layers that were on), "grading" ("shared" or "separate"),
        "tests" (list of {"name", "outcome", "message", "seconds"}, one per test that was run), "attempts", "cached"
        (bool: from the cache), "duplicate_of" ([task_id, completion_id] of the same candidate, which was run for both,
        or None), "repeats" (list of the outcomes of all runs, if there were to be several) and "flaky" (bool: whether
        they differ);
        with sandbox="restricted" also "exception_description", which is "exception_message", and with `return_output`
        "output".
Raises:
    ValueError, TypeError: for arguments that can't be right; the message names the value.
    sandboxes.SandboxUnavailable: if the sandbox can't run candidates, or not as isolated as "strict" demands.
"""

_WARNING = """
The candidates that are about to be run are programs that a model wrote and nobody has read. On Linux the subprocess
sandbox keeps them from your files, your processes and the network, and limits what they use. But they run on this
machine's own kernel, and where the system or a container forbids user namespaces (as Docker's default profile does),
some of these layers are missing: `code-eval doctor` shows which, and with isolation="strict" nothing runs without them.
SECURITY.md says what is promised, and what is not.

If that is understood, set the environment variable HF_ALLOW_CODE_EVAL to "1":

>>> import os
>>> os.environ["HF_ALLOW_CODE_EVAL"] = "1"
"""

_LICENSE = "Apache License 2.0"

# Arguments that count something: the limit that each sets, and how much one of it is.
_COUNTS = {
    "memory_mb": ("memory_bytes", 1 << 20),
    "max_processes": ("processes", 1),
    "max_output_bytes": ("output_bytes", 1),
}
_CONFINEMENT = ("isolation", "network", "read_only_paths", "env", "preload")
_OWN_OPTIONS = tuple(option for backend in sandboxes.BACKENDS.values() for option in backend.own_options)

# A lone surrogate can't be stored in Arrow, and NUL is in no program: so this stands for one meanwhile.
_SURROGATE = re.compile("[\ud800-\udfff]")
_STORED_SURROGATE = re.compile("\0u(d[89a-f][0-9a-f]{2})")


@dataclasses.dataclass(frozen=True)
class Options:
    """The arguments of `compute` besides the samples, checked."""

    k: tuple[int, ...]
    num_workers: int | None
    """None: as many as there are CPUs where candidates run."""

    limits: sandboxes.Limits
    sandbox: sandboxes.Sandbox
    cluster: str | None
    grading: str
    on_sandbox_error: str
    progress: bool | None
    kinds: sandboxes.Kinds
    """How tasks are run: in which language, on which kind of tests."""

    sharing: sandboxes.Sharing
    """What is run once, not at all, or several times."""

    more_keys: tuple[str, ...]
    """Of results: those that only some sandboxes have."""

    @classmethod
    def checked(cls, config_name: str, options: dict[str, Any]) -> "Options":
        """Options from the keywords given to `compute`; `config_name` is the one given to `evaluate.load`."""
        given: dict[str, Any] = {"k": [1, 10, 100], "num_workers": None, "timeout": 3.0, "sandbox": None}
        given |= {"grading": DEFAULT_GRADING, "on_sandbox_error": "raise", "progress": None, "cluster": None}
        given |= dict.fromkeys(("cpu_seconds", *_COUNTS, *_CONFINEMENT, *_OWN_OPTIONS))
        given |= dict.fromkeys((*sandboxes.TASK_OPTIONS, *sandboxes.SHARING_OPTIONS))
        if unknown := sorted(set(options) - set(given)):
            raise TypeError(f"compute() has no option {unknown[0]!r}; the options are {', '.join(given)}")
        given |= options
        k = given["k"] if isinstance(given["k"], list | tuple | np.ndarray) else [given["k"]]
        if len(k) == 0:
            raise ValueError("k must hold at least one number, not none")
        num_workers, cluster = given["num_workers"], given["cluster"]
        if given["on_sandbox_error"] not in sandboxes.ON_SANDBOX_ERROR:
            choices = " or ".join(map(repr, sandboxes.ON_SANDBOX_ERROR))
            raise ValueError(f"on_sandbox_error must be {choices}, not {given['on_sandbox_error']!r}")
        if given["grading"] not in sandboxes.GRADINGS:
            choices = ", ".join(sandboxes.GRADINGS)
            raise ValueError(f"grading must be one of {choices}, not {sandboxes.shortened(given['grading'])}")
        if given["progress"] not in (None, True, False):
            raise TypeError(f"progress must be True, False or None, not {given['progress']!r}")
        kinds = sandboxes.Kinds.checked(**{option: given[option] for option in sandboxes.TASK_OPTIONS})
        sandbox = _sandbox(config_name, given, kinds)
        more_keys: tuple[str, ...] = ("partial_credit",) if kinds.partial_credit else ()
        more_keys += ("exception_description",) if sandbox.name == "restricted" else ()
        return cls(
            k=tuple(sandboxes.whole_number("k", each) for each in k),
            num_workers=None if num_workers is None else sandboxes.whole_number("num_workers", num_workers),
            limits=_limits(given),
            sandbox=sandbox,
            cluster=None if cluster is None else sandboxes.checked_cluster(cluster),
            grading=given["grading"],
            on_sandbox_error=given["on_sandbox_error"],
            progress=given["progress"],
            kinds=kinds,
            sharing=sandboxes.Sharing.checked(**{option: given[option] for option in sandboxes.SHARING_OPTIONS}),
            more_keys=(*more_keys, "output") if given["return_output"] else more_keys,
        )


def _limits(given: dict[str, Any]) -> sandboxes.Limits:
    """What each candidate may use, from the keywords given to `compute`."""
    fields: dict[str, Any] = {"wall_seconds": sandboxes.positive("timeout", given["timeout"], "seconds")}
    if given["cpu_seconds"] is not None:
        fields["cpu_seconds"] = sandboxes.positive("cpu_seconds", given["cpu_seconds"], "seconds")
    for name, (field, unit) in _COUNTS.items():
        if given[name] is not None:
            fields[field] = sandboxes.whole_number(name, given[name]) * unit
    return sandboxes.Limits(**fields)


def _sandbox(config_name: str, given: dict[str, Any], kinds: sandboxes.Kinds) -> sandboxes.Sandbox:
    """Where candidates run, from the keywords given to `compute`, with what their languages need."""
    name = _sandbox_name(config_name if given["sandbox"] is None else given["sandbox"])
    names = (*_CONFINEMENT, *_OWN_OPTIONS, *sandboxes.BACKENDS[name].limit_options)
    options = {option: given[option] for option in names if given[option] is not None}
    kinds.check_for(name)
    return sandboxes.open_sandbox(name, **kinds.with_paths(name, options))


def _sandbox_name(name: str) -> str:
    if name == "default":
        return DEFAULT_SANDBOX
    if not isinstance(name, str) or name not in sandboxes.BACKENDS:
        raise ValueError(f"unknown sandbox {name!r}; choose one of {', '.join(sandboxes.BACKENDS)}")
    return name


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class CodeEval(evaluate.Metric):
    """Scores programs by running them."""

    # evaluate's, which has no types.
    data: Any
    filelocks: Any
    file_paths: Any

    def _info(self) -> evaluate.MetricInfo:
        _sandbox_name(self.config_name)
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

    def compute(self, *, predictions: Any = None, references: Any = None, **options: Any) -> Any:
        """Runs the candidates and returns (pass_at_k, results). Safe to be called from several threads."""
        Options.checked(self.config_name, options)
        if (predictions is None) != (references is None):
            raise ValueError("compute() needs both predictions and references, or neither after add_batch()")
        if predictions is not None and len(self) == 0 and self.num_process == 1:
            # Samples that were all given at once need not go through evaluate's file.
            return self._compute(predictions=predictions, references=references, **options)
        added = len(self)
        try:
            answer = super().compute(predictions=predictions, references=references, **options)
        except BaseException:
            self._put_back(added)
            raise
        # evaluate keeps them, and with them the metric can't be pickled.
        self.filelocks = self.file_paths = None
        return answer

    def evaluate_stream(self, samples: Iterable[Mapping[str, Any]], **options: Any) -> Iterator[dict[str, Any]]:
        """Runs samples that need not fit into memory: few are taken before those before them have their results.

        Candidates run while the next result is waited for. With `cache_dir`, `dedupe=True` or `repeats` they are taken
        some ten thousand at a time, among which the same are seen; without, the same are run each time.

        Args:
            samples: dicts: {"prediction": a candidate, "reference": its tests}, and "task_id" if the result is to have
                another than the sample's number. Those with the same tests best stand together.
            options: as `compute` takes them, but for k, progress and languages.

        Yields:
            The result of each sample, in their order, as `compute` describes it. "completion_id" is counted among
            neighbours with the same "task_id", and "duplicate_of" is the number of a sample.

        Raises:
            ValueError, TypeError: for options that can't be right, at once; and for what is no sample, when it comes.
            sandboxes.SandboxUnavailable: as `compute`.
        """
        for name in ("k", "progress", "languages"):
            if options.get(name) is not None:
                raise TypeError(f"evaluate_stream() has no {name}: it yields results, one per sample, in one language")
        settings = Options.checked(self.config_name, {**options, "dedupe": options.get("dedupe", False)})
        if os.getenv("HF_ALLOW_CODE_EVAL") != "1":
            raise ValueError(_WARNING)
        settings.kinds.check_for(settings.sandbox.name)
        return self._stream(samples, settings)

    def _stream(self, samples: Iterable[Mapping[str, Any]], settings: Options) -> Iterator[dict[str, Any]]:
        pool = sandboxes.warm_pool(settings.sandbox, settings.cluster)
        settings.kinds.find_languages(pool)
        places: collections.deque[tuple[int | str, int]] = collections.deque()
        stream = sandboxes.ended_in_order(
            checked_samples(samples, places),
            settings.kinds,
            settings.limits,
            settings.grading,
            sandboxes.SharingPool(pool, settings.sharing),
            settings.num_workers or pool.cpus(),
            settings.on_sandbox_error,
        )
        with contextlib.closing(stream):
            for ended in stream:
                first = ended.duplicate_of if isinstance(ended, sandboxes.Verdict) else None
                if isinstance(ended, sandboxes.Verdict):
                    ended = dataclasses.replace(ended, duplicate_of=None)
                yield sandboxes.result_of(*places.popleft(), ended, settings.more_keys) | {"duplicate_of": first}

    def add_batch(self, *, predictions: Any = None, references: Any = None, **others: Any) -> None:
        """Adds tasks, to be scored by `compute()`. Raises what `checked_tasks` raises."""
        tasks = checked_tasks(predictions, references)
        super().add_batch(
            predictions=[[_storable(candidate) for candidate in candidates] for candidates, _ in tasks],
            references=[_storable(tests) for _, tests in tasks],
            **others,
        )

    def add(self, *, prediction: Any = None, reference: Any = None, **others: Any) -> None:
        """Adds one task, to be scored by `compute()`."""
        [(candidates, tests)] = checked_tasks([prediction], [reference])
        stored = [_storable(candidate) for candidate in candidates]
        super().add(prediction=stored, reference=_storable(tests), **others)

    def _put_back(self, count: int) -> None:
        """After a compute that failed: removes evaluate's files, and adds again the `count` tasks added before."""
        if self.data is None:
            return
        samples = {name: self.data[name][:count] for name in ("predictions", "references")}
        self.data = self.writer = self.buf_writer = None
        for lock, path in zip(self.filelocks or (), self.file_paths or (), strict=True):
            os.remove(path)
            lock.release()
        self.filelocks = self.file_paths = None
        if count:
            super().add_batch(**samples)

    def _compute(self, predictions: Any, references: Any, **options: Any) -> tuple[dict[str, float], Results]:
        """The samples' score: (pass_at_k, results)."""
        settings = Options.checked(self.config_name, options)
        if os.getenv("HF_ALLOW_CODE_EVAL") != "1":
            raise ValueError(_WARNING)
        tasks = checked_tasks(predictions, references)
        if isinstance(options.get("packages"), dict):
            # Of a mapping, only what these candidates and tests import.
            sources = [code for codes, tests in tasks for code in (*codes, tests)]
            options["packages"] = sandboxes.packages_for(sources, options["packages"])
            settings = Options.checked(self.config_name, options)
        settings.kinds.check_for(settings.sandbox.name, len(tasks))
        job = sandboxes.Job.of(settings.kinds, tasks, settings.limits, settings.grading)
        show = settings.progress if settings.progress is not None else _default_progress()
        with sandboxes.ProgressBar(len(job.programs), show) as bar:
            pool = sandboxes.warm_pool(settings.sandbox, settings.cluster)
            num_workers = settings.num_workers or pool.cpus()
            settings.kinds.find_languages(pool)
            ended = sandboxes.SharingPool(pool, settings.sharing).run_all(
                job.programs, num_workers, bar.count, settings.on_sandbox_error, finish=job.finished_one
            )
        return report([len(codes) for codes, _ in tasks], ended, settings.k, settings.more_keys)


def checked_samples(
    samples: Iterable[Any], places: collections.deque[tuple[int | str, int]]
) -> Iterator[tuple[str, Any]]:
    """(candidate, tests) of each sample of a stream; its (task_id, completion_id) is added to `places`.

    Raises:
        ValueError, TypeError: if one is no sample; the message has its number, from 0.
    """
    last: int | str | None = None
    count = 0
    for number, sample in enumerate(samples):
        if not isinstance(sample, Mapping) or not {"prediction", "reference"} <= set(sample):
            raise TypeError(
                f'sample {number} must be a dict with "prediction", a candidate, and "reference", its tests, '
                f"not {sandboxes.shortened(sample)}"
            )
        try:
            [([candidate], tests)] = checked_tasks([[sample["prediction"]]], [sample["reference"]])
        except (ValueError, TypeError) as error:
            raise type(error)(f"sample {number}: {error}") from None
        task_id = sample.get("task_id", number)
        count = count + 1 if task_id == last else 0
        last = task_id
        places.append((task_id, count))
        yield candidate, tests


def checked_tasks(predictions: Any, references: Any) -> list[tuple[list[str], str]]:
    """The samples as [(candidates, tests), ...], every one of them a str.

    Raises:
        ValueError, TypeError: if there are none, their numbers differ, a task has no candidates or one is not a str.
    """
    for name, samples in (("predictions", predictions), ("references", references)):
        if isinstance(samples, str) or not hasattr(samples, "__iter__"):
            raise TypeError(f"{name} must be a list, not {sandboxes.shortened(samples)}")
    predictions, references = list(predictions), list(references)
    if len(predictions) != len(references):
        raise ValueError(f"there are {len(predictions)} predictions, but {len(references)} references; one each a task")
    if len(predictions) == 0:
        raise ValueError("there is nothing to score: predictions and references are empty")
    tasks = []
    for task_id, (candidates, tests) in enumerate(zip(predictions, references, strict=True)):
        if isinstance(candidates, str) or not hasattr(candidates, "__iter__"):
            raise TypeError(
                f"predictions[{task_id}] must be a list of candidates, not {sandboxes.shortened(candidates)}"
            )
        candidates = [_restored(candidate) for candidate in candidates]
        for number, candidate in enumerate(candidates):
            if not isinstance(candidate, str):
                raise TypeError(
                    f"predictions[{task_id}][{number}] must be a string, not {sandboxes.shortened(candidate)}"
                )
        try:
            tests = sandboxes.as_reference(tests)
        except (ValueError, TypeError) as error:
            raise type(error)(f"references[{task_id}]: {error}") from None
        tasks.append((candidates, _restored(tests)))
    if without := [task_id for task_id, (candidates, _) in enumerate(tasks) if not candidates]:
        raise ValueError(
            f"no candidates for task(s) {sandboxes.listed(without)}; leave such tasks out of both arguments"
        )
    return tasks


def report(
    sizes: Sequence[int], ended: Sequence[sandboxes.Ended], k: Sequence[int], more_keys: Sequence[str] = ()
) -> tuple[dict[str, float], Results]:
    """The metric's answer.

    Args:
        sizes: candidates per task.
        ended: what became of each candidate, task by task: a Verdict, or a SandboxUnavailable that is left out.
        k: tuple of int.
        more_keys: of results, as `result_of` takes them.

    Returns:
        (pass_at_k, results), as `compute` describes them.
    """
    results: Results = {}
    excluded: list[str] = []
    position = 0
    places = [(task_id, number) for task_id, size in enumerate(sizes) for number in range(size)]
    for task_id, size in enumerate(sizes):
        results[task_id] = [
            (number, sandboxes.result_of(task_id, number, ended[position + number], more_keys, places))
            for number in range(size)
        ]
        excluded += [f"{task_id}/{number}" for number, result in results[task_id] if result["passed"] is None]
        position += size
    if excluded:
        warnings.warn(
            f"{len(excluded)} candidate(s) could not be run and count neither as right nor as wrong: "
            f"{sandboxes.listed(excluded)} (task/candidate)",
            stacklevel=4,
        )
    return pass_at_k_of(results, k), results


def pass_at_k_of(results: Results, k: Sequence[int]) -> dict[str, float]:
    """{"pass@k": mean over tasks}, for every k that no task has too few candidates for."""
    verdicts = {
        task_id: [result["passed"] for _, result in task if result["passed"] is not None]
        for task_id, task in results.items()
    }
    verdicts = {task_id: passed for task_id, passed in verdicts.items() if passed}
    total = np.array([len(passed) for passed in verdicts.values()])
    correct = np.array([sum(passed) for passed in verdicts.values()])
    pass_at_k = {}
    for each in k:
        if few := [task_id for task_id, passed in verdicts.items() if len(passed) < each]:
            warnings.warn(
                f"pass@{each} is left out: fewer than {each} candidates for task(s) {sandboxes.listed(few)}",
                stacklevel=5,
            )
        elif verdicts:
            pass_at_k[f"pass@{each}"] = float(sandboxes.estimate_pass_at_k(total, correct, each).mean())
    return pass_at_k


def _default_progress() -> bool | None:
    """None, which shows a bar on a terminal, unless evaluate's or datasets' own bars are switched off."""
    switched_off = datasets.are_progress_bars_disabled() or not evaluate.utils.logging.is_progress_bar_enabled()
    return False if switched_off else None


def _storable(text: str) -> str:
    """A text as Arrow can hold it."""
    return _SURROGATE.sub(lambda found: f"\0u{ord(found[0]):04x}", text)


def _restored(value: Any) -> Any:
    """What `_storable` was given."""
    if not isinstance(value, str) or "\0u" not in value:
        return value
    return _STORED_SURROGATE.sub(lambda found: chr(int(found[1], 16)), value)
