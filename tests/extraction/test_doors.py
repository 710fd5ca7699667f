"""Sixty chat answers have the same score through each door, with one setting."""

import json

import pytest

from code_tasks.adapters import make_code_reward
from code_tasks.adapters.verl import compute_score
from extraction.forms import Asked, all_forms, problems_in
from support.metric_and_command import DATA, code_eval, load_metric, results_of
from support.requirements import require_file

pytestmark = pytest.mark.slow

NUMBER = 60


@pytest.fixture(scope="module")
def answers():
    """Provide [(problem, answer)]: whole programs in forms of all kinds, of which every third one is wrong."""
    forms = [form for form in all_forms() if form.program == "whole" and form.wrapper != "reads input"]
    require_file(DATA / "HumanEval.jsonl.gz")
    problems = problems_in(DATA / "HumanEval.jsonl.gz")[:NUMBER]
    chosen = forms[:: len(forms) // NUMBER][:NUMBER]
    answers = [(problem, form.answer(Asked(problem))) for problem, form in zip(problems, chosen, strict=True)]
    return [
        (problem, answer if number % 3 else answer.replace("return", "return not"))
        for number, (problem, answer) in enumerate(answers)
    ]


@pytest.fixture(scope="module")
def expected(answers):
    """Provide whether each answer is right."""
    return [number % 3 > 0 for number in range(len(answers))]


def test_metric(answers, expected):
    """The metric, with `extract="auto"`."""
    references = [problem.tests for problem, _ in answers]
    predictions = [[answer] for _, answer in answers]
    _, results = load_metric().compute(predictions=predictions, references=references, k=[1], extract="auto")
    assert [results[number][0][1]["passed"] for number in range(len(answers))] == expected


def test_the_metric_warns(answers):
    """Without extraction there is one warning, which names the way out."""
    problem, answer = answers[1][0], f"```python\n{answers[1][0].prompt}    pass\n```\n"
    with pytest.warns(UserWarning, match=r"1 of 1 compile error looks like a chat answer; try extract=\"auto\""):
        load_metric().compute(predictions=[[answer]], references=[problem.tests], k=[1])


def test_command(answers, expected, tmp_path):
    """The command with a named benchmark, and its results have the program and the reading."""
    samples = [{"task_id": problem.task_id, "completion": answer} for problem, answer in answers]
    (tmp_path / "samples.jsonl").write_text("".join(json.dumps(each) + "\n" for each in samples))
    options = ["--benchmark", "humaneval", "--problems", DATA / "HumanEval.jsonl.gz", "--missing", "ignore"]
    done = code_eval("run", tmp_path / "samples.jsonl", *options, "--output", tmp_path / "results.jsonl")
    assert done.returncode == 0, done.stderr
    results = results_of(tmp_path / "results.jsonl")
    assert [result["passed"] for result in results] == expected
    assert sum("program" in result for result in results) > NUMBER / 2


def test_the_command_has_a_hint(answers, tmp_path):
    """Without extraction the command's report says what the compile errors look like."""
    samples = [{"task_id": problem.task_id, "completion": answer} for problem, answer in answers]
    (tmp_path / "samples.jsonl").write_text("".join(json.dumps(each) + "\n" for each in samples))
    options = ["--problems", DATA / "HumanEval.jsonl.gz", "--missing", "ignore"]
    done = code_eval("run", tmp_path / "samples.jsonl", *options)
    assert "look like chat answers; try --extract auto" in done.stdout


def test_trl(answers, expected):
    """The reward for TRL."""
    tests = [problem.tests for problem, _ in answers]
    # An open fence is otherwise the sign of a completion that was cut off.
    rewards = make_code_reward(truncated="grade")(completions=[answer for _, answer in answers], tests=tests)
    assert rewards == list(map(float, expected))


def test_verl(answers, expected):
    """The reward for verl, with its defaults."""
    scores = [compute_score("humaneval", answer, problem.tests) for problem, answer in answers]
    assert scores == list(map(float, expected))
