"""Puts the interpreter's code into huge pages, which a child has without a page fault and at no cost of the fork."""

import os
import sys

from .kernel import checked, ctypes, libc

HUGE_PAGE_BYTES = 2 << 20
ENABLED = "/sys/kernel/mm/transparent_hugepage/enabled"
PROT_READ, PROT_WRITE, PROT_EXEC = 1, 2, 4
MAP_PRIVATE, MAP_ANONYMOUS = 2, 0x20
MADV_HUGEPAGE = 14
MREMAP_MAYMOVE, MREMAP_FIXED = 1, 2


def use_huge_pages_for_code():
    """Copies what lies between the boundaries of huge pages. Leaves all as it is where the kernel gives none."""
    try:
        with open(ENABLED) as enabled:
            if libc is None or "[never]" in enabled.read():
                return
        for start, end in readable_parts(os.path.realpath(sys.executable)):
            start, end = -(-start // HUGE_PAGE_BYTES) * HUGE_PAGE_BYTES, end // HUGE_PAGE_BYTES * HUGE_PAGE_BYTES
            if start < end:
                replace(start, end - start)
    except OSError:
        # It is for speed alone: no such pages, or a rule that memory which was written may not be run.
        return


def readable_parts(path):
    """[start, end] of where a file is mapped into this process and can't be written, adjoining ones in one."""
    parts = []
    with open("/proc/self/maps") as maps:
        lines = maps.read().splitlines()
    for line in lines:
        span, permissions, _, _, _, *name = line.split(None, 5)
        start, end = (int(each, 16) for each in span.split("-"))
        if name == [path] and permissions in ("r--p", "r-xp"):
            if parts and parts[-1][1] == start:
                parts[-1][1] = end
            else:
                parts.append([start, end])
    return parts


def replace(start, size):
    """Puts a copy in huge pages in the place of memory that holds code and constants.

    Args:
        start: its address, at a boundary of such pages.
        size: bytes, in whole ones.

    Raises:
        OSError: if the kernel refuses; nothing is changed then.
    """
    pointer, number = ctypes.c_void_p, ctypes.c_size_t
    libc.mmap.restype = pointer
    reserved = libc.mmap(
        None, number(size + HUGE_PAGE_BYTES), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, ctypes.c_long(0)
    )
    if reserved == pointer(-1).value:
        checked("mmap", -1)
    copy = -(-reserved // HUGE_PAGE_BYTES) * HUGE_PAGE_BYTES
    end, reserved_end = copy + size, reserved + size + HUGE_PAGE_BYTES
    # Each exactly: where the copy was, Python may have new memory by then.
    libc.munmap(pointer(reserved), number(copy - reserved))
    libc.munmap(pointer(end), number(reserved_end - end))
    moved = -1
    try:
        checked("madvise", libc.madvise(pointer(copy), number(size), MADV_HUGEPAGE))
        ctypes.memmove(copy, start, size)
        checked("mprotect", libc.mprotect(pointer(copy), number(size), PROT_READ | PROT_EXEC))
        if huge_bytes(copy) == size:
            moved = libc.mremap(
                pointer(copy), number(size), number(size), MREMAP_MAYMOVE | MREMAP_FIXED, pointer(start)
            )
            checked("mremap", moved)
    finally:
        if moved == -1:
            libc.munmap(pointer(copy), number(size))


def huge_bytes(address):
    """How many bytes of the mapping that begins at an address are in huge pages."""
    with open("/proc/self/smaps") as maps:
        found = False
        for line in maps:
            if line.startswith("%x-" % address):
                found = True
            elif found and line.startswith("AnonHugePages:"):
                return int(line.split()[1]) << 10
    return 0
