"""The official form of a problem: tests that run a candidate in the way of the benchmark's own grader.

The tests are the texts of the other modules here, which run in the sandbox. Nothing of a candidate runs where this
module does.
"""

from __future__ import annotations

import functools
import inspect
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from code_tasks.benchmarks.benchmark import MEMORY_BYTES
from code_tasks.benchmarks.official import (
    answers,
    calls,
    classes,
    evalplus_runs,
    programs,
    rllm_scripts,
    running,
    scripts,
    taco_scripts,
)
from code_tasks.benchmarks.preambles import NUMPY, PANDAS
from code_tasks.benchmarks.problems import CANDIDATE_TEXT, Problem
from sandboxes.guest.common import benchmark_checkers, call_results, checkers, training_checkers

CHECK_CALL = """

def test_base():
    code_eval_check(ENTRY_POINT, "base")


def test_plus():
    code_eval_check(ENTRY_POINT, "plus")
"""
"""The end of the tests that `evalplus.py` makes of a problem."""

EVALPLUS_CALL = f"""

run_inputs({CANDIDATE_TEXT}, ENTRY_POINT, code_eval_inputs, code_eval_oracle, code_eval_rule, code_eval_atol)
"""
EVALPLUS_SECONDS = 200.0
"""Wall seconds: 62 for the inputs of each process, and the canonical solution's time."""

ANSWER_SECONDS, CLASS_SECONDS = 8.0, 5.0
"""Wall seconds: of an answer of CRUXEval, which has 3 of its own; of a test class of ClassEval."""

ANY_OUTPUT = "print(1)\n"
"""A checker program that accepts every output, so that the status decides."""

ANNOTATIONS = "from __future__ import annotations\n\n"
"""The beginning of texts with annotations. What they `exec` must not have its effect: `compile` is told so."""

UNCOUNTED = ("HumanEval/32",)
NOT_COUNTED = "evalplus 0.3.1 does not count the inputs of this problem, so that no answer passes"
IMPORTS_OF_PARTS = re.compile(
    r"^from (?:__future__|code_tasks|sandboxes|\.)[\w.]* import (?:\([^)]*\)|.*)\n", re.MULTILINE
)


@dataclass(frozen=True)
class OfficialGrader:
    """The grader of a benchmark whose problems have inputs and outputs."""

    name: str
    seconds: int
    """Seconds of each case or call."""

    total_seconds: Callable[[int], float]
    """(number of cases) -> the seconds of all cases together."""

    scripts: str = "run_script"
    """The function that runs a script: one of MODULES."""

    calls: str = "run_calls"
    """The function that runs a problem of calls: one of MODULES."""

    base: str = ""
    """Imports that stand right before a script, in rLLM's grader."""

    memory_bytes: int = MEMORY_BYTES

    def form(self, problem: Problem) -> Problem:
        """Return a problem with tests that run a candidate as the grader does; itself if it has no cases."""
        if not problem.tests:
            return problem
        value = json.loads(problem.tests)
        rules = {
            "grader": self.name,
            "seconds": self.seconds,
            "preamble": problem.preamble,
            "base": self.base,
            "optional": {"np": NUMPY, "pd": PANDAS},
            "function": problem.entry_point,
            "cases": list(zip(value["inputs"], value["outputs"], strict=True)),
        }
        entry = self.calls if problem.entry_point else self.scripts
        limits = {"wall_seconds": self.total_seconds(len(value["inputs"])), "memory_bytes": self.memory_bytes}
        call = f"run_in_the_way_of_the_grader({entry}, {CANDIDATE_TEXT}, {json.dumps(rules)!r})\n"
        return as_official(problem, text_of(running, *CHECKING, *MODULES[entry]) + call, limits)


def cruxeval_form(problem: Problem) -> Problem:
    """Return a problem of CRUXEval with tests that judge an answer as its grader does."""
    call = f"run_answer({CANDIDATE_TEXT}, {dict(problem.official)!r})\n"
    return as_official(problem, text_of(running, answers) + call, {"wall_seconds": ANSWER_SECONDS})


def classeval_form(problem: Problem) -> Problem:
    """Return a problem of ClassEval with tests that run an answer as its grader does."""
    call = f"run_classes({CANDIDATE_TEXT}, {dict(problem.official)!r})\n"
    seconds = CLASS_SECONDS * len(problem.official["test_classes"])
    limits = {"wall_seconds": seconds + CLASS_SECONDS, "memory_bytes": MEMORY_BYTES}
    return as_official(problem, text_of(running, classes) + call, limits)


def status_tests() -> dict[str, Any]:
    """Return tests of a program that passes if it ends with status 0, whatever it writes."""
    return {"inputs": [""], "outputs": [""], "checker": {"source": ANY_OUTPUT}}


def evalplus_form(problem: Problem) -> Problem:
    """Return a problem of EvalPlus's file with tests that run a candidate as evalplus 0.3.1 does."""
    call = CHECK_CALL.replace("ENTRY_POINT", problem.entry_point)
    if not problem.tests.endswith(call):
        # HumanEval's shape and the Hub's have finished tests.
        return problem
    if problem.task_id in UNCOUNTED:
        return as_official(problem, f"assert not {CANDIDATE_TEXT}, {NOT_COUNTED!r}\n", dict(problem.limits))
    run = EVALPLUS_CALL.replace("ENTRY_POINT", repr(problem.entry_point))
    own = problem.tests.removesuffix(call).replace(ANNOTATIONS, "", 1)
    tests = text_of(running, evalplus_runs) + own + run
    return as_official(problem, tests, {"wall_seconds": EVALPLUS_SECONDS, "memory_bytes": MEMORY_BYTES})


CHECKING = (training_checkers, call_results, benchmark_checkers, checkers)
MODULES = {
    "run_calls": (calls,),
    "run_script": (scripts,),
    "run_taco_script": (taco_scripts,),
    "run_rllm_script": (taco_scripts, rllm_scripts),
    "run_programs": (programs,),
}
"""The modules of each function that runs a candidate."""


def as_official(problem: Problem, tests: str, limits: dict[str, float]) -> Problem:
    """Return a problem whose tests run a candidate's text themselves."""
    return replace(
        problem,
        tests=tests,
        limits=limits,
        is_text=True,
        grading="shared",
        preamble="",
        is_script=False,
        entry_point="",
        canonical_limit=None,
        expected=None,
    )


@functools.cache
def text_of(*modules: ModuleType) -> str:
    """Return the texts of modules as one, in which each finds the names of those before it."""
    texts = (IMPORTS_OF_PARTS.sub("", inspect.getsource(module)) for module in modules)
    return ANNOTATIONS + "\n\n".join(texts)
