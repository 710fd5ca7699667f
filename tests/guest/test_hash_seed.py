"""The order of sets of strings is the same in each run, as in plain Python with the same seed."""

import os
import subprocess
import sys

import pytest

from sandboxes import EvalConfig, Evaluator, Session, Task
from support.languages import shared_pool
from support.pools import require_layers

SHOW = "print([*map(str, {f'text {n}' for n in range(40)})])"
CANDIDATE, TESTS = f"{SHOW}\ndef f(): return 1", "assert f() == 1"


def order(**options):
    """Return what a candidate prints in a guest of its own."""
    with Evaluator(EvalConfig.from_options({"num_workers": 1, **options}), keep_warm=False) as evaluator:
        [verdict] = evaluator.run([Task(TESTS, [CANDIDATE])])
    assert verdict.passed, verdict
    return verdict.stdout


def plain_order(seed):
    """Return what plain Python prints."""
    command = [sys.executable, "-c", SHOW]
    return subprocess.run(
        command, env={**os.environ, "PYTHONHASHSEED": str(seed)}, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.parametrize("grading", ["shared", "separate"])
def test_the_default_is_the_order_of_seed_0(grading):
    """Candidates meet the order that plain Python has with the seed 0."""
    assert order(grading=grading) == plain_order(0)


def test_a_seed_can_be_chosen():
    """Another seed gives another order, that of plain Python with it."""
    assert plain_order(0) != order(hash_seed=7) == plain_order(7)


@pytest.mark.parametrize("seed", ["random", None])
def test_random_seeds_differ(seed):
    """Each sandbox has a seed of its own."""
    assert len({order(hash_seed=seed) for _ in range(3)}) > 1


def test_a_session_has_the_seed_too():
    """Cells and commands of a session meet the same order."""
    with Session() as session:
        assert session.run_cell(SHOW).stdout == plain_order(0)
        assert session.run_command([sys.executable, "-c", SHOW]).stdout == plain_order(0).encode()


def test_the_caller_s_own_variables_are_not_seen(monkeypatch):
    """A caller whose Python leaves out asserts gets the same verdicts."""
    monkeypatch.setenv("PYTHONOPTIMIZE", "1")
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    assert order() == plain_order(0)
    with Evaluator(EvalConfig.from_options({"num_workers": 1}), keep_warm=False) as evaluator:
        [verdict] = evaluator.run([Task("assert x == 2", ["x = 1"])])
    assert not verdict.passed


@pytest.mark.parametrize("seed", [-1, 1 << 32, True, 1.5, "x", "-1", ""])
def test_invalid_seeds(seed):
    """The message names the value."""
    with pytest.raises(ValueError, match=rf"hash_seed must be a whole number from 0 .*, not {seed!r}"):
        EvalConfig.from_options({"hash_seed": seed})


def test_the_cache_tells_seeds_apart(tmp_path):
    """A result of another seed is not taken from the cache."""
    # Nothing is cached where candidates could write the results.
    require_layers(shared_pool(), "mount")
    first = order(cache_dir=tmp_path)
    assert order(cache_dir=tmp_path) == first
    assert order(cache_dir=tmp_path, hash_seed=7) == plain_order(7)
