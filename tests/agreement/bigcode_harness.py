"""Runs bigcode-evaluation-harness on local data, and its files and calls through this project.

$ HF_ALLOW_CODE_EVAL=1 python tests/agreement/bigcode_harness.py HARNESS HUMANEVAL [MBPP]

HARNESS is the harness's repository, HUMANEVAL and MBPP are published files. The Python needs what the harness imports:
torch, transformers and accelerate. Generations and references are made, named and saved by the harness's own code, with
a model in place of torch's that knows the answers. The tasks of HumanEvalPack call `compute` as they call their own
metric. Prints a line for each task, and ends with status 1 if a score is not the expected one.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import datasets
import evaluate

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), sys.argv[1]]

from bigcode_eval import base, evaluator, tasks  # noqa: E402
from bigcode_eval.tasks import humanevalpack  # noqa: E402

from support.humanevalpack_records import RECORDS  # noqa: E402

SOLUTIONS = {"humaneval": lambda doc: doc["prompt"] + doc["canonical_solution"], "mbpp": lambda doc: doc["code"]}
SAMPLES = 4
EXPECTED = 0.75
"""Every fourth generation is wrong."""


def local_data(paths):
    """Return `load_dataset` for local files: the harness names datasets of the Hub."""

    def load(path, name=None, **others):
        if path == "bigcode/humanevalpack":
            return {"test": datasets.Dataset.from_list([RECORDS[name]])}
        key = "humaneval" if "humaneval" in path else "mbpp"
        data = datasets.load_dataset("json", data_files={"test": str(paths[key])})
        if key == "mbpp":
            # The harness wants as many records as there are on the Hub.
            data["test"] = data["test"].select([number % len(data["test"]) for number in range(500)])
        return data

    return load


def known_answers(task, dataset, *others, n_tasks, **more):
    """Return generations in place of a model: the author's solution, but for the last of each problem."""
    solve = SOLUTIONS[task.name]
    docs = [dataset[number] for number in range(n_tasks)]
    return [[solve(doc)] * (SAMPLES - 1) + ["def nothing():\n    pass\n"] for doc in docs]


def saved_score(name, folder):
    """Return the score that `code-eval run` has for the files that the harness saves."""
    args = SimpleNamespace(
        metric_output_path="",
        allow_code_execution=False,
        limit=None,
        limit_start=0,
        check_references=False,
        save_generations=True,
        save_generations_path=f"{folder}/generations.json",
        save_references=True,
        load_generations_path=None,
        save_every_k_tasks=-1,
        n_samples=SAMPLES,
        prompt="instruct",
    )
    harness = evaluator.Evaluator(SimpleNamespace(is_main_process=True), None, None, args)
    os.chdir(folder)
    generations, references = harness.generate_text(name)
    paths = f"{folder}/generations_{name}.json", f"{folder}/references_{name}.json"
    harness.save_json_files(generations, references, *paths)
    command = [sys.executable, "-m", "code_tasks.cli", "run", paths[0], "--references", paths[1], "-k", "1"]
    output = ["--timeout", "20", "--output", f"{folder}/results.jsonl"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run([*command, *output], check=True, env=environment, capture_output=True)
    results = [json.loads(line) for line in Path(folder, "results.jsonl").read_text().splitlines()][:-1]
    return sum(result["passed"] for result in results) / len(results)


def pack_score(language):
    """Return the score of a task of HumanEvalPack, which calls this metric in place of its own."""
    humanevalpack.load = lambda name: evaluate.load(str(ROOT / "code_eval.py"))
    task = tasks.get_task(f"humanevalsynthesize-{language}", SimpleNamespace(prompt="instruct"))
    record = task.get_dataset()[0]
    bodies = [record["canonical_solution"]] * (SAMPLES - 1) + [record["buggy_solution"]]
    return task.process_results([[record["prompt"] + body for body in bodies]], [task.get_reference(record)])["pass@1"]


def main():
    """Run all tasks."""
    paths = dict(zip(("humaneval", "mbpp"), map(Path.resolve, map(Path, sys.argv[2:])), strict=False))
    base.load_dataset = local_data(paths)
    evaluator.parallel_generations = known_answers
    scores = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in paths:
            tasks.TASK_REGISTRY[name].name = name
            scores[name] = saved_score(name, folder)
        scores |= {f"humanevalsynthesize-{language}": pack_score(language) for language in RECORDS}
        os.chdir(ROOT)
    for name, score in scores.items():
        sys.stdout.write(f"{name}: {score}\n")
    sys.exit(any(score != EXPECTED for score in scores.values()))


if __name__ == "__main__":
    main()
