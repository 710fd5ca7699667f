"""Programs of code-execution-pass@1: how a completion is run, and how its verdict becomes a result."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from typing import Any

import sandboxes
from code_tasks.execution.records import Error, ExecutionTask, MetricResult
from code_tasks.execution.trace_texts import EVAL_FRAMEWORK, OWN, failure_text, success_text, timeout_text
from code_tasks.execution.unittest_output import ExecutionResult, failed_tests, parse_unittest_output, with_output
from sandboxes import EvalConfig, Limits, Outcome, Program, RunResult, Verdict
from sandboxes.grading import chosen_grading
from sandboxes.separable_tests import reason_for_shared
from sandboxes.tasks.unittest_harness import with_unittest_harness
from sandboxes.validation import short_repr

# Output bytes of one program that a verdict keeps. A parse function would not see the end of a longer output.
MAX_OUTPUT_BYTES = 1 << 20
# After these outcomes the output is incomplete, so that a parse function can't judge it.
INTERRUPTED_OUTCOMES = (Outcome.TIMED_OUT, Outcome.OUT_OF_MEMORY, Outcome.OUTPUT_LIMIT, Outcome.CRASHED)
TESTS_FRAME = re.compile(r'^  File "tests\.py"', re.MULTILINE)
CANDIDATE_FRAME = re.compile(r'^  File "candidate\.py"', re.MULTILINE)
# Runs a program as the interpreter runs a script from a file.
SCRIPT = """
def run_as_script(source):
    import atexit, linecache, sys, threading, traceback

    module = type(sys)("__main__")
    module.__file__ = "program.py"
    sys.modules["__main__"] = module
    sys.argv[:] = ["program.py"]
    linecache.cache["program.py"] = (len(source), None, source.splitlines(True), "program.py")
    status = None
    try:
        exec(compile(source, "program.py", "exec", dont_inherit=True), module.__dict__)
    except MemoryError:
        raise
    except SystemExit as end:
        status = end.code
        if status is not None and not isinstance(status, int):
            print(status, file=sys.stderr)
    except BaseException as error:
        status = 1
        traceback.print_exception(type(error), error, error.__traceback__.tb_next)
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    atexit._run_exitfuncs()
    if status is not None and status != 0:
        raise SystemExit(status)


run_as_script(SOURCE)
"""


def completion_program(task: ExecutionTask, config: EvalConfig) -> tuple[Program, list[str]]:
    """Return the program of a completion, and the sources whose imports it needs.

    Args:
        task: the completion with its context.
        config: has the memory limit, and the grading for the default functions.

    Raises:
        Exception: if the tests are invalid, or the merge function fails.
    """
    test_code = task.context.test_code
    limits = Limits(
        wall_seconds=task.context.benchmark_timeout,
        memory_bytes=config.limits.memory_bytes,
        output_bytes=Limits.output_bytes if task.is_default else MAX_OUTPUT_BYTES,
        kept_bytes=MAX_OUTPUT_BYTES,
    )
    if task.is_default:
        grading = chosen_grading(config.grading, reason_for_shared(test_code))
        tests = with_unittest_harness(test_code)
        return Program(task.completion, tests, limits, grading, reference=test_code), [task.completion, test_code]
    merged = task.merge(task.completion, test_code)
    if not isinstance(merged, str):
        raise TypeError(f"snippet_merge_fn must return a string, not {short_repr(merged)}")
    return script_program(merged, limits), [merged]


def script_program(source: str, limits: Limits) -> Program:
    """Return a program that runs a source text as the interpreter runs a script from a file."""
    return Program("", SCRIPT.replace("SOURCE", ascii(source)), limits)


def metric_result(
    task: ExecutionTask, result: RunResult | Exception, k: int = 1, trace_texts: str = OWN
) -> MetricResult:
    """Return the metric's result for a completion.

    Args:
        task: the completion with its context.
        result: the verdict, or the exception because of which the completion could not be run.
        k: draws out of the one sample.
        trace_texts: one of TRACE_TEXTS.
    """
    if not isinstance(result, Verdict):
        return MetricResult(error=Error.from_exception(result))
    try:
        check_judged(task, result)
        execution = execution_result(task, result)
    except Exception as error:  # a parse function may raise anything
        trace = with_output(result.detail, combined_output(result))
        return MetricResult(code_execution_trace=trace, error=Error.from_exception(error), isolation=result.isolation)
    if trace_texts == EVAL_FRAMEWORK:
        execution = execution._replace(output=framework_text(task, result, execution.success))
    value = estimate_pass_at_k(1, int(execution.success), k)
    return MetricResult(value=value, code_execution_trace=execution.output, isolation=result.isolation)


def framework_text(task: ExecutionTask, verdict: Verdict, success: bool) -> str:
    """Return the trace of a completion that was judged, in eval-framework's words."""
    output = combined_output(verdict)
    if verdict.outcome is Outcome.TIMED_OUT:
        return timeout_text(task.context.benchmark_timeout)
    if task.parse is not parse_unittest_output:
        return checked_result(task.parse(output)).output
    if success:
        return success_text(output)
    return failure_text(output if failed_tests(output) else f"{verdict.traceback}{output}")


