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
from code_tasks.benchmarks.multipl_e_tests import OWN_TESTS
from code_tasks.benchmarks.official.forms import status_tests
from code_tasks.benchmarks.problems import Problem, check_has_tests
from code_tasks.benchmarks.records import text_field
from sandboxes.languages.javascript import TYPE_CHECK
from sandboxes.languages.registry import lack_of_package
from sandboxes.validation import short_repr

LANGUAGES = {
    "ada": "ada",
    "adb": "ada",
    "clj": "clojure",
    "coq": "coq",
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
    "swift": "swift",
    "ts": "typescript",
    "v": "coq",
}
"""Our names of languages, by the names in the data."""

SECONDS = {"coq": 5.0, "go": 30.0, "javascript": 5.0, "octave": 30.0, "rust": 5.0, "swift": 5.0}
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

IN_CLASSES = ("csharp", "java", "scala")
"""Languages in which the bracket of a class or an object comes after that of the function."""

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

OFFICIAL_PARTS = {
    "bash": ("", ""),
    "coq": ("", ""),
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
    "swift": ("", ""),
}
"""Code before and after a program, with which it runs as in the grader: unoptimised, and as the main module."""


def parse(record: Mapping[str, Any], position: int) -> Problem:
    """Parse a record of MultiPL-E. Its `name` is the task_id."""
    name, prompt, tests = (text_field(record, field) for field in ("name", "prompt", "tests"))
    language = language_of(record)
    check_has_tests(tests, "tests", language)
    suffix, tests = split_tests(tests, CLOSINGS.get(language, CLOSING))
    if language in IN_CLASSES:
        suffix += "}\n"
    if language in OWN_TESTS:
        tests = OWN_TESTS[language](prompt, tests)
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
