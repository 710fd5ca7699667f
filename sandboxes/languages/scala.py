"""Scala 2. Candidate and tests are two packages, which are compiled together."""

from __future__ import annotations

import re

from sandboxes.contract import Limits
from sandboxes.languages.apart.scala import scala_tests
from sandboxes.languages.base import Language, Recipe
from sandboxes.languages.comments import without_literals
from sandboxes.languages.compilers.jar_version import jar_version
from sandboxes.languages.compilers.jvm_builds import JvmDriver
from sandboxes.languages.compilers.jvm_driver import DRIVER, MAIN_FILE, WORD, program_files
from sandboxes.languages.java import JAVA, java_command
from sandboxes.languages.java_junit import JARS_FOLDER
from sandboxes.languages.steps import Command

LIBRARIES = ":".join(f"{JARS_FOLDER}/scala-{name}.jar" for name in ("library", "reflect"))
COMPILER_JAR = f"{JARS_FOLDER}/scala-compiler.jar"
COMPILER = f"{LIBRARIES}:{COMPILER_JAR}"
PACKAGE = re.compile(r"\s*(package[ \t]+(?!object\b)([\w.]+)[ \t]*(?:;|$))", re.MULTILINE)
IMPORT = re.compile(r"^import[ \t]+((?:scala|java)\.[\w.]{1,200}+(?:\{[\w, ]{1,200}+\})?)[ \t;]*$", re.MULTILINE)
THROWABLES = frozenset(
    """
    ArithmeticException ArrayIndexOutOfBoundsException AssertionError ClassCastException Error Exception
    IllegalArgumentException IllegalStateException IndexOutOfBoundsException NullPointerException NumberFormatException
    RuntimeException StackOverflowError StringIndexOutOfBoundsException Throwable UnsupportedOperationException
    """.split()
)
"""Names of errors that are the library's in tests. Class files do not tell them from other names of the same types."""

SCALA_DRIVER = (
    DRIVER
    + r"""
class Language {
    static final Set<String> ASSERTIONS = Set.of("assert", "assume", "require"), QUALIFIED = Set.of();
    private static final Set<String> NAMES = new HashSet<>(Set.of("_root_", "java", "javax", "scala"));
    static {
        for (Object each : new Object[] {scala.Predef$.MODULE$, scala.package$.MODULE$})
            for (Method method : each.getClass().getMethods())
                if (Character.isUpperCase(method.getName().charAt(0))) NAMES.add(method.getName());
    }

    static boolean compile(String[] options, PrintStream messages) {
        List<String> arguments = new ArrayList<>(List.of(options));
        for (String name : new String[] {"candidate.scala", "code_eval_tests.scala"})
            if (Files.exists(Paths.get(name))) arguments.add(name);
        scala.Console.setErr(messages);
        scala.tools.nsc.MainClass compiler = new scala.tools.nsc.MainClass();
        compiler.process(arguments.toArray(new String[0]));
        return !compiler.reporter().hasErrors();
    }

    static void check(ClassNode node, Set<String> words) {}

    static boolean isOperator(String name) {
        return !Character.isJavaIdentifierStart(name.charAt(0)) && name.charAt(0) != '<';
    }

    static boolean isValue(String name, String type) { return type.startsWith("()") && isLibrary(name); }

    static boolean isFunction(String owner) { return owner.matches("scala/(Partial)?Function\\d*"); }

    static String sourceName(String name) {
        String plain = name.replaceAll("(\\$default\\$\\d+|_\\$eq|\\$extension\\d*)$", "");
        return plain.isEmpty() || plain.equals("<init>") ? name : scala.reflect.NameTransformer.decode(plain);
    }

    static boolean isLibrary(String name) {
        for (String form : new String[] {"scala.%s", "scala.%s$", "scala.%s.package", "java.lang.%s"}) {
            try {
                Class.forName(String.format(form, name), false, Language.class.getClassLoader());
                return true;
            } catch (ClassNotFoundException error) {
                continue;
            }
        }
        return NAMES.contains(name);
    }
}

@SuppressWarnings({"rawtypes", "unchecked"})
class Parts {
    private static final java.util.regex.Pattern VIEW = java.util.regex.Pattern.compile(
        "Default(Key|Values)|MappedValues|FilteredKeys|\\$\\$anon|View|Proxy|Wrappers\\$");

    private static final String ORDER = "scala\\.(math\\.Ordering|Enumeration)\\$\\w+\\$";

    /** An iterator, whose methods are the library's but for these. */
    static class Each extends scala.collection.AbstractIterator {
        private final scala.collection.Iterator all;
        Each(scala.collection.Iterator all) { this.all = all; }
        public boolean hasNext() { return all.hasNext(); }
        public Object next() { return Guard.result(all.next()); }
    }

    /** Copy what computes its elements later, or shows those of another collection. */
    static Object plain(Object value) {
        if (value instanceof scala.collection.Iterator) return new Each((scala.collection.Iterator) value);
        if (Guard.isOwn(value) || !(value instanceof scala.collection.Iterable)) return value;
        scala.collection.Iterable all = (scala.collection.Iterable) value;
        if (value instanceof scala.collection.immutable.Stream) return new Each(all.iterator()).toStream();
        if (!VIEW.matcher(value.getClass().getName()).find() || value instanceof scala.collection.Seq
            || value instanceof scala.collection.mutable.Iterable) return value;
        if (value instanceof scala.collection.Map) return all.iterator().toMap(scala.Predef$.MODULE$.$conforms());
        return value instanceof scala.collection.Set ? all.iterator().toSet() : all.iterator().toList();
    }

    static boolean isCollection(Object value) { return value instanceof scala.collection.GenTraversableOnce; }

    static void check(Object value) {
        if (value instanceof scala.collection.GenTraversableOnce) {
            scala.collection.GenTraversableOnce all = (scala.collection.GenTraversableOnce) value;
            Object order = value instanceof scala.collection.SortedSet ? ((scala.collection.SortedSet) value).ordering()
                : value instanceof scala.collection.SortedMap ? ((scala.collection.SortedMap) value).ordering() : null;
            boolean isOrdered = order == null || order.getClass().getName().matches(ORDER);
            if (!isOrdered || VIEW.matcher(value.getClass().getName()).find()) Guard.refuse(value);
            if (!all.hasDefiniteSize() || value instanceof scala.collection.immutable.Range) return;
            for (scala.collection.Iterator each = all.toIterator(); each.hasNext();) Guard.check(each.next());
        } else if (value instanceof scala.Product) {
            scala.collection.Iterator each = ((scala.Product) value).productIterator();
            while (each.hasNext()) Guard.check(each.next());
        }
    }
}
"""
)


