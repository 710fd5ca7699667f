"""Haskell. Candidate and tests are one program, and the compiler keeps them apart: the candidate is Safe Haskell.

A candidate has no way to run IO when a function of its is called: the safe language has no unsafe operations, and tests
can't use a function with another result than plain data. So it can't leave, wait for the tests' end, or read memory.
Its own types have no place in a result, and it declares no instances for types and classes of others: it has no say in
what literals and equality mean to the tests.
"""

from __future__ import annotations

import re

from sandboxes.contract import Limits
from sandboxes.languages.apart.haskell import haskell_tests
from sandboxes.languages.base import Language, Recipe, fixed_build, heap_mb
from sandboxes.languages.comments import HASKELL_COMMENTS
from sandboxes.languages.haskell_source import PRELUDE, without_comments
from sandboxes.languages.native import build_tag
from sandboxes.languages.steps import Command

ENTRY_POINT = re.compile(r"\bcandidate\s*=\s*([a-z_][\w']*)")
# A name with a module is not the candidate's.
WORD = re.compile(r"(?<![\w.'])[a-z_][\w']*")
IMPORT_OR_TEXT = re.compile(r"^import\b.*|\"(?:\\.|[^\"\\\n])*\"", re.MULTILINE)
# A line that defines or declares functions. An operator between two arguments is none of them.
DEFINITION = re.compile(
    r"^([a-z_][\w']*+)((?:[ \t]*+,[ \t]*+[a-z_][\w']*+)*+)(?=[ \t]*+(?:$|::|=(?![=<>])|\|(?!\|)|[\w\"'(\[~!@]))",
    re.MULTILINE,
)
NO_NAMES = frozenset(
    "case class data default deriving do else foreign if import in infix infixl infixr instance let module newtype of "
    "pattern then type where".split()
)
PRAGMA_OF_OPTIONS = re.compile(r"\{-#(?=\W*(?:OPTIONS|INCLUDE))", re.IGNORECASE)
# Extensions that read other files, call what is no function, and reach modules that OTHER_MODULES replaces.
REFUSED_EXTENSIONS = re.compile(r"\b(?:CPP|GHCForeignImportPrim|PackageImports)\b")
HEADER = re.compile(r"module\s+[\w.']+\s*(?:\((?:[^()]|\((?:[^()]|\([^()]*+\))*+\))*+\)\s*)?where\b")
SAFE = '{-# LANGUAGE Safe #-} {-# OPTIONS_GHC -Werror=orphans #-} {-# LINE 1 "candidate.hs" #-}'

# A result of a candidate's function has a type of this class, which the candidate can't name. The
# compiler decides that: a comparison of the candidate's own would not even look at the result.
PLAIN = """\
{-# LANGUAGE FlexibleContexts, FlexibleInstances, NoMonomorphismRestriction #-}
{-# OPTIONS_GHC -O0 #-}
module CodeEvalNames%(tag)s where
import qualified Prelude as P
import qualified Candidate
import qualified Data.Array
import qualified Data.ByteString
import qualified Data.Complex
import qualified Data.Int
import qualified Data.IntMap
import qualified Data.IntSet
import qualified Data.List.NonEmpty
import qualified Data.Map
import qualified Data.Ratio
import qualified Data.Sequence
import qualified Data.Set
import qualified Data.Text
import qualified Data.Word
import qualified Numeric.Natural
class Plain%(tag)s a
%(instances)s
sealed%(tag)s :: Plain%(tag)s a => a -> a
sealed%(tag)s x = x
%(names)s
"""
PLAIN_TYPES = (
    *("P.Bool", "P.Char", "P.Double", "P.Float", "P.Int", "P.Integer", "P.Ordering", "P.Word", "()"),
    *(f"Data.{kind}.{kind}{bits}" for kind in ("Int", "Word") for bits in (8, 16, 32, 64)),
    *("Data.ByteString.ByteString", "Data.IntSet.IntSet", "Data.Text.Text", "Numeric.Natural.Natural"),
)
PLAIN_OF_OTHERS = {
    "a": ("[a]", "P.Maybe a", "Data.Set.Set a", "Data.Sequence.Seq a", "Data.IntMap.IntMap a", "Data.Ratio.Ratio a")
    + ("Data.Complex.Complex a", "Data.List.NonEmpty.NonEmpty a"),
    "a b": ("(a, b)", "P.Either a b", "Data.Map.Map a b", "Data.Array.Array a b"),
    "a b c": ("(a, b, c)",),
    "a b c d": ("(a, b, c, d)",),
    "a b c d e": ("(a, b, c, d, e)",),
    "a b c d e f": ("(a, b, c, d, e, f)",),
    "a b c d e f g": ("(a, b, c, d, e, f, g)",),
}

# Modules that are not safe because of functions that few use, or that can't do harm here. A candidate that imports one
# of them gets this one.
SAFE_PART = """\
{-# LANGUAGE Safe #-}
module Data.Array.%(name)s (module Data.Array.%(name)s.Safe) where
import Data.Array.%(name)s.Safe
"""
TRUSTED = """\
{-# LANGUAGE Trustworthy, PackageImports #-}
module %(name)s (module M) where
import "base" %(name)s as M
"""
OTHER_MODULES = {
    **{f"Data/Array/{name}.hs": SAFE_PART % {"name": name} for name in ("ST", "MArray", "IO")},
    # These are called safe, and have types that lie and functions of the compiler's own.
    **{
        f"{name.replace('.', '/')}.hs": f"module {name} where\n"
        for name in ("Type.Reflection.Unsafe", "GHC.Magic", "GHC.Desugar", "GHC.IO.Handle.Internals")
    },
    **{f"{name.replace('.', '/')}.hs": TRUSTED % {"name": name} for name in ("Debug.Trace", "Data.Coerce")},
}

