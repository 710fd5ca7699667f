"""The C part of C, C++ and Rust programs with tests: it holds the completion token. Used by `c_family` and `rust`.

It takes the token before the candidate's first line, and writes it after the return of the tests' entry point. Names
that candidates must not guess end in a tag, a hash of candidate and tests.
"""

from __future__ import annotations

import hashlib
import logging
import tempfile
from functools import lru_cache
from pathlib import Path

from sandboxes.errors import SandboxUnavailable
from sandboxes.guest.common.named_tests import TICKET_CHARS
from sandboxes.languages.base import MAX_NAMES, TOKEN_BYTES, fixed_run
from sandboxes.languages.compilers.quick_builds import run_tool

logger = logging.getLogger("code_eval")

TOKEN_FILE = "code_eval_token"
"""Path of the file with the C part, without its suffix: that of C, C++ or an assembler."""

TOKEN_CHARS = 2 * TOKEN_BYTES
MAX_INPUT_BYTES = TOKEN_CHARS + MAX_NAMES * TICKET_CHARS
"""The token, and the tickets of tests behind it."""

MAIN_WRAPPER = "-Wl,--wrap=main"
"""The linker's option that puts the `main` of the token's file around the program's own."""

GOLD = "$(command -v ld.gold >/dev/null && echo -fuse-ld=gold -Wl,--no-map-whole-files)"
"""The options of a quick build that choose the faster linker, as a shell has them, where there is one. That linker then
reads only what it needs of the libraries."""

RUN_PROGRAM = fixed_run("./program")

# This file is compiled as C or as C++. It makes system calls itself, because candidates may define functions with the
# names of the C library's, by intent or by chance.
TOKEN_SOURCE = """\
/* Optimising it takes as long as a short candidate. */
#pragma GCC optimize("O0")
#include <sys/syscall.h>
#ifdef __cplusplus
extern "C" {
#endif
%(declarations)s
static long call(long number, long first, long second, long third, long fourth) {
#if defined __x86_64__ && !defined __ILP32__
    long result;
    register long last __asm__("r10") = fourth;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(first), "S"(second), "d"(third), "r"(last)
                     : "rcx", "r11", "memory");
    return result;
#elif defined __aarch64__
    register long which __asm__("x8") = number;
    register long result __asm__("x0") = first;
    register long two __asm__("x1") = second, three __asm__("x2") = third, four __asm__("x3") = fourth;
    __asm__ volatile("svc 0" : "+r"(result) : "r"(which), "r"(two), "r"(three), "r"(four) : "memory");
    return result;
#else
    long syscall(long, ...);
    return syscall(number, first, second, third, fourth);
#endif
}
static char token[%(max_input_bytes)d];
static long input_bytes, process;
static int output = 1;
static void take_token(void) {
    process = call(SYS_getpid, 0, 0, 0, 0);
    input_bytes = call(SYS_read, 0, (long)token, sizeof token, 0);
    call(SYS_ftruncate, 0, 0, 0, 0);
    call(SYS_lseek, 0, 0, 0, 0);
    /* 1030 is F_DUPFD_CLOEXEC. The candidate may close or replace its standard output. */
    long copy = call(SYS_fcntl, 1, 1030, 100, 0);
    output = copy < 0 ? 1 : (int)copy;
}
/* Runs before the constructors of all libraries and of the candidate. */
__attribute__((section(".preinit_array"), used)) static void (*take_first)(void) = take_token;
static void end(int status) __attribute__((noreturn));
static void end(int status) {
    for (;;) call(SYS_exit_group, status, 0, 0, 0);
}
static void say(const char *text) {
    const char *last = text;
    while (*last) last++;
    call(SYS_write, 2, (long)text, last - text, 0);
}
static void die(void) __attribute__((noreturn));
static void die(void) {
    static char by_default[64];
    call(SYS_rt_sigaction, 6, (long)by_default, 0, 8);
    call(SYS_rt_sigprocmask, 2, (long)by_default, 0, 8);
    call(SYS_kill, call(SYS_getpid, 0, 0, 0, 0), 6, 0, 0);
    end(134);
}
static void write_token(void) {
    /* Not in a child process. The candidate may have forked one for each result that it guesses. */
    if (call(SYS_getpid, 0, 0, 0, 0) == process) call(SYS_write, output, (long)token, %(token_chars)d, 0);
}
%(functions)s
int __wrap_main(int argc, char **argv, char **environment);
int __wrap_main(int argc, char **argv, char **environment) {
    int status;
    (void)argc, (void)argv, (void)environment;
    /* Some C libraries do not run what is in .preinit_array. */
    if (input_bytes <= 0) take_token();
    %(run)s
    if (status == 0) write_token();
    return status;
}
#ifdef __cplusplus
}
#endif
"""


ANY_TAG = "any_tag_of_thirty_two_characters"
"""The tag in sources and objects that all programs share. It is as long as each tag."""


def build_tag(candidate: str, tests: str) -> str:
    """Return a name that no candidate can contain: 32 hexadecimal digits, a hash of both texts."""
    return hashlib.sha256(f"{len(candidate)}:{candidate}{tests}".encode("utf-8", "surrogatepass")).hexdigest()[:32]


def token_source(declarations: str, run: str, functions: str = "") -> str:
    """Return the source of the token's file.

    Args:
        declarations: of the functions that `run` calls.
        run: statements that set `status`.
        functions: definitions of other functions that the program needs.
    """
    parts = {"declarations": declarations, "run": run, "functions": functions}
    return TOKEN_SOURCE % {**parts, "max_input_bytes": MAX_INPUT_BYTES, "token_chars": TOKEN_CHARS}


def token_assembly(source: str, tag: str, suffix: str) -> str:
    """Return the token's file as the assembler reads it. A quick build saves a compiler's start with it.

    Args:
        source: from `token_source`.
        tag: of the program.
        suffix: of the source's language.

    Returns:
        "" if there is no compiler here.
    """
    return compiled_source(source.replace(tag, ANY_TAG), suffix).replace(ANY_TAG, tag)


def token_object(source: str, tag: str, suffix: str) -> str:
    """Return the token's file as an object, in hexadecimal digits. It spares a quick build the assembler.

    The arguments, and the result where there is no compiler, are those of `token_assembly`.
    """
    assembly = compiled_source(source.replace(tag, ANY_TAG), suffix)
    return assembled_source(assembly).replace(ANY_TAG.encode().hex(), tag.encode().hex()) if assembly else ""


@lru_cache(maxsize=256)
def assembled_source(assembly: str) -> str:
    """Return the object that the assembler makes of a source, in hexadecimal digits; "" if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        source, compiled = Path(folder, "source.s"), Path(folder, "source.o")
        source.write_text(assembly)
        try:
            run_tool("as", "-o", str(compiled), str(source), folder=folder)
        except SandboxUnavailable as error:
            logger.info("no quick builds: %s", error)
            return ""
        return compiled.read_bytes().hex()


@lru_cache(maxsize=256)
def compiled_source(source: str, suffix: str) -> str:
    """Return what this machine's compiler makes of a C or C++ source, for the assembler; "" if there is no compiler."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"source.{suffix}")
        path.write_text(source)
        try:
            return run_tool("gcc", "-O2", "-S", "-o", "-", str(path), folder=folder)
        except SandboxUnavailable as error:
            logger.info("no quick builds: %s", error)
            return ""
