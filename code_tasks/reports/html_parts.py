"""Results as HTML: the templates' environment, and the parts that the report and the Space have in common.

A template escapes each value that it prints, and replaces the characters of it that move or colour text. Only `Markup`
is printed as it is: our own styles and scripts, and what a template returned.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from code_tasks.scoring.estimates import PassAtK
from sandboxes.outcome_labels import LABELS, LETTERS, NOT_RUN, WAITING
from sandboxes.validation import printable

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

PACKAGE = "code_tasks.reports"
"""The package that holds the style and the templates of results."""

TEXT_TITLES = {"traceback": "Traceback", "stdout": "Standard output", "stderr": "Standard error"}
"""The heading of each text in a result."""

GRADING_LABELS = {"shared": "shared: with the candidate", "separate": "separate: apart from the candidate"}
MIB = 1 << 20
MAX_TESTS_SHOWN = 100


@cache
def templates(*packages: str) -> Environment:
    """Return the environment that loads the templates of these packages; the first package that has a name wins.

    Raises:
        ImportError: if Jinja2 is not installed.
    """
    # The report tells which package to install. An import at the top would end the command with a traceback.
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False}
    environment.filters |= {
        "memory": format_memory,
        "percent": format_percent,
        "seconds": format_seconds,
        "thousands": format_thousands,
    }
    environment.globals |= {
        "labels": LABELS,
        "letters": LETTERS,
        "max_tests_shown": MAX_TESTS_SHOWN,
        "measurements": measurements,
        "text_titles": TEXT_TITLES,
    }
    return environment


def macros(template: str, *packages: str) -> Any:
    """Return the macros of a template, as attributes; each is a function that returns `Markup`.

    Args:
        template: the file's name.
        packages: the packages with templates; by default the one that has those of results.
    """
    return templates(*(packages or (PACKAGE,))).get_template(template).module


def visible(value: Any) -> Any:
    """Return a value as a template may print it: a text keeps its lines, but no character that moves or colours text.

    The result is not escaped. `Markup` stays as it is.
    """
    if not isinstance(value, str) or hasattr(value, "__html__"):
        return value
    return "\n".join(printable(line.replace("\t", "    ")) for line in value.splitlines())


def results_css() -> str:
    """Return the style of all parts that the templates of results have."""
    return (files(PACKAGE) / "assets" / "results.css").read_text(encoding="utf-8")


def outcome_name(result: Mapping[str, Any] | None) -> str:
    """Return the key in LABELS for a candidate's result; None is a result that has not come yet."""
    if result is None:
        return WAITING
    return str(result.get("outcome", NOT_RUN))


def candidate(title: str, result: Mapping[str, Any] | None, code: Markup | str = "", *, is_open: bool = False) -> str:
    """Return one candidate: a line, and below it its code and the evidence, which a click opens."""
    return str(macros("results.html").candidate(title, outcome_name(result), result, code, is_open))


def measurements(result: Mapping[str, Any]) -> dict[str, str]:
    """Return the measurements of a program that was run, by their names."""
    measured = {
        "Time on the clock": format_seconds(result["wall_seconds"]),
        "CPU time": format_seconds(result["cpu_seconds"]),
        "Waited for a CPU": format_seconds(result["waited_seconds"]),
        "Peak memory": format_memory(result["peak_memory_bytes"]),
        "Graded": GRADING_LABELS[result["grading"]],
        "Isolated by": ", ".join(result["isolation"]),
    }
    if result["attempts"] > 1:
        measured["Runs"] = f"{result['attempts']}, because the sandbox broke or the machine was busy"
    return measured


def estimates(estimates: Sequence[PassAtK], left_out: Sequence[str]) -> str:
    """Return pass@k as numbers, with the standard error if there are several tasks, and a line for each missing k."""
    return str(macros("results.html").estimates(estimates, left_out))


def format_seconds(seconds: float) -> str:
    """Return a duration with its unit."""
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"


def format_memory(size: int) -> str:
    """Return a number of bytes in MiB; 0 means that the memory could not be measured."""
    return f"{size / MIB:.0f} MiB" if size else "memory unknown"


def format_percent(share: float) -> str:
    """Return a share of 1 in percent, without the sign."""
    return f"{100 * share:.1f}"


def format_thousands(number: int) -> str:
    """Return a number with a comma between thousands."""
    return f"{number:,}"
