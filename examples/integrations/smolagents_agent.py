"""A smolagents CodeAgent whose code runs in a sandbox. A script stands in for the model, so this runs offline."""

import os

from smolagents import CodeAgent, LogLevel, Model, tool
from smolagents.models import ChatMessage, MessageRole

from code_tasks.adapters.smolagents import SandboxExecutor

os.environ["HF_ALLOW_CODE_EVAL"] = "1"  # this runs programs that nobody has read


@tool
def numbers_up_to(last: int) -> list:
    """Return the numbers from 1 to a last one.

    Args:
        last: the last number.
    """
    return list(range(1, last + 1))


class Script(Model):
    """A model that has learned its blocks of code by heart."""

    blocks = (
        "open('/etc/shadow').read()",
        "total = sum(numbers_up_to(last))\nprint(total)",
        "final_answer(total)",
    )

    def generate(self, messages, **options):
        """Return the next block."""
        steps = sum(message.role == MessageRole.ASSISTANT for message in messages)
        return ChatMessage(role=MessageRole.ASSISTANT, content=f"<code>\n{self.blocks[steps]}\n</code>")


with CodeAgent(
    tools=[numbers_up_to],
    model=Script(),
    executor=SandboxExecutor(timeout_seconds=10, memory_mb=512),
    verbosity_level=LogLevel.ERROR,
) as agent:
    print("answer:", agent.run("Add the numbers.", additional_args={"last": 100}))
