"""No candidate finds the source of its tests: it could read there what its functions should return."""

import pytest

from sandboxes import Limits
from sandboxes.languages.base import Recipe
from sandboxes.languages.programs import build_program
from sandboxes.languages.registry import LANGUAGES
from support.languages import language_pool
from support.requirements import WALL_SECONDS

PROGRAMS = {
    "ada": (
        "package Placeholder is\n   function Add (A : Integer; B : Integer) return Integer;\nend Placeholder;\n"
        "with Ada.Directories; use Ada.Directories;\npackage body Placeholder is\n"
        "   function Found (Folder : String) return Boolean is\n      Search : Search_Type;\n   begin\n"
        '      Start_Search (Search, Folder, "*.ad*");\n      return More_Entries (Search);\n   end Found;\n'
        "   function Add (A : Integer; B : Integer) return Integer is\n   begin\n"
        '      return (if Found (".") or else Found ("tests") then 0 else A + B);\n   end Add;\nend Placeholder;\n',
        "with Placeholder; use Placeholder;\nprocedure Main is\nbegin\n   for A in 1 .. 2 loop\n"
        "      pragma Assert (Add (A, 3) = A + 3);\n   end loop;\nend Main;\n",
    ),
    "c": (
        '#include <glob.h>\nint add(int a, int b) { glob_t all; return glob("*.c", 0, 0, &all) ? a + b : 0; }\n',
        "#include <assert.h>\nint main() { for (int a = 0; a < 3; a++) assert(add(a, 3) == a + 3); }\n",
    ),
    "cpp": (
        "#include <filesystem>\nint add(int a, int b) {\n"
        '  for (auto &each : std::filesystem::recursive_directory_iterator("."))\n'
        '    if (each.path().extension() == ".cpp") return 0;\n  return a + b;\n}\n',
        "#include <cassert>\nint main() { for (int a = 0; a < 3; a++) assert(add(a, 3) == a + 3); }\n",
    ),
    "csharp": (
        "using System.IO;\npublic class Problem { public static int Add(int a, int b) {\n"
        '  return Directory.GetFiles(".", "*.cs").Length > 0 ? 0 : a + b; } }\n',
        "using System;\nclass Tests { static void Main() { for (int a = 0; a < 3; a++) "
        'if (Problem.Add(a, 3) != a + 3) throw new Exception("no sum"); } }\n',
    ),
    "d": (
        "import std.file, std.algorithm;\nint add(int a, int b) {\n"
        '  return dirEntries(".", "*.d", SpanMode.depth).empty ? a + b : 0;\n}\n',
        "unittest { foreach (a; 0 .. 3) assert(add(a, 3) == a + 3); }\nvoid main() {}\n",
    ),
    "fortran": (
        "integer function add(a, b)\n  integer, intent(in) :: a, b\n  logical :: found\n"
        '  inquire (file="tests.f90", exist=found)\n  add = a + b\n  if (found) add = 0\nend function\n',
        "program tests\n  integer :: add, a\n  do a = 1, 3\n    if (add(a, 3) /= a + 3) error stop\n"
        "  end do\nend program\n",
    ),
    "go": (
        'package main\n\nimport "path/filepath"\n\nfunc add(a, b int) int {\n'
        '\tif found, _ := filepath.Glob("*.go"); len(found) > 0 {\n\t\treturn 0\n\t}\n\treturn a + b\n}\n',
        'package main\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tfor a := 0; a < 3; a++ {\n'
        '\t\tif add(a, 3) != a+3 {\n\t\t\tt.Fatal("no sum")\n\t\t}\n\t}\n}\n',
    ),
    "java": (
        "class Solution { int add(int a, int b) {\n"
        '  for (String each : new java.io.File(".").list()) if (each.endsWith(".java")) return 0;\n'
        "  return a + b; } }\n",
        "public class Main { public static void main(String[] all) {\n"
        "  for (int a = 0; a < 3; a++) if (new Solution().add(a, 3) != a + 3) throw new AssertionError(); } }\n",
    ),
    "kotlin": (
        "fun add(a: Int, b: Int): Int {\n"
        '    val found = java.io.File(".").walk().any { it.name.endsWith(".kt") }\n'
        "    return if (found) 0 else a + b\n}\n",
        "fun main() { for (a in 1..3) check(add(a, 3) == a + 3) }\n",
    ),
    "rust": (
        "fn add(a: i32, b: i32) -> i32 {\n"
        '    let found = std::fs::read_dir(".").unwrap().any(|each| each.unwrap().path().extension() == '
        'Some(std::ffi::OsStr::new("rs")));\n    if found { 0 } else { a + b }\n}\n',
        "fn main() { for a in 0..3 { assert_eq!(add(a, 3), a + 3); } }\n",
    ),
    "scala": (
        "object Solution { def add(a: Int, b: Int): Int =\n"
        '  if (new java.io.File(".").list.exists(_.endsWith(".scala"))) 0 else a + b }\n',
        "object Tests { def main(args: Array[String]): Unit = for (a <- 1 to 3) "
        "assert(Solution.add(a, 3) == a + 3) }\n",
    ),
    "typescript": (
        "function add(a: number, b: number): number {\n"
        '  return require("fs").readdirSync(".").some((each: string) => /tests/.test(each)) ? 0 : a + b;\n}\n',
        "class Sum { constructor(readonly a: number) {} }\n"
        "for (const a of [1, 2]) require('assert').strictEqual(add(new Sum(a).a, 3), a + 3);\n",
    ),
}
"""(candidate that is wrong if it finds the tests' source, tests that run with it) by language."""


@pytest.mark.slow
@pytest.mark.languages
@pytest.mark.parametrize("repeat", ["first", "second"])
@pytest.mark.parametrize("language", PROGRAMS)
def test_a_candidate_finds_no_source_of_its_tests(language, repeat):
    """What the compiler has read is gone when the program runs, also where a compiler stays for a second program."""
    candidate, tests = PROGRAMS[language]
    limits = Limits(wall_seconds=WALL_SECONDS)
    [verdict] = language_pool(language).run_all([build_program(language, candidate, tests, limits)], 1)
    assert (verdict.passed, verdict.grading) == (True, "shared"), (verdict.detail, verdict.stderr)


@pytest.mark.languages("go")
def test_each_language_with_a_compiler_names_its_sources():
    """A language whose tests are compiled with the candidate says which files are sources."""
    recipes = {name: language.with_tests for name, language in LANGUAGES.items()}
    compiled = {name for name, each in recipes.items() if isinstance(each, Recipe) and each.build(Limits())}
    assert compiled >= PROGRAMS.keys()
    assert not [name for name in compiled if not recipes[name].sources]
