"""LiveCodeBench under lighteval, whose candidates run in a sandbox: two local problems, and answers from a list.

$ HF_ALLOW_CODE_EVAL=1 python examples/integrations/lighteval_livecodebench.py

lighteval needs a network when it is started for the first time, because it downloads a file for another benchmark.
"""

import json
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from lighteval.logging.evaluation_tracker import EvaluationTracker
from lighteval.models.abstract_model import LightevalModel, ModelConfig
from lighteval.models.model_output import ModelResponse
from lighteval.pipeline import ParallelismManager, Pipeline, PipelineParameters
from lighteval.utils.cache_management import SampleCache

from code_tasks.adapters.lighteval import codegen_tasks

FOLDER = Path(tempfile.mkdtemp())
PROBLEM = {
    "question_id": "sum",
    "question_content": "Print the sum of two numbers.",
    "starter_code": "",
    "metadata": "{}",
}
CALL = {**PROBLEM, "question_id": "double", "metadata": '{"func_name": "double"}'}
PROBLEMS = [
    {
        **PROBLEM,
        "public_test_cases": json.dumps([{"input": "1 2\n", "output": "3", "testtype": "stdin"}]),
        "private_test_cases": json.dumps([{"input": "5 7\n", "output": "12", "testtype": "stdin"}]),
    },
    {
        **CALL,
        "public_test_cases": json.dumps([{"input": "4", "output": "8", "testtype": "functional"}]),
        "private_test_cases": json.dumps([{"input": "[1]", "output": "[1, 1]", "testtype": "functional"}]),
    },
]
ANSWERS = [
    "The numbers are on one line.\n```python\na, b = map(int, input().split())\nprint(a + b)\n```",
    "```python\nclass Solution:\n    def double(self, value):\n        return 8\n```",
]

# These lines are all that a file for `lighteval ... --custom-tasks FILE` needs, beside the import of codegen_tasks. The
# dataset is local here, so that nothing is downloaded.
TASKS_TABLE = [
    replace(task, name="local_problems", hf_repo=str(FOLDER), hf_subset="default")
    for task in codegen_tasks(timeout=6, sandbox="subprocess")[:1]
]


class Answers(LightevalModel):
    """A model that knows its answers."""

    tokenizer, add_special_tokens, max_length = None, False, 2048

    def __init__(self, config):
        """Store the configuration, as lighteval's models do."""
        self.config, self._cache = config, SampleCache(config)

    def greedy_until(self, docs):
        """Return the answers in the problems' order."""
        return [ModelResponse(text=[ANSWERS[int(doc.id)]]) for doc in docs]

    def loglikelihood(self, docs):
        """Refuse: the task needs answers only."""
        raise NotImplementedError

    loglikelihood_rolling = loglikelihood


def main():
    """Run lighteval on the local problems, and print the scores."""
    (FOLDER / "test.jsonl").write_text("".join(json.dumps(problem) + "\n" for problem in PROBLEMS))
    pipeline = Pipeline(
        tasks="local_problems|0",
        pipeline_parameters=PipelineParameters(
            launcher_type=ParallelismManager.CUSTOM, custom_tasks_directory=sys.modules[__name__]
        ),
        evaluation_tracker=EvaluationTracker(output_dir=str(FOLDER)),
        model=Answers(ModelConfig(model_name="answers", cache_dir=str(FOLDER))),
    )
    pipeline.evaluate()
    print(pipeline.get_results()["results"]["all"])


if __name__ == "__main__":
    main()
