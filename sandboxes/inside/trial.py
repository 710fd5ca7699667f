"""One program in one fork server, while it runs; and how the clock and the output of programs are watched."""

import os
import select
import signal
import time

from .busy import SECONDS_TO_LOOK_AGAIN, Share, longer
from .decide import decide
from .endings import MOST_SECONDS_TO_END
from .frames import LEFT_SOME, RUNNING, SEAL_BYTES
from .memory import container_is_full, uses_more_than
from .streams import MOST_REPORT_BYTES, Stream, started_at

SECONDS_BETWEEN_LOOKS_AT_MEMORY = 0.05
# What processes waited is not known any more once they have ended.
SECONDS_BETWEEN_LOOKS_AT_WAITS = 0.1
# A compiler may take longer than a caller believes a silent guest.
SECONDS_BETWEEN_WORDS = 5
# Most programs are so quick that they need not be watched.
SECONDS_UNWATCHED = 0.01
# Until a fork server has forked a child and that is set up, on the busiest machine.
MOST_SECONDS_TO_BEGIN = 60


class Trial:
    """One program in one fork server, while it runs."""

    def __init__(self, box, limits):
        self.box, self.limits = box, limits
        kept = limits["kept_bytes"]
        self.stdout, self.stderr = Stream(box.stdout, kept), Stream(box.stderr, kept)
        self.report = Stream(box.report, MOST_REPORT_BYTES)
        self.streams = (self.stdout, self.stderr, self.report)
        self.seal = os.urandom(SEAL_BYTES)
        # What the child said before its program began.
        self.setup = b""
        self.share = Share(box.fork_server)
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
            tests_bytes: -1 for the same tests as last time, STEP for a step.
            candidate_bytes: how many.
            texts: the tests and the candidate, as far as they are wanted, in this order.
            link: the program's socket to another one; None if it has none.
        """
        limits = self.limits
        whole_seconds = int(-(-limits["cpu_seconds"] // 1))
        sizes = (limits["file_bytes"], limits["open_files"], limits["processes"])
        memory_bytes = limits["memory_bytes"] if limits.get("address_space", True) else -1
        job = (tests_bytes, candidate_bytes, memory_bytes, whole_seconds, *sizes)
        self.sent_at = time.monotonic()
        self.box.send(job, link, texts, self.seal)

    @property
    def news_fd(self):
        """What can be read when there is something to hear."""
        return self.box.channel.fileno()

    def has_news(self, seconds):
        """Whether there is something to hear within so many seconds."""
        return self.box.answers(seconds)

    def hear(self):
        """Takes what the fork server says: that the program runs, or that it has ended."""
        phase, pid, self.cpu_seconds, self.status, self.peak_memory_bytes = self.box.state()
        if phase == RUNNING:
            self.share.pid = pid
            return
        self.ended_at = time.monotonic()
        if phase == LEFT_SOME:
            self.box.all_ended()
        killed = os.WIFSIGNALED(self.status) and os.WTERMSIG(self.status) == signal.SIGKILL
        if killed and self.reason is None and self.box.memory_kills.happened():
            self.reason = "memory_kill"
        self.hear_setup()
        for stream in self.box.written(*self.streams):
            stream.take_all()

    def hear_setup(self):
        """Takes what the child said before its program began."""
        self.setup = self.setup or self.box.setup.read_now()

    def began(self):
        """When the program began; None if it has not, as far as is known."""
        self.hear_setup()
        return started_at(self.setup)

    def sealed_report(self):
        """What the child reported, bytes; none if it did not say it with the seal."""
        said = self.report.kept
        return said[SEAL_BYTES:] if said.startswith(self.seal) else b""

    def reply(self):
        """What became of the program."""
        report = self.sealed_report()
        reply = decide(self.reason, self.status, self.cpu_seconds, self.setup, report, self.limits, self.output_bytes)
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
        self.box.stop_program(self.share.pid)
        if not self.has_news(2 * MOST_SECONDS_TO_END):
            raise TimeoutError("the fork server does not answer")
        self.hear()

    def tidy(self):
        """Makes the fork server ready for the next program."""
        self.box.tidy()


class Watch:
    """The supervisor's eye on programs that run together."""

    def __init__(self, trials, requests, on_waiting):
        """Watches nothing yet.

        Args:
            trials: when the first of them ends, all are to end.
            requests: the pipe from the caller, which may close it.
            on_waiting: called now and then while they run.
        """
        self.trials, self.requests, self.on_waiting = trials, requests, on_waiting
        self.first, self.limits = trials[0], trials[0].limits
        self.deadline = self.first.sent_at + self.limits["wall_seconds"]
        self.next_word = self.first.sent_at + SECONDS_BETWEEN_WORDS
        self.next_look = self.first.sent_at + SECONDS_BETWEEN_LOOKS_AT_WAITS

    def wait(self):
        """Waits for the first one's end, or brings it about."""
        if self.first.has_news(SECONDS_UNWATCHED):
            self.first.hear()
        if self.first.ended_at is None:
            self.wait_closely()

    def wait_closely(self):
        """The same for programs that take longer."""
        streams = {each.pipe.read_end: each for trial in self.trials for each in trial.streams}
        running = {trial.news_fd: trial for trial in self.trials}
        poller = select.poll()
        # No events asked for: only the caller's end is of interest.
        poller.register(self.requests, 0)
        for fd in (*running, *streams):
            poller.register(fd, select.POLLIN)
        for trial in self.trials:
            trial.share.find()
        while self.first.ended_at is None:
            until = min(max(0, self.deadline - time.monotonic()), SECONDS_BETWEEN_LOOKS_AT_MEMORY)
            reason = None
            for fd, _ in poller.poll(until * 1000):
                if fd == self.requests:
                    reason = "abandoned"
                elif fd in streams:
                    streams[fd].take()
                else:
                    running[fd].hear()
                    if running[fd].ended_at is not None:
                        poller.unregister(fd)
            if self.first.ended_at is None and (reason := reason or self.reason_to_stop()):
                for trial in reversed(self.trials):
                    if trial.ended_at is None:
                        trial.stop(reason)

    def reason_to_stop(self):
        """Why the programs are to be stopped; None if they are not."""
        if sum(trial.output_bytes for trial in self.trials) > self.limits["output_bytes"]:
            return "output_limit"
        most, is_held = self.limits["memory_bytes"], self.limits.get("address_space", True)
        if any(uses_more_than(most, trial.box.fork_server, is_held) for trial in self.trials):
            return "out_of_memory"
        if self.first.box.in_container and container_is_full():
            return "memory_kill"
        now = time.monotonic()
        if now >= self.next_look:
            self.next_look = now + SECONDS_BETWEEN_LOOKS_AT_WAITS
            for trial in self.trials:
                trial.share.look()
        if now >= self.deadline:
            self.deadline = self.next_deadline(now)
            # By the time of the question: until it was answered this process may have had no CPU itself.
            if self.deadline <= now:
                return "timed_out"
        if time.monotonic() >= self.next_word:
            self.next_word += SECONDS_BETWEEN_WORDS
            self.on_waiting()
        return None

    def next_deadline(self, now):
        """Until when the programs may run, whose deadline is now."""
        begun = [trial.began() for trial in self.trials]
        if None in begun and now < self.first.sent_at + MOST_SECONDS_TO_BEGIN:
            return now + SECONDS_TO_LOOK_AGAIN
        began = max(filter(None, begun), default=self.first.sent_at)
        shares = [trial.share for trial in self.trials if trial.ended_at is None]
        return began + longer(shares, now - began, self.limits)
