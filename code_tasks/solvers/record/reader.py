"""The state of a run, read from its run log, so that the run can be resumed and its results summed up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from code_tasks.benchmarks.readers import InputError
from code_tasks.scoring.results_format import changed_settings, count, flag, number, text
from code_tasks.solvers.attempts import Attempt, EndedBy
from code_tasks.solvers.record.format import FORMAT, RunLogError, read_run_log
from code_tasks.solvers.summary import Summary, summarize_attempts
from sandboxes.validation import short_json

Key = tuple[str, int]
"""(question_id, attempt_id)."""


@dataclass(frozen=True)
class RunState:
    """The attempts that a run has made so far."""

    spec: Mapping[str, Any] = field(default_factory=dict)
    """The first line of the run log; empty if it has none."""

    attempts: Mapping[Key, Attempt] = field(default_factory=dict)
    """The attempts that are done."""

    retries: Mapping[Key, int] = field(default_factory=dict)
    """The next retry_idx of each attempt that broken infrastructure ended."""

    @property
    def question_ids(self) -> Sequence[str]:
        """The questions of the run."""
        return tuple(self.spec.get("question_ids", ()))

    def summary(self) -> Summary:
        """Return the summary of the attempts that are done."""
        return summarize_attempts(self.attempts.values(), self.question_ids)

    def without_system_errors(self) -> RunState:
        """Return a state in which attempts that infrastructure ended for good are not done, and so are run again."""
        attempts = {key: attempt for key, attempt in self.attempts.items() if not attempt.is_system_error}
        return RunState(self.spec, attempts, self.retries)

    def check_settings(self, path: Path, settings: Mapping[str, Any]) -> None:
        """Raise RunLogError if the run log was made with other settings than these."""
        if not self.spec:
            return
        if self.spec.get("format") != FORMAT:
            raise RunLogError(
                f"{path} has format {short_json(self.spec.get('format'))}, and only {FORMAT} can be resumed"
            )
        if changes := changed_settings(self.spec.get("settings", {}), settings):
            raise RunLogError(f"{path} is the run log of a run with other settings: {'; '.join(changes)}")


def read_run_state(path: Path) -> RunState:
    """Return the state that a run log describes.

    Raises:
        RunLogError: if the run log is damaged, or can't be read.
    """
    spec: Mapping[str, Any] = {}
    attempts: dict[Key, Attempt] = {}
    retries: dict[Key, int] = {}
    for line_number, line in enumerate(read_run_log(path), start=1):
        location, record_type = f"{path}:{line_number}", line["record_type"]
        try:
            if record_type == "spec":
                spec = spec or checked_spec(location, line)
            elif record_type == "match":
                attempts[attempt_key(location, line)] = attempt_from_match(location, line)
            elif record_type == "error":
                if flag(location, line, "is_system_error"):
                    retries[attempt_key(location, line)] = count(location, line, "retry_idx") + 1
                if flag(location, line, "is_final"):
                    attempts[attempt_key(location, line)] = attempt_from_error(location, line)
        except InputError as error:
            raise RunLogError(f"{error}; the run log is damaged: remove the line, or start over") from error
    if attempts and not spec:
        raise RunLogError(f"{path}: incomplete run log: it has no spec")
    return RunState(spec, attempts, retries)


def checked_spec(location: str, line: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a spec. Raise InputError if one of its fields is invalid."""
    text(location, line, "solver")
    count(location, line, "n_tries")
    ids = line.get("question_ids")
    if not isinstance(ids, list) or not all(isinstance(name, str) for name in ids):
        raise InputError(f"{location}: question_ids is not a list of strings, but {short_json(ids)}")
    if not isinstance(line.get("settings"), dict):
        raise InputError(f"{location}: settings is not an object, but {short_json(line.get('settings'))}")
    by_question = line.get("tries_by_question", {})
    if not isinstance(by_question, dict):
        raise InputError(f"{location}: tries_by_question is not an object, but {short_json(by_question)}")
    for name in by_question:
        count(location, by_question, name)
    return line


def attempt_key(location: str, line: Mapping[str, Any]) -> Key:
    """Return the key of a line's attempt."""
    return text(location, line, "group_id"), count(location, line, "attempt_id")


def attempt_from_match(location: str, line: Mapping[str, Any]) -> Attempt:
    """Return the attempt that a match ends."""
    limits = [flag(location, line, f"max_{name}_reached") for name in ("time", "steps", "tokens")]
    ended_by, *others = EndedBy.reached(*limits)
    return Attempt(
        *attempt_key(location, line),
        number(location, line, "score") == 1,
        ended_by=ended_by,
        conversation_length=count(location, line, "conversation_length"),
        also_reached=tuple(others),
    )


def attempt_from_error(location: str, line: Mapping[str, Any]) -> Attempt:
    """Return the attempt that a final error ends."""
    error_class, is_system_error = text(location, line, "error_class"), flag(location, line, "is_system_error")
    key, message = attempt_key(location, line), text(location, line, "message")
    return Attempt.from_error(*key, error_class, message, is_system_error)
