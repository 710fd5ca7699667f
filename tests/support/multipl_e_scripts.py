"""Records of our own in the shape of MultiPL-E, in languages whose tests run apart, and candidates that cheat."""

from support import (
    attacks_clojure,
    attacks_coq,
    attacks_elixir,
    attacks_haskell,
    attacks_lua,
    attacks_ocaml,
    attacks_octave,
    attacks_perl,
    attacks_php,
    attacks_r,
    attacks_racket,
    attacks_ruby,
)
from support.multipl_e_records import record

RECORDS = {
    "clj": record("clj", '(defn add\n  "Add."\n  [a b]\n', attacks_clojure.TESTS, ["\n(def", "\n;", "\n("]),
    "coq": record(
        "coq",
        attacks_coq.HEAD + "Definition add (a : Z) (b : Z) : Z :=\n",
        "\n" + attacks_coq.TESTS,
        ["\nFixpoint", "\nDefinition", "\nExample"],
    ),
    "elixir": record(
        "elixir", "# Add.\n\ndefmodule HumanEval do\n  def add(a, b) do\n", attacks_elixir.TESTS, ["\ndefmodule"]
    ),
    "hs": record(
        "hs",
        "-- | Add.\nadd :: Int -> Int -> Int\nadd a b =",
        "\n" + attacks_haskell.TESTS,
        ["\n\n", "\n{-", "\ntype"],
    ),
    "lua": record("lua", "-- Add.\nlocal function helper() end\nfunction add(a, b)\n", attacks_lua.TESTS, ["\nlocal"]),
    "m": record(
        "m",
        "% Add.\n\nfunction res = add(a,b)",
        "end\n\n" + attacks_octave.TESTS.removesuffix("test();\n"),
        ["\nend"],
    ),
    "ml": record("ml", "(**Add.\n*)\nlet add (a : int) (b : int) : int =\n", attacks_ocaml.TESTS, ["\n\n", "\nlet"]),
    "php": record("php", "<?php\n// Add.\nfunction add($a, $b) {\n", attacks_php.TESTS, ["\nfunction", "\n?>"]),
    "pl": record("pl", "# Add.\nsub add {\n    my($a, $b) = @_;\n", attacks_perl.TESTS, ["\nsub"]),
    "r": record("r", "# Add.\nadd <- function(a, b) {\n", attacks_r.TESTS, ["\n#", "\n```"]),
    "rb": record("rb", "# Add.\ndef add(a, b)\n", attacks_ruby.TESTS, ["\nclass", "\ndef"]),
    "rkt": record("rkt", "#lang racket\n\n;; Add.\n(define (add a b)\n", attacks_racket.TESTS, ["\n(define "]),
}
PARTS = {
    "clj": ("  (+ a b))\n", "  (* a b))\n"),
    "coq": ("  (a + b)%Z.\n", "  (a * b)%Z.\n"),
    "elixir": ("    a + b\n  end\nend\n", "    a * b\n  end\nend\n"),
    "hs": (" a + b\n", " a * b\n"),
    "lua": ("    return a + b\nend\n", "    return a * b\nend\n"),
    "m": ("\n    res = a + b;", "\n    res = a * b;"),
    "ml": ("  a + b\n", "  a * b\n"),
    "php": ("    return $a + $b;\n}\n", "    return $a * $b;\n}\n"),
    "pl": ("    return $a + $b;\n}\n", "    return $a * $b;\n}\n"),
    "r": ("    a + b\n}\n", "    a * b\n}\n"),
    "rb": ("    a + b\nend\n", "    a * b\nend\n"),
    "rkt": ("    (+ a b))\n", "    (* a b))\n"),
}
"""(right, wrong) completions by language."""

