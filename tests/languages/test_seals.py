"""Programs in Java, Go, JavaScript and TypeScript that look for their completion token, to leave early."""

import json

import pytest

from sandboxes import Limits, Outcome
from sandboxes.languages.programs import build_program
from support.language_programs import PROGRAMS
from support.languages import language_pool
from support.observers import passes
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow

NAMES = ("java", "go", "javascript", "typescript")
JAVA = """\
import java.io.*;
import java.nio.*;
class Solution {
    static int add(int a, int b) throws Exception {
        System.out.write(System.in.readAllBytes());
        var input = new FileInputStream(FileDescriptor.in).getChannel().position(0);
        var bytes = ByteBuffer.allocate(100);
        input.read(bytes);
        System.out.write(bytes.array(), 0, bytes.position());
        System.out.write(new FileInputStream("/proc/self/fd/0").readAllBytes());
        System.out.flush();
        Runtime.getRuntime().halt(0);
        return 5;
    }
}
"""
JAVA_TESTS = PROGRAMS["java"].tests.replace("String[] args)", "String[] args) throws Exception")
GO = """\
package main

import (
    "io"
    "os"
)

var first = look()

func init() { look(); os.Exit(0) }

func look() int {
    said, _ := io.ReadAll(os.Stdin)
    os.Stdout.Write(said)
    os.Stdin.Seek(0, 0)
    said, _ = io.ReadAll(os.Stdin)
    os.Stdout.Write(said)
    said, _ = os.ReadFile("/proc/self/fd/0")
    os.Stdout.Write(said)
    return 0
}

func add(a, b int) int { return 5 }
"""
JAVASCRIPT = """\
const files = require("fs");
const bytes = Buffer.alloc(100);
const length = files.readSync(0, bytes, 0, 100, 0);
files.writeSync(1, bytes.subarray(0, length));
files.writeSync(1, files.readFileSync(0));
files.writeSync(1, files.readFileSync("/proc/self/fd/0"));
process.reallyExit(0);
"""
LOOKS = {
    "java": (JAVA, JAVA_TESTS),
    "go": (GO, PROGRAMS["go"].tests),
    "javascript": (JAVASCRIPT, ""),
    "typescript": (JAVASCRIPT.replace("process.", "(process as any)."), ""),
}
SILENT = {
    "java": "System.setOut(new java.io.PrintStream(new java.io.ByteArrayOutputStream())); return a + b;",
    "go": "os.Stdout, _ = os.Create(os.DevNull)\n\treturn a + b",
    "javascript": 'require("fs").writeSync = () => 0; return a + b;',
    "typescript": 'require("fs").writeSync = () => 0; return a + b;',
}


@pytest.fixture(scope="module", params=NAMES)
def language(request):
    """Return the name of each of these languages."""
    return request.param


@pytest.fixture(scope="module")
def run(language):
    """Return a function that runs a candidate with its tests: (candidate, tests) -> (verdict, completion token)."""
    pool = language_pool(language)

    def run_one(candidate, tests):
        program = build_program(language, candidate, tests, Limits(wall_seconds=WALL_SECONDS))
        return pool.run_all([program], 1)[0], json.loads(program.candidate)["token"]

    return run_one


def test_no_token_on_standard_input(run, language):
    """A candidate finds no token on its standard input in any way of reading, and one that exits is EXITED."""
    verdict, token = run(*LOOKS[language])
    assert (verdict.outcome, verdict.attempts) == (Outcome.EXITED, 1), (verdict.detail, verdict.stderr)
    assert (token in verdict.stdout, verdict.stdout) == (False, "")


def test_a_candidate_that_takes_the_output_away(run, language):
    """A right candidate that replaces its output stream passes."""
    candidate = PROGRAMS[language].add
    for body in ("return a + b;", "return a + b"):
        if body in candidate:
            passes(run(candidate.replace(body, SILENT[language]), PROGRAMS[language].tests)[0])
            return
    raise AssertionError(candidate)


def test_go_s_names_are_the_candidate_s():
    """A Go candidate may give its functions the names of packages that the token's file imports."""
    pool = language_pool("go")
    candidate = "package main\n\nfunc io() int { return 2 }\n\nfunc os() int { return 3 }\n"
    candidate += "\nfunc add(a, b int) int { return io() + os() }\n"
    program = build_program("go", candidate, PROGRAMS["go"].tests, Limits(wall_seconds=WALL_SECONDS))
    passes(pool.run_all([program], 1)[0])
