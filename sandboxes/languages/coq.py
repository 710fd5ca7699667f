"""Coq. The candidate is compiled first, where no test is, and the tests then refer to what was compiled.

The tests' file does not import the candidate. Each name of the candidate's that the tests use is made known to them,
and nothing else: no notation, scope, tactic or coercion of the candidate's changes what a statement says. Coq's kernel
checks the proofs of that statement. A candidate that assumes something without a proof is refused.
"""

from __future__ import annotations

from sandboxes.languages.base import TESTS_FOLDER, Language, Recipe, SplitRecipe, fixed_build, linked
from sandboxes.languages.comments import ML_COMMENTS
from sandboxes.languages.coq_source import header_for, imports_of, reason_to_refuse, without_comments, words_of
from sandboxes.languages.steps import Command

BUILD_FILE, RUNNER_FILE, PROGRAM_FILE = "code_eval_build.sh", "code_eval_runner.py", "code_eval_program.sh"
GIVEN_FILE, HEADER_FILE = "code_eval_given.v", "code_eval_header.v"
COMPILER = "coqc -q -noglob -w none"
SHOW = "Set Printing Width 100000. Set Printing Depth 1000. Unset Printing All."
"""How Coq prints what is read here, whatever the candidate has set for all files that load it."""

# The shell keeps the tests in a variable while the candidate is compiled, because Coq's commands can load files. It
# reads all of this first, because they can write files too.
BUILD = """\
{
set -e
refuse() { echo "Error: $1" >&2; exit 1; }
%(refusal)s
tests=$(cat %(given)s; echo .)
header=$(cat %(header)s; echo .)
runner=$(cat %(runner)s)
rm %(given)s %(header)s %(runner)s
%(compiler)s -Q . "" candidate.v
# Lists what the candidate assumes, by another program than the compiler.
coqchk -silent -o -norec candidate -Q . "" >checked 2>&1 || { cat checked >&2; exit 1; }
# The one library that assumes everything.
! grep -q 'Coq\\.Compat\\.AdmitAxiom' checked || refuse 'tests can not be run on a candidate that loads AdmitAxiom'
sed -n -e 's/^    \\(candidate\\..*\\)/\\1/p' checked >listed
{
    echo 'Require candidate. %(show)s'
    sed -e 's/.*/Print Assumptions &./' listed
} >code_eval_assumed.v
if [ -s listed ]; then
    %(compiler)s -Q . "" code_eval_assumed.v >assumed
    ! grep -vqx 'Closed under the global context' assumed ||
        refuse "tests can not be run on a candidate that assumes $(head -1 listed) without a proof"
fi
mkdir %(folder)s
mv candidate.vo %(folder)s
printf '%%s' "${tests%%.}" >%(folder)s/%(given)s
printf '%%s' "${header%%.}" >%(folder)s/%(header)s
printf '%%s\\n' "$runner" >%(folder)s/%(runner)s
rm -f ./* .*.aux 2>/dev/null || true
exit
}
"""

