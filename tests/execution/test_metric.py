"""code-execution-pass@1 on the subprocess sandbox: values, traces, errors, and their order."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

import sandboxes
from code_tasks.execution import CodeExecutionPassAtOne, Completion, Error, MetricResult, estimate_pass_at_k
from support.execution_records import PRINTS_OK, RIGHT, TESTS, WRONG, result_dict


@pytest.fixture(scope="module")
def metric():
    """Return the metric on the subprocess sandbox, kept warm."""
    yield CodeExecutionPassAtOne("subprocess", num_workers=2, progress=False)
    sandboxes.close_pools()


def test_right():
    """A completion that passes all tests has the value 1, and the number of tests in its trace."""
    result = replace(result_dict(RIGHT), isolation=())
    assert result == MetricResult("code-execution-pass@1", 1.0, True, "ran 2 tests: all passed", None)


def test_wrong():
    """A completion that fails a test has the value 0, and the test with its assertion in its trace."""
    result = result_dict(WRONG)
    assert (result.value, result.error) == (0.0, None)
    assert "test_add: AssertionError: 6 != 5" in result.code_execution_trace
    assert "test_zero: " not in result.code_execution_trace


@pytest.mark.parametrize(
    ("completion", "message"),
    [
        ("def add(:", "SyntaxError"),
        ("1 / 0", "ZeroDivisionError"),
        ("import sys\nsys.exit(0)", "left before its tests were done"),
        ("import os\nos._exit(0)", "left before its tests were done"),
        (PRINTS_OK + "sys.exit(0)", "left before its tests were done"),
        (PRINTS_OK + WRONG, "6 != 5"),
        ("import unittest\ndef add(a, b):\n    raise unittest.SkipTest", "SkipTest"),
        ("import sys\ndef add(a, b):\n    sys.exit(0)", "SystemExit"),
        ("", "NameError"),
    ],
)
def test_no_pass(completion, message):
    """A completion that does not finish its tests has the value 0, whatever its output and status."""
    result = result_dict(completion)
    assert (result.value, result.error) == (0.0, None)
    assert message in result.code_execution_trace


def test_time():
    """A program that exceeds benchmark_timeout has the value 0."""
    result = result_dict("while True: pass", benchmark_timeout=0.5)
    assert (result.value, result.error) == (0.0, None)
    assert result.code_execution_trace.startswith("ran for more than 0.5 s")


def test_noise():
    """A correct program that prints far more than is kept has the value 1."""
    assert result_dict(f"print('x' * {3 << 20})\n{RIGHT}").value == 1.0


@pytest.mark.parametrize("end", ["unittest.main()", "if __name__ == '__main__':\n    unittest.main(verbosity=2)"])
def test_call_of_main(end):
    """Tests that call unittest.main are run once, like others."""
    assert result_dict(RIGHT, f"{TESTS}\n{end}\n").value == 1.0
    assert result_dict(WRONG, f"{TESTS}\n{end}\n").value == 0.0


def test_own_tests():
    """Test classes in a completion do not count."""
    own = "import unittest\nclass Own(unittest.TestCase):\n    def test_own(self):\n        self.fail()\n"
    assert result_dict(own + RIGHT).code_execution_trace == "ran 2 tests: all passed"


def test_main_guard():
    """The default functions do not run a completion's code under its main guard."""
    assert result_dict(f"{RIGHT}\nif __name__ == '__main__':\n    1 / 0").value == 1.0


def test_names_in_main():
    """Tests can patch names of the completion in __main__, as in a script."""
    tests = TESTS.replace("self.assertEqual(add(0, 0), 0)", "patch('__main__.one', 2).start(); assert add(0, 0) == 2")
    code = "one = 0\ndef add(a, b):\n    return a + b + one\n"
    assert result_dict(code, f"from unittest.mock import patch\n{tests}").value == 1.0


def test_skipped_by_tests():
    """Some of the tests may be skipped, but not all."""
    one = TESTS.replace("    def test_add", "    @unittest.skip('later')\n    def test_add")
    assert result_dict(WRONG, one).value == 1.0
    both = one.replace("    def test_zero", "    @unittest.skip('later')\n    def test_zero")
    assert result_dict(RIGHT, both).value == 0.0


@pytest.mark.slow
def test_forged_equality():
    """With grading="separate", an object that claims to equal everything does not pass."""
    same = "class Same:\n    def __eq__(self, other): return True\ndef add(a, b): return Same()"
    responses = [{"completion": same, "context": {"test_code": TESTS}}]
    values = [
        CodeExecutionPassAtOne("subprocess", grading=grading, progress=False).evaluate(responses)[0].value
        for grading in ("shared", "separate", "auto")
    ]
    assert values == [1.0, 0.0, 0.0]


