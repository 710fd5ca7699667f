"""Whether the system has pages of memory that are larger than most. Shared by the guest and the host."""

from __future__ import annotations

ENABLED_FILE = "/sys/kernel/mm/transparent_hugepage/enabled"


def are_huge_pages_on() -> bool:
    """Return whether the system lets processes ask for huge pages."""
    try:
        with open(ENABLED_FILE) as enabled:
            return "[never]" not in enabled.read()
    except OSError:
        return False
