"""EvalPlus's samples are scored here, and the results are a file that EvalPlus reads. It need not be installed.

$ python examples/integrations/evalplus_results.py
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(tempfile.mkdtemp())
PROBLEM = {
    "task_id": "HumanEval/1000",
    "prompt": 'def half(numbers):\n    """Return the half of each number."""\n',
    "contract": "",
    "entry_point": "half",
    "canonical_solution": "    return [number / 2 for number in numbers]\n",
    "base_input": [[[2, 4]]],
    "plus_input": [[[]], [[1, 3]]],
    "atol": 0,
}
SAMPLES = [
    {"task_id": "HumanEval/1000", "completion": "    return [number / 2 for number in numbers]\n"},
    {
        "task_id": "HumanEval/1000",
        "solution": "def half(items):\n    return [item // 2 * 1.0 for item in items]\n",
    },
    {"task_id": "HumanEval/1000", "completion": "    import time\n    time.sleep(1000)\n"},
    {"task_id": "HumanEval/1000", "completion": "    import os\n    os._exit(0)\n"},
]


def main():
    """Score the samples, and print what EvalPlus finds in the file."""
    (FOLDER / "problems.jsonl").write_text(json.dumps(PROBLEM) + "\n")
    (FOLDER / "samples.jsonl").write_text("".join(json.dumps(sample) + "\n" for sample in SAMPLES))
    (FOLDER / "results").mkdir()
    # On EvalPlus's own problems, `--benchmark humanevalplus` alone is enough.
    command = [sys.executable, "-m", "code_tasks.cli", "run", str(FOLDER / "samples.jsonl")]
    command += ["--benchmark", "humanevalplus", "--problems", str(FOLDER / "problems.jsonl"), "--grading", "separate"]
    # evalplus.evaluate --samples results/samples.jsonl reads the file that is written beside this one.
    command += ["--output", str(FOLDER / "results" / "samples.jsonl"), "--format", "evalplus"]
    subprocess.run(command, check=True)
    results = json.loads((FOLDER / "results" / "samples_eval_results.json").read_text())
    for sample in results["eval"]["HumanEval/1000"]:
        print("base:", sample["base_status"], "plus:", sample["plus_status"])
    print(results["pass_at_k"])


if __name__ == "__main__":
    main()
