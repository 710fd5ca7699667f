"""A pool gives every program its own verdict, in input order, however many run at once."""

import os
import threading
import time
import uuid

import psutil
import pytest

from sandboxes import BACKENDS, Limits, Outcome, Program, RunStopped, open_sandbox
from support.observers import all_gone, runs, wait_until

pytestmark = pytest.mark.slow

WORK = "import time\nwhile time.process_time() < 0.15:\n    pass\n"
THREADS = f"import threading\nthread = threading.Thread(target=exec, args=({WORK!r},))\nthread.start()\nthread.join()\n"
CALLED = "def f(x):\n    return sum(range(x))\n"
CALLS = "for _ in range(40):\n    assert f(100_000) == sum(range(100_000))\n"
LOOP = "while True:\n    pass\n"
SHORT = Limits(wall_seconds=0.5)
# Far more time than WORK takes alone. With the extension for waits it is enough beside 31 others on a few CPUs, even if
# other work uses most of the machine, or containers are still starting.
WORKING = Limits(wall_seconds=8.0)
# (program, its outcome when it runs alone on an idle machine)
KINDS = [
    (Program("x = 1", "assert x == 1"), Outcome.PASSED),
    (Program("x = 1", "assert x == 2"), Outcome.FAILED),
    (Program("x = ", "assert x == 2"), Outcome.COMPILE_ERROR),
    (Program("import os\nos._exit(0)", "assert x"), Outcome.EXITED),
    (Program("import os\nos.abort()", "assert x"), Outcome.CRASHED),
    (Program("x = bytearray(1 << 40)", ""), Outcome.OUT_OF_MEMORY),
    (Program("print('x' * 2_000_000)", "", Limits(output_bytes=1 << 20)), Outcome.OUTPUT_LIMIT),
    (Program(WORK, "", WORKING), Outcome.PASSED),
    (Program(WORK + "1 / 0", "", WORKING), Outcome.FAILED),
    (Program(THREADS, "", WORKING), Outcome.PASSED),
    (Program(CALLED, CALLS, WORKING, "separate"), Outcome.PASSED),
    (Program(LOOP, "", SHORT), Outcome.TIMED_OUT),
    (Program("import time\ntime.sleep(0.1)", "", SHORT), Outcome.PASSED),
    (Program("import time\ntime.sleep(1000)", "", SHORT), Outcome.TIMED_OUT),
]


def numbered(number, wrong=False):
    """Return a program that passes, or fails with its number."""
    return Program(f"x = {number}", f"assert x == {number}, x" if not wrong else f"assert x != {number}, x")


def waits_until_seen(folder, name):
    """Return a program that starts a process of this name and waits for ever, unless a folder has a file "seen"."""
    candidate = f"""
import os, subprocess
if not os.path.exists("{folder}/seen"):
    subprocess.run(["{name}", "1000"], executable="sleep")
"""
    return Program(candidate, "", Limits(wall_seconds=60.0))


def guest_processes(pid):
    """Return the processes of a guest whose program has started one, by the role of each.

    Args:
        pid: of its supervisor.
    """
    chain = [psutil.Process(pid)]
    while below := chain[-1].children():
        chain.append(below[0])
    # The last two are the program and its child. Without a PID namespace there is no holder.
    return {"supervisor": chain[0], "holder": chain[1], "fork server": chain[-3]}


def test_verdicts_are_in_input_order(pool):
    """Verdicts have the order of their programs, whichever ends first."""
    waits = (0.4, 0.0, 0.2, 0.0, 0.1, 0.0)
    programs = [Program(f"import time\ntime.sleep({wait})\nprint({wait})", "") for wait in waits]
    assert [verdict.stdout for verdict in pool.run_all(programs, 3)] == [f"{wait}\n" for wait in waits]


def test_on_result_is_told_of_each_end(pool):
    """`on_result` is called once per program, with its index and verdict, in the caller's thread."""
    reported, threads = {}, []

    def note(index, verdict):
        reported[index] = verdict
        threads.append(threading.current_thread())

    verdicts = pool.run_all([Program(f"print({i})", "") for i in range(2)], 2, note)
    assert reported == dict(enumerate(verdicts))
    assert threads == [threading.current_thread()] * 2


def test_on_result_is_told_while_others_run(own_pool):
    """`on_result` is called as soon as a program has ended, not at the end of the run."""
    reported = []
    programs = [numbered(0), Program("import time\ntime.sleep(1000)", "", Limits(wall_seconds=60.0))]
    with pytest.raises(RunStopped):
        own_pool.run_all(programs, 1, lambda index, verdict: reported.append(index), should_stop=lambda: bool(reported))
    assert reported == [0]


