"""Ada, by GNAT.

`gnatchop` makes the units of candidate and tests files of two folders. A unit of the tests takes the place of a unit of
the candidate's with the same name. The tests' procedure is called by a main program of our own, which says when it
has come to its end: a task of the candidate's may abort it.

Before the objects are linked, each of the candidate's keeps the names of its own unit alone, so that it defines no
function of the libraries. The candidate's options for the linker are not used. The status that the tests set is
kept where the candidate can't set it back.
"""

from __future__ import annotations

import re

from sandboxes.contract import Limits
from sandboxes.languages.apart.ada import ada_tests
from sandboxes.languages.base import MEMORY_STATUS, Language, Recipe, fixed_build
from sandboxes.languages.comments import ADA_COMMENTS
from sandboxes.languages.native import MAIN_WRAPPER, RUN_PROGRAM, TOKEN_FILE, build_tag, token_source
from sandboxes.languages.steps import Command

BUILD_FILE = "code_eval_build.sh"
MAIN = re.compile(r"^procedure\s+(\w+)\s+is\b|^\s*procedure\s+(\w+)\s+is\b", re.MULTILINE | re.IGNORECASE)
NO_MAIN = "The_Tests_Define_No_Procedure"

MAIN_UNIT = """\
with Ada.Exceptions;
with Ada.Text_IO;
with %(main)s;
procedure Code_Eval_Main is
   procedure Done;
   pragma Import (C, Done, "code_eval_done_%(tag)s");
   procedure No_Memory;
   pragma Import (C, No_Memory, "code_eval_no_memory_%(tag)s");
   No_Heap : constant String := "heap exhausted";
begin
   %(main)s;
   Done;
exception
   when Error : others =>
      declare
         Message : constant String := Ada.Exceptions.Exception_Message (Error);
      begin
         --  Some versions of the library name the unit before it.
         if Message'Length >= No_Heap'Length
           and then Message (Message'Last - No_Heap'Length + 1 .. Message'Last) = No_Heap
         then
            No_Memory;
         end if;
      end;
      Ada.Text_IO.Put_Line
        (Ada.Text_IO.Standard_Error,
         "raised " & Ada.Exceptions.Exception_Name (Error) & " : " & Ada.Exceptions.Exception_Message (Error));
end Code_Eval_Main;
"""
DECLARATIONS = "int __real_main(int, char **, char **);\nstatic int result, is_done;\n"
RUN = """\
status = __real_main(argc, argv, environment);
    if (!status) status = is_done ? result : 1;"""
FUNCTIONS = """\
void code_eval_done_%(tag)s(void) { is_done = 1; }
void code_eval_status_%(tag)s(int status) { result = status; }
void code_eval_no_memory_%(tag)s(void) { end(%(memory_status)d); }
"""

# Units of these names belong to the library, which would be compiled with the candidate's.
CHOP = """\
set -e
mkdir candidate tests
for part in candidate tests; do
    [ ! -s $part.ada ] || gnatchop -q $part.ada $part
done
for file in tests/*; do
    name=${file#tests/}
    rm -f "candidate/${name%%.*}.ads" "candidate/${name%%.*}.adb"
done
for file in candidate/*; do
    case ${file#candidate/} in
    [agis]-*|ada.ad?|gnat.ad?|interf?c.ad?|system.ad?|calendar.ad?|directio.ad?|ioexcept.ad?|machcode.ad?|sequenio.ad?|\\
    text_io.ad?|unchconv.ad?|unchdeal.ad?|code_eval*|b~*) echo "error: $file is a unit of the library" >&2; exit 1 ;;
    esac
done
"""
BUILD = (
    CHOP
    + """\
gnatmake -q -c -O1 -gnata -gnateE -gnatW8 -Itests -Icandidate code_eval_main.adb >&2
for file in candidate/*; do
    name=${file#candidate/} name=${name%%.*} unit=$(echo "${name%%.*}" | sed 's/-/__/g')
    [ ! -f "$name.o" ] || objcopy --wildcard --keep-global-symbol="${unit}__*" --keep-global-symbol="${unit}_E" \\
        --keep-global-symbol="_ada_$unit" "$name.o"
done
for file in tests/*; do
    name=${file#tests/} name=${name%%.*}
    objcopy --redefine-sym __gnat_set_exit_status=code_eval_status_%(tag)s "$name.o"
done
gnatbind code_eval_main.ali
gcc -c b~code_eval_main.adb
gcc -c %(token)s.c
mv %(token)s.o token.object
gcc -o program token.object *.o %(wrapper)s -L"$(dirname "$(gcc -print-libgcc-file-name)")/adalib" -lgnarl -lgnat -lm
"""
)
STANDALONE_BUILD = """\
set -e
mkdir candidate
gnatchop -q candidate.ada candidate
gnatmake -q -O2 -gnatW8 -Icandidate %(main)s.adb -o program >&2
"""


def ada_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a program with tests, with the script that builds it: text by path."""
    if not tests.strip():
        # The candidate is its own test.
        candidate, tests = "", candidate
    tag = build_tag(candidate, tests)
    names = {"tag": tag, "main": main_unit(tests), "memory_status": MEMORY_STATUS}
    return {
        "candidate.ada": candidate if candidate.strip() else "",
        "tests.ada": tests,
        "code_eval_main.adb": MAIN_UNIT % names,
        f"{TOKEN_FILE}.c": token_source(DECLARATIONS, RUN, FUNCTIONS % names),
        BUILD_FILE: BUILD % {"tag": tag, "token": TOKEN_FILE, "wrapper": MAIN_WRAPPER},
    }


def standalone_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of the candidate alone, whose first procedure is run."""
    return {"candidate.ada": candidate, BUILD_FILE: STANDALONE_BUILD % {"main": main_unit(candidate).lower()}}


def main_unit(text: str) -> str:
    """Return the name of a text's procedure that is run: the first that is not indented, otherwise the first."""
    found = sorted(MAIN.finditer(text), key=lambda each: each[1] is None)
    return (found[0][1] or found[0][2]) if found else NO_MAIN


def run_program(limits: Limits) -> Command:
    """Return the command that runs a program with tests."""
    return Command(("./program",), limits, memory_status=MEMORY_STATUS)


BUILD_COMMAND = fixed_build(("sh", BUILD_FILE))
ADA = Language(
    name="ada",
    label="Ada",
    with_tests=Recipe(ada_files, BUILD_COMMAND, run_program, sources=(".ada", ".adb", ".ads", ".o")),
    standalone=Recipe(standalone_files, BUILD_COMMAND, RUN_PROGRAM),
    version=lambda: ("gnatmake", "--version"),
    package="gnat",
    image="debian:bookworm with gnat and python3",
    highlight="sql",
    canary=(
        "function Add (A, B : Integer) return Integer is\nbegin\n   return A + B;\nend Add;\n",
        "with Add;\nprocedure Main is\nbegin\n   pragma Assert (Add (2, 3) = 5);\nend Main;\n",
    ),
    plain_tests=ada_tests,
    comments=ADA_COMMENTS,
    aliases=("adb",),
    tools=("gnatmake", "gcc", "ld", "objcopy"),
)
