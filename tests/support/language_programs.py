"""Programs of each language for tests: `add`, its tests, and each way in which `add` can fail."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Sources:
    """A language's programs."""

    add: str
    """A right candidate."""

    wrong: str
    """A candidate that compiles, and returns another sum."""

    broken: str
    """A text that is not a program of the language."""

    failing: str
    """A candidate that fails when it is called, with the word "Overdrawn"."""

    hanging: str
    leaving: str
    """A candidate that ends the program with status 0 when it is called."""

    hungry: str
    """A candidate that uses memory without end when it is called."""

    tests: str
    doubling: str
    """A program that reads a number and prints its double."""

    hangs_as: tuple[str, ...] = ("timed_out",)
    fails_as: str = "failed"
    breaks_as: str = "compile_error"
    leaves_as: str = "exited"
    reads: str = "{}"
    """The input of `doubling`, with the number in place of the braces."""


def sources(template, tests, doubling, broken, *, right, wrong, failing, hanging, leaving, hungry, **more):
    """Return the programs of a language whose candidates are one template with different bodies."""
    bodies = {"add": right, "wrong": wrong, "failing": failing, "hanging": hanging}
    bodies |= {"leaving": leaving, "hungry": hungry}
    filled = {name: template.replace("BODY", body) for name, body in bodies.items()}
    return Sources(broken=broken, tests=tests, doubling=doubling, **filled, **more)


