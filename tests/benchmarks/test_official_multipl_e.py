"""The official forms of MultiPL-E's problems: one program with its tests, which passes if it ends with status 0."""

from dataclasses import replace

import pytest

from code_tasks.benchmarks import BENCHMARKS
from support import multipl_e_compiled, multipl_e_records, multipl_e_scripts
from support.languages import require_languages
from support.official_verdicts import official_results

pytestmark = [pytest.mark.slow, pytest.mark.languages]

JAVA = {
    "name": "HumanEval_0_add",
    "language": "java",
    "prompt": "import java.util.*;\nimport org.javatuples.*;\nclass Problem {\n    public static long add(long a) {\n",
    "tests": "    }\n    public static void main(String[] args) {\n    assert(add(1l) == 2l);\n    }\n\n}\n",
}
TUPLES = JAVA["tests"].replace("assert(add(1l) == 2l);", "assert(Pair.with(1, 2).getValue0() == 1);")
PROGRAMS = {
    "coq": (
        "Definition add (a : nat) : nat :=\n",
        "  a + 1.\n",
        "\nExample t1 : add 1 = 2. Proof. reflexivity. Qed.\n",
    ),
    "cpp": (
        "#include<assert.h>\nlong add(long a) {\n",
        "    return a + 1;\n",
        "}\nint main() {\n    assert(add(1) == 2);\n}\n",
    ),
    "js": ("function add(a) {\n", "  return a + 1;\n", "}\nif (add(1) !== 2) throw new Error();\n"),
    "py": ("def add(a: int) -> int:\n", "    return a + 1\n", "assert add(1) == 2\n"),
    "hs": (
        "import System.Exit\nimport System.IO.Unsafe\nadd :: Int -> Int\nadd a =",
        " a + 1\n",
        'main = if add 1 == 2 then pure () else error "no"\n',
    ),
    "lua": ("function add(a)\n", "    return a + 1\nend\n", "if add(1) ~= 2 then os.exit(1) end\n"),
    "ml": ("let add (a : int) : int =\n", "    a + 1\n", "let () = assert (add 1 = 2)\n"),
    "php": (
        "<?php\nfunction add($a) {\n",
        "    return $a + 1;\n}\n",
        "if (add(1) !== 2) { throw new Exception('no'); }\n",
    ),
    "pl": ("sub add {\n    my ($a) = @_;\n", "    return $a + 1;\n}\n", "if (add(1) != 2) { exit 1; }\n"),
    "r": ("add <- function(a) {\n", "    a + 1\n}\n", "if(!identical(add(1), 2)){quit('no', 1)}\n"),
    "rb": ("def add(a)\n", "    a + 1\nend\n", "raise 'no' unless add(1) == 2\n"),
    "sh": ("add() {\n", "    echo $(($1 + 1))\n", "}\nset -e\n[[ $(add 1) = 2 ]]\n"),
}
EXITS = {
    "coq": '  a.\nNotation "x = y" := (x = x) : type_scope.\n',
    "cpp": "    __builtin_exit(0);\n",
    "js": "  process.exit(0);\n",
    "hs": " unsafePerformIO exitSuccess\n",
    "lua": "    os.exit(0)\nend\n",
    "ml": "    exit 0\n",
    "php": "    exit(0);\n}\n",
    "pl": "    exit 0;\n}\n",
    "r": "    quit('no', 0)\n}\n",
    "rb": "    exit 0\nend\n",
    "py": "    exit(0)\n",
    "sh": "    exit 0\n}\nexit 0\n{ :\n",
}


def passed(folder, record, completions):
    """Return whether each completion passes officially."""
    require_languages(record["language"])
    return [result.passed for result in official_results(folder, "multipl-e", record, completions)]


def test_java(tmp_path):
    """A program that leaves with status 0 passes, and wrong results, two public classes and a second `main` fail."""
    public = "        return a + 1;\n    }\n}\npublic class A {}\npublic class B {\n    static void f() {\n"
    completions = ["        return a + 1;\n", "        return a;\n", "        System.exit(0); return 0;\n", public, "}"]
    assert passed(tmp_path, JAVA, completions) == [True, False, True, False, False]


def test_tuples_of_java(tmp_path):
    """The compiler knows javatuples, and the program does not find them. A candidate's own class is found."""
    own = (
        "        return a + 1;\n    }\n    static class Pair {\n"
        "        static Pair with(int a, int b) { return new Pair(); }\n"
        "        int getValue0() { return 1; }\n    }\n    static void f() {\n"
    )
    assert passed(tmp_path, {**JAVA, "tests": TUPLES}, ["        return a + 1;\n", own]) == [False, True]


@pytest.mark.parametrize("name", PROGRAMS)
def test_status_decides(tmp_path, name):
    """A right completion passes, and so does one that leaves with status 0, or empties what its tests say."""
    prompt, right, tests = PROGRAMS[name]
    record = {"name": "HumanEval_0_add", "language": name, "prompt": prompt, "tests": tests}
    assert passed(tmp_path, record, [right, right.replace("+ 1", "+ 2"), EXITS[name]]) == [True, False, True]


def test_limits_of_the_grader():
    """The limits are the grader's, also where the user's replace those of our verdict."""
    benchmark = BENCHMARKS["multipl-e"]
    problem = benchmark.parse(JAVA, 0)
    assert benchmark.official_form(replace(problem, limits={})).limits == problem.limits


@pytest.mark.parametrize("name", ["adb", "cs", "d", "go_test.go", "m", "rs", "scala", "ts"])
def test_languages_without_another_form(name):
    """Programs in Ada, C#, D, Go, Octave, Rust, Scala and TypeScript are judged as without the option."""
    record = (multipl_e_compiled.RECORDS | multipl_e_records.RECORDS | multipl_e_scripts.RECORDS)[name]
    problem = BENCHMARKS["multipl-e"].parse(record, 0)
    assert BENCHMARKS["multipl-e"].official_form(problem) is problem
