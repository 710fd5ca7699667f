"""Code is taken out of a completion as SandboxFusion takes it."""

import time

import pytest

from code_tasks.server.protocols.fusion_extraction import all_blocks, chosen_block
from code_tasks.server.protocols.languages import FUSION_FENCES


def code_in(completion, language="python"):
    """Return the code of a completion, None if there is none."""
    block = chosen_block(all_blocks(completion, language, FUSION_FENCES), language)
    return block and block.code


@pytest.mark.parametrize(
    ("completion", "code"),
    [
        ("Sure:\n```python\nx = 1\n```\nDone.", "x = 1"),
        ("```Python3\nx = 1\n```", "x = 1"),
        ("```cpp\nint x;\n```\n```py\nx = 1\n```", "x = 1"),
        ("```\nx = 1\n```\n```\nx = 2\n```", "x = 1"),
        ("```cpp\nint x;\n```", "int x;"),
        ("see ```python\nx = 1\n\n\n  ```", "x = 1"),
        ("```python\nx = 1\n", "x = 1\n"),
        ("```python\nx = '```'\n```\n", "x = '```'"),
        ("Text.\nimport re\ndef f():\n  return 1\nMore.", "import re\ndef f():\n  return 1\n"),
        ("no code at all", None),
        ("", None),
    ],
)
def test_the_code_of_a_completion(completion, code):
    """Closed fences come before open ones, open ones before text that looks like code, and the language decides."""
    assert code_in(completion) == code


def test_text_without_fences_in_other_languages():
    """Without a fence there is no code, except in Python and Bash."""
    assert code_in("int main() {}", "cpp") is None
    assert code_in("echo 1\n\necho 2", "bash") == "echo 1\necho 2\n"


@pytest.mark.parametrize("piece", ["\n", "```a\n", "a```", "```\n", "import x\n", "def f():\n", "def f():\n x\n"])
def test_hostile_completions_take_linear_time(piece):
    """A completion of a million characters is read in seconds, not hours."""
    completion = piece * (1_000_000 // len(piece))
    began = time.monotonic()
    all_blocks(completion, "python", FUSION_FENCES)
    assert time.monotonic() - began < 60
