"""An environment for TRL's `environment_factory`: a model runs code in a session, and hands in answers to be graded.

The trainer takes every public method but `reset` and `get_reward` for a tool, so a class here has no others. Tests are
never sent to the session: a tested answer runs in another sandbox, and the model learns outcomes alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType
from typing import Any, Self

from code_tasks.adapters.trl.answers import Answer
from code_tasks.adapters.trl.grading import (
    NO_CODE,
    NO_TESTS,
    TRUNCATED,
    Grade,
    Grader,
    RewardRules,
    no_tests_column,
    reference_of,
)
from code_tasks.adapters.trl.weights import Weights, weights_of
from sandboxes import CellResult, InvalidTests, SandboxUnavailable, Session, SessionEnded, SessionLimits, Verdict
from sandboxes.consent import require_consent
from sandboxes.extraction import encodable
from sandboxes.outcome_labels import LABELS
from sandboxes.validation import positive_int, short_repr

CALL_SECONDS = 10.0
"""Wall seconds of a `run_code`, unless the user gives limits."""

OUTPUT_BYTES = 1 << 20
"""Size of the output of a `run_code` that is kept before it is shortened, unless the user gives limits."""

MAX_SHOWN_TESTS = 50
"""Number of tests whose outcomes the model is told."""


@dataclass
class Rollout:
    """The state of one rollout."""

    session: Session
    """The session of `run_code`. Nothing is started before its first call."""

    reference: Any
    weights: Weights | None
    grade: Grade | None = None
    """The grade of the last code that was tested."""

    test_runs: int = 0
    is_broken: bool = False
    """True if the sandbox could not run something."""


class CodeEnvironment:
    """One task, with a Python session to try things in and hidden tests that decide about the reward.

    The reward is that of the last code that was given to `run_tests`. The session opens at the first `run_code`. It
    ends with the rollout, at the next `reset`, and when the environment is no longer used. An environment can be
    pickled; its pickle has the options alone. It is a context manager for callers who want its end at once.
    """

    def __init__(
        self,
        *,
        extract: str | Callable[[str, str], str] = "none",
        tests_column: str = "tests",
        weights_column: str = "weights",
        no_code: float | None = 0.0,
        syntax_error: float | None = 0.0,
        max_test_runs: int = 10,
        max_output_chars: int = 4000,
        session_limits: SessionLimits | None = None,
        **options: Any,
    ):
        """Set up an environment; nothing is started yet.

        Args:
            extract: takes the code out of what is given to `run_tests`, as in `compute`.
            tests_column: the dataset's column with the tests.
            weights_column: the column with the tests' weights, for `partial_credit`.
            no_code: the reward of a rollout without tested code. None: it is left out.
            syntax_error: the reward of code that is not valid in its language. None: it is left out.
            max_test_runs: number of calls of `run_tests`, because each tells a bit about the tests.
            max_output_chars: length of the output that the model sees of a `run_code`.
            session_limits: of the session. None: the memory and the processes of a candidate, and 10 s for a call.
            options: as `make_code_reward` takes them.

        Raises:
            ValueError, TypeError: for an invalid option, or a sandbox that can't hold a session.
        """
        rules = RewardRules.checked(no_code, syntax_error)
        self._grader = Grader.from_options({"num_workers": 1, **options, "extract": extract}, rules)
        self._columns = tests_column, weights_column
        self._max_test_runs = positive_int("max_test_runs", max_test_runs)
        self._max_output_chars = positive_int("max_output_chars", max_output_chars)
        own = SessionLimits.from_limits(self._grader.config.limits)
        self._session_limits = session_limits or replace(own, call_seconds=CALL_SECONDS, output_bytes=OUTPUT_BYTES)
        self._rollout = self._new_rollout(None, None)

    def reset(self, /, **row: Any) -> str | None:
        """Begin a rollout.

        Args:
            row: the row of the dataset.

        Returns:
            The text to add to the prompt: none. A subclass may return one.

        Raises:
            ValueError, TypeError: if running programs was not allowed, or the row's tests or weights are invalid.
        """
        require_consent()
        self._rollout.session.close()
        # An invalid row leaves no grade of the rollout before.
        self._rollout = self._new_rollout(None, None)
        tests, weights = self._columns
        if tests not in row:
            raise no_tests_column(tests, row)
        reference = reference_of(tests, row[tests])
        self._grader.check(tests, reference)
        is_weighted = self._grader.config.tasks.partial_credit and reference is not None
        self._rollout = self._new_rollout(reference, weights_of(row.get(weights), reference) if is_weighted else None)
        return None

    def get_reward(self) -> float | None:
        """Return the reward of the rollout, and end its session.

        Returns:
            The reward of the last code that was tested. None if there are no tests, or if the sandbox broke.
        """
        self._end_session()
        rollout = self._rollout
        if rollout.is_broken or rollout.reference is None:
            return None
        return rollout.grade.reward if rollout.grade else self._grader.rules.no_code

    def run_code(self, code: str) -> str:
        """Run Python code in a session that keeps its variables and files, and return what it prints.

        Args:
            code: The Python code. The value of its last line is shown too.

        Returns:
            The output, the value of the last line, and the traceback if there was an error.
        """
        require_text(code)
        try:
            result = self._rollout.session.run_cell(code)
        except SessionEnded:
            self._end_session()
            return "The session has ended, with its variables and files. The next call begins a new one."
        except SandboxUnavailable as error:
            self._end_session()
            self._rollout.is_broken = True
            return say_broken(error)
        # A lone surrogate would end the training, because no tokenizer takes it.
        return shortened(encodable(text_of(result)), self._max_output_chars)

    def run_tests(self, code: str) -> str:
        """Test a complete solution with hidden tests. The last solution that was tested is the answer to the task.

        Args:
            code: The complete source code of the solution. It does not see the session of run_code.

        Returns:
            The outcome of each test.
        """
        require_text(code)
        rollout = self._rollout
        if rollout.test_runs == self._max_test_runs:
            return f"Nothing was tested: there were {self._max_test_runs} test runs, and no more are allowed."
        rollout.test_runs += 1
        was_broken, rollout.is_broken = rollout.is_broken, True
        # The trainer takes an exception for the tool's answer. Whatever goes wrong here, the reward stays None.
        try:
            [rollout.grade] = self._grader.grade([Answer(encodable(code))], [rollout.reference], [rollout.weights])
        except SandboxUnavailable as error:
            return say_broken(error)
        if isinstance(rollout.grade.result, InvalidTests):
            warnings.warn(f"a rollout has invalid tests, and no reward: {rollout.grade.result}", stacklevel=2)
            return "This task's tests are invalid. This is not your code's fault."
        if isinstance(rollout.grade.result, SandboxUnavailable):
            return say_broken(rollout.grade.result)
        rollout.is_broken = was_broken
        return describe(rollout.grade)

    def __enter__(self) -> Self:
        """Return the environment."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the session."""
        self._end_session()

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds: the options."""
        return {name: value for name, value in vars(self).items() if name != "_rollout"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Become an environment that waits for its first `reset`."""
        vars(self).update(state)
        self._rollout = self._new_rollout(None, None)

    def _new_rollout(self, reference: Any, weights: Weights | None) -> Rollout:
        return Rollout(Session(self._grader.config, self._session_limits), reference, weights)

    def _end_session(self) -> None:
        """End the session. A later call begins a new one."""
        self._rollout.session.close()
        self._rollout.session = Session(self._grader.config, self._session_limits)


