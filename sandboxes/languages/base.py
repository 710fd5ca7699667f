"""The description that every language has: a `Language` with two recipes. Used by the languages' own files.

A program of a language other than Python is built and run by commands, in the program's folder. Under a `Recipe`
candidate and tests are one program. It has passed if it ends with status 0 and writes its completion token at the end.
That token is drawn for one program alone, and a program that leaves early does not write it. Under a `SeparateRecipe`
or a `SplitRecipe` they are two programs, and only the tests decide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from sandboxes.contract import Limits
from sandboxes.languages.apart.plain_tests import PlainTests
from sandboxes.languages.comments import C_COMMENTS
from sandboxes.languages.steps import Command

COMPILE_SECONDS = 30.0
"""Wall seconds of each compiler, unless the caller sets others."""

COMPILE_MEMORY_BYTES = 2 << 30
TOKEN_BYTES = 16
MAX_NAMES = 250
"""Single tests of a program that are told apart."""

MEMORY_STATUS = 87
"""The status with which our drivers end when memory runs out."""

HEAP_SHARE = 0.75
TESTS_FOLDER = "code_eval_tests"
"""The folder in which the build of a `SplitRecipe` leaves the tests' program."""

Files = Mapping[str, str]
"""Source text by path in the program's folder."""


@dataclass(frozen=True)
class Recipe:
    """Files, build and run of a language's programs."""

    files: Callable[[str, str], Files]
    """(candidate, tests) -> the program's files."""

    build: Callable[[Limits], tuple[Command, ...]]
    """The compiler's limits -> the build commands. None of them for programs that run as source."""

    run: Callable[[Limits], Command]
    """The run's limits -> the command that runs the program."""

    needs: Callable[[Files], tuple[str, ...]] = lambda files: ()
    """The program's files -> the libraries' files that it is built with. Without them the sandbox is broken."""

    test_names: Callable[[str], tuple[str, ...]] = lambda tests: ()
    """The tests -> names of those that the language's framework runs one by one, at most MAX_NAMES. The program writes
    a ticket for each that has passed, as `named_tests` describes it."""

    sources: tuple[str, ...] = ()
    """Ends of the names of files that the build needs, and the run does not. They are removed after the build, because
    a candidate could read in the tests' source what its functions should return."""


@dataclass(frozen=True)
class SeparateRecipe:
    """Files and runs of a language's programs whose tests run apart from the candidate.

    The tests' process holds no code of the candidate's. It calls the candidate's functions through two pipes, which
    `linked` describes, and ends with status 0 if the candidate is right, or with LOST_STATUS if it has ended.

    Some sandboxes lack the layers that hide the files of one from the other. The candidate is therefore not loaded
    before a first message, which the tests' process sends once it has read its files and removed them.
    """

    candidate_files: Callable[[str], Files]
    """Candidate -> the files of its process."""

    tests_files: Callable[[str], Files]
    """Tests -> the files of theirs."""

    run_candidate: Callable[[Limits], Command]
    run_tests: Callable[[Limits], Command]

    needs: Callable[[str], tuple[str, ...]] = lambda tests: ()
    """Tests -> the files of the libraries that they use. Without them the sandbox is broken."""


@dataclass(frozen=True)
class SplitRecipe:
    """Files, build and runs of a compiled language's programs whose tests run apart from the candidate.

    The compilers read candidate and tests together, so that types are checked, and make two programs. They run nothing
    of the candidate's. The build leaves the tests' program in TESTS_FOLDER, and nothing of the tests elsewhere. Both
    programs talk as those of a `SeparateRecipe`.
    """

    files: Callable[[str, str], Files]
    """(candidate, tests) -> the files that are built."""

    build: Callable[[Limits], tuple[Command, ...]]
    """As in `Recipe`."""

    run_candidate: Callable[[Limits], Command]
    run_tests: Callable[[Limits], Command]


