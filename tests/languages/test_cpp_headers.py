"""The headers that C++ candidates begin with: which they are, and which of them are compiled once and kept."""

import os
import signal
import subprocess
import time
from collections import Counter

import pytest

from sandboxes.languages.calls.cpp import cpp_call
from sandboxes.languages.compilers import cpp_headers
from support.languages import require_languages

FIRST = {
    "includes": ("#include <vector>\n# include<string>\nint f();\n#include <map>\n", ("string", "vector")),
    "a namespace": ("#include <vector>\nusing namespace std;\n#include <map>\n", ("map", "vector")),
    "comments": ("/* #include <map>\n*/ // #include <set>\n#include <vector> // sorted\n", ("vector",)),
    "all headers": ("#include <bits/stdc++.h>\n#include <vector>\n#include <math.h>\n", ("bits/stdc++.h", "math.h")),
    "a macro": ("#define _GLIBCXX_DEBUG\n#include <vector>\n", ()),
    "a pragma": ('#pragma GCC optimize("O3")\n#include <vector>\n', ()),
    "a condition": ("#if 0\n#include <vector>\n#endif\n", ()),
    "a header that is not well known": ("#include <vector>\n#include <boost/any.hpp>\n", ()),
    "a comment that goes on": ("// a comment \\ \n#include <vector>\n#include <map>\n", ()),
    "a comment that goes on by a trigraph": ("// why??/\n#include <vector>\n", ()),
    "code on the line": ("int a;\n#include <vector>\n", ()),
    "nothing": ("", ()),
}


@pytest.mark.parametrize(("source", "headers"), FIRST.values(), ids=FIRST)
def test_first_headers(source, headers):
    """The headers of a candidate are those that it includes before anything else, and no comment's."""
    assert cpp_headers.first_headers(source) == headers


def test_hostile_first_lines_take_no_time():
    """A text of many comments that do not end is looked through at once."""
    began = time.process_time()
    for text in ("/*" * 100_000, "/**/" * 100_000 + "x", "//\\\n" * 100_000, "#include <" * 100_000):
        assert cpp_headers.first_headers(text) == ()
    assert time.process_time() - began < 5


@pytest.mark.languages("cpp")
def test_headers_are_compiled_once_they_have_come_often(monkeypatch):
    """The first programs with a set of headers are built without. Only so many sets are kept."""
    compiled = []
    monkeypatch.setattr(cpp_headers, "compile_headers", lambda name, headers, options: compiled.append(headers))
    monkeypatch.setattr(cpp_headers, "_seen", Counter())
    for _ in range(2 * cpp_headers.PROGRAMS_BEFORE):
        cpp_headers.compiled_headers("#include <vector>\n#include <set>\n", ("-std=c++17", "-DNOBODY"))
    assert compiled == [("set", "vector")]


