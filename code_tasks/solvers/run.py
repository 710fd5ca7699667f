"""A run of a solver: n attempts at every question, retries after infrastructure errors, and a run log.

questions, n_tries
  → the attempts that the run log does not have yet
  → a solver's steps and result      RetryableSystemError: retried after a wait; any other exception: a bug
  → the run log, on disk             the attempt is done once its lines are on disk
  → Summary
"""

from __future__ import annotations

import asyncio
import dataclasses
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from code_tasks.solvers.attempts import Attempt
from code_tasks.solvers.interface import FinalResult, MeasuredSolver, RetryableSystemError, Solver, Step, Task
from code_tasks.solvers.options import DEFAULT_OPTIONS, SolveOptions
from code_tasks.solvers.record.format import FORMAT, NoRecorder, Recorder, record_result
from code_tasks.solvers.record.pretty import StepRecorder, record_grader_log
from code_tasks.solvers.record.reader import RunState
from code_tasks.solvers.summary import Summary, summarize_attempts
from sandboxes.validation import short_repr

BUG = "this is a bug in the solver"

OnDone = Callable[[Attempt], None]
"""Called with each attempt that is done, once it is in the run log."""


@dataclasses.dataclass(frozen=True)
class Retry:
    """The wait of an attempt whose try was ended by broken infrastructure."""

    error: BaseException
    """What ended the try."""

    number: int
    """The number of the retry that follows, counted from 1."""

    retries: int
    """The number of retries that the attempt has."""

    seconds: float
    """The wait before the retry."""


OnRetry = Callable[[Retry], None]
"""Called with each wait of an attempt, as it begins."""


async def solve(
    solver: Solver,
    questions: Sequence[Task],
    options: SolveOptions = DEFAULT_OPTIONS,
    recorder: Recorder | None = None,
    settings: Mapping[str, Any] | None = None,
    state: RunState | None = None,
    on_done: OnDone | None = None,
    on_retry: OnRetry | None = None,
) -> Summary:
    """Run a solver n times on every question, and return the summary of all attempts.

    Args:
        solver: is entered here, and exited at the end.
        questions: one task each, with unique ids. Their attempt_id and retry_idx are ignored.
        options: number and order of attempts, concurrency and retries.
        recorder: writes the run log, and stays open. An attempt is done once its lines are on disk. None: no run log.
        settings: all other values that affect a result, for the run log.
        state: the attempts of an earlier run, which are not run again. None: there are none.
        on_done: called with each attempt that is done.
        on_retry: called when an attempt begins to wait, because a sandbox or a server is broken.

    Raises:
        ValueError: if two questions have the same id.
        Exception: the solver's own, unless `on_solver_error` is "record". A note names the attempt.
        RunLogError: if the run log can't be written.
    """
    recorder, state = recorder or NoRecorder(), state or RunState()
    question_ids = [question.question_id for question in questions]
    if len(set(question_ids)) < len(question_ids):
        repeated = next(name for index, name in enumerate(question_ids) if name in question_ids[:index])
        raise ValueError(f"duplicate question_id {short_repr(repeated)}")
    run = SolverRun(solver, questions, options, recorder, state, on_done, on_retry)
    by_question: dict[str, Any] = (
        {"tries_by_question": dict(options.tries_by_question)} if options.tries_by_question else {}
    )
    metrics: dict[str, Any] = {}
    if run.missing:
        recorder.record(
            "spec",
            format=FORMAT,
            solver=solver.shortname(),
            settings=dict(settings or {}),
            question_ids=question_ids,
            n_tries=options.n_tries,
            resumed=bool(state.spec),
            **by_question,
        )
        async with solver:
            await run.work()
            if isinstance(solver, MeasuredSolver):
                metrics = dict(solver.get_additional_metrics())
    summary = summarize_attempts(run.attempts.values(), question_ids, metrics)
    if run.missing:
        recorder.record("final_report", summary=summary.as_record())
        await recorder.flush()
    return summary


