"""Time limits that follow from the canonical solution's time are measured before the candidates run."""

import json
from dataclasses import replace

import pytest

from code_tasks.benchmarks import BENCHMARKS, LoadedBenchmark
from code_tasks.benchmarks.canonical_limits import with_canonical_limits
from code_tasks.benchmarks.problems import CanonicalLimit, Problem
from code_tasks.cli.benchmark_source import without_limits
from code_tasks.cli.run import ResultsArguments, score
from code_tasks.scoring.run import ScoringConfig
from code_tasks.scoring.sample_file import SampleFile
from sandboxes import EvalConfig, Evaluator, ReuseOptions

pytestmark = pytest.mark.slow

SLEEPS = "import time\ntime.sleep({})\nx = 1\n"
GOLD = SLEEPS.format(0.2)
PROBLEM = Problem(
    *("slow", "", "assert x == 1", "python"),
    canonical_solution=GOLD,
    limits={"wall_seconds": 7.0},
    canonical_limit=CanonicalLimit(factor=3, floor_seconds=0.1, ceiling_seconds=6.0),
)


def limit_of(*problems, **options):
    """Return the limits of problems after their canonical solutions have run, and the failures."""
    with Evaluator(EvalConfig.from_options(options)) as evaluator:
        limited = with_canonical_limits({problem.task_id: problem for problem in problems}, evaluator)
    return {task_id: problem.limits for task_id, problem in limited.problems.items()}, limited.failures


@pytest.mark.parametrize(
    ("canonical_seconds", "seconds"),
    [(0.1, 1.5), (0.5, 2.5), (10, 8.5)],
)
def test_bounds(canonical_seconds, seconds):
    """A limit lies between floor and ceiling, and the seconds on top are added at last."""
    limit = CanonicalLimit(factor=4, floor_seconds=1.0, ceiling_seconds=8.0, added_seconds=0.5)
    assert limit.seconds(canonical_seconds) == seconds


def test_a_limit_follows_from_the_measured_time():
    """The limit is a multiple of the time that the canonical solution takes in the sandbox."""
    limits, failures = limit_of(PROBLEM)
    assert 0.6 <= limits["slow"]["wall_seconds"] < 6
    assert failures == {}


@pytest.mark.parametrize(
    ("gold", "reason"),
    [("x = 2\n", "AssertionError"), (SLEEPS.format(9), "ran for more than 1 s"), ("x =\n", "SyntaxError")],
)
def test_a_solution_that_fails(gold, reason):
    """A canonical solution that fails, or takes longer than the ceiling, is told, and the fixed limit holds."""
    canonical_limit = replace(PROBLEM.canonical_limit, ceiling_seconds=1.0)
    limits, failures = limit_of(replace(PROBLEM, canonical_solution=gold, canonical_limit=canonical_limit))
    assert limits["slow"] == {"wall_seconds": 7.0}
    assert reason in failures["slow"]


@pytest.mark.parametrize("change", [{"canonical_limit": None}, {"canonical_solution": None}])
def test_problems_that_stay(change):
    """Nothing runs for problems without a canonical solution, or without such a limit."""
    limits, failures = limit_of(replace(PROBLEM, **change))
    assert (limits, failures) == ({"slow": {"wall_seconds": 7.0}}, {})


def test_the_longest_case_of_a_script_counts():
    """The limit of a script is for each of its cases, so that the longest of them decides."""
    tests = json.dumps([{"input": text, "output": text} for text in ("0\n", "0.2\n", "0.1\n", "0.15\n")])
    script = "import time\nn = input()\ntime.sleep(float(n))\nprint(n)\n"
    canonical_limit = CanonicalLimit(factor=1, floor_seconds=0.01, ceiling_seconds=20.0)
    problem = replace(PROBLEM, tests=tests, canonical_solution=script, canonical_limit=canonical_limit)
    assert limit_of(problem)[0]["slow"]["wall_seconds"] >= 0.2


def test_the_cache_keeps_the_time(tmp_path):
    """With a cache, a second run has the same limit, so that it finds the candidates' verdicts too."""
    script = json.dumps([{"input": "", "output": "1"}])
    canonical_limit = CanonicalLimit(factor=100, floor_seconds=0.01, ceiling_seconds=100.0)
    gold = "print(sum(range(100_000)) // sum(range(100_000)))\n"
    problem = replace(PROBLEM, tests=script, canonical_solution=gold, canonical_limit=canonical_limit)
    first, second = (limit_of(problem, cache_dir=tmp_path) for _ in range(2))
    assert first == second


def test_tasks_of_a_benchmark_have_the_limit():
    """`LoadedBenchmark.tasks` runs a canonical solution once for each configuration."""
    config = EvalConfig.from_options({})
    loaded = LoadedBenchmark(BENCHMARKS["mbpp"], {"slow": PROBLEM})
    [first] = loaded.tasks({"slow": ["x = 1"]}, config)
    [second] = loaded.tasks({"slow": ["x = 2"]}, replace(config, reuse=ReuseOptions(repeats=2)))
    assert 0.6 <= first.limits.wall_seconds < 6
    assert first.limits == second.limits


def test_tasks_of_a_benchmark_warn():
    """`LoadedBenchmark.tasks` warns of a canonical solution that fails, and goes on with the fixed limit."""
    loaded = LoadedBenchmark(BENCHMARKS["mbpp"], {"slow": replace(PROBLEM, canonical_solution="x = 2")})
    with pytest.warns(UserWarning, match="slow: its canonical solution fails .*fixed time limit holds"):
        [task] = loaded.tasks({"slow": ["x = 1"]}, EvalConfig.from_options({}))
    assert task.limits.wall_seconds == 7.0


def test_a_file_of_samples_has_the_limit(tmp_path):
    """`code-eval run` ends a candidate at the measured limit, and passes one that takes as long as the solution."""
    path, results = tmp_path / "samples.jsonl", tmp_path / "results.jsonl"
    samples = [{"task_id": "slow", "completion": text} for text in (GOLD, SLEEPS.format(30))]
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    problem = replace(PROBLEM, limits={"wall_seconds": 60.0})
    with SampleFile(path, {"slow": problem}) as file:
        score(file, ScoringConfig({"slow": problem}, EvalConfig.from_options({})), {}, ResultsArguments(results))
    outcomes = [json.loads(line).get("outcome") for line in results.read_text().splitlines()[:2]]
    assert outcomes == ["passed", "timed_out"]


def test_a_failed_solution_is_told(tmp_path, capsys):
    """`code-eval run` says which canonical solution fails, and candidates still pass."""
    path = tmp_path / "samples.jsonl"
    path.write_text(json.dumps({"task_id": "slow", "completion": "x = 1"}))
    problem = replace(PROBLEM, canonical_solution="x = 2")
    with SampleFile(path, {"slow": problem}) as file:
        summary = score(file, ScoringConfig({"slow": problem}, EvalConfig.from_options({})), {}, ResultsArguments())
    assert summary.tally.tasks["slow"].passed == 1
    assert "slow: its canonical solution fails" in capsys.readouterr().err


def test_a_given_time_limit_replaces_it():
    """A user's --timeout replaces a measured limit as it replaces a fixed one; other limits leave it."""
    assert without_limits(PROBLEM, {"wall_seconds"}).canonical_limit is None
    assert without_limits(PROBLEM, {"memory_bytes"}).canonical_limit == PROBLEM.canonical_limit
