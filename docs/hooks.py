"""The site's own part of MkDocs: the repository's other pages, links to them, and the reference of the command.

MkDocs calls these functions. Pages in docs/ link to files outside of it by their paths, as they have to on GitHub. On
the site such a file is a page of ROOT_PAGES, or a copy below `repository/`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
import typer.cli
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from code_tasks.cli.main import CodeEvalCommands

ROOT = Path(__file__).resolve().parents[1]
ROOT_PAGES = {
    "README.md": "index.md",
    "SECURITY.md": "security.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
}
"""{path in the repository: path on the site}"""

COPIES = "repository/"
COMMAND_REFERENCE = "<!-- reference of the command -->"
LINK = re.compile(r"(?<=\]\()(?![a-z]+:)([^)#\s]+)(?=[)#])")


def site_path(path: str) -> str:
    """Return the path on the site of a file of the repository."""
    return path.removeprefix("docs/") if path.startswith("docs/") else ROOT_PAGES.get(path, COPIES + path)


def repository_path(path: str) -> str:
    """Return the path in the repository of a file of the site."""
    names = {site: name for name, site in ROOT_PAGES.items()}
    return path.removeprefix(COPIES) if path.startswith(COPIES) else names.get(path, "docs/" + path)


def linked_files(path: str) -> list[str]:
    """Return the paths of the files of the repository that a page of it links to."""
    targets = LINK.findall((ROOT / path).read_text(encoding="utf-8"))
    paths = (posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) for target in targets)
    return [each for each in paths if (ROOT / each).is_file()]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add ROOT_PAGES, and all files of the repository that pages link to."""
    seen = {repository_path(file.src_uri) for file in files}
    todo = [*ROOT_PAGES, *(path for path in seen if path.endswith(".md"))]
    while todo:
        path = todo.pop()
        if path not in seen:
            seen.add(path)
            files.append(File.generated(config, site_path(path), abs_src_path=str(ROOT / path)))
        if path.endswith(".md"):
            todo += [each for each in linked_files(path) if each not in seen]
    return files


def command_reference() -> str:
    """Return the help of each command as Markdown."""
    texts = []
    commands: Mapping[str, Any] = CodeEvalCommands().commands
    for name, lazy in commands.items():
        command = lazy.loaded
        context = typer.Context(command)
        texts.append(
            typer.cli.get_docs_for_click(obj=command, ctx=context, indent=1, name=name, call_prefix="code-eval")
        )
    return "\n".join(texts)


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Return a page's text with the links as they are on the site, and with the reference of the command."""
    folder = posixpath.dirname(repository_path(page.file.src_uri))
    here = posixpath.dirname(page.file.src_uri)

    def moved(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, match[1]))
        if not (ROOT / path).is_file():
            return match[1]
        return posixpath.relpath(site_path(path), here or ".")

    text = LINK.sub(moved, markdown)
    return text.replace(COMMAND_REFERENCE, command_reference()) if COMMAND_REFERENCE in text else text
