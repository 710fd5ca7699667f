"""The programs of a task that decide, checker programs and interactors. They are run apart from candidates."""

from __future__ import annotations

import base64
import json

from .build_snapshot import read_files
from .step_runner import build_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .build_snapshot import StoredFiles
    from .execution import Execution
    from .step_runner import StepRunner
    from .verdicts import Reply

# A build of a judge program is kept for later tasks with the same one. There are this many of them at most.
MAX_BUILDS = 16
FILE_MODE = 0o600
TESTLIB_HINT = "put testlib.h into /usr/local/include, of this machine or of the image"


class NoDecision(Exception):
    """The judge program can't be asked. The argument is the reply to the caller."""


class JudgeProgram:
    """The present task's judge program of one kind, in the fork server where tests run."""

    # The kind, as the caller knows it.
    kind = ""
    # Runs the steps of the present request.
    runner: StepRunner
    request: Mapping[str, Any]

    def __init__(self, open_runner: Callable[[int], StepRunner]) -> None:
        """Start nothing yet.

        Args:
            open_runner: returns what runs the judge program's steps, for the id of a request.
        """
        self.open_runner = open_runner
        self.program: dict[str, Any] | None = None
        # Its last execution, if it has run for the present program.
        self.executions: list[Execution] = []
        # The files of each built judge program, or why it can't be built.
        self.builds: dict[str, StoredFiles | str] = {}
        # Why it does not decide where every working judge program does, by the names of tests; "" if it does.
        self.controls: dict[str, str] = {}

    def take(self, program: dict[str, Any] | None) -> None:
        """Take the judge program of the next task: None if it has none.

        Args:
            program: "files", {path: text}; "build", steps; "run", a step; "convention".
        """
        self.program, self.controls = program, {}

    def unusable(self, reason: str) -> NoDecision:
        """Return the error that tells the caller that this judge program decides nothing, whatever a candidate does."""
        return NoDecision({"unusable": reason, "judge": self.kind})

    def build(self) -> StoredFiles:
        """Return the files of the judge program, which is built unless a task before had the same one.

        Raises:
            NoDecision: if it can't be built.
        """
        assert self.program is not None
        if not self.program["build"]:
            files: StoredFiles = {path: stored_text(text) for path, text in self.program["files"].items()}
            return files
        key = json.dumps([self.program["files"], self.program["build"]])
        if key not in self.builds:
            while len(self.builds) >= MAX_BUILDS:
                del self.builds[next(iter(self.builds))]
            self.builds[key] = self.compile()
            self.runner.fork_server.surroundings.tidy()
        built = self.builds[key]
        if isinstance(built, str):
            raise self.unusable(built)
        return built

    def compile(self) -> StoredFiles | str:
        """Return the files of the judge program after its build; or why it can't be built.

        Raises:
            NoDecision: if a step can't be run.
        """
        assert self.program is not None
        files = self.program["files"]
        for step in self.program["build"]:
            _, result = self.run(step, files, None)
            files = {}
            if result["outcome"] != "passed":
                reason: str = build_failure(result)["detail"]
                hint = f"; {TESTLIB_HINT}" if "testlib.h" in reason else ""
                return f"it can't be compiled: {reason}{hint}"
        return self.runner.fork_server.surroundings.call_in_workplace(read_files)

    def run(
        self, step: Mapping[str, Any], files: Mapping[str, str], stored: StoredFiles | None
    ) -> tuple[Execution, Reply]:
        """Run a step of the judge program among its own files alone.

        Raises:
            NoDecision: if it can't be run.
        """
        if files:
            # A candidate that sees this folder, for want of layers, may have put something there.
            self.runner.fork_server.surroundings.tidy()
        execution, result = self.runner.run(self.request, step, files, stored)
        self.executions = [execution]
        if "broken" in result:
            raise NoDecision(result)
        if stored is not None:
            # The next candidate must find nothing of this.
            self.runner.fork_server.surroundings.tidy()
        return execution, result


def stored_text(text: str) -> tuple[int, str]:
    """Return a text as a step's child writes it: (mode, content in base64)."""
    return (FILE_MODE, base64.b64encode(text.encode("utf-8", "surrogatepass")).decode())
