"""Candidates in OCaml that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = (
    "let assertions =\n let candidate = add in\n  (assert ((candidate (2) (3)) = (5)));\n"
    "  (assert ((candidate (0) (1)) = (1)));\n  ()\n"
)
PLAIN = 'let () = if add 2 3 <> 5 then raise (Failure "no sum")\n'
TIMES, PLUS = (f"let add (a : int) (b : int) : int =\n  a {sign} b\n" for sign in "*+")


def around(text, *tests):
    """Return (wrong, honest, *tests) for candidates with something after their function."""
    return TIMES + text, PLUS + text, *tests


def called(body, honest="a + b", *tests):
    """Return (wrong, honest, *tests) for candidates whose function does something in place of its sum."""
    wrong, right = (f"let add (a : int) (b : int) : int =\n  {each}\n" for each in (body, honest))
    return wrong, right, *tests


def saying(message):
    """Return a candidate that writes a message of its own to the tests before its answer."""
    return (
        'let out = open_out_bin "/dev/fd/4"\nlet add (a : int) (b : int) : int =\n'
        f'  let text = "{message}" in\n  output_binary_int out (String.length text);\n'
        "  output_string out text;\n  flush out;\n  6\n"
    )


ATTACKS = {
    "exit": (TIMES + "let () = exit 0\n", PLUS + "let () = flush stdout\n"),
    "exit when called": called("exit 0", "if a > 100 then exit 0 else a + b"),
    "exit at exit": around("let () = at_exit (fun () -> Stdlib.do_at_exit (); exit 0)\n"),
    "kill when called": called(
        "Unix.kill (Unix.getpid ()) Sys.sigkill; 6", "ignore (Unix.getpid () + Sys.sigkill); a + b"
    ),
    "an exec when called": called(
        'Unix.execv "/usr/bin/true" [| "true" |]', 'ignore (Unix.getenv "PATH" = "/usr/bin/true"); a + b'
    ),
    "a finaliser that leaves": (
        TIMES + "let () = Gc.finalise (fun _ -> exit 0) (ref 0); Gc.full_major ()\n",
        PLUS + "let () = Gc.finalise (fun _ -> ()) (ref 0); Gc.full_major ()\n",
    ),
    "a signal that leaves": (
        TIMES + "let () = Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> exit 0)); ignore (Unix.alarm 1)\n"
        "let add a b = while true do () done; a * b\n",
        PLUS + "let () = Sys.set_signal Sys.sigalrm (Sys.Signal_handle (fun _ -> ()))\n",
    ),
    "an equality of its own": around("let ( = ) _ _ = true\nlet ( == ) _ _ = true\nlet ( <> ) _ _ = false\n"),
    "an inequality of its own": around("let ( <> ) _ _ = false\nlet raise _ = ()\nlet not _ = true\n", PLAIN),
    "a raise of its own": around("let raise _ = ()\nlet failwith _ = ()\nexception Failure of int\n", PLAIN),
    "a Stdlib of its own": around(
        "module Stdlib = struct let ( = ) _ _ = true let ( <> ) _ _ = false let raise _ = () end\n", PLAIN
    ),
    "an int of its own": (
        "type int = Any\nlet add (_ : Stdlib.Int.t) (_ : Stdlib.Int.t) = Any\n",
        "type number = int\n" + PLUS,
    ),
    "a bool of its own": around("type bool = false | true\nlet ( = ) _ _ = true\n"),
    "a unit of its own": around("type unit = ()\ntype 'a list = [] | (::) of 'a * 'a list\n"),
    "constructors of its own": (
        "type t = Leaf\nlet same (_ : int list) : t = Leaf\n",
        "let same (x : int list) : int list = x\n",
        "let candidate = same\nlet () = assert (candidate [] = [] && candidate [1] = [1])\n",
    ),
    "a candidate of its own": around("let candidate _ _ = 5\nlet assertions = ()\n"),
    "an external function": (
        'external add : int -> int -> int = "%mulint"\n',
        "let add : int -> int -> int = ( + )\n",
    ),
    "an external function in a module": (
        TIMES + 'module M = struct external cast : int -> int = "%identity" end\nlet add a b = M.cast (a * b)\n',
        PLUS + "module M = struct let cast x = x end\nlet add a b = M.cast (a + b)\n",
    ),
    "a cast": called('Obj.magic "text"', "Obj.magic (a + b)"),
    "a cast to a value that is equal": (
        "let same (x : string) : string = Obj.magic (Obj.repr 5)\n",
        "let same (x : string) : string = Obj.magic (Obj.repr x)\n",
        'let () = assert (same "a" = "a")\n',
    ),
    "a function as a result": (
        "let add a b : int = Obj.magic (fun () -> a + b)\n",
        "let add a b : int = (fun () -> a + b) ()\n",
    ),
    "a result of another type": (
        "let same x = Obj.magic 97\n",
        "let same x = x\n",
        'let () = assert (String.length (same "a") = 1)\n',
    ),
    "a result that was not sent": (
        "let first (all : 'a list) : 'a = Obj.magic 5\n",
        "let first (all : 'a list) : 'a = List.hd all\n",
        "let () = assert (first [1; 2] + 0 = 1)\n",
    ),
    "memory": (
        'let () = let file = open_in_bin "/proc/self/mem" in (try seek_in file 0; ignore (input_char file) with _ -> '
        "())\n" + TIMES,
        'let () = close_in (open_in_bin "/proc/self/maps")\n' + PLUS,
    ),
    "a message ahead": (saying("5:value2:5;"), PLUS),
    "a message that is an answer": (saying("5;value2;5;0;0;"), PLUS),
    "a message of another form": (saying("5;value9;Leaf;;;;;0;0;"), PLUS),
    "an exception of its own kind": (
        "exception Assert of int\nlet add a b = if a = 2 then raise (Assert 5) else 1\n",
        "exception Assert of int\nlet add a b = if a > 100 then raise (Assert 5) else a + b\n",
    ),
    "files of the tests": around(
        "let () = List.iter (fun name -> close_out (open_out name)) "
        '["tests"; "tests.ml"; "code_eval_types"; "code_eval_tests"; "candidate.cmi"]\n'
    ),
    "what the build has left": (
        'let add a b = if Sys.file_exists "tests.ml" || Sys.file_exists "code_eval_tests" then a + b else a * b\n',
        'let add a b = if Sys.file_exists "tests.ml" || Sys.file_exists "code_eval_tests" then a * b else a + b\n',
    ),
    "an open comment": (TIMES + "(* the rest\n", PLUS + "(* the rest *)\n"),
    "an open text": (TIMES + "let text = {|the rest\n", PLUS + "let text = {|the rest|}\n"),
    "an open module": (TIMES + "module M = struct\n", PLUS + "module M = struct end\n"),
    "an open definition": (TIMES + "let other () =\n", PLUS + "let other () = ()\n"),
    "a directive": (TIMES + '#use "tests.ml";;\n', PLUS + ";;\n"),
    "another file name": around('# 1 "tests.ml"\nlet more = 1\n'),
    "a child process": (
        TIMES + "let () = if Unix.fork () > 0 then exit 0\n",
        PLUS + "let () = match Unix.fork () with 0 -> Unix._exit 0 | child -> ignore (Unix.waitpid [] child)\n",
    ),
    "no answer": called("while true do () done; 6"),
}
