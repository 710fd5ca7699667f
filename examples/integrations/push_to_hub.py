"""Scores two candidates, and uploads the results to the Hugging Face Hub as a private dataset.

python push_to_hub.py OWNER/NAME

The token is HF_TOKEN, or the one that `hf auth login` has stored.
"""

import os
import sys
from pathlib import Path

import evaluate

from code_tasks.scoring import Results


def main(repo_id):
    """Score, upload, and print the URL."""
    os.environ["HF_ALLOW_CODE_EVAL"] = "1"
    # In a Space of this repository: evaluate.load("USER/code_eval").
    code_eval = evaluate.load(str(Path(__file__).parents[2] / "code_eval.py"))
    candidates = [["def add(a, b): return a * b", "def add(a, b): return a + b"]]
    computed = code_eval.compute(predictions=candidates, references=["assert add(2, 3) == 5"], k=[1, 2], timeout=20.0)
    print(Results.of(computed).push_to_hub(repo_id, model="two candidates", k=[1, 2]))


if __name__ == "__main__":
    main(*sys.argv[1:])
