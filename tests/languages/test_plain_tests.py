"""Tests in compiled languages that compare results of calls with data. No candidate's process has what they expect."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandboxes import Limits, Outcome, Pool, SandboxUnavailable, open_sandbox
from sandboxes.languages.apart.go import shown
from sandboxes.languages.programs import build_program, reason_for_candidate
from sandboxes.languages.registry import LANGUAGES, required_paths
from support import plain_ada, plain_haskell
from support.requirements import WALL_SECONDS, unavailable

HEAD = "#undef NDEBUG\n#include<assert.h>\n"
SAME = (
    "bool issame(vector<KIND> a,vector<KIND>b){\n    if (a.size()!=b.size()) return false;\n"
    "    for (int i=0;i<a.size();i++)\n    {\n        if (COMPARED) return false;\n    }\n    return true;\n}\n"
)
NEAR = SAME.replace("KIND", "float").replace("COMPARED", "abs(a[i]-b[i])>1e-4")
GO = "func TestAdd(t *testing.T) {\n    assert := assert.New(t)\n    BODY\n}\n"
JAVA = "public class Main {\n    public static void main(String[] args) {\n        Solution s = new Solution();\n" + (
    "        List<Boolean> correct = Arrays.asList(\n            BODY\n        );\n"
    "        if (correct.contains(false)) {\n            throw new AssertionError();\n        }\n    }\n}\n"
)
SCALA = "object Tests {\n  import Solution.add\n  def main(args: Array[String]): Unit = {\n    BODY\n  }\n}\n"
KOTLIN = "fun main() {\n    BODY\n}\n"
BASH = 'candidate() {\n    add "$@"\n}\n\nset -e\nrun_test() {\n    BODY\n}\n\nrun_test'
HASKELL = 'main :: IO ()\nmain = do\n  let candidate = add\n  if BODY then pure () else error "no"\n  pure ()\n'
ADA = (
    "pragma Ada_2022;\nwith Placeholder; use Placeholder;\n\nprocedure Main is\n\n"
    "   function Candidate (A : Integer; B : Integer) return KIND renames Placeholder.Add;\n\nbegin\n"
    "   pragma Assert (BODY);\nend Main;\n"
)
FORTRAN = "program tests\n  use m, only: add\n  implicit none\n  integer :: a = 3\n  BODY\nend program tests\n"
RUST = "#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn test_add() {\n        BODY\n    }\n}\n"
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
        [[[987, 2], 0], ["xyz", 0], [98.7, 0], [{"a": 1}, 0]],
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
        [[987, 0], [["xyz", None], 0], [False, 0], [{"a": [98.7, -1]}, 0], [[], 0]],
    ),
    "Kotlin, variables": (
        "kotlin",
        KOTLIN.replace(
            "BODY",
            "var arg00 : List<Int> = mutableListOf(1, 2)\n    var x0 : List<String> = add(arg00);\n"
            '    var v0 : List<String> = mutableListOf("xyz");\n    if (x0 != v0) {\n'
            '        throw Exception("Exception -- test case 0 did not pass. x0 = " + x0)\n    }',
        ),
        [[["xyz"], 0]],
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
        [[987, 0], [["xyz"], 0], [False, 0], [[{"a": 98.7}, None, 2], 0]],
    ),
    "Scala, one condition": (
        "scala",
        "object Tests { def main(args: Array[String]): Unit = assert(Solution.add(2, 3) == 987) }",
        [[987, 0]],
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
OTHERS = {
    "a record in Ada": (
        "ada",
        ADA.replace("KIND", "Integer_Integer_Tuple").replace("BODY", "Candidate (1, 2) = (1, 2)"),
    ),
    "a table in Ada": (
        "ada",
        ADA.replace("KIND", "String_Integer_Dict.Map").replace("BODY", 'Candidate (1, 2) = ["a" => 2]'),
    ),
    "a list of a type without a known name in Ada": (
        "ada",
        ADA.replace("KIND", "Numbers").replace("BODY", "Candidate (1, 2) = [1]"),
    ),
    "a text of a type without a known name in Ada": (
        "ada",
        ADA.replace("KIND", "Name").replace("BODY", 'Candidate (1, 2) = "a"'),
    ),
    "a number of a type without a known name in Ada": (
        "ada",
        ADA.replace("KIND", "Real").replace("BODY", "Candidate (1, 2) = 1.5"),
    ),
    "two calls in Ada": ("ada", ADA.replace("KIND", "Integer").replace("BODY", "Candidate (1, 2) = Candidate (2, 1)")),
    "another function's comparison in Ada": (
        "ada",
        ADA.replace("KIND", "Boolean").replace("BODY", "Same (Candidate (1, 2), 3)"),
    ),
    "a comparison of another kind in Ada": (
        "ada",
        ADA.replace("KIND", "Integer").replace("BODY", "Candidate (1, 2) > 3"),
    ),
    "two conditions in Ada": (
        "ada",
        ADA.replace("KIND", "Integer").replace("BODY", "Candidate (1, 2) = 3 and then Candidate (1, 1) = 2"),
    ),
    "an image in Ada": (
        "ada",
        ADA.replace("KIND", "Integer").replace("BODY", 'Integer\'Image (Candidate (1, 2)) = " 3"'),
    ),
    "a based number in Ada": ("ada", ADA.replace("KIND", "Integer").replace("BODY", "Candidate (1, 2) = 16#3#")),
    "an integer with an exponent in Ada": (
        "ada",
        ADA.replace("KIND", "Integer").replace("BODY", "Candidate (1, 2) = 1E2"),
    ),
    "a large exponent in Ada": (
        "ada",
        ADA.replace("KIND", "Float").replace("BODY", "Candidate (1, 2) = 1.0e9999999999999999999"),
    ),
    "a loop in Ada": (
        "ada",
        ADA.replace("KIND", "Integer")
        .replace("BODY", "Candidate (1, 2) = 3")
        .replace("begin", "begin\n   for A in 1 .. 2 loop null; end loop;"),
    ),
    "a function of the tests in Ada": (
        "ada",
        ADA.replace("KIND", "Integer")
        .replace("BODY", "Candidate (1, 2) = 3")
        .replace("begin", "   function More return Integer is (1);\nbegin"),
    ),
    "a policy in Ada": (
        "ada",
        ADA.replace("KIND", "Integer")
        .replace("BODY", "Candidate (1, 2) = 3")
        .replace("Ada_2022", "Assertion_Policy (Ignore)"),
    ),
    "a handler in Ada": (
        "ada",
        ADA.replace("KIND", "Integer")
        .replace("BODY", "Candidate (1, 2) = 3")
        .replace("end Main", "exception\n   when others => null;\nend Main"),
    ),
    "a variable that printing counts in Fortran": (
        "fortran",
        FORTRAN.replace("BODY", "print *, (a, a=1,3)\n  if (add(1) /= 3) error stop"),
    ),
    "a variable that printing sets in Fortran": (
        "fortran",
        FORTRAN.replace("BODY", "write(*,*,iostat=a) 'x'\n  if (add(1) /= 3) error stop"),
    ),
    "a loop in Fortran": ("fortran", FORTRAN.replace("BODY", "do a = 1, 3\n  if (add(a) /= 3) error stop\n  end do")),
    "a variable in Fortran": ("fortran", FORTRAN.replace("BODY", "if (add(1) /= a) error stop")),
    "data that nothing uses in Fortran": ("fortran", FORTRAN.replace("BODY", "if (add(1) /= 3) error stop")),
    "a result that is changed in Fortran": ("fortran", FORTRAN.replace("BODY", "a = add(1) - 3\n  if (a /= 0) stop 1")),
    "another function's comparison in Fortran": (
        "fortran",
        FORTRAN.replace("BODY", "if (.not. same(add(a), 3)) error stop"),
    ),
    "a comparison that a variable holds in Fortran": (
        "fortran",
        FORTRAN.replace("BODY", "a = same(add(a), 3)\n  if (a /= 1) error stop"),
    ),
    "an equivalence of several conditions in Fortran": (
        "fortran",
        FORTRAN.replace("BODY", "if (even(a) .neqv. .true. .or. even(2) .neqv. .false.) error stop"),
    ),
    "one of two conditions in Fortran": (
        "fortran",
        FORTRAN.replace("BODY", "if (add(a) /= 2 .and. add(a) /= 3) error stop"),
    ),
    "a result that is only different in Fortran": ("fortran", FORTRAN.replace("BODY", "if (add(a) == 2) error stop")),
    "a stop that is no failure in Fortran": ("fortran", FORTRAN.replace("BODY", "if (add(a) /= 2) stop 'no sum'")),
    "a status of 0 in Fortran": ("fortran", FORTRAN.replace("BODY", "if (add(a) /= 2) call exit(0)")),
    "a branch that decides nothing in Fortran": ("fortran", FORTRAN.replace("BODY", "if (add(a) /= 2) print *, 'no'")),
    "a list that a type decides about in Fortran": (
        "fortran",
        FORTRAN.replace("BODY", "if (any(add(a) /= [102334155])) error stop"),
    ),
    "a kind of the candidate's in Fortran": ("fortran", FORTRAN.replace("BODY", "if (add(a) /= 1.5_wp) error stop")),
    "a call in what is printed in Fortran": (
        "fortran",
        FORTRAN.replace("BODY", "print *, add(a)\n  if (add(a) /= 2) error stop"),
    ),
    "procedures of tests in Fortran": (
        "fortran",
        FORTRAN.replace("BODY", "if (add(a) /= 2) error stop\ncontains\n  subroutine s\n  end subroutine"),
    ),
    "a text that goes on in Fortran": ("fortran", FORTRAN.replace("BODY", "if (add(a) /= 'b&\n  &c') error stop")),
    "a loop in C": ("c", "int main() { for (int i = 0; i < 3; i++) assert(add(i) == 3); }"),
    "a variable in C": ("c", "int main() { int a = 3; assert(add(1) == a); }"),
    "a comparison of memory in C": ("c", "int main() { int a[] = {1, 2}; assert(memcmp(add(1), a, sizeof a) == 0); }"),
    "a pointer to a text in C": ("c", 'int main() { assert(add(1) == "a"); }'),
    "a result that is changed in C": ("c", "int main() { int a = add(1) - 5; assert(a == 0); }"),
    "a result that is changed later in C": ("c", "int main() { int a = add(1); a = a - 5; assert(a == 0); }"),
    "a comparison as data in C": ("c", "int main() { int a = add(1) == 5; assert(a); }"),
    "another function's comparison in C": ("c", "int main() { assert(same(add(1), 3)); }"),
    "another function's comparison of a variable in C": (
        "c",
        "int main() { int a = add(1); assert(same(a, 3) == 1); }",
    ),
    "a comparison that a variable holds in C": ("c", "int main() { int is = same(add(1), 3); assert(is); }"),
    "a comparison that is given a variable in C": (
        "c",
        "int main() { int is, a; a = add(1); same(a, 3, &is); assert(is == 1); }",
    ),
    "one of two conditions in C": ("c", "int main() { assert(add(1) == 2 || add(2) == 3); }"),
    "a result that is only different in C": ("c", "int main() { assert(add(1) != 2); }"),
    "a status of 0 in C": ("c", "int main() { if (add(1) != 2) return 0; }"),
    "a branch that decides nothing in C": ("c", 'int main() { if (add(1) != 2) printf("no"); return 0; }'),
    "failures that do not decide in C": ("c", "int main() { int n = 0; if (add(1) != 2) n++; return 0; }"),
    "failures of another variable in C": (
        "c",
        "int n = 0;\nint main() { { int n = 0; if (add(1) != 2) n++; } if (add(2) != 3) n++; return n; }",
    ),
    "failures that start elsewhere in C": ("c", "int main() { int n = -1; if (add(1) != 2) n++; return n; }"),
    "an octal number in C": ("c", "int main() { assert(add(1) == 010); }"),
    "bytes in C": ("c", 'int main() { assert(strcmp(add(1), "\\xff") == 0); }'),
    "a trigraph in C": ("c", 'int main() { assert(strcmp(add(1), "??!") == 0); }'),
    "a long double in C": ("c", "int main() { assert(add(1) == 0.1L); }"),
    "a number too large in C": ("c", "int main() { assert(add(1) == 65536 * 65536); }"),
    "a difference of an integer in C": ("c", "int main() { assert(abs(add(1) - 3) < 1e-4); }"),
    "a difference that may be rounded in C": ("c", "int main() { assert(fabs(add(1) - 0.1f) < 0.5); }"),
    "a macro in C": ("c", "#define CHECK(x) assert(x)\nint main() { CHECK(add(1) == 2); }"),
    "a name for what is given and expected in C": ("c", "#define N 5\nint main() { assert(add(N) == N); }"),
    "a call in what is printed in C": ("c", 'int main() { printf("%d", add(1)); assert(add(1) == 2); }'),
    "a function behind main in C": ("c", "int main() { assert(add(1) == 2); }\nint more() { return 1; }"),
    "a function with parameters in C": (
        "c",
        "void check(int a) { assert(add(1) == 2); }\nint main() { check(1); }",
    ),
    "assertions that are off in C": ("c", "#define NDEBUG\n#include <assert.h>\nint main() { assert(add(1) == 2); }"),
    "a sum that a name in C stands for": (
        "c",
        "#define TEN 5 + 5\nint main() { assert(add(1) == TEN * 2); }",
    ),
    "a sum of names in C": ("c", "#define X (5) + (2)\nint main() { assert(add(1) == -X); }"),
    "a cast that a name in C stands for": ("c", "#define X (int)7.5\nint main() { assert(add(1) == X); }"),
    "a name in C for what has a meaning before": (
        "c",
        "static const int E = 3;\nvoid test() { assert(add(3) == E); }\n#define E 4\nint main() { test(); }",
    ),
    "a name in C that is defined twice": (
        "c",
        "#define E 3\n#define E 4\nint main() { assert(add(1) == E); }",
    ),
    "a name in C that is taken back": (
        "c",
        "#define E 3\n#undef E\nenum { E = 4 };\nint main() { assert(add(1) == E); }",
    ),
    "a name of the C library's for a number": ("c", "#define INT_MAX 5\nint main() { assert(add(1) == INT_MAX); }"),
    "assertions that a number turns off in C": (
        "c",
        "#define NDEBUG 1\n#include <assert.h>\nint main() { assert(add(1) == 2); }",
    ),
    "a name in a comment in C": (
        "c",
        "/*\n#define E 5\n*/\nstatic const int E = 6;\nint main() { assert(add(1) == E); }",
    ),
    "a file of the tests in C": (
        "c",
        'int main() { FILE *file = fopen("a", "w+"); fprintf(file, "2 3"); assert(sum(file) == 5); }',
    ),
    "a text for a file in C": (
        "c",
        'int main() { FILE *file = fopen("a", "w+"); fputs("2 3", file); assert(sum(file) == 5); }',
    ),
    "output to a file in C": (
        "c",
        'int main() { freopen("a", "w", stdout); show(5); fflush(stdout); assert(size("a") == 2); }',
    ),
    "a stream that a function is given in C": ("c", "int main() { show(stdout); assert(add(1) == 2); }"),
    "a length that printing writes in C": (
        "c",
        'int main() { int n = 0; int *p = all(1); printf("abc%-5d%ln", 1, p); assert(add(n) == 2); }',
    ),
    "an address in what is printed in C": (
        "c",
        'int main() { int n; printf("%p", &n); assert(add(1) == 2); }',
    ),
    "a format that is a variable in C": ("c", "int main() { printf(format, 1); assert(add(1) == 2); }"),
    **{
        f"printing that changes a variable in C, {change}": (
            "c",
            f'int main() {{ int x = 1; printf("%d", {change}); assert(add(x) == 2); }}',
        )
        for change in ("x <<= 1", "x >>= 1", "x += 1", "x = 2", "x++", "--x", "x-->0")
    },
    "printing that changes a variable where a result is right in C": (
        "c",
        'int main() { int x = 1; if (add(1) == 2) printf("%d", x++); else abort(); assert(add(x) == 3); }',
    ),
    "a file of the tests where a result is right in C": (
        "c",
        'int main() { if (add(1) == 2) fprintf(file, "1"); else abort(); assert(sum(file) == 3); }',
    ),
    **{
        f"a declaration that changes a variable in C, {declared}": (
            "c",
            f"int main() {{ int x = 3; {declared}; assert(add(x) == 4); }}",
        )
        for declared in (
            "int old = x++",
            "int old = x = 7",
            "int old = x <<= 1",
            "char pad[x++]",
            "int all[2] = {x++, 1}",
        )
    },
    "an assignment in a list in C": ("c", "int main() { int x; int all[] = {1, x = 2}; assert(add(x) == 4); }"),
    **{
        f"a function of the tests that runs otherwise in C, {call}": (
            "c",
            f"void test() {{ assert(add(1) == 2); }}\nint main() {{ {call}; assert(add(3) == 4); }}",
        )
        for call in ("each(test)", "(void)test()", "(*test)()", "void (*run)(void) = test")
    },
    "a function of the tests that calls itself in C": (
        "c",
        "void test() { assert(add(1) == 2); if_less(test); }\nint main() { test(); }",
    ),
    "a function of the tests that runs before it is known in C": (
        "c",
        "void test();\nvoid first() { test(); }\nvoid test() { assert(add(1) == 2); }\nint main() { first(); test(); }",
    ),
    "failures that a function changes in C": (
        "c",
        "int failures;\nint main() { if (add(1) != 2) failures++; reset(&failures); return failures; }",
    ),
    "failures that printing changes in C": (
        "c",
        'int main() { int n = 0; if (add(1) != 2) { n++; printf("%d", n = 0); } return n; }',
    ),
    "failures that are a name for more in C": (
        "c",
        "int main() { int n = 0; if (add(1) != 2) n++; more(n); return n; }",
    ),
    "a loop": ("cpp", "int main(){ for (int i=0;i<3;i++) assert (add(i) == 3); }"),
    "a variable": ("cpp", "int main(){ int a=3; assert (add(1) == a); }"),
    "two calls": ("cpp", "int main(){ assert (add(1) == add(2)); }"),
    "no call": ("cpp", "int main(){ assert (1 == 1); }"),
    "another comparison": (
        "cpp",
        SAME.replace("KIND", "int").replace("COMPARED", "a[i]>b[i]") + "int main(){assert(add(1)==2);}",
    ),
    "a condition more": ("cpp", "int main(){ assert (add(1) == 2 && add(2) == 3); }"),
    "a status": ("cpp", "int main(){ assert (add(1) == 2); return 1; }"),
    "a cast of a call": ("cpp", "int main(){ assert ((int)add(1) == 2); }"),
    "a cast that changes": ("cpp", "int main(){ assert (add(1) == (int)2.5); }"),
    "a number more in a difference": ("cpp", "int main(){ assert (abs(add(1) - 3 + 1) < 1e-4); }"),
    "a difference that nothing has": ("cpp", "int main(){ assert (abs(add(1) - 3) < 0); }"),
    "another function's comparison": ("cpp", "int main(){ assert (same(add(1), 3)); }"),
    "another function's comparison of a variable": (
        "cpp",
        "int main(){ auto a = add(1); assert (same(a, 3)); }",
    ),
    "another function's comparison of a variable with true": (
        "rust",
        "fn main() { let a = add(1); assert_eq!(near(a, 3.0), true); }",
    ),
    "another function's comparison with true": ("rust", "fn main() { assert_eq!(near(add(1), 3.0), true); }"),
    "an octal escape": ("cpp", 'int main(){ assert (add(1) == "\\012"); }'),
    "no character": ("cpp", 'int main(){ assert (add(1) == "\\UFFFFFFFF"); }'),
    "a large product": ("cpp", "int main(){ assert (add(1) == 65536 * 65536); }"),
    "a text in brackets that is the same object": ("java", JAVA.replace("BODY", 's.add(2) == ("a")')),
    "a text that is the same object as the result": ("java", JAVA.replace("BODY", '"a" == s.add(2)')),
    "a list that is the same object": (
        "csharp",
        "class CodeEvalTests {\n    static A Add(int a) { return code_eval_candidate::Problem.Add(a); }\n"
        "    public static void Main(string[] args) {\n    Debug.Assert(Add(1) == (new List<long>()));\n    }\n}\n",
    ),
    "a text of a number": ("go", GO.replace("BODY", "assert.Equal(string(65), add(2))")),
    "a number of another type": ("rust", "fn main() { assert_eq!(add(1), 2.5 as i32); }"),
    "a function more": ("cpp", "int main(){ assert (add(1) == 2); }\nint more() { return 1; }"),
    "an octal number": ("cpp", "int main(){ assert (add(1) == 010); }"),
    "no method of testify's": ("go", GO.replace("BODY", "if add(2, 3) != 5 { t.Fatal() }")),
    "an error in Go": ("go", GO.replace("BODY", "assert.NoError(add(2))")),
    "texts that are the same object": ("java", JAVA.replace("BODY", 's.add(2) == "a"')),
    "a variable of the class": (
        "java",
        JAVA.replace("Main {", "Main { static int x;").replace("BODY", "s.add(2) == 5"),
    ),
    "two tests": ("rust", RUST.replace("BODY", "assert_eq!(add(1), 2); } #[test] fn more() { assert_eq!(add(2), 3);")),
    "a macro": ("rust", "fn main() { assert_ne!(add(1), 2); }"),
    "a function whose last condition decides in Bash": (
        "bash",
        BASH.replace("set -e\n", "").replace("BODY", "[[ $(candidate) = 1 ]]\n    [[ $(candidate) = 2 ]]"),
    ),
    "conditions that do not decide in Bash": ("bash", '[ "$(add 1)" = 2 ]\n[ "$(add 2)" = 3 ]\n'),
    "a function that is not called in Bash": (
        "bash",
        BASH.replace("BODY", "[[ $(candidate) = 1 ]]").removesuffix("run_test"),
    ),
    "words that are split in Bash": ("bash", "[ $(add 1) = 2 ]"),
    "a pattern in Bash": ("bash", "[[ $(add 1) = 2* ]]"),
    "an expansion in Bash": ("bash", '[[ $(add 1) = "$HOME" ]]'),
    "an argument with an expansion in Bash": ("bash", '[[ $(add "$HOME") = 2 ]]'),
    "two commands in Bash": ("bash", "[[ $(add 1; add 2) = 2 ]]"),
    "a text beside a call in Bash": ("bash", '[[ "$(add 1)x" = 2 ]]'),
    "a number in Bash": ("bash", '[ "$(add 1)" -eq 2 ]'),
    "a status of 0 in Bash": ("bash", '[ "$(add 1)" = 2 ] || exit 0'),
    "a loop in Kotlin": ("kotlin", KOTLIN.replace("BODY", "for (a in 1..2) check(add(a) == 2)")),
    "an expression in a text in Kotlin": ("kotlin", KOTLIN.replace("BODY", 'check(add(1) == "$x")')),
    "a character in Kotlin": ("kotlin", KOTLIN.replace("BODY", "check(add(1) == 'a')")),
    "a delegate in Kotlin": ("kotlin", KOTLIN.replace("BODY", "val a by lazy { 1 }\n    check(add(a) == 2)")),
    "another exception's end in Kotlin": ("kotlin", KOTLIN.replace("BODY", "if (add(1) != 2) return")),
    "an array in Kotlin": ("kotlin", KOTLIN.replace("BODY", "check(add(1) == intArrayOf(2))")),
    "a loop in Scala": ("scala", SCALA.replace("BODY", "for (a <- 1 to 2) assert(add(a) == 2)")),
    "a character in Scala": ("scala", SCALA.replace("BODY", "assert(add(1) == 'a')")),
    "a number that is cut off in Scala": ("scala", SCALA.replace("BODY", "assert(add(1) == 2.5.toInt)")),
    "a set in Scala": ("scala", SCALA.replace("BODY", "assert(add(1) == Set(2))")),
    "a text without escapes in Scala": ("scala", SCALA.replace("BODY", 'assert(add(1) == """a\\b""")')),
    "a comparison of the Prelude's in Haskell": ("haskell", HASKELL.replace("BODY", "elem (candidate 1) [2]")),
    "two calls in Haskell": ("haskell", HASKELL.replace("BODY", "candidate 1 == candidate 2")),
    "another function's comparison in Haskell": ("haskell", HASKELL.replace("BODY", "near (candidate 1) 2.5")),
    "arithmetic in Haskell": ("haskell", HASKELL.replace("BODY", "candidate 1 + 1 == 2")),
    "a function between arguments in Haskell": ("haskell", HASKELL.replace("BODY", "1 `candidate` 2 == 3")),
    "a difference in Haskell": ("haskell", HASKELL.replace("BODY", "abs (candidate 1 - 0.5) < 1e-6")),
    "a list of two types in Haskell": ("haskell", HASKELL.replace("BODY", "candidate 1 == [1, 'a']")),
    "a rounded number in Haskell": ("haskell", HASKELL.replace("BODY", "candidate 1 == 0.10000000000000000001")),
    "a number between two of type Float in Haskell": (
        "haskell",
        HASKELL.replace("BODY", "candidate 1 == 0.5000000298023224"),
    ),
    "half of a character in Haskell": ("haskell", HASKELL.replace("BODY", 'candidate 1 == "\\xD800"')),
    "dashes of an operator in Haskell": ("haskell", HASKELL.replace("BODY", "candidate 1 ==--\n    2")),
    "a block in an argument in Haskell": ("haskell", HASKELL.replace("BODY", "candidate (let a = 1 in a) == 2")),
    "an extension in Haskell": (
        "haskell",
        "{-# LANGUAGE OverloadedStrings #-}\n" + HASKELL.replace("BODY", "add 1 == 2"),
    ),
    "a tab in Haskell": ("haskell", HASKELL.replace("BODY", "add 1 ==\t2")),
    "another Prelude in Haskell": ("haskell", "import Prelude hiding (not)\n" + HASKELL.replace("BODY", "not (add 1)")),
    "a function more in Haskell": ("haskell", HASKELL.replace("BODY", "add 1 == 2") + "more = 1\n"),
    "a line of another block in Haskell": ("haskell", HASKELL.replace("BODY then", "add 1 == 2\n then")),
    "a statement that goes on in Haskell": (
        "haskell",
        HASKELL.replace("BODY", "add 1 == 2").replace("  pure", "   pure"),
    ),
    "an exit that may be the candidate's in Haskell": (
        "haskell",
        "main = if add 1 == 2 then pure () else exitFailure\n",
    ),
    "a status of 0 in Haskell": (
        "haskell",
        "import System.Exit\nmain = if add 1 == 2 then pure () else exitWith ExitSuccess\n",
    ),
    "a failure in both cases in Haskell": ("haskell", 'main = if add 1 == 2 then error "a" else error "b"\n'),
    "a name for a failure in Haskell": (
        "haskell",
        HASKELL.replace("BODY", "add 1 == 2").replace("candidate = add", "candidate = error"),
    ),
    "a loop in Haskell": (
        "haskell",
        'main = mapM_ (\\a -> if add a == 2 then pure () else error "no") [1, 2]\n',
    ),
}
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


@pytest.mark.parametrize("name", PLAIN)
def test_results_are_read(name):
    """What calls return is read, and the tests that are compiled do not hold it."""
    language, tests, expected = PLAIN[name]
    plain = LANGUAGES[language].plain_tests(tests)
    assert plain is not None
    assert json.loads(plain.expected) == expected
    assert not any(text in plain.tests for text in ("987", "98.7", "xyz"))
    assert reason_for_candidate(language, tests) == ""


@pytest.mark.parametrize("name", OTHERS)
def test_other_tests_are_not_plain(name):
    """Tests that do anything else are run with the candidate."""
    language, tests = OTHERS[name]
    assert LANGUAGES[language].plain_tests(tests) is None
    assert reason_for_candidate(language, tests) == f"the tests are in {language}"


@given(
    st.sampled_from(["ada", "bash", "c", "cpp", "fortran", "go", "haskell", "java", "kotlin", "rust", "scala"]),
    st.text(alphabet="ad(2)=,;\"'{}[]<>.: !-+*1e\n$"),
)
def test_any_text_can_be_read(language, text):
    """No text is an error."""
    body = {
        **dict.fromkeys(("c", "cpp"), f"int main() {{ {text} }}"),
        "go": GO.replace("BODY", text),
        "java": JAVA.replace("BODY", text),
    }
    forms = {"ada": ADA, "bash": BASH, "fortran": FORTRAN, "haskell": HASKELL, "kotlin": KOTLIN, "scala": SCALA}
    body |= {name: form.replace("BODY", text) for name, form in forms.items()}
    LANGUAGES[language].plain_tests(body.get(language, RUST.replace("BODY", text)))


def test_the_program_has_no_expected_result():
    """The files of a candidate do not hold what its calls should return, and the plan does."""
    language, tests, _ = PLAIN["C++"]
    program = build_program(language, "int add(int a, int b) { return 1; }", tests, Limits())
    assert ("987" in program.candidate, "987" in program.tests) == (False, True)
    program = build_program(language, "int add(int a, int b) { return 1; }", tests, Limits(), grading="shared")
    assert "987" in program.candidate


def test_first_comments_stay():
    """Comments that choose options of the compiler are the first lines of the tests that are compiled."""
    option = '// { dg-options "-std=c++11" }\n'
    plain = LANGUAGES["cpp"].plain_tests(option + PLAIN["C++"][1])
    assert plain and plain.tests.startswith(option)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1.0, "1"),
        (-2.5, "-2.5"),
        (1e21, "1e+21"),
        (1e20, "100000000000000000000"),
        (0.0001, "0.0001"),
        (1e-5, "1e-05"),
        (1.5e300, "1.5e+300"),
        ([1, "a b", [True, None]], "[1 a b [true <nil>]]"),
        ({"b": 1, "a": [2.0]}, "map[a:[2] b:1]"),
    ],
)
def test_data_as_go_writes_it(value, text):
    """The text of data is that of Go's "%v"."""
    assert shown(value) == text


