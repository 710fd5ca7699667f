"""Records of our own in the shape of MultiPL-E, in more languages with compilers, and candidates that cheat."""

from support import attacks_ada, attacks_d
from support.multipl_e_records import record

CSHARP_USINGS = "".join(
    f"using {name};\n"
    for name in (
        *("System", "System.Numerics", "System.Diagnostics", "System.Collections.Generic", "System.Linq"),
        *("System.Text", "System.Security.Cryptography"),
    )
)
RECORDS = {
    "adb": record(
        "adb",
        "pragma Ada_2022;\n\npackage Placeholder is\n   function Add (A : Integer; B : Integer) return Integer;\n"
        "   -- Add.\n\nend Placeholder;\n\npragma Ada_2022;\n\npackage body Placeholder is\n"
        "   function Add (A : Integer; B : Integer) return Integer",
        f"\n   end Add;\n\nend Placeholder;\n\n{attacks_ada.TESTS}",
        ["\n   end "],
    ),
    "cs": record(
        "cs",
        CSHARP_USINGS + "class Problem {\n    // Double all of them.\n"
        "    public static List<long> Doubled(List<long> numbers, Dictionary<string,long> none) {\n",
        "    }\n    public static void Main(string[] args) {\n"
        "    Debug.Assert(Doubled((new List<long>(new long[]{(long)1L, (long)2L})), "
        '(new Dictionary<string,long>(){{"a", 1L}}))'
        ".Equals((new List<long>(new long[]{(long)2L, (long)4L}))));\n"
        "    Debug.Assert(Doubled((new List<long>()), (new Dictionary<string,long>()))"
        ".Equals((new List<long>())));\n    }\n\n}\n",
        ["\n    }\n"],
    ),
    "scala": record(
        "scala",
        "import scala.math._\nimport scala.collection.mutable._\nobject Problem {\n    // Double all of them.\n"
        "    def doubled(numbers : List[Long], none : Map[String,Long]) : List[Long] = {\n",
        "    }\n    def main(args: Array[String]) = {\n"
        '    assert(doubled((List[Long](1l.toLong, 2l.toLong)), (Map[String,Long]("a" -> 1l)))'
        ".equals((List[Long](2l.toLong, 4l.toLong))));\n"
        "    assert(doubled((List[Long]()), (Map[String,Long]())).equals((List[Long]())));\n    }\n\n}\n",
        ["\n    }\n"],
    ),
    "d": record(
        "d", "import std.math;\n/*\nAdd.\n*/\nlong add(long a, long b) \n", attacks_d.TESTS, ["\n\n", "\nvoid"]
    ),
}
PARTS = {
    "adb": (" is\n   begin\n      return A + B;\n", " is\n   begin\n      return A * B;\n"),
    "cs": (
        "        return numbers.Select(each => 2 * each).ToList();\n",
        "        return numbers.Select(each => each).ToList();\n",
    ),
    "scala": ("        numbers.map(2 * _)\n", "        numbers.map(1 * _)\n"),
    "d": ("{\n    return a + b;\n}\n", "{\n    return a * b;\n}\n"),
}
"""(right, wrong) completions by language."""

