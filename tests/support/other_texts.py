"""Tests that do more than compare results of calls with data, as (language, text)."""

from support.plain_frames import ADA, BASH, FORTRAN, GO, HASKELL, JAVA, KOTLIN, RUST, SAME, SCALA

OTHERS = {
    "a number in C++ that a negative one is equal to": ("cpp", "int main() { assert(add(2, 3) == 4294967295u); }\n"),
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
    "a zero with a sign in Kotlin": ("kotlin", KOTLIN.replace("BODY", "check(add(1) == listOf(-0.0))")),
    "numbers whose class another one decides in Kotlin": (
        "kotlin",
        KOTLIN.replace("BODY", "check(add(1) == listOf(1, 2L))"),
    ),
    "a number that is an object in Kotlin": (
        "kotlin",
        KOTLIN.replace("BODY", "val a: Any = 0.0\n    check(add(1) == a)"),
    ),
    "a type that the tests do not name in Kotlin": (
        "kotlin",
        KOTLIN.replace("BODY", "val a: Number = 1\n    val b: Other = 2\n    check(add(1) == b)"),
    ),
    "a method of a result in Kotlin": ("kotlin", KOTLIN.replace("BODY", "check(add().contains(987))")),
    "a method of a variable in Kotlin": (
        "kotlin",
        KOTLIN.replace("BODY", "val a = add(1)\n    check(a.contains(987))"),
    ),
    "numbers without a sign in Kotlin": ("kotlin", KOTLIN.replace("BODY", "check(add(1) == 2u)")),
    "a number as a key in Kotlin": ("kotlin", KOTLIN.replace("BODY", "check(add(1) == mapOf(1e-5 to 2))")),
    "results of any class in C#": (
        "csharp",
        "class CodeEvalTests {\n    static object Add(long a) { return code_eval_candidate::Problem.Add(a); }\n"
        "    public static void Main(string[] args) {\n    Debug.Assert(Add(1).Equals(2));\n    }\n}\n",
    ),
    "a loop in Scala": ("scala", SCALA.replace("BODY", "for (a <- 1 to 2) assert(add(a) == 2)")),
    "a character in Scala": ("scala", SCALA.replace("BODY", "assert(add(1) == 'a')")),
    "a number that is cut off in Scala": ("scala", SCALA.replace("BODY", "assert(add(1) == 2.5.toInt)")),
    "a long number that is cut off in Scala": (
        "scala",
        SCALA.replace("BODY", "assert(add(1) == 3000000000l.toInt)"),
    ),
    "a zero with a sign in Scala": ("scala", SCALA.replace("BODY", "assert(add(1).equals(-0.0))")),
    "a sum that is an object in Scala": ("scala", SCALA.replace("BODY", "assert(add(1).equals(1 + 2L))")),
    "a key that is written in several ways in Scala": (
        "scala",
        SCALA.replace("BODY", "assert(add(1) == Map(1e-5 -> 2))"),
    ),
    "a method of a result in Scala": ("scala", SCALA.replace("BODY", "assert(add.contains(987))")),
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
