"""Candidates in Kotlin whose results are compared elsewhere, and others that are equal in JSON alone.

Each entry is (candidate, tests).
"""


def checks(*conditions):
    """Return tests that check conditions."""
    return "fun main() {\n" + "".join(f"    check({condition})\n" for condition in conditions) + "}\n"


def compared(kind, value, *arguments):
    """Return tests in MultiPL-E's form, which compare what `f` returns in variables."""
    given = "".join(f"    var arg0{place} : {each}\n" for place, each in enumerate(arguments))
    names = ", ".join(f"arg0{place}" for place in range(len(arguments)))
    return (
        f"fun main() {{\n{given}    var x0 : {kind} = f({names});\n    var v0 : {kind} = {value};\n"
        '    if (x0 != v0) {\n        throw Exception("Exception -- test case 0 did not pass. x0 = " + x0)\n    }\n}\n'
    )


def returning(body, *conditions):
    """Return (candidate, tests) whose function returns any object, which is compared in conditions."""
    return f"fun f(): Any = {body}\n", checks(*(f"f() == {condition}" for condition in conditions))


HONEST = {
    "numbers of each class": (
        "fun int(a: Int) = a\nfun long(a: Int) = a.toLong()\nfun double(a: Int) = a / 2.0\n"
        "fun float(a: Int) = a / 10f\nfun any(a: Any): Any = a\nfun zero(a: Double): Double? = -a\n",
        checks(
            *("int(-2147483648) == -2147483648", "long(5) == 5L", "double(1) == 0.5", "float(1).equals(0.1f)"),
            *("any(5L) == 5L", "any(5) == 5", "any(3000000000) == 3000000000", "zero(0.0) == 0.0", "any(1e-7) == 1e-7"),
        ),
    ),
    "containers": (
        "fun pairs(a: Int) = listOf(Pair(a.toLong(), 1.5f), Pair(a.toLong(), 2f))\n"
        "fun triple() = Triple(1, null, true)\n"
        'fun keys(a: Int): Any = java.util.TreeMap(mapOf(a.toLong() to "x", 2L to "y"))\n'
        'fun mixed(a: Int): List<Any?> = java.util.LinkedList(listOf(a, "", listOf(-a.toDouble()), null))\n'
        'fun texts(a: String) = hashMapOf(a + "é" to listOf<Int>(), "" to arrayListOf(1))\n',
        checks(
            *("pairs(3) == listOf(Pair(3L, 1.5f), Pair(3L, 2f))", "triple() == Triple(1, null, true)"),
            'mixed(1) == listOf(1, "", listOf(-1.0), null)',
            *(
                'keys(1) == mapOf(2L to "y", 1L to "x")',
                'texts("\\"") == mapOf("" to listOf(1), "\\"é" to emptyList())',
            ),
        ),
    ),
    "a list of longs in variables": (
        "fun f(all: List<Long>, n: Int): List<Long> = all.map { it * n }.toMutableList()\n",
        compared("List<Long>", "mutableListOf(2, 4)", "List<Long> = mutableListOf(1, 2)", "Int = 2"),
    ),
    "pairs in variables": (
        "fun f(n: Int): List<Pair<Long, Double?>> = listOf(Pair(n.toLong(), null), Pair(n + 1L, -0.5))\n",
        compared("List<Pair<Long, Double?>>", "arrayListOf(Pair(1L, null), Pair(2L, -0.5))", "Int = 1"),
    ),
    "a table in variables": (
        'fun f(a: String): Map<String, Int> = a.groupBy { "" + it }.mapValues { it.value.size }\n',
        compared("Map<String, Int>", 'mutableMapOf("b" to 1, "a" to 2)', 'String = "aba"'),
    ),
    "any object in variables": (
        "fun f(a: Any?): Any? = if (a is Int) a + 1L else a\n",
        compared("Any?", "2L", "Any? = 1"),
    ),
    "a zero with a sign in variables": (
        "fun f(a: Double): Double = -a\n",
        compared("Double", "0.0", "Double = 0.0"),
    ),
    "conditions": (
        "fun even(a: Int): Boolean = a % 2 == 0\nfun odd(a: Int): Boolean? = a % 2 != 0\n",
        checks("even(2)", "!even(3)", "odd(3) == true", "even(2) == true"),
    ),
}
CASTS = '@Suppress("UNCHECKED_CAST") fun f(): List<Int> = listOf(1L, 2L) as List<Int>\n'
ATTACKS = {
    "a Long in a list": returning("listOf(1L)", "listOf(1)"),
    "a Double in a list": returning("listOf(2.0)", "listOf(2)"),
    "a Long": returning("1L", "1"),
    "a Float": returning("0.5f", "0.5"),
    "a Boolean": returning("true", "1"),
    "keys of another class": returning('mapOf("1" to 2)', "mapOf(1 to 2)"),
    "keys that are Longs": returning("mapOf(1L to 2)", "mapOf(1 to 2)"),
    "a pair": returning("Pair(1, 2)", "listOf(1, 2)"),
    "a list in place of a pair": returning("listOf(1, 2)", "Pair(1, 2)"),
    "a triple": returning("Triple(1, 2, 3)", "listOf(1, 2, 3)"),
    "a zero with a sign": returning("listOf(-0.0)", "listOf(0.0)"),
    "an object that is a zero with a sign": returning("-0.0", "0.0"),
    "a zero with a sign by equals": ("fun f(): Double = -0.0\n", checks("f().equals(0.0)")),
    "a character": returning("'a'", '"a"'),
    "a text that is built": returning('StringBuilder("a")', '"a"'),
    "a big number": returning('java.math.BigInteger("1")', "1"),
    "a number that changes": returning("java.util.concurrent.atomic.AtomicInteger(1)", "1"),
    "another class behind a cast": (CASTS, compared("List<Int>", "mutableListOf(1, 2)")),
    "a Long behind any object": ("fun f(): Any? = 1L\n", compared("Any?", "1")),
    "a table like our mark of a Long": returning('mapOf("Long" to 1)', "1L"),
    "a table like our mark of a pair": returning('mapOf("Pair" to listOf(1, 2))', "Pair(1, 2)"),
    "a text like our key": returning('mapOf("1L" to 2)', "mapOf(1L to 2)"),
    "keys that are compared as objects": returning(
        "java.util.IdentityHashMap<String, Int>().apply { put(String(charArrayOf('a')), 1); put(\"a\", 2) }",
        'mapOf("a" to 2)',
    ),
    "a text of its own": (
        "class Same { override fun equals(other: Any?) = true; override fun hashCode() = 1\n"
        '    override fun toString() = "1" }\nfun f(): Any = Same()\n',
        checks("f() == 1"),
    ),
    "a list of its own": (
        "class Ones : AbstractList<Any>() { override val size = 1; override fun get(index: Int) = 1 }\n"
        "fun f(): Any = Ones()\n",
        checks("f() == listOf(1)"),
    ),
    "a table of its own": (
        "class Table : HashMap<Any, Any>() { override fun get(key: Any) = 2 }\n"
        "fun f(): Any = Table().apply { put(1, 2) }\n",
        checks("f() == mapOf(1 to 2)"),
    ),
    "a number of its own": (
        "class One : Number() { override fun toByte(): Byte = 1; override fun toChar() = 'a'\n"
        "    override fun toDouble() = 1.0; override fun toFloat() = 1f; override fun toInt() = 1\n"
        '    override fun toLong() = 1L; override fun toShort(): Short = 1; override fun toString() = "1" }\n'
        "fun f(): Any = One()\n",
        checks("f() == 1"),
    ),
    "a pair of its own": (
        "data class Pair(val first: Int, val second: Int)\nfun f() = Pair(1, 2)\n",
        checks("f() == Pair(1, 2)"),
    ),
    "another name of a type": (
        "typealias Int = kotlin.Long\nfun f(): Int = 1L\n",
        compared("Int", "1"),
    ),
    "a function of our program": (
        "class CodeEvalResults\nfun CodeEvalResults.codeEvalDouble(value: Any?): Any? = 1.0\n"
        "fun codeEvalDouble(value: Any?): Any? = 1.0\noperator fun Double.plus(a: Double) = 1.0\nfun f() = 2.0\n",
        checks("f() == 1.0"),
    ),
    "a condition that is an object": ("fun f(): Any = true\n", checks("f()")),
    "a condition that is not its own": (
        "class Not { operator fun not() = true }\nfun f() = Not()\n",
        checks("!f()"),
    ),
    "what comes later": returning("lazy { 1 }", "1"),
    "elements that come later": returning("sequenceOf(1)", "listOf(1)"),
    "a set": returning("setOf(1)", "listOf(1)"),
    "an array": returning("arrayOf(1)", "listOf(1)"),
    "a class of data": ("data class One(val a: Int)\nfun f(): Any = One(1)\n", checks("f() == 1")),
}
