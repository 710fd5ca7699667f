"""Grading in a sandbox for solvers: verdicts, a free event loop, and no wrong answers from a broken sandbox."""

import asyncio
import threading
import time

import pytest

from code_tasks.benchmarks.problems import parse_problem
from code_tasks.solvers.grader import SandboxGrader, program_of_answer, prompt_plus_candidate
from code_tasks.solvers.interface import RetryableSystemError, Task
from code_tasks.solvers.known_answers import FailingSolver, GoldSolver, ReplaySolver, tasks_from_problems
from code_tasks.solvers.options import Backoff, SolveOptions
from code_tasks.solvers.run import solve
from sandboxes import EvalConfig, Evaluator, Limits, Pool, SandboxUnavailable, open_sandbox

pytestmark = pytest.mark.slow

RECORD = {
    "task_id": "t/0",
    "prompt": "def add(a, b):\n",
    "test": "def check(candidate):\n    assert candidate(2, 3) == 5, 'no sum'\n",
    "entry_point": "add",
}
ADD = parse_problem({**RECORD, "canonical_solution": "    return a + b\n"})
[TASK] = tasks_from_problems({"t/0": ADD})
LIMITS = Limits(wall_seconds=20.0)
NO_SUM = "AssertionError: no sum, where it is 6 == 5"
SLOW = "    import time\n    time.sleep(1)\n    return a + b\n"


@pytest.fixture(scope="module")
def pool():
    """Return a pool of the subprocess sandbox."""
    pool = Pool(open_sandbox("subprocess"))
    yield pool
    pool.close()


def grader_on(pool, limits=LIMITS, assemble=prompt_plus_candidate, **options):
    """Return a grader on the sandbox of a pool."""
    return SandboxGrader(Evaluator(EvalConfig(pool.sandbox, limits=limits, **options)), assemble)


def grades(pool, *candidates, **options):
    """Return the grades of these candidates, which are graded at once."""

    async def run():
        async with grader_on(pool, LIMITS, **options) as grader:
            return await asyncio.gather(*(grader.grade(TASK, candidate) for candidate in candidates))

    return asyncio.run(run())


def test_grades(pool):
    """A candidate that passes has score 1, another 0, each with its detail and result."""
    right, wrong = grades(pool, "    return a + b\n", "    return a * b\n")
    assert (right.score, right.result["outcome"]) == (1.0, "passed")
    assert (wrong.score, wrong.grader_log, wrong.result["outcome"]) == (0.0, NO_SUM, "failed")


def test_many_at_once(pool):
    """Each of many candidates that wait at once gets its own grade."""
    signs = ["+", "*", "-", "+"] * 15
    found = grades(pool, *(f"    return a {sign} b\n" for sign in signs), num_workers=2)
    assert [grade.score for grade in found] == [float(sign == "+") for sign in signs]


def test_the_event_loop_is_free(pool):
    """The event loop continues while candidates run."""

    async def run():
        async with grader_on(pool, LIMITS, num_workers=1) as grader:
            grading = asyncio.ensure_future(grader.grade(TASK, SLOW))
            ticks = 0
            while not grading.done():
                await asyncio.sleep(0.01)
                ticks += 1
            return ticks, await grading

    ticks, grade = asyncio.run(run())
    assert ticks > 10 and grade.score == 1.0


def test_workers_run_at_once(pool):
    """With two workers, quick candidates do not wait for a slow one."""

    async def run():
        async with grader_on(pool, LIMITS, num_workers=2) as grader:
            ends = {}

            async def one(name, candidate):
                await grader.grade(TASK, candidate)
                ends[name] = len(ends)

            slow = "    import time\n    time.sleep(4)\n    return a + b\n"
            quick = "    return a + b\n"
            await asyncio.gather(one("slow", slow), one("quick", quick), one("last", quick))
            return ends

    assert asyncio.run(run())["slow"] == 2


def test_programs_of_chat_answers(pool):
    """`assemble` makes the program, for example from a whole function."""
    whole = "def add(a, b):\n    return a + b\n"
    [grade] = grades(pool, whole, assemble=program_of_answer)
    assert grade.score == 1.0


def test_separate(pool):
    """`grading` has the same effect as for the metric."""
    lie = "    return type('Same', (), {'__eq__': lambda *values: True})()\n"
    assert [grade.score for grade in grades(pool, lie, grading="shared")] == [1.0]
    assert [grade.score for grade in grades(pool, lie, grading="separate")] == [0.0]


