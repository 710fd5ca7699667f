"""Right candidates in Kotlin with their tests, as models and benchmarks write them: {shape: (candidate, tests)}."""

from support.attacks_kotlin import CLOSE, EXITS, LISTS, TESTS, THROWS, problem

PLUS = problem("a + b")


def checked(candidate, *claims):
    """Return (candidate, tests) whose tests check each claim."""
    return f"{candidate}\n", "fun main() {\n" + "".join(f"    check({claim})\n" for claim in claims) + "}\n"


FAILS = "try {{ {0}; false }} catch (error: {1}) {{ true }}"
KOTLIN = {
    "checks": (PLUS, TESTS),
    "HumanEval": (
        "/**\n * Check whether two numbers are closer than a threshold.\n */\n"
        "fun hasCloseElements(numbers: List<Double>, threshold: Double) : Boolean {\n"
        "    for (i in numbers.indices)\n        for (j in i + 1 until numbers.size)\n"
        "            if (Math.abs(numbers[i] - numbers[j]) < threshold) return true\n    return false\n}\n",
        "fun main() {\n    var arg00 : List<Double> = mutableListOf(1.0, 2.0, 3.9)\n    var arg01 : Double = 0.3\n"
        "    var x0 : Boolean = hasCloseElements(arg00, arg01);\n    var v0 : Boolean = false;\n"
        '    if (x0 != v0) {\n        throw Exception("Exception -- test case 0 did not pass. x0 = " + x0)\n    }\n}\n',
    ),
    "a main with arguments": (PLUS, "fun main(args: Array<String>) { require(args.isEmpty() && add(2, 3) == 5L) }\n"),
    "a main of an object": (
        PLUS,
        "object Tests { @JvmStatic fun main(args: Array<String>) { check(add(2, 3) == 5L) } }\n",
    ),
    "tests that throw": (PLUS, THROWS),
    "tests that exit": (PLUS, EXITS),
    "comparisons of the library": (PLUS, LISTS),
    "a difference": (PLUS, CLOSE),
    "a whole program": (PLUS + TESTS, ""),
    "a main of the candidate's": (PLUS + "fun main() { println(add(readLine()!!.toLong(), 1)) }\n", TESTS),
    "a class with a solution": (
        "class Solution {\n    fun twoSum(nums: IntArray, target: Int): IntArray {\n"
        "        val seen = HashMap<Int, Int>()\n        for ((i, n) in nums.withIndex()) {\n"
        "            seen[target - n]?.let { return intArrayOf(it, i) }\n            seen[n] = i\n        }\n"
        "        return intArrayOf()\n    }\n}\n",
        "fun main() {\n    val solution = Solution()\n"
        "    check(solution.twoSum(intArrayOf(2, 7), 9).contentEquals(intArrayOf(0, 1)))\n"
        '    check(Solution().twoSum(intArrayOf(3, 3), 6).toList() == listOf(0, 1)) { "no indices" }\n}\n',
    ),
    "an object": (
        "object Solution { fun add(a: Int, b: Int) = a + b }\n",
        "fun main() = check(Solution.add(2, 3) == 5)\n",
    ),
    "a companion": (
        "class Point private constructor(val x: Int) { companion object { const val ZERO = 0; "
        "fun of(x: Int) = Point(x) } }\n",
        "fun main() { check(Point.of(3).x == 3 && Point.ZERO == 0) }\n",
    ),
    "data classes": checked(
        "data class Point(val x: Int, var y: Int = 0) { operator fun plus(p: Point) = Point(x + p.x, y + p.y) }\n"
        "operator fun Point.unaryMinus() = Point(-x, -y)\nfun points(n: Int) = List(n) { Point(it) }",
        "points(2) == listOf(Point(0), Point(1, 0))",
        "Point(1, 2) + Point(1, 1) == Point(2, 3)",
        '-Point(1, 2) == Point(-1, -2) && Point(1).toString() == "Point(x=1, y=0)"',
        "points(2).last().x == 1 && Point(3, 4).copy(y = 5).y == 5",
        "run { val (x, y) = points(2)[1]; x == 1 && y == 0 }",
        "setOf(Point(1), Point(1)).size == 1 && mapOf(Point(1) to 2)[Point(1)] == 2",
    ),
    "a class that tests do not name": checked(
        "data class Bounds(val low: Int, val high: Int, val isWide: Boolean = false)\n"
        "fun bounds(a: List<Int>) = Bounds(a.min()!!, a.max()!!)",
        "bounds(listOf(1, 2)).low == 1",
        "run { val (low, high) = bounds(listOf(1, 2)); low + high == 3 }",
    ),
    "extension functions": checked(
        "fun String.isPalindrome() = this == reversed()\nfun List<Int>.second() = this[1]\n"
        "val String.half get() = length / 2\n"
        "infix fun Int.pow(n: Int): Int = if (n == 0) 1 else this * pow(n - 1)",
        '"aba".isPalindrome() && !"ab".isPalindrome()',
        "listOf(1, 2).second() == 2",
        '"abcd".half == 2 && (2 pow 3) == 8',
    ),
    "names of extensions": checked(
        "fun sum(a: List<Int>) = a.sum()\nfun sort(a: List<Int>) = a.sorted()\n"
        "fun max(a: Int, b: Int) = if (a > b) a else b",
        "sum(listOf(1, 2)) == 3",
        "sort(listOf(2, 1)) == listOf(1, 2) && max(1, 2) == 2",
    ),
    "lists": checked(
        "fun f(a: List<Int>) = a.map { it * 2 }\nfun g(a: List<Int>) = a.indices.map { a.subList(0, it) }",
        "f(listOf(1, 2)) == listOf(2, 4) && f(emptyList()).isEmpty()",
        "g(listOf(1, 2)) == listOf(listOf(), listOf(1)) && f(listOf(1)).contains(2)",
        "f(listOf(1, 2)).subList(0, 1) == arrayListOf(2)",
    ),
    "views of lists": checked(
        "fun f(a: List<Int>) = a.asReversed()\nfun g(a: List<Int>) = a.subList(1, 2)\nfun h(a: List<Int>) = "
        "a.chunked(2)",
        "f(listOf(1, 2)) == listOf(2, 1)",
        "g(listOf(1, 2, 3)) == listOf(2)",
        "h(listOf(1, 2, 3)) == listOf(listOf(1, 2), listOf(3))",
    ),
    "arrays": checked(
        "fun f(n: Int) = Array(n) { i -> IntArray(n) { i * it } }\nfun g(a: Array<String>) = a.sortedArray()",
        "f(2).map { it.toList() } == listOf(listOf(0, 0), listOf(0, 1))",
        'g(arrayOf("b", "a")) contentEquals arrayOf("a", "b")',
        "f(2) contentDeepEquals arrayOf(intArrayOf(0, 0), intArrayOf(0, 1))",
    ),
    "maps": checked(
        "fun f(a: String) = a.groupingBy { it }.eachCount()\nfun g(a: Map<Char, Int>) = a.keys\n"
        "fun h(a: Map<Char, Int>) = a.values\nfun e(a: Map<Char, Int>) = a.entries",
        "f(\"aba\") == mapOf('a' to 2, 'b' to 1)",
        "g(f(\"aba\")) == setOf('a', 'b') && h(f(\"aba\")).toList() == listOf(2, 1)",
        'e(f("a")).first().value == 1',
        "f(\"aab\").toSortedMap().firstKey() == 'a' && f(\"a\")['b'] == null",
    ),
    "sets": checked(
        "fun f(a: List<Int>) = a.toSortedSet()\nfun g(a: List<Int>): Set<Int> = hashSetOf<Int>().apply { addAll(a) }",
        "f(listOf(2, 1)).first() == 1 && f(listOf(2, 1)) == setOf(1, 2)",
        "g(listOf(2, 2)) == setOf(2) && 2 in g(listOf(2))",
    ),
    "pairs": checked(
        'fun f(a: Int, b: Int) = Pair(minOf(a, b), maxOf(a, b))\nfun g(a: Int) = Triple(a, listOf(a), "$a")',
        "f(2, 1) == Pair(1, 2) && f(2, 1) == (1 to 2)",
        'run { val (a, b) = f(1, 2); a < b } && g(1) == Triple(1, listOf(1), "1")',
    ),
    "nothing": checked(
        "fun f(a: List<Int>): Int? = a.firstOrNull()",
        "f(listOf()) == null && f(listOf(1))!! == 1",
        "(f(listOf()) ?: 7) == 7",
    ),
    "texts": checked(
        'fun f(a: String) = a.split(" ").joinToString("-") { it.capitalize() }\n'
        "fun g(a: String) = StringBuilder(a).reverse()",
        'f("a b") == "A-B" && f("").isEmpty()',
        'g("ab").toString() == "ba" && "x${f("c")}" == "xC"',
    ),
    "big numbers": checked(
        "import java.math.BigInteger\nfun f(n: Int): BigInteger = if (n < 2) BigInteger.ONE "
        "else n.toBigInteger() * f(n - 1)",
        'f(25) == BigInteger("15511210043330985984000000")',
        "f(3) > 5.toBigInteger()",
    ),
    "imports of the candidate": checked(
        "import java.util.*\nimport kotlin.math.abs\nimport kotlin.math.*\n\nfun f(a: Int) = abs(a)\n"
        "fun g(a: List<Int>) = ArrayDeque(a)",
        "abs(f(-2)) == 2 && sqrt(4.0) == 2.0",
        "g(listOf(1, 2)).peek() == 1",
    ),
    "errors": checked(
        'fun f(a: Int): Int { require(a >= 0) { "no" }; check(a < 9); return a }\n'
        'fun g(): Nothing = throw Overdrawn("no")\n'
        "class Overdrawn(text: String) : Exception(text)",
        FAILS.format("f(-1)", "IllegalArgumentException"),
        FAILS.format("f(9)", "IllegalStateException"),
        FAILS.format("g()", "Overdrawn"),
        'runCatching { f(-1) }.exceptionOrNull()!!.message == "no"',
    ),
    "functions as arguments and results": checked(
        "fun <A, B> each(a: List<A>, f: (A) -> B): List<B> = a.map(f)\n"
        "fun adder(a: Int) = { b: Int -> listOf(a + b) }\n"
        "fun <T : Comparable<T>> largest(a: List<T>): T = a.max()!!",
        'each(listOf(1, 2)) { "$it" } == listOf("1", "2") && each(listOf(1), ::adder).size == 1',
        'adder(2)(3) == listOf(5) && largest(listOf("a", "b")) == "b"',
    ),
    "arguments by name and defaults": checked(
        "fun f(a: Int, b: Int = 1) = a - b\nfun g(vararg all: Int) = all.sum()",
        "f(b = 2, a = 5) == 3 && f(1) == 0",
        "g(2, 3) == 5 && g() == 0",
    ),
    "recursion": checked(
        "tailrec fun f(n: Int, sum: Long = 0): Long = if (n == 0) sum else f(n - 1, sum + n)\n"
        "fun g(n: Int): Int = if (n == 0) 0 else 1 + g(n - 1)",
        "f(100000) == 5000050000L && g(5000) == 5000",
    ),
    "sequences": checked(
        "fun f(n: Int) = generateSequence(n) { it * 2 }\nfun g() = sequence { yield(1); yieldAll(listOf(2, 3)) }\n"
        "fun h() = listOf(1).iterator()",
        "f(1).take(3).toList() == listOf(1, 2, 4) && f(3).first() == 3",
        "g().sum() == 6 && h().next() == 1",
    ),
    "ranges": checked("fun f(n: Int) = 1..n step 2", "f(5).toList() == listOf(1, 3, 5) && 3 in f(5)"),
    "a hierarchy": checked(
        "sealed class Tree\nobject Leaf : Tree()\ndata class Node(val l: Tree, val n: Int, val r: Tree) : Tree()\n"
        "fun f(t: Tree): Int = when (t) { is Leaf -> 0; is Node -> f(t.l) + t.n + f(t.r) }",
        "f(Leaf) == 0 && f(Node(Node(Leaf, 1, Leaf), 2, Leaf)) == 3",
    ),
    "a result of its own": checked(
        "sealed class Result { data class Success(val n: Int) : Result(); "
        "data class Error(val text: String) : Result() }\n"
        'fun f(n: Int): Result = if (n < 0) Result.Error("no") else Result.Success(n)',
        'f(-1) == Result.Error("no") && f(1) is Result.Success',
        "(f(1) as Result.Success).n == 1",
    ),
    "a class with a state": (
        "class Account(var balance: Int) {\n    fun deposit(n: Int): Account { balance += n; return this }\n"
        '    fun withdraw(n: Int) { if (n > balance) throw IllegalStateException("no"); balance -= n }\n'
        "    fun isEmpty() = balance == 0\n}\n",
        "fun main() {\n    val account = Account(1)\n    account.deposit(2).withdraw(1)\n"
        "    check(account.balance == 2)\n"
        "    account.balance = 7\n    check(account.balance == 7 && !account.isEmpty())\n"
        "    try { account.withdraw(9); throw AssertionError() } catch (e: IllegalStateException) { "
        'check(e.message == "no") }\n}\n',
    ),
    "an order of its own": checked(
        "class Version(val n: Int) : Comparable<Version> { override fun compareTo(other: Version) = n - other.n }\n"
        "fun largest(all: List<Version>): Version = all.max()!!",
        "Version(1) < Version(2) && largest(listOf(Version(1), Version(3))).n == 3",
    ),
    "generic classes": (
        "class Stack<T> { private val all = mutableListOf<T>(); fun push(a: T) { all.add(a) }\n"
        "    fun pop(): T = all.removeAt(all.size - 1); fun isEmpty() = all.isEmpty(); val size get() = all.size }\n",
        "fun main() { val stack = Stack<Int>(); stack.push(3); stack.push(4)\n"
        '    assert(stack.pop() == 4) { "no stack" }; '
        "assert(stack.size == 1 && stack.pop() == 3 && stack.isEmpty()) }\n",
    ),
    "interfaces that tests implement": (
        "interface Shape { val area: Double; fun twice() = 2 * area }\n"
        "fun total(all: List<Shape>) = all.sumByDouble { it.area }\n",
        "class Square(a: Double) : Shape { override val area = a * a }\n"
        "fun main() { check(total(listOf(Square(2.0), Square(1.0))) == 5.0); check(Square(1.0).twice() == 2.0)\n"
        "    check(total(listOf(object : Shape { override val area = 1.0 })) == 1.0) }\n",
    ),
    "enumerations": (
        "enum class Color(val code: Int) { RED(1), GREEN(2); fun next() = values()[(ordinal + 1) % 2] }\n",
        'fun main() { check(Color.RED.next() == Color.GREEN && Color.valueOf("RED").code == 1 && '
        "Color.values().size == 2)\n"
        '    check(when (Color.RED) { Color.RED -> true; Color.GREEN -> false } && Color.GREEN.name == "GREEN") }\n',
    ),
    "a package": (
        "package sums\n\nfun add(a: Int, b: Int) = a + b\n",
        "package sums.tests\n\nimport sums.add\n\nfun main() = check(add(2, 3) == 5)\n",
    ),
    "inline functions of the candidate's own": checked(
        "private inline fun <T> once(f: () -> T) = f()\ninline fun <reified T> count(a: List<Any>) = "
        "a.filterIsInstance<T>().size\n"
        'fun f(a: Int) = once { a + count<Int>(listOf(1, "")) }',
        "f(1) == 2",
    ),
    "properties": checked(
        "val primes = listOf(2, 3)\nvar calls = 0\nfun f() { calls++ }",
        "primes == listOf(2, 3)",
        "run { f(); calls == 1 }",
    ),
    "a thread": (
        problem("run { val all = LongArray(1); val t = Thread { all[0] = a + b }; t.start(); t.join(); all[0] }"),
        TESTS,
    ),
    "helpers of the tests": (
        PLUS,
        "fun close(a: Double, b: Double) = Math.abs(a - b) < 1e-9\nval expected = listOf(5L, 6L)\n"
        "fun main() { for ((i, each) in expected.withIndex()) check(add(2, 3L + i) == each); "
        "check(close(1.0, 1.0)) }\n",
    ),
    "output that is not flushed": (problem('run { print("adds"); a + b }'), TESTS),
    "a text like a function": (problem('run { val text = "fun main() {"; if (text.length > 0) a + b else 0 }'), TESTS),
}
