"""The program that the code of a chat answer stands for."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from code_tasks.benchmarks.problems import Problem, parse_problem
from code_tasks.solvers.grader import program_of_answer
from support.published_records import read

HELPER = "from typing import List\n\ndef half(x):\n    return x / 2\n\n"
PROMPT = f'{HELPER}def area(w: int, h: int) -> int:\n    """Of a box."""\n'
BODY = "    size = w * h\n    return size\n"
WHOLE = "def area(w, h):\n    return w * h\n"


def program(prompt, entry_point, code):
    """Return the program of an answer to a problem."""
    return program_of_answer(Problem("t/0", prompt, "", entry_point=entry_point), code)


def value(source, name="area"):
    """Return the value of the program's function for (2, 3)."""
    names = {}
    exec(compile(source, "program", "exec", dont_inherit=True), names)  # this file's own record
    return names[name](2, 3)


@pytest.mark.parametrize(
    "code",
    [
        BODY,
        BODY.lstrip(),
        "size = w * h\nreturn size\n",
        "if w:\n    return w * h\nreturn 0",
        WHOLE,
        f"{WHOLE}\nassert area(1, 1) == 1\n",
        "area = lambda w, h: w * h",
        "from operator import mul as area",
        "def area(w: List[int], h) -> List[int]:\n    return int(half(w) * h * 2)\n",
        f"'''Boxes.'''\nfrom __future__ import annotations\n\n{WHOLE.replace('w, h', 'w: Unknown, h')}",
    ],
)
@pytest.mark.parametrize(
    "prompt", [PROMPT, PROMPT.rstrip(), PROMPT.replace('    """Of a box."""\n', ""), f"# coding: utf-8\n{PROMPT}"]
)
def test_body_or_whole_function(prompt, code):
    """A body continues the prompt, even without its indentation; a whole function can use the prompt's imports."""
    assert value(program(prompt, "area", code)) == 6


def test_words_are_no_program():
    """A prompt of plain words is no part of the program."""
    assert program("Write a function area.", "area", WHOLE) == WHOLE
    assert program("Area", "area", WHOLE) == WHOLE


def test_method():
    """A prompt that ends inside a class gets its body there."""
    prompt = "class Box:\n    def __init__(self, w, h):\n        self.w, self.h = w, h\n\n    def area(self):\n"
    whole = f"{prompt}        return self.w * self.h\n"
    assert value(program(prompt, "Box", whole), "Box").area() == 6
    assert value(program(prompt, "Box", "        return self.w * self.h\n"), "Box").area() == 6


def test_truncated():
    """Truncated code stays as it is, after the prompt or after its imports."""
    assert program(PROMPT, "area", "    return (w *").endswith('"""\n    return (w *')
    assert program(PROMPT, "area", "def area(w, h):\n    return (w *").endswith("h):\n    return (w *")


def test_helper_alone_is_no_answer():
    """Code that defines another function does not define the entry point."""
    names = {}
    exec(program(PROMPT, "area", "def other(w, h):\n    return w * h\n"), names)
    assert "area" not in names


@pytest.mark.parametrize("language", ["java", "go"])
def test_other_languages(language):
    """In another language, code that declares the function is a whole program; other code continues the prompt."""
    for record in read(f"humaneval_x_{language}.jsonl.gz"):
        problem, body = parse_problem(record), record["canonical_solution"]
        expected = problem.candidate(body, language)
        assert program_of_answer(problem, body) == expected
        assert program_of_answer(problem, problem.prompt + body) == expected


@pytest.mark.parametrize("value", ["(a, b) =>", "async (a, b) =>", "function (a, b)"])
def test_functions_that_are_values(value):
    """JavaScript's functions are values of names, too."""
    prompt = f"/* Add (two) numbers. */\nconst add = {value} {{\n"
    problem = parse_problem({"task_id": "t", "prompt": prompt, "test": "add(1, 2);", "language": "javascript"})
    body = "  return a + b;\n}\n"
    assert program_of_answer(problem, body) == prompt + body
    assert program_of_answer(problem, prompt + body) == prompt + body


@given(prompt=st.text(), code=st.text())
@example(prompt=PROMPT, code="(" * 100_000)
@example(prompt=PROMPT, code="def area(" + "\0")
@example(prompt=PROMPT, code="\ud800")
def test_any_text(prompt, code):
    """Any text becomes a program without an error."""
    assert isinstance(program(prompt, "area", code), str)


def test_humaneval():
    """HumanEval's solutions become the same programs as bodies, as stripped bodies and as whole functions."""
    for problem in read("HumanEval.jsonl.gz"):
        prompt, name, body = problem["prompt"], problem["entry_point"], problem["canonical_solution"]
        assert program(prompt, name, body) == prompt + body
        assert program(prompt, name, body.strip()).split() == (prompt + body).split()
        whole = prompt[prompt.index(f"def {name}(") :] + body
        assert program(prompt, name, whole).endswith(whole)
