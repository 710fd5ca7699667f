"""Java records of CodeCorrectness: the paths of their files, and the class that runs the tests with JUnit."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from functools import lru_cache

from code_tasks.correctness import mockito_extension
from code_tasks.correctness.records import Record, UnusableRecordError
from sandboxes import Limits, Outcome, Program, Verdict
from sandboxes.languages.base import COMPILE_SECONDS, TOKEN_BYTES, compiler_limits
from sandboxes.languages.comments import without_comments
from sandboxes.languages.compilers.java_compiler import warm_javac
from sandboxes.languages.java import (
    COMPILER_FLAGS,
    JAVA_LIST_FILE,
    JAVA_PACKAGE,
    JAVA_PUBLIC,
    JAVAC,
    JAVAC_OPTIONS,
    enclosing_class,
    find_main_type,
    java_command,
)
from sandboxes.languages.java_junit import JARS, RUNNER, TEST, class_path, detect_framework, runner_source
from sandboxes.languages.steps import Command, StepPlan, TestRun, step_program


@dataclass(frozen=True)
class Library:
    """A library that records may use beside their test framework."""

    prefix: str
    """The beginning of its packages' names."""

    jars: tuple[str, ...]
    """Its files in JARS_FOLDER, with those of the libraries that it needs itself."""

    package: str
    """Debian's package."""


LIBRARIES = {
    "Mockito": Library(
        "org.mockito.",
        ("mockito-core.jar", "byte-buddy.jar", "byte-buddy-agent.jar", "objenesis.jar"),
        "libmockito-java",
    ),
    "Hamcrest": Library("org.hamcrest.", ("hamcrest-core.jar",), "libhamcrest-java"),
}

NO_PACKAGE = re.compile(r"error: package ([\w.]+) does not exist")
NO_NAME_IN_MOCKITO = re.compile(
    r"^ *location: (?:package org\.mockito\b|(?:class|interface) (?:\w*Mockito\w*|ArgumentMatchers)$|@interface Mock$)"
    r"|^ *symbol: +\w+ (?:Mocked(?:Static|Construction)|mock(?:Static|Construction)\w*|verifyNoInteractions)\b",
    re.MULTILINE,
)
NO_MOCK = re.compile(r"^(?:Cannot mock/spy |Mockito cannot mock)", re.MULTILINE)
"""Messages of a Mockito that is older than the test: newer ones have more names, and can mock final classes."""

KNOWN = ("java.", "javax.", "jdk.", "org.junit.", "org.hamcrest.", "junit.")


def java_program(record: Record, limits: Limits, compile_seconds: float) -> Program:
    """Return the program that compiles a record's two files and runs its tests.

    Raises:
        UnusableRecordError: if the test is not for JUnit, or both files have the same path.
    """
    framework = required_framework(record.test_code)
    focal, test = main_type(record.focal_code)[0], main_type(record.test_code)[0]
    if focal == test:
        raise UnusableRecordError(f"its code and its test are both {focal}")
    runner = runner_source(framework, record.test_code, [find_test_class(record.test_code)])
    files = {focal: record.focal_code, test: record.test_code, f"{RUNNER}.java": runner}
    if mockito_extension.PREFIX in plain_text(record):
        files = mockito_extension.FILES | files
    files[JAVA_LIST_FILE] = "\n".join(files) + "\n"
    plan = plan_for(framework, used_libraries(record), limits, compile_seconds)
    return step_program(files, plan, limits, secrets.token_hex(TOKEN_BYTES))


@lru_cache(maxsize=16)
def plan_for(framework: str, libraries: tuple[str, ...], limits: Limits, compile_seconds: float) -> StepPlan:
    """Return the plan of programs with one framework and the same libraries. Equal arguments give the same object."""
    jars = class_path((*JARS[framework], *(jar for name in libraries for jar in LIBRARIES[name].jars)))
    arguments = ("-cp", jars, f"@{JAVA_LIST_FILE}")
    warm = warm_javac(COMPILER_FLAGS, (*JAVAC_OPTIONS, *arguments))
    build = (Command((*JAVAC, *arguments), compiler_limits(limits, compile_seconds), reserves_memory=True, warm=warm),)
    run = java_command(limits, "-XX:TieredStopAtLevel=1", "-cp", jars, RUNNER)
    return StepPlan(build, (TestRun(run, writes_token=True),))


