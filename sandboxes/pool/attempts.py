"""The workers that broke over each program, and the result of a program that is not run again."""

from __future__ import annotations

from sandboxes.contract import Outcome, Program
from sandboxes.errors import SandboxUnavailable
from sandboxes.events import log_event
from sandboxes.pool.caller_verdicts import caller_verdict
from sandboxes.runner import RunResult
from sandboxes.workers.worker import Worker

MAX_ATTEMPTS = 3  # workers that may break over one program, or in a row when they start


class Attempts:
    """Counts the workers that broke, by the program that they ran."""

    def __init__(self) -> None:
        """Begin at 0."""
        self._broken: dict[int, int] = {}
        self._out_of_memory: dict[int, int] = {}
        """Number of these workers whose guest had run out of memory."""

    def forget(self, index: int) -> int:
        """Return the number of workers that broke over a program, and forget the program."""
        self._out_of_memory.pop(index, None)
        return self._broken.pop(index, 0)

    def add(self, index: int, program: Program, worker: Worker, reason: str, sandbox: str) -> RunResult | None:
        """Count a worker that broke over a program.

        Args:
            index: of the program.
            program: it is its own fault if it used up the memory of all its guests.
            worker: that broke.
            reason: for people.
            sandbox: the sandbox's name.

        Returns:
            None if the program runs again, otherwise its result.
        """
        if worker.ran_out_of_memory():
            self._out_of_memory[index] = self._out_of_memory.get(index, 0) + 1
        self._broken[index] = self._broken.get(index, 0) + 1
        if self._broken[index] < MAX_ATTEMPTS:
            log_event("retry", "program %d runs again, attempt %d: %s", index, self._broken[index] + 1, reason)
            return None
        if self._out_of_memory.get(index) == MAX_ATTEMPTS and worker.isolation is not None:
            # The last one is the run that the verdict is about.
            self._broken[index] -= 1
            detail = f"used all the memory of its sandbox, {MAX_ATTEMPTS} times"
            return caller_verdict(Outcome.OUT_OF_MEMORY, detail, program, worker.isolation.layers)
        return SandboxUnavailable(
            f"the {sandbox} sandbox broke {MAX_ATTEMPTS} times while it ran program {index}: {reason}; "
            'see `code-eval doctor`, or pass on_sandbox_error="exclude" to leave such programs out of the score'
        )
