"""Candidates in Scala whose results are compared elsewhere, and others that are equal in JSON alone.

Each entry is (candidate, tests).
"""


def asserted(*conditions):
    """Return tests that assert conditions."""
    body = "".join(f"    assert({condition});\n" for condition in conditions)
    return f"object Tests {{\n  import Solution._\n  def main(args: Array[String]): Unit = {{\n{body}  }}\n}}\n"


def solution(*members, around=""):
    """Return a candidate with members of its object."""
    return "object Solution {\n" + "".join(f"  {member}\n" for member in members) + f"}}\n{around}"


def returning(body, *comparisons, around=""):
    """Return (candidate, tests) whose function returns any object, which is compared in conditions."""
    return solution(f"def f(): Any = {body}", around=around), asserted(*(f"f(){each}" for each in comparisons))


HONEST = {
    "numbers that are equal to those of other classes": (
        solution("def any(a: Any): Any = a", "def list(a: Any): Any = List(a)", "def char(a: Char): Char = a"),
        asserted(
            *("any(5L) == 5", "any('a') == 97", "any(2.0) == 2", "any(-0.0) == 0.0", "any(0.5f) == 0.5"),
            *("list(1L) == List(1)", "list('a').equals(List(97))", "list(BigInt(3)) == List(3.0)", "char('a') == 97"),
            *("any(Map(1L -> 2.0)) == Map(1 -> 2)", "any((1L, 'a')).equals((1, 97))", "any(Some(1.0)) == Some(1)"),
        ),
    ),
    "numbers as objects": (
        solution(
            "def long(a: Int): Long = a",
            "def real(a: Int): Double = a / 2.0",
            "def float(a: Int): Float = a / 10f",
            "def big(a: Int): BigInt = a",
        ),
        asserted(
            *("long(5).equals(5l)", "(5l).equals(long(5))", "real(4).equals(2.0)", "real(1).equals((0.5))"),
            *("float(1).equals(0.1f)", "long(-5).equals(-5.toLong)", "big(3).equals(3)", "float(5) == 0.5"),
        ),
    ),
    "sequences": (
        solution(
            "def range(a: Int) = 1 to a",
            "def buffer(a: Int) = collection.mutable.ArrayBuffer(a, a)",
            "def parts(a: String): Seq[String] = a.split(',')",
            "def pairs(a: Int) = List((a, None), (a, Some(List(a))))",
        ),
        asserted(
            *("range(3) == List(1, 2, 3)", "buffer(2).equals(Seq(2, 2))", 'parts("a,é") == List("a", "é")'),
            *("pairs(1) == List((1, None), (1, Some(Vector(1))))", "range(0) == Nil"),
        ),
    ),
    "conditions": (
        solution("def even(a: Int): Boolean = a % 2 == 0"),
        asserted("even(2)", "!even(3)", "even(2) == true", "even(3).equals(false)"),
    ),
}
ATTACKS = {
    "a condition in place of a number": returning("true", " == 1"),
    "a condition in place of an object": returning("true", ".equals(1)"),
    "a Long in place of an Int": returning("1L", ".equals(1)"),
    "a zero with a sign": returning("-0.0", ".equals(0.0)"),
    "a Float in place of a Double": returning("0.1f", " == 0.1"),
    "a Float in a list": returning("List(0.1f)", " == List(0.1)"),
    "a value that may be missing": returning("Some(1)", " == 1"),
    "a value that is there": returning("1", " == Some(1)"),
    "nothing": returning("null", " == None"),
    "a tuple": returning("(1, 2)", " == List(1, 2)"),
    "a list in place of a tuple": returning("List(1, 2)", " == ((1, 2))"),
    "a character": returning("'a'", ' == "a"'),
    "characters in a list": returning("List('a')", ' == List("a")'),
    "a text that is built": returning('new StringBuilder("a")', ' == "a"'),
    "a number of Java's": returning('new java.math.BigInteger("1")', " == 1"),
    "a number that changes": returning("new java.util.concurrent.atomic.AtomicInteger(1)", " == 1"),
    "a large number that is near": returning('BigDecimal("0.10000000000000000555")', " == 0.1"),
    "keys that are texts": returning('Map("1" -> 2)', " == Map(1 -> 2)"),
    "keys that are conditions": returning("Map(true -> 2)", ' == Map("true" -> 2)'),
    "a table like our mark": returning('Map("Some" -> 1)', " == Some(1)"),
    "an array": returning("Array(1)", " == List(1)"),
    "a set": returning("Set(1)", " == List(1)"),
    "an iterator": returning("Iterator(1)", " == List(1)"),
    "a list of Java's": returning("java.util.Arrays.asList(1)", " == List(1)"),
    "a class of its own": returning(
        "new Same",
        " == 1",
        around="class Same { override def equals(a: Any) = true; override def hashCode = 1; "
        'override def toString = "1" }\n',
    ),
    "a list of its own": returning(
        "new Ones",
        " == List(1)",
        around="class Ones extends Seq[Int] { def length = 1; def apply(a: Int) = 1\n  def iterator = Iterator(1) }\n",
    ),
    "a number of its own": returning(
        "new One",
        " == 1",
        around="class One extends Number { def intValue = 1; def longValue = 1L; def floatValue = 1f\n"
        '  def doubleValue = 1.0; override def toString = "1" }\n',
    ),
    "a tuple of its own": returning(
        "new Two",
        " == ((1, 2))",
        around="class Two extends Tuple2(1, 3) { override def productIterator = Iterator(1, 2) }\n",
    ),
    "a condition that is converted": (
        solution(
            "def f() = new Yes",
            around="class Yes\nobject Yes { implicit def holds(a: Yes): Boolean = true }\n",
        ),
        asserted("f()"),
    ),
    "a condition that is any object": (solution("def f(): Any = true"), asserted("f()")),
    "a class of our program": (
        solution(
            "class CodeEvalObject(val value: Any)",
            "def f(): Any = new CodeEvalObject(1)",
            "implicit class More(a: Any) { def codeEvalTruth(b: Any) = true; def codeEvalObject(b: Any) = 1 }",
        ),
        asserted("f().equals(1)"),
    ),
}