def test_no_programs_have_no_verdicts(pool):
    """An empty list of programs gives an empty list of verdicts."""
    assert pool.run_all([], 4) == []


def test_no_more_guests_than_programs(own_pool):
    """A pool starts no more workers than it has programs."""
    assert [verdict.passed for verdict in own_pool.run_all([numbered(0), numbered(1)], 50)] == [True, True]
    assert len(own_pool.sandbox.workers) == 2


@pytest.mark.parametrize("num_workers", [1, 3])
def test_equal_and_different_tests_may_be_mixed(pool, num_workers):
    """Each program is decided by its own tests, whether its neighbours have the same ones or not."""
    tests = ["assert x == 1", "assert x == 2", "", "x = ("]
    wanted = {0: Outcome.PASSED, 1: Outcome.FAILED, 2: Outcome.PASSED, 3: Outcome.COMPILE_ERROR}
    order = [0, 0, 0, 1, 0, 1, 1, 3, 3, 2, 2, 0, 3, 3, 3, 1, 2, 0] * 3
    programs = [Program("x = 1", tests[which]) for which in order]
    assert [verdict.outcome for verdict in pool.run_all(programs, num_workers)] == [wanted[which] for which in order]


def test_limits_are_each_programs_own(pool):
    """Two neighbouring programs each keep their own limits."""
    candidate = "import resource\nprint(resource.getrlimit(resource.RLIMIT_NOFILE)[0])"
    programs = [Program(candidate, "", Limits(open_files=number)) for number in (50, 60, 60, 50, 70)]
    assert [int(verdict.stdout) for verdict in pool.run_all(programs, 2)] == [50, 60, 60, 50, 70]


@pytest.mark.parametrize(("num_workers", "copies"), [(1, 1), (4, 5), (32, 5)])
def test_verdicts_do_not_depend_on_the_number_of_workers(pool, num_workers, copies):
    """Programs of every kind have the verdicts that they have alone, even if many more run than there are CPUs."""
    kinds = KINDS * copies
    verdicts = pool.run_all([program for program, _ in kinds], num_workers)
    wrong = [(i, verdict) for i, verdict in enumerate(verdicts) if verdict.outcome is not kinds[i][1]]
    assert not wrong


def test_a_slow_caller_times_nobody_out(pool, monkeypatch):
    """A program's time does not run out while the caller is late with the rest of its source."""
    monkeypatch.setattr("sandboxes.pool.run.SILENCE_TIMEOUT_SECONDS", 5.0)
    long = Program("x = 1\n" + "#" * 400_000, "assert x", Limits(wall_seconds=0.3))
    pool.run_all([numbered(0)], 1)
    verdicts = pool.run_all([numbered(0), long, numbered(1), numbered(2)], 1, lambda index, ended: time.sleep(0.5))
    assert [(verdict.outcome, verdict.attempts) for verdict in verdicts] == [(Outcome.PASSED, 1)] * 4


def test_a_short_time_limit_harms_nobody_else(pool, monkeypatch):
    """A long program with hardly any time is TIMED_OUT or passes, and does not harm the next ones."""
    monkeypatch.setattr("sandboxes.pool.run.SILENCE_TIMEOUT_SECONDS", 5.0)
    short = Program("x = 1\n" + "#" * 4_000_000, "", Limits(wall_seconds=0.0001))
    verdicts = pool.run_all([short, numbered(0)] * 2, 1)
    assert {verdict.outcome for verdict in verdicts[::2]} <= {Outcome.TIMED_OUT, Outcome.PASSED}
    assert [(verdict.outcome, verdict.attempts) for verdict in verdicts[1::2]] == [(Outcome.PASSED, 1)] * 2


def test_threads_may_share_a_pool(pool):
    """Several threads that use one pool at once get their own verdicts."""
    wrong, errors = [], []

    def use(number):
        try:
            programs = [numbered(number * 100 + i, wrong=i % 3 == 0) for i in range(20)]
            for i, verdict in enumerate(pool.run_all(programs, 2)):
                message = str(number * 100 + i) if i % 3 == 0 else ""
                if verdict.exception_message != message or verdict.passed is (i % 3 == 0):
                    wrong.append((number, i, verdict))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert not wrong


def test_workers_stay_warm(own_pool):
    """A second run uses the guests of the first."""
    for _ in range(3):
        assert all(verdict.passed for verdict in own_pool.run_all([numbered(i) for i in range(6)], 2))
    assert len(own_pool.sandbox.workers) == 2


def test_an_error_of_on_result_is_the_callers(own_pool):
    """An exception in `on_result` reaches the caller, and the pool works again."""

    def fail(index, ended):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        own_pool.run_all([numbered(i) for i in range(6)], 2, fail)
    assert all(verdict.passed for verdict in own_pool.run_all([numbered(i) for i in range(6)], 2))


