"""The supervisor's part of programs that have steps: commands that build them, and runs that are tests."""

from __future__ import annotations

import json
from functools import partial

from ..common.named_tests import Tickets
from .build_snapshot import KeptBuild, StoredBuild, read_file, read_files, remove_files, take_folder
from .case_batches import batch_of, batch_results, batch_step
from .step_results import COSTS, add_costs, check_output, truncate
from .step_runner import build_failure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .build_snapshot import StoredFiles
    from .execution import Execution
    from .interactor import Interactor
    from .program_checker import ProgramChecker
    from .step_runner import StepRunner
    from .verdicts import Reply
    from .warm_compilers import WarmCompilers

MAX_MESSAGE_CHARS = 2000
# A caller takes a reply that is a little larger.
MAX_REPLY_BYTES = 15 << 20
# Upper bounds on the size of a test in a reply, without its texts, and of a character of text.
TEST_BYTES, CHARACTER_BYTES = 120, 6
CHANGED = {"outcome": "failed", "detail": "an earlier run changed the files that the program was built as"}


class StepExecutor:
    """Runs the steps of programs one after the other, in the same folder."""

    def __init__(
        self,
        runner: StepRunner,
        checker: ProgramChecker,
        interactor: Interactor,
        compilers: WarmCompilers,
        notify: Callable[[int], None],
    ) -> None:
        """Run nothing yet.

        Args:
            runner: runs the steps.
            checker: asks checker programs about outputs.
            interactor: has interactors talk with programs.
            compilers: build programs whose compilers are warm.
            notify: tells the caller of a request, by its id, to wait on.
        """
        self.runner, self.checker, self.interactor, self.compilers = runner, checker, interactor, compilers
        self.notify = notify
        self.fork_server = runner.fork_server
        self.plan: dict[str, Any] = {}

    def run(self, request: dict[str, Any], plan: bytes, program: bytes) -> tuple[Sequence[Execution], Reply]:
        """Run a program.

        Args:
            request: the caller's.
            plan: JSON; b"" for the same as last time. "build": steps that must work, "runs": steps that are tests,
                "stop": whether to stop at the first that fails, "returns": whether to return what they wrote,
                "grading": the verdict's name for how it was graded, "sources": ends of the names of files that are
                removed after the build, "checker" and "interactor": the programs of the task that decide, if there are
                any.
            program: JSON. "files": {path: text}, "token": the completion token, which a run with "writes_token"
                has to write at its end, "names": of the tests of such a run, if they can be told apart.

        Returns:
            ([executions of the last steps, one in each fork server], reply).
        """
        if plan:
            self.plan = json.loads(plan)
            self.checker.take(self.plan.get("checker"))
            self.interactor.take(self.plan.get("interactor"))
        self.request, self.program, self.checker.executions = request, json.loads(program), []
        reply: Reply = {"outcome": "passed", "detail": "", "stdout": "", "stderr": "", **dict.fromkeys(COSTS, 0)}
        reply["grading"], reply["tests"] = self.plan["grading"], []
        execution, failure, stored = self.build(reply)
        self.executions = [execution] if execution else []
        if failure:
            return self.executions, failure
        if sources := tuple(self.plan["sources"]):
            stored = stored and {path: file for path, file in stored.items() if not path.endswith(sources)}
            self.fork_server.surroundings.call_in_workplace(remove_files, sources)
        if folder := self.interactor.built_folder:
            self.interactor.built = self.fork_server.surroundings.call_in_workplace(take_folder, folder)
        self.built = self.keep_build(stored)
        done = self.run_tests(reply, True)
        if done is None:
            self.built.restore()
            done = self.run_tests(reply, False) or reply
        limit = request["limits"]["kept_bytes"]
        done.update({name: truncate(done[name], limit) for name in ("stdout", "stderr") if name in done})
        return self.executions, done

    def run_tests(self, reply: Reply, in_batches: bool) -> Reply | None:
        """Run the plan's tests.

        Args:
            reply: without tests. It gets their costs, but not their results.
            in_batches: whether inputs may share a process.

        Returns:
            The reply with the tests; None if an input failed in a process that others had before it, and passed in one
            of its own.
        """
        self.bytes_left = MAX_REPLY_BYTES - TEST_BYTES * len(self.plan["runs"])
        self.bytes_left -= 2 * CHARACTER_BYTES * self.request["limits"]["kept_bytes"]
        answer: Reply = {**reply, "tests": []}
        ready: list[Reply] = []
        doubtful = next_doubtful = -1
        for number, step in enumerate(self.plan["runs"]):
            is_first = not ready
            if is_first:
                doubtful = next_doubtful
                ready, next_doubtful = self.run_batch(number, batch_of(self.plan, number) if in_batches else ())
            result = ready.pop(0)
            if not is_first and result["outcome"] != "passed":
                add_costs(answer, result)
                doubtful = number
                [result], _ = self.run_batch(number, ())
            if "broken" in result or "unusable" in result:
                return result
            self.add_run(answer, step, result)
            if number == doubtful and result["outcome"] == "passed":
                reply.update({name: answer[name] for name in COSTS})
                return None
            if result["outcome"] != "passed" and self.plan["stop"]:
                break
        return answer

    def run_batch(self, number: int, batch: Sequence[dict[str, Any]]) -> tuple[list[Reply], int]:
        """Run a test of the plan in a new process, or a batch of tests that begins with it, and check the outputs.

        Args:
            number: of the test.
            batch: from `batch_of`.

        Returns:
            (results of the tests that ended, number of the test that failed after them; -1 if none did).
        """
        if (number or self.built.stored) and not self.built.restore():
            return [{**CHANGED, **dict.fromkeys(COSTS, 0)}], -1
        if not batch:
            return [self.run_test(self.plan["runs"][number])], -1
        step = batch_step(batch)
        execution, result = self.runner.run(self.request, step, self.program["files"])
        self.executions = [execution]
        if "broken" in result:
            return [result], -1
        results = batch_results(execution, step, result)
        failed_later = results[0]["outcome"] == "passed" != result["outcome"]
        if failed_later and len(results) == len(batch):
            # The process ended badly after its last input.
            results.pop()
        for run, own in zip(batch, results):
            check_output(own, run, self.program["token"])
        return results, number + len(results) if failed_later else -1

    def build(self, reply: Reply) -> tuple[Execution | None, Reply | None, StoredFiles | None]:
        """Run the steps that must work, and add their costs to the reply.

        Returns:
            (execution of the last step, reply for a program that can't be built, files that a warm compiler has built),
            each None if there is none.
        """
        execution, files = None, self.program["files"]
        for step in self.plan["build"]:
            notify = partial(self.notify, self.request["id"])
            warm = self.compilers.build(self.request, step, files, notify) if "warm" in step else None
            if warm is not None:
                result, stored = warm
            else:
                execution, result = self.runner.run(self.request, step, files)
                stored = None
            files = {}
            add_costs(reply, result)
            if result.get("outcome") != "passed":
                return execution, {**reply, **build_failure(result)}, None
        return execution, None, stored if self.plan["build"] else None

    def keep_build(self, stored: StoredFiles | None) -> KeptBuild | StoredBuild:
        """Return what keeps the built program for its tests.

        Args:
            stored: files that a warm compiler has built; None if the program is in its folder.
        """
        if stored is not None or not self.plan["build"]:
            return StoredBuild(self.fork_server, stored)
        # A checker program that runs in the candidates' folder must find nothing of theirs, and an interactor's folder
        # is emptied before it runs.
        if self.fork_server.in_container and (self.checker.program or self.interactor.program):
            return StoredBuild(self.fork_server, self.fork_server.surroundings.call_in_workplace(read_files))
        return KeptBuild(self.fork_server)

    def run_test(self, step: dict[str, Any]) -> Reply:
        """Run a test in a new process, check its output, and return its result."""
        token, stdin, tickets = self.program["token"], None, None
        if step.get("writes_token"):
            tickets = Tickets(token, self.program.get("names", ()))
            # The completion token is the input of the code that writes it once the tests are done.
            stdin = "".join((token, *tickets.all))
        # A compiled program is in the folder already, or stored.
        files = {**({} if self.plan["build"] else self.program["files"]), **step.get("files", {})}
        if self.interactor.program:
            return self.run_conversation(step, files)
        execution, result = self.runner.run(self.request, step, files, self.built.stored, stdin, tickets)
        self.executions = [execution]
        if result.get("outcome") == "passed":
            self.check_run(step, execution, result)
        if tickets and "outcome" in result:
            result["named"] = tickets.results(result["outcome"], result.get("detail", ""))
        return result

    def check_run(self, step: dict[str, Any], execution: Execution, result: Reply) -> None:
        """Check the output of a run that ended well. The result changes if the test failed."""
        output = self.output_of(step, execution, result)
        check_output(result, step, self.program["token"])
        if self.checker.program and result["outcome"] == "passed":
            self.built.clear()
            result.update(self.checker.check(self.request, step, output))
            self.executions += self.checker.executions

    def run_conversation(self, step: dict[str, Any], files: dict[str, str]) -> Reply:
        """Run a test in which an interactor talks with the program, and return its result.

        Args:
            step: the test.
            files: to write before it, {path: text}.
        """
        execution, result = self.interactor.talk(self.request, step, files, self.built.stored)
        self.executions = [*([execution] if execution else self.executions), *self.interactor.executions]
        if self.checker.program and result.get("outcome") == "passed":
            self.built.clear()
            result.update(self.checker.check(self.request, step, self.interactor.log, is_log=True))
            self.executions += self.checker.executions
        return result

    def output_of(self, step: dict[str, Any], execution: Execution, result: Reply) -> bytes:
        """Return the output of a run that ended well. The result changes if its file is missing or too large."""
        limits = execution.limits
        name = step.get("output_file")
        if name is None:
            return execution.stdout.kept
        limit = limits["output_bytes"]
        output = self.fork_server.surroundings.call_in_workplace(read_file, name, limit + 1)
        if output is None:
            result.update(outcome="failed", detail="wrote no file %s" % name)
        elif len(output) > limit:
            result.update(outcome="output_limit", detail="wrote more than %d bytes to %s" % (limit, name))
        else:
            result["stdout"] = output.decode("utf-8", "replace")
        return output or b""

    def add_run(self, reply: Reply, step: dict[str, Any], result: Reply) -> None:
        """Add the result of a run to the reply."""
        add_costs(reply, result)
        named = result.pop("named", ())
        reply["tests"] += [self.named_result(test) for test in named] or [self.test_result(step, result)]
        if reply["outcome"] != "passed":
            return
        reply.update({name: value for name, value in result.items() if name not in COSTS})
        if result["outcome"] not in ("passed", "compile_error") and step["name"]:
            reply["detail"] = "{}: {}".format(step["name"], result["detail"])

    def test_result(self, step: dict[str, Any], result: Reply) -> dict[str, Any]:
        """Return a test's result as the caller has it. Output that doesn't fit into the reply fails the test."""
        test = {"name": step["name"], "outcome": result["outcome"], "seconds": result["wall_seconds"]}
        if self.plan["returns"] and not self.reserve(result.get("stdout", "")):
            result.update(outcome="output_limit", detail="all its tests wrote more than a checker can be given")
            test["outcome"] = result["outcome"]
        elif self.plan["returns"]:
            test["stdout"] = result.get("stdout", "")
        if result["outcome"] != "passed" and self.reserve(result["detail"][:MAX_MESSAGE_CHARS]):
            test["message"] = result["detail"][:MAX_MESSAGE_CHARS]
        return test

    def named_result(self, test: dict[str, Any]) -> dict[str, Any]:
        """Return the result of one of the tests of a run, without its message if that doesn't fit into the reply."""
        message = test.pop("message", "")[:MAX_MESSAGE_CHARS]
        self.bytes_left -= TEST_BYTES + CHARACTER_BYTES * len(test["name"])
        return {**test, "message": message} if message and self.reserve(message) else test

    def reserve(self, text: str) -> bool:
        """Reserve space for a text in the reply. Return whether the text fits."""
        size = len(json.dumps(text))
        if size > self.bytes_left:
            return False
        self.bytes_left -= size
        return True
