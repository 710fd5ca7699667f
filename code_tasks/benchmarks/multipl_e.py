"""MultiPL-E: the problems of HumanEval and MBPP, translated into other languages.

Source: Cassano et al. 2022, arXiv:2208.08227, and its grader. Its program is one text: prompt, completion, a line break
and tests. The tests begin with the bracket that ends the completion. Here that bracket goes to the completion, and
candidate and tests are two files, so that no candidate can comment out, skip or enclose the tests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from code_tasks.benchmarks.benchmark import MEMORY_BYTES, Benchmark
from code_tasks.benchmarks.official.forms import status_tests
from code_tasks.benchmarks.problems import Problem, check_has_tests
from code_tasks.benchmarks.records import text_field
from sandboxes.languages.comments import without_literals
from sandboxes.languages.csharp import CANDIDATE_ASSEMBLY
from sandboxes.languages.d import CANDIDATE_MODULE
from sandboxes.languages.javascript import TYPE_CHECK
from sandboxes.languages.registry import lack_of_package
from sandboxes.validation import short_repr

LANGUAGES = {
    "ada": "ada",
    "adb": "ada",
    "clj": "clojure",
    "cpp": "cpp",
    "cs": "csharp",
    "d": "d",
    "elixir": "elixir",
    "go": "go",
    "go_test.go": "go",
    "hs": "haskell",
    "java": "java",
    "js": "javascript",
    "lua": "lua",
    "m": "octave",
    "matlab": "octave",
    "ml": "ocaml",
    "php": "php",
    "pl": "perl",
    "py": "python",
    "r": "r",
    "rb": "ruby",
    "rkt": "racket",
    "rs": "rust",
    "scala": "scala",
    "sh": "bash",
    "ts": "typescript",
}
"""Our names of languages, by the names in the data."""

SECONDS = {"go": 30.0, "javascript": 5.0, "octave": 30.0, "rust": 5.0}
"""The grader's limits of a run. Go's covers the compiler too."""

OTHER_SECONDS = 15.0
FIRST_LINES = {"typescript": f"{TYPE_CHECK}\n", "rust": "//@ edition:2015\n"}
"""Comments that make our compilers do what the grader's do by default: `tsc` checks types, `rustc` takes old Rust."""

CLOSING = re.compile(r"\s*\}[ \t]*\n?")
CLOSINGS = {
    "ada": re.compile(r"\A\s*end \w+;\s*end \w+;[ \t]*\n"),
    "octave": re.compile(r"\s*end\b[ \t]*;?[ \t]*\n"),
}
"""What completions end with, in languages in which that is no bracket."""

OCTAVE_TEST = re.compile(r"^\s*function\b[^\n%#]*\btest\b", re.MULTILINE)
JAVA_HEAD = re.compile(r"^ *public static ([^\n(]*?)\s+(\w+)\(([^\n]*)\)\s*\{\s*\Z", re.MULTILINE)
JAVA_CLASS = re.compile(r"^(?:public )?class\s+(\w+)\s*\{", re.MULTILINE)
JAVA_END = re.compile(r"\}\s*\Z")
JAVA_EQUAL = re.compile(r"^(\s*assert\()(.*)\.equals\((.*)\)\);$", re.MULTILINE)
JAVA_PARAMETER = re.compile(r"(?:[^,<>]|<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)+")
JAVA_NAMES = "ArrayList Arrays HashMap HashSet List Map Objects Optional Set"
JAVA_TESTS = """\
%(imports)s
public class CodeEvalTests {
    static %(type)s %(name)s(%(parameters)s) { return %(problem)s.%(name)s(%(values)s); }
%(main)s
"""
JAVA_RUN = """
public class CodeEvalOfficial {
    public static void main(String[] arguments) throws Throwable {
        java.net.URL[] here = {new java.io.File(".").toURI().toURL()};
        ClassLoader loader = new java.net.URLClassLoader(here, ClassLoader.getPlatformClassLoader()) {
            protected Class<?> findClass(String name) throws ClassNotFoundException {
                if (name.startsWith("org.javatuples.")) throw new ClassNotFoundException(name);
                return super.findClass(name);
            }
        };
        loader.setDefaultAssertionStatus(true);
        try {
            java.lang.reflect.Method main = loader.loadClass("Problem").getMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) arguments);
        } catch (java.lang.reflect.InvocationTargetException error) {
            throw error.getCause();
        }
    }
}
"""
"""Runs the class `Problem` as the grader does, which has javatuples for the compiler, and not for the program."""

