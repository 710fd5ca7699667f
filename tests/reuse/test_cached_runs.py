"""A run with a cache does not run programs again, unless their verdicts depend on more than the program."""

import dataclasses
import json
import threading

import pytest

from sandboxes import (
    Limits,
    Outcome,
    Pool,
    Program,
    ReuseOptions,
    RunStopped,
    TestResult,
    Verdict,
    open_sandbox,
)
from sandboxes.languages.programs import build_program
from sandboxes.reuse.cache_store import DATABASE, FOLDER
from sandboxes.reuse.run_cache import is_unstable
from sandboxes.reuse.runner import ReusingRunner
from support.backend_options import PERMISSIVE
from support.metric_and_command import METRIC, PROBLEM, code_eval, results_of
from support.pools import opened_pool

pytestmark = pytest.mark.slow

LIMITS = Limits(wall_seconds=20.0)
TESTS = "assert add(2, 3) == 5"
RIGHT = Program("def add(a, b):\n    return a + b", TESTS, LIMITS)
WRONG = Program("def add(a, b):\n    return a * b", TESTS, LIMITS)
NO_PROGRAM = Program("def add(", TESTS, LIMITS)
PRINTS = Program("print('a\\ud800\\0' * 10)\nraise ValueError('\\udfff')", "", LIMITS)
SLOW = Program("while True: pass", "", Limits(wall_seconds=0.2))
LARGE = Program("x = bytearray(1 << 30)", "", Limits(wall_seconds=20.0, memory_bytes=256 << 20))
RANDOM = Program("import random", "assert random.random() < 0.5", LIMITS)


def plain(verdicts):
    """Return verdicts without the marks of copies."""
    return [dataclasses.replace(verdict, cached=False, duplicate_of=None) for verdict in verdicts]


def test_second_run(share, tmp_path):
    """A second run runs nothing, gives the same verdicts in every field, and says that they are cached."""
    programs = [RIGHT, WRONG, NO_PROGRAM, PRINTS]
    first, ran = share(programs, cache_dir=tmp_path)
    assert (ran, [verdict.cached for verdict in first]) == (programs, [False] * 4)
    second, ran = share(programs, cache_dir=tmp_path)
    assert (ran, [verdict.cached for verdict in second]) == ([], [True] * 4)
    assert plain(second) == plain(first)


def test_encoded_texts_are_dropped(share, tmp_path):
    """A program that has its result keeps no encoded text: neither one that ran, nor a duplicate, nor a cached one."""
    programs = [dataclasses.replace(program) for program in (RIGHT, WRONG, RIGHT)]
    assert [len(share(programs, cache_dir=tmp_path)[1]) for _ in range(2)] == [2, 0]
    assert [program.encoded for program in programs] == [None] * 3


def test_each_sandbox(sandbox_name, tmp_path):
    """Each sandbox stores results and finds them again. Sandboxes on this machine share duplicates by default."""
    with opened_pool(sandbox_name, **(PERMISSIVE["docker"] if sandbox_name == "docker" else {})) as pool:
        shared = ReusingRunner(pool, ReuseOptions.checked(cache_dir=tmp_path))
        first, second = (shared.run_all([RIGHT, WRONG, RIGHT], 1) for _ in range(2))
    assert [verdict.passed for verdict in first] == [verdict.passed for verdict in second] == [True, False, True]
    assert first[2].duplicate_of == (None if sandbox_name == "docker" else 0)
    assert [verdict.cached for verdict in (*first, *second)] == [False] * 3 + [True] * 3


def test_some_are_new(share, tmp_path):
    """A partly cached run runs only its new programs, and every verdict is in its place."""
    share([WRONG], cache_dir=tmp_path)
    reported = []
    verdicts, ran = share([RIGHT, WRONG, RIGHT, WRONG], lambda index, _: reported.append(index), cache_dir=tmp_path)
    assert ran == [RIGHT]
    assert [verdict.passed for verdict in verdicts] == [True, False, True, False]
    assert [verdict.cached for verdict in verdicts] == [False, True, False, True]
    assert sorted(reported) == [0, 1, 2, 3]


