"""Tasks for Inspect, run against its mock model, with one answer or several tool calls for each sample."""

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import bash, python

from code_tasks.adapters.inspect_ai import verify

MODEL = "mockllm/model"
TESTS = "assert add(2, 3) == 5\nassert add(1, 1) == 2"
USAGE = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
SECONDS = 20.0


def said(output):
    """Return a model's output with a usage, without which Inspect would download a tokenizer to count it."""
    output.usage = USAGE
    return output


def calls(tool, **arguments):
    """Return the output of a model that calls a tool."""
    return said(ModelOutput.for_tool_call(MODEL, tool, arguments))


def answers(code):
    """Return the output of a model whose last answer has code."""
    return said(ModelOutput.from_content(MODEL, f"Here it is:\n```python\n{code}\n```"))


def scripted(scripts):
    """Return a model that plays each sample's script: {the sample's input: its outputs}."""
    scripts = {name: iter(outputs) for name, outputs in scripts.items()}

    def play(messages, tools, tool_choice, config):
        return next(scripts[next(each.text for each in messages if each.role == "user")])

    return get_model(MODEL, custom_outputs=play, memoize=False)


def run_task(scripts, log_dir, *, target=TESTS, metadata=None, scorer=None, tools=(), sandbox="code_eval", **options):
    """Run a task with a sample for each script, and return its log."""
    samples = [Sample(id=name, input=name, target=target, metadata=metadata) for name in scripts]
    task = Task(
        dataset=samples,
        solver=[use_tools(*tools or (python(timeout=60), bash(timeout=60))), generate()],
        scorer=scorer or verify(timeout=SECONDS),
        sandbox=sandbox,
    )
    model = scripted(scripts)
    [log] = eval(task, model=model, log_dir=str(log_dir), display="none", log_samples=True, **options)
    return log


def sample_of(log, name):
    """Return a sample of a log by its id."""
    return next(sample for sample in log.samples if sample.id == name)


def tool_texts(sample):
    """Return what a sample's tools have answered."""
    return [message.text for message in sample.messages if message.role == "tool"]
