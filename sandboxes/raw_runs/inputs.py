"""Checks of what a raw run brings: words, environment variables, and names of files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sandboxes.backends.confinement import checked_variables
from sandboxes.validation import short_repr

MAX_FILES = 1000
"""Number of files that a run may bring, and that it may ask for."""

MAX_NAME_BYTES, MAX_PART_BYTES, MAX_PARTS = 1024, 255, 32
"""Length of a file's name and of each part, and number of its parts: all folders of all names fit into a sandbox."""

OWN_NAMES = (".stdin",)
"""Names in the program's folder that the sandbox uses itself."""


def checked_words(name: str, words: Any) -> tuple[str, ...]:
    """Return the words of a command.

    Raises:
        ValueError, TypeError: if one can't be a word.
    """
    if isinstance(words, str | bytes) or not isinstance(words, Iterable):
        raise TypeError(f"{name} must be a list of words, not {short_repr(words)}")
    checked = tuple(words)
    for word in checked:
        check_text(name, word)
    return checked


def checked_env(env: Any) -> dict[str, str]:
    """Return a copy of environment variables. Raise as `checked_words`."""
    checked = checked_variables(env)
    for text in (*checked, *checked.values()):
        check_text("env", text)
    return checked


def check_text(name: str, text: Any) -> None:
    """Raise TypeError or ValueError for a text that a process can't be given."""
    if not isinstance(text, str):
        raise TypeError(f"{name} must hold texts, not {short_repr(text)}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name}: {short_repr(text)} has a lone surrogate") from None
    if "\0" in text:
        raise ValueError(f"{name}: {short_repr(text)} has a NUL character")


def check_name(field_name: str, name: Any) -> None:
    """Raise TypeError or ValueError for a name that is not one of a file below the program's folder."""
    check_text(field_name, name)
    parts = name.split("/")
    wrong = next((part for part in parts if part in ("", ".", "..") or len(part.encode()) > MAX_PART_BYTES), None)
    if wrong is not None or len(parts) > MAX_PARTS or len(name.encode()) > MAX_NAME_BYTES:
        raise ValueError(
            f"{field_name}: {short_repr(name)} is no name of a file in the program's folder: give a relative path of "
            f"at most {MAX_NAME_BYTES} bytes and {MAX_PARTS} parts, without '.', '..', empty parts and parts of more "
            f"than {MAX_PART_BYTES} bytes"
        )
    if parts[0] in OWN_NAMES:
        raise ValueError(f"{field_name}: {short_repr(name)} is a name that the sandbox uses itself; choose another one")


def checked_files(files: Any) -> dict[str, bytes]:
    """Return a copy of the files that a run brings. Raise as `checked_words`."""
    if not isinstance(files, Mapping):
        raise TypeError(f"files must be a dict of bytes by name, not {short_repr(files)}")
    check_count("files", files)
    for name, content in files.items():
        check_name("files", name)
        if not isinstance(content, bytes):
            raise TypeError(f"files: {short_repr(name)} must have bytes, not {short_repr(content)}")
    check_folders(files)
    return dict(files)


def check_folders(names: Iterable[str]) -> None:
    """Raise ValueError if one name is a file and also a folder of another one."""
    names = {*names}
    for name in names:
        parts = name.split("/")
        for length in range(1, len(parts)):
            if (folder := "/".join(parts[:length])) in names:
                raise ValueError(f"files: {short_repr(folder)} can't be a file and the folder of {short_repr(name)}")


def checked_fetch(names: Any) -> tuple[str, ...]:
    """Return the names of the files to return, each once. Raise as `checked_words`."""
    checked = tuple(dict.fromkeys(checked_words("fetch", names)))
    check_count("fetch", checked)
    for name in checked:
        check_name("fetch", name)
    return checked


def check_count(field_name: str, names: Any) -> None:
    """Raise ValueError for too many files."""
    if len(names) > MAX_FILES:
        raise ValueError(f"{field_name} has {len(names)} names, and {MAX_FILES} are taken")
