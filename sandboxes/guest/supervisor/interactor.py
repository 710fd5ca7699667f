"""Interactors of tasks, which talk with candidates and decide. They run in a fork server without candidates."""

from __future__ import annotations

from ..common.checker_programs import CheckerFault, first_line
from ..common.interactors import (
    ENDED_EARLY,
    FEEDBACK_FOLDER,
    ICPC,
    LOG_FILE,
    LOST_STATUS,
    MESSAGE_FILE,
    NEEDED_LAYERS,
    TESTS,
    UNUSABLE_STATUS,
    interactor_files,
    interactor_refusal,
)
from ..common.named_tests import MAX_REPORT_BYTES, REPORT_FILE, read_report
from .build_snapshot import call_in_subfolder, read_file
from .conversation import ABANDONED, CANDIDATE, INTERACTOR, Conversation, TalkingCandidate
from .execution import Execution
from .judge_programs import JudgeProgram, NoDecision
from .step_runner import encode_step, step_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from .build_snapshot import StoredFiles
    from .step_runner import StepRunner
    from .verdicts import Reply

    Hold = Callable[[Conversation, Callable[[], bool], Callable[[], bool], int], None]

MAX_MESSAGE_BYTES = 4 << 10
STALLED = "; both sides waited: output that is not flushed does not reach the interactor"