def say_broken(error: SandboxUnavailable) -> str:
    """Warn the user that a rollout has no reward, and return what its model is told."""
    warnings.warn(f"the sandbox broke in a rollout, which has no reward: {error}", stacklevel=3)
    return "The sandbox is not available. This is not your code's fault."


def require_text(code: Any) -> None:
    """Raise TypeError, which the trainer shows to the model, unless code is text."""
    if not isinstance(code, str):
        raise TypeError(f"code must be text, not {short_repr(code)}")


def text_of(result: CellResult) -> str:
    """Return what a model sees of a cell."""
    traceback = result.error.traceback or f"{result.error.name}: {result.error.message}" if result.error else ""
    lost = "The variables of earlier calls are gone." if result.state_lost else ""
    parts = (result.stdout, result.stderr, result.value, traceback, result.detail, lost)
    return "\n".join(part.rstrip("\n") for part in parts if part) or "There was no output."


def shortened(text: str, length: int) -> str:
    """Return a text of at most about this length, without its middle if it is longer."""
    if len(text) <= length:
        return text
    head = length // 2
    return f"{text[:head]}\n[{len(text) - length} characters are left out]\n{text[len(text) - length + head :]}"


def describe(grade: Grade) -> str:
    """Return what a model sees of a grade: outcomes by number.

    Names and messages of tests, and what the candidate wrote, may hold the tests' inputs and expected values.
    """
    texts = {NO_TESTS: "This task has no tests.", NO_CODE: "There is no code to test."}
    texts[TRUNCATED] = "Nothing was tested: the code is too long."
    if not isinstance(grade.result, Verdict):
        return texts[grade.end]
    if grade.result.passed:
        return "All tests passed."
    tests = grade.result.tests
    lines = [f"test {number}: {test.outcome.label}" for number, test in enumerate(tests[:MAX_SHOWN_TESTS], 1)]
    more = [f"and {len(tests) - MAX_SHOWN_TESTS} more tests"] if len(tests) > MAX_SHOWN_TESTS else []
    return "\n".join([f"The solution did not pass: {LABELS[grade.end]}.", *lines, *more])
