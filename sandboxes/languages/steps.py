"""Programs in steps: commands that build a program, and test runs with an input and an output each.

Languages, input/output cases and CodeCorrectness make such programs. The guest reads what `as_json` and `step_program`
write, so both ends must name the same keys.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from sandboxes.contract import Limits, Program
from sandboxes.workers.messages import guest_limits

SCRIPT_FILE = "candidate.py"
"""The file that a step without a command runs, in the warm interpreter."""

FILE_INPUT, FILE_OUTPUT = "input.txt", "output.txt"
"""The files of runs that use neither standard input nor standard output."""


@dataclass(frozen=True)
class WarmCompiler:
    """A compiler that stays for many programs, and does with each what a build command does.

    It talks as `sandboxes.guest.supervisor.warm_compiler` describes it.
    """

    argv: tuple[str, ...]
    """The words of the command that starts it."""

    files: Mapping[str, str]
    """Its own files when it starts, text by path."""

    arguments: tuple[str, ...]
    """Its arguments for each program."""

    def as_json(self) -> dict[str, Any]:
        """Return the compiler as the guest reads it."""
        return {"argv": self.argv, "files": dict(self.files), "arguments": self.arguments}


@dataclass(frozen=True)
class Command:
    """A command in the program's folder."""

    argv: tuple[str, ...] | None
    """The command's words. None: run SCRIPT_FILE in the warm interpreter."""

    limits: Limits
    reserves_memory: bool = False
    """True if the command reserves far more memory than it uses. Then its memory is limited, but not its addresses."""

    memory_status: int | None = None
    """The exit status that means "out of memory", if the command has one."""

    needs: tuple[str, ...] = ()
    """Paths of files, and names of other commands, that every program's command needs. If one of them is missing or
    can't be read, the sandbox is broken."""

    warm: WarmCompiler | None = None
    """The compiler that can do the same without a start. Only for a build of one command."""

    may_be_missing: bool = False
    """True if the command fails where it is not installed. Otherwise the sandbox is broken then."""

    def as_json(self) -> dict[str, Any]:
        """Return the command as the guest reads it."""
        limits = {**guest_limits(self.limits), "address_space": not self.reserves_memory}
        step = {"argv": self.argv, "stdin": "", "limits": limits, "memory_status": self.memory_status, "name": ""}
        warm = {} if self.warm is None else {"warm": self.warm.as_json()}
        missing = {"any_command": True} if self.may_be_missing else {}
        return {**step, "needs": self.needs, **warm, **missing}


@dataclass(frozen=True)
class TestRun:
    """A command that is a test: it has to end by itself, and write the expected output."""

    # Otherwise pytest takes this for a class of tests.
    __test__: ClassVar[bool] = False

    command: Command
    name: str = ""
    stdin: str = ""
    expected: str | tuple[str, ...] | None = None
    """The expected standard output, or several of which each is right. None: any output passes."""

    checker: str = "tokens"
    """The comparison with the expected output: one of CHECKERS. "": the checker program of the plan decides."""

    tolerance: float = 1e-6
    """The largest difference that the checker "floats" accepts."""

    writes_token: bool = False
    """True if the run has to end its output with the completion token. Without the token, it did not finish."""

    any_status: bool = False
    """True if a script that calls `sys.exit` has ended well, whatever the status."""

    uses_files: bool = False
    """True if the run reads FILE_INPUT in place of its standard input, and writes FILE_OUTPUT."""

    unlimited_stack: bool = False
    """True if nothing but its memory limits the run's stack."""

    def as_json(self) -> dict[str, Any]:
        """Return the run as the guest reads it."""
        step = self.command.as_json() | {"name": self.name, "stdin": self.stdin, "writes_token": self.writes_token}
        step |= {name: True for name in ("any_status", "unlimited_stack") if getattr(self, name)}
        if self.uses_files:
            step |= {"stdin": "", "files": {FILE_INPUT: self.stdin}, "output_file": FILE_OUTPUT}
        if self.expected is not None:
            step |= {"expected": self.expected, "checker": self.checker, "tolerance": self.tolerance}
        # The checker reads all of the output. The verdict keeps as much as the program's own limits allow.
        step["limits"]["kept_bytes"] = step["limits"]["output_bytes"]
        return step


@dataclass(frozen=True)
class StepPlan:
    """The build commands and test runs that all candidates of one task share."""

    build: Sequence[Command]
    runs: Sequence[TestRun]
    stop_at_first_failure: bool = True
    returns_output: bool = False
    """True if each test's result has its output, for a checker of the caller's."""

    grading: str = "shared"
    """The grading that verdicts report: "separate" if the candidate's process does not hold what decides."""

    sources: tuple[str, ...] = ()
    """Ends of the names of files that are removed after the build."""

    checker: Mapping[str, Any] | None = None
    """The checker program that decides about outputs, as `CheckerProgram.as_json` returns it."""

    interactor: Mapping[str, Any] | None = None
    """The interactor that talks with the program in each run, as `Interactor.as_json` returns it. The runs' inputs and
    expected outputs are its own then."""

    _text: list[str] = field(default_factory=list, repr=False, compare=False)

    @property
    def text(self) -> str:
        """The plan as the guest reads it. The same object each time, because many candidates share it."""
        if not self._text:
            plan: dict[str, Any] = {
                "build": [command.as_json() for command in self.build],
                "runs": [run.as_json() for run in self.runs],
                "stop": self.stop_at_first_failure,
                "returns": self.returns_output,
                "grading": self.grading,
                "sources": self.sources,
            }
            plan |= {name: judge for name in ("checker", "interactor") if (judge := getattr(self, name)) is not None}
            self._text.append(json.dumps(plan))
        return self._text[0]


def step_program(
    files: Mapping[str, str],
    plan: StepPlan,
    limits: Limits,
    token: str = "",
    language: str = "python",
    names: Sequence[str] = (),
) -> Program:
    """Build a program that a sandbox runs step by step.

    Args:
        files: source text by path in the program's folder.
        plan: the task's plan.
        limits: of the program as a whole, such as the size of the output that is kept.
        token: the completion token, which a run with `writes_token` writes at its end. Drawn for this program alone.
        language: of the files.
        names: of the tests of a run with `writes_token`, if it writes a ticket for each one that has passed.
    """
    named = {"names": [*names]} if names else {}
    # The token comes last, because `without_token` cuts it off there.
    text = json.dumps({"files": dict(files), **named, "token": token})
    return Program(text, plan.text, limits, "steps", language)


def without_token(candidate: str) -> str:
    """Return the candidate of a program in steps without its completion token, which differs between equal programs."""
    # A candidate can't contain this text: JSON escapes its quotes.
    return candidate.rpartition(', "token": ')[0]
