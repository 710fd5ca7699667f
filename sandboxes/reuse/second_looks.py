"""A second look at failures that may be their tests' own: the same tests run without a candidate."""

from __future__ import annotations

from dataclasses import replace

from sandboxes.contract import Program, Verdict
from sandboxes.errors import InvalidTests
from sandboxes.runner import RunControls, Runner, RunResult
from sandboxes.tasks.broken_tests import fails_by_itself


class SecondLooks:
    """Tells failed candidates from invalid tests. Each text of tests runs once without a candidate, at most."""

    def __init__(self, runner: Runner, controls: RunControls):
        """Set up looks; nothing is run yet.

        Args:
            runner: the pool.
            controls: those of the run that the programs belong to.
        """
        self.runner = runner
        # Under a policy, tests may fail for what the policy refuses.
        self.is_wanted = not runner.sandbox.has_policy
        self.controls = replace(controls, num_workers=1, on_sandbox_error="exclude", should_preempt=None)
        self._known: dict[str, str] = {}

    def is_due(self, program: Program, result: RunResult) -> bool:
        """Return whether a program's result may be the fault of its tests. A candidate can make it look so."""
        return self.is_wanted and isinstance(result, Verdict) and not result.passed and fails_by_itself(program, result)

    def look(self, index: int, program: Program, result: RunResult) -> RunResult:
        """Return the result that counts, of a program for which a look is due."""
        reason = self._known.get(program.tests)
        if reason is None:
            reason = self._known[program.tests] = self._reason(index, program)
        return InvalidTests(reason) if reason else result

    def _reason(self, index: int, program: Program) -> str:
        """Return why tests are invalid; "" if they aren't."""
        alone = replace(program, candidate="")
        results: dict[int, RunResult] = {}
        self.runner.run({index: alone}, self.controls, results.__setitem__)
        verdict = results[index]
        if not isinstance(verdict, Verdict) or not fails_by_itself(alone, verdict):
            return ""
        messages = [test.message for test in verdict.tests if test.message]
        return f"the tests fail without a candidate: {messages[0] if messages else verdict.detail}"