class SolverRun:
    """The attempts of one call of `solve`."""

    def __init__(
        self,
        solver: Solver,
        questions: Sequence[Task],
        options: SolveOptions,
        recorder: Recorder,
        state: RunState,
        on_done: OnDone | None,
        on_retry: OnRetry | None,
    ):
        """Find the missing attempts; nothing is started yet. The arguments are those of `solve`."""
        self.solver = solver
        self.options = options
        self.recorder = recorder
        self.on_done, self.on_retry = on_done, on_retry
        names = [question.question_id for question in questions]
        planned = [*options.attempts(names)]
        keys = [(names[index], number) for index, number in planned]
        self.attempts = {key: state.attempts[key] for key in keys if key in state.attempts}
        self.missing = len(keys) - len(self.attempts)
        self._remaining: Iterator[Task] = (
            dataclasses.replace(questions[index], attempt_id=number, retry_idx=state.retries.get(key, 0))
            for key, (index, number) in zip(keys, planned, strict=True)
            if key not in state.attempts
        )

    async def work(self) -> None:
        """Make every missing attempt, `concurrency` of them at once. The first exception stops all."""
        first: BaseException | None = None
        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(min(self.options.concurrency, self.missing)):
                    group.create_task(self._work())
        except BaseExceptionGroup as errors:
            first, *others = errors.exceptions
            if others:
                first.add_note(f"{len(others)} more attempts ended with exceptions at the same time")
        if first is not None:
            raise first

    async def _work(self) -> None:
        for task in self._remaining:
            await self._attempt(task)

    async def _attempt(self, task: Task) -> None:
        """Try until there is a result or no retry is left. A waiting attempt keeps its place, which limits the load."""
        backoff = self.options.backoff
        last_retry_idx = backoff.last_retry_idx(task.retry_idx)
        while not isinstance(attempt := await self._try(task, task.retry_idx >= last_retry_idx), Attempt):
            seconds = max(backoff.seconds(task.retry_idx), getattr(attempt, "min_seconds", 0.0))
            if self.on_retry:
                number = task.retry_idx + 1 - (last_retry_idx - backoff.retries)
                self.on_retry(Retry(attempt, number, backoff.retries, seconds))
            await asyncio.sleep(seconds)
            task = dataclasses.replace(task, retry_idx=task.retry_idx + 1)
        self.attempts[task.question_id, task.attempt_id] = attempt
        if self.on_done:
            self.on_done(attempt)

    async def _try(self, task: Task, is_last: bool) -> Attempt | BaseException:
        """Try once. Return the attempt, which is on disk by then; the error if it must be retried."""
        started = time.monotonic()
        try:
            result = await self._result(task)
        except asyncio.CancelledError as error:
            current_task = asyncio.current_task()
            if current_task is None or current_task.cancelling():
                # The run itself was cancelled: nothing is known about the attempt.
                raise
            # A library that the solver uses gave up: a bug of theirs, or a connection that was lost.
            return await self._record_error(task, error, is_system_error=True, is_final=is_last) or error
        except RetryableSystemError as error:
            return await self._record_error(task, error, is_system_error=True, is_final=is_last) or error
        except Exception as error:
            is_recorded = self.options.on_solver_error == "record"
            attempt = await self._record_error(task, error, is_system_error=False, is_final=is_recorded)
            if attempt is None:
                error.add_note(f"while {self.solver.shortname()} solved {task.name}")
                raise
            return attempt
        if self.options.log_at_end:
            record_grader_log(self.recorder, task, result)
        record_result(self.recorder, task, result, time.monotonic() - started)
        await self.recorder.flush()
        return Attempt.from_result(task.question_id, task.attempt_id, result)

    async def _result(self, task: Task) -> FinalResult:
        """Record the steps of a try, and return its result. Raise for a solver that violates the protocol."""
        result: FinalResult | None = None
        steps = StepRecorder(self.recorder, task, self.options.record_pretty)
        name = self.solver.shortname()
        async with aclosing(self.solver.run(task)) as events:
            async for event in events:
                if result is not None:
                    raise ValueError(f"{name} went on after its final result, with {short_repr(event)}: {BUG}")
                if isinstance(event, FinalResult):
                    result = event
                elif isinstance(event, Step):
                    steps.record(event)
                else:
                    raise TypeError(f"{name} yielded neither a Step nor a FinalResult, but {short_repr(event)}: {BUG}")
        if result is None:
            raise ValueError(f"{name} ended without a final result: {BUG}")
        if not 0 <= result.grade.score <= 1:
            raise ValueError(f"{name} gave a score that is not in [0, 1], {result.grade.score!r}: {BUG}")
        steps.record_rest(result)
        return result

    async def _record_error(
        self, task: Task, error: BaseException, is_system_error: bool, is_final: bool
    ) -> Attempt | None:
        """Record an exception. Return the attempt if the exception ended it, otherwise None."""
        error_class = type(error).__name__
        self.recorder.record(
            "error",
            task,
            error_class=error_class,
            message=str(error),
            traceback="".join(traceback.format_exception(error)),
            is_system_error=is_system_error,
            is_final=is_final,
        )
        await self.recorder.flush()
        if not is_final:
            return None
        return Attempt.from_error(task.question_id, task.attempt_id, error_class, str(error), is_system_error)