def check_judged(task: ExecutionTask, verdict: Verdict) -> None:
    """Raise ValueError if the tests or the sandbox, and not the program, prevented a verdict."""
    is_compile_error = verdict.outcome is Outcome.COMPILE_ERROR
    trace = verdict.traceback
    if is_compile_error and not task.is_default:
        raise ValueError(
            "the sandbox's policy allows no program to run as a script: use another sandbox, or leave out "
            f"snippet_merge_fn and output_parse_fn ({verdict.detail})"
        )
    if is_compile_error and (TESTS_FRAME.search(trace) or verdict.exception_message.startswith("in the tests: ")):
        raise ValueError(f"test_code can't be compiled in the sandbox: {verdict.detail}")
    if (
        verdict.exception_type in ("ImportError", "ModuleNotFoundError")
        and TESTS_FRAME.search(trace)
        and not CANDIDATE_FRAME.search(trace)
    ):
        raise ValueError(f"test_code imports a module that is missing in the sandbox: {verdict.detail}")


def execution_result(task: ExecutionTask, verdict: Verdict) -> ExecutionResult:
    """Return whether a completion is correct, with a text for people."""
    output = combined_output(verdict)
    if verdict.outcome in INTERRUPTED_OUTCOMES:
        return ExecutionResult(False, with_output(verdict.detail, output))
    if task.is_default:
        if verdict.passed:
            parsed = parse_unittest_output(output)
            return ExecutionResult(True, parsed.output if parsed.success else "all tests passed")
        # For failed tests, unittest's output says more than the traceback of the exception that ended the tests.
        failed = failed_tests(output)
        trace = output if failed else "\n".join(filter(None, (verdict.traceback, output)))
        return ExecutionResult(False, with_output("\n".join([verdict.detail, *failed]), trace))
    if task.parse is parse_unittest_output:
        return parse_unittest_output(output, 0 if verdict.passed else 1)
    return checked_result(task.parse(output))


def combined_output(verdict: Verdict) -> str:
    """Return a program's output, standard error first, as eval-framework gives it to parse functions."""
    return (verdict.stderr + verdict.stdout).strip()


def checked_result(value: Any) -> ExecutionResult:
    """Return the ExecutionResult of a parse function, which may return another class with the same fields.

    Raises:
        TypeError: if it has other fields.
    """
    success, output = getattr(value, "success", None), getattr(value, "output", None)
    if not isinstance(success, bool) or not isinstance(output, str):
        raise TypeError(f"output_parse_fn must return an ExecutionResult(success, output), not {short_repr(value)}")
    return ExecutionResult(success, output)


def estimate_pass_at_k(n: int, c: int, k: int) -> float:
    """Return the unbiased pass@k of one problem, from `sandboxes.estimate_pass_at_k`, which is for many problems.

    With fewer samples than draws all samples are drawn, as in eval-framework's aggregator.

    Args:
        n: number of samples, >= 1.
        c: number of correct samples.
        k: draws, >= 1.
    """
    return float(sandboxes.estimate_pass_at_k([n], [c], min(n, k))[0])


def pass_at_k(results: Iterable[MetricResult], problems: Iterable[Hashable], k: int = 1) -> float | None:
    """Return the mean pass@k of problems of which several completions were scored.

    Args:
        results: of the completions. Results without a value are left out.
        problems: the problem of each completion.
        k: draws, >= 1.

    Returns:
        The mean over the problems that have a value, in [0, 1]; None if none has one.

    Raises:
        ValueError: if there are not as many results as problems.
    """
    values: dict[Hashable, list[float]] = {}
    for result, problem in zip(results, problems, strict=True):
        if result.value is not None:
            values.setdefault(problem, []).append(result.value)
    scores = [estimate_pass_at_k(len(each), int(sum(each)), k) for each in values.values()]
    return sum(scores) / len(scores) if scores else None
