"""Java of a version as a language: `java17`, `java21`. Its programs have the language and library of that version.

A sandbox may have several JDKs. That of the version is taken where Debian and other packages put JDKs, otherwise the
one that programs find, if it is newer.
"""

from __future__ import annotations

from dataclasses import replace

from sandboxes.contract import Limits
from sandboxes.languages.base import Language, Recipe
from sandboxes.languages.compilers.java_compiler import warm_javac
from sandboxes.languages.java import COMPILER_FLAGS, JAVA, JAVA_LIST_FILE, JAVAC_FLAGS, JAVAC_OPTIONS, run_java
from sandboxes.languages.steps import Command

VERSIONS = ("17", "21")
FIND_JDK = 'for bin in /usr/lib/jvm/*-%s-*/bin; do if [ -x "$bin/javac" ]; then PATH=$bin:$PATH; fi; done'

SHOW_VERSION = 'javac --release %s -version 2>/dev/null || { echo "it has no Java %s" >&2; exit 1; }'


def of_version(version: str, argv: tuple[str, ...]) -> tuple[str, ...]:
    """Return a command that finds the commands of a version's JDK first.

    Args:
        version: one of VERSIONS.
        argv: the command's words.
    """
    return ("sh", "-c", f'{FIND_JDK % version}; exec "$@"', "sh", *argv)


def java_language(version: str) -> Language:
    """Return Java of a version: one of VERSIONS."""
    options = ("--release", version, *JAVAC_OPTIONS, f"@{JAVA_LIST_FILE}")
    warm = warm_javac(COMPILER_FLAGS, options)
    warm = replace(warm, argv=of_version(version, warm.argv))
    argv = of_version(version, ("javac", *JAVAC_FLAGS, *options))

    def build(limits: Limits) -> tuple[Command]:
        """Return the build command. The archive of `javac` is for the JDK that programs find, and is not used."""
        return (Command(argv, limits, reserves_memory=True, warm=warm),)

    def run(limits: Limits) -> Command:
        """Return the command that runs the program."""
        command = run_java(limits)
        assert command.argv is not None
        return replace(command, argv=of_version(version, command.argv))

    assert isinstance(JAVA.with_tests, Recipe)
    return replace(
        JAVA,
        name=f"java{version}",
        label=f"Java {version}",
        with_tests=replace(JAVA.with_tests, build=build, run=run),
        standalone=replace(JAVA.standalone, build=build, run=run),
        version=lambda: of_version(version, ("sh", "-c", SHOW_VERSION % (version, version))),
        package=f"openjdk-{version}-jdk-headless",
        image=f"eclipse-temurin:{version}, with Python",
        variant_of="java",
        tools=("javac", "java"),
        prepared_here=None,
    )


JAVA_VERSIONS = tuple(map(java_language, VERSIONS))
"""Java of each version by its own name."""
