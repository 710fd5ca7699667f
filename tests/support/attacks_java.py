"""Candidates in Java that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = """\
public class Main {
    public static void main(String[] args) {
        if (Solution.add(2, 3) != 5) throw new AssertionError("no sum");
    }
}
"""
JAVA_MAIN = "public static void main(String[] args)"
ASSERTED = TESTS.replace(
    'if (Solution.add(2, 3) != 5) throw new AssertionError("no sum");',
    "Helper.check(Solution.add(2, 3));",
).replace(
    "public class Main {",
    "public class Main {\n    static class Helper { static void check(int sum) { assert sum == 5; } }",
)
NEAR = TESTS.replace("Solution.add(2, 3) != 5", "Math.abs(Solution.add(2, 3) - 5) > 1e-6")
EQUAL = "import java.util.*;\n" + TESTS.replace(
    "Solution.add(2, 3) != 5", "!Arrays.equals(new int[] {Solution.add(2, 3)}, new int[] {5})"
)
OBJECTS = "import java.util.*;\n" + TESTS.replace("Solution.add(2, 3) != 5", "!Objects.equals(Solution.add(2, 3), 5)")
ENDS = TESTS.replace('throw new AssertionError("no sum")', "System.exit(1)")


def solution(members="", sign="*", around="", body=""):
    """Return a class whose `add` gives a product, or the result of `sign`."""
    return (
        f"class Solution {{\n    {members}\n    static int add(int a, int b) {{\n        {body}\n"
        f"        return a {sign} b;\n    }}\n}}\n{around}\n"
    )


def in_class(members="", around="", body="", honest=None):
    """Return (wrong, honest) classes with the same additions; or with `honest` ones, (members, around, body)."""
    right = (members, around, body) if honest is None else honest
    return solution(members, "*", around, body), solution(right[0], "+", right[1], right[2])


DEMO = "public static void main(String[] args) { System.out.println(add(1, 1)); }"
ATTACKS = {
    f"a main of its own, tests with {name}": (*in_class(DEMO), TESTS.replace(JAVA_MAIN, main))
    for name, main in {
        "varargs": "static public void main(String... args)",
        "synchronized": "public static synchronized void main(String[] args)",
        "final": "public final static void main(final String[] args)",
        "an annotation": '@SuppressWarnings("static void main(") @Deprecated public static void main(String args[])',
        "generics": "public static <T extends Comparable<T>> void main(String[] args)",
        "a comment": "public static /* the */ void /* very */ main // (\n        (String[] args)",
        "throws": "static strictfp public void main(java.lang.String[] args) throws Exception",
    }.items()
}
ATTACKS |= {
    "a main in a comment of the tests": (
        *in_class(DEMO),
        "// class Solution { public static void main(String[] a) {} }\n" + TESTS,
    ),
    "a main in a text of the tests": (
        *in_class(DEMO),
        TESTS.replace("{\n        if", '{\n        String text = "class Solution { static void main(";\n        if'),
    ),
    "a main that tests inherit": (
        *in_class(DEMO),
        "class Base extends Solution {}\n" + TESTS.replace("public class Main", "public class Main extends Base"),
    ),
    "the tests' class": (
        solution(around="class Main { public static void main(String[] args) {} }"),
        solution("", "+", "class Mains { public static void main(String[] args) {} }"),
    ),
    "the runner's class": (
        solution(around="class CodeEvalRunner { public static void main(String[] args) {} }"),
        solution("", "+", "class CodeEval {}"),
    ),
    "an open comment": (solution() + "/* the rest", solution("", "+") + "/* the rest */"),
    "a comment that is closed by an escape": (solution() + "/* \\u002a/ /*", solution("", "+") + "/* \\u002a/"),
    "exit in a static block": in_class("static { System.exit(0); }", honest=("static { System.out.flush(); }", "", "")),
    "halt in a static block": in_class(
        "static { Runtime.getRuntime().halt(0); }", honest=("static { Runtime.getRuntime().gc(); }", "", "")
    ),
    "exit when called": in_class(body="if (a > 0) System.exit(0);", honest=("", "", "")),
    "exit in a thread": in_class(
        body="new Thread(() -> System.exit(0)).start(); try { Thread.sleep(2000); } catch (Exception e) {}",
        honest=("", "", "new Thread(() -> System.out.flush()).start();"),
    ),
    "a hook that halts": in_class(
        "static { Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt(0))); }",
        honest=("static { Runtime.getRuntime().addShutdownHook(new Thread(() -> {})); }", "", ""),
    ),
    "a handler of exceptions": in_class(
        "static { Thread.setDefaultUncaughtExceptionHandler((t, e) -> Runtime.getRuntime().halt(0)); }",
        honest=("static { Thread.setDefaultUncaughtExceptionHandler((t, e) -> {}); }", "", ""),
    ),
    "a thread that writes": in_class(
        "static { Thread t = new Thread(() -> { while (true) System.out.println(1); });"
        " t.setDaemon(true); t.start(); }",
        honest=("static { Thread t = new Thread(() -> System.err.println(1)); t.setDaemon(true); t.start(); }", "", ""),
    ),
    "asserts turned off": (
        *in_class(
            "static { ClassLoader.getSystemClassLoader().setDefaultAssertionStatus(false); }",
            honest=("static { assert ClassLoader.getSystemClassLoader() != null; }", "", ""),
        ),
        ASSERTED,
    ),
    "asserts of a main beside JUnit's tests": (
        *in_class(
            "static { ClassLoader.getSystemClassLoader().setDefaultAssertionStatus(false); }",
            honest=("static { assert ClassLoader.getSystemClassLoader() != null; }", "", ""),
        ),
        "import org.junit.*;\npublic class SolutionTest {\n    @Test public void zero() { Solution.add(0, 0); }\n}\n"
        "class Main {\n    public static void main(String[] args) { assert Solution.add(2, 3) == 5; }\n}\n",
    ),
    "asserts cleared": (
        *in_class(body="Solution.class.getClassLoader().clearAssertionStatus();", honest=("", "", "assert a > 0;")),
        ASSERTED,
    ),
    "a Math of its own": (
        *in_class(around="class Math { static double abs(double x) { return 0; } }", honest=("", "class Maths {}", "")),
        NEAR,
    ),
    "a Math with an escape in its name": (
        *in_class(
            around="class \\u004dath { static double abs(double x) { return 0; } }", honest=("", "class Maths {}", "")
        ),
        NEAR,
    ),
    "a System of its own": (
        *in_class(around="class System { static void exit(int status) {} }", honest=("", "class Systems {}", "")),
        ENDS,
    ),
    "an Arrays of its own": (
        *in_class(
            around="class Arrays { static boolean equals(int[] a, int[] b) { return true; } }",
            honest=("", "class Node { int[] all; }", ""),
        ),
        EQUAL,
    ),
    "an Arrays of its own that is imported": (
        "package p;\nimport p.Solution;\nimport p.Solution.Arrays;\n"
        + solution("public static class Arrays { public static boolean equals(int[] a, int[] b) { return true; } }")
        .replace("class Solution", "public class Solution")
        .replace("static int add", "public static int add"),
        "import java.util.Arrays;\n" + solution("", "+", body="Arrays.asList(a);"),
        EQUAL,
    ),
    "an Objects of its own": (
        *in_class(
            around="class Objects { static boolean equals(Object a, Object b) { return true; } }",
            honest=("", "class Pair { int a, b; }", ""),
        ),
        OBJECTS,
    ),
    "an AssertionError that ends the program": (
        solution(
            around="class AssertionError extends Error { AssertionError(Object o) { Runtime.getRuntime().halt(0); } }"
        ),
        solution("", "+", "class SumException extends RuntimeException {}"),
    ),
    "a stack that overflows": in_class(
        body="return add(a, b);".replace("return", "if (a > 0) return"), honest=("", "", "")
    ),
}
