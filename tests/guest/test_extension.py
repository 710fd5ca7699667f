"""The checks before a container loads the C extension: facts about the file, the interpreter and its C library."""

import os
import sys
from types import SimpleNamespace

import pytest

from sandboxes.guest.forkserver import extension
from sandboxes.guest.forkserver.extension import find_obstacle, load_from_archive

ELF = b"\x7fELF"
X86_64, AARCH64, RISCV = 62, 183, 243


def header(machine, word=2, order=1, system=0):
    """Return the beginning of an ELF file."""
    return ELF + bytes([word, order, 1, system]) + bytes(8) + (3).to_bytes(2, "little") + machine.to_bytes(2, "little")


@pytest.fixture(autouse=True)
def fits(monkeypatch):
    """Let this interpreter be one that the extension fits, whichever it is."""
    monkeypatch.setattr(sys, "implementation", SimpleNamespace(name="cpython"))
    monkeypatch.setattr(sys, "version_info", (3, 11, 2, "final", 0))
    monkeypatch.setattr(extension, "EXTENSION_SUFFIXES", [".cpython-311-x86_64-linux-gnu.so", ".abi3.so", ".so"])
    monkeypatch.delattr(sys, "getobjects", raising=False)
    monkeypatch.setattr(os, "confstr", lambda name: "glibc 2.36", raising=False)


def test_an_extension_for_this_machine_is_loaded():
    """Nothing is wrong with an extension for the interpreter's machine, whatever the executable's system field is."""
    assert find_obstacle(header(X86_64), header(X86_64, system=3)) == ""


@pytest.mark.parametrize("other", [header(AARCH64), header(RISCV), header(X86_64, word=1), header(X86_64, order=2)])
def test_an_extension_for_another_machine_is_refused(other):
    """Architecture, word size and byte order must be the interpreter's."""
    assert find_obstacle(other, header(X86_64)) == "it is for another architecture"


@pytest.mark.parametrize("beginning", [b"", b"PK\x03\x04" + bytes(16), b"#!/bin/sh"])
def test_an_archive_without_extension_has_none(beginning):
    """An archive that begins with its first file has no extension."""
    assert find_obstacle(beginning, header(X86_64)) == "there was none where the archive was made"


@pytest.mark.parametrize("version", [(3, 8, 18), (3, 10, 13)])
def test_an_older_python_is_refused(monkeypatch, version):
    """The functions that the extension calls are in Python 3.11 and newer."""
    monkeypatch.setattr(sys, "version_info", version)
    assert find_obstacle(header(X86_64), header(X86_64)) == "it needs CPython 3.11 or newer"


def test_another_implementation_is_refused(monkeypatch):
    """PyPy has modules of its own."""
    monkeypatch.setattr(sys, "implementation", SimpleNamespace(name="pypy"))
    assert find_obstacle(header(X86_64), header(X86_64)) == "it needs CPython 3.11 or newer"


def test_a_free_threaded_python_is_refused(monkeypatch):
    """A Python whose suffixes lack that of the stable ABI has objects of another layout."""
    monkeypatch.setattr(extension, "EXTENSION_SUFFIXES", [".cpython-313t-x86_64-linux-gnu.so", ".so"])
    assert "another binary interface" in find_obstacle(header(X86_64), header(X86_64))


def test_a_python_that_traces_references_is_refused(monkeypatch):
    """A Python with Py_TRACE_REFS has objects of another layout."""
    monkeypatch.setattr(sys, "getobjects", lambda count: [], raising=False)
    assert "another binary interface" in find_obstacle(header(X86_64), header(X86_64))


@pytest.mark.parametrize("error", [ValueError("unrecognized configuration name"), OSError(22, "Invalid argument")])
def test_a_library_that_does_not_say_glibc_is_refused(monkeypatch, error):
    """Musl has no such name, or refuses to answer."""

    def refuse(name):
        raise error

    monkeypatch.setattr(os, "confstr", refuse)
    assert find_obstacle(header(X86_64), header(X86_64)) == "it needs glibc"


def test_what_cant_be_read_is_not_loaded():
    """A system without the executable's own name, or without the archive, forks in Python."""
    with pytest.raises(ImportError, match="No such file"):
        load_from_archive("/nowhere/archive")
