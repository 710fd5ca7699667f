"""OCaml. The compiler checks the types of candidate and tests together, and makes a program of each.

The tests see the candidate's types, and functions that call those of the candidate's process. What Stdlib defines means
the same to the tests as without the candidate, whatever names the candidate declares.
"""

from __future__ import annotations

import re

from sandboxes.languages.apart.ocaml_link import DRIVER_SOURCE, TESTS_SOURCE, TESTS_TYPES_FILE, TYPES_FILE
from sandboxes.languages.base import (
    MEMORY_STATUS,
    TESTS_FOLDER,
    Language,
    Recipe,
    SplitRecipe,
    fixed_build,
    fixed_run,
    linked,
)
from sandboxes.languages.comments import ML_COMMENTS
from sandboxes.languages.native import build_tag

BUILD_FILE = "code_eval_build.sh"
ENTRY_POINT = re.compile(r"\bcandidate\s*=\s*([a-z_][\w']*)")
WORD = re.compile(r"[a-z_][\w']*")
COMPILER = ("ocamlopt", "-w", "-a", "-I", "+unix", "-I", "+str", "-o", "program", "unix.cmxa", "str.cmxa")

# What each name of the language itself means, for tests that follow the candidate's declarations.
AROUND = """\
module Stdlib_%(tag)s = Stdlib
type nonrec int = int
type nonrec char = char
type nonrec string = string
type nonrec bytes = bytes
type nonrec float = float
type nonrec exn = exn
type nonrec 'a array = 'a array
type nonrec int32 = int32
type nonrec int64 = int64
type nonrec nativeint = nativeint
type nonrec 'a lazy_t = 'a lazy_t
type nonrec bool = bool = false | true
type nonrec unit = unit = ()
type nonrec 'a option = 'a option = None | Some of 'a
type nonrec 'a list = 'a list = [] | (::) of 'a * 'a list
exception Match_failure = Match_failure
exception Out_of_memory = Out_of_memory
exception Invalid_argument = Invalid_argument
exception Failure = Failure
exception Not_found = Not_found
exception Sys_error = Sys_error
exception End_of_file = End_of_file
exception Division_by_zero = Division_by_zero
exception Stack_overflow = Stack_overflow
exception Assert_failure = Assert_failure
"""

# The stubs have the types that the compiler prints. An `external` would be a function of the tests' own process.
BUILD = """\
set -e
ocamlc -w -a -I +unix -I +str -i candidate.ml >printed
sed -e ':all' -e '$!{N' -e 'b all' -e '}' -e 's/\\n  */ /g' printed >%(types_file)s
if grep -qw external %(types_file)s; then
    echo 'Error: tests can not be run on a candidate that declares external functions' >&2
    exit 1
fi
read -r words <words
read -r entries <entries
names= functions= signature= exceptions= header=
while read -r kind name colon type; do
    case $kind$colon in
    val:)
        case " $words " in *" $name "*)
            names="$names \\"$name\\";"
            functions="$functions (\\"$name\\", Obj.repr Candidate.$name);"
            signature="$signature val $name : $type"
        esac
        case " $entries " in *" $name "*) header="$header let $name = Code_eval_stub_%(tag)s.$name" ;; esac ;;
    exception | exceptionof)
        exceptions="$exceptions exception $name $colon $type
let _ = Link_%(tag)s.register \\"$name\\" (Magic_%(tag)s.repr [%%extension_constructor $name])"
    esac
done <%(types_file)s
printf '%%s\\n' "let stubs_%(tag)s = Code_eval_tests_side.stubs [$names]
module Magic_%(tag)s = Obj
module Link_%(tag)s = Code_eval_tests_side
open Candidate
module type S_%(tag)s = sig $signature end
include (val (Magic_%(tag)s.magic stubs_%(tag)s : (module S_%(tag)s)))
$exceptions" >code_eval_stub_%(tag)s.ml
{
    echo "open Candidate open Code_eval_stub_%(tag)s"
    echo "open Code_eval_around_%(tag)s open Stdlib_%(tag)s $header"
    printf '# 1 "tests.ml"\\n'
    cat given
} >tests.ml
printf '%%s\\n' 'let () = Code_eval_driver.start ()' >code_eval_begin.ml
printf '%%s\\n' "let () = Code_eval_driver.serve [$functions]" >code_eval_serve.ml
%(compiler)s code_eval_driver.ml code_eval_begin.ml candidate.ml code_eval_serve.ml
mkdir %(folder)s
%(tests_compiler)s code_eval_tests_side.ml code_eval_around_%(tag)s.ml code_eval_stub_%(tag)s.ml tests.ml
cp %(types_file)s %(folder)s/%(tests_types_file)s
rm ./*.ml ./*.cm* ./*.o printed words entries given
"""


def ocaml_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a candidate with tests: text by path. Functions that the tests do not name are not called."""
    tag = build_tag(candidate, tests)
    values = {
        "tag": tag,
        "types_file": TYPES_FILE,
        "tests_types_file": TESTS_TYPES_FILE,
        "folder": TESTS_FOLDER,
        "compiler": " ".join(COMPILER),
        "tests_compiler": f"ocamlc -w -a -I +unix -I +str -o {TESTS_FOLDER}/tests unix.cma str.cma",
    }
    return {
        "candidate.ml": candidate,
        "given": tests,
        "words": " ".join(sorted({*WORD.findall(tests)})) + "\n",
        "entries": " ".join(sorted({*ENTRY_POINT.findall(tests)})) + "\n",
        "code_eval_driver.ml": DRIVER_SOURCE,
        "code_eval_tests_side.ml": TESTS_SOURCE,
        f"code_eval_around_{tag}.ml": AROUND % values,
        BUILD_FILE: BUILD % values,
    }


OCAML = Language(
    name="ocaml",
    label="OCaml",
    with_tests=SplitRecipe(
        ocaml_files,
        fixed_build(("sh", BUILD_FILE)),
        linked("./program", memory_status=MEMORY_STATUS),
        linked("./tests"),
    ),
    standalone=Recipe(
        lambda candidate, tests: {"candidate.ml": candidate},
        fixed_build((*COMPILER, "candidate.ml")),
        fixed_run("./program"),
    ),
    version=lambda: ("ocamlopt", "-version"),
    package="ocaml-nox",
    image="debian:bookworm with ocaml-nox and python3",
    highlight="python",
    canary=("let add a b = a + b", "let () = assert (add 2 3 = 5)"),
    comments=ML_COMMENTS,
    aliases=("ml",),
    tools=("ocamlopt", "ocamlc", "gcc", "as", "ld"),
    # The compiler starts the assembler and the linker by it.
    paths=("/bin/sh",),
)
