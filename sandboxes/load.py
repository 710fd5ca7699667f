"""How busy this machine has been: what tells a program that sleeps from one that the machine kept from running."""

from __future__ import annotations

import os
import time
from collections import deque
from dataclasses import dataclass

SECONDS_BETWEEN_LOOKS = 0.25
SECONDS_REMEMBERED = 60.0
# Below it all CPUs are taken; and above it a container is held back by its quota.
IDLE_SHARE, THROTTLED_SHARE = 0.1, 0.05


@dataclass(frozen=True)
class Look:
    """What the system has counted up to a moment."""

    at: float
    """On the monotonic clock."""

    idle_ticks: int
    all_ticks: int
    """Of the CPUs that this process may use. Both 0 where the system does not say."""

    throttled_seconds: float
    """For which the container's quota of CPU time kept its processes from running."""


class Load:
    """What the CPUs did lately."""

    def __init__(self) -> None:
        """Begins with a first look."""
        self._looks: deque[Look] = deque([look()])

    def watch(self) -> None:
        """Looks again, if the last look was long enough ago. To be called often."""
        now = time.monotonic()
        if now - self._looks[-1].at < SECONDS_BETWEEN_LOOKS:
            return
        self._looks.append(look())
        while now - self._looks[0].at > SECONDS_REMEMBERED:
            self._looks.popleft()

    def was_high(self, seconds: float) -> bool:
        """Whether in the last seconds there was no CPU to spare. Where the system does not say: whether others wait."""
        now = look()
        # The last one before them, or else the first.
        before = next((each for each in reversed(self._looks) if now.at - each.at >= seconds), self._looks[0])
        if now.throttled_seconds - before.throttled_seconds > THROTTLED_SHARE * (now.at - before.at):
            return True
        ticks = now.all_ticks - before.all_ticks
        if ticks <= 0:
            return os.getloadavg()[0] >= (os.cpu_count() or 1)
        return now.idle_ticks - before.idle_ticks < IDLE_SHARE * ticks


def look() -> Look:
    """What the system says now."""
    idle, total = 0, 0
    try:
        with open("/proc/stat") as stat:
            rows = [line.split() for line in stat if line.startswith("cpu")]
        mine = {f"cpu{number}" for number in os.sched_getaffinity(0)}
        # user, nice, system, idle, iowait, irq, softirq, steal; guests' are in user and nice already.
        for counts in ([int(each) for each in row[1:9]] for row in rows if row[0] in mine):
            idle, total = idle + counts[3], total + sum(counts)
    except (OSError, ValueError, IndexError, AttributeError):
        idle, total = 0, 0
    return Look(time.monotonic(), idle, total, throttled_seconds())


def throttled_seconds() -> float:
    """For how long a container's quota has kept it from running; 0 where there is none."""
    try:
        with open("/sys/fs/cgroup/cpu.stat") as stat:
            counts = dict(line.split() for line in stat)
        return int(counts.get("throttled_usec", 0)) / 1e6
    except (OSError, ValueError):
        return 0.0