def test_error_passes_through(metric):
    """The result of a completion that carries an error has that error, and no value."""
    error = Error("Timeout", "the model did not answer", "")
    assert metric.calculate(Completion("", None, error)) == [MetricResult(error=error)]
    foreign = SimpleNamespace(error_class="Timeout", message="the model did not answer", traceback="")
    assert metric.calculate({"completion": "", "error": foreign}) == [MetricResult(error=error)]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"completion": RIGHT}, "no context"),
        ({"completion": RIGHT, "context": {}}, "no test_code"),
        ({"completion": None, "context": {"test_code": TESTS}}, "completion must be a string"),
        ({"completion": RIGHT, "context": {"test_code": 1}}, "test_code must be a string"),
        ({"completion": RIGHT, "context": {"test_code": "def f(:"}}, "not valid Python"),
        ({"completion": RIGHT, "context": {"test_code": "import nothing_here\n" + TESTS}}, "nothing_here"),
        ({"completion": RIGHT, "context": {"test_code": TESTS, "benchmark_timeout": 0}}, "benchmark_timeout"),
        ({"completion": RIGHT, "context": {"test_code": TESTS, "package_downloads": ["numpy"]}}, "package_downloads"),
        ({"completion": RIGHT, "context": {"test_code": TESTS, "snippet_merge_fn": "nothing_here:f"}}, "nothing_here"),
        ({"completion": RIGHT, "context": {"test_code": TESTS, "output_parse_fn": 5}}, "output_parse_fn"),
        ("text", "completion must be a string"),
    ],
)
def test_broken_record(metric, record, message):
    """An invalid record has no value, and an error that names the problem."""
    [result] = metric.calculate(record)
    assert result.value is None
    assert message in result.error.message


@pytest.mark.parametrize("test_code", ["", "\n", "assert add(2, 3) == 5", "import unittest\nclass T: pass"])
def test_context_without_tests(metric, test_code):
    """A context without tests is wrong, because nothing shows that the completion is right, and the trace says why."""
    [result] = metric.calculate({"completion": RIGHT, "context": {"test_code": test_code}})
    assert (result.value, result.error) == (0.0, None)
    assert "no unittest class" in result.code_execution_trace


def raises(*args):
    """Raise an error, as a broken function of a record."""
    raise KeyError("broken")


@pytest.mark.parametrize(
    ("functions", "kind"),
    [
        ({"snippet_merge_fn": raises}, "KeyError"),
        ({"snippet_merge_fn": lambda code, test_code: None}, "TypeError"),
        ({"output_parse_fn": raises}, "KeyError"),
        ({"output_parse_fn": lambda output: True}, "TypeError"),
    ],
)
def test_broken_function(functions, kind):
    """A merge or parse function that raises or returns another type gives an error and no value."""
    result = result_dict(RIGHT, **functions)
    assert (result.value, result.error.error_class) == (None, kind)
    assert "Traceback" in result.error.traceback


def test_broken_sandbox(monkeypatch):
    """If the sandbox is unavailable, there is no value, and an error says why."""

    def unavailable(self):
        raise sandboxes.SandboxUnavailable("no engine answers")

    monkeypatch.setattr(sandboxes.backends.local_process.SubprocessSandbox, "start_worker", unavailable, raising=False)
    metric = CodeExecutionPassAtOne("subprocess", env={"OF": "this test"}, progress=False)
    [result] = metric.evaluate([{"completion": RIGHT, "context": {"test_code": TESTS}}])
    assert (result.value, result.error.error_class, result.error.message) == (
        None,
        "SandboxUnavailable",
        "no engine answers",
    )


@pytest.mark.slow
def test_order():
    """Results have the completions' order, whatever runs first or can't be run."""
    other = TESTS.replace("import unittest", "import unittest as unittest")
    responses = [
        {"completion": code, "context": {"test_code": tests}}
        for code, tests in [(RIGHT, TESTS), (WRONG, other), (RIGHT, "def f(:"), (WRONG, TESTS), (RIGHT, other)]
    ]
    results = CodeExecutionPassAtOne("subprocess", progress=False).evaluate(each for each in responses)
    assert [result.value for result in results] == [1.0, 0.0, None, 0.0, 1.0]


@pytest.mark.slow
def test_progress(capsys, monkeypatch):
    """A progress bar counts the completions, if it is requested."""
    monkeypatch.setattr("sandboxes.pool.progress.BAR_DELAY_SECONDS", 0)
    responses = [{"completion": code, "context": {"test_code": TESTS}} for code in (RIGHT, WRONG)]
    CodeExecutionPassAtOne("subprocess", progress=True).evaluate(responses)
    assert "2/2" in capsys.readouterr().err


def test_own_context_objects(metric):
    """Completions of other classes with the same fields are accepted, even with contexts of several metrics."""
    context = SimpleNamespace(run_env="python:3.12", code_prompt="", test_code=TESTS, package_downloads={})
    response = SimpleNamespace(completion=RIGHT, error=None, context=[SimpleNamespace(language="en"), context])
    assert metric.calculate(response)[0].value == 1.0


