"""Classes that are compiled once, with all that they take, archived as the virtual machine has them in memory.

Most of the start of a program in Java goes into loading and checking classes, and into compiling what is run from its
source.
"""

from __future__ import annotations

import hashlib
import shlex
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sandboxes.backends.host_state import QUICK_FOLDERS
from sandboxes.languages.compilers.java_archive import java_state
from sandboxes.languages.compilers.quick_builds import (
    IS_PREPARED,
    QUICK_FILE,
    folder_states,
    prepare,
    prepared_path,
    run_tool,
)

ARCHIVE, JAR = "classes.jsa", "classes.jar"

# An archive holds for the path of its jar, which has a folder of its own therefore, and is made first.
FIND_JAR = 'jar="${prepared%/*}-jar/' + JAR + '"'
IS_ARCHIVED = f"{IS_PREPARED} && {FIND_JAR} && {IS_PREPARED.replace('prepared', 'jar')}"
"""The shell's test for an archive and its jar that programs see, and can't change. It sets `$jar`."""


@dataclass(frozen=True)
class ArchivedClasses:
    """Our own classes for a language, and the classes that they take."""

    language: str
    sources: tuple[str, ...]
    """What the jar is compiled from."""

    class_path: str
    """The language's own."""

    java: tuple[str, ...]
    """The command of the virtual machine that makes the archive, with its flags."""

    compile_sources: Callable[[Path], None]
    """Compiles the sources, in the given empty folder, into its folder "classes"."""

    sample: Callable[[], Mapping[str, str]]
    """Returns the files of the program whose classes are archived."""

    arguments: tuple[str, ...]
    """Of the virtual machine that runs the sample, from its main class on."""

    def command(self, java: tuple[str, ...], *arguments: str) -> str:
        """Return the shell's command that uses the archive. It needs IS_ARCHIVED before.

        Args:
            java: the command of the virtual machine, with its flags.
            arguments: of it, from its main class on.
        """
        path = f'"-XX:SharedArchiveFile=$prepared" -cp {shlex.quote(self.class_path)}:"$jar"'
        return f"{shlex.join(java)} {path} {shlex.join(arguments)}"

    @property
    def quick_line(self) -> str:
        """The text of QUICK_FILE."""
        return f"{prepared_path(lambda: self.folder, ARCHIVE)}\n"

    @cached_property
    def folder(self) -> str:
        """The name of the archive's folder, which depends on virtual machine, language and sources.

        Raises:
            SandboxUnavailable: if there is no virtual machine.
        """
        state = (java_state("java"), folder_states(*self.class_path.split(":")), self.java, self.sources)
        return f"{QUICK_FOLDERS}{self.language}-{hashlib.sha256(repr(state).encode()).hexdigest()[:12]}"

    def prepare(self) -> tuple[str, ...]:
        """Return the folders of jar and archive, which programs must see. The first call makes both."""
        jar = prepare(lambda: f"{self.folder}-jar", self.compile_into)
        return (*jar, *prepare(lambda: self.folder, self.archive_into)) if jar else ()

    def compile_into(self, partial: Path, folder: Path) -> None:
        """Make the jar. The arguments are those of `kept_folder`."""
        with tempfile.TemporaryDirectory() as work:
            classes = Path(work, "classes")
            classes.mkdir()
            self.compile_sources(Path(work))
            with zipfile.ZipFile(partial / JAR, "w") as jar:
                for path in sorted(classes.rglob("*.class")):
                    jar.write(path, path.relative_to(classes))

    def archive_into(self, partial: Path, folder: Path) -> None:
        """Make the archive. The arguments are those of `kept_folder`."""
        jar = folder.with_name(f"{folder.name}-jar") / JAR
        with tempfile.TemporaryDirectory() as work:
            for path, text in self.sample().items():
                Path(work, path).write_text(text)
            flags = (f"-XX:ArchiveClassesAtExit={partial / ARCHIVE}", "-cp", f"{self.class_path}:{jar}")
            run_tool(*self.java, *flags, *self.arguments, folder=work)


def choose(quick: str, plain: str) -> str:
    """Return a shell's script that runs the first command where IS_ARCHIVED holds, and the second one elsewhere."""
    return f"read -r prepared <{QUICK_FILE}\nif {IS_ARCHIVED}; then exec {quick}; fi\nexec {plain}\n"
