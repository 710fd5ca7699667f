"""Measures the memory of the calling process: 32,800 samples in one call of the metric, and streams of a million.

    python performance/memory.py HumanEval.jsonl.gz [--samples 1000000] [--output FILE] [--short]

Memory is the peak of the process's resident set above what it has after one sample: the metric is loaded then, and its
pool is warm. Each row has a process of its own. `compute` gets 200 candidates for each task of HumanEval, all
different, and its row counts these texts too. Streams get trivial programs, all different, without a search for
duplicates. `evaluate_stream` and `code-eval run` are measured with a tenth of the samples and with all of them.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import json
import multiprocessing
import os
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from workload import METRIC_FILE, add_short, machine, read_solutions

CANDIDATES_PER_TASK = 200
NUM_WORKERS = 4
STREAM_TASKS = 164
PROBLEM = {"prompt": "", "test": "def check(f):\n    assert f() >= 0\n", "entry_point": "f"}
MOST_OF_COMPUTE, MOST_OF_STREAMS = 150, 250
"""Marks: megabytes above the idle process."""

SHORT_SAMPLES = 400


@dataclass(frozen=True)
class Memory:
    """The memory of one process."""

    samples: int
    idle_mb: float
    """The resident set after one sample."""

    above_idle_mb: float
    """The peak of the resident set while all samples ran, above `idle_mb`."""

    seconds: float


def status_mb(field: str) -> float:
    """Return a size of this process from its status, in MB: "VmRSS", or its peak "VmHWM"."""
    [line] = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(f"{field}:")]
    return int(line.split()[1]) * 1024 / 1e6


def measured(samples: int, once: Callable[[], object], all_samples: Callable[[], object]) -> Memory:
    """Run one sample, then all, and return the memory that all of them need."""
    once()
    gc.collect()
    idle = status_mb("VmRSS")
    # The peak begins again at the present size.
    Path("/proc/self/clear_refs").write_text("5")
    begin = time.perf_counter()
    result = all_samples()
    seconds = time.perf_counter() - begin
    peak = status_mb("VmHWM")
    del result
    return Memory(samples, idle, peak - idle, seconds)


def load_metric() -> Any:
    """Return code_eval."""
    os.environ["HF_ALLOW_CODE_EVAL"] = "1"
    import evaluate

    return evaluate.load(str(METRIC_FILE))


def measure_compute(problems: Path, short: bool) -> Memory:
    """Return the memory of one call with 200 candidates of each task."""
    metric, solutions = load_metric(), read_solutions(problems, short)

    def compute(candidates: int) -> Any:
        pass_at_k, results = metric.compute(
            predictions=[[f"{each.candidate}\n# {number}\n" for number in range(candidates)] for each in solutions],
            references=[each.tests for each in solutions],
            k=[1],
            num_workers=NUM_WORKERS,
            dedupe=False,
        )
        check(pass_at_k["pass@1"] == 1.0)
        return results

    return measured(CANDIDATES_PER_TASK * len(solutions), lambda: compute(1), lambda: compute(CANDIDATES_PER_TASK))


def measure_stream(samples: int) -> Memory:
    """Return the memory of `evaluate_stream`."""
    metric = load_metric()

    def stream(count: int) -> None:
        results = metric.evaluate_stream(stream_samples(count), num_workers=NUM_WORKERS)
        check(sum(result["passed"] for result in results) == count)

    return measured(samples, lambda: stream(1), lambda: stream(samples))


def stream_samples(count: int) -> Iterator[dict[str, Any]]:
    """Yield trivial samples, all different, task by task."""
    for number in range(count):
        task = number * STREAM_TASKS // count
        yield {"prediction": f"def f():\n    return {number}\n", "reference": f"assert f() + {task} >= 0"}


def measure_run(samples: int) -> Memory:
    """Return the memory of `code-eval run`, which writes the results to a file."""
    from code_tasks.cli.main import app

    with tempfile.TemporaryDirectory() as folder:
        problems, given, output = (Path(folder, name) for name in ("problems.jsonl", "samples.jsonl", "results.jsonl"))

        def run(count: int) -> None:
            tasks = min(STREAM_TASKS, count)
            write_lines(problems, ({**PROBLEM, "task_id": f"t/{task}"} for task in range(tasks)))
            names = (f"t/{number * tasks // count}" for number in range(count))
            texts = (f"def f():\n    return {number}\n" for number in range(count))
            pairs = zip(names, texts, strict=True)
            write_lines(given, ({"task_id": task_id, "completion": completion} for task_id, completion in pairs))
            files = [str(given), "--problems", str(problems), "--output", str(output)]
            with contextlib.redirect_stdout(io.StringIO()) as report:
                app(["run", *files, "--no-dedupe", "-k", "1", f"--num-workers={NUM_WORKERS}"], standalone_mode=False)
            check(f"passed          {count:7}\n" in report.getvalue())

        return measured(samples, lambda: run(1), lambda: run(samples))


def write_lines(path: Path, records: Iterable[dict[str, Any]]) -> None:
    """Write JSON lines."""
    with path.open("w") as file:
        file.writelines(json.dumps(record) + "\n" for record in records)


def check(all_passed: bool) -> None:
    """Raise SystemExit if a sample did not pass."""
    if not all_passed:
        raise SystemExit("some samples did not pass, so the figures mean nothing")


def in_new_process(measure: Callable[..., Memory], *arguments: Any) -> Memory:
    """Measure in a process that has imported nothing before."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context) as executor:
        return executor.submit(measure, *arguments).result()


def main() -> None:
    """Measure, and print a row for each process as soon as it has ended."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems", type=Path, help="HumanEval.jsonl.gz")
    parser.add_argument("--samples", type=int, default=1_000_000, help="samples of a stream")
    parser.add_argument("--output", type=Path, help="write all figures here, as JSON")
    add_short(parser)
    arguments = parser.parse_args()
    samples = SHORT_SAMPLES if arguments.short else arguments.samples
    print(machine())
    rows: list[tuple[str, int, Callable[..., Memory], tuple[Any, ...]]] = [
        ("compute", MOST_OF_COMPUTE, measure_compute, (arguments.problems, arguments.short))
    ]
    for count in (samples // 10, samples):
        rows += [
            ("evaluate_stream", MOST_OF_STREAMS, measure_stream, (count,)),
            ("code-eval run", MOST_OF_STREAMS, measure_run, (count,)),
        ]
    figures = []
    for name, most, measure, given in rows:
        memory = in_new_process(measure, *given)
        print(
            f"{name:16}{memory.samples:10,} samples: {memory.above_idle_mb:6.1f} MB (≤ {most}) above "
            f"{memory.idle_mb:.0f} MB, in {memory.seconds:.0f} s",
            flush=True,
        )
        figures.append({"name": name, **asdict(memory)})
    if arguments.output:
        arguments.output.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
