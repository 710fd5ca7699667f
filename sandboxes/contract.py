"""The contract of all sandboxes: programs go in, verdicts come out, and a broken sandbox is never a failed program.

A candidate's error is a `Verdict`. A sandbox's own failure is `SandboxUnavailable`: the program is run again on a fresh
worker, then the error is raised with its reason and a hint. It never counts as a wrong answer.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from sandboxes.grading import detect_grading
from sandboxes.outcome_labels import LABELS
from sandboxes.validation import positive_int, positive_number, printable

MAX_KEPT_BYTES = 1 << 20
"""Largest `Limits.kept_bytes`."""

ONE_LINE_FIELDS = ("detail", "exception_type", "exception_message", "values", "grading_reason")
"""Fields of a `Verdict` that terminals and logs show unescaped."""


class Outcome(enum.Enum):
    """The way in which a program ended. The set is closed: decide on it, never on text."""

    PASSED = "passed"
    """Every test ran and none failed."""

    FAILED = "failed"
    """The candidate or its tests raised an AssertionError or another exception."""

    COMPILE_ERROR = "compile_error"
    """The candidate or its tests have a syntax error, or the sandbox's policy refuses them."""

    TIMED_OUT = "timed_out"
    """The program used up its wall or CPU seconds."""

    OUT_OF_MEMORY = "out_of_memory"
    """The program exceeded its memory limit."""

    CRASHED = "crashed"
    """A signal ended the program: segmentation fault, abort."""

    EXITED = "exited"
    """The program exited before its tests were done, with any status: sys.exit, os._exit."""

    OUTPUT_LIMIT = "output_limit"
    """The program exceeded its output limit."""

    @property
    def label(self) -> str:
        """The outcome in words, for people."""
        return LABELS[self.value]


@dataclass(frozen=True)
class Limits:
    """Resources that one program may use."""

    wall_seconds: float = 3.0
    """Time on the clock, from the program's first line. Time in which the program waited for a CPU does not count."""

    cpu_seconds: float | None = None
    """CPU time of one process. None: `wall_seconds` times the number of CPUs."""

    memory_bytes: int = 1 << 30
    """Address space of one process, or container memory, whichever the backend can enforce."""

    stack_bytes: int = 8 << 20
    """Size to which the stack of a process can grow, for its first thread. A program may raise it itself."""

    processes: int = 64
    """Number of processes and threads at once."""

    open_files: int = 256
    """File descriptors of one process."""

    file_bytes: int = 64 << 20
    """Size of one file."""

    output_bytes: int = 16 << 20
    """Size of stdout and stderr together. A program that writes more is ended."""

    kept_bytes: int = 16 << 10
    """Size of the beginning of stdout, and of stderr, that a verdict keeps: at most 1 MiB."""

    def __post_init__(self) -> None:
        """Raise TypeError or ValueError for a limit that is not a number above 0, or a count that is not whole."""
        for name, value in vars(self).items():
            if not name.endswith("_seconds"):
                positive_int(name, value)
            elif value is not None or name != "cpu_seconds":
                positive_number(name, value, "seconds")
        if self.kept_bytes > MAX_KEPT_BYTES:
            raise ValueError(f"kept_bytes must be at most {MAX_KEPT_BYTES}, not {self.kept_bytes!r}")


class EncodedTexts(NamedTuple):
    """The texts of a program in UTF-8."""

    tests: bytes
    """Neighbours with the same tests share these."""

    candidate: bytes


