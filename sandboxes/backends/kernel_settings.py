"""Kernel settings that keep namespaces from ordinary users, and the command that changes each of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

SETTINGS = (
    ("kernel.apparmor_restrict_unprivileged_userns", 1, 0, "AppArmor takes the rights of user namespaces away"),
    ("kernel.unprivileged_userns_clone", 0, 1, "user namespaces are for root alone"),
    ("user.max_user_namespaces", 0, 15_000, "there may be no user namespace"),
)
"""(name, the value that forbids, a value that allows, its effect)."""

LAYERS_OF_NAMESPACES = frozenset({"user", "pid", "mount", "net", "ipc", "uts"})


def ways_to_allow_namespaces(proc: Path = Path("/proc")) -> Iterator[str]:
    """Yield a line for each setting of this kernel that forbids namespaces, with the command that allows them.

    Args:
        proc: where the kernel shows its settings.
    """
    for name, forbidding, allowing, effect in SETTINGS:
        try:
            value = int(proc.joinpath("sys", *name.split(".")).read_text(encoding="ascii"))
        except (OSError, ValueError):
            # This kernel has no such setting.
            continue
        if value == forbidding:
            yield f"{effect} ({name} = {value}); to allow them until a restart: sudo sysctl -w {name}={allowing}"
