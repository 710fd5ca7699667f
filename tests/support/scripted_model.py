"""A model of smolagents that answers with prepared blocks of code."""

from smolagents import Model
from smolagents.models import ChatMessage, MessageRole


class ScriptedModel(Model):
    """Answers with one block of code after the other, and keeps what it was shown."""

    def __init__(self, *blocks):
        super().__init__(model_id="scripted")
        self.blocks, self.shown = list(blocks), []

    def generate(self, messages, **options):
        """Return the next block, as a model writes it."""
        self.shown.append(str(messages[-1].content))
        block = self.blocks.pop(0) if self.blocks else "final_answer(None)"
        return ChatMessage(role=MessageRole.ASSISTANT, content=f"Thought: next.\n<code>\n{block}\n</code>")
