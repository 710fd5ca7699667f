"""The extractors by name: "last", "all", "defining", and functions of the user's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes.extraction import EXTRACTORS, Asked, code_blocks, ends_in_open_block
from support.metric_and_command import METRIC

ANSWER = """Here is a helper:

```python
def helper(x):
    return x
```

and the solution

```python
def add(a, b):
    return a + b
```

You can try it so:

```
print(add(1, 2))
```
Good luck!"""
TESTS = "assert add(2, 3) == 5"


def code(name, answer, tests=TESTS, **asked):
    """Return the code that an extractor takes out of an answer."""
    return EXTRACTORS[name](answer, Asked(tests, **asked)).code


def test_blocks_in_order():
    """Each fenced block is found, whatever language its fence names."""
    assert [block.split("(")[0] for block in code_blocks(ANSWER)] == ["def helper", "def add", "print"]


def test_last_block():
    """The extractor "last" returns the last block."""
    assert code("last", ANSWER) == "print(add(1, 2))\n"


def test_all_blocks():
    """The extractor "all" joins all blocks to one text."""
    assert code("all", ANSWER).count("\n") > 5


@pytest.mark.parametrize("asked", [{}, {"entry_point": "add", "tests": ""}])
def test_defining_block(asked):
    """The block that defines a name of the tests is found, by the tests' text or by the name."""
    assert code("defining", ANSWER, **asked).startswith("def add")


def test_defining_block_of_another_language():
    """Definitions are found in other languages too."""
    answer = "```go\nfunc Add(a, b int) int { return a + b }\n```\n```go\nfmt.Println(Add(1, 2))\n```\n"
    assert code("defining", answer, "func TestAdd(t *testing.T) { Add(1, 2) }").startswith("func Add")


@pytest.mark.parametrize("name", ["last", "all", "defining"])
def test_reasoning_has_no_blocks(name):
    """The blocks of the reasoning are no blocks of the answer."""
    assert code(name, f"<think>\n```python\ndef add(a, b): return 0\n```\n</think>\n{ANSWER}") == code(name, ANSWER)


def test_a_block_that_is_not_closed():
    """A block without a closing fence goes on to the end of the answer."""
    answer = "Sure:\n```python\ndef f():\n    return 1"
    assert code("last", answer) == "def f():\n    return 1"
    assert ends_in_open_block(answer)
    assert not ends_in_open_block(ANSWER)


def test_fences_within_a_longer_fence():
    """A longer fence holds shorter ones."""
    assert code_blocks("````\n```\nx\n```\n````\n") == ["```\nx\n```\n"]


@given(st.text(st.characters(exclude_characters="`~<[◁\ufeff")))
def test_an_answer_without_blocks_is_code(answer):
    """Text without a fence is left unchanged."""
    assert {code(name, answer) for name in ("last", "all", "defining")} == {answer}


@given(st.text(), st.sampled_from(sorted(EXTRACTORS)), st.sampled_from(["python", "go"]))
def test_any_answer_has_code(answer, name, language):
    """No answer causes an error."""
    assert isinstance(code(name, answer, answer, prompt=answer, language=language), str)


def test_extract_is_an_option_of_the_metric():
    """`extract` takes the code out of each candidate, and is off by default."""
    import evaluate

    metric = evaluate.load(METRIC)
    samples = {"predictions": [[ANSWER]], "references": [TESTS], "k": 1}

    def own(answer, reference):
        return answer.split("```python")[2].split("```")[0]

    with pytest.warns(UserWarning, match="looks like a chat answer"):
        assert metric.compute(**samples)[0] == {"pass@1": 0.0}
    for extract in ("auto", "defining", own):
        assert metric.compute(**samples, extract=extract)[0] == {"pass@1": 1.0}
    with pytest.raises(ValueError, match="one of auto, last, all, defining, none, or a function, not 'first'"):
        metric.compute(**samples, extract="first")
