"""The code_correctness metric: scores a judge model, which says whether a test succeeds on the code that it is for.

>>> import evaluate
>>> code_correctness = evaluate.load("code_correctness")  # the path of this file, or of a folder of its name with it
>>> answers = ["success", "Failed.", "Success", "I can't tell"]
>>> labels = ["success", "failed", "failed", "success"]
>>> scores = code_correctness.compute(predictions=answers, references=labels, languages=["Python", "Go", "Go", "Java"])
>>> scores["exact_match"], scores["exact_match_by_language"]
(0.5, {'Python': 1.0, 'Go': 0.5, 'Java': 0.0})
>>> scores["confusion_matrix"]["success"], scores["unreadable"]
({'success': 1, 'failed': 0, 'unreadable': 1}, 1)
"""

import re
from collections.abc import Iterable
from typing import Any

import datasets
import evaluate

from sandboxes.extraction import encodable  # From: code-eval-sandboxes
from sandboxes.tasks.added_samples import AddedSamples, either_name  # From: code-eval-sandboxes
from sandboxes.validation import short_repr  # From: code-eval-sandboxes

LABELS = ("success", "failed")
UNREADABLE = "unreadable"
MODES = ("strict", "mera")
ADVICE = "`code-eval correctness DATA --labels FILE` makes missing labels."

WORDS = {
    "success": "success succeed succeeds succeeded successful successfully passed успех успешно успешный успешен "
    "успешна пройден пройдено корректен корректный",
    "failed": "failed fail fails failure unsuccessful unsuccessfully провал провален провалено неудача неуспех "
    "неуспешно неуспешный неуспешен неуспешна ошибка некорректен некорректный",
}
"""Words that `mode="strict"` reads as a label, besides PHRASES."""

PHRASES = {"failed": ("not passed", "not successful", "не успешно", "не успешен", "не пройден", "не пройдено")}

_READ = {word: label for label, words in WORDS.items() for word in words.split()}
_READ |= {phrase: label for label, phrases in PHRASES.items() for phrase in phrases}
_NO_LETTERS = re.compile(r"[\W_]+")

SEPARATOR = "\x1f"
"""Stands between a record's label and its language in evaluate's column of references. No label has it."""

_CITATION = """\
@misc{fenogenova2024mera,
      title={MERA: A Comprehensive LLM Evaluation in Russian},
      author={Alena Fenogenova and others},
      year={2024},
      eprint={2401.04531},
      archivePrefix={arXiv},
      primaryClass={cs.CL}
}
"""

_DESCRIPTION = """\
Scores a judge model that was shown code and a test of it, and was asked whether the test succeeds. The score is the
exact match of its answers with the labels, as in MERA's task CodeCorrectness. Nothing is run.
"""

_KWARGS_DESCRIPTION = """
Args:
    predictions: list of str: the judge's answers, one for each record.
    references: list of str: the labels, "success" or "failed". With mode="mera" also None, or another text, for a
        record without a label: its answer is wrong, as in MERA.
    languages: list of str: the language of each record, for the score by language. Default none.
    mode: str: the way in which an answer is read. "strict" (default): an answer must be one word for success or
        failure, in English or Russian; case and punctuation are ignored. "mera": as MERA reads it, in lower case only:
        an answer that holds "success" or "failed" is that label, and one that holds both or neither is unreadable.
Returns:
    dict: "exact_match": float in [0, 1], the share of answers that are the label; "exact_match_by_language": dict of
        the same for each language, empty without `languages`; "confusion_matrix": {label: {answer: count}}, where an
        answer may be "unreadable"; "unreadable": int, the number of unreadable answers, which count as wrong;
        "unlabelled": int, the number of records without a label, which are not in the matrix and count as wrong.
Raises:
    ValueError, TypeError: for invalid arguments, such as an empty reference; the message names the record.
"""

_LICENSE = "Apache License 2.0"


@evaluate.utils.file_utils.add_start_docstrings(_DESCRIPTION, _KWARGS_DESCRIPTION)
class CodeCorrectness(AddedSamples, evaluate.Metric):
    """Scores answers by comparing them with labels."""

    def _info(self) -> evaluate.MetricInfo:
        # No column for languages, because `evaluate.combine` demands every column of every metric.
        columns = ("predictions", "references")
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=_CITATION,
            inputs_description=_KWARGS_DESCRIPTION,
            features=datasets.Features({name: datasets.Value("string") for name in columns}),
            homepage="https://mera.a-ai.ru",
            reference_urls=["https://arxiv.org/abs/2401.04531"],
            license=_LICENSE,
        )

    def compute(
        self,
        *,
        predictions: Any = None,
        references: Any = None,
        languages: Any = None,
        mode: Any = MODES[0],
        **others: Any,
    ) -> dict[str, Any] | None:
        """Compare the answers with the labels."""
        mode = checked_mode(mode, **others)
        if (predictions is None) != (references is None):
            raise ValueError("compute() needs both predictions and references, or neither after add_batch()")
        if predictions is None:
            if languages is not None:
                raise ValueError("languages belong to predictions and references: give them to add_batch()")
            if len(self) == 0:
                raise ValueError("there is nothing to score: give predictions and references")
        else:
            answers, labels, named = checked_records(predictions, references, languages)
            # Before they are added. Otherwise they would be in the next score, too.
            checked_labels(labels, mode)
            super().add_batch(predictions=answers, references=list(map(stored_label, labels, named)))
        try:
            return super().compute(mode=mode)  # type: ignore[no-any-return]
        finally:
            self._forget_files()

    def add_batch(
        self, *, predictions: Any = None, references: Any = None, languages: Any = None, **others: Any
    ) -> None:
        """Add answers, to be scored by `compute()`. Raises the errors of `checked_records`."""
        answers, labels, named = checked_records(predictions, references, languages)
        super().add_batch(predictions=answers, references=list(map(stored_label, labels, named)), **others)

    def add(self, *, prediction: Any = None, reference: Any = None, language: Any = None, **others: Any) -> None:
        """Add one answer, to be scored by `compute()`. The columns' names are other names of its parts."""
        prediction = either_name("prediction", prediction, others)
        reference = either_name("reference", reference, others)
        language = either_name("language", language, others)
        [answer], [label], [name] = checked_records([prediction], [reference], None if language is None else [language])
        others.pop("languages", None)
        super().add(**{**others, "predictions": answer, "references": stored_label(label, name)})

    def _compute(
        self, predictions: Any, references: Any, languages: Any = None, mode: str = MODES[0]
    ) -> dict[str, Any]:
        labels, stored = zip(*(reference.partition(SEPARATOR)[::2] for reference in references), strict=True)
        mode = checked_mode(mode)
        return scores(list(predictions), checked_labels(labels, mode), list(languages or stored), mode)