class BreaksSandbox:
    """A sandbox that can't start guests for a while."""

    name = "subprocess"

    def __init__(self, sandbox):
        self.sandbox = sandbox
        self.broken = 0

    def __getattr__(self, name):
        """Return the sandbox's attribute."""
        return getattr(self.sandbox, name)

    def start_worker(self):
        """Return a worker, unless the sandbox is broken."""
        if self.broken > 0:
            self.broken -= 1
            raise SandboxUnavailable("no guest can be started")
        return self.sandbox.start_worker()


def test_broken_is_retryable():
    """A broken sandbox raises RetryableSystemError, and the runner retries until the sandbox works."""
    sandbox = BreaksSandbox(open_sandbox("subprocess"))
    config = EvalConfig(sandbox, limits=LIMITS, num_workers=1)

    async def run():
        async with SandboxGrader(Evaluator(config, keep_warm=False)) as grader:
            grader.evaluator.pool().close()
            sandbox.broken = 4
            with pytest.raises(RetryableSystemError, match="no guest can be started"):
                await grader.grade(TASK, "    return a + b\n")
            plan = SolveOptions(backoff=Backoff(first_seconds=0.0))
            return await solve(GoldSolver(grader), [TASK], plan)

    summary = asyncio.run(run())
    assert (summary.correct, summary.system_errors, sandbox.broken) == (1, 0, 0)


def test_a_sandbox_that_does_not_work():
    """An unusable sandbox is an error before the first attempt."""
    sandbox = BreaksSandbox(open_sandbox("subprocess"))
    sandbox.broken = 100

    async def run():
        async with SandboxGrader(Evaluator(EvalConfig(sandbox))):
            pass

    with pytest.raises(SandboxUnavailable, match="no guest can be started"):
        asyncio.run(run())


def test_leaving_ends_what_runs(pool):
    """A closed grader ends its threads, and does not wait for abandoned candidates."""
    before = threading.active_count()

    async def run():
        async with grader_on(pool, Limits(wall_seconds=300.0), num_workers=2) as grader:
            forever = [asyncio.ensure_future(grader.grade(TASK, "    while True: pass\n")) for _ in range(5)]
            await asyncio.sleep(0.5)
            for each in forever:
                each.cancel()
            await asyncio.gather(*forever, return_exceptions=True)

    began = time.monotonic()
    asyncio.run(run())
    assert time.monotonic() - began < 60
    assert threading.active_count() <= before


def test_a_grader_that_is_not_open(pool):
    """A grader outside of its `async with` raises an error, instead of letting an attempt wait forever."""
    with pytest.raises(RuntimeError, match="not open"):
        asyncio.run(grader_on(pool).grade(TASK, ""))


def test_other_references(pool):
    """A task whose reference is not a Problem is an error that names the task."""

    async def run():
        async with grader_on(pool) as grader:
            await grader.grade(Task("t/1", (), "assert add(2, 3) == 5"), "")

    with pytest.raises(TypeError, match="reference of t/1 must be a Problem, not 'assert"):
        asyncio.run(run())


def solved(pool, solver, problems=None, tries=1, **arguments):
    """Return the summary of one of this package's solvers."""

    async def run():
        async with grader_on(pool, LIMITS) as grader:
            return await solve(
                solver(grader, **arguments), tasks_from_problems(problems or {"t/0": ADD}), SolveOptions(tries)
            )

    return asyncio.run(run())


def test_gold_and_failing(pool):
    """Canonical solutions are correct, and failing bodies are incorrect."""
    assert solved(pool, GoldSolver).accuracy == 1.0
    assert solved(pool, FailingSolver).accuracy == 0.0


def test_gold_needs_solutions(pool):
    """A problem without a canonical solution is an error that names it."""
    without = parse_problem(RECORD)
    with pytest.raises(ValueError, match="problem t/0 has no canonical_solution"):
        solved(pool, GoldSolver, {"t/0": without})


def test_replay(pool):
    """A question's samples are its attempts in order; an attempt without a sample is an error with their number."""
    from code_tasks.benchmarks.samples import Sample

    samples = [Sample("t/0", f"    return a {sign} b\n") for sign in "+*+"]
    summary = solved(pool, ReplaySolver, tries=3, samples=samples)
    assert (summary.correct, summary.incorrect) == (2, 1)
    with pytest.raises(ValueError, match="there are 3 samples of 't/0', and none for attempt 3"):
        solved(pool, ReplaySolver, tries=4, samples=samples)
