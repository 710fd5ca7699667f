"""Rendering of the option table: as the metric's argument list and parameters, and as the tables of a Markdown page.

A page has the table of a group between the comments `<!-- options: GROUP -->` and `<!-- end of options -->`. A module
has parameters between `# options` and `# end of options`. After a change of the option table, update both:

    python -c "from sandboxes.options.docs import write_tables; write_tables('docs/options.md', 'code_eval.py')"
"""

from __future__ import annotations

import json
import re
import textwrap
from pathlib import Path

from sandboxes.options.option import Option, OptionGroup, written_default
from sandboxes.options.table import GROUPS, OPTIONS

LINE_CHARS = 120
TABLE = re.compile(r"(?<=<!-- options: )(\w+) -->\n.*?(?=<!-- end of options -->)", re.DOTALL)
PARAMETERS = re.compile(r"^( *)# options\n.*?(?=^ *# end of options\n)", re.DOTALL | re.MULTILINE)


def default_text(option: Option) -> str:
    """Return an option's default as Markdown."""
    return option.default_text or f"`{python_literal(option.default)}`"


def python_literal(value: object) -> str:
    """Return a default value as it is written in Python."""
    return json.dumps(value) if isinstance(value, str) else repr(value)


def argument_list() -> str:
    """Return the options as the "Args" of a docstring, without its first line."""
    return "\n".join(line for group in GROUPS for line in _arguments(group))


def _arguments(group: OptionGroup) -> list[str]:
    lines = [textwrap.indent(f"# {_plain(group.title)}", " " * 4)]
    for option in group.options:
        text = f"{option.name}: {option.kind}: {option.help} Default: {default_text(option)}."
        lines += textwrap.wrap(
            _plain(text), LINE_CHARS, initial_indent=" " * 4, subsequent_indent=" " * 8, break_on_hyphens=False
        )
    return lines


def _plain(markdown: str) -> str:
    return markdown.replace("`", "")


def markdown_table(group: OptionGroup) -> str:
    """Return the options of a group as a Markdown table."""
    rows = ["| argument | type | default | meaning |", "|---|---|---|---|"]
    for option in group.options:
        see = f" See {option.see}." if option.see else ""
        rows.append(f"| `{option.name}` | {option.kind} | {default_text(option)} | {option.help}{see} |")
    return "\n".join(rows) + "\n"


def parameter_list(indent: str) -> str:
    """Return the options as the lines of a parameter list. Each has the default that can be written there."""
    parameters = [f"{name}: Any = {python_literal(written_default(option))}," for name, option in OPTIONS.items()]
    lines = textwrap.wrap(
        # A parameter is one word for the wrapping, so that no line breaks inside of it.
        " ".join(parameter.replace(" ", "\0") for parameter in parameters),
        LINE_CHARS,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
    )
    return "".join(line.replace("\0", " ") + "\n" for line in lines)


def with_tables(page: str) -> str:
    """Return a Markdown page or a module with the tables of its groups, and its parameters, as they are now.

    Raises:
        KeyError: if the page names an unknown group.
    """
    tables = {group.name: markdown_table(group) for group in GROUPS}
    page = TABLE.sub(lambda match: f"{match[1]} -->\n\n{tables[match[1]]}\n", page)
    return PARAMETERS.sub(lambda match: f"{match[1]}# options\n{parameter_list(match[1])}", page)


def write_tables(*paths: str | Path) -> None:
    """Update the tables of Markdown pages, and the parameters of modules.

    Raises:
        KeyError: if a page names an unknown group.
        OSError: if a file can't be read or written.
    """
    for page in map(Path, paths):
        page.write_text(with_tables(page.read_text(encoding="utf-8")), encoding="utf-8")
