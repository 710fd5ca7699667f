"""The guest finds and removes extended attributes, also in a Python without functions for them, as with musl."""

import ctypes
import os

import pytest

from sandboxes.guest.isolation.extended_attributes import list_attributes, read_attribute, remove_attribute
from sandboxes.guest.supervisor.delegated_group import is_marked
from sandboxes.guest.supervisor.scratch import MountedScratch
from support.requirements import unavailable

VALUE = b"\0value\xff"


def set_attribute(path, name, value):
    """Set an attribute by the C library, because Python may have no function for it."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setxattr(os.fsencode(path), name.encode(), value, ctypes.c_size_t(len(value)), 0) < 0:
        unavailable(f"files in {path} can't have attributes: {os.strerror(ctypes.get_errno())}")


@pytest.fixture(params=["own functions", "C library"])
def folder(tmp_path, monkeypatch, request):
    """Return a folder with two attributes, in a Python with functions of its own or without them."""
    set_attribute(tmp_path, "user.one", VALUE)
    set_attribute(tmp_path, "user.delegate", b"1")
    if request.param == "C library":
        for name in ("listxattr", "getxattr", "removexattr"):
            monkeypatch.delattr(os, name, raising=False)
    elif not hasattr(os, "listxattr"):
        pytest.skip("this Python has no functions for attributes")
    return str(tmp_path)


@pytest.fixture(params=["path", "descriptor"])
def named(folder, request):
    """Return the folder's path, or a descriptor of it."""
    fd = os.open(folder, os.O_RDONLY)
    yield folder if request.param == "path" else fd
    os.close(fd)


def test_attributes_are_listed_and_read(named):
    """All names are listed, and a value may have any bytes."""
    assert {"user.one", "user.delegate"} <= set(list_attributes(named))
    assert read_attribute(named, "user.one") == VALUE


def test_an_attribute_is_removed(named):
    """An attribute that is removed is gone, and the others stay."""
    remove_attribute(named, "user.one")
    names = list_attributes(named)
    assert "user.one" not in names and "user.delegate" in names


def test_an_attribute_that_is_not_there_is_an_error(named):
    """What can't be read or removed raises OSError."""
    for use in (read_attribute, remove_attribute):
        with pytest.raises(OSError):
            use(named, "user.other")


def test_a_program_s_attributes_are_removed_from_its_folder(folder):
    """A folder is as new for the next program, whichever Python runs the guest."""
    fd = os.open(folder, os.O_RDONLY)
    MountedScratch([fd]).tidy()
    assert not [name for name in list_attributes(fd) if name.startswith("user.")]
    os.close(fd)


def test_a_group_s_mark_is_found(folder):
    """A control group that was handed over is known by its attribute, whichever Python runs the guest."""
    assert is_marked(folder)
