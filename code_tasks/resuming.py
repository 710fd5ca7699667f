"""What a record says was done, so that a run goes on where another one ended, and that its result can be summed up."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from code_tasks.recording import FORMAT, RecordError, read_record
from code_tasks.solver_summary import Attempt, EndedBy, Summary, summarised
from sandboxes import shortened

Key = tuple[str, int]
"""(question_id, attempt_id)."""


@dataclass(frozen=True)
class Past:
    """What was done before."""

    spec: Mapping[str, Any] = field(default_factory=dict)
    """The first line of the record; empty if it has none."""

    attempts: Mapping[Key, Attempt] = field(default_factory=dict)
    """Those that are done."""

    retries: Mapping[Key, int] = field(default_factory=dict)
    """The retry_idx of the next try of each other attempt that broken infrastructure ended."""

    @property
    def question_ids(self) -> Sequence[str]:
        """All that were to be tried."""
        return tuple(self.spec.get("question_ids", ()))

    def summary(self) -> Summary:
        """What the attempts that are done say."""
        return summarised(self.attempts.values(), self.question_ids)

    def without_system_errors(self) -> Past:
        """The same, with attempts that infrastructure ended for good to be run again."""
        again = {key for key, attempt in self.attempts.items() if attempt.is_system_error}
        return Past(self.spec, {key: each for key, each in self.attempts.items() if key not in again}, self.retries)

    def check_settings(self, path: Path, settings: Mapping[str, Any]) -> None:
        """Raises RecordError if the record was made with other settings than these."""
        if not self.spec:
            return
        if self.spec.get("format") != FORMAT:
            raise RecordError(
                f"{path} has format {shortened(self.spec.get('format'))}, and only {FORMAT} can be resumed"
            )
        before = self.spec.get("settings", {})
        # As they come back: a tuple is a list.
        settings = json.loads(json.dumps(settings))
        names = [name for name in {**settings, **before} if settings.get(name) != before.get(name)]
        if names:
            differences = "; ".join(
                f"{name} was {shortened(before.get(name))} and is {shortened(settings.get(name))}" for name in names
            )
            raise RecordError(f"{path} is the record of a run with other settings: {differences}")


def read_past(path: Path) -> Past:
    """What a record says was done.

    Raises:
        RecordError: if it is damaged, or can't be read.
    """
    spec: Mapping[str, Any] = {}
    attempts: dict[Key, Attempt] = {}
    retries: dict[Key, int] = {}
    for number, line in enumerate(read_record(path), start=1):
        try:
            if line["record_type"] == "spec":
                spec = spec or line
            elif line["record_type"] == "match":
                attempts[key_of(line)] = attempt_of_match(line)
            elif line["record_type"] == "error":
                if line["is_system_error"]:
                    retries[key_of(line)] = line["retry_idx"] + 1
                if line["is_final"]:
                    attempts[key_of(line)] = attempt_of_error(line)
        except (KeyError, TypeError) as error:
            raise RecordError(f"{path}:{number}: a {line['record_type']} line without a right {error}") from error
    if attempts and not spec:
        raise RecordError(f"{path}: not a whole record: it has no spec")
    return Past(spec, attempts, retries)


def key_of(line: Mapping[str, Any]) -> Key:
    """The attempt that a line is about."""
    return line["group_id"], line["attempt_id"]


def attempt_of_match(line: Mapping[str, Any]) -> Attempt:
    """What became of an attempt, by its match."""
    ended_by = EndedBy.of(line["max_time_reached"], line["max_steps_reached"], line["max_tokens_reached"])
    return Attempt(
        *key_of(line), line["score"] == 1, ended_by=ended_by, conversation_length=line["conversation_length"]
    )


def attempt_of_error(line: Mapping[str, Any]) -> Attempt:
    """What became of an attempt, by its final error."""
    return Attempt(*key_of(line), error_class=line["error_class"], is_system_error=line["is_system_error"])
