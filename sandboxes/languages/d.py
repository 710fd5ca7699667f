"""D.

Candidate and tests are modules of their own, compiled apart. The tests name a declaration of the candidate's, and it
becomes theirs, unless it would hide one of JUDGES. Each of the tests' `unittest` blocks is run, and then their `main`.

Between compiler and linker, the objects lose the names that the other must not see. The candidate's keeps the names of
its own module, so that it defines no function of the libraries. The tests' keeps its entry point alone: its copies of
templates are not exchanged for the candidate's. The tests' failed assertions go to the token's file.
"""

from __future__ import annotations

import json
import re

from sandboxes.contract import Limits
from sandboxes.languages.apart.d import d_tests
from sandboxes.languages.base import MEMORY_STATUS, Language, Recipe, fixed_build
from sandboxes.languages.comments import D_COMMENTS, without_literals
from sandboxes.languages.native import MAIN_WRAPPER, RUN_PROGRAM, TOKEN_FILE, build_tag, token_source
from sandboxes.languages.steps import Command

BUILD_FILE = "code_eval_build.sh"
WORD = re.compile(r"[^\W\d]\w*")
MODULE = re.compile(r"^[ \t]*module\s+[\w.]+\s*;", re.MULTILINE)
IMPORT = re.compile(r"\bimport\s+(?:\w+\s*=\s*)?([^;{}()\"]{1,400});")
LIBRARY = re.compile(r"(?:std|core)(?:\.\w+)+")
EXTERNAL = re.compile(r"\bextern\s*\(C\)[^;{}()]*?(\w+)\s*\(")
DECLARED = re.compile(r"(\w+)\s*[(=;{]")
CANDIDATE = re.compile(r"\balias\s+candidate\s*=\s*(\w+)\s*;")
NOT_ALIASES = ("core", "main", "object", "std")
"""Names of a candidate's module that are never the tests': its packages, and its own entry point."""

JUDGES = {
    "object": ("string", "wstring", "dstring", "size_t", "Object", "Exception", "Error", "Throwable", "TypeInfo"),
    "std.algorithm": ("canFind", "equal", "isSorted"),
    "std.algorithm.comparison": ("equal",),
    "std.conv": ("text", "to"),
    "std.exception": ("assertNotThrown", "assertThrown", "collectException", "collectExceptionMsg", "enforce"),
    "std.math": ("abs", "approxEqual", "fabs", "feqrel", "isClose", "isNaN"),
    "std.range": ("equal",),
    "std.typecons": ("Nullable", "Tuple", "nullable", "tuple"),
}
"""Names that tests judge by, by module. If a part imports the module, the tests mean these, and not the candidate's."""

CANDIDATE_MODULE = "code_eval_candidate"
"""The name by which tests may call the candidate's module."""

TESTS_FIRST = """\
module code_eval_tests_%(tag)s; static import code_eval_candidate = candidate; %(imports)s \
private bool codeEvalIs(string name, string[] words) { foreach (each; words) if (each == name) return 1; return 0; } \
static foreach (codeEvalName; __traits(allMembers, code_eval_candidate)) \
static if (codeEvalIs(codeEvalName, [%(words)s])) \
mixin("alias ", codeEvalName, " = __traits(getMember, code_eval_candidate, codeEvalName);");
#line 1 "tests.d"
"""
# The compiler can't call `main` by its name.
TESTS_LAST = """
#line 1 "code_eval.d"
private pragma(mangle, "_Dmain") extern (D) int codeEvalMain(string[] arguments);

extern (C) int code_eval_entry_%(tag)s()
{
    static import core.stdc.stdio;
    static import core.exception;

    try
    {
        foreach (test; __traits(getUnitTests, mixin(__MODULE__)))
        {
            void function() run = &test;
            run();
        }
        static if (is(typeof(main) == function))
            if (int status = codeEvalMain(null))
                return status;
        core.stdc.stdio.fflush(null);
        return 0;
    }
    catch (core.exception.OutOfMemoryError error)
        return %(memory_status)d;
    catch (Throwable error)
    {
        auto type = typeid(error).name;
        core.stdc.stdio.fprintf(core.stdc.stdio.stderr, "%%.*s@%%.*s(%%u): %%.*s\\n",
            cast(int) type.length, type.ptr, cast(int) error.file.length, error.file.ptr,
            cast(uint) error.line, cast(int) error.msg.length, error.msg.ptr);
        return 1;
    }
}
"""
DECLARATIONS = """\
int rt_init(void), rt_term(void), code_eval_entry_%(tag)s(void);
"""
RUN = """\
status = 1;
    if (rt_init()) {
        status = code_eval_entry_%(tag)s();
        if (!rt_term() && !status) status = 1;
    }"""
# A text of D is a length and an address. An assertion without a message shows its line of the tests.
ASSERTS = """\
static const char *const lines[] = {%(lines)s};
static void fail(unsigned long length, const char *text, unsigned line) __attribute__((noreturn));
static void fail(unsigned long length, const char *text, unsigned line) {
    char digits[16], *number = digits + sizeof digits;
    unsigned rest = line;
    *--number = 0;
    do *--number = (char)('0' + rest %% 10);
    while (rest /= 10);
    say("program: tests.d("), say(number), say("): Assertion `");
    if (text) call(SYS_write, 2, (long)text, length, 0);
    else if (line - 1 < sizeof lines / sizeof *lines) say(lines[line - 1]);
    say("' failed.\\n");
    die();
}
%(functions)s"""
PLAIN = "void code_eval_%(name)s_%(tag)s(unsigned long n, const char *file, unsigned line) { fail(0, 0, line); }"
WITH_MESSAGE = """\
void code_eval_%(name)s_msg_%(tag)s(unsigned long n, const char *text, unsigned long m, const char *file, unsigned line)
{ fail(n, text, line); }"""
# The exception that D throws then does not always reach a handler.
NO_MEMORY = """\
void onOutOfMemoryError(void *none) { end(%(memory_status)d); }
void onOutOfMemoryErrorNoGC(void) { end(%(memory_status)d); }
"""
FAILING = ("_d_assert", "_d_unittest")
"""The functions that failed assertions call. Each has a sister for assertions with a message."""

