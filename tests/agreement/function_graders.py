"""Official graders of MBPP, EvoEval and HumanEvalPack's metric, as `official_grader.py` calls them.

MBPP's authors published no grader. Its tests are graded by the task and the metric of bigcode-evaluation-harness.
"""

import importlib
import os
import sys
import types

from stand_ins import package


def load_harness(folder, task):
    """Import a task of bigcode-evaluation-harness, without datasets. Its metrics are not loaded."""
    sys.modules["datasets"] = types.ModuleType("datasets")
    sys.modules["datasets"].load_dataset = None
    sys.modules["evaluate"] = types.ModuleType("evaluate")
    sys.modules["evaluate"].load = None
    for name in ("bigcode_eval", "bigcode_eval/tasks", "bigcode_eval/tasks/custom_metrics"):
        package(folder, name.replace("/", "."), name)
    return importlib.import_module(f"bigcode_eval.tasks.{task}")


def load_mbpp(folder):
    """Import the task MBPP."""
    # The metric refuses to run without it.
    os.environ["HF_ALLOW_CODE_EVAL"] = "1"
    return load_harness(folder, "mbpp")


def grade_mbpp(module, record, answer):
    """Return whether pass@1 is 1."""
    task = object.__new__(module.MBPP)
    return task.process_results([[answer]], [task.get_reference(record)])["pass@1"] == 1


def load_evoeval(folder):
    """Import EvoEval's evaluation."""
    sys.path.insert(0, folder)
    return importlib.import_module("evoeval.eval_test")


def grade_evoeval(module, record, answer):
    """Return whether a completion gives what the canonical solution gives, with the grader's default limits."""
    from evalplus.gen.util import trusted_exec

    inputs, name = [eval(f"[{each}]") for each in record["inputs"]], record["entry_point"]  # noqa: S307 (own texts)
    solution = record["prompt"] + "\n" + record["canonical_solution"]
    expected, seconds = trusted_exec(solution, inputs, name, record_time=True, output_not_none=False)
    result = module.untrusted_check(
        "EvoEval_combine",
        *(record["prompt"] + answer, inputs, name),
        **{"task_id": record["task_id"], "expected": expected, "atol": 0, "ref_time": seconds, "fast_check": True},
        **{"min_time_limit": 1, "gt_time_limit_factor": 4.0},
    )
    return result[0] == "pass"


GRADERS = {"mbpp": (load_mbpp, grade_mbpp), "evoeval": (load_evoeval, grade_evoeval)}
