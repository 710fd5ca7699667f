"""The official form of HumanEval-X's problems in Go: one file with the tests, as for `go test`. Status 0 passes.

`go test` also runs `go vet`, which refuses some programs. Nothing does so here.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace

from code_tasks.benchmarks.humaneval_x import GO_PACKAGES
from code_tasks.benchmarks.official.forms import status_tests
from code_tasks.benchmarks.problems import Problem
from sandboxes.languages.comments import without_literals
from sandboxes.languages.go import GO_MAIN, GO_TEST

PACKAGE = "package main\n"
TEST_MAIN = re.compile(r"^func\s+TestMain\s*\(", re.MULTILINE)
IMPORTS = """
import (
	codeEvalOS "os"
	codeEvalReflect "reflect"
	codeEvalTesting "testing"
	codeEvalDeps "testing/internal/testdeps"
)
"""
# An init function, because a candidate may have a `main`. It is the last one, and comes after all variables.
START = """
func init() {
	codeEvalOS.Args = []string{"main.test", "-test.paniconexit0", "-test.timeout=%(seconds)ds"}
	tests := []codeEvalTesting.InternalTest{%(tests)s}
	m := codeEvalTesting.MainStart(codeEvalDeps.TestDeps{}, tests, nil, nil, nil)
	%(run)s
	codeEvalOS.Exit(int(codeEvalReflect.ValueOf(m).Elem().FieldByName("exitCode").Int()))
}
"""
RUN_MAIN = "TestMain(m)"


@dataclass(frozen=True)
class GoTestFile:
    """Makes the file of a completion, as the grader does, and starts its tests."""

    setup: str
    prompt: str
    test: str
    seconds: int

    def __call__(self, completion: str) -> str:
        """Return the file of a completion. The grader imports a package if its name and a dot stand anywhere in it."""
        names = [name for name in GO_PACKAGES if name not in self.setup]
        used = [f'"{name}"\n' for name in names if f"{name.rpartition('/')[2]}." in completion]
        imports = f"import (\n{'    '.join(used)})\n" if used else ""
        setup = self.setup.replace(PACKAGE, PACKAGE + IMPORTS, 1)
        text = f"{setup}\n{imports}{self.prompt}{completion}\n{self.test}"
        plain = without_literals(text)
        run = RUN_MAIN if TEST_MAIN.search(plain) else "m.Run()"
        tests = ", ".join(f'{{"{name}", {name}}}' for name in dict.fromkeys(GO_TEST.findall(plain)))
        main = "" if GO_MAIN.search(plain) else "\nfunc main() {}\n"
        return text + START % {"seconds": self.seconds, "tests": tests, "run": run} + main


def go_test_form(problem: Problem) -> Problem:
    """Return a problem in Go with tests that run as with `go test`. Problems in other languages stay as they are."""
    parts = problem.official
    if problem.language != "go" or not parts["test_setup"].startswith(PACKAGE):
        return problem
    prompt = parts["prompt"].replace(parts["import"], "")
    seconds = int(parts["limits"]["wall_seconds"])
    return replace(
        problem,
        prompt="",
        adds_imports=False,
        make_program=GoTestFile(parts["test_setup"], prompt, parts["test"], seconds),
        tests=json.dumps(status_tests()),
        limits=parts["limits"],
    )
