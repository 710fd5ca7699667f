"""The card of a dataset of results: README.md, with metadata for the Hub and a summary for people.

A card holds counts and numbers of ours, and texts that users gave: the model, the benchmark, the layers of a results
file. Nothing that a candidate wrote is in it. Each text is escaped, so that no text is Markdown, HTML or YAML.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from code_tasks.scoring.estimates import PassAtK, pass_at_k_from_counts
from code_tasks.scoring.summary import Tally
from sandboxes import Outcome
from sandboxes.extraction import encodable
from sandboxes.outcome_labels import LABELS, NOT_RUN

TAG = "code-eval-results"
"""The tag of all datasets that this project writes. No other dataset is overwritten."""

DATA_FILE, SPLIT = "results.parquet", "results"
PACKAGE = "code-eval-sandboxes"
MAX_TEXT_CHARS = 200
PLAIN = re.compile(r"[^\w ./:+,()%±-]|_|(?<!\d)\.|:(?=/)|\bwww\b", re.ASCII)
"""Characters that are written as references: those with a meaning in Markdown and HTML, and those that make links."""

WARNING = """\
Each row is a candidate with its verdict. Candidates are programs that a model wrote and nobody has read: run them in a
sandbox alone. {forgeable}A sample that could not be run counts neither as passed nor as failed."""
SHARED = """\
{shared} of the samples have the grading `shared`: a candidate that wants to can forge its own pass there. """


@dataclass(frozen=True)
class CardFacts:
    """The results of a run as a card tells them."""

    tally: Tally
    gradings: Mapping[str, int]
    """Number of samples by their grading."""

    layers: Sequence[str]
    """Layers of isolation that held every candidate."""

    estimates: Sequence[PassAtK]

    @classmethod
    def of(cls, records: Iterable[Mapping[str, Any]], ks: Sequence[int]) -> CardFacts:
        """Read records once, and return what a card tells of them.

        Args:
            records: as `code_tasks.scoring.Results` has them.
            ks: each >= 1. A k for which a task has too few samples is left out.
        """
        tally, gradings = Tally(), Counter[str]()
        layers: dict[str, None] | None = None
        for record in records:
            tally.add(record["task_id"], record)
            if record["passed"] is not None:
                gradings[record["grading"]] += 1
                own = record["isolation"]
                layers = dict.fromkeys(own if layers is None else (each for each in layers if each in own))
        counts = {name: (task.samples, task.passed) for name, task in tally.tasks.items()}
        return cls(tally, gradings, tuple(layers or ()), pass_at_k_from_counts(counts, ks)[0])

    def scores(self) -> dict[str, float]:
        """Return {"pass@k": share of tasks in [0, 1]}."""
        return {f"pass@{each.k}": round(each.mean, 6) for each in self.estimates}


def card(facts: CardFacts, texts: Mapping[str, str], limits: Mapping[str, Any]) -> str:
    """Return the text of README.md.

    Args:
        facts: counts of the results.
        texts: rows of the first table, by their names, such as "model" and "benchmark".
        limits: of a candidate, by their names in `Limits`. {}: unknown.
    """
    from huggingface_hub import DatasetCardData

    metadata = DatasetCardData(
        pretty_name=f"Results of {plain_text(texts.get('model') or texts.get('benchmark') or 'a run')}",
        tags=[TAG, "code", "evaluation"],
        configs=[{"config_name": "default", "data_files": [{"split": SPLIT, "path": DATA_FILE}]}],
        code_eval={**{name: plain_text(text) for name, text in texts.items()}, "metrics": facts.scores()},
    )
    shared = facts.gradings.get("shared", 0)
    parts = [
        f"---\n{metadata.to_yaml()}\n---\n",
        "# Results of code-eval\n",
        table(("", ""), rows_of(facts, texts, limits)),
        table(("outcome", "samples"), outcome_rows(facts.tally)),
        WARNING.format(forgeable=SHARED.format(shared=shared) if shared else "") + "\n",
    ]
    return "\n".join(parts)


def rows_of(facts: CardFacts, texts: Mapping[str, str], limits: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the rows of the first table."""
    yield from ((escaped(name), escaped(text)) for name, text in texts.items())
    for each in facts.estimates:
        error = "" if math.isnan(each.standard_error) else f" ± {100 * each.standard_error:.1f}"
        yield f"pass@{each.k}", f"{100 * each.mean:.1f}{error} %"
    yield "samples", f"{facts.tally.samples} of {len(facts.tally.tasks)} tasks"
    yield "grading", escaped(", ".join(f"{name} ({count})" for name, count in facts.gradings.items()) or "none")
    yield "isolation", escaped(", ".join(facts.layers) or "no layer held every candidate")
    if limits:
        given = {name: value for name, value in limits.items() if value is not None}
        yield "limits", escaped(", ".join(f"{name} {value}" for name, value in given.items()))
    yield "software", escaped(f"{PACKAGE} {own_version()}")


def outcome_rows(tally: Tally) -> Iterator[tuple[str, str]]:
    """Yield the number of samples for each outcome that there is."""
    for outcome in Outcome:
        if count := tally.outcomes[outcome.value]:
            yield escaped(outcome.label), str(count)
    if count := tally.outcomes[None]:
        yield LABELS[NOT_RUN], str(count)


def table(head: tuple[str, str], rows: Iterable[tuple[str, str]]) -> str:
    """Return a Markdown table of two columns."""
    lines = [head, ("---", "---"), *rows]
    return "".join(f"| {first} | {second} |\n" for first, second in lines)


def plain_text(text: Any) -> str:
    """Return a text in one line of printable characters, without the mark that ends metadata, and not too long."""
    line = "".join(each if each.isprintable() else " " for each in encodable(str(text)))
    line = re.sub("-{3,}", "--", line)
    return line if len(line) <= MAX_TEXT_CHARS else f"{line[: MAX_TEXT_CHARS - 3]}..."


def escaped(text: Any) -> str:
    """Return a text for a table, in which no character has a meaning in Markdown or HTML."""
    return PLAIN.sub(lambda match: "".join(f"&#{ord(each)};" for each in match[0]), plain_text(text))


def own_version() -> str:
    """Return the version of this package."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return "not installed"
