"""Modules that the caller can import, for candidates and tests: those of the script's folder, and of others."""

import subprocess
import sys

import pytest

from sandboxes import EvalConfig, Evaluator, Task
from sandboxes.backends.import_paths import caller_folders
from support.languages import shared_pool
from support.metric_and_command import ROOT
from support.pools import require_layers

SCRIPT = """
import os, sys
sys.path.append(ROOT)
os.environ["HF_ALLOW_CODE_EVAL"] = "1"
from sandboxes import EvalConfig, Evaluator, Task

if __name__ == "__main__":
    with Evaluator(EvalConfig.from_options({"num_workers": 1, "import_paths": "caller"}), keep_warm=False) as evaluator:
        candidate = "from MODULE import double\\ndef f(x): return double(x)"
        [verdict] = evaluator.run([Task("import MODULE\\nassert f(2) == MODULE.double(2) == 4", [candidate])])
        print(verdict.outcome.value, verdict.detail)
"""
DOUBLE = "def double(x):\n    return 2 * x\n"


def outcome(script, *arguments, **variables):
    """Return what a script prints, run by its path."""
    command = [sys.executable, *arguments, str(script)]
    done = subprocess.run(command, env={"PATH": "/usr/bin:/bin", **variables}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def script(tmp_path):
    """Return a function that writes the script, which imports a module by its name."""

    def write(module):
        (tmp_path / "script").mkdir()
        path = tmp_path / "script" / "run.py"
        path.write_text(SCRIPT.replace("MODULE", module).replace("ROOT", repr(str(ROOT))))
        return path

    return write


def test_a_module_beside_the_script(script):
    """Candidates and tests import what lies in the script's folder."""
    path = script("own_helpers")
    (path.parent / "own_helpers.py").write_text(DOUBLE)
    assert outcome(path) == "passed"


def test_a_package_in_pythonpath(script, tmp_path):
    """They import what PYTHONPATH leads to."""
    (tmp_path / "more" / "own_package").mkdir(parents=True)
    (tmp_path / "more" / "own_package" / "__init__.py").write_text(DOUBLE)
    assert outcome(script("own_package"), PYTHONPATH=str(tmp_path / "more")) == "passed"


def test_an_editable_install(script, tmp_path):
    """They import a package to which a finder of setuptools leads."""
    (tmp_path / "source" / "own_project").mkdir(parents=True)
    (tmp_path / "source" / "own_project" / "__init__.py").write_text(DOUBLE)
    finder = f"MAPPING = {{'own_project': {str(tmp_path / 'source' / 'own_project')!r}}}\n"
    path = script("own_project")
    (path.parent / "__editable___own_project_finder.py").write_text(finder)
    path.write_text("import __editable___own_project_finder\n" + path.read_text())
    assert outcome(path) == "passed"


def test_no_such_folder_is_seen_by_default(monkeypatch, tmp_path):
    """Without the option, candidates do not see what the caller can import."""
    require_layers(shared_pool(), "mount")
    monkeypatch.syspath_prepend(tmp_path)
    candidate = f"import os\ndef f(): return os.path.exists({str(tmp_path)!r})"
    with Evaluator(EvalConfig.from_options({"num_workers": 1})) as evaluator:
        [verdict] = evaluator.run([Task("assert f() is False", [candidate])])
    assert verdict.passed, verdict.detail


def test_tests_that_need_one_name_the_option(monkeypatch, tmp_path):
    """Tests that import what the caller alone can import are an error with the way out."""
    (tmp_path / "own_module_of_tests.py").write_text(DOUBLE)
    monkeypatch.syspath_prepend(tmp_path)
    with (
        Evaluator(EvalConfig.from_options({"num_workers": 1})) as evaluator,
        pytest.raises(ValueError, match="import own_module_of_tests, which programs can't: pass import_paths=\"call"),
    ):
        evaluator.run([Task("import own_module_of_tests\nassert f(1)", ["def f(x): return x"])])


def test_own_modules_come_last(monkeypatch, tmp_path):
    """A file with the name of a module of the standard library hides nothing."""
    (tmp_path / "json.py").write_text("raise SystemExit")
    monkeypatch.syspath_prepend(tmp_path)
    config = EvalConfig.from_options({"num_workers": 1, "import_paths": "caller"})
    assert str(tmp_path) in caller_folders()
    with Evaluator(config, keep_warm=False) as evaluator:
        [verdict] = evaluator.run([Task("assert f([1]) == '[1]'", ["import json\ndef f(x): return json.dumps(x)"])])
    assert verdict.passed, verdict.detail


def test_a_folder_that_every_sandbox_has(monkeypatch):
    """A folder that programs have one of their own of can't be shown, and the message names the option."""
    monkeypatch.syspath_prepend("/tmp")
    with pytest.raises(ValueError, match="import_paths: '/tmp' can't be shown"):
        EvalConfig.from_options({"import_paths": "caller"})


def test_a_container_has_none():
    """Containers see no folders of this machine, and say what to do."""
    with pytest.raises(ValueError, match="no container sees; give packages, or volumes"):
        EvalConfig.from_options({"sandbox": "docker", "import_paths": "caller"})
