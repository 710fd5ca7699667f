"""Builds of Scala and Kotlin by the drivers of their compilers."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sandboxes.contract import Limits
from sandboxes.languages.compilers.archived_classes import IS_ARCHIVED, ArchivedClasses, choose
from sandboxes.languages.compilers.java_compiler import QUIET_FLAGS
from sandboxes.languages.compilers.jvm_driver import DRIVER_CLASS, DRIVER_FILE, PUBLIC_CLASS
from sandboxes.languages.compilers.quick_builds import QUICK_FILE, REFUSED_STATUS, quick_build, run_tool
from sandboxes.languages.java import COMPILER_FLAGS
from sandboxes.languages.steps import Command, WarmCompiler

PACKAGE = "java.base/jdk.internal.org.objectweb.asm"
EXPORTS = tuple(f"--add-exports={PACKAGE}{part}=ALL-UNNAMED" for part in ("", ".tree"))
JAVA = ("java", *COMPILER_FLAGS, "-Xss8m", *EXPORTS)


@dataclass(frozen=True)
class JvmDriver:
    """The driver of a language: the program that runs its compiler, once or for many programs."""

    language: str
    source: str
    """Of the driver, which is one of each program's files too."""

    class_path: str
    """Of the compiler."""

    options: tuple[str, ...]
    """Of the compiler."""

    sample: Callable[[], Mapping[str, str]]
    """Returns the files of a program that uses much of the language."""

    @cached_property
    def classes(self) -> ArchivedClasses:
        """The driver and the compiler, as far as the sample takes it."""
        arguments = (DRIVER_CLASS, *self.options)
        sources = (self.source, *self.options)
        return ArchivedClasses(
            self.language, sources, self.class_path, JAVA, self.compile_driver, self.sample, arguments
        )

    def files(self) -> dict[str, str]:
        """Return the files that the build of each program reads."""
        return {DRIVER_FILE: self.source, QUICK_FILE: self.classes.quick_line}

    def build(self, limits: Limits) -> tuple[Command, ...]:
        """Return the `build` of a recipe: the driver compiles one program, or stays for many."""
        plain = ("-cp", self.class_path, DRIVER_FILE)
        refusing = (*JAVA, f"-Dcode_eval.refused={REFUSED_STATUS}")
        staying = (*JAVA, *QUIET_FLAGS)
        stay = choose(self.classes.command(staying, DRIVER_CLASS), shlex.join((*staying, *plain)))
        return quick_build(
            ("java", *self.class_path.split(":")),
            IS_ARCHIVED,
            self.classes.command(refusing, DRIVER_CLASS, *self.options),
            f"exec {shlex.join((*JAVA, *plain, *self.options))}",
            WarmCompiler(("sh", "-c", stay), self.files(), self.options),
        )(limits)

    def compile_driver(self, work: Path) -> None:
        """Compile the driver, as `ArchivedClasses.compile_sources` does."""
        (work / f"{PUBLIC_CLASS}.java").write_text(self.source)
        options = ("-proc:none", "-nowarn", *EXPORTS, "-cp", self.class_path, "-d", "classes")
        run_tool("javac", *options, f"{PUBLIC_CLASS}.java", folder=str(work))
