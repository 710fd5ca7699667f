"""The supervisor: speaks with the caller, watches the clock and the output, and decides what programs became."""

import _socket
import os
import select
import sys
import time

from .box import Box
from .busy import eldest_child, longer
from .decide import GONE, REPORTED_OUTCOMES, decide
from .endings import MOST_SECONDS_TO_END, children_are_told
from .frames import CANDIDATE, LEFT_SOME, RUNNING, SEAL_BYTES, SHARED, TESTS, FrameReader, write_frame
from .kernel import LINUX
from .memory import uses_more_than
from .privileges import adopt_orphans, draw_uid
from .streams import MOST_REPORT_BYTES, Stream, started_at

SECONDS_BETWEEN_LOOKS = 5
SECONDS_BETWEEN_LOOKS_AT_MEMORY = 0.05
# Most programs are so quick that they need not be watched.
SECONDS_UNWATCHED = 0.01
# For a candidate in a process of its own, once the tests have ended.
SECONDS_TO_LEAVE = 0.02


class Trial:
    """One program in one fork server, while it runs."""

    def __init__(self, box, limits):
        self.box, self.limits = box, limits
        kept = limits["kept_bytes"]
        self.stdout, self.stderr = Stream(box.stdout, kept), Stream(box.stderr, kept)
        self.report = Stream(box.report, MOST_REPORT_BYTES)
        self.seal = os.urandom(SEAL_BYTES)
        # What the child said before its program began.
        self.setup = b""
        # The program's first process, once it is watched.
        self.pid = 0
        self.sent_at = self.ended_at = None
        # Why it was ended by us.
        self.reason = None

    @property
    def output_bytes(self):
        """How much the program wrote."""
        return self.stdout.total + self.stderr.total

    def begin(self, tests_bytes, candidate_bytes, texts, link=None):
        """Gives the program to the fork server.

        Args:
            tests_bytes: -1 for the same tests as last time.
            candidate_bytes: how many.
            texts: the tests and the candidate, as far as they are wanted, in this order.
            link: the program's socket to another one; None if it has none.
        """
        limits = self.limits
        whole_seconds = int(-(-limits["cpu_seconds"] // 1))
        sizes = (limits["file_bytes"], limits["open_files"], limits["processes"])
        job = (tests_bytes, candidate_bytes, limits["memory_bytes"], whole_seconds, *sizes)
        self.sent_at = time.monotonic()
        self.box.send(job, link, texts, self.seal)

    def hear(self):
        """Takes what the fork server says: that the program runs, or that it has ended."""
        phase, pid, self.cpu_seconds, self.status, self.peak_memory_bytes = self.box.state()
        if phase == RUNNING:
            self.pid = pid
            return
        self.ended_at = time.monotonic()
        if phase == LEFT_SOME:
            self.box.all_ended()
        self.hear_setup()
        for stream in self.box.written(self.stdout, self.stderr, self.report):
            stream.take_all()

    def hear_setup(self):
        """Takes what the child said before its program began."""
        self.setup = self.setup or self.box.setup.read_now()

    def reply(self):
        """What became of the program."""
        said = self.report.kept
        report = said[SEAL_BYTES:] if said.startswith(self.seal) else b""
        outcomes = (*REPORTED_OUTCOMES, GONE) if self.box.role == TESTS else REPORTED_OUTCOMES
        how = (self.reason, self.status, self.cpu_seconds, self.setup, report, self.limits, self.output_bytes)
        reply = decide(*how, outcomes)
        began = started_at(self.setup)
        reply["wall_seconds"] = 0.0 if began is None else self.ended_at - began
        reply["cpu_seconds"], reply["peak_memory_bytes"] = self.cpu_seconds, self.peak_memory_bytes
        for name, stream in (("stdout", self.stdout), ("stderr", self.stderr)):
            if stream.kept:
                reply[name] = stream.text
        return reply

    def stop(self, reason):
        """Ends the program, whose end is then still to be heard of."""
        self.reason = reason
        self.box.stop_program(self.pid)
        if not self.box.answers(2 * MOST_SECONDS_TO_END):
            raise TimeoutError("the fork server does not answer")
        self.hear()

    def next_deadline(self):
        """Until when a program may run that has not ended by its deadline."""
        self.hear_setup()
        began = started_at(self.setup) or self.sent_at
        return began + longer(self.pid, self.box.fork_server, time.monotonic() - began, self.limits)


class Supervisor:
    """Gives programs to fork servers, and decides what became of each."""

    def __init__(self, requests, replies, options, guest_file):
        self.requests, self.replies = requests, replies
        self.reader = FrameReader(requests)
        self.parent = os.getppid()
        adopt_orphans()
        more = {"user": draw_uid(), "caller": self.parent, "announces": not children_are_told()}
        self.options, self.guest_file = {**options, **more}, guest_file
        self.boxes = {}
        self.first = self.box(SHARED)

    def box(self, role):
        """The fork server of a role, which is started when it is first asked for."""
        if role not in self.boxes:
            self.boxes[role] = Box(self.options, role, self.guest_file)
        return self.boxes[role]

    def hello(self):
        """The first frame."""
        missing = dict(self.first.missing)
        if not LINUX:
            missing["memory"] = "RLIMIT_AS is not enforced on " + sys.platform
        version = "%d.%d.%d" % sys.version_info[:3]
        return {"ready": True, "python": version, "layers": [*self.first.layers, "rlimits"], "missing": missing}

    def serve(self):
        """Answers requests until the caller closes its end."""
        write_frame(self.replies, self.hello())
        idle = select.poll()
        idle.register(self.requests, select.POLLIN)
        idle.register(self.first.channel, 0)
        while True:
            while not self.reader.buffer and not (ready := idle.poll(SECONDS_BETWEEN_LOOKS * 1000)):
                # A process that the caller forked may hold the pipe open after the caller's end.
                if os.getppid() != self.parent:
                    return
            if not self.reader.buffer and ready[0][0] != self.requests:
                raise EOFError("the fork server ended: " + self.first.last_words())
            request = self.reader.frame()
            if request is None:
                return
            tests_bytes = -1 if request["tests_bytes"] is None else request["tests_bytes"]
            size = max(0, tests_bytes) + request["candidate_bytes"]
            texts = self.reader.exactly(size)
            if len(texts) < size:
                return
            run = self.run_shared if request["grading"] == SHARED else self.run_separately
            trials, reply = run(request, tests_bytes, texts)
            if trials[0].reason == "abandoned":
                return
            reply["id"] = request["id"]
            write_frame(self.replies, reply)
            # Only now: what a program did to its folder may end this guest, but not take back the verdict.
            for trial in trials:
                trial.box.tidy()

    def run_shared(self, request, tests_bytes, texts):
        """Runs a candidate and its tests in one process; ([trial], reply)."""
        trial = Trial(self.first, request["limits"])
        trial.begin(tests_bytes, request["candidate_bytes"], texts)
        self.watch([trial], request["id"])
        return [trial], trial.reply()

    def run_separately(self, request, tests_bytes, texts):
        """Runs the tests in one process and the candidate in another; ([trial of the tests, of the candidate], reply).

        They come from two fork servers, so that the candidate has nothing of the tests in its memory.
        """
        tests, candidate = trials = [Trial(self.box(role), request["limits"]) for role in (TESTS, CANDIDATE)]
        near, far = _socket.socketpair(_socket.AF_UNIX, _socket.SOCK_STREAM)
        candidate_bytes = request["candidate_bytes"]
        cut = len(texts) - candidate_bytes
        candidate.begin(-1, candidate_bytes, texts[cut:], far)
        tests.begin(tests_bytes, 0, texts[:cut], near)
        near.close()
        far.close()
        self.watch(trials, request["id"])
        reply = tests.reply()
        if reply.get("outcome") == GONE:
            reply = candidate.reply()
            if reply.get("outcome") == "passed":
                # It ended as one does that the tests have left.
                reply.update(outcome="exited", detail="left before its tests were done")
        reply["cpu_seconds"] = tests.cpu_seconds + candidate.cpu_seconds
        reply["peak_memory_bytes"] = candidate.peak_memory_bytes
        for name in ("stdout", "stderr"):
            reply[name] = getattr(candidate, name).text + getattr(tests, name).text
        reply["grading"] = "separate"
        return trials, reply

    def watch(self, trials, request_id):
        """Waits for the end of programs that run together, or brings it about.

        Args:
            trials: when the first of them ends, the others are to end too.
            request_id: theirs.
        """
        first, *others = trials
        if first.box.answers(SECONDS_UNWATCHED):
            first.hear()
        if first.ended_at is None:
            self.watch_closely(trials, request_id)
        for trial in others:
            if trial.ended_at is None and trial.box.answers(SECONDS_TO_LEAVE):
                trial.hear()
            if trial.ended_at is None:
                trial.stop(first.reason or "left behind")

    def watch_closely(self, trials, request_id):
        """The same for programs that take longer."""
        first = trials[0]
        limits = first.limits
        streams = {each.pipe.read_end: each for trial in trials for each in (trial.stdout, trial.stderr, trial.report)}
        poller = select.poll()
        # No events asked for: only the caller's end is of interest.
        poller.register(self.requests, 0)
        for fd in (*(trial.box.channel for trial in trials), *streams):
            poller.register(fd, select.POLLIN)
        for trial in trials:
            trial.pid = trial.pid or eldest_child(trial.box.fork_server)
        deadline = first.sent_at + limits["wall_seconds"]
        while first.ended_at is None:
            until = min(max(0, deadline - time.monotonic()), SECONDS_BETWEEN_LOOKS_AT_MEMORY)
            reason = None
            for fd, _ in poller.poll(until * 1000):
                if fd == self.requests:
                    reason = "abandoned"
                elif fd in streams:
                    streams[fd].take()
                else:
                    ended = next(trial for trial in trials if trial.box.channel.fileno() == fd)
                    ended.hear()
                    if ended.ended_at is not None:
                        poller.unregister(fd)
            if first.ended_at is not None:
                return
            if not reason:
                reason, deadline = self.reason_to_stop(trials, deadline, request_id)
            if reason:
                for trial in reversed(trials):
                    if trial.ended_at is None:
                        trial.stop(reason)

    def reason_to_stop(self, trials, deadline, request_id):
        """Why programs that run together are to be stopped, or None; and until when they may run."""
        limits = trials[0].limits
        if sum(trial.output_bytes for trial in trials) > limits["output_bytes"]:
            return "output_limit", deadline
        for trial in trials:
            if uses_more_than(limits["memory_bytes"], trial.box.fork_server):
                return "out_of_memory", deadline
        if time.monotonic() >= deadline:
            deadline = max(trial.next_deadline() for trial in trials)
            if deadline <= time.monotonic():
                return "timed_out", deadline
            write_frame(self.replies, {"id": request_id, "waiting": True})
        return None, deadline

    def close(self):
        """Ends all that was started here."""
        for box in self.boxes.values():
            box.end()
