"""BigCodeBench: calibrated programs, one module for prompt and tests, and the environment that its grader gives."""

import pytest

from code_tasks.benchmarks import BENCHMARKS
from code_tasks.benchmarks.readers import InputError
from sandboxes import SandboxUnavailable
from support.judged_records import judged, loaded_records, results_of, solutions_of
from support.pools import opened_pool, require_layers

OPENING = "import json\nimport time as clock\n\ndef task_func(text, size=2):"
RECORD = {
    "task_id": "BigCodeBench/7",
    "complete_prompt": f'{OPENING}\n    """\n    Return the sorted list.\n    """\n',
    "instruct_prompt": "Return the sorted list.",
    "code_prompt": OPENING,
    "canonical_solution": "    return sorted(json.loads(text))\n",
    "test": "import unittest\n\n\nclass TestCases(unittest.TestCase):\n    def test_case_1(self):\n"
    "        self.assertEqual(task_func(json.dumps([2, 1])), [1, 2])\n",
    "entry_point": "task_func",
    "libs": "['json']",
}
SOLUTION = RECORD["canonical_solution"]


@pytest.fixture
def pool_with_net():
    """Skip a test unless programs may have a network of their own."""
    with opened_pool("subprocess", loopback="auto") as pool:
        require_layers(pool, "net")


def with_test(statement):
    """Return the record with another test."""
    return {
        **RECORD,
        "test": RECORD["test"].replace("self.assertEqual(task_func(json.dumps([2, 1])), [1, 2])", statement),
    }


@pytest.mark.parametrize("grading", ["auto", "shared"])
@pytest.mark.parametrize(
    ("answer", "passes"),
    [
        (SOLUTION, True),
        (f"import json\n\ndef task_func(text):\n{SOLUTION}", True),
        (f"def task_func(text):\n{SOLUTION}", True),
        ("    return json.loads(text)\n", False),
        ("    pass\n", False),
        (f"{SOLUTION}\nimport sys\nsys.exit(0)\n", False),
        (f"{SOLUTION}    (\n", False),
    ],
)
def test_answers(answer, passes, grading):
    """An answer continues the prompt or is a whole program, with the prompt's imports before it."""
    assert judged("bigcodebench", RECORD, [answer], grading=grading) == [passes]


def test_names_of_the_environment():
    """Programs have `os`, `sys` and `environ`, the time zone is UTC, and matplotlib needs no display."""
    answer = (
        "    import time\n    assert os.environ is environ and sys.platform\n"
        "    assert (time.tzname[0], environ['MPLBACKEND'], environ['OMP_NUM_THREADS']) == ('UTC', 'Agg', '1')\n"
        f"{SOLUTION}"
    )
    assert judged("bigcodebench", RECORD, [answer], grading="shared") == [True]


def test_an_import_from_the_future():
    """An answer may begin with an import from `__future__`."""
    answer = f"from __future__ import annotations\n\ndef task_func(text: Unknown):\n{SOLUTION}"
    assert judged("bigcodebench", RECORD, [answer]) == [True]


def test_tests_that_patch():
    """Tests that patch what the candidate uses are graded "shared" under "auto"."""
    record = with_test("self.enterContext(unittest.mock.patch('json.loads', return_value=[4, 3]))\n")
    record["test"] = record["test"].replace("import unittest\n", "import unittest\nimport unittest.mock\n")
    record["test"] += "        self.assertEqual(task_func('x'), [3, 4])\n"
    [result] = results_of("bigcodebench", record, [SOLUTION], grading="auto")
    assert (result.passed, result.grading) == (True, "shared")


def test_objects_of_other_libraries():
    """Tests of results that another library made run with the candidate: their process knows no such object."""
    opening = "import json\nimport pluggy\n\ndef task_func(text):"
    record = {
        **with_test("self.assertIsInstance(task_func('a'), pluggy.PluginManager)"),
        "code_prompt": opening,
        "complete_prompt": f"{opening}\n",
        "canonical_solution": "    return pluggy.PluginManager(text)\n",
    }
    [result] = results_of("bigcodebench", record, [record["canonical_solution"]], grading="auto")
    assert (result.passed, result.grading) == (True, "shared")


def test_a_shell():
    """Programs have a shell."""
    answer = f"    import subprocess\n    assert subprocess.run('exit 3', shell=True).returncode == 3\n{SOLUTION}"
    assert judged("bigcodebench", RECORD, [answer]) == [True]


def test_localhost(pool_with_net):
    """Programs have localhost, where it is possible."""
    answer = f"    import socket\n    socket.create_server(('127.0.0.1', 0)).close()\n{SOLUTION}"
    assert judged("bigcodebench", RECORD, [answer]) == [True]


@pytest.mark.parametrize("options", [{"network": True}, {"shell": False, "loopback": False}])
def test_options_of_the_caller(options):
    """What the caller chooses holds, and localhost is not asked for beside a network."""
    config = BENCHMARKS["bigcodebench"].eval_config(options)
    confinement = config.sandbox.confinement
    assert (confinement.shell, confinement.loopback) == (options.get("shell", True), False)


def test_a_module_of_the_prompt_in_the_tests():
    """Tests may use modules that only the prompt imports, also under other names, in either grading."""
    record = with_test("self.assertTrue(clock.time() > 0 and task_func('[]') == [])")
    assert judged("bigcodebench", record, [SOLUTION], grading="separate") == [True]
    assert judged("bigcodebench", record, [SOLUTION], grading="shared") == [True]


def test_limits_and_modules():
    """Tests may take 240 seconds, and the modules of prompt, solution and tests have to be there."""
    [problem] = loaded_records("bigcodebench", RECORD).problems.values()
    assert (problem.limits["wall_seconds"], problem.limits["memory_bytes"]) == (240.0, 8 << 30)
    assert problem.modules == ("json", "time", "unittest")


def test_missing_packages():
    """A record that imports what the sandbox lacks is an error that names the package, before any candidate runs."""
    record = {**RECORD, "canonical_solution": "    import no_such_library\n    return no_such_library.sort(text)\n"}
    with pytest.raises(SandboxUnavailable, match="can't import: no_such_library; use pip install no_such_library, or"):
        judged("bigcodebench", record, [SOLUTION])
    [result] = results_of("bigcodebench", record, [SOLUTION], on_sandbox_error="exclude")
    assert isinstance(result, SandboxUnavailable)


def test_data_sets():
    """The full and the hard set are datasets of the Hub, each with the release that the grader takes."""
    sets = {name: (BENCHMARKS[name].hub_id, BENCHMARKS[name].split) for name in ("bigcodebench", "bigcodebench-hard")}
    assert sets == {
        "bigcodebench": ("bigcode/bigcodebench", "v0.1.4"),
        "bigcodebench-hard": ("bigcode/bigcodebench-hard", "v0.1.4"),
    }
    assert judged("bigcodebench-hard", RECORD, [solutions_of("bigcodebench-hard", RECORD)["BigCodeBench/7"]]) == [True]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"test": "import unittest\n\n\nclass Test(unittest.TestCase):\n    def test_a(self):\n        pass\n"},
            "TestCases",
        ),
        ({"code_prompt": "def f(:"}, "'code_prompt' with an empty body, is not Python"),
        ({"complete_prompt": None}, "'complete_prompt' is not a string"),
    ],
)
def test_invalid_records(changed, message):
    """A record that no answer can pass is an error with its place."""
    with pytest.raises(InputError, match=f":1: .*{message}"):
        loaded_records("bigcodebench", {**RECORD, **changed})
