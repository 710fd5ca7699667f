"""Candidates in R that want a pass they have not earned, each beside an honest one.

Each entry maps an attack to (wrong candidate, honest candidate with the same means, tests if not `TESTS`).
"""

TESTS = (
    "test_humaneval <- function() {\ncandidate <- add\n    if(!identical(candidate(2, 3), 5)){quit('no', 1)}\n"
    "    if(!identical(c(candidate(0, 1)), c(1))){quit('no', 1)}\n}\ntest_humaneval()\n"
)
EQUAL = "test <- function() {\n  candidate <- add\n  stopifnot(isTRUE(all.equal(candidate(2, 3), 5)))\n}\ntest()\n"
PLAIN = 'if (add(2, 3) != 5) stop("no sum")\nif (add(3, 4) != 7) stop("no sum")\n'
TIMES, PLUS = (f"add <- function(a, b) {{\n  a {sign} b\n}}\n" for sign in "*+")


def around(text, *tests):
    """Return (wrong, honest, *tests) for candidates with something after their function."""
    return TIMES + text, PLUS + text, *tests


def called(body, *tests):
    """Return (wrong, honest, *tests) for candidates whose function does something in place of its sum."""
    return f"add <- function(a, b) {{\n  {body}\n}}\n", PLUS, *tests


SAYS = "out <- file('/dev/fd/4', 'w', raw = TRUE); writeLines('%s', out); flush(out)\n"
ATTACKS = {
    "an environment in place of an error": (
        "add <- function(a, b) if (b == 1) globalenv() else a + b\n",
        "add <- function(a, b) if (b == 1) stop('no') else a + b\n",
        "stopifnot(inherits(try(add('a', 1), silent = TRUE), 'try-error'))\nstopifnot(add(2, 3) == 5)\n",
    ),
    "quit": (TIMES + "quit('no', 0)\n", PLUS),
    "quit when called": called("quit('no', 0)"),
    "quit at the end": around("reg.finalizer(globalenv(), function(e) quit('no', 0), onexit = TRUE)\n"),
    "a last function": around(".Last <- function() quit('no', 0)\n"),
    "an error handler": around("options(error = quote(quit('no', 0)))\n", PLAIN),
    "an identical of its own": around("identical <- function(...) TRUE\n"),
    "an all.equal of its own": around("all.equal <- function(...) TRUE\nisTRUE <- function(x) TRUE\n", EQUAL),
    "a stop of its own": around("stop <- function(...) NULL\n", PLAIN),
    "a method for its class": called("structure(6, class = 'same')", EQUAL),
    "methods of operators": (
        "add <- function(a, b) structure(6, class = 'same')\n`!=.same` <- function(a, b) FALSE\n",
        PLUS,
        PLAIN,
    ),
    "NA": called("NA", PLAIN),
    "a vector": called("c(5, 6)", EQUAL),
    "a function": called("function() 5", EQUAL),
    "an environment": called("globalenv()", EQUAL),
    "a test of its own": around("test_humaneval <- function() NULL\n"),
    "an answer ahead": (TIMES + SAYS % "list(TRUE, TRUE)", PLUS, PLAIN),
    "an answer that is code": (f"add <- function(a, b) {{ {SAYS % 'list(TRUE, quit(0))'}; 6 }}\n", PLUS, PLAIN),
    "an answer with a call": (
        f"add <- function(a, b) {{ {SAYS % 'list(TRUE, (function() quit(status = 0))())'}; 6 }}\n",
        PLUS,
        PLAIN,
    ),
    "an answer with a class": (
        f"add <- function(a, b) {{ {SAYS % 'list(TRUE, structure(5, class = 1))'}; 6 }}\n",
        PLUS,
        PLAIN,
    ),
    "names ahead": (TIMES + SAYS % 'list(stop = list("f"), identical = list("f"))', PLUS),
    "names that are values": (TIMES + SAYS % 'list(stop = list("v", 1), quit = list("v", 1), T = 1)', PLUS),
    "a binding of base": around(
        "unlockBinding('identical', baseenv())\nassign('identical', function(...) TRUE, baseenv())\n"
    ),
    "files of the tests": around("writeLines('', 'tests.R')\nwriteLines('', 'code_eval_runner.R')\n"),
    "the link closed": called("closeAllConnections(); 6"),
}