BUILD = """\
set -e
ldc2 -c -O2 -of=candidate.o candidate.d
ldc2 -c -unittest -linkonce-templates -of=tests.o code_eval_tests_%(tag)s.d
gcc -c %(token)s.c
for part in candidate tests; do ld -r --force-group-allocation -o $part.part.o $part.o; done
objcopy --wildcard --keep-global-symbol='_D*9candidate*' %(kept)s candidate.part.o
objcopy --keep-global-symbol=code_eval_entry_%(tag)s %(renamed)s tests.part.o
ldc2 -of=program %(token)s.o tests.part.o candidate.part.o -L%(wrapper)s
"""


def d_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a program with tests, with the script that builds it: text by path."""
    if not tests.strip():
        # The candidate is its own test.
        candidate, tests = "", candidate
    tag = build_tag(candidate, tests)
    names = {"tag": tag, "memory_status": MEMORY_STATUS}
    imports, words = names_of_tests(candidate, tests)
    first = TESTS_FIRST % {**names, "imports": imports, "words": words}
    renamed = [f"{name}{kind}=code_eval_{name}{kind}_{tag}" for name in FAILING for kind in ("", "_msg")]
    functions = [text % {**names, "name": name} for name in FAILING for text in (PLAIN, WITH_MESSAGE)]
    functions.append(NO_MEMORY % names)
    lines = ", ".join(c_literal(line.strip()) for line in tests.split("\n"))
    return {
        "candidate.d": MODULE.sub("", candidate, count=1),
        f"code_eval_tests_{tag}.d": first + MODULE.sub("", tests, count=1) + TESTS_LAST % names,
        f"{TOKEN_FILE}.c": token_source(
            DECLARATIONS % names, RUN % names, ASSERTS % {"lines": lines, "functions": "\n".join(functions)}
        ),
        BUILD_FILE: BUILD
        % {
            **names,
            "token": TOKEN_FILE,
            "wrapper": MAIN_WRAPPER.removeprefix("-Wl,"),
            "kept": " ".join(f"--keep-global-symbol={name}" for name in external_names(candidate, tests)),
            "renamed": " ".join(f"--redefine-sym {pair}" for pair in renamed),
        },
    }


def names_of_tests(candidate: str, tests: str) -> tuple[str, str]:
    """Return what tests see beside their own text.

    Returns:
        (imports, of the candidate's libraries too; the words of the tests that may be the candidate's names, as D's
        literals).
    """
    libraries = [
        library for part in (candidate, tests) for group in IMPORT.findall(part) for library in LIBRARY.findall(group)
    ]
    words = {*WORD.findall(tests)} - declared_names(tests)
    tested = {*CANDIDATE.findall(tests)}
    imports, judges = [f"import {library};" for library in dict.fromkeys(libraries)], set[str]()
    for library, names in JUDGES.items():
        if library != "object" and not any(f"{each}.".startswith(f"{library}.") for each in libraries):
            continue
        used = sorted(words.intersection(names) - tested - judges)
        judges.update(used)
        # Names of the module come before those of `import library`.
        imports += [f"import {library} : {', '.join(used)};"] if used and library != "object" else []
    return " ".join(imports), ", ".join(f'"{word}"' for word in sorted(words - judges))


def external_names(candidate: str, tests: str) -> list[str]:
    """Return the names of the candidate's functions with a name of C's that the tests call."""
    return sorted({*EXTERNAL.findall(without_literals(candidate))} & {*WORD.findall(tests)} - declared_names(tests))


def declared_names(tests: str) -> set[str]:
    """Return names that tests declare outside of all braces, or import one by one."""
    plain, outside, depth = without_literals(tests), [], 0
    for part in re.split("([{}])", plain):
        outside += [part] if depth == 0 else []
        depth = max(0, depth + (part == "{") - (part == "}"))
    imported = [group.partition(":")[2] for group in IMPORT.findall(plain)]
    return {*DECLARED.findall(IMPORT.sub("", "".join(outside))), *WORD.findall(" ".join(imported)), *NOT_ALIASES}


def c_literal(line: str) -> str:
    """Return a line as a literal in C. Characters that it might not hold become question marks."""
    return json.dumps("".join(char if " " <= char <= "~" else "?" for char in line)).replace("??", "?\\?")


def run_program(limits: Limits) -> Command:
    """Return the command that runs a program with tests."""
    return Command(("./program",), limits, memory_status=MEMORY_STATUS)


D = Language(
    name="d",
    label="D",
    with_tests=Recipe(d_files, fixed_build(("sh", BUILD_FILE)), run_program, sources=(".d",)),
    standalone=Recipe(
        lambda candidate, tests: {"candidate.d": candidate},
        fixed_build(("ldc2", "-O2", "-of=program", "candidate.d")),
        RUN_PROGRAM,
    ),
    version=lambda: ("ldc2", "--version"),
    package="ldc with gcc",
    image="debian:bookworm with ldc, gcc and python3",
    highlight="cpp",
    canary=("int add(int a, int b) { return a + b; }", "unittest { assert(add(2, 3) == 5); }"),
    comments=D_COMMENTS,
    plain_tests=d_tests,
    aliases=("dlang",),
    tools=("ldc2", "gcc", "ld", "objcopy"),
    paths=("/etc/ldc2.conf",),
)
