"""The option --package of `code-eval run`, on a real Docker engine."""

import pytest

from support.docker_engines import IMAGE, require_image
from support.metric_and_command import PROBLEM, code_eval, results_of
from support.requirements import WALL_SECONDS

pytestmark = pytest.mark.slow

MISSING = "no-such-package-of-anybody"
OPTIONS = ("--sandbox", "docker", "--image", IMAGE, "--pull", "never", "--timeout", WALL_SECONDS)
PACKAGES = ("--package", "six:six", "--package", f"unused:{MISSING}")
USES_SIX = "    import six\n    return a + b if six.PY3 else 0\n"
ADDS = "    return a + b\n"


@pytest.fixture(scope="module", autouse=True)
def engine():
    """Skip these tests if there is no engine."""
    require_image()


@pytest.mark.parametrize(
    ("completion", "test"),
    [(USES_SIX, PROBLEM["test"]), (ADDS, f"import six\n{PROBLEM['test']}")],
    ids=["sample", "tests"],
)
def test_imported_packages_are_installed(files, tmp_path, completion, test):
    """A package given as IMPORT:REQUIREMENT is installed if a sample or its tests import it, and no other one is."""
    arguments = files([completion], [{**PROBLEM, "test": test}])
    done = code_eval(*arguments, *OPTIONS, *PACKAGES, "--output", tmp_path / "results.jsonl")
    assert done.returncode == 0, done.stderr
    assert [result["outcome"] for result in results_of(tmp_path / "results.jsonl")] == ["passed"]


def test_packages_that_no_sample_imports_are_missing(files, tmp_path):
    """A sample that hides its import does not find a package that was given as IMPORT:REQUIREMENT."""
    hidden = "    __import__('s' + 'ix')\n    return a + b\n"
    done = code_eval(*files([hidden]), *OPTIONS, *PACKAGES, "--output", tmp_path / "results.jsonl")
    assert done.returncode == 0, done.stderr
    [result] = results_of(tmp_path / "results.jsonl")
    assert (result["outcome"], result["exception_type"]) == ("failed", "ModuleNotFoundError")


def test_an_imported_package_that_cant_be_installed(files):
    """An imported package that can't be installed ends the command with pip's message and status 2."""
    done = code_eval(*files(["    import unused\n    return a + b\n"]), *OPTIONS, *PACKAGES)
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert f"No matching distribution found for {MISSING}" in done.stderr
