"""Right candidates in OCaml, Haskell and Scala, in the shapes that models and benchmarks write.

Each entry maps a shape to (candidate, tests).
"""

from support import attacks_haskell, attacks_ocaml

OCAML = {
    "MultiPL-E": (attacks_ocaml.PLUS, attacks_ocaml.TESTS),
    "values": (
        "let ints (x : int) = x\nlet floats (x : float) = x\nlet texts (x : string) = x\nlet chars (x : char) = x\n"
        "let lists (x : (int * string) list) = x\nlet maybe (x : float option) = x\nlet both (x : bool * unit) = x\n"
        "let arrays (x : float array array) = x\nlet results (x : (int, string) result) = x\n"
        "let large (x : int64) = x\nlet small (x : int32) = x\n",
        "let () =\n  assert (List.map ints [0; -1; max_int; min_int] = [0; -1; max_int; min_int]);\n"
        "  assert (List.map floats [0.1; -1e300; infinity] = [0.1; -1e300; infinity]);\n"
        "  assert (classify_float (floats nan) = FP_nan);\n"
        '  assert (List.map texts [""; "a;\\n"; "\\xff\\000"] = [""; "a;\\n"; "\\xff\\000"]);\n'
        "  assert (chars 'x' = 'x');\n"
        '  assert (lists [(1, "a"); (2, "")] = [(1, "a"); (2, "")] && lists [] = []);\n'
        "  assert (maybe None = None && maybe (Some 1.) = Some 1.);\n  assert (both (true, ()) = (true, ()));\n"
        "  assert (arrays [| [| 1.; 2. |]; [||] |] = [| [| 1.; 2. |]; [||] |]);\n"
        '  assert (results (Ok 1) = Ok 1 && results (Error "a") = Error "a");\n'
        "  assert (large Int64.max_int = Int64.max_int && small Int32.min_int = Int32.min_int)\n",
    ),
    "a function without a type": ("let add a b = a +. b\n", "let () = assert (add 0.1 0.2 = 0.1 +. 0.2)\n"),
    "a polymorphic function": (
        "let rec reverse l = match l with [] -> [] | x :: rest -> reverse rest @ [x]\nlet swap (a, b) = (b, a)\n",
        'let () = assert (reverse [1; 2; 3] = [3; 2; 1] && reverse ["a"; "b"] = ["b"; "a"] && reverse [] = []);\n'
        '  assert (swap (1, "a") = ("a", 1))\n',
    ),
    "types of its own": (
        "type tree = Leaf | Node of tree * int * tree\ntype 'a stack = { items : 'a list; size : int }\n"
        "type point = { x : float; y : float }\ntype shape = Circle of float | Square | Rectangle of point * point\n"
        "let rec insert n t = match t with\n  | Leaf -> Node (Leaf, n, Leaf)\n"
        "  | Node (l, m, r) -> if n < m then Node (insert n l, m, r) else Node (l, m, insert n r)\n"
        "let push x s = { items = x :: s.items; size = s.size + 1 }\nlet swap { x; y } = { x = y; y = x }\n"
        "let corners s = match s with Rectangle (a, _) -> [a] | Circle r -> [{ x = r; y = r }] | Square -> []\n",
        "let () =\n  assert (insert 2 (insert 1 Leaf) = Node (Leaf, 1, Node (Leaf, 2, Leaf)));\n"
        "  assert ((push 1 { items = []; size = 0 }).items = [1]);\n"
        "  assert (swap { x = 1.; y = 2. } = { x = 2.; y = 1. });\n"
        "  assert (corners Square = [] && corners (Circle 1.) = [{ x = 1.; y = 1. }])\n",
    ),
    "arguments by name": (
        "let power ?(by = 2) ~base () = int_of_float (float base ** float by)\n",
        "let () = assert (power ~base:3 () = 9 && power ~by:3 ~base:2 () = 8)\n",
    ),
    "an array that is changed": (
        "let sort a = Array.sort compare a\nlet next r = incr r\nlet fill b = Bytes.fill b 0 2 'x'\n",
        'let () =\n  let a = [| 3; 1; 2 |] and r = ref 1 and b = Bytes.of_string "abc" in\n  sort a; next r; fill b;\n'
        '  assert (a = [| 1; 2; 3 |] && !r = 2 && Bytes.to_string b = "xxc")\n',
    ),
    "an error": (
        'exception Negative of int * string\nexception Empty\nlet root x = raise (Negative (x, "a"))\n'
        "let first l = match l with [] -> raise Empty | x :: _ -> x\nlet find (x : int) : int = raise Not_found\n"
        'let fail (x : int) : int = invalid_arg "x"\n',
        'let () =\n  (try root (-1); assert false with Negative (-1, "a") -> ());\n'
        "  (try ignore (first ([] : int list)); assert false with Empty -> ());\n"
        '  (try ignore (find 1 + fail 1); assert false with Not_found | Invalid_argument "x" -> ())\n',
    ),
    "values of its own": (
        'let limit = 5\nlet names = ["a"]\n' + attacks_ocaml.PLUS,
        'let () = assert (add 2 3 = limit && names = ["a"])\n',
    ),
    "the name of a builtin": (
        "let compare (a : int list) (b : int list) : int list = a @ b\n",
        "let assertions =\n let candidate = compare in\n  (assert ((candidate [1] [2]) = [1; 2]));\n  ()\n",
    ),
    "names of Stdlib's modules": (
        "module List = struct include List let sum = fold_left ( + ) 0 end\nlet total l = List.sum l\n",
        "let () = assert (total (List.map succ [1; 2]) = 5)\n",
    ),
    "libraries": (
        'let words s = Str.split (Str.regexp " +") s\nmodule S = Set.Make (String)\n'
        "let distinct s = S.cardinal (S.of_list (words s))\n",
        'let () = assert (words "a  b" = ["a"; "b"] && distinct "a b a" = 2)\n',
    ),
    "a part of the arguments": (
        "let add a b = a + b\n",
        "let () = assert (List.map (add 1) [1; 2] = [2; 3])\n",
    ),
    "output": (
        'let () = print_endline "1"\n' + attacks_ocaml.PLUS,
        'let () = print_endline "2"\n' + attacks_ocaml.TESTS,
    ),
    "a deep recursion": (
        "let rec count n = if n = 0 then 0 else 1 + count (n - 1)\nlet upto n = List.init n Fun.id\n",
        "let () = assert (count 100_000 = 100_000 && List.length (upto 100_000) = 100_000)\n",
    ),
    "a whole program": (attacks_ocaml.PLUS + attacks_ocaml.TESTS, ""),
}
HASKELL = {
    "MultiPL-E": ("-- | Add.\n" + attacks_haskell.PLUS, attacks_haskell.TESTS),
    "a module": (
        "{-# LANGUAGE TupleSections #-}\n-- | Sums.\nmodule Sums\n  ( add, -- the sum\n    Sum (..)\n  ) where\n\n"
        "import Data.List (foldl')\n\nnewtype Sum = Sum Int\n\nadd :: Int -> Int -> Int\n"
        "add a b = foldl' (+) 0 [a, b]\n"
        "  where helper = map (,1) [a]\n",
        "module Main where\nimport qualified Data.Map as Map\n\n" + attacks_haskell.TESTS,
    ),
    "a main": (attacks_haskell.PLUS + "\nmain :: IO ()\nmain = print (add 1 2)\n", attacks_haskell.TESTS),
    "functions without types": (
        "total all = foldr (+) 0 all\nreverse' [] = []\nreverse' (x : rest) = reverse' rest ++ [x]\n"
        "average all = sum all / fromIntegral "
        "(length all)\n",
        'main = if total [1, 2] == 3 && reverse\' "abc" == "cba" && reverse\' [1, 2] == [2, 1] && average [1, '
        "2] == 1.5\n"
        '  then pure () else error "no"\n',
    ),
    "values": (
        "import qualified Data.Map as M\nsame :: a -> a\nsame x = x\n",
        "import qualified Data.Map as M\nimport qualified Data.Set as S\nimport qualified Data.Text as T\n"
        "import Data.Array\n"
        "import Data.Ratio\nimport Data.Word\n"
        'main = do\n  let check ok = if ok then pure () else error "no"\n'
        "  check (same (-1) == -1 && same 1.5 == (1.5 :: Float) && same 'a' == 'a' && same True && same () == ())\n"
        "  check (same (Just [1 :: Int]) == Just [1] && same (Left 1 :: Either Int String) == Left 1)\n"
        "  check (same (1, 'a', \"b\", 2.5) == (1, 'a', \"b\", 2.5) && same LT == LT && same (3 % 4) == 3 % 4)\n"
        '  check (same (M.fromList [(1, "a")]) == M.fromList [(1, "a")] && same (S.fromList "ba") == S.fromList "ab")\n'
        '  check (same (T.pack "a") == T.pack "a" && same (listArray (0, 1) "ab") ! 1 == \'b\' && same (2 :: '
        "Word8) == 2)\n",
    ),
    "functions as arguments": (
        "twice :: (a -> a) -> a -> a\ntwice f = f . f\ncompose :: [a -> a] -> a -> a\ncompose = foldr (.) id\n",
        'main = if twice (+ 1) 3 == 5 && compose [(* 2), (+ 1)] 3 == 8 then pure () else error "no"\n',
    ),
    "types of its own inside": (
        "data Tree a = Leaf | Node (Tree a) a (Tree a) deriving (Show, Eq)\n\n"
        "insert :: Ord a => a -> Tree a -> Tree a\n"
        "insert x Leaf = Node Leaf x Leaf\ninsert x t@(Node l y r)\n  | x < y = Node (insert x l) y r\n"
        "  | x > y = Node l y (insert x r)\n"
        "  | otherwise = t\n\nflat :: Tree a -> [a]\nflat Leaf = []\nflat (Node l x r) = flat l ++ [x] ++ flat r\n\n"
        "instance Functor Tree where\n  fmap _ Leaf = Leaf\n"
        "  fmap f (Node l x r) = Node (fmap f l) (f x) (fmap f r)\n\n"
        "sorted, distinct :: [Int] -> [Int]\nsorted = flat . fmap id . foldr insert Leaf\ndistinct = sorted\n",
        'main = if sorted [3, 1, 2, 1] == [1, 2, 3] && distinct [1, 1] == [1] then pure () else error "no"\n',
    ),
    "modules of base and others": (
        "import Control.Monad.ST\nimport Control.Monad.State\nimport Data.Array.ST\nimport Data.Array.Unboxed\n"
        "import Data.Bits\n"
        "import Data.Char (toUpper)\nimport Data.Coerce (coerce)\nimport Data.STRef\nimport Debug.Trace\n"
        "import Text.Printf\n\n"
        "primes :: Int -> [Int]\nprimes n = [i | (i, True) <- assocs sieve]\n  where\n    sieve = runSTUArray $ do\n"
        "      a <- newArray (2, n) True\n      forM_ [2 .. n] $ \\i -> do\n        is <- readArray a i\n"
        "        when is $ forM_ [i * i, i * i + i .. n] $ \\j -> writeArray a j False\n      return a\n\n"
        'loud :: String -> String\nloud = trace "called" (map toUpper)\n\ncounted :: Int -> String\n'
        'counted n = printf "%02d %d" (popCount n) (evalState (modify (+ 1) >> get) n)\n\nsumST :: [Int] -> Int\n'
        "sumST all = runST $ do { r <- newSTRef 0; mapM_ (\\x -> modifySTRef r (+ x)) all; readSTRef r }\n",
        'main = if primes 20 == [2, 3, 5, 7, 11, 13, 17, 19] && loud "a" == "A" && counted 3 == "02 4" && sumST '
        "[1, 2] == 3\n"
        '  then pure () else error "no"\n',
    ),
    "an error": (
        "import Control.Exception\ndata Negative = Negative Int deriving Show\ninstance Exception Negative\n"
        "root :: Double -> Double\nroot x\n  | x < 0 = throw (Negative 1)\n  | otherwise = sqrt x\n",
        "import Control.Exception\nmain = do\n  found <- try (evaluate (root (-1)))\n"
        "  case found of\n"
        '    Left error -> if show (error :: SomeException) == "Negative 1" then pure () else fail "no"\n'
        '    Right _ -> fail "no error"\n',
    ),
    "the name of a builtin": (
        "import Prelude hiding (lookup)\nlookup :: Int -> [Int] -> Bool\nlookup x all = x `elem` all\n",
        'main = do\n  let candidate = lookup\n  if candidate 1 [1] then pure () else error "no"\n',
    ),
    "comments and options": (
        "{-# OPTIONS_GHC -Wall #-}\n{-# LANGUAGE BangPatterns #-}\n{- a {- nested -} comment\nadd in a comment\n-}\n"
        "-- | module where\nadd :: Int -> Int -> Int\nadd !a !b = a + b -- {-\nx --> y = x\n",
        attacks_haskell.TESTS,
    ),
    "output": (
        attacks_haskell.PLUS,
        'import System.IO\nmain = do\n  putStr "2"\n  if add 2 3 == 5 then hPutStr stderr "3" else error "no"\n',
    ),
    "a deep recursion": (
        "count :: Int -> Int\ncount 0 = 0\ncount n = 1 + count (n - 1)\n",
        'main = if count 1000000 == 1000000 then pure () else error "no"\n',
    ),
    "a whole program": (attacks_haskell.PLUS + attacks_haskell.TESTS, ""),
}
