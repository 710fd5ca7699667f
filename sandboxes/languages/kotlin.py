"""Kotlin. Candidate and tests are two packages, which are compiled together."""

from __future__ import annotations

import re

from sandboxes.contract import Limits
from sandboxes.languages.apart.kotlin import kotlin_tests
from sandboxes.languages.base import Language, Recipe
from sandboxes.languages.comments import without_literals
from sandboxes.languages.compilers.jar_version import jar_version
from sandboxes.languages.compilers.jvm_builds import JvmDriver
from sandboxes.languages.compilers.jvm_driver import MAIN_FILE, program_files
from sandboxes.languages.compilers.kotlin_driver import KOTLIN_DRIVER
from sandboxes.languages.java import JAVA, java_command
from sandboxes.languages.java_junit import JARS_FOLDER
from sandboxes.languages.steps import Command

LIBRARIES = ":".join(f"{JARS_FOLDER}/kotlin-stdlib{part}.jar" for part in ("", "-jdk7", "-jdk8"))
COMPILER_JARS = ("kotlin-compiler", "libtrove-intellij", "org.jetbrains.annotations-common")
COMPILER = ":".join((LIBRARIES, *(f"{JARS_FOLDER}/{name}.jar" for name in COMPILER_JARS)))
PACKAGE = re.compile(r"\s*(package[ \t]+([\w.]+)[ \t]*(?:;|$))", re.MULTILINE)
IMPORT = re.compile(
    r"^import[ \t]+((?:kotlin\.(?:math|random)|java\.(?:io|math|text|time|util))\.(?:\w{1,200}+|\*))[ \t;]*$",
    re.MULTILINE,
)
TYPE = re.compile(r"\b([A-Z]\w*)")
IMPLIED = ("CandidateKt", "ordinal", "values", *(f"component{place}" for place in range(1, 10)))


def implied_words(words: set[str]) -> set[str]:
    """Return what class files have in place of the tests' words: methods of properties, and of other forms."""
    accessors = {prefix + word[:1].upper() + word[1:] for word in words for prefix in ("get", "set")}
    return {*IMPLIED, *accessors, *(f"set{word[2:]}" for word in words if word.startswith("is"))}


def without_package(source: str) -> tuple[str, str]:
    """Return a source without its `package`, with the lines that it had, and the name of the package."""
    clause = PACKAGE.match(without_literals(source))
    return (source[: clause.start(1)] + source[clause.end(1) :], clause[2]) if clause else (source, "")


def declares(tests: str, name: str) -> bool:
    """Return whether tests declare the last part of a name, which an import would hide."""
    last = re.escape(name.rpartition(".")[2])
    return bool(re.search(rf"\b(?:fun|val|var|class|object|interface|typealias|import)\b[^=(\n]*\b{last}\b", tests))


def kotlin_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a program with tests: text by path."""
    if not tests.strip():
        # The candidate is its own test.
        candidate, tests = "", candidate
    own, theirs, files = program_files(candidate, tests, TYPE, implied_words)
    imports = [name for name in IMPORT.findall(without_literals(candidate)) if not declares(tests, name)]
    source, package = without_package(candidate)
    body, _ = without_package(tests)
    if candidate.strip():
        imports.append(f"{own}.*")
        files["candidate.kt"] = f"package {own}; {source}"
        if package:
            body = re.sub(rf"^import[ \t]+{re.escape(package)}\.", f"import {own}.", body, flags=re.MULTILINE)
    # On the first line, so that messages have the tests' own lines.
    head = f"package {theirs}; {' '.join(f'import {name};' for name in imports)} "
    return {**files, "code_eval_tests.kt": f"{head}{body}\n", **BUILDS.files()}


def standalone_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of the candidate alone, whose `main` is run."""
    return {"candidate.kt": candidate, **BUILDS.files()}


def run_kotlin(limits: Limits) -> Command:
    """Return the command that runs the class in MAIN_FILE. No class of the candidate's comes before the library's."""
    return java_command(limits, "-cp", f"{LIBRARIES}:.", f"@{MAIN_FILE}")


SAMPLE = (
    """\
import java.util.PriorityQueue

data class Point(val x: Int, val y: Int)

sealed class Shape { open val area: Double get() = 0.0 }

fun longest(texts: List<String>): String? = texts.sortedByDescending { it.length }.firstOrNull()

fun count(texts: List<String>): Map<String, Int> = texts.groupBy { it }.mapValues { (_, all) -> all.size }

fun squares(limit: Int): IntArray {
    val found = mutableListOf<Int>()
    for (number in 1..limit) if (number % 2 == 0) found.add(number * number)
    val queue = PriorityQueue<Int>()
    queue.addAll(found)
    var left = queue.size
    while (left > 0) left--
    return found.toIntArray()
}

fun name(value: Any): String = when (value) {
    is Point -> "point ${value.x}"
    is String -> value.toUpperCase()
    else -> "?"
}
""",
    """\
fun main() {
    check(longest(listOf("a", "bc")) == "bc")
    check(count(listOf("a", "a")) == mapOf("a" to 2)) { "the count is wrong" }
    check(squares(4).contentEquals(intArrayOf(4, 16)))
    check(name(Point(1, 2)) == "point 1")
    try { check(name(1) == "?") } catch (error: IllegalStateException) { throw AssertionError(error.message) }
}
""",
)
OPTIONS = (
    *("-no-stdlib", "-no-reflect", "-nowarn", "-jvm-target", "1.8", "-Xassertions=always-enable"),
    *("-classpath", LIBRARIES, "-d", "."),
)
BUILDS = JvmDriver("kotlin", KOTLIN_DRIVER, COMPILER, OPTIONS, lambda: kotlin_files(*SAMPLE))
KOTLIN = Language(
    name="kotlin",
    label="Kotlin",
    with_tests=Recipe(kotlin_files, BUILDS.build, run_kotlin, sources=(".kt",)),
    standalone=Recipe(standalone_files, BUILDS.build, run_kotlin),
    version=lambda: jar_version("Kotlin", f"{JARS_FOLDER}/kotlin-compiler.jar", "META-INF/MANIFEST.MF"),
    package="kotlin",
    image="debian:bookworm with kotlin, openjdk-17-jdk-headless and python3",
    highlight="cpp",
    canary=("fun add(a: Int, b: Int): Int = a + b\n", "fun main() = check(add(2, 3) == 5)\n"),
    aliases=("kt",),
    tools=("kotlinc", "java"),
    paths=JAVA.paths,
    prepared_here=BUILDS.classes.prepare,
    plain_tests=kotlin_tests,
)