@pytest.fixture
def sets(tmp_path, monkeypatch):
    """Provide the folder of sets of headers, with one set. It has room for no other, and sets are only listed."""
    monkeypatch.setattr(cpp_headers, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(cpp_headers, "headers_folder", lambda: "sets")
    monkeypatch.setattr(cpp_headers, "kept_folder", lambda name, compile_into: (tmp_path / name).mkdir())
    monkeypatch.setattr(cpp_headers, "MAX_SETS", 1)
    (tmp_path / "sets" / "first").mkdir(parents=True)
    return tmp_path / "sets"


@pytest.fixture
def seen(monkeypatch):
    """Provide the programs that have been counted by their headers: none."""
    monkeypatch.setattr(cpp_headers, "_seen", Counter())
    return cpp_headers._seen


def names_in(folder):
    """Return the sorted names of a folder's files."""
    return sorted(path.name for path in folder.iterdir())


def make_unused(path):
    """Make a set look as if no program had used it for as long as is needed to remove it."""
    unused = time.time() - cpp_headers.UNUSED_SECONDS - 1
    os.utime(path, (unused, unused))


@pytest.mark.parametrize(
    ("headers", "names"), [(("vector",), ["first"]), (("bits/stdc++.h",), ["first", "second"])], ids=["one", "all"]
)
def test_only_so_many_sets_of_headers_are_kept(sets, headers, names):
    """With the most sets, no other set is compiled but that of all headers, with which most programs begin."""
    cpp_headers.compile_headers("sets/second", headers, ())
    assert names_in(sets) == names


def test_an_unused_set_of_headers_makes_room(sets):
    """With the most sets, one that no program has used for some minutes is removed for another one."""
    make_unused(sets / "first")
    cpp_headers.compile_headers("sets/second", ("vector",), ())
    assert names_in(sets) == ["second"]


def test_each_set_that_is_too_many_has_to_be_unused(sets):
    """With more sets than are kept, another one has room once all that are too many are unused."""
    (sets / "second").mkdir()
    make_unused(sets / "first")
    cpp_headers.compile_headers("sets/third", ("vector",), ())
    assert names_in(sets) == ["second"]
    make_unused(sets / "second")
    cpp_headers.compile_headers("sets/third", ("vector",), ())
    assert names_in(sets) == ["third"]


def test_a_set_of_headers_that_is_used_stays(sets, seen):
    """A program that begins with a set's headers uses it, however old the set is."""
    (sets / "first").rmdir()
    for _ in range(cpp_headers.PROGRAMS_BEFORE):
        cpp_headers.compiled_headers("#include <vector>\n", ())
    [used] = names_in(sets)
    make_unused(sets / used)
    cpp_headers.compiled_headers("#include <vector>\n", ())
    cpp_headers.compile_headers("sets/second", ("map",), ())
    assert names_in(sets) == [used]


def keep(sets, *headers, options=(), size=1):
    """Make the files of a set of headers, and return the path of the header to include."""
    folder = sets / cpp_headers.set_name(headers, options)
    folder.mkdir()
    (folder / cpp_headers.HEADERS_FILE).write_text("".join(f"#include <{name}>\n" for name in headers))
    (folder / cpp_headers.COMPILED_FILE).write_bytes(b"x" * size)
    return str(folder / cpp_headers.HEADERS_FILE)


def test_a_set_without_a_file_of_its_own_has_its_largest_part(sets, seen):
    """A program whose headers are not compiled uses the set that spares most, of those that it includes itself."""
    keep(sets, "vector", size=2)
    largest = keep(sets, "map", "vector", size=3)
    keep(sets, "iostream", "vector", size=9)
    keep(sets, "map", "set", "vector", options=("-std=c++20",), size=9)
    assert cpp_headers.compiled_headers("#include <vector>\n#include <map>\n#include <set>\n", ()) == largest


def test_a_part_that_is_used_stays(sets, seen):
    """A set that programs use for a part of their headers makes no room for another one."""
    (sets / "first").rmdir()
    part = keep(sets, "vector")
    make_unused(os.path.dirname(part))
    assert cpp_headers.compiled_headers("#include <vector>\n#include <map>\n", ()) == part
    cpp_headers.compile_headers("sets/second", ("map",), ())
    assert names_in(sets) == [os.path.basename(os.path.dirname(part))]


def test_a_set_that_had_no_room_is_tried_again(sets, seen):
    """Headers that many programs begin with are compiled once there is room."""
    for _ in range(cpp_headers.PROGRAMS_BEFORE):
        cpp_headers.compiled_headers("#include <vector>\n", ())
    assert names_in(sets) == ["first"]
    make_unused(sets / "first")
    for _ in range(cpp_headers.PROGRAMS_BETWEEN):
        cpp_headers.compiled_headers("#include <vector>\n", ())
    assert names_in(sets) == [cpp_headers.set_name(("vector",), ())]


def test_a_folder_of_sets_that_is_gone_is_no_error(sets, seen):
    """Programs are built without compiled headers if somebody has removed the folder of all sets."""
    (sets / "first").rmdir()
    sets.rmdir()
    assert cpp_headers.compiled_headers("#include <vector>\n", ()).endswith(cpp_headers.HEADERS_FILE)


def test_programs_that_call_a_function_begin_with_all_headers():
    """What calls a candidate's function in C++ begins with headers that are compiled once."""
    assert cpp_headers.first_headers(cpp_call("int add(int a, int b);", "add")) == ("bits/stdc++.h",)


SHORT_SETS = {
    "headers of C++": (("cassert", "string", "stdio.h", "vector"), {"string", "vector"}),
    "all headers": (("bits/stdc++.h", "math.h"), {"bits/stdc++.h"}),
    "headers of C": (("math.h", "stdio.h"), set()),
}


@pytest.mark.parametrize(("headers", "short"), SHORT_SETS.values(), ids=SHORT_SETS)
def test_headers_that_are_the_same_when_included_again_have_short_files(headers, short):
    """Headers that may define something else when they are included again are read again."""
    assert cpp_headers.short_files(headers).keys() == short


@pytest.fixture(scope="module")
def all_headers(tmp_path_factory):
    """Provide a set of all headers, compiled here."""
    require_languages("cpp")
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(folder))
        cpp_headers.headers_folder.cache_clear()
        cpp_headers.compile_headers(f"{cpp_headers.headers_folder()}/all", (cpp_headers.ALL_HEADERS,), OPTIONS)
        made = cpp_headers.cache_folder() / cpp_headers.headers_folder() / "all"
    cpp_headers.headers_folder.cache_clear()
    return made


