"""R. The tests run apart from the candidate, and call its functions with values that are sent as R's own text."""

from __future__ import annotations

import re

from sandboxes.guest.common.interactors import LOST_STATUS
from sandboxes.languages.base import MEMORY_STATUS, Language, Recipe, SeparateRecipe, fixed_build, fixed_run, linked
from sandboxes.languages.comments import HASH_COMMENTS

DRIVER_FILE, RUNNER_FILE = "code_eval_driver.R", "code_eval_runner.R"
ENTRY_POINT = re.compile(r"\bcandidate\s*(?:<-|=)\s*([\w.]+)")
WORD = re.compile(r"[A-Za-z.][\w.]*")
# R's own start script and its package utils need a shell in /bin, which programs don't see.
START = (
    'R_HOME=$(bash "$(command -v R)" RHOME) && export R_HOME LD_LIBRARY_PATH="$R_HOME/lib" R_PROFILE=%s && '
    'exec "$R_HOME/bin/exec/R" --no-echo --no-restore --no-save --no-environ --no-init-file "--file=$1"'
)
PROFILE_FILE = "code_eval_profile.R"
PROFILE = """\
unlockBinding("Sys.which", baseenv())
assign("Sys.which", function(names) structure(rep("", length(names)), names = names), baseenv())
lockBinding("Sys.which", baseenv())
"""
COMMAND = ("env", "LC_ALL=C.UTF-8", "sh", "-c", START % PROFILE_FILE, "R")

# A message is a line with a text of R's. Its side reads it as a tree of calls, and runs none that does more than to
# build a vector, a list or a matrix.
LINK = """\
code_eval <- new.env()
local({
  input <- suppressWarnings(file("/dev/fd/3", "r", raw = TRUE))
  output <- suppressWarnings(file("/dev/fd/4", "w", raw = TRUE))
  shown <- c("keepNA", "keepInteger", "hexNumeric", "niceNames", "showAttributes")
  builders <- c("c", "list", "structure", "-", "+", ":", "(", "logical", "integer", "numeric", "character", "complex")
  attributes <- c("names", "dim", "dimnames", ".Names", ".Dim", ".Dimnames")

  check <- function(value) {
    if (is.object(value)) stop("an object of class ", class(value)[1], " can't be sent to the other process")
    if (is.list(value)) for (each in value) check(each)
    else if (!is.null(value) && !is.atomic(value)) stop("a ", typeof(value), " can't be sent to the other process")
  }
  encode <- function(value) {
    check(value)
    paste(deparse(value, width.cutoff = 500L, control = shown), collapse = " ")
  }
  is_plain <- function(tree) {
    if (!is.call(tree)) return(is.atomic(tree) || is.null(tree) || list(tree) %%in%% list(quote(Inf), quote(NaN)))
    if (!is.name(tree[[1]]) || !as.character(tree[[1]]) %%in%% builders) return(FALSE)
    if (identical(tree[[1]], quote(structure)) && !all(names(tree)[-(1:2)] %%in%% attributes)) return(FALSE)
    all(vapply(as.list(tree)[-1], is_plain, NA))
  }
  decode <- function(text) {
    tree <- parse(text = text, keep.source = FALSE)
    if (length(tree) != 1 || !is_plain(tree[[1]])) stop("an invalid value")
    eval(tree[[1]], baseenv())
  }
  put <- function(text) {
    writeLines(text, output)
    flush(output)
  }
  # Tests may expect an error of the candidate's. One of the link's, which nobody expects, ends them.
  encode_or_end <- function(value) {
    tryCatch(encode(value), error = function(error) {
      cat("Error:", conditionMessage(error), "\\n", file = stderr())
      quit("no", 1, runLast = FALSE)
    })
  }
  take <- function() {
    line <- suppressWarnings(readLines(input, n = 1))
    if (length(line) == 0) NULL else decode(line)
  }
}, code_eval)
"""

