"""Tasks that need modules: a sandbox without them is an error with the way out, and no candidate's failure."""

import asyncio

import pytest

from sandboxes import EvalConfig, Evaluator, SandboxUnavailable, Task, open_sandbox
from sandboxes.tasks.batch import TaskFacts
from sandboxes.tasks.needed_modules import missing_modules_error

PLAIN = Task("assert 1 == x", ["x = 1", "x = 2"])
NEEDS = Task("assert x == 1", ["x = 1", "x = 2"], modules=("json", "no_such_module", "bs5"))


def test_a_missing_module_is_an_error():
    """The error comes before any candidate runs, and names all modules, the packages and each way out."""
    with Evaluator(EvalConfig.from_options({})) as evaluator, pytest.raises(SandboxUnavailable) as raised:
        evaluator.run([PLAIN, NEEDS], on_result=lambda index, result: pytest.fail("a candidate has run"))
    message = str(raised.value)
    assert "programs of the subprocess sandbox can't import: bs5, no_such_module" in message
    assert 'pip install bs5 no_such_module, or sandbox="docker" with packages=["bs5", "no_such_module"]' in message
    assert 'on_sandbox_error="exclude"' in message


@pytest.mark.slow
def test_a_missing_module_can_be_excluded():
    """With "exclude", candidates of such tasks have no verdict, and those of other tasks run."""
    with Evaluator(EvalConfig.from_options({"on_sandbox_error": "exclude"})) as evaluator:
        results = evaluator.run([NEEDS, PLAIN])
    assert [type(result).__name__ for result in results[:2]] == ["SandboxUnavailable"] * 2
    assert [result.passed for result in results[2:]] == [True, False]


def test_a_stream_of_tasks():
    """In a stream, a task that needs a missing module is an error too."""
    with Evaluator(EvalConfig.from_options({})) as evaluator, pytest.raises(SandboxUnavailable, match="bs5"):
        evaluator.run_stream([NEEDS], lambda index, result: pytest.fail("a candidate has run"))


async def run_alone(config, task):
    """Return the result of a task with one candidate."""
    async with Evaluator(config) as evaluator:
        return await evaluator.run_async(task)


def test_single_tasks():
    """A task that runs alone gets the error as its result."""
    task = Task(NEEDS.reference, NEEDS.candidates[:1], modules=NEEDS.modules)
    result = asyncio.run(run_alone(EvalConfig.from_options({}), task))
    assert isinstance(result, SandboxUnavailable)


def test_modules_that_are_there():
    """Modules that programs can import change nothing."""
    task = Task("assert x == 1", ["x = 1"], modules=("json", "unittest"))
    with Evaluator(EvalConfig.from_options({})) as evaluator:
        evaluator.require_modules([TaskFacts(modules=task.modules)])
        assert [result.passed for result in evaluator.run([task])] == [True]


def test_names_of_packages():
    """A package is named as PyPI has it, and a module that only another Python has is no package."""
    message = str(missing_modules_error(open_sandbox("docker", image="python"), ["bs4", "cv2"]))
    assert 'use packages=["beautifulsoup4", "opencv-python"], or' in message
    assert "use another version of Python, or" in str(missing_modules_error(open_sandbox("subprocess"), ["json"]))