# A name is the candidate's if it is none of the library's, or if the tests use no other name of the candidate's. The
# mark divides what Coq prints, and the candidate does not know it.
RUNNER = r'''
import os, secrets, subprocess, sys

GIVEN, HEADER, WORDS, IMPORTS = %(given)r, %(header)r, %(words)r, %(imports)r
COMPILER = %(compiler)r.split() + ["-Q", ".", ""]

def text_of(name):
    with open(name, encoding="utf-8") as file:
        text = file.read()
    os.unlink(name)
    return text

def command_for(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)
    return [*COMPILER, name]

def output_of(argv):
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, encoding="utf-8")
    if done.returncode:
        sys.exit(done.returncode)
    return done.stdout

def located(mark):
    """Return what Coq knows of each word: the object that the word alone means, and the candidate's object."""
    asked = [f'Locate {mark}. Locate {prefix}{word}.' for word in WORDS for prefix in ("", "candidate.")]
    text = "\n".join([header, IMPORTS, "Require candidate. %(show)s", *asked, f"Locate {mark}."])
    parts = output_of(command_for("code_eval_names.v", text)).split(f"No object of basename {mark}\n")[1:-1]
    if len(parts) != 2 * len(WORDS):
        sys.exit("Error: the candidate changes what Coq prints")
    return dict(zip(WORDS, zip(parts[::2], parts[1::2])))

def is_known(part):
    """Return whether the first object is one that a word means, without a prefix."""
    first = part.partition("\n")[0]
    return not first.startswith("No ") and "(shorter name" not in first

def is_library_module(name):
    """Return whether a module has the name of one of the library's, which may not be loaded."""
    theories = os.path.join(output_of(["coqc", "-where"]).strip(), "theories")
    return name in %(inner)r or any(f"{name}.vo" in files for _, _, files in os.walk(theories))

tests, header = text_of(GIVEN), text_of(HEADER)
names, modules, others = [], [], []
for word, (here, there) in (located("code_eval_" + secrets.token_hex(8)) if WORDS else {}).items():
    if there.startswith(("No ", "Ltac ")):
        continue
    if is_known(here) or there.startswith("Module ") and is_library_module(word):
        others.append(word)
    elif there.startswith("Module "):
        modules.append(word)
    else:
        names.append(word)
# The tests' own imports would take the name back.
if others and (names or modules or len(others) > 1 or IMPORTS or others[0] in %(reserved)r):
    sys.exit(f"Error: the tests use {others[0]} of Coq's library, and the candidate defines it too")
names += others
known = "Require candidate. " + header.replace("\n", " ")
known += "".join(f"Module {name} := candidate.{name}. " for name in modules)
if names:
    known += f"Import candidate({', '.join(names)}). "
argv = command_for("tests.v", known + tests)
os.execvp(argv[0], argv)
'''
RESERVED = (
    "True False eq eq_refl not and or iff ex all nat O S bool true false list nil cons option Some None prod pair unit "
    "tt sum inl inr comparison Eq Lt Gt Z Z0 Zpos Zneg positive xI xO xH N N0 Npos Q R string String EmptyString ascii "
    "Ascii le lt ge gt negb andb orb eqb"
).split()
"""Names that decide what a statement says, and are never the function that tests test."""

INNER_MODULES = (
    "Coq EqNotations ListDef ListNotations N Nat Pos Q Qc R SigTNotations VectorNotations Z Zdiv2 Private_Tac"
).split()
"""Modules within files of the library."""

PROGRAM = f"""\
cat candidate.v - >program.v
exec {COMPILER} program.v
"""


def coq_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a candidate with tests: text by path."""
    code, plain = without_comments(candidate), without_comments(tests)
    reason = reason_to_refuse(code, plain)
    values = {
        "given": GIVEN_FILE,
        "header": HEADER_FILE,
        "runner": RUNNER_FILE,
        "folder": TESTS_FOLDER,
        "compiler": COMPILER,
        "show": SHOW,
        "words": words_of(plain),
        "imports": imports_of(plain),
        "inner": INNER_MODULES,
        "reserved": RESERVED,
        "refusal": f"refuse '{reason}'" if reason else "",
    }
    return {
        "candidate.v": candidate,
        GIVEN_FILE: tests,
        HEADER_FILE: header_for(code),
        RUNNER_FILE: RUNNER % values,
        BUILD_FILE: BUILD % values,
    }


def standalone_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a candidate alone. Its input is commands that follow it."""
    return {"candidate.v": candidate, PROGRAM_FILE: PROGRAM}


COQ = Language(
    name="coq",
    label="Coq",
    with_tests=SplitRecipe(
        coq_files,
        fixed_build(("sh", BUILD_FILE)),
        # Nothing of the candidate's runs while its tests do. This ends when they have.
        linked("sh", "-c", "exec cat <&3"),
        linked("python3", "-I", "-S", "-X", "utf8", RUNNER_FILE, reserves_memory=True),
    ),
    standalone=Recipe(
        standalone_files,
        fixed_build(),
        lambda limits: Command(("sh", PROGRAM_FILE), limits, reserves_memory=True),
    ),
    version=lambda: ("coqc", "--version"),
    package="coq",
    image="debian:bookworm with coq and python3",
    highlight="python",
    canary=("Definition add (a b : nat) := a + b.", "Example sum : add 2 3 = 5. Proof. reflexivity. Qed."),
    comments=ML_COMMENTS,
    aliases=("v", "rocq"),
    tools=("coqc", "coqchk"),
    # The compiler looks there for plugins, also if it needs none.
    paths=("/bin/sh", "/etc/ocamlfind.conf"),
)
