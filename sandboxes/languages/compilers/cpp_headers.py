"""The headers that C++ candidates begin with, compiled once for all programs. Used by `c_family`.

GCC spends most of a short program's time on its headers. A candidate's first lines name the headers of the standard
library that it includes before anything else. GCC compiles such a set of headers to a file, once the set has come often
enough to be worth it. A program gets a file of headers that it includes first itself, so that a header that it forgets
is still missing: of all of them, or of some where nobody has compiled all.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import logging
import os
import re
import shutil
import threading
import time
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from sandboxes.backends.host_state import QUICK_FOLDERS
from sandboxes.errors import SandboxUnavailable
from sandboxes.languages.compilers.compiled_libraries import cache_folder, kept_folder
from sandboxes.languages.compilers.cpp_templates import LAST_LINE, PLUGIN, compile_header
from sandboxes.languages.compilers.quick_builds import folder_states, run_tool

logger = logging.getLogger("code_eval")

ALL_HEADERS = "bits/stdc++.h"
CPP_HEADERS = """
    algorithm any array atomic bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes ciso646 climits
    clocale cmath complex condition_variable csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar
    cwchar cwctype deque exception execution filesystem forward_list fstream functional future initializer_list iomanip
    ios iosfwd iostream istream iterator limits list locale map memory memory_resource mutex new numeric optional
    ostream queue random ratio regex scoped_allocator set shared_mutex sstream stack stdexcept streambuf string
    string_view system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray
    variant vector
"""
C_HEADERS = (
    "assert.h ctype.h errno.h float.h inttypes.h limits.h math.h stddef.h stdint.h stdio.h stdlib.h string.h time.h"
)
KNOWN_HEADERS = frozenset((ALL_HEADERS, *CPP_HEADERS.split(), *C_HEADERS.split()))
"""Headers that mean the same in each order."""

FIRST_PIECE = re.compile(
    r"[ \t\r\n\f\v]+|//[^\n]*|/\*.*?\*/|using\s+namespace\s+std\s*;"
    r"|#[ \t]*include[ \t]*<(?P<header>[^<>\n]+)>(?=[ \t\r]*(?://[^\n]*)?(?:\n|\Z))",
    re.DOTALL,
)
"""A piece of a text's first lines: space, a comment, an include, or the declaration that often stands between them."""

# With these, a comment may end elsewhere than it seems to.
SPLICE = re.compile(r"\\[ \t\r\f\v]*+\n|\?\?/")

PROGRAMS_BEFORE = 5
"""Programs of a process with the same headers before these are compiled: compiling takes the time of so many."""

PROGRAMS_BETWEEN = 100
"""Programs of a process between two attempts to compile the same headers, which may have had no room."""

MAX_SETS = 24
"""Sets of headers that are kept for a compiler, beside that of all headers. Each takes up to 110 MB."""

UNUSED_SECONDS = 600
"""Time without a program after which a set makes room for another one. In it, few sets are compiled in turn."""

HEADERS_FILE = "headers.h"
"""Name of the file in a set's folder that includes the set's headers."""

COMPILED_FILE = f"{HEADERS_FILE}.gch"
"""Name of the compiled file in a set's folder, as GCC looks for it."""

SHORT_FOLDER = "short"
"""Name of the folder, in a set's folder, with a short file for each of the set's headers, which GCC then reads in place
of the header. It reads through all of a header again, up to the end of what it leaves out."""

ARE_INCLUDED = "__code_eval_headers_are_included"
"""The macro that tells short files that the set's headers were included. GCC may refuse the compiled file."""

SHORT = f"#ifndef {ARE_INCLUDED}\n#include_next <HEADER>\n#endif\n"
SHORT_ALL = f"""\
#ifndef {ARE_INCLUDED}
#include_next <{ALL_HEADERS}>
#elif !defined _GLIBCXX_NO_ASSERT
#include <assert.h>
#endif
"""
"""Texts of short files: of a header, and of all headers. What `<assert.h>` defines changes with NDEBUG."""

SHORTENED = frozenset(CPP_HEADERS.split()) - {"cassert"}
"""Headers that have a short file. It is the same for all texts that include it."""

LAST_LINES = f"#define {ARE_INCLUDED}\n{LAST_LINE}"
"""The end of HEADERS_FILE."""

INCLUDED = re.compile(r"#include <(.+)>")
"""A line of HEADERS_FILE."""

FOLDER = f"{QUICK_FOLDERS}cpp-"
"""Beginning of the folders' names, in the folder of compiled libraries."""

_lock = threading.Lock()
_seen: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()


def first_headers(source: str) -> tuple[str, ...]:
    """Return the headers that a text includes before anything else, sorted. () if one of them is not well known."""
    names, end, begins_line = set(), 0, True
    while piece := FIRST_PIECE.match(source, end):
        if piece["header"]:
            if not begins_line:
                break
            names.add(piece["header"])
        begins_line = (
            "\n" in piece[0] or begins_line if piece[0].isspace() else begins_line and piece[0].startswith("/")
        )
        end = piece.end()
    if SPLICE.search(source[: end + 1]):
        return ()
    if ALL_HEADERS in names:
        names -= set(CPP_HEADERS.split())
    return tuple(sorted(names)) if names <= KNOWN_HEADERS else ()


