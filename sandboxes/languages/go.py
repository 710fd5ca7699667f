"""Go. Candidate and tests are files of one package, and a `main` package runs the tests."""

from __future__ import annotations

import re
import secrets

from sandboxes.guest.common.named_tests import MICROSECONDS, TICKET_CHARS
from sandboxes.languages.apart.go import go_tests
from sandboxes.languages.base import MAX_NAMES, TOKEN_BYTES, Language, Recipe, fixed_run
from sandboxes.languages.calls.go import go_call
from sandboxes.languages.comments import without_comments, without_literals
from sandboxes.languages.compilers import go_toolchain
from sandboxes.languages.compilers.go_toolchain import CODE_FILE, MAIN_FILE, NAMES_FILE, TEST_FILE, TOKEN_FILE

GO_PACKAGE = re.compile(r"^[ \t]*package\s+\w+[ \t]*;?", re.MULTILINE)
GO_IMPORT = re.compile(r"^import\s*(?:\(([^)]*)\)|([^\n(;]+);?)", re.MULTILINE)
GO_TEST = re.compile(r"^func\s+(Test(?:[^\Wa-z]\w*)?)\s*\(\s*\w*\s*\*\s*testing\s*\.\s*T\s*,?\s*\)", re.MULTILINE)
GO_MAIN = re.compile(r"^func\s+main\s*\(\s*\)", re.MULTILINE)
GO_SKIP = re.compile(r"\.\s*Skip(?:Now|f)?\s*\(")

# This is the first file of the candidate's package: its variable gets the completion token before the candidate does
# anything. The variable's name is drawn for each program, so that no candidate can use it.
GO_TOKEN_SOURCE = """\
package %s

import (
	codeEvalIO "io"
	codeEvalOS "os"
)

var %s = func() []byte {
	token, _ := codeEvalIO.ReadAll(codeEvalOS.Stdin)
	codeEvalOS.Stdin.Truncate(0)
	return token
}()
"""
JUDGES = ("panic", "true", "false", "nil", "bool", "int", "string", "float64", "error", "len")
"""Go's own names that tests judge by. The compiler refuses a candidate that declares one of them."""

# A package can't declare a name that one of its files imports.
NAMES_SOURCE = (
    "package candidate\n\nimport (\n"
    + "".join(f'\t{name} "errors"\n' for name in JUDGES)
    + ")\n\nvar _ = []interface{}{"
    + ", ".join(f"{name}.New" for name in JUDGES)
    + "}\n"
)
# The arguments are cut, because the candidate could have added options that select tests. It can set the flags all the
# same. A test counts as done if it came to its end, or was skipped by the tests' own text.
MAIN_OF_TESTS = """\
package main

import (
	"fmt"
	"os"
	"sync/atomic"
	"testing"
	"testing/internal/testdeps"
	"time"

	candidate "candidate"
)

// The candidate can set the pattern of the tests that run. All of them do.
type deps struct{ testdeps.TestDeps }

func (deps) MatchString(pattern, text string) (bool, error) { return true, nil }

func main() {
	stdout := os.NewFile(1, "stdout")
	os.Args = os.Args[:1]
	token, tickets := candidate.%(token)s[:%(token_chars)d], candidate.%(token)s[%(token_chars)d:]
	var ran int32
	var done [%(count)d]int32
	check := func() {
		if testing.Short() {
			println("the candidate has set the flags of the tests")
			os.Exit(1)
		}
	}
	run := func(number int, test func(*testing.T)) func(*testing.T) {
		return func(t *testing.T) {
			check()
			start, ended := time.Now(), false
			// It runs after all that the test has registered, and after its subtests.
			t.Cleanup(func() {
				if ended && !t.Failed() && !t.Skipped() && number < len(tickets)/%(ticket)d {
					ticket := tickets[number*%(ticket)d : (number+1)*%(ticket)d]
					fmt.Fprintf(stdout, "%%s%%0%(digits)dd", ticket, time.Since(start).Microseconds())
				}
			})
			defer func() {
				if ended {
					atomic.AddInt32(&ran, 1)
				}
				if ended || %(may_skip)s && t.Skipped() {
					ended = true
					atomic.StoreInt32(&done[number], 1)
				}
			}()
			test(t)
			check()
			ended = true
		}
	}
	tests := []testing.InternalTest{%(tests)s}
	if len(tests) == 0 {
		_ = run
		println("there is no test")
		os.Exit(1)
	}
	status := testing.MainStart(deps{}, tests, nil, nil, nil).Run()
	all := true
	for number := range done {
		all = all && done[number] == 1
	}
	if status == 0 && ran == 0 && all {
		println("no test ran")
		os.Exit(1)
	}
	if status == 0 && all {
		stdout.Write(token)
	}
	os.Exit(status)
}
"""
TICKETS = {"token_chars": 2 * TOKEN_BYTES, "ticket": TICKET_CHARS, "digits": MICROSECONDS}
MAIN_OF_MAIN = """\
package main

import (
	"os"

	candidate "candidate"
)

func main() {
	stdout := os.NewFile(1, "stdout")
	candidate.%(main)s()
	stdout.Write(candidate.%(token)s)
}
"""


