"""A run of a solver: n attempts, retries after infrastructure errors, and bugs apart from wrong answers."""

import asyncio

import pytest

from code_tasks.solvers.interface import FinalResult, Grade, RetryableSystemError, Step
from code_tasks.solvers.options import Backoff, SolveOptions
from code_tasks.solvers.run import solve
from support.solver_fixtures import Scripted, answers, final_result, questions, solve_options


def run(solver, names=("a",), **options):
    """Return the summary of a run."""
    return asyncio.run(solve(solver, questions(*names), solve_options(**options)))


def test_every_question_is_tried_n_times():
    """Each question has n attempts, counted from 0."""
    solver = answers(lambda *attempt: True)
    summary = run(solver, ("a", "b"), n_tries=3)
    assert sorted(solver.tasks) == [(question, number, 0) for question in "ab" for number in range(3)]
    assert (summary.attempts, summary.accuracy) == (6, 1.0)


def test_concurrency_is_bounded():
    """At most `concurrency` attempts run at once."""
    solver = answers(lambda *attempt: True)
    run(solver, [str(number) for number in range(50)], concurrency=7)
    assert solver.most_running == 7


def test_a_solver_is_entered_once():
    """A solver is entered and exited once for all attempts."""
    solver = answers(lambda *attempt: True)
    run(solver, ("a", "b"), n_tries=3)
    assert (solver.entered, solver.left) == (1, 1)


def broken_until(retry):
    """Return a solver whose infrastructure breaks in each try before `retry`."""

    def decide(question_id, attempt_id, retry_idx):
        if retry_idx < retry:
            raise RetryableSystemError(f"503 at {retry_idx}")
        return True

    return answers(decide)


def test_infrastructure_errors_are_retried():
    """After a RetryableSystemError the attempt runs again with the next retry_idx, and no wrong answer is counted."""
    solver = broken_until(3)
    summary = run(solver)
    assert solver.tasks == [("a", 0, retry) for retry in range(4)]
    assert (summary.correct, summary.system_errors) == (1, 0)


def test_each_wait_is_told():
    """`on_retry` gets each error, the number of the retry that follows, and the wait, as the wait begins."""
    told = []
    options = solve_options(backoff=Backoff(2, 0.01))
    asyncio.run(solve(broken_until(2), questions("a"), options, on_retry=told.append))
    assert [(str(each.error), each.number, each.retries) for each in told] == [("503 at 0", 1, 2), ("503 at 1", 2, 2)]
    assert 0 < told[0].seconds <= 0.01


def test_sixteen_retries():
    """An attempt is tried 17 times at most, and then counts as a system error."""
    assert run(broken_until(16)).correct == 1
    solver = broken_until(17)
    summary = run(solver)
    assert len(solver.tasks) == 17
    assert (summary.system_errors, summary.incorrect, summary.is_valid) == (1, 0, False)
    assert summary.error_breakdown == {"RetryableSystemError": 1}


def test_waits_grow():
    """Waits double up to max_seconds, and jitter shortens a wait by at most half."""
    most = Backoff(first_seconds=1.0, max_seconds=60.0, jitter=lambda: 1.0)
    assert [most.seconds(retry) for retry in (0, 1, 2, 5, 6, 16, 5000)] == [1, 2, 4, 32, 60, 60, 60]
    assert Backoff(jitter=lambda: 0.0).seconds(2) == 2.0


def test_waits_are_made():
    """The wait of a try passes before the next try."""
    took = []

    async def script(task):
        took.append(asyncio.get_running_loop().time())
        if task.retry_idx < 2:
            raise RetryableSystemError("broken")
        yield final_result()

    run(Scripted(script), backoff=Backoff(first_seconds=0.2, jitter=lambda: 1.0))
    assert took[1] - took[0] >= 0.19
    assert took[2] - took[1] >= 0.39


@pytest.mark.parametrize("name", ["ValueError", "ZeroDivisionError", "TimeoutError"])
def test_a_solvers_bug_stops_the_run(name):
    """Any other exception of a solver ends the run, with its traceback and the attempt's name."""

    def decide(question_id, attempt_id, retry_idx):
        if question_id == "b":
            raise __builtins__[name]("mine")
        return True

    solver = answers(decide)
    with pytest.raises(__builtins__[name], match="mine") as caught:
        run(solver, ("a", "b", "c"), concurrency=1)
    assert caught.traceback[-1].name == "decide"
    assert caught.value.__notes__ == ["while scripted solved b.0"]
    assert solver.tasks == [("a", 0, 0), ("b", 0, 0)]
    assert solver.left == 1


