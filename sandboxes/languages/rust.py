"""Rust: how programs are built, and run."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from sandboxes.contract import Limits
from sandboxes.languages.apart.rust import rust_tests
from sandboxes.languages.base import Language, Recipe
from sandboxes.languages.calls.rust import rust_call
from sandboxes.languages.compilers import rust_library
from sandboxes.languages.compilers.quick_builds import IS_PREPARED, quick_build, refusing
from sandboxes.languages.compilers.rust_crates import crates_folder
from sandboxes.languages.compilers.warm_rustc import OTHER_WORDS, OWN_PARTS, warm_rustc
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
from sandboxes.languages.steps import Command

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


def linked_with_token(suffix: str) -> tuple[str, ...]:
    """Return the command that builds a program with a form of the token's file."""
    return (*WITH_TESTS, "-C", f"link-arg={TOKEN_FILE}.{suffix}")


def build(tools: tuple[str, ...], quick: tuple[str, ...], plain: str) -> Callable[[Limits], tuple[Command]]:
    """Return the `build` of a recipe.

    Args:
        tools: commands that the builds call.
        quick: the words of the quick build, without QUICKLY.
        plain: the plain build, as a shell has it.
    """
    words = (*quick, *QUICKLY)
    prepared = f"if {IS_PREPARED}; then set -- @{RUST_LIBRARY_FILE}; fi"
    own = "".join(f"*{shlex.quote(part)}" for part in OWN_PARTS) + "[0-9]*"
    other = " | ".join(f"*{shlex.quote(word)}*" for word in OTHER_WORDS)
    quickly = refusing(f'{prepared}; {shlex.join(words)} "$@"', own, other)

    def commands(limits: Limits) -> tuple[Command]:
        warm = warm_rustc(rust_library.library_path(rust_library.WARM_FILE), *words, f"@{RUST_LIBRARY_FILE}")
        return quick_build(tools, MAY_LOAD, quickly, plain, warm)(limits)

    return commands


BUILD_WITH_TESTS = build(
    ("gcc", "rustc"),
    linked_with_token("s"),
    f"{shlex.join(TOKEN_OBJECT)} && exec {shlex.join(linked_with_token('o'))}",
)
BUILD_STANDALONE = build(("rustc",), STANDALONE, f"exec {shlex.join(STANDALONE)}")

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