def test_a_run_can_be_stopped(own_pool):
    """A run whose `should_stop` returns True ends while its programs hang, and the pool works again."""
    stop = threading.Event()
    timer = threading.Timer(0.5, stop.set)
    timer.start()
    hanging = Program("while True:\n    pass", "", Limits(wall_seconds=60.0))
    began = time.monotonic()
    with pytest.raises(RunStopped):
        own_pool.run_all([hanging] * 4, 2, should_stop=stop.is_set)
    assert time.monotonic() - began < 30.0
    timer.join()
    assert all(verdict.passed for verdict in own_pool.run_all([numbered(i) for i in range(6)], 2))


@pytest.mark.parametrize("victim", ["supervisor", "holder", "fork server"])
@pytest.mark.usefixtures("guests_here")
def test_a_guest_killed_from_outside_is_replaced(open_own_pool, folder, victim):
    """A guest that is killed while it runs a program is replaced. All verdicts are right, and one says so."""
    own_pool = open_own_pool(read_only_paths=[folder])
    own_pool.run_all([numbered(0)], 1)
    [worker] = own_pool.sandbox.workers
    name = f"waits-{uuid.uuid4()}"

    def kill():
        if wait_until(lambda: runs(name), 30):
            open(f"{folder}/seen", "w").close()
            guest_processes(worker.process.pid)[victim].kill()

    killer = threading.Thread(target=kill)
    killer.start()
    waits = waits_until_seen(folder, name)
    verdicts = own_pool.run_all([numbered(0), numbered(1, wrong=True), waits, numbered(2), numbered(3, wrong=True)], 1)
    killer.join()
    assert all_gone(name), "the killed guest's program still runs"
    assert [verdict.passed for verdict in verdicts] == [True, False, True, True, False]
    assert [verdict.attempts for verdict in verdicts] == [1, 1, 2, 1, 1]
    assert all_gone(worker.scratch), "the killed guest still runs"
    assert not os.path.exists(worker.scratch)


def test_an_idle_guest_killed_from_outside_is_replaced(own_pool):
    """Guests that are killed between two runs are replaced in the second."""
    programs = [numbered(i, wrong=i % 2) for i in range(8)]
    before = own_pool.run_all(programs, 2)
    for worker in own_pool.sandbox.workers:
        psutil.Process(worker.process.pid).kill()
    after = own_pool.run_all(programs, 2)
    assert [verdict.outcome for verdict in after] == [verdict.outcome for verdict in before]


def test_preflight_says_what_is_enforced(pool):
    """A pool's preflight names the layers that are on. Its verdicts name the same layers."""
    isolation = pool.preflight()
    assert pool.run_all([numbered(0)], 1)[0].isolation == isolation.layers
    assert not set(isolation.layers) & set(isolation.missing)


def test_unknown_sandbox_names_the_choices():
    """An unknown sandbox is a ValueError with the given name and all known ones."""
    with pytest.raises(ValueError, match="'dokcer'") as caught:
        open_sandbox("dokcer")
    assert all(name in str(caught.value) for name in BACKENDS)


@pytest.mark.parametrize(
    "value", [0, -1, float("nan"), float("inf"), -float("inf"), "3", True, False, [], 1j], ids=repr
)
@pytest.mark.parametrize("name", Limits.__dataclass_fields__)
def test_limits_are_numbers_above_zero(name, value):
    """A limit that is not a number above 0 is refused by name and value."""
    with pytest.raises((ValueError, TypeError)) as caught:
        Limits(**{name: value})
    assert name in str(caught.value)
    assert repr(value) in str(caught.value)


@pytest.mark.parametrize("name", [name for name in Limits.__dataclass_fields__ if name != "cpu_seconds"])
def test_limits_are_not_left_out_with_none(name):
    """Only `cpu_seconds` may be None, which means its default."""
    with pytest.raises((ValueError, TypeError), match=name):
        Limits(**{name: None})


@pytest.mark.parametrize("name", [name for name in Limits.__dataclass_fields__ if name != "kept_bytes"])
def test_any_limits_have_a_verdict(pool, name):
    """Programs under any accepted limits get a verdict, however large the limits are."""
    for value in (1 << 40, 1 << 70):
        assert pool.run_all([Program("x = 1", "", Limits(**{name: value}))], 1)[0].outcome is Outcome.PASSED


def test_kept_output_has_a_most():
    """A `kept_bytes` above what a verdict can carry is refused by name and value."""
    assert Limits(kept_bytes=1 << 20).kept_bytes == 1 << 20
    with pytest.raises(ValueError, match="kept_bytes.*1048577"):
        Limits(kept_bytes=(1 << 20) + 1)