CSHARP_HEAD = re.compile(r"^ *public static ([^\n(]*?)\s+(\w+)\(([^\n]*)\)\s*\{\s*\Z", re.MULTILINE)
CSHARP_EQUAL = re.compile(r"^(\s*Debug\.Assert\()(.*)\.Equals\((.*)\)\);$", re.MULTILINE)
CSHARP_TESTS = """\
%(usings)s
class CodeEvalTests {
    static %(type)s %(name)s(%(parameters)s) { return %(assembly)s::%(problem)s.%(name)s(%(values)s); }
%(main)s
"""
USING = re.compile(r"^using [\w.]+;$", re.MULTILINE)

D_HEAD = re.compile(r"^(\S[^\n]*?) (\w+)\(([^\n]*)\)\s*\Z", re.MULTILINE)

SCALA_HEAD = re.compile(r"^ *def (\w+)\([^\n]*\{\s*\Z", re.MULTILINE)
SCALA_OBJECT = re.compile(r"^object\s+(\w+)\s*\{", re.MULTILINE)
SCALA_IMPORT = re.compile(r"^import [\w.]+$", re.MULTILINE)
SCALA_TESTS = """\
%(imports)s
object CodeEvalTests {
    import %(problem)s.%(name)s
%(main)s
"""

OFFICIAL_PARTS = {
    "bash": ("", ""),
    "elixir": ("", ""),
    "cpp": ('#undef ONLINE_JUDGE\n#pragma GCC optimize("O0")\n', ""),
    "haskell": ("", ""),
    "java": ("", JAVA_RUN),
    "javascript": ("require.main = module;\n", ""),
    "lua": ("", ""),
    "ocaml": ("", ""),
    "perl": ("", ""),
    "php": ("", ""),
    "python": ("", ""),
    "r": ("", ""),
    "ruby": ("", ""),
}
"""Code before and after a program, with which it runs as in the grader: unoptimised, and as the main module."""


