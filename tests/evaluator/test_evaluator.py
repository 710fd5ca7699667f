"""Behaviour that every entry point gets from running tasks through an `Evaluator`."""

import asyncio
import re

import pytest

import sandboxes
from sandboxes import EvalConfig, Evaluator, Limits, Outcome, ProgramBatch, Task, Verdict, open_sandbox
from sandboxes.pool.pool import Pool
from sandboxes.reuse.repeats import StarvedRetries
from sandboxes.runner import RunControls
from support.metric_and_command import ROOT
from support.pools import RecordedSandbox

RIGHT, WRONG = "def add(a, b): return a + b", "def add(a, b): return a * b"
TESTS = "assert add(2, 3) == 5"
TASK = Task(TESTS, [RIGHT, WRONG])
SLOW = Limits(wall_seconds=20.0)


def outcomes(results):
    """Return the outcomes of verdicts."""
    return [result.outcome for result in results]


@pytest.fixture
def evaluator():
    """Return an evaluator on processes of this machine."""
    return Evaluator(EvalConfig(open_sandbox("subprocess"), limits=SLOW))


def test_results_stand_in_the_order_of_candidates(evaluator):
    """`run` gives one result per candidate, task by task."""
    results = evaluator.run([TASK, Task(TESTS, [WRONG])])
    assert outcomes(results) == [Outcome.PASSED, Outcome.FAILED, Outcome.FAILED]


@pytest.mark.parametrize("candidates", [RIGHT, RIGHT.encode(), None])
def test_a_text_is_no_list_of_candidates(candidates):
    """A text in place of a list is an error at once: each of its letters would be a candidate."""
    with pytest.raises(TypeError, match="the candidates of a task must be a list of sources, not "):
        Task(TESTS, candidates)


def test_a_stream_takes_tasks_one_by_one(evaluator):
    """`stream` yields the same results for tasks that come from a generator."""
    results = evaluator.stream(task for task in [TASK, TASK])
    assert outcomes(results) == [Outcome.PASSED, Outcome.FAILED] * 2


def test_a_callback_stream_counts_candidates_over_all_tasks(evaluator):
    """`run_stream` reports each candidate by its index over all tasks."""
    results = {}
    evaluator.run_stream((task for task in [TASK, TASK]), results.__setitem__)
    assert outcomes(results[index] for index in range(4)) == [Outcome.PASSED, Outcome.FAILED] * 2


def test_tasks_that_wait_are_run(evaluator):
    """`run_async` gives each coroutine the result of its own candidate."""

    async def run():
        async with evaluator:
            tasks = [Task(TESTS, [candidate]) for candidate in (RIGHT, WRONG, RIGHT)]
            return await asyncio.gather(*map(evaluator.run_async, tasks))

    assert outcomes(asyncio.run(run())) == [Outcome.PASSED, Outcome.FAILED, Outcome.PASSED]


def test_coroutines_need_the_languages_of_the_configuration():
    """A candidate whose language's files the workers don't have is an error, and no failed candidate."""

    async def run_in_bash():
        async with Evaluator(EvalConfig.from_options({"language": "python"})) as evaluator:
            await evaluator.run_async(Task("exit 0", ["true"], language="bash"))

    with pytest.raises(ValueError, match="'bash' is not one of the configuration's, which are python"):
        asyncio.run(run_in_bash())


def test_a_task_may_have_limits_and_a_language_of_its_own(evaluator):
    """A task's own limits and language take precedence over the configuration's."""
    limits = Limits(wall_seconds=7.0)
    batch = evaluator.assemble([Task("true", ["x=1"], language="bash", limits=limits), TASK])
    assert batch.languages == {"bash", "python"}
    assert [program.limits for program in batch.programs] == [limits, SLOW, SLOW]


def test_programs_of_the_caller_keep_their_results(evaluator):
    """A batch of programs that the caller made is run unchanged."""
    programs = evaluator.assemble([TASK]).programs
    assert outcomes(evaluator.run(ProgramBatch(programs))) == [Outcome.PASSED, Outcome.FAILED]