def scala_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a program with tests: text by path."""
    if not tests.strip():
        # The candidate is its own test.
        candidate, tests = "", candidate
    own, theirs, files = program_files(candidate, tests)
    imports = [f"java.lang.{{{', '.join(names)}}}"] if (names := sorted(THROWABLES & {*WORD.findall(tests)})) else []
    plain = without_literals(candidate)
    imports += [name for name in IMPORT.findall(plain) if "Predef" not in name]
    clause, body = PACKAGE.match(without_literals(tests)), tests
    if clause:
        body = tests[: clause.start(1)] + tests[clause.end(1) :]
    if candidate.strip():
        imports.append(f"{own}._")
        files["candidate.scala"] = f"package {own}; {candidate}"
        if clause and (of_candidate := PACKAGE.match(plain)) and of_candidate[2] == clause[2]:
            imports.append(f"{own}.{clause[2]}._")
    # On the first line, so that messages have the tests' own lines.
    head = f"package {theirs} {{ {' '.join(f'import _root_.{name};' for name in imports)} "
    return {**files, "code_eval_tests.scala": f"{head}{body}\n}}\n", **BUILDS.files()}


def standalone_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of the candidate alone, whose `main` is run."""
    return {"candidate.scala": candidate, **BUILDS.files()}


def run_scala(limits: Limits) -> Command:
    """Return the command that runs the class in MAIN_FILE. No class of the candidate's comes before the library's."""
    return java_command(limits, "-cp", f"{LIBRARIES}:.", f"@{MAIN_FILE}")


SAMPLE = (
    """\
import scala.collection.mutable
case class Point(x: Int, y: Int)
sealed trait Shape { def area: Double = 0.0 }
object Solution {
  def longest(texts: List[String]): Option[String] = texts.sortBy(-_.length).headOption
  def count(texts: Seq[String]): Map[String, Int] = texts.groupBy(identity).map { case (text, all) => text -> all.size }
  def squares(limit: Int): Array[Int] = {
    val found = mutable.ArrayBuffer[Int]()
    for (number <- 1 to limit if number % 2 == 0) found += number * number
    var left = found.length
    while (left > 0) left -= 1
    found.toArray
  }
  def name(value: Any): String = value match {
    case Point(x, _) if x > 0 => s"point $x"
    case text: String => text.toUpperCase
    case _ => "?"
  }
}
""",
    """\
object Tests {
  import Solution._
  def main(args: Array[String]): Unit = {
    assert(longest(List("a", "bc")) == Some("bc"))
    assert(count(Seq("a", "a")).equals(Map("a" -> 2)))
    assert(squares(4).sameElements(Array(4, 16)))
    assert(name(new Point(1, 2)) == "point 1", "a point has no name")
  }
}
""",
)
OPTIONS = ("-classpath", LIBRARIES, "-nowarn", "-encoding", "UTF-8", "-d", ".")
BUILDS = JvmDriver("scala", SCALA_DRIVER, COMPILER, OPTIONS, lambda: scala_files(*SAMPLE))
SCALA = Language(
    name="scala",
    label="Scala",
    with_tests=Recipe(scala_files, BUILDS.build, run_scala, sources=(".scala",)),
    standalone=Recipe(standalone_files, BUILDS.build, run_scala),
    version=lambda: jar_version("Scala", COMPILER_JAR, "compiler.properties"),
    package="scala",
    image="debian:bookworm with scala, openjdk-17-jdk-headless and python3",
    highlight="cpp",
    canary=(
        "object Solution { def add(a: Int, b: Int): Int = a + b }",
        "object Tests { def main(args: Array[String]): Unit = assert(Solution.add(2, 3) == 5) }",
    ),
    aliases=("sc",),
    tools=("scalac", "java"),
    paths=JAVA.paths,
    prepared_here=BUILDS.classes.prepare,
    plain_tests=scala_tests,
)
