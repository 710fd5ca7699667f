"""Go records of CodeCorrectness: the packages of their files, and the program that runs the tests like `go test`."""

from __future__ import annotations

import re
import secrets
from functools import lru_cache

from code_tasks.correctness.records import InvalidTestError, Record, UnusableRecordError
from sandboxes import Limits, Outcome, Program, Verdict
from sandboxes.languages.base import TOKEN_BYTES, compiler_limits
from sandboxes.languages.comments import without_comments
from sandboxes.languages.compilers.go_toolchain import CODE_FILE, MAIN_FILE, TEST_FILE, TOKEN_FILE
from sandboxes.languages.compilers.go_toolchain import build as build_go
from sandboxes.languages.go import GO_TOKEN_SOURCE, parse_imports, token_variable
from sandboxes.languages.steps import Command, StepPlan, TestRun, step_program

PACKAGE = re.compile(r"^[ \t]*package[ \t]+(\w+)", re.MULTILINE)
TEST = re.compile(r"^func[ \t]+(Test(?:[^\Wa-z]\w*)?)[ \t]*\([ \t]*\w*[ \t]*\*testing\.T[ \t]*\)", re.MULTILINE)
TEST_MAIN = re.compile(r"^func[ \t]+TestMain[ \t]*\([ \t]*\w*[ \t]*\*testing\.M[ \t]*\)", re.MULTILINE)
OTHER = re.compile(r"^func[ \t]+(?:Example|Fuzz)", re.MULTILINE)
LIBRARIES = ("github.com/stretchr/testify/",)
PATH = re.compile(r'"([^"]+)"')
SYNTAX = re.compile(rf"^(?:\./)?{re.escape(TEST_FILE)}:[\d:]+ (syntax error: .*)$", re.MULTILINE)
NO_PACKAGE = re.compile(r"could not import (\S+) ")
# The tests' standard output is redirected to standard error, so that the completion token comes last.
MAIN = """\
package main

import (
%(imports)s	codeEvalOS "os"
	codeEvalSync "sync"
	codeEvalTesting "testing"
	codeEvalDeps "testing/internal/testdeps"

	codeEvalTests "candidate"
)

func main() {
	var lock codeEvalSync.Mutex
	passed, ended := 0, 0
	stdout := codeEvalOS.Stdout
	codeEvalOS.Stdout = codeEvalOS.Stderr
	tests := []codeEvalTesting.InternalTest{%(tests)s}
	total := len(tests)
	for number := range tests {
		test := tests[number].F
		tests[number].F = func(t *codeEvalTesting.T) {
			t.Cleanup(func() {
				lock.Lock()
				defer lock.Unlock()
				ended++
				if !t.Failed() && !t.Skipped() {
					passed++
				}
				if t.Failed() {
					passed = -total - 1
				}
				if ended == total && passed > 0 {
					stdout.Write(codeEvalTests.%(token)s)
				}
			})
			test(t)
		}
	}
	if total == 0 {
		println("there is no test")
		codeEvalOS.Exit(1)
	}
	m := codeEvalTesting.MainStart(codeEvalDeps.TestDeps{}, tests, nil, nil, nil)
	%(run)s
}
"""
RUN = "codeEvalOS.Exit(m.Run())"
# A TestMain that only calls Run leaves its status to the testing package.
RUN_TEST_MAIN = '{}TestMain(m)\n\tcodeEvalOS.Exit(int(codeEvalReflect.ValueOf(m).Elem().FieldByName("exitCode").Int()))'


def go_program(record: Record, limits: Limits, compile_seconds: float) -> Program:
    """Return the program that compiles a record's two files and runs its tests.

    Raises:
        UnusableRecordError: if one of the files has no package, or they do not belong together.
        SandboxUnavailable: if Go is not installed.
    """
    package, test_package = package_of(record, "focal_code"), package_of(record, "test_code")
    is_external = test_package == f"{package}_test"
    if test_package != package and not is_external:
        raise UnusableRecordError(
            f"its test is of package {test_package}, which is neither {package} nor {package}_test"
        )
    # Go can't import a `main` package.
    name = "candidate" if package == "main" else package
    test_code = with_package(record.test_code, "main" if is_external else name)
    if is_external and (path := import_path(record.test_code, package)):
        test_code = test_code.replace(f'"{path}"', '"candidate"', 1)
    token = token_variable()
    files = {
        CODE_FILE: with_package(record.focal_code, name),
        TEST_FILE: test_code,
        TOKEN_FILE: GO_TOKEN_SOURCE % (name, token),
        MAIN_FILE: main_source(without_comments(record.test_code), is_external, token),
    }
    plan = plan_for(is_external, limits, compile_seconds)
    return step_program(files, plan, limits, secrets.token_hex(TOKEN_BYTES))


