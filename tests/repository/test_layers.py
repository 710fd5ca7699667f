"""After a change, the tests run that it can reach by the imports, and all after one that reaches every verdict."""

import pytest

from support.layers import DOCUMENTS, LAYERS, TESTED, TESTS, level_of_tests, reached_folders

FOLDERS = sorted({path.parent.relative_to(TESTS).parts[0] for path in TESTS.glob("*/**/test_*.py")})


@pytest.mark.parametrize(
    "path",
    [
        "sandboxes/guest/remote/handles.py",
        "sandboxes/guest/forkserver/child.c",
        "sandboxes/backends/docker/boot.py",
        "sandboxes/options/table.py",
        "tests/support/pools.py",
        "tests/conftest.py",
        "pyproject.toml",
        ".ci/run",
        "docker/packages.txt",
        "a file that nobody has thought of",
    ],
)
def test_what_reaches_every_verdict_runs_all(path):
    """A change of the guest, a backend, the options, the helpers of tests or the set-up leaves no test out."""
    assert reached_folders([path]) == FOLDERS


@pytest.mark.parametrize("path", ["README.md", "docs/grading.md", "examples/samples.jsonl", "performance/soak.py"])
def test_documents_need_no_compilers(path):
    """A change of documents runs their own tests alone."""
    assert reached_folders([path]) == ["docs", "repository"]


def test_a_change_reaches_what_stands_above_it():
    """A change of the reports runs their tests, and those of the command, the server and the Space, but no others."""
    reached = reached_folders(["code_tasks/reports/html_parts.py"])
    assert {"reports", "server", "cli", "space", "docs"} <= {*reached}
    assert not {"languages", "guest", "conformance", "benchmarks", "scoring"} & {*reached}


def test_a_language_reaches_all_above_the_engine():
    """A change of a language runs the tests of languages, benchmarks and the server."""
    assert {"languages", "benchmarks", "server", "conformance"} <= {*reached_folders(["sandboxes/languages/go.py"])}


def test_a_changed_test_runs():
    """A change of a test runs the tests of its folder."""
    assert reached_folders(["tests/pool/test_soak.py"]) == ["docs", "pool", "repository"]


def test_nothing_has_changed():
    """Without a change the tests of the documents and of the repository run."""
    assert reached_folders([]) == ["docs", "repository"]


@pytest.mark.parametrize("folder", FOLDERS)
def test_each_folder_has_a_layer(folder):
    """A folder of tests names a layer that is there, or stands for the engine."""
    assert level_of_tests(folder) in range(LAYERS.index("sandboxes"), DOCUMENTS + 1)


def test_folders_of_the_table_are_there():
    """The table names no folder that is gone."""
    assert {*TESTED} <= {*FOLDERS}