OPTIONS = ("-std=c++17", "-O0")
ASSERTS = "int main() { assert(add(1) == 3); }\n"
AGAIN = """\
#include <bits/stdc++.h>
#define NDEBUG
#include <bits/stdc++.h>
int add(int a) { assert(false); return a + 2; }
"""
INCLUDING = {
    "a use of each": ('#include <bits/stdc++.h>\nint add(int a) { return std::max(a, 1) + std::stoi("2"); }\n', False),
    "asserts that are on": ("#include <bits/stdc++.h>\nint add(int a) { assert(a == 2); return a + 2; }\n", True),
    "asserts that are off": (AGAIN, False),
}


@pytest.mark.slow
@pytest.mark.parametrize("has_compiled", [True, False], ids=["compiled", "not compiled"])
@pytest.mark.parametrize(("source", "aborts"), INCLUDING.values(), ids=INCLUDING)
def test_short_files_mean_what_the_headers_mean(all_headers, tmp_path, source, aborts, has_compiled):
    """A program does with short files what it does with the headers, whether or not GCC takes the compiled one."""
    header = all_headers / cpp_headers.HEADERS_FILE
    if not has_compiled:
        header = tmp_path / header.name
        header.write_text((all_headers / header.name).read_text())
    (tmp_path / "program.cpp").write_text(f"{source}#undef NDEBUG\n#include <assert.h>\n{ASSERTS}")
    include = ["-include", str(header), "-I", str(all_headers / cpp_headers.SHORT_FOLDER)]
    if has_compiled:
        include += ["-Winvalid-pch", "-Werror"]
    program = tmp_path / "program"
    subprocess.run(["g++", *OPTIONS, *include, "-o", program, tmp_path / "program.cpp"], check=True)
    assert subprocess.run([program], capture_output=True).returncode == (-signal.SIGABRT if aborts else 0)


@pytest.mark.slow
def test_short_files_can_be_read_by_all(all_headers):
    """Programs of another user read the short files, and the folder that they are in."""
    paths = [all_headers, *all_headers.rglob("*")]
    assert all(path.stat().st_mode & 0o777 == (0o755 if path.is_dir() else 0o644) for path in paths)
    assert (all_headers / cpp_headers.SHORT_FOLDER / cpp_headers.ALL_HEADERS).is_file()
