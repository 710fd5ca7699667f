"""Tests that compare results of calls with data, as (language, text, what the calls should return)."""

import math

from support.plain_frames import ADA, BASH, GO, HASKELL, HEAD, JAVA, KOTLIN, NEAR, RUST, SCALA

PLAIN = {
    "Ada": (
        "ada",
        ADA.replace("KIND", "Integer").replace(
            "BODY", "Candidate (2, 3) = 987);\n   pragma Assert (1_000 = candidate (-1, 2)"
        ),
        [[987, None], [1000, None]],
    ),
    "Ada, lists": (
        "ada",
        ADA.replace("KIND", "Float_Array").replace("BODY", 'Candidate ([1], "=") = [-98.7, 5.0], "no"'),
        [[[-98.7, 5.0], None]],
    ),
    "Ada, texts": (
        "ada",
        "with Text; use Text;\nprocedure Main is\n   use Other;\n"
        "   function Candidate (A : Integer) return Unbounded_String_Vector.Vector renames Text.Add;\nbegin\n"
        '   pragma Assert (Candidate (2) = [To_Unbounded_String ("xyz""")]);\n'
        "   pragma Assert (not Text.Even (3));\nend;\n",
        [[['xyz"'], None], [False, None]],
    ),
    "C": (
        "c",
        "#undef NDEBUG\n#include <assert.h> // for all\n#include <math.h>\n#define EPSILON 1e-4\nint main(void) {\n"
        '    int all[] = {1, 2, 3};\n    assert(add(all, 3) == 987 && "a sum");\n'
        '    assert(!strcmp(name((int[]){1}), "xyz"));\n'
        "    assert(fabs(98.7 - half(3.0)) < EPSILON);\n    assert(!even(1) && even('a'));\n    return 0;\n}\n",
        [[987, 0], ["xyz", 0], [98.7, 1e-4], [False, 0], [True, 0]],
    ),
    "C, statuses": (
        "c",
        "int add(int a, int b);\nint main() {\n    if (add(2, 3) != 987) return 1;\n"
        '    if (strcmp(name(), "xyz")) { printf("not xyz"); exit(1); }\n'
        '    if (98.7F == half(3)) printf("98.7"); else abort();\n    if (!find(1) || find(2) != NULL) return 2;\n}\n',
        [[987, 0], ["xyz", 0], [98.69999694824219, 0], [True, 0], [False, 0]],
    ),
    "C, functions and variables": (
        "c",
        "static int failures;\nstatic void test_pair(void) {\n    int count, expected = 987;\n"
        "    int *all = pair(2, &count);\n"
        "    assert(count == 2);\n    assert(all[1] == 987 - 2);\n    free(all);\n}\n"
        "int main(int argc, char **argv) {\n    int failed = 0;\n    test_pair();\n"
        "    if (size('b') != 'b') failed++;\n"
        '    printf("%d of 987 failed", failed);\n    return failed ? 1 : 0;\n}\n',
        [[2, 0], [985, 0], [98, 0]],
    ),
    "C, numbers of several types": (
        "c",
        "int main(void) { assert(low(1) == -1); assert(987654321 == big()); }",
        [
            [-1, 0, ["uint32", 2**32 - 1], ["uint64", 2**64 - 1], 2**128 - 1, ["float", -1], ["double", -1]],
            [987654321, 0, *([f"uint{bits}", 987654321] for bits in (32, 64)), 987654321]
            + [["float", 987654336], ["double", 987654321]],
        ],
    ),
    "C, names and comments": (
        "c",
        "#define EXPECTED (980 + 7)\n#define LEAST +5 /* the\nleast */\nint main(void) {\n"
        "    /* 987\n#define OTHER 987\n    */\n"
        "    int r = add(2, /* 987 */ 3); // 987\n    assert(r == EXPECTED);\n"
        '    assert(name("/* 5 */") == LEAST % 3);\n'
        "    fflush(stdout);\n    struct pair p = {.x = 1, .y = 2};\n    assert(sum(p) == 3);\n}\n",
        [[987, 0], [2, 0], [3, 0]],
    ),
    "C++": (
        "cpp",
        HEAD + "int main(){\n    assert (add(2, 3)==987);\n    assert (!add(1, -2));\n}\n",
        [[987, 0], [False, 0]],
    ),
    "C++, brackets": (
        "cpp",
        "int main() {\n  auto candidate = add;\n"
        "  assert(candidate((std::vector<float>({(float)1.5f}))) == (std::vector<long>({(long)987, 2})));\n"
        '  assert((candidate("a") == std::string("b\\n")));\n  return 0;\n}',
        [[[987, 2], 0], ["b\n", 0]],
    ),
    "C++, own comparison": (
        "cpp",
        HEAD + NEAR + "int main(){\n    vector<float> a={1};\n    assert (issame(add(a) , {3.987, 2*3+1}));\n}",
        [[[3.987, 7], math.nextafter(1e-4, 1)]],
    ),
    "C++, difference": ("cpp", "int main(){ assert (abs(add(1) - 98.7) < 1e-4); }", [[98.7, 1e-4]]),
    "Fortran": (
        "fortran",
        "! 987\nPROGRAM t\n  USE m\n  IMPLICIT NONE\n  real(8), parameter :: tol = 1d-4\n"
        "  IF (add(2, & ! two\n    3) /= 987) error stop 'not 987'\n  if (abs(half(3.0) - 98.5d0) > tol) stop 1\n"
        "  if (.not. even(2) .or. trim(name(1)) .ne. 'xyz ') then\n    print *, 'xyz'\n    call exit(1)\n  end if\n"
        "  if (any(pair(1) /= [987, -2])) error stop\n  print *, 'xyz'\nEND PROGRAM t\n",
        [[987, 0], [98.5, math.nextafter(1e-4, 1)], [True, 0], ["xyz", 0], [[987, -2], 0]],
    ),
    "Fortran, variables": (
        "fortran",
        "program t\n  use m\n  integer :: all_of(2) = [3, 4], n\n  n = add(2, 3)\n  call double(all_of)\n"
        "  if (n /= 987 .or. all_of(1) /= 6) error stop\n  if (102334155 /= large()) error stop\nend program\n",
        [[987, 0], [6, 0], [102334155, 0, ["float", 102334152], ["double", 102334155]]],
    ),
    "Go": (
        "go",
        GO.replace("BODY", 'assert.Equal(987, add(2, 3))\n    assert.Equal([]string{"xyz"}, add([]int{1}))'),
        [[[987, "int"], 0], [[["xyz"], "[]string"], 0]],
    ),
    "Go, difference": (
        "go",
        GO.replace("BODY", "assert.Equal(true, math.Abs(add(3)-98.7) < 1e-6)\n    assert.Equal(add('a'), nil)"),
        [[[98.7, "float64"], 1e-6], [[None, "<nil>"], 0]],
    ),
    "Go, table": (
        "go",
        "func TestAdd(t *testing.T) {\n  candidate := add\n\ttype test struct {\n\t\tactual   interface{}\n"
        "\t\texpected interface{}\n\t}\n   tests := []test{\n"
        "     { actual: candidate(2, 3), expected: 987 },\n"
        '     { actual: candidate([]float64{1.0}), expected: []interface{}{"xyz", 2.5, 987.0, true, nil} },\n   }\n\n'
        '\tfor i, tc := range tests {\n\t\tt.Run(fmt.Sprintf("test num % d", i), func(t *testing.T) {\n'
        '\t\t\tif fmt.Sprintf("%v", tc.actual) != fmt.Sprintf("%v", tc.expected) {\n'
        "\t\t\t\tt.Errorf(\"expected '%s', got '%s'\", tc.expected, tc.actual)\n\t\t\t}\n\t\t})\n\t}\n}\n",
        [[["987", "string"], 0], [["[xyz 2.5 987 true <nil>]", "string"], 0]],
    ),
    "Bash": (
        "bash",
        BASH.replace("BODY", '[[ $(candidate "2" \'3 4\' five) = "987" ]]\n    [[ "$(candidate)" == "x\\"y xyz" ]]'),
        [["987", 0], ['x"y xyz', 0]],
    ),
    "Bash, exits": (
        "bash",
        '# Sums.\n[ "$(add 2 3)" = 987 ] || exit 1\n[ "$(add 1 1)" == xyz ] || { echo "no sum" >&2; exit 1; }\n',
        [["987", 0], ["xyz", 0]],
    ),
    "C#": (
        "csharp",
        "using System;\nclass CodeEvalTests {\n    static List<long> Add(List<long> a) "
        "{ return code_eval_candidate::Problem.Add(a); }\n    public static void Main(string[] args) {\n"
        "    Debug.Assert(CodeEval.Same.Values(Add((new List<long>(new long[]{(long)1L}))), "
        "(new List<long>(new long[]{(long)987L, 2L}))));\n"
        '    Debug.Assert(Add((null)).Equals(("xyz")));\n    Debug.Assert(Add(null) == (98.7f));\n'
        '    Debug.Assert(CodeEval.Same.Values(Add(null), (new Dictionary<string,long>(){{"a", 1L}})));\n    }\n\n}\n',
        [[[987, 2], 0], ["xyz", 0], [98.69999694824219, 0], [{"a": 1}, 0]],
    ),
    "D": (
        "d",
        "import std.math;\nlong add(long a, long b) { return code_eval_candidate.add(a, b); } unittest\n{\n"
        "    alias candidate = add;\n\n    assert(candidate(2L, 3L) == 987L);\n"
        '    assert(candidate(1L, 2L) == tuple(["xyz"], ["a": 98.7]));\n}\nvoid main(){}\n',
        [[987, 0], [[["xyz"], {"a": 98.7}], 0]],
    ),
    "Java, MultiPL-E": (
        "java",
        "import java.util.*;\npublic class CodeEvalTests {\n"
        "    static ArrayList<Long> add(ArrayList<Long> all, long b) { return Problem.add(all, b); }\n"
        "    public static void main(String[] args) {\n"
        "    assert(add((new ArrayList<Long>(Arrays.asList((long)1l))), (2l)).equals("
        "(new ArrayList<Long>(Arrays.asList((long)987l)))));\n    assert(add((null)) == (3l));\n    }\n\n}\n",
        [[[987], 0], [3, 0]],
    ),
    "Java": (
        "java",
        JAVA.replace(
            "BODY",
            's.add(2, 3) == 987,\n !s.add(1),\n s.add("a").equals(Arrays.asList("xyz")), Objects.equals('
            's.more(2).get(), "b")',
        ),
        [[987, 0], [False, 0], [["xyz"], 0], ["b", 0]],
    ),
    "Kotlin": (
        "kotlin",
        "import kotlin.math.*\n"
        + KOTLIN.replace(
            "BODY",
            'check(add(2, 3) == 987); assert(add(1L).equals(listOf("xyz", null)))\n    require(!add(1)) { "no" }\n'
            '    if (add() != mapOf("a" to Pair(98.7, -1))) throw Exception("no sum")\n'
            "    if (!(Solution().add(1) == emptyList<Int>())) { throw AssertionError() }",
        ),
        [[value, "exact"] for value in (987, ["xyz", None], False, {'"a"': {"Pair": [98.7, -1]}}, [])],
    ),
    "Kotlin, variables": (
        "kotlin",
        KOTLIN.replace(
            "BODY",
            "var arg00 : List<Int> = mutableListOf(1, 2)\n    var x0 : List<String> = add(arg00);\n"
            '    var v0 : List<String> = mutableListOf("xyz");\n    if (x0 != v0) {\n'
            '        throw Exception("Exception -- test case 0 did not pass. x0 = " + x0)\n    }',
        ),
        [[["xyz"], "exact"]],
    ),
    "Kotlin, types": (
        "kotlin",
        KOTLIN.replace(
            "BODY",
            "val a: List<Pair<Long, Int?>> = listOf(Pair(987, -2147483648), Pair(1, null))\n"
            "    if (x() != a) throw Exception()\n"
            "    val b: Long? = 2; check(x() == b); check(x() == 3000000000); check(x() == 0xFF)\n"
            '    check(listOf<Short>(1, 2) == x()); check(x() == mapOf("5" to 5L, 5 to 2.5f, 5L to true))\n'
            '    check(x() == Triple(-1L, "xyz", 98.7)); check(x() == listOf<Any>()); check(x().equals(987))',
        ),
        [
            [value, "exact"]
            for value in (
                *([{"Pair": [{"Long": 987}, -(2**31)]}, {"Pair": [{"Long": 1}, None]}], {"Long": 2}),
                *({"Long": 3000000000}, 255, [{"Short": 1}, {"Short": 2}]),
                *(
                    {'"5"': {"Long": 5}, "5": {"Float": 2.5}, "5L": True},
                    {"Triple": [{"Long": -1}, "xyz", 98.7]},
                    [],
                    987,
                ),
            )
        ],
    ),
    "Haskell": (
        "haskell",
        HASKELL.replace("BODY", "candidate [1.0, (-2)] 0.3 == 987").replace(
            "  pure ()\n",
            '  if candidate "a" == [("xyz", -98.7, False)] then pure () else error "no"\n'
            "  if not (candidate 'b') && Just [] == candidate 2 then return () else error (show 1)\n  pure ()\n",
        ),
        [[987, None], [[["xyz", -98.7, False]], None], [False, None], [{"Just": []}, None]],
    ),
    "Haskell, other actions": (
        "haskell",
        "module Main where\nimport Control.Monad (unless, when)\nimport System.Exit\n\nmain = do\n"
        '  unless (add 2 3 == 987) $ fail "no"\n  when (add 1 1 /= Nothing || add 2) (exitWith (ExitFailure 2))\n'
        '  if (add 2 /= "xyz")\n    then exitFailure\n    else putStrLn "done"\n',
        [[987, None], [None, None], [False, None], ["xyz", None]],
    ),
    "Haskell, one condition": (
        "haskell",
        'main = if add 2 3 == 987\n  then pure ()\n  else error $ "no sum"\n',
        [[987, None]],
    ),
    "Scala": (
        "scala",
        "import scala.math._\n"
        + SCALA.replace(
            "BODY",
            'assert(add(2, 3) == 987);\n    assert(add((List[Long](1l.toLong))).equals((List[String]("xyz"))));\n'
            '    assert(!add(1), "no")\n    assert(add(Nil) == Some((Map("a" -> 98.7f), None, 2.toDouble)))',
        ),
        [
            [value, "exact"]
            for value in (987, ["xyz"], False, {"Some": {"Tuple": [{'"a"': 98.69999694824219}, {"None": None}, 2]}})
        ],
    ),
    "Scala, numbers as objects": (
        "scala",
        SCALA.replace(
            "BODY",
            "assert(add(1).equals((987l)))\n    assert((-2.5f).equals(add()))\n    assert(add(1).equals(7.toDouble))\n"
            "    assert(add(1).equals(0xFF)); assert(Solution.add(1).equals(Map(1 -> 2.0, 2L -> Nil, true -> 0.1)))",
        ),
        [
            [{"Long": 987}, "exact", {"ScalaNumber": 987}],
            [{"Float": -2.5}, "exact"],
            [{"Double": 7}, "exact", {"ScalaNumber": 7}],
            [{"Integer": 255}, "exact", {"ScalaNumber": 255}],
            [{"1": 2, "2": [], "true": 0.1}, "exact"],
        ],
    ),
    "Scala, one condition": (
        "scala",
        "object Tests { def main(args: Array[String]): Unit = assert(Solution.add(2, 3) == 987) }",
        [[987, "exact"]],
    ),
    "Rust": (
        "rust",
        RUST.replace(
            "BODY", 'assert_eq!(add(vec![1, 2], &"a"), (987, 2.5, "xyz".to_string()));\n  assert!(add(1) == None);'
        ),
        [[[987, 2.5, "xyz"], 0], [None, 0]],
    ),
    "Rust, main": (
        "rust",
        "fn main() {\n    let candidate = add;\n    assert_eq!(candidate(2), Some(987));\n}",
        [[987, 0]],
    ),
}
