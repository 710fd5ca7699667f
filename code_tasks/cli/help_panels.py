"""The options in a command's help: each name has a line of its own, so that no name is cut in 80 columns.

`main.py` and `lazy_commands.py` call this when help is asked for. typer has no setting for the columns of its tables,
which cut what does not fit. Help is typer's own where typer's function for them is another than the one that is
replaced here.
"""

from __future__ import annotations

from collections.abc import Iterable
from inspect import signature
from typing import Any

INDENT = 4
"""Columns before the text of an option."""


def use_whole_names() -> None:
    """Replace typer's panel of options."""
    from typer import rich_utils

    replaced: Any = getattr(rich_utils, "_print_options_panel", None)
    if replaced is None or not hasattr(rich_utils, "_get_parameter_help"):
        return
    if signature(replaced).parameters.keys() == signature(print_options_panel).parameters.keys():
        rich_utils._print_options_panel = print_options_panel


def print_options_panel(*, name: str, params: Iterable[Any], ctx: Any, markup_mode: Any, console: Any) -> None:
    """Print a panel with options, or with arguments. The parameters are those of typer's function.

    Args:
        name: the panel's title.
        params: the options.
        ctx: of the command.
        markup_mode: of its texts.
        console: to print to.
    """
    from rich.console import Group
    from rich.padding import Padding
    from rich.panel import Panel
    from typer import rich_utils

    rows: list[Any] = []
    for param in params:
        rows.append(title_of(param))
        text = rich_utils._get_parameter_help(param=param, ctx=ctx, markup_mode=markup_mode)
        rows.append(Padding(text, (0, 0, 0, INDENT)))
    if rows:
        console.print(Panel(Group(*rows), title=name, title_align="left", border_style="dim"))


def title_of(param: Any) -> Any:
    """Return the line of an option: its names, what its value is, and the range of a number."""
    from rich.text import Text

    title = Text(overflow="fold")
    is_argument = param.param_type_name == "argument"
    names = [] if is_argument else [",".join(each) for each in (param.opts, param.secondary_opts) if each]
    title.append(" / ".join(names), "bold cyan")
    title.append(
        " " * bool(names) + (param.metavar or param.name if is_argument else param.metavar or ""), "bold yellow"
    )
    if numbers := getattr(param, "_get_number_range_help_str", lambda: None)():
        title.append(f" [{numbers}]", "dim")
    return title
