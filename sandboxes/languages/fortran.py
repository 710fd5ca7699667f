"""Fortran.

Candidate and tests are compiled apart, and the tests' program uses the candidate's modules and functions. Before they
are linked, the candidate's object loses all names but those that the tests need and no library has, so that it defines
no function of the libraries. Intrinsic functions that the tests judge by are the compiler's, and so are its modules.
"""

from __future__ import annotations

import re

from sandboxes.contract import Limits
from sandboxes.languages.apart import fortran_results
from sandboxes.languages.apart.fortran import fortran_tests
from sandboxes.languages.base import MEMORY_STATUS, Language, Recipe, fixed_build
from sandboxes.languages.comments import FORTRAN_COMMENTS
from sandboxes.languages.native import MAIN_WRAPPER, RUN_PROGRAM, TOKEN_FILE, build_tag, token_source
from sandboxes.languages.steps import Command

BUILD_FILE = "code_eval_build.sh"
JUDGES = "abs all any epsilon int len len_trim merge nint real size trim"
"""Intrinsic functions that tests judge by. The compiler refuses a module with one of them in tests that use it."""

INTRINSIC_MODULES = "ieee_arithmetic ieee_exceptions ieee_features iso_c_binding iso_fortran_env omp_lib openacc"
OWN_MODULES = f"{INTRINSIC_MODULES} {fortran_results.MODULE_NAME}"
"""Modules that a candidate has no part in."""

PROGRAM = re.compile(r"^[ \t]*program\s+\w+[ \t]*(?:![^\n]*)?\n", re.MULTILINE | re.IGNORECASE)
# Statements that come before declarations, with comments and empty lines among them.
FIRST_STATEMENTS = re.compile(
    r"(?:[ \t]*(?:use\b[^\n&]*(?:&[ \t]*\n[^\n&]*)*|implicit\b[^\n]*|import\b[^\n]*|![^\n]*)?\n)*", re.IGNORECASE
)
USE = re.compile(r"^[ \t]*use\b", re.MULTILINE | re.IGNORECASE)

DECLARATIONS = """\
int __real_main(int, char **, char **);
void _gfortran_flush_i4(int *);
void exit(int);
"""
RUN = """\
status = __real_main(argc, argv, environment);
    _gfortran_flush_i4(0);"""
# The tests' `stop` ends the program well, and the candidate's does not. Messages are a text and its length.
FUNCTIONS = """\
static void stop(int status) {
    _gfortran_flush_i4(0);
    if (status == 0) write_token();
    exit(status);
    end(status);
}
void code_eval_stop_text_%(tag)s(const char *text, unsigned long length, int quiet) {
    if (text && !quiet) say("STOP "), call(SYS_write, 2, (long)text, length, 0), say("\\n");
    stop(0);
}
void code_eval_stop_number_%(tag)s(int status, int quiet) { stop(status); }
void code_eval_no_memory_%(tag)s(const char *where, const char *text) {
    say(where), say(": "), say(text), end(%(memory_status)d);
}
"""
BUILD = """\
set -e
mkdir modules
gfortran %(flags)s -c -O2 -Jmodules -o candidate.o candidate.f90
for name in %(modules)s; do rm -f "modules/$name.mod"; done
# Only now: the candidate could have included them.
mv code_eval_tests_%(tag)s.f90 tests.f90
gfortran %(flags)s -c -O1 -Imodules -o tests.o tests.f90
gcc -c %(token)s.c
{
    echo %(token)s
    nm tests.o | sed -n 's/.* C //p'
    LC_ALL=C gfortran -o program tests.o 2>&1 | sed -n "s/.*undefined references* to .\\([^']*\\)'.*/\\1/p"
} | grep -vx main >names
objcopy --keep-global-symbols=names --redefine-sym _gfortran_os_error_at=code_eval_no_memory_%(tag)s candidate.o
objcopy --redefine-sym _gfortran_stop_string=code_eval_stop_text_%(tag)s \\
    --redefine-sym _gfortran_stop_numeric=code_eval_stop_number_%(tag)s tests.o
gfortran -o program %(token)s.o tests.o candidate.o %(wrapper)s
"""
FLAGS = "-ffree-line-length-none -fno-backtrace -fdiagnostics-plain-output"


def fortran_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a program with tests, with the script that builds it: text by path."""
    if not tests.strip():
        # The candidate is its own test.
        candidate, tests = "", candidate
    writes_results = fortran_results.USE_MODULE in tests
    names = {"tag": build_tag(candidate, tests), "memory_status": MEMORY_STATUS}
    build = {"flags": FLAGS, "modules": OWN_MODULES, "token": TOKEN_FILE, "wrapper": MAIN_WRAPPER}
    return {
        "candidate.f90": f"{candidate}\n",
        f"code_eval_tests_{names['tag']}.f90": f"{tests if writes_results else with_judges(tests)}\n",
        f"{TOKEN_FILE}.c": token_source(
            DECLARATIONS, RUN, FUNCTIONS % names + (fortran_results.WRITER if writes_results else "")
        ),
        BUILD_FILE: BUILD % {**names, **build},
    }


def with_judges(tests: str) -> str:
    """Return tests whose program declares that the functions in JUDGES, as far as it uses them, are intrinsic."""
    words = {word.lower() for word in re.findall(r"\w+", tests)}
    used = [name for name in JUDGES.split() if name in words]
    program = PROGRAM.search(tests)
    if not used or not program or not USE.search(tests):
        return tests
    first = FIRST_STATEMENTS.match(tests, program.end())
    assert first is not None
    # On a line that is there already, so that the lines keep their numbers.
    return f"{tests[: first.end() - 1]}; intrinsic :: {', '.join(used)}{tests[first.end() - 1 :]}"


def run_program(limits: Limits) -> Command:
    """Return the command that runs a program with tests."""
    return Command(("./program",), limits, memory_status=MEMORY_STATUS)


FORTRAN = Language(
    name="fortran",
    label="Fortran",
    with_tests=Recipe(fortran_files, fixed_build(("sh", BUILD_FILE)), run_program, sources=(".f90",)),
    standalone=Recipe(
        lambda candidate, tests: {"candidate.f90": candidate},
        fixed_build(("gfortran", *FLAGS.split(), "-O2", "-o", "program", "candidate.f90")),
        RUN_PROGRAM,
    ),
    version=lambda: ("gfortran", "--version"),
    package="gfortran",
    image="debian:bookworm with gfortran and python3",
    highlight="sql",
    canary=(
        "module sums\ncontains\n  integer function add(a, b)\n    integer, intent(in) :: a, b\n    add = a + b\n"
        "  end function\nend module\n",
        "program tests\n  use sums\n  if (add(2, 3) /= 5) error stop\nend program\n",
    ),
    plain_tests=fortran_tests,
    comments=FORTRAN_COMMENTS,
    aliases=("f90", "f95"),
    tools=("gfortran", "gcc", "ld", "objcopy"),
)
