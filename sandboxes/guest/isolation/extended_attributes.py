"""Extended attributes of files: Python's functions, or the C library's where Python was built without its own.

Python leaves its functions out with musl, at least up to 3.11. A program can set attributes there too, through ctypes.
"""

from __future__ import annotations

import os

from .syscalls import check, ctypes, libc

# The kernel's limits of a list of names and of a value.
MAX_BYTES = 65536


def list_attributes(path: int | str) -> list[str]:
    """Return the names of a file's attributes; none where the system or this Python has no such thing.

    Args:
        path: of the file, or a descriptor.

    Raises:
        OSError: if the file system has no attributes.
    """
    if hasattr(os, "listxattr"):
        return os.listxattr(path)
    if libc is None:
        return []
    names = ctypes.create_string_buffer(MAX_BYTES)
    size = call("listxattr", path, names, ctypes.c_size_t(MAX_BYTES))
    return [os.fsdecode(name) for name in names.raw[:size].split(b"\0")[:-1]]


def read_attribute(path: int | str, name: str) -> bytes:
    """Return the value of an attribute that `list_attributes` has named.

    Raises:
        OSError: if it can't be read.
    """
    if hasattr(os, "getxattr"):
        return os.getxattr(path, name)
    value = ctypes.create_string_buffer(MAX_BYTES)
    size = call("getxattr", path, os.fsencode(name), value, ctypes.c_size_t(MAX_BYTES))
    return bytes(value.raw[:size])


def remove_attribute(path: int | str, name: str) -> None:
    """Remove an attribute that `list_attributes` has named.

    Raises:
        OSError: if it can't be removed.
    """
    if hasattr(os, "removexattr"):
        os.removexattr(path, name)
    else:
        call("removexattr", path, os.fsencode(name))


def call(name: str, path: int | str, *arguments: object) -> int:
    """Call the C library's function for a path, or its counterpart for a descriptor, and return the result."""
    if isinstance(path, int):
        return check(name, getattr(libc, f"f{name}")(path, *arguments))
    return check(name, getattr(libc, name)(os.fsencode(path), *arguments))