def parse(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of MultiPL-E. Its `name` is the task_id."""
    name, prompt, tests = (text_field(record, field) for field in ("name", "prompt", "tests"))
    language = language_of(record)
    check_has_tests(tests, "tests", language)
    suffix, tests = split_tests(tests, CLOSINGS.get(language, CLOSING))
    if language == "java":
        suffix, tests = suffix + "}\n", java_tests(prompt, tests)
    if language == "csharp":
        suffix, tests = suffix + "}\n", csharp_tests(prompt, tests)
    if language == "scala":
        suffix, tests = suffix + "}\n", scala_tests(prompt, tests)
    if language == "octave":
        tests = octave_tests(tests)
    if language == "d":
        tests = d_tests(prompt, tests)
    limits = {"wall_seconds": SECONDS.get(language, OTHER_SECONDS), "memory_bytes": MEMORY_BYTES}
    return Problem(
        *(name, prompt, FIRST_LINES.get(language, "") + tests, language),
        suffix=f"\n{suffix}",
        limits=limits,
        official={"tests": record["tests"], "limits": limits},
    )


def language_of(record: Mapping[str, Any]) -> str:
    """Return our name of a record's language.

    Raises:
        ValueError: if programs of the language can't be run.
    """
    name = text_field(record, "language")
    if name not in LANGUAGES:
        reason = f"programs in {short_repr(name)} can't be run{lack_of_package(name)}"
        raise ValueError(f"{reason}; there are {', '.join(LANGUAGES)}")
    return LANGUAGES[name]


def split_tests(tests: str, pattern: re.Pattern[str] = CLOSING) -> tuple[str, str]:
    """Return what ends a completion, such as a bracket, which tests may begin with, and the rest of the tests."""
    closing = pattern.match(tests)
    end = closing.end() if closing else 0
    return tests[:end], tests[end:]


def java_tests(prompt: str, tests: str) -> str:
    """Return the tests of a Java problem in a class of their own.

    In the data they are the `main` of the candidate's class, and call its method by its plain name. The new class has
    a method of that name, which calls the candidate's. No name that the candidate declares means anything in it.

    Raises:
        ValueError: if prompt or tests have another form.
    """
    plain = without_literals(prompt)
    head, problem = JAVA_HEAD.search(plain), JAVA_CLASS.search(plain)
    if not head or not problem:
        raise ValueError("'prompt' does not end with the first line of a public static method in a class")
    if not JAVA_END.search(tests) or "void main" not in tests:
        raise ValueError("'tests' are not the rest of a class, with a method 'main'")
    parameters = JAVA_PARAMETER.findall(head[3])
    return JAVA_TESTS % {
        "imports": java_imports(plain, head[0] + tests),
        "type": head[1],
        "name": head[2],
        "parameters": head[3],
        "problem": problem[1],
        "values": ", ".join(parameter.split()[-1] for parameter in parameters),
        "main": JAVA_EQUAL.sub(trusted_equality, tests),
    }


def java_imports(prompt: str, code: str) -> str:
    """Return imports of the types of `java.util` that code uses, so that a candidate's types are not taken for them."""
    if "import java.util.*;" not in prompt:
        return ""
    used = [name for name in JAVA_NAMES.split() if re.search(rf"\b{name}\b", code)]
    return "\n".join(f"import java.util.{name};" for name in used)


def trusted_equality(assertion: re.Match[str]) -> str:
    """Return an assertion that asks the expected value whether it is equal, and not the candidate's object."""
    before, actual, expected = assertion.groups()
    if ".equals(" in actual or ".equals(" in expected:
        return assertion[0]
    return f"{before}({expected}).equals({actual}));"


def csharp_tests(prompt: str, tests: str) -> str:
    """Return the tests of a C# problem in a class of their own, with a method that calls the candidate's.

    The grader compares lists with `Equals`, which is false for two lists that hold the same. Here what they hold is
    compared.

    Raises:
        ValueError: if prompt or tests have another form.
    """
    plain = without_literals(prompt)
    head, problem = CSHARP_HEAD.search(plain), JAVA_CLASS.search(plain)
    if not head or not problem:
        raise ValueError("'prompt' does not end with the first line of a public static method in a class")
    if not JAVA_END.search(tests) or "void Main" not in tests:
        raise ValueError("'tests' are not the rest of a class, with a method 'Main'")
    return CSHARP_TESTS % {
        "usings": "\n".join(USING.findall(plain)),
        "assembly": CANDIDATE_ASSEMBLY,
        "type": head[1],
        "name": head[2],
        "parameters": head[3],
        "problem": problem[1],
        "values": ", ".join(parameter.split()[-1] for parameter in split_parameters(head[3])),
        "main": CSHARP_EQUAL.sub(equal_values, tests),
    }


def equal_values(assertion: re.Match[str]) -> str:
    """Return an assertion that compares two values by what they hold."""
    before, actual, expected = assertion.groups()
    if ".Equals(" in actual or ".Equals(" in expected:
        return assertion[0]
    return f"{before}CodeEval.Same.Values({actual}, {expected}));"


def d_tests(prompt: str, tests: str) -> str:
    """Return the tests of a D problem, with a function of their own that calls the candidate's.

    The types of that function are the library's, whatever the candidate declares under the same names.

    Raises:
        ValueError: if the prompt has another form.
    """
    head = D_HEAD.search(prompt)
    if not head:
        raise ValueError("'prompt' does not end with the first line of a function")
    returned, name, parameters = head.groups()
    values = ", ".join(parameter.split()[-1] for parameter in split_parameters(parameters))
    return f"{returned} {name}({parameters}) {{ return {CANDIDATE_MODULE}.{name}({values}); }} {tests}"


def octave_tests(tests: str) -> str:
    """Return the tests of a problem in Octave, with the call that the grader adds.

    Raises:
        ValueError: if they have no function `test`.
    """
    if not OCTAVE_TEST.search(tests):
        raise ValueError("'tests' have no function 'test'")
    return f"{tests}\ntest();\n"


def scala_tests(prompt: str, tests: str) -> str:
    """Return the tests of a Scala problem in an object of their own, which knows the candidate's function alone.

    Raises:
        ValueError: if prompt or tests have another form.
    """
    plain = without_literals(prompt)
    head, problem = SCALA_HEAD.search(plain), SCALA_OBJECT.search(plain)
    if not head or not problem:
        raise ValueError("'prompt' does not end with the first line of a function in an object")
    if not JAVA_END.search(tests) or "def main" not in tests:
        raise ValueError("'tests' are not the rest of an object, with a method 'main'")
    imports = "\n".join(SCALA_IMPORT.findall(plain))
    return SCALA_TESTS % {"imports": imports, "problem": problem[1], "name": head[1], "main": tests}


def split_parameters(parameters: str, separator: str = ",") -> list[str]:
    """Return the parameters of a list, whose types may have separators between brackets."""
    depth, parts = 0, [""]
    for char in parameters:
        depth += (char in "([<") - (char in ")]>")
        if char == separator and not depth:
            parts.append("")
        else:
            parts[-1] += char
    return [part.strip() for part in parts if part.strip()]


def official_form(problem: Problem) -> Problem:
    """Return a problem whose candidate is one program with the tests, and passes if it ends with status 0.

    Problems in Ada, C#, D, Go, Octave, Rust, Scala and TypeScript stay as they are. Their programs are compiled in
    another way, and in Octave the grader decides by what a program writes to standard error.
    """
    if problem.language not in OFFICIAL_PARTS:
        return problem
    before, after = OFFICIAL_PARTS[problem.language]
    return replace(
        problem,
        prompt=before + problem.prompt,
        suffix=f"\n{problem.official['tests']}{after}",
        tests=json.dumps(status_tests()),
        limits=problem.official["limits"],
    )


MULTIPL_E = Benchmark(
    *("multipl-e", parse, "nuprl/MultiPL-E"),
    fields=("name", "prompt_terminology", "stop_tokens"),
    official=official_form,
    runs_restricted=False,
)