def test_unstable(share, tmp_path):
    """Programs that timed out or ran out of memory are run again each time, unless the user asks otherwise."""
    programs = [SLOW, LARGE]
    for _ in range(2):
        verdicts, ran = share(programs, cache_dir=tmp_path)
        assert [verdict.outcome for verdict in verdicts] == [Outcome.TIMED_OUT, Outcome.OUT_OF_MEMORY]
        assert len(ran) >= 2
    share(programs, cache_dir=tmp_path, cache_nondeterministic=True)
    verdicts, ran = share(programs, cache_dir=tmp_path, cache_nondeterministic=True)
    assert (ran, [verdict.cached for verdict in verdicts]) == ([], [True, True])
    verdicts, _ = share(programs, cache_dir=tmp_path)
    assert [verdict.cached for verdict in verdicts] == [False, False]


def test_single_test_that_timed_out():
    """A verdict with one timed-out test depends on the machine too, whatever its own outcome."""
    late = TestResult("case 2", Outcome.TIMED_OUT)
    assert is_unstable(Verdict(Outcome.FAILED, tests=(TestResult("case 1", Outcome.FAILED), late)))
    assert not is_unstable(Verdict(Outcome.FAILED, tests=(TestResult("case 1", Outcome.FAILED),)))


def test_same_programs_with_different_ends(share, tmp_path):
    """A program that passed once and failed once in a call is not cached."""
    verdicts, _ = share([RANDOM] * 40, cache_dir=tmp_path)
    assert len({verdict.outcome for verdict in verdicts}) == 2
    assert len(share([RANDOM], cache_dir=tmp_path)[1]) == 1


def test_flaky_ones_that_are_kept(share, tmp_path):
    """With cache_nondeterministic a flaky program's first verdict is stored, for calls with that option only."""
    verdicts, _ = share([RANDOM] * 40, cache_dir=tmp_path, cache_nondeterministic=True)
    assert len({verdict.outcome for verdict in verdicts}) == 2
    assert len(share([RANDOM], cache_dir=tmp_path, cache_nondeterministic=True)[1]) == 0
    assert len(share([RANDOM], cache_dir=tmp_path)[1]) == 1


def test_finished_after_the_cache(share, tmp_path):
    """Steps after a program's run, such as a checker's decision, happen each time and are not cached."""
    share([RIGHT], finish=lambda index, verdict: dataclasses.replace(verdict, detail="first"), cache_dir=tmp_path)
    again = share([RIGHT], finish=lambda index, verdict: (verdict.cached, verdict.detail), cache_dir=tmp_path)
    assert again == ([(True, "")], [])


def test_other_language(share, tmp_path):
    """Programs of other languages are found again, although the completion token of each run is new."""
    programs = [build_program("bash", "add() { echo $(($1 + $2)); }", '[ "$(add 2 3)" = 5 ]', LIMITS) for _ in range(2)]
    first, _ = share(programs[:1], cache_dir=tmp_path)
    second, ran = share(programs[1:], cache_dir=tmp_path)
    assert (first[0].passed, ran, second[0].cached) == (True, [], True)


def test_other_sandbox(share, tmp_path):
    """A verdict of one sandbox is not used for another sandbox."""
    share([RIGHT], cache_dir=tmp_path)
    pool = ReusingRunner(Pool(open_sandbox("subprocess", env={"X": "1"})), ReuseOptions.checked(cache_dir=tmp_path))
    [verdict] = pool.run_all([RIGHT], 1)
    pool.runner.close()
    assert not verdict.cached


def test_network(tmp_path):
    """With a network nothing is cached, and a warning says so."""
    pool = Pool(open_sandbox("subprocess", network=True))
    for _ in range(2):
        with pytest.warns(UserWarning, match="neither taken from the cache nor stored there: .*network"):
            [verdict] = ReusingRunner(pool, ReuseOptions.checked(cache_dir=tmp_path)).run_all([RIGHT], 1)
        assert not verdict.cached
    pool.close()


def test_run_that_is_stopped(counting_pool, tmp_path):
    """The verdicts that a run had before it was stopped are cached."""
    done = []
    hangs = Program("while True: pass", "", Limits(wall_seconds=300.0))
    pool = ReusingRunner(counting_pool, ReuseOptions.checked(cache_dir=tmp_path))
    with pytest.raises(RunStopped):
        pool.run_all([RIGHT, hangs], 2, lambda index, _: done.append(index), should_stop=lambda: bool(done))
    [verdict] = pool.run_all([RIGHT], 1)
    assert verdict.cached


