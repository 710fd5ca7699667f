"""Right candidates in C# with their tests, as models and benchmarks write them: {shape: (candidate, tests)}."""

from support.attacks_csharp import CLOSE, EXITS, LISTS, STATUS, TESTS, THROWS, problem

PLUS = problem("return a + b;")
CSHARP = {
    "MultiPL-E": (PLUS, TESTS),
    "a main that throws": (PLUS, THROWS),
    "a main with a status": (PLUS, STATUS),
    "a main that exits": (PLUS, EXITS),
    "comparisons of the library": (PLUS, LISTS),
    "a difference": (PLUS, CLOSE),
    "System.Diagnostics": (PLUS, TESTS.replace("Debug.Assert", "System.Diagnostics.Debug.Assert")),
    "a namespace": (
        "namespace Sums { public class Adder { public int Add(int a, int b) { return a + b; } } }\n",
        "using System; using Sums;\nclass Tests { static void Main() {\n"
        "    if (new Adder().Add(2, 3) != 5 || new Sums.Adder().Add(1, 1) != 2) throw new Exception();\n} }\n",
    ),
    "tests in the same namespace": (
        "namespace Sums { class Adder { internal int Add(int a, int b) { return a + b; } } }\n",
        "namespace Sums { class Tests { static void Main() {\n"
        "    if (new Adder().Add(2, 3) != 5) throw new System.Exception();\n} } }\n",
    ),
    "generic types": (
        "using System.Collections.Generic;\n"
        "class Pile<T> { List<T> all = new List<T>(); public void Push(T t) { all.Add(t); }\n"
        "    public T Pop() { var t = all[all.Count - 1]; all.RemoveAt(all.Count - 1); return t; } }\n",
        "using System.Diagnostics;\nclass Tests { static void Main() { var pile = new Pile<int>(); pile.Push(3);\n"
        '    pile.Push(4); Debug.Assert(pile.Pop() == 4, "no pile"); Debug.Assert(pile.Pop() == 3); } }\n',
    ),
    "a stack of its own": (
        "class Stack { public int Pop() { return 4; } }\n",
        "using System.Collections.Generic; using System.Diagnostics;\nclass Tests { static void Main() { var all = "
        "new List<int> { new Stack().Pop() }; Debug.Assert(all[0] == 4); } }\n",
    ),
    "types of its own": (
        "using System;\npublic struct Point { public int X; public static bool operator ==(Point a, Point b) "
        "{ return a.X == b.X; } public static bool operator !=(Point a, Point b) { return a.X != b.X; }\n"
        "    public override bool Equals(object o) { return o is Point && this == (Point)o; }\n"
        "    public override int GetHashCode() { return X; } }\nenum Kind { One, Two }\n"
        "class Overdrawn : InvalidOperationException {}\n"
        "class Account { public void Pay() { throw new Overdrawn(); } }\n",
        "using System; using System.Diagnostics;\nclass Tests { static void Main() {\n"
        "    Debug.Assert(new Point { X = 1 } == new Point { X = 1 } && (int) Kind.Two == 1);\n"
        '    try { new Account().Pay(); Debug.Fail("no error"); } catch (Overdrawn) { } } }\n',
    ),
    "extensions": (
        "static class More { public static int Twice(this int n) { return 2 * n; } }\n",
        "class Tests { static void Main() { if (4.Twice() != 8) throw new System.Exception(); } }\n",
    ),
    "asynchronous": (
        "using System.Threading.Tasks;\nclass Problem { public static async Task<long> Add(long a, long b) "
        "{ await Task.Delay(1); return a + b; } }\n",
        "using System; using System.Threading.Tasks;\nclass Tests { static async Task Main() "
        "{ if (await Problem.Add(2, 3) != 5) throw new Exception(); } }\n",
    ),
    "output that is not flushed": (problem('Console.Write("adds"); return a + b;'), TESTS),
    "a text like a class": (problem('var text = "class Tests {"; return text.Length > 0 ? a + b : 0;'), TESTS),
    "big numbers": (
        "using System.Numerics;\n"
        "class Big { public static BigInteger Power(int n) { return BigInteger.Pow(2, n); } }\n",
        "using System.Numerics;\n"
        'class Tests { static void Main() { if (Big.Power(70) != BigInteger.Parse("1180591620717411303424"))'
        " throw new System.Exception(); } }\n",
    ),
    "a whole program": (PLUS + TESTS.replace("Debug", "System.Diagnostics.Debug"), ""),
}
