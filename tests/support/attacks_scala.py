"""Candidates in Scala that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = """\
object Tests {
  def main(args: Array[String]) = {
    assert(Problem.add(2L, 3L) == (5L));
    assert(Problem.add(0L, 1L).equals((1L)));
  }
}
"""
THROWS = """\
object Tests extends App {
  if (Problem.add(2, 3) != 5) throw new Exception("no sum")
}
"""
EXITS = "object Tests extends App { if (Problem.add(2, 3) != 5) sys.exit(1) }\n"
CLOSE = "object Tests extends App { assert(math.abs(Problem.add(2, 3) - 5.0) < 1e-6) }\n"
LISTS = """\
object Tests extends App {
  import Problem._
  assert(List(add(2, 3)) == List(5L))
  assert(Set(add(2, 3)) == Set(5L) && Map("a" -> add(2, 3)) == Map("a" -> 5L))
  assert(Array(add(2, 3)) sameElements Array(5L))
  assert(Vector(add(2, 3)).map(_ + 1).sorted == Vector(6L))
  assert((add(2, 3), Some(add(1, 1))) == ((5L, Some(2L))))
}
"""
RAISES = """\
object Tests extends App {
  import Problem._
  try { add(-1, 0); assert(false, "no error") } catch { case error: IllegalArgumentException => () }
  assert(add(2, 3) == 5)
}
"""
SUM = "object Tests extends App {{ assert({0}) }}\n"
RESULT = "object Tests extends App {{ assert(Problem.sum(2L, 3L) == {0}) }}\n"
USES = "import java.util.concurrent._\n"


def problem(body="a * b", members="", around="", before=""):
    """Return an object whose `add` has a body, with other members, and with other declarations around."""
    return (
        f"{before}{USES}object Problem {{\n  {members}\n  def add(a: Long, b: Long): Long = {{\n    {body}\n  }}\n}}\n"
        f"{around}\n"
    )


def beside(members="", around="", *tests):
    """Return (wrong, honest, *tests) for candidates with something beside their function."""
    return problem("a * b", members, around), problem("a + b", members, around), *tests


def called(body, *tests, members=""):
    """Return (wrong, honest, *tests) for candidates whose function does something in place of its sum."""
    return problem(body, members), problem("a + b", members), *tests


def ends(text, *tests, harmless="Thread.sleep(0)"):
    """Return (wrong, honest, *tests): members that leave, and members that do no harm."""
    leave = text.replace("LEAVE", "sys.exit(0)"), text.replace("LEAVE", harmless)
    return problem("a * b", leave[0]), problem("a + b", leave[1]), *tests


def returns(result, *tests, around="", honest="a + b", kind="Any"):
    """Return (wrong, honest, *tests) for candidates whose `sum` returns something that is no sum."""
    wrong, right = (f"def sum(a: Long, b: Long): {kind} = {body}" for body in (result, honest))
    return problem("0", wrong, around), problem("0", right, around), *(tests or (RESULT.format("5L"),))


def replaces(name, declaration, *tests):
    """Return (wrong, honest, *tests): a declaration of a name that tests use, and the same under another name."""
    other = declaration.replace(name, f"{name}Other")
    return problem("a * b", around=declaration), problem("a + b", around=other), *tests


def hides(name, declaration, *tests):
    """Return (wrong, honest, *tests) as `replaces` does, inside the object whose members tests import."""
    other = declaration.replace(name, f"{name}Other")
    return problem("a * b", declaration), problem("a + b", other), *tests


ALWAYS = "override def equals(other: Any) = true; override def hashCode = 0"
TAKES = f"class Same {{ {ALWAYS} }}"
THREAD = "new Thread(new Runnable {{ def run() = {{ {0} }} }})"
HOOK = f"Runtime.getRuntime.addShutdownHook({THREAD.format('Runtime.getRuntime.halt(0)')})"
NO_HOOK = f"Runtime.getRuntime.addShutdownHook({THREAD.format('Thread.sleep(0)')})"
ENDLESS = f"{{ val t = {THREAD.format('while (true) Thread.sleep(9)')}; t.start() }}"
OWN_SET = (
    "class Every extends collection.immutable.Set[Long] { def contains(n: Long) = true; def +(n: Long) = this; "
    "def -(n: Long) = this; def iterator = Iterator(0L); override def size = 1 }"
)
OWN_SEQUENCE = (
    "class Every extends collection.immutable.Seq[Long] { def apply(n: Int) = 0L; def length = 1; def iterator = "
    "Iterator(0L); override def equals(o: Any) = true; override def isEmpty = false; "
    "override def contains[A >: Long](o: A) = true; override def sameElements[A >: Long]"
    "(o: collection.GenIterable[A]) = true }"
)
HANDLER = "Thread.{0}(new Thread.UncaughtExceptionHandler {{ def uncaughtException(t: Thread, e: Throwable) = LEAVE }})"
EQUALITY = "{ def ==(other: Long): Boolean = true; def !=(other: Long): Boolean = false }"
SEQUENCE = RESULT.format("Seq(5L)")
EVERY_ARRAY = "class EveryArray(a: Any) { def sameElements(b: Any) = true }"
EVERY_NUMBER = "class EveryNumber(a: Any) { def compare(b: Long) = 0 }"
COMPARES = SUM.format("{ import Problem._; (add(2, 3) compare 5L) == 0 }")
SAME_ARRAYS = SUM.format("{ import Problem._; Array(add(2, 3)) sameElements Array(5L) }")
IMPLEMENTATION = (
    "object Impl { def f(c: reflect.macros.blackbox.Context)(holds: c.Expr[Boolean]): c.Expr[Unit] = "
    "c.universe.reify(()) }"
)
EVERY_METHOD = "class Every extends Dynamic { def applyDynamic(name: String)(b: Any*) = true }"
MACROS = "import language.experimental.macros\n"
ATTACKS = {
    "exit when called": called("sys.exit(0)"),
    "halt when called": called("Runtime.getRuntime.halt(0); 6"),
    "exit in an initialiser": ends("val started = { LEAVE; 1 }"),
    "exit in a thread": ends("{ val t = " + THREAD.format("LEAVE") + "; t.start(); t.join(300) }"),
    "exit in a handler": ends(HANDLER.format("setDefaultUncaughtExceptionHandler"), THROWS),
    "exit in the tests' handler": ends(HANDLER.format("currentThread.setUncaughtExceptionHandler"), THROWS),
    "exit in a finaliser": ends(
        "class Heap { override def finalize() = LEAVE }\n  for (i <- 1 to 99) new Heap; System.gc()", THROWS
    ),
    "exit when tests exit": (problem("a * b", HOOK), problem("a + b", NO_HOOK), EXITS),
    "exit at the end": (problem("a * b", HOOK), problem("a + b", NO_HOOK)),
    "a thread that does not end": beside(ENDLESS),
    "interrupting the tests": beside("Thread.currentThread.interrupt()"),
    "stopping the tests": called("Thread.currentThread.stop(); 6"),
    "an assert of its own": hides("assert", "def assert(all: Any*): Unit = ()", LISTS),
    "an assert of the tests' base": (
        problem("a * b", around="abstract class Base { def assert(holds: Boolean): Unit = () }"),
        problem("a + b", around="abstract class Base { def check(holds: Boolean): Unit = () }"),
        "object Tests extends Base { def main(args: Array[String]): Unit = assert(Problem.add(2, 3) == 5) }\n",
    ),
    "an assert of a trait": (
        problem("a * b", around="trait Base { def assert(holds: Boolean): Unit = () }"),
        problem("a + b", around="trait Base { def check(holds: Boolean): Unit = () }"),
        "object Tests extends Base { def main(args: Array[String]): Unit = assert(Problem.add(2, 3) == 5) }\n",
    ),
    "an assert in a package object": replaces("Tests", "package object Tests { def assert(all: Any*): Unit = () }"),
    "an assert that is elidable": hides(
        "assert", "import annotation.elidable\n  @elidable(9) def assert(all: Any): Unit = ()", LISTS
    ),
    "a Predef of its own": replaces("Predef", "object Predef { def assert(all: Any*): Unit = () }"),
    "a List of its own": hides("List", "object List { def apply[A](all: A*) = Nil }", LISTS),
    "an Array of its own": replaces(
        "Array",
        "object Array { def apply(all: Long*) = collection.mutable.Buffer[Long]() }",
        LISTS.replace("Problem._", "Problem.add"),
    ),
    "a Set that is a value": hides("Set", "object Every { def apply(all: Any*) = Nil }; val Set = Every", LISTS),
    "a math of its own": replaces("math", "object math { def abs(a: Double) = 0.0 }", CLOSE),
    "a package math of its own": replaces("math", "package object math { def abs(a: Double) = 0.0 }", CLOSE),
    "a scala of its own": replaces("scala", "package scala { object math { def abs(a: Double) = 0.0 } }", CLOSE),
    "a package of the library": (
        problem("a * b", around="package scala { class Some }"),
        problem("a + b", around="package scales { class Some }"),
        SUM.format("Problem.add(2, 3) == 5 && new scala.collection.mutable.HashSet[Int]().isEmpty"),
    ),
    "a conversion of numbers": (
        problem("a * b", "implicit def longWrapper(a: Long) = new EveryNumber(a)", EVERY_NUMBER),
        problem("a + b", "implicit def longNumber(a: List[Long]) = new EveryNumber(a)", EVERY_NUMBER),
        COMPARES,
    ),
    "a conversion of arrays": (
        problem("a * b", "implicit def longArrayOps(a: Array[Long]) = new EveryArray(a)", EVERY_ARRAY),
        problem("a + b", "implicit def arrayOperations(a: List[Double]) = new EveryArray(a)", EVERY_ARRAY),
        SAME_ARRAYS,
    ),
    "an ordering of its own": (
        problem("a * b", "implicit object Order extends Ordering[Long] { def compare(a: Long, b: Long) = 0 }"),
        problem("a + b", "object Order extends Ordering[Long] { def compare(a: Long, b: Long) = 0 }"),
        SUM.format("{ import Problem._; List(add(2, 3)).max == 5L && Ordering[Long].equiv(add(2, 3), 5L) }"),
    ),
    "an error of another name": (
        problem("a + b + 0 * { if (a < 0) throw new Error; 1 }", "type IllegalArgumentException = Throwable"),
        problem('if (a < 0) throw new IllegalArgumentException("no"); a + b', "type Wrong = Throwable"),
        RAISES,
    ),
    "an object equal to everything": returns("new Same", around=TAKES),
    "equal from its own side": returns("new Same", SUM.format("Problem.sum(2L, 3L).equals(5L)"), around=TAKES),
    "equal inside of a list": returns(
        "List(new Same)", RESULT.format("List(5L)"), around=TAKES, kind="List[Any]", honest="List(a + b)"
    ),
    "equal inside of a tuple": returns(
        "(new Same, 1)", RESULT.format("((5L, 1))"), around=TAKES, kind="(Any, Int)", honest="(a + b, 1)"
    ),
    "equal case classes": returns("Same(1)", around=f"case class Same(n: Int) {{ {ALWAYS} }}"),
    "equal numbers": returns(
        "new Same",
        around="class Same extends math.ScalaNumber { def doubleValue = 0.0; def floatValue = 0f; def intValue = 0; "
        "def longValue = 0L; def isWhole = true; def underlying = this; override def equals(o: Any) = true }",
    ),
    "equal to a number by a type": (
        problem("0", "def sum(a: Long, b: Long) = new Same", f"class Same {EQUALITY}"),
        problem("0", "def sum(a: Long, b: Long) = a + b", f"class Same {EQUALITY}"),
        RESULT.format("5L"),
    ),
    "equal by a structure": (
        problem("0", f"def sum(a: Long, b: Long) = new {EQUALITY}"),
        problem("0", f"def sum(a: Long, b: Long) = {{ val other = new {EQUALITY}; a + b }}"),
        RESULT.format("5L"),
    ),
    "a type with a difference": (
        problem("0", "def sum(a: Long, b: Long) = new Far", "class Far { def -(b: Double) = 0.0 }"),
        problem("0", "def sum(a: Long, b: Long) = a + b", "class Far { def -(b: Double) = 0.0 }"),
        SUM.format("math.abs(Problem.sum(2L, 3L) - 5.0) < 1e-6"),
    ),
    "a type with the name of the function": (
        problem("0", "class sum { def -(b: Double) = 0.0 }; def sum(a: Long, b: Long) = new sum"),
        problem("0", "class sum { def -(b: Double) = 0.0 }; def sum(a: Long, b: Long) = a + b"),
        SUM.format("math.abs(Problem.sum(2L, 3L) - 5.0) < 1e-6"),
    ),
    "a type with the name of the object": (
        problem("0", "def sum(a: Long, b: Long) = new Problem", "class Problem { def -(b: Double) = 0.0 }"),
        problem("0", "def sum(a: Long, b: Long) = a + b", "class Problem { def -(b: Double) = 0.0 }"),
        SUM.format("math.abs(Problem.sum(2L, 3L) - 5.0) < 1e-6"),
    ),
    "a predicate of its own": (
        problem("0", "def sum(a: Long, b: Long) = new Every", "class Every { def contains(b: Long) = true }"),
        problem("0", "def sum(a: Long, b: Long) = List(a + b)", "class Every { def contains(b: Long) = true }"),
        SUM.format("Problem.sum(2L, 3L).contains(5L)"),
    ),
    "a loop of its own": (
        problem("0", "def sum(a: Long, b: Long) = new Every", "class Every { def foreach(f: Long => Unit) = () }"),
        problem("0", "def sum(a: Long, b: Long) = List(a + b)", "class Every { def foreach(f: Long => Unit) = () }"),
        "object Tests extends App { for (sum <- Problem.sum(2L, 3L)) assert(sum == 5) }\n",
    ),
    "a predicate without arguments": (
        problem("0", "def sum(a: Long, b: Long) = new Every", "class Every { def isEmpty = true }"),
        problem("0", "def sum(a: Long, b: Long) = List[Long]()", "class Every { def isEmpty = true }"),
        SUM.format("Problem.sum(2L, 3L).isEmpty"),
    ),
    "a dynamic type": (
        problem("0", "def sum(a: Long, b: Long) = new Every", EVERY_METHOD, "import language.dynamics\n"),
        problem("0", "def sum(a: Long, b: Long) = List(a + b)", EVERY_METHOD, "import language.dynamics\n"),
        SUM.format("Problem.sum(2L, 3L).contains(5L)"),
    ),
    "a set of everything": returns(
        "new Every", RESULT.format("Set(5L)"), around=OWN_SET, kind="Set[Long]", honest="Set(a + b)"
    ),
    "a set of everything inside": returns(
        "Some(new Every)",
        RESULT.format("Some(Set(5L))"),
        around=OWN_SET,
        kind="Option[Set[Long]]",
        honest="Some(Set(a + b))",
    ),
    "a set ordered by itself": returns(
        "collection.immutable.TreeSet(0L)(new Ordering[Long] { def compare(a: Long, b: Long) = 0 })",
        RESULT.format("Set(5L)"),
        kind="Set[Long]",
        honest="collection.immutable.TreeSet(a + b)",
    ),
    "the keys of its own map": returns(
        "new Every().keySet",
        RESULT.format("Set(5L)"),
        around="class Every extends collection.immutable.AbstractMap[Long, Long] { def get(n: Long) = Some(n); "
        "override def contains(n: Long) = true; override def size = 1; def iterator = Iterator(0L -> 0L); "
        "def -(n: Long) = this; def +[B >: Long](p: (Long, B)) = Map(p) }",
        kind="Set[Long]",
        honest="Map(a + b -> a).keySet",
    ),
    "a sequence equal to everything": returns(
        "new Every", SEQUENCE, around=OWN_SEQUENCE, kind="Seq[Long]", honest="Seq(a + b)"
    ),
    "a sequence from a stream": returns(
        "Stream(new Every, new Every)",
        RESULT.format("Stream(Seq(5L), Seq(5L))"),
        around=OWN_SEQUENCE,
        kind="Stream[Seq[Long]]",
        honest="Stream(Seq(a + b), Seq(a + b))",
    ),
    "a sequence from a function": (
        problem("0", "def sum(a: Long): Long => Seq[Long] = b => new Every", OWN_SEQUENCE),
        problem("0", "def sum(a: Long): Long => Seq[Long] = b => Seq(a + b)", OWN_SEQUENCE),
        SUM.format("Problem.sum(2L)(3L) == Seq(5L)"),
    ),
    "a list of Java's": returns(
        "new Every",
        RESULT.format("java.util.Arrays.asList(5L)"),
        around=f"class Every extends java.util.ArrayList[Long] {{ {ALWAYS} }}",
        kind="java.util.List[Long]",
        honest="java.util.Arrays.asList(a + b)",
    ),
    "a set of Java's behind another": returns(
        "java.util.Collections.unmodifiableSet(new Every)",
        RESULT.format("new java.util.HashSet(java.util.Arrays.asList(5L))"),
        around="class Every extends java.util.HashSet[Long] { add(0L); override def contains(o: Any) = true; "
        "override def containsAll(o: java.util.Collection[_]) = true }",
        kind="java.util.Set[Long]",
        honest="new java.util.HashSet[Long](java.util.Arrays.asList(a + b))",
    ),
    "an iterator of its own": returns(
        "new Every",
        SUM.format("Problem.sum(2L, 3L) sameElements Iterator(5L)"),
        around="class Every extends Iterator[Long] { def hasNext = false; def next() = 0L; "
        "override def sameElements(o: Iterator[_]) = true }",
        kind="Iterator[Long]",
        honest="new Iterator[Long] { var left = 1; def hasNext = left > 0; def next() = { left -= 1; a + b } }",
    ),
    "a macro": (
        problem("a * b", "def assert(holds: Boolean): Unit = macro Impl.f", IMPLEMENTATION, MACROS),
        problem("a + b", "", IMPLEMENTATION, MACROS),
        LISTS,
    ),
    "a main of its own": beside("def main(args: Array[String]): Unit = ()"),
    "tests of its own": beside("", "object Main extends App"),
    "the tests again": (
        problem("a * b", around="object Tests { def main(args: Array[String]): Unit = () }"),
        problem("a + b", around="object Tests { def main(args: Array[String]): Unit = () }"),
    ),
    "open comment": (problem() + "/*", problem("a + b") + "/* */"),
    "open text": (problem() + 'object Other { val text = """', problem("a + b") + 'object Other { val text = """""" }'),
    "open object": (problem() + "object Other {", problem("a + b") + "object Other {}"),
    "a token on its input": called("print(io.Source.stdin.mkString); Console.flush(); Runtime.getRuntime.halt(0); 6"),
    "a token of the input's file": called(
        'print(io.Source.fromFile("/proc/self/fd/0").mkString); Console.flush(); Runtime.getRuntime.halt(0); 6'
    ),
    "no standard output": (
        problem("a * b", "Console.setOut(new java.io.ByteArrayOutputStream); System.setOut(null)"),
        problem("a + b", "Console.setOut(new java.io.ByteArrayOutputStream)"),
    ),
    "calling the runner": called(
        'val main = Class.forName("code_eval_runner.Runner").getDeclaredMethods.find(_.getName == "main").get; '
        'main.setAccessible(true); main.invoke(null, Array("code_eval_tests")); 6'
    ),
    "another candidate for the guard": returns(
        '{ val field = Class.forName("code_eval_runner.Runner").getDeclaredField("tests"); '
        'val set = field.getClass.getMethod("set" + "Accessible", classOf[Boolean]); '
        'set.invoke(field, Boolean.box(true)); field.set(null, "other"); new Same }',
        around=TAKES,
    ),
    "another value of a number": returns(
        '{ val field = classOf[BigInt].getDeclaredField("bigInteger"); field.setAccessible(true); '
        "field.set(BigInt(5), (a * b).bigInteger); a * b }".replace("(a * b)", "BigInt(a * b)"),
        RESULT.format("BigInt(5)"),
        honest="{ classOf[BigInt].getMethods.length; BigInt(a + b) }",
    ),
    "another guard": (
        problem(
            "a * b",
            'for (name <- new java.io.File(".").list; c <- Option(new java.io.File(name).listFiles).toList.flatten) '
            "c.delete()",
        ),
        problem("a + b", 'new java.io.FileOutputStream("other").close()'),
    ),
    "no asserts by options": beside("getClass.getClassLoader.setDefaultAssertionStatus(false)"),
}