def test_single_completion(metric):
    """A single completion in place of a list is a TypeError."""
    with pytest.raises(TypeError, match="list of completions"):
        metric.evaluate(Completion(RIGHT))


@pytest.mark.parametrize(
    "options",
    [{"sandbox": "dokcer"}, {"grading": "none"}, {"num_workers": 0}, {"image": "python"}, {"memory_mb": "1G"}],
)
def test_wrong_options(options):
    """Invalid options are refused before anything is run."""
    with pytest.raises((ValueError, TypeError)):
        CodeExecutionPassAtOne(**{"sandbox": "subprocess", **options})


def test_missing_package():
    """Without package installation, a program that imports a missing package has no value, and an error names it."""
    mapping = {"nothing_here": "nothing-there", "other": "other"}
    result = result_dict(f"import nothing_here\n{RIGHT}", package_downloads=mapping)
    assert (result.value, result.error.error_class) == (None, "ModuleNotFoundError")
    assert "nothing-there;" in result.error.message


def test_package_that_is_there():
    """A program that imports installed packages runs; packages that it does not import may be missing."""
    mapping = {"numpy": "numpy", "json": None, "nothing_here": "nothing-there"}
    assert result_dict(f"import json, numpy\n{RIGHT}", package_downloads=mapping).value == 1.0


@pytest.mark.parametrize("n", [1, 5, 200])
def test_estimate(n):
    """The estimate of one problem is correct for any number of samples."""
    assert estimate_pass_at_k(n, 1, 1) == pytest.approx(1 / n)
    assert estimate_pass_at_k(n, n, n) == 1.0


@pytest.mark.slow
def test_restricted():
    """The default functions work with the restricted sandbox if it allows importing unittest."""
    metric = CodeExecutionPassAtOne("restricted", allowed_imports=["unittest"], progress=False)
    responses = [
        {"completion": code, "context": {"test_code": TESTS}} for code in (RIGHT, WRONG, "import os\n" + RIGHT)
    ]
    assert [result.value for result in metric.evaluate(responses)] == [1.0, 0.0, 0.0]


SERVES = f"import os, socket\nsocket.create_server(('127.0.0.1', 0)).close()\nassert os.system('true') == 0\n{RIGHT}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "context", "value"),
    [
        ({}, {}, 1.0),
        ({"loopback": True}, {}, 1.0),
        ({"loopback": False}, {}, 0.0),
        ({}, {"loopback": False}, 0.0),
        ({"loopback": False}, {"loopback": True}, 1.0),
        ({"shell": False}, {}, 0.0),
        ({"network": True}, {}, 1.0),
    ],
)
def test_localhost_and_a_shell(options, context, value):
    """Completions have localhost and a shell, unless the option or the context takes them away."""
    metric = CodeExecutionPassAtOne("subprocess", progress=False, **options)
    [result] = metric.evaluate([{"completion": SERVES, "context": {"test_code": TESTS, **context}}])
    assert (result.value, result.error) == (value, None), result.code_execution_trace


@pytest.mark.slow
def test_contexts_with_and_without_localhost():
    """Completions of one image whose contexts differ in localhost are run in sandboxes of their own."""
    records = [
        {"completion": SERVES, "context": {"test_code": TESTS, "loopback": loopback}}
        for loopback in (True, False, True)
    ]
    for share in (False, True):
        metric = CodeExecutionPassAtOne("subprocess", progress=False, share_packages=share)
        assert [result.value for result in metric.evaluate(records)] == [1.0, 0.0, 1.0]


def test_invalid_loopback(metric):
    """A context's loopback must be a bool."""
    [result] = metric.calculate({"completion": RIGHT, "context": {"test_code": TESTS, "loopback": "yes"}})
    assert (result.value, result.error.error_class) == (None, "TypeError")


def test_name_of_the_user(metric):
    """A completion that asks for its user's name is right."""
    code = f"import getpass, os, pwd\nassert pwd.getpwuid(os.getuid()).pw_name == getpass.getuser()\n{RIGHT}"
    assert metric.calculate({"completion": code, "context": {"test_code": TESTS}})[0].value == 1.0


def test_failing_sandbox_as_an_exception(monkeypatch):
    """With `fail_on_error` a sandbox that fails is an exception."""

    def unavailable(self):
        raise sandboxes.SandboxUnavailable("no engine answers")

    monkeypatch.setattr(sandboxes.backends.local_process.SubprocessSandbox, "start_worker", unavailable, raising=False)
    metric = CodeExecutionPassAtOne("subprocess", env={"OF": "that test"}, progress=False, fail_on_error=True)
    with pytest.raises(sandboxes.SandboxUnavailable, match="no engine answers"):
        metric.evaluate([{"completion": RIGHT, "context": {"test_code": TESTS}}])
