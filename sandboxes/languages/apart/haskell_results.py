"""The part of tests in Haskell that writes results as JSON. Used by `haskell`.

Numbers are written with their types, as the checker "results" reads them: a literal means another number in each type.
An empty text is an empty list, and `Just 5` is {"Just": 5}.
"""

IMPORTS = "\n".join(
    f"import qualified {name}"
    for name in ("Data.Complex", "Data.Int", "Data.Ratio", "Data.Word", "GHC.Float", "Numeric.Natural", "Prelude")
)

# The names are those of the library, whatever the candidate and the tests call their own.
HEAD = """\
codeEvalLike :: (Prelude.Eq codeEvalA, CodeEvalData codeEvalA) => codeEvalA -> codeEvalA -> Prelude.String
codeEvalLike codeEvalX _ = codeEvalText codeEvalX

codeEvalSay :: Prelude.Int -> [Prelude.String] -> Prelude.IO ()
codeEvalSay codeEvalMost codeEvalAll =
  Prelude.putStr ("\\n" Prelude.++ codeEvalTexts (Prelude.map codeEvalShort codeEvalAll) Prelude.++ "\\n")
  where
    codeEvalShort codeEvalX = case Prelude.drop codeEvalMost codeEvalX of
      [] -> codeEvalX
      _ -> "{\\"...\\":null}"

codeEvalTexts :: [Prelude.String] -> Prelude.String
codeEvalTexts [] = "[]"
codeEvalTexts (codeEvalX : codeEvalRest) =
  "[" Prelude.++ codeEvalX Prelude.++ Prelude.concatMap (',' :) codeEvalRest Prelude.++ "]"

codeEvalNamed :: Prelude.String -> Prelude.String -> Prelude.String
codeEvalNamed codeEvalName codeEvalX =
  "{\\"" Prelude.++ codeEvalName Prelude.++ "\\":" Prelude.++ codeEvalX Prelude.++ "}"

codeEvalQuoted :: Prelude.String -> Prelude.String
codeEvalQuoted codeEvalX = "\\"" Prelude.++ Prelude.concatMap codeEvalChar codeEvalX Prelude.++ "\\""

-- All of it is ASCII, whatever the encoding of the output is. A half of a pair of UTF-16 makes no pair with another.
codeEvalChar :: Prelude.Char -> Prelude.String
codeEvalChar codeEvalX
  | codeEvalX Prelude.== '\\34' Prelude.|| codeEvalX Prelude.== '\\92' = ['\\92', codeEvalX]
  | codeEvalX Prelude.>= ' ' Prelude.&& codeEvalX Prelude.< '\\DEL' = [codeEvalX]
  | codeEvalX Prelude.>= '\\xD800' Prelude.&& codeEvalX Prelude.<= '\\xDFFF' = codeEvalUnit 0xD800
  | codeEvalX Prelude.<= '\\xFFFF' = codeEvalUnit codeEvalN
  | Prelude.otherwise =
      codeEvalUnit (0xD7C0 Prelude.+ Prelude.div codeEvalN 0x400)
        Prelude.++ codeEvalUnit (0xDC00 Prelude.+ Prelude.mod codeEvalN 0x400)
  where codeEvalN = Prelude.fromEnum codeEvalX

codeEvalUnit :: Prelude.Int -> Prelude.String
codeEvalUnit codeEvalN =
  "\\\\u" Prelude.++ Prelude.map codeEvalDigit [4096, 256, 16, 1]
  where codeEvalDigit codeEvalD = "0123456789abcdef" Prelude.!! Prelude.mod (Prelude.div codeEvalN codeEvalD) 16

class CodeEvalData codeEvalA where
  codeEvalText :: codeEvalA -> Prelude.String
  codeEvalList :: [codeEvalA] -> Prelude.String
  codeEvalList codeEvalX = codeEvalTexts (Prelude.map codeEvalText codeEvalX)

instance CodeEvalData Prelude.Bool where
  codeEvalText codeEvalX = if codeEvalX then "true" else "false"

instance CodeEvalData Prelude.Char where
  codeEvalText codeEvalX = codeEvalQuoted [codeEvalX]
  codeEvalList [] = "[]"
  codeEvalList codeEvalX = codeEvalQuoted codeEvalX

instance CodeEvalData Prelude.Ordering where
  codeEvalText codeEvalX = codeEvalQuoted (Prelude.show codeEvalX)

instance CodeEvalData Prelude.Int where
  codeEvalText = Prelude.show

instance CodeEvalData Prelude.Float where
  codeEvalText codeEvalX = codeEvalNamed "Float" (Prelude.show (GHC.Float.float2Double codeEvalX))

instance CodeEvalData codeEvalA => CodeEvalData [codeEvalA] where
  codeEvalText = codeEvalList

instance CodeEvalData codeEvalA => CodeEvalData (Prelude.Maybe codeEvalA) where
  codeEvalText Prelude.Nothing = "null"
  codeEvalText (Prelude.Just codeEvalX) = codeEvalNamed "Just" (codeEvalText codeEvalX)

instance (CodeEvalData codeEvalA, CodeEvalData codeEvalB) => CodeEvalData (Prelude.Either codeEvalA codeEvalB) where
  codeEvalText (Prelude.Left codeEvalX) = codeEvalNamed "Left" (codeEvalText codeEvalX)
  codeEvalText (Prelude.Right codeEvalX) = codeEvalNamed "Right" (codeEvalText codeEvalX)

instance Prelude.Integral codeEvalA => CodeEvalData (Data.Ratio.Ratio codeEvalA) where
  codeEvalText codeEvalX = codeEvalNamed "Ratio" (codeEvalTexts (Prelude.map codeEvalPart codeEvalParts))
    where
      codeEvalPart codeEvalY = Prelude.show (Prelude.toInteger codeEvalY)
      codeEvalParts = [Data.Ratio.numerator codeEvalX, Data.Ratio.denominator codeEvalX]

-- A number without an imaginary part is equal to the same literals as its real part.
instance (Prelude.Eq codeEvalA, Prelude.Num codeEvalA, CodeEvalData codeEvalA)
    => CodeEvalData (Data.Complex.Complex codeEvalA) where
  codeEvalText (codeEvalX Data.Complex.:+ codeEvalY)
    | codeEvalY Prelude.== 0 = codeEvalText codeEvalX
    | Prelude.otherwise = codeEvalNamed "Complex" "null"

instance CodeEvalData () where
  codeEvalText () = "[]"
"""
NAMED = """
instance CodeEvalData %(type)s where
  codeEvalText codeEvalX = codeEvalNamed "%(name)s" (Prelude.show codeEvalX)
"""
TUPLE = """
instance (%(contexts)s) => CodeEvalData (%(names)s) where
  codeEvalText (%(names)s) = codeEvalTexts [%(texts)s]
"""
NUMBERS = (
    *("Prelude.Double", "Prelude.Integer", "Prelude.Word", "Numeric.Natural.Natural"),
    *(f"Data.{kind}.{kind}{bits}" for kind in ("Int", "Word") for bits in (8, 16, 32, 64)),
)
"""Types that are written with their names. An Int is written as it is."""

MOST_PARTS = 7


def tuple_instance(parts: int) -> str:
    """Return the instance of tuples."""
    names = [f"codeEval{number}" for number in range(parts)]
    shown = {
        "contexts": ", ".join(f"CodeEvalData {name}" for name in names),
        "names": ", ".join(names),
        "texts": ", ".join(f"codeEvalText {name}" for name in names),
    }
    return TUPLE % shown


WRITER = (
    HEAD
    + "".join(NAMED % {"type": name, "name": name.rpartition(".")[2]} for name in NUMBERS)
    + "".join(map(tuple_instance, range(2, MOST_PARTS + 1)))
)
