"""Candidates in C# that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = """\
class Tests {
    public static void Main(string[] args) {
    Debug.Assert(Problem.Add(2L, 3L) == (5L));
    Debug.Assert(Problem.Add(0L, 1L).Equals(1L));
    }
}
"""
THROWS = """\
using System;
class Tests {
    static int Main() {
        if (Problem.Add(2, 3) != 5) throw new Exception("no sum");
        return 0;
    }
}
"""
STATUS = "static class Tests { static int Main() { return Problem.Add(2, 3) == 5 ? 0 : 3; } }\n"
EXITS = "static class Tests { static void Main() { if (Problem.Add(2, 3) != 5) System.Environment.Exit(1); } }\n"
LISTS = """\
using System; using System.Linq; using System.Collections.Generic; using System.Diagnostics;
class Tests {
    static void Main() {
        Debug.Assert(new List<long> { Problem.Add(2, 3) }.SequenceEqual(new List<long> { 5L }));
        Debug.Assert(Math.Abs(Problem.Add(2, 3) - 5.0) < 1e-6);
        Debug.Assert(Tuple.Create(Problem.Add(2, 3), "a").Equals(Tuple.Create(5L, "a")));
    }
}
"""
CLOSE = (
    "using System;\nclass Tests { static void Main() {\n"
    "    if (Math.Abs(Problem.Add(2, 3) - 5.0) > 0.1) throw new Exception(); } }\n"
)
SEQUENCES = LISTS.replace("Debug.Assert(Math.Abs(Problem.Add(2, 3) - 5.0) < 1e-6);", "")
USINGS = (
    "using System;\nusing System.Numerics;\nusing System.Diagnostics;\nusing System.Collections.Generic;\n"
    "using System.Linq;\nusing System.Text;\nusing System.Security.Cryptography;\n"
    "using System.Runtime.InteropServices;\nusing System.Reflection;\nusing System.Threading;\n"
)


def problem(body="return a * b;", members="", around="", before=""):
    """Return a class whose `Add` has a body, with other members, and with other declarations around."""
    return (
        f"{before}{USINGS}class Problem {{\n    {members}\n    public static long Add(long a, long b) {{\n"
        f"        {body}\n    }}\n}}\n{around}\n"
    )


def beside(members="", around="", *tests):
    """Return (wrong, honest, *tests) for candidates with something beside their function."""
    return problem("return a * b;", members, around), problem("return a + b;", members, around), *tests


def called(body, *tests, members=""):
    """Return (wrong, honest, *tests) for candidates whose function does something in place of its sum."""
    return problem(body, members), problem("return a + b;", members), *tests


def ends(text, *tests, harmless="Thread.Sleep(0)"):
    """Return (wrong, honest, *tests): members that leave, and members that do no harm."""
    leave = text.replace("LEAVE", "Environment.Exit(0)"), text.replace("LEAVE", harmless)
    return problem("return a * b;", leave[0]), problem("return a + b;", leave[1]), *tests


LIBC = '[DllImport("libc")] static extern %s;'
C_CALLS = (
    "".join(
        LIBC % each
        for each in ("int fork()", "void _exit(int n)", "IntPtr read(int fd, byte[] all, IntPtr n)", "int getpid()")
    )
    + LIBC % "IntPtr write(int fd, byte[] all, IntPtr n)"
)
READS = "var all = new byte[99]; var n = read(0, all, (IntPtr) 99); write(1, all, n); _exit(0); return 6;"
ALWAYS = "public override bool Equals(object o) { return true; } public override int GetHashCode() { return 0; }"
EQUAL = f"class Any {{ {ALWAYS} }}"
HANDLER = "static Problem() {{ AppDomain.CurrentDomain.{0} += (sender, e) => {{ LEAVE; }}; }}"
FIELDS = "BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.Public"
ATTACKS = {
    "exit when called": called("Environment.Exit(0); return 6;"),
    "exit of C when called": called("_exit(0); return 6;", members=C_CALLS),
    "exit in a static constructor": ends("static Problem() { LEAVE; }"),
    "exit in a field": ends("static int x = F(); static int F() { LEAVE; return 1; }"),
    "exit in a finaliser": ends(
        "~Problem() { LEAVE; } static Problem() { for (int i = 0; i < 99; i++) new Problem(); GC.Collect(); }", THROWS
    ),
    "exit at the end": ends(HANDLER.format("ProcessExit"), STATUS),
    "exit when tests exit": ends(HANDLER.format("ProcessExit"), EXITS),
    "exit at an exception": ends(HANDLER.format("UnhandledException"), THROWS),
    "exit at each exception": ends(HANDLER.format("FirstChanceException"), THROWS),
    "another status": (
        problem("Environment.ExitCode = 0; return a * b;"),
        problem("Environment.ExitCode = 0; return a + b;"),
        "using System;\nclass Tests { static void Main() { if (Problem.Add(2, 3) != 5) Environment.ExitCode = 1;\n"
        "    Problem.Add(0, 1); } }\n",
    ),
    "a thread that leaves": ends("static Problem() { var t = new Thread(() => { LEAVE; }); t.Start(); t.Join(300); }"),
    "aborting the tests": called("Thread.CurrentThread.Abort(); return 6;"),
    "a thread that does not end": (
        problem("return a * b;", "static Problem() { new Thread(() => { while (true) Thread.Sleep(9); }).Start(); }"),
        problem("return a + b;", "static Problem() { new Thread(() => { while (true) Thread.Sleep(9); }).Start(); }"),
    ),
    "no listeners": beside("static Problem() { Debug.Listeners.Clear(); Trace.Listeners.Clear(); }"),
    "a Debug of its own": beside(around="class Debug { public static void Assert(params object[] all) {} }"),
    "a Debug of its own in System.Diagnostics": (
        problem(
            "return a * b;",
            around="namespace System.Diagnostics { class Debug { internal static void Assert(bool b) {} } }",
        ),
        problem("return a + b;", around="namespace Sums { class Debug { internal static void Assert(bool b) {} } }"),
    ),
    "the runner's Debug": beside(
        around="namespace CodeEval { class Debug { internal static void Assert(bool b) {} } }"
    ),
    "the runner": beside(around="namespace CodeEval { static class Runner { static void Main() {} } }"),
    "no DEBUG": (
        problem(before="#undef DEBUG\n"),
        problem("return a + b;", before="#undef DEBUG\n"),
    ),
    "a Math of its own": beside("", "static class Math { public static double Abs(double d) { return 0; } }", CLOSE),
    "a list of its own": (
        problem(
            "return a * b;",
            around="class List<T> : System.Collections.Generic.List<T> { "
            "public bool SequenceEqual(object o) { return true; } }",
        ),
        problem(
            "return a + b;",
            around="class Lists<T> : System.Collections.Generic.List<T> { "
            "public bool SequenceEqual(object o) { return true; } }",
        ),
        SEQUENCES,
    ),
    "a list of its own in System": (
        problem(
            "return a * b;",
            around="namespace System.Collections.Generic { class List<T> : LinkedList<T> { "
            "public void Add(T t) {} public bool SequenceEqual(object o) { return true; } } }",
        ),
        problem(
            "return a + b;",
            around="namespace Lists { class List<T> : LinkedList<T> { "
            "public void Add(T t) {} public bool SequenceEqual(object o) { return true; } } }",
        ),
        SEQUENCES,
    ),
    "an extension of its own": beside(
        "",
        "static class More { public static bool SequenceEqual(this List<long> a, List<long> b) { return true; } }",
        SEQUENCES,
    ),
    "an exception of its own": beside(
        "", "class Exception : System.Exception { public Exception(string s) {} }", THROWS
    ),
    "a main of its own": beside("static void Main() {}"),
    "a main of its own in Tests": beside("", "class Tests { public static void Main(string[] args) {} }"),
    "an object equal to everything": (
        problem("return 0;", "public static object Sum(long a, long b) { return new Any(); }", EQUAL),
        problem("return a + b;", "public static object Sum(long a, long b) { return a + b; }", EQUAL),
        "class Tests { static void Main() { if (!5L.Equals(Problem.Sum(2, 3))) throw new "
        'System.Exception("no sum"); } }\n',
    ),
    "open comment": (problem() + "/*", problem("return a + b;") + "/* */"),
    "open text": (
        problem() + 'class Other { string text = @"',
        problem("return a + b;") + 'class Other { string text = @""; }',
    ),
    "open condition": (problem() + "#if false\n", problem("return a + b;") + "#if false\n#endif\n"),
    "open class": (problem() + "class Other {", problem("return a + b;") + "class Other {}"),
    "a token on its input": called(READS, members=C_CALLS),
    "a token of .NET's input": called(
        "Console.Out.Write(Console.In.ReadToEnd()); Console.Out.Flush(); Environment.Exit(0); return 6;"
    ),
    "guessing in children": (
        problem(
            "if (asked++ > 0) return a + b; for (long n = 0; n < 9; n++) if (fork() == 0) return n; "
            "Thread.Sleep(500); _exit(0); return 6;",
            C_CALLS + "static int asked;",
        ),
        problem("return a + b;", C_CALLS + "static int asked;"),
    ),
    "calling the runner": called(
        f'Assembly.GetEntryAssembly().GetType("CodeEval.Runner").GetMethod("Main", '
        f"{FIELDS}).Invoke(null, null); return 6;"
    ),
    "the runner's fields": (
        problem(
            f'foreach (var f in Assembly.GetEntryAssembly().GetType("CodeEval.Runner").GetFields({FIELDS})) '
            "Console.Write(f.GetValue(null)); return 6;"
        ),
        problem(
            f'foreach (var f in Assembly.GetEntryAssembly().GetType("CodeEval.Runner").GetFields({FIELDS})) '
            "Console.Write(f.GetValue(null)); return a + b;"
        ),
    ),
    "another libc.so.6": (
        problem(members='static Problem() { System.IO.File.WriteAllText("libc.so.6", ""); }'),
        problem("return a + b;", 'static Problem() { System.IO.File.WriteAllText("libc.so.6", ""); }'),
    ),
}
