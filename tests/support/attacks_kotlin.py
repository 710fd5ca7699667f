"""Candidates in Kotlin that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = """\
fun main() {
    check(add(2, 3) == 5L)
    assert(add(0L, 1L).equals(1L))
}
"""
THROWS = """\
fun main() {
    if (add(2, 3) != 5L) throw Exception("no sum")
}
"""
EXITS = "fun main() { if (add(2, 3) != 5L) kotlin.system.exitProcess(1) }\n"
CLOSE = 'fun main() { require(Math.abs(add(2, 3) - 5.0) < 1e-6) { "no sum" } }\n'
LISTS = """\
fun main(args: Array<String>) {
    assert(listOf(add(2, 3)) == listOf(5L))
    check(setOf(add(2, 3)) == setOf(5L) && mapOf("a" to add(2, 3)) == mapOf("a" to 5L))
    check(arrayOf(add(2, 3)) contentEquals arrayOf(5L))
    check(mutableListOf(add(2, 3), 1L).map { it + 1 }.sorted() == listOf(2L, 6L))
    check(Pair(add(2, 3), add(1, 1)) == Pair(5L, 2L) && listOf(add(2, 3)).sum() == 5L)
    require(5L in listOf(add(2, 3)) && maxOf(add(2, 3), 1L) == 5L)
}
"""
RAISES = """\
fun main() {
    try { add(-1, 0); throw AssertionError("no error") } catch (error: IllegalArgumentException) {}
    check(add(2, 3) == 5L)
}
"""
SUM = "fun main() {{ check({0}) }}\n"
RESULT = "fun main() {{ check(sum(2L, 3L) == {0}) }}\n"


def problem(body="a * b", around="", before=""):
    """Return a candidate whose `add` has a body, with other declarations around."""
    return f"{before}\nfun add(a: Long, b: Long): Long {{\n    return {body}\n}}\n{around}\n"


def beside(around="", *tests, before=""):
    """Return (wrong, honest, *tests) for candidates with something beside their function."""
    return problem("a * b", around, before), problem("a + b", around, before), *tests


def called(statement, *tests, around=""):
    """Return (wrong, honest, *tests) for candidates whose function does something, and then returns a product."""
    return problem(f"run {{ {statement}; a * b }}", around), problem("a + b", around), *tests


def ends(text, *tests, harmless="Thread.sleep(0)"):
    """Return (wrong, honest, *tests): something that leaves when the function is called, and something harmless."""
    wrong, right = (text.replace("LEAVE", leave) for leave in ("System.exit(0)", harmless))
    return problem(f"run {{ {wrong}; a * b }}"), problem(f"run {{ {right}; a + b }}"), *tests


def returns(result, *tests, around="", honest="a + b", kind="Any"):
    """Return (wrong, honest, *tests) for candidates whose `sum` returns something that is no sum."""
    wrong, right = (f"fun sum(a: Long, b: Long): {kind} = {body}\n{around}\n" for body in (result, honest))
    return wrong, right, *(tests or (RESULT.format("5L"),))


def replaces(name, declaration, *tests):
    """Return (wrong, honest, *tests): a declaration of a name that tests use, and the same under another name."""
    other = declaration.replace(name, f"{name}Other")
    return problem("a * b", declaration), problem("a + b", other), *tests


def typed(declaration, *tests, honest=""):
    """Return (wrong, honest, *tests): a function with the type `Every`, and one with the library's."""
    wrong = f"fun add(a: Long, b: Long) = Every()\n{declaration}\n"
    return wrong, problem("a + b", honest or declaration), *tests


