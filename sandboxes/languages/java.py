"""Java. Candidate and tests are two files, and the tests' text decides which class is run, or which tests of JUnit."""

from __future__ import annotations

import re
import shlex

from sandboxes.contract import Limits
from sandboxes.languages import java_junit
from sandboxes.languages.apart.java import java_tests
from sandboxes.languages.base import MAX_NAMES, Files, Language, Recipe, heap_mb
from sandboxes.languages.calls.java import java_call
from sandboxes.languages.comments import without_literals
from sandboxes.languages.compilers.java_archive import archive_path, prepare_archive
from sandboxes.languages.compilers.java_compiler import warm_javac
from sandboxes.languages.compilers.quick_builds import IS_PREPARED, QUICK_FILE, quick_build, refusing
from sandboxes.languages.java_junit import JARS, RUNNER, TEST, class_path, detect_framework, method_names, runner_source
from sandboxes.languages.java_tuples import NAMES, PACKAGE, tuple_files
from sandboxes.languages.steps import Command

# Bounded, because a hostile text may begin an import in each line.
JAVA_IMPORT = re.compile(r"^[ \t]*+import\s[\w.*\s]{1,400}+;[ \t]*$", re.MULTILINE)
JAVA_PACKAGE = re.compile(r"^[ \t]*package\s+([\w.]+)\s*;[ \t]*$", re.MULTILINE)
JAVA_PUBLIC = re.compile(
    r"^[ \t]*public\s+(?:(?:final|abstract|sealed|strictfp)\s+)*(?:class|interface|enum|record)\s+(\w+)", re.M
)
JAVA_TYPE = re.compile(r"\b(?:class|interface|enum|record)\s+(\w+)")
JAVA_MAIN = re.compile(r"\bstatic\b[^;{}()=]*\bvoid\s+main\s*\(")

JUNIT_TEST = re.compile(rf"{TEST.pattern}|\bjunit\.framework\b.*\bextends\s+(?:[\w.]+\.)?TestCase\b", re.DOTALL)
ENDS_ITSELF = re.compile(r"\b(?:JUnitCore|TestRunner|Launcher\w*|ConsoleLauncher|exit|halt)\b")
"""What a `main` names that runs JUnit's tests, or ends the program."""

JAVA_LIST_FILE, JAVA_MAIN_FILE = "code_eval_files", "code_eval_main"
"""Files of arguments in the program's folder: the sources to compile, and the class to run."""

JVM_FLAGS = ("-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xshare:auto")
COMPILER_FLAGS = (*JVM_FLAGS, "-XX:TieredStopAtLevel=1", "-Xmx512m")
"""Options of the compiler's virtual machine."""

JAVAC_FLAGS = tuple(f"-J{flag}" for flag in COMPILER_FLAGS)
JAVAC_OPTIONS = ("-proc:none", "-nowarn", "-encoding", "UTF-8", "-d", ".")
JAVAC = ("javac", *JAVAC_FLAGS, *JAVAC_OPTIONS)
"""The compiler, which writes into the program's folder. Its arguments follow."""

JUDGES = {
    "java.lang": (
        *("AssertionError", "Boolean", "Byte", "Character", "Class", "Comparable", "Double", "Enum", "Error"),
        *("Exception", "Float", "IllegalArgumentException", "IllegalStateException", "Integer", "Iterable", "Long"),
        *("Math", "Number", "Object", "RuntimeException", "Short", "StrictMath", "String", "StringBuffer"),
        *("StringBuilder", "System", "Thread", "Throwable"),
    ),
    "java.util": ("Arrays", "Objects"),
    **java_junit.JUDGES,
    PACKAGE: NAMES,
}
"""Types that tests judge by. The tests mean these, and not a candidate's types of the same names."""

# Takes the completion token before the program's first line, and empties the input that it was in. Reflection finds the
# class to run among the types of the tests' text, because a search for the words of its `main` can be misled.
MAIN_RUNNER = """\
public class CodeEvalRunner {
    public static void main(String[] arguments) throws Throwable {
        java.io.PrintStream out = System.out;
        byte[] token = System.in.readAllBytes();
        new java.io.FileOutputStream(java.io.FileDescriptor.in).getChannel().truncate(0);
        java.lang.reflect.Method main = findMain(new String[] {%s});
        Class<?> tests = main.getDeclaringClass();
        try {
            main.setAccessible(true);
            main.invoke(null, (Object) new String[0]);
        } catch (java.lang.reflect.InvocationTargetException error) {
            throw error.getCause();
        }
        System.out.flush();
        if (!tests.desiredAssertionStatus()) throw new Error("the candidate has turned off the tests' asserts");
        out.write(token, 0, token.length);
        out.flush();
    }

    private static java.lang.reflect.Method findMain(String[] names) throws Exception {
        for (String name : names) {
            try {
                Class<?> type = Class.forName(name, false, CodeEvalRunner.class.getClassLoader());
                java.lang.reflect.Method main = type.getDeclaredMethod("main", String[].class);
                if (java.lang.reflect.Modifier.isStatic(main.getModifiers())) return main;
            } catch (ClassNotFoundException | NoSuchMethodException error) {
                continue;
            }
        }
        throw new NoSuchMethodException("the tests have no static main(String[])");
    }
}
"""


