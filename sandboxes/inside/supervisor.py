"""The supervisor: speaks with the caller, and has fork servers run the programs."""

import os
import select
import sys

from .box import Box
from .endings import children_are_told, remove_folder
from .frames import CANDIDATE, SHARED, STEPS, TESTS, FrameReader, write_frame
from .kernel import LINUX
from .privileges import adopt_orphans, draw_uid, hide
from .scratch import SCRATCH_MODE
from .separate import Separate
from .steps import Steps
from .trial import Trial, Watch

SECONDS_BETWEEN_LOOKS = 5


class Supervisor:
    """Gives programs to fork servers, and decides what became of each."""

    def __init__(self, requests, replies, options, guest_file):
        self.requests, self.replies = requests, replies
        self.reader = FrameReader(requests)
        self.parent = os.getppid()
        adopt_orphans()
        more = {"user": draw_uid(), "caller": self.parent, "announces": not children_are_told()}
        self.options = {**options, **more}
        # A container goes with all its folders.
        self.has_folder = not options["folders"]
        if self.has_folder:
            os.chmod(options["scratch"], SCRATCH_MODE)
        self.boxes = {role: Box(self.options, role, guest_file) for role in (SHARED, TESTS, CANDIDATE)}
        self.separate = self.steps = None
        # Before its first frame the caller expects to hear nothing.
        self.first = self.box(SHARED, lambda: None)
        if not self.first.has_own_pids and os.geteuid() != 0:
            # Programs can see this process and may be its user: its memory must not be theirs.
            hide()

    def box(self, role, on_waiting):
        """The fork server of a role, which is started when it is first asked for.

        Args:
            role: SHARED, TESTS or CANDIDATE.
            on_waiting: called now and then until it is ready.
        """
        box = self.boxes[role]
        if not box.is_open:
            if not self.has_folder and not self.options["folders"]:
                # Fails if another user has taken the name.
                os.mkdir(self.options["scratch"], SCRATCH_MODE)
                self.has_folder = True
            box.open([other.process for other in self.boxes.values() if other is not box], on_waiting)
            # The caller has accepted the layers of the first one, and verdicts name them.
            if lost := set(self.boxes[SHARED].layers) - set(box.layers):
                raise RuntimeError(f"a further fork server went without {', '.join(sorted(lost))}: {box.missing}")
            if self.has_folder and "mount" in self.boxes[SHARED].layers:
                # As soon as nothing is in it: all may be killed at once, and then nobody is left to do it.
                os.rmdir(self.options["scratch"])
                self.has_folder = False
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
            run = {SHARED: self.run_shared, STEPS: self.run_steps}.get(request["grading"], self.run_separately)
            trials, reply = run(request, tests_bytes, texts)
            if any(trial.reason == "abandoned" for trial in trials):
                return
            reply["id"] = request["id"]
            write_frame(self.replies, reply)
            # Only now: what a program did to its folder may end this guest, but not take back the verdict.
            for trial in trials:
                trial.tidy()

    def run_shared(self, request, tests_bytes, texts):
        """Runs a candidate and its tests in one process; ([trial], reply)."""
        trial = Trial(self.first, request["limits"])
        trial.begin(tests_bytes, request["candidate_bytes"], texts)
        self.watch([trial], request["id"])
        return [trial], trial.reply()

    def run_separately(self, request, tests_bytes, texts):
        """Runs a candidate in one process and its tests in another; ([trial of the tests, of the candidate], reply)."""
        if self.separate is None:
            on_waiting = self.teller(request["id"])
            self.separate = Separate(self.box(TESTS, on_waiting), self.box(CANDIDATE, on_waiting))
        cut = len(texts) - request["candidate_bytes"]
        trials = self.separate.begin(request, tests_bytes, texts[:cut], texts[cut:])
        self.watch(trials, request["id"])
        return trials, self.separate.end(*trials)

    def run_steps(self, request, tests_bytes, texts):
        """Runs a program that has steps; ([trial of the last], reply)."""
        if self.steps is None:
            self.steps = Steps(self.first, self.watch_step)
        cut = len(texts) - request["candidate_bytes"]
        return self.steps.run(request, texts[:cut], texts[cut:])

    def watch_step(self, trial, request_id):
        """Watches a step, and tells the caller of its end: it may have to wait for many."""
        self.watch([trial], request_id)
        self.teller(request_id)()

    def watch(self, trials, request_id):
        Watch(trials, self.requests, self.teller(request_id)).wait()

    def teller(self, request_id):
        """A function that tells the caller to wait on."""
        return lambda: write_frame(self.replies, {"id": request_id, "waiting": True})

    def close(self):
        """Ends all that was started here."""
        for box in self.boxes.values():
            box.end()
        if self.has_folder:
            remove_folder(self.options["scratch"])
