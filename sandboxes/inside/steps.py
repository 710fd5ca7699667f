"""Programs that have steps: commands that compile them, and runs that are tests. The supervisor's part."""

import json
import os
import re
import signal

from .built import is_as, state_of
from .checkers import difference
from .decide import command_reply
from .frames import STEP
from .streams import started_at
from .trial import Trial
from .words import telling

MOST_MESSAGE_CHARS = 2000
# Of a compiler's words the beginning is what counts.
MOST_COMPILER_CHARS = 8000
# Of a reply: what a caller takes, less some. Of it a test without its texts has so many, and a character of text 6.
MOST_REPLY_BYTES, BYTES_OF_TEST, BYTES_OF_CHAR = 15 << 20, 120, 6
CHANGED = {"outcome": "failed", "detail": "an earlier run changed the files that the program was built as"}
COSTS = ("wall_seconds", "cpu_seconds", "peak_memory_bytes")


# What the C library says before it aborts a program, after the program's name.
FAILED_ASSERT = re.compile(r"^[^\s:]+: (.{1,1000}: Assertion `.{1,1000}' failed\.)$", re.MULTILINE)


class Steps:
    """Runs programs that have steps, one step after the other, in the same folder."""

    def __init__(self, box, watch):
        """Runs nothing yet.

        Args:
            box: the fork server for all of them.
            watch: a function that takes a trial and a request's id, and returns when it has ended.
        """
        self.box, self.watch = box, watch
        self.plan = None

    def run(self, request, plan, program):
        """Runs a program; ([trial of its last step], reply).

        Args:
            request: the caller's.
            plan: JSON, bytes; none for the same as last time. "build": steps that must work, "runs": steps that are
                tests, "stop": whether to stop at the first that fails, "returns": whether to return what they wrote,
                "grading": what the verdict says of it.
            program: JSON, bytes: "files", {path: text}, and "seal", what a run has to write at its end if it is sealed.
        """
        if plan:
            self.plan = json.loads(plan)
        self.request, self.program = request, json.loads(program)
        self.bytes_left = MOST_REPLY_BYTES - BYTES_OF_TEST * len(self.plan["runs"])
        self.bytes_left -= 2 * BYTES_OF_CHAR * request["limits"]["kept_bytes"]
        reply = {"outcome": "passed", "detail": "", "stdout": "", "stderr": "", **dict.fromkeys(COSTS, 0)}
        reply["grading"], reply["tests"] = self.plan["grading"], []
        trial, failed = self.build(reply)
        if failed:
            return [trial], failed
        # What no compiler made is written anew for each run.
        self.built = self.box.look(state_of) if self.plan["build"] else {}
        for number, step in enumerate(self.plan["runs"]):
            if number and not self.is_as_built():
                said = {**CHANGED, **dict.fromkeys(COSTS, 0)}
            else:
                trial, said = self.step(step, {} if self.built else self.program["files"])
            if "broken" in said:
                return [trial], said
            self.take(reply, step, said)
            if said["outcome"] != "passed" and self.plan["stop"]:
                break
        most = request["limits"]["kept_bytes"]
        reply.update(stdout=cut(reply["stdout"], most), stderr=cut(reply["stderr"], most))
        return [trial], reply

    def build(self, reply):
        """Runs the steps that must work; (trial of the last, None or the reply for a program that can't be built)."""
        trial, files = None, self.program["files"]
        for step in self.plan["build"]:
            trial, said = self.step(step, files)
            files = {}
            if said.get("outcome") != "passed":
                add(reply, said)
                return trial, {**reply, **failed_build(said)}
            add(reply, said)
        return trial, None

    def is_as_built(self):
        """Takes away what a run left. Whether what the program was built as is still there, and as it was."""
        self.box.tidy(self.built)
        return self.box.look(is_as, self.built)

    def take(self, reply, step, said):
        """Takes what became of a run into the reply."""
        judge(said, step, self.program["seal"])
        add(reply, said)
        reply["tests"].append(self.test_of(step, said))
        if reply["outcome"] != "passed":
            return
        told = {name: value for name, value in said.items() if name not in COSTS}
        reply.update(told)
        if said["outcome"] not in ("passed", "compile_error") and step["name"]:
            reply["detail"] = "{}: {}".format(step["name"], said["detail"])

    def step(self, step, files):
        """Runs one step; (trial, what became of it)."""
        limits = {**self.request["limits"], **step["limits"]}
        # Whatever writes the seal finds it there, once the tests are done.
        stdin = self.program["seal"] if step.get("sealed") else step["stdin"]
        payload = {"files": files, "argv": step["argv"], "stdin": stdin, "needs": step["needs"]}
        payload = json.dumps(payload).encode()
        trial = Trial(self.box, limits)
        trial.begin(STEP, len(payload), payload)
        self.watch(trial, self.request["id"])
        if trial.reason == "abandoned":
            return trial, {"broken": "abandoned"}
        said = command_reply(trial, started_at(trial.setup), step.get("memory_status"))
        if said.get("outcome") in ("failed", "crashed") and step["argv"] is not None:
            words = telling(said["stderr"], said["stdout"])
            if aborted(trial.status) and (failed := FAILED_ASSERT.search(said["stderr"])):
                # As an exception would be, and not as a crash: a program that only says so has failed either way.
                said.update(outcome="failed", detail=failed[1])
            else:
                said["detail"] += ": " + words if words else ""
        return trial, said

    def test_of(self, step, said):
        """A test's result, as the caller has it."""
        test = {"name": step["name"], "outcome": said["outcome"], "seconds": said["wall_seconds"]}
        if self.plan["returns"] and not self.has_room(said.get("stdout", "")):
            said.update(outcome="output_limit", detail="all its tests wrote more than a checker can be given")
            test["outcome"] = said["outcome"]
        elif self.plan["returns"]:
            test["stdout"] = said.get("stdout", "")
        if said["outcome"] != "passed" and self.has_room(said["detail"][:MOST_MESSAGE_CHARS]):
            test["message"] = said["detail"][:MOST_MESSAGE_CHARS]
        return test

    def has_room(self, text):
        """Whether a text still fits into the reply, where it then is."""
        size = len(json.dumps(text))
        if size > self.bytes_left:
            return False
        self.bytes_left -= size
        return True