def java_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a program with tests: text by path. Each part is named after its public type."""
    if not tests.strip():
        candidate, tests = "", candidate
    files = {**part_files(candidate, tests), **tuple_files((candidate, tests))}
    framework, types, path = detect_framework(tests), top_level_types(tests), ""
    if framework:
        path = f"-cp\n{class_path(JARS[framework])}\n"
    if is_for_junit(tests):
        plain = without_literals(tests)
        mains = types if JAVA_MAIN.search(plain) and not ENDS_ITSELF.search(plain) else []
        classes = dict.fromkeys((*test_classes(tests), *types))
        runner = runner_source(framework, tests, tuple(classes), java_test_names(tests), mains)
    else:
        runner = MAIN_RUNNER % ", ".join(f'"{name}"' for name in types)
    return {
        **files,
        f"{RUNNER}.java": runner,
        JAVA_LIST_FILE: path + "\n".join((*files, f"{RUNNER}.java")) + "\n",
        JAVA_MAIN_FILE: f"{path}{RUNNER}\n",
        QUICK_FILE: f"{archive_path(JAVAC_FLAGS)}\n",
    }


def is_for_junit(tests: str) -> bool:
    """Return whether JUnit runs the tests. A `main` beside its tests need not tell of their failures."""
    plain = without_literals(tests)
    return bool(detect_framework(tests)) and bool(JUNIT_TEST.search(plain) or not JAVA_MAIN.search(plain))


def java_needs(files: Files) -> tuple[str, ...]:
    """Return the files of the class path that a program is compiled with."""
    words = files[JAVA_LIST_FILE].split("\n")
    return tuple(path for path in words[1].split(":") if path != ".") if words[0] == "-cp" else ()


def java_test_names(tests: str) -> tuple[str, ...]:
    """Return the names of JUnit's tests that have a ticket."""
    return tuple(method_names(tests)[:MAX_NAMES]) if is_for_junit(tests) else ()


def java_call_program(candidate: str, function: str) -> str:
    """Return the program of a case that is a call, as `Language.calls` does."""
    return java_call(candidate, function, top_level_types(candidate))


def java_standalone_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of the candidate alone, whose `main` is run."""
    files = {**part_files(candidate, ""), **tuple_files((candidate,))}
    lists = {JAVA_LIST_FILE: "\n".join(files) + "\n", JAVA_MAIN_FILE: main_class(candidate) + "\n"}
    return {**files, **lists, QUICK_FILE: f"{archive_path(JAVAC_FLAGS)}\n"}


def part_files(candidate: str, tests: str) -> dict[str, str]:
    """Return a file for each part that is not empty. Each has the imports of both, as far as tests trust them."""
    files: dict[str, str] = {}
    for number, text in enumerate(text for text in (candidate, tests) if text.strip()):
        package, body = parse_package(text), without_header(text)
        plain = without_literals(body)
        declared = find_main_type(plain)
        name = declared[1] if declared else f"Part{number}"
        path = f"{name}.java" if f"{name}.java" not in files else f"part{number}/{name}.java"
        imports = list(dict.fromkeys((*parse_imports(candidate), *parse_imports(tests))))
        if text is tests:
            imports = list(dict.fromkeys((*trusted_imports(candidate), *parse_imports(tests))))
        # On one line: the number of lines before a part does not depend on the names that it uses.
        judges = judge_imports(plain, imports) if text is tests else []
        header = (f"package {package};\n" if package else "") + "\n".join(imports) + "\n" + " ".join(judges)
        files[path] = header + body
    return files


def find_main_type(plain: str) -> re.Match[str] | None:
    """Return the declaration of the type that a file is named after: the public type, otherwise the first.

    Args:
        plain: source, without comments.
    """
    return JAVA_PUBLIC.search(plain) or JAVA_TYPE.search(plain)


def parse_package(text: str) -> str:
    """Return the package of a part, or "" if it names none."""
    declaration = JAVA_PACKAGE.search(without_literals(text))
    return declaration[1] if declaration else ""


def parse_imports(text: str) -> list[str]:
    """Return the import declarations of a part."""
    return [declaration[0].strip() for declaration in JAVA_IMPORT.finditer(without_literals(text))]


def trusted_imports(candidate: str) -> list[str]:
    """Return the imports of a candidate that its tests may have too: neither of its own types, nor of other judges."""
    package = parse_package(candidate)
    judges = {name: package for package, names in JUDGES.items() for name in names}
    trusted = []
    for line in parse_imports(candidate):
        words = line.removeprefix("import").rstrip(";").split()
        name = "".join(words[1:] if words[0] == "static" else words)
        home, _, simple = name.rpartition(".")
        is_own = bool(package) and name.startswith(f"{package}.")
        if not is_own and judges.get(simple, home) == home:
            trusted.append(line)
    return trusted


def without_header(text: str) -> str:
    """Return a part without its package and imports."""
    plain = without_literals(text)
    spans = [header.span() for pattern in (JAVA_PACKAGE, JAVA_IMPORT) for header in pattern.finditer(plain)]
    for begin, end in sorted(spans, reverse=True):
        text = text[:begin] + text[end:]
    return text


def judge_imports(plain: str, imports: list[str]) -> list[str]:
    """Return imports of the types in JUDGES that tests use.

    A type that is imported by its name takes precedence over a type of the same name in the package.

    Args:
        plain: the tests, without literals.
        imports: the declarations that the tests have already.
    """
    own = {declaration[1] for declaration in JAVA_TYPE.finditer(plain)}
    added = []
    for package, names in JUDGES.items():
        is_visible = package == "java.lang" or f"import {package}.*;" in imports
        for name in names if is_visible else ():
            is_imported = any(line.endswith(f".{name};") for line in imports)
            if name not in own and not is_imported and re.search(rf"\b{name}\b", plain):
                added.append(f"import {package}.{name};")
    return added


def top_level_types(text: str) -> list[str]:
    """Return the full names of a part's types that are not inside another type: the public one first."""
    plain, package = without_literals(text), parse_package(text)
    depth, end, names = 0, 0, []
    for declaration in JAVA_TYPE.finditer(plain):
        between = plain[end : declaration.start()]
        depth, end = depth + between.count("{") - between.count("}"), declaration.start()
        if depth == 0:
            names.append(declaration[1])
    if public := JAVA_PUBLIC.search(plain):
        names.sort(key=lambda name: name != public[1])
    return [f"{package}.{name}" if package else name for name in dict.fromkeys(names)]


