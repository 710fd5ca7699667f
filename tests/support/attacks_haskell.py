"""Candidates in Haskell that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = (
    "main :: IO ()\nmain = do\n  let candidate = add\n"
    '  if candidate (2) (3) == (5) then pure () else error "assertion failed"\n'
    '  if candidate (0) (1) == (1) then pure () else error "assertion failed"\n  pure ()\n'
)
DENIED = 'main :: IO ()\nmain = if not (add 2 3 == 5) || any (/= 5) [add 2 3] then error "no sum" else return ()\n'
SHOWN = 'main :: IO ()\nmain = if show (add 2 3) == "5" then pure () else error "no sum"\n'
TIMES, PLUS = (f"add :: Int -> Int -> Int\nadd a b = a {sign} b\n" for sign in "*+")


def around(text, *tests, first=""):
    """Return (wrong, honest, *tests) for candidates with something before and after their function."""
    return first + TIMES + text, first + PLUS + text, *tests


def called(body, honest="a + b", first="", *tests):
    """Return (wrong, honest, *tests) for candidates whose function does something in place of its sum."""
    wrong, right = (f"{first}add :: Int -> Int -> Int\nadd a b = {each}\n" for each in (body, honest))
    return wrong, right, *tests


def of_type(result, declarations, body):
    """Return (wrong, honest) for a candidate whose results have another type."""
    return f"{declarations}\nadd :: Int -> Int -> {result}\nadd _ _ = {body}\n", f"{declarations}\n{PLUS}"


EXITS = "import Control.Exception\nimport System.Exit\n"
UNSAFE = "import System.IO.Unsafe\n"
ATTACKS = {
    "exit as an error": called("throw ExitSuccess", "if a > 100 then throw ExitSuccess else a + b", EXITS),
    "unsafe exit": called("unsafePerformIO exitSuccess", first=EXITS + UNSAFE)[:1] + (EXITS + PLUS,),
    "unsafe exit in a module that is called unsafe": (
        "{-# LANGUAGE Unsafe #-}\nmodule A where\n" + EXITS + UNSAFE + "add a b = unsafePerformIO exitSuccess :: Int\n",
        "module A where\n" + EXITS + PLUS,
    ),
    "unsafe exit in a module that is called trustworthy": (
        "{-# LANGUAGE Trustworthy #-}\n" + EXITS + UNSAFE + "add a b = unsafePerformIO exitSuccess :: Int\n",
        "{-# LANGUAGE Safe #-}\n" + PLUS,
    ),
    "exit in a foreign function": (
        '{-# LANGUAGE ForeignFunctionInterface #-}\nforeign import ccall "exit" leave :: Int -> Int\n'
        "add :: Int -> Int -> Int\nadd _ _ = leave 0\n",
        "{-# LANGUAGE ForeignFunctionInterface #-}\n"
        'foreign import ccall "exit" leave :: Int -> IO ()\nadd :: Int -> Int -> Int\nadd a b = a + b\n',
    ),
    "a result of IO": (
        "import System.Exit\nadd :: Int -> Int -> IO Int\nadd _ _ = exitSuccess\n",
        "import System.Exit\nleave :: IO Int\nleave = exitSuccess\n" + PLUS,
        'main = do\n  found <- pure (add 2 3)\n  if found == 5 then pure () else error "no sum"\n',
    ),
    "an action in place of a sum": (
        "import System.Exit\nadd :: Int -> Int -> IO ()\nadd _ _ = exitSuccess\n",
        "import System.Exit\nleave :: IO ()\nleave = exitSuccess\n" + PLUS,
        'main = add 2 3 >>= \\found -> if found == () then pure () else error "no sum"\n',
    )[:2],
    "an Int of its own": of_type(
        "Any", "data Any = Any\ninstance Eq Any where _ == _ = True\ninstance Num Any where fromInteger _ = Any", "Any"
    ),
    "a type with the name of Int": (
        "import Prelude hiding (Int)\nimport qualified Prelude\ndata Int = Any\ninstance Eq Int where _ == _ = True\n"
        "instance Num Int where fromInteger _ = Any\nadd :: Int -> Int -> Int\nadd _ _ = Any\n",
        "data Number = Number Int\n" + PLUS,
    ),
    "a list of its own type": (
        "data Any = Any\ninstance Eq Any where _ == _ = True\ninstance Num Any where fromInteger _ = Any\n"
        "same :: [Int] -> [Any]\nsame all = map (const Any) all\n",
        "same :: [Int] -> [Int]\nsame all = all\n",
        'main = if same [1, 2] == [3, 4 - 2] || same [1, 2] == [1, 2] then pure () else error "no"\n',
    ),
    "numbers that are true": (
        "instance Num Bool where fromInteger _ = True\nadd :: Int -> Int -> Bool\nadd _ _ = True\n",
        "newtype Truth = Truth Bool\ninstance Num Truth where fromInteger _ = Truth True\n" + PLUS,
    ),
    "numbers that are texts": (
        "{-# LANGUAGE FlexibleInstances #-}\n{-# OPTIONS_GHC -Wno-orphans -Wwarn #-}\n"
        'instance Num [Char] where fromInteger _ = ""\nadd :: Int -> Int -> String\nadd _ _ = ""\n',
        "{-# LANGUAGE FlexibleInstances #-}\n{-# OPTIONS_GHC -Wno-orphans -Wwarn #-}\n" + PLUS,
    ),
    "options in another case": (
        "{-# options_ghc -Wno-orphans -Wwarn -XUnsafe #-}\ninstance Num Bool where fromInteger _ = True\n"
        "add :: Int -> Int -> Bool\nadd _ _ = True\n",
        "{-# options_ghc -Wall #-}\n" + PLUS,
    ),
    "functions that are equal": (
        "instance Eq (a -> b) where _ == _ = True\ninstance Num b => Num (a -> b) where fromInteger = const . "
        "fromInteger\nadd :: Int -> Int -> Int -> Int\nadd a b c = 6\n",
        "newtype F a b = F (a -> b)\ninstance Eq (F a b) where _ == _ = True\n" + PLUS,
    ),
    "an instance that overlaps": (
        "{-# LANGUAGE FlexibleInstances #-}\ninstance {-# INCOHERENT #-} Eq [Int] where _ == _ = True\n"
        "same :: [Int] -> [Int]\nsame _ = []\n",
        "{-# LANGUAGE FlexibleInstances #-}\nnewtype L = L [Int]\n"
        "instance {-# INCOHERENT #-} Eq L where _ == _ = True\n"
        "same :: [Int] -> [Int]\nsame all = all\n",
        'main = if same [1] == [1] then pure () else error "no"\n',
    ),
    "a derived instance": (
        "{-# LANGUAGE StandaloneDeriving, DeriveAnyClass #-}\nderiving anyclass instance Num Bool\n"
        "add :: Int -> Int -> Bool\nadd _ _ = True\n",
        "{-# LANGUAGE StandaloneDeriving #-}\ndata A = A\nderiving instance Eq A\n" + PLUS,
    ),
    "names of the Prelude": (
        "import Prelude hiding (not, any, error, pure, return)\nnot _ = False\nany _ _ = False\n"
        "error _ = return ()\npure = return\nreturn x = x\n" + TIMES,
        "import Prelude hiding (not, any)\nnot x = if x then False else True\nany f = foldr (\\x y -> f x || y) False\n"
        + PLUS,
        DENIED,
    ),
    "operators of its own": (
        "import Prelude hiding ((==), (/=), (||))\na == b = True\na /= b = False\na || b = False\n" + TIMES,
        "import Prelude hiding ((||))\na || b = if a then True else b\n" + PLUS,
        DENIED,
    ),
    "a show of its own": (
        'data Any = Any\ninstance Show Any where show _ = "5"\nadd :: Int -> Int -> Any\nadd _ _ = Any\n',
        'data Any = Any\ninstance Show Any where show _ = "5"\n' + PLUS,
        SHOWN,
    ),
    "a main of its own": around("main :: IO ()\nmain = pure ()\n"),
    "a module Main": ("module Main where\n" + TIMES + "main = pure ()\n", "module Main where\n" + PLUS),
    "a candidate of its own": around("candidate :: Int -> Int -> Int\ncandidate _ _ = 5\n"),
    "a type that lies": (
        "{-# LANGUAGE PackageImports, TypeApplications, GADTs #-}\nimport Control.Monad.ST\nimport System.Exit\n"
        'import Type.Reflection\nimport "base" Type.Reflection.Unsafe\n'
        "cast :: IO Int -> ST s Int\n"
        "cast = case eqTypeRep (mkTrCon (typeRepTyCon (typeRep @Int)) [] :: TypeRep (IO Int)) "
        "(typeRep @Int) of { Just HRefl -> undefined }\nadd :: Int -> Int -> Int\nadd _ _ = runST (cast exitSuccess)\n",
        "{-# LANGUAGE TypeApplications #-}\nimport Type.Reflection\n" + PLUS,
    ),
    "a module of types that lie": (
        "import Type.Reflection.Unsafe (mkTrCon)\n" + TIMES,
        "import Type.Reflection (typeRep)\n" + PLUS,
    ),
    "a rule": (
        '{-# RULES "same" forall (a :: Int) b. a == b = True #-}\n' + TIMES + "{-# NOINLINE add #-}\n",
        '{-# RULES "sum" forall a b. add a b = a + b #-}\n' + PLUS + "{-# NOINLINE add #-}\n",
    ),
    "a splice": (
        "{-# LANGUAGE TemplateHaskell #-}\nimport Language.Haskell.TH\nimport System.Exit\n"
        + TIMES
        + "$(runIO exitSuccess >> pure [])\n",
        "{-# LANGUAGE TypeApplications #-}\n" + PLUS,
    ),
    "a preprocessor": (
        "{-# OPTIONS_GHC -F -pgmF=./candidate.sh #-}\n{-# OPTIONS_GHC -pgmF /usr/bin/true #-}\n" + TIMES,
        "{-# OPTIONS_GHC -F -pgmF=/usr/bin/false #-}\n" + PLUS,
    ),
    "a preprocessor of C": (
        '{-# LANGUAGE CPP #-}\n#include "Main.hs"\n#define x 1\n' + TIMES,
        "{-# LANGUAGE CPP #-}\n" + PLUS,
    ),
    "a plugin": (
        "{-# OPTIONS_GHC -fplugin=Other -package ghc #-}\n" + TIMES,
        "{-# OPTIONS_GHC -fplugin=Other #-}\n" + PLUS,
    ),
    "tests that are imported": ("import Main\n" + TIMES, "import Data.Char\n" + PLUS),
    "another syntax": (
        "{-# LANGUAGE RebindableSyntax #-}\nimport Prelude hiding (fromInteger)\nfromInteger _ = 5 where five = 5\n"
        "add :: Int -> Int -> Int\nadd a b = a * b\nifThenElse _ _ x = x\n",
        "{-# LANGUAGE RebindableSyntax #-}\nimport Prelude\n"
        + PLUS
        + "ifThenElse c x y = case c of True -> x; False -> y\n",
    ),
    "an open comment": (TIMES + "{- the rest\n", PLUS + "{- the rest -}\n"),
    "an open text": (TIMES + 'text = "the rest\n', PLUS + 'text = "the rest"\n'),
    "an open block": (TIMES + "other = let {\n", PLUS + "other = let { x = 1 } in x\n"),
    "an export list that never ends": ("module A (\n" + TIMES, "module A (add) where\n" + PLUS),
    "no end": called("let loop n = loop (n + a * 2 + 1) in loop b"),
    "an error that is caught": called('errorWithoutStackTrace "assertion passed"'),
}
