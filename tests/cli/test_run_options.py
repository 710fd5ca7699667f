"""The options of `code-eval` that decide how samples are graded and isolated."""

import os

import pytest

from support.metric_and_command import PROBLEM, ROOT, code_eval, results_of

pytestmark = pytest.mark.slow

RIGHT = "    return a + b\n"
# An object that equals everything: tests in the same interpreter can't detect all of them.
LIAR = "    return type('Same', (), {'__eq__': lambda *values: True})()\n"
# These tests read the candidate's code, which is in another interpreter under separate grading.
INSPECTING = "import inspect\ndef check(candidate):\n    assert inspect.getsource(candidate)\n"


@pytest.mark.parametrize(
    ("options", "gradings", "passed"),
    [
        ([], ["separate", "shared"], [False, True]),
        (["--grading", "shared"], ["shared", "shared"], [True, True]),
    ],
    ids=["default", "shared"],
)
def test_grading(files, tmp_path, options, gradings, passed):
    """--grading decides where tests run, and each result says which grading it had."""
    problems = [PROBLEM, {**PROBLEM, "task_id": "t/1", "test": INSPECTING}]
    samples = [{"task_id": "t/0", "completion": LIAR}, {"task_id": "t/1", "completion": RIGHT}]
    done = code_eval(*files(samples, problems), *options, "--output", tmp_path / "results.jsonl")
    assert done.returncode == 0, done.stderr
    results = results_of(tmp_path / "results.jsonl")
    assert [each["grading"] for each in results] == gradings
    assert [each["passed"] for each in results] == passed


def test_separate_grading_of_other_tests(files):
    """Tests that can't run apart are an error that names the problem, the reason and the option."""
    done = code_eval(
        *files([{"task_id": "t/0", "completion": RIGHT}], [{**PROBLEM, "test": INSPECTING}]), "--grading", "separate"
    )
    assert done.returncode == 2
    assert "t/0': the tests import inspect, so that they run with the candidate; choose --grading auto" in done.stderr


def test_memory_mb(files, tmp_path):
    """--memory-mb limits the memory of a sample."""
    needs_100_mib = "    bytearray(100 << 20)\n    return a + b\n"
    outcomes = []
    for options in ([], ["--memory-mb", 64]):
        code_eval(*files([needs_100_mib]), *options, "--output", tmp_path / "results.jsonl")
        outcomes += [each["outcome"] for each in results_of(tmp_path / "results.jsonl")]
    assert outcomes == ["passed", "out_of_memory"]


@pytest.mark.parametrize("command", ["run", "doctor"])
def test_isolation_off(files, tmp_path, command):
    """--isolation off leaves out all layers but the limits."""
    if command == "doctor":
        done = code_eval("doctor", "--isolation", "off")
        layers = [row.split()[1] for row in done.stdout.splitlines() if row.startswith("  on ")]
        assert 'isolation="off"' in done.stdout
    else:
        done = code_eval(*files([RIGHT]), "--isolation", "off", "--output", tmp_path / "results.jsonl")
        [layers] = [each["isolation"] for each in results_of(tmp_path / "results.jsonl")]
    assert done.returncode == 0, done.stderr
    assert "rlimits" in layers
    assert not {"mount", "pid", "net", "seccomp"} & set(layers)


@pytest.mark.parametrize(
    ("option", "needed", "layer"),
    [
        (["--read-only-path", "FOLDER"], "import os\n    os.listdir('FOLDER')", "mount"),
        (["--network"], "import socket\n    socket.socket()", "net"),
        (["--preload", "uuid"], "import sys\n    sys.modules['uuid']", "rlimits"),
    ],
    ids=["read-only-path", "network", "preload"],
)
def test_what_samples_find(files, folder, tmp_path, needs, option, needed, layer):
    """Samples find a folder, the network or an imported module only with --read-only-path, --network or --preload."""
    needs(layer)
    passed = []
    for options in ([each.replace("FOLDER", folder) for each in option], []):
        arguments = files([f"    {needed}\n{RIGHT}".replace("FOLDER", folder)])
        done = code_eval(*arguments, *options, "--output", tmp_path / "results.jsonl")
        assert done.returncode == 0, done.stderr
        passed += [each["passed"] for each in results_of(tmp_path / "results.jsonl")]
    assert passed == [True, False]


def test_environment(files, tmp_path):
    """--env sets environment variables of samples, which see no others of the user."""
    lines = "    import os\n    assert os.environ['COLOUR'] == 'red=ish' and 'SECRET' not in os.environ\n"
    options = ["--env", "COLOUR=red=ish", "--output", tmp_path / "results.jsonl"]
    done = code_eval(*files([lines + RIGHT]), *options, SECRET="x")
    assert done.returncode == 0, done.stderr
    assert [result["passed"] for result in results_of(tmp_path / "results.jsonl")] == [True]


