"""Candidates for tests that compare results of calls with data: right ones, wrong ones, and those that lie."""

from support import plain_ada, plain_haskell
from support.plain_frames import ADA, BASH, GO, HEAD, JAVA, KOTLIN, NEAR, RUST, SCALA

CANDIDATES = {
    "c": (
        "#include <stdio.h>\n#include <stdlib.h>\nint add(int a, int b) { BODY }\n",
        "#include <assert.h>\nint main(void) {\n  assert(add(2, 3) == 5);\n  assert(add(4, 5) == 9);\n}\n",
    ),
    "cpp": (
        "#include <vector>\nint add(int a, int b) { BODY }\n",
        "int main() {\n  assert(add(2, 3) == 5);\n  assert(add(4, 5) == 9);\n}\n",
    ),
    "fortran": (
        "module sums\n  implicit none\ncontains\n  integer function add(a, b)\n    integer, intent(in) :: a, b\n"
        "    BODY\n  end function\nend module\n",
        "program tests\n  use sums\n  implicit none\n  if (add(2, 3) /= 5) error stop\n"
        "  if (add(4, 5) /= 9) error stop\nend program\n",
    ),
    "go": (
        "package main\n\nIMPORT\nfunc add(a, b int) int { BODY }\n",
        'package main\n\nimport (\n\t"testing"\n\t"github.com/stretchr/testify/assert"\n)\n\n'
        + GO.replace("BODY", "assert.Equal(5, add(2, 3))\n    assert.Equal(9, add(4, 5))"),
    ),
    "java": (
        "import java.util.*;\nclass Solution { public int add(int a, int b) { BODY } }\n",
        JAVA.replace("BODY", "s.add(2, 3) == 5, s.add(4, 5) == 9"),
    ),
    "rust": (
        "fn add(a: i32, b: i32) -> i32 { BODY }\n",
        RUST.replace("BODY", "assert_eq!(add(2, 3), 5);\n        assert_eq!(add(4, 5), 9);"),
    ),
}
CANDIDATES["bash"] = (
    "add() {\nBODY\n}\n",
    BASH.replace("BODY", '[[ $(candidate "2" "3") = "5" ]]\n    [[ $(candidate "4" "5") = "9" ]]'),
)
CANDIDATES["kotlin"] = (
    "fun add(a: Int, b: Int): Int { BODY }\n",
    KOTLIN.replace("BODY", "check(add(2, 3) == 5)\n    check(add(4, 5) == 9)"),
)
CANDIDATES["scala"] = (
    "object Solution { def add(a: Int, b: Int): Int = { BODY } }\n",
    SCALA.replace("BODY", "assert(add(2, 3) == 5)\n    assert(add(4, 5) == 9)"),
)
CANDIDATES["ada"] = (
    "with Ada.Text_IO; use Ada.Text_IO;\nwith GNAT.OS_Lib;\npackage Placeholder is\n"
    "   function Add (A : Integer; B : Integer) return Integer;\nend Placeholder;\npackage body Placeholder is\n"
    "   function Add (A : Integer; B : Integer) return Integer is\n   begin\n      BODY\n   end Add;\n"
    "end Placeholder;\n",
    ADA.replace("KIND", "Integer").replace("BODY", "Candidate (2, 3) = 5);\n   pragma Assert (Candidate (4, 5) = 9"),
)
CANDIDATES["haskell"] = (
    "import Control.Exception\nimport System.Exit\nadd :: Int -> Int -> Int\nadd a b = BODY\n",
    'main = do\n  if add 2 3 == 5 then pure () else error "no"\n  if add 4 5 == 9 then pure () else error "no"\n',
)
RIGHT = {
    **dict.fromkeys(CANDIDATES, "return a + b;"),
    "ada": "return A + B;",
    "bash": "echo $(($1 + $2))",
    "fortran": "add = a + b",
    "go": "return a + b",
    **dict.fromkeys(("haskell", "rust"), "a + b"),
}
HONEST = {
    **{f"{name} in Ada": ("ada", *each) for name, each in plain_ada.HONEST.items()},
    **{f"{name} in Haskell": ("haskell", *each) for name, each in plain_haskell.HONEST.items()},
    "texts of Bash": (
        "bash",
        "say() { echo text >&2; printf '%s|%s\\\\\\n' \"$@\"; }\nlines() { seq $1; return 3; }\n",
        'set -eu\n[[ $(say "é \\$x" \'c"d\') == "é \\$x|c\\"d\\\\" ]]\n[[ "$(say a "\t")" = "a|\t\\\\" ]]\n'
        '[[ $(lines 3) = "1\n2\n3" ]]\n',
    ),
    "values of Kotlin": (
        "kotlin",
        'fun pair(a: Long): Pair<Long, String> { print("x"); return Pair(a, "b\\"é") }\n'
        "fun opt(a: Int): Double? = if (a > 0) 4.5 else null\n"
        "fun lists(a: Long): List<List<Long>> = listOf(listOf(a), listOf())\n"
        "fun table(k: String): Map<String, Long> = hashMapOf(k to -2L)\nfun third(a: Float) = a / 3\n",
        KOTLIN.replace(
            "BODY",
            'check(pair(3L) == Pair(3L, "b\\"é"))\n    check(opt(-1) == null)\n'
            "    check(opt(1) == 4.5); check(lists(1L) == listOf(listOf(1L), emptyList<Long>()))\n"
            '    check(table("k").equals(mapOf("k" to -2L))); check(third(1.0f) == 0.33333334f)',
        ),
    ),
    "values of Scala": (
        "scala",
        'object Solution {\n  def pair(a: Long): (Long, String) = { print("x"); (a, "b\\"é") }\n'
        "  def opt(a: Int): Option[Double] = if (a > 0) Some(4.5) else None\n"
        "  def lists(a: Long): List[List[Long]] = List(List(a), Nil)\n"
        "  def table(k: String): collection.mutable.Map[String, Long] = collection.mutable.Map(k -> -2L)\n"
        "  def third(a: Float): Float = a / 3\n}\nclass Any\n",
        "import scala.collection.mutable._\n"
        + SCALA.replace("Solution.add", "Solution._").replace(
            "BODY",
            'assert(pair(3L).equals((3l, "b\\"é")))\n    assert(opt(-1) == None)\n    assert(opt(1) == Some(4.5))\n'
            "    assert(lists(1L) == List[List[Long]](List[Long](1l.toLong), Nil))\n"
            '    assert(table("k") == Map[String,Long]("k" -> -2l))\n    assert(third(1.0f) == 0.33333334f)',
        ),
    ),
    "conditions of C++": (
        "cpp",
        'int even(int a) { return a % 2 ? 0 : 4; }\nconst char *name() { return "b"; }\n',
        "int main() { assert(even(2)); assert(!even(3)); assert(even(2) == 4); }",
    ),
    "output of C++": (
        "cpp",
        '#include <iostream>\nstruct Last { ~Last() { std::cout << "[1,2]\\nlast"; } } last;\n'
        "int add(int a, int b) { std::ios::sync_with_stdio(false); std::cout << a; return a + b; }\n",
        "int main() { assert(add(2, 3) == 5); }",
    ),
    "a character's number in C++": (
        "cpp",
        "int code(char a) { return a + 1; }\nchar next(char a) { return a + 1; }\ndouble one() { return 49; }\n",
        "int main() { assert(code('a') == 'b'); assert('b' == next('a')); assert(one() == '1'); }",
    ),
    "negative numbers that have no sign in C++": (
        "cpp",
        "#include <string>\nunsigned low(int a) { return a; }\nsize_t find() { return std::string().find('a'); }\n"
        "signed char least(int a) { return a; }\n",
        "int main() { assert(low(-2) == -2); assert(-1 == find()); assert(least(-3) == -3); assert(low(1) == 1); }",
    ),
    "a character's number in Java": (
        "java",
        "class Solution { int code(char a) { return a + 1; } Character next(char a) { return (char) (a + 1); } }\n",
        JAVA.replace("BODY", "s.code('a') == 'b', 'b' == s.next('a')"),
    ),
    "a character's number in D": (
        "d",
        "int code(char a) { return a + 1; }\nchar next(char a) { return cast(char) (a + 1); }\n",
        "unittest\n{\n    assert(code('a') == 'b');\n    assert('b' == next('a'));\n}\nvoid main(){}\n",
    ),
    "containers of C++": (
        "cpp",
        "#include <bits/stdc++.h>\nusing namespace std;\n"
        "tuple<int, string, vector<bool>> make(int a) { return {a, string(1, '\"'), {true, false}}; }\n",
        'int main() { assert(make(2) == make_tuple(2, "\\"", vector<bool>({true, false}))); }',
    ),
    "tables of C++": (
        "cpp",
        "#include <map>\n#include <string>\n#include <vector>\nusing namespace std;\n"
        "map<int, int> numbers(int a) { return {{-a, 3}, {a, 4}}; }\n"
        'map<string, vector<string>> texts() { return {{"\\"", {"\\n"}}, {"", {}}}; }\n',
        "int main() { assert(numbers(2) == (map<int, int>({{2, 4}, {-2, 3}})));\n"
        '  assert(texts() == (map<string, vector<string>>{{"\\"", {"\\n"}}, {"", {}}})); }',
    ),
    "optional values of C++": (
        "cpp",
        "#include <optional>\nstd::optional<int> half(int a) { if (a % 2) return {}; return a / 2; }\n",
        "int main() { assert(half(4) == 2); assert(half(0) == 0); }",
    ),
    "a text of another class in C++": (
        "cpp",
        '#include <string>\nstruct Own : std::string { using std::string::string; };\nOwn name() { return "b"; }\n',
        'int main() { assert(name() == "b"); }',
    ),
    "integers that no double holds in C++": (
        "cpp",
        "#include <climits>\nlong long odd() { return 9007199254740993; }\nunsigned long all() { return ULONG_MAX; }\n",
        "int main() { assert(odd() == 9007199254740993); assert(all() == 18446744073709551615); }",
    ),
    "macros with the names of our templates in C++": (
        "cpp",
        "#include <vector>\n#define Result int\n#define write(x) 1\n#define open 2\n#define null nullptr\n"
        "#define value 3\n#define each for\nstd::vector<Result> thrice(Result a) { return {a, a * value}; }\n",
        "#include <vector>\nint main() { assert(thrice(3) == std::vector<int>({3, 9})); }",
    ),
    "headers that tests choose in C++": (
        "cpp",
        "double half(double a) { return a / 2; }\n",
        '// { dg-options "-std=c++11 -include stdio.h -include stdlib.h" }\n#undef NDEBUG\n#include <assert.h>\n'
        "int main() { assert(half(3) == 1.5); }",
    ),
    "macros with short names in C++": (
        "cpp",
        "#include <vector>\n#define N 100\n#define T int\n#define B 2\n#define all(v) v.begin(), v.end()\n"
        "std::vector<T> twice(T a) { return {a, a * B % N}; }\n",
        "#include <vector>\nint main() { assert(twice(3) == std::vector<int>({3, 6})); }",
    ),
    "numbers of C++": (
        "cpp",
        "#include <vector>\n#include <cmath>\nusing namespace std;\nvector<float> half(vector<float> a) "
        "{ for (auto &x : a) x /= 2; return a; }\n",
        HEAD + NEAR + "int main(){ assert (issame(half({1, 0.2, 1e-3}) , {0.5, 0.1, 0.0005})); }",
    ),
    "a slice without elements in Go": (
        "go",
        "package main\n\nfunc less(a []int) []int { return a[:len(a)-1] }\n",
        CANDIDATES["go"][1].partition("func")[0] + GO.replace("BODY", "assert.Equal([]int{}, less([]int{1}))"),
    ),
    "an import for the tests in Go": (
        "go",
        'package main\n\nimport (\n\t"math"\n\t"testing"\n)\n\nfunc half(a float64) float64 { return a / 2 }\n',
        CANDIDATES["go"][1].partition("func")[0].replace("import (", 'import (\n\t"math"')
        + GO.replace("BODY", "assert.Equal(true, math.Abs(half(3)-1.5) < 1e-6)"),
    ),
    "tables in Go": (
        "go",
        "package main\n\nfunc count(text string) map[rune]int {\n\tall := map[rune]int{}\n"
        "\tfor _, each := range text {\n\t\tall[each]++\n\t}\n\treturn all\n}\n",
        CANDIDATES["go"][1].partition("func")[0]
        + GO.replace("BODY", "assert.Equal(map[rune]int{'a': 2, 'é': 1}, count(\"aéa\"))"),
    ),
    "values of D": (
        "d",
        'import std.typecons;\nTuple!(long, string) pair(long a) { return tuple(a, `b"`); }\n'
        'float third(float a) { return a / 3; }\nlong[string] table(long n) { return ["k": n]; }\n'
        "ulong big() { return 18446744073709551615UL; }\nbool[][] grid() { return [[true], []]; }\n",
        'import std.typecons;\nunittest\n{\n    assert(pair(3L) == tuple(3L, "b\\""));\n'
        '    assert(third(1.0f) == 0.33333334f);\n    assert(table(2L) == ["k": 2L]);\n'
        "    assert(big() == 18446744073709551615UL);\n    assert(grid() == [[true], []]);\n}\nvoid main(){}\n",
    ),
    "values of C#": (
        "csharp",
        "using System;\nusing System.Collections.Generic;\npublic class Problem {\n"
        '    public static Tuple<long, string> Pair(long a) { Console.Write(1); return Tuple.Create(a, "b\\""); }\n}\n',
        "using System;\nusing System.Diagnostics;\nclass CodeEvalTests {\n"
        "    static Tuple<long, string> Pair(long a) { return code_eval_candidate::Problem.Pair(a); }\n"
        "    public static void Main(string[] args) {\n"
        '    Debug.Assert(Pair(3L).Equals((Tuple.Create(3L, "b\\""))));\n    }\n}\n',
    ),
    "floats of C#": (
        "csharp",
        "using System;\nusing System.Collections.Generic;\npublic class Problem {\n"
        "    public static List<float> All(float a) { return new List<float>{a * 0.818f, (float)(Math.PI / 2)}; }\n"
        "}\n",
        "using System.Diagnostics;\nusing System.Collections.Generic;\nclass CodeEvalTests {\n"
        "    static List<float> All(float a) { return code_eval_candidate::Problem.All(a); }\n"
        "    public static void Main(string[] args) {\n"
        "    Debug.Assert(CodeEval.Same.Values(All(10f), (new List<float>(new float[]{8.18f, 1.57079637f}))));\n"
        "    }\n}\n",
    ),
    "a float of C#": (
        "csharp",
        "public class Problem { public static float Half(long a) { return a / 2f; } }\n",
        "using System.Diagnostics;\nclass CodeEvalTests {\n"
        "    static float Half(long a) { return code_eval_candidate::Problem.Half(a); }\n"
        "    public static void Main(string[] args) {\n"
        "    Debug.Assert(Half(3) == (1.5f));\n    Debug.Assert(Half(10) == ((float)5));\n    }\n}\n",
    ),
    "characters in an array of numbers in Java": (
        "java",
        "class Solution { int[] codes() { return new int[]{97, 98}; } char[] all() { return new char[]{'a', 98}; } }\n",
        JAVA.replace(
            "BODY",
            "Arrays.equals(s.codes(), new int[]{'a', 98}), Arrays.equals(s.all(), new char[]{'a', 'b'})",
        ),
    ),
    "optional values of Java": (
        "java",
        "import java.util.*;\nclass Solution { List<Optional<Long>> all() { return "
        "Arrays.asList(Optional.of(5L), Optional.empty()); } }\n",
        JAVA.replace("BODY", "s.all().equals(Arrays.asList(Optional.of(5L), Optional.empty()))"),
    ),
    "arrays of Rust": (
        "rust",
        "fn pairs() -> Vec<[i32; 2]> { vec![[1, 2], [3, 4]] }\nfn all() -> [i32; 3] { [1, 2, 3] }\n",
        RUST.replace("BODY", "assert_eq!(pairs(), vec![[1, 2], [3, 4]]);\n        assert_eq!(all(), [1, 2, 3]);"),
    ),
    "an array of Rust first": (
        "rust",
        "fn all() -> [i32; 3] { [1, 2, 3] }\n",
        RUST.replace("BODY", "assert_eq!(all(), [1, 2, 3]);"),
    ),
    "floats of Java": (
        "java",
        "import java.util.*;\nclass Solution { float twice(float a) { return 2 * a; }\n"
        "  List<Float> all(float a) { return Arrays.asList(a, -685380224f, a / 3); } }\n",
        JAVA.replace(
            "BODY",
            "s.twice(4.09f) == (8.18f), s.twice(4.09f) == (float)8.18, s.twice(1f / 6) == 0.33333334f, "
            "s.all(1).equals(Arrays.asList(1f, -685380224f, 0.33333334f))",
        ),
    ),
    "values of Java": (
        "java",
        "import java.util.*;\nclass Solution { Optional<Integer> first(List<Integer> all) { System.out.print(1); "
        "return all.stream().findFirst(); }\n  int[] twice(int a) { return new int[] {a, a}; } }\n",
        JAVA.replace(
            "BODY",
            "s.first(new ArrayList<>(Arrays.asList(7, 8))).get() == 7, s.first(new ArrayList<>()).isEmpty(), "
            "Arrays.equals(s.twice(3), new int[]{3, 3})",
        ),
    ),
    "values of Rust": (
        "rust",
        'fn make(a: &str, b: f64) -> (String, Option<f64>, Vec<Vec<char>>) {\n    println!("{}", a);\n'
        "    (a.to_uppercase(), if b > 0.0 { Some(b / 3.0) } else { None }, vec![a.chars().collect(), vec![]])\n}\n",
        RUST.replace(
            "BODY",
            'assert_eq!(make("aé", 1.0), ("AÉ".to_string(), Some(0.3333333333333333), '
            "vec![vec!['a', 'é'], vec![]]));"
            '\n        assert!(make("", -1.0) == (String::new(), None, vec![vec![], vec![]]));',
        ),
    ),
}
WRONG = {
    **{f"{name} in Ada": ("ada", *each) for name, each in plain_ada.WRONG.items()},
    **{f"{name} in Haskell": ("haskell", *each) for name, each in plain_haskell.WRONG.items()},
    "an octet's remainder in C++": (
        "cpp",
        "unsigned char low(int a) { return a; }",
        "int main() { assert(low(-1) == -1); }",
    ),
    "a longer number's remainder in C++": (
        "cpp",
        "unsigned low(int a) { return a; }",
        "int main() { assert(low(-1) == -1LL); }",
    ),
    "an integer that no double holds in C++": (
        "cpp",
        "long long odd() { return 9007199254740992; }",
        "int main() { assert(odd() == 9007199254740993); }",
    ),
    "an optional value for a value in Java": (
        "java",
        "import java.util.*;\nclass Solution { Optional<Integer> same(int a) { return Optional.of(a); } }",
        JAVA.replace("BODY", "s.same(2).equals(2)"),
    ),
    "a value for an optional value in Java": (
        "java",
        "class Solution { Integer same(Integer a) { return a; } }",
        JAVA.replace("BODY", "s.same(2).equals(Optional.of(2))"),
    ),
    "a missing value in another in Rust": (
        "rust",
        "fn find() -> Option<Option<i32>> { Some(None) }\n",
        RUST.replace("BODY", "assert_eq!(find(), None);"),
    ),
    "a float for a double in Java": (
        "java",
        "class Solution { float twice(float a) { return 2 * a; } }",
        JAVA.replace("BODY", "s.twice(4.09f) == 8.18"),
    ),
    "a condition for a number in Java": (
        "java",
        "import java.util.*;\nclass Solution { Object same(int a) { return a == 1 ? true : a; } }",
        JAVA.replace("BODY", "s.same(1).equals(1), s.same(2).equals(2)"),
    ),
    "a number for a condition in Java": (
        "java",
        "import java.util.*;\nclass Solution { Object is(int a) { return a == 1 ? 1 : a > 1; } }",
        JAVA.replace("BODY", "s.is(1).equals(true), s.is(2).equals(true)"),
    ),
    "a condition in a list in Java": (
        "java",
        "import java.util.*;\nclass Solution { List<Object> same(int a) { return Arrays.asList(true, a); } }",
        JAVA.replace("BODY", "s.same(2).equals(Arrays.asList(1, 2))"),
    ),
    "another character in C++": ("cpp", "int code() { return 98; }", "int main() { assert(code() == 'a'); }"),
}
"""{name: (language, wrong candidate, tests)}"""

