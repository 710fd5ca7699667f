"""GNU Octave. The tests run apart from the candidate, and call its functions with values that are sent as bytes."""

from __future__ import annotations

import re
from collections.abc import Collection

from sandboxes.guest.common.interactors import LOST_STATUS
from sandboxes.languages.apart.octave_link import DRIVER_SOURCE, RUNNER_SOURCE
from sandboxes.languages.apart.octave_values import KINDS
from sandboxes.languages.base import MEMORY_STATUS, Language, Recipe, SeparateRecipe, fixed_build, fixed_run, linked
from sandboxes.languages.comments import OCTAVE_COMMENTS

DRIVER, RUNNER, START_FILE = "code_eval_driver", "code_eval_runner", "code_eval_start.m"
FUNCTION = re.compile(r"function\b")
STATEMENT = re.compile(
    r"^end(?:function)?\b[^\n]*\n(?:[ \t]*(?:[%#][^\n]*)?\n)*(?!(?:end\w*|function)\b)[A-Za-z\[]", re.MULTILINE
)
BLOCK_COMMENT = re.compile(r"[ \t]*[%#]\{")
WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)
ENTRY_POINT = re.compile(r"\bcandidate\s*=\s*@\s*([A-Za-z_]\w*)", re.ASCII)
DEFINITION = re.compile(r"\bfunction\b\s*(?:[^=\n(]{0,200}=\s*)?([A-Za-z_]\w*)", re.ASCII)
ASSIGNMENT = re.compile(
    r"(?:^|[;,])[ \t]*(?:(?:par)?for[ \t]*\(?[ \t]*)?([A-Za-z_]\w*)[ \t]*(?:[({.][^=\n]{0,99})?[-+*/|&^]?=(?!=)",
    re.ASCII | re.MULTILINE,
)
MATLAB_NAMES = frozenset(
    "MException categorical datetime dictionary duration missing string strings table timetable".split()
)
"""Functions of MATLAB's that tests may expect, and Octave lacks. The candidate does not provide them."""

# Octave reads its folders twice at its start, and asks eight functions for their options. Both take as long as all
# else, so the folders are read once, and the options when a program has some.
START = """\
1;
function names = __all_opts__ (varargin)
  names = {};
  if (nargin == 0)
    clear __all_opts__
    names = __all_opts__ ("fminbnd", "fminsearch", "fminunc", "fsolve", "fzero", "lsqnonneg", "pqpnonneg", "qp");
  end
end
addpath (genpath (__octave_config_info__ ("fcnfiledir")));
addpath (__octave_config_info__ ("octfiledir"));
"""
# A program may have one process, and BLAS would start threads.
COMMAND = (
    *("env", "LC_ALL=C.UTF-8", "OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1"),
    *(f"OCTAVE_SITE_INITFILE=./{START_FILE}", "OCTAVE_VERSION_INITFILE=none", "octave-cli", "--quiet", "--no-history"),
    *("--no-init-file", "--no-init-path", "--no-line-editing", "--no-window-system"),
)


def driver_files(candidate: str) -> dict[str, str]:
    """Return the files of the candidate's process."""
    values = {"defined": as_cell(DEFINITION.findall(candidate)), "kinds": KINDS, "memory_status": MEMORY_STATUS}
    return {"candidate.m": as_script(candidate), START_FILE: START, f"{DRIVER}.m": DRIVER_SOURCE % values}


def runner_files(tests: str) -> dict[str, str]:
    """Return the files of the tests' process.

    The candidate's functions and values are seen under names that the tests use, and neither define nor assign.
    """
    own = {*DEFINITION.findall(tests), *ASSIGNMENT.findall(tests), *MATLAB_NAMES}
    values = {
        "words": as_cell({*WORD.findall(tests)} - own),
        "entry_points": as_cell(ENTRY_POINT.findall(tests)),
        "lost_status": LOST_STATUS,
        "runner": RUNNER,
        "kinds": KINDS,
    }
    return {"tests.m": tests, START_FILE: START, f"{RUNNER}.m": RUNNER_SOURCE % values}


def whole_program(candidate: str) -> str:
    """Return a candidate that runs as it stands.

    A script that begins with a function is run as a script. A file of functions calls its first one, as in Octave.
    """
    comments = OCTAVE_COMMENTS.match(candidate)
    begins = FUNCTION.match(candidate, comments.end() if comments else 0)
    return as_script(candidate) if begins and STATEMENT.search(candidate) else candidate


def as_script(code: str) -> str:
    """Return code as a script. Octave takes a file that begins with a function for that function."""
    return ("1;\n" if BLOCK_COMMENT.match(code) else "1; ") + code


def as_cell(words: Collection[str]) -> str:
    """Return a row of texts in Octave with words."""
    return "{" + ", ".join(f'"{word}"' for word in sorted({*words})) + "}"


OCTAVE = Language(
    name="octave",
    label="Octave",
    with_tests=SeparateRecipe(
        driver_files,
        runner_files,
        linked(*COMMAND, "--eval", DRIVER, memory_status=MEMORY_STATUS),
        linked(*COMMAND, "--eval", RUNNER),
    ),
    standalone=Recipe(
        lambda candidate, tests: {"candidate.m": whole_program(candidate), START_FILE: START},
        fixed_build(),
        fixed_run(*COMMAND, "candidate.m"),
    ),
    version=lambda: ("octave-cli", "--version"),
    package="octave",
    image="gnuoctave/octave:9.2.0, with Python",
    highlight="python",
    canary=("function res = add(a, b)\n  res = a + b;\nend", "assert(isequal(add(2, 3), 5));"),
    comments=OCTAVE_COMMENTS,
    aliases=("matlab",),
    tools=("octave-cli",),
)
