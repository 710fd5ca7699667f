"""The supervisor: speaks with the caller, and has fork servers run the programs."""

from __future__ import annotations

import os
import select
from functools import partial

from ..common.frames import CANDIDATE, RAW, SHARED, STEPS, TESTS, write_frame, write_reply
from .execution import Execution, Watchdog
from .guest_process import PARENT_CHECK_INTERVAL_SECONDS, GuestProcess
from .interactor import Interactor
from .ordinary_run import OrdinaryRun
from .program_checker import ProgramChecker
from .raw_runs import RawExecutor
from .request_reader import RequestReader
from .separate_grading import SeparateGrading
from .step_runner import StepRunner
from .steps import StepExecutor
from .warm_compilers import WarmCompilers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .conversation import Conversation
    from .verdicts import Reply


class Supervisor(GuestProcess):
    """Gives programs to fork servers, and decides their verdicts."""

    def __init__(self, requests: int, replies: int, options: dict[str, Any], guest_file: str) -> None:
        """Start the first fork server.

        Args:
            requests: descriptor of the pipe from the caller.
            replies: descriptor of the pipe to the caller.
            options: the guest's.
            guest_file: the program that becomes a fork server.
        """
        super().__init__(requests, replies, options, guest_file, (SHARED, TESTS, CANDIDATE))
        self.reader = RequestReader(requests)
        self.is_cancelled = False
        self.separate_grading: SeparateGrading | None = None
        self.step_executor: StepExecutor | None = None
        self.raw_executor: RawExecutor | None = None
        self.shared = self.first

    def serve(self) -> None:
        """Answer requests until the caller closes its end.

        Raises:
            EOFError: if the fork server has ended.
        """
        write_frame(self.replies, self.hello())
        if self.connection is not None:
            self.requests = self.replies = self.connection
            self.reader = RequestReader(self.connection)
        idle = select.poll()
        idle.register(self.requests, select.POLLIN)
        idle.register(self.shared.channel, 0)
        while True:
            ready: list[tuple[int, int]] = []
            while not self.reader.buffer and not (ready := idle.poll(PARENT_CHECK_INTERVAL_SECONDS * 1000)):
                # A process that the caller forked may hold the pipe open after the caller's end.
                if os.getppid() != self.parent:
                    return
                if self.step_executor is not None:
                    self.step_executor.compilers.end_if_idle()
            if not self.reader.buffer and ready[0][0] != self.requests:
                raise EOFError("the fork server ended: " + self.shared.last_words())
            request = self.reader.request()
            if request is None:
                return
            if "cancel" in request:
                # The program has ended before its cancellation came.
                continue
            tests_bytes = request["tests_bytes"]
            size = max(0, tests_bytes) + request["candidate_bytes"]
            texts = self.reader.exactly(size)
            if len(texts) < size:
                return
            kinds = {SHARED: self.run_shared, STEPS: self.run_steps, RAW: self.run_raw}
            run = kinds.get(request["grading"], self.run_separately)
            self.is_cancelled = False
            executions, reply = run(request, tests_bytes, texts)
            if any(execution.reason == "abandoned" for execution in executions):
                return
            if self.is_cancelled:
                reply = {"cancelled": True}
            reply["id"] = request["id"]
            write_reply(self.replies, reply)
            # Only after the reply: a program's changes to its folder may end this guest, but not take back the verdict.
            for execution in executions:
                execution.tidy()

    def run_shared(
        self, request: dict[str, Any], tests_bytes: int, texts: bytes
    ) -> tuple[Sequence[Execution | OrdinaryRun], Reply]:
        """Run a candidate and its tests in one process.

        Args:
            request: the caller's.
            tests_bytes: size of the tests, -1 for the same tests as last time.
            texts: the tests, unless they are the same, and then the candidate.

        Returns:
            ([its execution], reply).
        """
        run = OrdinaryRun(self.shared, request["limits"])
        execution = run.run(tests_bytes, request["candidate_bytes"], texts)
        if not isinstance(execution, Execution):
            return [run], execution
        self.watch([execution], request["id"])
        return [execution], execution.reply()

    def run_separately(
        self, request: dict[str, Any], tests_bytes: int, texts: bytes
    ) -> tuple[Sequence[Execution], Reply]:
        """Run a candidate in one process and its tests in another. The arguments are those of `run_shared`.

        Returns:
            ([execution of the tests, execution of the candidate], reply).
        """
        if self.separate_grading is None:
            on_waiting = self.waiting_notifier(request["id"])
            self.separate_grading = SeparateGrading(
                self.fork_server(TESTS, on_waiting), self.fork_server(CANDIDATE, on_waiting)
            )
        cut = len(texts) - request["candidate_bytes"]
        executions = self.separate_grading.start(request, tests_bytes, texts[:cut], texts[cut:])
        self.watch(executions, request["id"])
        return executions, self.separate_grading.finish(*executions)

    def run_steps(self, request: dict[str, Any], tests_bytes: int, texts: bytes) -> tuple[Sequence[Execution], Reply]:
        """Run a program that has steps. The arguments are those of `run_shared`.

        Returns:
            ([executions of the last steps], reply).
        """
        if self.step_executor is None:
            runner, checker = StepRunner(self.shared, self.watch_step), ProgramChecker(self.judge_runner)
            interactor = Interactor(self.judge_runner, runner, self.hold)
            compilers = WarmCompilers(self.shared, self.compiler_server, self.reader)
            self.step_executor = StepExecutor(runner, checker, interactor, compilers, self.notify_waiting)
        cut = len(texts) - request["candidate_bytes"]
        return self.step_executor.run(request, texts[:cut], texts[cut:])

    def run_raw(self, request: dict[str, Any], tests_bytes: int, texts: bytes) -> tuple[Sequence[Execution], Reply]:
        """Run a program as it stands. The arguments are those of `run_shared`.

        Returns:
            ([execution of the last step], reply).
        """
        if self.raw_executor is None:
            self.raw_executor = RawExecutor(StepRunner(self.shared, self.watch_step))
        cut = len(texts) - request["candidate_bytes"]
        return self.raw_executor.run(request, texts[:cut], texts[cut:])

    def judge_runner(self, request_id: int) -> StepRunner:
        """Return what runs checker programs and interactors: where tests run, and no candidate does."""
        if self.separate_grading is not None:
            self.separate_grading.end_process()
        return StepRunner(self.fork_server(TESTS, self.waiting_notifier(request_id)), self.watch_step)

    def watch_step(self, execution: Execution, request_id: int) -> None:
        """Watch a step, and notify the caller of its end, because a program may have many steps."""
        self.watch([execution], request_id)
        if execution.reason is None:
            # A short step is not watched, and a program may have thousands of them.
            execution.reason = self.reader.news_of(request_id)
            self.is_cancelled = self.is_cancelled or execution.reason == "cancelled"
        self.waiting_notifier(request_id)()

    def hold(
        self,
        conversation: Conversation,
        does_well: Callable[[], bool],
        accepts: Callable[[], bool],
        request_id: int,
    ) -> None:
        """Watch a conversation to its end. The functions are those of `Conversation.hold`."""
        notify = self.waiting_notifier(request_id)
        conversation.hold(does_well, accepts, self.reader, request_id, notify)
        self.is_cancelled = self.is_cancelled or conversation.candidate.reason == "cancelled"
        notify()

    def watch(self, executions: Sequence[Execution], request_id: int) -> None:
        """Watch programs that run together until the first of them has ended."""
        Watchdog(executions, self.reader, request_id, self.waiting_notifier(request_id)).wait()
        self.is_cancelled = self.is_cancelled or any(execution.reason == "cancelled" for execution in executions)

    def waiting_notifier(self, request_id: int) -> Callable[[], None]:
        """Return a function that tells the caller to wait on."""
        return partial(self.notify_waiting, request_id)

    def notify_waiting(self, request_id: int) -> None:
        """Tell the caller to wait on."""
        write_frame(self.replies, {"id": request_id, "waiting": True})