def go_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a program with tests: text by path.

    The tests are the functions such as `TestX`. Without such a function, the tests' `main` is run.
    """
    if not tests.strip():
        candidate, tests = "package candidate\n", candidate
    plain, token = without_literals(tests), token_variable()
    token_source = GO_TOKEN_SOURCE % ("candidate", token)
    names = GO_TEST.findall(plain)
    if names or not GO_MAIN.search(plain):
        entries = (f'{{"{name}", run({number}, candidate.{name})}}' for number, name in enumerate(names))
        may_skip = str(bool(GO_SKIP.search(plain))).lower()
        texts = {"tests": ", ".join(entries), "token": token, "may_skip": may_skip, "count": len(names)}
        main = MAIN_OF_TESTS % {**TICKETS, **texts}
    else:
        token_source += f"\nfunc Run{token}() {{ main() }}\n"
        main = MAIN_OF_MAIN % {"main": f"Run{token}", "token": token}
    files = {TOKEN_FILE: token_source, NAMES_FILE: NAMES_SOURCE, MAIN_FILE: main}
    return {**files, CODE_FILE: part_source(candidate, tests), TEST_FILE: part_source(tests, candidate)}


def go_test_names(tests: str) -> tuple[str, ...]:
    """Return the names of the functions that are tests."""
    return tuple(GO_TEST.findall(without_literals(tests))[:MAX_NAMES])


def token_variable() -> str:
    """Return a new name for the variable that holds the completion token."""
    return f"Token{secrets.token_hex(16)}"


def go_standalone_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of the candidate alone, which is a program."""
    return {CODE_FILE: candidate}


def part_source(text: str, other: str) -> str:
    """Return a part of a program as a file of the package, with its imports and the other part's imports that it uses.

    Go refuses imports that are not used. An import that only the other part uses goes there. An import that neither
    part uses stays.
    """
    own, others = dict.fromkeys(parse_imports(text)), parse_imports(other)
    chosen = [line for line in own if is_used(line, text) or not is_used(line, other)]
    own_names = {imported_name(line) for line in own}
    chosen += [line for line in others if imported_name(line) not in own_names and is_used(line, text)]
    package = GO_PACKAGE.search(without_literals(text))
    spans = [declaration.span() for declaration in (*([package] if package else []), *import_declarations(text))]
    for begin, end in reversed(spans):
        text = text[:begin] + "\n" * text.count("\n", begin, end) + text[end:]
    # On one line, so that the part's own lines keep their numbers.
    return f"package candidate; import ({'; '.join(chosen)}); {text}"


def imported_name(line: str) -> str:
    """Return the name that an import has in its file, which may be "_" or "."."""
    alias, _, path = line.partition('"')
    return alias.strip() or re.sub(r"/v\d+$", "", path.strip('"')).rpartition("/")[2]


def is_used(line: str, text: str) -> bool:
    """Return whether a text uses an import. An import as "_" or "." counts as unused, because no use of it shows."""
    name = re.escape(imported_name(line))
    return name not in ("_", "\\.") and bool(re.search(rf"(?<![\w.]){name}\s*\.\s*[^\W\d_a-z]", without_literals(text)))


def parse_imports(text: str) -> list[str]:
    """Return the imports of a Go text, each as 'name "path"'."""
    groups = [declaration[1] or declaration[2] for declaration in import_declarations(text)]
    lines = [line.strip().rstrip(";") for group in groups for line in re.split(r"[\n;]", group)]
    return [line for line in lines if line]


def import_declarations(text: str) -> list[re.Match[str]]:
    """Return the import declarations of a text, in which comments are blanks."""
    plain = without_literals(text)
    # A string literal of several lines may hold a line that looks like an import.
    return [
        declaration
        for declaration in GO_IMPORT.finditer(without_comments(text))
        if plain.startswith("import", declaration.start())
    ]


RUN_PROGRAM = fixed_run("./program", reserves_memory=True)
GO = Language(
    name="go",
    label="Go",
    with_tests=Recipe(go_files, go_toolchain.build, RUN_PROGRAM, test_names=go_test_names, sources=(".go",)),
    standalone=Recipe(go_standalone_files, go_toolchain.build_standalone, RUN_PROGRAM),
    version=go_toolchain.version,
    package="golang-go",
    image=None,
    highlight="cpp",
    canary=(
        "package main\n\nfunc add(a, b int) int { return a + b }",
        'package main\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {\n\tif add(2, 3) != 5 {\n\t\tt.Fail()\n\t}\n}',
    ),
    calls=go_call,
    plain_tests=go_tests,
    compiled_here=go_toolchain.compiled_stdlib,
)