@pytest.mark.slow
def test_workers_that_are_not_kept_warm_end():
    """An evaluator that keeps nothing warm leaves no worker."""
    sandbox = RecordedSandbox(open_sandbox("subprocess"))
    with Evaluator(EvalConfig(sandbox, limits=SLOW), keep_warm=False) as evaluator:
        evaluator.run([TASK])
    assert sandbox.workers
    assert all(worker.process.poll() is not None for worker in sandbox.workers)


def test_a_refused_option_is_one_message():
    """An option that an entry point does not have is refused by its name."""
    with pytest.raises(TypeError, match="there is no option 'cache_dir' here"):
        EvalConfig.from_options({"cache_dir": "x"}, without=("cache_dir", "cluster"))


def test_an_entry_points_defaults_give_way():
    """The caller's options take precedence over the entry point's defaults, and these over the general ones."""
    assert EvalConfig.from_options({}, defaults={"grading": "separate"}).grading == "separate"
    assert EvalConfig.from_options({"grading": "auto"}, defaults={"grading": "separate"}).grading == "auto"


def test_equal_options_make_equal_configurations():
    """Equal options make equal configurations, so their evaluators share workers."""
    first, second = (EvalConfig.from_options({"env": {"X": "1"}, "timeout": 5}) for _ in range(2))
    assert first == second
    assert Evaluator(first).pool() is Evaluator(second).pool()


class BusyPool(Pool):
    """A pool on a machine that has no CPU to spare."""

    def was_starved(self, seconds):
        """Return True, as on a busy machine."""
        return True


@pytest.mark.slow
@pytest.mark.parametrize("way", ["run", "stream", "run_stream"])
def test_a_starved_program_runs_again(monkeypatch, way):
    """A program that timed out without getting a CPU runs a second time, whichever method runs it."""
    config = EvalConfig(open_sandbox("subprocess"), limits=Limits(wall_seconds=0.3))
    pool = BusyPool(config.sandbox)
    monkeypatch.setattr("sandboxes.blocking_evaluator.warm_pool", lambda *_: pool)
    evaluator, task = Evaluator(config), Task("", ["import time\ntime.sleep(60)"], name="sleeps")
    batch = ProgramBatch(evaluator.assemble([Task("assert True", task.candidates)]).programs)
    results = {}
    if way == "run":
        results[0] = evaluator.run(batch)[0]
    elif way == "stream":
        results[0] = next(evaluator.stream([Task("assert True", task.candidates)]))
    else:
        evaluator.run_stream([Task("assert True", task.candidates)], results.__setitem__)
    pool.close()
    assert (results[0].outcome, results[0].attempts) == (Outcome.TIMED_OUT, 2)


def test_a_starved_program_does_not_run_again_if_that_is_not_wanted():
    """A starved program is not run again if second runs are off."""
    retries = StarvedRetries(Pool(open_sandbox("subprocess")), False, RunControls(1))
    batch = Evaluator(EvalConfig(open_sandbox("subprocess"))).assemble([TASK])
    assert not retries.was_starved(batch.programs[0], Verdict(Outcome.TIMED_OUT, wall_seconds=3.0), True)


def test_errors_have_a_common_base():
    """Each public error is a SandboxError. Errors of the sandbox are also RuntimeErrors."""
    assert issubclass(sandboxes.SandboxUnavailable, sandboxes.SandboxError)
    assert issubclass(sandboxes.RunStopped, sandboxes.SandboxError)
    assert issubclass(sandboxes.SandboxUnavailable, RuntimeError)


BACKEND_FILES = ("rlimit_process", "restricted_python", "docker_", "restrictions", "backends")
ASKS_FOR_TYPES = re.compile(
    r"isinstance\([^()]*[Pp]ool\b|isinstance\([^()]*Sandbox\b|[!=]= \"(docker|restricted|subprocess)\""
    r"|getattr\((self\.)?sandbox"
)


def test_nobody_asks_for_the_type_of_a_pool_or_a_sandbox():
    """Outside of the backends nothing depends on the type of a pool, or on a backend's name."""
    files = [
        *ROOT.glob("code_*.py"),
        *(path for name in ("sandboxes", "code_tasks", "space") for path in (ROOT / name).glob("**/*.py")),
    ]
    asking = {
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in files
        if not path.stem.startswith(BACKEND_FILES)
        for line in path.read_text(encoding="utf-8").splitlines()
        if ASKS_FOR_TYPES.search(line)
    }
    assert asking == set()
