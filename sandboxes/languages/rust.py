"""Rust: how programs are built, and run."""

from __future__ import annotations

import shlex

from sandboxes.languages.apart.rust import rust_tests
from sandboxes.languages.base import Language, Recipe
from sandboxes.languages.calls.rust import rust_call
from sandboxes.languages.compilers import rust_library
from sandboxes.languages.compilers.quick_builds import IS_PREPARED, quick_build, refusing
from sandboxes.languages.compilers.rust_crates import crates_folder
from sandboxes.languages.native import MAIN_WRAPPER, RUN_PROGRAM, TOKEN_FILE
from sandboxes.languages.rust_source import (
    RUST_ARGUMENTS_FILE,
    RUST_EDITION,
    RUST_LIBRARY_FILE,
    rust_files,
    rust_needs,
    rust_standalone_files,
    rust_test_names,
)

COMPILER = ("rustc", "-C", "opt-level=2", "-o", "program", "candidate.rs")
# A candidate may forbid what only the generated code has, such as unsafe attributes.
CAP_LINTS = ("--cap-lints", "allow")
TOKEN_OBJECT = ("gcc", "-O2", "-c", f"{TOKEN_FILE}.c")
STANDALONE = (*COMPILER, "--edition", RUST_EDITION)
WITH_TESTS = (*COMPILER, f"@{RUST_ARGUMENTS_FILE}", *CAP_LINTS, "-C", f"link-arg={MAIN_WRAPPER}")
# Linking Rust's library into a program, with its symbols for debuggers, takes longer than compiling the program.
# GCC's faster linker, gold, is known to make mistakes with Rust.
QUICKLY = ("-C", "prefer-dynamic", "-C", "rpath", "-C", "codegen-units=1")
MAY_LOAD = '[ -n "$prepared" ]'
# An error with a number and a place is the plain build's too, unless it is about libraries.
OWN_ERRORS = '*"error[E0"*" --> "*.rs:[0-9]*'
OTHER_ERRORS = (
    '*"error[E0152]"* | *"error[E046"* | *"internal compiler"* | *"linking with"*'
    # A compiled library may be broken, or of another compiler, and messages name what is in it by other paths.
    ' | *"error[E0514]"* | *"error[E0786]"* | *code_eval_library* | *code_eval_calls* | *CodeEvalStatus*'
    " | *Shown* | *Plain*"
)


def linked_with_token(suffix: str) -> str:
    """Return the command that builds a program with a form of the token's file, as a shell has it."""
    return shlex.join((*WITH_TESTS, "-C", f"link-arg={TOKEN_FILE}.{suffix}"))


def quickly(build: str) -> str:
    """Return a quick build, as a shell has it.

    Args:
        build: the plain build's command.
    """
    prepared = f"if {IS_PREPARED}; then set -- @{RUST_LIBRARY_FILE}; fi"
    return refusing(f'{prepared}; {build} {shlex.join(QUICKLY)} "$@"', OWN_ERRORS, OTHER_ERRORS)


BUILD_WITH_TESTS = quick_build(
    ("gcc", "rustc"),
    MAY_LOAD,
    quickly(linked_with_token("s")),
    f"{shlex.join(TOKEN_OBJECT)} && exec {linked_with_token('o')}",
)
BUILD_STANDALONE = quick_build(("rustc",), MAY_LOAD, quickly(shlex.join(STANDALONE)), f"exec {shlex.join(STANDALONE)}")

RUST = Language(
    name="rust",
    label="Rust",
    with_tests=Recipe(rust_files, BUILD_WITH_TESTS, RUN_PROGRAM, rust_needs, rust_test_names, sources=(".rs",)),
    standalone=Recipe(rust_standalone_files, BUILD_STANDALONE, RUN_PROGRAM),
    version=lambda: ("rustc", "--version"),
    package="rustc",
    image="rust:1",
    highlight="cpp",
    canary=("fn add(a: i32, b: i32) -> i32 { a + b }", "fn main() { assert_eq!(add(2, 3), 5); }"),
    calls=rust_call,
    plain_tests=rust_tests,
    aliases=("rs",),
    tools=("rustc", "gcc", "ld"),
    prepared_here=lambda: (*crates_folder(), *rust_library.prepare_library()),
)