def test_a_solvers_bug_is_recorded():
    """With on_solver_error="record" the attempt is incorrect and not retried, and the exception's class is counted."""

    def decide(question_id, attempt_id, retry_idx):
        if question_id == "b":
            raise KeyError("mine")
        return True

    solver = answers(decide)
    summary = run(solver, ("a", "b"), on_solver_error="record")
    assert (summary.correct, summary.incorrect, summary.system_errors) == (1, 1, 0)
    assert (summary.error_breakdown, summary.is_valid) == ({"KeyError": 1}, True)
    assert len(solver.tasks) == 2


async def nothing(task):
    """Yield no event."""
    return
    yield


async def only_a_step(task):
    """Yield no result."""
    yield Step(())


async def two_results(task):
    """Yield two results."""
    yield final_result()
    yield final_result()


async def a_step_after(task):
    """Yield a step after the result."""
    yield final_result()
    yield Step(())


async def a_text(task):
    """Yield an object that is not an event."""
    yield "answer"


async def a_wild_score(task):
    """Yield a score that is out of range."""
    yield FinalResult(Grade(float("nan")))


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (nothing, "without a final result"),
        (only_a_step, "without a final result"),
        (two_results, "after its final result"),
        (a_step_after, "after its final result"),
        (a_text, "neither a Step nor a FinalResult, but 'answer'"),
        (a_wild_score, r"not in \[0, 1\], nan"),
    ],
)
def test_a_bug_in_the_solver(script, message):
    """A solver that violates the protocol gets an error that says so."""
    with pytest.raises((ValueError, TypeError), match=f"scripted .*{message}.*this is a bug in the solver"):
        run(Scripted(script))


@pytest.mark.parametrize("script", [only_a_step, two_results, a_text])
def test_the_generator_is_closed(script):
    """The generator of an attempt is closed before the attempt is done, however the attempt ended."""
    solver = Scripted(script)
    closed = []
    options = solve_options(on_solver_error="record")
    asyncio.run(solve(solver, questions("a"), options, on_done=lambda attempt: closed.append(solver.closed)))
    assert closed == [1]


def test_closed_when_the_run_is_cancelled():
    """A cancelled run closes the generators of its attempts, and exits the solver."""

    async def script(task):
        await asyncio.sleep(1000)
        yield final_result()

    async def cancelled():
        solver = Scripted(script)
        started = asyncio.ensure_future(solve(solver, questions("a", "b"), SolveOptions()))
        while solver.running < 2:
            await asyncio.sleep(0.01)
        started.cancel()
        with pytest.raises(asyncio.CancelledError):
            await started
        return solver

    solver = asyncio.run(cancelled())
    assert (solver.closed, solver.left) == (2, 1)


def test_a_cancelled_attempt():
    """An attempt that is cancelled from within, by a library of the solver's, is retried as after any broken part."""

    def decide(question_id, attempt_id, retry_idx):
        if question_id == "b" and retry_idx < 2:
            raise asyncio.CancelledError
        return True

    solver = answers(decide)
    summary = run(solver, ("a", "b", "c"))
    assert (summary.correct, summary.system_errors) == (3, 0)
    assert [task for task in solver.tasks if task[0] == "b"] == [("b", 0, 0), ("b", 0, 1), ("b", 0, 2)]


def test_an_attempt_that_is_always_cancelled():
    """An attempt that is cancelled in every try is a system error, and the run continues."""

    def decide(question_id, attempt_id, retry_idx):
        if question_id == "b":
            raise asyncio.CancelledError
        return True

    solver = answers(decide)
    summary = run(solver, ("a", "b", "c"))
    assert (summary.correct, summary.system_errors, summary.missing_tasks) == (2, 1, ("b",))
    assert summary.error_breakdown == summary.error_messages == {"CancelledError": 1}
    assert len(solver.tasks) == 2 + 17


def test_duplicate_questions():
    """Two questions with the same id are an error that names the id."""
    with pytest.raises(ValueError, match="duplicate question_id 'a'"):
        run(answers(lambda *attempt: True), ("a", "b", "a"))


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"n_tries": 0}, ValueError),
        ({"n_tries": 1.5}, TypeError),
        ({"concurrency": 0}, ValueError),
        ({"on_solver_error": "ignore"}, ValueError),
        ({"order": "random"}, ValueError),
    ],
)
def test_invalid_options(options, error):
    """An invalid option is an error that names the option and the value."""
    [(name, value)] = options.items()
    with pytest.raises(error, match=f"{name} .*{value}"):
        SolveOptions(**options)


def test_no_questions():
    """A run without questions has an empty summary."""
    summary = asyncio.run(solve(answers(lambda *attempt: True), []))
    assert (summary.tasks, summary.as_record()) == (0, {})
