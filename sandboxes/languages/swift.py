"""Swift.

Candidate and tests are modules of their own, compiled apart. The candidate's statements at the top level are run first,
and then the tests. The tests see what the candidate declares, but nothing in place of what they judge by: `swift_uses`
reads in their object what they use of it.

Between compiler and linker, the objects lose the names that the other must not see. The candidate's keeps the names of
its own module, so that it defines no function of the libraries. The tests' keeps its entry point alone. The tests'
failed assertions go to the token's file.
"""

from __future__ import annotations

import json
import re

from sandboxes.contract import Limits
from sandboxes.languages.apart.swift import swift_tests
from sandboxes.languages.apart.swift_results import RESULTS_MARK
from sandboxes.languages.base import Language, Recipe, fixed_run
from sandboxes.languages.comments import C_COMMENTS, without_literals
from sandboxes.languages.native import MAIN_WRAPPER, TOKEN_FILE, build_tag, token_source
from sandboxes.languages.steps import Command
from sandboxes.languages.swift_uses import (
    CANDIDATE_MODULE,
    READER,
    READER_FILE,
    RULES_FILE,
    check_uses,
    pinned_types,
    rejection,
    use_rules,
)

BUILD_FILE = "code_eval_build.sh"
LIBRARIES = "Foundation|FoundationEssentials|Glibc|Dispatch|RegexBuilder|Synchronization"
IMPORT = re.compile(rf"^[ \t]*import[ \t]+(?:(?:func|struct|class|enum|let|var)[ \t]+)?({LIBRARIES})\b", re.MULTILINE)
OWN_IMPORT = re.compile(rf"\bimport[ \t]+\w+[ \t]+{CANDIDATE_MODULE}\.")
ENTRY_POINT = re.compile(r"@main\b")

# The tests' own functions of these names come before those of all modules.
TESTS_LAST = """
#sourceLocation(file: "code_eval.swift", line: 1)
@_silgen_name("code_eval_fail_%(tag)s")
func codeEvalFail(_ line: UInt, _ text: Swift.UnsafePointer<Swift.CChar>?) -> Swift.Never
@_silgen_name("code_eval_done_%(tag)s") func codeEvalDone()
func assert(_ holds: @autoclosure () -> Swift.Bool, _ text: @autoclosure () -> Swift.String = "",
    file: Swift.StaticString = #file, line: Swift.UInt = #line) {
    if !holds() { codeEvalFail(line, text()) }
}
func precondition(_ holds: @autoclosure () -> Swift.Bool, _ text: @autoclosure () -> Swift.String = "",
    file: Swift.StaticString = #file, line: Swift.UInt = #line) {
    if !holds() { codeEvalFail(line, text()) }
}
func assertionFailure(_ text: @autoclosure () -> Swift.String = "",
    file: Swift.StaticString = #file, line: Swift.UInt = #line) {
    codeEvalFail(line, text())
}
func preconditionFailure(_ text: @autoclosure () -> Swift.String = "",
    file: Swift.StaticString = #file, line: Swift.UInt = #line) -> Swift.Never {
    codeEvalFail(line, text())
}
func fatalError(_ text: @autoclosure () -> Swift.String = "",
    file: Swift.StaticString = #file, line: Swift.UInt = #line) -> Swift.Never {
    codeEvalFail(line, text())
}
@_silgen_name("code_eval_say_%(tag)s") func codeEvalSay(_ text: Swift.UnsafePointer<Swift.CChar>)
@_silgen_name("code_eval_raised_%(tag)s") func codeEvalRaised(_ error: any Swift.Error) {
    codeEvalSay("Error: \\(error)\\n")
}
codeEvalDone()
"""
DECLARATIONS = """\
int fflush(void *), code_eval_candidate_%(tag)s(int, char **), code_eval_entry_%(tag)s(int, char **);
void code_eval_raised_%(tag)s(void *) __attribute__((swiftcall));
"""
RUN = """\
%(candidate)s
    status = code_eval_entry_%(tag)s(argc, argv);
    if (!status) status = 1;"""
