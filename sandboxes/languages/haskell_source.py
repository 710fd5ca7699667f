"""Texts in Haskell: their comments, and the functions that every module has. Used by `haskell` and `apart.haskell`."""

from __future__ import annotations

import re

# A comment is blanked, also within another; an open one goes on to the end.
# A pragma of a declaration is none.
OPENING = re.compile(
    r"\{-(?!#\s*(?!(?i:LANGUAGE|OPTIONS|INCLUDE))[A-Za-z])|--+(?![!#$%&*+./<=>?@\\^|~:])|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])'",
    re.DOTALL,
)
BRACKET = re.compile(r"\{-|-\}")

PRELUDE = frozenset(
    """
    abs acos acosh all and any appendFile asTypeOf asin asinh atan atan2 atanh break ceiling compare concat concatMap
    const cos cosh curry cycle decodeFloat div divMod drop dropWhile either elem encodeFloat enumFrom enumFromThen
    enumFromThenTo enumFromTo error errorWithoutStackTrace even exp exponent fail filter flip floatDigits floatRadix
    floatRange floor fmap foldMap foldl foldl1 foldr foldr1 fromEnum fromInteger fromIntegral fromRational fst gcd
    getChar getContents getLine head id init interact ioError isDenormalized isIEEE isInfinite isNaN isNegativeZero
    iterate last lcm length lex lines log logBase lookup map mapM mapM_ mappend max maxBound maximum maybe mconcat
    mempty min minBound minimum mod negate not notElem null odd or otherwise pi pred print product properFraction pure
    putChar putStr putStrLn quot quotRem read readFile readIO readList readLn readParen reads readsPrec realToFrac
    recip rem repeat replicate return reverse round scaleFloat scanl scanl1 scanr scanr1 seq sequence sequenceA
    sequence_ show showChar showList showParen showString shows showsPrec significand signum sin sinh snd span splitAt
    sqrt subtract succ sum tail take takeWhile tan tanh toEnum toInteger toRational traverse truncate uncurry undefined
    unlines until unwords unzip unzip3 userError words writeFile zip zip3 zipWith zipWith3
    """.split()
)
"""The functions that every module has. Tests mean these, unless the candidate's is the one that they test."""


def without_comments(text: str) -> str:
    """Return a text whose comments are blanks. Everything else stands where it was."""
    parts, place = [], 0
    while opening := OPENING.search(text, place):
        parts.append(text[place : opening.start()])
        end = opening.end()
        if opening[0] == "{-":
            depth = 1
            while depth and (bracket := BRACKET.search(text, end)):
                depth, end = depth + (1 if bracket[0] == "{-" else -1), bracket.end()
            end = len(text) if depth else end
        elif opening[0].startswith("--"):
            end = text.find("\n", end) % (len(text) + 1)
        skipped = text[opening.start() : end]
        parts.append(skipped if skipped[0] in "\"'" else re.sub(r"[^\n]", " ", skipped))
        place = end
    return "".join(parts) + text[place:]