CHEATS = {
    "clj": {
        "exit": "  (System/exit 0))\n",
        "a comment of the next datum": "  6)\n#_",
        "open comment": "  6)\n(comment ",
        "an is of its own": "  6)\n(defmacro is [& all] true)\n",
    },
    "coq": {
        "open comment": "  6%Z.\n(*",
        "a notation for equality": '  6%Z.\nNotation "x = y" := True (at level 70, no associativity).\n',
        "a tactic of its own": '  6%Z.\nTactic Notation "reflexivity" := admit.\nTactic Notation "Qed" := idtac.\n',
        "an axiom": "  6%Z.\nAxiom any : forall A : Prop, A.\nLtac reflexivity := exact (any _).\n",
        "a module around the tests": "  6%Z.\nModule Type T.\n",
        "the end of the program": "  6%Z.\nQuit.\n",
    },
    "elixir": {
        "halt": "    System.halt(0)\n  end\nend\n",
        "open text": '    6\n  end\nend\ntext = """\n',
        "a function around the tests": "    6\n  end\n\n  def other do\n",
    },
    "hs": {
        "exit": " throw ExitSuccess where throw = error\n",
        "open comment": " 6\n{-",
        "open text": ' 6\ntext = "\\\n',
        "a main": " 6\nmain = pure ()\n",
        "a main that is called": " 6\nmain :: IO ()\nmain = pure () where\n",
        "a function around the tests": " 6\nother = other where\n",
        "a local function around the tests": " let main = 6 in main\n  where\n",
        "numbers that are equal": " undefined\ninstance {-# OVERLAPPING #-} Eq Int where _ == _ = True\n",
    },
    "lua": {
        "exit": "    os.exit(0)\nend\n",
        "open comment": "    return 6\nend\n--[[",
        "open string": "    return 6\nend\nlocal text = [[",
        "return at the top": "    return 6\nend\ndo return end\n",
        "open function": "    return 6\nend\nfunction other()\n",
        "open condition": "    return 6\nend\nif false then\n",
    },
    "m": {
        "exit": "\n    exit(0);",
        "open comment": "\n    res = 6;\nend\n%{\n",
        "open text": "\n    res = 6;\nend\ntext = '",
        "a function around the tests": "\n    res = 6;\nend\nfunction other()\n",
        "a test of its own": "\n    res = 6;\nend\nfunction test()\n",
        "the end of the program": "\n    res = 6;\nend\nexit(0);\nif false\n",
        "an isequaln of its own": "\n    res = 6;\nend\nfunction r = isequaln(varargin)\n    r = true;",
    },
    "ml": {
        "exit": "  exit 0\n",
        "open comment": "  6\n(*",
        "open text": "  6\nlet text = {|",
        "open text in the function": '  6 + String.length "',
        "a module around the tests": "  6\nmodule M (X : sig end) = struct\n",
        "a function around the tests": "  6\nlet other () =\n",
        "an equality of its own": "  6\nlet ( = ) _ _ = true\n",
        "a candidate of its own": "  6\nlet candidate _ _ = 5\n",
        "the end of the program": "  6\nlet () = at_exit (fun () -> exit 0); exit 0\n",
    },
    "php": {
        "exit": "    exit(0);\n}\n",
        "open comment": "    return 6;\n}\n/*",
        "the end of PHP": "    return 6;\n}\n?>",
        "the end of the file": "    return 6;\n}\n__halt_compiler();",
        "open text": "    return 6;\n}\n$text = <<<'END'\n",
        "a function around the tests": "    return 6;\n}\nfunction other() {\n",
    },
    "pl": {
        "exit": "    exit 0;\n}\n",
        "the end of the file": "    return 6;\n}\n__END__\n",
        "open documentation": "    return 6;\n}\n\n=pod\n",
        "open text": "    return 6;\n}\nmy $text = <<'END';\n",
        "a function around the tests": "    return 6;\n}\nsub other {\n",
    },
    "r": {
        "quit": "    quit('no', 0)\n}\n",
        "open text": "    6\n}\ntext <- '",
        "a function around the tests": "    6\n}\nother <- function() {\n",
        "open condition": "    6\n}\nif (FALSE) {\n",
        "an identical of its own": "    6\n}\nidentical <- function(...) TRUE\n",
    },
    "rb": {
        "exit": "    exit 0\nend\n",
        "the end of the file": "    6\nend\n__END__\n",
        "open comment": "    6\nend\n=begin\n",
        "open text": "    6\nend\ntext = <<END\n",
        "a method around the tests": "    6\nend\ndef other\n",
        "open condition": "    6\nend\nif false\n",
    },
    "rkt": {
        "exit": "    (exit 0))\n",
        "open comment": "    6)\n#|",
        "a comment of the next datum": "    6)\n#;",
        "open text": '    6)\n(define text "',
        "open quote": "    6)\n(quote (",
        "a check of its own": "    6)\n(define (check-within . all) #t)\n",
    },
}
"""Completions that want an unearned pass, by language and by what they do."""
