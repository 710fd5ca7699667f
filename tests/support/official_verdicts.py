"""Judges candidates of one record in the way of the benchmark's own grader."""

import json

from code_tasks.benchmarks import load_benchmark
from sandboxes import Evaluator


def official_results(folder, name, record, candidates):
    """Return the results of candidates with the official form of their problem."""
    path = folder / "problems.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    loaded = load_benchmark(name, path)
    config = loaded.benchmark.eval_config({"grading": "auto"})
    [task_id] = loaded.problems
    with Evaluator(config) as evaluator:
        return evaluator.run(loaded.official_tasks({task_id: candidates}, config))