DRIVER = (
    LINK
    + """\
local({
  fail <- function(error) {
    text <- conditionMessage(error)
    if (grepl("cannot allocate|memory exhausted", text)) quit("no", %(memory_status)d, runLast = FALSE)
    text
  }
  take()
  tryCatch(sys.source("candidate.R", globalenv()), error = function(error) {
    cat("Error:", fail(error), "\\n", file = stderr())
    quit("no", 1, runLast = FALSE)
  })
  names <- list()
  for (name in setdiff(ls(globalenv()), "code_eval")) {
    value <- get(name, globalenv())
    if (is.function(value)) names[[name]] <- list("f")
    else if (!inherits(try(text <- encode(value), silent = TRUE), "try-error")) names[[name]] <- list("v", value)
  }
  put(encode(names))
  while (!is.null(call <- take())) {
    put(encode_or_end(tryCatch(
      list(TRUE, do.call(get(call[[1]], globalenv()), call[[2]], quote = TRUE)),
      error = function(error) list(FALSE, fail(error))
    )))
  }
  quit("no", 0, runLast = FALSE)
}, code_eval)
"""
)

RUNNER = (
    LINK
    + """\
local({
  lost <- function() {
    cat("the candidate ended before its tests were done\\n", file = stderr())
    quit("no", %(lost_status)d, runLast = FALSE)
  }
  ask <- function() if (is.null(answer <- take())) lost() else answer
  call <- function(name, arguments) {
    text <- encode_or_end(list(name, arguments))
    tryCatch(put(text), error = function(error) lost())
    answer <- ask()
    if (!isTRUE(answer[[1]])) stop(answer[[2]], call. = FALSE)
    answer[[2]]
  }
  stand_in <- function(name) {
    force(name)
    function(...) code_eval$call(name, list(...))
  }
  words <- %(words)s
  entry_points <- %(entry_points)s
  tests <- paste(readLines("tests.R", warn = FALSE, encoding = "UTF-8"), collapse = "\n")
  file.remove("tests.R", "%(runner_file)s")
  put("TRUE")
  found <- ask()
  for (name in intersect(names(found), words)) {
    # Comparisons are in base. Other packages have names such as power and filter.
    if (exists(name, baseenv(), inherits = FALSE) && !name %%in%% entry_points) next
    said <- found[[name]]
    assign(name, if (identical(said[[1]], "f")) stand_in(name) else said[[2]], globalenv())
  }
  tryCatch(for (each in parse(text = tests, keep.source = FALSE)) eval(each, globalenv()), error = function(error) {
    cat("Error:", conditionMessage(error), "\\n", file = stderr())
    quit("no", 1, runLast = FALSE)
  })
  quit("no", 0, runLast = FALSE)
}, code_eval)
"""
)


def driver_files(candidate: str) -> dict[str, str]:
    """Return the files of the candidate's process."""
    return {"candidate.R": candidate, PROFILE_FILE: PROFILE, DRIVER_FILE: DRIVER % {"memory_status": MEMORY_STATUS}}


def runner_files(tests: str) -> dict[str, str]:
    """Return the files of the tests' process. Functions that the tests do not name are not called."""
    values = {
        "words": as_vector(WORD.findall(tests)),
        "entry_points": as_vector(ENTRY_POINT.findall(tests)),
        "lost_status": LOST_STATUS,
        "runner_file": RUNNER_FILE,
    }
    return {"tests.R": tests, PROFILE_FILE: PROFILE, RUNNER_FILE: RUNNER % values}


def as_vector(words: list[str]) -> str:
    """Return a vector of R's with words."""
    return "c(" + ", ".join(f'"{word}"' for word in sorted({*words})) + ")"


R = Language(
    name="r",
    label="R",
    with_tests=SeparateRecipe(
        driver_files,
        runner_files,
        linked(*COMMAND, DRIVER_FILE, memory_status=MEMORY_STATUS),
        linked(*COMMAND, RUNNER_FILE),
    ),
    standalone=Recipe(
        lambda candidate, tests: {"candidate.R": candidate, PROFILE_FILE: PROFILE},
        fixed_build(),
        fixed_run(*COMMAND, "candidate.R"),
    ),
    version=lambda: ("Rscript", "--version"),
    package="r-base-core",
    image="r-base:4.4.1, with Python",
    highlight="r",
    canary=("add <- function(a, b) a + b", "stopifnot(identical(add(2, 3), 5))"),
    comments=HASH_COMMENTS,
    aliases=("R",),
    tools=("R",),
    paths=("/etc/R",),
)
