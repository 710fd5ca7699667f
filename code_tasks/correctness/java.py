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
from sandboxes.languages.java_compiler import warm_javac
from sandboxes.languages.steps import Command, StepPlan, TestRun, step_program

JARS_FOLDER = "/usr/share/java"
"""The folder of libraries in Debian's packages, on this machine and in images."""

JARS = {
    "JUnit 4": ("junit4.jar", "hamcrest-core.jar"),
    "JUnit 5": (
        "junit-platform-console-standalone.jar",
        "junit-jupiter-params.jar",
        "opentest4j.jar",
        "apiguardian-api.jar",
    ),
}
PACKAGES = {"JUnit 4": "junit4", "JUnit 5": "junit5"}
"""Debian's packages by test framework."""


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

RUNNER = "CodeEvalRunner"
TEST = re.compile(r"@(?:\w*Test|TestFactory|TestTemplate)\b")
IMPORT = re.compile(r"^[ \t]*import\s+(?:static\s+)?([\w.]+)", re.MULTILINE)
NO_PACKAGE = re.compile(r"error: package ([\w.]+) does not exist")
NO_NAME_IN_MOCKITO = re.compile(
    r"^ *location: (?:package org\.mockito\b|(?:class|interface) (?:\w*Mockito\w*|ArgumentMatchers)$|@interface Mock$)"
    r"|^ *symbol: +\w+ (?:Mocked(?:Static|Construction)|mock(?:Static|Construction)\w*|verifyNoInteractions)\b",
    re.MULTILINE,
)
NO_MOCK = re.compile(r"^(?:Cannot mock/spy |Mockito cannot mock)", re.MULTILINE)
"""Messages of a Mockito that is older than the test: newer ones have more names, and can mock final classes."""

KNOWN = ("java.", "javax.", "jdk.", "org.junit.", "org.hamcrest.", "junit.")

# Both runners end by `halt`. Otherwise threads that the tests have left could write after the completion token.
END = """\
        out.flush();
        if (failed) Runtime.getRuntime().halt(1);
        out.write(token, 0, token.length);
        out.flush();
        Runtime.getRuntime().halt(0);
"""
BEGIN = """\
public class CodeEvalRunner {
    public static void main(String[] names) throws Throwable {
        java.io.PrintStream out = System.out;
        byte[] token = System.in.readAllBytes();
        // Otherwise code that runs later could read the token again.
        new java.io.FileOutputStream("/proc/self/fd/0").close();
        boolean failed;
"""
RUNNERS = {
    "JUnit 4": BEGIN
    + """\
        org.junit.runner.Result result = org.junit.runner.JUnitCore.runClasses(Class.forName("%s"));
        for (org.junit.runner.notification.Failure failure : result.getFailures()) {
            System.err.println("failed: " + failure.getDescription().getDisplayName());
            System.err.println(failure.getTrace());
        }
        int ran = result.getRunCount() - (int) result.getAssumptionFailureCount();
        failed = !result.wasSuccessful() || ran == 0;
        if (ran == 0) System.err.println("no test ran");
"""
    + END
    + "    }\n}\n",
    "JUnit 5": BEGIN
    + """\
        var listener = new org.junit.platform.launcher.listeners.SummaryGeneratingListener();
        var request = org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder.request()
            .selectors(org.junit.platform.engine.discovery.DiscoverySelectors.selectClass(Class.forName("%s")))
            .build();
        org.junit.platform.launcher.core.LauncherFactory.create().execute(request, listener);
        var summary = listener.getSummary();
        for (var failure : summary.getFailures()) {
            System.err.println("failed: " + failure.getTestIdentifier().getDisplayName());
            failure.getException().printStackTrace();
        }
        failed = summary.getTotalFailureCount() > 0 || summary.getTestsSucceededCount() == 0;
        if (summary.getTestsSucceededCount() == 0) System.err.println("no test passed");
"""
    + END
    + "    }\n}\n",
}


def java_program(record: Record, limits: Limits, compile_seconds: float) -> Program:
    """Return the program that compiles a record's two files and runs its tests.

    Raises:
        UnusableRecordError: if the test is not for JUnit, or both files have the same path.
    """
    framework = detect_framework(record.test_code)
    focal, test = main_type(record.focal_code)[0], main_type(record.test_code)[0]
    if focal == test:
        raise UnusableRecordError(f"its code and its test are both {focal}")
    runner = RUNNERS[framework] % find_test_class(record.test_code)
    files = {focal: record.focal_code, test: record.test_code, f"{RUNNER}.java": runner}
    if mockito_extension.PREFIX in plain_text(record):
        files = mockito_extension.FILES | files
    files[JAVA_LIST_FILE] = "\n".join(files) + "\n"
    plan = plan_for(framework, used_libraries(record), limits, compile_seconds)
    return step_program(files, plan, limits, secrets.token_hex(TOKEN_BYTES))


@lru_cache(maxsize=16)
def plan_for(framework: str, libraries: tuple[str, ...], limits: Limits, compile_seconds: float) -> StepPlan:
    """Return the plan of programs with one framework and the same libraries. Equal arguments give the same object."""
    jars = class_path(framework, libraries)
    arguments = ("-cp", jars, f"@{JAVA_LIST_FILE}")
    warm = warm_javac(COMPILER_FLAGS, (*JAVAC_OPTIONS, *arguments))
    build = (Command((*JAVAC, *arguments), compiler_limits(limits, compile_seconds), reserves_memory=True, warm=warm),)
    run = java_command(limits, "-XX:TieredStopAtLevel=1", "-cp", f".:{jars}", RUNNER)
    return StepPlan(build, (TestRun(run, writes_token=True),))


def class_path(framework: str, libraries: tuple[str, ...]) -> str:
    """Return the class path of a test framework and of libraries, both by their names."""
    jars = [*JARS[framework], *(jar for name in libraries for jar in LIBRARIES[name].jars)]
    return ":".join(f"{JARS_FOLDER}/{jar}" for jar in dict.fromkeys(jars))


def used_libraries(record: Record) -> tuple[str, ...]:
    """Return the names of the LIBRARIES that a record's code or test names, in an import or elsewhere."""
    plain = plain_text(record)
    return tuple(name for name, library in LIBRARIES.items() if library.prefix in plain)


def plain_text(record: Record) -> str:
    """Return a record's code and test without comments."""
    return without_comments(record.focal_code) + "\n" + without_comments(record.test_code)


def detect_framework(test_code: str) -> str:
    """Return the JUnit version that a test imports.

    Raises:
        UnusableRecordError: if the test imports none.
    """
    imports = IMPORT.findall(without_comments(test_code))
    if any(name.startswith("org.junit.jupiter.") for name in imports):
        return "JUnit 5"
    if any(name.startswith(("org.junit.", "junit.framework.")) for name in imports):
        return "JUnit 4"
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
