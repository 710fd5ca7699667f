"""The extractor "auto": the program that a person would take out of an answer."""

import json
import textwrap

import pytest

from code_tasks.benchmarks.problems import parse_problem
from extraction.forms import failing_forms, problems_in
from honest.compare import all_pairs
from sandboxes import EvalConfig, Evaluator, Task
from sandboxes.extraction import EXTRACTORS, Asked
from support.metric_and_command import DATA, ROOT
from support.requirements import require_file

TESTS = "assert add(2, 3) == 5"
ADD = "def add(a, b):\n    return a + b\n"
FENCED = f"```python\n{ADD}```\n"
PROMPT = 'from typing import List\n\n\ndef scaled(a: List[int], by: int) -> List[int]:\n    """Scale a list."""\n'
SHARE_IN_CI = 0.02


def read(answer, tests=TESTS, **asked):
    """Return the extraction of an answer."""
    return EXTRACTORS["auto"](answer, Asked(tests, **asked))


@pytest.fixture(scope="module")
def humaneval():
    """Provide the problems of HumanEval."""
    path = DATA / "HumanEval.jsonl.gz"
    require_file(path)
    return problems_in(path)


def test_forms(humaneval):
    """A random part of the forms gives programs that pass their problem's tests."""
    failures = [(form.name, task) for form, task, _ in failing_forms(humaneval, 1, 1, SHARE_IN_CI)]
    assert failures == []


def test_right_programs_stay_as_they_are():
    """A program without a chat around it is taken as it stands, whatever its style."""
    changed = [
        pair.name for pair in all_pairs() if pair.is_right and read(pair.candidate, pair.tests).code != pair.candidate
    ]
    assert changed == []


NOT_READ = {
    "fim-tokens-starcoder": "the middle of a text comes behind its end",
    "line-numbers": "each line begins with its number",
    "project-tree-then-files": "a file imports another one as a module of a package",
    "truncated-loop-repeats": "the last of several equal functions is cut off",
    "prompt-echoed-then-completion": "the body comes behind prose behind the prompt",
}
"""{answer of the corpus whose program is not found: the reason}."""


@pytest.mark.slow
def test_corpus():
    """Of 310 answers, written by hand, 98 % give a program that passes; those without a program give none that does."""
    cases = [json.loads(line) for line in (ROOT / "tests" / "data" / "answers.jsonl").read_text().splitlines()]
    tasks = []
    for case in cases:
        tests = {"inputs": case["inputs"], "outputs": case["outputs"]} if "inputs" in case else case["tests"]
        prompt, reads = case.get("prompt", ""), "inputs" in case
        asked = Asked("" if reads else tests, case.get("entry_point", ""), prompt, reads_input=reads)
        found = EXTRACTORS["auto"](case.get("answer", ""), asked)
        program = prompt + found.code if found.continues_prompt else found.code
        tasks.append(Task(tests, [program], case["name"]))
    results = Evaluator(EvalConfig.from_options({"grading": "shared", "timeout": 30.0})).run(tasks)
    wrong = [
        case["name"]
        for case, result in zip(cases, results, strict=True)
        if result.passed is (case.get("note") == "refuse")
    ]
    assert sorted(wrong) == sorted(NOT_READ)
    assert len(wrong) < 0.02 * len(cases)


def test_completions_stay_as_they_are(humaneval):
    """A completion gives the same program as without extraction."""
    for problem in humaneval:
        program = problem.candidate(problem.canonical_solution, "python")
        assert problem.extracted(problem.canonical_solution, "python", EXTRACTORS["auto"]).code == program


@pytest.mark.parametrize("literal", ["'</think>'", '"<|im_end|>"', "'''\n```\n'''", "'<answer>'", "'\\u00a0'"])
def test_marks_in_code(literal):
    """What looks like a mark of the chat is a part of the program, in code that stands alone or in a block."""
    program = f"MARK = {literal}\n{ADD}"
    assert read(program).code == program
    assert read(f"So:\n```python\n{program}```\n").code == program


def test_alternatives():
    """Of several programs the last counts, because models correct themselves."""
    assert read(f"```python\ndef add(a, b): return 0\n```\nWrong. Better:\n{FENCED}").code == ADD


def test_a_helper_in_a_block_of_its_own():
    """Blocks that need each other are one program."""
    program = read(
        "```python\ndef helper(a):\n    return a\n```\nand\n```python\ndef add(a, b):\n    return helper(a) + b\n```\n"
    )
    names = {}
    exec(program.code, names)
    assert names["add"](2, 3) == 5


def test_what_the_prompt_has():
    """A function that uses an import of the prompt's gets it, behind its own imports from `__future__`."""
    whole = "from __future__ import annotations\ndef scaled(a: List[int], by):\n    return [by * x for x in a]\n"
    given = read(f"```python\n{whole}```", "", prompt=PROMPT, entry_point="scaled")
    assert given.reading == "a block of code, with the prompt's definitions"
    names = {}
    exec(given.code, names)
    assert names["scaled"]([1, 2], 3) == [3, 6]


@pytest.mark.parametrize(
    "guard", ["n = int(input())\nprint(n)", "def main():\n    print(add(int(input()), 1))\n\nmain()"]
)
def test_what_waits_for_input(guard):
    """Statements that wait for input are left out, because tests that call functions give none."""
    names = {}
    exec(read(f"{ADD}\n{guard}\n").code, names)
    assert names["add"](2, 3) == 5


def test_programs_that_read_input_keep_it():
    """A program whose tests give it input is the block that reads it, and not an example."""
    program = "n = int(input())\nprint(n + 1)\n"
    answer = f"```python\n{program}```\nInput:\n```\n3\n```\nOutput:\n```\n4\n```\n"
    assert read(answer, "", reads_input=True).code == program


def test_methods_of_solution():
    """A method of LeetCode's class defines the function that the cases call."""
    program = "class Solution:\n    def twoSum(self, nums, target):\n        return [0, 1]\n"
    answer = f"```python\n{program}```\n```python\nprint(Solution().twoSum([1], 2))\n```\n"
    assert read(answer, "", entry_point="twoSum").code == program


def test_an_answer_without_code_fails_as_it_is():
    """A refusal is no program, and its text is what runs."""
    assert read("I'm sorry, but I can't help with that.").code == "I'm sorry, but I can't help with that."


def test_reasoning_that_never_ends_has_no_program():
    """A draft in reasoning is no answer."""
    assert read(f"<think>\n{FENCED}").code == ""


@pytest.mark.parametrize(
    ("answer", "program"),
    [
        ("func Add(a int) int {\n\treturn a\n}\n", "func Add(a int) int {\n\treturn a\n}\n"),
        ("```go\nfunc Add(a int) int {\n\treturn a\n}\n```\n```\n3\n```\n", "func Add(a int) int {\n\treturn a\n}\n"),
        ("<think>Hm.</think>\n```go\n\treturn a\n}\n```", "func Add(a int) int {\n\treturn a\n}\n"),
        ("\treturn a\n}<|im_end|>", "func Add(a int) int {\n\treturn a\n}"),
    ],
)
def test_other_languages(answer, program):
    """A block that declares the function is a whole program, and another one continues the prompt."""
    record = {
        "task_id": "t",
        "prompt": "func Add(a int) int {\n",
        "test": "func TestAdd(t *testing.T) {}",
        "language": "go",
    }
    assert parse_problem(record).extracted(answer, "go", EXTRACTORS["auto"]).code == program


def test_indented_programs():
    """A program that is indented as a whole is moved to the beginning of its lines."""
    assert read(textwrap.indent(ADD, "    ")).code == ADD
