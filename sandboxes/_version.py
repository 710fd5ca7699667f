"""The digest of this package's files, which is part of cache keys, and which all nodes of a cluster must share."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

SCHEMA = 1
"""Version of the cache's keys, and of the encoding of its rows."""

OWN_SUFFIXES = (".py", ".c", ".h", ".so")
"""Suffixes of this package's files that decide verdicts."""


@functools.cache
def package_digest() -> str:
    """Return the SHA-256 of this package's files, with the extension module and its source.

    Any change to our code invalidates the cache, and excludes nodes of a cluster that have other files. The compiled
    extension module counts too, because it decides how a program's report begins. The version does not: it names a
    commit, and two installations of the same files may have been made at different ones.
    """
    digest = hashlib.sha256()
    folder = Path(__file__).parent
    for path in sorted(path for suffix in OWN_SUFFIXES for path in folder.rglob(f"*{suffix}")):
        source = path.read_bytes()
        digest.update(f"{path.relative_to(folder)}:{len(source)}:".encode() + source)
    return digest.hexdigest()
