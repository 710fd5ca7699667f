"""Names of files in foreign requests, as raw runs and sessions take them."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping

from code_tasks.server.errors import InvalidRequest
from code_tasks.server.protocols.texts import from_base64
from sandboxes.validation import short_repr

IGNORED = "IGNORE_THIS_FILE"
"""SandboxFusion leaves out files with this text in their names."""


def plain_name(name: str) -> str | None:
    """Return a name without "." and empty parts. None: no file below the program's folder can have it."""
    if "\0" in name:
        return None
    plain = posixpath.normpath(name) if name else "."
    is_below = not plain.startswith("/") and plain != "." and plain.split("/")[0] != ".."
    return plain if is_below else None


def files_from_base64(files: Mapping[str, str | None]) -> dict[str, bytes]:
    """Return the files of a request by their plain names. Files without content are left out, as in SandboxFusion.

    Raises:
        InvalidRequest: if a name is not below the program's folder, or a content is not base64.
    """
    contents: dict[str, bytes] = {}
    for name, content in files.items():
        if content is None or IGNORED in name:
            continue
        plain = plain_name(name)
        if plain is None:
            raise InvalidRequest("files", f"{short_repr(name)} is not below the program's folder; give a relative name")
        contents[plain] = from_base64(f"files.{name}", content)
    return contents


def plain_names(names: Iterable[str]) -> dict[str, str]:
    """Return the plain names of files to fetch, by the names that a request gives. Others can't be there."""
    return {name: plain for name in names if (plain := plain_name(name)) is not None}


def fetched(names: Mapping[str, str], contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the contents of fetched files by the names that a request gave.

    Args:
        names: as `plain_names` returns them.
        contents: by plain name.
    """
    return {name: contents[plain] for name, plain in names.items() if plain in contents}
