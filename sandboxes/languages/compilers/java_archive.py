"""The classes of `javac`, archived once as the virtual machine has them in memory. Used by `java`.

Most of the compiler's time goes into loading and checking its own classes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

from sandboxes.backends.host_state import PROGRAM_PATH, QUICK_FOLDERS
from sandboxes.errors import SandboxUnavailable
from sandboxes.languages.compilers.quick_builds import folder_states, prepare, prepared_path, run_tool

ARCHIVE = "javac.jsa"

# The archive holds the classes that compiling this text takes.
SAMPLE = """\
import java.util.*;
import java.util.function.*;
import java.util.stream.*;

public class Sample {
    interface Shape { double area(); }
    record Square(double side) implements Shape { public double area() { return side * side; } }
    enum Kind { FIRST, SECOND }
    static <T extends Comparable<T>> Optional<T> largest(Collection<? extends T> values) {
        T best = null;
        for (T each : values) if (best == null || each.compareTo(best) > 0) best = each;
        return Optional.ofNullable(best);
    }
    static String name(Kind kind) {
        switch (kind) {
            case FIRST: return "first";
            default: return kind + "!";
        }
    }
    public static void main(String[] arguments) throws Exception {
        Map<String, List<Integer>> groups = new HashMap<>();
        for (int number = 0; number < 9; number++)
            groups.computeIfAbsent(number % 2 == 0 ? "even" : "odd", key -> new ArrayList<>()).add(number);
        int[][] table = {{1, 2}, {3, 4}};
        Function<Integer, Integer> twice = value -> 2 * value;
        var sum = groups.values().stream().flatMap(List::stream).map(twice).collect(Collectors.toList());
        try {
            assert sum.size() == 9 && table[1][0] == 3 : "the sample is wrong";
        } catch (RuntimeException | Error error) {
            throw new IllegalStateException(error);
        } finally {
            System.out.println(largest(sum).get() + name(Kind.FIRST) + new Square(2).area());
        }
    }
}
"""


def java_state(command: str) -> list[tuple[str, int, int]]:
    """Return the state of the virtual machine's files, for which an archive of its classes holds.

    Args:
        command: one of its commands, which is needed.

    Raises:
        SandboxUnavailable: if it is not installed.
    """
    path = shutil.which(command, path=PROGRAM_PATH)
    if path is None:
        raise SandboxUnavailable(f"{command} is not installed")
    home = Path(os.path.realpath(path)).parent.parent
    return folder_states(str(home / "lib" / "modules"), str(home / "release"))


@lru_cache(maxsize=1)
def archive_folder(flags: tuple[str, ...]) -> str:
    """Return the name of the archive's folder, which depends on the virtual machine.

    Args:
        flags: of the virtual machine.

    Raises:
        SandboxUnavailable: if there is no `javac`.
    """
    state = (java_state("javac"), flags, SAMPLE)
    return f"{QUICK_FOLDERS}java-{hashlib.sha256(repr(state).encode()).hexdigest()[:12]}"


def archive_path(flags: tuple[str, ...]) -> str:
    """Return the path of the archive; "" if there is no compiler here."""
    return prepared_path(lambda: archive_folder(flags), ARCHIVE)


def prepare_archive(flags: tuple[str, ...]) -> tuple[str, ...]:
    """Return the folder of the archive, which programs must see. The first call makes the archive."""

    def compile_into(partial: Path, folder: Path) -> None:
        with tempfile.TemporaryDirectory() as work:
            Path(work, "Sample.java").write_text(SAMPLE)
            archive = f"-J-XX:ArchiveClassesAtExit={partial / ARCHIVE}"
            run_tool("javac", archive, *flags, "-proc:none", "-d", work, "Sample.java", folder=work)

    return prepare(lambda: archive_folder(flags), compile_into)