@pytest.fixture(scope="module")
def pool():
    """Return a pool for programs in these languages."""
    try:
        languages = {*CANDIDATES, *(language for language, *_ in HONEST.values())}
        opened = Pool(open_sandbox("subprocess", read_only_paths=required_paths(languages)))
    except SandboxUnavailable as error:
        unavailable(str(error))
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def verdicts(pool):
    """Return {(language, body): verdict} of all lies and of honest candidates."""
    bodies = [*LIES.values(), *RIGHT.items()]
    programs = []
    for language, body in bodies:
        candidate, tests = CANDIDATES[language]
        code = candidate.replace("BODY", body).replace("IMPORT", 'import "os"\n' if "os." in body else "")
        programs.append(build_program(language, code, tests, Limits(wall_seconds=WALL_SECONDS)))
    return dict(zip(bodies, pool.run_all(programs, 1), strict=True))


@pytest.mark.slow
@pytest.mark.languages
@pytest.mark.parametrize("lie", LIES)
def test_a_lie_does_not_pass(verdicts, lie):
    """A candidate whose results are wrong, or that leaves with results of its own, has not passed."""
    verdict = verdicts[LIES[lie]]
    assert (verdict.passed, verdict.attempts) == (False, 1), verdict


@pytest.mark.slow
@pytest.mark.languages
@pytest.mark.parametrize("language", CANDIDATES)
def test_a_right_candidate_passes(verdicts, language):
    """A right candidate passes. A framework's test has a result under its name."""
    verdict = verdicts[language, RIGHT[language]]
    assert verdict.passed, (verdict.detail, verdict.stderr)
    name = {"go": "TestAdd", "rust": "test_add"}.get(language, "")
    assert (verdict.grading, [test.name for test in verdict.tests]) == ("separate", [name])


