"""Coq. The candidate is compiled first, where no test is, and the tests then refer to what was compiled.

The tests' file does not import the candidate. Each name of the candidate's that the tests use is made known to them,
and nothing else: no notation, scope, tactic or coercion of the candidate's changes what a statement says. Coq's kernel
checks the proofs of that statement. A candidate that assumes something without a proof is refused.
"""

from __future__ import annotations

import re

from sandboxes.languages.base import TESTS_FOLDER, Language, Recipe, SplitRecipe, fixed_build, linked
from sandboxes.languages.comments import ML_COMMENTS
from sandboxes.languages.steps import Command

BUILD_FILE, RUNNER_FILE, PROGRAM_FILE = "code_eval_build.sh", "code_eval_runner.py", "code_eval_program.sh"
GIVEN_FILE, HEADER_FILE = "code_eval_given.v", "code_eval_header.v"
COMPILER = "coqc -q -noglob -w none"

# Sentences that tests take over from the candidate, as they would if both were one file.
COMMENT_OR_TEXT = re.compile(r"\(\*|\"(?:[^\"]|\"\")*\"")
BRACKET = re.compile(r"\(\*|\*\)")
SENTENCE = re.compile(r"(?:[^.\"]|\.(?!\s|\Z)|\"(?:[^\"]|\"\")*\")*\.(?=\s|\Z)")
LIBRARY = re.compile(
    r"\s*(?:(?P<source>From\s+Coq(?:\.\w+)*\s+)?Require\s+(?:Import|Export)(?P<libraries>(?:\s+[\w.]+)+)"
    r"|Import(?P<modules>(?:\s+(?:\w*Notations|\w*Syntax))+)"
    r"|(?:(?:Local|Global)\s+)?Open\s+Scope\s+(?P<scope>\w+))\s*\.\Z"
)
SCOPES = frozenset(
    "bool_scope char_scope core_scope float_scope function_scope list_scope nat_scope N_scope positive_scope "
    "program_scope Q_scope R_scope sint63_scope string_scope type_scope uint63_scope Z_scope".split()
)
WORD = re.compile(r"(?<![\w'.])[^\W\d][\w']*")
KEYWORDS = frozenset(
    "Axiom Check Compute Definition End Eval Example Fact Fail Fixpoint From Goal Import Lemma Module Open Proof Qed "
    "Require Scope Section Theorem as at else end exists for forall fun if in let match return then using where with "
    "Prop Set Type SProp IF mod".split()
)

IMPORTED = re.compile(r"\b(?:Import|Export|Include)\b([^.]*)")
# Equality by a class means what an instance says, and instances are known wherever a file is loaded.
CLASS_EQUALITY = re.compile(r"(?<![=!<>~])(?:={2,3}|=~=)(?![=>])|\b(?:equiv|equiv_dec|equiv_decb)\b")
INSTANCE = re.compile(r"\b(?:Instances?|typeclass_instances)\b")

# The shell keeps the tests in a variable while the candidate is compiled, because Coq's commands can load files.
BUILD = """\
set -e
%(refused)s
tests=$(cat %(given)s; echo .)
header=$(cat %(header)s; echo .)
runner=$(cat %(runner)s)
rm %(given)s %(header)s %(runner)s
%(compiler)s -Q . "" candidate.v
# Lists what the candidate assumes, by another program than the compiler.
coqchk -silent -o -norec candidate -Q . "" >checked 2>&1 || { cat checked >&2; exit 1; }
sed -n -e 's/^    \\(candidate\\..*\\)/\\1/p' checked >listed
{
    echo 'Require candidate.'
    sed -e 's/.*/Print Assumptions &./' listed
} >code_eval_assumed.v
if [ -s listed ]; then
    %(compiler)s -Q . "" code_eval_assumed.v >assumed
    if grep -vqx 'Closed under the global context' assumed; then
        echo "Error: tests can not be run on a candidate that assumes $(head -1 listed) without a proof" >&2
        exit 1
    fi
fi
mkdir %(folder)s
mv candidate.vo %(folder)s
printf '%%s' "${tests%%.}" >%(folder)s/%(given)s
printf '%%s' "${header%%.}" >%(folder)s/%(header)s
printf '%%s\\n' "$runner" >%(folder)s/%(runner)s
rm -f ./* .*.aux 2>/dev/null || true
"""

REFUSED = """\
echo 'Error: tests that compare by a class can not be run on a candidate that declares instances' >&2
exit 1
"""

