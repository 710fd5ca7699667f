"""Right candidates in OCaml, Haskell and Scala, in the shapes that models and benchmarks write.

Each entry maps a shape to (candidate, tests).
"""

from support import attacks_ocaml

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