def aborted(status):
    """Whether a process ended itself by abort."""
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGABRT


def add(reply, said):
    """Adds up what a program used."""
    for name in ("wall_seconds", "cpu_seconds"):
        reply[name] += said.get(name, 0)
    reply["peak_memory_bytes"] = max(reply["peak_memory_bytes"], said.get("peak_memory_bytes", 0))


def cut(text, most):
    """The beginning of a text, which says so."""
    return text if len(text) <= most else text[:most] + "\n[cut]"


def failed_build(said):
    """The reply for a program that could not be built, from what became of the step."""
    if "broken" in said:
        return said
    words = (said.get("stderr", "") + said.get("stdout", ""))[:MOST_COMPILER_CHARS]
    if said["outcome"] != "failed":
        return {"outcome": said["outcome"], "detail": "while it was compiled: " + said["detail"], "stderr": words}
    lines = [line for line in words.splitlines() if line.strip()]
    told = next((line for line in lines if "error" in line.lower()), lines[0] if lines else said["detail"])
    return {"outcome": "compile_error", "detail": told.strip(), "exception_message": words, "stderr": words}


def judge(said, step, seal):
    """Looks at what a run wrote: puts into `said` what became of the test."""
    if said["outcome"] != "passed":
        return
    if step.get("sealed"):
        # Some libraries write what they have buffered after it.
        before, found, after = said.get("stdout", "").rpartition(seal)
        if not found:
            said.update(outcome="exited", detail="left before its tests were done, with status 0")
            return
        said["stdout"] = before + after
    if step.get("expected") is not None:
        wrong = difference(step["checker"], step["tolerance"], step["expected"], said.get("stdout", ""))
        if wrong:
            said.update(outcome="failed", detail=wrong)