JAVA = sources(
    "import java.util.*;\nclass Solution {\n    static int add(int a, int b) {\n        BODY\n    }\n}\n",
    "public class Main {\n    public static void main(String[] args) {\n"
    '        if (Solution.add(2, 3) != 5) throw new AssertionError("no sum");\n    }\n}\n',
    "import java.util.*;\npublic class Main {\n    public static void main(String[] args) {\n"
    "        System.out.println(new Scanner(System.in).nextInt() * 2);\n    }\n}\n",
    "class Solution { int add(int a, int b) { return a + ; } }",
    right="return a + b;",
    wrong="return a * b;",
    failing='throw new IllegalStateException("Overdrawn");',
    hanging="while (true) {}",
    leaving="System.exit(0); return 5;",
    hungry="List<int[]> all = new ArrayList<>(); while (true) all.add(new int[1 << 20]);",
)
GO = sources(
    'package main\n\nimport "os"\n\nvar _ = os.Args\n\nfunc add(a, b int) int {\n\tBODY\n}\n',
    'package main\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n'
    '\tif add(2, 3) != 5 {\n\t\tt.Fatal("no sum")\n\t}\n}\n',
    'package main\n\nimport "fmt"\n\nfunc main() {\n\tvar n int\n\tfmt.Scan(&n)\n\tfmt.Println(n * 2)\n}\n',
    "package main\n\nfunc add(a, b int) int { return a + }\n",
    right="return a + b",
    wrong="return a * b",
    failing='panic("Overdrawn")',
    hanging="for {\n\t}",
    leaving="os.Exit(0)\n\treturn 5",
    hungry="all := [][]int{}\n\tfor {\n\t\tall = append(all, make([]int, 1<<20))\n\t\t"
    "for i := range all[len(all)-1] {\n\t\t\tall[len(all)-1][i] = 1\n\t\t}\n\t}",
)
JAVASCRIPT = sources(
    "function add(a, b) {\n  BODY\n}\n",
    'if (add(2, 3) !== 5) throw new Error("no sum");\n',
    'console.log(2 * Number(require("fs").readFileSync(0, "utf8")));\n',
    "function add(a, b { return a + b }",
    right="return a + b;",
    wrong="return a * b;",
    failing='throw new RangeError("Overdrawn");',
    hanging="while (true) {}",
    leaving="process.exit(0);",
    hungry="const all = []; while (true) all.push(Buffer.alloc(1 << 22, 1));",
    breaks_as="failed",
)
TYPESCRIPT = dataclasses.replace(
    JAVASCRIPT,
    add="function add(a: number, b: number): number {\n  return a + b;\n}\n",
    wrong="function add(a: number, b: number): number {\n  return a * b;\n}\n",
    doubling='import * as fs from "fs";\nconst n: number = Number(fs.readFileSync(0, "utf8"));\nconsole.log(2 * n);\n',
    breaks_as="compile_error",
)
CPP = sources(
    "#include <cstdlib>\n#include <stdexcept>\n#include <vector>\nint add(int a, int b) {\n    BODY\n}\n",
    "#include <cassert>\nint main() {\n    assert(add(2, 3) == 5);\n    return 0;\n}\n",
    "#include <iostream>\nint main() {\n    int n;\n    std::cin >> n;\n    std::cout << n * 2 << std::endl;\n}\n",
    "int add(int a, int b) { return a + ; }",
    right="return a + b;",
    wrong="return a * b;",
    failing='throw std::runtime_error("Overdrawn");',
    hanging="volatile int n = 1; while (n) {} return 5;",
    leaving="std::exit(0);",
    hungry="std::vector<char *> all; while (true) { all.push_back((char *)calloc(1, 1 << 22)); "
    "for (int i = 0; i < 1 << 22; i += 4096) all.back()[i] = 1; }",
    fails_as="crashed",
)
C = sources(
    "#include <stdio.h>\n#include <stdlib.h>\nint add(int a, int b) {\n    BODY\n}\n",
    "#include <assert.h>\nint main(void) {\n    assert(add(2, 3) == 5);\n    return 0;\n}\n",
    '#include <stdio.h>\nint main(void) {\n    int n;\n    scanf("%d", &n);\n'
    '    printf("%d\\n", n * 2);\n    return 0;\n}\n',
    "int add(int a, int b) { return a + ; }",
    right="return a + b;",
    wrong="return a * b;",
    failing='fprintf(stderr, "Overdrawn\\n"); abort();',
    hanging="volatile int n = 1; while (n) {} return 5;",
    leaving="exit(0);",
    hungry="while (1) { volatile char *each = malloc(1 << 22); for (int i = 0; i < 1 << 22; i += 4096) each[i] = 1; }",
    fails_as="crashed",
)
RUST = sources(
    "fn add(a: i32, b: i32) -> i32 {\n    BODY\n}\n",
    "fn main() {\n    assert_eq!(add(2, 3), 5);\n}\n",
    "use std::io::Read;\nfn main() {\n    let mut text = String::new();\n"
    "    std::io::stdin().read_to_string(&mut text).unwrap();\n"
    '    println!("{}", 2 * text.trim().parse::<i32>().unwrap());\n}\n',
    "fn add(a: i32, b: i32) -> i32 { a + }",
    right="a + b",
    wrong="a * b",
    failing='panic!("Overdrawn {} {}", a, b)',
    hanging="let _ = (a, b); loop {}",
    leaving="let _ = (a, b); std::process::exit(0)",
    hungry="let _ = (a, b); let mut all = Vec::new(); loop { all.push(vec![1u8; 1 << 22]); }",
)
BASH = sources(
    "add() {\n  BODY\n}\n",
    'add 2 3 >/dev/null\n[ "$(add 2 3)" = 5 ] || { echo "no sum" >&2; exit 1; }\n',
    "read n\necho $((n * 2))\n",
    "add() { echo 1; } }",
    right="echo $(($1 + $2))",
    wrong="echo $(($1 * $2))",
    failing="echo Overdrawn >&2; exit 3",
    hanging="while :; do :; done",
    leaving="echo 5; exit 0",
    hungry="x=x; while :; do x=$x$x; done",
    breaks_as="failed",
)
RUBY = sources(
    "def add(a, b)\n  BODY\nend\n",
    'raise "no sum" unless add(2, 3) == 5\n',
    "puts gets.to_i * 2\n",
    "def add(a, b\n",
    right="a + b",
    wrong="a * b",
    failing='raise ArgumentError, "Overdrawn"',
    hanging="loop {}",
    leaving="exit 0",
    hungry="all = []; loop { all << 'x' * (1 << 22) }",
    breaks_as="failed",
)
PHP = sources(
    "<?php\nfunction add($a, $b) {\n    BODY\n}\n",
    'if (add(2, 3) !== 5) { throw new Exception("no sum"); }\n',
    "<?php\necho 2 * (int) fgets(STDIN), PHP_EOL;\n",
    "<?php\nfunction add($a, { }",
    right="return $a + $b;",
    wrong="return $a * $b;",
    failing='throw new LogicException("Overdrawn");',
    hanging="while (true) {}",
    leaving="exit(0);",
    hungry="$all = []; while (true) { $all[] = str_repeat('x', 1 << 22); }",
    breaks_as="failed",
)
LUA = sources(
    "function add(a, b)\n  BODY\nend\n",
    "assert(add(2, 3) == 5, 'no sum')\n",
    "print(2 * io.read('n'))\n",
    "function add(a, b",
    right="return a + b",
    wrong="return a * b",
    failing="error('Overdrawn')",
    hanging="while true do end",
    leaving="os.exit(0)",
    hungry="local all = {} while true do all[#all + 1] = string.rep('x', 1 << 22) .. #all end",
    breaks_as="failed",
)
PERL = sources(
    "sub add {\n    my ($a, $b) = @_;\n    BODY\n}\n",
    'die "no sum" unless add(2, 3) == 5;\n',
    'print 2 * <STDIN>, "\\n";\n',
    "sub add { my ($a, $b = @_; }",
    right="return $a + $b;",
    wrong="return $a * $b;",
    failing='die "Overdrawn";',
    hanging="1 while 1;",
    leaving="exit 0;",
    hungry="my @all; while (1) { push @all, 'x' x (1 << 22) . @all }",
    breaks_as="failed",
)
R = sources(
    "add <- function(a, b) {\n  BODY\n}\n",
    'if (add(2, 3) != 5) stop("no sum")\n',
    'cat(2 * as.integer(readLines(file("stdin"), n = 1)), "\\n")\n',
    "add <- function(a, b {",
    right="a + b",
    wrong="a * b",
    failing='stop("Overdrawn")',
    hanging="while (TRUE) {}",
    leaving="quit('no', 0)",
    hungry="all <- list(); while (TRUE) all[[length(all) + 1]] <- runif(1e6)",
    breaks_as="failed",
)
OCTAVE = sources(
    "function res = add(a, b)\n  BODY\nend\n",
    "assert(isequal(add(2, 3), 5), 'no sum');\n",
    "printf('%d\\n', 2 * input(''));\n",
    "function res = add(a, b\n",
    right="res = a + b;",
    wrong="res = a * b;",
    failing='error("Overdrawn");',
    hanging="while true, end",
    leaving="exit(0);",
    hungry="all = {}; while true, all{end + 1} = rand(1e6, 1); end",
    breaks_as="failed",
)
RACKET = sources(
    "#lang racket\n(define (add a b)\n  BODY)\n",
    '(unless (= (add 2 3) 5) (error "no sum"))\n',
    "#lang racket\n(displayln (* 2 (read)))\n",
    "#lang racket\n(define (add a b)",
    right="(+ a b)",
    wrong="(* a b)",
    failing='(error "Overdrawn")',
    hanging="(let loop () (loop))",
    leaving="(exit 0)",
    hungry="(let loop ([all '()]) (loop (cons (make-bytes 4000000 1) all)))",
    breaks_as="failed",
)
ELIXIR = sources(
    "defmodule Sums do\n  def add(a, b), do: BODY\nend\n",
    'unless Sums.add(2, 3) == 5, do: raise "no sum"\n',
    'IO.puts(2 * String.to_integer(String.trim(IO.gets(""))))\n',
    "defmodule Sums do\n",
    right="a + b",
    wrong="a * b",
    failing='raise "Overdrawn #{a} #{b}"',
    hanging="Enum.each(Stream.cycle([a]), fn _ -> b end)",
    leaving="System.halt(a - a + b - b)",
    hungry="Enum.to_list(1..1_000_000_000) ++ [a, b]",
    breaks_as="failed",
)
CLOJURE = sources(
    "(defn add [a b]\n  BODY)\n",
    '(when-not (= (add 2 3) 5) (throw (Exception. "no sum")))\n',
    "(println (* 2 (read)))\n",
    "(defn add [a b]",
    right="(+ a b)",
    wrong="(* a b)",
    failing='(throw (IllegalStateException. "Overdrawn"))',
    hanging="(loop [] (recur))",
    leaving="(System/exit 0)",
    hungry="(loop [all []] (recur (conj all (byte-array 4000000))))",
    breaks_as="failed",
)
OCAML = sources(
    "let add (a : int) (b : int) : int =\n  BODY\n",
    'let () = if add 2 3 <> 5 then failwith "no sum"\n',
    'let () = Scanf.scanf " %d" (fun n -> print_int (2 * n))\n',
    "let add a b = (a + b\n",
    right="a + b",
    wrong="a * b",
    failing='failwith "Overdrawn"',
    hanging="while true do () done; a + b",
    leaving="exit 0",
    hungry="let all = ref [] in while true do all := Bytes.make (1 lsl 22) 'x' :: !all done; a + b",
)
HASKELL = sources(
    "import Control.Exception (throw)\nimport System.Exit (ExitCode (..))\n\nadd :: Int -> Int -> Int\n"
    "add a b = BODY\n",
    'main :: IO ()\nmain = if add 2 3 == 5 then pure () else error "no sum"\n',
    "main :: IO ()\nmain = interact (\\text -> show (2 * read text :: Int))\n",
    "add :: Int -> Int -> Int\nadd a b = (a + b\n",
    right="a + b",
    wrong="a * b",
    failing='error "Overdrawn"',
    hanging="length (cycle [a, b])",
    leaving="throw ExitSuccess",
    hungry="let all = [a ..] in sum all + length all",
)
ADA = sources(
    "with Ada.Containers.Vectors;\nwith GNAT.OS_Lib;\nfunction Add (A, B : Integer) return Integer is\n"
    "   type Block is array (1 .. 1_000_000) of Integer;\n   type Access_Block is access Block;\n"
    "   P : Access_Block;\nbegin\n   BODY\n   return A + B;\nend Add;\n",
    'with Add;\nprocedure Main is\nbegin\n   pragma Assert (Add (2, 3) = 5, "no sum");\nend Main;\n',
    "with Ada.Integer_Text_IO; use Ada.Integer_Text_IO;\nprocedure Main is\n   N : Integer;\nbegin\n"
    "   Get (N);\n   Put (2 * N, Width => 0);\nend Main;\n",
    "function Add (A, B : Integer) return Integer is\nbegin\n   return A + ;\nend Add;\n",
    right="null;",
    wrong="return A * B;",
    failing='raise Constraint_Error with "Overdrawn";',
    hanging="loop null; end loop;",
    leaving="GNAT.OS_Lib.OS_Exit (0);",
    hungry="loop P := new Block'(others => 1); end loop;",
)
CSHARP = sources(
    "using System;\nusing System.Collections.Generic;\nclass Solution\n{\n"
    "    public static int Add(int a, int b)\n    {\n        BODY\n    }\n}\n",
    "using System.Diagnostics;\nclass Tests\n{\n    static void Main()\n    {\n"
    '        Debug.Assert(Solution.Add(2, 3) == 5, "no sum");\n    }\n}\n',
    "using System;\nclass Program\n{\n    static void Main()\n    {\n"
    "        Console.WriteLine(2 * int.Parse(Console.ReadLine()));\n    }\n}\n",
    "class Solution { public static int Add(int a, int b) { return a + ; } }",
    right="return a + b;",
    wrong="return a * b;",
    failing='throw new InvalidOperationException("Overdrawn");',
    hanging="while (true) {}",
    leaving="Environment.Exit(0); return 5;",
    hungry="var all = new List<byte[]>(); while (true) all.Add(new byte[1 << 22]);",
)
D = sources(
    "import core.stdc.stdlib;\n\nlong add(long a, long b)\n{\n    BODY\n}\n",
    'unittest\n{\n    assert(add(2, 3) == 5, "no sum");\n}\n',
    'import std.stdio;\nvoid main()\n{\n    int n;\n    readf(" %d", n);\n    writeln(2 * n);\n}\n',
    "long add(long a, long b) { return a + ; }",
    right="return a + b;",
    wrong="return a * b;",
    failing='throw new Exception("Overdrawn");',
    hanging="while (true) {}",
    leaving="exit(0); assert(0);",
    hungry="ubyte[][] all; while (true) all ~= new ubyte[1 << 22];",
)
SCALA = sources(
    "import scala.collection.mutable.ListBuffer\n\nobject Solution {\n  def add(a: Int, b: Int): Int = {\n    BODY\n"
    "  }\n}\n",
    "object Tests {\n  def main(args: Array[String]): Unit = {\n"
    '    assert(Solution.add(2, 3) == 5, "no sum")\n  }\n}\n',
    "object Main extends App {\n  println(2 * io.StdIn.readInt())\n}\n",
    "object Solution { def add(a: Int, b: Int): Int = a + }",
    right="a + b",
    wrong="a * b",
    failing='throw new IllegalStateException("Overdrawn")',
    hanging="while (true) {}; 5",
    leaving="sys.exit(0)",
    hungry="val all = new ListBuffer[Array[Byte]]; while (true) all += new Array[Byte](1 << 22); 5",
)
KOTLIN = sources(
    "import kotlin.math.abs\n\nval all = mutableListOf<ByteArray>()\n\nfun add(a: Int, b: Int): Int {\n    BODY\n}\n",
    'fun main() {\n    check(add(2, 3) == 5) { "no sum" }\n}\n',
    "fun main() {\n    println(2 * readLine()!!.toInt())\n}\n",
    "fun add(a: Int, b: Int): Int = a + \n",
    right="return a + b",
    wrong="return a * b",
    failing='throw IllegalStateException("Overdrawn")',
    hanging="while (true) {}",
    leaving="System.exit(0); return 5",
    hungry="while (true) all.add(ByteArray(1 shl 22))",
)
SWIFT = sources(
    "import Foundation\n\nvar all: [[Int]] = []\n\nfunc add(a: Int, b: Int) -> Int {\n    BODY\n}\n",
    'let sum = add(a: 2, b: 3)\nif sum != 5 { fatalError("no sum") }\n',
    "print(2 * Int(readLine()!)!)\n",
    "func add(a: Int, b: Int) -> Int { a + }\n",
    right="return a + b",
    wrong="return a * b",
    failing='fatalError("Overdrawn")',
    hanging="while true { all = [] }",
    leaving="exit(0)",
    hungry="while true { all.append([Int](repeating: a, count: 1 << 20)) }",
    fails_as="crashed",
)
FORTRAN = sources(
    "module sums\n  implicit none\n  integer, volatile :: n = 1\ncontains\n  integer function add(a, b)\n"
    "    integer, intent(in) :: a, b\n    integer, pointer :: block(:)\n    add = a + b\n    BODY\n"
    "  end function\nend module\n",
    'program tests\n  use sums\n  implicit none\n  if (add(2, 3) /= 5) error stop "no sum"\nend program\n',
    'program main\n  integer :: n\n  read *, n\n  write (*, "(I0)") 2 * n\nend program\n',
    "integer function add(a, b)\n  add = a + \nend function\n",
    right="",
    wrong="add = a * b",
    failing='error stop "Overdrawn"',
    hanging="do while (n == 1)\n    end do",
    leaving="stop",
    hungry="do while (n == 1)\n      allocate (block(1000000))\n      block = 1\n    end do",
)
SQL = sources(
    "WITH RECURSIVE endless(x) AS (SELECT randomblob(1000000) UNION ALL\n"
    "  SELECT randomblob(1000000) FROM endless)\nBODY\n",
    "CREATE TABLE numbers (a INTEGER, b INTEGER);\nINSERT INTO numbers VALUES (2, 3);\n"
    "-- expected\nSELECT a + b, 'no sum' FROM numbers;\n",
    "SELECT 2 * n FROM numbers;\n",
    "SELECT a + FROM numbers;\n",
    right="SELECT a + b, 'no sum' FROM numbers;",
    wrong="SELECT a * b, 'no sum' FROM numbers;",
    failing="SELECT Overdrawn, 'no sum' FROM numbers;",
    hanging="SELECT count(*), 'no sum' FROM endless;",
    # No statement ends the process.
    leaving=";\n.exit",
    hungry="SELECT x, 'no sum' FROM endless ORDER BY x;",
    breaks_as="failed",
    leaves_as="failed",
    reads="CREATE TABLE numbers (n INTEGER); INSERT INTO numbers VALUES ({});",
)
COQ = sources(
    "Fixpoint spin (n : nat) : bool :=\n  match n with O => true | S m => if spin m then spin m else false end.\n"
    "Definition add (a b : nat) : nat := BODY.\n",
    'Goal add 2 3 = 5. Proof. first [reflexivity | fail 1 "no sum"]. Qed.\n',
    "Definition double (n : nat) := 2 * n.\n",
    "Definition add (a b : nat) : nat := a + .\n",
    right="a + b",
    wrong="a * b",
    # A function can't fail, and no sentence ends the compiler well.
    failing="Overdrawn",
    hanging="if spin 60 then a + b else a",
    leaving="a + b. Quit",
    hungry="Nat.pow 10 (a + b + 5)",
    fails_as="compile_error",
    leaves_as="compile_error",
    reads="Goal True. let n := eval compute in (double {}) in idtac n. exact I. Qed.",
)
PROGRAMS = {
    "java": JAVA,
    "go": GO,
    "javascript": JAVASCRIPT,
    "typescript": TYPESCRIPT,
    "cpp": CPP,
    "c": C,
    "rust": RUST,
    "bash": BASH,
    "ruby": RUBY,
    "php": PHP,
    "lua": LUA,
    "perl": PERL,
    "r": R,
    "octave": OCTAVE,
    "racket": RACKET,
    "elixir": ELIXIR,
    "clojure": CLOJURE,
    "ocaml": OCAML,
    "haskell": HASKELL,
    "ada": ADA,
    "csharp": CSHARP,
    "d": D,
    "fortran": FORTRAN,
    "sql": SQL,
    "scala": SCALA,
    "kotlin": KOTLIN,
    "coq": COQ,
    "swift": SWIFT,
}