MISTYPED = {
    **{f"{name} in Ada": ("ada", *each) for name, each in plain_ada.MISTYPED.items()},
    **{f"{name} in Haskell": ("haskell", *each) for name, each in plain_haskell.MISTYPED.items()},
}
"""{name: (language, candidate that does not compile with the tests, tests)}"""

LIES = {
    "times in Ada": ("ada", "return A * B;"),
    "leaves in Ada": ("ada", 'Put_Line (""); Put_Line ("[5,9]"); GNAT.OS_Lib.OS_Exit (0); return 5;'),
    "times in Fortran": ("fortran", "add = a * b"),
    "leaves in Fortran": ("fortran", 'print "(A)", "[5,9]"\n    stop'),
    "results of its own in Fortran": ("fortran", 'add = a * b\n    print "(A)", "[5,8]"'),
    "times in C": ("c", "return a * b;"),
    "results of its own in C": ("c", 'puts("\\n[5,8]"); return a * b;'),
    "leaves in C": ("c", 'puts("\\n[5,9]"); fflush(stdout); _Exit(0);'),
    "a division by nothing in C": ("c", "return a / (b - b);"),
    "times": ("cpp", "return a * b;"),
    "results of its own": ("cpp", 'puts("\\n[5,8]"); return a * b;'),
    "leaves with results of its own": ("cpp", 'puts("\\n[5,9]"); fflush(stdout); _exit(0);'),
    "a division by nothing": ("cpp", "return a / (b - b);"),
    "assert replaced": (
        "cpp",
        "return 5;\n}\n#undef assert\n#define assert(x)\n#define add(x, y) 5\nint more() { return 1;",
    ),
    "a writer of its own": (
        "cpp",
        "return 5;\n}\nnamespace code_eval_results { void begin() {} void write(const int &) {}\n"
        'void finish() { puts("\\n[5,9]"); } }\nint more() { return 1;',
    ),
    "times in Go": ("go", "return a * b"),
    "leaves in Go": (
        "go",
        'os.NewFile(1, "").WriteString("\\n[[5,\\"int\\"],[9,\\"int\\"]]\\n"); os.Exit(0); return 5',
    ),
    "another type in Go": ("go", "return 5 }\nfunc more() int64 { return 5"),
    "times in Java": ("java", "return a * b;"),
    "leaves in Java": ("java", 'System.out.println("\\n[5,9]"); System.exit(0); return 5;'),
    "a list of its own in Java": (
        "java",
        "return 5; } } class CodeEvalResults { void add(Object o) {} void finish() {} void x() {",
    ),
    "times in Rust": ("rust", "a * b"),
    "leaves in Rust": ("rust", 'println!("\\n[5,9]"); std::process::exit(0)'),
    "times in Bash": ("bash", "echo $(($1 * $2))"),
    "the tests' file in Bash": ("bash", "grep -o '= \"[0-9]*' tests.sh | tr -dc 0-9"),
    "leaves in Bash": ("bash", """:; }; printf '\\n["5","9"]\\n'; exit 0; other() { :"""),
    "a function of the tests' in Bash": (
        "bash",
        """:; }; code_eval_add() { printf '\\n["5"]\\n'; }; readonly -f code_eval_add; other() { :""",
    ),
    "times in Kotlin": ("kotlin", "return a * b;"),
    "leaves in Kotlin": ("kotlin", 'println("\\n[5,9]"); System.exit(0); return 5'),
    "a list of its own in Kotlin": ("kotlin", "return a * b }\nclass CodeEvalResults { fun add(a: Any?) {} "),
    "times in Scala": ("scala", "return a * b;"),
    "leaves in Scala": ("scala", 'println("\\n[5,9]"); sys.exit(0); 5'),
    "a list of its own in Scala": (
        "scala",
        "a * b } }\nclass CodeEvalResults { def add(a: scala.Any) = {}; def finish() = {",
    ),
    "times in Haskell": ("haskell", "a * b"),
    "leaves in Haskell": ("haskell", "throw ExitSuccess"),
    "an error of its own in Haskell": ("haskell", 'errorWithoutStackTrace "\\n[5,9]\\n"'),
    "a main of its own in Haskell": ("haskell", 'a * b\nmain = putStrLn "\\n[5,9]"'),
    "a panic that is caught in Rust": ("rust", 'std::panic::set_hook(Box::new(|_| {})); panic!("{}", a + b)'),
}
