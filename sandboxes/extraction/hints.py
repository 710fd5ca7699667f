"""Hints on answers that failed for what stands around their code, and on names that all answers to a task lack."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sandboxes.contract import Outcome
from sandboxes.extraction.fences import MARK
from sandboxes.extraction.model_formats import INVISIBLE, SPACES, final_answer

MISSING_NAME = re.compile(r"(?:NameError: name '\w+' is not defined|(?:ModuleNotFound|Import)Error: [^;,]+)")
OUTCOMES = frozenset(outcome.value for outcome in Outcome)
# One wrong answer alone forgets an import. That all answers to a task do, or all to several tasks, is no chance.
SAMPLES_OF_A_TASK, TASKS_OF_ONE_SAMPLE = 2, 3


def chat_marks(answer: str) -> bool:
    """Return whether a text that should be code has marks of a chat: fences, special tokens or reasoning."""
    return MARK.search(answer) is not None or final_answer(answer).strip() != answer.strip().removeprefix("\ufeff")


def odd_character(answer: str) -> str:
    """Return the name of a space or an invisible character that Python does not take; "" if a text has none."""
    odd = INVISIBLE.search(answer) or SPACES.search(answer)
    return unicodedata.name(odd[0], "a control character").lower() if odd else ""


@dataclass
class AnswerHints:
    """Counts of what the results of a run say about its answers."""

    compile_errors: int = 0
    chat_answers: int = 0
    """Compile errors whose answers have marks of a chat."""

    odd_characters: Counter[str] = field(default_factory=Counter)
    """Compile errors by an odd character in their answers."""

    missing: dict[str, tuple[str, int]] = field(default_factory=dict)
    """For each task with the same error of a missing name in all of its results: (the error, their number)."""

    @classmethod
    def of(cls, samples: Iterable[tuple[Any, Any, Mapping[str, Any]]]) -> AnswerHints:
        """Return the counts of samples.

        Args:
            samples: the arguments of `add` for each.
        """
        hints = cls()
        for task_id, answer, result in samples:
            hints.add(task_id, answer, result)
        return hints

    def add(self, task_id: Any, answer: str, result: Mapping[str, Any]) -> None:
        """Count a sample.

        Args:
            task_id: of its task.
            answer: the sample's text.
            result: as `result_dict` gives it.
        """
        if result.get("outcome") not in OUTCOMES:
            return
        if result["outcome"] == Outcome.COMPILE_ERROR.value and not result.get("reading"):
            self.compile_errors += 1
            if chat_marks(answer):
                self.chat_answers += 1
            elif name := odd_character(answer):
                self.odd_characters[name] += 1
        found = MISSING_NAME.match(result["detail"])
        error = found[0].strip() if found else ""
        before, count = self.missing.get(task_id, (error, 0))
        self.missing[task_id] = (error if error == before else "", count + 1)

    def sentences(self, option: str) -> list[str]:
        """Return all hints.

        Args:
            option: what takes code out of answers, as the reader writes it: "--extract auto". "": that was done.
        """
        return [*self.about_answers(option), *self.about_names()]

    def about_answers(self, option: str) -> Iterator[str]:
        """Yield sentences on answers that are not code alone.

        Args:
            option: as for `sentences`.
        """
        way_out = f"; try {option}" if option else ""
        errors = f"{self.compile_errors} compile error{'' if self.compile_errors == 1 else 's'}"
        if self.chat_answers:
            verb = "looks like a chat answer" if self.chat_answers == 1 else "look like chat answers"
            yield f"{self.chat_answers} of {errors} {verb}{way_out}"
        for name, count in self.odd_characters.most_common(1):
            yield f"{count} of {errors} {'has' if count == 1 else 'have'} a {name} in the code{way_out}"

    def about_names(self) -> Iterator[str]:
        """Yield sentences on names that all answers to a task lack."""
        tasks: Counter[str] = Counter()
        samples: Counter[str] = Counter()
        for error, count in self.missing.values():
            tasks[error] += 1
            samples[error] += count
        del tasks[""]
        for error, count in tasks.most_common(2):
            if samples[error] >= SAMPLES_OF_A_TASK * count or count >= TASKS_OF_ONE_SAMPLE:
                yield f"all samples of {count} task{'' if count == 1 else 's'} fail with {error}"


def warn_of_answers(answers: Iterable[Any], results: Iterable[Mapping[str, Any]], stacklevel: int) -> None:
    """Warn of answers that did not run because they are not code alone, and of names that all answers to a task lack.

    Args:
        answers: the texts of samples.
        results: their results, as `result_dict` gives them.
        stacklevel: of the warning, for a call by the caller.
    """
    hints = AnswerHints.of((result["task_id"], answer, result) for answer, result in zip(answers, results, strict=True))
    for hint in hints.sentences('extract="auto"'):
        warnings.warn(hint, stacklevel=stacklevel)