@pytest.mark.slow
@pytest.mark.languages
@pytest.mark.parametrize("name", HONEST)
def test_results_of_each_kind(pool, name):
    """Honest candidates pass, whatever their results are, and whatever they write."""
    language, candidate, tests = HONEST[name]
    [verdict] = pool.run_all([build_program(language, candidate, tests, Limits(wall_seconds=WALL_SECONDS))], 1)
    assert (verdict.passed, verdict.grading) == (True, "separate"), (verdict.detail, verdict.stderr)


@pytest.mark.slow
@pytest.mark.languages
@pytest.mark.parametrize("name", WRONG)
def test_results_that_differ(pool, name):
    """Results are equal where the language says so, and nowhere else."""
    language, candidate, tests = WRONG[name]
    [verdict] = pool.run_all([build_program(language, candidate, tests, Limits(wall_seconds=WALL_SECONDS))], 1)
    assert (verdict.outcome, verdict.grading) == (Outcome.FAILED, "separate"), verdict


@pytest.mark.slow
@pytest.mark.languages
@pytest.mark.parametrize("name", MISTYPED)
def test_types_are_checked(pool, name):
    """A candidate whose results have other types than the tests' data does not compile."""
    language, candidate, tests = MISTYPED[name]
    [verdict] = pool.run_all([build_program(language, candidate, tests, Limits(wall_seconds=WALL_SECONDS))], 1)
    assert (verdict.outcome, verdict.grading) == (Outcome.COMPILE_ERROR, "separate"), verdict


@pytest.mark.slow
@pytest.mark.languages
@pytest.mark.parametrize("language", CANDIDATES)
def test_the_message_names_the_call(verdicts, language):
    """The detail of a wrong candidate says which call returned what."""
    [lie] = [body for name, (each, body) in LIES.items() if each == language and name.startswith("times")]
    verdict = verdicts[language, lie]
    others = {"bash": '"5", but returned "6"', "go": '[5, "int"], but returned [6, "int"]'}
    shown = others.get(language, "5, but returned 6")
    assert verdict.outcome is Outcome.FAILED
    assert f"call 1 should return {shown}" in verdict.detail