ALWAYS = "override fun equals(other: Any?) = true; override fun hashCode() = 0"
TAKES = f"class Same {{ {ALWAYS} }}"
HOOK = "Runtime.getRuntime().addShutdownHook(Thread { LEAVE })"
OWN_LIST = (
    "class Every : AbstractList<Long>() { override val size = 1; override fun get(index: Int) = 0L\n"
    "  override fun equals(other: Any?) = true; override fun contains(element: Long) = true }"
)
OWN_SET = (
    "class Every : AbstractSet<Long>() { override val size = 1; override fun iterator() = listOf(0L).iterator()\n"
    "  override fun contains(element: Long) = true; override fun containsAll(elements: Collection<Long>) = true }"
)
OWN_MAP = (
    "class Every : LinkedHashMap<Long, Long>() { init { put(0L, 0L) }\n"
    "  override fun containsKey(key: Long) = true; override fun containsValue(value: Long) = true }"
)
EQUAL_LISTS = RESULT.format("listOf(5L)")
SAME_LISTS = SUM.format("listOf(add(2, 3)) == listOf(5L)")
SAME_SET = SUM.format("sum(2L, 3L).containsAll(listOf(5L))")
IN_LIST = SUM.format("5L in sum(2L, 3L)")
ORDERED = SUM.format("add(2, 3) <= 5L && add(2, 3) >= 5L")
SCOPE = "class Scope { fun check(value: Boolean) {}; fun add(a: Long, b: Long) = a OP b }"
SCOPED = "fun main() { Scope().run { check(add(2, 3) == 5L) } }\n"
BASE = "abstract class Base { open fun NAME(value: Boolean) {} }"
TOKEN = 'java.io.File("/proc/self/fd/0").readText()'
ATTACKS = {
    "exit when called": called("System.exit(0)"),
    "exit of the library": called("kotlin.system.exitProcess(0)"),
    "halt when called": called("Runtime.getRuntime().halt(0)"),
    "exit in an initialiser": (
        problem("a * b + started", "val started = run { System.exit(0); 0L }"),
        problem("a + b + started", "val started = run { Thread.sleep(0); 0L }"),
    ),
    "exit in an object": (
        problem("a * b + Started.n", "object Started { val n: Long; init { System.exit(0); n = 0 } }"),
        problem("a + b + Started.n", "object Started { val n: Long; init { Thread.sleep(0); n = 0 } }"),
    ),
    "exit in a thread": ends("val t = Thread { LEAVE }; t.start(); t.join(300)"),
    "exit in a handler": ends("Thread.setDefaultUncaughtExceptionHandler { _, _ -> LEAVE }", THROWS),
    "exit in the tests' handler": ends("Thread.currentThread().setUncaughtExceptionHandler { _, _ -> LEAVE }", THROWS),
    "exit when tests exit": ends(HOOK.replace("LEAVE", "Runtime.getRuntime().halt(0)"), EXITS),
    "exit at the end": ends(HOOK),
    "a thread that does not end": ends("Thread { while (true) Thread.sleep(9) }.start()"),
    "interrupting the tests": ends("Thread.currentThread().interrupt()"),
    "a check of its own": replaces("check", "fun check(value: Boolean) {}"),
    "an assert of its own": replaces("assert", "fun assert(value: Boolean) {}", LISTS),
    "a require of its own": replaces("require", "fun require(value: Boolean, text: () -> Any) {}", CLOSE),
    "a check with a default": replaces("check", 'fun check(value: Boolean, text: String = "") {}'),
    "a generic check": replaces("check", "fun <T> check(vararg all: T) {}"),
    "a suspended check": replaces("check", "val check: (Boolean) -> Unit = {}"),
    "a check as an object": replaces("check", "object check { operator fun invoke(value: Boolean) {} }"),
    "a check as a class": replaces("check", "class check(value: Boolean)"),
    "a check as a field": replaces("check", "@JvmField val check: (Boolean) -> Unit = {}"),
    "a check that comes late": replaces("check", "lateinit var check: (Boolean) -> Unit\nval unused = 1"),
    "a check under another name": (
        problem("a * b", '@JvmName("add") fun check(value: Boolean) {}'),
        problem("a + b", "fun checkOther(value: Boolean) {}"),
    ),
    "a file under another name": (
        problem("a * b", "fun check(value: Boolean) {}", '@file:JvmName("PreconditionsKt")'),
        problem("a + b"),
    ),
    "parts of a file": (
        problem("a * b", "fun check(value: Boolean) {}", "@file:JvmMultifileClass"),
        problem("a + b"),
    ),
    "an inline check": replaces("check", '@Suppress("NOTHING_TO_INLINE") inline fun check(value: Boolean) {}'),
    "an inline function": ("inline " + problem().lstrip(), problem("a + b")),
    "an inline function that leaves": (
        "inline fun add(a: Long, b: Long): Long { System.exit(0); return a }\n",
        "fun add(a: Long, b: Long): Long { Thread.sleep(0); return a + b }\n",
    ),
    "an inline function with lambdas": (
        "inline fun <R> adds(a: Long, b: Long, block: (Long) -> R): Any = Same()\n" + TAKES,
        "fun <R> adds(a: Long, b: Long, block: (Long) -> R): Any? = block(a + b)\n" + TAKES,
        SUM.format("adds(2, 3) { it } == 5L"),
    ),
    "an inline property": (
        "val two: Any inline get() = Same()\n" + TAKES,
        "val two: Any get() = 2L\n" + TAKES,
        SUM.format("two == 2L"),
    ),
    "a check in the scope": (SCOPE.replace("OP", "*"), SCOPE.replace("check", "claim").replace("OP", "+"), SCOPED),
    "an extension of the scope": (
        "class Scope { fun add(a: Long, b: Long) = a * b }\nfun Scope.check(value: Boolean) {}\n",
        "class Scope { fun add(a: Long, b: Long) = a + b }\nfun Scope.claim(value: Boolean) {}\n",
        SCOPED,
    ),
    "a list in the scope": (
        "class Scope { fun add(a: Long, b: Long) = listOf(a * b); fun emptyList() = listOf(6L) }",
        "class Scope { fun add(a: Long, b: Long) = listOf<Long>(); fun noList() = listOf(6L) }",
        "fun main() { Scope().run { check(add(2, 3) == emptyList()) } }\n".replace("emptyList()", "emptyList<Long>()"),
    ),
    "a check of the tests' base": (
        problem("a * b", BASE.replace("NAME", "check")),
        problem("a + b", BASE.replace("NAME", "claim")),
        "class Tests : Base() { fun go() { check(add(2, 3) == 5L) } }\nfun main() { Tests().go() }\n",
    ),
    "a list of its own": replaces("listOf", "fun listOf(vararg all: Any): Any = 0", SAME_LISTS),
    "a list that is typed": replaces("listOf", "fun listOf(all: Long): List<Long> = emptyList()", LISTS),
    "a sum of its own": replaces("sum", "fun List<Long>.sum() = 5L", LISTS),
    "a sum as a value": replaces("sum", "val sum: List<Long>.() -> Long = { 5L }", LISTS),
    "a sum as an object": replaces("sum", "object sum { operator fun List<Long>.invoke() = 5L }", LISTS),
    "a largest of its own": replaces("maxOf", "fun maxOf(a: Long, b: Long) = 5L", LISTS),
    "a content of its own": replaces(
        "contentEquals", "infix fun Array<Long>.contentEquals(other: Array<Long>) = true", LISTS
    ),
    "a pair of its own": replaces("Pair", f"class Pair(a: Any, b: Any) {{ {ALWAYS} }}", LISTS),
    "a pair of a function": replaces("Pair", "fun Pair(a: Long, b: Long) = 0", LISTS),
    "a pair to a pair": replaces("to", "infix fun String.to(n: Long) = Pair(0, 0)", LISTS),
    "an error of its own": replaces(
        "AssertionError", "class AssertionError(text: String) : IllegalArgumentException(text)", RAISES
    )[:1]
    + (problem("run { require(a >= 0); a + b }"), RAISES),
    "another name of an error": (
        problem("a + b", "typealias AssertionError = java.lang.IllegalArgumentException"),
        problem("run { require(a >= 0); a + b }", "typealias OtherError = java.lang.IllegalArgumentException"),
        RAISES,
    ),
    "an error that is all errors": (
        problem("if (a < 0) throw Error() else a + b", "typealias IllegalArgumentException = Throwable"),
        problem("run { require(a >= 0); a + b }"),
        RAISES,
    ),
    "another name of a type": (
        "fun text(): Any = 1\ntypealias String = Any\n",
        'fun text(): Any = "1"\ntypealias Text = Any\n',
        SUM.format("text() is String"),
    ),
    "another Math": replaces("Math", "object Math { fun abs(n: Double) = 0.0 }", CLOSE),
    "another package": (
        problem("a * b", "object kotlin { object system { fun exitProcess(n: Int) {} } }"),
        problem("a + b", "object kotlins { object system { fun exitProcess(n: Int) {} } }"),
        EXITS,
    ),
    "an import under another name": (
        "import kotlin.collections.emptySet as listOf\n" + problem(),
        "import kotlin.collections.emptySet as noSet\n" + problem("a + b"),
        LISTS,
    ),
    "equal to everything": returns("Same()", around=TAKES),
    "equal to everything by another type": returns(
        "Every()",
        SUM.format("sum(2, 3).equals(5L)"),
        around="class Every { fun equals(other: Long) = true }",
        kind="Every",
    )[:1]
    + ("fun sum(a: Long, b: Long) = a + b\n", SUM.format("sum(2, 3).equals(5L)")),
    "equal by an extension": typed(
        "class Every\nfun Every.equals(n: Long) = true", SUM.format("add(2, 3).equals(5L)"), honest="class Every"
    ),
    "equal inside": returns("listOf(Same())", EQUAL_LISTS, around=TAKES, honest="listOf(a + b)"),
    "an order of everything": typed("class Every { operator fun compareTo(n: Long) = 0 }", ORDERED),
    "an order by an extension": typed("class Every\noperator fun Every.compareTo(n: Long) = 0", ORDERED),
    "an order by another name": typed(
        'class Every\n@JvmName("add") operator fun Every.compareTo(n: Long) = 0',
        ORDERED,
        honest="class Every\noperator fun Every.compareTo(n: Long) = 0",
    ),
    "a comparable": (
        "class Every : Comparable<Long> { override fun compareTo(other: Long) = 0 }\n"
        "fun add(a: Long, b: Long): Comparable<Long> = Every()\n",
        "class Every : Comparable<Long> { override fun compareTo(other: Long) = 0 }\n"
        "fun add(a: Long, b: Long): Comparable<Long> = a + b\n",
        ORDERED,
    ),
    "a difference of its own": typed(
        "class Every { operator fun minus(n: Double) = 0.0 }", CLOSE, honest="class Every"
    ),
    "a member of its own": (
        "class Every { operator fun contains(n: Long) = true }\nfun sum(a: Long, b: Long) = Every()\n",
        "fun sum(a: Long, b: Long) = listOf(a + b)\n",
        IN_LIST,
    ),
    "a member by an extension": (
        "class Every\noperator fun Every.contains(n: Long) = true\nfun sum(a: Long, b: Long) = Every()\n",
        "class Every\noperator fun Every.contains(n: Long) = true\nfun sum(a: Long, b: Long) = listOf(a + b)\n",
        IN_LIST,
    ),
    "a check of emptiness": (
        "class Every { fun isEmpty() = true }\nfun sum(a: Long, b: Long) = Every()\n",
        "fun sum(a: Long, b: Long) = listOf<Long>()\n",
        SUM.format("sum(2, 3).isEmpty()"),
    ),
    "a list equal to everything": returns(
        "Every()", EQUAL_LISTS, around=OWN_LIST, kind="List<Long>", honest="listOf(a + b)"
    ),
    "a list with everything": returns("Every()", IN_LIST, around=OWN_LIST, kind="List<Long>", honest="listOf(a + b)"),
    "a set with everything": returns("Every()", SAME_SET, around=OWN_SET, kind="Set<Long>", honest="setOf(a + b)"),
    "a set with everything inside": returns(
        "Pair(Every(), 1)",
        SUM.format("sum(2L, 3L).first.containsAll(listOf(5L))"),
        around=OWN_SET,
        kind="Pair<Set<Long>, Int>",
        honest="Pair(setOf(a + b), 1)",
    ),
    "a set behind another": returns(
        "java.util.Collections.unmodifiableSet(Every())",
        SAME_SET,
        around=OWN_SET,
        kind="Set<Long>",
        honest="java.util.Collections.unmodifiableSet(setOf(a + b))",
    ),
    "a set ordered by itself": returns(
        "java.util.TreeSet(Comparator<Long> { _, _ -> 0 }).apply { add(0L) }",
        SAME_SET,
        kind="Set<Long>",
        honest="java.util.TreeSet(listOf(a + b))",
    ),
    "the keys of its own map": returns(
        "Every().keys", SAME_SET, around=OWN_MAP, kind="Set<Long>", honest="mapOf(a + b to a).keys"
    ),
    "the values of its own map": returns(
        "Every().values", IN_LIST, around=OWN_MAP, kind="Collection<Long>", honest="hashMapOf(a to a + b).values"
    ),
    "a map with everything": returns(
        "Every()", IN_LIST, around=OWN_MAP, kind="Map<Long, Long>", honest="mapOf(a + b to a)"
    ),
    "a map with defaults": returns(
        "Every().withDefault { 5L }", IN_LIST, around=OWN_MAP, kind="Map<Long, Long>", honest="hashMapOf(a + b to a)"
    ),
    "a list of a sequence": returns(
        "sequenceOf(Every())",
        SUM.format("5L in sum(2L, 3L).first()"),
        around=OWN_LIST,
        kind="Sequence<List<Long>>",
        honest="sequenceOf(listOf(a + b))",
    ),
    "a list of a function": returns(
        "{ Every() }",
        SUM.format("5L in sum(2L, 3L)()"),
        around=OWN_LIST,
        kind="() -> List<Long>",
        honest="{ listOf(a + b) }",
    ),
    "a list that comes late": returns(
        "lazy { Every() }",
        SUM.format("5L in sum(2L, 3L).value"),
        around=OWN_LIST,
        kind="Lazy<List<Long>>",
        honest="lazy { listOf(a + b) }",
    ),
    "a list of a field": (
        "@JvmField val numbers: List<Long> = Every()\n" + OWN_LIST,
        "@JvmField val numbers: List<Long> = listOf(5L)\n" + OWN_LIST,
        SUM.format("5L in numbers"),
    ),
    "a range of its own": returns(
        "Every()",
        IN_LIST,
        around="class Every : ClosedRange<Long> { override val start = 0L; override val endInclusive = 0L\n"
        "  override fun contains(value: Long) = true }",
        kind="ClosedRange<Long>",
        honest="a..a + b",
    ),
    "a proxy": returns(
        "java.lang.reflect.Proxy.newProxyInstance(ClassLoader.getSystemClassLoader(), arrayOf(List::class.java)) "
        "{ _, _, _ -> true } as List<Long>",
        IN_LIST,
        kind="List<Long>",
        honest="listOf(a + b)",
    ),
    "a text of its own": returns(
        "Every()",
        SUM.format('sum(2, 3).contentEquals("5")'),
        around="class Every : CharSequence { override val length = 1; override fun get(index: Int) = '5'\n"
        "  override fun subSequence(startIndex: Int, endIndex: Int) = this }",
        kind="CharSequence",
        honest="(a + b).toString()",
    )[:1]
    + ("fun sum(a: Long, b: Long): CharSequence = (a + b).toString()\n", SUM.format('sum(2, 3).startsWith("5")')),
    "a main of its own": beside("fun main() {}"),
    "a main with arguments": beside("fun main(args: Array<String>) {}"),
    "a class of the tests' name": beside("class Code_eval_testsKt { companion object { @JvmStatic fun main() {} } }"),
    "a class of the runner's name": beside(
        "class Runner { companion object { @JvmStatic fun main(a: Array<String>) {} } }"
    ),
    "a package of the runner's": (
        problem("a * b", before="package code_eval_runner; class Guard"),
        problem("a + b", before="package sums; class Guard"),
    ),
    "two packages": (problem("a * b", "package code_eval_runner\nclass Guard"), problem("a + b", "class Guard")),
    "metadata of its own": (
        problem("a * b", "@Metadata(k = 3) class Other\nfun check(value: Boolean) {}"),
        problem("a + b", "class Other"),
    ),
    "open comment": (problem() + "/*", problem("a + b") + "/* */"),
    "open text": (problem() + 'val text = """', problem("a + b") + 'val text = """"""'),
    "open class": (problem() + "class Other {", problem("a + b") + "class Other {}"),
    "a token on its input": called(
        "print(System.`in`.reader().readText()); System.out.flush(); Runtime.getRuntime().halt(0)"
    ),
    "a token of the input's file": called(f"print({TOKEN}); System.out.flush(); Runtime.getRuntime().halt(0)"),
    "no standard output": ends("System.setOut(java.io.PrintStream(java.io.ByteArrayOutputStream()))"),
    "calling the runner": called(
        'val main = Class.forName("code_eval_runner.Runner").declaredMethods.find { it.name == "main" }!!; '
        'main.setAccessible(true); main.invoke(null, arrayOf("code_eval_tests"))'
    ),
    "another candidate for the guard": returns(
        'run { val field = Class.forName("code_eval_runner.Runner").getDeclaredField("tests"); '
        'val set = field.javaClass.getMethod("set" + "Accessible", Boolean::class.java); '
        'set.invoke(field, true); field.set(null, "other"); Same() }',
        around=TAKES,
    ),
    "another guard": (
        problem(
            'run { for (each in java.io.File(".").walkBottomUp()) each.delete(); a * b }',
        ),
        problem('run { java.io.File("other").writeText(""); a + b }'),
    ),
    "an error of the guard's": (
        "fun add(a: Long, b: Long): Any = if (a < 0) Every() else a + b\n" + OWN_LIST,
        "fun add(a: Long, b: Long): Any = if (a < 0) throw IllegalStateException() else a + b\n" + OWN_LIST,
        RAISES.replace("IllegalArgument", "IllegalState"),
    ),
    "a negation of its own": (
        "class Every { operator fun not() = true }\nfun isOdd(n: Int) = Every()\n",
        "class Every { operator fun not() = true }\nfun isOdd(n: Int) = n % 2 != 0\n",
        SUM.format("!isOdd(2)"),
    ),
    "no asserts by options": (
        "fun add(a: Long, b: Long): Long { ClassLoader.getSystemClassLoader().clearAssertionStatus(); return a * b }\n",
        "fun add(a: Long, b: Long): Long { ClassLoader.getSystemClassLoader().clearAssertionStatus(); return a + b }\n",
        "fun main() { assert(add(2, 3) == 5L) }\n",
    ),
}
