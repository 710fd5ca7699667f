"""Checker programs of tasks, which decide whether an output is right. They run in a fork server without candidates."""

from __future__ import annotations

import base64

from ..common.checker_programs import (
    EXPECTED_FILE,
    INPUT_FILE,
    OUTPUT_FILE,
    CheckerFault,
    checked_output,
    first_line,
    refusal,
)
from .judge_programs import FILE_MODE, JudgeProgram, NoDecision

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .build_snapshot import StoredFiles
    from .verdicts import Reply


class ProgramChecker(JudgeProgram):
    """Asks the checker program of a task about outputs.

    A checker program that crashes, hangs or writes nonsense may be broken, and then no candidate is to blame. Or a
    hostile output did that to it, and then neither the run may fail nor the candidate pass. The expected output tells
    the two apart: a checker program that decides about it works, and the candidate has failed. The caller is told of
    one that does not decide about the expected output either. Such a problem is broken for every candidate.
    """

    kind = "checker program"

    def check(self, request: Mapping[str, Any], step: Mapping[str, Any], output: bytes, is_log: bool = False) -> Reply:
        """Ask about an output.

        Args:
            request: the caller's.
            step: the test, with "stdin" and "expected".
            output: of the candidate, of which nothing else is left.
            is_log: whether the output is an interactor's, for which there is no expected one.

        Returns:
            What changes in the test's result; or "broken", or "unusable" with the reason, if nothing is decided.
        """
        try:
            self.runner, self.request = self.open_runner(request["id"]), request
            stored = self.build()
            try:
                wrong = self.ask(step, stored, output)
            except CheckerFault as fault:
                if is_log:
                    raise self.unusable(f"{step['name']}: {fault}") from None
                wrong = f"the checker fails on this output, and works on the expected one: {fault}"
                if control := self.control(step, stored):
                    raise self.unusable(f"{step['name']}, with the expected output: {control}") from None
        except NoDecision as error:
            reply: Reply = error.args[0]
            return reply
        return {"outcome": "failed", "detail": wrong} if wrong else {}

    def control(self, step: Mapping[str, Any], stored: StoredFiles) -> str:
        """Return why the checker program can't decide about the expected output; "" if it can."""
        name = step["name"]
        if name not in self.controls:
            try:
                self.ask(step, stored, step["expected"].encode("utf-8", "surrogatepass"))
                self.controls[name] = ""
            except CheckerFault as fault:
                self.controls[name] = str(fault)
        return self.controls[name]

    def ask(self, step: Mapping[str, Any], stored: StoredFiles, output: bytes) -> str:
        """Return why the checker program refuses an output; "" if the output is right.

        Raises:
            CheckerFault: if it decides nothing.
            NoDecision: if it can't be run.
        """
        assert self.program is not None
        convention = self.program["convention"]
        content = base64.b64encode(checked_output(convention, output)).decode()
        stored = {**stored, OUTPUT_FILE: (FILE_MODE, content)}
        files = {INPUT_FILE: step["stdin"], EXPECTED_FILE: step["expected"]}
        if "files" in step:
            [files[INPUT_FILE]] = step["files"].values()
        execution, result = self.run(self.program["run"], files, stored)
        # A status alone is a decision. A report says that the program raised an exception, or could not be started.
        if result["outcome"] != "passed" and not (result["outcome"] == "failed" and execution.status):
            raise CheckerFault(first_line(result["detail"]))
        return refusal(convention, execution.status >> 8, result["stdout"], result["stderr"])