@dataclass(frozen=True)
class Language:
    """One language: its names, its recipes, and what it needs of the machine."""

    name: str
    """The name in options and datasets."""

    label: str
    """The name that people read: "C++"."""

    with_tests: Recipe | SeparateRecipe | SplitRecipe
    """For a candidate with tests. The program of a `Recipe` writes the completion token."""

    standalone: Recipe
    """For a candidate that is run as it stands, on inputs. The recipe ignores tests."""

    version: Callable[[], tuple[str, ...] | str]
    """A function that returns the command that prints the installed version, or a script in Python where that command
    takes seconds."""

    package: str
    """Debian's package of the language. "" if it is no package of the same name in each release."""

    image: str | None
    """A Docker image with the language and Python. None if no image needs the language."""

    highlight: str
    """The language of Gradio's code editor that comes closest."""

    canary: tuple[str, str]
    """A right candidate with its tests, which `code-eval doctor` runs."""

    calls: Callable[[str, str], str] | None = None
    """(candidate, function) -> a whole program for cases that are calls. It reads the arguments as a list in JSON, and
    its last line of output is the result in JSON. None: the language has no such cases."""

    comments: re.Pattern[str] = C_COMMENTS
    """Matches texts that hold nothing but comments."""

    aliases: tuple[str, ...] = ()
    """Other names of the language in datasets."""

    apart: SeparateRecipe | SplitRecipe | None = None
    """For a candidate with tests that can run apart from it. None: `with_tests` is for all tests."""

    reason_for_candidate: Callable[[str], str] = lambda tests: ""
    """Tests -> why they can't run apart, if there is a recipe for that; "" if they can."""

    only_apart: Callable[[str], str] = lambda tests: ""
    """Tests -> the framework whose tests never run with the candidate, whatever the grading; "" if they may."""

    plain_tests: Callable[[str], PlainTests | None] = lambda tests: None
    """Tests -> their calls and what these return, apart; None if they do more than compare results with data. Such
    calls are run by `with_tests`, and their results are compared where no candidate runs."""

    variant_of: str = ""
    """The language of which this is a standard or a version; "" if it is a language of its own."""

    tools: tuple[str, ...] = ()
    """The language's compilers and interpreters: cached verdicts depend on their files."""

    paths: tuple[str, ...] = ()
    """Patterns of the files and folders that programs must see, beside those that every program sees."""

    compiled_here: Callable[[], tuple[str, ...]] | None = None
    """Compiles the language's libraries on this machine, unless they are there, and returns the folders that programs
    must see, also in containers. None if programs are built by the compilers of their sandbox."""

    prepared_here: Callable[[], tuple[str, ...]] | None = None
    """Prepares what this machine's compilers use, such as archives that let them start faster, and returns the files
    and folders that programs then see. Programs in containers, which have other compilers, are built without. None if
    nothing is prepared."""


def fixed_run(*argv: str, reserves_memory: bool = False) -> Callable[[Limits], Command]:
    """Return the `run` of a recipe whose command does not depend on the limits.

    Args:
        argv: the command's words.
        reserves_memory: as in `Command`.
    """
    return lambda limits: Command(argv, limits, reserves_memory)


def linked(*argv: str, memory_status: int | None = None, reserves_memory: bool = False) -> Callable[[Limits], Command]:
    """Return the run of one side of a `SeparateRecipe` or a `SplitRecipe`.

    Descriptor 3 is the pipe from the other side, and 4 the pipe to it. What the program prints goes to standard error.

    Args:
        argv: the command's words.
        memory_status: as in `Command`.
        reserves_memory: likewise.
    """
    words = ("sh", "-c", 'exec "$@" 3<&0 4>&1 </dev/null >&2', "sh", *argv)
    return lambda limits: Command(words, limits, reserves_memory, memory_status)


def fixed_build(*commands: tuple[str, ...]) -> Callable[[Limits], tuple[Command, ...]]:
    """Return the `build` of a recipe whose commands do not depend on the limits."""
    return lambda limits: tuple(Command(argv, limits, reserves_memory=True) for argv in commands)


def heap_mb(limits: Limits) -> int:
    """Return the MiB of a program's memory that its heap may use."""
    return max(16, int(limits.memory_bytes * HEAP_SHARE) >> 20)


def compiler_limits(limits: Limits, seconds: float) -> Limits:
    """Return the limits of a compiler, which are not the candidate's.

    Args:
        limits: of the candidate.
        seconds: wall seconds of the compiler.
    """
    memory_bytes = max(COMPILE_MEMORY_BYTES, limits.memory_bytes)
    return Limits(wall_seconds=seconds, memory_bytes=memory_bytes, processes=256, open_files=1024)
