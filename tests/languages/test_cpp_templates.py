"""Compiled C++ headers hold the templates that their own functions use, and programs are built with them as without."""

import re
import subprocess

import pytest

from sandboxes import SandboxUnavailable
from sandboxes.languages.compilers import cpp_templates
from sandboxes.languages.compilers.cpp_templates import LAST_LINE, compile_header
from sandboxes.languages.compilers.quick_builds import run_tool
from support.languages import require_languages

pytestmark = pytest.mark.slow

OPTIONS = ("-std=c++17", "-O2")
HEADERS = "#include <string>\n#include <vector>\n#include <unordered_map>\n#include <sstream>\n"
PROGRAMS = {
    "nothing": "int main() {}",
    "strings and numbers": "int main() { return std::to_string(12).size() + std::stoi(std::string(3, '1')); }",
    "a template of its own type": (
        "struct Key { int a; bool operator==(const Key &k) const { return a == k.a; } };\n"
        "template <> struct std::hash<Key> { size_t operator()(const Key &k) const { return k.a; } };\n"
        "int main() { std::unordered_map<Key, int> m; m[Key{1}] = 2; return m.size(); }"
    ),
    "a template of the library's, for a type of the library's": (
        "namespace std { template <> void swap<int>(int &a, int &b) noexcept { a = b = 3; } }\n"
        "int main() { int a = 1, b = 2; std::swap(a, b); return a; }"
    ),
    "an output operator": (
        "struct Point { int x; };\n"
        "std::ostream &operator<<(std::ostream &out, const Point &p) { return out << p.x; }\n"
        "int main() { std::ostringstream out; out << Point{3} << 1.5; return out.str().size(); }"
    ),
}


@pytest.fixture(scope="module")
def headers(tmp_path_factory):
    """Provide two folders with the same compiled header: with the plugin, and without."""
    require_languages("cpp")
    folders = tmp_path_factory.mktemp("with"), tmp_path_factory.mktemp("without")
    for folder in folders:
        (folder / "headers.h").write_text(HEADERS + LAST_LINE)
    compile_header(folders[0] / "headers.h", folders[0] / "headers.h.gch", *OPTIONS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cpp_templates, "PLUGIN", "no program")
        compile_header(folders[1] / "headers.h", folders[1] / "headers.h.gch", *OPTIONS)
    return folders


def assembly(folder, source):
    """Return what GCC makes of a program that includes a folder's header first, without the numbers of labels."""
    path = folder / "program.cpp"
    path.write_text(source)
    include = ("-include", str(folder / "headers.h"), "-Winvalid-pch", "-Werror")
    return re.sub(r"\.L[A-Z]*\d+", ".L", run_tool("g++", *OPTIONS, *include, "-S", "-o", "-", str(path)))


def generated(folder):
    """Return the number of functions that GCC generates from templates for an empty program."""
    path = folder / "empty.cpp"
    path.write_text("int main() {}")
    include = ("-include", str(folder / "headers.h"))
    command = ["g++", *OPTIONS, *include, "-fdump-tree-original=/dev/stdout", "-S", "-o", "/dev/null", str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.count(";; Function")


def test_headers_hold_their_own_templates(headers):
    """With the plugin, GCC has nothing left to generate for a program that uses no template."""
    with_plugin, without = map(generated, headers)
    assert (with_plugin, without > 50) == (1, True)


@pytest.mark.parametrize("source", PROGRAMS.values(), ids=PROGRAMS)
def test_programs_are_the_same(headers, source):
    """A program's machine code is the same with the plugin and without. GCC takes both compiled headers."""
    with_plugin, without = (assembly(folder, source) for folder in headers)
    assert with_plugin == without


def test_headers_that_the_compiler_fails_to_read_are_compiled_without_the_plugin(tmp_path, monkeypatch):
    """A compiled header has to be of use for the shortest program."""
    commands = []

    def run(*command):
        commands.append(command)
        if "-include" in command:
            raise SandboxUnavailable("internal compiler error")

    monkeypatch.setattr(cpp_templates, "run_tool", run)
    compile_header(tmp_path / "headers.h", tmp_path / "headers.h.gch")
    assert [word for word in commands[-1] if word.startswith("-")] == ["-x", "-o"]
    assert not [*tmp_path.iterdir()]


def test_a_compiler_without_plugins_compiles_headers(headers):
    """Headers are compiled without the plugin where it can't be built. Nothing is left beside them."""
    assert all(
        {"headers.h", "headers.h.gch"} == {path.name for path in folder.glob("*") if path.suffix != ".cpp"}
        for folder in headers
    )
