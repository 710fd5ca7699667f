"""What `code-eval run` says of problems and samples that a file leaves out, and how these count."""

import json

import pytest
from typer.testing import CliRunner

from code_tasks.cli.main import app
from support.metric_and_command import PROBLEM

RIGHT = "    return a + b\n"
NEVER_ENDS = "    return 0\nwhile True:\n    pass\n"
PROBLEMS = [{**PROBLEM, "task_id": f"t/{number}"} for number in range(4)]
ON_CI = {"CI": "true"}


@pytest.fixture
def run(files):
    """Return a function that scores samples of t/0 against four problems with further options."""

    def run(*options, completion=RIGHT, variables=None):
        samples = [{"task_id": "t/0", "completion": completion}]
        arguments = [*files(samples, PROBLEMS), *options]
        return CliRunner(env={"CI": None, **(variables or {})}).invoke(app, [*map(str, arguments)])

    return run


@pytest.mark.slow
@pytest.mark.parametrize(("options", "variables"), [((), {}), (("--missing", "ignore"), ON_CI)])
def test_ignored(run, options, variables):
    """Problems without a sample are named in the report, and are not in the score, unless CI says otherwise."""
    done = run(*options, "--fail-under", "1", variables=variables)
    assert done.exit_code == 0 and "pass@1     100.0 %" in done.stdout
    said = "3 of the 4 problems have no sample (t/1, t/2, t/3); without one, a problem is not in the score"
    assert said in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("variables", [{}, ON_CI])
def test_zero(run, variables):
    """Problems that count as unsolved lower each pass@k, and --fail-under sees it."""
    options = ("--missing", "zero", "--json")
    done = run(*options, "--fail-under", "0.25", variables=variables)
    data = json.loads(done.stdout)
    assert (done.exit_code, data["scores"]["pass@1"]["mean"]) == (0, 0.25)
    assert (data["missing"], data["counts"]["missing"]) == (["t/1", "t/2", "t/3"], 3)
    assert "without one, a problem counts as unsolved" in done.stderr
    below = run(*options, "--fail-under", "0.26", variables=variables)
    assert below.exit_code == 1 and "pass@1 is 0.25, below --fail-under 0.26" in below.stderr


@pytest.mark.parametrize(
    ("options", "variables", "why"),
    [
        (("--missing", "error"), {}, ""),
        ((), ON_CI, "; this is an error because the variable CI is set"),
        (("--missing", "error"), ON_CI, ""),
    ],
    ids=str,
)
def test_error(run, options, variables, why):
    """Problems without a sample are an error before anything runs, which says what else can be chosen."""
    done = run(*options, "--timeout", "1000", completion=NEVER_ENDS, variables=variables)
    ways = "--missing zero counts a problem without one as unsolved, --missing ignore leaves it out of the score"
    subject = "3 of the 4 problems have no sample (t/1, t/2, t/3)"
    assert (done.exit_code, done.stderr) == (2, f"{subject}{why}; {ways}\n")


@pytest.mark.slow
@pytest.mark.parametrize("value", ["", "0", "false", "False"])
def test_no_ci(run, value):
    """A variable CI that is empty or says no does not make problems without a sample an error."""
    assert run(variables={"CI": value}).exit_code == 0


def test_an_unknown_effect(run):
    """An effect that there is not is an error that names the others."""
    done = run("--missing", "drop")
    assert done.exit_code == 2 and "--missing must be one of error, zero, ignore, not 'drop'" in done.stderr


def test_a_large_k(run):
    """A pass@k that --fail-under needs, and that the samples can't give, is an error before anything runs."""
    done = run("--fail-under", "0.1", "-k", "100", "--timeout", "1000", completion=NEVER_ENDS)
    said = "--fail-under needs pass@100, and so 100 samples of each problem; 't/0' has 1; choose a smaller -k\n"
    assert (done.exit_code, done.stderr) == (2, said)


@pytest.mark.slow
def test_chosen_tasks(files):
    """Problems that are not chosen are not missing, and their samples are counted as left out."""
    samples = [{"task_id": f"t/{number}", "completion": RIGHT} for number in (0, 1, 1)]
    arguments = [*files(samples, PROBLEMS), "--task", "t/0", "--json"]
    done = CliRunner(env=ON_CI).invoke(app, [*map(str, arguments)])
    data = json.loads(done.stdout)
    assert (data["counts"]["skipped"], data["counts"]["problems"], data["missing"]) == (2, 1, [])
    assert "2 samples of tasks that were not chosen: left out" in done.stderr


@pytest.mark.slow
def test_empty_lists_of_samples(files):
    """A problem whose record has an empty list of samples has no sample."""
    samples = [{"task_id": "t/0", "completions": [RIGHT]}, {"task_id": "t/1", "completions": []}]
    arguments = [*files(samples, PROBLEMS[:2]), "--missing", "error"]
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert done.exit_code == 2 and "1 of the 2 problems has no sample (t/1)" in done.stderr


@pytest.mark.slow
def test_samples_that_count_twice(files):
    """Empty samples and duplicates are counted in the report and in its JSON."""
    samples = [{"task_id": "t/0", "completion": text} for text in ("", RIGHT, RIGHT)]
    done = CliRunner().invoke(app, [*map(str, files(samples, PROBLEMS[:1])), "--json"])
    counts = json.loads(done.stdout)["counts"]
    assert (counts["empty"], counts["duplicates"], counts["passed"]) == (1, 1, 2)
    assert "  1 empty sample\n  1 duplicate of another sample: counted, and not run again\n" in done.stderr
