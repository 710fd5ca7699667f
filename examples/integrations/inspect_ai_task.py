"""An Inspect task: a model tries its code in the sandbox `code_eval`, and `verify` grades its answer elsewhere.

With a real model: `HF_ALLOW_CODE_EVAL=1 inspect eval inspect_ai_task.py --model openai/gpt-4o`. Run as a program, it
uses Inspect's mock model, and needs no network.
"""

import os

from inspect_ai import Task, eval, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import bash, python

from code_tasks.adapters.inspect_ai import CodeEvalSandboxConfig, verify

SAMPLES = [
    Sample(input="Write add(a, b), which returns the sum.", target="assert add(2, 3) == 5"),
    Sample(input="Write double(n), which returns twice n.", target="assert double(4) == 8\nassert double(-1) == -2"),
]


@task
def write_functions() -> Task:
    """Return the task: tools for the model, tests in each sample's target."""
    return Task(
        dataset=SAMPLES,
        solver=[use_tools(python(timeout=30), bash(timeout=30)), generate()],
        scorer=verify(timeout=5.0),
        sandbox=("code_eval", CodeEvalSandboxConfig(limits={"memory_bytes": 512 << 20})),
    )


def mock_answers(messages, tools, tool_choice, config):
    """Return what the mock model says: a tool call first, and then an answer, which is right for the first sample."""
    if messages[-1].role != "tool":
        output = ModelOutput.for_tool_call("mockllm/model", "python", {"code": "print(2 + 3)"})
    else:
        name, body = ("add(a, b)", "a + b") if "add" in messages[0].text else ("double(n)", "n + 2")
        output = ModelOutput.from_content("mockllm/model", f"```python\ndef {name}:\n    return {body}\n```")
    # With a usage, Inspect needs no tokenizer to count one.
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


if __name__ == "__main__":
    os.environ["HF_ALLOW_CODE_EVAL"] = "1"
    [log] = eval(write_functions(), model=get_model("mockllm/model", custom_outputs=mock_answers), display="none")
    for sample in log.samples:
        print(sample.id, sample.scores["verify"].value, sample.scores["verify"].explanation)
    accuracy = log.results.scores[0].metrics["accuracy"].value
    print("accuracy", accuracy)
