"""The optional C extension, which keeps Python code, and so page faults, out of the fork path.

In a container, the guest is an archive in a file. The extension is the beginning of the same file, so that it needs no
descriptor and no file of its own. It is loaded only after the interpreter was found to be one that it was made for.
"""

from __future__ import annotations

import os
import sys
from _frozen_importlib import ModuleSpec, module_from_spec
from _frozen_importlib_external import EXTENSION_SUFFIXES, ExtensionFileLoader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["forking", "forked_in_python"]

ABI_SUFFIX = ".abi3.so"
# As Py_LIMITED_API in _forking.h.
MIN_PYTHON = (3, 11)
ELF_MAGIC = b"\x7fELF"
HEADER_BYTES = 20
OWN_EXECUTABLE = "/proc/self/exe"


def binary_kind(header: bytes) -> bytes:
    """Return the parts of an ELF header that say which machine the file is for: word size, byte order, architecture."""
    return header[4:6] + header[18:20]


def read_header(path: str) -> bytes:
    """Return the first bytes of a file, as many as `binary_kind` needs."""
    with open(path, "rb") as file:
        return file.read(HEADER_BYTES)


def c_library() -> str:
    """Return the name and version of the C library, "glibc 2.36"; "" if it does not say so, as musl does not."""
    try:
        return os.confstr("CS_GNU_LIBC_VERSION") or ""
    except (AttributeError, OSError, ValueError):
        return ""


def find_obstacle(header: bytes, own_header: bytes) -> str:
    """Return why this interpreter can't load the extension; "" if it can.

    Its C library's version is left to the loader, which compares versions before it runs anything.

    Args:
        header: of the file that may begin with the extension.
        own_header: of the interpreter's executable.
    """
    if not header.startswith(ELF_MAGIC):
        return "there was none where the archive was made"
    if sys.implementation.name != "cpython" or sys.version_info < MIN_PYTHON:
        return "it needs CPython %d.%d or newer" % MIN_PYTHON
    # A free-threaded Python does not name the suffix. One that traces references has larger objects.
    if ABI_SUFFIX not in EXTENSION_SUFFIXES or hasattr(sys, "getobjects"):
        return "this build of Python has another binary interface"
    if binary_kind(header) != binary_kind(own_header):
        return "it is for another architecture"
    if not c_library().startswith("glibc "):
        return "it needs glibc"
    return ""


def load_from_archive(archive: str) -> Any:
    """Return the extension that an archive begins with.

    Raises:
        ImportError: if this interpreter can't load it; the message is the reason.
    """
    try:
        obstacle = find_obstacle(read_header(archive), read_header(OWN_EXECUTABLE))
    except OSError as error:
        raise ImportError(str(error)) from error
    if obstacle:
        raise ImportError(obstacle)
    # The dynamic loader remembers this name. Programs that load a library from a descriptor of theirs use another one.
    path = "%s/./%s" % os.path.split(archive)
    loader = ExtensionFileLoader(__name__.replace("extension", "_forking"), path)
    module = module_from_spec(ModuleSpec(loader.name, loader, origin=path))
    loader.exec_module(module)
    return module


# None in a folder.
archive = getattr(globals()["__loader__"], "archive", None)
# Why `forking` is None; "" if it is not.
forked_in_python = ""
try:
    if archive is None:
        from . import _forking as forking
    else:
        forking = load_from_archive(archive)
except ImportError as error:
    # Not compiled, or compiled for another Python or system than this one.
    forking, forked_in_python = None, str(error)  # type: ignore[assignment]