def compiled_headers(source: str, options: Sequence[str]) -> str:
    """Return the path of the header to include first in a C++ program. GCC finds the compiled file beside it.

    Args:
        source: the candidate's.
        options: of the compiler.

    Returns:
        "" for a program that is better built without.
    """
    headers = first_headers(source)
    if not headers or not headers_folder():
        return ""
    sets = cache_folder() / headers_folder()
    folder = sets / set_name(headers, options)
    with _lock:
        _seen[headers, tuple(options)] += 1
        if not folder.is_dir() and _seen[headers, tuple(options)] % PROGRAMS_BETWEEN == PROGRAMS_BEFORE:
            compile_headers(f"{headers_folder()}/{folder.name}", headers, options)
    if not folder.is_dir():
        folder = best_part(sets, headers, options) or folder
    # A set that is not there, or is another user's, is left as it is.
    with contextlib.suppress(OSError):
        os.utime(folder)
    return str(folder / HEADERS_FILE)


def set_name(headers: Sequence[str], options: Sequence[str]) -> str:
    """Return the name of the folder of a set of headers.

    Args:
        headers: as `first_headers` returns them.
        options: of the compiler.
    """
    return hashlib.sha256(repr((tuple(headers), tuple(options))).encode()).hexdigest()[:16]


def best_part(sets: Path, headers: Sequence[str], options: Sequence[str]) -> Path | None:
    """Return the folder of the set that spares a compiler most of some headers, and has no others. None without one.

    Args:
        sets: the folder of all sets.
        headers: as `first_headers` returns them.
        options: of the compiler.
    """
    parts = []
    for file in glob.glob(f"{sets}/*/{HEADERS_FILE}"):
        folder = Path(file).parent
        # Another process may remove the set meanwhile.
        with contextlib.suppress(OSError):
            part = INCLUDED.findall(Path(file).read_text())
            if set(part) <= set(headers) and folder.name == set_name(part, options):
                parts.append(((folder / COMPILED_FILE).stat().st_size, folder))
    return max(parts)[1] if parts else None


def compile_headers(name: str, headers: Sequence[str], options: Sequence[str]) -> None:
    """Compile a set of headers, unless there are many already. Programs can do without.

    Args:
        name: of the folder to keep them in.
        headers: as `first_headers` returns them.
        options: of the compiler.
    """

    def compile_into(partial: Path, folder: Path) -> None:
        for name, text in short_files(headers).items():
            short = partial / SHORT_FOLDER / name
            short.parent.mkdir(parents=True, exist_ok=True)
            short.write_text(text)
        header = partial / HEADERS_FILE
        header.write_text("".join(f"#include <{each}>\n" for each in headers) + LAST_LINES)
        compile_header(header, partial / COMPILED_FILE, *options)

    try:
        if headers == (ALL_HEADERS,) or make_room(cache_folder() / headers_folder()):
            kept_folder(name, compile_into)
    except (SandboxUnavailable, OSError) as error:
        logger.info("C++ headers are not compiled once: %s", error)


def short_files(headers: Sequence[str]) -> dict[str, str]:
    """Return the texts of the short files of a set of headers, by name."""
    files = {each: SHORT.replace("HEADER", each) for each in headers if each in SHORTENED}
    return {**files, ALL_HEADERS: SHORT_ALL} if ALL_HEADERS in headers else files


def make_room(folder: Path) -> bool:
    """Remove sets that nobody has used for long, as far as another one needs their room. Return whether it has room.

    A program that still needs a removed set is built without.
    """
    sets = sorted((path.stat().st_mtime, path) for path in folder.iterdir())
    surplus = sets[: max(0, len(sets) + 1 - MAX_SETS)]
    unused = [path for last_used, path in surplus if time.time() - last_used > UNUSED_SECONDS]
    for path in unused:
        shutil.rmtree(path)
    return len(unused) == len(surplus)


@lru_cache(maxsize=1)
def headers_folder() -> str:
    """Return the name of the folder for this machine's compiler and headers; "" if they can't be kept."""
    try:
        version = run_tool("g++", "-v", "-x", "c++", "-E", "/dev/null")
        places = [path for pattern in HEADER_PLACES for path in sorted(glob.glob(pattern))]
        texts = (LAST_LINES, PLUGIN, SHORT, SHORT_ALL)
        state = repr((version, run_tool("g++", "--version"), folder_states(*places), texts))
        folder = FOLDER + hashlib.sha256(state.encode()).hexdigest()[:12]
        (cache_folder() / folder).mkdir(parents=True, exist_ok=True)
        # Programs of another user must be able to read it, whatever the umask is.
        (cache_folder() / folder).chmod(0o755)
    except (SandboxUnavailable, OSError) as error:
        logger.info("C++ headers are not compiled once: %s", error)
        return ""
    return folder


HEADER_PLACES = (
    *("/usr/include", "/usr/include/c++/*", "/usr/include/c++/*/bits", "/usr/include/*-linux-*"),
    *("/usr/include/*-linux-*/bits", "/usr/include/*-linux-*/c++/*/bits", "/usr/lib/gcc/*/*/include"),
)
"""Patterns of folders in which a package changes something when it brings other headers."""


def prepare_headers() -> tuple[str, ...]:
    """Return the folder of the compiled headers, which programs must see."""
    return (str(cache_folder() / headers_folder()),) if headers_folder() else ()
