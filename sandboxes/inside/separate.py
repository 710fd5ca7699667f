"""Programs whose tests run in one process and whose candidate in another: the supervisor's part."""

import _socket
import os
import select
import signal
import struct
import time

from .decide import GONE
from .endings import MOST_SECONDS_TO_END
from .frames import TESTS_HEAD, FrameReader
from .stand_ins import ADVICE
from .streams import started_at
from .trial import Trial

# For a candidate, once its tests have ended or have lost it. On a busy machine it is late to write the rest of what it
# has printed, and to end.
SECONDS_TO_LEAVE = 0.5
# Those of a process that outlives one candidate's tests: each of them is held by the clock.
LIMITS_OF_TESTS = {"wall_seconds": 0, "cpu_seconds": 1 << 20, "output_bytes": 0, "kept_bytes": 0}


class Separate:
    """Runs candidates apart from their tests, in two fork servers: what a candidate's has seen, its memory may hold."""

    def __init__(self, tests_box, candidate_box):
        self.tests_box, self.candidate_box = tests_box, candidate_box
        self.process, self.tests, self.alike = None, b"", True

    def begin(self, request, tests_bytes, tests, candidate):
        """Starts a candidate and its tests; the two trials, that of the tests first.

        Args:
            request: the caller's.
            tests_bytes: -1 for the same tests as last time.
            tests: source, bytes; none for the same.
            candidate: source, bytes.
        """
        limits = request["limits"]
        near, far = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
        of_candidate = Trial(self.candidate_box, limits)
        of_candidate.begin(-1, len(candidate), candidate, far)
        if tests_bytes >= 0:
            self.tests = tests
        lasting = {**limits, **LIMITS_OF_TESTS}
        if self.process and (self.process.ended or self.process.limits != lasting):
            self.process.end()
            self.tests_box.tidy()
            self.process = None
        if not self.process:
            self.process = TestsProcess(self.tests_box, lasting)
        self.alike = request["alike"]
        # A candidate could stop one that it can see, to have the next one's tests time out.
        again = self.alike and self.tests_box.has_own_pids
        of_tests = TestsTrial(self.process, limits, self.tests, again)
        of_tests.start(near)
        near.close()
        far.close()
        return of_tests, of_candidate

    def end(self, of_tests, of_candidate):
        """The reply for a candidate whose tests have ended. Ends the candidate too."""
        reply = said = of_tests.reply()
        if of_candidate.ended_at is None and of_candidate.has_news(SECONDS_TO_LEAVE):
            of_candidate.hear()
        was_left = of_candidate.ended_at is None
        if was_left:
            of_candidate.stop(of_tests.reason)
            # One that had begun to end by itself has another status than that of a process that is ended from outside.
            was_left = os.WIFSIGNALED(of_candidate.status) and os.WTERMSIG(of_candidate.status) == signal.SIGKILL
        if of_tests.reason or said.get("outcome") == GONE:
            of_candidate.reason = of_tests.reason
            reply = {**of_candidate.reply(), "record": said.get("record", "")}
            if reply.get("outcome") == "passed" or (was_left and not of_tests.reason):
                # It ended as one does that the tests have left, or was ended here because it did not.
                reply.update(outcome="exited", detail="left before its tests were done: " + said["detail"])
        if not self.alike and reply.get("outcome") == "failed" and ADVICE not in reply["detail"]:
            reply["detail"] += f" (these tests may look into the candidate's process; {ADVICE})"
        reply["wall_seconds"] = of_tests.ended_at - (started_at(of_candidate.setup) or of_tests.sent_at)
        reply["cpu_seconds"] = of_tests.cpu_seconds + of_candidate.cpu_seconds
        reply["peak_memory_bytes"] = of_candidate.peak_memory_bytes
        for name in ("stdout", "stderr"):
            reply[name] = getattr(of_candidate, name).text + getattr(of_tests, name).text
        reply["grading"] = "separate"
        return reply