RUN_CANDIDATE = "code_eval_candidate_%(tag)s(argc, argv);"
# An assertion without a message shows its line of the tests. An error that nothing catches comes in place of a status.
FUNCTIONS = """\
static const char *const lines[] = {%(lines)s};
void code_eval_fail_%(tag)s(unsigned long line, const char *text) {
    char digits[24], *number = digits + sizeof digits;
    unsigned long rest = line;
    fflush(0);
    *--number = 0;
    do *--number = (char)('0' + rest %% 10);
    while (rest /= 10);
    say("program: tests.swift:"), say(number), say(": Assertion `");
    if (text && *text) say(text);
    else if (line - 1 < sizeof lines / sizeof *lines) say(lines[line - 1]);
    say("' failed.\\n");
    die();
}
void code_eval_say_%(tag)s(const char *text) { say(text); }
void code_eval_error_%(tag)s(void *error) {
    fflush(0);
    code_eval_raised_%(tag)s(error);
    end(1);
}
static void write_all(const char *text, unsigned long length) {
    /* Not in a child process, as for the token. */
    if (call(SYS_getpid, 0, 0, 0, 0) != process) return;
    for (unsigned long written = 0; written < length;) {
        long count = call(SYS_write, output, (long)(text + written), (long)(length - written), 0);
        if (count <= 0) break;
        written += (unsigned long)count;
    }
}
void code_eval_results_%(tag)s(const char *text, unsigned long length) {
    fflush(0);
    write_all(text, length);
}
/* Nothing of the candidate's comes after it. A program with `await` at its top level never returns from its entry. */
void code_eval_done_%(tag)s(void) {
    fflush(0);
    write_token();
    end(0);
}
"""
COMPILE = (
    "swiftc -c -suppress-warnings -diagnostic-style llvm -module-cache-path code_eval_modules -Xfrontend"
    " -entry-point-function-name -Xfrontend"
)
"""What the compilations of both parts have in common."""

# Modules of C are compiled once for both parts, because they are compiled with the same options.
BUILD = """\
set -e
exec >&2
%(rejection)s
tools=$(dirname "$(readlink -f "$(command -v swiftc)")")
parts=tests
if [ -s candidate.swift ]; then
    parts="candidate tests"
    %(compile)s code_eval_candidate_%(tag)s -O -Xcc -O0 -assert-config Debug %(library)s -wmo \\
        -enable-testing -emit-module -module-name %(module)s -o candidate.o candidate.swift
fi
%(compile)s code_eval_entry_%(tag)s -module-name CodeEvalTests -I. -o tests.o code_eval_tests_%(tag)s.swift
%(uses)s
"$tools/clang" -w -c %(token)s.c
for part in $parts; do ld -r --force-group-allocation -o $part.part.o $part.o; done
[ "$parts" = tests ] || objcopy --wildcard --keep-global-symbol='*%(length)d%(module)s*' \\
    --keep-global-symbol=code_eval_candidate_%(tag)s candidate.part.o
objcopy --keep-global-symbol=code_eval_entry_%(tag)s --keep-global-symbol=code_eval_raised_%(tag)s \\
    --redefine-sym swift_errorInMain=code_eval_error_%(tag)s tests.part.o
swiftc -o program %(token)s.o $(printf '%%s.part.o ' $parts) -lm -Xlinker %(wrapper)s -Xlinker -s
find . -mindepth 1 ! -name program -delete
"""
STANDALONE = """\
set -e
exec >&2
swiftc -O -assert-config Debug -suppress-warnings -diagnostic-style llvm -module-cache-path code_eval_modules \\
    %(library)s -o program candidate.swift -lm
find . -mindepth 1 ! -name program -delete
"""
# With the variable, no other program looks at one that has crashed. A program that gets no more addresses would crash
# without a reason, so the memory that it uses is limited in their place.
RUN_PROGRAM = fixed_run("env", "SWIFT_BACKTRACE=enable=no", "./program", reserves_memory=True)