def stored_label(label: str, language: str) -> str:
    """Return a label and its language as one text, which `_compute` takes apart."""
    return f"{label}{SEPARATOR}{language}"


def checked_mode(mode: Any = MODES[0], **others: Any) -> str:
    """Return the mode. Raise ValueError or TypeError for an unknown mode or another option."""
    if others:
        raise TypeError(f"compute() has no option {sorted(others)[0]!r}; the options are languages, mode")
    if mode not in MODES:
        raise ValueError(f"mode must be one of {', '.join(MODES)}, not {short_repr(mode)}")
    return str(mode)


def checked_records(predictions: Any, references: Any, languages: Any = None) -> tuple[list[str], list[str], list[str]]:
    """Return (answers, labels, languages), all of the same length. A label that is None, or no language, is empty.

    Raises:
        ValueError, TypeError: if their lengths differ, or an item is not a str. A reference may be None.
    """
    columns = {"predictions": predictions, "references": references, "languages": languages}
    for name, column in columns.items():
        if name == "languages" and column is None:
            columns[name] = [""] * len(columns["predictions"])
            continue
        if isinstance(column, str) or not hasattr(column, "__iter__"):
            raise TypeError(f"{name} must be a list, not {short_repr(column)}")
        columns[name] = ["" if value is None and name == "references" else value for value in column]
        for number, value in enumerate(columns[name]):
            if not isinstance(value, str):
                raise TypeError(f"{name}[{number}] must be a string, not {short_repr(value)}")
        if len(columns[name]) != len(columns["predictions"]):
            count = len(columns["predictions"])
            raise ValueError(
                f"there are {count} predictions, but {len(columns[name])} {name}; there must be one for each record"
            )
    if not columns["predictions"]:
        raise ValueError("there is nothing to score: predictions and references are empty")
    # Arrow can't store a lone surrogate, and no word has one.
    answers, labels = ([encodable(text) for text in columns[name]] for name in ("predictions", "references"))
    return answers, labels, columns["languages"]


def checked_labels(references: Iterable[str], mode: str) -> list[str]:
    """Return the labels as `scores` takes them: one of LABELS, or "" for a record without a label.

    Raises:
        ValueError: if mode is "strict" and a reference is not a label; the message names the record.
    """
    if mode == "mera":
        return [label if label in LABELS else "" for label in references]
    labels = [label.strip() for label in references]
    for number, label in enumerate(labels):
        if not label:
            raise ValueError(f"references[{number}] is empty; it must be {' or '.join(LABELS)}. {ADVICE}")
        if label not in LABELS:
            raise ValueError(f"references[{number}] must be {' or '.join(LABELS)}, not {short_repr(label)}")
    return labels


def read_answer(answer: str, mode: str = "strict") -> str:
    """Return the label that a judge's answer gives: one of LABELS, or UNREADABLE.

    Args:
        answer: any text.
        mode: one of MODES.
    """
    if mode == "mera":
        found = [label for label in LABELS if label in answer]
        return found[0] if len(found) == 1 else UNREADABLE
    words = _NO_LETTERS.sub(" ", answer).strip().lower()
    return _READ.get(words, UNREADABLE)


def scores(answers: list[str], labels: list[str], languages: list[str], mode: str) -> dict[str, Any]:
    """Return the scores as `compute` describes them.

    Args:
        answers: as `checked_records` returns them.
        labels: as `checked_labels` returns them.
        languages: of each record; "" if it was not given.
        mode: one of MODES.
    """
    given_labels = [read_answer(answer, mode) for answer in answers]
    matrix = {label: dict.fromkeys((*LABELS, UNREADABLE), 0) for label in LABELS}
    by_language: dict[str, list[bool]] = {}
    for label, answer, language in zip(labels, given_labels, languages, strict=True):
        if label:
            matrix[label][answer] += 1
        if language:
            by_language.setdefault(language, []).append(answer == label)
    return {
        "exact_match": sum(matrix[label][label] for label in LABELS) / len(labels),
        "exact_match_by_language": {name: sum(right) / len(right) for name, right in by_language.items()},
        "confusion_matrix": matrix,
        "unreadable": given_labels.count(UNREADABLE),
        "unlabelled": labels.count(""),
    }
