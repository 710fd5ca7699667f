"""The version of Clojure, Kotlin or Scala, read from an archive of Java classes: their compilers start slowly."""

from __future__ import annotations

VERSION_SCRIPT = r"""
import re, shutil, zipfile
if not shutil.which("java"):
    raise FileNotFoundError("there is no command java")
with zipfile.ZipFile(%(jar)r) as jar:
    text = jar.read(%(file)r).decode()
print(%(label)r, re.search(r"(?m)^(?:Implementation-Version: |version(?:\.number)?=)(\S+)", text)[1])
"""
"""Tells the version of a language without starting its compiler, which takes a second or more."""


def jar_version(label: str, jar: str, file: str) -> str:
    """Return a script that prints the version of a language whose compiler runs in the virtual machine.

    Args:
        label: of the language.
        jar: path of the archive that has the version.
        file: name of the file in it.
    """
    return VERSION_SCRIPT % {"label": label, "jar": jar, "file": file}