class Interactor(JudgeProgram):
    """Has the interactor of a task talk with candidates.

    An interactor that crashes or hangs may be broken, and then no candidate is to blame. Or the candidate's output did
    that to it. A candidate that writes nothing and ends at once tells the two apart: an interactor that decides about
    it works, and the candidate has failed. A status that says that the interactor is at fault is always believed.
    """

    kind = "interactor"

    def __init__(self, open_runner: Callable[[int], StepRunner], candidates: StepRunner, hold: Hold) -> None:
        """Start nothing yet.

        Args:
            open_runner: as in `JudgeProgram`.
            candidates: runs candidates.
            hold: watches a conversation to its end, for the id of a request. Its functions are those of
                `Conversation.hold`.
        """
        super().__init__(open_runner)
        self.candidates, self.hold = candidates, hold
        # The file that the interactor has left for a checker program.
        self.log = b""
        # The files of an interactor that the candidate's own build has made.
        self.built: StoredFiles = {}

    def talk(
        self, request: Mapping[str, Any], step: Mapping[str, Any], files: Mapping[str, str], stored: StoredFiles | None
    ) -> tuple[Execution | None, Reply]:
        """Run a test: the candidate and the interactor at the same time.

        Args:
            request: the caller's.
            step: the test, with "stdin" and "expected", which are the interactor's alone.
            files: of the candidate, as `StepRunner.run` takes them.
            stored: likewise.

        Returns:
            (the candidate's execution, None if there was none; its result).
        """
        self.runner, self.request, self.executions = self.open_runner(request["id"]), request, []
        candidate: TalkingCandidate | None = None
        try:
            missing = self.missing_layer()
            if missing and not self.is_tests:
                raise NoDecision({"unusable": missing, "judge": "layer"})
            built = self.build()
            asked = encode_step(step, {"files": files, "stored": stored or {}, "stdin": None})
            candidate = TalkingCandidate(self.candidates.fork_server, {**request["limits"], **step["limits"]})
            result = self.converse(candidate, step, asked, built)
            if missing:
                # The candidate could see what the tests hold.
                result["grading"] = "shared"
            return candidate, result
        except NoDecision as error:
            reply: Reply = error.args[0]
            return candidate, reply

    @property
    def is_tests(self) -> bool:
        """Whether the interactor is the tests of a program, which fail for nothing but the candidate."""
        assert self.program is not None
        is_tests: bool = self.program["convention"] == TESTS
        return is_tests

    @property
    def built_folder(self) -> str:
        """The folder in which the candidate's build leaves the interactor; "" if it is no product of that build."""
        folder: str = self.program.get("folder", "") if self.program else ""
        return folder

    def build(self) -> StoredFiles:
        """Return the files of the interactor, as `JudgeProgram.build` does."""
        return self.built if self.built_folder else super().build()

    def missing_layer(self) -> str:
        """Return the name of a layer without which the two sides could see each other; "" if none is missing."""
        servers = (self.candidates.fork_server, self.runner.fork_server)
        return next((layer for layer in NEEDED_LAYERS if any(layer not in server.layers for server in servers)), "")

    def converse(self, candidate: TalkingCandidate, step: Mapping[str, Any], asked: bytes, built: StoredFiles) -> Reply:
        """Return the result of a test.

        Args:
            candidate: which has not begun.
            step: the test.
            asked: the candidate's step, as `encode_step` returns it.
            built: files of the interactor.

        Raises:
            NoDecision: if the interactor can't be run, or works for no candidate.
        """
        assert self.program is not None
        run = self.program["run"]
        given = interactor_files(self.program["convention"], step["stdin"], step["expected"])
        interactor = Execution(self.runner.fork_server, {**self.request["limits"], **run["limits"]})
        self.executions = [interactor]
        conversation = Conversation(candidate, interactor)
        self.runner.fork_server.surroundings.tidy()
        try:
            conversation.begin(asked, encode_step(run, {"files": given, "stored": built, "stdin": None}))
            self.hold(
                conversation,
                lambda: step_result(candidate, step).get("outcome") == "passed",
                lambda: self.accepts(interactor),
                self.request["id"],
            )
            if conversation.ended_by == ABANDONED:
                return {"broken": candidate.reason}
            result = self.judge(conversation, step, built)
            # Whoever waits for a CPU has the other side wait too.
            waited = sum(side.accounting.waited_seconds for side in (candidate, interactor))
            result["waited_seconds"] = max(0.0, min(waited, result.get("wall_seconds", 0)))
            return result
        finally:
            conversation.close()
            # The next candidate must find nothing of this.
            self.runner.fork_server.surroundings.tidy()

    def accepts(self, interactor: Execution) -> bool:
        """Return whether an interactor that has ended accepts the conversation."""
        try:
            return not self.refusal(interactor)
        except (CheckerFault, NoDecision):
            return False

    def refusal(self, interactor: Execution) -> str:
        """Return why an interactor that has ended refuses the conversation; "" if it accepts.

        Raises:
            CheckerFault: if it has decided nothing.
            NoDecision: if it could not be run, or says that it is at fault.
        """
        assert self.program is not None
        result = step_result(interactor, self.program["run"])
        if "broken" in result:
            raise NoDecision(result)
        if self.is_tests:
            return "" if result["outcome"] == "passed" else result["detail"]
        if result["outcome"] == "failed" and result.get("exception_type") == "EOFError":
            return ENDED_EARLY
        # A status alone is a decision. A report says that the program raised an exception, or could not be started.
        if result["outcome"] != "passed" and not (result["outcome"] == "failed" and interactor.status):
            raise CheckerFault(first_line(result["detail"]))
        try:
            return interactor_refusal(self.program["convention"], interactor.status >> 8, self.message(result))
        except CheckerFault as fault:
            raise self.unusable(str(fault)) from None

    def message(self, result: Mapping[str, Any]) -> str:
        """Return what an interactor wrote for people."""
        assert self.program is not None
        stderr: str = result["stderr"]
        if self.program["convention"] != ICPC:
            return stderr
        return self.feedback().decode("utf-8", "replace") or stderr

    def feedback(self) -> bytes:
        """Return the message that an interactor wrote to its folder; b"" if there is none."""
        limit = MAX_MESSAGE_BYTES
        arguments = (FEEDBACK_FOLDER, read_file, MESSAGE_FILE, limit)
        try:
            return self.runner.fork_server.surroundings.call_in_workplace(call_in_subfolder, *arguments) or b""
        except OSError:
            # It has removed the folder, or put something in its place.
            return b""

    def read_own(self, name: str, limit: int) -> bytes:
        """Return the beginning of a file that an interactor has left in its folder; b"" if there is none.

        Args:
            name: of the file.
            limit: the most bytes to return.
        """
        return self.runner.fork_server.surroundings.call_in_workplace(read_file, name, limit) or b""

    def judge(self, conversation: Conversation, step: Mapping[str, Any], built: StoredFiles) -> Reply:
        """Return the result of a test after the conversation.

        Raises:
            NoDecision: as `converse`.
        """
        candidate, interactor = conversation.candidate, conversation.interactor
        if self.is_tests:
            return self.judge_tests(conversation, step)
        if conversation.ended_by != INTERACTOR:
            result = step_result(candidate, step)
            if conversation.has_stalled:
                self.require_working(step, built)
                result["detail"] += STALLED
            if conversation.ended_by == CANDIDATE or "broken" in result:
                return result
            limit = candidate.limits["output_bytes"]
            self.log = self.read_own(LOG_FILE, limit)
            return result
        try:
            wrong = self.refusal(interactor)
        except CheckerFault as fault:
            wrong = f"the interactor fails in this conversation, and works with a silent candidate: {fault}"
            self.require_working(step, built)
        texts = {"stdout": candidate.stdout.text, "stderr": candidate.stderr.text}
        return {"outcome": "failed", "detail": wrong, **candidate.costs(), **texts}

    def judge_tests(self, conversation: Conversation, step: Mapping[str, Any]) -> Reply:
        """Return the result of a candidate whose tests were the interactor. Its output are answers to the tests."""
        assert self.program is not None
        candidate, tests = conversation.candidate, conversation.interactor
        # Without these layers, the candidate could write the report.
        report = b"" if self.missing_layer() else self.read_own(REPORT_FILE, MAX_REPORT_BYTES)
        named = read_report(report)
        if conversation.ended_by != INTERACTOR:
            result: Reply = {**step_result(candidate, step), "stdout": ""}
        else:
            result = step_result(tests, self.program["run"])
            # No candidate can have caused this before it has answered.
            if tests.status >> 8 == UNUSABLE_STATUS and not conversation.relayed.total:
                return {"unusable": tests.stderr.text.strip().rpartition("\n")[2], "judge": "library"}
            if tests.status >> 8 == LOST_STATUS:
                result.update(outcome="exited", detail="left before its tests were done, with status 0")
            result.update(candidate.costs(), stdout="", stderr=candidate.stderr.text + tests.stderr.text)
        failed = next((test for test in named if test["outcome"] == "failed"), None)
        if result.get("outcome") == "passed" and failed is not None:
            # The tests have ended as if it had passed.
            result.update(outcome="failed", detail="%s: %s" % (failed["name"], failed["message"] or "failed"))
        return {**result, "named": named}

    def require_working(self, step: Mapping[str, Any], built: StoredFiles) -> None:
        """Raise NoDecision if the interactor does not decide about a candidate that writes nothing and ends at once."""
        assert self.program is not None
        name = step["name"]
        if name not in self.controls:
            given = interactor_files(self.program["convention"], step["stdin"], step["expected"])
            execution, _ = self.run({**self.program["run"], "stdin": ""}, given, built)
            try:
                self.refusal(execution)
                self.controls[name] = ""
            except CheckerFault as fault:
                self.controls[name] = str(fault)
        if self.controls[name]:
            raise self.unusable(f"{name}, with a candidate that writes nothing: {self.controls[name]}")
