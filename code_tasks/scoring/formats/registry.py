"""The formats of results, and the files that are written in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from code_tasks.scoring.formats.base import GradedRun, ResultsFormat
from code_tasks.scoring.formats.bigcodebench import BIGCODEBENCH
from code_tasks.scoring.formats.evalplus import EVALPLUS
from code_tasks.scoring.formats.human_eval import HUMAN_EVAL
from code_tasks.scoring.formats.livecodebench import LIVECODEBENCH
from code_tasks.scoring.formats.multipl_e import MULTIPL_E
from code_tasks.scoring.formats.tables import CSV, PARQUET
from code_tasks.scoring.trusted_files import write_whole

FORMATS: Mapping[str, ResultsFormat] = MappingProxyType(
    {each.name: each for each in (EVALPLUS, LIVECODEBENCH, MULTIPL_E, BIGCODEBENCH, HUMAN_EVAL, CSV, PARQUET)}
)


def checked_formats(names: Sequence[str]) -> list[ResultsFormat]:
    """Return formats by their names.

    Raises:
        ValueError: if there is no such format, or two would write the same file.
    """
    if unknown := [name for name in names if name not in FORMATS]:
        raise ValueError(f"unknown format {unknown[0]!r}; choose one of {', '.join(FORMATS)}")
    formats = [FORMATS[name] for name in dict.fromkeys(names)]
    by_ending: dict[str, str] = {}
    for each in formats:
        for ending in each.endings:
            if ending in by_ending:
                raise ValueError(f"the formats {by_ending[ending]} and {each.name} write the same file; give one")
            by_ending[ending] = each.name
    return formats


def results_name(output: Path) -> str:
    """Return the name of a results file, without a folder and an ending."""
    return output.name.removesuffix(".gz").removesuffix(".jsonl").removesuffix(".json")


def path_of(output: Path, ending: str) -> Path:
    """Return the path of a file or folder beside a results file."""
    return output.parent / (results_name(output) + ending.partition("/")[0])


def write_format(each: ResultsFormat, run: GradedRun, output: Path) -> list[Path]:
    """Write the files of a format beside a results file. Return the path of each file, or of the folder with them.

    Raises:
        OSError: if a file can't be written.
        ValueError: if the results don't fit the format.
    """
    written: dict[Path, None] = {}
    for ending, parts in each.files(run):
        path = path_of(output, ending)
        written[path] = None
        if "/" in ending:
            path.mkdir(exist_ok=True)
            path /= ending.partition("/")[2]
        write_whole(path, parts)
    return list(written)
