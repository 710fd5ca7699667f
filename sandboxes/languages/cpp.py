"""C++, by its standards. `cpp` is C++17, and `cpp20` differs from it by one option of the compiler."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from functools import partial

from sandboxes.contract import Limits
from sandboxes.languages.apart.cpp import cpp_tests
from sandboxes.languages.base import Files, Language, Recipe
from sandboxes.languages.c_family import CPP, ONCE_OPTIONS, ONLINE_JUDGE, c_family_files
from sandboxes.languages.calls.cpp import cpp_call
from sandboxes.languages.compilers.cpp_headers import HEADERS_FILE, SHORT_FOLDER, compiled_headers, prepare_headers
from sandboxes.languages.compilers.quick_builds import IS_PREPARED, QUICK_FILE, quick_build, refusing
from sandboxes.languages.native import GOLD, MAIN_WRAPPER, RUN_PROGRAM, TOKEN_FILE, build_tag, token_assembly
from sandboxes.languages.steps import Command

CPP_ARGUMENTS_FILE = "code_eval_arguments"
CPP_OPTIONS = re.compile(r'// \{ dg-options "((?:-std=[\w+]+|-l\w+|-include [\w/.]+| )*)" \}\n')
"""A comment of GCC's own test suite. Tests that begin with it choose a standard, libraries, and headers."""

CPP_HEADERS = "/usr/include"
"""The folder of the libraries' headers."""

STANDARDS = ("11", "14", "17", "20", "23")
DEFAULT_STANDARD = "17"
"""The standard of `cpp`, and of judge programs."""

# Without these flags, a candidate that forgets its `return` lets the optimiser remove the tests' assertions.
CPP_TRAPS = ("-fsanitize=return,unreachable", "-fsanitize-undefined-trap-on-error")
# The token's file comes first: it then runs before the candidate's constructors.
CPP_PARTS = ("code_eval_program.cpp", MAIN_WRAPPER, f"@{CPP_ARGUMENTS_FILE}")

# An error in the program's own lines is the plain build's too, but not where a message names the compiled headers, nor
# where it may be about a template that these hold, or about a `main` that is not optimised.
OWN_ERRORS = '*candidate.cpp:[0-9]*": error: "* | *tests.cpp:[0-9]*": error: "*'
OTHER_ERRORS = f'*/{HEADERS_FILE}:* | *"internal compiler"* | *"after instantiation"* | ' + " | ".join(
    f'*"{words}"*'
    for words in ("attribute error", "frame size", "impossible constraint", "must be a", "inlining failed")
)


def cpp_flags(standard: str) -> tuple[str, ...]:
    """Return the compiler's options for a standard."""
    return (f"-std=c++{standard}", "-O2")


def cpp_compiler(standard: str = DEFAULT_STANDARD) -> tuple[str, ...]:
    """Return the command that compiles a program, without its files."""
    return ("g++", *cpp_flags(standard), "-o", "program")


def cpp_files(candidate: str, tests: str, standard: str = DEFAULT_STANDARD) -> dict[str, str]:
    """Return the files of a C++ program with tests: text by path."""
    match = CPP_OPTIONS.match(tests)
    chosen = match[1] if match else ""
    # A header that is chosen comes before the candidate's.
    standards = [option for option in chosen.split() if option.startswith("-std=")]
    options = (*cpp_flags(standard), *CPP_TRAPS, *standards)
    headers = "" if "-include" in chosen else compiled_headers(candidate, options)
    files = c_family_files(CPP, candidate, tests)
    if headers:
        tag = build_tag(candidate, tests)
        files[f"{TOKEN_FILE}.s"] = token_assembly(files[f"{TOKEN_FILE}.cpp"], tag, "cpp")
    return {**files, CPP_ARGUMENTS_FILE: f"{chosen}\n", QUICK_FILE: f"{headers}\n"}


def cpp_standalone_files(candidate: str, tests: str, standard: str = DEFAULT_STANDARD) -> dict[str, str]:
    """Return the files of a C++ candidate alone."""
    headers = compiled_headers(candidate, (*cpp_flags(standard), ONLINE_JUDGE))
    return {"candidate.cpp": candidate, QUICK_FILE: f"{headers}\n"}


def cpp_needs(files: Files) -> tuple[str, ...]:
    """Return the headers of libraries that a C++ program's tests name."""
    names = re.findall(r"-include (\S+)", files[CPP_ARGUMENTS_FILE])
    return tuple(f"{CPP_HEADERS}/{name}" for name in names)


def build_cpp(quick: tuple[str, ...], plain: tuple[str, ...]) -> Callable[[Limits], tuple[Command]]:
    """Return the build of C++ programs. The quick one includes the compiled headers of a program first."""
    headers = f'-include "$prepared" -I "${{prepared%/*}}/{SHORT_FOLDER}"'
    with_headers = refusing(f"{shlex.join(quick)} {headers} {GOLD}", OWN_ERRORS, OTHER_ERRORS)
    return quick_build(("g++",), IS_PREPARED, with_headers, f"exec {shlex.join(plain)}")


def cpp_language(standard: str, version: str = "") -> Language:
    """Return C++ of a standard.

    Args:
        standard: one of STANDARDS.
        version: the standard as part of the language's names; "" for those without one.
    """
    compiler = cpp_compiler(standard)
    with_tests = (*compiler, *CPP_TRAPS)
    standalone = (*compiler, ONLINE_JUDGE, "candidate.cpp")
    quick = (*with_tests, *ONCE_OPTIONS, f"{TOKEN_FILE}.s", *CPP_PARTS)
    plain = (*with_tests, f"{TOKEN_FILE}.cpp", *CPP_PARTS)
    return Language(
        name=f"cpp{version}",
        label=f"C++{version}",
        with_tests=Recipe(
            partial(cpp_files, standard=standard), build_cpp(quick, plain), RUN_PROGRAM, cpp_needs, sources=(".cpp",)
        ),
        standalone=Recipe(
            partial(cpp_standalone_files, standard=standard), build_cpp(standalone, standalone), RUN_PROGRAM
        ),
        version=lambda: ("g++", "--version"),
        package="g++",
        image="gcc:12",
        highlight="cpp",
        canary=(
            "int add(int a, int b) { return a + b; }",
            "#include <assert.h>\nint main() { assert(add(2, 3) == 5); }",
        ),
        calls=cpp_call,
        plain_tests=cpp_tests,
        aliases=(f"c++{version}",),
        variant_of="cpp" if version else "",
        tools=("g++", "ld", "ld.gold"),
        prepared_here=prepare_headers,
    )


CPP_LANGUAGE = cpp_language(DEFAULT_STANDARD)
CPP_STANDARDS = tuple(cpp_language(each, each) for each in STANDARDS)
"""C++ of each standard by its own name."""
