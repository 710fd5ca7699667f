"""lm-evaluation-harness with its task humaneval on one local problem, and a model that knows two answers.

$ HF_ALLOW_CODE_EVAL=1 python examples/integrations/lm_eval_humaneval.py
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(tempfile.mkdtemp())
PROBLEM = {
    "task_id": "sum",
    "prompt": 'def add(a, b):\n    """Return the sum."""\n',
    "test": "def check(candidate):\n    assert candidate(2, 3) == 5\n",
    "entry_point": "add",
}
ANSWERS = {"right": "    return a + b\n", "wrong": "    return a * b\n"}


def main():
    """Install the metric in a new folder, and run the harness there."""
    # This is `code-eval install lm-eval --grading separate`, in the folder.
    install = [sys.executable, "-m", "code_tasks.cli", "install", "lm-eval", "--folder", str(FOLDER)]
    subprocess.run([*install, "--grading", "separate"], check=True)
    os.chdir(FOLDER)

    # The harness finds the metric now. These imports stand here, because its tasks load the metric when they are read.
    import lm_eval
    from lm_eval.api.model import LM
    from lm_eval.tasks import TaskManager

    class Answers(LM):
        """A model that knows its answers."""

        def generate_until(self, requests, disable_tqdm=False):
            """Return the answer to each request."""
            return [ANSWERS[request.doc["kind"]] for request in requests]

        def loglikelihood(self, requests, disable_tqdm=False):
            """Refuse: the task needs answers only."""
            raise NotImplementedError

        loglikelihood_rolling = loglikelihood

    # The harness's own task, with local data in place of the Hub's.
    own = Path(lm_eval.__file__).parent / "tasks" / "humaneval" / "humaneval.yaml"
    (FOLDER / "task.yaml").write_text(
        f"include: {own}\ntask: humaneval_local\ndataset_path: json\n"
        f"dataset_kwargs:\n  data_files:\n    test: {FOLDER / 'problems.jsonl'}\n"
    )
    (FOLDER / "problems.jsonl").write_text("".join(json.dumps({**PROBLEM, "kind": kind}) + "\n" for kind in ANSWERS))
    found = lm_eval.simple_evaluate(
        model=Answers(),
        tasks=["humaneval_local"],
        task_manager=TaskManager(include_path=str(FOLDER), include_defaults=False),
        confirm_run_unsafe_code=True,
    )
    print("pass@1:", found["results"]["humaneval_local"]["pass@1,create_test"])


if __name__ == "__main__":
    main()
