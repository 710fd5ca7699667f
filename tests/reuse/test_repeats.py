"""Programs are repeated on request. Programs that timed out on a busy machine run once more, alone."""

import os
import subprocess
import sys
import threading
import time

import pytest

from sandboxes import Limits, Outcome, Pool, Program, ReuseOptions, Verdict, open_sandbox
from sandboxes.errors import InvalidTests
from sandboxes.pool.machine_load import MachineLoad
from sandboxes.reuse.runner import ReusingRunner
from support.metric_and_command import METRIC, PROBLEM, code_eval, report_of, results_of
from support.pools import opened_pool

pytestmark = pytest.mark.slow

LIMITS = Limits(wall_seconds=20.0)
RIGHT, WRONG = Program("x = 1", "assert x", LIMITS), Program("x = 0", "assert x", LIMITS)
TOSS = "import random\nassert random.random() < 0.5"
RANDOM = Program("x = 1", TOSS, LIMITS)
# The hashes of strings differ between guests, but not within one guest.
BY_HASH = Program("first = next(iter({str(n) for n in range(1000)}))", "print(first)", LIMITS)
SLEEPS = Program("import time\ntime.sleep(60)", "", Limits(wall_seconds=0.5))


def test_each_is_run_so_often(share):
    """Each program is run as often as asked, and reported once."""
    reported = []
    verdicts, ran = share([RIGHT, WRONG], lambda index, verdict: reported.append((index, verdict)), repeats=3)
    assert sorted(ran, key=str) == sorted([RIGHT, WRONG] * 3, key=str)
    assert [verdict.repeats for verdict in verdicts] == [(Outcome.PASSED,) * 3, (Outcome.FAILED,) * 3]
    assert sorted(reported, key=lambda each: each[0]) == list(enumerate(verdicts))
    assert not any(verdict.flaky for verdict in verdicts)


def test_flaky(share):
    """A program whose runs end differently has the verdict of its first run, and is flaky."""
    verdicts, _ = share([RANDOM] * 12, repeats=3)
    assert {verdict.flaky for verdict in verdicts} >= {True}
    for verdict in verdicts:
        assert (verdict.outcome, len(verdict.repeats)) == (verdict.repeats[0], 3)
        assert verdict.flaky == (len(set(verdict.repeats)) > 1)
    assert {verdict.outcome for verdict in verdicts} == {Outcome.PASSED, Outcome.FAILED}


def test_in_other_guests():
    """Each repetition uses its own guests, so a dependence on the order of a set shows with random hash seeds."""
    seen = []
    with opened_pool("subprocess", hash_seed="random") as pool:
        runner = ReusingRunner(
            pool, ReuseOptions(repeats=4), finalize=lambda index, verdict: seen.append(verdict.stdout) or verdict
        )
        runner.run_all([BY_HASH], 2)
    assert len(set(seen)) > 1


def test_tests_that_fail_by_themselves_at_times(share):
    """Tests that one repeat passed are flaky, not invalid, whatever the other repeats were."""
    program = Program("x = 1", TOSS, LIMITS, reference=TOSS)
    verdicts, _ = share([program] * 4, repeats=16, dedupe=False)
    assert [len(verdict.repeats) for verdict in verdicts] == [16] * 4
    assert all(verdict.flaky for verdict in verdicts)


def test_tests_that_always_fail_by_themselves(share):
    """Tests that fail in each repeat, and without a candidate, are invalid."""
    tests = "import absent_from_here"
    results, _ = share([Program("x = 1", tests, LIMITS, reference=tests)], repeats=3)
    assert isinstance(results[0], InvalidTests)


def test_what_a_checker_says_counts(share):
    """Verdicts are compared after they were finished, which happens once for each run."""
    answers = iter([Outcome.PASSED, Outcome.FAILED])
    [verdict], _ = share([RIGHT], finish=lambda index, verdict: Verdict(next(answers)), repeats=2)
    assert (verdict.outcome, verdict.flaky) == (Outcome.PASSED, True)


def test_flaky_ones_are_not_cached(share, tmp_path):
    """Flaky verdicts are not cached, even if they were before, unless the user asks for it. Stable ones are cached."""
    share([WRONG, RIGHT], cache_dir=tmp_path)
    answers = iter([Outcome.PASSED, Outcome.PASSED, Outcome.FAILED, Outcome.PASSED])
    verdicts, ran = share(
        [WRONG, RIGHT], finish=lambda index, verdict: Verdict(next(answers)), cache_dir=tmp_path, repeats=2
    )
    assert (len(ran), sorted(verdict.flaky for verdict in verdicts)) == (4, [False, True])
    flaky = [verdict.flaky for verdict in verdicts]
    again, _ = share([WRONG, RIGHT], cache_dir=tmp_path)
    assert [verdict.cached for verdict in again] == [not each for each in flaky]


def test_copies_have_the_same_repeats(share):
    """Identical programs share their repeats."""
    verdicts, ran = share([RIGHT, RIGHT], repeats=2)
    assert (len(ran), [verdict.repeats for verdict in verdicts]) == (2, [(Outcome.PASSED,) * 2] * 2)
    assert verdicts[1].duplicate_of == 0