class TestsProcess:
    """A process of the tests' fork server, which runs tests of one candidate after the other."""

    def __init__(self, box, limits):
        """Starts it."""
        self.limits, self.tests, self.again = limits, None, True
        self.control, far = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
        self.trial = Trial(box, limits)
        self.trial.begin(-1, 0, b"", far)
        far.close()
        self.frames = FrameReader(self.control.fileno())
        self.listener = select.poll()
        self.listener.register(self.control, select.POLLIN)
        self.ended = False

    def has_news(self, seconds):
        """Whether it says something within so many seconds."""
        return bool(self.listener.poll(seconds * 1000))

    def judge(self, tests, again, link):
        """Has it judge a candidate.

        Args:
            tests: source, bytes.
            again: whether it may judge another one after them: they leave no trace in it.
            link: a socket to the candidate's process.
        """
        text = b"" if tests is self.tests else tests
        size = TESTS_HEAD.pack(-1 if tests is self.tests else len(tests))
        self.tests, self.again = tests, again
        carried = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, struct.pack("i", link.fileno()))]
        self.control.sendmsg([size], carried)
        self.control.sendall(text)

    def answer(self):
        """What it says of the candidate; None if it has ended instead."""
        frame = self.frames.frame()
        if frame is None:
            self.hear_end()
        elif frame["last"] or not self.again:
            self.ended = True
        return frame

    def hear_end(self):
        """Waits until it has ended."""
        self.ended = True
        while self.trial.ended_at is None:
            if not self.trial.has_news(2 * MOST_SECONDS_TO_END):
                raise TimeoutError("the tests' process does not end")
            self.trial.hear()

    def end_of(self, trial):
        """The reply for tests that ended the process, or that were ended with it."""
        own = self.trial
        own.limits, own.stdout, own.stderr = trial.limits, trial.stdout, trial.stderr
        return own.reply()

    def end(self):
        """Ends it, as there are no more candidates for it."""
        self.control.close()
        box = self.trial.box
        if self.trial.ended_at is None and not box.has_own_pids:
            # A candidate may have stopped it.
            box.stop_program(self.trial.share.pid)
        self.hear_end()


class TestsTrial(Trial):
    """A program's tests."""

    def __init__(self, process, limits, tests, again):
        """Takes the request's limits, and what `TestsProcess.judge` does."""
        super().__init__(process.trial.box, limits)
        self.process, self.tests, self.again, self.answer = process, tests, again, None

    def start(self, link):
        if self.process.tests is not None:
            # It has judged others before.
            self.share.begin(self.process.trial.share.find())
        self.sent_at = time.monotonic()
        self.process.judge(self.tests, self.again, link)

    def began(self):
        """When the tests began; None if their process has not."""
        began = self.process.trial.began()
        return began and max(began, self.sent_at)

    @property
    def news_fd(self):
        """What can be read when there is something to hear."""
        return self.process.control.fileno()

    def has_news(self, seconds):
        """Whether there is something to hear within so many seconds."""
        return self.process.has_news(seconds)

    def hear(self):
        """Takes what the process says of the candidate, or that it has ended."""
        self.answer = self.process.answer()
        self.ended_at = time.monotonic()
        self.cpu_seconds = self.answer["cpu_seconds"] if self.answer else self.process.trial.cpu_seconds
        for stream in self.box.written(self.stdout, self.stderr):
            stream.take_all()

    def stop(self, reason):
        """Ends the process, whatever it may have said meanwhile."""
        self.reason = reason
        self.box.stop_program(self.share.pid)
        self.process.hear_end()
        self.ended_at, self.cpu_seconds = time.monotonic(), self.process.trial.cpu_seconds

    def reply(self):
        """What the tests say of the candidate."""
        if self.answer is None:
            return self.process.end_of(self)
        return self.answer["report"] or {"outcome": "passed"}

    def tidy(self):
        """Does nothing: its folders are the process's, until that ends."""
