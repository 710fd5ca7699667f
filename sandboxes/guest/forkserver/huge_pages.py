"""Moves the interpreter's code into huge pages, which cost a child no page fault and a fork no time."""

from __future__ import annotations

from ..common.page_sizes import are_huge_pages_on
from ..isolation.syscalls import check, ctypes, libc

HUGE_PAGE_BYTES = 2 << 20
PROT_READ, PROT_WRITE, PROT_EXEC = 1, 2, 4
MAP_PRIVATE, MAP_ANONYMOUS = 2, 0x20
MADV_HUGEPAGE = 14
MREMAP_MAYMOVE, MREMAP_FIXED = 1, 2


def use_huge_pages_for_code() -> None:
    """Move all code between boundaries of huge pages. Change nothing where the kernel gives no huge pages."""
    try:
        if libc is None or not are_huge_pages_on():
            return
        for start, end in read_only_ranges(interpreter_file()):
            start, end = -(-start // HUGE_PAGE_BYTES) * HUGE_PAGE_BYTES, end // HUGE_PAGE_BYTES * HUGE_PAGE_BYTES
            if start < end:
                remap_huge(start, end - start)
    except OSError:
        # Huge pages are for speed alone. There are none, or the system forbids running memory that was written.
        return


def interpreter_file() -> str:
    """Return the file that holds the interpreter's code: a program, or a library that it is linked with.

    Raises:
        OSError: if no file does.
    """
    address = ctypes.cast(ctypes.pythonapi.Py_IncRef, ctypes.c_void_p).value
    for start, end, _, path in mappings():
        if start <= address < end and path:
            return path
    raise FileNotFoundError("no file holds the interpreter's code")


def read_only_ranges(path: str) -> list[list[int]]:
    """Return the [start, end] addresses where a file is mapped read-only in this process. Adjoining ranges are one."""
    ranges: list[list[int]] = []
    for start, end, permissions, name in mappings():
        if name == path and permissions in ("r--p", "r-xp"):
            if ranges and ranges[-1][1] == start:
                ranges[-1][1] = end
            else:
                ranges.append([start, end])
    return ranges


def mappings() -> list[tuple[int, int, str, str]]:
    """Return the (start, end, permissions, path) of each mapping of this process, in the order of their addresses."""
    found = []
    with open("/proc/self/maps") as maps:
        lines = maps.read().splitlines()
    for line in lines:
        span, permissions, _, _, _, *path = line.split(None, 5)
        start, end = (int(address, 16) for address in span.split("-"))
        found.append((start, end, permissions, path[0] if path else ""))
    return found


def remap_huge(start: int, size: int) -> None:
    """Replace memory that holds code and constants by a copy in huge pages.

    Args:
        start: its address, at a boundary of huge pages.
        size: bytes, a whole number of huge pages.

    Raises:
        OSError: if the kernel refuses; nothing is changed then.
    """
    pointer, number = ctypes.c_void_p, ctypes.c_size_t
    libc.mmap.restype = pointer
    reserved = libc.mmap(
        None, number(size + HUGE_PAGE_BYTES), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, ctypes.c_long(0)
    )
    if reserved == pointer(-1).value:
        check("mmap", -1)
    copy = -(-reserved // HUGE_PAGE_BYTES) * HUGE_PAGE_BYTES
    end, reserved_end = copy + size, reserved + size + HUGE_PAGE_BYTES
    # Both exactly at the copy's borders: Python may soon have new memory where the copy was.
    libc.munmap(pointer(reserved), number(copy - reserved))
    libc.munmap(pointer(end), number(reserved_end - end))
    moved = -1
    try:
        check("madvise", libc.madvise(pointer(copy), number(size), MADV_HUGEPAGE))
        ctypes.memmove(copy, start, size)
        check("mprotect", libc.mprotect(pointer(copy), number(size), PROT_READ | PROT_EXEC))
        if huge_page_bytes(copy) == size:
            moved = libc.mremap(
                pointer(copy), number(size), number(size), MREMAP_MAYMOVE | MREMAP_FIXED, pointer(start)
            )
            check("mremap", moved)
    finally:
        if moved == -1:
            libc.munmap(pointer(copy), number(size))


def huge_page_bytes(address: int) -> int:
    """Return how many bytes of the mapping at an address are in huge pages."""
    with open("/proc/self/smaps") as maps:
        is_found = False
        for line in maps:
            if line.startswith("%x-" % address):
                is_found = True
            elif is_found and line.startswith("AnonHugePages:"):
                return int(line.split()[1]) << 10
    return 0
