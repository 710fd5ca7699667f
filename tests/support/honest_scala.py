"""Right candidates in Scala with their tests, as models and benchmarks write them: {shape: (candidate, tests)}."""

from support.attacks_scala import CLOSE, EXITS, LISTS, TESTS, THROWS, problem

PLUS = problem("a + b")


def checked(candidate, *claims):
    """Return (candidate, tests) whose tests assert each claim about the members of `Problem`."""
    claims = "".join(f"    assert({claim})\n" for claim in claims)
    main = f"  def main(args: Array[String]): Unit = {{\n    import Problem._\n{claims}  }}\n"
    return f"object Problem {{\n{candidate}\n}}\n", f"object Tests {{\n{main}}}\n"


SCALA = {
    "MultiPL-E": (PLUS, TESTS),
    "an App that throws": (PLUS, THROWS),
    "an App that exits": (PLUS, EXITS),
    "comparisons of the library": (PLUS, LISTS),
    "a difference": (PLUS, CLOSE),
    "a whole program": (PLUS + TESTS, ""),
    "a whole App": ("object Main extends App { assert(1 + 1 == 2) }\n", ""),
    "lists": checked("def f(a: List[Long]) = a.map(_ * 2)", "f(List(1L, 2L)) == List(2L, 4L)", "f(Nil).isEmpty"),
    "buffers": checked(
        "import scala.collection.mutable._\n"
        "def f(n: Int) = { val a = new ListBuffer[Int]; for (i <- 1 to n) a += i; a }",
        "f(3).toList == List(1, 2, 3)",
        "f(2) == List(1, 2)",
    ),
    "arrays": checked("def f(a: Array[Int]) = a.sorted.reverse", "f(Array(1, 3, 2)).sameElements(Array(3, 2, 1))"),
    "arrays of arrays": checked(
        "def f(n: Int) = Array.tabulate(n, n)(_ * _)", "f(2).map(_.toList).toList == List(List(0, 0), List(0, 1))"
    ),
    "maps of groups": checked(
        "def f(a: String) = a.groupBy(identity).mapValues(_.length)", "f(\"aba\") == Map('a' -> 2, 'b' -> 1)"
    ),
    "filtered keys": checked(
        'def f(a: Map[String, Int]) = a.filterKeys(_ != "a")', 'f(Map("a" -> 1, "b" -> 2)) == Map("b" -> 2)'
    ),
    "keys and values": checked(
        "def f(a: Map[Int, Int]) = a.keySet\ndef g(a: Map[Int, Int]) = a.values",
        "f(Map(1 -> 2)) == Set(1)",
        "g(Map(1 -> 2)).toList == List(2)",
    ),
    "mutable maps": checked(
        "import scala.collection.mutable\n"
        "def f(a: String) = { val m = mutable.Map[Char, Int]().withDefaultValue(0); for (c <- a) m(c) += 1; m }",
        "f(\"aab\")('a') == 2",
        "f(\"aab\").toMap == Map('a' -> 2, 'b' -> 1)",
    ),
    "sorted maps": checked(
        "import scala.collection.immutable.TreeMap\ndef f(a: Seq[(Int, String)]) = TreeMap(a: _*)",
        'f(Seq(2 -> "b", 1 -> "a")).keys.toList == List(1, 2)',
    ),
    "options": checked(
        "def f(a: List[Int]): Option[Int] = a.headOption", "f(Nil) == None", "f(List(3)).contains(3)", "f(Nil).isEmpty"
    ),
    "either": checked(
        'def f(a: Int): Either[String, Int] = if (a < 0) Left("no") else Right(a)',
        'f(-1) == Left("no")',
        "f(2).isRight",
    ),
    "tuples": checked("def f(a: Int, b: Int) = (a min b, a max b, a == b)", "f(2, 1) == ((1, 2, false))", "f(1, 1)._3"),
    "a tuple that is taken apart": checked("def f(a: Int) = (a, -a)", "{ val (a, b) = f(3); a + b == 0 }"),
    "texts": checked("def f(a: String) = a.reverse.capitalize", 'f("abc") == "Cba"', 'f("").equals("")'),
    "characters": checked("def f(a: String) = a.toList.distinct", "f(\"aab\") == List('a', 'b')"),
    "big numbers": checked(
        "def f(n: Int): BigInt = if (n < 2) 1 else n * f(n - 1)",
        'f(25) == BigInt("15511210043330985984000000")',
        "f(3) == 6",
    ),
    "decimals": checked("def f(a: Double) = BigDecimal(a).setScale(2)", 'f(1.25) == BigDecimal("1.25")'),
    "recursion": checked(
        "@annotation.tailrec final def f(n: Int, sum: Long = 0): Long = if (n == 0) sum else f(n - 1, sum + n)",
        "f(100000) == 5000050000L",
    ),
    "deep recursion": checked("def f(n: Int): Int = if (n == 0) 0 else 1 + f(n - 1)", "f(5000) == 5000"),
    "generic functions": checked(
        "def f[A, B](a: Seq[A])(g: A => B): Seq[B] = a.map(g)", 'f(Seq(1, 2))(_.toString) == Seq("1", "2")'
    ),
    "an ordering as argument": checked(
        "def f[A](a: Seq[A])(implicit o: Ordering[A]) = a.max", "f(Seq(1, 3, 2)) == 3", 'f(Seq("a", "b")) == "b"'
    ),
    "functions as results": checked("def f(a: Int) = (b: Int) => List(a + b)", "f(2)(3) == List(5)"),
    "arguments by name and defaults": checked(
        "def f(a: Int, b: Int = 1) = a - b\ndef g(all: Int*) = all.sum",
        "f(b = 2, a = 5) == 3",
        "f(1) == 0",
        "g(2, 3) == 5",
    ),
    "streams": checked(
        "def f(n: Int): Stream[Int] = n #:: f(n + 1)", "f(1).take(3).toList == List(1, 2, 3)", "f(3).head == 3"
    ),
    "iterators": checked(
        "def f(n: Int) = Iterator.iterate(n)(_ * 2).take(3)", "f(1).toList == List(1, 2, 4)", "f(1).sum == 7"
    ),
    "ranges": checked("def f(n: Int) = 1 to n by 2", "f(5) == List(1, 3, 5)", "f(5).sum == 9"),
    "errors": checked(
        'def f(a: Int) = if (a < 0) throw new IllegalArgumentException("no") else a',
        '{ try { f(-1); false } catch { case e: IllegalArgumentException => e.getMessage == "no" } }',
        "scala.util.Try(f(-1)).isFailure",
    ),
    "requirements": checked(
        'def f(a: Int) = { require(a >= 0, "no"); math.sqrt(a) }',
        "{ try { f(-1); false } catch { case e: IllegalArgumentException => true } }",
        "f(4) == 2.0",
    ),
    "case classes": checked(
        "case class Point(x: Int, y: Int) { def +(p: Point) = Point(x + p.x, y + p.y) }\n"
        "def f(a: Int) = List(Point(a, a))",
        "f(1) == List(Point(1, 1))",
        "Point(1, 2) + Point(1, 1) == Point(2, 3)",
        "f(2).head.x == 2 && Point(3, 4).copy(y = 5).y == 5",
        "{ f(3).head match { case Point(x, 3) => x == 3; case _ => false } }",
    ),
    "a class that tests do not name": checked(
        "class Range(val low: Int, val high: Int) { def widen(): Unit = () }\ndef f(a: List[Int]) = "
        "new Range(a.min, a.max)",
        "f(List(1, 2)).low == 1",
        "{ val range = f(List(1, 2)); range.widen(); range.high == 2 }",
    ),
    "a hierarchy": checked(
        "sealed trait Tree\ncase object Leaf extends Tree\ncase class Node(l: Tree, n: Int, r: Tree) extends Tree\n"
        "def f(t: Tree): Int = t match { case Leaf => 0; case Node(l, n, r) => f(l) + n + f(r) }",
        "f(Leaf) == 0",
        "f(Node(Node(Leaf, 1, Leaf), 2, Leaf)) == 3",
    ),
    "a class with a state": (
        "class Account(var balance: Int) {\n  def deposit(n: Int): Account = { balance += n; this }\n"
        '  def withdraw(n: Int): Unit = if (n > balance) throw new Overdrawn("no") else balance -= n\n}\n'
        "class Overdrawn(text: String) extends Exception(text)\n",
        "object Tests extends App {\n  val account = new Account(1)\n  account.deposit(2).withdraw(1)\n"
        "  assert(account.balance == 2)\n  account.balance = 7\n  assert(account.balance == 7)\n"
        '  try { account.withdraw(9); assert(false) } catch { case e: Overdrawn => assert(e.getMessage == "no") }\n}\n',
    ),
    "generic classes": (
        "class Stack[A] { private var all: List[A] = Nil; def push(a: A) = { all ::= a }; "
        "def pop(): A = { val a = all.head; all = all.tail; a }; def isEmpty = all.isEmpty }\n",
        "object Tests extends App { val stack = new Stack[Int]; stack.push(3); stack.push(4)\n"
        '  assert(stack.pop() == 4, "no stack"); assert(stack.pop() == 3 && stack.isEmpty) }\n',
    ),
    "traits that tests implement": (
        "trait Shape { def area: Double }\nobject Shapes { def total(all: Seq[Shape]) = all.map(_.area).sum }\n",
        "class Square(a: Double) extends Shape { def area = a * a }\n"
        "object Tests extends App { assert(Shapes.total(Seq(new Square(2), new Square(1))) == 5.0) }\n",
    ),
    "enumerations": (
        "object Color extends Enumeration { val Red, Green = Value }\n",
        "object Tests extends App { assert(Color.Red.id == 0 && Color.values.size == 2) }\n",
    ),
    "a package": (
        "package sums\n\nobject Adder { def add(a: Int, b: Int) = a + b }\n",
        "package sums\n\nobject Tests extends App { assert(Adder.add(2, 3) == 5) }\n",
    ),
    "futures": checked(
        "import scala.concurrent._, duration._, ExecutionContext.Implicits.global\n"
        "def f(a: Int) = Await.result(Future(a * 2), 9.seconds)",
        "f(2) == 4",
    ),
    "output that is not flushed": (problem('print("adds"); a + b'), TESTS),
    "a text like an object": (problem('val text = "object Tests {"; if (text.length > 0) a + b else 0'), TESTS),
    "interpolation": checked('def f(a: Double) = f"$a%.2f" + s"${a.toInt}"', 'f(1.5) == "1.501"'),
    "Java's collections": checked(
        "def f(n: Int) = { val a = new java.util.ArrayList[Int]; a.add(n); a }", "f(2).get(0) == 2", "f(2).size == 1"
    ),
}