def swift_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a program with tests, with the script that builds it: text by path."""
    if not tests.strip():
        # The candidate is its own test.
        candidate, tests = "", candidate
    tag = build_tag(candidate, tests)
    has_candidate = bool(candidate.strip())
    library = as_library(candidate)
    is_plain = RESULTS_MARK in tests
    names = {"tag": tag, "module": CANDIDATE_MODULE, "length": len(CANDIDATE_MODULE)}
    run_candidate = RUN_CANDIDATE % names if has_candidate and not library else ""
    source = tests.replace(RESULTS_MARK, f"code_eval_results_{tag}")
    lines = ", ".join(c_literal(line.strip()) for line in tests.split("\n"))
    script = {
        **names,
        "compile": COMPILE,
        "library": library,
        "rejection": "" if is_plain else rejection(candidate),
        "uses": check_uses(candidate, tests) if has_candidate and not is_plain else "",
        "token": TOKEN_FILE,
        "wrapper": MAIN_WRAPPER.removeprefix("-Wl,"),
    }
    return {
        "candidate.swift": candidate if has_candidate else "",
        f"code_eval_tests_{tag}.swift": tests_first(candidate, tests) + source + TESTS_LAST % names,
        f"{TOKEN_FILE}.c": token_source(
            DECLARATIONS % names,
            RUN % {**names, "candidate": run_candidate},
            FUNCTIONS % {**names, "lines": lines},
        ),
        RULES_FILE: use_rules(tests),
        READER_FILE: READER,
        BUILD_FILE: BUILD % script,
    }


def tests_first(candidate: str, tests: str) -> str:
    """Return what comes before the tests: imports, those of the candidate's libraries too, and names of types."""
    parts = [f"import {name}" for name in dict.fromkeys(IMPORT.findall(without_literals(candidate)))]
    if candidate.strip() and not OWN_IMPORT.search(tests):
        parts.append(f"@testable import {CANDIDATE_MODULE}")
    parts += [f"typealias {name} = Swift.{name}" for name in pinned_types(candidate, tests)]
    return "; ".join(parts) + '\n#sourceLocation(file: "tests.swift", line: 1)\n'


def c_literal(line: str) -> str:
    """Return a line as a literal in C. Characters that it might not hold become question marks."""
    return json.dumps("".join(char if " " <= char <= "~" else "?" for char in line)).replace("??", "?\\?")


def standalone_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of the candidate alone."""
    return {"candidate.swift": candidate, BUILD_FILE: STANDALONE % {"library": as_library(candidate)}}


def as_library(candidate: str) -> str:
    """Return the compiler's option for a candidate without statements at its top level, which has a type with `@main`.

    Without it, the compiler takes the text for such statements.
    """
    return "-parse-as-library" if ENTRY_POINT.search(without_literals(candidate)) else ""


def build(limits: Limits) -> tuple[Command]:
    """Return the command that builds a program. Swift's own modules include the headers of the C library."""
    needs = ("swiftc", "awk", "ld", "nm", "objcopy", "/usr/include/stdio.h")
    return (Command(("sh", BUILD_FILE), limits, reserves_memory=True, needs=needs),)


SWIFT = Language(
    name="swift",
    label="Swift",
    with_tests=Recipe(
        swift_files,
        build,
        RUN_PROGRAM,
        sources=(".swift", ".c", ".awk", ".sh", RULES_FILE),
    ),
    standalone=Recipe(standalone_files, build, RUN_PROGRAM),
    version=lambda: ("swiftc", "--version"),
    package="swiftlang and libc6-dev (of Debian 13, not of Debian 12)",
    image="debian:trixie with swiftlang, libc6-dev and python3",
    highlight="cpp",
    canary=("func add(a: Int, b: Int) -> Int { a + b }\n", "assert(add(a: 2, b: 3) == 5)\n"),
    comments=C_COMMENTS,
    plain_tests=swift_tests,
    tools=("swiftc", "ld", "objcopy"),
)