@pytest.mark.parametrize(
    ("options", "outcome"), [(["--max-processes", 2], "failed"), (["--max-output-bytes", 1000], "output_limit")]
)
def test_limits(files, tmp_path, options, outcome):
    """Every limit of the option table is an option of `run`."""
    lines = "    import threading, time\n    print('x' * 2000, flush=True)\n"
    lines += "    for _ in range(8): threading.Thread(target=time.sleep, args=(1,)).start()\n"
    done = code_eval(*files([lines + RIGHT]), *options, "--output", tmp_path / "results.jsonl")
    assert done.returncode == 0, done.stderr
    assert [result["outcome"] for result in results_of(tmp_path / "results.jsonl")] == [outcome]


@pytest.mark.parametrize("spelling", ["--allowed-import", "--allowed-imports"])
def test_plural_names(files, tmp_path, spelling):
    """An option that may be repeated has the plural name of the metric's argument too."""
    arguments = [*files(["    import math\n" + RIGHT]), "--sandbox", "restricted", spelling, "math"]
    done = code_eval(*arguments, "--output", tmp_path / "results.jsonl")
    assert done.returncode == 0, done.stderr
    assert [result["passed"] for result in results_of(tmp_path / "results.jsonl")] == [True]


def test_output_value(files, tmp_path):
    """--return-output writes the value of a variable of each sample to the results."""
    problem = {"task_id": "t/0", "test": "assert True"}
    sample = {"task_id": "t/0", "completion": "answer = [1, 2]"}
    options = ["--sandbox", "restricted", "--return-output", "--output-variable", "answer"]
    done = code_eval(*files([sample], [problem]), *options, "--output", tmp_path / "results.jsonl")
    assert done.returncode == 0, done.stderr
    assert [result["output"] for result in results_of(tmp_path / "results.jsonl")] == [[1, 2]]


@pytest.mark.parametrize(
    ("option", "completion"),
    [
        (["--allowed-import", "math", "--allowed-import", "re"], "    import math, re\n"),
        (["--allow-underscore-variable-names"], "    _c = a\n"),
        (["--allow-str-format"], "    '{}'.format(a)\n"),
    ],
    ids=["allowed-import", "allow-underscore-variable-names", "allow-str-format"],
)
def test_restrictions(files, tmp_path, option, completion):
    """With --sandbox restricted, a sample may do what an option allows, and only with that option."""
    passed = []
    for options in (option, []):
        arguments = [*files([completion + RIGHT]), "--sandbox", "restricted", *options]
        done = code_eval(*arguments, "--output", tmp_path / "results.jsonl")
        assert done.returncode == 0, done.stderr
        passed += [each["passed"] for each in results_of(tmp_path / "results.jsonl")]
    assert passed == [True, False]


@pytest.mark.parametrize(("policy", "outcome"), [("strict", "compile_error"), ("my_policy:Mine", "passed")])
def test_policy(files, tmp_path, policy, outcome):
    """--policy strict refuses the same code as RestrictedPython, and a user's own policy makes its own rules."""
    code = "from RestrictedPython import RestrictingNodeTransformer\n"
    code += "class Mine(RestrictingNodeTransformer):\n    def visit(self, node):\n        return node\n"
    (tmp_path / "my_policy.py").write_text(code)
    arguments = [*files(["    c: int = a\n" + RIGHT]), "--sandbox", "restricted", "--policy", policy]
    paths = os.pathsep.join([str(ROOT), str(tmp_path)])
    done = code_eval(*arguments, "--output", tmp_path / "results.jsonl", PYTHONPATH=paths)
    assert done.returncode == 0, done.stderr
    [result] = results_of(tmp_path / "results.jsonl")
    assert result["outcome"] == outcome, result["detail"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--allowed-import", "math"], '--allowed-import is an option of --sandbox restricted, not of "subprocess"'),
        (["--sandbox", "restricted", "--allowed-import", "import os"], "not 'import os'"),
        (["--sandbox", "restricted", "--policy", "lenient"], "not 'lenient'"),
        (
            ["--sandbox", "restricted", "--policy", "strict", "--allow-underscore-variable-names"],
            "contradicts --policy strict",
        ),
    ],
)
def test_restrictions_that_can_not_be_right(files, options, said):
    """An invalid option is a usage error that names it, before anything runs."""
    done = code_eval(*files([RIGHT]), *options)
    assert done.returncode == 2
    assert said in " ".join(done.stderr.replace("│", " ").split())


def test_doctor_of_restricted():
    """`doctor --sandbox restricted` runs canaries that its policy allows, and all is well."""
    done = code_eval("doctor", "--sandbox", "restricted")
    assert done.returncode == 0, done.stderr
    assert "sandbox restricted" in done.stdout
    assert "eats memory   out of memory" in done.stdout
