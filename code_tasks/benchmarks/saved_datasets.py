"""Folders with Arrow files that `save_to_disk` of a `datasets.Dataset` or `datasets.DatasetDict` wrote."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from code_tasks.benchmarks.readers import InputError, cant_read, rows_with_locations

OF_DATASET, OF_SPLITS = ("state.json", "dataset_info.json"), "dataset_dict.json"
"""The files that show such a folder: of one dataset, and of a folder for each split."""


def is_saved(path: Path) -> bool:
    """Return whether a path is such a folder."""
    return (path / OF_SPLITS).is_file() or all((path / name).is_file() for name in OF_DATASET)


def saved_rows(path: Path, split: str | None = None, default: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (location, row) of a dataset that was saved. Rows are not in memory together.

    Args:
        path: of the folder.
        split: of a dataset with splits. None: the only one, or the default.
        default: the split that is taken of several. "": none.

    Raises:
        InputError: if the folder can't be read, or lacks the split.
    """
    import datasets

    try:
        saved = datasets.load_from_disk(str(path))
        if isinstance(saved, datasets.DatasetDict):
            saved = saved[chosen_split(path, [*map(str, saved)], split, default)]
        yield from rows_with_locations(f"{path}, row", saved)
    # The errors of pyarrow, and of damaged JSON.
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise error if isinstance(error, InputError) else cant_read(path, error) from error


def chosen_split(path: Path, splits: list[str], split: str | None, default: str) -> str:
    """Return the split that is read. Raises InputError if it is missing, or may be any of several."""
    chosen = split or (splits[0] if len(splits) == 1 else default)
    if chosen not in splits:
        wrong = f"no split {chosen!r}, but" if chosen else "several splits:"
        raise InputError(f"{path} has {wrong} {', '.join(splits)}; give one of them, or the path of its folder")
    return chosen
