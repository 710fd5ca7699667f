"""Tools that records of CodeCorrectness need, and the check that a sandbox has them.

The check runs before the first record. Otherwise each record would fail for a reason that is not in its code.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import PathFinder
from importlib.metadata import entry_points

from code_tasks.correctness.java import LIBRARIES, required_framework, used_libraries
from code_tasks.correctness.records import Record
from sandboxes import Evaluator, Limits, ProgramBatch, SandboxUnavailable, Verdict
from sandboxes.backends.import_paths import site_folders
from sandboxes.languages.compilers.go_toolchain import compiled_stdlib
from sandboxes.languages.java_junit import JARS, JARS_FOLDER, PACKAGES
from sandboxes.languages.steps import SCRIPT_FILE, Command, StepPlan, TestRun, step_program

CHECK_TIMEOUT_SECONDS = 60.0
JDK_SCRIPT = "import shutil\nassert shutil.which('javac') and shutil.which('java')"
IMAGE_HINT = "an image that has it"


@dataclass(frozen=True)
class Need:
    """A tool that records need."""

    script: str
    """Python code that succeeds in a sandbox with the tool."""

    message: str
    """The error for a sandbox without the tool. {sandbox} in it stands for the sandbox's name."""


def check_needs(evaluator: Evaluator, records: Sequence[Record]) -> None:
    """Raise SandboxUnavailable if a sandbox lacks a tool that records need; the message says what to install."""
    for need in needs_of(records):
        if error := find_lack(evaluator, need):
            raise error


def missing_libraries(evaluator: Evaluator, records: Mapping[int, Record]) -> dict[int, SandboxUnavailable]:
    """Return the records that name a library that the sandbox lacks, each with an error that says what to install.

    Few records use these libraries, so the other records are run without them.

    Args:
        evaluator: with the sandbox.
        records: by their index, which the answer has, too.
    """
    used = {index: used_libraries(record) for index, record in records.items() if record.language == "java"}
    errors: dict[int, SandboxUnavailable] = {}
    for name in sorted({name for names in used.values() for name in names}):
        library = LIBRARIES[name]
        need = tool("java", name, jars_script(library.jars), debian_hint(library.package), IMAGE_HINT)
        if error := find_lack(evaluator, need):
            errors |= {index: error for index, names in used.items() if name in names}
    return errors


def find_lack(evaluator: Evaluator, need: Need) -> SandboxUnavailable | None:
    """Return the error for a tool that a sandbox lacks; None if the sandbox has it."""
    plan = StepPlan((), (TestRun(Command(None, Limits(wall_seconds=CHECK_TIMEOUT_SECONDS))),))
    [result] = evaluator.run(ProgramBatch([step_program({SCRIPT_FILE: need.script}, plan, Limits())]))
    if isinstance(result, Verdict) and result.passed:
        return None
    return SandboxUnavailable(need.message.format(sandbox=evaluator.config.sandbox.name))


def needs_of(records: Iterable[Record]) -> Iterator[Need]:
    """Yield the tools that records need."""
    by_language: dict[str, list[Record]] = {}
    for record in records:
        by_language.setdefault(record.language, []).append(record)
    if "python" in by_language:
        yield tool("python", "pytest", "import pytest", "install it for this interpreter", 'packages=["pytest"]')
    if "go" in by_language:
        folder = compiled_stdlib()[0]
        yield Need(
            f"open({folder + '/packages'!r}).close()",
            f"go records need {folder}, which programs in the {{sandbox}} sandbox can't read: "
            "set XDG_CACHE_HOME to a folder that is in nobody's home",
        )
    if "java" in by_language:
        yield tool("java", "javac", JDK_SCRIPT, debian_hint("openjdk-17-jdk-headless"), IMAGE_HINT)
    for framework in sorted({required_framework(record.test_code) for record in by_language.get("java", ())}):
        yield tool("java", framework, jars_script(JARS[framework]), debian_hint(PACKAGES[framework]), IMAGE_HINT)


def jars_script(jars: Iterable[str]) -> str:
    """Return Python code that succeeds in a sandbox with these files of JARS_FOLDER."""
    return f"import os\nassert all(map(os.path.exists, {[f'{JARS_FOLDER}/{jar}' for jar in jars]}))"


def debian_hint(package: str) -> str:
    """Return how a tool is installed on this machine."""
    return f"install Debian's package {package}"


def tool(language: str, name: str, script: str, hint: str, docker_hint: str) -> Need:
    """Return the need of a tool that is installed.

    Args:
        language: the records' language.
        name: the tool's name.
        script: as `Need` has it.
        hint: how the tool is installed on this machine.
        docker_hint: how a container gets the tool.
    """
    message = f"{language} records need {name}, which the {{sandbox}} sandbox does not have: {hint}, "
    return Need(script, message + f'or use sandbox="docker" with {docker_hint}')


def pytest_modules() -> list[str]:
    """Return the modules that pytest imports: itself, plugins and their libraries. Most tests take less time."""
    plugins = entry_points(group="pytest11")
    libraries = [plugin.dist.name.replace("-", "_") for plugin in plugins if plugin.dist]
    names = ["pytest", *(plugin.module for plugin in plugins), *libraries]
    return [name for name in names if PathFinder.find_spec(name.partition(".")[0], site_folders())]
