"""Programs that have steps: commands that compile them, and runs that are tests. The supervisor's part."""

import json

from .checkers import difference
from .decide import command_reply
from .frames import STEP
from .streams import started_at
from .trial import Trial

MOST_MESSAGE_CHARS = 2000
# Of a compiler's words the beginning is what counts.
MOST_COMPILER_CHARS = 8000


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
        program = json.loads(program)
        files, tests = program["files"], []
        reply = {"outcome": "passed", "wall_seconds": 0.0, "cpu_seconds": 0.0, "peak_memory_bytes": 0}
        reply["grading"] = self.plan["grading"]
        for step in self.plan["build"]:
            trial, said = self.step(request, step, files, program["seal"])
            files = {}
            add(reply, said)
            if said.get("outcome") != "passed":
                return [trial], {**reply, **failed_build(said)}
        for step in self.plan["runs"]:
            trial, said = self.step(request, step, files, program["seal"])
            files = {}
            add(reply, said)
            if "broken" in said or trial.reason == "abandoned":
                return [trial], said
            judge(said, step, program["seal"])
            tests.append(self.test_of(step, said))
            if said["outcome"] != "passed" and reply["outcome"] == "passed":
                told = {name: said[name] for name in said if name not in ("wall_seconds", "cpu_seconds")}
                reply.update(told, detail=detail_of(step, said))
                if self.plan["stop"]:
                    break
            elif reply["outcome"] == "passed":
                reply.update(stdout=said.get("stdout", ""), stderr=said.get("stderr", ""))
        for name in ("stdout", "stderr"):
            reply[name] = reply.get(name, "")[: request["limits"]["kept_bytes"]]
        reply["tests"] = tests
        return [trial], reply

    def step(self, request, step, files, seal):
        """Runs one step; (trial, what became of it)."""
        limits = {**request["limits"], **step["limits"]}
        # Whatever writes the seal finds it there, once the tests are done.
        stdin = seal if step.get("sealed") else step["stdin"]
        payload = json.dumps({"files": files, "argv": step["argv"], "stdin": stdin}).encode()
        trial = Trial(self.box, limits)
        trial.begin(STEP, len(payload), payload)
        self.watch(trial, request["id"])
        if trial.reason == "abandoned":
            return trial, {"broken": "abandoned"}
        return trial, command_reply(trial, started_at(trial.setup), step.get("memory_status"))

    def test_of(self, step, said):
        """A test's result, as the caller has it."""
        message = said.get("detail", "")[:MOST_MESSAGE_CHARS] if said["outcome"] != "passed" else ""
        test = {"name": step["name"], "outcome": said["outcome"], "message": message, "seconds": said["wall_seconds"]}
        return {**test, "stdout": said.get("stdout", "")} if self.plan["returns"] else test


def add(reply, said):
    """Adds up what a program used."""
    for name in ("wall_seconds", "cpu_seconds"):
        reply[name] += said.get(name, 0.0)
    reply["peak_memory_bytes"] = max(reply["peak_memory_bytes"], said.get("peak_memory_bytes", 0))


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
        text = said.get("stdout", "")
        if not text.endswith(seal):
            said.update(outcome="exited", detail="left before its tests were done, with status 0")
            return
        said["stdout"] = text[: -len(seal)]
    if step.get("expected") is not None:
        wrong = difference(step["checker"], step["tolerance"], step["expected"], said.get("stdout", ""))
        if wrong:
            said.update(outcome="failed", detail=wrong)


def detail_of(step, said):
    """A line for people on a program one of whose tests failed."""
    return f"{step['name']}: {said['detail']}" if step["name"] else said["detail"]
