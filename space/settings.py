"""The limits of what a visitor may ask for. The Space's owner sets them by environment variables."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path

from sandboxes.pool.cpus import usable_cpus
from sandboxes.validation import positive_int, positive_number

PREFIX = "CODE_EVAL_"
DATASETS = ("openai/openai_humaneval", "evalplus/humanevalplus")


@dataclass(frozen=True)
class Settings:
    """Limits of one run, and of all runs together.

    The variable of a limit has the limit's name in capitals, after the prefix: CODE_EVAL_MAX_CANDIDATES.
    """

    max_candidates: int = 200
    """Candidates of one `/evaluate`, over all its tasks."""

    max_samples: int = 20_000
    """Samples of one file."""

    max_file_mb: int = 50
    """MiB of one uploaded file, of its content once it is unpacked, and of the programs that it makes."""

    max_request_mb: int = 4
    """MiB of any other request. Requests that wait are in memory."""

    max_disk_mb: int = 2048
    """MiB of all visitors' files and results together. The oldest files go first, and each after an hour."""

    max_timeout: float = 10.0
    """Seconds on the clock of one candidate."""

    max_compile_seconds: float = 30.0
    """Seconds on the clock of each compiler."""

    max_memory_mb: int = 1024
    """MiB of memory of one candidate."""

    max_output_bytes: int = 1 << 20
    """Bytes that one candidate may write."""

    max_run_seconds: float = 600.0
    """Seconds of one run. Programs that have not finished by then have no verdict."""

    max_concurrent_runs: int = field(default_factory=usable_cpus)
    """Runs at once, over all visitors."""

    max_queue: int = 100
    """Runs that may wait."""

    datasets: Mapping[str, str] = field(default_factory=lambda: name_datasets(DATASETS))
    """Datasets that a file can be scored with, by the names that visitors see.

    CODE_EVAL_DATASETS lists them with commas between: names on the Hub, or folders of this machine.
    """

    benchmarks: tuple[str, ...] = ()
    """BigCodeBench's datasets for `/predict`: bigcodebench=FILE, bigcodebench-hard=FILE, or a name for the Hub's.

    CODE_EVAL_BENCHMARKS lists them with commas between. None: `/predict` answers that there are none.
    """

    docker_image: str = "python:3.11-slim"
    """Image of the docker sandbox. It must be there already, because it is never pulled."""

    is_public: bool = False
    """True for a Space on the Hub, where SPACE_ID is set. Only the most isolated sandboxes then run."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Settings:
        """Return the settings of the environment; a variable that is not set leaves its default.

        Raises:
            ValueError: for an invalid value; the message names the variable.
        """
        given: dict[str, object] = {"is_public": bool(environment.get("SPACE_ID"))}
        for setting in fields(cls):
            variable = PREFIX + setting.name.upper()
            if (text := environment.get(variable, "").strip()) and setting.name != "is_public":
                given[setting.name] = parse_variable(variable, text, str(setting.type))
        return cls(**given)  # type: ignore[arg-type]


def parse_variable(variable: str, text: str, type_name: str) -> object:
    """Return the value of a variable, in the type of its field.

    Raises:
        ValueError: if the text is not a value of this type.
    """
    if type_name == "str":
        return text
    if type_name.startswith(("Mapping", "tuple")):
        names = tuple(name.strip() for name in text.split(",") if name.strip())
        return name_datasets(names) if type_name.startswith("Mapping") else names
    try:
        number = float(text)
    except ValueError:
        raise ValueError(f"{variable} must be a number, not {text!r}") from None
    if type_name == "float":
        return positive_number(variable, number, "seconds")
    if not number.is_integer():
        raise ValueError(f"{variable} must be a whole number, not {text!r}")
    return positive_int(variable, int(number))


def name_datasets(datasets: Sequence[str]) -> dict[str, str]:
    """Return datasets by the names that visitors see; a folder's name is the last part of its path."""
    return {Path(dataset).name if Path(dataset).is_absolute() else dataset: dataset for dataset in datasets}