@dataclass(frozen=True)
class Program:
    """A candidate with its tests, its limits and its grading: the unit that a sandbox runs."""

    candidate: str
    """Source code. It may be any text, valid or not."""

    tests: str
    """Source code that runs after the candidate, in its module, and raises an exception if the candidate is wrong."""

    limits: Limits = Limits()

    grading: str = "shared"
    """"shared": candidate and tests run in one interpreter. "separate": they run in two, so that a candidate can't
    forge a pass. "steps": commands run, and `candidate` and `tests` are texts that `steps.step_program` has made.
    "raw": the program runs as it stands, and `raw_runs.programs` has made the texts."""

    language: str = "python"
    """Language of the candidate."""

    reference: str | None = None
    """The tests as the caller gave them, if `tests` adds a harness to them."""

    needed_module: str = ""
    """The module that the harness imports, as `Isolation.modules` names it. Guests without it don't run the program."""

    tests_are_repeatable: bool | None = field(default=None, compare=False)
    """With "separate", True if the tests can run again in the same process, because they do nothing but test. None:
    the text of the tests decides, as soon as the program is made."""

    invalid_tests: str = ""
    """Why the tests can judge no candidate. Such a program is not run, and has an InvalidTests as its result."""

    encoded: EncodedTexts | None = field(default=None, init=False, repr=False, compare=False)
    """Texts that a cache key has encoded and the request to a guest will need."""

    def __post_init__(self) -> None:
        """Classify the tests, if that matters and the caller has not done it."""
        if self.tests_are_repeatable is None and self.grading == "separate":
            # The reference decides: the harness around the tests changes nothing that outlives them.
            tests = self.tests if self.reference is None else self.reference
            object.__setattr__(self, "tests_are_repeatable", detect_grading(tests) == "separate")

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle holds: everything but the encoded texts."""
        state = vars(self).copy()
        state.pop("encoded", None)
        return state

    def keep_encoded(self, texts: EncodedTexts | None) -> None:
        """Keep encoded texts until the program has its result; None drops them."""
        object.__setattr__(self, "encoded", texts)


def make_printable(result: object, names: tuple[str, ...]) -> None:
    """Replace text fields of a frozen dataclass with their printable form. Called in its `__post_init__`."""
    for name in names:
        text = getattr(result, name)
        if not text.isprintable():
            object.__setattr__(result, name, printable(text))


@dataclass(frozen=True)
class TestResult:
    """The result of one test of a program."""

    # Otherwise pytest takes this for a class of tests.
    __test__: ClassVar[bool] = False

    name: str
    outcome: Outcome
    message: str = ""
    """One line for people. Empty if the test passed."""

    seconds: float = 0.0
    stdout: str = ""
    """Standard output of the test, if the caller asked for it. It is not escaped."""

    def __post_init__(self) -> None:
        """Make the name and the message one printable line each, because they may come from the candidate."""
        make_printable(self, ("name", "message"))


@dataclass(frozen=True)
class Verdict:
    """The outcome of one program, with its details.

    Texts that come from the candidate are capped. `stdout`, `stderr` and `traceback` are not escaped. All other texts
    are one printable line each, also in a verdict that the caller makes.
    """

    outcome: Outcome
    detail: str = ""
    """One line for people: "AssertionError: add(2, 3) == 5, where it is 6 == 5". Empty if the program passed."""

    exception_type: str = ""
    """Class name of the exception that ended the program. Empty if none did."""

    exception_message: str = ""
    """The message of the exception or of the compiler, with spaces in place of line breaks."""

    traceback: str = ""
    """Traceback with the program's own frames only."""

    values: str = ""
    """The values that the failed assert compared: "6 == 5"."""

    stdout: str = ""
    stderr: str = ""
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    """User and system time of the program and of the processes it waited for."""

    waited_seconds: float = 0.0
    """Time in which the program could have run and no CPU was free. It does not count as `Limits.wall_seconds`.
    It is measured ten times a second, and so 0 for a short program."""

    peak_memory_bytes: int = 0
    """Largest resident set of the program's first process."""

    isolation: tuple[str, ...] = ()
    """The layers that were on."""

    grading: str = "shared"
    """The grading that was used: "shared" or "separate"."""

    tests: tuple[TestResult, ...] = ()
    """Results of the tests that were run, in their order. Empty if the tests report no single results."""

    attempts: int = 1
    """Number of times that the program was started. Above 1 if the sandbox broke, or if the program was starved."""

    output: Any = None
    """Value of the output variable, as plain data or as its repr, if the user asked for it."""

    cached: bool = False
    """True if the verdict comes from the cache."""

    duplicate_of: int | None = None
    """Index of the identical program that ran in place of this one. None if this program ran itself."""

    repeats: tuple[Outcome, ...] = ()
    """Outcomes of all runs, if the user asked for several. The verdict is that of the first run."""

    grading_reason: str = ""
    """The reason for which "auto" chose "shared", such as "the tests use exec". Empty if it did not."""

    test_lines: tuple[int, ...] = ()
    """Lines of Python's tests at which they were when the program failed, outermost first."""

    decided_by_candidate: int = 0
    """With "separate", the number of comparisons of two objects of the candidate's classes, which these decide."""

    program: str = ""
    """The program that ran, if it is not all of the answer: see `reading`."""

    reading: str = ""
    """How `program` was taken out of the answer, in words. Empty if the answer ran as it stands."""

    def __post_init__(self) -> None:
        """Make `ONE_LINE_FIELDS` printable."""
        make_printable(self, ONE_LINE_FIELDS)

    @property
    def flaky(self) -> bool:
        """True if the program's runs had different outcomes."""
        return len(set(self.repeats)) > 1

    @property
    def passed(self) -> bool:
        """True if every test ran and none failed."""
        return self.outcome is Outcome.PASSED


def compared(verdict: Verdict) -> str:
    """Return the end of a verdict's detail, with the values that a failed assert compared; "" if they are unknown."""
    return f", where it is {verdict.values}" if verdict.values else ""


def changed_verdict(verdict: Verdict, **fields: Any) -> Verdict:
    """Return a copy of a verdict with other fields, none of which is a text.

    `dataclasses.replace` would look at all texts again, for each of millions of verdicts.
    """
    copy = object.__new__(Verdict)
    vars(copy).update(vars(verdict), **fields)
    return copy


@dataclass(frozen=True)
class Isolation:
    """The isolation that a guest enforces on this machine."""

    layers: tuple[str, ...]
    """The layers that are on."""

    missing: dict[str, str]
    """The layers that are off, with the reasons."""

    python: str
    """Version of the interpreter that runs the programs: "3.11.7"."""

    modules: tuple[str, ...] = ()
    """Modules that a harness may need, and that programs can import: "pytest"."""

    forked_in_python: str = ""
    """Why programs are forked in Python, which takes longer; "" if the C extension forks them."""

    memory_not_held: str = ""
    """Why the memory of a program's processes together is watched from time to time; "" if the kernel limits it."""
