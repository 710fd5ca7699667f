"""`--task`, `--limit` and `-k 1,10` of the commands that score."""

import pytest
from typer.testing import CliRunner

from code_tasks.cli.main import app
from support.metric_and_command import PROBLEM, ROOT, results_of

pytestmark = pytest.mark.slow

EXAMPLES = ROOT / "examples"
RIGHT, WRONG = "    return a + b\n", "    return a * b\n"
PROBLEMS = [{**PROBLEM, "task_id": f"t/{number}", "canonical_solution": RIGHT} for number in range(3)]
SAMPLES = [{"task_id": f"t/{number}", "completion": text} for number in range(3) for text in (RIGHT, WRONG)]


@pytest.fixture
def score(files, tmp_path):
    """Return a function that scores samples of three tasks with further options: -> (result, scored task_ids)."""
    arguments = files(SAMPLES, PROBLEMS)

    def run(*options):
        output = tmp_path / "results.jsonl"
        output.unlink(missing_ok=True)
        done = CliRunner().invoke(app, [*map(str, arguments), "--output", str(output), *options])
        return done, [each["task_id"] for each in results_of(output)] if output.exists() else []

    return run


@pytest.mark.parametrize(
    ("options", "task_ids"),
    [
        (["--limit", "2"], ["t/0", "t/0", "t/1", "t/1"]),
        (["--task", "t/2"], ["t/2", "t/2"]),
        (["--task", "t/2", "--task", "t/0"], ["t/0", "t/0", "t/2", "t/2"]),
    ],
)
def test_run_scores_the_chosen_tasks(score, options, task_ids):
    """`run` scores the samples of the chosen tasks alone, and no other problem is missing from the score."""
    done, scored = score(*options)
    assert (done.exit_code, scored) == (0, task_ids)
    assert f"{len(task_ids)} samples of {len({*task_ids})} task" in done.stdout
    assert "have no samples" not in done.stderr


def test_run_with_an_unknown_task(score):
    """An unknown id is one error with the ids near it, and nothing runs."""
    done, scored = score("--task", "T_2")
    assert (done.exit_code != 0, scored) == (True, [])
    assert done.stderr == "there is no task 'T_2'; write 't/2' if you mean that one\n"


def test_run_without_samples_of_the_tasks(files):
    """Chosen tasks that have no samples are an error that says so."""
    arguments = [*files([RIGHT], PROBLEMS), "--task", "t/1"]
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exit_code != 0 and "there are no samples of the 1 chosen tasks in it" in done.stderr


@pytest.mark.parametrize("solver", [["gold"], ["replay", "--samples", str(EXAMPLES / "samples.jsonl")]], ids=len)
def test_solve_answers_the_chosen_tasks(solver):
    """`solve` answers the chosen tasks alone; samples of the others are no error of a replay."""
    done = CliRunner().invoke(
        app, ["solve", "--problems", str(EXAMPLES / "problems.jsonl"), "--limit", "2", "--solver", *solver]
    )
    assert done.exit_code == 0, done.stderr
    assert "at 2 tasks" in done.stdout and "not in the score" not in done.stderr


def test_audit_looks_at_the_chosen_tasks():
    """`audit` looks at the chosen tasks alone."""
    options = ["--problems", str(EXAMPLES / "problems.jsonl"), "--limit", "1", "--mutants", "0"]
    done = CliRunner().invoke(app, ["audit", *options])
    assert done.stdout.startswith("1 problem in "), done.stderr


@pytest.mark.parametrize("options", [["-k", "1,2"], ["-k", "1", "-k", "2"], ["-k", "1, 2"]], ids=" ".join)
def test_several_k(score, options):
    """Several k are repeated, or separated with commas."""
    done, _ = score(*options)
    assert [line.split()[0] for line in done.stdout.splitlines() if "pass@" in line] == ["pass@1", "pass@2"]


@pytest.mark.parametrize("value", ["0", "1,x", "-1", "1,,2", "1.5"])
def test_invalid_k(score, value):
    """A k that is no whole number of at least 1 is a usage error that shows how several are written."""
    done, _ = score("-k", value)
    assert done.exit_code == 2
    assert "'-k': must be whole numbers of at least 1, such as 1,10,100" in " ".join(
        done.stderr.replace("│", "").split()
    )
