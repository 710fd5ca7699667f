"""The command that links quick builds in Rust. Used by `rust_library`.

GCC's driver and what it has the linker look through take as long as all that the linker has to do for most programs:
archives of crates and libraries that nothing is taken from. This command leaves them out, links with stubs of the
others, and does all that GCC does if a symbol is missing then.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from functools import lru_cache
from pathlib import Path

from sandboxes.errors import SandboxUnavailable
from sandboxes.languages.compilers.library_stubs import undefined_names, write_stub
from sandboxes.languages.compilers.quick_builds import run_tool

OPTIONS = ("-C", "linker-flavor=ld")
"""The compiler's options for the command, which `-C linker=` names."""

# What programs need of the machine, by file, and by name where there is no such file. The names of most libraries are
# those of scripts, in which the linker finds other libraries to look through.
LIBRARIES = {"libgcc_s.so.1": "-lgcc_s", "libc.so.6": "-lc", "libc_nonshared.a": "", "libm.so.6": "-lm"}
STUBS = "stubs"
"""The folder of the libraries' stubs, in that of the command. Only the command may find them."""

STARTING_OBJECTS = ("Scrt1.o", "crti.o", "crtbeginS.o", "crtendS.o", "crtn.o")
# What compiled code takes from the machine: functions of Rust's numbers, and those of the token's file.
NUMBER_FUNCTIONS = """
    acos asin atan atan2 cbrt ceil cos cosh exp exp2 expm1 fdim floor fma fmax fmin fmod hypot ldexp log log10 log1p
    log2 nearbyint pow rint round roundeven sin sinh sqrt tan tanh tgamma trunc
"""
TOKEN_FUNCTIONS = ("fflush", "syscall")
# The compiler's own list of them, and what is slow with them.
LEFT_OUT = "--as-needed | --gc-sections | -lc | -lm | -lrt | -lpthread | -lgcc_s | -lutil | -ldl"

SCRIPT = """\
#!%(shell)s
for each in "$@"; do
    shift
    case $each in
        # What is meant for GCC: an option alone, or with its value.
        -Wl,*,*) each=${each#-Wl,}; set -- "$@" "${each%%%%,*}"; each=${each#*,} ;;
        -Wl,*) each=${each#-Wl,} ;;
        *.s)
            [ -e "${each%%.s}.o" ] || as -o "${each%%.s}.o" "$each" || exit
            each=${each%%.s}.o
            ;;
    esac
    set -- "$@" "$each"
done
link() {
    %(linker)s %(first)s "$@" %(last)s
}
quickly() {
    for each in "$@"; do
        shift
        case $each in
            %(left_out)s) continue ;;
            */lib%(kept)s*.rlib) ;;
            *.rlib) continue ;;
        esac
        set -- "$@" "$each"
    done
    # Stubs have not all that Rust's library takes from the machine.
    link "$@" --allow-shlib-undefined %(libraries)s
}
quickly "$@" 2>/dev/null || link "$@"
"""


def linker_script(kept: str) -> str:
    """Return the text of the command, for the GCC of this machine.

    Args:
        kept: beginning of the names of crates that are always linked.

    Raises:
        SandboxUnavailable: if GCC does not say how it links.
    """
    with tempfile.TemporaryDirectory() as work:
        Path(work, "first.o").touch()
        command = "LC_ALL=C exec gcc -### -pie -nodefaultlibs -o program first.o 2>&1"
        lines = run_tool("sh", "-c", command, folder=work).splitlines()
    called = [shlex.split(line) for line in lines if "/collect2 " in line]
    if not called or "first.o" not in called[-1]:
        raise SandboxUnavailable("gcc does not say how it links a program")
    at = called[-1].index("first.o")
    first, last = without_plugin(called[-1][1:at]), called[-1][at + 1 :]
    folders = [word for word in first if word.startswith("-L")]
    return SCRIPT % {
        # Sandboxes may have no other path of it.
        "shell": run_tool("sh", "-c", "command -v sh").strip(),
        "linker": run_tool("gcc", "-print-prog-name=ld").strip(),
        "first": shlex.join(word for word in first if word not in folders),
        "last": shlex.join([*folders, *last]),
        "left_out": LEFT_OUT,
        "kept": kept,
        "libraries": " ".join(
            f'"${{0%/*}}"/{STUBS}/{file}' if path in stubbed_libraries() else shlex.quote(path)
            for file, path in library_words().items()
        ),
    }


def without_plugin(words: list[str]) -> list[str]:
    """Return GCC's words for the linker without those of a plugin, which Rust does not need, and of the output."""
    kept = []
    after = iter(words)
    for word in after:
        if word in ("-plugin", "-o"):
            next(after)
        elif word != "--as-needed" and not word.startswith("-plugin-opt="):
            kept.append(word)
    return kept


def library_words() -> dict[str, str]:
    """Return the linker's word for each library by its file: its path, or its name if there is no such file."""
    paths = {file: file_path(file) for file in LIBRARIES}
    words = {file: path if os.path.isabs(path) else LIBRARIES[file] for file, path in paths.items()}
    return {file: word for file, word in words.items() if word}


def file_path(file: str) -> str:
    """Return the path of a file of GCC's, or its name if there is none."""
    return run_tool("gcc", f"-print-file-name={file}").strip()


@lru_cache(maxsize=1)
def stubbed_libraries() -> tuple[str, ...]:
    """Return the paths of the libraries in whose place quick builds have stubs."""
    return tuple(word for word in library_words().values() if os.path.isabs(word) and ".so" in word)


def write_stubs(folder: Path) -> None:
    """Write the stubs of all libraries into a folder in the command's.

    Raises:
        SandboxUnavailable: if there is no compiler here, or no binutils.
    """
    stubs = folder / STUBS
    stubs.mkdir()
    names = {*NUMBER_FUNCTIONS.split(), *(f"{name}f" for name in NUMBER_FUNCTIONS.split()), *TOKEN_FUNCTIONS}
    for object_file in STARTING_OBJECTS:
        names |= undefined_names(file_path(object_file), is_shared=False)
    for library in Path(run_tool("rustc", "--print", "target-libdir").strip()).glob("libstd-*.so"):
        names |= undefined_names(str(library), is_shared=True)
    for path in stubbed_libraries():
        write_stub(path, names, stubs)
