"""Tests in Haskell whose results are compared elsewhere, with right candidates and with wrong ones."""


def conditions(*texts, first=""):
    """Return tests in the shape of MultiPL-E, with these conditions."""
    lines = [f'  if {text} then pure () else error "assertion failed"\n' for text in texts]
    return f"{first}\nmain :: IO ()\nmain = do\n  let candidate = f\n{''.join(lines)}  pure ()"


VARIANTS = """\
module Main (main) where
import Control.Monad (when, unless)
import qualified Data.Map as M
import System.Exit
-- A comment.
main :: IO ()
main = do
  unless (f 2 == 3) $ error "no"
  when (f 3 /= 4 || not (even' 2)) $
    exitWith (ExitFailure 2)
  if f (-1) == 0 && even' 4 && not (even' 3)
    then return ()
    else exitFailure
  if mapped (\\x -> x + 1) (M.fromList [(1, 2)]) == [3] then pure () else fail "no"
  if 0 == (f (-1) :: Int) then pure () else ioError (userError "no")
  putStrLn "done"
"""
HONEST = {
    "integers of each type": (
        "import Data.Int\nimport Data.Word\nimport Numeric.Natural\nbig :: Int -> Integer\nbig n = 10 ^ n\n"
        "wrapped, f :: Int -> Int\nwrapped n = 10 ^ n\nf = id\nlow :: Int -> Word8\nlow = fromIntegral\n"
        "least :: Int -> Int8\nleast = fromIntegral\nword :: Int -> Word\nword = fromIntegral\n"
        "natural :: Int -> Natural\nnatural = fromIntegral\n",
        conditions(
            *("big 20 == 100000000000000000000", "wrapped 20 == 100000000000000000000", "low (-1) == 511"),
            *("least 200 == -56", "least 200 == 200", "word (-1) == (-1)", "natural 5 == 5", "candidate 7 == 007"),
        ),
    ),
    "numbers of each type": (
        "import Data.Complex\nimport Data.Ratio\nsingle :: Float -> Float -> Float\nsingle a b = a + b\n"
        "f :: Double -> Double -> Double\nf a b = a + b\npart :: Int -> Rational\npart n = 1 % toInteger n\n"
        "plane :: Double -> Complex Double\nplane a = a :+ 0\ntwice a = a * 2\n",
        conditions(
            *("single 0.1 0.2 == 0.30000000000000004", "single 16777216 0 == 16777217", "single 3e38 3e38 == 1e39"),
            *("candidate 0.1 0.2 == 0.30000000000000004", "candidate 0 (-0.0) == 0", "candidate 0 5e-324 == 5e-324"),
            *("candidate 9007199254740992 0 == 9007199254740993", "part 10 == 0.1", "part 1 == 1", "plane 2.5 == 2.5"),
            *("twice 2 == 4", "1.5 == twice 0.75"),
        ),
    ),
    "texts": (
        "f :: String -> String\nf = reverse\nsplit :: String -> [String]\nsplit = words\n",
        conditions(
            *('candidate "" == []', "candidate \"ab\" == ['b', 'a']", 'split "" == []', 'split "a b" == ["a", "b"]'),
            *('candidate "a\\128512é\\n" == "\\né\\x1F600\\&a"', 'candidate "\\"\\\\" == "\\\\\\""'),
        ),
    ),
    "data in data": (
        'f :: Int -> Maybe (Maybe Int)\nf 1 = Just Nothing\nf 2 = Nothing\nf n = Just (Just n)\npairs n = [("a", n)]\n'
        'half :: Int -> Either String Int\nhalf n = if odd n then Left "odd" else Right (div n 2)\n'
        "all' :: Int -> (Ordering, (), Bool, Char, [[Int]])\nall' n = (LT, (), True, 'c', [[], [n]])\n",
        conditions(
            *("candidate 1 == Just Nothing", "candidate 2 == Nothing", "candidate (-3) == Just (Just (-3))"),
            *('pairs 3 == [("a", 3)]', 'half 3 == Left "odd"', "half 4 == Right 2"),
            "all' 1 == (LT, (), True, 'c', [[], [1]])",
        ),
    ),
    "one function at several types": (
        "rest :: [a] -> [a]\nrest = drop 1\nmirrored :: (Read a, Show a, Num a) => a -> a\n"
        "mirrored = read . reverse . show\n",
        'main = do\n  if rest [1] == [] then pure () else error "no"\n'
        '  if rest "ab" == "b" then pure () else error "no"\n'
        '  if mirrored 12 == 21 then pure () else error "no"\n  if mirrored 1.5 == 5.1 then pure () else error "no"\n',
    ),
    "other names": (
        "f :: Int -> Int\nf n = n\nqualified :: IO ()\nqualified = pure ()\ndata T = T\nvalue, text :: T\nvalue = T\n"
        "text = T\n",
        conditions("candidate 2 == 2"),
    ),
    "conditions": (
        "import qualified Data.Map as M\nf :: Int -> Int\nf = (+ 1)\neven' :: Int -> Bool\neven' = even\n"
        "mapped :: (Int -> Int) -> M.Map Int Int -> [Int]\nmapped g = map g . M.elems\n",
        VARIANTS,
    ),
    "a condition that must not hold": ("f = (+ 1)\n", 'main = if f 2 /= 3\n  then fail "no" else return ()\n'),
}
"""{name: (right candidate, tests)}"""