def main_source(test_code: str, is_external: bool, token: str) -> str:
    """Return the source of the `main` package, which runs the tests.

    Args:
        test_code: the tests, without comments.
        is_external: whether the tests are in the `main` package, and not in the code's.
        token: the variable of the code's package that holds the completion token.

    Raises:
        UnusableRecordError: if all tests are examples or fuzz targets.
    """
    names = [name for name in TEST.findall(test_code) if name != "TestMain"]
    if not names and OTHER.search(test_code):
        raise UnusableRecordError("its tests are examples or fuzz targets, which are not run")
    prefix = "" if is_external else "codeEvalTests."
    run, imports = RUN, ""
    if TEST_MAIN.search(test_code):
        run, imports = RUN_TEST_MAIN.format(prefix), '\tcodeEvalReflect "reflect"\n'
    tests = ", ".join(f'{{"{name}", {prefix}{name}}}' for name in names)
    return MAIN % {"imports": imports, "tests": tests, "run": run, "token": token}


@lru_cache(maxsize=16)
def plan_for(is_external: bool, limits: Limits, compile_seconds: float) -> StepPlan:
    """Return the plan of programs. Tests of the code's package are compiled with the code, others with `main`."""
    code = (TOKEN_FILE, CODE_FILE, *(() if is_external else (TEST_FILE,)))
    main = (MAIN_FILE, *((TEST_FILE,) if is_external else ()))
    build = build_go(compiler_limits(limits, compile_seconds), code, main)
    return StepPlan(build, (TestRun(Command(("./program",), limits, True), writes_token=True),))


def package_of(record: Record, name: str) -> str:
    """Return the package of one of a record's files.

    Args:
        record: the record.
        name: the file's field, "focal_code" or "test_code".

    Raises:
        UnusableRecordError: if the file names no package.
    """
    clause = PACKAGE.search(without_comments(getattr(record, name)))
    if not clause:
        raise UnusableRecordError(f"its {name} has no package clause")
    return clause[1]


def with_package(code: str, package: str) -> str:
    """Return a file with another package name. Its lines stay where they were."""
    clause = PACKAGE.search(without_comments(code))
    return code[: clause.start(1)] + package + code[clause.end(1) :] if clause else code


def import_path(test_code: str, package: str) -> str:
    """Return the path under which tests of another package import the code, or "" if they do not."""
    lines = parse_imports(without_comments(test_code))
    paths = {quoted[1]: line[: quoted.start()].strip() for line in lines if (quoted := PATH.search(line))}
    paths = {path: alias for path, alias in paths.items() if not path.startswith(LIBRARIES)}
    # The last part of a path is the package's name, unless it is a version such as v2.
    named = [path for path in paths if re.sub(r"/v\d+$", "", path).rpartition("/")[2] == package]
    with_host = [path for path in paths if "." in path.partition("/")[0]]
    aliased = [path for path, alias in paths.items() if alias == package]
    both = [path for path in named if path in with_host or "/" in path]
    return next((path for paths in (both, named, aliased, with_host) for path in paths), "")


def go_problem(record: Record, verdict: Verdict) -> str:
    """Return why a run says nothing about the code, or "" if it does.

    Raises:
        InvalidTestError: if the test is not valid Go.
    """
    if verdict.outcome is not Outcome.COMPILE_ERROR:
        return ""
    if error := SYNTAX.search(verdict.stderr):
        raise InvalidTestError(f"its test is not valid Go: {error[1]}")
    package, test_package = package_of(record, "focal_code"), package_of(record, "test_code")
    own = project_of(import_path(record.test_code, package)) if test_package != package else ""
    for path in NO_PACKAGE.findall(verdict.stderr):
        if "." in path.partition("/")[0] and project_of(path) != own:
            return f"it needs the Go package {path}, which is not installed"
    return ""


def project_of(path: str) -> str:
    """Return the first three parts of an import path, which the packages of one project share."""
    return "/".join(path.split("/")[:3])