# Takes the completion token before the tests begin, and writes it after their end.
MAIN = """\
{-# OPTIONS_GHC -O0 #-}
module Main (main) where
import qualified CodeEvalTests%(tag)s
import qualified System.IO as IO
main :: IO ()
main = do
  token <- IO.hGetLine IO.stdin
  CodeEvalTests%(tag)s.main%(tag)s
  IO.hFlush IO.stdout
  IO.hPutStr IO.stdout token
  IO.hFlush IO.stdout
"""


def haskell_files(candidate: str, tests: str) -> dict[str, str]:
    """Return the files of a program with tests: text by path. Functions that the tests do not name are not called."""
    tag = build_tag(candidate, tests)
    if not tests.strip():
        candidate, tests = "", candidate
    tested = {*ENTRY_POINT.findall(tests)}
    names = sorted(
        defined_names(candidate)
        & {*WORD.findall(IMPORT_OR_TEXT.sub("", without_comments(tests)))} - (PRELUDE - tested) - defined_names(tests)
    )
    hidden = ", ".join(sorted({*names} & PRELUDE))
    imports = f"import Prelude hiding ({hidden})\nimport CodeEvalNames{tag} ({', '.join(names)})\n"
    imports += f"import qualified Prelude as P{tag}\n"
    # Elsewhere than in Main, nothing else says that `main` is an action.
    tests += f"\nmain{tag} :: P{tag}.IO ()\nmain{tag} = main P{tag}.>> P{tag}.return ()\n"
    # A polymorphic function has a constraint of ours, for which these rules find a type.
    rules = '{-# LANGUAGE ExtendedDefaultRules #-} {-# OPTIONS_GHC -O0 #-} {-# LINE 1 "tests.hs" #-}'
    shown = {
        "tag": tag,
        "instances": plain_instances(tag),
        "names": "\n".join(f"{name} = sealed{tag} Candidate.{name}" for name in names),
    }
    return {
        "Candidate.hs": SAFE + as_module(without_options(candidate), "Candidate", "", "candidate.hs"),
        f"CodeEvalNames{tag}.hs": PLAIN % shown,
        f"CodeEvalTests{tag}.hs": rules + as_module(tests, f"CodeEvalTests{tag}", imports, "tests.hs"),
        "Main.hs": MAIN % shown,
        **OTHER_MODULES,
    }


def plain_instances(tag: str) -> str:
    """Return the instances of the class of plain data. What a function is given comes from the tests."""
    kinds = [("", name) for name in PLAIN_TYPES]
    kinds += [(variables, name) for variables, names in PLAIN_OF_OTHERS.items() for name in names]
    return "\n".join(plain_instance(tag, *kind) for kind in [*kinds, ("b", "a -> b")])


def plain_instance(tag: str, variables: str, name: str) -> str:
    """Return the instance of a type whose parts are of the types that the variables name."""
    context = ", ".join(f"Plain{tag} {variable}" for variable in variables.split())
    return f"instance ({context}) => Plain{tag} ({name})"


def without_options(candidate: str) -> str:
    """Return a candidate without its options for the compiler, which could make it run programs or drop checks."""
    candidate = PRAGMA_OF_OPTIONS.sub("{- ", candidate)
    return REFUSED_EXTENSIONS.sub("Haskell2010", candidate) if "{-#" in candidate else candidate


def as_module(text: str, name: str, imports: str, file: str) -> str:
    """Return a text as the module of a name, with all of its names exported and more imports.

    Args:
        text: source.
        name: of the module.
        imports: lines.
        file: the name of the text in messages.
    """
    plain = without_comments(text)
    begin = len(plain) - len(plain.lstrip())
    header = HEADER.match(plain, begin)
    end = header.end() if header else begin
    line = text.count("\n", 0, end) + 1
    # The rest begins in the column where it began.
    column = end - (text.rfind("\n", 0, end) + 1)
    rest = f'{{-# LINE {line} "{file}" #-}}\n{" " * column}{text[end:]}'
    return f"{text[:begin]}\nmodule {name} where\n{imports}{rest}"


def defined_names(candidate: str) -> set[str]:
    """Return the names of functions that a candidate defines."""
    found = DEFINITION.findall(without_comments(candidate))
    return {name for first, others in found for name in (first, *WORD.findall(others))} - NO_NAMES


def run_program(limits: Limits) -> Command:
    """Return the command that runs a program. It ends with status 251 when out of heap."""
    argv = ("./program", "+RTS", f"-M{heap_mb(limits)}m", "-RTS")
    return Command(argv, limits, reserves_memory=True, memory_status=251)


COMPILER = ("ghc", "-v0", "-w", "-O1", "-rtsopts", "-o", "program")

HASKELL = Language(
    name="haskell",
    label="Haskell",
    with_tests=Recipe(haskell_files, fixed_build((*COMPILER, "Main.hs")), run_program, sources=(".hs",)),
    standalone=Recipe(
        lambda candidate, tests: {"candidate.hs": candidate}, fixed_build((*COMPILER, "candidate.hs")), run_program
    ),
    version=lambda: ("ghc", "--version"),
    package="ghc",
    image="haskell:9, with Python",
    highlight="python",
    canary=("add :: Int -> Int -> Int\nadd a b = a + b", 'main = if add 2 3 == 5 then pure () else error "no sum"'),
    plain_tests=haskell_tests,
    comments=HASKELL_COMMENTS,
    aliases=("hs",),
    tools=("ghc", "gcc", "ld"),
    # The compiler starts as a script, and finds its packages in another folder of Debian's.
    paths=("/bin/sh", "/var/lib/ghc"),
)