WRONG = {
    "a text with a line of results": (
        'f :: Int -> String\nf _ = "\\n[[\\"b\\"]]\\n"\n',
        conditions('candidate 1 == "b"'),
    ),
    "one text in place of two": (
        'f :: Int -> [String]\nf _ = ["a\\",\\"b"]\n',
        conditions('candidate 1 == ["a", "b"]'),
    ),
    "two halves of a character": (
        'f :: Int -> String\nf _ = "\\xd83d\\xde00"\n',
        conditions('candidate 1 == "\\x1f600"'),
    ),
    "a message with results": (
        'import Debug.Trace\nf :: Int -> Int\nf _ = trace "\\n[5]\\n" 6\n',
        conditions("candidate 1 == 5"),
    ),
    "an error with results": ('f :: Int -> Int\nf _ = error "\\n[5]\\n"\n', conditions("candidate 1 == 5")),
    "a rule for numbers' texts": (
        '{-# RULES "five" forall (n :: Int). show n = "5" #-}\nf :: Int -> Int\nf _ = 6\n',
        conditions("candidate 1 == 5"),
    ),
    "functions with our names": (
        'codeEvalLike _ _ = "5"\ncodeEvalNamed _ _ = "5"\nf :: Int -> Integer\nf _ = 6\n',
        conditions("candidate 1 == 5"),
    ),
    "a class with our name": (
        "class CodeEvalData a where codeEvalText :: a -> String\n"
        'instance CodeEvalData Int where codeEvalText _ = "5"\nf :: Int -> Int\nf _ = 6\n',
        conditions("candidate 1 == 5"),
    ),
    "no number": ("f :: Int -> Double\nf _ = 0 / 0\n", conditions("candidate 1 == 5.0")),
    "a list without end": ("f :: Int -> [Int]\nf _ = [5 ..]\n", conditions("candidate 1 == [5, 6]")),
    "lists without end in a list": (
        "f :: Int -> (Int, [[Int]])\nf _ = (1, repeat [1 ..])\n",
        conditions("candidate 1 == (1, [[1]])"),
    ),
    "a long number": ("f :: Int -> Integer\nf _ = 10 ^ 100000\n", conditions("candidate 1 == 5")),
    "an error in a list": ("f :: Int -> [Int]\nf _ = [1, undefined]\n", conditions("candidate 1 == [1, 2]")),
    "nothing in something": (
        "f :: Int -> Maybe (Maybe Int)\nf _ = Just Nothing\n",
        conditions("candidate 1 == Nothing"),
    ),
    "something in nothing": (
        "f :: Int -> Maybe (Maybe Int)\nf _ = Nothing\n",
        conditions("candidate 1 == Just Nothing"),
    ),
    "the other side": ("f :: Int -> Either Int Int\nf _ = Left 5\n", conditions("candidate 1 == Right 5")),
    "the next integer": (
        "f :: Int -> Int\nf _ = 9007199254740992\n",
        conditions("candidate 1 == 9007199254740993"),
    ),
    "the next Float": ("f :: Int -> Float\nf _ = 0.30000004\n", conditions("candidate 1 == 0.3")),
    "a Double that is a Float": ("f :: Int -> Double\nf _ = 0.30000001192092896\n", conditions("candidate 1 == 0.3")),
    "an Integer that is cut off": (
        "f :: Int -> Integer\nf _ = 7766279631452241920\n",
        conditions("candidate 1 == 100000000000000000000"),
    ),
    "a rational number that is a Double": (
        "f :: Int -> Rational\nf _ = toRational (0.1 :: Double)\n",
        conditions("candidate 1 == 0.1"),
    ),
    "an imaginary part": (
        "import Data.Complex\nf :: Int -> Complex Double\nf _ = 5 :+ 1\n",
        conditions("candidate 1 == 5"),
    ),
    "True": ("f :: Int -> Bool\nf _ = True\n", conditions("not (candidate 1)")),
}
"""{name: (wrong candidate, tests)}"""

MISTYPED = {
    "a Boolean for a number": ("f :: Int -> Bool\nf _ = True\n", conditions("candidate 1 == 1")),
    "a number for a condition": ("f :: Int -> Int\nf _ = 1\n", conditions("candidate 1")),
    "a text for a character": ('f :: Int -> String\nf _ = "a"\n', conditions("candidate 1 == 'a'")),
    "an integer for another number": ("f :: Int -> Int\nf _ = 1\n", conditions("candidate 1 == 1.0")),
    "a function": ("f :: Int -> Int -> Int\nf _ _ = 1\n", conditions("candidate 1 == 1")),
    "a method with our name": (
        'f :: Int -> Int\nf _ = 6\ncodeEvalText :: Int -> String\ncodeEvalText _ = "5"\n',
        conditions("candidate 1 == 5"),
    ),
}
"""{name: (candidate that does not compile with the tests, tests)}"""