# A name is the candidate's if it is none of the library's, or if the tests use no other name of the candidate's. The
# mark divides what Coq prints, and the candidate does not know it.
RUNNER = r'''
import os, secrets, subprocess, sys

GIVEN, HEADER, WORDS, OWN_HEADER = %(given)r, %(header)r, %(words)r, %(own_header)r
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

def located(mark):
    """Return what Coq knows of each word: the candidate's object, and the object that the word alone means."""
    asked = [f'Locate {mark}. Locate {prefix}{word}.' for word in WORDS for prefix in ("", "candidate.")]
    text = "\n".join([header, OWN_HEADER, "Require candidate.", *asked, f"Locate {mark}."])
    argv = command_for("code_eval_names.v", text)
    answer = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, encoding="utf-8")
    if answer.returncode:
        sys.exit(answer.returncode)
    parts = answer.stdout.split(f"No object of basename {mark}\n")[1:-1]
    return dict(zip(WORDS, zip(parts[::2], parts[1::2])))

def is_known(part):
    """Return whether the first object is one that a word means, without a prefix."""
    lines = part.splitlines()
    return bool(lines) and not lines[0].startswith("No ") and "(shorter name" not in "".join(lines[1:2])

tests, header = text_of(GIVEN), text_of(HEADER)
names, modules, others = [], [], []
for word, (here, there) in (located("code_eval_" + secrets.token_hex(8)) if WORDS else {}).items():
    if there.startswith("No "):
        continue
    if is_known(here):
        others.append(word)
    elif there.startswith("Module "):
        modules.append(word)
    else:
        names.append(word)
# The tests' own imports would take the name back.
if others and (names or modules or len(others) > 1 or OWN_HEADER or others[0] in %(reserved)r):
    sys.exit(f"Error: the tests use {others[0]} of Coq's library, and the candidate defines it too")
names += others
known = "Require candidate. " + "".join(f"Module {name} := candidate.{name}. " for name in modules)
if names:
    known += f"Import candidate({', '.join(names)}). "
argv = command_for("tests.v", known + header.replace("\n", " ") + tests)
os.execvp(argv[0], argv)
'''
RESERVED = (
    "True False eq eq_refl not and or iff ex all nat O S bool true false list nil cons option Some None prod pair unit "
    "tt sum inl inr comparison Eq Lt Gt Z Z0 Zpos Zneg positive xI xO xH N N0 Npos Q R string String EmptyString ascii "
    "Ascii le lt ge gt negb andb orb eqb"
).split()
"""Names that decide what a statement says, and are never the function that tests test."""

PROGRAM = f"""\
cat candidate.v - >program.v
exec {COMPILER} program.v
"""


def coq_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a candidate with tests: text by path."""
    code, plain = without_comments(candidate), without_comments(tests)
    imported = WORD.findall(" ".join(IMPORTED.findall(plain)))
    has_instances = bool(CLASS_EQUALITY.search(plain) and INSTANCE.search(code))
    values = {
        "given": GIVEN_FILE,
        "header": HEADER_FILE,
        "runner": RUNNER_FILE,
        "folder": TESTS_FOLDER,
        "compiler": COMPILER,
        "words": sorted({*WORD.findall(plain)} - KEYWORDS - {*imported}),
        "own_header": header_for(plain),
        "reserved": RESERVED,
        "refused": REFUSED if has_instances else "",
    }
    return {
        "candidate.v": candidate,
        GIVEN_FILE: tests,
        HEADER_FILE: header_for(code),
        RUNNER_FILE: RUNNER % values,
        BUILD_FILE: BUILD % values,
    }


def header_for(code: str) -> str:
    """Return the sentences of a text without comments that import Coq's library and open its scopes."""
    return "".join(taken_over(match) for each in SENTENCE.findall(code) if (match := LIBRARY.match(each)))


def taken_over(sentence: re.Match[str]) -> str:
    """Return a sentence for the tests' file; "" for a scope of the candidate's own."""
    if sentence["scope"]:
        return f"Open Scope {sentence['scope']}.\n" if sentence["scope"] in SCOPES else ""
    if sentence["modules"]:
        return f"Import{sentence['modules']}.\n"
    source = (sentence["source"] or "From Coq ").strip()
    names = [name.removeprefix("Coq.") for name in sentence["libraries"].split()]
    return f"{source} Require Import {' '.join(names)}.\n"


def without_comments(text: str) -> str:
    """Return a text without its comments, which may be in each other."""
    parts, place = [], 0
    while opening := COMMENT_OR_TEXT.search(text, place):
        parts.append(text[place : opening.start()])
        end = opening.end()
        if opening[0] == "(*":
            depth = 1
            while depth and (bracket := BRACKET.search(text, end)):
                depth, end = depth + (1 if bracket[0] == "(*" else -1), bracket.end()
            end = len(text) if depth else end
            parts.append(" ")
        else:
            parts.append(opening[0])
        place = end
    return "".join(parts) + text[place:]


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