def test_damaged_meanwhile(share, tmp_path):
    """A run with a damaged cache has the right verdicts, and a warning."""
    share([RIGHT, WRONG], cache_dir=tmp_path)
    path = tmp_path / FOLDER / DATABASE
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.warns(UserWarning, match="was damaged"):
        verdicts, ran = share([RIGHT, WRONG], cache_dir=tmp_path)
    assert ([verdict.passed for verdict in verdicts], len(ran)) == ([True, False], 2)


def test_several_threads(counting_pool, tmp_path):
    """Several threads may use one cache at once."""
    programs = [Program(f"x = {number}", "assert x % 3", LIMITS) for number in range(60)]
    pool = ReusingRunner(counting_pool, ReuseOptions.checked(cache_dir=tmp_path))
    found = []
    threads = [threading.Thread(target=lambda: found.append(pool.run_all(programs, 1))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    passed = [[verdict.passed for verdict in verdicts] for verdicts in found]
    assert passed == [[number % 3 != 0 for number in range(60)]] * 3
    assert all(verdict.cached for verdict in pool.run_all(programs, 1))


@pytest.mark.parametrize(
    ("choices", "error", "words"),
    [
        ({"cache_mb": 0, "cache_dir": "x"}, ValueError, "cache_mb must be at least 1"),
        ({"cache_mb": 5}, ValueError, "cache_mb needs cache_dir"),
        ({"cache_nondeterministic": True}, ValueError, "cache_nondeterministic needs cache_dir"),
        ({"cache_nondeterministic": 3, "cache_dir": "x"}, TypeError, "cache_nondeterministic must be True or False"),
        ({"cache_dir": 3}, TypeError, "cache_dir must be the path"),
        ({"dedupe": "yes"}, TypeError, "dedupe must be True or False"),
        ({"repeats": 0}, ValueError, "repeats must be at least 1"),
        ({"repeats": 2.5}, TypeError, "repeats must be a whole number"),
    ],
    ids=str,
)
def test_choices_that_cannot_be_right(choices, error, words):
    """An impossible value is an error that names the value."""
    with pytest.raises(error, match=words):
        ReuseOptions.checked(**choices)


def test_metric(tmp_path):
    """The metric takes cache_dir, and its second call answers from the cache, with cases and a caller's checker."""
    import evaluate

    metric, seen = evaluate.load(METRIC), []

    def checker(given, wanted, output):
        seen.append(output)
        return output == wanted

    call = {
        "predictions": [["print(int(input()) + 1)", "print(3)"]],
        "references": [[{"input": "1", "output": "2\n"}]],
        "k": 1,
        "checker": checker,
        "timeout": 20.0,
        "cache_dir": str(tmp_path),
    }
    first, second = metric.compute(**call), metric.compute(**call)
    assert first[0] == second[0] == {"pass@1": 0.5}
    assert [result["cached"] for _, result in second[1][0]] == [True, True]
    assert sorted(seen) == ["2\n", "2\n", "3\n", "3\n"]
    for (_, one), (_, other) in zip(first[1][0], second[1][0], strict=True):
        assert one | {"cached": True} == other


def test_command(files, tmp_path):
    """`code-eval run --cache-dir` stores results, and `code-eval cache` shows and removes them."""
    cache, output = tmp_path / "cache", tmp_path / "results.jsonl"
    command = [*files(["    return a + b\n"] * 2 + ["    return a\n"]), "--cache-dir", cache, "--output", output]
    code_eval(*command)
    assert [record["duplicate_of"] for record in results_of(output)] == [None, [PROBLEM["task_id"], 0], None]
    done = code_eval(*command)
    assert "3 results from the cache" in done.stdout
    assert [record["cached"] for record in results_of(output)] == [True] * 3
    assert code_eval("cache", "info", cache).stdout.startswith("2 results, ")
    assert code_eval("cache", "clear", cache).stdout.startswith("removed ")
    assert "has no results" in code_eval("cache", "info", cache).stdout
    assert json.dumps(results_of(output)[0]["repeats"]) == "[]"