def test_metric():
    """The metric's results describe all runs, and pass@k uses the first run."""
    import evaluate

    metric = evaluate.load(METRIC)
    candidates = [[f"import random\nx = random.random()  # {number}" for number in range(12)]]
    pass_at_k, results = metric.compute(
        predictions=candidates, references=["assert x < 0.5"], k=1, repeats=3, timeout=20.0
    )
    first = [result["repeats"][0] == "passed" for _, result in results[0]]
    assert [result["passed"] for _, result in results[0]] == first
    assert pass_at_k == {"pass@1": pytest.approx(sum(first) / 12)}
    assert any(result["flaky"] for _, result in results[0])


def test_command(files, tmp_path):
    """`code-eval run --repeats` counts flaky samples."""
    output = tmp_path / "results.jsonl"
    samples = ["    import random\n    return a + b + (random.random() < 0.5)\n"] * 8 + ["    return a + b\n"]
    done = code_eval(*files(samples), "--repeats", 4, "--output", output)
    records = results_of(output)
    flaky = sum(record["flaky"] for record in records)
    assert 0 < flaky < 9
    assert f"  {flaky} flaky: repeated runs had different outcomes, and the first run counts" in done.stdout
    assert {(record["task_id"], len(record["repeats"])) for record in records} == {(PROBLEM["task_id"], 4)}


def test_report():
    """The report counts flaky, repeated, copied and cached samples, and omits counts of zero."""
    passed = Outcome.PASSED
    ended = [
        Verdict(passed, repeats=(passed, Outcome.FAILED)),
        Verdict(passed, attempts=2),
        Verdict(passed, attempts=3),
        Verdict(passed, duplicate_of=0),
        *[Verdict(passed, cached=True)] * 4,
    ]
    text = report_of({"a": ended})
    for line in ("1 flaky: ", "2 run again: ", "1 duplicate of another sample: ", "4 results from the cache"):
        assert line in text
    text = report_of({"a": [Verdict(passed)]})
    assert not any(word in text for word in ("flaky", "again", "not run"))


@pytest.fixture
def busy():
    """Keep every CPU busy."""
    command = [sys.executable, "-c", "while True: pass"]
    burners = [subprocess.Popen(command) for _ in range(2 * (os.cpu_count() or 1))]
    time.sleep(1)
    yield
    for burner in burners:
        burner.kill()
        burner.wait()


def test_load(busy):
    """A machine whose CPUs are all taken is recognized as busy."""
    load = MachineLoad()
    time.sleep(0.5)
    assert load.was_high(0.4)


def waits_for(path):
    """Return a program that ends only if a file exists."""
    return Program(
        f"import os, time\nwhile not os.path.exists({str(path)!r}):\n    time.sleep(0.25)", "", Limits(wall_seconds=1.0)
    )


def test_timed_out_on_a_busy_machine(busy, tmp_path):
    """A program that timed out with little CPU time on a busy machine is run once more, alone, at the end."""
    tmp_path.chmod(0o755)
    pool = Pool(open_sandbox("subprocess", read_only_paths=[tmp_path]))
    order, program = [], waits_for(tmp_path / "file")
    begun = threading.Timer(0, lambda: None)

    def told(index, verdict):
        order.append(index)
        if index == 1:
            # The other program began long ago, and waits in vain.
            nonlocal begun
            begun = threading.Timer(3.0, (tmp_path / "file").touch)
            begun.start()

    others = [Program(f"import time\ntime.sleep({seconds})", "", LIMITS) for seconds in (0.1, 5)]
    verdicts = ReusingRunner(pool).run_all([program, *others], 2, told)
    begun.join()
    pool.close()
    assert [verdict.outcome for verdict in verdicts] == [Outcome.PASSED] * 3
    assert [verdict.attempts for verdict in verdicts] == [2, 1, 1]
    assert order == [1, 2, 0]


def test_many_that_time_out_again(busy, share):
    """Only a few programs that sleep are run again in vain."""
    verdicts, ran = share([Program(f"{SLEEPS.candidate}\n# {n}", "", SLEEPS.limits) for n in range(9)])
    assert {verdict.outcome for verdict in verdicts} == {Outcome.TIMED_OUT}
    assert sorted(verdict.attempts for verdict in verdicts) == [1] * 4 + [2] * 5
    assert len(ran) == 14


def test_endless_loops_are_not_run_again(share):
    """A program that used its CPU time is not run again."""
    verdicts, ran = share([Program("while True: pass", "", Limits(wall_seconds=0.5))])
    assert (verdicts[0].outcome, verdicts[0].attempts, len(ran)) == (Outcome.TIMED_OUT, 1, 1)


def test_copies_are_run_again_on_a_quiet_machine_too(share):
    """A shared program that timed out with little CPU time is run again even on a quiet machine."""
    sleeps = Program(SLEEPS.candidate, "", SLEEPS.limits)
    verdicts, ran = share([sleeps] * 3, dedupe=True)
    assert [(verdict.outcome, verdict.attempts) for verdict in verdicts] == [(Outcome.TIMED_OUT, 2)] * 3
    assert len(ran) == 2


def test_choices():
    """A run without choices caches nothing, runs each program once, and may share identical programs."""
    assert ReuseOptions.checked() == ReuseOptions(None, 1024, False, None, 1)
