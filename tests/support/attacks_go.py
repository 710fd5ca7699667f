"""Candidates in Go that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = """\
package main

import "testing"

func TestAdd(t *testing.T) {
	if add(2, 3) != 5 {
		t.Fatal("no sum")
	}
}
"""
PANICS = 'package main\n\nfunc main() {\n\tif add(2, 3) != 5 {\n\t\tpanic("no sum")\n\t}\n}\n'
SAYS_TRUE = TESTS.replace("add(2, 3) != 5", "(add(2, 3) == 5) != true")
TESTIFY = """\
package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAdd(t *testing.T) {
	assert := assert.New(t)
	assert.Equal(5, add(2, 3))
}
"""
TWO_TESTS = TESTS + '\nfunc TestZero(t *testing.T) {\n\tif add(0, 0) != 0 {\n\t\tt.Error("no zero")\n\t}\n}\n'


def package(members="", sign="*", body="", imports=()):
    """Return a file whose `add` gives a product, or the result of `sign`."""
    lines = "".join(f'import "{path}"\n' for path in imports)
    return f"package main\n\n{lines}\n{members}\n\nfunc add(a, b int) int {{\n\t{body}\n\treturn a {sign} b\n}}\n"


def in_package(members="", body="", imports=(), honest=None):
    """Return (wrong, honest) files with the same additions; or with `honest` ones, (members, body, imports)."""
    right = (members, body, imports) if honest is None else honest
    return package(members, "*", body, imports), package(right[0], "+", *right[1:])


SUBTEST = TESTS.replace("if add", 't.Run("sum", func(t *testing.T) { if add').replace("\t}\n}", "\t} })\n}")
SHORT = TWO_TESTS.replace("if add(2", 'if testing.Short() {\n\t\tt.Skip("long")\n\t}\n\tif add(2')


def with_flag(name, value, tests):
    """Return (wrong, honest, tests) for candidates that set a flag of the tests, and are right for zeros."""
    flag = f'func init() {{ testing.Init(); flag.Set("test.{name}", "{value}") }}'
    return (
        package(flag, imports=("flag", "testing")),
        package("var name = flag.Arg(0)", "+", imports=("flag",)),
        tests,
    )


ATTACKS = {
    "a pattern of tests": with_flag("run", "TestZero", TWO_TESTS),
    "a pattern of subtests": with_flag("run", "/none", SUBTEST),
    "a count of tests": with_flag("count", "2", TWO_TESTS),
    "short tests": with_flag("short", "true", SHORT),
    "a list of tests": with_flag("list", ".*", TWO_TESTS),
    "an open comment": (package() + "/* the rest", package(sign="+") + "/* the rest */"),
    "an open text": (package() + "var text = `", package(sign="+") + "var text = ``\n"),
    "an open function": (package() + "func later() {", package(sign="+") + "func later() {}"),
    "init that exits": in_package(
        "func init() { os.Exit(0) }", "", ["os"], honest=("func init() { os.Getpid() }", "", ["os"])
    ),
    "exit when called": in_package("", "os.Exit(0)", ["os"], honest=("", "os.Getpid()", ["os"])),
    "exit in a goroutine": in_package(
        "",
        "go os.Exit(0)\n\ttime.Sleep(2 * time.Second)",
        ["os", "time"],
        honest=("", "go os.Getpid()\n\ttime.Sleep(time.Millisecond)", ["os", "time"]),
    ),
    "the end of the goroutine": in_package(
        "", "runtime.Goexit()", ["runtime"], honest=("", "runtime.Gosched()", ["runtime"])
    ),
    "a TestMain of its own": in_package(
        "func TestMain(m *testing.M) { os.Exit(0) }", "", ["os", "testing"], honest=("func Testing() {}", "", [])
    ),
    "the tests' function": in_package(
        "func TestAdd(t *testing.T) {}", "", ["testing"], honest=("func TestingAdd(t *testing.T) {}", "", ["testing"])
    ),
    "a test of its own": (*in_package("func TestMore(t *testing.T) {}", "", ["testing"]), TESTIFY),
    "arguments that choose no test": in_package(
        'func init() { os.Args = []string{"program", "-test.run=^$"} }',
        "",
        ["os"],
        honest=('func init() { os.Args = append(os.Args, "more") }', "", ["os"]),
    ),
    "arguments that list the tests": in_package(
        'var _ = func() int { os.Args = []string{"program", "-test.list=."}; return 0 }()', "", ["os"]
    ),
    "flags that choose no test": in_package(
        'func init() { testing.Init(); flag.Set("test.run", "^$") }',
        "",
        ["flag", "testing"],
        honest=('var verbose = flag.Bool("verbose", false, "")', "", ["flag"]),
    ),
    "flags that choose one test": (
        *in_package(
            'func init() { testing.Init(); flag.Set("test.run", "Zero") }',
            "",
            ["flag", "testing"],
            honest=("func init() { testing.Init() }", "", ["testing"]),
        ),
        TWO_TESTS,
    ),
    "a package named testing": in_package(
        "type T struct{}\nfunc (T) Fatal(...any) {}\nvar testing struct{ T T }", honest=("type T struct{}", "", ())
    ),
    "a package named assert": (
        *in_package(
            "type a struct{}\nfunc (a) New(any) a { return a{} }\nfunc (a) Equal(...any) {}\nvar assert a",
            honest=("type a struct{}", "", ()),
        ),
        TESTIFY,
    ),
    "a panic of its own": (
        *in_package("func panic(any) {}", honest=("func fail() { panic(1) }", "", ())),
        PANICS,
    ),
    "a main of its own for tests without main": in_package("func main() {}"),
    "a main that recovers": (*in_package("func guard() { recover() }"), PANICS),
    "true that is false": (*in_package("const true = false", honest=("const yes = true", "", ())), SAYS_TRUE),
    "an int of its own": in_package("type int = struct{}", honest=("type integer = int", "", ())),
    "tests without a function": (
        package(),
        package(sign="+"),
        "package main\n\nfunc main() {\n\tif add(2, 3) != 5 {\n\t\tpanic(1)\n\t}\n}\n",
    ),
    "output that is taken away": in_package(
        "func init() { os.Stdout.Close() }",
        "",
        ["os"],
        honest=("func init() { os.Stdout, _ = os.Open(os.DevNull) }", "", ["os"]),
    ),
    "a signal": in_package(
        "func init() { syscall.Kill(syscall.Getpid(), syscall.SIGKILL) }",
        "",
        ["syscall"],
        honest=("func init() { syscall.Getpid() }", "", ["syscall"]),
    ),
}