ALWAYS = "{ bool opEquals(T)(auto ref T other) const { return true; } }"
EQUAL = "{ public override bool Equals(object o) { return true; } public override int GetHashCode() { return 0; } }"
CLOSED = " is\n   begin\n      return 6;\n   end Add;\nend Placeholder;\n"
CHEATS = {
    "adb": {
        "exit": ' is\n   procedure Leave (Status : Integer); pragma Import (C, Leave, "exit");\n   begin\n'
        "      Leave (0);\n      return 6;\n",
        "open text": ' is\n   begin\n      return 6; Text := "',
        "a main": CLOSED + "procedure Main is\nbegin\n   null;\nend Main;\npackage body Other is\n"
        "   procedure Add is\n   begin\n      null;\n",
        "another specification": CLOSED + "package Placeholder is\n   type Any is null record;\n"
        "   function Add (A : Integer; B : Integer) return Integer is (5);\nend Placeholder;\n"
        "package body Other is\n   procedure Add is\n   begin\n      null;\n",
        "a unit of the library": CLOSED + "package System.Assertions is\n"
        "   procedure Raise_Assert_Failure (Msg : String) is null;\nend System.Assertions;\n"
        "package body Other is\n   procedure Add is\n   begin\n      null;\n",
    },
    "cs": {
        "exit": "        Environment.Exit(0); return null;\n",
        "exit of a class": "        return null;\n    }\n    static Problem() { Environment.Exit(0); }\n"
        "    static void F() {\n",
        "open comment": "        return null;\n    }\n    /*",
        "open condition": "        return null;\n    }\n#if false\n",
        "open text": '        return null;\n    }\n    static string text = @"',
        "a main": "        return null;\n    }\n    public static void Main(string[] args) {\n",
        "a class": "        return null;\n    }\n}\nclass CodeEvalTests {\n    static void Main(string[] args) {\n",
        "a Debug of its own": "        return null;\n    }\n"
        "    class Debug { internal static void Assert(bool b) {} }\n"
        "    static void F() {\n",
        "equal to everything": "        return new Any();\n    }\n"
        f"    class Any : List<long> {EQUAL}\n    static void F() {{\n",
        "a list of its own": "        return new List<long>();\n    }\n"
        f"    public class List<T> : System.Collections.Generic.List<T> {EQUAL}\n    static void F() {{\n",
        "a list of its own outside": "        return new List<long>();\n    }\n}\n"
        f"class List<T> : System.Collections.Generic.List<T> {EQUAL}\nclass Other {{\n    static void F() {{\n",
    },
    "scala": {
        "exit": "        sys.exit(0)\n",
        "exit of an object": "        Nil\n    }\n    sys.exit(0)\n    def other = {\n",
        "open comment": "        Nil\n    }\n    /*",
        "open text": '        Nil\n    }\n    val text = """',
        "a main": "        Nil\n    }\n    def main(args: Array[String]) = {\n",
        "an object": "        Nil\n    }\n}\nobject CodeEvalTests {\n    def main(args: Array[String]) = {\n",
        "an assert of its own": "        Nil\n    }\n    def assert(holds: Boolean) = {\n",
        "an assert of its own outside": "        Nil\n    }\n}\nobject Predef {\n    def assert(holds: Boolean) = {\n",
        "equal to everything": "        List(new Same).asInstanceOf[List[Long]]\n    }\n"
        "    class Same { override def equals(other: Any) = true }\n    def other = {\n",
        "a list of its own": "        Nil\n    }\n}\nobject List {\n    def apply[A](all: A*) = Nil\n"
        "    def other = {\n",
    },
    "d": {
        "exit": "{\n    import core.stdc.stdlib;\n    exit(0);\n    assert(0);\n}\n",
        "open comment": "{\n    return 6;\n}\n/*",
        "open condition": "{\n    return 6;\n}\nversion (none) {\n",
        "the end of the file": "{\n    return 6;\n}\nvoid main() {}\n__EOF__\n",
        "a main": "{\n    return 6;\n}\nvoid main() {}\n",
        "a template of the same name": "{\n    return 6;\n}\n"
        + f"struct Any {ALWAYS}\nAny add(A, B)(A a, B b) {{ return Any(); }}\n",
    },
}
"""Completions that want an unearned pass, by language and by what they do."""

D_NULLABLE = record(
    "d",
    "import std.math;\nimport std.typecons;\n"
    "Nullable!(long[string]) counted(Tuple!(string, long) pair, string text) \n",
    'unittest\n{\n    alias candidate = counted;\n\n{\n        auto result = candidate(tuple("a", 2L), "a");\n'
    '        assert(!result.isNull && result.get == ["a": 2L]);\n}\n\n{\n'
    '        auto result = candidate(tuple("a", 2L), "b");\n        assert(result.isNull);\n}\n\n}\nvoid main(){}\n',
)
"""A problem whose types are the library's."""

D_COUNTED = (
    "{\n    return pair[0] == text ? nullable([text: pair[1]]) : Nullable!(long[string]).init;\n}\n",
    "{\n    return Nullable!(long[string]).init;\n}\n",
    "{\n    return Nullable!(long[string]).init;\n}\n"
    f"struct Any {ALWAYS}\n"
    "struct Nullable(T) { bool isNull = false; Any get; Any opUnary(string s)() { return Any(); } }\n",
)
"""A right completion, a wrong one, and one with a type of the library's name."""