def used_libraries(record: Record) -> tuple[str, ...]:
    """Return the names of the LIBRARIES that a record's code or test names, in an import or elsewhere."""
    plain = plain_text(record)
    return tuple(name for name, library in LIBRARIES.items() if library.prefix in plain)


def plain_text(record: Record) -> str:
    """Return a record's code and test without comments."""
    return without_comments(record.focal_code) + "\n" + without_comments(record.test_code)


def required_framework(test_code: str) -> str:
    """Return the JUnit version that a test imports.

    Raises:
        UnusableRecordError: if the test imports none.
    """
    if framework := detect_framework(test_code):
        return framework
    raise UnusableRecordError("its test imports neither JUnit 4 nor JUnit 5")


def main_type(code: str) -> tuple[str, str]:
    """Return the path of a file and the full name of its main type, from its package and its public type."""
    plain = without_comments(code)
    package, declared = JAVA_PACKAGE.search(plain), find_main_type(plain)
    name = declared[1] if declared else "Unnamed"
    full = f"{package[1]}.{name}" if package else name
    return full.replace(".", "/") + ".java", full


def find_test_class(test_code: str) -> str:
    """Return the full name of the class with the tests: the public one, otherwise the one around the first test."""
    plain = without_comments(test_code)
    first_test = TEST.search(plain)
    _, full = main_type(test_code)
    if JAVA_PUBLIC.search(plain) or not first_test:
        return full
    return full[: full.rfind(".") + 1] + enclosing_class(plain[: first_test.start()])


def java_problem(record: Record, verdict: Verdict) -> str:
    """Return why a run says nothing about the code, or "" if it does. `syntax_program` checks the test's syntax."""
    is_mockito = not verdict.passed and "Mockito" in used_libraries(record)
    if is_mockito and NO_MOCK.search(verdict.stderr):
        return "it mocks a type that the installed version of Mockito can't mock"
    if verdict.outcome is not Outcome.COMPILE_ERROR:
        return ""
    if is_mockito and NO_NAME_IN_MOCKITO.search(verdict.stderr):
        return "it names something of Mockito that the installed version does not have"
    own = project_prefix(main_type(record.focal_code)[1])
    for package in NO_PACKAGE.findall(verdict.stderr):
        if not (package + ".").startswith(KNOWN) and project_prefix(package) != own:
            return f"it needs the Java package {package}, which is not installed"
    return ""


def project_prefix(name: str) -> str:
    """Return the first two parts of a name, which the names of one project share."""
    return ".".join(name.split(".")[:2])


def may_be_invalid_test(record: Record, verdict: Verdict) -> bool:
    """Return whether a compiler's errors are all in the test, which then may not be Java at all."""
    if verdict.outcome is not Outcome.COMPILE_ERROR:
        return False
    path, _ = main_type(record.test_code)
    error_paths = re.findall(r"^([^\s:]+\.java):\d+: error: ", verdict.stderr, re.MULTILINE)
    return bool(error_paths) and set(error_paths) == {path}


def syntax_program(record: Record, limits: Limits) -> Program:
    """Return a program that passes if a record's test can be parsed."""
    path, _ = main_type(record.test_code)
    stop = ("-XDshould-stop.ifNoError=PARSE", "-XDshouldStopPolicyIfNoError=PARSE")
    command = Command((*JAVAC, *stop, path), compiler_limits(limits, COMPILE_SECONDS), reserves_memory=True)
    return step_program({path: record.test_code}, StepPlan((), (TestRun(command),)), limits)