def test_classes(tests: str) -> list[str]:
    """Return the full names of the outermost classes with tests of JUnit."""
    plain, package = without_literals(tests), parse_package(tests)
    names = dict.fromkeys(enclosing_class(plain[: test.start()]) for test in TEST.finditer(plain))
    return [f"{package}.{name}" if package else name for name in names]


def main_class(text: str) -> str:
    """Return the full name of the class with a program's last `main`."""
    plain, package, name = without_literals(text), parse_package(text), "Main"
    for main in JAVA_MAIN.finditer(plain):
        name = enclosing_class(plain[: main.start()])
    return f"{package}.{name}" if package else name


def enclosing_class(before: str) -> str:
    """Return the outermost type that is open at the end of a text."""
    outermost = [
        declaration[1]
        for declaration in JAVA_TYPE.finditer(before)
        if before.count("{", 0, declaration.start()) == before.count("}", 0, declaration.start())
    ]
    return outermost[-1] if outermost else "Main"


def java_command(limits: Limits, *arguments: str) -> Command:
    """Return the command that starts the virtual machine with assertions on. It ends with status 3 when out of heap."""
    memory = (f"-Xmx{heap_mb(limits)}m", "-XX:+ExitOnOutOfMemoryError")
    return Command(("java", *JVM_FLAGS, *memory, "-ea", *arguments), limits, reserves_memory=True, memory_status=3)


def run_java(limits: Limits) -> Command:
    """Return the command that runs the class in JAVA_MAIN_FILE."""
    return java_command(limits, "-cp", ".", f"@{JAVA_MAIN_FILE}")


# An error with a place is the plain build's too, unless the virtual machine could not start.
OWN_ERRORS = '*.java:[0-9]*": error: "*'
OTHER_ERRORS = '*"Error occurred during initialization of VM"*'
COMPILE = shlex.join((*JAVAC, f"@{JAVA_LIST_FILE}"))
BUILD = quick_build(
    ("javac",),
    IS_PREPARED,
    refusing(f'{COMPILE} "-J-XX:SharedArchiveFile=$prepared"', OWN_ERRORS, OTHER_ERRORS),
    f"exec {COMPILE}",
    warm_javac(COMPILER_FLAGS, (*JAVAC_OPTIONS, f"@{JAVA_LIST_FILE}")),
)
JAVA = Language(
    name="java",
    label="Java",
    with_tests=Recipe(java_files, BUILD, run_java, java_needs, java_test_names, sources=(".java",)),
    standalone=Recipe(java_standalone_files, BUILD, run_java),
    version=lambda: ("java", "-version"),
    package="openjdk-17-jdk-headless",
    image="openjdk:17-jdk-bullseye",
    highlight="cpp",
    canary=(
        "class Solution { static int add(int a, int b) { return a + b; } }",
        "class Main { public static void main(String[] a) { if (Solution.add(2, 3) != 5) throw new Error(); } }",
    ),
    calls=java_call_program,
    plain_tests=java_tests,
    tools=("java", "javac"),
    paths=("/etc/java-*-openjdk",),
    prepared_here=lambda: prepare_archive(JAVAC_FLAGS),
)
