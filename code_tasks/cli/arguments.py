"""Commands whose parameters are dataclasses or options of the option table, and parameters of several commands.

@expand_arguments
def run(samples: ..., source: ProblemSource, options: Annotated[GivenOptions, Door(...)]) -> None: ...
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, get_args, get_origin, get_type_hints

import typer

from code_tasks.benchmarks.chosen_tasks import choose_tasks
from code_tasks.benchmarks.hub import load_problems
from code_tasks.benchmarks.problem_reader import read_problems
from code_tasks.benchmarks.problems import Problem
from code_tasks.benchmarks.readers import InputError, reason_of
from code_tasks.benchmarks.sources import path_records
from code_tasks.cli.options import Door, parameter_of, presented
from code_tasks.cli.output import fail
from code_tasks.cli.wording import as_command_message
from sandboxes import SandboxUnavailable

Command = Callable[..., None]


RESUME_HELP = "Continue an earlier run with the same --output that ended early. Without such a run, begin a new one."
RESUME_ADVICE = "the same command with --resume continues"


def check_resume(resume: bool, output: Path | None) -> None:
    """Raise BadParameter for --resume without the file that it continues."""
    if resume and output is None:
        raise typer.BadParameter("--resume continues an earlier run, and needs its --output")


def expand_arguments(function: Command) -> Command:
    """Return a typer command. Parameters that are dataclasses or a Door are replaced with the options in them."""
    own = inspect.signature(function, eval_str=True).parameters.values()
    parts = {parameter.name: _part(parameter) for parameter in own}
    parameters = [parameter for of_part, _ in parts.values() for parameter in of_part]

    @functools.wraps(function)
    def command(**arguments: Any) -> None:
        function(**{name: build(arguments) for name, (_, build) in parts.items()})

    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def _part(parameter: inspect.Parameter) -> tuple[list[inspect.Parameter], Callable[[Mapping[str, Any]], Any]]:
    """Return typer's parameters for one parameter, and a function that builds its value from typer's arguments."""
    annotation = parameter.annotation
    if get_origin(annotation) is Annotated and isinstance(door := get_args(annotation)[1], Door):
        return door.parameters(), door.given
    if not isinstance(annotation, type) or not dataclasses.is_dataclass(annotation):
        own = parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=presented(annotation, None))
        return [own], lambda arguments: arguments[parameter.name]
    hints = get_type_hints(annotation, include_extras=True)
    panel = getattr(annotation, "PANEL", None)
    fields = {entry.name: entry for entry in dataclasses.fields(annotation)}
    parameters = [parameter_of(name, presented(hints[name], panel), entry.default) for name, entry in fields.items()]

    def build(arguments: Mapping[str, Any]) -> Any:
        return annotation(**{name: arguments[name] for name in fields})

    return parameters, build


@contextmanager
def usage_errors() -> Iterator[None]:
    """Turn invalid options into usage errors. End the command with an error if a file or a package is missing."""
    try:
        yield
    except OSError as error:
        path = f"can't read {error.filename}: " if error.filename else ""
        fail(f"{path}{reason_of(error)}")
    except (InputError, ImportError, NotImplementedError, SandboxUnavailable) as error:
        fail(as_command_message(str(error)))
    except (ValueError, TypeError) as error:
        raise typer.BadParameter(as_command_message(str(error))) from error


@dataclass(frozen=True)
class ProblemSource:
    """The source of a command's problems."""

    PANEL: ClassVar[str] = "Problems"
    WAYS: ClassVar[str] = "either --problems FILE or --dataset NAME"
    """The options that name a source, for messages."""

    problems: Annotated[
        Path | None,
        typer.Option(
            help="JSON lines, plain or gzipped, or a folder of datasets' save_to_disk: "
            '{"task_id", "prompt", "test", "entry_point"}. "language" names another '
            "language than Python. Records of HumanEval-X work too, and so do inputs and outputs in place of tests."
        ),
    ] = None
    dataset: Annotated[
        str | None,
        typer.Option(
            help="A dataset on the Hugging Face Hub, in place of --problems: such as openai/openai_humaneval."
        ),
    ] = None
    split: Annotated[
        str | None, typer.Option(help="The split of --dataset, or of a saved dataset.", show_default="test")
    ] = None
    limit: Annotated[int | None, typer.Option(min=1, help="Take the first N tasks alone.")] = None
    task: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Take the task with this task_id alone. May be repeated.", show_default=False),
    ] = None

    ignore_field: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Leave this field out of all problems. A field that may decide on verdicts and is not read, such as "
            "checker, is an error without it. May be repeated.",
            show_default=False,
        ),
    ] = None

    def __post_init__(self) -> None:
        """Raise BadParameter unless there is one source."""
        if (self.problems is None) == (self.dataset is None):
            raise typer.BadParameter(f"give {self.WAYS}")

    def read(self) -> dict[str, Problem]:
        """Return the problems by task_id.

        Raises:
            InputError: if they can't be read.
        """
        if self.problems:
            records = functools.partial(path_records, split=self.split)
            return read_problems(self.problems, records, self.ignore_field or ())
        return load_problems(str(self.dataset), self.split or "test", self.ignore_field or ())

    def chosen(self, problems: Mapping[str, Problem]) -> dict[str, Problem]:
        """Return the problems that --task and --limit leave.

        Raises:
            InputError: as `choose_tasks` does.
        """
        return choose_tasks(problems, self.task or (), self.limit)
